package protocol

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// A State is the state of the robot, sent ten times a second.
type State struct {
	N         uint64        `json:"n"`
	T         Seconds       `json:"t"`
	At        Moment        `json:"at"`
	Mode      robot.Mode    `json:"mode"`
	Seq       uint64        `json:"seq"`
	Pose      []Number      `json:"pose"`
	Cov       []Number      `json:"cov"`
	Twist     []Number      `json:"twist"`
	Ranges    []Number      `json:"ranges"`
	Scan      []int         `json:"scan,omitempty"`        // cm in map, x and y alternating; omitted without a lidar
	Lidar     string        `json:"lidar_fault,omitempty"` // a sentence; omitted if the lidars work
	Nearest   Nearest       `json:"nearest"`
	Guard     Guard         `json:"guard"`
	Drive     DriveState    `json:"drive"`
	Play      *Play         `json:"play"` // null = no one drives by hand
	Sources   Sources       `json:"sources"`
	Trust     string        `json:"trust"`
	Goal      *Goal         `json:"goal"`
	Stop      *StopState    `json:"stop"`
	Job       *RunState     `json:"job"`
	Speech    *Speech       `json:"speech"`
	Message   *ShownMessage `json:"message"`
	Bump      bool          `json:"bump"`
	Head      []Number      `json:"head"`
	HandLimit *HandLimit    `json:"hand_limit,omitempty"` // omitted while manual driving may use the full speed
	Joints    *JointsState  `json:"joints,omitempty"`     // omitted without joints
	Battery   Battery       `json:"battery"`
	Tick      Tick          `json:"tick"`
	Base      *Base         `json:"base,omitempty"`      // omitted if the base is not at the end of a line
	EStop     bool          `json:"estop,omitempty"`     // omitted if not pressed
	Recording bool          `json:"recording,omitempty"` // omitted if no recording is running
	Refuses   string        `json:"refuses,omitempty"`   // a sentence; omitted if the base does not refuse to drive
}

// HandLimit limits the speed of manual driving for the moment, and says why.
type HandLimit struct {
	Speed Number `json:"speed"` // m/s
	Why   string `json:"why"`
	Lent  string `json:"lent,omitempty"` // the part whose loan causes the limit; omitted for other causes
}

// Base is the state of the line to the base.
type Base struct {
	Up        bool     `json:"up"`
	Why       string   `json:"why"`
	Since     Moment   `json:"since"`
	Malformed uint64   `json:"malformed"`
	Restarts  uint64   `json:"restarts"`
	RoundTrip *Number  `json:"rtt_ms"` // null = unknown
	Gone      []string `json:"gone"`
}

// baseOf returns the wire form of the line to the base; nil = none.
func baseOf(b *robot.BaseLink) *Base {
	if b == nil {
		return nil
	}
	m := &Base{Up: b.Up, Why: b.Why, Since: Moment(b.Since), Malformed: b.Malformed, Restarts: b.Restarts, Gone: []string{}}
	for _, part := range b.Gone {
		m.Gone = append(m.Gone, part.Name)
	}
	if b.RoundTrip > 0 {
		took := toMilliseconds(b.RoundTrip)
		m.RoundTrip = &took
	}
	return m
}

// Nearest is the nearest thing that the sonars and lidars detect.
type Nearest struct {
	Distance Number  `json:"distance"`
	Bearing  *Number `json:"bearing"` // rad in base_link; null = nothing detected
	Sonar    *int    `json:"sonar"`   // null = a lidar detects it, or nothing is detected
}

// Guard is what the collision monitor does.
type Guard struct {
	Ahead  Number `json:"ahead"`
	Limit  Number `json:"limit"`
	Active bool   `json:"active"`
}

// DriveState is the twist that was requested and the one that the base got.
type DriveState struct {
	Asked  []Number   `json:"asked"`
	Given  []Number   `json:"given"`
	Word   robot.Word `json:"word"`
	Reason string     `json:"reason"`
}

// Play is the play-out of a path.
type Play struct {
	Policy  string   `json:"policy"`
	Lead    Number   `json:"lead"`   // s
	Jitter  Number   `json:"jitter"` // s
	Rate    Number   `json:"rate"`
	Stalled bool     `json:"stalled"`
	Motion  *uint64  `json:"motion"` // null = a driver drives
	Left    Number   `json:"left"`   // m
	Ref     []Number `json:"ref"`    // null with direct
	Error   Number   `json:"error"`
	Detour  Number   `json:"detour"`
}

