package pathplan

import (
	"math"
	"testing"

	"mybot/robot"
)

// quarter is a path with a quarter circle between two straight legs of 3 m.
func quarter(radius float64) []robot.Point {
	path := []robot.Point{{X: -3}, {}}
	for n := 1; n <= 40; n++ {
		sin, cos := math.Sincos(float64(n) / 40 * math.Pi / 2)
		path = append(path, robot.Point{X: radius * sin, Y: radius * (1 - cos)})
	}
	return resamplePath(append(path, robot.Point{X: radius, Y: radius + 3}), spacing)
}

func TestARouteIsSlowWhereItCurves(t *testing.T) {
	limit := mybot(t).Safe
	for _, c := range []struct{ radius, want float64 }{
		{2, limit.Linear},
		{0.8, limit.Linear},
		{0.5, turnShare * limit.Angular * 0.5},
		{0.3, turnShare * limit.Angular * 0.3},
	} {
		r := newRoute(quarter(c.radius), limit)
		mid, _ := r.waypointAt(3+c.radius*math.Pi/4, 0)
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
	path := resamplePath([]robot.Point{{X: 1, Y: 1}, {X: 3, Y: 1}, {X: 3, Y: 3}}, spacing)
	c.roundCorners(path, bendAt(limit), 0.3)
	r := newRoute(resamplePath(path, spacing), limit)
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
		w, at := r.waypointAt(along, len(r.Points)-1)
		if at != n || math.Abs(w.Along-along) > 1e-9 {
			t.Errorf("%.3f m along is behind point %d, at %.3f m; want %d", along, at, w.Along, n)
		}
		got, at := r.nearestAlong(w.Point, max(0, along-0.5), min(r.Length, along+0.5), 0)
		if at != n || math.Abs(got-along) > 1e-6 {
			t.Errorf("%v is %.3f m along, behind point %d; want %.3f m, %d", w.Point, got, at, along, n)
		}
		if w, at := r.waypointAt(r.Points[n].Along, 0); at != n || w.Point != r.Points[n].Point {
			t.Errorf("point %d is behind point %d, at %v", n, at, w.Point)
		}
	}
	if w, at := r.waypointAt(r.Length, 0); at != len(r.Points)-2 || w.Point != r.Points[at+1].Point {
		t.Errorf("the end is behind point %d, at %v", at, w.Point)
	}
	if got, _ := r.nearestAlong(robot.Point{X: 1, Y: 20}, 1, 2, 0); math.Abs(got-2) > 1e-9 {
		t.Errorf("the point nearest to the end is %.3f m along, want 1 m to 2 m", got)
	}
	if got, _ := r.nearestAlong(robot.Point{X: -20}, 1, 2, 0); math.Abs(got-1) > 1e-9 {
		t.Errorf("the point nearest to the start is %.3f m along, want 1 m to 2 m", got)
	}
}

func TestARouteWithADoubledPointOrHardlyAnyIsMeasured(t *testing.T) {
	limit := mybot(t).Safe
	for _, path := range [][]robot.Point{{{}}, {{}, {}}, {{}, {X: 0.1}}, {{}, {X: 0.1}, {X: 0.1}, {X: 0.2}}} {
		r := newRoute(path, limit)
		if want := path[len(path)-1].X; math.Abs(r.Length-want) > 1e-9 || math.IsNaN(r.Time) || math.IsInf(r.Time, 0) || r.Time < 0 {
			t.Errorf("%v: %v m in %v s", path, r.Length, r.Time)
		}
		for along := 0.0; along <= r.Length; along += 0.05 {
			if w, _ := r.waypointAt(along, 0); !(math.Abs(w.Point.X-along) < 1e-9) || math.IsNaN(w.Heading+w.Bend+w.Speed) {
				t.Errorf("%v, %g m along: %+v", path, along, w)
			}
			if got, _ := r.nearestAlong(robot.Point{X: along, Y: 1}, 0, r.Length, 0); math.Abs(got-along) > 1e-9 {
				t.Errorf("%v: what is beside %g m is %v m along", path, along, got)
			}
		}
	}
}

func TestTheTimeOfARouteIsThatOfSpeedingUpDrivingAndBraking(t *testing.T) {
	desc := mybot(t)
	v, a := desc.Safe.Linear, accelerationShare*desc.Safe.LinearAcceleration
	route := straightRoute(desc)
	if want := route.Length/v + v/a; math.Abs(route.Time-want) > 0.03 {
		t.Errorf("%.2f m take %.2f s, want %.2f s", route.Length, route.Time, want)
	}
	// A turn in place is either so short that the robot brakes halfway, or it reaches full
	// speed in between.
	w, b := turnShare*desc.Safe.Angular, accelerationShare*desc.Safe.AngularAcceleration
	for angle, want := range map[float64]float64{0: 0, 0.1: 2 * math.Sqrt(0.1/b), -0.1: 2 * math.Sqrt(0.1/b), math.Pi: math.Pi/w + w/b, -math.Pi: math.Pi/w + w/b} {
		if got := turnTime(angle, desc.Safe); math.Abs(got-want) > 1e-9 {
			t.Errorf("a turn by %g takes %.3f s, want %.3f s", angle, got, want)
		}
	}
}

func TestTheLineOfARouteKeepsEveryWaypointWithinACentimetre(t *testing.T) {
	desc := mybot(t)
	for name, path := range map[string][]robot.Point{"a bend": quarter(1), "a straight": {{}, {X: 1}, {X: 2, Y: 0.005}, {X: 3}}, "a point": {{}}, "nothing": {}} {
		r := Route{Points: make([]Waypoint, len(path))}
		for n, p := range path {
			r.Points[n].Point = p
		}
		line := r.linePoints(desc.Drivetrain)
		for _, p := range path {
			off := math.Inf(1)
			for n := range line {
				off = min(off, robot.Segment{A: line[max(0, n-1)], B: line[n]}.Distance(p))
			}
			if off > thinnedBy {
				t.Errorf("%s: %v is %.3f m off the line", name, p, off)
			}
		}
		if name == "a straight" && len(line) != 2 || name == "a bend" && (len(line) < 5 || len(line) > 20) || name == "a point" && len(line) != 1 || name == "nothing" && len(line) != 0 {
			t.Errorf("%s: the line has %d points of %d", name, len(line), len(path))
		}
	}
	r := *straightRoute(desc)
	r.Back, r.Goal = 0.5, desc.Drivetrain.Centre(robot.Pose{X: 3.5})
	if line := r.linePoints(desc.Drivetrain); len(line) != 3 || line[2].Sub(robot.Point{X: 3.5}).Norm() > 1e-9 {
		t.Errorf("the line of a robot that backs into its goal: %v", line)
	}
}
