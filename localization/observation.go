package localization

import (
	"math"
	"time"

	"mybot/robot"
)

// temper is the power applied to the likelihood of all beams together, because
// beams that see the same wall or person are not independent.
const temper = 0.35

// An observation is what an update learns from.
type observation struct {
	time     time.Time
	move     robot.Pose // of base_link since the previous observation, by the wheels, in its frame at that time
	distance float64    // m rolled meanwhile
	turn     float64    // rad turned meanwhile
	heading  float64    // rad, by the compass; NaN = none
	echoes   []echo
	beams    []beamEnd // of scans, in the current base_link
	clear    int       // number of the first ones, which weigh the particles; the others hit unmapped objects
}

// An echo is the range of one sonar.
type echo struct {
	x, y   float64      // m, of the sonar in the current base_link, although it may have been measured a moment ago
	turn   float64      // of its axis in base_link, in steps of the table, plus one revolution and half a step
	z      int          // the range, in levels; noEcho = no echo
	likely *likelihoods // of its kind
	table  []uint8      // of its kind: Table.echoes
	common *common      // of its kind
}

// senses is what an observation is compared with.
type senses struct {
	table      *Table
	unknown    float64 // log likelihood of a beam without information
	compass    compassModel
	sonarModel sonarModel
	rows       []rows // by echo, of the observation that is being weighed
}

// expectedLevels returns the table's levels for the echo, and for the object along
// the axis, at a pose; ok is false if the table has no information there.
func (s *senses) expectedLevels(e *echo, p robot.Pose) (answer, axis uint8, ok bool) {
	at := p.Apply(robot.Point{X: e.x, Y: e.y})
	cell := s.table.cellAt(at.X, at.Y)
	if cell < 0 {
		return 0, 0, false
	}
	h := int(p.Theta*(tableHeadings/(2*math.Pi))+e.turn) % tableHeadings
	k := 2 * (cell*tableHeadings + h)
	return e.table[k], e.table[k+1], true
}

// floorLikelihood returns the log likelihood of an observation, just weighed, for a
// robot anywhere on the floor.
func (s *senses) floorLikelihood(o *observation) float64 {
	sum := 0.0
	for k := range o.echoes {
		c, r := o.echoes[k].common, &s.rows[k]
		like := float32(0)
		for level := range levels + 1 {
			like += c.answer[level]*r.answer[level] + c.axis[level]*r.axis[level]
		}
		sum += math.Log(float64(max(like, 1e-35)))
	}
	return sum
}

// countAgreeing returns how many sonars measure what is expected at a pose.
func (s *senses) countAgreeing(o *observation, p robot.Pose) int {
	n := 0
	for i := range o.echoes {
		e := &o.echoes[i]
		answer, axis, ok := s.expectedLevels(e, p)
		switch {
		case !ok:
		case e.z == noEcho && answer == levels, max(e.likely.hit[e.z][answer], e.likely.hit[e.z][axis]) > hitShare/2:
			n++
		}
	}
	return n
}

// learnFrom learns from an observation at a certain pose.
func (m *sonarModel) learnFrom(s *senses, o *observation, p robot.Pose) {
	for i := range o.echoes {
		e := &o.echoes[i]
		if answer, axis, ok := s.expectedLevels(e, p); ok {
			m.learnEcho(e.likely, e.z, answer, axis)
		}
	}
}

// compassModel models the electronic compass and the trust in it.
type compassModel struct {
	offset   float64 // rad, compass minus heading where it is not disturbed
	recent   float64 // rad, compass minus heading and offset, over recentMetres
	usual    float64 // rad, and over usualMetres
	contrary float64 // m of disagreement beyond what iron explains, since the last search
	opposed  float64 // m of disagreement by at least opposesFrom
	trust    float64 // 0 to 1
	weight   float64 // of one observation, with trust
	before   float64 // rad, heading at the last observation; NaN = none
	step     float64 // rad that it turned then beyond the wheels
	stride   float64 // m, the distance of that
	shiver   float64 // rad2, mean square of that
	followed bool    // it agreed and then turned away gradually, which indicates iron
	curve    [361]float64
}

// The error of a compass stays the same while the robot is nearby, so the compass
// gives one new measurement per metre and not one per observation.
const (
	compassSigma  = 4 * math.Pi / 180 // rad
	compassTail   = 15 * math.Pi / 180
	compassNoise  = 2 * math.Pi / 180
	compassMetre  = 1.0                // m per independent measurement
	contraryAfter = 2.0                // m after which a search starts
	opposesFrom   = 40 * math.Pi / 180 // rad; more than most iron causes
	opposedAfter  = 0.3                // m of disagreement after which the estimate is UNSURE
	recentMetres  = 0.3                // m, and
	usualMetres   = 1.5                // m, over which the error is averaged
	offsetMetres  = 12.0               // m over which the offset of a building is learned
	compassSteady = 3 * math.Pi / 180  // rad between recent and usual that indicates no magnet
	hintTrust     = 0.3                // trust of the relocalizer
	compassStands = 6 * math.Pi / 180  // rad of disagreement at which trust is halved
	agreesTo      = 15 * math.Pi / 180
	minJump       = 12 * math.Pi / 180 // rad of sudden rotation without the wheels that indicates that the robot was carried
	jumpMetre     = 60 * math.Pi / 180 // rad more per metre, which iron may cause
	jumpShiver    = 4.0                // times the usual
	shiverPace    = 0.02
)

