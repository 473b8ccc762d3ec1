package carmen

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mybot/robot"
)

const (
	minRange    = 0.1   // m; lidars report 0 or a few centimetres without a measurement
	maxSensible = 200.0 // m; a log with mostly longer ranges is not in metres
	farLidar    = 30.0  // m; beyond this, several range values may stand for no echo
	spike       = 10    // times as many ranges per centimetre as below it indicate no echo
	farMotion   = 5.0   // m between most scans; poses of a log with longer ways are not in metres
	farSpeed    = 5.0   // m/s between most scans; times with faster motions are not in seconds
	maxFaults   = 0.05  // share of unreadable lines with scans, or of motions faster than farSpeed
	minWay      = 0.02  // m; the direction of a shorter way is that of rounding
	minWays     = 10    // ways for judging the unit of headings
	leastAstray = 0.2   // mean sine between heading and way from which the headings are not those of the ways

	maxInspected = 1 << 17 // scans for inferring the odometry and the place of the lidar: hours of driving
)

// An Odometry says which lines of a log contain the motion between two scans.
type Odometry int

// The odometries.
const (
	InScans    Odometry = iota // the robot's pose in each line with a scan
	InLines                    // the ODOM lines; the poses of the scans come from elsewhere
	SinceScans                 // the ODOM lines, which restart at the corrected pose of each scan
)

func (o Odometry) String() string {
	return [...]string{"the lines of the scans", "the ODOM lines", "the ODOM lines, which begin anew at each scan's corrected pose"}[o]
}

// A Format is the meaning of the lines of one log.
type Format struct {
	Kind     string     // of the lines with the scans
	Count    int        // of usable scans
	Beams    int        // of a scan, at most
	NoEcho   float64    // m; ranges from here on stand for no echo; +Inf = none does
	Lidar    robot.Pose // in base_link
	Odometry Odometry
	Notes    []string // sentences for people: faults of the log, and how they are handled

	spread spread // of the beams, if the lines do not say
	timed  bool   // times are in seconds, as far as the motions tell
}

// An inspection is what the first reading of a log has found.
type inspection struct {
	format       Format
	scans        []scanPoses // the first maxInspected
	odometry     int         // ODOM lines
	before       robot.Pose  // the newest ODOM line
	awaiting     bool        // the next ODOM line is the first after a scan
	statesSpread bool        // the lines of the scans say how their beams are spread
	statedMax    float64     // m, the lidar's maximum according to the log
	lastTime     float64     // s
	ranBack      bool        // the clock ran backward
	faults       int
	histogram    [10000]int // of the ranges, in cm
	sensible     int        // ranges up to maxSensible
	beyond       int        // ranges above it
	samples      sampler
	ranges       []float64
}

// scanPoses are the poses in and around the line of one scan.
type scanPoses struct {
	lidar, base   robot.Pose // in its line
	before, after robot.Pose // the ODOM lines before and after it
	time          float64    // s; NaN = unknown
}

// elapsedTo returns the time from the scan before s to s, in s; 0 = unknown, as where a log
// writes times too coarsely to differ.
func elapsedTo(s, was scanPoses) float64 {
	if elapsed := s.time - was.time; elapsed > 0 {
		return elapsed
	}
	return 0
}

var nowhere = robot.Pose{X: math.NaN()}

func isKnown(p robot.Pose) bool { return !math.IsNaN(p.X) }

