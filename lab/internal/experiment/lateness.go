package experiment

import (
	"context"
	"time"
)

// nap is the length of the sleeps whose lateness WatchLateness measures.
const nap = 10 * time.Millisecond

// WatchLateness starts to measure how late this computer wakes a sleeping goroutine, which bounds
// the timing of any robot on it. The function late ends that and returns the worst case; call it
// once.
func WatchLateness(ctx context.Context) (late func() time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	worst := make(chan time.Duration)
	go func() {
		var measured time.Duration
		for ctx.Err() == nil {
			due := time.Now().Add(nap)
			time.Sleep(nap)
			measured = max(measured, time.Since(due))
		}
		worst <- measured
	}()
	return func() time.Duration {
		cancel()
		return <-worst
	}
}
