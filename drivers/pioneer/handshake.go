package pioneer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// syncTimeout is how long one attempt to synchronize waits for its echo.
	syncTimeout = 500 * time.Millisecond
	// syncTries is the number of attempts.
	syncTries = 6
)

// errNoRobot says that nothing at the other end speaks the robot's protocol.
var errNoRobot = errors.New("pioneer: no robot answers. It should be switched on, the cable in its HOST port, and the baud rate that of its settings, 9600 as delivered")

// An identity is what a robot reports about itself.
type identity struct{ name, class, subtype string }

// synchronize begins the connection: the robot echoes each of three packets, and
// the last echo identifies it.
func synchronize(ctx context.Context, send func([]byte) error, packets <-chan []byte) (identity, error) {
	step := byte(0)
	for range syncTries {
		if err := send(AppendPacket(nil, []byte{step})); err != nil {
			return identity{}, fmt.Errorf("pioneer: %w", err)
		}
		timeout := time.NewTimer(syncTimeout)
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				timeout.Stop()
				return identity{}, ctx.Err()
			case <-timeout.C:
				waiting = false
			case data, ok := <-packets:
				switch {
				case !ok:
					return identity{}, errors.New("pioneer: the line ended before a robot had answered")
				case isSIP(data):
					// The robot is still connected from last time, so that
					// connection is closed first.
					if err := send(AppendCommand(nil, CommandClose)); err != nil {
						return identity{}, fmt.Errorf("pioneer: %w", err)
					}
					step = 0
				case data[0] == step && step < 2:
					step++
					if err := send(AppendPacket(nil, []byte{step})); err != nil {
						return identity{}, fmt.Errorf("pioneer: %w", err)
					}
				case data[0] == step:
					timeout.Stop()
					return readIdentity(data[1:])
				}
			}
		}
		step = 0
	}
	return identity{}, errNoRobot
}

// readIdentity reads the three texts of the last echo.
func readIdentity(data []byte) (identity, error) {
	texts := bytes.SplitN(data, []byte{0}, 4)
	if len(texts) < 3 {
		return identity{}, fmt.Errorf("pioneer: the robot does not say its name, type and subtype, but %q", data)
	}
	id := identity{name: cleanText(texts[0]), class: cleanText(texts[1]), subtype: cleanText(texts[2])}
	if id.subtype == "" {
		return identity{}, fmt.Errorf("pioneer: the robot %q does not say its subtype", id.name)
	}
	return id, nil
}

// cleanText returns a text of the robot on one line.
func cleanText(text []byte) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, string(text)))
}
