package robot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxDescription is the longest description that is read, in bytes.
const maxDescription = 1 << 16

// ParseDescription reads a description such as robots/mybot.json. Each key
// carries its unit, and angles are in degrees, because a person types them;
// the result is SI and radians. Body.Hull is always filled in.
//
// It is strict: a missing field, an unknown one, one that comes twice, a wrong
// kind of value and a value out of its range are faults, and the error joins
// one sentence for every fault, each with the JSON path and what is allowed.
func ParseDescription(data []byte) (Description, error) {
	root, faults := readTree(data)
	if root == nil {
		return Description{}, fmt.Errorf("robot: the description cannot be read: %w", errors.Join(faults...))
	}
	d := (&object{fields: root, faults: &faults}).description()
	if len(faults) > 0 {
		return Description{}, fmt.Errorf("robot: the description is not right:\n%w", errors.Join(faults...))
	}
	return d, nil
}

func (o *object) description() Description {
	d := Description{
		Name:       o.text("name", 40),
		Body:       o.object("body").body(),
		Drivetrain: o.object("drivetrain").drivetrain(),
		Encoder:    o.object("encoder").encoder(),
		Hardware:   o.object("hardware").limit(),
		Safe:       o.object("safe").limit(),
		Compass:    o.truth("compass"),
		Bumper:     o.truth("bumper"),
		OKSwitch:   o.truth("ok_switch"),
		Battery:    o.object("battery").battery(),
		Rate:       o.number("rate_hz", 1, 1000),
		Holds:      time.Duration(math.Round(o.number("holds_s", 0.02, 1) * float64(time.Second))),
	}
	for _, s := range o.objects("sonars", 64) {
		d.Sonars = append(d.Sonars, s.sonar())
	}
	if o.has("head") {
		d.Head = o.object("head").head()
	}
	o.end()
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
			o.fault("safe."+c.key, "is %.6g; it must be at most the hardware's, %.6g", c.safe, c.hardware)
		}
	}
	return d
}

func (o *object) body() Body {
	b := Body{
		Length: o.number("length_m", 0.1, 3),
		Width:  o.number("width_m", 0.1, 3),
		Height: o.number("height_m", 0.05, 3),
		Mass:   o.number("mass_kg", 0.1, 2000),
	}
	x, y := b.Length/2, b.Width/2
	b.Hull = []Point{{-x, -y}, {x, -y}, {x, y}, {-x, y}}
	if o.has("hull") {
		b.Hull = nil
		for _, p := range o.objects("hull", 64) {
			b.Hull = append(b.Hull, Point{X: p.number("x_m", -3, 3), Y: p.number("y_m", -3, 3)})
			p.end()
		}
		if !convex(b.Hull) {
			o.fault("hull", "must be at least three corners of a convex outline around (0, 0), counter-clockwise")
		}
	}
	o.end()
	return b
}

// convex tells whether the corners go once around the origin, always to the
// left.
func convex(hull []Point) bool {
	turn := 0.0
	for i, a := range hull {
		b, c := hull[(i+1)%len(hull)], hull[(i+2)%len(hull)]
		if cross(b.Sub(a), c.Sub(b)) <= 0 || cross(a, b) <= 0 {
			return false
		}
		turn += math.Atan2(cross(a, b), a.X*b.X+a.Y*b.Y)
	}
	return len(hull) >= 3 && math.Abs(turn-2*math.Pi) < 1e-6
}

func cross(a, b Point) float64 { return a.X*b.Y - a.Y*b.X }

func (o *object) drivetrain() Drivetrain {
	d := Drivetrain{
		WheelBase:  o.number("wheel_base_m", 0.05, 3),
		AxleOffset: o.number("axle_offset_m", -1, 1),
	}
	o.end()
	return d
}

func (o *object) encoder() Encoder {
	e := Encoder{
		WheelRadius: o.number("wheel_radius_m", 0.01, 1),
		Ticks:       o.whole("ticks_per_turn", 8, 10_000_000),
	}
	o.end()
	return e
}

