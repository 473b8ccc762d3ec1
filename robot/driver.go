package robot

import (
	"context"
	"errors"
)

// A Driver is a mobile base: the one interface that many rooms implement.
// drivers/drivertest is the conformance suite that each of them passes.
//
// One goroutine calls Read and one calls Drive; they may be different ones.
type Driver interface {
	// Describe tells the geometry and the limits; it never changes.
	Describe() Description
	// Read blocks until the next reading, at the base's own rate. It returns
	// ctx.Err() when ctx ends first and ErrClosed after Close.
	Read(ctx context.Context) (Reading, error)
	// Drive asks for a twist at the axle point M. It never blocks. The base
	// forgets the command after Description.Holds and brakes to standstill.
	// A twist beyond the hardware limits is clamped, one that is not finite
	// is refused and brakes.
	Drive(Twist) error
	// Close stops the wheels and frees the device.
	Close() error
}

// PanTilt is the part of a driver that turns its head.
type PanTilt interface {
	// Look turns the head; the angles are clamped to Description.Head.
	Look(HeadAngles) error
}

var (
	// ErrNA says that this robot has no such part: RoboTalk's NA.
	ErrNA = errors.New("robot: not available on this robot")
	// ErrClosed says that the driver has been closed.
	ErrClosed = errors.New("robot: driver is closed")
)
