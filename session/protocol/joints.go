package protocol

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"mybot/robot"
	"mybot/strictjson"
)

// MoveJoints moves joints.
type MoveJoints struct {
	ID, Lease uint64
	Loan      uint64 // number of the loan of the arm; 0 = for the holder
	robot.MoveJoints
}

func (MoveJoints) header() string { return `"type":"joints"` }

// MarshalJSON writes the request.
func (j MoveJoints) MarshalJSON() ([]byte, error) {
	m := fieldMap(j.ID, j.Lease)
	m["at"] = j.At
	if j.Loan != 0 {
		m["loan"] = j.Loan
	}
	return json.Marshal(m)
}

// DecodeMoveJoints reads the body of an HTTP request that moves joints. It has the
// fields of a frame except type and id.
func DecodeMoveJoints(body []byte) (MoveJoints, error) {
	r := newReader("joints", body, nil)
	m := MoveJoints{Lease: r.wholeNumber("lease", 0), MoveJoints: r.readPositions("at")}
	if r.rejectUnknown(); r.fault != "" {
		return MoveJoints{}, bodyError(r)
	}
	return m, nil
}

// readPositions reads the positions of joints by their names.
func (r *reader) readPositions(name string) robot.MoveJoints {
	should := fmt.Sprintf(`an object of 1 to %d joints, each with its position in rad or m, for example {"shoulder":1.2}`, robot.MaxJoints)
	value := r.requireField(name, should)
	if value == nil {
		return robot.MoveJoints{}
	}
	at := map[string]float64{}
	members, ok := strictjson.OpenObject(value)
	for ok {
		joint, position, more := members.Next()
		if !more {
			break
		}
		if _, twice := at[joint]; twice {
			r.rejectField(name, fmt.Sprintf("has %q twice", Clip(joint)), should)
			return robot.MoveJoints{}
		}
		at[joint], ok = strictjson.Number(position)
		ok = ok && utf8.RuneCountInString(joint) <= 64
	}
	if !ok || len(at) == 0 || len(at) > robot.MaxJoints {
		r.rejectField(name, "is "+Clip(string(value)), should)
		return robot.MoveJoints{}
	}
	return robot.MoveJoints{At: at}
}

// A Transform is the pose of one frame in another: x, y and z in m, then roll,
// pitch and yaw in rad, as in a URDF.
type Transform []Number

func transformOf(t robot.Transform) Transform {
	return numbersOf(t.X, t.Y, t.Z, t.Roll, t.Pitch, t.Yaw)
}

// A RobotLink is one rigid piece of the robot.
type RobotLink struct {
	Name   string    `json:"name"`
	Parent string    `json:"parent"` // empty = base_link
	Origin Transform `json:"origin"` // in its parent, with its joint at zero
	Shapes []Shape   `json:"shapes"`
}

// A Shape is the visible shape of a link.
type Shape struct {
	Kind   robot.ShapeKind `json:"kind"`
	Origin Transform       `json:"origin"` // of its centre, in its link
	Size   []Number        `json:"size"`   // m: length, width and height of a box; radius and length of a cylinder; radius of a sphere
	Color  string          `json:"color,omitempty"`
}

// A Joint moves a link in its parent. Positions are in rad for a joint that turns and in m
// for one that slides; the speed is per s.
type Joint struct {
	Name  string          `json:"name"`
	Link  string          `json:"link"`
	Kind  robot.JointKind `json:"kind"`
	Axis  []Number        `json:"axis"`
	Min   Number          `json:"min"` // null = it turns without limits
	Max   Number          `json:"max"`
	Speed Number          `json:"speed"`
	Home  Number          `json:"home"`
}

// A NamedFrame is a frame of a link that has a name.
type NamedFrame struct {
	Name   string    `json:"name"`
	Link   string    `json:"link"`
	Origin Transform `json:"origin"`
}

// setLinks describes the robot's links and joints.
func (m *Robot) setLinks(d robot.Description) {
	for _, l := range d.Links {
		link := RobotLink{Name: l.Name, Parent: l.Parent, Origin: transformOf(l.Origin), Shapes: []Shape{}}
		for _, s := range l.Shapes {
			link.Shapes = append(link.Shapes, Shape{s.Kind, transformOf(s.Origin), sizeOf(s), s.Color})
		}
		m.Links = append(m.Links, link)
	}
	for _, j := range d.Joints {
		m.Joints = append(m.Joints, Joint{j.Name, j.Link, j.Kind, numbersOf(j.Axis[:]...), Number(j.Min), Number(j.Max), Number(j.Speed), Number(j.Home)})
	}
	for _, f := range d.Frames {
		m.Frames = append(m.Frames, NamedFrame{f.Name, f.Link, transformOf(f.Origin)})
	}
}

func sizeOf(s robot.Shape) []Number {
	switch s.Kind {
	case robot.Box:
		return numbersOf(s.Length, s.Width, s.Height)
	case robot.Cylinder:
		return numbersOf(s.Radius, s.Length)
	default:
		return numbersOf(s.Radius)
	}
}

// JointsState is where the joints are and where they are going, in the order of
// Robot.Joints.
type JointsState struct {
	At   []Number `json:"at"`   // rad or m; null = unknown
	To   []Number `json:"to"`   // null = no target, or reached
	Held string   `json:"held"` // why joints were held before they reached their targets

	Outside string `json:"outside"` // what the joints have moved out of the hull, as a sentence
}

// jointsOf returns the wire form of the joints; nil = none.
func jointsOf(s *robot.JointsState) *JointsState {
	if s == nil {
		return nil
	}
	return &JointsState{At: numbersOf(s.At...), To: numbersOf(s.To...), Held: s.Held, Outside: s.Outside}
}
