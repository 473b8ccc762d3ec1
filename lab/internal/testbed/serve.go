package testbed

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/robot"
)

// Loopback is the address on which the experiments' servers listen.
const Loopback = "127.0.0.1:0"

// OpenFloor returns the server's configuration for an unbounded, empty floor, on which odometry is
// the only localization.
func OpenFloor() app.Config {
	return app.Config{
		Plan:  &robot.Floorplan{Name: "open floor", Grid: robot.Grid{Width: 1, Height: 1, Resolution: 1, Cells: []robot.Cell{robot.Free}}},
		Build: "lab", Simulator: true, Localizer: app.Odometry,
	}
}

// WithServer serves a simulated robot without a floor plan at an address while use runs.
func WithServer(ctx context.Context, at string, cfg app.Config, use func(addr string) error) error {
	return WithDriver(ctx, at, sim.NewDriver(sim.NewWorld(Mybot(), nil, sim.DefaultScene(), sim.Options{Seed: 1})), cfg, use)
}

// WithDriver serves the robot of a driver at an address while use runs.
func WithDriver(ctx context.Context, at string, driver robot.Driver, cfg app.Config, use func(addr string) error) error {
	ln, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	cfg.Ready = func() { close(ready) }
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ctx, ln, driver, cfg, slog.New(slog.DiscardHandler)) }()
	defer cancel()
	select {
	case <-ready:
	case err := <-ended:
		return errors.Join(err, ctx.Err())
	}
	err = use(ln.Addr().String())
	cancel()
	return errors.Join(err, <-ended)
}
