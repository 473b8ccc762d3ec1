package robot

import (
	"math"
	"time"
)

// A Description is the configuration of a robot that is known before it moves,
// such as robot/models/mybot.json; ParseDescription reads it. Poses are those of the parts in
// base_link.
type Description struct {
	Name          string
	Body          Body
	Drivetrain    Drivetrain
	Encoder       Encoder // zero = the base reports only travel
	Hardware      Limit   // limits of the motors
	Safe          Limit   // limits within which Mybot drives
	TurningRadius float64 // m, smallest turning radius of the axle point; 0 = the robot turns in place
	Sonars        []Sonar
	Lidars        []Lidar
	Compass       bool
	CompassOffset float64 // rad, added to the compass heading to get the yaw in map
	TurnFromIMU   bool    // turning is measured by the gyroscope, because the wheels skid
	Bumper        bool
	OKSwitch      bool
	Speaker       bool          // the base can speak a text
	Microphone    bool          // Mybot hears what is to be heard at the robot
	Display       bool          // the base has a display
	Head          *Head         // nil = no head
	Battery       BatteryPack   // zero = the base does not report its battery
	Links         []Link        // tree from base_link; none = only the body is known
	Joints        []Joint       // they move links
	Frames        []NamedFrame  // named points of links
	Rate          float64       // Hz, of the readings
	Holds         time.Duration // how long the base executes a twist
}

// SeesObstacles reports whether the robot has range sensors.
func (d Description) SeesObstacles() bool { return len(d.Sonars)+len(d.Lidars) > 0 }

// MaxTravel returns the longest plausible travel of a wheel in dt seconds, in m. The bound
// is generous: a longer travel is a fault.
func (d Description) MaxTravel(dt float64) float64 {
	fastest := d.Hardware.Linear + d.Hardware.Angular*d.Drivetrain.WheelBase/2
	return 2*fastest*math.Max(dt, 1/d.Rate) + 0.05
}

// Body is the robot's size and shape.
type Body struct {
	Length float64 // m along x
	Width  float64 // m along y
	Height float64 // m
	Mass   float64 // kg
	Hull   []Point // convex, counter-clockwise, in base_link; by default the rectangle of Length and Width
}

// Outline returns the corners of the hull, convex and counter-clockwise, in base_link.
func (b Body) Outline() []Point {
	if len(b.Hull) >= 3 {
		return b.Hull
	}
	x, y := b.Length/2, b.Width/2
	return []Point{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}}
}

// Radius returns the distance of the farthest corner of the hull from base_link, in m.
func (b Body) Radius() float64 {
	radius := 0.0
	for _, p := range b.Outline() {
		radius = math.Max(radius, p.Norm())
	}
	return radius
}

// HalfWidth returns the distance of the farthest corner of the hull from the x axis of
// base_link, in m.
func (b Body) HalfWidth() float64 {
	half := 0.0
	for _, p := range b.Outline() {
		half = math.Max(half, math.Abs(p.Y))
	}
	return half
}

// Clearance returns the free distance around base_link that a goal requires, in m: the
// radius of the hull plus at least 1.5 cm, in whole centimetres. The planner uses no cell
// with less. For Mybot it is 0.36 m.
func (b Body) Clearance() float64 { return math.Ceil(100*(b.Radius()+0.015)) / 100 }

// Encoder describes the wheel encoders.
type Encoder struct {
	WheelRadius float64 // m
	Ticks       int     // per revolution of the wheel
}

// Travel returns how far the wheel rolls, in m, in a number of ticks.
func (e Encoder) Travel(ticks int32) float64 {
	return float64(ticks) * 2 * math.Pi * e.WheelRadius / float64(e.Ticks)
}

// Sonar is one sonar.
type Sonar struct {
	Pose   Pose    // of its face in base_link
	Height float64 // m, above the floor; 0 = unknown
	Link   string  // the link or named frame it is on; "" = base_link
	Beam   float64 // rad, full opening angle
	Min    float64 // m
	Max    float64 // m
}

// Head is the pan/tilt head with its camera.
type Head struct {
	X, Z             float64 // m, of the pan axis in base_link
	Link             string  // the link or named frame it is on; "" = base_link
	PanMin, PanMax   float64 // rad
	TiltMin, TiltMax float64 // rad
	Speed            float64 // rad/s
	Camera           Optics
}

// Optics describes the camera on the head.
type Optics struct {
	Forward       float64 // m ahead of the pan axis
	Width, Height int     // pixels
	FieldOfView   float64 // rad, horizontal
}

// BatteryPack describes the battery and the power that the robot draws.
type BatteryPack struct {
	Volts    float64 // V, nominal
	Capacity float64 // Ah
	Idle     float64 // W, while standing
	Moving   float64 // W, additional at the safe speed
	Charger  float64 // W, charging power at the dock
}
