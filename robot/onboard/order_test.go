package onboard

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

func TestAnOrderCountsForHalfASecondAtMost(t *testing.T) {
	success := robot.Result{Word: robot.Success}
	for _, c := range []struct {
		name  string
		valid time.Duration
		v     float64
		want  robot.Result
	}{
		{"as long as it may", limits.RequestValidity, 0.3, success},
		{"longer", limits.RequestValidity + time.Millisecond, 0.3, robot.Result{Word: robot.Modified, Reason: "A command is valid for at most 500ms, not for 501ms."}},
		{"longer and too fast", time.Second, 1, robot.Result{Word: robot.Modified, Reason: "1.00 m/s was asked for, 0.50 m/s is the safe limit."}},
		{"as long as it does by itself", 0, 0.3, success},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlant(robot.Pose{})
			d := drive(c.v, 0)
			d.Valid = c.valid
			if got := p.core.Do(p.now, d); got != c.want {
				t.Errorf("answered %v, want %v", got, c.want)
			}
		})
	}
}

func TestTheLimitThatIsBrokenMoreIsNamed(t *testing.T) {
	safe := robot.Limit{Linear: 0.5, Angular: 1}
	for _, c := range []struct {
		asked robot.Twist
		want  robot.Result
	}{
		{robot.Twist{Linear: 0.5, Angular: 1}, robot.Result{Word: robot.Success}},
		{robot.Twist{Linear: -0.5, Angular: -1}, robot.Result{Word: robot.Success}},
		{robot.Twist{Linear: 0.6, Angular: 1}, robot.Result{Word: robot.Modified, Reason: "0.60 m/s was asked for, 0.50 m/s is the safe limit."}},
		{robot.Twist{Linear: 0.5, Angular: 1.1}, robot.Result{Word: robot.Modified, Reason: "63 deg/s was asked for, 57 deg/s is the safe limit."}},
		{robot.Twist{Linear: 1, Angular: -2}, robot.Result{Word: robot.Modified, Reason: "1.00 m/s was asked for, 0.50 m/s is the safe limit."}},
		{robot.Twist{Linear: -1, Angular: 2.1}, robot.Result{Word: robot.Modified, Reason: "120 deg/s was asked for, 57 deg/s is the safe limit."}},
	} {
		if got := judgeLimits(c.asked, safe); got != c.want {
			t.Errorf("%v: %v, want %v", c.asked, got, c.want)
		}
	}
}

func TestTheBaseMayBeSilentForAQuarterOfASecond(t *testing.T) {
	p := newPlant(robot.Pose{})
	heard := p.now.Add(-20 * time.Millisecond) // the last reading
	if got := p.core.Do(heard.Add(limits.ReadingGap), drive(0.3, 0)); got.Word != robot.Success {
		t.Errorf("after %v: %v", limits.ReadingGap, got)
	}
	if got := p.core.Do(heard.Add(limits.ReadingGap+1), drive(0.3, 0)); got.Word != robot.Error {
		t.Errorf("after a moment more: %v", got)
	}
	p.drive(0.4, 0, time.Second)
	p.now = p.now.Add(limits.ReadingGap - 20*time.Millisecond)
	if p.drive(0.4, 0, 20*time.Millisecond); p.told.Linear < 0.39 {
		t.Errorf("after a gap of %v it is told %v, %v", limits.ReadingGap, p.told, p.state.Drive.Result)
	}
	p.now = p.now.Add(limits.ReadingGap - 20*time.Millisecond + 1)
	p.core.Do(p.now, drive(0.4, 0))
	if p.tick(); !p.told.IsZero() || p.state.Drive.Result.Word != robot.Error || !p.state.Twist.IsZero() {
		t.Errorf("after a gap of a moment more it is told %v, %v; it moves %v", p.told, p.state.Drive.Result, p.state.Twist)
	}
	want := p.state.Drive.Result
	if got := p.core.Do(p.now, drive(0.3, 0)); got != want {
		t.Errorf("the next order is answered %v, want %v", got, want)
	}
}

