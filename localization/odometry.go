package localization

import (
	"math"
	"time"

	"mybot/robot"
)

// Standard deviations of the errors of dead reckoning. The first group is constant
// for a robot but unknown, so its effect grows in proportion to the distance; the
// second is new in every reading, so its effect grows with the square root of the
// distance.
const (
	wheelScale          = 0.006                  // of the travel per revolution, for each wheel
	baseScale           = 0.015                  // of the wheel base
	compassBias         = 2.5 * math.Pi / 180    // rad, constant error of the compass
	wheelNoise          = 0.008                  // m per square root of a metre, each wheel
	compassReadingNoise = 2.0 * math.Pi / 180    // rad, of one compass reading
	startPlace          = 0.01                   // m, of the initial pose
	startTurn           = 0.5 * math.Pi / 180    // rad, of the initial pose
	givenPlace          = 0.10                   // m, of a pose from a person
	givenTurn           = 3.0 * math.Pi / 180    // rad, of a pose from a person
	alpha               = 0.05                   // Han 2002: coefficient of the angle error
	alphaPeriod         = 100 * time.Millisecond // the period for which alpha is defined
	disagreementTime    = 500 * time.Millisecond // averaging time of the disagreement
	maxDisagreement     = 3                      // standard deviations of disagreement up to which the compass is used
	maxGap              = time.Second            // the longest effective gap between readings
)

// An errorSource is one of the constant errors.
type errorSource int

const (
	leftWheelError errorSource = iota
	rightWheelError
	wheelBaseError
	compassError
	errorSources
)

// Odometry estimates the pose by dead reckoning (Han 2002, eq. 1 and 2, with the
// exact arc) and corrects the heading by the compass (Han 2002, section 2.3, step
// 2), independently of the rate of readings. After NewOdometry it allocates
// nothing. One goroutine uses it.
//
// The covariance has two parts. Noise is propagated as in an extended Kalman
// filter. Constant but unknown errors (wheel sizes, wheel base, compass) are not
// noise: the derivative of the pose by each of them is propagated, so that its
// effect grows as in reality, shrinks when the robot drives back, and does not
// vanish by averaging.
type Odometry struct {
	drive  robot.Drivetrain
	period time.Duration // of readings, for the first one

	pose    robot.Pose
	noise   matrix                // covariance of (x, y, theta) by noise
	effect  [errorSources]vector  // derivative of the pose by each constant error
	sigma   [errorSources]float64 // standard deviation of each constant error
	last    time.Time             // of the last reading; zero = none yet
	differs float64               // rad, compass minus heading, averaged over disagreementTime
	heard   bool                  // differs has a value
	agrees  bool                  // the compass contributed to the last update
	wheels  bool                  // the wheels contributed to the last update
}

type (
	vector struct{ x, y, t float64 }
	matrix struct{ xx, xy, xt, yy, yt, tt float64 } // symmetric
)

// NewOdometry returns an estimator for a robot that starts at start, in map.
func NewOdometry(desc robot.Description, start robot.Pose) *Odometry {
	period := 20 * time.Millisecond
	if desc.Rate > 0 {
		period = time.Duration(float64(time.Second) / desc.Rate)
	}
	o := &Odometry{
		drive:  desc.Drivetrain,
		period: period,
		sigma: [errorSources]float64{
			leftWheelError: wheelScale, rightWheelError: wheelScale, wheelBaseError: baseScale, compassError: compassBias,
		},
	}
	o.setPose(start, startPlace, startTurn)
	return o
}

// SetPose sets the pose from a person, in map, with an expected error of 10 cm and
// 3 degrees. It ignores a pose that is not finite.
func (o *Odometry) SetPose(p robot.Pose) {
	if robot.Finite(p.X, p.Y, p.Theta) {
		o.setPose(p, givenPlace, givenTurn)
	}
}

func (o *Odometry) setPose(p robot.Pose, place, turn float64) {
	p.Theta = robot.WrapAngle(p.Theta)
	o.pose = p
	o.noise = matrix{xx: place * place, yy: place * place, tt: turn * turn}
	o.effect = [errorSources]vector{}
	o.heard = false
	o.agrees = false
}

// Update takes the next reading. It ignores travel and headings that are not
// finite.
func (o *Odometry) Update(r robot.Reading) {
	dt := o.period
	if !o.last.IsZero() {
		dt = min(max(r.Time.Sub(o.last), 0), maxGap)
	}
	o.last = r.Time
	o.wheels = robot.Finite(r.Travel.Left, r.Travel.Right)
	if o.wheels {
		o.rollWheels(r.Travel)
	}
	o.correctHeading(r.Heading, dt)
}

// Estimate returns the estimated pose.
func (o *Odometry) Estimate() robot.Estimate {
	p := o.noise
	for i, e := range o.effect {
		v := o.sigma[i] * o.sigma[i]
		p.xx += v * e.x * e.x
		p.xy += v * e.x * e.y
		p.yy += v * e.y * e.y
		p.tt += v * e.t * e.t
	}
	c := robot.Covariance{XX: p.xx, XY: p.xy, YY: p.yy, TT: p.tt}
	return robot.Estimate{Pose: o.pose, Covariance: c, Wheels: o.wheels, Compass: o.agrees, Trust: trustOf(c)}
}

