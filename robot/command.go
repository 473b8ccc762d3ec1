package robot

import "time"

// A Command is one thing a robot is asked to do: a closed set. Who may ask is
// decided before it gets here, by session/lease.
type Command interface{ command() }

// Drive is one sample of manual driving. It is forgotten after Valid.
type Drive struct {
	Twist Twist         // wish at M
	Valid time.Duration // how long it counts without a successor; 0 = DriveValid
}

// DriveValid is how long a Drive counts when it does not say.
const DriveValid = 250 * time.Millisecond

// A Follow is one sample of manual driving by way of a virtual robot, which
// answers the hand at once: what the hand asks for, and where the virtual robot
// is. The robot rebuilds its path and follows it, as package playout says.
type Follow struct {
	Lease, Hold uint64        // the stream it belongs to; a higher pair ends the streams before it
	Seq         uint64        // counts up within the stream
	T           float64       // s, virtual time
	Made        time.Time     // T on the robot's clock; zero = not known
	Want        Twist         // what the hand asks for from T on, at M
	Twist       Twist         // the virtual robot's own at T, at M
	Pose        Pose          // the virtual robot's at T, of base_link in map
	S           float64       // m of arc that the virtual robot has gone in this stream
	Valid       time.Duration // of virtual time that Want counts without a successor; 0 = DriveValid
	Hist        []Follow      // samples before it, on a transport that loses; their own Hist is not looked at
}

// A Replay has the robot drive a recorded motion again: it follows the path of
// the points at their own pace. The robot stands near the first one when it
// begins; what ends a stream of Follow samples ends it too.
type Replay struct {
	Lease, Hold uint64     // its stream, newer than those before it
	Number      uint64     // of the motion, for State.Play
	Points      []Waypoint // read-only
}

// A Waypoint is where the virtual robot was at one time of a recorded motion,
// how fast, and what was asked for from then on.
type Waypoint struct {
	T     float64 `json:"t"`     // s since the motion began
	Pose  Pose    `json:"pose"`  // of base_link in map
	Twist Twist   `json:"twist"` // at M
	Want  Twist   `json:"want"`  // at M
}

// Halt ends every motion that was asked for by hand: control was lost or let
// go. Unlike Stop it latches nothing. The way to a goal goes on, unless Goal
// says that it pauses too.
type Halt struct {
	Reason string
	Goal   bool
}

// Lapse says that the base was told nothing for longer than it keeps a command: it has
// braked, and whatever moves it begins from zero. The control loop itself gives it.
type Lapse struct{}

// Lacks says which parts with range sensors of a robot of several bases are out of reach
// from now on, by their names. The control loop itself gives it.
type Lacks struct{ Parts []string }

// Stop is the PANIC of RoboTalk: standstill of wheels and head, latched, for
// everyone.
type Stop struct{ By string }

// ClearStop releases the latch. Nothing moves by itself after it.
type ClearStop struct{}

// Look turns the head; not while a Stop is latched.
type Look struct{ HeadAngles }

// MoveJoints has joints go to positions, each no faster than its speed and no farther
// than its limits; not while a Stop is latched. The other joints stay as they are. A
// Stop, a Halt and a base that falls silent hold them where they are then.
type MoveJoints struct {
	At map[string]float64 // rad or m, by the joint's name; not written to
}

// Lend says which parts of the robot are lent from now on, to people who do not drive
// it. A head or an arm whose loan ends stays where it is.
type Lend struct {
	Head bool
	Arm  bool // all joints
}

// SetPose tells the localizer where the robot is, in map.
type SetPose struct{ Pose Pose }

// Plan asks for the way to a goal; the answer brings it in Result.Route. Nothing
// moves.
type Plan struct{ Goal Pose } // of base_link in map

// GoTo sends the robot to a goal, in place of the one it is on its way to. The
// answer reports whether it sets out; how it ends is in State.Goal.
type GoTo struct {
	Goal Pose   // of base_link in map
	Name string // of the place, for people; "" = it has none
}

// Pause makes the robot stand on its way to the goal, until Resume.
type Pause struct{ Reason string }

// Resume continues to the goal after a Pause, a Stop or driving by hand.
type Resume struct{}

// Cancel gives the goal up.
type Cancel struct{ Reason string }

// GoAround has the way planned anew round what blocks it, also where that is
// much longer.
type GoAround struct{}

// RunJob begins the run of a job that was made ready under this number, in
// place of nothing: BUSY while another one has not ended.
type RunJob struct{ Run uint64 }

// ChangeRun replaces the steps behind the current one by those of the run that
// was made ready under the number Ready.
type ChangeRun struct{ Ready uint64 }

// PauseRun has the run wait, and the robot stand, until ResumeRun. Driving by
// hand, a stop, a goal of a user and a change of control do the same.
type PauseRun struct{ Reason string }

// ResumeRun continues the run: with the rest of a wait, with the sentence
// that was broken off, with a way from where the robot stands now.
type ResumeRun struct{}

// SkipStep gives the current step up and continues with the next one.
type SkipStep struct {
	Reason string
	Nth    int // of the step that is meant, counted from 1; another one is not skipped. 0 = whichever is current
}

// RetryStep tries the current step, which is RETRIABLE, again.
type RetryStep struct {
	Nth int // of the step that is meant, as in SkipStep
}

// EndRun gives the run up.
type EndRun struct{ Reason string }

// OK is the OK switch, touched on the screen or a page.
type OK struct {
	By      string
	Message uint64 // the number of the one that it answers, and no other; 0 = what is shown then
}

// Spoken says that the screen, or the base, has said a Speech to its end.
type Spoken struct{ Number uint64 }

// HarmlessAfterStop reports whether a command that was given before a STOP may still
// be carried out after it. A command is refused unless it says of itself, by the
// method harmlessAfterStop, that it sets nothing in motion.
func HarmlessAfterStop(cmd Command) bool {
	_, ok := cmd.(interface{ harmlessAfterStop() })
	return ok
}

func (Halt) harmlessAfterStop()      {}
func (Stop) harmlessAfterStop()      {}
func (Lapse) harmlessAfterStop()     {}
func (Lacks) harmlessAfterStop()     {}
func (Lend) harmlessAfterStop()      {}
func (SetPose) harmlessAfterStop()   {}
func (Plan) harmlessAfterStop()      {}
func (Pause) harmlessAfterStop()     {}
func (Cancel) harmlessAfterStop()    {}
func (ChangeRun) harmlessAfterStop() {}
func (PauseRun) harmlessAfterStop()  {}
func (EndRun) harmlessAfterStop()    {}
func (Spoken) harmlessAfterStop()    {}

func (Drive) command()      {}
func (Follow) command()     {}
func (Replay) command()     {}
func (Halt) command()       {}
func (Stop) command()       {}
func (ClearStop) command()  {}
func (Lapse) command()      {}
func (Lacks) command()      {}
func (Look) command()       {}
func (MoveJoints) command() {}
func (Lend) command()       {}
func (SetPose) command()    {}
func (Plan) command()       {}
func (GoTo) command()       {}
func (Pause) command()      {}
func (Resume) command()     {}
func (Cancel) command()     {}
func (GoAround) command()   {}
func (Enqueue) command()    {}
func (RunJob) command()     {}
func (ChangeRun) command()  {}
func (PauseRun) command()   {}
func (ResumeRun) command()  {}
func (SkipStep) command()   {}
func (RetryStep) command()  {}
func (EndRun) command()     {}
func (OK) command()         {}
func (Spoken) command()     {}
