package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"mybot/robot/urdf"
)

// robotCommand runs the sub-commands about robot descriptions.
func robotCommand(args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "import":
			return robotImportCommand(args[1:], stdout, stderr)
		case "export":
			return robotExportCommand(args[1:], stdout)
		}
	}
	return usageError{errors.New("robot takes import or export: mybot robot import FILE.urdf > robot.json, mybot robot export ROBOT > robot.urdf")}
}

// robotImportCommand converts a URDF into a description.
func robotImportCommand(args []string, stdout, stderr io.Writer) error {
	choices := urdf.Choices{Boxes: map[string][3]float64{}}
	base := urdf.Base{JointSpeeds: map[string]float64{}}
	words, err := parseAll(importFlags(&choices, &base), args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return usageError{fmt.Errorf("robot import takes one file, but got %d: mybot robot import FILE.urdf > robot.json", len(words))}
	}
	data, err := os.ReadFile(words[0])
	if err != nil {
		return err
	}
	model, err := urdf.Read(data, choices)
	if err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	for _, note := range model.Notes {
		_, _ = fmt.Fprintln(stderr, note)
	}
	text, err := model.Describe(base)
	if err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	_, err = stdout.Write(text)
	return err
}

// importFlags returns the flags of robot import.
func importFlags(choices *urdf.Choices, base *urdf.Base) *flag.FlagSet {
	set := flag.NewFlagSet("robot import", flag.ContinueOnError)
	set.SetOutput(io.Discard) // run reports the error
	set.StringVar(&base.Name, "name", "", "what the robot is called")
	for name, into := range map[string]*float64{
		"length": &base.Length, "width": &base.Width, "height": &base.Height, "mass": &base.Mass,
		"wheel-base": &base.WheelBase, "max-speed": &base.Speed, "max-turn": &base.Turn,
		"max-acceleration": &base.Acceleration, "max-turn-acceleration": &base.TurnAcceleration,
		"rate": &base.Rate, "hold": &base.Hold,
	} {
		set.Func(name, "", func(s string) (err error) {
			*into, err = parsePositive(s)
			return err
		})
	}
	set.Func("axle-offset", "m behind base_link", func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(math.Abs(x) <= 1) {
			return errors.New("it must be a number between -1 and 1, in metres")
		}
		base.AxleOffset = x
		return nil
	})
	set.Func("wheels", "the joints of the two driven wheels", func(s string) error {
		choices.Wheels = strings.Split(s, ",")
		return nil
	})
	set.Func("fix", "joints that do not move", func(s string) error {
		choices.Fixed = append(choices.Fixed, strings.Split(s, ",")...)
		return nil
	})
	set.Func("joint-speed", "JOINT=DEG_S or M_S", func(s string) (err error) {
		name, value, _ := strings.Cut(s, "=")
		if base.JointSpeeds[name], err = parsePositive(value); err != nil {
			return errors.New("it must be a joint and its speed in deg/s or m/s, such as elbow=60")
		}
		return nil
	})
	set.Func("box", "LINK=x,y,z", func(s string) error {
		name, value, _ := strings.Cut(s, "=")
		sizes := strings.Split(value, ",")
		var box [3]float64
		for i := range box {
			var err error
			if len(sizes) != len(box) {
				err = errors.New("not three")
			} else {
				box[i], err = parsePositive(sizes[i])
			}
			if err != nil {
				return errors.New("it must be a link and its size along x, y and z in metres, such as arm=0.4,0.1,0.1")
			}
		}
		choices.Boxes[name] = box
		return nil
	})
	return set
}

// parsePositive reads a number above 0.
func parsePositive(s string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(x > 0 && x < 1e9) {
		return 0, errors.New("it must be a number above 0")
	}
	return x, nil
}

// robotExportCommand writes the URDF of a robot.
func robotExportCommand(args []string, stdout io.Writer) error {
	set := flag.NewFlagSet("robot export", flag.ContinueOnError)
	set.SetOutput(io.Discard) // run reports the error
	words, err := parseAll(set, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return usageError{fmt.Errorf("robot export takes one robot, but got %d: mybot robot export ROBOT > robot.urdf", len(words))}
	}
	data, err := readDescriptionFile(words[0])
	if err != nil {
		return err
	}
	desc, err := parseDescription(data, words[0])
	if err != nil {
		return err
	}
	_, err = stdout.Write(urdf.Write(desc))
	return err
}
