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

// Values of --map and --floor: the built-in office and, for --map only, no map.
const (
	officeMap = maps.OfficeName
	noMap     = "none"
)

// withMapInUse returns the options with the map that was made with this robot and is in use,
// unless they name one or show a recording. If it cannot be read, the error says why, and the options are those
// of a robot without a map. The simulated building stays the same.
func (o options) withMapInUse(data string) (options, error) {
	dir := app.MapInUse(data)
	if dir == "" || o.mapDir != "" || o.replay != nil {
		return o, nil
	}
	o.mapDir = dir
	if len(o.drivers) == 0 {
		o.floor = cmp.Or(o.floor, officeMap)
	}
	if _, err := floorplan.Load(os.DirFS(dir)); err != nil {
		o.mapDir = noMap
		return o, fmt.Errorf("%s: %w", dir, err)
	}
	return o, nil
}

// readFloors reads the robot's map, and the floor of the simulated building with its scene.
// Map and floor are the same unless the options say otherwise.
func (o options) readFloors(saved string) (known, building *robot.Floorplan, scene sim.Scene, err error) {
	if o.floor == "" && o.mapDir != noMap {
		known, scene, err = readMap(o.mapDir, saved, o.start)
		return known, known, scene, flagError("--map", o.mapDir, err)
	}
	if building, scene, err = readMap(o.floor, "", o.start); err != nil {
		return nil, nil, scene, flagError("--floor", o.floor, err)
	}
	if o.mapDir == noMap {
		return &robot.Floorplan{Name: "no map"}, building, scene, nil
	}
	known, _, err = readPlan(o.mapDir, saved)
	return known, building, scene, flagError("--map", o.mapDir, err)
}

// startOn returns the initial estimate of a robot that is switched on for the first time
// with a map that is not that of the simulated building: the first pose of the map.
func startOn(plan *robot.Floorplan) robot.Pose {
	pose, _ := firstPose(plan)
	return pose
}

// firstPose returns a pose on the floor: at its dock or, without a dock, at its first place
// or via point. ok is false if it has none of these.
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

// openFolder opens a map folder. One that is not there has no map.yaml, which Load says.
func openFolder(dir string) (fs.FS, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; a map is a folder that contains map.yaml and a picture", dir)
	}
	return os.DirFS(dir), nil
}

// readPlan reads a map folder, or the built-in floor with that name and its saved edits; "" =
// the office.
func readPlan(dir, saved string) (plan *robot.Floorplan, folder fs.FS, err error) {
	folder, builtIn := maps.Find(cmp.Or(dir, officeMap))
	switch {
	case !builtIn:
		if folder, err = openFolder(dir); err != nil {
			return nil, nil, err
		}
	case saved != "":
		folder = floorplan.Over(folder, os.DirFS(saved))
	}
	plan, err = floorplan.Load(folder)
	if err != nil && dir == "" {
		err = fmt.Errorf("the built-in office with the changes saved in %s (remove that folder to start over): %w", saved, err)
	}
	return plan, folder, err
}

// readMap reads a map as readPlan does, with its scene for the simulator.
func readMap(dir, saved string, start *robot.Pose) (*robot.Floorplan, sim.Scene, error) {
	plan, folder, err := readPlan(dir, saved)
	if err != nil {
		return nil, sim.Scene{}, err
	}
	scene, err := readScene(folder, plan, start)
	if err != nil {
		return nil, sim.Scene{}, err
	}
	return plan, scene, nil
}

// readScene reads the scene of a map folder for the simulator. In a folder without a scene
// the robot starts at firstPose, or else at start, that of a person; nil = none.
func readScene(folder fs.FS, plan *robot.Floorplan, start *robot.Pose) (sim.Scene, error) {
	scene, err := sim.ReadScene(folder, sceneFile)
	if !errors.Is(err, fs.ErrNotExist) {
		return scene, err
	}
	scene = sim.DefaultScene()
	first, ok := firstPose(plan)
	switch {
	case ok:
		scene.Start = first
	case start != nil:
		scene.Start = *start
	default:
		return scene, fmt.Errorf("the map does not say where the robot starts: give --start X,Y,HEADING, or add a dock, a place, a via point, or a %s with a start", sceneFile)
	}
	return scene, nil
}
