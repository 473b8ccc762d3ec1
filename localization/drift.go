package localization

import (
	"math"

	"mybot/robot"
)

// OdometryErrors are the systematic errors of a robot's odometry: wheels and a wheel
// base that differ from the description. They belong to the robot, not to a floor.
type OdometryErrors struct {
	Curve  float64 // rad missing from the measured heading per metre
	Spin   float64 // share of each rotation missing from the measured heading
	Length float64 // share of the distance missing from the measured distance
}

// drift holds the systematic errors of odometry, learned from the sonars and scans, and
// how much larger than expected its noise is.
type drift struct {
	OdometryErrors
	metres float64 // distance over which these were learned
	turn   slack   // of the heading
	place  slack   // of the distance
}

const (
	driftMetres  = 15.0 // m over which the errors are learned
	driftFirst   = 4.0  // the same at first
	driftRadians = 12.0 // rad
	maxCurve     = 0.20 // rad/m
	maxSpin      = 0.10
	maxLength    = 0.10
)

// newDrift begins with wide noise of the heading, as the wheels may differ from the
// description.
func newDrift() drift { return drift{turn: slack{more: startSlack}} }

// OdometryErrors returns the errors of the odometry that the filter has learned; ok is
// false until it has learned from enough driving.
func (m *MCL) OdometryErrors() (e OdometryErrors, ok bool) {
	return m.drift.OdometryErrors, m.drift.metres >= driftMetres
}

// UseOdometryErrors begins with errors that were learned before. It ignores errors that
// are not finite and limits the others. As the wheels may have changed meanwhile, the
// filter learns as fast as from the beginning.
func (m *MCL) UseOdometryErrors(e OdometryErrors) {
	if robot.Finite(e.Curve, e.Spin, e.Length) {
		m.drift = newDrift()
		m.drift.OdometryErrors = OdometryErrors{clampAbs(e.Curve, maxCurve), clampAbs(e.Spin, maxSpin), clampAbs(e.Length, maxLength)}
	}
}

// correctMove returns the true motion for a motion measured by the wheels.
func (d *drift) correctMove(move robot.Pose) robot.Pose {
	turn := d.Spin*move.Theta + d.Curve*move.X
	f := 1 + d.Length
	return robot.Pose{X: f*move.X - turn/2*move.Y, Y: f*move.Y + turn/2*move.X, Theta: robot.WrapAngle(move.Theta + turn)}
}

// learnFrom compares the resulting pose with the predicted one.
func (d *drift) learnFrom(o *observation, foreseen, found robot.Pose) {
	off := foreseen.Inverse().Compose(found)
	if off.Point().Norm() > 0.3 || math.Abs(off.Theta) > 0.2 {
		return
	}
	turning := o.turn / (o.turn + 0.5*o.distance + 1e-9)
	forward := math.Copysign(1, o.move.X)
	d.metres += o.distance
	over := min(driftMetres, driftFirst+d.metres)
	d.Curve = clampAbs(d.Curve+(1-turning)*off.Theta*forward/over, maxCurve)
	d.Spin = clampAbs(d.Spin+turning*off.Theta*math.Copysign(1, o.move.Theta)/driftRadians, maxSpin)
	d.Length = clampAbs(d.Length+(1-turning)*off.X*forward/(2*driftMetres), maxLength)
	d.turn.learnFrom(off.Theta, o.distance+o.turn/2)
	d.place.learnFrom(off.X, o.distance+o.turn/2)
}

// slack is by how much the noise of odometry exceeds its model. If the model is
// right, successive corrections are independent; if they have the same direction,
// the noise is larger.
type slack struct {
	more     float64 // noise factor less 1
	sum      float64 // of the corrections in this stretch
	squares  float64
	distance float64
	run      float64 // mean squared sum over recent stretches
	each     float64 // mean sum of squares
}

const (
	slackStretch     = 0.5 // m, or twice as many rad
	slackPace        = 0.1 // weight of a new stretch in the means
	slackStep        = 0.1 // change of the noise factor after a stretch
	maxSlack         = 2.0
	startSlack       = 1.0 // of the heading in a new filter: whether the wheels are as described is not known
	slackWideFrom    = 3.0 // ratio of squared sum to squares above which the noise is widened
	slackNarrowBelow = 1.5 // ratio below which it is narrowed
)

// noiseFactor returns the factor on the expected noise.
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
