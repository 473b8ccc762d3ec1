package pioneer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const (
	// startBaud is the rate of a robot's HOST port as delivered.
	startBaud = 9600
	// fastBaud is the rate that it is raised to, and fastCode what CommandHostBaud calls it.
	fastBaud, fastCode = 115_200, 4
	// settle is how long after a change of rate bytes at the old rate may arrive.
	settle = 50 * time.Millisecond
	// hearTimeout is how long the robot, which reports ten times a second, may take to be heard.
	hearTimeout = time.Second
)

// A ratedPort is a port whose rate can be set, as that of a serial port can. What was
// written before still leaves at the old rate.
type ratedPort interface{ SetBaud(baud int) error }

// A hostRate is the baud rate of a robot's HOST port, which can be raised: a report then
// takes 4 ms instead of 45.
type hostRate struct {
	port    ratedPort
	send    func([]byte) error
	packets <-chan []byte
	fast    bool
}

// setFast sets the rate of the port at this end.
func (h *hostRate) setFast(fast bool) error {
	baud := startBaud
	if fast {
		baud = fastBaud
	}
	if err := h.port.SetBaud(baud); err != nil {
		return fmt.Errorf("pioneer: the port does not do %d baud: %w", baud, err)
	}
	h.fast = fast
	return nil
}

// synchronizeFast begins the conversation with a robot that has kept the rate to which it
// was raised last time.
func (h *hostRate) synchronizeFast(ctx context.Context) (identity, error) {
	if err := h.setFast(true); err != nil {
		return identity{}, errNoRobot
	}
	return synchronize(ctx, h.send, h.packets)
}

// raise raises the rate of a robot that reports. If no report comes at the new rate, it
// returns to the old one.
func (h *hostRate) raise(ctx context.Context, log *slog.Logger) error {
	if h.fast || !h.hears(ctx) {
		return nil
	}
	if err := h.send(AppendCommandValue(nil, CommandHostBaud, fastCode)); err != nil {
		return fmt.Errorf("pioneer: %w", err)
	}
	if err := h.setFast(true); err == nil && h.hears(ctx) {
		return nil
	}
	if err := h.setFast(false); err != nil {
		return err
	}
	if !h.hears(ctx) {
		return errors.Join(ctx.Err(), fmt.Errorf("pioneer: the robot has not been heard since it was asked for %d baud. Switch it off and on, and add @%d to its address", fastBaud, startBaud))
	}
	log.Warn(fmt.Sprintf("The robot was asked for %d baud and is not heard at that rate; it stays at %d. @%d at the end of its address keeps it from being asked.", fastBaud, startBaud, startBaud))
	return nil
}

// hears reports whether a report comes at the current rate.
func (h *hostRate) hears(ctx context.Context) bool {
	settled, late := time.Now().Add(settle), time.NewTimer(settle+hearTimeout)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-late.C:
			return false
		case data, ok := <-h.packets:
			if !ok {
				return false
			}
			if isSIP(data) && time.Now().After(settled) {
				return true
			}
		}
	}
}
