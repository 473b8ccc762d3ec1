package onboard

import (
	"log/slog"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/robottest"
	"mybot/script"
)

// A robot without a clock of its own starts with a wrong time, which the network corrects
// minutes later. Drivers time their readings by the monotonic clock from their start on.
func TestTimesOfDayFollowTheClockOfTheComputerAfterItWasSet(t *testing.T) {
	const forward = 3 * time.Hour
	p := newPlant(robot.Pose{})
	p.now = time.Now()
	p.order(t, robot.OpenUnit{Unit: "A"})
	arrive := func() time.Time {
		at := robottest.AfterSetting(t, p.now, forward)
		p.core.Arrive(at, p.now)
		p.tick()
		return at
	}
	arrive() // the reading whose time jumped
	at := arrive()
	p.core.ScriptLines()
	var r script.Reader
	p.order(t, robot.GiveCommands{Unit: "A", Commands: r.Read("echo (clock.hour == " + at.Format("15") + ");\n")})
	if got := p.lines(); got != "A 1.000000" {
		t.Errorf("at %v, is it that hour for a script? %q", at, got)
	}
	due := at.Add(time.Second).Round(0) // without a monotonic clock, as it is read from a request
	if r := p.core.Do(p.now, p.core.byReadings(robot.Enqueue{ID: 1, At: due, Command: robot.Drive{Twist: robot.Twist{Linear: 0.3}, Valid: 5 * time.Second}})); !r.Done() {
		t.Fatal(r)
	}
	for range 100 {
		at = arrive()
		if moves := !p.told.IsZero(); moves != !at.Before(due) && at.Sub(due).Abs() > 60*time.Millisecond {
			t.Fatalf("%v after the time of a command the robot moves: %v", at.Round(0).Sub(due), moves)
		}
	}
	if p.told.IsZero() {
		t.Error("the command of the queue has not begun")
	}
}

func TestStatesShowTheClockOfTheComputerAfterItWasSet(t *testing.T) {
	const forward = 3 * time.Hour
	b := newBase()
	var shown robot.State
	h := newLoopState(NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(s robot.State) { shown = s }, slog.New(slog.DiscardHandler)))
	defer h.pulse.Stop()
	set := time.Duration(0)
	began := time.Now()
	h.now = func() time.Time { return robottest.AfterSetting(t, began.Add(5*time.Millisecond), set) }
	for _, set = range []time.Duration{0, forward, 0} {
		r := robot.Reading{Time: began, Ranges: make([]float64, len(b.desc.Sonars))}
		h.processReading(r)
		if off := shown.Time.Round(0).Sub(began.Round(0)); off != set || shown.Time.Sub(began) != 0 {
			t.Errorf("the clock is %v ahead of the driver's, a state shows %v", set, off)
		}
	}
}
