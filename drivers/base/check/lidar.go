package check

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
	"mybot/robot/scan/match"
)

const (
	// cellSide and sigma are those of the likelihood field of a scan. The field has no
	// gradient at its points, so the points to match are scattered by blur. All in m.
	cellSide, sigma, blur = 0.05, 0.12, 0.05
	// minPoints is the least number of echoes from which a motion can be estimated,
	// maxPoints the largest number that is used.
	minPoints, maxPoints = 30, 200
	// maxGap is the largest distance, in m, of two neighbouring echoes on one surface.
	maxGap = 0.4
	// minFit is the least score of two scans of the same room: the mean of the field, 0 to
	// 1.
	minFit = 0.6
	// lookFor is how long the check waits for a scan of the robot at rest.
	lookFor = 3 * time.Second
)

// A view estimates the motion of a robot from one of its lidars: it matches each scan
// against the first one, and extrapolates the guess from the two scans before.
type view struct {
	lidar robot.Lidar
	why   string // why the motion is unknown; "" = it is known

	field *match.Field // of the first scan; nil = no scan yet

	last, at robot.Pose      // of base_link at the newest two scans, in base_link at the first one
	newest   protocol.Millis // of the first beam of the newest scan
	slides   bool            // the newest scan does not fix the position along some direction
}

// newViews returns a view for each lidar, before its first scan.
func newViews(lidars []robot.Lidar) []view {
	views := make([]view, len(lidars))
	for i, l := range lidars {
		views[i] = view{lidar: l, newest: -1}
	}
	return views
}

// add adds a scan.
func (v *view) add(s protocol.Scan) {
	v.newest = s.At
	points := echoes(s.Ranges, v.lidar)
	if v.field == nil {
		v.field = match.NewField(cellSide, sigma)
		v.field.Add(robot.Pose{}, joinEchoes(points))
	}
	if len(points) < minPoints {
		v.why = fmt.Sprintf("of its %d beams only %d met anything", len(s.Ranges), len(points))
		return
	}
	guess := v.at.Compose(v.last.Inverse().Compose(v.at))
	v.last = v.at
	random := rand.New(rand.NewPCG(1, 1))
	for i, p := range points {
		points[i] = p.Add(robot.Point{X: blur * random.NormFloat64(), Y: blur * random.NormFloat64()})
	}
	var normal match.Normal
	v.at, normal = v.field.Refine(guess, points, match.Normal{})
	v.slides = normal.Slides()
	v.why = ""
	if v.fit(points) < minFit {
		v.why = "what it saw fits nothing that it had seen before"
	}
}

// fit returns the score of points at the present pose: 0 to 1.
func (v *view) fit(points []robot.Point) float64 {
	sum := 0
	for _, p := range points {
		sum += int(v.field.Value(v.field.Cell(v.at.Apply(p))))
	}
	return float64(sum) / match.Full / float64(len(points))
}

// echoes returns the points, in m in base_link, from which the beams of a scan returned.
func echoes(mm []int, l robot.Lidar) (points []robot.Point) {
	every := max(1, (len(mm)+maxPoints-1)/maxPoints)
	for i := 0; i < min(len(mm), l.Beams); i += every {
		if r := float64(mm[i]) / 1000; r >= l.Min && r <= l.Max && !l.IsMasked(i) {
			sin, cos := math.Sincos(l.Bearing(i))
			points = append(points, l.Pose.Apply(robot.Point{X: r * cos, Y: r * sin}))
		}
	}
	return points
}

// joinEchoes returns the echoes that have a close neighbour, and points interpolated between
// the two, which are probably on one surface. Without these, scans would fit best where
// their beams coincide. Isolated echoes are dropped.
func joinEchoes(points []robot.Point) (joined []robot.Point) {
	for i := 1; i < len(points); i++ {
		from, way := points[i-1], points[i].Sub(points[i-1])
		if way.Norm() > maxGap {
			continue
		}
		n := math.Ceil(way.Norm() / cellSide)
		for k := 0.0; k <= n; k++ {
			joined = append(joined, from.Add(robot.Point{X: way.X * k / n, Y: way.Y * k / n}))
		}
	}
	return joined
}

