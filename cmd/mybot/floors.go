package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// What --map and --floor call the built-in office, and --map no map at all.
const (
	officeMap = maps.OfficeName
	noMap     = "none"
)

// withMapInUse returns the options with the map that was made with this robot and is in
// use, where they name none. The simulated building stays what it is.
func (o options) withMapInUse(data string) options {
	if dir, ok := app.MapInUse(data); ok && o.mapDir == "" {
		o.mapDir = dir
		if len(o.drivers) == 0 {
			o.floor = cmp.Or(o.floor, officeMap)
		}
	}
	return o
}

// readFloors reads the map that the robot knows, and the floor of the simulated
// building with what the simulator adds to it: the same, unless the options say
// otherwise.
func (o options) readFloors(saved string) (known, building *robot.Floorplan, scene sim.Scene, err error) {
	if o.floor == "" && o.mapDir != noMap {
		known, scene, err = readMap(o.mapDir, saved)
		return known, known, scene, err
	}
	if building, scene, err = readMap(o.floor, ""); err != nil {
		return nil, nil, scene, err
	}
	if o.mapDir == noMap {
		return &robot.Floorplan{Name: "no map"}, building, scene, nil
	}
	known, _, err = readPlan(o.mapDir, saved)
	return known, building, scene, err
}

// startOn returns where the robot believes to be when it is switched on for the first
// time on a floor that is not that of the simulated building: where the map begins.
func startOn(plan *robot.Floorplan) robot.Pose {
	pose, _ := firstPose(plan)
	return pose
}

// firstPose returns a pose on the floor: at its dock or, without one, at its first
// place or via point. ok is false when it has none of them.
func firstPose(plan *robot.Floorplan) (pose robot.Pose, ok bool) {
	switch {
	case plan.Dock != nil:
		return *plan.Dock, true
	case len(plan.Places) > 0:
		return plan.Places[0].Pose, true
	case len(plan.Graph.Nodes) > 0:
		at := plan.Graph.Nodes[0].Point
		return robot.Pose{X: at.X, Y: at.Y}, true
	}
	return robot.Pose{}, false
}

// readPlan reads the map folder, or the built-in floor with that name and what was saved
// of it; "" = the office.
func readPlan(dir, saved string) (*robot.Floorplan, fs.FS, error) {
	folder, builtIn := maps.Find(cmp.Or(dir, officeMap))
	switch {
	case !builtIn:
		folder = os.DirFS(dir)
	case saved != "":
		folder = floorplan.Over(folder, os.DirFS(saved))
	}
	plan, err := floorplan.Load(folder)
	if err != nil && dir == "" {
		return nil, nil, fmt.Errorf("the built-in office with the changes saved in %s (remove that folder to start over): %w", saved, err)
	}
	if err != nil {
		return nil, nil, mapError(dir, err)
	}
	return plan, folder, nil
}

// readMap reads a map as readPlan does, and what the simulator adds to it. A folder
// without a scene starts the robot at its dock or, without one, at its first place or
// via point.
func readMap(dir, saved string) (*robot.Floorplan, sim.Scene, error) {
	plan, folder, err := readPlan(dir, saved)
	if err != nil {
		return nil, sim.Scene{}, err
	}
	scene, err := sim.ReadScene(folder, sceneFile)
	switch {
	case err == nil:
		return plan, scene, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, sim.Scene{}, mapError(dir, err)
	}
	scene = sim.DefaultScene()
	var ok bool
	if scene.Start, ok = firstPose(plan); !ok {
		return nil, sim.Scene{}, mapError(dir, fmt.Errorf("the map does not say where the robot starts: add a dock, a place, a via point, or a %s with a start", sceneFile))
	}
	return plan, scene, nil
}