func TestWheelsThatRollFasterThanTheMotorsCanAreNotBelieved(t *testing.T) {
	d := mybot()
	fastest := d.Hardware.Linear + d.Hardware.Angular*d.Drivetrain.WheelBase/2
	for _, c := range []struct {
		name  string
		after time.Duration
		left  bool
		most  float64 // m
	}{
		{"the left one", 20 * time.Millisecond, true, 2*fastest*0.02 + 0.05},
		{"the right one", 20 * time.Millisecond, false, 2*fastest*0.02 + 0.05},
		{"in a longer time", 200 * time.Millisecond, true, 2*fastest*0.2 + 0.05},
		{"in a shorter time", time.Millisecond, false, 2*fastest*0.02 + 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, sign := range []float64{1, -1} {
				for _, tooFar := range []bool{false, true} {
					p := newPlant(robot.Pose{})
					distance := c.most
					if tooFar {
						distance = math.Nextafter(distance, 9)
					}
					r := p.reading()
					r.Time = p.core.reading.Time.Add(c.after)
					r.Travel = robot.Wheels{Right: sign * distance}
					if c.left {
						r.Travel = robot.Wheels{Left: sign * distance}
					}
					p.core.Tick(r)
					if believed := p.core.fault == ""; believed == tooFar {
						t.Errorf("%v m in %v: %q", distance, c.after, p.core.fault)
					}
				}
			}
		})
	}
}

func TestAFaultIsOverWithTheNextReading(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.drive(0.4, 0, time.Second)
	r := p.reading()
	r.Heading = math.Inf(-1)
	p.feel(r)
	if !p.state.Twist.IsZero() {
		t.Errorf("a reading that cannot be true tells of %v", p.state.Twist)
	}
	if got := p.core.Do(p.now, drive(0.4, 0)); got != (robot.Result{Word: robot.Error, Reason: "The compass reports a heading that is not a number; the robot has stopped."}) {
		t.Errorf("an order is answered %v", got)
	}
	p.tick()
	if got := p.core.Do(p.now, drive(0.4, 0)); got.Word != robot.Success {
		t.Errorf("after the next reading it is answered %v", got)
	}
}

func TestARobotWithoutACompassIsBelieved(t *testing.T) {
	p := newPlant(robot.Pose{})
	r := p.reading()
	r.Heading = math.NaN()
	if p.feel(r); p.core.fault != "" {
		t.Error(p.core.fault)
	}
}

func TestWhoStoppedTheRobotIsSaidIfItIsKnown(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.drive(0.4, 0, time.Second)
	p.core.Do(p.now, robot.Stop{})
	if got := p.core.Do(p.now, drive(0.3, 0)); got != (robot.Result{Word: robot.Panic, Reason: "The robot is stopped. Release the stop first."}) {
		t.Error(got)
	}
	p.tick()
	if got := p.state.Drive.Result; got != (robot.Result{Word: robot.Interrupted, Reason: "The robot is stopped."}) {
		t.Error(got)
	}
}

func TestOnlyAMotionIsInterrupted(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(p *plant)
		want  robot.Word
	}{
		{"a drive", func(p *plant) { p.core.Do(p.now, drive(0.3, 0)) }, robot.Interrupted},
		{"a turn", func(p *plant) { p.core.Do(p.now, drive(0, 0.3)) }, robot.Interrupted},
		{"a neutral sample", func(p *plant) { p.core.Do(p.now, drive(0, 0)) }, robot.Success},
		{"nothing", func(*plant) {}, robot.Success},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlant(robot.Pose{})
			c.begin(p)
			p.core.Do(p.now, robot.Halt{Reason: "Ana left."})
			if p.tick(); p.state.Drive.Result.Word != c.want || p.state.Mode != robot.ModeReady {
				t.Errorf("%v, %v", p.state.Drive.Result, p.state.Mode)
			}
		})
	}
}

func TestTheModeSaysWhatTheRobotDoes(t *testing.T) {
	charging := func(p *plant) {
		r := p.reading()
		r.Battery.Charging = true
		p.feel(r)
	}
	p := newPlant(robot.Pose{})
	if charging(p); p.state.Mode != robot.ModeCharging {
		t.Errorf("at the dock: %v", p.state.Mode)
	}
	p.core.Do(p.now, drive(0.3, 0))
	if charging(p); p.state.Mode != robot.ModeManual {
		t.Errorf("driven away from it: %v", p.state.Mode)
	}
	p.drive(0.3, 0, time.Second)
	p.core.Do(p.now, robot.Halt{})
	if charging(p); p.state.Mode != robot.ModeReady {
		t.Errorf("rolling past it: %v", p.state.Mode)
	}
	p.core.Do(p.now, robot.Stop{})
	if charging(p); p.state.Mode != robot.ModeStopped {
		t.Errorf("stopped there: %v", p.state.Mode)
	}
}

