package robot_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

func poses() *rapid.Generator[robot.Pose] {
	return rapid.Custom(func(t *rapid.T) robot.Pose {
		return robot.Pose{
			X:     rapid.Float64Range(-50, 50).Draw(t, "x"),
			Y:     rapid.Float64Range(-50, 50).Draw(t, "y"),
			Theta: robot.WrapAngle(rapid.Float64Range(-math.Pi, math.Pi).Draw(t, "theta")),
		}
	})
}

func twists() *rapid.Generator[robot.Twist] {
	return rapid.Custom(func(t *rapid.T) robot.Twist {
		return robot.Twist{
			Linear:  rapid.Float64Range(-3, 3).Draw(t, "v"),
			Angular: rapid.Float64Range(-4, 4).Draw(t, "w"),
		}
	})
}

func drivetrains() *rapid.Generator[robot.Drivetrain] {
	return rapid.Custom(func(t *rapid.T) robot.Drivetrain {
		return robot.Drivetrain{
			WheelBase:  rapid.Float64Range(0.05, 2).Draw(t, "L"),
			AxleOffset: rapid.Float64Range(-0.5, 0.5).Draw(t, "D"),
		}
	})
}

func limits() *rapid.Generator[robot.Limit] {
	return rapid.Custom(func(t *rapid.T) robot.Limit {
		return robot.Limit{
			Linear:              rapid.Float64Range(0.05, 3).Draw(t, "most v"),
			Angular:             rapid.Float64Range(0.05, 4).Draw(t, "most w"),
			LinearAcceleration:  rapid.Float64Range(0.05, 3).Draw(t, "a"),
			AngularAcceleration: rapid.Float64Range(0.05, 6).Draw(t, "alpha"),
		}
	})
}

func near(a, b robot.Pose, within float64) bool {
	return math.Abs(a.X-b.X) <= within && math.Abs(a.Y-b.Y) <= within && math.Abs(robot.WrapAngle(a.Theta-b.Theta)) <= within
}

func TestAMotionAndItsInverseAreNoMotion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := poses().Draw(t, "p")
		for _, got := range []robot.Pose{p.Compose(p.Inverse()), p.Inverse().Compose(p)} {
			if !near(got, robot.Pose{}, 1e-9) {
				t.Fatalf("%v", got)
			}
		}
	})
}

func TestMotionsCanBeGroupedAsOneLikes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q, r := poses().Draw(t, "p"), poses().Draw(t, "q"), poses().Draw(t, "r")
		if a, b := p.Compose(q).Compose(r), p.Compose(q.Compose(r)); !near(a, b, 1e-9) {
			t.Fatalf("%v and %v", a, b)
		}
		point := r.Point()
		a, b := p.Compose(q).Apply(point), p.Apply(q.Apply(point))
		if a.Sub(b).Norm() > 1e-9 {
			t.Fatalf("%v and %v", a, b)
		}
	})
}

func TestAWrappedAngleIsTheSameAngleWithinHalfATurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(-1e4, 1e4).Draw(t, "a")
		w := robot.WrapAngle(a)
		if !(w > -math.Pi && w <= math.Pi) {
			t.Fatalf("%g is outside", w)
		}
		if robot.WrapAngle(w) != w {
			t.Fatalf("%g wraps again to %g", w, robot.WrapAngle(w))
		}
		if math.Abs(math.Sin(a)-math.Sin(w)) > 1e-9 || math.Abs(math.Cos(a)-math.Cos(w)) > 1e-9 {
			t.Fatalf("%g is not the angle %g", w, a)
		}
	})
	for a, want := range map[float64]float64{math.Pi: math.Pi, -math.Pi: math.Pi, 3 * math.Pi: math.Pi, -3 * math.Pi: math.Pi, 0: 0} {
		if got := robot.WrapAngle(a); got != want {
			t.Errorf("WrapAngle(%g) = %g, want %g", a, got, want)
		}
	}
}

func TestWheelsAndTwistAreEquation1InBothDirections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, twist := drivetrains().Draw(t, "d"), twists().Draw(t, "t")
		w := d.Wheels(twist)
		if back := d.Twist(w); math.Abs(back.Linear-twist.Linear) > 1e-9 || math.Abs(back.Angular-twist.Angular) > 1e-9 {
			t.Fatalf("%v came back as %v", twist, back)
		}
		if math.Abs((w.Right+w.Left)/2-twist.Linear) > 1e-9 || math.Abs((w.Right-w.Left)/d.WheelBase-twist.Angular) > 1e-9 {
			t.Fatalf("%v is not eq. 1 of %v", w, twist)
		}
	})
}

// integrate runs the axle in many small straight pieces.
func integrate(m robot.Pose, twist robot.Twist, seconds float64, pieces int) robot.Pose {
	dt := seconds / float64(pieces)
	theta := m.Theta
	for range pieces {
		middle := theta + twist.Angular*dt/2
		m.X += twist.Linear * dt * math.Cos(middle)
		m.Y += twist.Linear * dt * math.Sin(middle)
		theta += twist.Angular * dt
	}
	m.Theta = robot.WrapAngle(theta)
	return m
}

func TestAStepIsWhatFineIntegrationGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		twist := twists().Draw(t, "t")
		start := robot.Motion{Axle: poses().Draw(t, "axle"), Twist: twist}
		wide := robot.Limit{Linear: 10, Angular: 10, LinearAcceleration: 10, AngularAcceleration: 10}
		got := robot.Step(start, twist, wide, 0.5)
		if want := integrate(start.Axle, twist, 0.5, 4000); !near(got.Axle, want, 1e-6) {
			t.Fatalf("%v, want %v", got.Axle, want)
		}
	})
}

func TestRollIsWhatFineIntegrationOfTheWheelsGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c := drivetrains().Draw(t, "d"), poses().Draw(t, "c")
		travel := d.Wheels(twists().Draw(t, "t"))
		want := d.Centre(integrate(d.Axle(c), d.Twist(travel), 1, 4000))
		if got := d.Roll(c, travel); !near(got, want, 1e-6) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestTravelBetweenIsWhatWasRolled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c, twist := drivetrains().Draw(t, "d"), poses().Draw(t, "c"), twists().Draw(t, "t")
		twist.Angular = max(-3, min(3, twist.Angular)) // poses cannot show more than half a turn
		travel := d.Wheels(twist)
		got := d.TravelBetween(c, d.Roll(c, travel))
		if math.Abs(got.Left-travel.Left) > 1e-6 || math.Abs(got.Right-travel.Right) > 1e-6 {
			t.Fatalf("%v, want %v", got, travel)
		}
	})
}

func TestTheCentreMovesAtTheRateOfEquation2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c, twist := drivetrains().Draw(t, "d"), poses().Draw(t, "c"), twists().Draw(t, "t")
		const dt = 1e-5
		w := d.Wheels(twist)
		after := d.Roll(c, robot.Wheels{Left: w.Left * dt, Right: w.Right * dt})
		before := d.Roll(c, robot.Wheels{Left: -w.Left * dt, Right: -w.Right * dt})
		want := d.Rate(c.Theta, twist)
		got := robot.Pose{X: (after.X - before.X) / (2 * dt), Y: (after.Y - before.Y) / (2 * dt), Theta: robot.WrapAngle(after.Theta-before.Theta) / (2 * dt)}
		if math.Abs(got.X-want.X) > 1e-5 || math.Abs(got.Y-want.Y) > 1e-5 || math.Abs(got.Theta-want.Theta) > 1e-5 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestAStepNeverBreaksTheLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, want := limits().Draw(t, "l"), twists().Draw(t, "want")
		m := robot.Motion{Twist: l.Clamp(twists().Draw(t, "now"))}
		dt := rapid.Float64Range(0.001, 0.1).Draw(t, "dt")
		for range 20 {
			n := robot.Step(m, want, l, dt)
			if math.Abs(n.Twist.Linear) > l.Linear+1e-12 || math.Abs(n.Twist.Angular) > l.Angular+1e-12 {
				t.Fatalf("%v is faster than %v", n.Twist, l)
			}
			if math.Abs(n.Twist.Linear-m.Twist.Linear) > l.LinearAcceleration*dt+1e-12 || math.Abs(n.Twist.Angular-m.Twist.Angular) > l.AngularAcceleration*dt+1e-12 {
				t.Fatalf("from %v to %v is harder than %v", m.Twist, n.Twist, l)
			}
			m = n
		}
	})
}

func TestAClampedTwistKeepsItsCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, want := limits().Draw(t, "l"), twists().Draw(t, "want")
		got := l.Clamp(want)
		if math.Abs(got.Linear*want.Angular-got.Angular*want.Linear) > 1e-9 {
			t.Fatalf("%v has another curve than %v", got, want)
		}
		if math.Abs(got.Linear) > math.Abs(want.Linear)+1e-12 || got.Linear*want.Linear < 0 || got.Angular*want.Angular < 0 {
			t.Fatalf("%v is not less of %v", got, want)
		}
	})
}

func TestOnlyFiniteTwistsAreFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if (robot.Twist{Linear: bad}).IsFinite() || (robot.Twist{Angular: bad}).IsFinite() {
			t.Errorf("%g is taken as finite", bad)
		}
	}
	if !(robot.Twist{Linear: 1, Angular: -1}).IsFinite() {
		t.Error("1, -1 is not taken as finite")
	}
}

func TestTheEllipseHasTheAxesOfItsCovariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		major := rapid.Float64Range(0.1, 3).Draw(t, "major")
		minor := rapid.Float64Range(0.01, 0.99).Draw(t, "minor") * major
		angle := rapid.Float64Range(-math.Pi/2, math.Pi/2).Draw(t, "angle")
		sin, cos := math.Sincos(angle)
		a, b := major*major, minor*minor
		gotMajor, gotMinor, gotAngle := robot.Covariance{XX: a*cos*cos + b*sin*sin, XY: (a - b) * sin * cos, YY: a*sin*sin + b*cos*cos}.Position()
		if math.Abs(gotMajor-major) > 1e-6 || math.Abs(gotMinor-minor) > 1e-5 || math.Abs(math.Sin(gotAngle-angle)) > 1e-4 {
			t.Fatalf("%g %g %g, want %g %g %g", gotMajor, gotMinor, gotAngle, major, minor, angle)
		}
	})
}