// newCompassModel returns the model of a compass that shows the yaw in map plus
// offset, in rad.
func newCompassModel(offset float64) compassModel {
	c := compassModel{offset: offset, trust: 1, before: math.NaN(), shiver: compassNoise * compassNoise}
	for d := range c.curve {
		e := float64(d-180) * math.Pi / 180
		c.curve[d] = math.Log(0.85*gaussianOf(e/compassSigma) + 0.13*gaussianOf(e/compassTail) + 0.02)
	}
	return c
}

// weighTrusted sets the compass weight for the tracker, by the trust in the
// compass.
func (c *compassModel) weighTrusted(o *observation) { c.setWeight(o, c.trust) }

// weighHinted sets the compass weight for the relocalizer, which does not know that
// trust.
func (c *compassModel) weighHinted(o *observation) { c.setWeight(o, hintTrust) }

func (c *compassModel) setWeight(o *observation, trust float64) {
	c.weight = 0
	if !math.IsNaN(o.heading) {
		c.weight = trust * min(1, c.equivalentDistance(o)/compassMetre)
	}
}

// equivalentDistance returns the motion of the compass in m, in which a rotation
// counts a little.
func (c *compassModel) equivalentDistance(o *observation) float64 { return o.distance + 0.3*o.turn }

// likelihoodOf returns the likelihood of the compass for the heading t.
func (c *compassModel) likelihoodOf(o *observation, t float64) float64 {
	if c.weight == 0 {
		return 1
	}
	e := robot.WrapAngle(o.heading - c.offset - t)
	return math.Exp(c.weight * c.curve[int(math.Round(e*180/math.Pi))+180])
}

// turnedWhileStanding reports whether the heading of a standing robot, which was t,
// has changed. Iron does not appear and disappear like that.
func (c *compassModel) turnedWhileStanding(o *observation, t float64) bool {
	return !math.IsNaN(o.heading) && math.Abs(robot.WrapAngle(o.heading-c.offset-t-c.recent)) > againstFrom
}

// isOpposed reports whether the compass has disagreed for a while by more than iron
// usually causes.
func (c *compassModel) isOpposed() bool { return c.opposed > opposedAfter && !c.followed }

// detectJump reports whether the compass has suddenly turned by more than the
// wheels explain and iron causes, because the robot was carried.
func (c *compassModel) detectJump(o *observation) bool {
	step, stride := 0.0, c.equivalentDistance(o)
	if !math.IsNaN(o.heading) && !math.IsNaN(c.before) {
		step = robot.WrapAngle(o.heading - c.before - o.move.Theta)
	}
	c.before = o.heading
	both := math.Abs(robot.WrapAngle(step + c.step)) // the robot may have been carried in the middle of an observation
	jumped := both > minJump+jumpMetre*(stride+c.stride)+jumpShiver*math.Sqrt(c.shiver)
	if jumped {
		c.recent = robot.WrapAngle(c.recent + step + c.step)
		c.step, c.stride, c.followed = 0, stride, false
		return true
	}
	c.step, c.stride = step, stride
	c.shiver += shiverPace * (step*step - c.shiver)
	return false
}

// learnFrom compares an observation with the heading t, which the sonars support.
func (c *compassModel) learnFrom(o *observation, t float64, sure bool) {
	if math.IsNaN(o.heading) {
		return
	}
	e := robot.WrapAngle(o.heading - c.offset - t)
	distance := c.equivalentDistance(o)
	c.recent = robot.WrapAngle(c.recent + min(1, distance/recentMetres)*robot.WrapAngle(e-c.recent))
	c.usual = robot.WrapAngle(c.usual + min(1, distance/usualMetres)*robot.WrapAngle(e-c.usual))
	if sure && max(math.Abs(e), math.Abs(c.recent)) < agreesTo {
		c.followed = true
	}
	if math.Abs(c.recent) > againstFrom && !c.followed {
		c.contrary += distance
	} else {
		c.contrary = 0
	}
	if math.Abs(c.recent) > opposesFrom {
		c.opposed += distance
	} else {
		c.opposed = 0
	}
	r := c.recent / compassStands
	c.trust = 1 / (1 + r*r*r*r)
	// A steady disagreement comes from the building; near iron it changes with
	// every step.
	if steady := math.Abs(robot.WrapAngle(c.recent-c.usual)) < compassSteady; sure && steady {
		c.offset = robot.WrapAngle(c.offset + min(1, distance/offsetMetres)*clampAbs(c.usual, 0.2))
	}
}
