package experiment

import (
	"context"
	"time"
)

// nap is how long a sleeper sleeps whose lateness is measured.
const nap = 10 * time.Millisecond

// WatchLateness begins to measure by how much this computer wakes a sleeper too late:
// what no robot on it can do better. late ends that and returns the worst case; it is
// called once.
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
