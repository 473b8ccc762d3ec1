package sim

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"unicode/utf8"

	"mybot/robot"
	"mybot/strictjson"
)

// A Scene is what the simulator adds to a floor plan: the robot's start, obstacles
// and people that are not on the map, and the errors of the robot. The zero Scene
// adds nothing and has no errors.
type Scene struct {
	Start     robot.Pose // of base_link in map
	Drained   float64    // share of the battery's charge that is missing at the start
	Obstacles []Obstacle
	People    []Person
	Magnets   []Magnet
	Wheels    WheelErrors
	Compass   CompassErrors
	Sonar     SonarErrors
	Lidar     LidarErrors
}

// Obstacle is a round object that is not on the map.
type Obstacle struct {
	Name   string
	Point  robot.Point // its centre, in map
	Radius float64     // m
	Height float64     // m; 0 = as high as the sonars and lidars can see
	Dark   bool        // it reflects little light
}

// Person walks from stop to stop of a route, and from the last to the first.
type Person struct {
	Name   string
	Speed  float64 // m/s
	Radius float64 // m
	Dark   bool    // the clothes reflect little light
	Legs   bool    // a lidar below the knees sees two legs instead of a body
	Route  []RouteStop

	Inattentive bool // they ignore the robot, and neither walk around it nor keep away from it
	Beside      int  // the number, from 1, of an earlier person whom they walk beside instead of following a route; 0 = none
}

// RouteStop is a point that a person walks to.
type RouteStop struct {
	Point robot.Point // in map
	Pause float64     // s that they stand there, on average
}

// Magnet is a place where the compass deviates.
type Magnet struct {
	Point     robot.Point // its centre, in map
	Radius    float64     // m
	Deviation float64     // rad, at the centre
}

// WheelErrors is how the wheels differ from the model of odometry.
type WheelErrors struct {
	LeftRadius  float64 // relative error of the left wheel's radius
	RightRadius float64 // relative error of the right wheel's radius
	WheelBase   float64 // relative error of the wheel base
	Slip        float64 // standard deviation of the share of travel that slips
	Grip        float64 // share of travel lost at the hardware's acceleration, and gained when braking
}

// CompassErrors is how the compass differs from the true yaw.
type CompassErrors struct {
	Noise float64 // rad, standard deviation
	Bias  float64 // rad
	Iron  float64 // rad, amplitude of the part that varies with the sine of the yaw
}

// SonarErrors is how the sonars differ from ideal ones.
type SonarErrors struct {
	Noise      float64 // m, standard deviation
	NoiseShare float64 // further standard deviation, as a share of the range
	Dropout    float64 // probability of missing an echo
	Crosstalk  float64 // probability of hearing another sonar's ping
	Stray      float64 // probability of an arbitrary range
	Slant      float64 // rad, largest angle from its normal at which a face returns an echo; 0 = any
	RoundSlant float64 // the same for round things; 0 = 60 degrees
	EdgeReach  float64 // m, largest distance at which the end of a wall is heard; 0 = 3 m
	Height     float64 // m; lower things are not detected
}

// LidarErrors is how the lidars differ from ideal ones.
type LidarErrors struct {
	Noise      float64 // m, standard deviation
	NoiseShare float64 // further standard deviation, as a share of the range
	Lost       float64 // probability that a beam measures nothing
	DarkLost   float64 // the additional probability on dark things
	Mixed      float64 // probability that a beam at an edge measures a range between the two sides
	GlassSlant float64 // rad, largest angle from its normal at which glass reflects; 0 = any
}

// DefaultScene returns a scene without people and things and with the errors of an
// ordinary robot, which are also the defaults of a scene file.
func DefaultScene() Scene {
	return Scene{
		Wheels:  WheelErrors{LeftRadius: 0.001, RightRadius: -0.001, WheelBase: 0.005, Slip: 0.01, Grip: 0.01},
		Compass: CompassErrors{Noise: robot.Radians(1), Bias: robot.Radians(1.5), Iron: robot.Radians(1)},
		Sonar:   SonarErrors{Noise: 0.005, NoiseShare: 0.005, Dropout: 0.01, Crosstalk: 0.003, Slant: robot.Radians(22), Height: 0.3},
		Lidar:   LidarErrors{Noise: 0.01, NoiseShare: 0.005, Lost: 0.005, DarkLost: 0.3, Mixed: 0.2, GlassSlant: robot.Radians(8)},
	}
}

