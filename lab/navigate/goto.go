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
	"mybot/localization"
	"mybot/maps"
	"mybot/pathplan"
)

// gotoFlags are the flags of GoTo that say how it runs; gotoOutcome has those that it prints
// again.
type gotoFlags struct {
	mapDir, robotFile, sensor string
	controller                string
	world                     sim.Deviation
	traceFile, filmFile       string // "" = none
	corridors, tracks         int
}

// GoTo runs random trials, blocked corridors, and routes without obstacles.
func GoTo(ctx context.Context, c experiment.Call) error {
	o := gotoOutcome{Faults: []mishap{}}
	var flags gotoFlags
	if err := flags.parse(&c, &o); err != nil {
		return err
	}
	meets, err := o.chooseTrouble(&c)
	if err != nil {
		return err
	}
	f, err := flags.prepareFloor(ctx, &c)
	if err != nil {
		return err
	}
	o.Sensor, o.Controller, o.Map, o.World = sensorOf(f.Desc), flags.controller, f.Plan.Name, f.World.Name
	traces, err := flags.createFiles()
	if err != nil {
		return err
	}
	meets.driven = o.Driven
	runs, err := experiment.RunParallel(ctx, c.Err, "errands", o.Runs, func(ctx context.Context, n int) (trialResult, error) {
		return drawAndRunTrial(ctx, f, o.Seed+uint64(n), meets)
	})
	if err != nil {
		return err
	}
	o.countTrials(runs)
	if err := flags.writeFiles(traces, f, runs); err != nil {
		return err
	}
	if flags.corridors > 0 {
		if o.Corridors, err = blockCorridors(ctx, f, c.Err, o.Seed, flags.corridors); err != nil {
			return err
		}
	}
	if flags.tracks > 0 {
		if o.Tracking, err = measureTracking(ctx, f, c.Err, o.Seed, flags.tracks); err != nil {
			return err
		}
	}
	return c.Print(o)
}

// parse parses the flags of GoTo.
func (g *gotoFlags) parse(c *experiment.Call, o *gotoOutcome) error {
	return c.Parse(func(f *experiment.Flags) {
		f.StringVar(&g.mapDir, "map", "", "a map `folder`, or "+maps.List()+", or drawn:SEED, a building that is drawn (default the built-in office)")
		f.StringVar(&g.robotFile, "robot", "", "the `robot`: mybot, lidar, lidar+sonar, or a file that describes another one (default mybot)")
		f.StringVar(&g.sensor, "sensor", "", "`what` the robot sees with: "+sensorNames+" (default what --robot has)")
		f.StringVar(&g.controller, "controller", "rollout", "`what` chooses the motion of a robot with a lidar: "+peers.Names)
		f.World(&g.world)
		f.Uint64Var(&o.Seed, "seed", 1, "the first `seed`")
		f.Int(&o.Runs, "runs", 1000, 0, 100000, "`how many` errands")
		f.Int(&o.People, "people", usualPeople, 0, maxPeople, "`how many` people walk about at most")
		f.Int(&o.Driven, "driven", 0, 0, 20, "`how many` errands with nothing in the way each robot has done before, from which it has learned its odometry")
		f.StringVar(&o.Trouble, "trouble", "", "`what` is in the way: "+troubleNames+" (default all)")
		f.StringVar(&o.Crowd, "crowd", "", "the `people`: considerate, or mixed: 3 in 10 do not look, some walk in pairs, two talk in a doorway (default mixed with --trouble, else considerate)")
		f.BoolVar(&o.Empty, "empty", false, "an empty floor: the same as --trouble none")
		f.Int(&g.corridors, "corridors", 100, 0, 100000, "`how many` blocked corridors")
		f.StringVar(&g.traceFile, "trace", "", "write to `FILE` what happens on the errands, a line of JSON each second")
		f.StringVar(&g.filmFile, "film", "", "draw the ten slowest errands to `FILE`, as film strips in SVG")
		f.Int(&g.tracks, "tracks", 40, 0, 100000, "on `how many` routes the tracking is measured")
	})
}

