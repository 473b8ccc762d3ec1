package sim

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/drivertest"
	"mybot/robot"
)

func TestTheSimulatorKeepsTheDriverContract(t *testing.T) {
	for name, ideal := range map[string]bool{"ideal": true, "with errors": false} {
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, func(t *testing.T) robot.Driver {
				return NewDriver(NewWorld(withLidarAndArm(t), box(), DefaultScene(), Options{Seed: 1, Ideal: ideal}))
			}, drivertest.Options{Bubble: true})
		})
	}
}

func TestAWorldOutsideABubbleKeepsTheWallClock(t *testing.T) {
	d := NewDriver(NewWorld(mybot(t), nil, DefaultScene(), Options{}))
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	began := time.Now()
	for range 10 {
		r, err := d.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if age := time.Since(r.Time); age < 0 || age > time.Second {
			t.Errorf("a reading is %v old", age)
		}
	}
	if took := time.Since(began); took < 190*time.Millisecond {
		t.Errorf("10 readings took only %v", took)
	}
}

func TestClosingBrakesTheWheels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDriver(NewWorld(mybot(t), nil, Scene{}, Options{}))
		for range 100 {
			if err := errors.Join(d.Drive(robot.Twist{Linear: 0.5}), read(t.Context(), d)); err != nil {
				t.Fatal(err)
			}
		}
		within(t, "the speed before", d.Truth().Twist.Linear, 0.5, 1e-9)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		within(t, "the speed half a second later", d.Truth().Twist.Linear, 0.5-0.52*0.5, 0.011)
		time.Sleep(time.Second)
		within(t, "the speed in the end", d.Truth().Twist.Linear, 0, 0)
	})
}

func read(ctx context.Context, d *Driver) error {
	_, err := d.Read(ctx)
	return err
}

