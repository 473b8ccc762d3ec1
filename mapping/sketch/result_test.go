package sketch

import (
	"math"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/robot/models"
)

// count returns how many cells of a grid are of a kind.
func count(g robot.Grid, kind robot.Cell) (n int) {
	for _, c := range g.Cells {
		if c == kind {
			n++
		}
	}
	return n
}

func TestASheetIsFreeFloorAroundTheRobot(t *testing.T) {
	r, err := NewSheet(6, 4)
	if err != nil {
		t.Fatal(err)
	}
	if r.IsSketch() || r.KeyFrames() != 1 || r.Pose(0) != (robot.Pose{}) {
		t.Errorf("it is a sketch: %t, with %d poses", r.IsSketch(), r.KeyFrames())
	}
	for _, turn := range []float64{0, 0.3, math.Pi / 2} {
		frame := robot.Pose{Theta: turn}
		g := r.DrawGrid(frame, 0.05, 1<<20)
		if area := float64(count(g, robot.Free)) * g.Resolution * g.Resolution; math.Abs(area-24) > 0.5 || count(g, robot.Occupied) > 0 {
			t.Errorf("turned by %g rad it has %.2f m2 of free floor", turn, area)
		}
		for _, c := range []struct {
			at   robot.Point
			want robot.Cell
		}{{robot.Point{}, robot.Free}, {robot.Point{X: 2.9, Y: 1.9}, robot.Free}, {robot.Point{X: 2.9, Y: 2.1}, robot.Unknown}, {robot.Point{X: -3.1}, robot.Unknown}} {
			if got := g.At(frame.Apply(c.at)); got != c.want {
				t.Errorf("turned by %g rad, %v is %v", turn, c.at, got)
			}
		}
	}
	if g := r.DrawGrid(robot.Pose{}, 0.05, 1000); g.Width*g.Height > 1000 || g.At(robot.Point{}) != robot.Free {
		t.Errorf("with at most 1000 cells it has %d x %d", g.Width, g.Height)
	}
}

func TestASheetOfASizeThatCannotBeIsRefused(t *testing.T) {
	for _, side := range []float64{0, 1.9, 40.1, -5, math.NaN(), math.Inf(1)} {
		for _, sides := range [][2]float64{{side, 5}, {5, side}} {
			if _, err := NewSheet(sides[0], sides[1]); err == nil || !strings.Contains(err.Error(), "between 2 and 40 m") {
				t.Errorf("%v: %v", sides, err)
			}
		}
	}
}

func TestAFinishedSketchStaysAsItIsAndCanBeTurned(t *testing.T) {
	desc := builtIn(t, models.MybotName)
	s := New(desc)
	if _, err := s.Result(); err == nil || !strings.Contains(err.Error(), "drive the robot") {
		t.Errorf("before it drives: %v", err)
	}
	wallAhead(t, s, desc, 0, 1.5)
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if n := r.KeyFrames(); !r.IsSketch() || n < 7 || n > 9 || r.Pose(n-1).Point().Sub(s.Pose().Point()).Norm() > stepDistance {
		t.Errorf("it has %d poses of the robot", n)
	}
	s.Undo(10)
	wallAhead(t, s, desc, 0, 0.2)
	for _, turn := range []float64{0, math.Pi / 2, 0.7} {
		frame := robot.Pose{Theta: turn}
		g := r.DrawGrid(frame, 0.05, 1<<20)
		wall := max(g.At(frame.Apply(robot.Point{Y: 2.95})), g.At(frame.Apply(robot.Point{Y: 3.05})))
		if wall != robot.Occupied || g.At(frame.Apply(robot.Point{Y: 1.4})) != robot.Free || g.At(frame.Apply(robot.Point{Y: -2})) != robot.Unknown || g.Resolution != 0.05 {
			t.Errorf("turned by %g rad the wall is %v", turn, wall)
		}
	}
	for range r.Echoes(0) {
		t.Error("it has echoes that lines could be fitted to")
	}
}
