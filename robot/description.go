package robot

import (
	"math"
	"time"
)

// A Description is what is known about a robot before it moves: robots/*.json
// read by ParseDescription. Poses are of the part in base_link.
type Description struct {
	Name          string
	Body          Body
	Drivetrain    Drivetrain
	Encoder       Encoder // zero = it reports travel only
	Hardware      Limit   // what the motors can do
	Safe          Limit   // what the robot ever does
	TurningRadius float64 // m, of the axle point: the smallest that the steering allows; 0 = it turns in place
	Sonars        []Sonar
	Lidars        []Lidar
	Compass       bool
	CompassOffset float64 // rad, added to what the compass reports to make it a yaw in map
	TurnFromIMU   bool    // its turning is that of the gyroscope, because its wheels skid
	Bumper        bool
	OKSwitch      bool
	Speaker       bool          // it can say a text
	Display       bool          // it has a screen that people beside it see
	Head          *Head         // nil = no head
	Battery       BatteryPack   // zero = it does not report its battery
	Links         []Link        // a tree from base_link; none = only its body is known
	Joints        []Joint       // what moves links
	Frames        []NamedFrame  // named points of links
	Rate          float64       // Hz, readings
	Holds         time.Duration // how long the base keeps a command
}

// SeesObstacles reports whether the robot has a sensor that measures how far things are.
func (d Description) SeesObstacles() bool { return len(d.Sonars)+len(d.Lidars) > 0 }

// MaxTravel returns how far a wheel of this robot can have rolled in dt seconds, in m.
// It is generous: what is more is wrong.
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
	Hull   []Point // convex, counter-clockwise, in base_link; the rectangle of Length and Width when not given
}

// Outline returns the corners of the hull, convex and counter-clockwise, in base_link.
func (b Body) Outline() []Point {
	if len(b.Hull) >= 3 {
		return b.Hull
	}
	x, y := b.Length/2, b.Width/2
	return []Point{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}}
}

// Radius returns how far the farthest corner of the hull is from base_link, in m.
func (b Body) Radius() float64 {
	radius := 0.0
	for _, p := range b.Outline() {
		radius = math.Max(radius, p.Norm())
	}
	return radius
}

// Clearance returns how far base_link must be from everything for the robot to be
// sent there, in m: its radius and at least 1.5 cm, in whole centimetres. The
// planner drives through no cell with less. For Mybot it is 0.36 m.
func (b Body) Clearance() float64 { return math.Ceil(100*(b.Radius()+0.015)) / 100 }

// Encoder is how travel is counted.
type Encoder struct {
	WheelRadius float64 // m
	Ticks       int     // per turn of the wheel
}

// Sonar is one range finder.
type Sonar struct {
	Pose   Pose    // of its face in base_link
	Height float64 // m, above the floor; 0 = not known
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

// Optics is how the camera sits and sees.
type Optics struct {
	Forward       float64 // m ahead of the pan axis
	Width, Height int     // pixels
	FieldOfView   float64 // rad, horizontal
}

// BatteryPack is the battery's size and the robot's appetite.
type BatteryPack struct {
	Volts    float64 // V, nominal
	Capacity float64 // Ah
	Idle     float64 // W, standing
	Moving   float64 // W more at the safe speed
	Charger  float64 // W put back at the dock
}
