package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"mybot/robot"
)

// A Supervisor starts the server and restarts it when it hangs: systemd with
// Type=notify, or another implementation of sd_notify(3).
type Supervisor struct {
	Socket   string        // on which the supervisor listens, a path or an abstract "@name"; "" = no supervisor
	Watchdog time.Duration // time without a sign of life after which it restarts the server; 0 = none needed
}

// FindSupervisor reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from the
// environment by env.
func FindSupervisor(env func(string) string) (Supervisor, error) {
	s := Supervisor{Socket: env("NOTIFY_SOCKET")}
	limit := env("WATCHDOG_USEC")
	if pid := env("WATCHDOG_PID"); limit == "" || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return s, nil // the watchdog is for another process
	}
	micros, err := strconv.ParseUint(limit, 10, 32)
	if err != nil || micros == 0 {
		return s, fmt.Errorf("WATCHDOG_USEC is %q; it must be the watchdog's time in microseconds, such as 2000000", limit)
	}
	s.Watchdog = time.Duration(micros) * time.Microsecond
	return s, nil
}

// A notifier reports to the supervisor. Signs of life originate only in the control
// loop, when it publishes a state, so that a blocked loop sends none. The
// notifier's goroutine only sends them, so that the loop does not wait for the
// socket.
type notifier struct {
	out    io.Writer     // nil = no supervisor
	period time.Duration // between two signs of life; 0 = none needed
	alive  chan struct{} // a sign of life to send
	last   time.Time     // time of the last one; belongs to the control loop
	log    *slog.Logger
}

// newNotifier connects to the supervisor. If it cannot, it logs that, and the robot
// runs without one.
func newNotifier(s Supervisor, log *slog.Logger) *notifier {
	n := &notifier{period: s.Watchdog / 4, alive: make(chan struct{}, 1), log: log}
	if s.Socket == "" {
		return n
	}
	conn, err := net.Dial("unixgram", s.Socket)
	if err != nil {
		log.Error("the supervisor hears nothing from this server; NOTIFY_SOCKET must be a datagram socket with a listener", "error", err)
		return n
	}
	n.out = conn
	return n
}

// close closes the socket.
func (n *notifier) close() {
	if c, ok := n.out.(io.Closer); ok {
		_ = c.Close()
	}
}

// observeState gives a sign of life, at most one per period. The control loop calls
// it.
func (n *notifier) observeState(robot.State) {
	now := time.Now()
	if n.out == nil || n.period == 0 || now.Sub(n.last) < n.period {
		return
	}
	n.last = now
	select {
	case n.alive <- struct{}{}:
	default: // the previous one has not been sent yet
	}
}

// run sends the signs of life until ctx ends.
func (n *notifier) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.alive:
			n.send("WATCHDOG=1")
		}
	}
}

// send sends a notification of sd_notify(3).
func (n *notifier) send(state string) {
	if n.out == nil {
		return
	}
	if _, err := io.WriteString(n.out, state); err != nil {
		n.log.Error("the supervisor was not notified", "of", state, "error", err)
	}
}
