package localization

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mybot/robot"
)

// memory is a Cache in memory.
type memory map[string][]byte

func (m memory) Get(key string) ([]byte, bool) { d, ok := m[key]; return d, ok }
func (m memory) Put(key string, data []byte)   { m[key] = data }

// room is a room of 8 m by 5 m whose lower left corner is at (0, 0), with a block
// in it; the map extends 0.5 m around it.
func room() *robot.Floorplan {
	plan := &robot.Floorplan{Grid: robot.Grid{Width: 180, Height: 120, Resolution: 0.05, Origin: robot.Point{X: -0.5, Y: -0.5}}}
	g := &plan.Grid
	g.Cells = make([]robot.Cell, g.Width*g.Height)
	corner := func(points ...robot.Point) {
		for i, p := range points {
			plan.Lines = append(plan.Lines, robot.Segment{A: p, B: points[(i+1)%len(points)]})
		}
	}
	corner(robot.Point{}, robot.Point{X: 8}, robot.Point{X: 8, Y: 5}, robot.Point{Y: 5})
	corner(robot.Point{X: 5, Y: 3}, robot.Point{X: 6, Y: 3}, robot.Point{X: 6, Y: 4}, robot.Point{X: 5, Y: 4})
	for k := range g.Cells {
		x, y := g.Origin.X+(float64(k%g.Width)+0.5)*g.Resolution, g.Origin.Y+(float64(k/g.Width)+0.5)*g.Resolution
		switch {
		case x < 0 || x > 8 || y < 0 || y > 5:
		case x > 5 && x < 6 && y > 3 && y < 4:
			g.Cells[k] = robot.Occupied
		default:
			g.Cells[k] = robot.Free
		}
	}
	return plan
}

// ringOf returns n sonars around the robot.
func ringOf(n int, beam float64) []robot.Sonar {
	var out []robot.Sonar
	for i := range n {
		turn := robot.WrapAngle(2 * math.Pi * float64(i) / float64(n))
		sin, cos := math.Sincos(turn)
		out = append(out, robot.Sonar{Pose: robot.Pose{X: 0.25 * cos, Y: 0.22 * sin, Theta: turn}, Beam: beam, Min: 0.05, Max: 5})
	}
	return out
}

// kept caches the tables that tests only read, so that each is made once.
var kept = memory{}

func tableOf(t testing.TB, plan *robot.Floorplan, sonars []robot.Sonar, cache Cache) *Table {
	t.Helper()
	table, err := NewTable(t.Context(), plan, robot.Description{Sonars: sonars}, cache)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTheTableTellsWhatASonarThereWouldTell(t *testing.T) {
	table := tableOf(t, room(), ringOf(1, 20*math.Pi/180), nil)
	for _, c := range []struct {
		x, y         float64
		heading      int // of the table
		answer, axis float64
	}{
		{2.05, 2.05, 0, 5, 5},                  // the far wall is 5.95 m away
		{4.05, 2.05, 0, 3.95, 3.95},            // along the room
		{4.05, 2.05, 18, 2.95, 2.95},           // up
		{2.05, 2.05, 45, 5, 2.05 * math.Sqrt2}, // slanted into a corner: its end answers below 3 m
	} {
		cell := table.cellAt(c.x, c.y)
		if cell < 0 {
			t.Fatalf("(%v, %v) is not free", c.x, c.y)
		}
		at := 2 * (cell*tableHeadings + c.heading)
		answer, axis := float64(table.echoes[0][at])/levels*5, float64(table.echoes[0][at+1])/levels*5
		if c.answer == 5 && c.axis < 3 {
			c.answer = c.axis // the corner is an end of two walls
		}
		if math.Abs(answer-c.answer) > 0.03 || math.Abs(axis-c.axis) > 0.03 {
			t.Errorf("at (%v, %v), heading %d: %v and %v m, want %v and %v", c.x, c.y, c.heading, answer, axis, c.answer, c.axis)
		}
	}
	for _, p := range []robot.Point{{X: -0.2, Y: 1}, {X: 5.5, Y: 3.5}, {X: 100, Y: 1}, {X: math.NaN()}, {X: 1, Y: math.Inf(-1)}} {
		if table.cellAt(p.X, p.Y) >= 0 {
			t.Errorf("%v is free floor", p)
		}
	}
}

func TestATableIsMadeOnceForAMap(t *testing.T) {
	cache := memory{}
	plan, sonars := room(), ringOf(12, 0.35)
	first := tableOf(t, plan, sonars, cache)
	if len(cache) != 1 {
		t.Fatalf("%d tables are saved", len(cache))
	}
	for key := range cache {
		again := tableOf(t, plan, sonars, cache)
		if &again.echoes[0][0] != &cache[key][0] || !slices.Equal(again.echoes[0], first.echoes[0]) {
			t.Error("the saved table is not used")
		}
		cache[key][7] ^= 1
		if repaired := tableOf(t, plan, sonars, cache); !slices.Equal(repaired.echoes[0], first.echoes[0]) {
			t.Error("a damaged table is used")
		}
		cache[key] = cache[key][:9]
		if repaired := tableOf(t, plan, sonars, cache); !slices.Equal(repaired.echoes[0], first.echoes[0]) {
			t.Error("a table that was cut off is used")
		}
	}
	plan.Lines[0].B.X += 0.001
	tableOf(t, plan, sonars, cache)
	tableOf(t, plan, ringOf(12, 0.36), cache)
	plan.Grid.Cells[0] = robot.Free
	tableOf(t, plan, sonars, cache)
	if len(cache) != 4 {
		t.Errorf("four different maps and beams have %d tables", len(cache))
	}
}

func TestATableNeedsFloorAndSonars(t *testing.T) {
	if _, err := NewTable(t.Context(), room(), robot.Description{}, nil); err == nil || !strings.Contains(err.Error(), "neither sonars") {
		t.Errorf("without sonars: %v", err)
	}
	plan := room()
	clear(plan.Grid.Cells)
	if _, err := NewTable(t.Context(), plan, robot.Description{Sonars: ringOf(1, 0.3)}, nil); err == nil || !strings.Contains(err.Error(), "no free floor") {
		t.Errorf("without floor: %v", err)
	}
}

func BenchmarkTableOfTheOffice(b *testing.B) {
	plan := office(b)
	for b.Loop() {
		tableOf(b, plan, ringOf(12, 0.35), nil)
	}
}
