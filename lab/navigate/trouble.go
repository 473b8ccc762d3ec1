package navigate

import (
	"fmt"
	"reflect"
	"strings"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
	"mybot/robot"
	"mybot/robot/models"
)

// trouble is what obstructs an errand.
type trouble struct{ people, barrels, doors bool }

const (
	troubleNames = "none, all, or some of barrels, people and doors with commas between"
	sensorNames  = "sonar, lidar or both"

	considerate = "considerate" // all people
	mixed       = "mixed"
)

var troubles = map[string]trouble{
	"none":    {},
	"barrels": {barrels: true},
	"people":  {people: true},
	"doors":   {doors: true},
	"all":     {true, true, true},
}

// parseTrouble parses a list of classes.
func parseTrouble(list string) (t trouble, ok bool) {
	for name := range strings.SplitSeq(list, ",") {
		one, known := troubles[name]
		if !known || name == "none" && list != name {
			return trouble{}, false
		}
		t = trouble{t.people || one.people, t.barrels || one.barrels, t.doors || one.doors}
	}
	return t, true
}

// chooseTrouble completes the requested trouble and returns what an errand meets.
func (o *gotoOutcome) chooseTrouble(c *experiment.Call) (crowdedness, error) {
	asked := o.Trouble
	switch {
	case o.Empty && asked != "" && asked != "none":
		return crowdedness{}, c.Refuse("--empty is the same as --trouble none; with --trouble %s leave it out", asked)
	case o.Empty:
		o.Trouble = "none"
	case asked == "":
		o.Trouble = "all"
	}
	t, ok := parseTrouble(o.Trouble)
	if !ok {
		return crowdedness{}, c.Refuse("--trouble is %q; it must be %s", asked, troubleNames)
	}
	switch {
	case o.Crowd == "" && asked != "":
		o.Crowd = mixed
	case o.Crowd == "":
		o.Crowd = considerate
	case o.Crowd != mixed && o.Crowd != considerate:
		return crowdedness{}, c.Refuse("--crowd is %q; it must be %s or %s", o.Crowd, considerate, mixed)
	}
	if !t.people {
		o.People = 0
	}
	return crowdedness{people: o.People, barrels: t.barrels, doors: t.doors, mixed: o.Crowd == mixed && o.People > 0}, nil
}

// equipRobot leaves a robot only the requested sensors; "" = all that it has. A robot without a
// lidar gets the built-in robot's, at the same place. A robot without sonars gets the built-in
// robot's only if it has the same hull, on which they are mounted.
func equipRobot(desc robot.Description, sensor string) (robot.Description, error) {
	if sensor == "" {
		return desc, nil
	}
	sonar, lidar := sensor == "sonar" || sensor == "both", sensor == "lidar" || sensor == "both"
	if !sonar && !lidar {
		return desc, fmt.Errorf("--sensor is %q; it must be %s", sensor, sensorNames)
	}
	with, err := testbed.LoadRobot(models.LidarSonarName)
	if err != nil {
		return desc, err
	}
	switch {
	case !sonar:
		desc.Sonars = nil
	case len(desc.Sonars) > 0:
	case !reflect.DeepEqual(desc.Body, with.Body):
		return desc, fmt.Errorf("--sensor is %s, but the robot %q has no sonars; give a --robot that has some, or --sensor lidar", sensor, desc.Name)
	default:
		desc.Sonars = with.Sonars
	}
	switch {
	case !lidar:
		desc.Lidars = nil
	case len(desc.Lidars) == 0:
		desc.Lidars = with.Lidars
	}
	return desc, nil
}

// sensorOf names the sensors of a robot.
func sensorOf(desc robot.Description) string {
	switch sonars, lidars := len(desc.Sonars) > 0, len(desc.Lidars) > 0; {
	case sonars && lidars:
		return "both"
	case lidars:
		return "lidar"
	case sonars:
		return "sonar"
	}
	return "none"
}
