package localize

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/robot"
	"mybot/robot/scan"
)

// frame is one reading of a run, with the truth.
type frame struct {
	truth   robot.Pose // of base_link in map
	move    robot.Pose // of base_link since the previous frame, by the wheels
	reading robot.Reading
	clouds  []scan.Cloud // of the scans in the reading
	carried bool         // the robot has been picked up and put down here
}

// scenarios are the worlds in which localizers run.
var scenarios = []string{"nominal", "magnetic", "people", "hard", "kidnap", "global", "off"}

const (
	runLasts   = 600 * time.Second
	carryEvery = 60 * time.Second
	globalLast = 120 * time.Second
)

// recordDrive drives a robot around in a world and returns its frames.
func recordDrive(ctx context.Context, desc robot.Description, plan *robot.Floorplan, world sim.Deviation, scenario string, seed uint64, lasts time.Duration) ([]frame, error) {
	return recordDriveOf(ctx, desc, desc, plan, world, scenario, seed, lasts)
}

// recordDriveOf does the same with a robot that differs from its description.
func recordDriveOf(ctx context.Context, desc, actual robot.Description, plan *robot.Floorplan, world sim.Deviation, scenario string, seed uint64, lasts time.Duration) ([]frame, error) {
	roads, err := testbed.NewRoads(plan)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 77))
	scene := testbed.NewScene(scenario, plan, roads, rng)
	at := roads.LargestPart()
	from := at[rng.IntN(len(at))]
	scene.Start = robot.Pose{X: roads.At[from].X, Y: roads.At[from].Y, Theta: (2*rng.Float64() - 1) * math.Pi}
	d := testbed.Wanderer{World: sim.NewWorld(actual, plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(1e6, 0), Deviation: world}), Roads: roads, Rng: rng, To: from, From: from}
	deskewer := scan.NewDeskewer(desc)
	n := int(lasts.Seconds() * desc.Rate)
	frames := make([]frame, 0, n)
	every := int(carryEvery.Seconds() * desc.Rate)
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		carried := scenario == "kidnap" && i > 0 && i%every == 0
		if carried {
			if err := d.CarryTo(at[rng.IntN(len(at))]); err != nil {
				return nil, fmt.Errorf("lab: %w", err)
			}
		}
		if err := d.World.Drive(d.NextTwist()); err != nil {
			return nil, fmt.Errorf("lab: %w", err)
		}
		r := d.World.Step()
		clouds, _ := deskewer.Observe(r) // scans hidden by a person above the lidar are not used
		frames = append(frames, frame{truth: d.World.Truth().Pose, move: desc.Drivetrain.Roll(robot.Pose{}, r.Travel), reading: r, clouds: clouds, carried: carried})
	}
	return frames, nil
}
