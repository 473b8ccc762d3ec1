package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"mybot/mapping/sketch"
	"mybot/mapping/survey"
	"mybot/mcap"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// mapSketchCommand draws a sketch from the sonar readings of a recording. If ctx ends before it
// is drawn, it writes nothing.
func mapSketchCommand(ctx context.Context, args []string, stdout io.Writer) error {
	var out, robotFile string
	set := flag.NewFlagSet("map sketch", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&out, "out", "", "`DIR` for the sketch")
	set.StringVar(&robotFile, "robot", "", "`ROBOT` that was recorded: mybot, lidar, lidar+sonar, arm, or a file that describes another one (default mybot)")
	words, err := parseAll(set, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1 || out == "":
		return usageError{errors.New("map sketch takes one recording and a folder for the sketch: mybot map sketch FILE.mcap --out DIR")}
	}
	desc, err := readDescription(robotFile)
	if err != nil {
		return err
	}
	if len(desc.Sonars) == 0 {
		return fmt.Errorf("%s has no sonars, and a sketch is drawn by sonars; mybot map build makes a map from the scans of a lidar", desc.Name)
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; --out must be an empty or new folder", out)
	}
	loc := survey.NewSketchLocalizer(desc)
	s, cut, err := readSketch(ctx, words[0], desc, loc)
	if err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	plan, err := s.Plan("Floor")
	if err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	plan.Compass, _ = loc.Compass()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := floorplan.WriteFolder(out, plan); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %.0f m driven, %.0f x %.0f m drawn.\n%s%s\n", out, s.Way(), float64(plan.Grid.Width)*plan.Grid.Resolution, float64(plan.Grid.Height)*plan.Grid.Resolution, cut, sketch.Limits(desc))
	return err
}

// readSketch draws the readings of a recording at the poses of the localizer. It uses a
// truncated or damaged recording up to the fault, and says so in note.
func readSketch(ctx context.Context, name string, desc robot.Description, loc *survey.SketchLocalizer) (s *sketch.Sketch, note string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer file.Close() //nolint:errcheck // it was only read
	in, err := mcap.NewReader(endingReader{ctx, file})
	if err != nil {
		return nil, "", err
	}
	s = sketch.New(desc)
	readings := 0
	for {
		m, err := in.Next()
		var cut *mcap.CutError
		var damage *mcap.FormatError
		switch {
		case err == nil:
		case readings == 0:
			return nil, "", fmt.Errorf("it has no reading at %s; a sketch is drawn from what mybot record writes", recording.ReadingTopic)
		case errors.Is(err, io.EOF), errors.As(err, &cut) && cut.Whole:
			return s, "", nil
		case errors.As(err, &cut), errors.As(err, &damage):
			return s, "The recording ends early: it is cut off or damaged, and used up to there.\n", nil
		default:
			return nil, "", err
		}
		if m.Channel.Topic != recording.ReadingTopic {
			continue
		}
		var r recording.Reading
		if err := json.Unmarshal(m.Data, &r); err != nil {
			return nil, "", fmt.Errorf("message %d of %s cannot be read: %w", m.Sequence, m.Channel.Topic, err)
		}
		if n := len(r.Sonars); n != len(desc.Sonars) {
			return nil, "", fmt.Errorf("its readings have %d sonars, and %s has %d; --robot must be the robot that was recorded", n, desc.Name, len(desc.Sonars))
		}
		if base := m.Channel.Metadata["wheel_base"]; readings == 0 && base != "" {
			if v, err := strconv.ParseFloat(base, 64); err == nil && v != desc.Drivetrain.WheelBase {
				return nil, "", fmt.Errorf("its robot has a wheel base of %s m, and %s has %g m; --robot must be the robot that was recorded", base, desc.Name, desc.Drivetrain.WheelBase)
			}
		}
		reading := r.Reading(nil)
		if readings == 0 {
			reading.Travel = robot.Wheels{} // travel before the start of the recording
		}
		readings++
		loc.Update(reading)
		s.Observe(loc.Estimate().Pose, reading)
	}
}
