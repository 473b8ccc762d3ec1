package protocol

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// A Robot is what a client needs to draw the robot, to respect its limits and to
// predict its motion.
type Robot struct {
	Name   string     `json:"name"`
	Place  string     `json:"place"`
	Length Number     `json:"length"` // m
	Width  Number     `json:"width"`  // m
	Height Number     `json:"height"` // m, of the body
	Hull   [][]Number `json:"hull"`   // m, its corners in base_link, counter-clockwise; convex
	Safe   []Number   `json:"safe"`   // m/s, rad/s
	Drive  []Number   `json:"drive"`  // m/s, rad/s, the most that a driver may ask for: the limit of the virtual robot
	Slew   []Number   `json:"slew"`   // m/s2, rad/s2, of the virtual robot
	Axle   Number     `json:"axle"`   // m, from the centre back to the axle
	Sonars [][]Number `json:"sonars"` // poses in base_link
	Beam   Number     `json:"beam"`   // rad
	Range  Number     `json:"range"`  // m, of the sonars, or of the lidars if there are no sonars
	Period int64      `json:"period_ms"`

	SonarHeights []Number `json:"sonar_heights,omitempty"` // m above the floor, null = unknown; nil = all unknown
	Lidars       []Lidar  `json:"lidars,omitempty"`

	TurningRadius Number `json:"turning_radius,omitempty"` // m, of the axle; 0 = turns in place

	WheelBase   Number `json:"wheel_base"`             // m, track width: from wheel to wheel
	WheelRadius Number `json:"wheel_radius,omitempty"` // m; 0 = not known

	Parts []robot.Part `json:"parts"`

	Head *Head `json:"head,omitempty"` // nil = no head

	Links  []RobotLink  `json:"links,omitempty"` // a tree from base_link; nil = only its body is known
	Joints []Joint      `json:"joints,omitempty"`
	Frames []NamedFrame `json:"frames,omitempty"`
}

// A Lidar is the mounting of a lidar.
type Lidar struct {
	Pose   []Number `json:"pose"`   // of its centre in base_link
	Height Number   `json:"height"` // m above the floor
}

// A Head is how the head turns, and the mounting and field of view of its camera.
type Head struct {
	X       Number   `json:"x"`       // m, of the pan axis in base_link
	Z       Number   `json:"z"`       // m, of the pinhole above the floor
	Pan     []Number `json:"pan"`     // rad, minimum and maximum
	Tilt    []Number `json:"tilt"`    // rad
	Speed   Number   `json:"speed"`   // rad/s
	Forward Number   `json:"forward"` // m, from the pan axis forward to the pinhole
	Width   int      `json:"width"`   // pixels
	Height  int      `json:"height"`
	Field   Number   `json:"field"` // rad, the horizontal field of view
}

// RobotOf returns the wire form of the robot. period is the time between two
// states; more are parts beyond those of the description.
func RobotOf(d robot.Description, place string, period time.Duration, more ...robot.Part) Robot {
	drive := playout.LimitOf(d)
	m := Robot{
		Name: d.Name, Place: place,
		Length: Number(d.Body.Length), Width: Number(d.Body.Width), Height: Number(d.Body.Height), Hull: hullOf(d.Body),
		Safe:   twistOf(robot.Twist{Linear: d.Safe.Linear, Angular: d.Safe.Angular}),
		Drive:  twistOf(robot.Twist{Linear: drive.Linear, Angular: drive.Angular}),
		Slew:   []Number{Number(drive.LinearAcceleration), Number(drive.AngularAcceleration)},
		Axle:   Number(d.Drivetrain.AxleOffset),
		Sonars: make([][]Number, len(d.Sonars)),
		Period: period.Milliseconds(),
		Parts:  append(d.Parts(), more...),

		TurningRadius: Number(d.TurningRadius),
		WheelBase:     Number(d.Drivetrain.WheelBase),
		WheelRadius:   Number(d.Encoder.WheelRadius),
	}
	for i, s := range d.Sonars {
		m.Sonars[i] = PoseOf(s.Pose)
		m.Beam = max(m.Beam, Number(s.Beam))
		m.Range = max(m.Range, Number(s.Max))
	}
	for _, l := range d.Lidars {
		m.Lidars = append(m.Lidars, Lidar{PoseOf(l.Pose), Number(l.Height)})
		if len(d.Sonars) == 0 {
			m.Range = max(m.Range, Number(l.Max))
		}
	}
	if slices.ContainsFunc(d.Sonars, func(s robot.Sonar) bool { return s.Height > 0 }) {
		for _, s := range d.Sonars {
			height := Number(s.Height)
			if height == 0 {
				height = Number(math.NaN())
			}
			m.SonarHeights = append(m.SonarHeights, height)
		}
	}
	m.setLinks(d)
	if h := d.Head; h != nil {
		m.Head = &Head{
			X: Number(h.X), Z: Number(h.Z),
			Pan: []Number{Number(h.PanMin), Number(h.PanMax)}, Tilt: []Number{Number(h.TiltMin), Number(h.TiltMax)}, Speed: Number(h.Speed),
			Forward: Number(h.Camera.Forward), Width: h.Camera.Width, Height: h.Camera.Height, Field: Number(h.Camera.FieldOfView),
		}
	}
	return m
}

// hullOf returns the corners of a body, by default those of its length and width.
func hullOf(b robot.Body) [][]Number {
	hull := b.Hull
	if len(hull) == 0 {
		x, y := b.Length/2, b.Width/2
		hull = []robot.Point{{X: -x, Y: -y}, {X: x, Y: -y}, {X: x, Y: y}, {X: -x, Y: y}}
	}
	corners := make([][]Number, len(hull))
	for i, p := range hull {
		corners[i] = numbersOf(p.X, p.Y)
	}
	return corners
}
