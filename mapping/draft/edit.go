package draft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/strictjson"
)

// An Op is the kind of an edit.
type Op string

// The edits. Straighten rotates the draft so that most walls are parallel to its
// axes; Rotate rotates it by an angle. Erase turns what stands within an outline
// into free floor. Wall draws a wall, Glass marks the walls along a line as glass,
// Keepout closes an outlined area to routes; Crop drops what lies outside a box.
// Place and Dock set poses. Via moves, drops or adds a via point, Edge adds or
// drops an edge of the via graph, in both directions; Room names or drops a room.
// Undo undoes the last edit, Redo redoes it.
const (
	Straighten Op = "straighten"
	Rotate     Op = "rotate"
	Erase      Op = "erase"
	Wall       Op = "wall"
	Glass      Op = "glass"
	Keepout    Op = "keepout"
	Crop       Op = "crop"
	Place      Op = "place"
	Dock       Op = "dock"
	Via        Op = "via"
	Edge       Op = "edge"
	Room       Op = "room"
	Undo       Op = "undo"
	Redo       Op = "redo"
)

// graphOp is not an edit: Adopt uses it to state the whole via graph.
const graphOp Op = "graph"

var ops = []Op{Straighten, Rotate, Erase, Wall, Glass, Keepout, Crop, Place, Dock, Via, Edge, Room, Undo, Redo}

// An Edit is one edit of a draft. Points and poses are in the frame of the draft.
type Edit struct {
	Op      Op
	Drop    bool          // Keepout, Place, Dock, Via, Edge, Room: remove it
	ID      int           // Via: the one to move or drop, 0 = add one; Room; Keepout: the one to drop, from 1 in the order of View
	At      robot.Point   // Via: its new position
	Ends    [2]int        // Edge: its via points
	Angle   float64       // Rotate: rad, counter-clockwise
	Outline []robot.Point // Erase, Keepout: the corners; the last is connected to the first
	Line    robot.Segment // Wall, Glass
	Low     robot.Point   // Crop: opposite corners of the box
	High    robot.Point
	Name    string     // Place, Room
	Pose    robot.Pose // Place, Dock: of base_link
}

const (
	maxCorners  = 1000 // of an outline
	maxName     = 40   // characters
	minWall     = 0.05 // m
	minArea     = 1e-3 // m2, of an outline and of a box
	maxReach    = 5e4  // m, of a point from the origin; half of maxDistance, which it then stays below when the draft is rotated
	maxDistance = 1e5  // m, of a coordinate in stored edits and in a map folder
)

// ParseEdit parses an edit in JSON, strictly: {"op":"wall","line":[[0,1],[2,1]]}.
// The error is a sentence that says what is wrong and what would be right.
func ParseEdit(data []byte) (Edit, error) {
	if err := strictjson.Check(data, maxEdit); err != nil {
		return Edit{}, fmt.Errorf("the edit is not JSON: %w", err)
	}
	var fault error
	o := strictjson.NewObject(data, "", func(f strictjson.Fault) {
		if fault == nil {
			fault = f
		}
	})
	e := takeEdit(o)
	o.End()
	if fault == nil {
		fault = e.check()
	}
	if fault != nil {
		return Edit{}, fault
	}
	return e, nil
}

// maxEdit is the longest edit in JSON, in bytes.
const maxEdit = 64 << 10

func takeEdit(o *strictjson.Object) Edit {
	e := Edit{Op: Op(o.Text("op", "one of "+listOps(), func(s string) bool { return slices.Contains(ops, Op(s)) }))}
	switch e.Op {
	case Rotate:
		e.Angle = o.Number("angle", -math.Pi, math.Pi)
	case Erase:
		e.Outline = takePoints(o, "outline", 3, maxCorners)
	case Keepout:
		if e.Drop = o.Contains("drop"); e.Drop {
			e.ID = o.Whole("drop", 1, maxID)
		} else {
			e.Outline = takePoints(o, "outline", 3, maxCorners)
		}
	case Wall, Glass:
		if p := takePoints(o, "line", 2, 2); len(p) == 2 {
			e.Line = robot.Segment{A: p[0], B: p[1]}
		}
	case Crop:
		e.Low, e.High = takePoint(o, "low"), takePoint(o, "high")
	case Place:
		if o.Contains("drop") {
			e.Drop, e.Name = true, takeName(o, "drop")
		} else {
			e.Name, e.Pose = takeName(o, "name"), takePose(o)
		}
	case Via:
		switch {
		case o.Contains("drop"):
			e.Drop, e.ID = true, o.Whole("drop", 1, maxID)
		case o.Contains("move"):
			e.ID, e.At = o.Whole("move", 1, maxID), takePoint(o, "at")
		default:
			e.At = takePoint(o, "add")
		}
	case Edge:
		key := "add"
		if e.Drop = o.Contains("drop"); e.Drop {
			key = "drop"
		}
		var v [2]float64
		if !readNumbers(o.Take(key), v[:]) || !isID(v[0]) || !isID(v[1]) {
			o.Reject(key, "[from, to]: the ids of two via points")
		} else {
			e.Ends = [2]int{int(v[0]), int(v[1])}
		}
	case Room:
		if o.Contains("drop") {
			e.Drop, e.ID = true, o.Whole("drop", 1, maxID)
		} else {
			e.ID, e.Name = o.Whole("id", 1, maxID), takeName(o, "name")
		}
	case Dock:
		if o.Contains("drop") {
			if e.Drop = o.Bool("drop"); !e.Drop {
				o.Reject("drop", "true")
			}
		} else {
			e.Pose = takePose(o)
		}
	}
	return e
}

