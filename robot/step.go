package robot

import "math"

// Tick is the length of one Step of the virtual robot, in seconds.
const Tick = 0.01

// Motion is where the axle point M is and how it moves.
type Motion struct {
	Axle  Pose  `json:"axle"`  // of M, in map
	Twist Twist `json:"twist"` // at M
}

// Step returns the motion dt seconds later when want is asked for: the speed
// changes at most by the accelerations of limit, a car turns no tighter than it
// can, then the axle runs along the exact arc of the new speed. The page's virtual robot is the same function
// in TypeScript; testdata/step.json holds both to 1e-9.
func Step(m Motion, want Twist, limit Limit, dt float64) Motion {
	t := limit.Slew(m.Twist, limit.Clamp(want), dt).LimitTurning(limit.TurningRadius)
	return Motion{Axle: moveAlongArc(m.Axle, t, dt), Twist: t}
}

// moveAlongArc returns the pose after dt seconds of constant twist t. With the half
// angle h = w dt/2 the chord is v dt sin(h)/h long and points along theta+h;
// this is the usual arc without its division by w: decision 3.
func moveAlongArc(p Pose, t Twist, dt float64) Pose {
	h := t.Angular * dt / 2
	chord := t.Linear * dt * sinc(h)
	sin, cos := math.Sincos(p.Theta + h)
	return Pose{
		X:     p.X + chord*cos,
		Y:     p.Y + chord*sin,
		Theta: WrapAngle(p.Theta + 2*h),
	}
}

func sinc(h float64) float64 {
	if math.Abs(h) < 1e-4 {
		return 1 - h*h/6
	}
	return math.Sin(h) / h
}
