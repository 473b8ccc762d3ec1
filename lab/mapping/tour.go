package mapping

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// maxTour is the greatest length of lanes in a tour, in m; a tour follows each twice.
const maxTour = 600.0

// spurStep is the distance between points of a path into a room, in m.
const spurStep = 0.3

// spurSpare is how much longer and wider, in m, the robot counts when a path into a room is
// planned.
const spurSpare = 0.15

// A lane connects two via points.
type lane struct{ a, b int }

// drawTour returns the points of a drive over a floor that follows every lane once in each
// direction, visits the rooms without lanes by spurs, and ends at its start. Start and order
// are random. On a floor with many lanes it follows those that connect all via points and close
// the longest loops.
func drawTour(roads *testbed.Roads, spurs map[int][]robot.Point, rng *rand.Rand) ([]robot.Point, error) {
	spurs = maps.Clone(spurs)
	part := roads.LargestPart()
	lanes := chooseLanes(roads, part)
	if len(lanes) == 0 {
		return nil, errors.New("lab: mapping: this floor has no lanes for a tour")
	}
	next := map[int][]int{} // directed lanes that are left
	for _, l := range lanes {
		next[l.a], next[l.b] = append(next[l.a], l.b), append(next[l.b], l.a)
	}
	for _, a := range part { // in a fixed order, so that a seed always gives the same tour
		rng.Shuffle(len(next[a]), func(i, j int) { next[a][i], next[a][j] = next[a][j], next[a][i] })
	}
	// Each via point has as many incoming as outgoing lanes, so a closed tour over all of them
	// exists (Hierholzer 1873). It turns back only if no other lane is left.
	path := []int{part[rng.IntN(len(part))]}
	var tour []int
	for len(path) > 0 {
		at := path[len(path)-1]
		left := next[at]
		if len(left) == 0 {
			tour = append(tour, at)
			path = path[:len(path)-1]
			continue
		}
		k := 0
		if len(path) > 1 && left[0] == path[len(path)-2] && len(left) > 1 {
			k = 1
		}
		path = append(path, left[k])
		next[at] = slices.Delete(left, k, k+1)
	}
	var points []robot.Point
	for _, n := range tour {
		points = append(points, roads.At[n])
		points = append(points, spurs[n]...)
		delete(spurs, n)
	}
	return points, nil
}

// findSpurs returns, by via point, paths into rooms without lanes, and back.
func findSpurs(s *Site) map[int][]robot.Point {
	wider := s.Desc // a person avoids narrow places
	wider.Body.Hull = nil
	wider.Body.Length, wider.Body.Width = s.Desc.Body.Length+spurSpare, s.Desc.Body.Width+spurSpare
	planner := pathplan.NewPlanner(s.Plan, wider)
	part := s.Roads.LargestPart()
	spurs := map[int][]robot.Point{}
	for _, room := range s.Plan.Rooms {
		if slices.ContainsFunc(part, func(n int) bool { return robot.Inside(s.Roads.At[n], room.Outline) }) {
			continue
		}
		var best pathplan.Route
		from := -1
		for _, n := range part {
			at := robot.Pose{X: s.Roads.At[n].X, Y: s.Roads.At[n].Y}
			for _, goal := range roomPoints(room, planner) {
				if r, err := planner.FindRoute(time.Time{}, at, robot.Pose{X: goal.X, Y: goal.Y}); err == nil && (from < 0 || r.Length < best.Length) {
					best, from = r, n
				}
			}
		}
		if from < 0 {
			continue // closed off, like a courtyard
		}
		var way []robot.Point
		for along, i := 0.0, 0; i < len(best.Points); i++ {
			if p := best.Points[i]; p.Along >= along || i == len(best.Points)-1 {
				way, along = append(way, p.Point), p.Along+spurStep
			}
		}
		back := slices.Clone(way)
		slices.Reverse(back)
		spurs[from] = slices.Concat(spurs[from], way, back, []robot.Point{s.Roads.At[from]})
	}
	return spurs
}

// roomPoints returns the point in a room at which the robot fits that is nearest to the middle
// of its outline, or none.
func roomPoints(room robot.Room, planner *pathplan.Planner) []robot.Point {
	var middle robot.Point
	for _, p := range room.Outline {
		middle = middle.Add(robot.Point{X: p.X / float64(len(room.Outline)), Y: p.Y / float64(len(room.Outline))})
	}
	for far := 0.0; far < 3; far += 0.25 {
		for k := range 16 {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / 16)
			p := middle.Add(robot.Point{X: far * cos, Y: far * sin})
			if robot.Inside(p, room.Outline) && planner.IsDrivable(p) {
				return []robot.Point{p}
			}
		}
	}
	return nil
}

// chooseLanes returns all lanes of a part of the roads or, if they exceed maxTour, a tree of
// the shortest ones and then the lanes that close the longest loops.
func chooseLanes(roads *testbed.Roads, part []int) []lane {
	var all []lane
	total := 0.0
	for _, a := range part {
		for _, b := range roads.Next(a) {
			if l := (lane{min(a, b), max(a, b)}); !slices.Contains(all, l) {
				all = append(all, l)
				total += roads.At[a].Sub(roads.At[b]).Norm()
			}
		}
	}
	if total <= maxTour {
		return all
	}
	length := func(l lane) float64 { return roads.At[l.a].Sub(roads.At[l.b]).Norm() }
	slices.SortStableFunc(all, func(p, q lane) int { return cmp.Compare(length(p), length(q)) })
	root := make([]int, len(roads.At))
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	var chosen, rest []lane
	way := 0.0
	for _, l := range all {
		if a, b := find(l.a), find(l.b); a != b {
			root[a] = b
			chosen, way = append(chosen, l), way+length(l)
		} else {
			rest = append(rest, l)
		}
	}
	for len(rest) > 0 {
		longest, around := -1, 10.0 // m, shortest loop that is worth driving
		for i, l := range rest {
			if d := detour(roads, chosen, l); d > around && way+length(l) <= maxTour {
				longest, around = i, d
			}
		}
		if longest < 0 {
			break
		}
		chosen, way = append(chosen, rest[longest]), way+length(rest[longest])
		rest = slices.Delete(rest, longest, longest+1)
	}
	return chosen
}

// detour returns the length of the shortest path between the ends of a lane on other lanes, in
// m.
func detour(roads *testbed.Roads, lanes []lane, around lane) float64 {
	far := make([]float64, len(roads.At))
	for i := range far {
		far[i] = math.Inf(1)
	}
	far[around.a] = 0
	for shorter := true; shorter; { // the floors are small
		shorter = false
		for _, l := range lanes {
			d := roads.At[l.a].Sub(roads.At[l.b]).Norm()
			if far[l.a]+d < far[l.b] {
				far[l.b], shorter = far[l.a]+d, true
			}
			if far[l.b]+d < far[l.a] {
				far[l.a], shorter = far[l.b]+d, true
			}
		}
	}
	return far[around.b]
}
