package localize

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"mybot/localization"
	"mybot/robot"
)

// logEvery is the number of readings in one line of a log: 0.1 s of the built-in robot.
const logEvery = 5

// writeLog writes a run as a plain log: one line each 0.1 s with t gtx gty gtth odox odoy odoth
// compass sonar r0..rn, in m and rad; 0 = no echo, -1 = absent. Comment lines give the poses of
// the sonars.
func writeLog(name string, desc robot.Description, frames []frame) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, "# t gtx gty gtth odox odoy odoth compass sonar r0..; m and rad, 0 = no echo, -1 = absent")
	for _, s := range desc.Sonars {
		fmt.Fprintf(&b, "# sonar x %g y %g theta %g beam %g min %g max %g\n", s.Pose.X, s.Pose.Y, s.Pose.Theta, s.Beam, s.Min, s.Max)
	}
	began := frames[0].reading.Time
	var odometry robot.Pose
	for i := range frames {
		f := &frames[i]
		odometry = odometry.Compose(f.move)
		if i%logEvery != 0 {
			continue
		}
		fmt.Fprintf(&b, "%.3f %.4f %.4f %.5f %.4f %.4f %.5f %.5f 1", f.reading.Time.Sub(began).Seconds(),
			f.truth.X, f.truth.Y, f.truth.Theta, odometry.X, odometry.Y, odometry.Theta, f.reading.Heading)
		for _, r := range f.reading.Ranges {
			switch {
			case math.IsNaN(r):
				r = -1
			case math.IsInf(r, 1):
				r = 0
			}
			fmt.Fprintf(&b, " %.3f", r)
		}
		b.WriteByte('\n')
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return nil
}

// readLog reads a plain log, and the sonars in its comments, if any.
func readLog(name string) ([]frame, []robot.Sonar, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("lab: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	var frames []frame
	var sonars []robot.Sonar
	var last robot.Pose
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			var s robot.Sonar
			if k, _ := fmt.Sscanf(line, "# sonar x %g y %g theta %g beam %g min %g max %g", &s.Pose.X, &s.Pose.Y, &s.Pose.Theta, &s.Beam, &s.Min, &s.Max); k == 6 {
				sonars = append(sonars, s)
			}
			continue
		}
		words := strings.Fields(line)
		v := make([]float64, len(words))
		for i, word := range words {
			if v[i], err = strconv.ParseFloat(word, 64); err != nil {
				return nil, nil, fmt.Errorf("lab: %s: line %d: %q is not a number; %w", name, n, word, errLog)
			}
		}
		if len(v) < 10 {
			return nil, nil, fmt.Errorf("lab: %s: line %d has %d numbers; %w", name, n, len(v), errLog)
		}
		if len(frames) > 0 && len(v)-9 != len(frames[0].reading.Ranges) {
			return nil, nil, fmt.Errorf("lab: %s: line %d has %d ranges and the first one has %d; all lines must have the same", name, n, len(v)-9, len(frames[0].reading.Ranges))
		}
		odometry := robot.Pose{X: v[4], Y: v[5], Theta: robot.WrapAngle(v[6])}
		f := frame{
			truth: robot.Pose{X: v[1], Y: v[2], Theta: robot.WrapAngle(v[3])},
			reading: robot.Reading{
				Time:    time.Unix(1e6, 0).Add(time.Duration(v[0] * float64(time.Second))),
				Heading: v[7],
				Ranges:  v[9:],
			},
		}
		if len(frames) > 0 {
			f.move = last.Inverse().Compose(odometry)
		}
		last = odometry
		for i, r := range f.reading.Ranges {
			switch {
			case r < 0:
				f.reading.Ranges[i] = math.NaN()
			case r == 0:
				f.reading.Ranges[i] = math.Inf(1)
			}
		}
		if v[8] == 0 && len(frames) > 0 {
			f.reading.Ranges = nil // no new sonar data
		}
		// The wheels of a base whose centre is on its axle.
		half := f.move.Theta * logBase / 2
		along := math.Copysign(f.move.Point().Norm(), f.move.X)
		f.reading.Travel = robot.Wheels{Left: along - half, Right: along + half}
		frames = append(frames, f)
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("lab: %s: %w", name, err)
	}
	if len(frames) < 10 {
		return nil, nil, fmt.Errorf("lab: %s has %d lines; a log needs at least 10; %w", name, len(frames), errLog)
	}
	if len(sonars) > 0 && len(sonars) != len(frames[0].reading.Ranges) {
		return nil, nil, fmt.Errorf("lab: %s describes %d sonars and has %d ranges in each line; describe as many sonars as ranges, or none", name, len(sonars), len(frames[0].reading.Ranges))
	}
	return frames, sonars, nil
}

