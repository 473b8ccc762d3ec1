package robot

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"mybot/strictjson"
)

// MaxDescription is the longest accepted description, in bytes.
const MaxDescription = 1 << 16

// Limits of the rate of readings, in Hz. The robot stops after 250 ms without one.
const minRate, maxRate = 10.0, 1000.0

// ParseDescription reads a description such as robot/models/mybot.json. Each key carries
// its unit, and angles are in degrees, because a person types them; the result is in SI
// units and radians. Body.Hull is always filled in.
//
// body, drivetrain, hardware, safe, rate_hz and holds_s are required. The robot lacks every
// part that is not named (encoder, sonars, lidars, compass, bumper, ok_switch, head,
// speaker, display, battery, links, joints, frames).
//
// Parsing is strict: a missing, unknown or repeated field, a value of the wrong type and a
// value out of range are faults. The error joins one sentence per fault, with the JSON path
// and the accepted values.
func ParseDescription(data []byte) (Description, error) {
	return parseDescription(data, readDescription)
}

// ParsePart reads the description of a part that is attached to a robot that drives: a name
// and any of the parts. It ignores what the description says about wheels. Its base_link is
// that of the robot.
func ParsePart(data []byte) (Description, error) { return parseDescription(data, readPart) }

func parseDescription(data []byte, read func(*strictjson.Object) Description) (Description, error) {
	if err := strictjson.Check(data, MaxDescription); err != nil {
		return Description{}, fmt.Errorf("robot: the description cannot be read: %w", err)
	}
	var faults []error
	d := read(strictjson.NewObject(data, "", func(f strictjson.Fault) {
		if f.Problem == strictjson.WrongValue {
			f.Want = strings.TrimPrefix(f.Want, "a number ")
		}
		faults = append(faults, f)
	}))
	if len(faults) > 0 {
		return Description{}, fmt.Errorf("robot: the description is not right:\n%w", errors.Join(faults...))
	}
	return d, nil
}

// readPart reads the description of an attached part.
func readPart(o *strictjson.Object) Description {
	d := readParts(o)
	for _, key := range []string{"body", "drivetrain", "encoder", "hardware", "safe", "rate_hz", "holds_s", "turning_radius_m", "turn_from"} {
		o.Take(key)
	}
	o.End()
	return d
}

// readParts reads the name and the parts.
func readParts(o *strictjson.Object) Description {
	d := Description{
		Name:     o.Text("name", "1 to 40 characters on one line, without a space at the ends", properName),
		Compass:  o.BoolOr("compass"),
		Bumper:   o.BoolOr("bumper"),
		OKSwitch: o.BoolOr("ok_switch"),
		Speaker:  o.BoolOr("speaker"),
		Display:  o.BoolOr("display"),
	}
	readLinks(o, &d)
	if o.Has("battery") {
		d.Battery = readBattery(o.Object("battery"))
	}
	for _, s := range o.ObjectsOr("sonars", 64) {
		d.Sonars = append(d.Sonars, readSonar(s, &d))
	}
	for _, l := range o.ObjectsOr("lidars", maxLidars) {
		d.Lidars = append(d.Lidars, readLidar(l, &d))
	}
	if o.Has("compass_offset_deg") {
		d.CompassOffset = Radians(o.Number("compass_offset_deg", -360, 360))
	}
	if o.Has("head") {
		d.Head = readHead(o.Object("head"), &d)
	}
	return d
}