func playOf(p robot.Play) *Play {
	if p.Policy == "" {
		return nil
	}
	m := &Play{
		Left: Number(p.Left), Policy: p.Policy, Lead: Number(p.Lead), Jitter: Number(p.Jitter), Rate: Number(p.Rate),
		Stalled: p.Stalled, Error: Number(p.Error), Detour: Number(p.Detour),
	}
	if p.Motion != 0 {
		m.Motion = &p.Motion
	}
	if p.Policy != string(playout.Direct) {
		m.Ref = PoseOf(p.Reference)
	}
	return m
}

// Sources are the sensors that the estimate uses.
type Sources struct {
	Wheels  bool `json:"wheels"`
	Compass bool `json:"compass"`
	Sonars  int  `json:"sonars"`
	Lidars  int  `json:"lidars,omitempty"`
}

// A Goal is where the robot drives by itself.
type Goal struct {
	N        uint64          `json:"n"`
	Goal     []Number        `json:"goal"`
	Name     string          `json:"name"`
	Phase    robot.GoalPhase `json:"phase"`
	Done     Number          `json:"done"`
	Left     Number          `json:"left"`
	Time     Number          `json:"time"`
	Off      *Number         `json:"off"`   // null = it has not ended
	Route    uint64          `json:"route"` // 0 = none
	Blocked  *Blockage       `json:"blocked"`
	Behavior *Behavior       `json:"behavior,omitempty"` // omitted if there is none now
	Word     robot.Word      `json:"word"`
	Reason   string          `json:"reason"`
}

// A Behavior is what the robot does at the moment on its way to a goal.
type Behavior struct {
	State    string `json:"state"`
	Sentence string `json:"sentence"`
	Lane     Number `json:"lane"`
}

// A Blockage is what blocks the path.
type Blockage struct {
	At     []Number `json:"at"`
	Waited Number   `json:"waited"`
}

// goalOf returns the wire form of the goal; nil = there was none yet.
func goalOf(g *robot.Goal) *Goal {
	if g == nil {
		return nil
	}
	m := &Goal{
		N: g.Number, Goal: PoseOf(g.Pose), Name: g.Name, Phase: g.Phase,
		Done: Number(g.Done), Left: Number(g.Left), Time: Number(g.Time),
		Word: g.Result.Word, Reason: g.Result.Reason,
	}
	if g.Phase == robot.GoalEnded {
		off := Number(g.Off)
		m.Off = &off
	}
	if g.Route != nil {
		m.Route = g.Route.Number
	}
	if b := g.Blocked; b != nil {
		m.Blocked = &Blockage{PointOf(b.At), Number(b.Waited)}
	}
	if b := g.Behavior; b.State != "" {
		m.Behavior = &Behavior{b.State, b.Sentence, Number(b.Lane)}
	}
	return m
}

// Battery is the state of the battery.
type Battery struct {
	Charge   Number  `json:"charge"`
	Volts    Number  `json:"volts"`
	Charging bool    `json:"charging"`
	Left     *Number `json:"left"` // s; null = unknown
}

// Tick is the timing of the control loop.
type Tick struct {
	Period Number `json:"period_ms"`
	Jitter Number `json:"jitter_ms"`
}

