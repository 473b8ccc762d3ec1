package testbed

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
	"mybot/robot/onboard"
)

// Mybot returns the built-in robot.
func Mybot() robot.Description {
	desc, err := robot.ParseDescription(models.Mybot())
	if err != nil {
		panic(err) // it is part of the program, and a test parses it
	}
	return desc
}

// LoadRobot returns a built-in robot by its name, or reads its description from a
// file; "" = Mybot.
func LoadRobot(nameOrFile string) (robot.Description, error) {
	data, ok := models.Find(cmp.Or(nameOrFile, models.MybotName))
	if !ok {
		var err error
		if data, err = os.ReadFile(nameOrFile); err != nil {
			return robot.Description{}, fmt.Errorf("lab: the robot is neither %s nor a file: %w", models.List(), err)
		}
	}
	d, err := robot.ParseDescription(data)
	if err != nil {
		return d, fmt.Errorf("lab: %s: %w", nameOrFile, err)
	}
	return d, nil
}

// Floor is the shared data of all runs on one floor.
type Floor struct {
	Desc  robot.Description
	Plan  *robot.Floorplan
	Roads *Roads
	Table *localization.Table
	World sim.Deviation // of the robots on it

	Controller func(desc robot.Description, seed uint64) onboard.LocalController // of the robots on it; nil = their own

	Lidars []robot.Lidar // the true lidars of the robots on it; nil = as described
	Known  *Known        // the robots' map of the floor; nil = Plan, the true one
}

// Known is a robot's map of a floor, if it differs from the floor's own plan.
type Known struct {
	Plan         *robot.Floorplan // for path planning
	Table        *localization.Table
	KnownFromMap robot.Pose // pose of the floor's map in the known one
}

// NewFloor creates the shared data of the runs on a plan. It caches data computed from the plan in
// tables, unless that is nil.
func NewFloor(ctx context.Context, tables localization.Cache, desc robot.Description, plan *robot.Floorplan) (*Floor, error) {
	roads, err := NewRoads(plan)
	if err != nil {
		return nil, err
	}
	table, err := localization.NewTable(ctx, plan, desc, tables)
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	return &Floor{Desc: desc, Plan: plan, Roads: roads, Table: table}, nil
}

// LoadOffice returns the built-in floor with its localizer's table.
func LoadOffice(ctx context.Context, tables localization.Cache, desc robot.Description) (*Floor, error) {
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	return NewFloor(ctx, tables, desc, plan)
}

// LoadPlan reads a map folder, or returns the built-in floor with a name, or the building that
// DrawBuilding draws, as drawn:SEED; "" = the office.
func LoadPlan(dirOrName string) (*robot.Floorplan, error) {
	if seed, ok, err := drawnSeed(dirOrName); ok {
		if err != nil {
			return nil, err
		}
		return DrawBuilding(seed)
	}
	folder, ok := maps.Find(cmp.Or(dirOrName, maps.OfficeName))
	if !ok {
		folder = os.DirFS(dirOrName)
	}
	return floorplan.Load(folder)
}

// FindPlace returns the pose of a place, or an error that names the floor.
func FindPlace(plan *robot.Floorplan, name string) (robot.Pose, error) {
	if pose, ok := plan.Place(name); ok {
		return pose, nil
	}
	return robot.Pose{}, fmt.Errorf("lab: the floor %q has no place %q", plan.Name, name)
}

// CornerStart is the start of figures 5 and 6 in the built-in office, in map.
var CornerStart = robot.Pose{X: 3.7, Y: 7.3}
