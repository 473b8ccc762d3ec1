package robot

import "time"

// A Command is one thing a robot is asked to do: a closed set. Who may ask is
// decided before it gets here, by session.Lease.
type Command interface{ command() }

// Drive is one sample of manual driving. It is forgotten after Valid.
type Drive struct {
	Twist Twist         // wish at M
	Valid time.Duration // how long it counts without a successor; 0 = DriveValid
}

// DriveValid is how long a Drive counts when it does not say.
const DriveValid = 250 * time.Millisecond

// Halt ends every motion that was asked for by hand: control was lost or let
// go. Unlike Stop it latches nothing.
type Halt struct{ Reason string }

// Stop is the PANIC of RoboTalk: standstill, latched, for everyone.
type Stop struct{ By string }

// ClearStop releases the latch. Nothing moves by itself after it.
type ClearStop struct{}

// Look turns the head.
type Look struct{ HeadAngles }

// SetPose tells the localizer where the robot is, in map.
type SetPose struct{ Pose Pose }

func (Drive) command()     {}
func (Halt) command()      {}
func (Stop) command()      {}
func (ClearStop) command() {}
func (Look) command()      {}
func (SetPose) command()   {}
