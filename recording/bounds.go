package recording

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"mybot/robot"
	"mybot/strictjson"
)

// A recording may come from an untrusted source. Its robot and its floor bypass the parsers
// of descriptions and maps, so the same bounds are checked here.
const (
	maxRobotNumber = 1e7   // of any number of a robot
	maxFloorNumber = 1e5   // m, of any number of a floor
	maxEntries     = 1000  // of any list of a robot
	minCell        = 0.001 // m
	maxCell        = 10.0  // m
)

// checkRobot reports what no robot has.
func checkRobot(d *robot.Description) error {
	if err := checkNumbers(reflect.ValueOf(*d), "the robot", maxRobotNumber, maxEntries); err != nil {
		return err
	}
	type bound struct {
		what         string
		is, min, max float64
	}
	bounds := []bound{
		{"readings a second", d.Rate, 1, 1000},
		{"seconds for which its base keeps a command", d.Holds.Seconds(), 0.02, time.Second.Seconds()},
		{"metres of length", d.Body.Length, 0.1, 3},
		{"metres of width", d.Body.Width, 0.1, 3},
		{"metres of height", d.Body.Height, 0.05, 3},
		{"metres between its wheels", d.Drivetrain.WheelBase, 0.05, 3},
		{"m/s at most", d.Hardware.Linear, 0.01, 5},
		{"m/s at most, safely", d.Safe.Linear, 0.01, 5},
		{"rad/s at most", d.Hardware.Angular, 0.01, 13},
		{"rad/s at most, safely", d.Safe.Angular, 0.01, 13},
		{"corners", float64(len(d.Body.Hull)), 0, 64},
		{"sonars", float64(len(d.Sonars)), 0, 64},
		{"lidars", float64(len(d.Lidars)), 0, 4},
		{"links", float64(len(d.Links)), 0, robot.MaxLinks},
		{"joints", float64(len(d.Joints)), 0, robot.MaxJoints},
		{"frames", float64(len(d.Frames)), 0, robot.MaxFrames},
	}
	for _, p := range d.Body.Hull {
		bounds = append(bounds, bound{"metres from its middle to a corner", p.Norm(), 0, 5})
	}
	for _, l := range d.Lidars {
		bounds = append(bounds, bound{"beams of a lidar", float64(l.Beams), 1, maxBeams}, bound{"scans a second", l.Rate, 1, 40}, bound{"metres of reach", l.Max, 0.5, 300})
	}
	if d.Head != nil {
		bounds = append(bounds, bound{"pixels in a row", float64(d.Head.Camera.Width), 16, 8192}, bound{"rows of pixels", float64(d.Head.Camera.Height), 16, 8192})
	}
	for _, b := range bounds {
		if b.is < b.min || b.is > b.max {
			return fmt.Errorf("the robot has %g %s; it must be between %g and %g", b.is, b.what, b.min, b.max)
		}
	}
	return checkTree(d)
}

// checkTree reports a link that does not hang on base_link, and a joint of no link.
func checkTree(d *robot.Description) error {
	find := func(name string) int {
		return slices.IndexFunc(d.Links, func(l robot.Link) bool { return l.Name == name })
	}
	for i, l := range d.Links {
		name := l.Name
		for range d.Links {
			if up := find(l.Parent); up >= 0 {
				l = d.Links[up]
			}
		}
		if l.Name != robot.BaseLinkName || l.Parent != "" || find(name) != i {
			return fmt.Errorf("the link %q of the robot does not hang on base_link alone", name)
		}
	}
	for _, j := range d.Joints {
		if find(j.Link) < 0 {
			return fmt.Errorf("the joint %q of the robot moves %q, which is no link", j.Name, j.Link)
		}
	}
	for _, f := range d.Frames {
		if find(f.Link) < 0 {
			return fmt.Errorf("the frame %q of the robot is on %q, which is no link", f.Name, f.Link)
		}
	}
	return nil
}

// checkNumbers reports a number that is farther from 0 than max, a list of more than entries,
// and a text that no one line has. An end that a joint does not have is infinite.
func checkNumbers(v reflect.Value, what string, max float64, entries int) error {
	bad := false
	switch v.Kind() {
	case reflect.Float64:
		bad = math.Abs(v.Float()) > max && !math.IsInf(v.Float(), 0)
	case reflect.Int:
		bad = math.Abs(float64(v.Int())) > max
	case reflect.String:
		bad = len(v.String()) > 256 || strings.ContainsFunc(v.String(), robot.Steers)
	case reflect.Pointer:
		if !v.IsNil() {
			return checkNumbers(v.Elem(), what, max, entries)
		}
	case reflect.Slice, reflect.Array:
		if v.Len() > entries {
			return fmt.Errorf("%s has a list of %d; it must have at most %d", what, v.Len(), entries)
		}
		for i := range v.Len() {
			if err := checkNumbers(v.Index(i), what, max, entries); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := checkNumbers(v.Field(i), what+" "+strings.ToLower(v.Type().Field(i).Name), max, entries); err != nil {
				return err
			}
		}
	}
	if bad {
		return fmt.Errorf("%s is %s, which cannot be", what, strictjson.Clip(fmt.Sprintf("%q", fmt.Sprint(v)), 60))
	}
	return nil
}