// Inspect reads a log and infers the meaning of its lines. The error says why it
// cannot be used at all.
func Inspect(r io.Reader) (*Format, error) {
	in := newInspection()
	other, first, err := eachLine(r, in.readLine)
	if err != nil {
		return nil, err
	}
	f := &in.format
	switch {
	case f.Count == 0 && len(f.Notes) > 0:
		return nil, fmt.Errorf("the log has no scan that can be used: %s", f.Notes[0])
	case f.Count == 0 && in.odometry == 0 && (!utf8.ValidString(first) || strings.ContainsFunc(first, unicode.IsControl)):
		return nil, errors.New("this is not a CARMEN log, which is text; if it is compressed, unpack it first")
	case f.Count == 0 && in.odometry == 0 && first != "":
		return nil, fmt.Errorf("this is not a CARMEN log: no line begins with FLASER, ROBOTLASER1, RAWLASER1 or ODOM; the first line is %q", clipText(first))
	case f.Count == 0 && in.odometry == 0 && other == 0:
		return nil, errors.New("the log is empty; a CARMEN log has lines that begin with FLASER, ROBOTLASER1 or RAWLASER1 for scans, and ODOM")
	case f.Count == 0:
		return nil, errors.New("the log has no scan; a line that begins with FLASER, ROBOTLASER1 or RAWLASER1 is one")
	case float64(in.faults) > math.Max(3, maxFaults*float64(f.Count)):
		return nil, fmt.Errorf("%d lines cannot be read; %s", in.faults, f.Notes[0])
	case in.sensible+in.beyond == 0:
		return nil, errors.New("no beam of the log measured anything: no range is a number from 0.1 m on")
	case in.beyond > in.sensible:
		return nil, fmt.Errorf("most ranges are above %.0f; they must be in metres, and look like millimetres", maxSensible)
	}
	if err := in.findOdometry(); err != nil {
		return nil, err
	}
	if in.hasDegrees() {
		return nil, errors.New("the headings of the poses look like degrees: by them the robot drives where it looks, and in radians it would drive aside; they must be in radians")
	}
	f.timed = in.isTimed()
	f.NoEcho = in.findNoEcho()
	f.Lidar = in.findLidar()
	if !in.statesSpread {
		f.spread = in.samples.findSpread(f.Lidar, f.NoEcho)
	}
	return f, nil
}

func newInspection() *inspection {
	return &inspection{before: nowhere, statedMax: math.Inf(1), lastTime: math.Inf(-1)}
}

// readLine handles one line of the log.
func (in *inspection) readLine(l line) error {
	switch l.kind {
	case "PARAM":
		if len(l.words) > 2 && l.words[1] == "robot_front_laser_max" {
			w := words{list: l.words[2:]}
			if v := w.readNumber("value"); w.err == nil && v > 1 {
				in.statedMax = v
			}
		}
	case "ODOM":
		p, err := parseOdometry(l)
		if err != nil {
			in.addFault(l, err)
			break
		}
		in.odometry++
		if in.awaiting {
			in.scans[len(in.scans)-1].after, in.awaiting = p, false
		}
		in.before = p
	default:
		if in.format.Kind == "" {
			in.format.Kind = l.kind
		}
		if l.kind != in.format.Kind {
			break // the same scans in another format
		}
		m, err := parseScan(l, in.ranges)
		if err != nil {
			in.addFault(l, err)
			break
		}
		in.ranges = m.ranges
		in.addScan(m)
	}
	return nil
}

// addFault notes an unreadable line.
func (in *inspection) addFault(l line, err error) {
	switch {
	case l.cut:
		in.format.Notes = append(in.format.Notes, fmt.Sprintf("the log ends in the middle of line %d (%v); it is used up to there", l.number, err))
	case in.faults == 0:
		in.format.Notes = append(in.format.Notes, fmt.Sprintf("line %d cannot be used: %v", l.number, err))
		fallthrough
	default:
		in.faults++
	}
}

