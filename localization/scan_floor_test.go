package localization

import (
	"math"
	"strings"
	"testing"

	"mybot/robot"
)

func scanFloorOf(t testing.TB, plan *robot.Floorplan) *scanFloor {
	t.Helper()
	s, err := newScanFloor(plan)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheFloorOfALidarIsItsLinesFurnitureAndUntracedCells(t *testing.T) {
	plan := room()
	plan.Furniture = []robot.Furniture{{Name: "Barrel", Outline: []robot.Point{{X: 2, Y: 3}}, Radius: 0.3}}
	for i := range 4 { // a pillar of 0.2 m that no line represents
		for j := range 4 {
			x, y, _ := plan.Grid.Index(robot.Point{X: 3.02 + 0.05*float64(i), Y: 1.02 + 0.05*float64(j)})
			plan.Grid.Cells[y*plan.Grid.Width+x] = robot.Occupied
		}
	}
	s := scanFloorOf(t, plan)
	for _, c := range []struct {
		what        string
		x, y        float64
		least, most uint8
	}{
		{"on a wall", 4, 0.01, 240, 255},
		{"10 cm before one", 4, 0.12, 105, 185},
		{"free", 4, 2, 1, 1},
		{"at the rim of the barrel", 2.3, 3, 240, 255},
		{"inside it", 2, 3, 1, 10},
		{"at the pillar", 3.02, 1.02, 220, 255},
		{"behind a wall, where nothing is known", 4, -0.4, 0, 0},
		{"beyond the map", -10, 4, 0, 0},
		{"beyond it on the other side", 1e9, 4, 0, 0},
		{"nowhere", math.NaN(), 4, 0, 0},
	} {
		if v := s.valueAt(c.x, c.y); v < c.least || v > c.most {
			t.Errorf("%s the value is %d, want %d to %d", c.what, v, c.least, c.most)
		}
	}
	if !(s.chance > 0.05 && s.chance < 0.6) {
		t.Errorf("by chance %.2f of the beams fit", s.chance)
	}
	for _, c := range []struct {
		p    robot.Point
		side int
		want bool
	}{{robot.Point{X: 4, Y: 2}, 1, true}, {robot.Point{X: -0.4, Y: 2}, 1, false}, {robot.Point{X: -0.4, Y: 2}, 16, true}, {robot.Point{X: 5.2, Y: 3.2}, 8, false}, {robot.Point{X: 50, Y: 2}, 8, false}} {
		x, y := s.field.Cell(c.p)
		if got := s.holdsFree(x, y, c.side); got != c.want {
			t.Errorf("%d cells from %v on hold free floor: %v", c.side, c.p, got)
		}
	}
}

func TestAMapOfAnyResolutionHasAFloorForLidars(t *testing.T) {
	for _, resolution := range []float64{0.01, 0.05, 0.2, 0.5} {
		plan := &robot.Floorplan{Grid: robot.Grid{Width: int(10 / resolution), Height: int(6 / resolution), Resolution: resolution}}
		g := &plan.Grid
		g.Cells = make([]robot.Cell, g.Width*g.Height)
		for k := range g.Cells {
			g.Cells[k] = robot.Free
			if i, j := k%g.Width, k/g.Width; i == 0 || j == 0 || i == g.Width-1 || j == g.Height-1 {
				g.Cells[k] = robot.Occupied
			}
		}
		s := scanFloorOf(t, plan)
		if v := s.valueAt(5, resolution/2); v < 150 {
			t.Errorf("with cells of %g m a wall has the value %d", resolution, v)
		}
		if v := s.valueAt(5, 3); v != 1 {
			t.Errorf("with cells of %g m the middle has the value %d", resolution, v)
		}
	}
	empty := &robot.Floorplan{Grid: robot.Grid{Width: 2, Height: 2, Resolution: 1, Cells: make([]robot.Cell, 4)}}
	if _, err := newScanFloor(empty); err == nil || !strings.Contains(err.Error(), "no walls") {
		t.Errorf("a map without walls: %v", err)
	}
}

func TestTheLikelihoodOfAScanIsThatOfItsBeams(t *testing.T) {
	s := scanFloorOf(t, room())
	at := robot.Pose{X: 2, Y: 2, Theta: 0.5}
	sin, cos := math.Sincos(at.Theta)
	back := at.Inverse()
	for _, c := range []struct {
		what string
		end  robot.Point
		want float64
	}{
		{"at a wall", robot.Point{X: 0.01, Y: 2}, 1},
		{"in the middle of the floor", robot.Point{X: 3, Y: 2}, scanOther},
		{"over unknown floor", robot.Point{X: -0.45, Y: 2}, scanUnknown},
		{"beyond the map", robot.Point{X: -90, Y: 2}, scanUnknown},
	} {
		ends := []beamEnd{{at: back.Apply(c.end)}}
		if got := math.Exp(s.logLikelihood(ends, at.X, at.Y, sin, cos)); math.Abs(got-c.want) > 0.06 {
			t.Errorf("%s a beam's end has the likelihood %.3f, want %.3f", c.what, got, c.want)
		}
		three := append(ends, ends[0], ends[0])
		if got := math.Exp(s.logLikelihood(three, at.X, at.Y, sin, cos) / 3); math.Abs(got-c.want) > 0.06 {
			t.Errorf("three ends %s have %.3f each", c.what, got)
		}
	}
	fit, known := s.measureFit([]beamEnd{{at: back.Apply(robot.Point{X: 0, Y: 2})}, {at: back.Apply(robot.Point{X: 3, Y: 2})}, {at: back.Apply(robot.Point{X: -0.45, Y: 2})}}, at)
	if fit != 0.5 || known != 2 {
		t.Errorf("one of two beams over known floor fits: %v of %d", fit, known)
	}
}

func TestABeamThatEndsBeforeTheWallMetAPerson(t *testing.T) {
	s := scanFloorOf(t, room())
	at := robot.Pose{X: 2, Y: 2, Theta: 1}
	back := at.Inverse()
	for _, c := range []struct {
		what string
		end  robot.Point
		want bool
	}{
		{"at the wall", robot.Point{X: 0, Y: 2}, false},
		{"at the wall, seen along it", robot.Point{X: 7.9, Y: 0.05}, false},
		{"0.4 m before the wall", robot.Point{X: 0.4, Y: 2}, false},
		{"0.8 m before the wall", robot.Point{X: 0.8, Y: 2}, true},
		{"in the middle of the floor", robot.Point{X: 4, Y: 2}, true},
		{"behind the block, through it", robot.Point{X: 7, Y: 4.2}, false},
		{"beyond the wall", robot.Point{X: -0.4, Y: 2}, false},
		{"at the lidar", at.Point(), false},
	} {
		if got := s.isShort(beamEnd{at: back.Apply(c.end)}, at); got != c.want {
			t.Errorf("a beam that ends %s is too short: %v", c.what, got)
		}
	}
	scans := newScans(s, 1)
	beam := func(x float64) beamEnd { return beamEnd{at: back.Apply(robot.Point{X: x, Y: 2})} }
	o := observation{beams: []beamEnd{beam(4), beam(0), beam(0), beam(4), beam(0)}}
	if scans.setCrowdApart(&o, at); o.clear != 3 || math.Abs(scans.crowd-0.4) > 1e-9 || o.beams[3] != beam(4) || o.beams[4] != beam(4) {
		t.Errorf("of five beams, two of them at people, %d count; the crowd is %v", o.clear, scans.crowd)
	}
	o = observation{beams: []beamEnd{beam(4), beam(4), beam(0)}}
	if scans.setCrowdApart(&o, at); o.clear != 3 {
		t.Errorf("where most beams end too soon, %d of 3 count", o.clear)
	}
}
