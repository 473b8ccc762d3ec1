package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/robot"
)

func TestWhatIsLearnedAboutTheOdometryOutlivesARestart(t *testing.T) {
	dir := t.TempDir()
	desc, _ := built(t)
	want := localization.OdometryErrors{Curve: -0.08, Spin: 0.02, Length: -0.03}
	synctest.Test(t, func(t *testing.T) {
		o := loadOdometry(dir, desc)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = o.run(ctx, dir, desc, quiet()) })
		written := func() time.Time {
			time.Sleep(2 * savePeriod)
			synctest.Wait()
			data, err := os.ReadFile(filepath.Join(dir, OdometryFile))
			if err != nil {
				return time.Time{}
			}
			_, at, _ := strings.Cut(string(data), `"at":"`)
			when, err := time.Parse(time.RFC3339Nano, at[:strings.Index(at, `"`)])
			if err != nil {
				t.Fatal(err)
			}
			return when
		}
		if !written().IsZero() {
			t.Error("a robot that has learned nothing saves something")
		}
		o.set(want)
		first := written()
		if first.IsZero() {
			t.Fatal("what it has learned is not saved")
		}
		o.set(localization.OdometryErrors{Curve: -0.081, Spin: 0.021, Length: -0.031})
		if !written().Equal(first) {
			t.Error("nearly the same errors are written again")
		}
		o.set(localization.OdometryErrors{Curve: -0.09})
		if !written().After(first) {
			t.Error("other errors are not saved")
		}
		o.set(want)
		cancel()
		running.Wait()
	})
	got, ok := loadOdometry(dir, desc).get()
	if near := 1e-9; !ok || max(got.Curve-want.Curve, want.Curve-got.Curve) > near || got.Spin != want.Spin || got.Length != want.Length {
		t.Errorf("after the restart it knows %+v (%v), want %+v", got, ok, want)
	}
	for what, change := range map[string]func(*robot.Description){
		"wheel base":         func(d *robot.Description) { d.Drivetrain.WheelBase += 0.01 },
		"wheel radius":       func(d *robot.Description) { d.Encoder.WheelRadius *= 1.04 },
		"source of rotation": func(d *robot.Description) { d.TurnFromIMU = true },
	} {
		other := desc
		change(&other)
		if got, ok := loadOdometry(dir, other).get(); ok {
			t.Errorf("a robot with another %s uses %+v", what, got)
		}
	}
	for _, damaged := range []string{"", "[]", `{"drivetrain":`} {
		if err := os.WriteFile(filepath.Join(dir, OdometryFile), []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := loadOdometry(dir, desc).get(); ok {
			t.Errorf("from %q it takes %+v", damaged, got)
		}
	}
	if _, ok := loadOdometry("", desc).get(); ok {
		t.Error("without a directory something is known")
	}
}

func TestAnotherFloorBeginsWithWhatWasLearnedAboutTheOdometry(t *testing.T) {
	desc, plan := built(t)
	cfg := Config{Plan: plan, Seed: 1}
	odometry := new(odometryMemory)
	want := localization.OdometryErrors{Curve: 0.1, Spin: 0.03, Length: -0.02}
	odometry.set(want)
	l := newLocator(desc, cfg, nil, odometry)
	l.prepareMonteCarlo(t.Context(), desc, cfg, nil, quiet())
	l.Update(robot.Reading{Time: time.Unix(1e6, 0)})
	m, ok := l.now.(*localization.MCL)
	if !ok {
		t.Fatalf("it is %T", l.now)
	}
	if got, enough := m.OdometryErrors(); got != want || enough {
		t.Errorf("it begins with %+v (learned from enough driving: %v), want %+v", got, enough, want)
	}
	if got, _ := odometry.get(); got != want {
		t.Errorf("%+v is remembered after one reading, want %+v", got, want)
	}
}

func TestWhatALocatorLearnsAboutTheOdometryIsRemembered(t *testing.T) {
	desc, _ := built(t)
	cfg := Config{Plan: small(), Start: robot.Pose{X: 2, Y: 0.7}, Seed: 1}
	scene := sim.DefaultScene()
	scene.Wheels.RightRadius, scene.Wheels.LeftRadius = 0.03, -0.03
	world := sim.NewWorld(desc, cfg.Plan, scene, sim.Options{Seed: 1, Start: cfg.Start})
	odometry := new(odometryMemory)
	l := newLocator(desc, cfg, nil, odometry)
	l.prepareMonteCarlo(t.Context(), desc, cfg, nil, quiet())
	for range 50 * 60 { // a minute in a circle
		if err := world.Drive(robot.Twist{Linear: 0.4, Angular: 0.5}); err != nil {
			t.Fatal(err)
		}
		l.Update(world.Step())
	}
	if got, ok := odometry.get(); !ok || got == (localization.OdometryErrors{}) {
		t.Errorf("after 24 m it remembers %+v (%v)", got, ok)
	}
}
