package robot

import (
	"context"
	"errors"
)

// A Driver is a mobile base with two driven wheels: the one interface that many
// rooms implement. docs/drivers.md tells how to write one, drivers/drivertest is
// the conformance suite that each of them passes.
//
// One goroutine calls Read and one calls Drive; they may be different ones.
// Close may be called from any goroutine, also while Read waits, and again.
type Driver interface {
	// Describe tells the geometry and the limits; it never changes.
	Describe() Description
	// Read blocks until the next reading, Description.Rate of them a second. A
	// caller who comes late gets all that was missed as one reading. It returns
	// ctx.Err() when ctx ends first and ErrClosed after Close; any other error
	// says that the base is gone, and ends the server.
	Read(ctx context.Context) (Reading, error)
	// Drive asks for a twist at the axle point M. It never blocks. The base
	// forgets the command after Description.Holds and brakes to standstill,
	// whether anybody reads or not. A twist beyond the hardware limits is
	// clamped, one that is not finite is refused and brakes at once. After Close
	// it returns ErrClosed.
	Drive(Twist) error
	// Close stops the wheels and frees the device.
	Close() error
}

// PanTilt is the part of a driver that turns its head. The goroutine of Drive
// calls it.
type PanTilt interface {
	// Look turns the head; the angles are clamped to Description.Head. Without a
	// head it returns ErrNA.
	Look(HeadAngles) error
}

// JointMover is the part of a driver that moves its joints. The goroutine of Drive
// calls it.
type JointMover interface {
	// MoveJoints moves joints to positions, in rad or m, by their names; the others stay
	// as they are. The positions are clamped to Description.Joints. The control loop sends
	// such positions at its readings, each a step from the one before, so that the joints
	// stand soon after it falls silent. Without joints, or for a joint that is not there,
	// it returns ErrNA.
	MoveJoints(at map[string]float64) error
}

// Speaker is the part of a driver that speaks with the base's own speaker. The goroutine
// of Drive calls it.
type Speaker interface {
	// Say has the base speak the text of a speech, in place of one that it still speaks.
	// It returns at once; without a speaker it returns ErrNA.
	Say(Speech) error
	// Said returns the number of the speech that the base has spoken to its end last; 0 =
	// none yet.
	Said() uint64
}

// Display is the part of a driver that shows text on the base's own display. The
// goroutine of Drive calls it.
type Display interface {
	// Show replaces what the display shows, also after the base was out of reach; without
	// lines it shows nothing. It returns at once; without a display it returns ErrNA.
	Show(lines []string) error
}

var (
	// ErrNA says that this robot has no such part: RoboTalk's NA.
	ErrNA = errors.New("robot: not available on this robot")
	// ErrClosed says that the driver has been closed.
	ErrClosed = errors.New("robot: driver is closed")
)
