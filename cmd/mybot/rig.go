package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"mybot/app"
	"mybot/drivers/base"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/store/atomicfile"
)

const (
	// basePatience is for how long a base may take to describe its robot. A
	// microcontroller needs up to 3 s after its port is opened.
	basePatience = 5 * time.Second
	// baseFile is where the description of the base is saved, so that the server can
	// start before the base does.
	baseFile = "base.json"
)

// A rig is the robot that a server serves, and the floor on which it stands.
type rig struct {
	driver   robot.Driver
	camera   robot.Camera // nil = none
	plan     *robot.Floorplan
	mapDir   string // where what people change of the map is kept; "" = nowhere
	start    robot.Pose
	what     string            // simulated, or the address of its base
	simulate func(*app.Config) // adds what only a simulated robot has; nil = it is a real one
	close    func()            // the camera; the server closes the driver
}

// describe says in one sentence what is served.
func (r rig) describe() string {
	link, ok := r.driver.(robot.Linked)
	if ok && !link.BaseLink().Up {
		return fmt.Sprintf("%s waits for its base at %s (%s).", r.driver.Describe().Name, r.what, r.plan.Name)
	}
	return fmt.Sprintf("%s is ready (%s, %s).", r.driver.Describe().Name, r.what, r.plan.Name)
}

// openRig opens the robot that the options name; data is the data directory.
func (o options) openRig(ctx context.Context, data string, log *slog.Logger) (rig, error) {
	if len(o.drivers) == 0 {
		return o.openSimulator(data, log)
	}
	return o.openBase(ctx, data, log)
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
			cfg.Start = startOn(known) // people see another frame than that of the building
		}
		if o.truth {
			cfg.Truth = truth
		}
	}
	return r, nil
}

// openBase connects to a base. Without --map and without a map that was made with it, the
// robot knows none.
func (o options) openBase(ctx context.Context, data string, log *slog.Logger) (r rig, err error) {
	if len(o.drivers) > 1 {
		return r, usageError{errors.New("--driver: one base makes the robot")}
	}
	if o.floor != "" || o.start != nil || o.truth || o.world.Name != "" {
		return r, usageError{errors.New("--floor, --start, --truth and --world are about the simulated robot; with --driver there is a real one")}
	}
	o.mapDir = cmp.Or(o.mapDir, noMap)
	saved := o.savedMap(data)
	plan := &robot.Floorplan{Name: "no map"}
	if o.mapDir != noMap {
		if plan, _, err = readPlan(o.mapDir, saved); err != nil {
			return r, err
		}
	}
	address := o.drivers[0]
	if !address.IsLocal() {
		log.Warn("who can listen in between can drive the robot, because a line has no login; use ssh or WireGuard", "address", address)
	}
	file := filepath.Join(data, baseFile)
	known := loadBase(file, address)
	if o.robotFile != "" {
		if known, err = readDescriptionFile(o.robotFile); err != nil {
			return r, err
		}
		if _, err := parseDescription(known, o.robotFile); err != nil {
			return r, err
		}
	}
	driver, err := base.Open(ctx, base.Config{Address: address, Robot: known, Patience: basePatience, Log: log})
	if err != nil {
		return r, err
	}
	if err := saveBase(file, address, driver.Description()); err != nil {
		log.Warn("the description of the base cannot be saved, so the server starts only when the base is there", "error", err)
	}
	r = rig{driver: driver, plan: plan, mapDir: saved, start: startOn(plan), what: address.String()}
	if r.camera, r.close, err = openCamera(o.camera, nil, log); err != nil {
		return r, errors.Join(err, driver.Close())
	}
	return r, nil
}

// savedBase is what baseFile holds.
type savedBase struct {
	Driver string          `json:"driver"`
	Robot  json.RawMessage `json:"robot"`
}

// loadBase returns the description that was saved of the base at an address; nil = none.
func loadBase(file string, address base.Address) []byte {
	text, err := os.ReadFile(file)
	var saved savedBase
	if err != nil || json.Unmarshal(text, &saved) != nil || saved.Driver != address.String() {
		return nil
	}
	if _, err := robot.ParseDescription(saved.Robot); err != nil {
		return nil
	}
	return saved.Robot
}

func saveBase(file string, address base.Address, description []byte) error {
	text, err := json.MarshalIndent(savedBase{address.String(), description}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, append(text, '\n'), 0o600)
}
