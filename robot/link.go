package robot

import (
	"encoding/json"
	"math"
	"slices"
)

// The limits of a description.
const (
	MaxLinks  = 128
	MaxJoints = 12
	MaxFrames = 64
	MaxShapes = 16 // per link
)

// A Transform is the pose of a frame in another frame, in space. The angles are those of
// URDF: roll about x, then pitch about y, then yaw about z, all about the axes of the other
// frame.
type Transform struct {
	X, Y, Z          float64 // m
	Roll, Pitch, Yaw float64 // rad
}

// A Link is one rigid piece of the robot. The links make a tree from base_link, whose
// origin is on the floor below the robot's centre.
type Link struct {
	Name   string
	Parent string    // "" = this is base_link
	Origin Transform // in its parent, with its joint at zero
	Shapes []Shape   // visible shapes; may be empty
}

// BaseLinkName is the name of the root link.
const BaseLinkName = "base_link"

// A ShapeKind is the kind of a shape.
type ShapeKind string

// The kinds of shapes.
const (
	Box      ShapeKind = "box"
	Cylinder ShapeKind = "cylinder" // along its z axis
	Sphere   ShapeKind = "sphere"
)

// A Shape is a simple solid. Its origin is its centre.
type Shape struct {
	Kind   ShapeKind
	Origin Transform // in its link
	Length float64   // m, box along x, cylinder along z
	Width  float64   // m, box along y
	Height float64   // m, box along z
	Radius float64   // m, cylinder or sphere
	Color  string    // #rrggbb; "" = any
}

// A JointKind is how a joint moves its link.
type JointKind string

// The kinds of joints. A link without a joint is fixed to its parent.
const (
	Turn  JointKind = "turn"  // about its axis
	Slide JointKind = "slide" // along its axis
)

// A Joint moves a link relative to its parent. Positions are in rad for Turn and in m for
// Slide.
type Joint struct {
	Name     string
	Link     string // the link that it moves
	Kind     JointKind
	Axis     [3]float64 // in the link, unit vector
	Min, Max float64    // rad or m; -Inf and +Inf = continuous
	Speed    float64    // rad/s or m/s, maximum
	Home     float64    // rad or m, rest position
}

// jointFile is a Joint in JSON, which has no infinite numbers.
type jointFile struct {
	Name, Link  string
	Kind        JointKind
	Axis        [3]float64
	Min, Max    *float64 // nil = continuous
	Speed, Home float64
}

// MarshalJSON encodes the joint for recordings.
func (j Joint) MarshalJSON() ([]byte, error) {
	f := jointFile{j.Name, j.Link, j.Kind, j.Axis, &j.Min, &j.Max, j.Speed, j.Home}
	if j.IsEndless() {
		f.Min, f.Max = nil, nil
	}
	return json.Marshal(f)
}

// UnmarshalJSON decodes the output of MarshalJSON.
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

// A NamedFrame is a named frame on a link, such as the gripper's tip.
type NamedFrame struct {
	Name   string
	Link   string
	Origin Transform // in its link
}

// Joint returns the index of the joint with the name; -1 = none.
func (d Description) Joint(name string) int {
	return slices.IndexFunc(d.Joints, func(j Joint) bool { return j.Name == name })
}

// Clamp returns x limited to the joint's range.
func (j Joint) Clamp(x float64) float64 { return math.Max(j.Min, math.Min(j.Max, x)) }

// IsEndless reports whether the joint is continuous: it turns without limits.
func (j Joint) IsEndless() bool { return math.IsInf(j.Min, -1) && math.IsInf(j.Max, 1) }
