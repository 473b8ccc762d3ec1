package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session/lease"
)

// A Message goes over the wire in either direction. Its fields are the JSON
// members, except those of the header: type and kind.
type Message interface {
	header() string
}

// Encode returns the message as JSON, which every message has.
func Encode(m Message) []byte {
	fields := encodeValue(m)
	frame := make([]byte, 0, len(fields)+48)
	frame = append(frame, '{')
	frame = append(frame, m.header()...)
	if len(fields) > len("{}") {
		frame = append(frame, ',')
	}
	return append(frame, fields[1:]...)
}

func encodeValue(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("protocol: a %T cannot be encoded: %v", v, err))
	}
	return text
}

// DecodeEvent reads one frame from the robot: Welcome, State, Result, LeaseEvent
// and so on. For an unknown kind of message it returns nil without an error,
// because the robot may be newer than the client.
func DecodeEvent(frame []byte) (Message, error) {
	var head struct{ Type, Kind string }
	if err := json.Unmarshal(frame, &head); err != nil {
		return nil, fmt.Errorf("protocol: the robot sent something that is not a message: %w", err)
	}
	switch cmp.Or(head.Kind, head.Type) {
	case "welcome":
		return decodeAs[Welcome](frame)
	case "clock":
		return decodeAs[ClockAnswer](frame)
	case "state":
		return decodeAs[State](frame)
	case "hold":
		return decodeAs[DriveReset](frame)
	case "result":
		return decodeAs[Result](frame)
	case "bye":
		return decodeAs[Bye](frame)
	case "people":
		return decodeAs[PeopleEvent](frame)
	case "lease":
		return decodeAs[LeaseEvent](frame)
	case "stop":
		return decodeAs[StopEvent](frame)
	case "stopper":
		return decodeAs[StopperEvent](frame)
	case "log":
		return decodeAs[LogEvent](frame)
	case "route":
		return decodeAs[RouteEvent](frame)
	case "world":
		return decodeAs[WorldEvent](frame)
	case "link":
		return decodeAs[LinkEvent](frame)
	case "map":
		return decodeAs[MapEvent](frame)
	case "motions":
		return decodeAs[MotionsEvent](frame)
	case "jobs":
		return decodeAs[JobsEvent](frame)
	case "run":
		return decodeAs[RunEvent](frame)
	case "scripts":
		return decodeAs[ScriptsEvent](frame)
	case "values":
		return decodeAs[ValuesEvent](frame)
	case "parts":
		return decodeAs[PartsEvent](frame)
	case "mapping":
		return decodeAs[MappingEvent](frame)
	case "floor":
		return decodeAs[FloorEvent](frame)
	}
	return nil, nil
}

func decodeAs[M Message](frame []byte) (Message, error) {
	var m M
	if err := json.Unmarshal(frame, &m); err != nil {
		return nil, fmt.Errorf("protocol: the robot sent a %T that cannot be read: %w", m, err)
	}
	return m, nil
}

func (Welcome) header() string      { return `"type":"welcome"` }
func (ClockAnswer) header() string  { return `"type":"clock"` }
func (State) header() string        { return `"type":"state"` }
func (DriveReset) header() string   { return `"type":"hold"` }
func (Result) header() string       { return `"type":"result"` }
func (Bye) header() string          { return `"type":"bye"` }
func (PeopleEvent) header() string  { return `"type":"event","kind":"people"` }
func (LeaseEvent) header() string   { return `"type":"event","kind":"lease"` }
func (PartsEvent) header() string   { return `"type":"event","kind":"parts"` }
func (StopEvent) header() string    { return `"type":"event","kind":"stop"` }
func (StopperEvent) header() string { return `"type":"event","kind":"stopper"` }
func (LogEvent) header() string     { return `"type":"event","kind":"log"` }
func (RouteEvent) header() string   { return `"type":"event","kind":"route"` }
func (WorldEvent) header() string   { return `"type":"event","kind":"world"` }
func (LinkEvent) header() string    { return `"type":"event","kind":"link"` }
func (MapEvent) header() string     { return `"type":"event","kind":"map"` }
func (MotionsEvent) header() string { return `"type":"event","kind":"motions"` }
func (JobsEvent) header() string    { return `"type":"event","kind":"jobs"` }
func (ScriptsEvent) header() string { return `"type":"event","kind":"scripts"` }
func (RunEvent) header() string     { return `"type":"event","kind":"run"` }

