package obstacle

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/models"
)

func TestAPersonWhoWalksIsTrackedAndNotAPoint(t *testing.T) {
	r := newRig(models.LidarName, disc{at: robot.Point{X: 3, Y: -1.5}, v: robot.Point{Y: 1.2}, radius: 0.25})
	r.scans(6, robot.Twist{})
	if len(r.layer.Discs()) > 0 {
		t.Error("after half a second it counts as moving")
	}
	r.scans(9, robot.Twist{})
	discs := r.layer.Discs()
	if len(discs) != 1 || !discs[0].Moving {
		t.Fatalf("the discs are %+v", discs)
	}
	d := discs[0]
	if off := d.At.Sub(r.discs[0].at).Norm(); off > 0.10 {
		t.Errorf("it is %.2f m off", off)
	}
	if off := d.Velocity.Sub(r.discs[0].v).Norm(); off > 0.2 {
		t.Errorf("its velocity is %v, want %v", d.Velocity, r.discs[0].v)
	}
	if d.Radius < limits.TrackRadius || d.Radius > 0.4 || d.Sigma <= 0 || d.Sigma > 0.1 {
		t.Errorf("it is a disc of %.2f m, known to %.2f m", d.Radius, d.Sigma)
	}
	if far := r.layer.Clearance(r.discs[0].at); far < 1 {
		t.Errorf("what moves is a point %.2f m away as well, or has left a trail", far)
	}
	if len(r.layer.AppendUnmapped(nil)) > 0 {
		t.Error("a moving object counts as standing")
	}

	r.discs[0].v = robot.Point{}
	r.scans(15, robot.Twist{})
	if len(r.layer.Discs()) > 0 || !r.sees(2.75, r.discs[0].at.Y) {
		t.Error("a person who stopped is no standing obstacle")
	}
	if p := r.layer.People(); len(p) != 1 || p[0].Moving || p[0].At.Sub(r.discs[0].at).Norm() > 0.1 || math.Abs(p[0].MetAt-r.discs[0].at.Norm()) > 0.1 {
		t.Errorf("a second and a half after they stopped the people are %+v", p)
	}
}

func TestATrackIsForgottenUnseen(t *testing.T) {
	r := newRig(models.LidarName, disc{at: robot.Point{X: 2, Y: -1}, v: robot.Point{Y: 1}, radius: 0.25})
	r.scans(12, robot.Twist{})
	last := r.discs[0].at
	r.discs = nil
	r.blind(700 * time.Millisecond)
	discs := r.layer.Discs()
	if len(discs) != 1 {
		t.Fatal("it was forgotten within 0.8 s")
	}
	if off := discs[0].At.Sub(last.Add(robot.Point{Y: 0.7})).Norm(); off > 0.2 {
		t.Errorf("it is predicted %.2f m off", off)
	}
	r.blind(200 * time.Millisecond)
	if len(r.layer.Discs()) > 0 {
		t.Error("it is remembered for longer than 0.8 s")
	}
}

func TestTwoPeopleWhoPassEachOtherStayTwo(t *testing.T) {
	r := newRig(models.LidarName,
		disc{at: robot.Point{X: 2, Y: -1.5}, v: robot.Point{Y: 1}, radius: 0.2},
		disc{at: robot.Point{X: 2.8, Y: 1.5}, v: robot.Point{Y: -1}, radius: 0.2})
	r.scans(28, robot.Twist{})
	discs := r.layer.Discs()
	if len(discs) != 2 {
		t.Fatalf("there are %d", len(discs))
	}
	for _, d := range discs {
		want := r.discs[0]
		if d.Velocity.Y < 0 {
			want = r.discs[1]
		}
		if d.At.Sub(want.at).Norm() > 0.2 || d.Velocity.Sub(want.v).Norm() > 0.35 {
			t.Errorf("%+v, want %+v", d, want)
		}
	}
}

// TestWhatStandsNeverMoves drives and turns a robot past standing obstacles, with noise.
func TestWhatStandsNeverMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		luck := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "luck"), 1))
		var discs []disc
		for range rapid.IntRange(1, 5).Draw(t, "discs") {
			far, angle := number("far", 1.2, 3.5), number("angle", -math.Pi, math.Pi)
			d := disc{at: robot.Point{X: far * math.Cos(angle), Y: far * math.Sin(angle)}, radius: number("radius", 0.05, 0.45)}
			apart := true
			for _, o := range discs { // an obstacle that increasingly hides another one makes that seem to move
				off := math.Abs(robot.WrapAngle(math.Atan2(o.at.Y, o.at.X) - angle))
				apart = apart && off > 0.6 && o.at.Sub(d.at).Norm() > o.radius+d.radius+0.6
			}
			if apart {
				discs = append(discs, d)
			}
		}
		r := newRig(models.LidarName, discs...)
		r.noise = func() float64 { return 0.01 * luck.NormFloat64() }
		twist := robot.Twist{Linear: number("speed", 0, 0.3), Angular: number("turning", -0.7, 0.7)}
		for n := range 40 {
			for _, d := range discs {
				if d.at.Sub(r.pose.Point()).Norm() < d.radius+0.4 {
					return // the robot would hit it
				}
			}
			r.scans(1, twist)
			if d := r.layer.Discs(); len(d)+len(r.layer.People()) > 0 {
				t.Fatalf("after %d scans a standing object moves: %+v", n+1, d)
			}
		}
	})
}

