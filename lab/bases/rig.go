package bases

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"mybot/lab/internal/guest"
	"mybot/lab/internal/testbed"
)

const (
	cruise    = 0.45                  // m/s, commanded by the driver
	nearly    = 0.01                  // m/s, tolerance of cruising
	cruiseIn  = 40 * time.Second      // a busy computer takes long until the robot cruises
	lookEvery = 10 * time.Millisecond // interval at which the motors are checked
)

// A rig is a base, a server that drives it from its own process, and a driver who holds a key.
type rig struct {
	motors  motorLog
	server  *testbed.Server
	guest   *guest.Guest
	pressed atomic.Bool // the driver presses the key again after a HOLD

	cancel func()
	parts  sync.WaitGroup
}

// newRig starts a server for the base at an address, and drives. The caller shuts it down.
func newRig(ctx context.Context, driver string, motors motorLog, frames func([]byte)) (_ *rig, err error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &rig{motors: motors, cancel: cancel}
	r.pressed.Store(true)
	defer func() {
		if err != nil {
			r.shutDown()
		}
	}()
	if r.server, err = testbed.StartServer(ctx, driver); err != nil {
		return nil, err
	}
	if r.guest, err = guest.OpenAndConnect(ctx, r.server.Addr); err != nil {
		return nil, err
	}
	r.parts.Go(func() { _ = r.guest.ReadFrames(frames) }) // ends with the server
	r.parts.Go(func() { _ = r.guest.DriveStraight(ctx, cruise, r.pressed.Load) })
	return r, nil
}

// waitUntilCruising waits until the robot drives as fast as the driver asks.
func (r *rig) waitUntilCruising(ctx context.Context) error {
	for late := time.Now().Add(cruiseIn); math.Abs(r.motors.speed()) < cruise-nearly; {
		if err := pause(ctx, lookEvery); err != nil {
			return err
		}
		if time.Now().After(late) {
			return fmt.Errorf("the robot does not reach %g m/s within %s", cruise, cruiseIn)
		}
	}
	return nil
}

// shutDown ends all parts and waits for them.
func (r *rig) shutDown() {
	r.cancel()
	if r.guest != nil {
		_ = r.guest.Conn.Close()
	}
	if r.server != nil {
		_ = r.server.Wait() // it was killed
	}
	r.parts.Wait()
}

// errNotCruising means that the computer was too busy for the driver at the time of the fault.
// Such a trial does not count.
var errNotCruising = errors.New("the robot did not cruise when the fault came")

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
