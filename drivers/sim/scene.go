package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"mybot/robot"
)

// A Scene is what the simulator adds to a floor plan: where the robot starts,
// what stands or walks there without being on the map, and how large the
// errors of the robot are. The zero Scene adds nothing and has no errors.
type Scene struct {
	Start     robot.Pose // of base_link in map
	Drained   float64    // how empty the battery is at the start: 0 full, 1 empty
	Obstacles []Obstacle
	People    []Person
	Magnets   []Magnet
	Wheels    WheelErrors
	Compass   CompassErrors
	Sonar     SonarErrors
}

// Obstacle is a round thing that is not on the map.
type Obstacle struct {
	Name   string
	Point  robot.Point // its middle, in map
	Radius float64     // m
	Height float64     // m; 0 = as high as the sonars can see
}

// Person walks from stop to stop of their route and from the last to the first.
type Person struct {
	Name   string
	Speed  float64 // m/s
	Radius float64 // m
	Route  []RouteStop
}

// RouteStop is a point that a person walks to.
type RouteStop struct {
	Point robot.Point // in map
	Pause float64     // s they stand there, on average
}

// Magnet is a place where the compass turns away from the truth.
type Magnet struct {
	Point     robot.Point // its middle, in map
	Radius    float64     // m
	Deviation float64     // rad, in the middle
}

// WheelErrors is how far the wheels are from what odometry takes them for.
type WheelErrors struct {
	LeftRadius  float64 // by how much of its radius the left wheel is larger
	RightRadius float64 // the same for the right one
	WheelBase   float64 // by how much of its length the wheel base is longer
	Slip        float64 // standard deviation of the share of the way that a wheel slips
	Grip        float64 // share of the way lost at the hardware's acceleration, and won when braking
}

// CompassErrors is how far the compass is from the true yaw.
type CompassErrors struct {
	Noise float64 // rad, standard deviation
	Bias  float64 // rad
	Iron  float64 // rad, amplitude of the part that goes with the sine of the yaw
}

// SonarErrors is how the sonars differ from a measuring tape.
type SonarErrors struct {
	Noise      float64 // m, standard deviation
	NoiseShare float64 // of the range, more of it
	Dropout    float64 // chance that an echo is not heard at all
	Crosstalk  float64 // chance that a sonar hears the ping of another one
	Stray      float64 // chance that it tells a range that has nothing to do with anything
	Slant      float64 // rad from its normal up to which a face answers; 0 = any
	RoundSlant float64 // the same of round things; 0 = 60 degrees
	EdgeReach  float64 // m up to which the end of a wall is heard; 0 = 3 m
	Height     float64 // m; things lower than this are not seen
}

// DefaultScene returns a scene with nobody and nothing in it and the errors of
// an ordinary robot, those that a scene file has where it does not say.
func DefaultScene() Scene {
	return Scene{
		Wheels:  WheelErrors{LeftRadius: 0.001, RightRadius: -0.001, WheelBase: 0.005, Slip: 0.01, Grip: 0.01},
		Compass: CompassErrors{Noise: robot.Radians(1), Bias: robot.Radians(1.5), Iron: robot.Radians(1)},
		Sonar:   SonarErrors{Noise: 0.005, NoiseShare: 0.005, Dropout: 0.01, Crosstalk: 0.003, Slant: robot.Radians(22), Height: 0.3},
	}
}

// withoutErrors returns the scene without any error of the robot.
func (s Scene) withoutErrors() Scene {
	s.Wheels, s.Compass, s.Magnets = WheelErrors{}, CompassErrors{}, nil
	s.Sonar = SonarErrors{Height: s.Sonar.Height}
	return s
}

// maxScene is the longest scene file that is read, in bytes.
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
//	  "sonar": {"noise_m": 0.005, "noise_share": 0.005, "dropout": 0.01, "crosstalk": 0.003, "stray": 0, "slant_deg": 22, "round_slant_deg": 60, "edge_m": 3, "height_m": 0.3}
//	}
//
// Coordinates are metres in map. Only start is needed; what else is absent is
// as in DefaultScene, with a full battery. It is strict: every fault is told,
// with its place in the file and what would be right.
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
	if len(data) > maxScene {
		return Scene{}, fmt.Errorf("it is %d bytes long; it must be at most %d", len(data), maxScene)
	}
	if !utf8.Valid(data) {
		return Scene{}, errors.New("it is not UTF-8 text")
	}
	if err := json.Unmarshal(data, new(any)); err != nil {
		return Scene{}, place(data, err)
	}
	var faults []error
	s := readObject("", data, &faults).scene()
	return s, errors.Join(faults...)
}

