package pathplan

import (
	"math"
	"slices"
	"testing"

	"mybot/robot"
)

// walled is a floor of 8 m x 6 m with a wall of 0.1 m at x = 2, which has gaps where open
// returns true.
func walled(open func(y float64) bool) *Clearance {
	plan := bay()
	g := &plan.Grid
	for j := range g.Height {
		for i := range g.Width {
			x, y := g.Origin.X+(float64(i)+0.5)*g.Resolution, g.Origin.Y+(float64(j)+0.5)*g.Resolution
			if math.Abs(x-2) < 0.05 && !open(y) {
				g.Cells[j*g.Width+i] = robot.Occupied
			}
		}
	}
	return NewClearance(g)
}

// crosses returns where a path crosses x = 2.
func crosses(path []robot.Point) (y float64) {
	for n := 1; n < len(path); n++ {
		if a, b := path[n-1], path[n]; (a.X < 2) != (b.X < 2) {
			y = a.Y + (b.Y-a.Y)*(2-a.X)/(b.X-a.X)
		}
	}
	return y
}

func TestABandPassesTheEndOfAWallAtADistanceAndThroughTheMiddleOfADoorway(t *testing.T) {
	for _, c := range []struct {
		name   string
		clear  *Clearance
		path   []robot.Point
		y, off float64
	}{
		{"the end of a wall", walled(func(y float64) bool { return y > 0 }), []robot.Point{{X: 0, Y: -2}, {X: 1.9, Y: 0.36}, {X: 2.1, Y: 0.36}, {X: 4, Y: -2}}, 0.7, 0.06},
		{"a doorway", walled(func(y float64) bool { return math.Abs(y) < 0.5 }), []robot.Point{{X: 0, Y: 0.14}, {X: 4, Y: 0.14}}, 0, 0.03},
		{"a doorway that is taken aslant", walled(func(y float64) bool { return math.Abs(y) < 0.5 }), []robot.Point{{X: 0, Y: -2}, {X: 1.9, Y: -0.14}, {X: 2.1, Y: -0.14}, {X: 4, Y: 0.5}}, 0, 0.06},
		{"an open floor", walled(func(float64) bool { return true }), []robot.Point{{X: 0, Y: 0}, {X: 2, Y: 0.5}, {X: 4, Y: 0}}, 0, 0.02},
	} {
		path := c.clear.relaxPath(slices.Clone(c.path), 0.3)
		if y := crosses(path); math.Abs(y-c.y) > c.off {
			t.Errorf("%s: it passes at y = %.3f, want %.2f", c.name, y, c.y)
		}
		if path[0] != c.path[0] || path[len(path)-1] != c.path[len(c.path)-1] {
			t.Errorf("%s: its ends have moved", c.name)
		}
		for n := 1; n < len(path); n++ {
			if d := path[n].Sub(path[n-1]).Norm(); d > 1.5*spacing {
				t.Errorf("%s: points %d and %d are %.2f m apart", c.name, n-1, n, d)
			}
			if !c.clear.IsClear(path[n-1], path[n], 0.3) {
				t.Errorf("%s: it is not clear behind point %d", c.name, n-1)
			}
		}
		if moved := c.clear.sweepOnce(path, 0.3); moved > spacing/20 {
			t.Errorf("%s: it is not at rest yet, a sweep moves it by %.3f m", c.name, moved)
		}
	}
}

func TestThinningKeepsWhatIsFarApartOrLeadsAroundAnObstacle(t *testing.T) {
	open := walled(func(float64) bool { return true })
	wall := walled(func(y float64) bool { return y > 0 })
	line := func(xs ...float64) (path []robot.Point) {
		for _, x := range xs {
			path = append(path, robot.Point{X: x})
		}
		return path
	}
	for _, c := range []struct {
		name  string
		clear *Clearance
		path  []robot.Point
		want  []robot.Point
	}{
		{"close points", open, line(0, 0.1, 0.2, 0.3, 0.4), line(0, 0.2, 0.4)},
		{"far points", open, line(0, 0.2, 0.4, 0.6), line(0, 0.2, 0.4, 0.6)},
		{"two points", open, line(0, 0.1), line(0, 0.1)},
		{"round the end of a wall", wall, []robot.Point{{X: 1.9, Y: 0.25}, {X: 2, Y: 0.35}, {X: 2.1, Y: 0.25}}, []robot.Point{{X: 1.9, Y: 0.25}, {X: 2, Y: 0.35}, {X: 2.1, Y: 0.25}}},
		{"beside it", wall, []robot.Point{{X: 1.9, Y: 0.45}, {X: 2, Y: 0.5}, {X: 2.1, Y: 0.45}}, []robot.Point{{X: 1.9, Y: 0.45}, {X: 2.1, Y: 0.45}}},
	} {
		if got := c.clear.thinOut(c.path, 0.25, 0.3); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v is left, want %v", c.name, got, c.want)
		}
	}
}

func TestDividingAndResamplingKeepThePathAndItsEnds(t *testing.T) {
	corner := []robot.Point{{}, {X: 1}, {X: 1}, {X: 1, Y: 0.55}}
	for _, c := range []struct {
		name  string
		path  []robot.Point
		parts int
		apart float64 // m, spacing of the points
		long  float64 // m, length
	}{
		{"divided", divideLegs(corner, 0.2), 9, 0.2, 1.55},
		{"divided into what is too long", divideLegs([]robot.Point{{}, {X: 1}}, 2), 1, 1, 1},
		{"resampled", resamplePath(corner, 0.2), 8, 1.55 / 8, 1.55},
		{"resampled by what is too long", resamplePath([]robot.Point{{}, {X: 1}}, 5), 1, 1, 1},
		{"a point", resamplePath([]robot.Point{{}, {}}, 0.2), 1, 0, 0},
	} {
		if len(c.path) != c.parts+1 {
			t.Errorf("%s: %d points, want %d", c.name, len(c.path), c.parts+1)
		}
		leg := 0.0
		for n := 1; n < len(c.path); n++ {
			d := math.Abs(c.path[n].X-c.path[n-1].X) + math.Abs(c.path[n].Y-c.path[n-1].Y) // along the legs
			if leg += d; d > c.apart+1e-9 {
				t.Errorf("%s: %v and %v are %.3f m apart along the path", c.name, c.path[n-1], c.path[n], d)
			}
		}
		if !(math.Abs(leg-c.long) < 1e-9) {
			t.Errorf("%s: %v is %.3f m long", c.name, c.path, leg)
		}
	}
}