// A Welcome answers Hello with everything that a client needs to begin.
type Welcome struct {
	Protocol      string     `json:"protocol"`
	Build         string     `json:"build"`
	You           int        `json:"you"`
	Role          string     `json:"role"`
	Camera        bool       `json:"camera"` // this user may see and hear through the robot
	Simulator     bool       `json:"simulator"`
	HasCamera     bool       `json:"sees,omitempty"`  // there is video,
	HasMicrophone bool       `json:"hears,omitempty"` // and sound, by WHEP
	Relays        []Relay    `json:"relays,omitempty"`
	DriveEpoch    uint64     `json:"hold"`
	Robot         Robot      `json:"robot"`
	Lease         Lease      `json:"lease"`
	People        []Person   `json:"people"`
	Stop          *StopState `json:"stop"`
	Back          *Back      `json:"back,omitempty"`
	Elsewhere     string     `json:"elsewhere,omitempty"`
}

// A Relay is a TURN server, in the form that browsers expect.
type Relay struct {
	URL      string `json:"urls"` // turn:HOST:PORT or turns:HOST:PORT
	Username string `json:"username"`
	Password string `json:"credential"`
}

// A Lease says who has control, and how control passes on.
type Lease struct {
	Epoch  uint64  `json:"epoch"`
	Holder *int    `json:"holder"` // null = no one has control
	Since  Moment  `json:"since"`
	FreeIn *Number `json:"free_in,omitempty"` // s

	Requests []LeaseRequest `json:"requests,omitempty"`
	Offer    *LeaseOffer    `json:"offer,omitempty"`
	Passing  *LeasePassing  `json:"passing,omitempty"`
}

// A LeaseRequest is an open request for control.
type LeaseRequest struct {
	ID     int    `json:"id"`
	Reason string `json:"reason"`
	Left   Number `json:"left"` // s
}

// A LeaseOffer lets one user accept control.
type LeaseOffer struct {
	ID   int    `json:"id"`
	Left Number `json:"left"` // s
}

// A LeasePassing is a change of control in progress.
type LeasePassing struct {
	To *int `json:"to"` // null = no one
}

// A Person is one user in the row.
type Person struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Role    string  `json:"role"`
	Order   int     `json:"order"`
	Control bool    `json:"control"`
	Asks    bool    `json:"asks"`
	Here    bool    `json:"here"`
	RTT     *Number `json:"rtt_ms"`
}

// A StopState says who stopped the robot, or released the stop.
type StopState struct {
	By string `json:"by"`
	ID int    `json:"id"` // 0 = without a page
	At Moment `json:"at"`
}

// A Back says how long a returning user was away.
type Back struct {
	After   Number `json:"after"` // s away
	Control bool   `json:"control"`
}

// A ClockAnswer ends a clock exchange: T2 is when the request arrived, T3 when the
// answer leaves.
type ClockAnswer struct {
	T1 float64 `json:"t1"` // as sent, every digit
	T2 Seconds `json:"t2"`
	T3 Seconds `json:"t3"`
}

// A DriveReset says that the robot has discarded what the driver asked for: from
// now on samples count under the new drive epoch.
type DriveReset struct {
	DriveEpoch uint64   `json:"hold"`
	Reason     string   `json:"reason"`
	T          *Seconds `json:"t"`    // null = the robot has sent no state yet
	Pose       []Number `json:"pose"` // null likewise
}

// A Result answers a request.
type Result struct {
	ID     *uint64    `json:"id,omitempty"`
	Seq    *uint64    `json:"seq,omitempty"`
	Word   robot.Word `json:"word"`
	Reason string     `json:"reason"`
	Route  *Route     `json:"route,omitempty"`
	Answer string     `json:"answer,omitempty"` // to an offer
	Run    *uint64    `json:"run,omitempty"`    // of job run and change
	Old    string     `json:"old,omitempty"`    // which number was too old: "lease" or "hold"
	Holder *int       `json:"holder,omitempty"` // with Old; 0 = no one has control
}

// A Route is the path to a goal.
type Route struct {
	N      uint64     `json:"n"`
	Goal   []Number   `json:"goal"`
	Line   [][]Number `json:"line"`
	Via    []string   `json:"via"`
	Length Number     `json:"length"`
	Time   Number     `json:"time"`
}

// RouteOf returns the wire form of the route; nil = none.
func RouteOf(r *robot.Route) *Route {
	if r == nil {
		return nil
	}
	m := &Route{
		N: r.Number, Goal: PoseOf(r.Goal),
		Line: make([][]Number, len(r.Line)), Via: append([]string{}, r.Via...),
		Length: Number(r.Length), Time: Number(r.Time),
	}
	for i, p := range r.Line {
		m.Line[i] = PointOf(p)
	}
	return m
}

