package bases

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"mybot/drivers/base/bridge"
	"mybot/drivers/pioneer"
	"mybot/drivers/pioneer/pioneertest"
	"mybot/lab/internal/testbed"
)

// startPioneer starts a Pioneer as a base at a TCP port.
func startPioneer(ctx context.Context) (*realBase, error) {
	return startBase(ctx, func(ctx context.Context, b *realBase) error {
		return b.startAndRead(b.command(ctx, "-pioneer", "-listen", "tcp:"+testbed.Loopback))
	})
}

// servePioneer serves a Pioneer as a base, as mybot base serve pioneer does. Its firmware is
// that of package pioneertest; the log has the speeds of the received packets.
func servePioneer(ctx context.Context, l net.Listener, log io.Writer) error {
	const manySonars, nothingHeard = 16, 5000
	last := 0.0
	robot := &pioneertest.Robot{Subtype: "p3dx-sh", Sonars: manySonars, Range: nothingHeard, Told: func(forward float64) {
		if forward != last {
			last = forward
			_, _ = fmt.Fprintf(log, "%d %.4f\n", time.Now().UnixNano(), forward)
		}
	}}
	ours, theirs := net.Pipe()
	var firmware sync.WaitGroup
	firmware.Go(func() { robot.Serve(theirs) })
	defer firmware.Wait()
	defer func() { _ = theirs.Close() }()
	d, err := pioneer.Open(ctx, ours, pioneer.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return bridge.Serve(ctx, l, d, bridge.Config{Program: "lab", Robot: d.Model().Description, Hold: d.Describe().Holds, Log: slog.New(slog.DiscardHandler)})
}
