package sim

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
)

// mybot is the built-in robot.
var mybot = modelstest.Mybot

// office is the built-in floor with all its things.
func office(t testing.TB) (*robot.Floorplan, Scene) {
	t.Helper()
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	scene, err := ReadScene(maps.Office(), "scene.json")
	if err != nil {
		t.Fatal(err)
	}
	return plan, scene
}

func TestInEveryBuiltInFloorPeopleWalkAndTheRobotStandsFree(t *testing.T) {
	for _, name := range maps.Names() {
		folder, _ := maps.Find(name)
		plan, err := floorplan.Load(folder)
		if err != nil {
			t.Fatal(err)
		}
		scene, err := ReadScene(folder, "scene.json")
		if err != nil {
			t.Fatal(err)
		}
		w := NewWorld(mybot(t), plan, scene, Options{Seed: 1})
		if w.measureClearance(scene.Start) < 0.2 {
			t.Errorf("%s: the robot starts %.2f m from something", name, w.measureClearance(scene.Start))
		}
		farthest := make([]float64, len(scene.People))
		for range int(2 * time.Minute / w.period) {
			w.Step()
			for i, at := range w.Truth().People {
				farthest[i] = max(farthest[i], at.Sub(scene.People[i].Route[0].Point).Norm())
			}
		}
		for i, p := range scene.People {
			if farthest[i] < 2 {
				t.Errorf("%s: %s comes %.1f m far in two minutes", name, p.Name, farthest[i])
			}
		}
	}
}

// box is an empty room, 10 m by 6 m around the origin.
func box() *robot.Floorplan {
	a, b, c, d := robot.Point{X: -5, Y: -3}, robot.Point{X: 5, Y: -3}, robot.Point{X: 5, Y: 3}, robot.Point{X: -5, Y: 3}
	return &robot.Floorplan{Lines: []robot.Segment{{A: a, B: b}, {A: b, B: c}, {A: c, B: d}, {A: d, B: a}}}
}

// steps commands a twist for a while and returns the last reading.
func steps(t testing.TB, w *World, wish robot.Twist, lasts time.Duration) robot.Reading {
	t.Helper()
	var r robot.Reading
	for range int(lasts / w.period) {
		if err := w.Drive(wish); err != nil {
			t.Fatal(err)
		}
		r = w.Step()
	}
	return r
}

// wait lets time pass without a command.
func wait(w *World, lasts time.Duration) (r robot.Reading) {
	for range int(lasts / w.period) {
		r = w.Step()
	}
	return r
}

func within(t testing.TB, what string, got, want, most float64) {
	t.Helper()
	if !(math.Abs(got-want) <= most) {
		t.Errorf("%s is %v; want %v within %v", what, got, want, most)
	}
}

func TestTheSameSeedGivesTheSameRun(t *testing.T) {
	plan, scene := office(t)
	run := func(seed uint64) []robot.Reading {
		w := NewWorld(mybot(t), plan, scene, Options{Seed: seed})
		var out []robot.Reading
		for i := range 1000 {
			if err := w.Drive(robot.Twist{Linear: 0.4, Angular: 0.3 * math.Sin(float64(i)/50)}); err != nil {
				t.Fatal(err)
			}
			out = append(out, w.Step())
		}
		return out
	}
	same := func(a, b robot.Reading) bool {
		return a.Time.Equal(b.Time) && a.Travel == b.Travel && a.Heading == b.Heading && slices.Equal(a.Ranges, b.Ranges) && a.Battery == b.Battery
	}
	if a, b := run(7), run(7); !slices.EqualFunc(a, b, same) {
		t.Error("two runs with seed 7 differ")
	}
	if a, b := run(7), run(8); slices.EqualFunc(a, b, same) {
		t.Error("the runs with seeds 7 and 8 are the same")
	}
}

func TestAnIdealRobotMovesAsStepSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := mybot(t)
		w := NewWorld(d, nil, DefaultScene(), Options{Ideal: true, Start: robot.Pose{X: 1, Y: 2, Theta: 0.5}})
		m := robot.Motion{Axle: d.Drivetrain.Axle(w.Truth().Pose)}
		for range rapid.IntRange(1, 5).Draw(t, "wishes") {
			wish := robot.Twist{
				Linear:  rapid.Float64Range(-3, 3).Draw(t, "v"),
				Angular: rapid.Float64Range(-4, 4).Draw(t, "w"),
			}
			for range 30 {
				if err := w.Drive(wish); err != nil {
					t.Fatal(err)
				}
				w.Step()
				m = robot.Step(m, wish, d.Hardware, 0.02)
			}
		}
		off := d.Drivetrain.Centre(m.Axle).Inverse().Compose(w.Truth().Pose)
		if off.Point().Norm() > 1e-9 || math.Abs(off.Theta) > 1e-9 {
			t.Fatalf("the world is %+v away from robot.Step", off)
		}
	})
}

func TestACommandIsForgottenAndTheRobotBrakes(t *testing.T) {
	w := NewWorld(mybot(t), nil, DefaultScene(), Options{Ideal: true})
	steps(t, w, robot.Twist{Linear: 0.5}, 2*time.Second)
	wait(w, 220*time.Millisecond)
	within(t, "the speed while the command holds", w.Truth().Twist.Linear, 0.5, 1e-9)
	wait(w, 280*time.Millisecond)
	within(t, "the speed 0.25 s of braking later", w.Truth().Twist.Linear, 0.5-0.52*0.25, 0.02)
	wait(w, 800*time.Millisecond)
	within(t, "the speed in the end", w.Truth().Twist.Linear, 0, 0)
}

