package pathplan

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/limits"
)

// drive follows a route in the simulator, with the true pose and within the robot's limits. It
// returns what happened.
func drive(t *testing.T, plan *robot.Floorplan, desc robot.Description, start robot.Pose, route *Route, scene sim.Scene, seed uint64) (o outcome) {
	t.Helper()
	scene.Start = start
	w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: noon})
	f := newFollower(route, desc)
	given := robot.Twist{}
	sum, n := 0.0, 0
	for range 10000 {
		truth := w.Truth()
		want, p := f.followRoute(truth.Pose, truth.Twist, desc.Safe.Linear)
		if f.phase == driving {
			o.worst = max(o.worst, math.Abs(p.Across))
			sum += p.Across * p.Across
			n++
		}
		o.fastest = max(o.fastest, truth.Twist.Linear)
		o.contact = o.contact || truth.Contact
		if f.phase == arrived && newArrival().isThere(truth.Pose, route.Goal, truth.Twist) {
			o.arrived, o.took = true, truth.Time.Sub(noon).Seconds()
			break
		}
		given = desc.Safe.Slew(given, desc.Safe.Clamp(want), 0.02)
		if err := w.Drive(given); err != nil {
			t.Fatal(err)
		}
		w.Step()
	}
	o.rms = math.Sqrt(sum / float64(max(1, n)))
	return o
}

type outcome struct {
	arrived, contact          bool
	took, worst, rms, fastest float64
}

func TestARobotArrivesOnItsRouteInTheTimeThatWasTold(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	for n, c := range [][2]string{{"Dock", "Copy room"}, {"Copy room", "Sofa"}, {"Sofa", "Dock"}, {"Desk", "Stairs"}, {"Lab 301", "Meeting door"}, {"Stairs", "Stairs"}} {
		start, goal := place(t, plan, c[0]), place(t, plan, c[1])
		route, err := p.FindRoute(noon, start, goal)
		if err != nil {
			t.Fatal(err)
		}
		o := drive(t, plan, desc, start, &route, sim.DefaultScene(), uint64(n))
		if !o.arrived || o.contact {
			t.Errorf("%v: arrived %v, touched something %v", c, o.arrived, o.contact)
		}
		// Goal C1: 5 cm on average and 15 cm at worst, at 0.5 m/s.
		if o.rms > 0.02 || o.worst > 0.06 {
			t.Errorf("%v: %.3f m off the route on average, %.3f m at worst", c, o.rms, o.worst)
		}
		if math.Abs(o.took-route.Time) > 1.5+0.03*route.Time || route.Length > 10 && o.fastest < 0.95*desc.Safe.Linear {
			t.Errorf("%v: it took %.1f s, announced were %.1f s; the fastest was %.2f m/s", c, o.took, route.Time, o.fastest)
		}
	}
}

func TestARobotTurnsOnTheSpotWhenTheRouteLeadsElsewhere(t *testing.T) {
	desc := mybot(t)
	p := NewPlanner(hall(4), desc)
	for _, heading := range []float64{-3, -2, 2, math.Pi} {
		start := robot.Pose{X: 1.5, Y: 2, Theta: heading}
		route, err := p.FindRoute(noon, start, robot.Pose{X: 4.5, Y: 2})
		if err != nil {
			t.Fatal(err)
		}
		f := newFollower(&route, desc)
		twist, progress := f.followRoute(start, robot.Twist{}, 0.5)
		if f.phase != turning || twist.Linear != 0 || twist.Angular*heading > 0 && math.Abs(heading) < 3 {
			t.Errorf("turned by %.1f it begins with %+v, %+v", heading, twist, progress)
		}
		if o := drive(t, p.plan, desc, start, &route, sim.DefaultScene(), 1); !o.arrived {
			t.Errorf("turned by %.1f it does not arrive", heading)
		}
	}
}

func TestTheFollowerAsksForNoMoreThanIsAllowed(t *testing.T) {
	plan, desc := office(t)
	start := place(t, plan, "Sofa")
	route, err := NewPlanner(plan, desc).FindRoute(noon, start, place(t, plan, "Stairs"))
	if err != nil {
		t.Fatal(err)
	}
	for n, w := range route.Points {
		for _, off := range []float64{-0.5, -0.1, 0, 0.2, 0.5} {
			f := newFollower(&route, desc)
			f.along, f.at = w.Along, n
			pose := desc.Drivetrain.Centre(robot.Pose{X: w.Point.X, Y: w.Point.Y + off, Theta: w.Heading + off})
			twist, _ := f.followRoute(pose, robot.Twist{Linear: 0.2}, 0.2)
			if !twist.IsFinite() || math.Abs(twist.Linear) > 0.2+1e-9 || math.Abs(twist.Angular) > desc.Safe.Angular+1e-9 {
				t.Fatalf("at point %d, %g m off: %+v", n, off, twist)
			}
		}
	}
}

