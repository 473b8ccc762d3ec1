package session

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"mybot/robot"
)

// What the robot sends, as in protocol.md. Each message is encoded once and
// the bytes are shared by everybody who gets it; nobody writes to them.

// number is a JSON number of six significant digits, null when not finite.
type number float64

// MarshalJSON writes the number.
func (x number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(x), 'g', 6, 64), nil
}

// seconds is a time in s on the robot's monotonic clock, to the microsecond.
type seconds time.Duration

// MarshalJSON writes the time as a number.
func (s seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Round(time.Microsecond).Seconds(), 'f', -1, 64), nil
}

// moment is a time of day in UTC, to the millisecond.
type moment time.Time

// MarshalJSON writes the time of day as RFC 3339 has it.
func (m moment) MarshalJSON() ([]byte, error) {
	return time.Time(m).UTC().AppendFormat(nil, `"2006-01-02T15:04:05.999Z07:00"`), nil
}

func numbersOf(xs ...float64) []number {
	numbers := make([]number, len(xs))
	for i, x := range xs {
		numbers[i] = number(x)
	}
	return numbers
}

func PoseOf(p robot.Pose) []number   { return numbersOf(p.X, p.Y, p.Theta) }
func PointOf(p robot.Point) []number { return numbersOf(p.X, p.Y) }
func twistOf(t robot.Twist) []number { return numbersOf(t.Linear, t.Angular) }

type Welcome struct {
	Type          string       `json:"type"`
	Protocol      string       `json:"protocol"`
	Build         string       `json:"build"`
	You           int          `json:"you"`
	Role          Role         `json:"role"`
	Camera        bool         `json:"camera"`
	Simulator     bool         `json:"simulator"`
	HasCamera     bool         `json:"sees,omitempty"`  // there are pictures,
	HasMicrophone bool         `json:"hears,omitempty"` // and sound, by WHEP
	Relays        []Relay      `json:"relays,omitempty"`
	DriveEpoch    uint64       `json:"hold"`
	Robot         RobotMessage `json:"robot"`
	Lease         leaseMessage `json:"lease"`
	People        []Person     `json:"people"`
	Stop          *StopState   `json:"stop"`
	Back          *Back        `json:"back,omitempty"`
	Elsewhere     string       `json:"elsewhere,omitempty"`
}

// A Relay is a TURN server, as browsers take it.
type Relay struct {
	URL      string `json:"urls"` // turn:HOST:PORT or turns:HOST:PORT
	Username string `json:"username"`
	Password string `json:"credential"`
}

// A RobotMessage is what pages draw a robot with, know its limits by and foretell
// it.
type RobotMessage struct {
	Name   string     `json:"name"`
	Place  string     `json:"place"`
	Length number     `json:"length"` // m
	Width  number     `json:"width"`  // m
	Safe   []number   `json:"safe"`   // m/s, rad/s
	Drive  []number   `json:"drive"`  // m/s, rad/s, what a hand may ask
	Slew   []number   `json:"slew"`   // m/s2, rad/s2, of the virtual robot
	Axle   number     `json:"axle"`   // m, how far the axle is behind the middle
	Sonars [][]number `json:"sonars"` // poses in base_link
	Beam   number     `json:"beam"`   // rad
	Range  number     `json:"range"`  // m
	Period int64      `json:"period_ms"`

	Head *Head `json:"head,omitempty"` // nil = it has none
}

// A Head is how the head turns and how its camera sits and sees.
type Head struct {
	X       number   `json:"x"`    // m, of the pan axis in base_link
	Z       number   `json:"z"`    // m, of the pinhole above the floor
	Pan     []number `json:"pan"`  // rad, the least and the most
	Tilt    []number `json:"tilt"` // rad
	Speed   number   `json:"speed"`
	Forward number   `json:"forward"` // m, of the pinhole before the pan axis
	Width   int      `json:"width"`   // pixels
	Height  int      `json:"height"`
	Field   number   `json:"field"` // rad, the whole width
}