// StateOf returns the wire form of state number n. seq is the last executed drive
// sample, changes how often the run was reported, start the zero of the robot's
// clock, stop the stop as the users know it.
func StateOf(s robot.State, n, seq uint64, changes int, start time.Time, stop *StopState) State {
	m := State{
		N: n, Seq: seq,
		T: Seconds(s.Time.Sub(start)), At: Moment(s.Time),
		Mode: s.Mode,
		Pose: PoseOf(s.Estimate.Pose),
		Cov: numbersOf(s.Estimate.Covariance.XX, s.Estimate.Covariance.XY,
			s.Estimate.Covariance.YY, s.Estimate.Covariance.TT),
		Twist:   twistOf(s.Twist),
		Ranges:  numbersOf(s.Ranges...),
		Scan:    scanOf(s.Echoes),
		Lidar:   s.Lidars,
		Nearest: Nearest{Distance: Number(s.Nearest.Distance)},
		Guard:   Guard{Number(s.Guard.Ahead), Number(s.Guard.Limit), s.Guard.Active},
		Drive:   DriveState{twistOf(s.Drive.Asked), twistOf(s.Drive.Given), s.Drive.Result.Word, s.Drive.Result.Reason},
		Play:    playOf(s.Play),
		Sources: Sources{s.Estimate.Wheels, s.Estimate.Compass, s.Estimate.Sonars, s.Estimate.Lidars},
		Trust:   s.Estimate.Trust.String(),
		Goal:    goalOf(s.Goal),
		Stop:    stop,
		Job:     runStateOf(s.Run, changes),
		Speech:  speechOf(s.Speech),
		Message: messageOf(s.Message, s.Time),
		Bump:    s.Bump,
		Head:    numbersOf(s.Head.Pan, s.Head.Tilt),
		Joints:  jointsOf(s.Joints),
		Battery: Battery{Charge: Number(s.Battery.Charge), Volts: Number(s.Battery.Volts), Charging: s.Battery.Charging},
		Tick:    Tick{toMilliseconds(s.Tick.Period), toMilliseconds(s.Tick.Jitter)},
		Base:    baseOf(s.Base),
		EStop:   s.EStop,
		Refuses: s.Refuses, Recording: s.Recording,
	}
	if l := s.Slow; l != nil {
		m.HandLimit = &HandLimit{Number(l.Speed), l.Why, l.Lent}
	}
	if stop != nil {
		m.Mode = robot.ModeStopped
	}
	if !math.IsInf(s.Nearest.Distance, 1) {
		bearing := Number(s.Nearest.Bearing)
		m.Nearest.Bearing = &bearing
	}
	if s.Nearest.Sonar >= 0 {
		m.Nearest.Sonar = &s.Nearest.Sonar
	}
	if s.Battery.Left > 0 {
		left := Number(s.Battery.Left.Seconds())
		m.Battery.Left = &left
	}
	return m
}

// scanOf returns the wire form of points: in cm, x and y alternating.
func scanOf(points []robot.Point) []int {
	var scan []int
	for _, p := range points {
		scan = append(scan, int(math.Round(100*p.X)), int(math.Round(100*p.Y)))
	}
	return scan
}

func toMilliseconds(d time.Duration) Number { return Number(float64(d) / float64(time.Millisecond)) }

// A RunState is the progress of a run.
type RunState struct {
	Run      uint64         `json:"run"`
	Phase    robot.RunPhase `json:"phase"`
	Step     int            `json:"step"`
	Steps    int            `json:"steps"`
	Left     Number         `json:"left"`      // s
	StepLeft *Number        `json:"step_left"` // s; null = no step is left
	Changes  int            `json:"changes"`
}

// runStateOf returns the progress of the run; nil = there was none yet.
func runStateOf(r *robot.Run, changes int) *RunState {
	if r == nil {
		return nil
	}
	m := &RunState{Run: r.Number, Phase: r.Phase, Step: r.Step, Steps: len(r.Steps), Left: Number(r.Left), Changes: changes}
	if r.Step < len(r.Steps) {
		left := Number(r.Steps[r.Step].Left)
		m.StepLeft = &left
	}
	return m
}

// Speech is what the robot says.
type Speech struct {
	N    uint64 `json:"n"`
	Text string `json:"text"`
}

func speechOf(s *robot.Speech) *Speech {
	if s == nil {
		return nil
	}
	return &Speech{s.Number, s.Text}
}

// A ShownMessage is what the robot's screen shows.
type ShownMessage struct {
	N    uint64  `json:"n"`
	Text string  `json:"text"`
	OK   bool    `json:"ok"`
	Left *Number `json:"left"` // s; null = no limit
}

// messageOf returns the message on the robot's screen at time now.
func messageOf(s *robot.Message, now time.Time) *ShownMessage {
	if s == nil {
		return nil
	}
	m := &ShownMessage{N: s.Number, Text: s.Text, OK: s.OK}
	if !s.Until.IsZero() {
		left := Number(max(0, s.Until.Sub(now).Seconds()))
		m.Left = &left
	}
	return m
}
