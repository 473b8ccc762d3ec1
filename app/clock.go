package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

const (
	clockPeriod  = 10 * time.Second
	maxClockSlip = time.Minute // smaller slips are not reported, because clocks are corrected a little all the time
)

// watchClock calls tell when the computer's clock is set while the robot runs,
// until ctx ends. wall returns the time of that clock. Nothing in the server ages
// by it: see handlers.Config.
func watchClock(ctx context.Context, wall func() time.Time, tell func(text string), log *slog.Logger) {
	every := time.NewTicker(clockPeriod)
	defer every.Stop()
	began, known := time.Now(), wall().Round(0) // without a monotonic reading
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		is, should := wall().Round(0), known.Add(time.Since(began))
		if off := is.Sub(should); off.Abs() > maxClockSlip {
			log.Warn("the robot's clock changed", "from", should.UTC(), "to", is.UTC())
			tell(fmt.Sprintf("The robot's clock changed from %s to %s. This does not change when anyone's access ends while the program runs.",
				should.UTC().Format(time.RFC3339), is.UTC().Format(time.RFC3339)))
			began, known = time.Now(), is
		}
	}
}