// The parts of the safe limits that a hand may ask for: the rest is head-room
// for following what was asked. They are those of playout.Virtual.
const (
	handShare = 0.9 // of the speeds
	slewShare = 0.8 // of the accelerations
)

// Robot returns the robot as a welcome tells it.
func (h *Hub) Robot() RobotMessage {
	return RobotOf(h.cfg.Description, h.cfg.Place, h.cfg.Period)
}

func RobotOf(d robot.Description, place string, period time.Duration) RobotMessage {
	hand := robot.Twist{Linear: d.Safe.Linear, Angular: d.Safe.Angular}
	m := RobotMessage{
		Name: d.Name, Place: place,
		Length: number(d.Body.Length), Width: number(d.Body.Width),
		Safe:   twistOf(hand),
		Drive:  twistOf(hand.Scale(handShare)),
		Slew:   []number{number(slewShare * d.Safe.LinearAcceleration), number(slewShare * d.Safe.AngularAcceleration)},
		Axle:   number(d.Drivetrain.AxleOffset),
		Sonars: make([][]number, len(d.Sonars)),
		Period: period.Milliseconds(),
	}
	for i, s := range d.Sonars {
		m.Sonars[i] = PoseOf(s.Pose)
		m.Beam = max(m.Beam, number(s.Beam))
		m.Range = max(m.Range, number(s.Max))
	}
	if h := d.Head; h != nil {
		m.Head = &Head{
			X: number(h.X), Z: number(h.Z),
			Pan: []number{number(h.PanMin), number(h.PanMax)}, Tilt: []number{number(h.TiltMin), number(h.TiltMax)}, Speed: number(h.Speed),
			Forward: number(h.Camera.Forward), Width: h.Camera.Width, Height: h.Camera.Height, Field: number(h.Camera.FieldOfView),
		}
	}
	return m
}

type leaseMessage struct {
	Epoch  uint64  `json:"epoch"`
	Holder *int    `json:"holder"` // null = nobody has control
	Since  moment  `json:"since"`
	FreeIn *number `json:"free_in,omitempty"` // s

	Requests []LeaseRequest `json:"requests,omitempty"`
	Offer    *LeaseOffer    `json:"offer,omitempty"`
	Passing  *LeasePassing  `json:"passing,omitempty"`
}

type LeaseRequest struct {
	ID     int    `json:"id"`
	Reason string `json:"reason"`
	Left   number `json:"left"` // s
}

type LeaseOffer struct {
	ID   int    `json:"id"`
	Left number `json:"left"` // s
}

type LeasePassing struct {
	To *int `json:"to"` // null = nobody
}

func leaseOf(l Lease, now time.Time) leaseMessage {
	m := leaseMessage{Epoch: l.Epoch, Since: moment(l.Since)}
	if l.Holder != 0 {
		m.Holder = &l.Holder
	}
	if at, ok := l.FreeAt(); ok {
		left := remains(at, now)
		m.FreeIn = &left
	}
	for _, r := range l.requests {
		m.Requests = append(m.Requests, LeaseRequest{r.user, r.reason, remains(r.until, now)})
	}
	if o := l.offer; o.user != 0 {
		m.Offer = &LeaseOffer{o.user, remains(o.until, now)}
	}
	if to, ok := l.Passing(); ok {
		m.Passing = &LeasePassing{}
		if to != 0 {
			m.Passing.To = &to
		}
	}
	return m
}

// remains returns the time from now to at, in s; 0 when that is over.
func remains(at, now time.Time) number { return number(max(0, at.Sub(now)).Seconds()) }

type Person struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Role    Role    `json:"role"`
	Order   int     `json:"order"`
	Control bool    `json:"control"`
	Asks    bool    `json:"asks"`
	Here    bool    `json:"here"`
	RTT     *number `json:"rtt_ms"`
}