func readDescription(o *strictjson.Object) Description {
	d := readParts(o)
	d.Body = readBody(o.Object("body"))
	d.Drivetrain = readDrivetrain(o.Object("drivetrain"))
	d.Hardware = readLimit(o.Object("hardware"))
	d.Safe = readLimit(o.Object("safe"))
	d.Rate = o.Number("rate_hz", minRate, maxRate)
	d.Holds = time.Duration(math.Round(o.Number("holds_s", 0.02, 1) * float64(time.Second)))
	if period := 1 / d.Rate; d.Holds > 0 && d.Rate > 0 && d.Holds.Seconds() < period-1e-9 {
		o.Explain("holds_s", "is %g; it must be at least 1/rate_hz, %.4g, or the robot brakes between two readings", d.Holds.Seconds(), period)
	}
	if o.Has("encoder") {
		d.Encoder = readEncoder(o.Object("encoder"))
	}
	if o.Has("turning_radius_m") {
		d.TurningRadius = o.Number("turning_radius_m", 0.05, 20)
	}
	if o.Has("turn_from") {
		d.TurnFromIMU = o.Text("turn_from", "wheels or imu", func(s string) bool { return s == "wheels" || s == "imu" }) == "imu"
	}
	o.End()
	for _, c := range []struct {
		key            string
		safe, hardware float64
	}{
		{"linear_m_s", d.Safe.Linear, d.Hardware.Linear},
		{"angular_deg_s", Degrees(d.Safe.Angular), Degrees(d.Hardware.Angular)},
		{"linear_acceleration_m_s2", d.Safe.LinearAcceleration, d.Hardware.LinearAcceleration},
		{"angular_acceleration_deg_s2", Degrees(d.Safe.AngularAcceleration), Degrees(d.Hardware.AngularAcceleration)},
	} {
		if c.safe > c.hardware*(1+1e-9) && c.hardware > 0 {
			o.Explain("safe."+c.key, "is %.6g; it must be at most the hardware's, %.6g", c.safe, c.hardware)
		}
	}
	return d
}

func readBody(o *strictjson.Object) Body {
	b := Body{
		Length: o.Number("length_m", 0.1, 3),
		Width:  o.Number("width_m", 0.1, 3),
		Height: o.Number("height_m", 0.05, 3),
		Mass:   o.Number("mass_kg", 0.1, 2000),
	}
	x, y := b.Length/2, b.Width/2
	b.Hull = []Point{{-x, -y}, {x, -y}, {x, y}, {-x, y}}
	if o.Has("hull") {
		b.Hull = nil
		for _, p := range o.Objects("hull", 64) {
			b.Hull = append(b.Hull, Point{X: p.Number("x_m", -3, 3), Y: p.Number("y_m", -3, 3)})
			p.End()
		}
		if !isConvex(b.Hull) {
			o.Explain("hull", "must be at least three corners of a convex outline around (0, 0), counter-clockwise")
		}
	}
	o.End()
	return b
}

// isConvex reports whether the corners go once around the origin and always turn left.
func isConvex(hull []Point) bool {
	turn := 0.0
	for i, a := range hull {
		b, c := hull[(i+1)%len(hull)], hull[(i+2)%len(hull)]
		if b.Sub(a).Cross(c.Sub(b)) <= 0 || a.Cross(b) <= 0 {
			return false
		}
		turn += math.Atan2(a.Cross(b), a.X*b.X+a.Y*b.Y)
	}
	return len(hull) >= 3 && math.Abs(turn-2*math.Pi) < 1e-6
}

func readDrivetrain(o *strictjson.Object) Drivetrain {
	d := Drivetrain{
		WheelBase:  o.Number("wheel_base_m", 0.05, 3),
		AxleOffset: o.Number("axle_offset_m", -1, 1),
	}
	o.End()
	return d
}

func readEncoder(o *strictjson.Object) Encoder {
	e := Encoder{
		WheelRadius: o.Number("wheel_radius_m", 0.01, 1),
		Ticks:       o.Whole("ticks_per_turn", 8, 10_000_000),
	}
	o.End()
	return e
}

func readLimit(o *strictjson.Object) Limit {
	l := Limit{
		Linear:              o.Number("linear_m_s", 0.01, 5),
		Angular:             Radians(o.Number("angular_deg_s", 1, 720)),
		LinearAcceleration:  o.Number("linear_acceleration_m_s2", 0.01, 10),
		AngularAcceleration: Radians(o.Number("angular_acceleration_deg_s2", 1, 3600)),
	}
	o.End()
	return l
}

func readSonar(o *strictjson.Object, d *Description) Sonar {
	s := Sonar{
		Beam: Radians(o.Number("beam_deg", 1, 90)),
		Min:  o.Number("min_m", 0, 1),
		Max:  o.Number("max_m", 0.5, 20),
	}
	mountSonar(o, d, &s)
	if s.Min >= s.Max && s.Max != 0 {
		o.Explain("min_m", "is %g; it must be less than max_m, %g", s.Min, s.Max)
	}
	o.End()
	return s
}

