package protocol

import (
	"encoding/json"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session/lease"
)

// The requests of a browser or another client.
type (
	// Hello introduces the client. It comes first.
	Hello struct {
		Protocol string `json:"protocol"`
		Tab      string `json:"tab"`
		Name     string `json:"name,omitempty"`
		Build    string `json:"build"`
	}
	// Clock begins a clock exchange, which ClockAnswer ends.
	Clock struct {
		T1  float64  `json:"t1"`     // s, the client's monotonic time
		RTT *float64 `json:"rtt_ms"` // ms, median; nil = unknown
	}
	// Drive is one sample of what the driver wants.
	Drive struct {
		Lease, DriveEpoch, Seq uint64
		T                      float64       // s, the client's monotonic time
		V, W                   float64       // m/s, rad/s, the velocity request at the axle
		Valid                  time.Duration // how long it is valid without a successor
		Path                   *robot.Follow // the same sample with the virtual robot's path; nil = none
	}
	// Stop latches the robot's stop.
	Stop struct {
		ID uint64 `json:"id,omitempty"` // 0 = no answer is wanted
	}
	// Unstop releases the stop.
	Unstop struct {
		ID    uint64 `json:"id"`
		Lease uint64 `json:"lease"`
	}
	// Control asks for control, or passes it on.
	Control struct {
		ID     uint64 `json:"id"`
		Action string `json:"action"`           // one of controlActions
		To     int    `json:"to,omitempty"`     // of give and keep: the user who has asked
		Reason string `json:"reason,omitempty"` // of request; may be empty
	}
	// Rename changes the name of the user.
	Rename struct {
		ID   uint64 `json:"id"`
		Name string `json:"name"`
	}
	// Navigate is plan, goto, goal or pose. A plan has no lease.
	Navigate struct {
		ID, Lease uint64
		Command   robot.Command // Plan, GoTo, Pause, Resume, Cancel, GoAround or SetPose
	}
	// World changes the simulated world.
	World struct {
		ID, Lease uint64
		Change    WorldChange
	}
	// Link impairs the network between the browsers and a simulated robot.
	Link struct {
		ID      uint64 `json:"id"`
		Lease   uint64 `json:"lease"`
		Profile string `json:"profile"` // in the form of link.ParseProfile, or LinkOff
	}
	// RTC offers a data channel.
	RTC struct {
		ID    uint64 `json:"id"`
		Offer string `json:"offer"` // a session description of WebRTC
	}
	// Motion plays, renames or deletes a recorded motion, or ends the one that is played.
	Motion struct {
		ID     uint64 `json:"id"`
		Lease  uint64 `json:"lease"`
		Action string `json:"action"`           // one of motionActions
		Motion uint64 `json:"motion,omitempty"` // its number; 0 with stop
		Name   string `json:"name,omitempty"`   // of rename
		Was    string `json:"was,omitempty"`    // of rename, the name that the person saw; empty: any
	}
	// Job runs a job, or changes the current run.
	Job struct {
		ID, Lease uint64
		Command   robot.Command // RunJob, ChangeRun, PauseRun, ResumeRun, SkipStep, RetryStep, EndRun or OK
		Job       jobs.Job      // of RunJob and ChangeRun
	}
	// Look turns the head.
	Look struct {
		ID, Lease uint64
		Loan      uint64 // number of the loan of the head; 0 = for the holder
		robot.Look
	}
	// Part lends a part of the robot, asks for one, or ends a loan.
	Part struct {
		ID     uint64     `json:"id"`
		Lease  uint64     `json:"lease"`
		Action string     `json:"action"` // one of partActions
		Part   lease.Part `json:"part"`
		To     int        `json:"to,omitempty"` // of lend and deny: the user
	}
	// Ack acknowledges the states up to N.
	Ack struct {
		N uint64 `json:"n"`
	}
)

// LinkOff is the profile of an unimpaired network.
const LinkOff = "off"

// Twist returns the velocity request of the sample.
func (d Drive) Twist() robot.Twist { return robot.Twist{Linear: d.V, Angular: d.W} }