type StopState struct {
	By string `json:"by"`
	ID int    `json:"id"` // 0 = from outside the page
	At moment `json:"at"`
}

type Back struct {
	After   number `json:"after"` // s away
	Control bool   `json:"control"`
}

type ClockAnswer struct {
	Type string  `json:"type"`
	T1   float64 `json:"t1"` // as sent, every digit
	T2   seconds `json:"t2"`
	T3   seconds `json:"t3"`
}

type State struct {
	Type    string        `json:"type"`
	N       uint64        `json:"n"`
	T       seconds       `json:"t"`
	At      moment        `json:"at"`
	Mode    robot.Mode    `json:"mode"`
	Seq     uint64        `json:"seq"`
	Pose    []number      `json:"pose"`
	Cov     []number      `json:"cov"`
	Twist   []number      `json:"twist"`
	Ranges  []number      `json:"ranges"`
	Nearest Nearest       `json:"nearest"`
	Guard   Guard         `json:"guard"`
	Drive   DriveState    `json:"drive"`
	Play    *Play         `json:"play"` // null = no hand drives
	Sources Sources       `json:"sources"`
	Trust   string        `json:"trust"`
	Goal    *Goal         `json:"goal"`
	Stop    *StopState    `json:"stop"`
	Job     *RunState     `json:"job"`
	Speech  *Speech       `json:"speech"`
	Message *ShownMessage `json:"message"`
	Bump    bool          `json:"bump"`
	Head    []number      `json:"head"`
	Battery Battery       `json:"battery"`
	Tick    Tick          `json:"tick"`
}

type Nearest struct {
	Distance number `json:"distance"`
	Sonar    *int   `json:"sonar"` // null = nothing in sight
}

type Guard struct {
	Ahead  number `json:"ahead"`
	Limit  number `json:"limit"`
	Active bool   `json:"active"`
}

type DriveState struct {
	Asked  []number   `json:"asked"`
	Given  []number   `json:"given"`
	Word   robot.Word `json:"word"`
	Reason string     `json:"reason"`
}

type Play struct {
	Policy  string   `json:"policy"`
	Lead    number   `json:"lead"`   // s
	Jitter  number   `json:"jitter"` // s
	Rate    number   `json:"rate"`
	Stalled bool     `json:"stalled"`
	Motion  *uint64  `json:"motion"` // null = a hand drives
	Left    number   `json:"left"`   // m
	Ref     []number `json:"ref"`    // null with direct
	Error   number   `json:"error"`
	Detour  number   `json:"detour"`
}

func playOf(p robot.Play) *Play {
	if p.Policy == "" {
		return nil
	}
	m := &Play{
		Left: number(p.Left), Policy: p.Policy, Lead: number(p.Lead), Jitter: number(p.Jitter), Rate: number(p.Rate),
		Stalled: p.Stalled, Error: number(p.Error), Detour: number(p.Detour),
	}
	if p.Motion != 0 {
		m.Motion = &p.Motion
	}
	if p.Policy != direct {
		m.Ref = PoseOf(p.Reference)
	}
	return m
}

// direct is the policy of driving by hand without a path: playout.Direct.
const direct = "direct"

type Sources struct {
	Wheels  bool `json:"wheels"`
	Compass bool `json:"compass"`
	Sonars  int  `json:"sonars"`
}

type Goal struct {
	N       uint64          `json:"n"`
	Goal    []number        `json:"goal"`
	Name    string          `json:"name"`
	Phase   robot.GoalPhase `json:"phase"`
	Done    number          `json:"done"`
	Left    number          `json:"left"`
	Time    number          `json:"time"`
	Off     *number         `json:"off"`   // null = it has not ended
	Route   uint64          `json:"route"` // 0 = it has none
	Blocked *Blockage       `json:"blocked"`
	Word    robot.Word      `json:"word"`
	Reason  string          `json:"reason"`
}

type Blockage struct {
	At     []number `json:"at"`
	Waited number   `json:"waited"`
}

