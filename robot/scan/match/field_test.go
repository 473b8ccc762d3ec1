package match

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

// walls returns points every 2 cm along a closed line.
func walls(corners ...robot.Point) (points []robot.Point) {
	for i, a := range corners {
		v := corners[(i+1)%len(corners)].Sub(a)
		n := int(v.Norm() / 0.02)
		for k := range n {
			points = append(points, a.Add(robot.Point{X: v.X * float64(k) / float64(n), Y: v.Y * float64(k) / float64(n)}))
		}
	}
	return points
}

// room is an L, which matches only itself; square matches itself in four orientations.
var (
	room   = walls(robot.Point{}, robot.Point{X: 5}, robot.Point{X: 5, Y: 2}, robot.Point{X: 3, Y: 2}, robot.Point{X: 3, Y: 4}, robot.Point{Y: 4})
	square = walls(robot.Point{}, robot.Point{X: 4}, robot.Point{X: 4, Y: 4}, robot.Point{Y: 4})
	hall   = append(walls(robot.Point{}, robot.Point{X: 20}), walls(robot.Point{Y: 2}, robot.Point{X: 20, Y: 2})...)
)

func fieldOf(points []robot.Point) *Field {
	f := NewField(0.05, 0.1)
	f.Add(robot.Pose{}, points)
	return f
}

// seen returns every n-th point as seen from a pose.
func seen(from robot.Pose, points []robot.Point, n int) (scan []robot.Point) {
	back := from.Inverse()
	for i := 0; i < len(points); i += n {
		scan = append(scan, back.Apply(points[i]))
	}
	return scan
}

func TestAFieldIsTheGaussianOfTheDistanceToTheNearestPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-3, 3)
		points := make([]robot.Point, rapid.IntRange(1, 8).Draw(t, "points"))
		for i := range points {
			points[i] = robot.Point{X: at.Draw(t, "x"), Y: at.Draw(t, "y")}
		}
		from := robot.Pose{X: at.Draw(t, "from x"), Y: at.Draw(t, "from y"), Theta: at.Draw(t, "from theta")}
		f := NewField(0.05, rapid.SampledFrom([]float64{0.06, 0.1, 0.2}).Draw(t, "sigma"))
		split := rapid.IntRange(0, len(points)).Draw(t, "split")
		f.Add(from, points[:split])
		f.Add(from, points[split:])
		w, h := f.Size()
		for y := -1; y <= h; y++ {
			for x := -1; x <= w; x++ {
				near := math.Inf(1)
				for _, p := range points {
					near = min(near, from.Apply(p).Sub(f.Middle(x, y)).Norm())
				}
				want := 0.0
				if near <= reach*f.sigma {
					want = Full * math.Exp(-near*near/(2*f.sigma*f.sigma))
				}
				if got := float64(f.Value(x, y)); math.Abs(got-want) > 3.5 {
					t.Fatalf("%.3f m from the nearest point the field is %v, want %.1f", near, got, want)
				}
			}
		}
	})
}

func TestPointsThatAreNoNumbersAreLeftOut(t *testing.T) {
	f := NewField(0.05, 0.1)
	f.Add(robot.Pose{}, []robot.Point{{X: math.NaN()}, {Y: math.Inf(1)}})
	if w, h := f.Size(); w != 0 || h != 0 {
		t.Errorf("it has %d by %d cells", w, h)
	}
	f.Add(robot.Pose{}, []robot.Point{{X: math.NaN()}, {X: 1, Y: 1}})
	if x, y := f.Cell(robot.Point{X: 1.01, Y: 1.01}); f.Value(x, y) < 240 {
		t.Errorf("at its point the field is %d", f.Value(x, y))
	}
}

func TestAReservedFieldDoesNotMove(t *testing.T) {
	f := NewField(0.05, 0.1)
	f.Reserve(robot.Point{X: -2, Y: -1}, robot.Point{X: 3, Y: 4})
	w, h := f.Size()
	f.Add(robot.Pose{X: 0.5, Y: 0.5}, []robot.Point{{X: 1, Y: 1}})
	if w2, h2 := f.Size(); w != 101 || h != 101 || w2 != w || h2 != h {
		t.Errorf("%d by %d cells, then %d by %d", w, h, w2, h2)
	}
}