func (in *inspection) addScan(m message) {
	p := scanPoses{lidar: m.lidar, base: m.base, before: in.before, after: nowhere, time: m.seconds()}
	in.format.Count++
	if in.awaiting = len(in.scans) < maxInspected; in.awaiting {
		in.scans = append(in.scans, p)
	}
	in.format.Beams = max(in.format.Beams, len(m.ranges))
	in.statesSpread = !math.IsNaN(m.from)
	if t := p.time; robot.Finite(t) {
		if t < in.lastTime && !in.ranBack {
			in.ranBack = true
			in.format.Notes = append(in.format.Notes, fmt.Sprintf("line %d: the clock runs back, from %s to %s s; scans must be in the order in which they were taken, and are used as if they were", m.line, formatNumber(in.lastTime), formatNumber(t)))
		}
		in.lastTime = t
	}
	for _, d := range m.ranges {
		switch {
		case !(d >= minRange) || math.IsInf(d, 1):
		case d > maxSensible:
			in.beyond++
			in.histogram[len(in.histogram)-1]++
		default:
			in.sensible++
			in.histogram[min(len(in.histogram)-1, int(d*100))]++
		}
	}
	if m.max > 0 {
		in.statedMax = m.max
	}
	if at := p.base; in.statesSpread {
	} else if isKnown(p.before) && at == (robot.Pose{}) {
		in.samples.addScan(p.before, m.ranges)
	} else {
		in.samples.addScan(at, m.ranges)
	}
}

// hasMoved reports whether a motion is a real motion rather than rounding.
func hasMoved(p robot.Pose) bool { return p.Point().Norm() > 1e-3 || math.Abs(p.Theta) > 1e-3 }

func motionBetween(from, to robot.Pose) robot.Pose {
	return wrapHeading(from).Inverse().Compose(wrapHeading(to))
}

// wrapHeading returns a pose with a heading within one turn.
func wrapHeading(p robot.Pose) robot.Pose {
	p.Theta = robot.WrapAngle(p.Theta)
	return p
}

// odometryTo returns the poses by odometry, in one frame, at the scan before s and at s. ok is
// false if the log does not say.
func (f *Format) odometryTo(s, was scanPoses) (from, to robot.Pose, ok bool) {
	switch f.Odometry {
	case InLines:
		from, to = was.before, s.before
	case SinceScans:
		from, to = was.base, s.before
	default:
		from, to = was.base, s.base
	}
	return from, to, isKnown(from) && isKnown(to)
}

// isTimed reports whether few motions are faster than a robot drives. If many are, the times are
// in another unit than seconds, or those of writing the log.
func (in *inspection) isTimed() bool {
	fast := 0
	for k := 1; k < len(in.scans); k++ {
		from, to, ok := in.format.odometryTo(in.scans[k], in.scans[k-1])
		if elapsed := elapsedTo(in.scans[k], in.scans[k-1]); ok && elapsed > 0 && motionBetween(from, to).Point().Norm() > farSpeed*elapsed {
			fast++
		}
	}
	return float64(fast) <= math.Max(3, maxFaults*float64(len(in.scans)))
}

// hasDegrees reports whether headings are in degrees: a robot drives where it looks, forward or
// backward, and this one does by its headings in degrees, and not in radians.
func (in *inspection) hasDegrees() bool {
	var astray, inDegrees float64 // sums of the sines of the angle between heading and motion
	n := 0
	for k := 1; k < len(in.scans); k++ {
		from, to, ok := in.format.odometryTo(in.scans[k], in.scans[k-1])
		if way := to.Point().Sub(from.Point()); ok && way.Norm() > minWay {
			direction := math.Atan2(way.Y, way.X)
			astray += math.Abs(math.Sin(direction - from.Theta))
			inDegrees += math.Abs(math.Sin(direction - robot.Radians(from.Theta)))
			n++
		}
	}
	return n >= minWays && astray > leastAstray*float64(n) && 3*inDegrees < astray
}