// goalOf returns the goal as it is sent; nil = there was none yet.
func goalOf(g *robot.Goal) *Goal {
	if g == nil {
		return nil
	}
	m := &Goal{
		N: g.Number, Goal: PoseOf(g.Pose), Name: g.Name, Phase: g.Phase,
		Done: number(g.Done), Left: number(g.Left), Time: number(g.Time),
		Word: g.Result.Word, Reason: g.Result.Reason,
	}
	if g.Phase == robot.GoalEnded {
		off := number(g.Off)
		m.Off = &off
	}
	if g.Route != nil {
		m.Route = g.Route.Number
	}
	if b := g.Blocked; b != nil {
		m.Blocked = &Blockage{PointOf(b.At), number(b.Waited)}
	}
	return m
}

type Battery struct {
	Charge   number  `json:"charge"`
	Volts    number  `json:"volts"`
	Charging bool    `json:"charging"`
	Left     *number `json:"left"` // s; null = not known
}

type Tick struct {
	Period number `json:"period_ms"`
	Jitter number `json:"jitter_ms"`
}

// StateOf returns the state message number n. seq is the last drive
// sample that was executed, changes how often the run was told, start is zero
// of the robot's clock, halted is the stop as the people know it.
func StateOf(s robot.State, n, seq uint64, changes int, start time.Time, stop *stopped) []byte {
	m := State{
		Type: "state", N: n, Seq: seq,
		T: seconds(s.Time.Sub(start)), At: moment(s.Time),
		Mode: s.Mode,
		Pose: PoseOf(s.Estimate.Pose),
		Cov: numbersOf(s.Estimate.Covariance.XX, s.Estimate.Covariance.XY,
			s.Estimate.Covariance.YY, s.Estimate.Covariance.TT),
		Twist:   twistOf(s.Twist),
		Ranges:  numbersOf(s.Ranges...),
		Nearest: Nearest{Distance: number(s.Nearest.Distance)},
		Guard:   Guard{number(s.Guard.Ahead), number(s.Guard.Limit), s.Guard.Active},
		Drive:   DriveState{twistOf(s.Drive.Asked), twistOf(s.Drive.Given), s.Drive.Result.Word, s.Drive.Result.Reason},
		Play:    playOf(s.Play),
		Sources: Sources{s.Estimate.Wheels, s.Estimate.Compass, s.Estimate.Sonars},
		Trust:   s.Estimate.Trust.String(),
		Goal:    goalOf(s.Goal),
		Stop:    stop.wireState(),
		Job:     runStateOf(s.Run, changes),
		Speech:  speechOf(s.Speech),
		Message: messageOf(s.Message, s.Time),
		Bump:    s.Bump,
		Head:    numbersOf(s.Head.Pan, s.Head.Tilt),
		Battery: Battery{Charge: number(s.Battery.Charge), Volts: number(s.Battery.Volts), Charging: s.Battery.Charging},
		Tick:    Tick{milliseconds(s.Tick.Period), milliseconds(s.Tick.Jitter)},
	}
	if stop != nil {
		m.Mode = robot.ModeStopped
	}
	if s.Nearest.Sonar >= 0 {
		m.Nearest.Sonar = &s.Nearest.Sonar
	}
	if s.Battery.Left > 0 {
		left := number(s.Battery.Left.Seconds())
		m.Battery.Left = &left
	}
	return encodeValue(m)
}

func milliseconds(d time.Duration) number { return number(float64(d) / float64(time.Millisecond)) }

type DriveReset struct {
	DriveEpoch string   `json:"type"`
	Hold       uint64   `json:"hold"`
	Reason     string   `json:"reason"`
	T          *seconds `json:"t"`    // null = nothing is known of the robot yet
	Pose       []number `json:"pose"` // the same
}

