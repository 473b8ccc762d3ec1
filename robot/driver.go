package robot

import (
	"context"
	"errors"
)

// A Driver is a mobile base with two driven wheels. docs/drivers.md explains how to write
// one; every driver passes the conformance suite drivers/drivertest.
//
// One goroutine calls Read and one calls Drive; they may be different. Close may be called
// from any goroutine, also while Read blocks, and repeatedly.
type Driver interface {
	// Describe returns the geometry and the limits, which never change.
	Describe() Description
	// Read blocks until the next reading; there are Description.Rate of them per second. A
	// caller that comes late receives everything it missed as one reading. Read returns
	// ctx.Err() if ctx ends first and ErrClosed after Close. Any other error means that the
	// base is gone, and ends the server.
	Read(ctx context.Context) (Reading, error)
	// Drive requests a twist at the axle point M. It never blocks. The base executes the
	// twist for Description.Holds and then brakes to standstill, even if no goroutine
	// reads. It clamps a twist to the hardware limits. It refuses a twist that is not
	// finite and brakes at once. After Close it returns ErrClosed.
	Drive(Twist) error
	// Close stops the wheels and releases the device.
	Close() error
}

// PanTilt is implemented by a driver that turns the head. Drive's goroutine calls it.
type PanTilt interface {
	// Look turns the head, clamped to the limits in Description.Head. Without a head it
	// returns ErrNA.
	Look(HeadAngles) error
}

// JointMover is implemented by a driver that moves joints. Drive's goroutine calls it.
type JointMover interface {
	// MoveJoints moves joints to positions, in rad or m, by name; the others keep theirs.
	// It clamps the positions to the limits in Description.Joints. The control loop sends
	// set points in small steps, one per reading, so that the joints stop soon after the
	// loop falls silent. Without joints, or for an unknown joint, it returns ErrNA.
	MoveJoints(at map[string]float64) error
}

// Speaker is implemented by a driver whose base has a speaker of its own. Drive's goroutine
// calls it.
type Speaker interface {
	// Say makes the base speak the text of a speech; a speech that the base still speaks is
	// cut off. It returns at once. Without a speaker it returns ErrNA.
	Say(Speech) error
	// Said returns the number of the last speech that the base has finished; 0 = none yet.
	Said() uint64
}

// Display is implemented by a driver whose base has a display of its own. Drive's goroutine
// calls it.
type Display interface {
	// Show replaces the text on the display, also after the base was out of reach; without
	// lines it clears it. It returns at once. Without a display it returns ErrNA.
	Show(lines []string) error
}

var (
	// ErrNA means that this robot has no such part: RoboTalk's NA.
	ErrNA = errors.New("robot: not available on this robot")
	// ErrClosed means that the driver has been closed.
	ErrClosed = errors.New("robot: driver is closed")
)
