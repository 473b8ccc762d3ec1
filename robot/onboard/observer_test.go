package onboard

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// A witness notes what it observes, in order.
type witness struct {
	seen   []string // commands, and "tick" for every reading
	states []robot.State
	times  []time.Time // of the readings
}

func (w *witness) ObserveTick(at time.Time, r robot.Reading, s robot.State) {
	w.seen = append(w.seen, "tick")
	w.states = append(w.states, s)
	w.times = append(w.times, r.Time)
	if age := at.Sub(r.Time); age < 0 || age > time.Second || !s.Time.Equal(r.Time) {
		w.seen = append(w.seen, fmt.Sprintf("a reading of %v with a state of %v came at %v", r.Time, s.Time, at))
	}
}

func (w *witness) ObserveCommand(_, _ time.Time, cmd robot.Command, answer robot.Result, _ robot.Estimate) {
	w.seen = append(w.seen, fmt.Sprintf("%T %s", cmd, answer.Word))
}

func (w *witness) ObserveFloor(time.Time, robot.FloorChange) {}
func (w *witness) ObserveReply(robot.Reply)                  {}

func TestAnObserverSeesReadingsCommandsAndStopsInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, w := newBase(), &witness{}
		loop := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(robot.State) {}, slog.New(slog.DiscardHandler))
		loop.UseObserver(w)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- loop.Run(ctx) }()
		time.Sleep(50 * time.Millisecond)
		loop.Do(t.Context(), robot.Drive{Twist: robot.Twist{Linear: 0.2}, Valid: time.Second}) // for half of that
		time.Sleep(time.Second / 2)
		loop.Stop("Ana")
		time.Sleep(50 * time.Millisecond)
		loop.Do(t.Context(), robot.Drive{Twist: robot.Twist{Linear: 0.2}})
		loop.UsePlanner(t.Context(), nil)
		loop.Do(t.Context(), robot.GoTo{})
		loop.Do(t.Context(), robot.ClearStop{})
		time.Sleep(50 * time.Millisecond)
		cancel()
		<-ended

		commands := slices.DeleteFunc(slices.Clone(w.seen), func(s string) bool { return s == "tick" })
		want := []string{"robot.Drive MODIFIED", "robot.Stop SUCCESS", "robot.Drive PANIC", "robot.GoTo PANIC", "robot.ClearStop SUCCESS"}
		if !slices.Equal(commands, want) {
			t.Errorf("the commands are\n%q, want\n%q", commands, want)
		}
		first, last := w.seen[0], w.seen[len(w.seen)-1]
		if len(w.states) < 30 || first != "tick" || last != "tick" {
			t.Fatalf("%d readings are observed, from %q to %q", len(w.states), first, last)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		var given []robot.Twist
		for _, s := range w.states {
			given = append(given, s.Drive.Given)
		}
		if top := slices.MaxFunc(given, func(a, b robot.Twist) int { return int(1e6 * (a.Linear - b.Linear)) }); top.Linear < 0.15 || !slices.Contains(b.told, top) {
			t.Errorf("the fastest twist that is observed is %v, which the base was not told", top)
		}
		if stopped := slices.IndexFunc(w.states, func(s robot.State) bool { return s.Stop != nil }); stopped < 0 || !w.states[stopped].Drive.Given.IsZero() {
			t.Error("no state shows the stop")
		}
	})
}