func TestARobotFarOffItsRouteSaysSo(t *testing.T) {
	plan, desc := office(t)
	start := place(t, plan, "Sofa")
	route, err := NewPlanner(plan, desc).FindRoute(noon, start, place(t, plan, "Stairs"))
	if err != nil {
		t.Fatal(err)
	}
	w := route.Points[20]
	for _, c := range []struct {
		off  float64
		lost bool
	}{{0.1, false}, {0.5, false}, {0.7, true}, {-0.7, true}} {
		f := newFollower(&route, desc)
		f.along, f.at = w.Along, 20
		sin, cos := math.Sincos(w.Heading)
		pose := desc.Drivetrain.Centre(robot.Pose{X: w.Point.X - c.off*sin, Y: w.Point.Y + c.off*cos, Theta: w.Heading})
		if _, p := f.followRoute(pose, robot.Twist{}, 0.5); p.Lost != c.lost || math.Abs(p.Across-c.off) > 0.02 {
			t.Errorf("%g m off: %+v", c.off, p)
		}
	}
}

func TestArrivalIsNearTurnedRightAndStanding(t *testing.T) {
	goal := robot.Pose{X: 1, Y: 2, Theta: math.Pi}
	for _, c := range []struct {
		pose  robot.Pose
		twist robot.Twist
		want  bool
	}{
		{goal, robot.Twist{}, true},
		{robot.Pose{X: 1.04, Y: 2.02, Theta: -math.Pi + 0.04}, robot.Twist{}, true},
		{robot.Pose{X: 1.04, Y: 2.04, Theta: math.Pi}, robot.Twist{}, false},
		{robot.Pose{X: 1, Y: 2, Theta: math.Pi - 0.06}, robot.Twist{}, false},
		{goal, robot.Twist{Linear: 0.1}, false},
		{goal, robot.Twist{Angular: -0.2}, false},
		{goal, robot.Twist{Linear: 0.01}, false},
		{goal, robot.Twist{Angular: robot.Radians(2)}, false},
	} {
		if got := newArrival().isThere(c.pose, goal, c.twist); got != c.want {
			t.Errorf("%+v moving with %+v: %v", c.pose, c.twist, got)
		}
	}
	if a := newArrival(); !a.isThere(robot.Pose{X: a.Within, Theta: a.Heading}, robot.Pose{}, robot.Twist{}) {
		t.Error("a pose at the limits of the tolerance does not count as arrived")
	}
}

func TestARobotThatHardlyMovesIsWaiting(t *testing.T) {
	var p progressWatch
	at := func(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }
	for _, c := range []struct {
		s    float64
		pose robot.Pose
		want float64
	}{
		{0, robot.Pose{}, 0},
		{5, robot.Pose{X: 0.05}, 5},
		{8, robot.Pose{X: 0.05, Theta: 0.1}, 8},
		{9, robot.Pose{X: 0.2}, 0},
		{12, robot.Pose{X: 0.2, Theta: 0.1}, 3},
		{13, robot.Pose{X: 0.2, Theta: 0.3}, 0},
		{14, robot.Pose{}, 0},
		{15, robot.Pose{X: limits.WaitMove}, 1},
		{16, robot.Pose{Theta: limits.WaitTurn}, 2},
	} {
		if got := p.waitingFor(at(c.s), c.pose).Seconds(); got != c.want {
			t.Errorf("after %g s it has waited %g s, want %g s", c.s, got, c.want)
		}
	}
}

// settleAside drives a robot with its described motors along a straight route, starting beside
// it. It returns the distance after which the robot stays within a tenth of the initial error,
// and the overshoot on the other side, in m.
func settleAside(t *testing.T, aside float64) (after, swing float64) {
	t.Helper()
	desc := mybot(t)
	var line []robot.Point
	for x := 0.0; x <= 12; x += spacing {
		line = append(line, robot.Point{X: x})
	}
	route := newRoute(line, desc.Safe)
	route.Goal = desc.Drivetrain.Centre(robot.Pose{X: 12})
	f := newFollower(&route, desc)
	m := robot.Motion{Axle: robot.Pose{X: 1, Y: aside}, Twist: robot.Twist{Linear: desc.Safe.Linear}}
	f.along = 1
	for m.Axle.X < 9 {
		want, _ := f.followRoute(desc.Drivetrain.Centre(m.Axle), m.Twist, desc.Safe.Linear)
		if f.phase != driving {
			t.Fatalf("at %v it is %v", m.Axle, f.phase)
		}
		m = robot.Step(m, desc.Safe.Slew(m.Twist, want, 0.02), desc.Hardware, 0.02)
		if math.Abs(m.Axle.Y) > math.Abs(aside)/10 {
			after = m.Axle.X - 1
		}
		swing = max(swing, -m.Axle.Y*math.Copysign(1, aside))
	}
	return after, swing
}

func TestARobotOffItsRouteIsBackOnItSoonAndWithoutSwinging(t *testing.T) {
	// An error of e m decays as e (1 + k s) exp(-k s) with k = sqrt(acrossGain): by nine tenths
	// within 1.6 m.
	for _, aside := range []float64{0.2, -0.2, 0.05} {
		after, swing := settleAside(t, aside)
		t.Logf("%.2f m aside: settled after %.2f m, %.3f m to the other side", aside, after, swing)
		if after < 1.2 || after > 2 || swing > 0.1*math.Abs(aside) {
			t.Errorf("%.2f m aside: nine tenths are gone after %.2f m; it must be 1.2 to 2 m, with at most a tenth of swinging: %.3f m", aside, after, swing)
		}
	}
}
