package pathplan

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

// gridOf draws a small grid with cells of 0.1 m. The corner of cell (0, 0) is off the origin.
func gridOf(t *rapid.T, maxSize int) *robot.Grid {
	g := &robot.Grid{Width: rapid.IntRange(1, maxSize).Draw(t, "width"), Height: rapid.IntRange(1, maxSize).Draw(t, "height"), Resolution: 0.1, Origin: robot.Point{X: -1.3, Y: 0.7}}
	density := rapid.IntRange(0, 5).Draw(t, "density")
	for _, v := range rapid.SliceOfN(rapid.IntRange(0, 99), g.Width*g.Height, g.Width*g.Height).Draw(t, "cells") {
		state := robot.Free
		if v < density*density*density/2 {
			state = robot.Cell(2 * (v % 2)) // occupied or unknown
		}
		g.Cells = append(g.Cells, state)
	}
	return g
}

// truly returns the distance from p to the nearest cell that is not free, by checking all
// cells; outside of the grid nothing is free.
func truly(g *robot.Grid, p robot.Point) float64 {
	x, y := (p.X-g.Origin.X)/g.Resolution, (p.Y-g.Origin.Y)/g.Resolution
	best := max(0, min(x, y, float64(g.Width)-x, float64(g.Height)-y))
	for j := range g.Height {
		for i := range g.Width {
			if g.Cells[j*g.Width+i] != robot.Free {
				dx := max(float64(i)-x, 0, x-float64(i+1))
				dy := max(float64(j)-y, 0, y-float64(j+1))
				best = min(best, math.Hypot(dx, dy))
			}
		}
	}
	return best * g.Resolution
}

func TestTheClearanceOfEveryCellIsTheDistanceToTheNearestThatIsNotFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := gridOf(t, 24)
		c := NewClearance(g)
		for j := range g.Height {
			for i := range g.Width {
				p := c.pointAt(MiddleOf(Cell{i, j}))
				if got, want := c.middleOf(Cell{i, j}), truly(g, p); got > want+1e-9 || got < want-grain-1e-9 {
					t.Fatalf("cell %d, %d: %v m, want %v m", i, j, got, want)
				}
			}
		}
	})
}

func TestTheClearanceOfAPointIsNeverMoreThanTheTruthAndHardlyLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := gridOf(t, 16)
		c := NewClearance(g)
		p := robot.Point{
			X: g.Origin.X + g.Resolution*rapid.Float64Range(-1, float64(g.Width+1)).Draw(t, "x"),
			Y: g.Origin.Y + g.Resolution*rapid.Float64Range(-1, float64(g.Height+1)).Draw(t, "y"),
		}
		got, want := c.At(p), truly(g, p)
		if got > want+1e-6 || got < want-g.Resolution*math.Sqrt2-grain-1e-6 {
			t.Fatalf("%v: %v m, the truth is %v m", p, got, want)
		}
	})
}

func TestALegIsClearWhereEveryPointOfItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := gridOf(t, 16)
		c := NewClearance(g)
		point := func(name string) robot.Point {
			return robot.Point{
				X: g.Origin.X + g.Resolution*rapid.Float64Range(0, float64(g.Width)).Draw(t, name+" x"),
				Y: g.Origin.Y + g.Resolution*rapid.Float64Range(0, float64(g.Height)).Draw(t, name+" y"),
			}
		}
		a, b := point("a"), point("b")
		minClearance := rapid.Float64Range(0.02, 0.3).Draw(t, "least")
		worst := math.Inf(1)
		for n := range 501 {
			f := float64(n) / 500
			worst = min(worst, c.At(robot.Point{X: a.X + f*(b.X-a.X), Y: a.Y + f*(b.Y-a.Y)}))
		}
		// The shortest stride is a quarter of a cell; the clearance changes no faster than the
		// position.
		if got := c.IsClear(a, b, minClearance); got && worst < minClearance-g.Resolution/8-1e-6 || !got && worst > minClearance+1e-3 {
			t.Fatalf("%v to %v: clear of %v m: %v, the worst is %v m", a, b, minClearance, got, worst)
		}
	})
}

func TestTheClearanceRisesAwayFromAWallAndIsLevelOutside(t *testing.T) {
	c := NewClearance(&bay().Grid) // from -2, -3 to 6, 3
	const slope = 0.1
	for _, k := range []struct {
		at, want robot.Point
	}{
		{robot.Point{X: 2, Y: -2.5}, robot.Point{Y: 1}},
		{robot.Point{X: 2, Y: 2.5}, robot.Point{Y: -1}},
		{robot.Point{X: -1.5, Y: 0}, robot.Point{X: 1}},
		{robot.Point{X: 5.5, Y: 0}, robot.Point{X: -1}},
		{robot.Point{X: 2, Y: 0}, robot.Point{}},
		{robot.Point{X: 30, Y: 0}, robot.Point{}},
		{robot.Point{X: 1, Y: -30}, robot.Point{}},
	} {
		if up := c.gradientAt(k.at, slope); up.Sub(k.want).Norm() > 0.01 {
			t.Errorf("at %v it rises by %v, want %v", k.at, up, k.want)
		}
	}
	for _, x := range []float64{-2, -1.99, 2, 5.99, 6} {
		for _, y := range []float64{-3, -2.99, 0, 2.99, 3} {
			p := robot.Point{X: x, Y: y}
			if got, want := c.interpolate(p), truly(&bay().Grid, p); got > want+1e-9 || want > 0.05 && got < want-0.03 {
				t.Errorf("at %v it is %v m, want %v m", p, got, want)
			}
		}
	}
	if got := c.interpolate(robot.Point{X: -1.97, Y: 0}); math.Abs(got-0.03) > 2*grain {
		t.Errorf("in the first cell it is %v m, want 0.03 m", got)
	}
	if got := c.interpolate(robot.Point{X: 0, Y: -2.97}); math.Abs(got-0.03) > 2*grain {
		t.Errorf("in the lowest cell it is %v m, want 0.03 m", got)
	}
}
