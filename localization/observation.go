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
	time    time.Time
	move    robot.Pose // of base_link since the observation before, by the wheels, in the frame it had then
	way     float64    // m rolled meanwhile
	turn    float64    // rad turned meanwhile
	heading float64    // rad, by the compass; NaN = not heard
	echoes  []echo
}

// echo is what one sonar told.
type echo struct {
	x, y   float64      // m, of its face in base_link as it is now, though it may have been heard a moment ago
	turn   float64      // of its axis in base_link, in steps of the table, and one round and a half step more
	z      int          // what it told, in levels; silent = no echo
	likely *likelihoods // of its kind
	table  []uint8      // of its kind: Table.echoes
}

// senses is what an observation is compared with.
type senses struct {
	table   *Table
	unknown float64 // logarithm of the likelihood of a beam that says nothing
	compass compassModel
	manner  sonarModel
	rows    []rows // by echo, of the observation that is weighed
}

// expected returns the levels of the table at which an echo should answer, and
// of what stands along its axis, at a pose; ok is false where it says nothing.
func (s *senses) expected(e *echo, p robot.Pose) (answer, axis uint8, ok bool) {
	at := p.Apply(robot.Point{X: e.x, Y: e.y})
	cell := s.table.cellAt(at.X, at.Y)
	if cell < 0 {
		return 0, 0, false
	}
	h := int(p.Theta*(tableHeadings/(2*math.Pi))+e.turn) % tableHeadings
	k := 2 * (cell*tableHeadings + h)
	return e.table[k], e.table[k+1], true
}

// countAgreeing returns how many sonars tell what is expected of them at a pose.
func (s *senses) countAgreeing(o *observation, p robot.Pose) int {
	n := 0
	for i := range o.echoes {
		e := &o.echoes[i]
		answer, axis, ok := s.expected(e, p)
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
		if answer, axis, ok := s.expected(e, p); ok {
			m.learnEcho(e.likely, e.z, answer, axis)
		}
	}
}

// compassModel is the trust in the electronic compass.
type compassModel struct {
	offset   float64 // rad, what it tells more than the heading, where it is not disturbed
	recent   float64 // rad, what it has told more than that over recentMetres
	usual    float64 // rad, and over usualMetres
	contrary float64 // m for which it has said something that iron hardly makes it say, since that was looked into
	opposed  float64 // m for which it has said so
	trust    float64 // 0 to 1
	weight   float64 // of one observation, with trust
	curve    [361]float64
}

// A compass is wrong by the same amount as long as the robot stays near, so
// that it says one new thing in a metre and not one in every observation.
const (
	compassSigma  = 4 * math.Pi / 180 // rad
	compassTail   = 15 * math.Pi / 180
	compassMetre  = 1.0                // m in which it says one new thing
	contrary      = 2.0                // m after which it is worth to look whether the robot is elsewhere
	opposesFrom   = 40 * math.Pi / 180 // rad; more than most iron does
	opposing      = 0.3                // m of another heading after which it is said that it may be
	recentMetres  = 0.3
	usualMetres   = 1.5
	offsetMetres  = 12.0              // m over which the offset of a building is learned
	compassSteady = 3 * math.Pi / 180 // rad between recent and usual that is no magnet
	hintTrust     = 0.3               // of the relocalizer
	compassStands = 6 * math.Pi / 180 // rad of disagreement at which trust is half gone
)

func newCompassModel() compassModel {
	c := compassModel{trust: 1}
	for d := range c.curve {
		e := float64(d-180) * math.Pi / 180
		c.curve[d] = math.Log(0.85*gaussian(e/compassSigma) + 0.13*gaussian(e/compassTail) + 0.02)
	}
	return c
}

// weighTrusted sets the weight of an observation for one who knows how far the compass
// may be trusted.
func (c *compassModel) weighTrusted(o *observation) { c.setWeight(o, c.trust) }

// weighHinted sets it for one who does not.
func (c *compassModel) weighHinted(o *observation) { c.setWeight(o, hintTrust) }

func (c *compassModel) setWeight(o *observation, trust float64) {
	c.weight = 0
	if !math.IsNaN(o.heading) {
		c.weight = trust * min(1, c.distance(o)/compassMetre)
	}
}

// distance returns how far the compass has moved, in m: a turn moves it a little.
func (c *compassModel) distance(o *observation) float64 { return o.way + 0.3*o.turn }

// likelihood returns the likelihood of the compass for the heading t.
func (c *compassModel) likelihood(o *observation, t float64) float64 {
	if c.weight == 0 {
		return 1
	}
	e := robot.WrapAngle(o.heading - c.offset - t)
	return math.Exp(c.weight * c.curve[int(math.Round(e*180/math.Pi))+180])
}

// turnedWhileStanding tells whether the heading of a robot that stands, which was t, is
// another one than it was on the way. Iron does not come and go like that.
func (c *compassModel) turnedWhileStanding(o *observation, t float64) bool {
	return !math.IsNaN(o.heading) && math.Abs(robot.WrapAngle(o.heading-c.offset-t-c.recent)) > againstFrom
}

// isOpposed tells whether the compass has said for a while something that iron
// hardly makes it say.
func (c *compassModel) isOpposed() bool { return c.opposed > opposing }

// learnFrom compares an observation with the heading t, which the sonars support.
func (c *compassModel) learnFrom(o *observation, t float64, sure bool) {
	if math.IsNaN(o.heading) {
		return
	}
	e := robot.WrapAngle(o.heading - c.offset - t)
	way := c.distance(o)
	c.recent = robot.WrapAngle(c.recent + min(1, way/recentMetres)*robot.WrapAngle(e-c.recent))
	c.usual = robot.WrapAngle(c.usual + min(1, way/usualMetres)*robot.WrapAngle(e-c.usual))
	if math.Abs(c.recent) > againstFrom {
		c.contrary += way
	} else {
		c.contrary = 0
	}
	if math.Abs(c.recent) > opposesFrom {
		c.opposed += way
	} else {
		c.opposed = 0
	}
	r := c.recent / compassStands
	c.trust = 1 / (1 + r*r*r*r)
	// Where the disagreement stays as it is, the building is so; near iron it
	// changes with every step.
	if steady := math.Abs(robot.WrapAngle(c.recent-c.usual)) < compassSteady; sure && steady {
		c.offset = robot.WrapAngle(c.offset + min(1, way/offsetMetres)*clampAbs(c.usual, 0.2))
	}
}
