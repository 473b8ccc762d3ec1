// Package base holds the experiments about the base alone: its battery and its
// odometry, on an empty floor.
package base

import (
	"context"
	"fmt"
	"math"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// duty is the cycle that drains the battery: half of the time driving around at 0.4 m/s, a
// quarter turning in place at 40 deg/s and a quarter standing.
var duty = []struct {
	command robot.Twist
	lasts   time.Duration
}{
	{robot.Twist{Linear: 0.4}, 20 * time.Second},
	{robot.Twist{Angular: 40 * degree}, 15 * time.Second},
	{robot.Twist{Linear: 0.4, Angular: -10 * degree}, 10 * time.Second},
	{robot.Twist{}, 15 * time.Second},
}

// degree is one degree in rad.
const degree = math.Pi / 180

// batteryOutcome is how long the battery lasted.
type batteryOutcome struct {
	Hours  float64 `json:"hours"`  // from full to empty
	Metres float64 `json:"metres"` // driven forward
	Watts  float64 `json:"watts"`  // mean power
	Seed   uint64  `json:"seed"`
}

func (o batteryOutcome) String() string {
	return fmt.Sprintf("A full battery lasts %.2f h of mixed duty (half driving at 0.4 m/s, a quarter turning, a quarter standing): %.1f km at %.0f W on average. Seed %d.",
		o.Hours, o.Metres/1000, o.Watts, o.Seed)
}

// DrainBattery runs Mybot from full to empty on an empty floor. It simulates no sonars.
func DrainBattery(ctx context.Context, c experiment.Call) error {
	o := batteryOutcome{}
	if err := c.Parse(func(f *experiment.Flags) { f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the simulator") }); err != nil {
		return err
	}
	desc := testbed.Mybot()
	desc.Sonars = nil
	w := sim.NewWorld(desc, nil, sim.DefaultScene(), sim.Options{Seed: o.Seed, Epoch: time.Unix(0, 0)})
	began := w.Truth().Time
	steps := 0
	for {
		for _, part := range duty {
			if err := ctx.Err(); err != nil {
				return err
			}
			for end := w.Truth().Time.Add(part.lasts); w.Truth().Time.Before(end); {
				if err := w.Drive(part.command); err != nil {
					return fmt.Errorf("lab: %w", err)
				}
				r := w.Step()
				steps++
				o.Metres += desc.Drivetrain.Twist(r.Travel).Linear
				o.Watts += r.Battery.Volts * r.Battery.Amperes
				if r.Battery.Charge <= 0 {
					o.Hours = r.Time.Sub(began).Hours()
					o.Watts /= float64(steps)
					return c.Print(o)
				}
			}
		}
	}
}