func (o *object) limit() Limit {
	l := Limit{
		Linear:              o.number("linear_m_s", 0.01, 5),
		Angular:             Radians(o.number("angular_deg_s", 1, 720)),
		LinearAcceleration:  o.number("linear_acceleration_m_s2", 0.01, 10),
		AngularAcceleration: Radians(o.number("angular_acceleration_deg_s2", 1, 3600)),
	}
	o.end()
	return l
}

func (o *object) sonar() Sonar {
	s := Sonar{
		Pose: Pose{
			X:     o.number("x_m", -2, 2),
			Y:     o.number("y_m", -2, 2),
			Theta: WrapAngle(Radians(o.number("heading_deg", -180, 360))),
		},
		Beam: Radians(o.number("beam_deg", 1, 90)),
		Min:  o.number("min_m", 0, 1),
		Max:  o.number("max_m", 0.5, 20),
	}
	o.ordered("min_m", s.Min, "max_m", s.Max)
	o.end()
	return s
}

func (o *object) head() *Head {
	h := &Head{
		X:       o.number("x_m", -2, 2),
		Z:       o.number("z_m", 0, 3),
		PanMin:  Radians(o.number("pan_min_deg", -180, 0)),
		PanMax:  Radians(o.number("pan_max_deg", 0, 180)),
		TiltMin: Radians(o.number("tilt_min_deg", -90, 0)),
		TiltMax: Radians(o.number("tilt_max_deg", 0, 90)),
		Speed:   Radians(o.number("speed_deg_s", 1, 720)),
	}
	c := o.object("camera")
	h.Camera = Optics{
		Forward:     c.number("forward_m", -0.5, 0.5),
		Width:       c.whole("width_px", 16, 8192),
		Height:      c.whole("height_px", 16, 8192),
		FieldOfView: Radians(c.number("field_of_view_deg", 10, 170)),
	}
	c.end()
	o.end()
	return h
}

func (o *object) battery() BatteryPack {
	b := BatteryPack{
		Volts:    o.number("nominal_v", 1, 500),
		Capacity: o.number("capacity_ah", 0.1, 10_000),
		Idle:     o.number("idle_w", 0, 10_000),
		Moving:   o.number("moving_w", 0, 10_000),
		Charger:  o.number("charger_w", 0, 10_000),
	}
	o.end()
	return b
}

// An object is one JSON object on its way into a Description. Each field is
// taken once; what is left at the end is unknown. Faults go to the list that
// all objects of one document share. Below a missing object fields is nil and
// nothing more is said.
type object struct {
	path   string
	fields map[string]any
	known  []string
	faults *[]error
}

func (o *object) fault(key, format string, args ...any) {
	if o.fields != nil {
		*o.faults = append(*o.faults, fmt.Errorf("%s %s", join(o.path, key), fmt.Sprintf(format, args...)))
	}
}

// has tells whether an optional field is there; null is the same as absent.
func (o *object) has(key string) bool {
	if o.fields[key] != nil {
		return true
	}
	o.known = append(o.known, key)
	delete(o.fields, key)
	return false
}

func take[T any](o *object, key, kind string) (v T, ok bool) {
	o.known = append(o.known, key)
	a, there := o.fields[key]
	delete(o.fields, key)
	if !there {
		o.fault(key, "is missing; it must be %s", kind)
		return v, false
	}
	if v, ok = a.(T); !ok {
		o.fault(key, "is %s; it must be %s", kindOf(a), kind)
	}
	return v, ok
}

func (o *object) number(key string, lo, hi float64) float64 {
	n, ok := take[json.Number](o, key, fmt.Sprintf("a number between %g and %g", lo, hi))
	if !ok {
		return 0
	}
	v, err := n.Float64()
	if err != nil || !(v >= lo && v <= hi) {
		o.fault(key, "is %s; it must be between %g and %g", clip(n.String()), lo, hi)
		return 0
	}
	return v
}

func (o *object) whole(key string, lo, hi int) int {
	n, ok := take[json.Number](o, key, fmt.Sprintf("a whole number between %d and %d", lo, hi))
	if !ok {
		return 0
	}
	v, err := n.Int64()
	if err != nil || v < int64(lo) || v > int64(hi) {
		o.fault(key, "is %s; it must be a whole number between %d and %d", clip(n.String()), lo, hi)
		return 0
	}
	return int(v)
}

func (o *object) truth(key string) bool {
	v, _ := take[bool](o, key, "true or false")
	return v
}