// place adds line and column to an error of the JSON grammar.
func place(data []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	return fmt.Errorf("line %d, column %d: %w", line, len(before)-1-bytes.LastIndexByte(before, '\n'), err)
}

// far is the largest coordinate in a scene, in m.
const far = 1e5

func (o object) scene() Scene {
	s := DefaultScene()
	start := o.object("start", required)
	s.Start = robot.Pose{
		X:     start.number("x", -far, far, required),
		Y:     start.number("y", -far, far, required),
		Theta: robot.WrapAngle(robot.Radians(start.number("heading_deg", -360, 360, required))),
	}
	start.end()
	s.Drained = 1 - o.number("charge", 0, 1, 1)
	for _, b := range o.objects("obstacles", 1000) {
		s.Obstacles = append(s.Obstacles, Obstacle{
			Name:   b.text("name"),
			Point:  b.point(),
			Radius: b.number("radius_m", 0.01, 10, required),
			Height: b.number("height_m", 0.01, 10, required),
		})
		b.end()
	}
	for _, p := range o.objects("people", 100) {
		person := Person{
			Name:   p.text("name"),
			Speed:  p.number("speed_m_s", 0.05, 3, required),
			Radius: p.number("radius_m", 0.1, 0.6, 0.25),
		}
		stops := p.objects("route", 100)
		for _, q := range stops {
			person.Route = append(person.Route, RouteStop{Point: q.point(), Pause: q.number("pause_s", 0, 3600, 0)})
			q.end()
		}
		if p.there && len(stops) == 0 {
			p.fault("route", "must be a list of at least one stop with x and y")
		}
		p.end()
		s.People = append(s.People, person)
	}
	for _, m := range o.objects("magnets", 1000) {
		s.Magnets = append(s.Magnets, Magnet{
			Point:     m.point(),
			Radius:    m.number("radius_m", 0.05, 100, required),
			Deviation: robot.Radians(m.number("deviation_deg", -180, 180, required)),
		})
		m.end()
	}
	wheels := o.object("wheels", 0)
	s.Wheels.LeftRadius = wheels.number("left_radius_error", -0.2, 0.2, s.Wheels.LeftRadius)
	s.Wheels.RightRadius = wheels.number("right_radius_error", -0.2, 0.2, s.Wheels.RightRadius)
	s.Wheels.WheelBase = wheels.number("wheel_base_error", -0.2, 0.2, s.Wheels.WheelBase)
	s.Wheels.Slip = wheels.number("slip", 0, 0.5, s.Wheels.Slip)
	s.Wheels.Grip = wheels.number("acceleration_slip", 0, 0.5, s.Wheels.Grip)
	wheels.end()
	compass := o.object("compass", 0)
	s.Compass.Noise = compass.degrees("noise_deg", 0, 90, s.Compass.Noise)
	s.Compass.Bias = compass.degrees("bias_deg", -180, 180, s.Compass.Bias)
	s.Compass.Iron = compass.degrees("iron_deg", -90, 90, s.Compass.Iron)
	compass.end()
	sonar := o.object("sonar", 0)
	s.Sonar.Noise = sonar.number("noise_m", 0, 1, s.Sonar.Noise)
	s.Sonar.NoiseShare = sonar.number("noise_share", 0, 1, s.Sonar.NoiseShare)
	s.Sonar.Dropout = sonar.number("dropout", 0, 1, s.Sonar.Dropout)
	s.Sonar.Crosstalk = sonar.number("crosstalk", 0, 1, s.Sonar.Crosstalk)
	s.Sonar.Stray = sonar.number("stray", 0, 1, s.Sonar.Stray)
	s.Sonar.Slant = sonar.degrees("slant_deg", 1, 90, s.Sonar.Slant)
	s.Sonar.RoundSlant = sonar.degrees("round_slant_deg", 1, 90, s.Sonar.RoundSlant)
	s.Sonar.EdgeReach = sonar.number("edge_m", 0.01, 100, s.Sonar.EdgeReach)
	s.Sonar.Height = sonar.number("height_m", 0, 3, s.Sonar.Height)
	sonar.end()
	o.end()
	return s
}

