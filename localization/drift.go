package localization

import (
	"math"

	"mybot/robot"
)

// drift holds the systematic errors of odometry, learned from the sonars, and how
// much larger than expected its noise is.
type drift struct {
	curve  float64 // rad that the measured heading lacks in one metre
	spin   float64 // share of each turn that the measured heading lacks
	length float64 // share of the distance that the measured distance lacks
	metres float64 // over which it has been learned
	turn   slack   // of the heading
	place  slack   // of the distance
}

const (
	driftMetres  = 15.0 // m over which it is learned,
	driftFirst   = 4.0  // and at first over so many
	driftRadians = 12.0 // rad
	maxCurve     = 0.20 // rad/m
	maxSpin      = 0.10
	maxLength    = 0.10
)

// correctMove returns the true motion for one measured by the wheels.
func (d *drift) correctMove(move robot.Pose) robot.Pose {
	turn := d.spin*move.Theta + d.curve*move.X
	f := 1 + d.length
	return robot.Pose{X: f*move.X - turn/2*move.Y, Y: f*move.Y + turn/2*move.X, Theta: robot.WrapAngle(move.Theta + turn)}
}

// learnFrom compares the pose found with the predicted one.
func (d *drift) learnFrom(o *observation, foreseen, found robot.Pose) {
	off := foreseen.Inverse().Compose(found)
	if off.Point().Norm() > 0.3 || math.Abs(off.Theta) > 0.2 {
		return
	}
	turning := o.turn / (o.turn + 0.5*o.distance + 1e-9)
	forward := math.Copysign(1, o.move.X)
	d.metres += o.distance
	over := min(driftMetres, driftFirst+d.metres)
	d.curve = clampAbs(d.curve+(1-turning)*off.Theta*forward/over, maxCurve)
	d.spin = clampAbs(d.spin+turning*off.Theta*math.Copysign(1, o.move.Theta)/driftRadians, maxSpin)
	d.length = clampAbs(d.length+(1-turning)*off.X*forward/(2*driftMetres), maxLength)
	d.turn.learnFrom(off.Theta, o.distance+o.turn/2)
	d.place.learnFrom(off.X, o.distance+o.turn/2)
}

// slack is how many times the noise of odometry is what it is taken for. Of a
// filter whose noise is right one correction says nothing about the next; where
// successive ones have the same direction the noise is too small.
type slack struct {
	more     float64 // times the noise, less 1
	sum      float64 // of the corrections of this stretch
	squares  float64
	distance float64
	run      float64 // mean of sum squared over the last stretches
	each     float64 // mean of squares
}

const (
	slackStretch     = 0.5 // m, or twice as many rad
	slackPace        = 0.1 // of what one stretch changes of the means
	slackStep        = 0.1 // by which the noise is widened or narrowed after a stretch
	maxSlack         = 2.0
	slackWideFrom    = 3.0 // sum squared over squares from which it is widened,
	slackNarrowBelow = 1.5 // and below which it is narrowed
)

// noiseFactor returns by how much the expected noise is multiplied.
func (s *slack) noiseFactor() float64 { return 1 + s.more }

func (s *slack) learnFrom(off, distance float64) {
	s.sum += off
	s.squares += off * off
	if s.distance += distance; s.distance < slackStretch {
		return
	}
	s.run += slackPace * (s.sum*s.sum - s.run)
	s.each += slackPace * (s.squares - s.each)
	s.sum, s.squares, s.distance = 0, 0, 0
	switch {
	case s.run > slackWideFrom*s.each:
		s.more = min(maxSlack, s.more+slackStep)
	case s.run < slackNarrowBelow*s.each:
		s.more = max(0, s.more-slackStep)
	}
}

func clampAbs(v, limit float64) float64 { return max(-limit, min(limit, v)) }
