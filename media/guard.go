package media

import (
	"errors"
	"log/slog"
	"runtime/debug"
)

// errBroken is the answer if a fault of the program broke a page's connection.
var errBroken = errors.New("media: this connection met a fault of the robot's program; the rest continues")

// logPanic logs a panic that recover returned, and reports whether there was one.
// Goroutines of this package, and callbacks of WebRTC, use it where they handle
// input of one person: a fault then ends that person's connection and nothing else.
// WebRTC's own goroutines cannot be guarded from outside.
func logPanic(panicked any, log *slog.Logger) bool {
	if panicked == nil {
		return false
	}
	log.Error("a fault in camera, sound or a channel of drive packets", "panic", panicked, "stack", string(debug.Stack()))
	return true
}

// runGuarded runs f; a panic ends the person's connection.
func (p *peer) runGuarded(f func()) {
	defer func() {
		if logPanic(recover(), p.port.log) {
			p.hangUp()
		}
	}()
	f()
}
