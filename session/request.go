package session

import (
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/playout"
	"mybot/session/protocol"
)

// A nameRequest asks to store a user's new name.
type nameRequest struct {
	user *User
	who  *person
	id   uint64 // of the command
	name string
	err  error // why it could not be stored
}

// maxNameRequests is how many names may wait to be stored.
const maxNameRequests = 64

// A motionRequest is work for Motions, which waits for the disk: storing a drive,
// or a user's command. motion and err are the result. The zero value only sends the
// list.
type motionRequest struct {
	drive *playout.Motion // to be stored; nil = there is a command
	owner string          // of it
	user  *User
	cmd   protocol.Motion

	motion playout.Motion // what is to be replayed
	err    error
}

// runOn does the work and stores the result.
func (s *motionRequest) runOn(motions Motions) {
	switch {
	case s.drive != nil:
		_, s.err = motions.Add(*s.drive, s.owner)
	case s.cmd.Action == "play":
		s.motion, s.err = motions.Get(s.cmd.Motion)
	case s.cmd.Action == "rename":
		s.err = motions.Rename(s.cmd.Motion, s.cmd.Was, s.cmd.Name)
	default:
		s.err = motions.Delete(s.cmd.Motion)
	}
}

// maxMotionRequests is how many requests for Motions may wait.
const maxMotionRequests = 64

// A prepareRequest asks to prepare a job, to run it or to change the current run.
// reply is called once. run and err are the result.
type prepareRequest struct {
	person     *person
	driveEpoch uint64 // at the time of the request; a job begins only if it has not changed
	cmd        protocol.Job
	changes    uint64 // the run that was under way then, whose steps a change replaces; 0 = none
	from       robot.Pose
	cancelled  func() error               // an error = the caller no longer waits; nil = a page asks, which waits while connected
	reply      func(run uint64, no error) // no = why the run did not begin: a robot.Refusal, or the error of Jobs.Prepare

	run uint64
	err error
}

// maxPrepareRequests is how many jobs may wait to be prepared.
const maxPrepareRequests = 8

// An Order is a command from outside the pages: from the command line or another
// program. Lease, DriveEpoch and Seq are what a page would send with it; Stop and
// Halt need none of them, and only Drive needs DriveEpoch and Seq. Without a
// Command nothing is executed, and the answer says whether a command could be.
type Order struct {
	Lease, DriveEpoch, Seq uint64
	Command                robot.Command // Stop, Halt, ClearStop, Drive, Plan, GoTo, Pause, Resume, Cancel, GoAround, SetPose, Enqueue, Look, MoveJoints, PauseRun, ResumeRun, SkipStep, RetryStep, EndRun, OK or Spoken
	MovesNothing           bool          // without a Command: the caller asks about commands that do not move the robot and so do not wait until it stands
	AtRobot                bool          // OK and Spoken come from the robot's own screen, which needs no control
}

// order is an Order on its way to the hub's goroutine.
type order struct {
	Order
	job       jobs.Job                                         // of RunJob
	control   *controlRequest                                  // nil = the order is a command, not a control request
	script    func(c *coordinator, now time.Time) robot.Result // nil = the order is not about scripts
	by        Identity
	cancelled func() error // an error = the caller no longer waits; nil = the caller always waits
	answer    chan outcome // holds one
}

// An outcome is the result of an order.
type outcome struct {
	robot.Result
	run uint64 // that RunJob began,
	no  error  // or why none began
}

// maxOrders is how many orders may wait.
const maxOrders = 64

// cancelledReason is why an order is not executed whose caller no longer waits.
const cancelledReason = "The command was cancelled before it was answered."

// A controlRequest takes or releases control on behalf of a program.
type controlRequest struct {
	name   string        // of the program, for other users; "" = unchanged
	term   time.Duration // 0 = it releases control
	notify func(Term)
}

// A Term is control that a program has for a limited time.
type Term struct {
	robot.Result
	Lease, DriveEpoch uint64
	Left              float64 // s; 0 = for as long as the page of the same browser is connected
}

// jobsChanged says that the saved jobs have changed.
type jobsChanged struct{}

// grantRevoked is the id of a grant that has been revoked.
type grantRevoked string

// A posting is a state for some users.
type posting struct {
	frame *stateFrame
	users []*User
}