type Result struct {
	Type   string     `json:"type"`
	ID     *uint64    `json:"id,omitempty"`
	Seq    *uint64    `json:"seq,omitempty"`
	Word   robot.Word `json:"word"`
	Reason string     `json:"reason"`
	Route  *Route     `json:"route,omitempty"`
	Answer string     `json:"answer,omitempty"` // to an offer
	Run    *uint64    `json:"run,omitempty"`    // of job run and change
	Old    string     `json:"old,omitempty"`    // the number that was too old: "lease" or "hold"
	Holder *int       `json:"holder,omitempty"` // beside Old; 0 = nobody has control
}

// A Route is a way to a goal as it is sent.
type Route struct {
	N      uint64     `json:"n"`
	Goal   []number   `json:"goal"`
	Line   [][]number `json:"line"`
	Via    []string   `json:"via"`
	Length number     `json:"length"`
	Time   number     `json:"time"`
}

// RouteOf returns the route as it is sent; nil = there is none.
func RouteOf(r *robot.Route) *Route {
	if r == nil {
		return nil
	}
	m := &Route{
		N: r.Number, Goal: PoseOf(r.Goal),
		Line: make([][]number, len(r.Line)), Via: append([]string{}, r.Via...),
		Length: number(r.Length), Time: number(r.Time),
	}
	for i, p := range r.Line {
		m.Line[i] = PointOf(p)
	}
	return m
}

type routeEvent struct {
	Type  string `json:"type"`
	Kind  string `json:"kind"`
	Route *Route `json:"route"`
}

type worldEvent struct {
	Type   string         `json:"type"`
	Kind   string         `json:"kind"`
	Things []thingMessage `json:"things"`
	Doors  []Door         `json:"doors"`
}

type thingMessage struct {
	Thing  int       `json:"thing"`
	Kind   ThingKind `json:"kind"`
	At     []number  `json:"at"`
	Radius number    `json:"radius"`
}

type Door struct {
	Closed bool `json:"closed"`
}

func worldOf(w WorldState) worldEvent {
	m := worldEvent{"event", "world", make([]thingMessage, len(w.Things)), make([]Door, len(w.Closed))}
	for i, t := range w.Things {
		m.Things[i] = thingMessage{t.Number, t.Kind, PointOf(t.At), number(t.Radius)}
	}
	for i, closed := range w.Closed {
		m.Doors[i] = Door{closed}
	}
	return m
}

type MapEvent struct {
	Type   string          `json:"type"`
	Kind   string          `json:"kind"`
	Via    json.RawMessage `json:"via"`
	Edges  json.RawMessage `json:"edges"`
	Places json.RawMessage `json:"places"`
}

type LinkEvent struct {
	Type    string `json:"type"`
	Kind    string `json:"kind"`
	Profile string `json:"profile"`
	Name    string `json:"name"` // of the profile; "" = it has none
}

type peopleEvent struct {
	Type   string   `json:"type"`
	Kind   string   `json:"kind"`
	People []Person `json:"people"`
}

type leaseEvent struct {
	Type string `json:"type"`
	Kind string `json:"kind"`
	leaseMessage
	Reason string `json:"reason"`
}

type stopEvent struct {
	Type    string `json:"type"`
	Kind    string `json:"kind"`
	Stopped bool   `json:"stopped"`
	StopState
}

type logEvent struct {
	Type string `json:"type"`
	Kind string `json:"kind"`
	At   moment `json:"at"`
	Icon icon   `json:"icon"`
	Text string `json:"text"`
}

// icon is the picture of a line in the log.
type icon string

const (
	iconDrive   icon = "drive"
	iconStop    icon = "stop"
	iconControl icon = "control"
	iconPerson  icon = "person"
	iconWarn    icon = "warn"
	iconBattery icon = "battery"
	iconGoal    icon = "goal"
	iconMap     icon = "map"
)

type Bye struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
	Again  bool   `json:"again"`
}

// encodeValue returns the message as JSON. The messages above always have one.
func encodeValue(message any) []byte {
	text, err := json.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("session: a %T cannot be encoded: %v", message, err))
	}
	return text
}
