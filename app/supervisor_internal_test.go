package app

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// signs are the times of the heartbeats.
type signs struct{ at []time.Time }

func (s *signs) Write(p []byte) (int, error) {
	s.at = append(s.at, time.Now())
	return len(p), nil
}

func TestSignsOfLifeComeWithStatesAndNotOftenerThanFourInTheWatchdogsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard signs
		n := newNotifier(Supervisor{Watchdog: 2 * time.Second}, slog.New(slog.DiscardHandler))
		n.out = &heard
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { n.run(ctx) })
		publish := func(count int, period time.Duration) {
			for range count {
				n.observeState(robot.State{})
				time.Sleep(period)
			}
			synctest.Wait()
		}
		publish(500, 20*time.Millisecond) // 10 s of readings
		if len(heard.at) != 20 {
			t.Errorf("in 10 s there were %d signs of life, want 20", len(heard.at))
		}
		publish(20, 500*time.Millisecond) // 10 s of silence of the base
		if len(heard.at) != 40 {
			t.Errorf("in 10 s with two states a second there were %d signs of life, want 20", len(heard.at)-20)
		}
		time.Sleep(time.Hour) // the loop is blocked
		synctest.Wait()
		if len(heard.at) != 40 {
			t.Errorf("without states there were %d signs of life", len(heard.at)-40)
		}
		cancel()
		all.Wait()
	})
}

func TestTheControlLoopDoesNotWaitForASupervisorThatDoesNotRead(t *testing.T) {
	n := newNotifier(Supervisor{Watchdog: 4 * time.Nanosecond}, slog.New(slog.DiscardHandler))
	n.out = &signs{}
	for range 100 { // no goroutine runs it
		n.observeState(robot.State{})
	}
	if len(n.alive) != 1 {
		t.Errorf("%d signs of life wait, want one", len(n.alive))
	}
}