func TestThePositionIsSet(t *testing.T) {
	p := newPlant(robot.Pose{})
	to := robot.Pose{X: 1, Y: -2, Theta: 3}
	if got := p.core.Do(p.now, robot.SetPose{Pose: to}); got.Word != robot.Success {
		t.Error(got)
	}
	if p.tick(); p.state.Estimate.Pose != to {
		t.Errorf("the robot believes to be at %v, want %v", p.state.Estimate.Pose, to)
	}
}

func TestTheHeadTurnsAsFarAsItCan(t *testing.T) {
	h := mybot().Head
	for _, c := range []struct {
		pan, tilt float64
		want      robot.Word
	}{
		{h.PanMin, h.TiltMin, robot.Success},
		{h.PanMax, h.TiltMax, robot.Success},
		{h.PanMax + 0.1, 0, robot.Modified},
		{h.PanMin - 0.1, 0, robot.Modified},
		{0, h.TiltMax + 0.1, robot.Modified},
		{0, h.TiltMin - 0.1, robot.Modified},
		{0, math.Inf(1), robot.Error},
	} {
		p := newPlant(robot.Pose{})
		if got := p.core.Do(p.now, robot.Look{HeadAngles: robot.HeadAngles{Pan: c.pan, Tilt: c.tilt}}); got.Word != c.want {
			t.Errorf("to %v, %v: %v, want %v", c.pan, c.tilt, got, c.want)
		}
	}
}

// What the guard says is the answer while a driver drives, and only then.
func TestTheGuardAnswersOnlyWhoDrives(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(2, -3, 2, 3))
	p.drive(0.5, 0, 20*time.Second)
	if p.state.Drive.Result.Word != robot.Modified || !p.state.Guard.Active {
		t.Fatalf("%v before the wall", p.state.Drive.Result)
	}
	p.core.Do(p.now, robot.Halt{Reason: "Ana left."})
	if p.tick(); p.state.Drive.Result != (robot.Result{Word: robot.Interrupted, Reason: "Ana left."}) {
		t.Errorf("nobody drives: %v", p.state.Drive.Result)
	}
	p = newPlant(robot.Pose{})
	p.drive(0.5, 0, 2*time.Second)
	front := p.centre().X + 0.26
	p.walls = []robot.Segment{wall(front+0.5, -3, front+0.5, 3)} // a door falls shut
	p.drive(0.5, 0, 300*time.Millisecond)
	if p.state.Drive.Result.Word != robot.Modified || !p.state.Guard.Active {
		t.Fatalf("%v before the door", p.state.Drive.Result)
	}
	p.core.Do(p.now, robot.Halt{Reason: "Ana left."})
	if p.tick(); p.state.Drive.Result.Word != robot.Interrupted || !p.state.Guard.Active {
		t.Errorf("nobody drives, and the guard brakes: %v, %+v", p.state.Drive.Result, p.state.Guard)
	}
	p.core.Do(p.now, drive(0.5, 0))
	r := p.reading()
	r.Heading = math.Inf(1)
	if p.feel(r); p.state.Drive.Result.Word != robot.Error || p.state.Guard.Active {
		t.Errorf("a reading that cannot be true: %v", p.state.Drive.Result)
	}
	p.drive(-0.3, 0, time.Second)
	if p.state.Drive.Result.Word != robot.Success {
		t.Errorf("backing away: %v", p.state.Drive.Result)
	}
}

func TestARequestIsGivenUpAtItsTimeNotBefore(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		want  robot.Word
	}{{robot.DriveValid - 1, robot.Success}, {robot.DriveValid, robot.Interrupted}} {
		p := newPlant(robot.Pose{})
		p.core.expireSources(p.now)
		p.core.Do(p.now, drive(0.3, 0))
		p.core.expireSources(p.now.Add(c.after))
		if p.tick(); p.state.Drive.Result.Word != c.want || p.told.IsZero() == (c.want == robot.Success) {
			t.Errorf("after %v: %v, told %v", c.after, p.state.Drive.Result, p.told)
		}
	}
}

func TestALoopThatWasHeldUpBeginsAnew(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.drive(0.4, 0, 2*time.Second)
	p.core.loopStalled(time.Second)
	if p.tick(); !p.told.IsZero() || p.state.Drive.Result != (robot.Result{Word: robot.Interrupted, Reason: "This computer is too busy: the control loop was held up."}) {
		t.Errorf("told %v, %v", p.told, p.state.Drive.Result)
	}
}
