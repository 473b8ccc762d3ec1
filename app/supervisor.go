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
// Type=notify, or what follows the protocol of sd_notify(3).
type Supervisor struct {
	Socket   string        // that it listens to, a path or an abstract "@name"; "" = there is no supervisor
	Watchdog time.Duration // without a sign of life for so long it restarts the server; 0 = it needs none
}

// FindSupervisor reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from the
// environment, of which env looks up a variable.
func FindSupervisor(env func(string) string) (Supervisor, error) {
	s := Supervisor{Socket: env("NOTIFY_SOCKET")}
	limit := env("WATCHDOG_USEC")
	if pid := env("WATCHDOG_PID"); limit == "" || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return s, nil // it is another process that is watched
	}
	micros, err := strconv.ParseUint(limit, 10, 32)
	if err != nil || micros == 0 {
		return s, fmt.Errorf("WATCHDOG_USEC is %q; it must be the watchdog's time in microseconds, such as 2000000", limit)
	}
	s.Watchdog = time.Duration(micros) * time.Microsecond
	return s, nil
}

// A notifier reports to the supervisor. A sign of life starts in the control loop,
// with a state that it publishes, and nowhere else: a loop that is blocked gives no
// more. Its goroutine only sends them, so that the loop does not wait for the socket.
type notifier struct {
	out    io.Writer     // nil = there is no supervisor
	period time.Duration // between two signs of life; 0 = none are needed
	alive  chan struct{} // a sign of life to send
	last   time.Time     // when there was one; the control loop's goroutine owns it
	log    *slog.Logger
}

// newNotifier connects to the supervisor. What cannot be reached is logged: the
// robot runs without it.
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

// close frees the socket.
func (n *notifier) close() {
	if c, ok := n.out.(io.Closer); ok {
		_ = c.Close()
	}
}

// observeState gives a sign of life, at most one a period. The control loop calls it.
func (n *notifier) observeState(robot.State) {
	now := time.Now()
	if n.out == nil || n.period == 0 || now.Sub(n.last) < n.period {
		return
	}
	n.last = now
	select {
	case n.alive <- struct{}{}:
	default: // the one before is not sent yet
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

// send reports a state in the words of sd_notify(3).
func (n *notifier) send(state string) {
	if n.out == nil {
		return
	}
	if _, err := io.WriteString(n.out, state); err != nil {
		n.log.Error("the supervisor was not notified", "of", state, "error", err)
	}
}
