package robot

import "time"

// Mode says in one word what the robot is doing.
type Mode string

// The modes.
const (
	ModeReady    Mode = "ready"
	ModeManual   Mode = "manual"   // driven by hand
	ModeGoal     Mode = "goal"     // on its way to a goal
	ModeJob      Mode = "job"      // it does a job
	ModePaused   Mode = "paused"   // there is a goal or a job, and it waits for Resume
	ModeStopped  Mode = "stopped"  // the latch is set
	ModeCharging Mode = "charging" // standing at the dock
)

// State is all a person may know of the robot after one tick. It is a value:
// a receiver may keep it. Ranges and Echoes are not written to after publication.
type State struct {
	Time     time.Time
	Mode     Mode
	Estimate Estimate
	Twist    Twist // measured at M
	Ranges   []float64
	Echoes   []Point // in map, thinned: where the lidars met something last
	Lidars   string  // what is wrong with a lidar, in a sentence; "" = nothing
	Nearest  Nearest
	Guard    Guard
	Drive    DriveState
	Play     Play
	Held     *Held      // nil = the newest stream of Follow samples has not ended
	Goal     *Goal      // nil = there was none yet
	Queue    *Queue     // nil = nothing was put into it yet
	Run      *Run       // nil = no job was run yet
	Speech   *Speech    // nil = it says nothing
	Message  *Message   // nil = it shows nothing
	Stop     *StopState // nil = not stopped
	Bump     bool
	OK       bool
	EStop    bool      // the base's own emergency stop is pressed
	Refuses  string    // why the base would not drive now, in a sentence; "" = it would
	Base     *BaseLink // nil = the base is at the end of no line
	Head     HeadAngles
	Slow     *HandLimit   // nil = a hand drives as fast as the robot may be
	Joints   *JointsState // nil = it has none; not written to
	Battery  Battery
	Tick     TickStats

	Recording bool // it is being recorded, on its disk or by a person
}

// IsSilent reports whether the base is out of reach: what the state has of sensors and
// motion is then from the newest reading, at State.Time, and nothing was measured since.
func (s State) IsSilent() bool { return s.Base != nil && !s.Base.Up }

// A HandLimit says that a hand drives the robot more slowly for now. It is not written to
// after publication.
type HandLimit struct {
	Speed float64 // m/s
	Why   string  // in a sentence
	Lent  string  // the part that is lent and slows it, head or arm; "" = it is for something else
}

// Estimate is where the robot believes itself to be, and why.
type Estimate struct {
	Pose       Pose // of base_link in map
	Covariance Covariance
	Wheels     bool // odometry contributes
	Compass    bool // the compass contributes and agrees
	Sonars     int  // sonars that contributed to the last update
	Lidars     int  // lidars whose scans judge it
	Trust      Trust
}

// Trust is what an estimate is worth, as the localizer itself says.
type Trust uint8

// The three degrees of trust.
const (
	TrustOK     Trust = iota
	TrustUnsure       // slowly, at most 0.2 m/s on one's own
	TrustLost         // the position is not known; nothing drives by it
)

// String returns OK, UNSURE or LOST.
func (t Trust) String() string {
	switch t {
	case TrustOK:
		return "OK"
	case TrustUnsure:
		return "UNSURE"
	default:
		return "LOST"
	}
}

// Nearest is the nearest thing around the hull that a sonar hears or a lidar sees.
type Nearest struct {
	Distance float64 // m from the hull; +Inf = nothing in sight
	Bearing  float64 // rad in base_link, toward it: where the sonar looks, or where the lidar sees it
	Sonar    int     // index into Description.Sonars; -1 = a lidar sees it, or nothing is in sight
}

// Guard is what the last look before the wheels saw and did.
type Guard struct {
	Ahead  float64 // m of free way for the hull along the asked motion; +Inf = nothing in sight
	Limit  float64 // m/s that the guard allows now
	Active bool    // it changes the asked motion
}

// DriveState is the last manual wish and what became of it.
type DriveState struct {
	Asked  Twist
	Given  Twist
	Result Result
}

// Play is how a driver's samples, or a recorded motion, are played out.
type Play struct {
	Policy    string  // a playout.Policy: track, direct or playback; "" = no hand drives
	Motion    uint64  // the number of the motion, of playback
	Lead      float64 // s of path that are buffered
	Jitter    float64 // s that should be
	Rate      float64 // of the reference along the path; 1 = as fast as it was driven
	Stalled   bool    // the reference waits, for samples or for the robot
	Left      float64 // m of path that are known and not yet driven
	Reference Pose    // of base_link in map; not of direct
	Error     float64 // m that the axle is off where it is led
	Detour    float64 // m to the left of the path that it is led, round something; 0 = along the path
}

// Held says why a robot gave up a stream of Follow samples. It is not written
// to after publication.
type Held struct {
	Lease, Hold uint64 // the stream
	Reason      string
	Pose        Pose // where the robot was, of base_link in map
	At          time.Time
}

// JointsState is where the joints are and where they go, in rad or m and in the order
// of Description.Joints.
type JointsState struct {
	At   []float64 // NaN = not known
	To   []float64 // NaN = the joint is asked for nothing, or is there
	Held string    // why joints were held before they came to where they were asked to go; "" = the last ones were not

	Outside string // what sticks out of the hull because of them, in a sentence; "" = nothing
}

// StopState says who stopped the robot, and when.
type StopState struct {
	By string
	At time.Time
}

// TickStats is how punctual the control loop is, over the last ten seconds.
type TickStats struct {
	Period time.Duration // asked
	Jitter time.Duration // 99th percentile of |interval - period|
	Worst  time.Duration // the largest
	Late   uint64        // ticks since the start that came more than one period late
}