// object is one JSON object on its way into a Scene. Fields are taken one by
// one; what is left at the end is unknown. Below an object that is absent or
// of a wrong kind nothing more is said.
type object struct {
	path   string
	there  bool
	fields map[string]json.RawMessage
	known  map[string]bool
	faults *[]error
}

// required in the place of a default says that there is none.
var required = math.NaN()

func (o object) fault(key, format string, args ...any) {
	*o.faults = append(*o.faults, fmt.Errorf("%s %s", join(o.path, key), fmt.Sprintf(format, args...)))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// readObject reads data, which is JSON by grammar.
func readObject(path string, data json.RawMessage, faults *[]error) object {
	o := object{path: path, fields: map[string]json.RawMessage{}, known: map[string]bool{}, faults: faults}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, _ := dec.Token(); t != json.Delim('{') {
		what := path
		if what == "" {
			what = "the file"
		}
		*faults = append(*faults, fmt.Errorf("%s is %s; it must be an object in braces", what, clip(data)))
		return o
	}
	o.there = true
	for dec.More() {
		t, _ := dec.Token()
		key, _ := t.(string)
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break // the grammar has been checked
		}
		if _, twice := o.fields[key]; twice {
			o.fault(key, "comes twice; it must come once")
			continue
		}
		o.fields[key] = raw
	}
	return o
}

// take returns the value of a field; ok is false when it is absent.
func (o object) take(key string) (raw json.RawMessage, ok bool) {
	o.known[key] = true
	raw, ok = o.fields[key]
	return raw, ok
}

func (o object) number(key string, low, high, instead float64) float64 {
	raw, ok := o.take(key)
	if !ok {
		if o.there && math.IsNaN(instead) {
			o.fault(key, "is missing; it must be a number between %g and %g", low, high)
		}
		return instead
	}
	var v *float64
	if err := json.Unmarshal(raw, &v); err != nil || v == nil || !(*v >= low && *v <= high) {
		o.fault(key, "is %s; it must be a number between %g and %g", clip(raw), low, high)
		return low
	}
	return *v
}

// degrees is number for an angle that the file has in degrees; instead and the
// result are in rad.
func (o object) degrees(key string, low, high, otherwise float64) float64 {
	if _, ok := o.fields[key]; !ok {
		o.known[key] = true
		return otherwise
	}
	return robot.Radians(o.number(key, low, high, required))
}

func (o object) point() robot.Point {
	return robot.Point{X: o.number("x", -far, far, required), Y: o.number("y", -far, far, required)}
}

// text returns a name; it may be absent.
func (o object) text(key string) string {
	raw, ok := o.take(key)
	if !ok {
		return ""
	}
	var v *string
	if err := json.Unmarshal(raw, &v); err != nil || v == nil || utf8.RuneCountInString(*v) > 40 {
		o.fault(key, "is %s; it must be text in quotes of at most 40 characters", clip(raw))
		return ""
	}
	return *v
}

// object returns the object of a field; one that may be absent is then empty.
func (o object) object(key string, instead float64) object {
	if raw, ok := o.take(key); ok {
		return readObject(join(o.path, key), raw, o.faults)
	}
	if o.there && math.IsNaN(instead) {
		o.fault(key, "is missing; it must be an object in braces")
	}
	return object{path: join(o.path, key), known: map[string]bool{}, faults: o.faults}
}

// objects returns the objects of a list; it may be absent.
func (o object) objects(key string, most int) []object {
	raw, ok := o.take(key)
	if !ok {
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil || len(list) > most {
		o.fault(key, "is %s; it must be a list of at most %d objects", clip(raw), most)
		return nil
	}
	var out []object
	for i, v := range list {
		out = append(out, readObject(fmt.Sprintf("%s[%d]", join(o.path, key), i), v, o.faults))
	}
	return out
}

// end tells of the fields that nobody has taken.
func (o object) end() {
	var known, unknown []string
	for key := range o.known {
		known = append(known, key)
	}
	for key := range o.fields {
		if !o.known[key] {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(known)
	slices.Sort(unknown)
	for _, key := range unknown {
		o.fault(clip([]byte(key)), "is not known; the fields here are %s", strings.Join(known, ", "))
	}
}

func clip(raw []byte) string {
	r := []rune(strings.Join(strings.Fields(string(raw)), " "))
	if len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return string(r)
}