// withoutErrors returns the scene with an error-free robot.
func (s Scene) withoutErrors() Scene {
	s.Wheels, s.Compass, s.Magnets = WheelErrors{}, CompassErrors{}, nil
	s.Sonar, s.Lidar = SonarErrors{Height: s.Sonar.Height}, LidarErrors{}
	return s
}

// maxScene is the longest scene file, in bytes.
const maxScene = 1 << 18

// ReadScene reads a scene file such as maps/office/scene.json:
//
//	{
//	  "start": {"x": 4.5, "y": 7.3, "heading_deg": 0},
//	  "charge": 0.78,
//	  "obstacles": [{"name": "Barrel", "x": 11.75, "y": 7.72, "radius_m": 0.2, "height_m": 0.9}],
//	  "people": [{"name": "Ana", "speed_m_s": 0.9, "radius_m": 0.25, "route": [{"x": 2, "y": 3, "pause_s": 8}, {"x": 6, "y": 3}]}],
//	  "magnets": [{"x": 16.9, "y": 10.7, "radius_m": 1.6, "deviation_deg": 25}],
//	  "wheels": {"left_radius_error": 0.001, "right_radius_error": -0.001, "wheel_base_error": 0.005, "slip": 0.01, "acceleration_slip": 0.01},
//	  "compass": {"noise_deg": 1, "bias_deg": 1.5, "iron_deg": 1},
//	  "sonar": {"noise_m": 0.005, "noise_share": 0.005, "dropout": 0.01, "crosstalk": 0.003, "stray": 0, "slant_deg": 22, "round_slant_deg": 60, "edge_m": 3, "height_m": 0.3},
//	  "lidar": {"noise_m": 0.01, "noise_share": 0.005, "lost": 0.005, "dark_lost": 0.3, "mixed": 0.2, "glass_slant_deg": 8}
//	}
//
// Coordinates are metres in map. With "dark": true a lidar often misses an obstacle
// or a person, and with "legs": true a lidar below the knees sees a person's two
// legs. Only start is required; everything else defaults to DefaultScene, with a full
// battery. Reading is strict: every fault is reported, with its place in the file and
// what would be right.
func ReadScene(fsys fs.FS, name string) (Scene, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return Scene{}, fmt.Errorf("sim: %w", err)
	}
	s, err := parseScene(data)
	if err != nil {
		return Scene{}, fmt.Errorf("sim: %s is not right:\n%w", name, err)
	}
	return s, nil
}

func parseScene(data []byte) (Scene, error) {
	if err := strictjson.Check(data, maxScene); err != nil {
		return Scene{}, err
	}
	var faults []error
	s := sceneOf(strictjson.NewObject(data, "", func(f strictjson.Fault) {
		slices.Sort(f.Known)
		faults = append(faults, f)
	}))
	return s, errors.Join(faults...)
}

// far is the largest coordinate in a scene, in m.
const far = 1e5