// Limits of a lidar's description.
const (
	maxLidars   = 4
	maxBeams    = 4096
	minScanRate = 1.0  // Hz
	maxScanRate = 40.0 // Hz
	maxSectors  = 16   // in a mask
)

func readLidar(o *strictjson.Object, d *Description) Lidar {
	l := Lidar{
		From:  Radians(o.Number("from_deg", -360, 360)),
		Step:  Radians(o.Number("step_deg", -180, 180)),
		Beams: o.Whole("beams", 1, maxBeams),
		Min:   o.Number("min_m", 0, 5),
		Max:   o.Number("max_m", 0.5, 300),
		Rate:  o.Number("rate_hz", minScanRate, maxScanRate),
		Mask:  readMask(o),
	}
	switch around := Degrees(l.Step) * float64(l.Beams-1); {
	case l.Step == 0 && l.Beams > 1 && o.Contains("step_deg"):
		o.Explain("step_deg", "is 0; it must be the angle from beam to beam, positive for a lidar that turns left, negative for one that turns right")
	case math.Abs(around) > 360+1e-6:
		o.Explain("step_deg", "is %.6g, so %d beams reach over %.6g degrees; they must reach over at most 360", Degrees(l.Step), l.Beams, math.Abs(around))
	}
	if l.Min >= l.Max && l.Max != 0 {
		o.Explain("min_m", "is %g; it must be less than max_m, %g", l.Min, l.Max)
	}
	if len(l.Mask) > 0 && l.Beams > 0 && l.masksAll() {
		o.Explain("mask_deg", "masks all beams; it must leave at least one")
	}
	mountLidar(o, d, &l)
	o.End()
	return l
}

// readMask reads the sectors in which a lidar sees the robot itself.
func readMask(o *strictjson.Object) (mask []Sector) {
	const key, want = "mask_deg", "a list of at most 16 pairs of degrees like [80, 95], each from its first to its second counter-clockwise"
	value := o.Take(key)
	if value == nil {
		return nil
	}
	pairs, ok := strictjson.OpenList(value)
	for ok {
		var pair []byte
		if pair, ok = pairs.Next(); !ok {
			return mask
		}
		var degrees [2]float64
		switch {
		case len(mask) == maxSectors || !strictjson.Numbers(pair, degrees[:]):
			ok = false
		case math.Abs(degrees[0]) > 360 || math.Abs(degrees[1]) > 360 || math.Mod(degrees[1]-degrees[0], 360) == 0:
			o.Explain(key, "has [%g, %g]; both must be between -360 and 360, and they must be different directions", degrees[0], degrees[1])
			return nil
		default:
			mask = append(mask, Sector{From: Radians(degrees[0]), To: Radians(degrees[1])})
		}
	}
	o.Reject(key, want)
	return nil
}

func readHead(o *strictjson.Object, d *Description) *Head {
	h := &Head{
		PanMin:  Radians(o.Number("pan_min_deg", -180, 0)),
		PanMax:  Radians(o.Number("pan_max_deg", 0, 180)),
		TiltMin: Radians(o.Number("tilt_min_deg", -90, 0)),
		TiltMax: Radians(o.Number("tilt_max_deg", 0, 90)),
		Speed:   Radians(o.Number("speed_deg_s", 1, 720)),
	}
	c := o.Object("camera")
	h.Camera = Optics{
		Forward:     c.Number("forward_m", -0.5, 0.5),
		Width:       c.Whole("width_px", 16, 8192),
		Height:      c.Whole("height_px", 16, 8192),
		FieldOfView: Radians(c.Number("field_of_view_deg", 10, 170)),
	}
	c.End()
	mountHead(o, d, h)
	o.End()
	return h
}

func readBattery(o *strictjson.Object) BatteryPack {
	b := BatteryPack{
		Volts:    o.Number("nominal_v", 1, 500),
		Capacity: o.Number("capacity_ah", 0.1, 10_000),
		Idle:     o.Number("idle_w", 0, 10_000),
		Moving:   o.Number("moving_w", 0, 10_000),
		Charger:  o.Number("charger_w", 0, 10_000),
	}
	o.End()
	return b
}

// properName reports whether s is a valid name of a robot.
func properName(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= 40 && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, Steers)
}
