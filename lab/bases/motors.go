package bases

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// A command is what a base asked of its motors at a time: the speed at the axle point.
type command struct {
	at time.Time
	v  float64 // m/s
}

// A motorLog is the file in which a base, in a process of its own, writes down what it
// asks of its motors: a line for each change, with the time in ns since 1970 and the
// speed in m/s. All clocks are that of this computer.
type motorLog string

// commands returns what the log has, the oldest first.
func (l motorLog) commands() (commands []command, err error) {
	file, err := os.Open(string(l))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return commands, nil // a line without an end is still being written
		}
		var ns int64
		var v float64
		if err == nil {
			_, err = fmt.Sscan(line, &ns, &v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s has the line %q: %w", l, strings.TrimSpace(line), err)
		}
		commands = append(commands, command{time.Unix(0, ns), v})
	}
}

// speed returns what the motors were asked for last.
func (l motorLog) speed() float64 {
	if commands, err := l.commands(); err == nil && len(commands) > 0 {
		return commands[len(commands)-1].v
	}
	return 0 // nothing yet
}

// writeProcess notes which process writes the log.
func (l motorLog) writeProcess(pid int) error {
	return os.WriteFile(string(l)+".pid", []byte(strconv.Itoa(pid)), 0o600)
}

// process returns which process writes the log.
func (l motorLog) process() (pid int, err error) {
	text, err := os.ReadFile(string(l) + ".pid")
	if err == nil {
		pid, err = strconv.Atoi(string(text))
	}
	return pid, err
}

// resting is what counts as zero at the motors, in m/s.
const resting = 1e-6

// turnedAt reports whether the motors turned at a time.
func turnedAt(commands []command, at time.Time) (turned bool) {
	for _, c := range commands {
		if c.at.Before(at) {
			turned = math.Abs(c.v) > resting
		}
	}
	return turned
}

// stopIn returns how long after a fault, at which they turned, the motors were at zero,
// and whether they turned again afterwards. ok is false when they turn still.
func stopIn(commands []command, fault time.Time) (after time.Duration, again, ok bool) {
	for _, c := range commands {
		turns := math.Abs(c.v) > resting
		switch {
		case c.at.Before(fault):
		case !turns && !ok:
			after, ok = c.at.Sub(fault), true
		case turns && ok:
			again = true
		}
	}
	return after, again, ok
}

// loggedMotors is the simulated robot with a motorLog.
type loggedMotors struct {
	*sim.Driver
	log  io.Writer
	last robot.Twist
}

// Drive implements robot.Driver.
func (m *loggedMotors) Drive(t robot.Twist) error {
	if t != m.last {
		m.last = t
		if _, err := fmt.Fprintf(m.log, "%d %.4f\n", time.Now().UnixNano(), t.Linear); err != nil {
			return err
		}
	}
	return m.Driver.Drive(t)
}
