package onboard

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
)

func office(t testing.TB) (*robot.Floorplan, sim.Scene) {
	t.Helper()
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	scene, err := sim.ReadScene(maps.Office(), "scene.json")
	if err != nil {
		t.Fatal(err)
	}
	return plan, scene
}

// A reckless hand drives through the office without looking, through walls if
// it could. The sonars miss what they meet at a slant and hear each other.
func TestARecklessDriverTouchesNothingInAnOfficeWithoutPeople(t *testing.T) {
	computesLong(t)
	plan, scene := office(t)
	scene.People = nil // people also walk into a robot that stands
	desc := mybot()
	runs := 3
	if testing.Short() {
		runs = 1
	}
	for seed := range uint64(runs) {
		w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: epoch})
		core := NewCore(desc, localization.NewOdometry(desc, scene.Start), nil)
		random := rand.New(rand.NewPCG(seed, 1))
		var request robot.Twist
		var distance float64
		bumps := 0
		pressed := false
		for i := range 3 * 60 * 50 {
			r := w.Step()
			if r.Bump && !pressed {
				bumps++
				t.Logf("seed %d, %.1f s: a bump at %.2v on the way %.2v", seed, float64(i)/50, w.Truth().Pose, request)
			}
			pressed = r.Bump
			if i%100 == 0 {
				request = robot.Twist{Linear: 0.5*random.Float64() + 0.1, Angular: random.NormFloat64() * 0.3}
				if random.IntN(3) == 0 {
					request.Linear = -request.Linear
				}
				if random.IntN(4) == 0 {
					request = robot.Twist{Angular: random.NormFloat64()}
				}
			}
			if i%2 == 0 {
				core.Do(r.Time, robot.Drive{Twist: request})
			}
			out, _ := core.Tick(r)
			if err := w.Drive(out); err != nil {
				t.Fatal(err)
			}
			distance += math.Abs(r.Travel.Left+r.Travel.Right) / 2
		}
		if bumps > 0 {
			t.Errorf("seed %d: %d bumps on %.0f m", seed, bumps, distance)
		}
		if distance < 10 {
			t.Errorf("seed %d: only %.1f m in 3 min", seed, distance)
		}
	}
}

// The doors of the office are 1 m wide and their leaves stand open beside the
// way.
func TestADriverGetsThroughTheDoorsOfTheOffice(t *testing.T) {
	computesLong(t)
	plan, scene := office(t)
	scene.People, scene.Obstacles = nil, nil
	desc := mybot()
	for _, door := range plan.Doors {
		leaf := door.Leaf(door.Closed)
		middle := robot.Point{X: (leaf.A.X + leaf.B.X) / 2, Y: (leaf.A.Y + leaf.B.Y) / 2}
		for _, side := range []float64{-1, 1} {
			for _, off := range []float64{-0.08, 0, 0.08} {
				in := robot.Pose{X: middle.X, Y: middle.Y, Theta: robot.WrapAngle(door.Closed + side*math.Pi/2)}
				start := in.Compose(robot.Pose{X: -1.1, Y: off})
				w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: 3, Start: start, Epoch: epoch})
				core := NewCore(desc, localization.NewOdometry(desc, start), nil)
				var s robot.State
				for range 20 * 50 {
					r := w.Step()
					core.Do(r.Time, drive(0.35, 0))
					var out robot.Twist
					out, s = core.Tick(r)
					if err := w.Drive(out); err != nil {
						t.Fatal(err)
					}
					if r.Bump {
						t.Errorf("the door at %v was touched", middle)
					}
					if in.Inverse().Apply(w.Truth().Pose.Point()).X > 0.5 {
						break
					}
				}
				if x := in.Inverse().Apply(w.Truth().Pose.Point()).X; x < 0.5 {
					t.Errorf("the door at %.2v, %.2f m off, from side %v: stuck at %.2f m: %v", middle, off, side, x, s.Drive.Result)
				}
			}
		}
	}
}

// The position estimate is honest on the simulator: over many drives two
// standard deviations hold the truth, along each axis, in about 95 of 100.
func TestTheEstimateOfTheWholeRobotIsHonest(t *testing.T) {
	computesLong(t)
	plan, scene := office(t)
	scene.People = nil
	desc := mybot()
	runs := 16
	if testing.Short() {
		runs = 4
	}
	in, all := 0, 0
	worst := 0.0
	for seed := range uint64(runs) {
		w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: epoch})
		core := NewCore(desc, localization.NewOdometry(desc, scene.Start), nil)
		random := rand.New(rand.NewPCG(seed, 2))
		var request robot.Twist
		var s robot.State
		for i := range 40 * 50 {
			r := w.Step()
			if i%100 == 0 {
				request = robot.Twist{Linear: 0.4, Angular: random.NormFloat64() * 0.3}
			}
			core.Do(r.Time, robot.Drive{Twist: request})
			var out robot.Twist
			out, s = core.Tick(r)
			if err := w.Drive(out); err != nil {
				t.Fatal(err)
			}
		}
		truth, e := w.Truth().Pose, s.Estimate
		x, y := e.Pose.X-truth.X, e.Pose.Y-truth.Y
		theta := robot.WrapAngle(e.Pose.Theta - truth.Theta)
		worst = math.Max(worst, math.Hypot(x, y))
		for _, axis := range [][2]float64{{x, e.Covariance.XX}, {y, e.Covariance.YY}, {theta, e.Covariance.TT}} {
			all++
			if axis[0]*axis[0] < 4*axis[1] {
				in++
			}
		}
	}
	t.Logf("%.1f %% within two sigma, worst error %.2f m", 100*float64(in)/float64(all), worst)
	if share := float64(in) / float64(all); share < 0.9 {
		t.Errorf("only %.1f %% within two sigma", 100*share)
	}
}

// The whole robot, at the pace of the clock.
func TestTheLoopDrivesTheSimulator(t *testing.T) {
	plan, scene := office(t)
	scene.People = nil
	synctest.Test(t, func(t *testing.T) {
		desc := mybot()
		driver := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Epoch: epoch}))
		var last atomic.Pointer[robot.State]
		loop := NewLoop(driver, NewCore(desc, localization.NewOdometry(desc, scene.Start), nil), func(s robot.State) { last.Store(&s) }, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- loop.Run(ctx) }()
		time.Sleep(time.Second)
		if !loop.Healthy() {
			t.Error("not healthy")
		}
		for range 80 {
			if res := loop.Do(ctx, drive(0.3, 0)); res.Word != robot.Success {
				t.Fatal(res)
			}
			time.Sleep(50 * time.Millisecond)
		}
		moved := driver.Truth().Pose.Point().Sub(scene.Start.Point()).Norm()
		if moved < 0.9 || moved > 1.3 {
			t.Errorf("4 s at 0.3 m/s moved it %.2f m", moved)
		}
		s := last.Load()
		if d := s.Estimate.Pose.Point().Sub(driver.Truth().Pose.Point()).Norm(); d > 0.1 {
			t.Errorf("the estimate is %.2f m off", d)
		}
		if s.Mode != robot.ModeManual || math.Abs(s.Twist.Linear-0.3) > 0.03 || s.Tick.Late != 0 {
			t.Errorf("%v %v %+v", s.Mode, s.Twist, s.Tick)
		}
		loop.Stop("Jin")
		time.Sleep(time.Second)
		if v := driver.Truth().Twist; !v.IsStill() {
			t.Errorf("a second after the stop it moves with %v", v)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, err := driver.Read(t.Context()); err == nil {
			t.Error("the driver is not closed")
		}
	})
}
