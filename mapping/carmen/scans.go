package carmen

import (
	"io"
	"math"
	"strconv"

	"mybot/robot"
	"mybot/robot/scan"
)

// A Scan is one scan of a log.
type Scan struct {
	Line   int
	Time   string     // of the scan, as in the log
	Motion robot.Pose // of base_link since the previous scan, by odometry
	Lasted float64    // s, how long that took; 0 = the log does not say
	Logged robot.Pose // of the lidar, as in the log, which a program may have corrected
	Cloud  scan.Cloud
}

// Scans calls use with each scan of an inspected log, until it returns an error.
// The caller may retain the beams.
func (f *Format) Scans(r io.Reader, use func(Scan) error) error {
	var ranges []float64
	before, counted := nowhere, 0
	var was scanPoses
	_, _, err := eachLine(r, func(l line) error {
		if l.kind == "ODOM" {
			if p, err := parseOdometry(l); err == nil {
				before = p
			}
			return nil
		}
		if l.kind != f.Kind {
			return nil
		}
		m, err := parseScan(l, ranges)
		if err != nil {
			return nil // Inspect has noted it
		}
		ranges = m.ranges
		s := Scan{Line: l.number, Time: m.time, Logged: wrapHeading(m.lidar), Cloud: f.makeCloud(m)}
		if _, err := strconv.ParseFloat(s.Time, 64); err != nil {
			s.Time = strconv.Itoa(counted) // a unique time, to identify the scan
		}
		is := scanPoses{base: m.base, before: before, time: m.seconds()}
		if from, to, ok := f.odometryTo(is, was); ok && counted > 0 {
			s.Motion = motionBetween(from, to)
			if f.timed {
				s.Lasted = elapsedTo(is, was)
			}
		}
		was = is
		counted++
		return use(s)
	})
	return err
}

// makeCloud returns the beams of a scan in base_link.
func (f *Format) makeCloud(m message) scan.Cloud {
	from, step := m.from, m.step
	if math.IsNaN(from) {
		from, step = f.spread.from, f.spread.angleStep(len(m.ranges))
	}
	c := scan.Cloud{Origin: f.Lidar.Point(), Beams: make([]scan.Beam, 0, len(m.ranges))}
	for i, d := range m.ranges {
		if !(d >= minRange) {
			continue // no measurement, or NaN
		}
		echo := d < f.NoEcho
		if !echo {
			d = math.Min(f.NoEcho, maxSensible)
		}
		sin, cos := math.Sincos(from + float64(i)*step)
		c.Beams = append(c.Beams, scan.Beam{End: f.Lidar.Apply(robot.Point{X: d * cos, Y: d * sin}), Echo: echo})
	}
	return c
}

// formatNumber writes a number as logs do.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
