package robot

import "time"

// A Command is a request to the robot; the set is closed. session/lease has already checked
// that the sender may give it.
type Command interface{ command() }

// Drive is one sample of manual driving. It expires after Valid.
type Drive struct {
	Twist Twist         // requested, at M
	Valid time.Duration // until when without a successor; 0 = DriveValid
}

// DriveValid is the validity of a Drive that does not state one.
const DriveValid = 250 * time.Millisecond

// A Follow is one sample of manual driving with a virtual robot, which reacts to the
// driver's input at once: the requested twist, and the pose of the virtual robot. The robot
// reconstructs the virtual robot's path and follows it; see package playout.
type Follow struct {
	Lease, Hold uint64        // the stream of the sample; a higher pair ends older streams
	Seq         uint64        // increases within the stream
	T           float64       // s, virtual time
	Made        time.Time     // T on the robot's clock; zero = unknown
	Want        Twist         // requested from T on, at M
	Twist       Twist         // of the virtual robot at T, at M
	Pose        Pose          // of the virtual robot at T, base_link in map
	S           float64       // m of arc that the virtual robot has driven in this stream
	Valid       time.Duration // virtual time for which Want is valid without a successor; 0 = DriveValid
	Hist        []Follow      // earlier samples, for a lossy transport; their own Hist is ignored
}

// A Replay makes the robot drive a recorded motion again: it follows the path of the points
// at their recorded pace. The robot must stand near the first point at the start. Whatever
// ends a stream of Follow samples also ends the replay.
type Replay struct {
	Lease, Hold uint64     // its stream, newer than all before
	Number      uint64     // of the motion, shown in State.Play
	Points      []Waypoint // read-only
}

// A Waypoint is the virtual robot's pose and twist at one time of a recorded motion, and
// the requested twist from then on.
type Waypoint struct {
	T     float64 `json:"t"`     // s since the motion began
	Pose  Pose    `json:"pose"`  // of base_link in map
	Twist Twist   `json:"twist"` // at M
	Want  Twist   `json:"want"`  // at M
}

// Halt ends all driving by hand: the driver lost or released control. Unlike Stop it does
// not latch. A goal continues unless Goal says that it pauses too.
type Halt struct {
	Reason string
	Goal   bool
}

// Lapse means that the base received nothing for longer than its hold: it has braked, and
// motion starts from zero. The control loop itself gives this command.
type Lapse struct{}

// Lacks lists the parts with range sensors of a composite base that are out of reach from
// now on, by name. The control loop itself gives this command.
type Lacks struct{ Parts []string }

// Stop is RoboTalk's PANIC: a latched standstill of wheels, head and joints. Every user may
// give it.
type Stop struct{ By string }

// ClearStop releases the latch. It sets nothing in motion.
type ClearStop struct{}

// Look turns the head. It is refused while a Stop is latched.
type Look struct{ HeadAngles }

// MoveJoints moves joints to positions, within their speeds and limits. It is refused while
// a Stop is latched. The other joints keep their positions. A Stop, a Halt or a silent base
// makes the joints hold their current positions.
type MoveJoints struct {
	At map[string]float64 // rad or m, by joint name; read-only
}

// Lend sets which parts of the robot are lent, to users who are not the driver. A head or
// arm whose loan ends keeps its position.
type Lend struct {
	Head bool
	Arm  bool // all joints
}

// SetPose gives the localizer the robot's pose, in map.
type SetPose struct{ Pose Pose }

// Plan requests the path to a goal; the answer contains it in Result.Route. The robot does
// not move.
type Plan struct{ Goal Pose } // of base_link in map

// GoTo sends the robot to a goal and replaces the current one. The answer reports whether
// the robot starts; State.Goal shows how the goal ends.
type GoTo struct {
	Goal Pose   // of base_link in map
	Name string // of the place, for people; "" = none
}

// Pause stops the robot on its way to the goal, until Resume.
type Pause struct{ Reason string }

// Resume continues to the goal after a Pause, a Stop or driving by hand.
type Resume struct{}

// Cancel ends the goal.
type Cancel struct{ Reason string }

// GoAround makes the navigator plan a path around the obstacle, even if it is much longer.
type GoAround struct{}

// RunJob starts the prepared run with this number. It does not replace another run: the
// answer is BUSY until that one has ended.
type RunJob struct{ Run uint64 }

// ChangeRun replaces the steps after the current one by those of the prepared run with the
// number Ready.
type ChangeRun struct{ Ready uint64 }

// PauseRun pauses the run and stops the robot until ResumeRun. Driving by hand, a stop, a
// user's goal and a change of control do the same.
type PauseRun struct{ Reason string }

// ResumeRun resumes the run: it waits the rest of a WAIT, repeats an interrupted sentence,
// or plans a path from the robot's current pose.
type ResumeRun struct{}

// SkipStep skips the current step and continues with the next one.
type SkipStep struct {
	Reason string
	Nth    int // number of the step, from 1; refused if another step is current. 0 = the current step
}

// RetryStep retries the current step, which must be RETRIABLE.
type RetryStep struct {
	Nth int // number of the step, as in SkipStep
}

// EndRun ends the run.
type EndRun struct{ Reason string }

// OK means that a user pressed OK, on the screen or a page.
type OK struct {
	By      string
	Message uint64 // number of the message that it answers; 0 = the one on display
}

// Spoken means that the screen or the base has finished a Speech.
type Spoken struct{ Number uint64 }

// HarmlessAfterStop reports whether a command that was given before a STOP may be executed
// after it. By default a command is refused; the method harmlessAfterStop marks commands
// that set nothing in motion.
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