func TestATwistThatIsNotFiniteIsRefusedAndBrakes(t *testing.T) {
	for _, bad := range []robot.Twist{{Linear: math.NaN()}, {Angular: math.Inf(1)}, {Linear: math.Inf(-1), Angular: 1}} {
		w := NewWorld(mybot(t), nil, DefaultScene(), Options{Ideal: true})
		steps(t, w, robot.Twist{Linear: 0.5}, 2*time.Second)
		if err := w.Drive(bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
		w.Step()
		if v := w.Truth().Twist.Linear; !(v < 0.5) {
			t.Errorf("after %v the robot moves on with %v m/s", bad, v)
		}
	}
}

func TestEncodersCountWholeTicksAndLoseNone(t *testing.T) {
	d := mybot(t)
	w := NewWorld(d, nil, DefaultScene(), Options{Ideal: true})
	tick := 2 * math.Pi * d.Encoder.WheelRadius / float64(d.Encoder.Ticks)
	var sum robot.Wheels
	for range 500 {
		if err := w.Drive(robot.Twist{Linear: 0.31, Angular: 0.17}); err != nil {
			t.Fatal(err)
		}
		r := w.Step()
		for _, v := range []float64{r.Travel.Left, r.Travel.Right} {
			within(t, "the part of a tick", math.Abs(v/tick-math.Round(v/tick)), 0, 1e-6)
		}
		sum.Left += r.Travel.Left
		sum.Right += r.Travel.Right
	}
	within(t, "what the left encoder has not told", w.base.turned.Left-sum.Left, tick/2, tick/2+1e-9)
	within(t, "what the right encoder has not told", w.base.turned.Right-sum.Right, tick/2, tick/2+1e-9)
}

func TestWheelErrorsTurnThePathAside(t *testing.T) {
	straight := func(errors WheelErrors) robot.Pose {
		scene := Scene{Wheels: errors}
		w := NewWorld(mybot(t), nil, scene, Options{Seed: 1})
		steps(t, w, robot.Twist{Linear: 0.5}, 21*time.Second)
		return w.Truth().Pose
	}
	within(t, "the heading without errors", straight(WheelErrors{}).Theta, 0, 1e-12)
	distance := straight(WheelErrors{}).X
	// The wheel distances differ by 0.2 % over a wheel base of 0.42 m.
	within(t, "the heading with a larger left wheel", straight(WheelErrors{LeftRadius: 0.001, RightRadius: -0.001}).Theta, -0.002*distance/0.42, 1e-6)
	if a := straight(WheelErrors{Slip: 0.015}); a.Theta == 0 || math.Abs(a.X-distance) > 0.1 {
		t.Errorf("slip of 1.5 %% ends at %+v; without any it is %v m", a, distance)
	}
}

func TestTheCompassIsDisturbedOnlyNearAMagnet(t *testing.T) {
	scene := Scene{Magnets: []Magnet{{Point: robot.Point{X: 3}, Radius: 1, Deviation: 0.4}}}
	at := func(x float64) float64 {
		return NewWorld(mybot(t), nil, scene, Options{Start: robot.Pose{X: x, Theta: 0.1}}).Step().Heading
	}
	within(t, "the heading in the middle", at(3), 0.5, 1e-9)
	within(t, "the heading half-way out", at(3.5), 0.1+0.4*0.75*0.75, 1e-9)
	within(t, "the heading outside", at(4.01), 0.1, 1e-9)
	d := mybot(t)
	d.Compass = false
	if h := NewWorld(d, nil, scene, Options{}).Step().Heading; !math.IsNaN(h) {
		t.Errorf("without a compass the heading is %v", h)
	}
}

func TestTheCompassHasNoiseAndBias(t *testing.T) {
	scene := Scene{Compass: CompassErrors{Noise: 0.02, Bias: 0.03}}
	w := NewWorld(mybot(t), nil, scene, Options{Seed: 3, Start: robot.Pose{Theta: 1}})
	const n = 5000
	var sum, squares float64
	for range n {
		e := w.Step().Heading - 1
		sum += e
		squares += e * e
	}
	mean := sum / n
	within(t, "the bias", mean, 0.03, 0.001)
	within(t, "the noise", math.Sqrt(squares/n-mean*mean), 0.02, 0.001)
}

func TestTheHeadTurnsWithItsSpeedAndWithinItsLimits(t *testing.T) {
	d := mybot(t)
	w := NewWorld(d, nil, Scene{}, Options{})
	if err := w.Look(robot.HeadAngles{Pan: 10, Tilt: -10}); err != nil {
		t.Fatal(err)
	}
	r := wait(w, 500*time.Millisecond)
	within(t, "pan after half a second", r.Head.Pan, d.Head.Speed/2, 1e-9)
	r = wait(w, 5*time.Second)
	if r.Head != (robot.HeadAngles{Pan: d.Head.PanMax, Tilt: d.Head.TiltMin}) {
		t.Errorf("the head ends at %+v, not at its limits", r.Head)
	}
	if err := w.Look(robot.HeadAngles{Pan: math.NaN()}); err == nil {
		t.Error("a pan of NaN is taken")
	}
	d.Head = nil
	if err := NewWorld(d, nil, Scene{}, Options{}).Look(robot.HeadAngles{}); !errors.Is(err, robot.ErrNA) {
		t.Errorf("without a head Look says %v", err)
	}
}

func TestTheOKSwitchIsTold(t *testing.T) {
	w := NewWorld(mybot(t), nil, Scene{}, Options{})
	w.PressOK(true)
	if !w.Step().OK {
		t.Error("the pressed switch is not reported")
	}
	w.PressOK(false)
	if w.Step().OK {
		t.Error("the switch stays pressed")
	}
}

func TestTheWorldRunsTwoHundredTimesFasterThanTheClock(t *testing.T) {
	want := 200.0
	if raced || testing.CoverMode() != "" {
		want /= 20 // the measurement itself then dominates
	}
	plan, scene := office(t)
	w := NewWorld(mybot(t), plan, scene, Options{Seed: 1})
	const lasts = 2 * time.Second
	best := time.Duration(math.MaxInt64)
	for range 20 { // the best counts: the computer may be busy
		began := time.Now()
		steps(t, w, robot.Twist{Linear: 0.3, Angular: 0.2}, lasts)
		best = min(best, time.Since(began))
	}
	if factor := float64(lasts) / float64(best); factor < want {
		t.Errorf("the office runs only %.0f times faster than the clock; it must be %.0f", factor, want)
	}
}

func BenchmarkStep(b *testing.B) {
	plan, scene := office(b)
	w := NewWorld(mybot(b), plan, scene, Options{Seed: 1})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if err := w.Drive(robot.Twist{Linear: 0.3, Angular: 0.2 * math.Sin(float64(n)/100)}); err != nil {
			b.Fatal(err)
		}
		w.Step()
		n++
	}
	b.ReportMetric(float64(n)*w.period.Seconds()/b.Elapsed().Seconds(), "x-real-time")
}
