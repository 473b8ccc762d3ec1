package urdf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"mybot/robot"
)

// A Base holds the properties of a mobile robot that a URDF does not contain. Zero means
// unknown.
type Base struct {
	Name                  string             // "" = the name in the file
	Length, Width, Height float64            // m; 0 = the extent of the shapes
	Mass                  float64            // kg; 0 = the mass in the file
	WheelBase             float64            // m
	AxleOffset            float64            // m, of the axle behind base_link
	Speed                 float64            // m/s, of the motors
	Turn                  float64            // deg/s
	Acceleration          float64            // m/s^2
	TurnAcceleration      float64            // deg/s^2
	Rate                  float64            // Hz, of the readings
	Hold                  float64            // s, how long the base executes a command
	JointSpeeds           map[string]float64 // deg/s or m/s, instead of the speeds in the file
}

// Largest safe speeds of an imported robot.
const (
	safeSpeed = 0.5 // m/s
	safeTurn  = 45  // deg/s
)

// Describe returns a description of the model's robot, as JSON for
// robot.ParseDescription. The error lists all unknown properties, as flags of mybot robot
// import, or is the error of robot.ParseDescription.
func (m Model) Describe(b Base) ([]byte, error) {
	if b.Name == "" {
		b.Name = m.Name
	}
	if b.Mass == 0 {
		b.Mass = m.Mass
	}
	if b.WheelBase == 0 {
		b.WheelBase, b.AxleOffset = m.WheelBase, m.AxleOffset
	}
	hull := m.takeSize(&b)
	joints := slices.Clone(m.Joints)
	unnamed := b.giveSpeeds(joints)
	if missing := append(b.missing(), unnamed...); len(missing) > 0 {
		return nil, fmt.Errorf("the URDF does not say everything; add %s", strings.Join(missing, ", "))
	}
	text := writeDescription(b, hull, m, joints)
	if _, err := robot.ParseDescription(text); err != nil {
		return nil, fmt.Errorf("what the URDF says is no robot that Mybot drives: %w", err)
	}
	return text, nil
}

// takeSize fills in an unknown size of b from the shapes, if all of them are known. It
// returns the outline of the body if base_link is not at its middle.
func (m Model) takeSize(b *Base) (hull []robot.Point) {
	low, high := m.extent()
	if len(m.Hidden) > 0 || !(low[0] < high[0]) {
		return nil
	}
	if b.Length == 0 && b.Width == 0 {
		b.Length, b.Width = high[0]-low[0], high[1]-low[1]
		if math.Abs(low[0]+high[0]) > 1e-6 || math.Abs(low[1]+high[1]) > 1e-6 {
			hull = []robot.Point{{X: low[0], Y: low[1]}, {X: high[0], Y: low[1]}, {X: high[0], Y: high[1]}, {X: low[0], Y: high[1]}}
		}
	}
	if b.Height == 0 {
		b.Height = high[2] - min(low[2], 0)
	}
	return hull
}

// giveSpeeds sets the speeds of the joints from b and returns the missing flags for joints
// without a speed.
func (b Base) giveSpeeds(joints []robot.Joint) (missing []string) {
	for i := range joints {
		j := &joints[i]
		speed, given := b.JointSpeeds[j.Name]
		switch {
		case given && j.Kind == robot.Turn:
			j.Speed = robot.Radians(speed)
		case given:
			j.Speed = speed
		case j.Speed == 0 && j.Kind == robot.Turn:
			missing = append(missing, fmt.Sprintf("--joint-speed %s=DEG_S (or --fix %s)", j.Name, j.Name))
		case j.Speed == 0:
			missing = append(missing, fmt.Sprintf("--joint-speed %s=M_S (or --fix %s)", j.Name, j.Name))
		}
	}
	return missing
}

// missing returns the flags for unknown properties.
func (b Base) missing() (flags []string) {
	for _, f := range []struct {
		value float64
		flag  string
	}{
		{b.Length, "--length M"},
		{b.Width, "--width M"},
		{b.Height, "--height M"},
		{b.Mass, "--mass KG"},
		{b.WheelBase, "--wheel-base M (or --wheels LEFT,RIGHT)"},
		{b.Speed, "--max-speed M_S"},
		{b.Turn, "--max-turn DEG_S"},
		{b.Acceleration, "--max-acceleration M_S2"},
		{b.TurnAcceleration, "--max-turn-acceleration DEG_S2"},
		{b.Rate, "--rate HZ"},
		{b.Hold, "--hold S"},
	} {
		if f.value == 0 {
			flags = append(flags, f.flag)
		}
	}
	if b.Name == "" {
		flags = append([]string{"--name NAME"}, flags...)
	}
	return flags
}

