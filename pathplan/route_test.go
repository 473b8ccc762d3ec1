package pathplan

import (
	"math"
	"testing"

	"mybot/robot"
)

// quarter is a path with a quarter of a circle between two straights of 3 m.
func quarter(radius float64) []robot.Point {
	path := []robot.Point{{X: -3}, {}}
	for n := 1; n <= 40; n++ {
		sin, cos := math.Sincos(float64(n) / 40 * math.Pi / 2)
		path = append(path, robot.Point{X: radius * sin, Y: radius * (1 - cos)})
	}
	return resample(append(path, robot.Point{X: radius, Y: radius + 3}), spacing)
}

func TestARouteIsSlowWhereItBends(t *testing.T) {
	limit := mybot(t).Safe
	for _, c := range []struct{ radius, want float64 }{
		{2, limit.Linear},
		{0.8, limit.Linear},
		{0.5, turnShare * limit.Angular * 0.5},
		{0.3, turnShare * limit.Angular * 0.3},
	} {
		r := newRoute(quarter(c.radius), limit)
		mid, _ := r.at(3+c.radius*math.Pi/4, 0)
		if math.Abs(mid.Speed-c.want) > 0.05*c.want || math.Abs(mid.Bend-1/c.radius) > 0.05/c.radius {
			t.Errorf("radius %g m: %.3f m/s with a bend of %.2f 1/m, want %.3f m/s", c.radius, mid.Speed, mid.Bend, c.want)
		}
		if first, last := r.Points[0], r.Points[len(r.Points)-1]; first.Speed != 0 || last.Speed != 0 {
			t.Errorf("radius %g m: it begins with %g m/s and ends with %g m/s", c.radius, first.Speed, last.Speed)
		}
	}
}

func TestACornerBecomesAnArcThatAllowsTheFullSpeed(t *testing.T) {
	limit := mybot(t).Safe
	c := NewClearance(&hall(4).Grid)
	path := resample([]robot.Point{{X: 1, Y: 1}, {X: 3, Y: 1}, {X: 3, Y: 3}}, spacing)
	c.fillet(path, bendAt(limit), 0.3)
	r := newRoute(resample(path, spacing), limit)
	for n, w := range r.Points {
		if math.Abs(w.Bend) > 1.1*bendAt(limit) {
			t.Errorf("point %d at %v bends by %.2f 1/m", n, w.Point, w.Bend)
		}
	}
	// An arc of radius r cuts a square corner by r (sqrt 2 - 1).
	if cut := nearest(r, robot.Point{X: 3, Y: 1}); math.Abs(cut-(math.Sqrt2-1)/bendAt(limit)) > 0.05 {
		t.Errorf("the corner is cut by %.3f m", cut)
	}
}

func TestTheNearestPlaceOnARouteIsTheOneThatIsAsked(t *testing.T) {
	r := newRoute(quarter(1), mybot(t).Safe)
	for n := 0; n < len(r.Points)-1; n++ {
		along := (r.Points[n].Along + r.Points[n+1].Along) / 2
		w, at := r.at(along, len(r.Points)-1)
		if at != n || math.Abs(w.Along-along) > 1e-9 {
			t.Errorf("%.3f m along is behind point %d, at %.3f m; want %d", along, at, w.Along, n)
		}
		got, at := r.nearest(w.Point, max(0, along-0.5), min(r.Length, along+0.5), 0)
		if at != n || math.Abs(got-along) > 1e-6 {
			t.Errorf("%v is %.3f m along, behind point %d; want %.3f m, %d", w.Point, got, at, along, n)
		}
	}
}
