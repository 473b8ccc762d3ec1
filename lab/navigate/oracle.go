package navigate

import (
	"container/heap"
	"math"
	"slices"

	"mybot/drivers/sim"
	"mybot/pathplan"
	"mybot/robot"
)

// A change is the content of a world from a time on.
type change struct {
	at   float64 // s since the goal was given
	held sim.Contents
}

// oracleTime returns how long an errand takes, in s, for an oracle that knows when each barrel
// and door appears and disappears: it waits if that is better than another path, and leaves
// early because of what will close. It ignores people. told is the time that was announced for
// the floor plan alone, which gives the speed. ok is false if there is no such path. The
// changes are in order of time, the first at 0.
func oracleTime(desc robot.Description, plan *robot.Floorplan, from, goal robot.Pose, told float64, changes []change) (seconds float64, ok bool) {
	free := newTimetable(desc, plan, []change{{held: sim.Contents{Closed: make([]bool, len(plan.Doors))}}})
	length, ok := free.findEarliest(from.Point(), goal.Point(), 1)
	if !ok || length == 0 || told <= 0 {
		return 0, false
	}
	return newTimetable(desc, plan, changes).findEarliest(from.Point(), goal.Point(), length/told)
}

// A timetable has the cells of a floor in which the robot's centre may be, and when. Time is
// divided into phases without changes.
type timetable struct {
	grid   *robot.Grid
	begins []float64 // s, of each phase; the first begins at 0, the last has no end
	open   [][]bool  // by phase and cell
}

// newTimetable asks the planner in each phase. Barrels have their true size.
func newTimetable(desc robot.Description, plan *robot.Floorplan, changes []change) *timetable {
	t := &timetable{grid: &plan.Grid}
	for n, c := range changes {
		if n+1 < len(changes) && changes[n+1].at <= c.at {
			continue // it ends immediately
		}
		planner := pathplan.NewPlanner(addContents(plan, c.held, 0), desc)
		open := make([]bool, len(plan.Grid.Cells))
		for k := range open {
			open[k] = planner.IsDrivable(plan.Grid.CellMiddle(k%plan.Grid.Width, k/plan.Grid.Width))
		}
		t.begins, t.open = append(t.begins, c.at), append(t.open, open)
	}
	return t
}

// A stay is an uninterrupted time in which a cell is open: safe-interval path planning
// (Phillips and Likhachev, 2011).
type stay struct {
	cell  int
	phase int // the first one
}

// A visit is the earliest time at which a stay can be reached.
type visit struct {
	stay
	at    float64 // s
	least float64 // s, earliest time at the goal
}

// visits is a heap, with the earliest possible arrival at the goal in front.
type visits []visit

func (v visits) Len() int           { return len(v) }
func (v visits) Less(a, b int) bool { return v[a].least < v[b].least }
func (v visits) Swap(a, b int)      { v[a], v[b] = v[b], v[a] }
func (v *visits) Push(x any)        { *v = append(*v, x.(visit)) }
func (v *visits) Pop() any {
	last := (*v)[len(*v)-1]
	*v = (*v)[:len(*v)-1]
	return last
}

// findEarliest returns the earliest time, in s, at which an oracle that starts at 0 and moves
// from cell to cell at a speed in m/s, or waits, reaches a point of map.
func (t *timetable) findEarliest(from, to robot.Point, speed float64) (seconds float64, ok bool) {
	start, okStart := t.cellAt(from)
	goal, okGoal := t.cellAt(to)
	if !okStart || !okGoal || !t.open[0][start] {
		return 0, false
	}
	width := t.grid.Width
	atBest := func(cell int) float64 {
		x, y := math.Abs(float64(cell%width-goal%width)), math.Abs(float64(cell/width-goal/width))
		return (max(x, y) + (math.Sqrt2-1)*min(x, y)) * t.grid.Resolution / speed
	}
	earliest := slices.Repeat([]float64{math.Inf(1)}, len(t.begins)*len(t.grid.Cells))
	queue := &visits{}
	reach := func(s stay, at float64) {
		if k := s.phase*len(t.grid.Cells) + s.cell; at < earliest[k] {
			earliest[k] = at
			heap.Push(queue, visit{s, at, at + atBest(s.cell)})
		}
	}
	reach(stay{start, 0}, 0)
	for queue.Len() > 0 {
		v := heap.Pop(queue).(visit)
		if v.at > earliest[v.phase*len(t.grid.Cells)+v.cell] {
			continue
		}
		if v.cell == goal {
			return v.at, true
		}
		ends := t.endOf(v.stay)
		for dj := -1; dj <= 1; dj++ {
			for di := -1; di <= 1; di++ {
				i, j := v.cell%width+di, v.cell/width+dj
				if di == 0 && dj == 0 || i < 0 || j < 0 || i >= width || j >= t.grid.Height {
					continue
				}
				takes := math.Hypot(float64(di), float64(dj)) * t.grid.Resolution / speed
				t.eachStay(j*width+i, func(next stay, begins, end float64) {
					if at := max(v.at+takes, begins); at < end && at-takes < ends {
						reach(next, at)
					}
				})
			}
		}
	}
	return 0, false
}

// eachStay calls f for every stay of a cell, with its beginning and end.
func (t *timetable) eachStay(cell int, f func(s stay, begins, end float64)) {
	for n := range t.open {
		if t.open[n][cell] && (n == 0 || !t.open[n-1][cell]) {
			s := stay{cell, n}
			f(s, t.begins[n], t.endOf(s))
		}
	}
}

// endOf returns when a stay ends; +Inf = never.
func (t *timetable) endOf(s stay) float64 {
	for n := s.phase + 1; n < len(t.open); n++ {
		if !t.open[n][s.cell] {
			return t.begins[n]
		}
	}
	return math.Inf(1)
}

// cellAt returns the cell of a point of map.
func (t *timetable) cellAt(p robot.Point) (cell int, ok bool) {
	i, j, ok := t.grid.Index(p)
	return j*t.grid.Width + i, ok
}
