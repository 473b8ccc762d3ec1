package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"

	"mybot/app"
	"mybot/drivers/base"
	"mybot/drivers/replay"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/store/atomicfile"
)

const (
	// baseFile stores the descriptions of the bases, so that the server can start before
	// they do.
	baseFile = "base.json"
)

// A rig is the robot that a server serves, with its floor.
type rig struct {
	driver   robot.Driver
	camera   robot.Camera // nil = none
	plan     *robot.Floorplan
	mapDir   string // the folder for people's edits of the map; "" = none
	start    robot.Pose
	what     string            // "simulated", or the address of its base
	simulate func(*app.Config) // adds the settings of a simulated robot; nil = the robot is real
	close    func()            // closes the camera; the server closes the driver
}

// describe returns a sentence that describes the robot.
func (r rig) describe() string {
	link, ok := r.driver.(robot.Linked)
	if ok && !link.BaseLink().Up {
		return fmt.Sprintf("%s waits for its base at %s (%s).", r.driver.Describe().Name, r.what, r.plan.Name)
	}
	return fmt.Sprintf("%s is ready (%s, %s).", r.driver.Describe().Name, r.what, r.plan.Name)
}

// openRig opens the robot that the options select; data is the data directory.
func (o options) openRig(ctx context.Context, data string, log *slog.Logger) (rig, error) {
	if o.replay != nil {
		return o.openRecording()
	}
	if len(o.drivers) == 0 {
		return o.openSimulator(data, log)
	}
	return o.openBases(ctx, data, log)
}

// openRecording opens a recording as a robot. It stores nothing.
func (o options) openRecording() (r rig, err error) {
	if len(o.drivers) > 0 || o.floor != "" || o.start != nil || o.truth || o.world.Name != "" || o.robotFile != "" || o.record != "" {
		return r, usageError{errors.New("--driver replay: shows a recording as it is, without another --driver, --robot, --floor, --start, --truth, --world and --record")}
	}
	driver, err := replay.Open(*o.replay)
	if err != nil {
		return r, err
	}
	plan := driver.Floorplan()
	if plan == nil {
		plan = &robot.Floorplan{Name: "no map"}
	}
	r = rig{driver: driver, plan: plan, start: driver.Estimate().Pose, what: "a recording", close: func() {}}
	r.simulate = func(cfg *app.Config) {
		cfg.Locate, cfg.Player, cfg.ReadOnly, cfg.DataDir = driver, driver, replay.Refusal, ""
	}
	return r, nil
}

// openSimulator opens a simulated robot.
func (o options) openSimulator(data string, log *slog.Logger) (r rig, err error) {
	desc, err := readDescription(o.robotFile)
	if err != nil {
		return r, err
	}
	if err := o.world.CheckFit(desc); err != nil {
		return r, usageError{fmt.Errorf("--world: %w", err)}
	}
	saved := o.savedMap(data)
	known, building, scene, err := o.readFloors(saved)
	if err != nil {
		return r, err
	}
	driver := sim.NewDriver(sim.NewWorld(desc, building, scene, sim.Options{Seed: o.seed, Deviation: o.world}))
	if err := placeRobot(driver, known, building, data, o.start, log); err != nil {
		return r, err
	}
	r = rig{driver: driver, plan: known, mapDir: saved, start: scene.Start, what: "simulated"}
	var own robot.Camera
	if desc.Head != nil {
		own = driver
	}
	if r.camera, r.close, err = openCamera(o.camera, own, log); err != nil {
		return r, err
	}
	r.simulate = func(cfg *app.Config) {
		truth := func() robot.Pose { return driver.Truth().Pose }
		cfg.Simulator, cfg.Building, cfg.Standing = true, building, truth
		if known == building {
			cfg.World = app.World{Driver: driver}
		} else {
			cfg.Start = startOn(known) // the page uses the frame of the robot's map, not that of the building
		}
		if o.truth {
			cfg.Truth = truth
		}
	}
	return r, nil
}

// openBases connects to a base, or to several that make up one robot. Without --map and
// without a map that was made with the robot, it has no map.
func (o options) openBases(ctx context.Context, data string, log *slog.Logger) (r rig, err error) {
	if o.floor != "" || o.start != nil || o.truth || o.world.Name != "" {
		return r, usageError{errors.New("--floor, --start, --truth and --world are about the simulated robot; with --driver there is a real one")}
	}
	o.mapDir = cmp.Or(o.mapDir, noMap)
	saved := o.savedMap(data)
	plan := &robot.Floorplan{Name: "no map"}
	if o.mapDir != noMap {
		if plan, _, err = readPlan(o.mapDir, saved); err != nil {
			return r, flagError("--map", o.mapDir, err)
		}
	}
	driver, err := o.connect(ctx, filepath.Join(data, baseFile), log)
	if err != nil {
		return r, err
	}
	r = rig{driver: driver, plan: plan, mapDir: saved, start: startOn(plan), what: o.drivers[0].String()}
	if r.camera, r.close, err = openCamera(o.camera, nil, log); err != nil {
		return r, errors.Join(err, driver.Close())
	}
	return r, nil
}

// connect opens the bases. file contains their last known descriptions.
func (o options) connect(ctx context.Context, file string, log *slog.Logger) (robot.Driver, error) {
	known := loadBases(file)
	if o.robotFile != "" {
		description, err := readDescriptionFile(o.robotFile)
		if err != nil {
			return nil, err
		}
		if _, err := parseDescription(description, o.robotFile); err != nil {
			return nil, err
		}
		known[o.drivers[0].String()] = description
	}
	var drivers []*base.Driver
	for i, address := range o.drivers {
		if !address.IsLocal() {
			log.Warn("who can listen in between can drive the robot, because a line has no login; use ssh or WireGuard", "address", address)
		}
		d, err := base.Open(ctx, base.Config{Address: address, Robot: known[address.String()], Part: i > 0, Patience: base.Patience, Log: log})
		if err != nil {
			for _, d := range drivers {
				err = errors.Join(err, d.Close())
			}
			return nil, err
		}
		drivers = append(drivers, d)
		known[address.String()] = d.Description()
	}
	if err := saveBases(file, known); err != nil {
		log.Warn("the description of the base cannot be saved, so the server starts only when the base is there", "error", err)
	}
	if len(drivers) == 1 {
		return drivers[0], nil
	}
	return base.Compose(drivers[0], drivers[1:]...)
}

// loadBases returns the saved descriptions by the addresses of the bases.
func loadBases(file string) map[string]json.RawMessage {
	known := map[string]json.RawMessage{}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &known) != nil {
		return map[string]json.RawMessage{}
	}
	maps.DeleteFunc(known, func(_ string, description json.RawMessage) bool {
		_, err := robot.ParsePart(description)
		return err != nil
	})
	return known
}

func saveBases(file string, known map[string]json.RawMessage) error {
	text, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, append(text, '\n'), 0o600)
}
