package robot

import "math"

// Wheels is a pair of lengths or speeds, one for each driven wheel: m or m/s.
type Wheels struct {
	Left  float64 `json:"left"`
	Right float64 `json:"right"`
}

// A Drivetrain is the geometry of a differential drive (Han 2002, figure 2).
// M is the middle of the axle; the robot's centre C, base_link, lies
// AxleOffset ahead of it.
type Drivetrain struct {
	WheelBase  float64 `json:"wheelBase"`  // m between the wheels, L of eq. 1
	AxleOffset float64 `json:"axleOffset"` // m from M to C, D of eq. 2
}

// Twist returns the twist at M for wheels that roll without slip, by eq. 1.
func (d Drivetrain) Twist(w Wheels) Twist {
	return Twist{
		Linear:  (w.Right + w.Left) / 2,
		Angular: (w.Right - w.Left) / d.WheelBase,
	}
}

// Wheels returns the wheel speeds for a twist at M: the inverse of eq. 1.
func (d Drivetrain) Wheels(t Twist) Wheels {
	turn := t.Angular * d.WheelBase / 2
	return Wheels{Left: t.Linear - turn, Right: t.Linear + turn}
}

// Rate returns the rate of change of the centre's pose in map while M moves with t and the
// robot's heading is theta, by eq. 2. X and Y are in m/s; Theta is in rad/s and not
// wrapped.
func (d Drivetrain) Rate(theta float64, t Twist) Pose {
	sin, cos := math.Sincos(theta)
	return Pose{
		X:     cos*t.Linear - d.AxleOffset*sin*t.Angular,
		Y:     sin*t.Linear + d.AxleOffset*cos*t.Angular,
		Theta: t.Angular,
	}
}

// Axle returns the pose of M for the centre's pose c.
func (d Drivetrain) Axle(c Pose) Pose {
	return c.Compose(Pose{X: -d.AxleOffset})
}

// Centre returns the pose of C for the axle's pose m.
func (d Drivetrain) Centre(m Pose) Pose {
	return m.Compose(Pose{X: d.AxleOffset})
}

// Roll returns the centre's pose after wheel travel, in m, at constant speeds: the exact
// arc of eq. 1 and 2.
func (d Drivetrain) Roll(c Pose, travel Wheels) Pose {
	return d.Centre(moveAlongArc(d.Axle(c), d.Twist(travel), 1))
}

// TravelBetween returns the wheel travel, in m, on the arc from one pose of the centre to
// another: the inverse of Roll. It ignores sideways motion.
func (d Drivetrain) TravelBetween(from, to Pose) Wheels {
	if from == to {
		return Wheels{} // exactly zero, so that a standing robot counts as still
	}
	by := d.Axle(from).Inverse().Compose(d.Axle(to))
	turn := WrapAngle(by.Theta)
	sin, cos := math.Sincos(turn / 2)
	way := by.X*cos + by.Y*sin // chord length, m
	if math.Abs(turn) > 1e-6 {
		way *= turn / 2 / sin
	}
	return d.Wheels(Twist{Linear: way, Angular: turn})
}
