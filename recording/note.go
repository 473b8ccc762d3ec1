package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"mybot/robot"
)

// A Note is JSON about something other than readings and commands.
type Note struct {
	Timestamp Stamp  `json:"timestamp"`
	Kind      string `json:"kind"`
	Text      string `json:"text"` // JSON
}

// Kinds of notes at AboutTopic. The kinds at ReplyTopic are those of
// robot.ReplyKind, the kinds at FloorTopic FrameChanged and PlannerChanged.
const (
	AboutSeries   = "series"   // Series: the first message of a recording
	AboutRobot    = "robot"    // robot.Description, with its field names
	AboutFloor    = "floor"    // Floor: the floor that Core uses from the next FrameChanged on, or from the beginning
	AboutSettings = "settings" // Settings

	RobotFile    = "robot.json"    // the attachment with the text of AboutRobot,
	SettingsFile = "settings.json" // that of AboutSettings,
	FloorFile    = "floor.json"    // and that of the AboutFloor with which the file begins: null = no map

	FrameChanged   = "frame"   // robot.FloorChange: poses are in another frame
	PlannerChanged = "planner" // robot.FloorChange: paths are planned over an edited map
)

// A Series is one recording, in one or several files.
type Series struct {
	Version int    `json:"version"` // of the contents
	ID      string `json:"id"`
	Part    int    `json:"part"`  // of its files, from 1
	Ticks   uint64 `json:"ticks"` // that the control loop had run before the recording began; 0 = it began with the program
	Build   string `json:"build"`
}

// Settings are the program's settings that affect how the robot drives.
type Settings struct {
	Build     string `json:"build"`
	Simulator bool   `json:"simulator"`         // the robot was simulated
	Localizer string `json:"localizer"`         // the localizer in use
	Seed      uint64 `json:"seed"`              // of the localizer and of the impaired network
	ReadOnly  bool   `json:"read_only"`         // the robot refused all commands to move
	Network   string `json:"network,omitempty"` // impairment of the pages' network
}

// seriesVersion is the version of recordings from which every twist can be
// recomputed.
const seriesVersion = 1

// A Floor is a robot.Floorplan without its names: the parts that paths need and
// that show where the robot is.
type Floor struct {
	Width      int               `json:"width"`
	Height     int               `json:"height"`
	Resolution float64           `json:"resolution"` // m
	Origin     robot.Point       `json:"origin"`
	Runs       [][2]int          `json:"runs"` // of equal cells: how many, and the robot.Cell
	Lines      []robot.Segment   `json:"lines"`
	Glass      []int             `json:"glass,omitempty"`
	Doors      []robot.Door      `json:"doors,omitempty"`
	Furniture  []robot.Furniture `json:"furniture,omitempty"`
	Dock       *robot.Pose       `json:"dock,omitempty"`
	Compass    float64           `json:"compass,omitempty"` // rad
}

// floorOf returns the recorded form of the floor; nil = none.
func floorOf(plan *robot.Floorplan) *Floor {
	if plan == nil || len(plan.Grid.Cells) == 0 {
		return nil
	}
	g := plan.Grid
	f := &Floor{Width: g.Width, Height: g.Height, Resolution: g.Resolution, Origin: g.Origin, Lines: plan.Lines, Glass: plan.Glass, Dock: plan.Dock, Compass: plan.Compass}
	for _, c := range g.Cells {
		if n := len(f.Runs); n > 0 && f.Runs[n-1][1] == int(c) {
			f.Runs[n-1][0]++
		} else {
			f.Runs = append(f.Runs, [2]int{1, int(c)})
		}
	}
	for _, d := range plan.Doors {
		d.Name = ""
		f.Doors = append(f.Doors, d)
	}
	for _, thing := range plan.Furniture {
		thing.Name = ""
		f.Furniture = append(f.Furniture, thing)
	}
	return f
}

// maxCells is the largest number of cells of a recorded floor.
const maxCells = 1 << 26