// A RouteEvent brings the route of a new goal, or a new route to the goal.
type RouteEvent struct {
	Route *Route `json:"route"`
}

// A WorldEvent brings what users have put into the simulated world.
type WorldEvent struct {
	Things []Thing `json:"things"`
	Doors  []Door  `json:"doors"`
}

// A Thing is an object that a user put into the world.
type Thing struct {
	Thing  int       `json:"thing"`
	Kind   ThingKind `json:"kind"`
	At     []Number  `json:"at"`
	Radius Number    `json:"radius"`
}

// A Door is a door of the floor plan.
type Door struct {
	Closed bool `json:"closed"`
}

// A MapEvent brings the map that was saved, in the JSON of the page's floor plan.
type MapEvent struct {
	Via    json.RawMessage `json:"via"`
	Edges  json.RawMessage `json:"edges"`
	Places json.RawMessage `json:"places"`
}

// A LinkEvent says how the network to a simulated robot is impaired.
type LinkEvent struct {
	Profile string `json:"profile"`
	Name    string `json:"name"` // of the profile; "" = it has none
}

// A PeopleEvent brings the row of users.
type PeopleEvent struct {
	People []Person `json:"people"`
}

// A LeaseEvent reports an event about control.
type LeaseEvent struct {
	Lease
	Reason string `json:"reason"`
}

// A PartsEvent says which parts of the robot the holder has lent to whom, and who
// asks for one.
type PartsEvent struct {
	Loans    []Loan        `json:"loans"`
	Requests []LoanRequest `json:"requests"`
	Reason   string        `json:"reason"`
}

// A Loan is a lent part.
type Loan struct {
	Part lease.Part `json:"part"`
	ID   int        `json:"id"`   // the borrower
	Loan uint64     `json:"loan"` // its number
}

// A LoanRequest is a user's open request for a part.
type LoanRequest struct {
	Part lease.Part `json:"part"`
	ID   int        `json:"id"`
	Left Number     `json:"left"` // s
}

// A StopEvent says that the robot was stopped, or the stop released.
type StopEvent struct {
	Stopped bool `json:"stopped"`
	StopState
}

// A LogEvent is one line of the log.
type LogEvent struct {
	At   Moment `json:"at"`
	Icon Icon   `json:"icon"`
	Text string `json:"text"`
}

// An Icon is the picture of a line in the log.
type Icon string

// The icons.
const (
	IconDrive   Icon = "drive"
	IconStop    Icon = "stop"
	IconControl Icon = "control"
	IconPerson  Icon = "person"
	IconWarn    Icon = "warn"
	IconBattery Icon = "battery"
	IconGoal    Icon = "goal"
	IconMap     Icon = "map"
)

// A StopperEvent reports to the holder a device that stops the robot repeatedly.
type StopperEvent struct {
	ID     int    `json:"id"` // 0 = without a page
	Name   string `json:"name"`
	Device string `json:"device"` // identifies the device for removal
	Stops  int    `json:"stops"`  // in the last minute
}

// A Bye ends the connection. Again says whether the client should come back.
type Bye struct {
	Reason string `json:"reason"`
	Again  bool   `json:"again"`
}

// A JobsEvent brings the saved jobs.
type JobsEvent struct {
	Jobs []JobEntry `json:"jobs"`
}

// A JobEntry describes a saved job.
type JobEntry struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Steps    int    `json:"steps"`
	Revision uint64 `json:"revision"`
	Changed  Moment `json:"changed"`
}

// JobsOf returns the wire form of the saved jobs.
func JobsOf(saved []jobs.Job) []JobEntry {
	entries := make([]JobEntry, len(saved))
	for i, j := range saved {
		entries[i] = JobEntry{j.ID, j.Name, len(j.Steps), j.Revision, Moment(j.Changed)}
	}
	return entries
}

// A MotionEntry describes a recorded motion.
type MotionEntry struct {
	N        uint64   `json:"n"`
	Name     string   `json:"name"`
	At       Moment   `json:"at"`
	Length   Number   `json:"length"`
	Duration Number   `json:"time"`
	Start    []Number `json:"start"`
}

// A MotionsEvent brings the recorded motions.
type MotionsEvent struct {
	Motions []MotionEntry `json:"motions"`
}
