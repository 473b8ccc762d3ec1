package robot

import "time"

// Mode is what the robot does, in one word.
type Mode string

// The modes.
const (
	ModeReady    Mode = "ready"
	ModeManual   Mode = "manual"   // driven by hand
	ModeGoal     Mode = "goal"     // on its way to a goal
	ModeJob      Mode = "job"      // a job is running
	ModePaused   Mode = "paused"   // a goal or job waits to be resumed
	ModeStopped  Mode = "stopped"  // a STOP is latched
	ModeCharging Mode = "charging" // standing at the dock
)

// State is the state of the robot after one tick, as users may see it. It is a value that a
// receiver may retain. Ranges and Echoes are not modified after publication.
type State struct {
	Time     time.Time
	Mode     Mode
	Estimate Estimate
	Twist    Twist // measured at M
	Ranges   []float64
	Echoes   []Point // in map, thinned: points of the newest scans
	Lidars   string  // sentence about a faulty lidar; "" = none
	Nearest  Nearest
	Guard    Guard
	Drive    DriveState
	Play     Play
	Held     *Held      // nil = the newest stream of Follow samples has not ended
	Goal     *Goal      // nil = none yet
	Queue    *Queue     // nil = no command was queued yet
	Run      *Run       // nil = no run yet
	Speech   *Speech    // nil = silent
	Message  *Message   // nil = none shown
	Stop     *StopState // nil = not stopped
	Bump     bool
	OK       bool
	EStop    bool      // the base's own emergency stop is pressed
	Refuses  string    // sentence why the base refuses to drive now; "" = it does not
	Base     *BaseLink // nil = the driver does not report its connection
	Head     HeadAngles
	Slow     *HandLimit   // nil = driving by hand is not slowed
	Joints   *JointsState // nil = no joints; read-only
	Battery  Battery
	Scripts  *ScriptState   // nil = no script has run yet
	Watched  *WatchedValues // nil = no one watches values of the scripts
	Tick     TickStats

	Recording bool // a recording is in progress, continuous or by a person
}

// IsSilent reports whether the base is out of reach. Then the sensor values and the motion
// in the state are from the newest reading, at State.Time.
func (s State) IsSilent() bool { return s.Base != nil && !s.Base.Up }

// A HandLimit is a temporary speed limit for driving by hand. It is not modified after
// publication.
type HandLimit struct {
	Speed float64 // m/s
	Why   string  // sentence
	Lent  string  // the lent part that is the reason, head or arm; "" = another reason
}

// Estimate is the localizer's pose of the robot and what it is based on.
type Estimate struct {
	Pose       Pose // of base_link in map
	Covariance Covariance
	Wheels     bool // odometry contributes
	Compass    bool // the compass contributes and agrees
	Sonars     int  // number of sonars in the last update
	Lidars     int  // number of lidars whose scans check it
	Trust      Trust
}

// Trust is the quality of an estimate, as judged by the localizer.
type Trust uint8

// The degrees of trust.
const (
	TrustOK     Trust = iota
	TrustUnsure       // drives slowly: at most 0.2 m/s autonomously
	TrustLost         // position unknown: does not drive autonomously
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

// Nearest is the nearest object around the hull that a sonar or lidar measures.
type Nearest struct {
	Distance float64 // m from the hull; +Inf = none
	Bearing  float64 // rad in base_link: the sonar's axis, or the direction in which the lidar sees it
	Sonar    int     // index into Description.Sonars; -1 = a lidar, or none
}

// Guard is the result of the collision monitor in one tick.
type Guard struct {
	Ahead  float64 // m, free distance of the hull along the requested motion; +Inf = no obstacle
	Limit  float64 // m/s that the guard allows now
	Active bool    // it changes the requested motion
}

// DriveState is the last manual request and its result.
type DriveState struct {
	Asked  Twist
	Given  Twist
	Result Result
}

// Play describes how a driver's samples, or a recorded motion, are played out.
type Play struct {
	Policy    string  // a playout.Policy: track, direct or playback; "" = no driver drives
	Motion    uint64  // number of the motion, for playback
	Lead      float64 // s, buffered path
	Jitter    float64 // s, required buffer
	Rate      float64 // speed of the reference along the path; 1 = as recorded
	Stalled   bool    // the reference waits for samples or for the robot
	Left      float64 // m, known path that is not yet driven
	Reference Pose    // of base_link in map; not for direct
	Error     float64 // m, cross-track error of the axle
	Detour    float64 // m, offset to the left of the path, around an obstacle; 0 = on the path
}

// Held describes why a robot ended a stream of Follow samples. It is not modified after
// publication.
type Held struct {
	Lease, Hold uint64 // the stream
	Reason      string
	Pose        Pose // of base_link in map, at that time
	At          time.Time
}

// JointsState holds the positions and goals of the joints, in rad or m, in the order of
// Description.Joints.
type JointsState struct {
	At   []float64 // NaN = unknown
	To   []float64 // NaN = the joint has no goal or has reached it
	Held string    // why the joints were last held before they reached their goals; "" = they were not

	Outside string // sentence about a link that sticks out of the hull; "" = none
}

// StopState is who stopped the robot, and when.
type StopState struct {
	By string
	At time.Time
}

// TickStats is the regularity of the control loop over the last ten seconds.
type TickStats struct {
	Period time.Duration // nominal
	Jitter time.Duration // 99th percentile of |interval - period|
	Worst  time.Duration // the largest
	Late   uint64        // ticks since the start that were more than one period late
}