func sceneOf(o *strictjson.Object) Scene {
	s := DefaultScene()
	start := o.Object("start")
	s.Start = robot.Pose{
		X:     start.Number("x", -far, far),
		Y:     start.Number("y", -far, far),
		Theta: robot.WrapAngle(robot.Radians(start.Number("heading_deg", -360, 360))),
	}
	start.End()
	s.Drained = 1 - o.NumberOr("charge", 0, 1, 1)
	for _, b := range o.ObjectsOr("obstacles", 1000) {
		s.Obstacles = append(s.Obstacles, Obstacle{
			Name:   readName(b),
			Point:  readPoint(b),
			Radius: b.Number("radius_m", 0.01, 10),
			Height: b.Number("height_m", 0.01, 10),
			Dark:   b.BoolOr("dark"),
		})
		b.End()
	}
	for _, p := range o.ObjectsOr("people", 100) {
		person := Person{
			Name:   readName(p),
			Speed:  p.Number("speed_m_s", 0.05, 3),
			Radius: p.NumberOr("radius_m", 0.1, 0.6, 0.25),
			Dark:   p.BoolOr("dark"),
			Legs:   p.BoolOr("legs"),
		}
		stops := p.ObjectsOr("route", 100)
		for _, q := range stops {
			person.Route = append(person.Route, RouteStop{Point: readPoint(q), Pause: q.NumberOr("pause_s", 0, 3600, 0)})
			q.End()
		}
		if p.There() && len(stops) == 0 {
			p.Explain("route", "must be a list of at least one stop with x and y")
		}
		p.End()
		s.People = append(s.People, person)
	}
	for _, m := range o.ObjectsOr("magnets", 1000) {
		s.Magnets = append(s.Magnets, Magnet{
			Point:     readPoint(m),
			Radius:    m.Number("radius_m", 0.05, 100),
			Deviation: robot.Radians(m.Number("deviation_deg", -180, 180)),
		})
		m.End()
	}
	wheels := o.ObjectOr("wheels")
	s.Wheels.LeftRadius = wheels.NumberOr("left_radius_error", -0.2, 0.2, s.Wheels.LeftRadius)
	s.Wheels.RightRadius = wheels.NumberOr("right_radius_error", -0.2, 0.2, s.Wheels.RightRadius)
	s.Wheels.WheelBase = wheels.NumberOr("wheel_base_error", -0.2, 0.2, s.Wheels.WheelBase)
	s.Wheels.Slip = wheels.NumberOr("slip", 0, 0.5, s.Wheels.Slip)
	s.Wheels.Grip = wheels.NumberOr("acceleration_slip", 0, 0.5, s.Wheels.Grip)
	wheels.End()
	compass := o.ObjectOr("compass")
	s.Compass.Noise = degreesOr(compass, "noise_deg", 0, 90, s.Compass.Noise)
	s.Compass.Bias = degreesOr(compass, "bias_deg", -180, 180, s.Compass.Bias)
	s.Compass.Iron = degreesOr(compass, "iron_deg", -90, 90, s.Compass.Iron)
	compass.End()
	sonar := o.ObjectOr("sonar")
	s.Sonar.Noise = sonar.NumberOr("noise_m", 0, 1, s.Sonar.Noise)
	s.Sonar.NoiseShare = sonar.NumberOr("noise_share", 0, 1, s.Sonar.NoiseShare)
	s.Sonar.Dropout = sonar.NumberOr("dropout", 0, 1, s.Sonar.Dropout)
	s.Sonar.Crosstalk = sonar.NumberOr("crosstalk", 0, 1, s.Sonar.Crosstalk)
	s.Sonar.Stray = sonar.NumberOr("stray", 0, 1, s.Sonar.Stray)
	s.Sonar.Slant = degreesOr(sonar, "slant_deg", 1, 90, s.Sonar.Slant)
	s.Sonar.RoundSlant = degreesOr(sonar, "round_slant_deg", 1, 90, s.Sonar.RoundSlant)
	s.Sonar.EdgeReach = sonar.NumberOr("edge_m", 0.01, 100, s.Sonar.EdgeReach)
	s.Sonar.Height = sonar.NumberOr("height_m", 0, 3, s.Sonar.Height)
	sonar.End()
	lidar := o.ObjectOr("lidar")
	s.Lidar.Noise = lidar.NumberOr("noise_m", 0, 1, s.Lidar.Noise)
	s.Lidar.NoiseShare = lidar.NumberOr("noise_share", 0, 1, s.Lidar.NoiseShare)
	s.Lidar.Lost = lidar.NumberOr("lost", 0, 1, s.Lidar.Lost)
	s.Lidar.DarkLost = lidar.NumberOr("dark_lost", 0, 1, s.Lidar.DarkLost)
	s.Lidar.Mixed = lidar.NumberOr("mixed", 0, 1, s.Lidar.Mixed)
	s.Lidar.GlassSlant = degreesOr(lidar, "glass_slant_deg", 1, 90, s.Lidar.GlassSlant)
	lidar.End()
	o.End()
	return s
}

// degreesOr takes an optional angle in degrees; otherwise and the result are in
// rad.
func degreesOr(o *strictjson.Object, key string, low, high, otherwise float64) float64 {
	x := o.NumberOr(key, low, high, math.NaN())
	if math.IsNaN(x) {
		return otherwise
	}
	return robot.Radians(x)
}

func readPoint(o *strictjson.Object) robot.Point {
	return robot.Point{X: o.Number("x", -far, far), Y: o.Number("y", -far, far)}
}

// readName takes an optional name.
func readName(o *strictjson.Object) string {
	return o.TextOr("name", "text in quotes of at most 40 characters", func(s string) bool { return utf8.RuneCountInString(s) <= 40 })
}