// IsNeutral reports whether the driver asks for standstill.
func (d Drive) IsNeutral() bool { return d.Twist().IsZero() }

// A WorldChange is one change that a user makes to the simulated world; the set is
// closed. Positions are in map.
type WorldChange interface{ worldChange() }

type (
	// PutThing adds a thing.
	PutThing struct {
		Kind   ThingKind
		At     robot.Point
		Radius float64 // m
	}
	// MoveThing moves a thing.
	MoveThing struct {
		Thing int // its number
		At    robot.Point
	}
	// RemoveThing removes a thing.
	RemoveThing struct{ Thing int }
	// SetDoor closes or opens a door.
	SetDoor struct {
		Door   int // index into Floorplan.Doors
		Closed bool
	}
	// Carry lifts the robot to another pose without its wheels noticing.
	Carry struct{ Pose robot.Pose } // of base_link
	// PressOK presses and releases the robot's OK switch.
	PressOK struct{}
	// SetCharge gives the robot's battery another charge.
	SetCharge struct{ Charge float64 } // 0 empty to 1 full
)

func (PutThing) worldChange()    {}
func (MoveThing) worldChange()   {}
func (RemoveThing) worldChange() {}
func (SetDoor) worldChange()     {}
func (Carry) worldChange()       {}
func (PressOK) worldChange()     {}
func (SetCharge) worldChange()   {}

// ThingKind is the kind of a thing.
type ThingKind string

// The things that users can put into the world.
const (
	Obstacle ThingKind = "obstacle" // a round object that blocks the robot
	Magnet   ThingKind = "magnet"   // a round place where the compass is wrong
)

func (Hello) header() string   { return `"type":"hello"` }
func (Clock) header() string   { return `"type":"clock"` }
func (Drive) header() string   { return `"type":"drive"` }
func (Stop) header() string    { return `"type":"stop"` }
func (Unstop) header() string  { return `"type":"unstop"` }
func (Control) header() string { return `"type":"control"` }
func (Rename) header() string  { return `"type":"rename"` }
func (World) header() string   { return `"type":"world"` }
func (Link) header() string    { return `"type":"link"` }
func (RTC) header() string     { return `"type":"rtc"` }
func (Motion) header() string  { return `"type":"motion"` }
func (Job) header() string     { return `"type":"job"` }
func (Look) header() string    { return `"type":"look"` }
func (Part) header() string    { return `"type":"part"` }
func (Ack) header() string     { return `"type":"ack"` }

func (n Navigate) header() string {
	switch n.Command.(type) {
	case robot.Plan:
		return `"type":"plan"`
	case robot.GoTo:
		return `"type":"goto"`
	case robot.SetPose:
		return `"type":"pose"`
	}
	return `"type":"goal"`
}

// IDOf returns the id that the answer to a request carries; 0 = none.
func IDOf(request any) uint64 {
	switch r := request.(type) {
	case Unstop:
		return r.ID
	case Control:
		return r.ID
	case Rename:
		return r.ID
	case Navigate:
		return r.ID
	case World:
		return r.ID
	case RTC:
		return r.ID
	case Link:
		return r.ID
	case Motion:
		return r.ID
	case Job:
		return r.ID
	case Look:
		return r.ID
	case MoveJoints:
		return r.ID
	case Part:
		return r.ID
	case Watch:
		return r.ID
	}
	return 0
}

// MarshalJSON writes the sample.
func (d Drive) MarshalJSON() ([]byte, error) {
	fields := struct {
		Lease uint64      `json:"lease"`
		Hold  uint64      `json:"hold"`
		Seq   uint64      `json:"seq"`
		T     float64     `json:"t"`
		V     float64     `json:"v"`
		W     float64     `json:"w"`
		Valid float64     `json:"valid,omitempty"`
		VR    []float64   `json:"vr,omitempty"`
		Hist  [][]float64 `json:"hist,omitempty"`
	}{Lease: d.Lease, Hold: d.DriveEpoch, Seq: d.Seq, T: d.T, V: d.V, W: d.W, Valid: d.Valid.Seconds()}
	if d.Path != nil {
		fields.VR = virtualRobot(*d.Path)
		for _, h := range d.Path.Hist {
			fields.Hist = append(fields.Hist, append([]float64{float64(h.Seq), h.T, h.Want.Linear, h.Want.Angular}, virtualRobot(h)...))
		}
	}
	return json.Marshal(fields)
}