// TestWhoWalksIsFollowed lets a person walk past a turning robot.
func TestWhoWalksIsFollowed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, name) }
		luck := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "luck"), 1))
		heading, speed := number("heading", -math.Pi, math.Pi), number("speed", 0.6, 1.5)
		sin, cos := math.Sincos(heading)
		aside := number("aside", 0.8, 2.0)
		p := disc{at: robot.Point{X: -1.5*cos*speed - aside*sin, Y: -1.5*sin*speed + aside*cos}, v: robot.Point{X: speed * cos, Y: speed * sin}, radius: number("radius", 0.15, 0.3)}
		r := newRig(models.LidarName, p)
		r.noise = func() float64 { return 0.01 * luck.NormFloat64() }
		r.scans(15, robot.Twist{Angular: number("turning", -0.7, 0.7)})
		for range 10 {
			r.scans(1, robot.Twist{})
			discs := r.layer.Discs()
			if len(discs) != 1 {
				t.Fatalf("%d objects move", len(discs))
			}
			if off := discs[0].At.Sub(r.discs[0].at).Norm(); off > 0.2 {
				t.Fatalf("it is %.2f m off", off)
			}
			if off := discs[0].Velocity.Sub(r.discs[0].v).Norm(); off > 0.35 {
				t.Fatalf("it walks with %v, the track says %v", r.discs[0].v, discs[0].Velocity)
			}
		}
	})
}

func TestLegsAreOnePerson(t *testing.T) {
	r := newRig(models.LidarName, disc{radius: 0.06}, disc{radius: 0.06})
	at, phase := robot.Point{X: 2.5, Y: -1.6}, 0.0
	for n := range 24 {
		at.Y += 0.12
		phase += 2 * math.Pi * 0.12 / 1.4
		swing := 0.25 * math.Sin(phase)
		r.discs[0].at = at.Add(robot.Point{X: -0.1, Y: swing})
		r.discs[1].at = at.Add(robot.Point{X: 0.1, Y: -swing})
		r.scans(1, robot.Twist{})
		if n < 14 {
			continue
		}
		discs := r.layer.Discs()
		if len(discs) != 1 {
			t.Fatalf("after %d scans %d objects move", n+1, len(discs))
		}
		if off := discs[0].At.Sub(at).Norm(); off > 0.3 {
			t.Errorf("after %d scans the person is %.2f m off", n+1, off)
		}
		if v := discs[0].Velocity; math.Abs(v.Y-1.2) > 0.5 || math.Abs(v.X) > 0.4 {
			t.Errorf("after %d scans the velocity is %v", n+1, v)
		}
	}
}

func TestWhatIsWideIsNotTracked(t *testing.T) {
	wall := disc{at: robot.Point{X: 3, Y: -1}, v: robot.Point{Y: 0.6}, radius: 0.55}
	r := newRig(models.LidarName, wall)
	r.scans(15, robot.Twist{})
	if len(r.layer.tracker.tracks) > 0 || len(r.layer.Discs()) > 0 {
		t.Error("what is wider than 0.8 m is tracked")
	}
	if !r.sees(2.45, r.discs[0].at.Y) {
		t.Error("and is no obstacle")
	}
}

func TestWhoWalksWhereTheScanBeginsIsOnePerson(t *testing.T) {
	r := newRig(models.LidarName, disc{at: robot.Point{X: -2, Y: -1.5}, v: robot.Point{Y: 1}, radius: 0.3})
	for n := range 28 {
		r.scans(1, robot.Twist{})
		if discs := r.layer.Discs(); len(r.layer.tracker.tracks) != 1 || n > 9 && len(discs) != 1 {
			t.Fatalf("after %d scans there are %d tracks and %d moving objects", n+1, len(r.layer.tracker.tracks), len(discs))
		}
	}
	if far := r.layer.Clearance(r.discs[0].at); far < 0.8 {
		t.Errorf("a part of the person is a point %.2f m away", far)
	}
}