// Floorplan returns the floor plan, without names, rooms, places and via points.
func (f Floor) Floorplan() (*robot.Floorplan, error) {
	if f.Width <= 0 || f.Height <= 0 || f.Width > maxCells/f.Height || !(f.Resolution >= minCell && f.Resolution <= maxCell) {
		return nil, fmt.Errorf("the floor has %d x %d cells of %g m; that is no floor", f.Width, f.Height, f.Resolution)
	}
	for _, part := range []any{f.Origin, f.Lines, f.Doors, f.Furniture, f.Dock, f.Compass} {
		if err := checkNumbers(reflect.ValueOf(part), "the floor", maxFloorNumber, maxCells); err != nil {
			return nil, err
		}
	}
	cells := make([]robot.Cell, 0, f.Width*f.Height)
	for _, run := range f.Runs {
		if n := run[0]; n < 1 || n > cap(cells)-len(cells) || run[1] < int(robot.Unknown) || run[1] > int(robot.Occupied) {
			return nil, errors.New("the cells of the floor are more than its width and height, or of no kind")
		}
		for range run[0] {
			cells = append(cells, robot.Cell(run[1])) //nolint:gosec // looked at above
		}
	}
	if len(cells) != cap(cells) {
		return nil, fmt.Errorf("the floor has %d cells, not %d x %d", len(cells), f.Width, f.Height)
	}
	for _, i := range f.Glass {
		if i < 0 || i >= len(f.Lines) {
			return nil, fmt.Errorf("line %d of the floor is said to be glass; it has %d lines", i, len(f.Lines))
		}
	}
	return &robot.Floorplan{
		Grid:  robot.Grid{Width: f.Width, Height: f.Height, Resolution: f.Resolution, Origin: f.Origin, Cells: cells},
		Lines: f.Lines, Glass: f.Glass, Doors: f.Doors, Furniture: f.Furniture, Dock: f.Dock, Compass: f.Compass,
	}, nil
}

// A PlanReply is the planner's answer.
type PlanReply struct {
	Call int             `json:"call"`           // number of earlier plans for the same reading or command
	Path json.RawMessage `json:"path,omitempty"` // nil = no path
	Word robot.Word      `json:"word,omitempty"` // of the refusal
	At   *robot.Point    `json:"at,omitempty"`   // in map: the obstacle, if only that prevents a path
}

// A ScriptWish is what the scripts wanted of the robot. It has no text of people, and so no
// name of a place.
type ScriptWish struct {
	Do    robot.ScriptVerb `json:"do"`
	Twist Velocity         `json:"twist,omitzero"`
	Goal  Pose             `json:"goal,omitzero"` // of base_link in map
	Run   uint64           `json:"run,omitempty"`
}

// Wish returns the wish without the name of the place.
func (w ScriptWish) Wish() robot.ScriptWish {
	return robot.ScriptWish{Do: w.Do, Twist: w.Twist.Twist(), Goal: w.Goal.pose(), Run: w.Run}
}

// replyText returns a reply as JSON.
func replyText(r robot.Reply) (text []byte, err error) {
	switch r.Kind {
	case robot.PlanReply:
		p := PlanReply{Call: r.Call}
		if r.Err == nil {
			if p.Path, err = json.Marshal(r.Path); err != nil {
				return nil, err
			}
			return json.Marshal(p)
		}
		var refusal robot.Refusal
		if errors.As(r.Err, &refusal) {
			p.Word = refusal.Word
		}
		var blocked robot.Blocked
		if errors.As(r.Err, &blocked) {
			p.At = &blocked.At
		}
		return json.Marshal(p)
	case robot.RunReply:
		return json.Marshal(r.Run)
	case robot.SpeedReply:
		return json.Marshal(Number(r.Speed))
	case robot.ScriptReply:
		return json.Marshal(ScriptWish{Do: r.Wish.Do, Twist: velocityOf(r.Wish.Twist), Goal: poseOf(r.Wish.Goal), Run: r.Wish.Run})
	}
	return []byte("{}"), nil
}

// Refusal returns the planner's error if there is no path.
func (p PlanReply) Refusal() error {
	refused := robot.Refusal{Word: p.Word, Reason: given}
	if p.At != nil {
		return robot.Blocked{Refusal: refused, At: *p.At}
	}
	return refused
}

// A floorChange is the recorded form of a robot.FloorChange.
type floorChange struct {
	Planner  bool     `json:"planner"`
	Estimate Estimate `json:"estimate"`
}

// parseFloorChange parses a note at FloorTopic.
func parseFloorChange(n Note) (robot.FloorChange, error) {
	var c floorChange
	if err := json.Unmarshal([]byte(n.Text), &c); err != nil {
		return robot.FloorChange{}, fmt.Errorf("recording: a change of the floor: %w", err)
	}
	return robot.FloorChange{Frame: n.Kind == FrameChanged, Planner: c.Planner, Estimate: c.Estimate.Estimate()}, nil
}

func noteOf(c clock, at time.Time, kind string, text []byte) Note {
	return Note{c.stampOf(at), kind, string(text)}
}