func virtualRobot(f robot.Follow) []float64 {
	return []float64{f.Pose.X, f.Pose.Y, f.Pose.Theta, f.Twist.Linear, f.Twist.Angular, f.S}
}

// fieldMap returns a request's fields with the ones that most requests have.
func fieldMap(id, lease uint64) map[string]any {
	m := map[string]any{"lease": lease}
	if id != 0 {
		m["id"] = id
	}
	return m
}

// MarshalJSON writes the request.
func (n Navigate) MarshalJSON() ([]byte, error) {
	m := fieldMap(n.ID, n.Lease)
	switch cmd := n.Command.(type) {
	case robot.Plan:
		delete(m, "lease")
		m["goal"] = poseList(cmd.Goal)
	case robot.GoTo:
		m["goal"] = poseList(cmd.Goal)
		if cmd.Name != "" {
			m["name"] = cmd.Name
		}
	case robot.SetPose:
		m["pose"] = poseList(cmd.Pose)
	case robot.Pause:
		m["action"] = "pause"
	case robot.Resume:
		m["action"] = "resume"
	case robot.Cancel:
		m["action"] = "cancel"
	case robot.GoAround:
		m["action"] = "around"
	}
	return json.Marshal(m)
}

func poseList(p robot.Pose) []float64   { return []float64{p.X, p.Y, p.Theta} }
func pointList(p robot.Point) []float64 { return []float64{p.X, p.Y} }

// MarshalJSON writes the request.
func (w World) MarshalJSON() ([]byte, error) {
	m := fieldMap(w.ID, w.Lease)
	switch change := w.Change.(type) {
	case PutThing:
		m["action"], m["kind"], m["at"], m["radius"] = "put", change.Kind, pointList(change.At), change.Radius
	case MoveThing:
		m["action"], m["thing"], m["at"] = "move", change.Thing, pointList(change.At)
	case RemoveThing:
		m["action"], m["thing"] = "remove", change.Thing
	case SetDoor:
		m["action"], m["door"], m["closed"] = "door", change.Door, change.Closed
	case Carry:
		m["action"], m["pose"] = "carry", poseList(change.Pose)
	case PressOK:
		m["action"] = "ok"
	case SetCharge:
		m["action"], m["charge"] = "battery", change.Charge
	}
	return json.Marshal(m)
}

// MarshalJSON writes the request.
func (j Job) MarshalJSON() ([]byte, error) {
	m := fieldMap(j.ID, j.Lease)
	nth := func(step int) {
		if step > 0 {
			m["step"] = step - 1
		}
	}
	switch cmd := j.Command.(type) {
	case robot.RunJob:
		m["action"], m["name"], m["steps"] = "run", j.Job.Name, j.Job.Steps
		if j.Job.ID != "" {
			m["job"] = j.Job.ID
		}
	case robot.ChangeRun:
		m["action"], m["steps"] = "change", j.Job.Steps
	case robot.PauseRun:
		m["action"] = "pause"
	case robot.ResumeRun:
		m["action"] = "resume"
	case robot.SkipStep:
		m["action"] = "skip"
		nth(cmd.Nth)
	case robot.RetryStep:
		m["action"] = "retry"
		nth(cmd.Nth)
	case robot.EndRun:
		m["action"] = "end"
	case robot.OK:
		m["action"] = "ok"
		if cmd.Message != 0 {
			m["message"] = cmd.Message
		}
	}
	return json.Marshal(m)
}

// MarshalJSON writes the request.
func (l Look) MarshalJSON() ([]byte, error) {
	m := fieldMap(l.ID, l.Lease)
	m["pan"], m["tilt"] = l.Pan, l.Tilt
	if l.Loan != 0 {
		m["loan"] = l.Loan
	}
	return json.Marshal(m)
}
