package robot

import (
	"encoding/json"
	"math"
	"slices"
)

// The most that a description has.
const (
	MaxLinks  = 128
	MaxJoints = 12
	MaxFrames = 64
	MaxShapes = 16 // of one link
)

// A Transform is where a frame is and how it is turned in space, seen from another.
// Its angles are those of a URDF: roll about x, then pitch about y, then yaw about z, all
// three about the axes of the frame that it is seen from.
type Transform struct {
	X, Y, Z          float64 // m
	Roll, Pitch, Yaw float64 // rad
}

// A Link is one rigid piece of the robot. All links make a tree from base_link, whose
// origin is on the floor below the robot's centre.
type Link struct {
	Name   string
	Parent string    // "" = this is base_link
	Origin Transform // in its parent, while its joint is at zero
	Shapes []Shape   // what one sees of it; it may have none
}

// BaseLinkName is the name of the link that carries all others.
const BaseLinkName = "base_link"

// A ShapeKind says what a shape is.
type ShapeKind string

// The kinds of shapes.
const (
	Box      ShapeKind = "box"
	Cylinder ShapeKind = "cylinder" // along its z
	Sphere   ShapeKind = "sphere"
)

// A Shape is a body of simple form. Its origin is its middle.
type Shape struct {
	Kind   ShapeKind
	Origin Transform // in its link
	Length float64   // m: of a box along x, of a cylinder along z
	Width  float64   // m: of a box along y
	Height float64   // m: of a box along z
	Radius float64   // m: of a cylinder or a sphere
	Color  string    // as in #rrggbb; "" = any
}

// A JointKind says how a joint moves its link.
type JointKind string

// The kinds of joints. A link without a joint is fixed to its parent.
const (
	Turn  JointKind = "turn"  // about its axis
	Slide JointKind = "slide" // along its axis
)

// A Joint moves a link in its parent. Positions are in rad for Turn and in m for Slide.
type Joint struct {
	Name     string
	Link     string // which link it moves
	Kind     JointKind
	Axis     [3]float64 // in the link, of length 1
	Min, Max float64    // rad or m; -Inf and +Inf = it turns without end
	Speed    float64    // rad/s or m/s, at most
	Home     float64    // rad or m, where it rests
}

// jointFile is a Joint in JSON, which has no number without end.
type jointFile struct {
	Name, Link  string
	Kind        JointKind
	Axis        [3]float64
	Min, Max    *float64 // nil = it turns without end
	Speed, Home float64
}

// MarshalJSON writes the joint as a recording has it.
func (j Joint) MarshalJSON() ([]byte, error) {
	f := jointFile{j.Name, j.Link, j.Kind, j.Axis, &j.Min, &j.Max, j.Speed, j.Home}
	if j.IsEndless() {
		f.Min, f.Max = nil, nil
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (j *Joint) UnmarshalJSON(data []byte) error {
	var f jointFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*j = Joint{f.Name, f.Link, f.Kind, f.Axis, math.Inf(-1), math.Inf(1), f.Speed, f.Home}
	if f.Min != nil && f.Max != nil {
		j.Min, j.Max = *f.Min, *f.Max
	}
	return nil
}

// A NamedFrame is a frame of a link that has a name, such as the gripper's tip.
type NamedFrame struct {
	Name   string
	Link   string
	Origin Transform // in its link
}

// Joint returns the index of the joint with the name; -1 = there is none.
func (d Description) Joint(name string) int {
	return slices.IndexFunc(d.Joints, func(j Joint) bool { return j.Name == name })
}

// Clamp returns the position that is nearest to x within the limits.
func (j Joint) Clamp(x float64) float64 { return math.Max(j.Min, math.Min(j.Max, x)) }

// IsEndless reports whether the joint turns without end.
func (j Joint) IsEndless() bool { return math.IsInf(j.Min, -1) && math.IsInf(j.Max, 1) }
