// Package navigate sends simulated robots to goals, among people, barrels and closing doors,
// and checks by the truth whether they arrive.
package navigate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mybot/drivers/sim"
	"mybot/lab/internal/drawing"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/peers"
	"mybot/lab/internal/testbed"
	"mybot/maps"
	"mybot/pathplan"
)

// GoTo runs random trials, blocked corridors, and routes without obstacles.
func GoTo(ctx context.Context, c experiment.Call) error {
	o := gotoOutcome{Faults: []mishap{}}
	var dir, robotFile, sensor, controller, traceFile, filmFile string
	var corridors, tracks int
	var world sim.Deviation
	if err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&dir, "map", "", "a map `folder`, or "+maps.List()+" (default the built-in office)")
		f.StringVar(&robotFile, "robot", "", "the `robot`: mybot, lidar, lidar+sonar, or a file that describes another one (default mybot)")
		f.StringVar(&sensor, "sensor", "", "`what` the robot sees with: "+sensorNames+" (default what --robot has)")
		f.StringVar(&controller, "controller", "rollout", "`what` chooses the motion of a robot with a lidar: "+peers.Names)
		f.World(&world)
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.Int(&o.Runs, "runs", 1000, 0, 100000, "`how many` errands")
		f.Int(&o.People, "people", usualPeople, 0, maxPeople, "`how many` people walk about at most")
		f.StringVar(&o.Trouble, "trouble", "", "`what` is in the way: "+troubleNames+" (default all)")
		f.StringVar(&o.Crowd, "crowd", "", "the `people`: considerate, or mixed: 3 in 10 do not look, some walk in pairs, two talk in a doorway (default mixed with --trouble, else considerate)")
		f.BoolVar(&o.Empty, "empty", false, "an empty floor: the same as --trouble none")
		f.Int(&corridors, "corridors", 100, 0, 100000, "`how many` blocked corridors")
		f.StringVar(&traceFile, "trace", "", "write to `FILE` what happens on the errands, a line of JSON each second")
		f.StringVar(&filmFile, "film", "", "draw the ten slowest errands to `FILE`, as film strips in SVG")
		f.Int(&tracks, "tracks", 40, 0, 100000, "on `how many` routes the tracking is measured")
	}); err != nil {
		return err
	}
	meets, err := o.chooseTrouble(&c)
	if err != nil {
		return err
	}
	desc, err := testbed.LoadRobot(robotFile)
	if err != nil {
		return err
	}
	if desc, err = equipRobot(desc, sensor); err != nil {
		return c.Refuse("%v", err)
	}
	o.Sensor = sensorOf(desc)
	makeController, err := peers.Find(controller)
	if err != nil {
		return c.Refuse("--controller is %q; %v", controller, err)
	}
	if makeController != nil && len(desc.Lidars) == 0 {
		return c.Refuse("--controller %s: a robot with sonars alone follows its path itself; choose a robot with a lidar, as with --sensor lidar", controller)
	}
	o.Controller = controller
	if err := world.CheckFit(desc); err != nil {
		return c.Refuse("--world: %v", err)
	}
	plan, err := testbed.LoadPlan(dir)
	if err != nil {
		return fmt.Errorf("lab: goto: --map %s: %w", dir, err)
	}
	f, err := testbed.NewFloor(ctx, c.Tables, desc, plan)
	if err != nil {
		return err
	}
	f.World, f.Controller = world, makeController
	o.Map, o.World = plan.Name, world.Name
	var traces io.WriteCloser
	if traceFile != "" {
		if traces, err = os.Create(traceFile); err != nil { // open it before the errands, which take long
			return fmt.Errorf("lab: goto: --trace: %w", err)
		}
	}
	if filmFile != "" {
		if err := drawing.WriteText(filmFile, ""); err != nil { // likewise
			return fmt.Errorf("lab: goto: --film: %w", err)
		}
	}
	runs, err := experiment.RunParallel(ctx, c.Err, "errands", o.Runs, func(ctx context.Context, n int) (trialResult, error) {
		return drawAndRunTrial(ctx, f, o.Seed+uint64(n), meets)
	})
	if err != nil {
		return err
	}
	o.countTrials(runs)
	if traces != nil {
		if err := errors.Join(writeTraces(traces, runs), traces.Close()); err != nil {
			return fmt.Errorf("lab: goto: --trace: %w", err)
		}
	}
	if filmFile != "" {
		if err := drawFilms(filmFile, plan, desc, runs); err != nil {
			return fmt.Errorf("lab: goto: --film: %w", err)
		}
	}
	if corridors > 0 {
		if o.Corridors, err = blockCorridors(ctx, f, c.Err, o.Seed, corridors); err != nil {
			return err
		}
	}
	if tracks > 0 {
		if o.Tracking, err = measureTracking(ctx, f, c.Err, o.Seed, tracks); err != nil {
			return err
		}
	}
	return c.Print(o)
}

// drawAndRunTrial draws and runs one trial.
func drawAndRunTrial(ctx context.Context, f *testbed.Floor, seed uint64, meets crowdedness) (trialResult, error) {
	e, err := drawTrial(f.Desc, f.Plan, f.Roads, pathplan.NewPlanner(f.Plan, f.Desc), seed, meets)
	if err != nil {
		return trialResult{}, err
	}
	return runTrial(ctx, f, e)
}
