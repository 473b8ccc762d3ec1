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

// Twist returns the velocity at M of wheels that roll without slip: eq. 1.
func (d Drivetrain) Twist(w Wheels) Twist {
	return Twist{
		Linear:  (w.Right + w.Left) / 2,
		Angular: (w.Right - w.Left) / d.WheelBase,
	}
}

// Wheels returns the wheel speeds that give the twist at M: eq. 1 the other
// way round.
func (d Drivetrain) Wheels(t Twist) Wheels {
	turn := t.Angular * d.WheelBase / 2
	return Wheels{Left: t.Linear - turn, Right: t.Linear + turn}
}

// Rate returns how fast the centre's pose changes in the map when M moves
// with t while the robot is turned by theta: eq. 2. X and Y are m/s, Theta is
// rad/s and is not wrapped.
func (d Drivetrain) Rate(theta float64, t Twist) Pose {
	sin, cos := math.Sincos(theta)
	return Pose{
		X:     cos*t.Linear - d.AxleOffset*sin*t.Angular,
		Y:     sin*t.Linear + d.AxleOffset*cos*t.Angular,
		Theta: t.Angular,
	}
}

// Axle returns the pose of M when the centre's pose is c.
func (d Drivetrain) Axle(c Pose) Pose {
	return c.Compose(Pose{X: -d.AxleOffset})
}

// Centre returns the pose of C when the axle's pose is m.
func (d Drivetrain) Centre(m Pose) Pose {
	return m.Compose(Pose{X: d.AxleOffset})
}

// Roll returns the centre's pose after the wheels have rolled the lengths of
// travel, in m, at constant speeds: the exact arc of eq. 1 and 2.
func (d Drivetrain) Roll(c Pose, travel Wheels) Pose {
	return d.Centre(moveAlongArc(d.Axle(c), d.Twist(travel), 1))
}

// TravelBetween returns how far the wheels roll, in m, on the arc that leads from one
// pose of the centre to another: Roll the other way round. What moved the robot sideways
// is lost.
func (d Drivetrain) TravelBetween(from, to Pose) Wheels {
	if from == to {
		return Wheels{} // exactly, so that a robot that stands is seen to stand
	}
	by := d.Axle(from).Inverse().Compose(d.Axle(to))
	turn := WrapAngle(by.Theta)
	sin, cos := math.Sincos(turn / 2)
	way := by.X*cos + by.Y*sin // of the chord
	if math.Abs(turn) > 1e-6 {
		way *= turn / 2 / sin
	}
	return d.Wheels(Twist{Linear: way, Angular: turn})
}
