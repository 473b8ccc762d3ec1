package localization

import (
	"math"
	"time"

	"mybot/robot"
)

// temper is the power that the likelihood of all beams together is taken to:
// beams that see the same wall, or the same person, are not independent.
const temper = 0.35

// observation is what an update learns from.
type observation struct {
	time     time.Time
	move     robot.Pose // of base_link since the observation before, by the wheels, in the frame it had then
	distance float64    // m rolled meanwhile
	turn     float64    // rad turned meanwhile
	heading  float64    // rad, by the compass; NaN = not heard
	echoes   []echo
	beams    []beamEnd // of scans, in base_link as it is now
	clear    int       // so many of them weigh the particles; the others met something that is not on the map
}

// echo is the range of one sonar.
type echo struct {
	x, y   float64      // m, of its face in base_link as it is now, though it may have been heard a moment ago
	turn   float64      // of its axis in base_link, in steps of the table, and one round and a half step more
	z      int          // the range, in levels; noEcho = no echo
	likely *likelihoods // of its kind
	table  []uint8      // of its kind: Table.echoes
	common *common      // of its kind
}

// senses is what an observation is compared with.
type senses struct {
	table      *Table
	unknown    float64 // logarithm of the likelihood of a beam that says nothing
	compass    compassModel
	sonarModel sonarModel
	rows       []rows // by echo, of the observation that is weighed
}

// expectedLevels returns the levels of the table at which an echo should answer, and
// of what stands along its axis, at a pose; ok is false where it says nothing.
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

// floorLikelihood returns the logarithm of the likelihood of an observation, just
// weighed, for a robot that may be anywhere on the floor.
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

// learnFrom takes an observation from a pose that is sure.
func (m *sonarModel) learnFrom(s *senses, o *observation, p robot.Pose) {
	for i := range o.echoes {
		e := &o.echoes[i]
		if answer, axis, ok := s.expectedLevels(e, p); ok {
			m.learnEcho(e.likely, e.z, answer, axis)
		}
	}
}

// compassModel is the model of the electronic compass and the trust in it.
type compassModel struct {
	offset   float64 // rad, compass minus heading where it is not disturbed
	recent   float64 // rad, compass minus heading and offset, over recentMetres
	usual    float64 // rad, and over usualMetres
	contrary float64 // m over which it has disagreed more than iron explains, since the last search
	opposed  float64 // m over which it has disagreed by opposesFrom
	trust    float64 // 0 to 1
	weight   float64 // of one observation, with trust
	before   float64 // rad, its heading at the last observation; NaN = none
	step     float64 // rad that it then turned more than the wheels,
	stride   float64 // m, over so long a distance
	shiver   float64 // rad2, mean square of that
	followed bool    // it has agreed, and turned away little by little: that is iron
	curve    [361]float64
}

// A compass is wrong by the same amount as long as the robot stays near, so
// that it says one new thing in a metre and not one in every observation.
const (
	compassSigma  = 4 * math.Pi / 180 // rad
	compassTail   = 15 * math.Pi / 180
	compassNoise  = 2 * math.Pi / 180
	compassMetre  = 1.0                // m in which it says one new thing
	contraryAfter = 2.0                // m after which a search is started
	opposesFrom   = 40 * math.Pi / 180 // rad; more than most iron does
	opposedAfter  = 0.3                // m of disagreement after which the estimate is unsure
	recentMetres  = 0.3
	usualMetres   = 1.5
	offsetMetres  = 12.0              // m over which the offset of a building is learned
	compassSteady = 3 * math.Pi / 180 // rad between recent and usual that is no magnet
	hintTrust     = 0.3               // of the relocalizer
	compassStands = 6 * math.Pi / 180 // rad of disagreement at which trust is half gone
	agreesTo      = 15 * math.Pi / 180
	minJump       = 12 * math.Pi / 180 // rad that it turns at once without the wheels when the robot is carried,
	jumpMetre     = 60 * math.Pi / 180 // rad, more than that in one metre, which iron makes it do,
	jumpShiver    = 4.0                // and so many times what it usually does
	shiverPace    = 0.02
)

// newCompassModel returns the model of a compass that shows offset, in rad, more than the
// yaw in map.
func newCompassModel(offset float64) compassModel {
	c := compassModel{offset: offset, trust: 1, before: math.NaN(), shiver: compassNoise * compassNoise}
	for d := range c.curve {
		e := float64(d-180) * math.Pi / 180
		c.curve[d] = math.Log(0.85*gaussianOf(e/compassSigma) + 0.13*gaussianOf(e/compassTail) + 0.02)
	}
	return c
}

// weighTrusted sets the weight of an observation for the tracker, by the trust in the
// compass.
func (c *compassModel) weighTrusted(o *observation) { c.setWeight(o, c.trust) }

// weighHinted sets it for the relocalizer, which does not know that trust.
func (c *compassModel) weighHinted(o *observation) { c.setWeight(o, hintTrust) }

func (c *compassModel) setWeight(o *observation, trust float64) {
	c.weight = 0
	if !math.IsNaN(o.heading) {
		c.weight = trust * min(1, c.equivalentDistance(o)/compassMetre)
	}
}

// equivalentDistance returns how far the compass has moved, in m: a turn moves it a little.
func (c *compassModel) equivalentDistance(o *observation) float64 { return o.distance + 0.3*o.turn }

// likelihoodOf returns the likelihood of the compass for the heading t.
func (c *compassModel) likelihoodOf(o *observation, t float64) float64 {
	if c.weight == 0 {
		return 1
	}
	e := robot.WrapAngle(o.heading - c.offset - t)
	return math.Exp(c.weight * c.curve[int(math.Round(e*180/math.Pi))+180])
}

// turnedWhileStanding reports whether the heading of a robot that stands, which was t, is
// another one than it was before. Iron does not come and go like that.
func (c *compassModel) turnedWhileStanding(o *observation, t float64) bool {
	return !math.IsNaN(o.heading) && math.Abs(robot.WrapAngle(o.heading-c.offset-t-c.recent)) > againstFrom
}

// isOpposed reports whether the compass has said for a while something that iron
// hardly makes it say.
func (c *compassModel) isOpposed() bool { return c.opposed > opposedAfter && !c.followed }

// detectJump reports whether the compass has turned at once by more than the wheels
// explain and than iron causes: the robot has been carried.
func (c *compassModel) detectJump(o *observation) bool {
	step, stride := 0.0, c.equivalentDistance(o)
	if !math.IsNaN(o.heading) && !math.IsNaN(c.before) {
		step = robot.WrapAngle(o.heading - c.before - o.move.Theta)
	}
	c.before = o.heading
	both := math.Abs(robot.WrapAngle(step + c.step)) // it may have been carried within an observation
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
	// Where the disagreement stays as it is, the building is so; near iron it
	// changes with every step.
	if steady := math.Abs(robot.WrapAngle(c.recent-c.usual)) < compassSteady; sure && steady {
		c.offset = robot.WrapAngle(c.offset + min(1, distance/offsetMetres)*clampAbs(c.usual, 0.2))
	}
}