// look starts new views and waits until each has a scan of the robot at rest.
func (c *checker) look(ctx context.Context) error {
	c.line.views, c.yaw = newViews(c.desc.Lidars), c.line.senses.Yaw
	return c.awaitScans(ctx)
}

// awaitScans waits up to lookFor until each view has a scan that started after this call.
func (c *checker) awaitScans(ctx context.Context) error {
	from := c.line.millis()
	isOld := func(v view) bool { return v.newest < from }
	if len(c.line.views) == 0 {
		return nil
	}
	_, err := c.line.listen(ctx, lookFor, func(arrival) bool { return !slices.ContainsFunc(c.line.views, isOld) })
	return err
}

// A sighting is a motion of the robot as the base reports it and as a lidar sees it: the
// pose of base_link after the motion, in base_link before it.
type sighting struct {
	told, seen robot.Pose
	slides     bool
	why        string // why seen is unknown; "" = it is known
}

// sightings returns the sightings of a finished motion that started with look and with the
// reading first.
func (c *checker) sightings(ctx context.Context, first sample) (all []sighting, err error) {
	if err := c.awaitScans(ctx); err != nil {
		return nil, err
	}
	told := c.desc.Drivetrain.Roll(robot.Pose{}, difference(first, c.line.newest))
	if now := c.line.senses.Yaw; c.desc.TurnFromIMU && c.yaw != nil && now != nil {
		told.Theta = robot.WrapAngle(*now - *c.yaw)
	}
	for _, v := range c.line.views {
		s := sighting{told: told, seen: v.at, slides: v.slides, why: v.why}
		if v.newest < 0 {
			s.why = "no scan of it came"
		}
		all = append(all, s)
	}
	c.line.views = nil
	return all, nil
}

// checkLidars compares the motions that the base reported with those that the lidars saw.
// It does nothing if the wheels are off the floor, or not right themselves: what a lidar sees
// of them would be put down to how it is mounted.
func (c *checker) checkLidars(context.Context) error {
	if c.WheelsUp {
		return nil
	}
	for i, l := range c.desc.Lidars {
		name := "lidar " + fmt.Sprint(i)
		rule := "moves as its " + name + " sees it"
		if c.wheelsWrong {
			c.untried(fmt.Sprintf("The wheels were not compared with %s: first they must drive and turn as far as they are asked.", name))
			continue
		}
		if why := cannotJudge(c.ahead[i], c.turned[i]); why != "" {
			c.untried(fmt.Sprintf("The wheels were not compared with %s: %s. Try it in a room with walls, where nobody walks.", name, why))
			continue
		}
		ok, text := judgeLidar(l, c.desc.Drivetrain, c.ahead[i], c.turned[i])
		c.tell(rule, ok, text)
	}
	return nil
}

// cannotJudge returns why two sightings cannot be compared; "" = they can.
func cannotJudge(ahead, turned sighting) string {
	switch {
	case ahead.why != "":
		return ahead.why
	case turned.why != "":
		return turned.why
	case ahead.slides:
		return "what it saw looks the same all along, as a corridor does"
	case math.Abs(ahead.told.X) < minWay || math.Abs(turned.told.Theta) < minAngle:
		return "the wheels hardly turned"
	}
	return ""
}

const (
	minWay, minAngle = 0.05, 0.1 // m and rad, the least motion that can be compared
	maxAskew         = 0.2       // rad, the largest error of the direction of travel in a lidar's view
	maxBeside        = 0.1       // m, the largest distance of the centre of rotation from the axle point
)

