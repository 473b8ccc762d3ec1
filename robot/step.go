package robot

import "math"

// Tick is the duration of one Step of the virtual robot, in s.
const Tick = 0.01

// Motion is the pose and twist of the axle point M.
type Motion struct {
	Axle  Pose  `json:"axle"`  // of M, in map
	Twist Twist `json:"twist"` // at M
}

// Step returns the motion dt seconds later for the requested twist want: the speed changes
// by at most the accelerations of limit, a car turns no more tightly than its steering
// allows, and the axle moves along the exact arc of the new twist. The page's virtual robot
// is the same function in TypeScript; testdata/step.json checks both to 1e-9.
func Step(m Motion, want Twist, limit Limit, dt float64) Motion {
	t := limit.Slew(m.Twist, limit.Clamp(want), dt).LimitTurning(limit.TurningRadius)
	return Motion{Axle: moveAlongArc(m.Axle, t, dt), Twist: t}
}

// moveAlongArc returns the pose after dt seconds of constant twist t. With the half angle h
// = w dt/2 the chord has the length v dt sin(h)/h and the direction theta+h. This is the
// usual arc without the division by w.
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
