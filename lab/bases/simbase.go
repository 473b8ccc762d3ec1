package bases

import (
	"context"
	"fmt"
	"os"

	"mybot/drivers/base"
	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
)

// SimPart is the name of the program that SimBasePart is.
const SimPart = "sim-base"

// SimBasePart is the child process that serves the simulated robot as a base, with a
// motorLog, and prints its address. It differs from mybot base serve sim in the log
// and in that nothing stands around the robot.
func SimBasePart(ctx context.Context, c experiment.Call) error {
	var listen, motors string
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&listen, "listen", "", "`address` where it waits")
		f.StringVar(&motors, "motors", "", "`file` of what it asks of its motors")
	}); err != nil {
		return err
	}
	if err := serveSim(ctx, c, listen, motors); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return nil
}

func serveSim(ctx context.Context, c experiment.Call, listen, motors string) error {
	address, err := base.ParseAddress(listen)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(motors, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // the experiment names it
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // every write was checked
	driver := &loggedMotors{Driver: sim.NewDriver(sim.NewWorld(testbed.MybotBase(), nil, sim.DefaultScene(), sim.Options{Seed: 1})), log: log}
	defer func() { _ = driver.Close() }()
	l, err := address.Listen(ctx)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.Out, "%s:%s\n", l.Addr().Network(), l.Addr()); err != nil {
		return err
	}
	return testbed.ServeBase(ctx, l, driver)
}