// judgeLidar judges a drive straight ahead and a turn on the spot.
func judgeLidar(l robot.Lidar, d robot.Drivetrain, ahead, turned sighting) (ok bool, text string) {
	told, way := math.Abs(ahead.told.X), ahead.seen.Point().Norm()
	askew := robot.WrapAngle(math.Atan2(ahead.seen.Y, ahead.seen.X) - ahead.told.Theta/2)
	if ahead.told.X < 0 {
		askew = robot.WrapAngle(askew + math.Pi)
	}
	ratio := turned.seen.Theta / turned.told.Theta
	about := turnCentre(turned.seen).Sub(robot.Point{X: -d.AxleOffset})
	saw := fmt.Sprintf("the wheels told %s and a turn of %.2f rad, and it saw %s and %.2f rad", metres(told), turned.told.Theta, metres(way), turned.seen.Theta)
	switch {
	case way < told/10 && math.Abs(ratio) < 0.1:
		return false, saw + ": the wheels slip, or the lidar repeats its scans"
	case ratio < -0.3:
		return false, saw + ", the other way round: if the robot has turned to the left, the lidar hangs upside down and step_deg has the wrong sign; if to the right, the left and the right wheel are exchanged, with their encoders"
	case math.Abs(askew) > math.Pi-2*maxAskew:
		return false, saw + fmt.Sprintf(", backwards: if the robot has gone ahead, heading_deg of the lidar should be %s; if backwards, both motors run the wrong way, with their encoders", degrees(l.Pose.Theta-askew))
	case math.Abs(askew) > maxAskew:
		side := "left"
		if askew < 0 {
			side = "right"
		}
		text = saw + fmt.Sprintf(", %.0f degrees to the %s of ahead: heading_deg of the lidar is %s and should be %s", math.Abs(robot.Degrees(askew)), side, degrees(l.Pose.Theta), degrees(l.Pose.Theta-askew))
		if math.Abs(robot.WrapAngle(2*l.Pose.Theta-askew)) < maxAskew {
			text += "; its sign is wrong"
		}
		return false, text
	case !near(way, told):
		return false, saw + fmt.Sprintf(": the wheels tell %.2g times the way%s", told/way, reasonOf(told/way))
	case !near(ratio, 1):
		return false, saw + fmt.Sprintf(": wheel_base_m of the description is %.3f, and by the lidar it would be %.3f", d.WheelBase, d.WheelBase/ratio)
	case about.Norm() > maxBeside:
		return false, saw + fmt.Sprintf(", about a point %.2f m ahead of the axle and %.2f m to its left: the lidar's x_m is too large by %.2f and its y_m by %.2f, or axle_offset_m is wrong", about.X, about.Y, about.X, about.Y)
	}
	return true, saw
}

// reasonOf returns a likely reason why the wheels report times the actual distance.
func reasonOf(times float64) string {
	switch {
	case near(times, 2):
		return "; perhaps the diameter stands where the radius belongs"
	case near(times, 0.5):
		return "; perhaps the radius stands where the diameter belongs, or the encoder counts every other edge"
	case near(times, 1000):
		return "; perhaps it is in millimetres"
	}
	return "; look at the wheel's radius and the ticks a turn"
}

// turnCentre returns the centre of rotation of a motion, in the frame before the motion.
// The motion must contain a rotation.
func turnCentre(p robot.Pose) robot.Point {
	half := 1 / math.Tan(p.Theta/2)
	return robot.Point{X: (p.X - half*p.Y) / 2, Y: (p.Y + half*p.X) / 2}
}

// degrees formats a direction, in rad, in degrees as in a description.
func degrees(rad float64) string {
	return fmt.Sprintf("%.0f", math.Round(robot.Degrees(robot.WrapAngle(rad))))
}

// untried adds to the report why a rule was not checked.
func (c *checker) untried(why string) {
	c.report.Untried = strings.TrimSpace(c.report.Untried + " " + why)
}