// prepareFloor returns the floor with the robot that the flags choose.
func (g *gotoFlags) prepareFloor(ctx context.Context, c *experiment.Call) (*testbed.Floor, error) {
	desc, err := testbed.LoadRobot(g.robotFile)
	if err != nil {
		return nil, err
	}
	if desc, err = equipRobot(desc, g.sensor); err != nil {
		return nil, c.Refuse("%v", err)
	}
	makeController, err := peers.Find(g.controller)
	if err != nil {
		return nil, c.Refuse("--controller is %q; %v", g.controller, err)
	}
	if makeController != nil && len(desc.Lidars) == 0 {
		return nil, c.Refuse("--controller %s: a robot with sonars alone follows its path itself; choose a robot with a lidar, as with --sensor lidar", g.controller)
	}
	if err := g.world.CheckFit(desc); err != nil {
		return nil, c.Refuse("--world: %v", err)
	}
	plan, err := testbed.LoadPlan(g.mapDir)
	if err != nil {
		return nil, fmt.Errorf("lab: goto: --map %s: %w", g.mapDir, err)
	}
	f, err := testbed.NewFloor(ctx, c.Tables, desc, plan)
	if err != nil {
		return nil, err
	}
	f.World, f.Controller = g.world, makeController
	return f, nil
}

// createFiles creates the files for traces and films before the errands, which take long.
// traces is nil if no file for them is named.
func (g *gotoFlags) createFiles() (traces io.WriteCloser, err error) {
	if g.traceFile != "" {
		if traces, err = os.Create(g.traceFile); err != nil {
			return nil, fmt.Errorf("lab: goto: --trace: %w", err)
		}
	}
	if g.filmFile != "" {
		if err := drawing.WriteText(g.filmFile, ""); err != nil {
			return nil, fmt.Errorf("lab: goto: --film: %w", err)
		}
	}
	return traces, nil
}

// writeFiles writes the traces and films of the errands to the files that createFiles created.
func (g *gotoFlags) writeFiles(traces io.WriteCloser, f *testbed.Floor, runs []trialResult) error {
	if traces != nil {
		if err := errors.Join(writeTraces(traces, runs), traces.Close()); err != nil {
			return fmt.Errorf("lab: goto: --trace: %w", err)
		}
	}
	if g.filmFile != "" {
		if err := drawFilms(g.filmFile, f.Plan, f.Desc, runs); err != nil {
			return fmt.Errorf("lab: goto: --film: %w", err)
		}
	}
	return nil
}

// drawAndRunTrial draws and runs one trial.
func drawAndRunTrial(ctx context.Context, f *testbed.Floor, seed uint64, meets crowdedness) (trialResult, error) {
	e, err := drawTrial(f.Desc, f.Plan, f.Roads, pathplan.NewPlanner(f.Plan, f.Desc), seed, meets)
	if err != nil {
		return trialResult{}, err
	}
	for n := range meets.driven {
		before, err := drawTrial(f.Desc, f.Plan, f.Roads, pathplan.NewPlanner(f.Plan, f.Desc), beforeSeed(seed, n), crowdedness{})
		if err != nil {
			return trialResult{}, err
		}
		if e.learned, err = learnOdometry(ctx, f, e, before); err != nil {
			return trialResult{}, err
		}
	}
	return runTrial(ctx, f, e)
}

// beforeSeed returns the seed of the nth errand before the trial with the seed. No trial has it.
func beforeSeed(seed uint64, n int) uint64 { return 1<<40 + 64*seed + uint64(n) }

// learnOdometry lets the robot of the trial e do another errand and returns what it knows about
// its odometry then.
func learnOdometry(ctx context.Context, f *testbed.Floor, e, errand goalTrial) (*localization.OdometryErrors, error) {
	errand.seed, errand.learned = e.seed, e.learned // the seed of its wheels
	errand.scene.Wheels, errand.scene.Compass = e.scene.Wheels, e.scene.Compass
	filter := errand.newFilter(f)
	r, err := f.NewRover(errand.scene, filter, errand.seed)
	if err != nil {
		return nil, err
	}
	if _, err := driveToGoal(ctx, r, errand, func(*testbed.Rover) error { return nil }); err != nil {
		return nil, err
	}
	learned, _ := filter.OdometryErrors()
	return &learned, nil
}

// newFilter returns the filter of the trial's robot, with what it knows about its odometry.
func (e *goalTrial) newFilter(f *testbed.Floor) *localization.MCL {
	filter := f.NewMCL(e.from, e.seed)
	if e.learned != nil {
		filter.UseOdometryErrors(*e.learned)
	}
	return filter
}