func TestALongSleepIsSkippedAndNotLivedThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDriver(NewWorld(mybot(t), nil, Scene{}, Options{}))
		time.Sleep(1000 * time.Hour)
		r, err := d.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if age := time.Since(r.Time); age > 20*time.Millisecond {
			t.Errorf("the reading after the sleep is %v old", age)
		}
		if d.world.tick > 501 {
			t.Errorf("the world lived through %d steps", d.world.tick)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatHappensBetweenTwoReadsIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDriver(NewWorld(mybot(t), nil, Scene{}, Options{}))
		if err := d.PressOK(true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if err := errors.Join(d.PressOK(false), d.Look(robot.HeadAngles{Pan: 0.1})); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		r, err := d.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !r.OK {
			t.Error("a short press of the OK switch is lost")
		}
		within(t, "pan", r.Head.Pan, 0.1, 1e-9)
		if r, err = d.Read(t.Context()); err != nil || r.OK {
			t.Errorf("the next reading is %+v, %v; the switch is up again", r, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := d.Look(robot.HeadAngles{}); !errors.Is(err, robot.ErrClosed) {
			t.Errorf("Look after Close says %v", err)
		}
	})
}

// A broken driver, one for each way to break the contract.
type broken struct {
	*Driver
	read     func(robot.Reading, error) (robot.Reading, error)
	drive    func(robot.Twist) error
	close    func() error
	describe func(robot.Description) robot.Description
	look     func(robot.HeadAngles) error
	move     func(map[string]float64) error
}

func (b *broken) Read(ctx context.Context) (robot.Reading, error) {
	if b.read == nil {
		return b.Driver.Read(ctx)
	}
	return b.read(b.Driver.Read(ctx))
}

func (b *broken) Drive(t robot.Twist) error {
	if b.drive == nil {
		return b.Driver.Drive(t)
	}
	return b.drive(t)
}

func (b *broken) Close() error {
	if b.close == nil {
		return b.Driver.Close()
	}
	return b.close()
}

func (b *broken) Describe() robot.Description {
	if b.describe == nil {
		return b.Driver.Describe()
	}
	return b.describe(b.Driver.Describe())
}

func (b *broken) Look(a robot.HeadAngles) error {
	if b.look == nil {
		return b.Driver.Look(a)
	}
	return b.look(a)
}

func (b *broken) MoveJoints(at map[string]float64) error {
	if b.move == nil {
		return b.Driver.MoveJoints(at)
	}
	return b.move(at)
}

const jointsRule = "joints move within their limits and speeds, or there are none"

const scansRule = "scans come at the stated rate, whole, and as fresh slices"

// eachRange changes every range of every scan.
func eachRange(change func(float64) float64) func(*broken) {
	return func(b *broken) {
		b.read = func(r robot.Reading, err error) (robot.Reading, error) {
			for i := range r.Scans {
				for k, v := range r.Scans[i].Ranges {
					r.Scans[i].Ranges[k] = change(v)
				}
			}
			return r, err
		}
	}
}

func TestTheSuiteCatchesEveryBrokenDriver(t *testing.T) {
	// stubborn repeats the last command without end.
	stubborn := func(b *broken) {
		var last robot.Twist
		b.drive = func(t robot.Twist) error { last = t; return b.Driver.Drive(t) }
		b.read = func(r robot.Reading, err error) (robot.Reading, error) {
			_ = b.Driver.Drive(last)
			return r, err
		}
	}
	for name, c := range map[string]struct {
		rule  string
		spoil func(*broken)
	}{
		"its description changes": {"the description never changes and is whole", func(b *broken) {
			n := 0
			b.describe = func(d robot.Description) robot.Description { n++; d.Body.Mass += float64(n); return d }
		}},
		"it says another rate": {"readings come at the stated rate with increasing times", func(b *broken) {
			b.describe = func(d robot.Description) robot.Description { d.Rate = 40; return d }
		}},
		"its times stand still": {"readings come at the stated rate with increasing times", func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) { r.Time = time.Time{}; return r, err }
		}},
		"its clock is its own": {"readings carry this computer's time", func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				r.Time = r.Time.Add(-time.Minute)
				return r, err
			}
		}},
		"its travel is not finite": {"readings are whole and finite", func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) { r.Travel.Left = math.NaN(); return r, err }
		}},
		"it forgets a sonar": {"readings are whole and finite", func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				if len(r.Ranges) > 0 {
					r.Ranges = r.Ranges[1:]
				}
				return r, err
			}
		}},
		"its lidar is silent": {scansRule, func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) { r.Scans = nil; return r, err }
		}},
		"its lidar measures in millimetres": {scansRule, eachRange(func(v float64) float64 { return 1000 * v })},
		"its lidar measures beyond its reach": {scansRule, eachRange(func(v float64) float64 {
			return v * 4
		})},
		"its lidar forgets a beam": {scansRule, func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				for i := range r.Scans {
					r.Scans[i].Ranges = r.Scans[i].Ranges[1:]
				}
				return r, err
			}
		}},
		"the clock of its lidar is its own": {scansRule, func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				for i := range r.Scans {
					r.Scans[i].Time = r.Scans[i].Time.Add(-time.Minute)
				}
				return r, err
			}
		}},
		"its scans share one slice": {scansRule, func(b *broken) {
			var ranges []float64
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				for i := range r.Scans {
					ranges = append(ranges[:0], r.Scans[i].Ranges...)
					r.Scans[i].Ranges = ranges
				}
				return r, err
			}
		}},
		"its wheels are swapped": {"forward is forward and left is left", func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				r.Travel.Left, r.Travel.Right = r.Travel.Right, r.Travel.Left
				return r, err
			}
		}},
		"it drops commands at once": {"a command is held for as long as the description says", func(b *broken) {
			left := 0
			b.drive = func(t robot.Twist) error { left = 2; return b.Driver.Drive(t) }
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				if left--; left < 0 {
					_ = b.Driver.Drive(robot.Twist{})
				}
				return r, err
			}
		}},
		"it never forgets": {"a command is forgotten and the base brakes to standstill", stubborn},
		"it lets a command live as long as nobody reads": {"a command is forgotten even when nobody reads", func(b *broken) {
			var last time.Time
			var wish robot.Twist
			b.drive = func(t robot.Twist) error { wish = t; return b.Driver.Drive(t) }
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				if r.Time.Sub(last) > 100*time.Millisecond {
					_ = b.Driver.Drive(wish)
				}
				last = r.Time
				return r, err
			}
		}},
		"it loses what nobody read": {"a late reader gets the whole way in one fresh reading", func(b *broken) {
			last := time.Time{}
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				if r.Time.Sub(last) > 100*time.Millisecond {
					r.Travel = robot.Wheels{}
				}
				last = r.Time
				return r, err
			}
		}},
		"it takes NaN for nothing": {"a twist that is not finite is refused and brakes", func(b *broken) {
			b.drive = func(t robot.Twist) error { _ = b.Driver.Drive(t); return nil }
		}},
		"it refuses NaN and drives on": {"a twist that is not finite is refused and brakes", func(b *broken) {
			b.drive = func(t robot.Twist) error {
				if !t.IsFinite() {
					return errors.New("no")
				}
				return b.Driver.Drive(t)
			}
		}},
		"it is faster than it says": {"speed and acceleration stay within the hardware's", func(b *broken) {
			b.describe = func(d robot.Description) robot.Description { d.Hardware.Angular /= 2; return d }
		}},
		"it accelerates more than it says": {"speed and acceleration stay within the hardware's", func(b *broken) {
			b.describe = func(d robot.Description) robot.Description { d.Hardware.LinearAcceleration /= 2; return d }
		}},
		"its Drive waits for the next reading": {"Drive never blocks", func(b *broken) {
			b.drive = func(t robot.Twist) error { time.Sleep(20 * time.Millisecond); return b.Driver.Drive(t) }
		}},
		"its errors are its own": {"Read ends with its context", func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) {
				if err != nil {
					err = errors.New("broken")
				}
				return r, err
			}
		}},
		"it cannot be closed": {"Close ends a Read that waits, and everything after it", func(b *broken) {
			b.close = func() error { return errors.New("broken") }
		}},
		"its head does not move": {"the head turns within its limits, or there is none", func(b *broken) {
			b.look = func(robot.HeadAngles) error { return nil }
		}},
		"its joints do not move": {jointsRule, func(b *broken) {
			b.move = func(map[string]float64) error { return nil }
		}},
		"it forgets where its joints are": {jointsRule, func(b *broken) {
			b.read = func(r robot.Reading, err error) (robot.Reading, error) { r.Joints = nil; return r, err }
		}},
		"its joints are faster than it says": {jointsRule, func(b *broken) {
			b.describe = func(d robot.Description) robot.Description {
				d.Joints = slices.Clone(d.Joints)
				d.Joints[1].Speed /= 4
				return d
			}
		}},
		"its joints know no limits": {jointsRule, func(b *broken) {
			b.describe = func(d robot.Description) robot.Description {
				d.Joints = slices.Clone(d.Joints)
				d.Joints[1].Min += 0.2
				return d
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := NewDriver(NewWorld(withLidarAndArm(t), box(), DefaultScene(), Options{Seed: 1}))
				b := &broken{Driver: d}
				c.spoil(b)
				found := false
				for _, rule := range drivertest.Rules() {
					if rule.Name == c.rule {
						found = true
						if err := rule.Check(b); err == nil {
							t.Errorf("the rule %q lets it pass", c.rule)
						} else {
							t.Log(err)
						}
					}
				}
				if !found {
					t.Errorf("there is no rule %q", c.rule)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
				synctest.Wait()
			})
		})
	}
}