// logBase is the wheel base, in m, with which a log's motion is converted to wheel travel.
const logBase = 0.42

// geometry is an assumed arrangement of sonars, for a log that does not have it.
type geometry struct {
	name   string
	sonars []robot.Sonar
}

// sonarRing returns n sonars on an ellipse around base_link, with half axes a and b
// in m and beams of the given opening in rad.
func sonarRing(n int, a, b, beam, most float64) []robot.Sonar {
	var out []robot.Sonar
	for i := range n {
		turn := robot.WrapAngle(2 * math.Pi * float64(i) / float64(n))
		sin, cos := math.Sincos(turn)
		out = append(out, robot.Sonar{Pose: robot.Pose{X: a * cos, Y: b * sin, Theta: turn}, Beam: beam, Min: 0.05, Max: most})
	}
	return out
}

// fitSonars gives the bench's robot the sonars of a log: those of the log or the caller or,
// without these, the usual arrangement that best explains the first part of the log.
func (b *bench) fitSonars(ctx context.Context, frames []frame, told []robot.Sonar, given bool) (string, error) {
	b.log = true
	b.desc.Drivetrain = robot.Drivetrain{WheelBase: logBase}
	n := len(frames[0].reading.Ranges)
	switch {
	case told != nil:
		b.desc.Sonars = told
		return "the log tells", nil
	case given && len(b.desc.Sonars) == n:
		return "the robot's description tells", nil
	case given:
		return "", fmt.Errorf("lab: the robot has %d sonars and the log %d ranges a line; they must be as many", len(b.desc.Sonars), n)
	}
	most := 5.0
	for i := range frames {
		for _, r := range frames[i].reading.Ranges {
			if robot.Finite(r) {
				most = max(most, r)
			}
		}
	}
	var forms []geometry
	if len(b.desc.Sonars) == n {
		forms = append(forms, geometry{"Mybot's", b.desc.Sonars})
	}
	for _, beam := range []float64{2, 20, 25} {
		forms = append(forms,
			geometry{fmt.Sprintf("a ring of 0.52 by 0.45 m with beams of %g deg", beam), sonarRing(n, 0.26, 0.225, robot.Radians(beam), most)},
			geometry{fmt.Sprintf("a ring around the centre with beams of %g deg", beam), sonarRing(n, 0, 0, robot.Radians(beam), most)})
	}
	best, at := math.Inf(-1), 0
	first := frames[:min(len(frames), 3000)]
	for k, form := range forms {
		b.desc.Sonars, b.table = form.sonars, nil
		if err := ctx.Err(); err != nil {
			return "", err
		}
		loc, err := b.newLocalizer(ctx, "mcl", frames[0].truth, 1)
		if err != nil {
			return "", err
		}
		mcl, ok := loc.(*localization.MCL)
		if !ok {
			return "", fmt.Errorf("lab: %T is not the localizer that can be fitted", loc)
		}
		total := 0.0
		for i := range first {
			mcl.Move(first[i].move, first[i].reading)
			total += mcl.Quality()
		}
		if total > best {
			best, at = total, k
		}
	}
	b.desc.Sonars, b.table = forms[at].sonars, nil
	return forms[at].name, nil
}