// findOdometry infers which lines contain the motion by the wheels.
func (in *inspection) findOdometry() error {
	var scansMove, linesMove bool // anything at all
	var follows, restarts, differs, moves int
	var ways []float64          // m from scan to scan, where anything moved
	var apart, around []float64 // m from the ODOM line before a scan to the scan, and to the ODOM line after it
	for k, s := range in.scans {
		if k == 0 {
			continue
		}
		was := in.scans[k-1]
		byScans := motionBetween(was.base, s.base)
		if hasMoved(byScans) {
			scansMove, ways = true, append(ways, byScans.Point().Norm())
		}
		if !isKnown(was.before) || !isKnown(s.before) || !isKnown(was.after) {
			continue
		}
		linesMove = linesMove || hasMoved(motionBetween(was.before, s.before))
		if isKnown(s.after) {
			apart = append(apart, motionBetween(s.before, s.base).Point().Norm())
			around = append(around, motionBetween(s.before, s.after).Point().Norm())
		}
		if !hasMoved(byScans) {
			continue
		}
		moves++
		if was.lidar == was.base && !hasMoved(motionBetween(was.base, was.after)) {
			follows++ // the ODOM after a scan is the pose of the scan
		}
		if hasMoved(motionBetween(was.base, s.before)) {
			restarts++ // the ODOM lines continue from there, and
		}
		if hasMoved(motionBetween(s.before, s.base)) {
			differs++ // the next scan is elsewhere
		}
	}
	f := &in.format
	most := func(n int) bool { return 2*n > moves }
	switch {
	case !scansMove && !linesMove && len(in.scans) > 1:
		return errors.New("the log has scans and no motion of the wheels: a lidar alone is not enough, since a corridor looks the same all along; give wheel travel, in the poses of the scans or in ODOM lines")
	case medianOf(ways) > farMotion:
		return fmt.Errorf("the poses of most scans are more than %.0f m from those before; they must be in metres, and look like millimetres", farMotion)
	case moves > 0 && 10*follows > 8*moves && most(restarts) && most(differs):
		f.Odometry = SinceScans
	case linesMove && (!scansMove || f.Kind == kindRaw):
		f.Odometry = InLines
	case linesMove && quantileOf(apart, 0.8) > 0.2+3*quantileOf(around, 0.8):
		f.Odometry = InLines // the poses of the scans are in another frame: corrected
	}
	return nil
}

// findNoEcho infers the range from which on there was no echo: a lidar reports its
// largest range, or values near it, far more often than real ranges just below.
func (in *inspection) findNoEcho() float64 {
	last := len(in.histogram) - 1
	for last > 0 && in.histogram[last] == 0 {
		last--
	}
	from, below := last-2, last-100
	if float64(last)/100 > farLidar {
		from, below = last*95/100, last*70/100
	}
	count := func(a, b int) (n int) {
		for i := max(0, a); i < b; i++ {
			n += in.histogram[i]
		}
		return n
	}
	limit := math.Inf(1)
	top, rest := count(from, last+1), count(below, from)
	if top >= 20 && 1000*top > in.sensible && top*(from-below) > spike*rest*(last+1-from) {
		limit = float64(from) / 100
	}
	// If many echoes exceed the stated maximum, it is not that of the lidar.
	if stated := int(in.statedMax * 102); !math.IsInf(in.statedMax, 1) && 50*count(stated, from) < in.sensible {
		limit = math.Min(limit, in.statedMax-1e-3)
	}
	return limit
}

// findLidar infers the place of the lidar on the robot from its poses, if they
// always agree. Otherwise a program has corrected them.
func (in *inspection) findLidar() robot.Pose {
	var x, y, theta []float64
	for _, s := range in.scans {
		p := motionBetween(s.base, s.lidar)
		x, y, theta = append(x, p.X), append(y, p.Y), append(theta, p.Theta)
	}
	mount := robot.Pose{X: medianOf(x), Y: medianOf(y), Theta: medianOf(theta)}
	if mount.Point().Norm() > 1.5 {
		return robot.Pose{}
	}
	same := 0
	for _, s := range in.scans {
		off := motionBetween(mount, motionBetween(s.base, s.lidar))
		if off.Point().Norm() < 5e-3 && math.Abs(off.Theta) < 5e-3 {
			same++
		}
	}
	if 10*same < 9*len(in.scans) {
		return robot.Pose{}
	}
	return mount
}

func medianOf(v []float64) float64 { return quantileOf(v, 0.5) }

// quantileOf returns the q-quantile of the values; 0 if there are none.
func quantileOf(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[int(q*float64(len(v)-1))]
}
