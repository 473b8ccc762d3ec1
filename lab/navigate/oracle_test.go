package navigate

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/pathplan"
	"mybot/robot"
)

// A drawnPhase is a floor from a time on: rows of cells of 1 m, # = closed, the top row first.
type drawnPhase struct {
	begins float64
	rows   string
}

func drawTimetable(phases ...drawnPhase) *timetable {
	t := &timetable{}
	for _, p := range phases {
		rows := strings.Fields(p.rows)
		t.grid = &robot.Grid{Width: len(rows[0]), Height: len(rows), Resolution: 1, Cells: make([]robot.Cell, len(rows[0])*len(rows))}
		open := make([]bool, len(t.grid.Cells))
		for j, row := range rows {
			for i, c := range row {
				open[(len(rows)-1-j)*len(row)+i] = c != '#'
			}
		}
		t.begins, t.open = append(t.begins, p.begins), append(t.open, open)
	}
	return t
}

func TestTheOracleKnowsWhatOpensAndClosesWhen(t *testing.T) {
	const free, shut = "......", "...#.."
	never := math.Inf(1)
	for _, c := range []struct {
		name   string
		phases []drawnPhase
		from   robot.Point
		to     robot.Point
		want   float64 // s at 1 m/s; +Inf = there is no path
	}{
		{"nothing in the way", []drawnPhase{{0, free}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, 5},
		{"aslant", []drawnPhase{{0, "... ... ..."}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 2.5, Y: 2.5}, 2 * math.Sqrt2},
		{"it is there already", []drawnPhase{{0, free}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 0.6, Y: 0.4}, 0},
		{"it waits before a door that opens", []drawnPhase{{0, shut}, {10, free}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, 12},
		{"it is through before the door closes", []drawnPhase{{0, free}, {4, shut}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, 5},
		{"the door closes before it is there", []drawnPhase{{0, free}, {2, shut}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, never},
		{"the door closes and opens again", []drawnPhase{{0, free}, {2, shut}, {20, free}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, 22},
		{"the way around is shorter than waiting", []drawnPhase{{0, "...... ...#.."}, {10, "...... ......"}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, 3 + 2*math.Sqrt2},
		{"waiting is shorter than the way around", []drawnPhase{{0, "......... .#######. .#######. .#######. ....#...."}, {5, "......... .#######. .#######. .#######. ........."}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 8.5, Y: 0.5}, 9},
		{"it cannot wait where something is put down", []drawnPhase{{0, "...#.. ###.##"}, {2, "##.#.. ######"}, {9, "##.... ######"}}, robot.Point{X: 0.5, Y: 1.5}, robot.Point{X: 5.5, Y: 1.5}, 11},
		{"what is put down where it begins leaves time to go", []drawnPhase{{0, free}, {1.5, "##...."}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, 5},
		{"it has to turn back", []drawnPhase{{0, shut}, {1, "##.#.."}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, never},
		{"nowhere is left to wait", []drawnPhase{{0, shut}, {2, "######"}, {5, free}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, never},
		{"the goal is closed for a time", []drawnPhase{{0, ".....#"}, {30, free}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, 30},
		{"it begins in something", []drawnPhase{{0, "#....."}, {1, free}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, never},
		{"the goal is off the floor", []drawnPhase{{0, free}}, robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 9, Y: 0.5}, never},
	} {
		got, ok := drawTimetable(c.phases...).findEarliest(c.from, c.to, 1)
		if !ok {
			got = never
		}
		if math.Abs(got-c.want) > 1e-9 && got != c.want {
			t.Errorf("%s: %v s, want %v s", c.name, got, c.want)
		}
	}
	if got, ok := drawTimetable(drawnPhase{0, shut}, drawnPhase{18, free}).findEarliest(robot.Point{X: 0.5, Y: 0.5}, robot.Point{X: 5.5, Y: 0.5}, 0.25); !ok || math.Abs(got-26) > 1e-9 {
		t.Errorf("at 0.25 m/s: %v s, want 26 s", got)
	}
}

// In the office, one door leads to a room.
func TestTheOracleOfAnErrandTakesTheTimeToldAndTheTimeOfTheDoor(t *testing.T) {
	f := officeFloor(t)
	from, goal := robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 5.2, Y: 10.3}
	route, err := pathplan.NewPlanner(f.Plan, f.Desc).FindRoute(time.Time{}, from, goal)
	if err != nil {
		t.Fatal(err)
	}
	closed := make([]bool, len(f.Plan.Doors))
	for n, d := range f.Plan.Doors {
		closed[n] = passesDoor(&route, d)
	}
	open := make([]bool, len(closed))
	const told = 12.0
	at := func(s float64, shut []bool) change { return change{s, sim.Contents{Closed: shut}} }
	within := func(name string, low, high float64, changes ...change) {
		t.Helper()
		got, ok := oracleTime(f.Desc, f.Plan, from, goal, told, changes)
		if !ok || got < low-1e-9 || got > high+1e-9 {
			t.Errorf("%s: %v s, %v; want %v to %v s", name, got, ok, low, high)
		}
	}
	within("nothing happens", told, told, at(0, open))
	within("the door closes when it is through", told, told, at(0, open), at(told, closed))
	within("the door opens after 40 s", 40, 40+told, at(0, closed), at(40, open))
	within("two things happen at once", 40, 40+told, at(0, open), at(0, closed), at(40, open))
	if got, ok := oracleTime(f.Desc, f.Plan, from, goal, told, []change{at(0, closed)}); ok {
		t.Errorf("the door stays closed, but the oracle arrives after %v s", got)
	}
}
