package testbed

import (
	"mybot/localization"
	"mybot/robot"
)

// LocalizerNames are the localizers, in the order of the rows.
var LocalizerNames = []string{"odometry", "seed-sum", "seed-mean", "mcl"}

// Localizer is a localizer under test.
type Localizer interface {
	Update(robot.Reading)
	Estimate() robot.Estimate
	SetPose(robot.Pose)
}

// NewLocalizer returns the localizer with a name, started at a pose. Localizers without particles
// need no table.
func NewLocalizer(name string, desc robot.Description, plan *robot.Floorplan, table *localization.Table, start robot.Pose, seed uint64) Localizer {
	switch name {
	case "odometry":
		return localization.NewOdometry(desc, start)
	case "seed-sum":
		return localization.NewSeed(desc, plan, start, localization.KSum)
	case "seed-mean":
		return localization.NewSeed(desc, plan, start, localization.KMean)
	}
	return localization.NewMCL(desc, table, start, seed)
}

// LocalizerColour is the colour of a localizer in the pictures.
func LocalizerColour(name string) string {
	switch name {
	case "odometry":
		return "#8a97a6"
	case "seed-sum":
		return "#b35c00"
	case "seed-mean":
		return "#8250df"
	}
	return "#1f6feb"
}
