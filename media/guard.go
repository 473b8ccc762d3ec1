package media

import (
	"errors"
	"log/slog"
	"runtime/debug"
)

// errBroken answers a page whose connection met a fault of the program.
var errBroken = errors.New("media: this connection met a fault of the robot's program; the rest continues")

// logPanic logs a panic that recover returned, and reports whether there was one. It
// stands where a goroutine of this package, or a call of WebRTC into it, handles
// what one person sent: a fault there ends that person's connection and nothing
// else. Goroutines of WebRTC's own cannot be caught from outside.
func logPanic(panicked any, log *slog.Logger) bool {
	if panicked == nil {
		return false
	}
	log.Error("a fault in camera, sound or a channel of drive packets", "panic", panicked, "stack", string(debug.Stack()))
	return true
}

// runGuarded runs f; a fault in it ends the person's connection.
func (p *peer) runGuarded(f func()) {
	defer func() {
		if logPanic(recover(), p.port.log) {
			p.hangUp()
		}
	}()
	f()
}