// The keys of a description, in the order in which Describe writes them.
type (
	transformJSON struct {
		X     float64 `json:"x_m,omitempty"`
		Y     float64 `json:"y_m,omitempty"`
		Z     float64 `json:"z_m,omitempty"`
		Roll  float64 `json:"roll_deg,omitempty"`
		Pitch float64 `json:"pitch_deg,omitempty"`
		Yaw   float64 `json:"yaw_deg,omitempty"`
	}
	shapeJSON struct {
		Kind robot.ShapeKind `json:"kind"`
		transformJSON
		Length float64 `json:"length_m,omitempty"`
		Width  float64 `json:"width_m,omitempty"`
		Height float64 `json:"height_m,omitempty"`
		Radius float64 `json:"radius_m,omitempty"`
		Color  string  `json:"color,omitempty"`
	}
	linkJSON struct {
		Name   string `json:"name"`
		Parent string `json:"parent,omitempty"`
		transformJSON
		Shapes []shapeJSON `json:"shapes,omitempty"`
	}
	frameJSON struct {
		Name string `json:"name"`
		Link string `json:"link"`
		transformJSON
	}
)

// writeDescription writes one line for each link, joint and frame.
func writeDescription(b Base, hull []robot.Point, m Model, joints []robot.Joint) []byte {
	body := fields{{"length_m", b.Length}, {"width_m", b.Width}, {"height_m", b.Height}, {"mass_kg", b.Mass}}
	if len(hull) > 0 {
		corners := []any{}
		for _, p := range hull {
			corners = append(corners, fields{{"x_m", p.X}, {"y_m", p.Y}})
		}
		body = append(body, field{"hull", corners})
	}
	limit := func(speed, turn float64) fields {
		return fields{{"linear_m_s", speed}, {"angular_deg_s", turn}, {"linear_acceleration_m_s2", b.Acceleration}, {"angular_acceleration_deg_s2", b.TurnAcceleration}}
	}
	var links, moving, frames []any
	for _, l := range m.Links {
		links = append(links, describeLink(l))
	}
	for _, j := range joints {
		moving = append(moving, describeJoint(j))
	}
	for _, f := range m.Frames {
		frames = append(frames, frameJSON{f.Name, f.Link, describeTransform(f.Origin)})
	}
	var text bytes.Buffer
	text.WriteString("{")
	for i, f := range (fields{
		{"name", b.Name},
		{"body", body},
		{"drivetrain", fields{{"wheel_base_m", b.WheelBase}, {"axle_offset_m", b.AxleOffset}}},
		{"hardware", limit(b.Speed, b.Turn)},
		{"safe", limit(min(b.Speed, safeSpeed), min(b.Turn, safeTurn))},
		{"rate_hz", b.Rate},
		{"holds_s", b.Hold},
		{"links", links},
		{"joints", moving},
		{"frames", frames},
	}) {
		list, isList := f.value.([]any)
		if isList && len(list) == 0 {
			continue
		}
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, "\n  %s: ", encode(f.key))
		if !isList {
			text.Write(encode(f.value))
			continue
		}
		for i, item := range list {
			text.WriteString(map[bool]string{true: "[\n    ", false: ",\n    "}[i == 0])
			text.Write(encode(item))
		}
		text.WriteString("\n  ]")
	}
	text.WriteString("\n}\n")
	return text.Bytes()
}

// fields are the fields of a JSON object, in order.
type fields []field

type field struct {
	key   string
	value any
}

// MarshalJSON writes the fields in order. It rounds numbers to 1e-9.
func (f fields) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, field := range f {
		if i > 0 {
			text = append(text, ',')
		}
		if number, ok := field.value.(float64); ok {
			field.value = round(number)
		}
		text = append(append(text, encode(field.key)...), ':')
		text = append(text, encode(field.value)...)
	}
	return append(text, '}'), nil
}

// encode returns a value as JSON, or null if it cannot be represented; no reader of a
// description accepts null as a number.
func encode(value any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(text.Bytes())
}

func describeLink(l robot.Link) linkJSON {
	link := linkJSON{Name: l.Name, Parent: l.Parent, transformJSON: describeTransform(l.Origin)}
	for _, s := range l.Shapes {
		link.Shapes = append(link.Shapes, shapeJSON{s.Kind, describeTransform(s.Origin), round(s.Length), round(s.Width), round(s.Height), round(s.Radius), s.Color})
	}
	return link
}

func describeTransform(t robot.Transform) transformJSON {
	return transformJSON{round(t.X), round(t.Y), round(t.Z), degrees(t.Roll), degrees(t.Pitch), degrees(t.Yaw)}
}

func describeJoint(j robot.Joint) fields {
	f := fields{{"name", j.Name}, {"link", j.Link}, {"kind", j.Kind}, {"axis", []float64{round(j.Axis[0]), round(j.Axis[1]), round(j.Axis[2])}}}
	switch {
	case j.Kind == robot.Slide:
		return append(f, field{"min_m", j.Min}, field{"max_m", j.Max}, field{"speed_m_s", j.Speed})
	case !j.IsEndless():
		f = append(f, field{"min_deg", degrees(j.Min)}, field{"max_deg", degrees(j.Max)})
	}
	return append(f, field{"speed_deg_s", degrees(j.Speed)})
}

func degrees(angle float64) float64 { return round(robot.Degrees(angle)) }

func round(x float64) float64 { return math.Round(x*1e9)/1e9 + 0 } // -0 + 0 is 0
