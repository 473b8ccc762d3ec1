package localization

import (
	"math"

	"mybot/robot"
)

// drift is what odometry is wrong by in the same way all the time, as the
// sonars show it.
type drift struct {
	curve  float64 // rad that the heading turns too little in one metre
	spin   float64 // share of its turns that the heading turns too little
	length float64 // share of its way that the robot goes too little
}

const (
	driftMetres  = 15.0 // m over which it is learned
	driftRadians = 12.0 // rad
	mostCurve    = 0.08 // rad/m
	mostSpin     = 0.10
	mostLength   = 0.06
)

// correct returns the motion that the wheels' one stands for.
func (d *drift) correct(move robot.Pose) robot.Pose {
	turn := d.spin*move.Theta + d.curve*move.X
	f := 1 + d.length
	return robot.Pose{X: f*move.X - turn/2*move.Y, Y: f*move.Y + turn/2*move.X, Theta: robot.WrapAngle(move.Theta + turn)}
}

// learn compares where the robot is with where it was foreseen.
func (d *drift) learn(o *observation, foreseen, found robot.Pose) {
	off := foreseen.Inverse().Compose(found)
	if off.Point().Norm() > 0.3 || math.Abs(off.Theta) > 0.2 {
		return
	}
	turning := o.turn / (o.turn + 0.5*o.way + 1e-9)
	forward := math.Copysign(1, o.move.X)
	d.curve = bound(d.curve+(1-turning)*off.Theta*forward/driftMetres, mostCurve)
	d.spin = bound(d.spin+turning*off.Theta*math.Copysign(1, o.move.Theta)/driftRadians, mostSpin)
	d.length = bound(d.length+(1-turning)*off.X*forward/(2*driftMetres), mostLength)
}

func bound(v, most float64) float64 { return max(-most, min(most, v)) }