// maxID is the largest id of via points and rooms.
const maxID = 1 << 30

func isID(v float64) bool { return v >= 1 && v <= maxID && v == math.Trunc(v) }

func listOps() string {
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = string(op)
	}
	return strings.Join(names, ", ")
}

func isName(s string) bool { return floorplan.IsName(s, maxName) }

func takeName(o *strictjson.Object, key string) string {
	return o.Text(key, "text of 1 to 40 characters without a space at the ends", isName)
}

// readNumbers reads an optional list of numbers.
func readNumbers(value []byte, into []float64) bool {
	return value != nil && strictjson.Numbers(value, into)
}

func takePose(o *strictjson.Object) robot.Pose {
	var v [3]float64
	if !readNumbers(o.Take("pose"), v[:]) {
		o.Reject("pose", "[x, y, heading]: metres, metres and radians")
	}
	return robot.Pose{X: v[0], Y: v[1], Theta: v[2]}
}

func takePoint(o *strictjson.Object, key string) robot.Point {
	var v [2]float64
	if !readNumbers(o.Take(key), v[:]) {
		o.Reject(key, "[x, y] in metres")
	}
	return robot.Point{X: v[0], Y: v[1]}
}

func takePoints(o *strictjson.Object, key string, least, most int) (points []robot.Point) {
	want := fmt.Sprintf("a list of %d to %d points [x, y] in metres", least, most)
	if least == most {
		want = fmt.Sprintf("a list of %d points [x, y] in metres", least)
	}
	value := o.Take(key)
	if value == nil {
		o.Reject(key, want)
		return nil
	}
	list, ok := strictjson.OpenList(value)
	for ok {
		value, more := list.Next()
		if !more {
			break
		}
		var v [2]float64
		ok = len(points) < most && strictjson.Numbers(value, v[:])
		points = append(points, robot.Point{X: v[0], Y: v[1]})
	}
	if !ok || len(points) < least {
		o.Reject(key, want)
		return nil
	}
	return points
}

// check says what is wrong with an edit, independently of the draft.
func (e *Edit) check() error {
	points := append([]robot.Point{e.Line.A, e.Line.B, e.Low, e.High, e.At, e.Pose.Point()}, e.Outline...)
	for _, p := range points {
		if !robot.Finite(p.X, p.Y) || p.Norm() > maxReach {
			return fmt.Errorf("a point of the edit is at (%g, %g); points are at most %g m from the origin", p.X, p.Y, maxReach)
		}
	}
	if !robot.Finite(e.Angle, e.Pose.Theta) {
		return fmt.Errorf("an angle of the edit is not a number; it must be in radians")
	}
	switch e.Op {
	case Erase, Keepout:
		if e.Op == Keepout && e.Drop {
			break
		}
		if len(e.Outline) < 3 || len(e.Outline) > maxCorners {
			return fmt.Errorf("the outline has %d corners; it must have 3 to %d", len(e.Outline), maxCorners)
		}
		if area := areaOf(e.Outline); area < minArea {
			return fmt.Errorf("the outline encloses %.3f m2; it must be at least %g m2", area, minArea)
		}
	case Wall, Glass:
		if length := lengthOf(e.Line); length < minWall {
			return fmt.Errorf("the line is %.2f m long; it must be at least %g m", length, minWall)
		}
	case Crop:
		if width, height := e.High.X-e.Low.X, e.High.Y-e.Low.Y; width <= 0 || height <= 0 || width*height < minArea {
			return fmt.Errorf("the box reaches from (%.2f, %.2f) to (%.2f, %.2f); its second corner must be above and to the right of the first", e.Low.X, e.Low.Y, e.High.X, e.High.Y)
		}
	case Via:
		if e.ID < 0 || e.Drop && e.ID == 0 {
			return fmt.Errorf("the edit drops via point %d; the ids of via points are 1 and more", e.ID)
		}
	case Place, Room:
		if !isName(e.Name) && (e.Op != Room || !e.Drop) {
			return fmt.Errorf("the %s is called %q; a name has 1 to %d characters and no space at the ends", e.Op, strictjson.Clip(e.Name, 2*maxName), maxName)
		}
	}
	if !slices.Contains(ops, e.Op) {
		return fmt.Errorf("there is no edit %q; it must be one of %s", strictjson.Clip(string(e.Op), maxName), listOps())
	}
	return nil
}

func lengthOf(s robot.Segment) float64 { return s.B.Sub(s.A).Norm() }

// areaOf returns the area of an outline, in m2; for one that crosses itself, at
// most that.
func areaOf(outline []robot.Point) float64 {
	sum := 0.0
	for i, p := range outline {
		sum += p.Cross(outline[(i+1)%len(outline)])
	}
	return math.Abs(sum) / 2
}