// rollWheels moves the pose along the arc of the wheels and increases the errors.
func (o *Odometry) rollWheels(travel robot.Wheels) {
	if travel == (robot.Wheels{}) {
		return
	}
	before := o.pose
	o.pose = o.drive.Roll(before, travel)
	moved := o.pose.Point().Sub(before.Point())
	turned := o.drive.Twist(travel).Angular

	// An error of the heading rotates the whole motion.
	o.noise.rotateWith(moved)
	for i := range o.effect {
		o.effect[i].rotateWith(moved)
	}

	// The effect on the motion of one metre of error of each wheel, and of one
	// radian of error of the rotation: eq. 2 at the middle of the arc.
	middle := before.Theta + turned/2
	l := o.poseDerivative(middle, robot.Wheels{Left: 1})
	r := o.poseDerivative(middle, robot.Wheels{Right: 1})
	o.noise.addOuter(l, wheelNoise*wheelNoise*math.Abs(travel.Left))
	o.noise.addOuter(r, wheelNoise*wheelNoise*math.Abs(travel.Right))
	o.effect[leftWheelError].addScaled(l, travel.Left)
	o.effect[rightWheelError].addScaled(r, travel.Right)
	rate := o.drive.Rate(middle, robot.Twist{Angular: 1})
	o.effect[wheelBaseError].addScaled(vector{rate.X, rate.Y, 1}, turned)
}

// poseDerivative returns the derivative of the pose by the travel of the wheels.
func (o *Odometry) poseDerivative(theta float64, w robot.Wheels) vector {
	rate := o.drive.Rate(theta, o.drive.Twist(w))
	return vector{rate.X, rate.Y, rate.Theta}
}

// correctHeading turns the heading toward the compass: theta += alpha e, with alpha
// scaled to the elapsed time. A compass that disagrees by more than the errors can
// explain is near iron or broken, and is ignored; it is used again when the
// uncertainty of the wheels has grown enough.
func (o *Odometry) correctHeading(heading float64, dt time.Duration) {
	if !robot.Finite(heading) {
		o.heard, o.agrees = false, false
		return
	}
	e := robot.WrapAngle(heading - o.pose.Theta)
	if !o.heard {
		o.differs, o.heard = e, true
	} else {
		f := 1 - math.Exp(-dt.Seconds()/disagreementTime.Seconds())
		o.differs = robot.WrapAngle(o.differs + f*robot.WrapAngle(e-o.differs))
	}
	believed := maxDisagreement * o.compassDisagreement()
	o.agrees = math.Abs(o.differs) <= believed && math.Abs(e) <= believed+maxDisagreement*compassReadingNoise
	if !o.agrees {
		return
	}
	// From half the gate on, the compass counts less.
	trust := math.Min(1, 2-2*math.Abs(o.differs)/believed)
	g := trust * (1 - math.Pow(1-alpha, dt.Seconds()/alphaPeriod.Seconds()))
	o.pose.Theta = robot.WrapAngle(o.pose.Theta + g*e)
	o.differs -= g * e
	o.noise.scaleHeading(1 - g)
	o.noise.tt += g * g * compassReadingNoise * compassReadingNoise
	for i := range o.effect {
		o.effect[i].t *= 1 - g
	}
	o.effect[compassError].t += g
}

// compassDisagreement returns the standard deviation of compass minus heading, in
// rad, averaged over disagreementTime.
func (o *Odometry) compassDisagreement() float64 {
	v := o.noise.tt
	for i, e := range o.effect {
		d := e.t
		if errorSource(i) == compassError {
			d--
		}
		v += o.sigma[i] * o.sigma[i] * d * d
	}
	// The average contains some ten independent readings.
	return math.Sqrt(v + compassReadingNoise*compassReadingNoise/10 + ripple*ripple)
}

// ripple is how much the compass in a building varies from place to place without a
// disturbance, in rad.
const ripple = 1.0 * math.Pi / 180

func (v *vector) rotateWith(moved robot.Point) {
	v.x -= moved.Y * v.t
	v.y += moved.X * v.t
}

func (v *vector) addScaled(d vector, f float64) {
	v.x += f * d.x
	v.y += f * d.y
	v.t += f * d.t
}

// rotateWith computes A P A', where A is the linear map of vector.rotateWith.
func (m *matrix) rotateWith(moved robot.Point) {
	a, b := -moved.Y, moved.X
	m.xx += 2*a*m.xt + a*a*m.tt
	m.xy += b*m.xt + a*m.yt + a*b*m.tt
	m.yy += 2*b*m.yt + b*b*m.tt
	m.xt += a * m.tt
	m.yt += b * m.tt
}

// addOuter computes P + f d d'.
func (m *matrix) addOuter(d vector, f float64) {
	m.xx += f * d.x * d.x
	m.xy += f * d.x * d.y
	m.xt += f * d.x * d.t
	m.yy += f * d.y * d.y
	m.yt += f * d.y * d.t
	m.tt += f * d.t * d.t
}

// scaleHeading multiplies the heading's error by f.
func (m *matrix) scaleHeading(f float64) {
	m.xt *= f
	m.yt *= f
	m.tt *= f * f
}
