package bases

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// A command is the speed at the axle point that a base commanded to its motors, and when.
type command struct {
	at  time.Time
	v   float64       // m/s
	own time.Duration // the same time on the base's own clock, if that may be slower; 0 = it is not
}

// A motorLog is the file in which a base in its own process logs the commands to its motors:
// one line for each change, with the time in ns since 1970, the speed in m/s and, from an
// emulator, the elapsed ns of its own clock.
type motorLog string

// commands returns the logged commands, oldest first.
func (l motorLog) commands() ([]command, error) {
	text, err := os.ReadFile(string(l))
	if err != nil {
		return nil, err
	}
	return l.parse(string(text))
}

// tail is the number of bytes at the end of a log that always contain its last line.
const tail = 256

// speed returns the last command to the motors; 0 = none yet.
func (l motorLog) speed() float64 {
	file, err := os.Open(string(l))
	if err != nil {
		return 0
	}
	defer file.Close() //nolint:errcheck // it was only read
	if size, err := file.Seek(0, io.SeekEnd); err == nil {
		_, _ = file.Seek(max(0, size-tail), io.SeekStart) // a regular file is seekable
	}
	text, _ := io.ReadAll(file)
	lines := strings.Split(string(text), "\n")
	if len(lines) < 2 {
		return 0
	}
	commands, err := l.parse(lines[len(lines)-2] + "\n")
	if err != nil || len(commands) == 0 {
		return 0
	}
	return commands[0].v
}

// parse parses lines of the log. It skips an unfinished line at the end.
func (l motorLog) parse(text string) (commands []command, err error) {
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended {
			return commands, nil
		}
		text = rest
		var ns, own int64
		var v float64
		if n, err := fmt.Sscan(line, &ns, &v, &own); n < 2 { // the own clock is optional
			return nil, fmt.Errorf("%s has the line %q: %w", l, line, err)
		}
		commands = append(commands, command{time.Unix(0, ns), v, time.Duration(own)})
	}
}

// writeProcess notes the id of the process that writes the log.
func (l motorLog) writeProcess(pid int) error {
	return os.WriteFile(string(l)+".pid", []byte(strconv.Itoa(pid)), 0o600)
}

// process returns the id of the process that writes the log.
func (l motorLog) process() (pid int, err error) {
	text, err := os.ReadFile(string(l) + ".pid")
	if err == nil {
		pid, err = strconv.Atoi(string(text))
	}
	return pid, err
}

// resting is the largest speed of stopped motors, in m/s.
const resting = 1e-6

// byOwnClock replaces the times of the commands by those of the base's own clock, counted from
// the fault. An emulator's clock is slow when the emulator is slower than a board.
func byOwnClock(commands []command, fault time.Time) []command {
	var before command
	for _, c := range commands {
		if c.at.Before(fault) {
			before = c
		}
	}
	if before.own == 0 {
		return commands
	}
	began := before.own + fault.Sub(before.at)
	out := slices.Clone(commands)
	for i, c := range commands {
		out[i].at = fault.Add(c.own - began)
	}
	return out
}

// turnedAt reports whether the motors turned at a time.
func turnedAt(commands []command, at time.Time) (turned bool) {
	for _, c := range commands {
		if c.at.Before(at) {
			turned = math.Abs(c.v) > resting
		}
	}
	return turned
}

// stopIn returns the time from a fault until the motors stopped and remained stopped. ok is
// false if they turned at the end of the given time, or later.
func stopIn(commands []command, fault time.Time, lasts time.Duration) (after time.Duration, ok bool) {
	for _, c := range commands {
		passed, turns := c.at.Sub(fault), math.Abs(c.v) > resting
		switch {
		case passed < 0:
		case passed >= lasts && (turns || !ok):
			return 0, false
		case passed < lasts && turns:
			ok = false
		case !turns && !ok:
			after, ok = passed, true
		}
	}
	return after, ok
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
