package base_test

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/basetest"
	"mybot/drivers/base/bridge"
	"mybot/drivers/drivertest"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

// dialer returns a function that connects a driver to a base through a pipe.
func dialer(l *basetest.Pipes) func(context.Context) (base.Conn, error) {
	return func(ctx context.Context) (base.Conn, error) { return l.Dial(ctx) }
}

// serveSimulator serves a simulated robot without errors on an empty floor as a
// base until the test ends.
func serveSimulator(t *testing.T, l net.Listener, model string) {
	t.Helper()
	description, ok := models.Find(model)
	if !ok {
		t.Fatalf("there is no robot %s", model)
	}
	serveSimulated(t, l, description)
}

// serveSimulated is serveSimulator for the robot of a description.
func serveSimulated(t *testing.T, l net.Listener, description []byte) {
	t.Helper()
	desc, err := robot.ParseDescription(description)
	if err != nil {
		t.Fatal(err)
	}
	d := sim.NewDriver(sim.NewWorld(desc, nil, sim.Scene{}, sim.Options{Ideal: true}))
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := bridge.Serve(ctx, l, d, bridge.Config{Program: "test 1", Robot: description, Hold: desc.Holds, Log: slog.New(slog.DiscardHandler)}); err != nil {
			t.Errorf("the base ended: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); ended.Wait(); _ = d.Close() })
}

func openDriver(t *testing.T, c base.Config) *base.Driver {
	t.Helper()
	if c.Patience == 0 {
		c.Patience = 5 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d, err := base.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestABaseAtTheEndOfALineKeepsTheDriverContract checks the simulator behind a pipe
// against the rules that it follows without one.
func TestABaseAtTheEndOfALineKeepsTheDriverContract(t *testing.T) {
	for _, model := range []string{models.MybotName, models.LidarSonarName, models.ArmName} {
		t.Run(model, func(t *testing.T) {
			drivertest.Run(t, func(t *testing.T) robot.Driver {
				l := basetest.NewPipes()
				serveSimulator(t, l, model)
				return openDriver(t, base.Config{Dial: dialer(l)})
			}, drivertest.Options{Bubble: true})
		})
	}
}