func (o *object) text(key string, most int) string {
	v, ok := take[string](o, key, "text in quotes")
	if n := utf8.RuneCountInString(v); ok && (n < 1 || n > most || strings.TrimSpace(v) != v || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' })) {
		o.fault(key, "is %s; it must be 1 to %d characters on one line, without a space at the ends", clip(fmt.Sprintf("%q", v)), most)
	}
	return v
}

func (o *object) object(key string) *object {
	v, ok := take[map[string]any](o, key, "an object")
	if !ok {
		v = nil
	}
	return &object{path: join(o.path, key), fields: v, faults: o.faults}
}

func (o *object) objects(key string, most int) []*object {
	list, _ := take[[]any](o, key, "a list of objects")
	if len(list) > most {
		o.fault(key, "has %d entries; it must have at most %d", len(list), most)
		return nil
	}
	var objects []*object
	for i, v := range list {
		at := fmt.Sprintf("%s[%d]", key, i)
		fields, ok := v.(map[string]any)
		if !ok {
			o.fault(at, "is %s; it must be an object", kindOf(v))
			continue
		}
		objects = append(objects, &object{path: join(o.path, at), fields: fields, faults: o.faults})
	}
	return objects
}

func (o *object) ordered(low string, lo float64, high string, hi float64) {
	if lo >= hi && hi != 0 {
		o.fault(low, "is %g; it must be less than %s, %g", lo, high, hi)
	}
}

// end reports what nobody asked for.
func (o *object) end() {
	for _, key := range sortedKeys(o.fields) {
		o.fault(key, "is not known; the fields here are %s", strings.Join(o.known, ", "))
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func join(path, key string) string {
	if utf8.RuneCountInString(key) > 60 || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' }) {
		key = clip(fmt.Sprintf("%q", key))
	}
	switch {
	case path == "":
		return key
	case key == "":
		return path + `.""`
	}
	return path + "." + key
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return clip(v.String())
	case string:
		return clip(fmt.Sprintf("%q", v))
	case []any:
		return "a list"
	}
	return "an object"
}

// readTree reads one JSON object and nothing behind it. It returns nil when
// that cannot be done, and else the faults that do not end the reading:
// fields that come twice, of which the first counts.
func readTree(data []byte) (map[string]any, []error) {
	if len(data) > maxDescription {
		return nil, []error{fmt.Errorf("it is %d bytes long; it must be at most %d", len(data), maxDescription)}
	}
	if !utf8.Valid(data) {
		return nil, []error{errors.New("it is not UTF-8 text")}
	}
	t := tree{dec: json.NewDecoder(bytes.NewReader(data))}
	t.dec.UseNumber()
	v, err := t.value("", 0)
	if err == nil {
		if _, more := t.dec.Token(); more != io.EOF {
			err = errors.New("there is something behind the closing brace")
		}
	}
	root, ok := v.(map[string]any)
	if err == nil && !ok {
		err = fmt.Errorf("it is %s; it must be an object in braces", kindOf(v))
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends too early")
		}
		line, column := position(data, t.dec.InputOffset())
		return nil, []error{fmt.Errorf("line %d, column %d: %w", line, column, err)}
	}
	return root, t.faults
}

func position(data []byte, offset int64) (line, column int) {
	before := data[:min(int(offset), len(data))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

type tree struct {
	dec    *json.Decoder
	faults []error
}

func (t *tree) value(path string, depth int) (any, error) {
	if depth > 8 {
		return nil, errors.New("it is nested too deeply; four levels are enough")
	}
	token, err := t.dec.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if delim == '[' {
		list := []any{}
		for t.dec.More() {
			v, err := t.value(fmt.Sprintf("%s[%d]", path, len(list)), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := t.dec.Token()
		return list, err
	}
	fields := map[string]any{}
	for t.dec.More() {
		token, err := t.dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		at := join(path, key)
		v, err := t.value(at, depth+1)
		if err != nil {
			return nil, err
		}
		if _, twice := fields[key]; twice {
			t.faults = append(t.faults, fmt.Errorf("%s comes twice; it must come once", at))
			continue
		}
		fields[key] = v
	}
	_, err = t.dec.Token()
	return fields, err
}
