package firmware

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// RecommendedHold is the recommended hold of a base.
const RecommendedHold = 100 * time.Millisecond

const (
	// takeOver is how long, in ms, one Mybot must be silent before another may
	// replace it.
	takeOver = 2000
	// maxErrors is the largest number of error lines per second.
	maxErrors = 10
)

// A Config configures a base.
type Config struct {
	Program string          // its name and version
	Robot   json.RawMessage // its description, whose holds_s is Hold; nil = Mybot has it in a file
	Hold    time.Duration   // the longest execution of a drive line, in whole ms
	Max     robot.Limit     // limits of the motors, to which drive lines are clamped
	Checked bool            // every line has a checksum, as on a serial port
}

// A Base is the state of a base. It moves only while an accepted drive line has not
// expired. One goroutine, or the main loop of a microcontroller, calls it.
//
// All times are on the clock of the base, which must not go back. If it does, the
// base stops.
type Base struct {
	config Config
	now    protocol.Millis // the latest time that was passed in

	connection int             // the connection in use; 0 = none
	opened     int             // connections so far
	heard      protocol.Millis // when its last line came

	greeted bool  // hello has come over it
	number  int64 // of the newest drive line executed since hello; 0 = none
	drive   drive // in execution until it ends

	panicked bool   // until clear
	refusal  string // why the base refuses to drive; "" = it does not

	errors   int             // sent in the second since errorsOf
	errorsOf protocol.Millis // beginning of that second
}

// drive is an accepted drive line.
type drive struct {
	twist robot.Twist
	ends  protocol.Millis // it is executed before this time
}

// New returns a stationary base without a connection.
func New(c Config) *Base { return &Base{config: c} }

// Connect reports a new connection and returns its number for Hear and Disconnect.
// While another Mybot is connected and not silent, ok is false: the program sends
// the new one the refusal and closes the connection. A silent one is replaced: its
// lines no longer count, and the program closes its connection.
func (b *Base) Connect(now protocol.Millis) (connection int, refusal protocol.Error, ok bool) {
	b.setTime(now)
	if b.connection != 0 && now-b.heard < takeOver {
		return 0, protocol.Error{Text: "this base is busy: another Mybot is connected to it"}, false
	}
	b.endDrive()
	b.opened++
	b.connection, b.heard, b.greeted, b.number = b.opened, now, false, 0
	return b.connection, protocol.Error{}, true
}

// Disconnect reports that a connection has ended, for any reason: the base stops.
// The program holds head and joints where they are.
func (b *Base) Disconnect(connection int) {
	if connection == 0 || connection != b.connection {
		return // it was replaced or refused
	}
	b.endDrive()
	b.connection, b.greeted, b.number = 0, false, 0
}

// Hear executes a line of a connection. It returns the answer, nil = none, and the
// order for the head, the joints, the voice or the display of the base: a Look,
// Joints, Say or Show, nil = none.
func (b *Base) Hear(connection int, line []byte, now protocol.Millis) (answer protocol.FromBase, order protocol.ToBase) {
	b.setTime(now)
	if connection == 0 || connection != b.connection {
		return nil, nil
	}
	b.heard = now
	m, err := protocol.DecodeToBase(line, b.config.Checked)
	if err != nil {
		return b.answerError(err.Error()), nil
	}
	switch m := m.(type) {
	case protocol.Hello:
		return b.answerHello(m), nil
	case protocol.Drive:
		return b.acceptDrive(m), nil
	case protocol.Panic:
		b.panicked = true
		b.endDrive()
	case protocol.Clear:
		b.panicked = false
	case protocol.Ping:
		return protocol.Pong{ID: m.ID, At: now}, nil
	case protocol.Look, protocol.Joints, protocol.Say, protocol.Show:
		return nil, m
	}
	return nil, nil
}

// Mishear reports invalid input from a connection, such as a line without an end.
// It returns the answer, nil = none.
func (b *Base) Mishear(connection int, fault error, now protocol.Millis) protocol.FromBase {
	b.setTime(now)
	if connection == 0 || connection != b.connection {
		return nil
	}
	b.heard = now
	return b.answerError(fault.Error())
}

func (b *Base) answerHello(m protocol.Hello) protocol.FromBase {
	b.endDrive()
	b.greeted, b.number = false, 0
	if !slices.Contains(m.Versions, protocol.Version) {
		return b.answerError(fmt.Sprintf("this base speaks version %d of mybot.base, and Mybot only %s", protocol.Version, strings.Trim(fmt.Sprint(m.Versions), "[]")))
	}
	b.greeted = true
	return protocol.Describe{Version: protocol.Version, Base: b.config.Program, Robot: b.config.Robot}
}

// acceptDrive executes a drive line from now on, or answers why it is out of place. An
// expired line gets no answer, because got of the next reading shows it.
func (b *Base) acceptDrive(m protocol.Drive) protocol.FromBase {
	switch {
	case !b.greeted:
		return b.answerError("drive came before hello; it is not executed")
	case m.Number <= b.number, m.Until <= b.now, b.Refusal() != "":
		return nil
	}
	b.number = m.Number
	b.drive = drive{b.config.Max.Clamp(m.Twist), min(b.now+protocol.Millis(b.config.Hold.Milliseconds()), m.Until)}
	return nil
}

// answerError returns an error line, nil if there were too many.
func (b *Base) answerError(text string) protocol.FromBase {
	if b.now-b.errorsOf >= 1000 {
		b.errors, b.errorsOf = 0, b.now
	}
	if b.errors++; b.errors > maxErrors {
		return nil
	}
	return protocol.Error{Text: text}
}

// Refuse sets why the base refuses to drive, such as an emergency stop; "" = it
// drives. The base stops at once, and drive lines that arrive meanwhile are lost.
func (b *Base) Refuse(why string) {
	if b.refusal = why; why != "" {
		b.endDrive()
	}
}

// Refusal returns why the base refuses to drive; "" = it does not.
func (b *Base) Refusal() string {
	if b.refusal == "" && b.panicked {
		return "Stopped by panic, until clear."
	}
	return b.refusal
}

// Twist returns the current twist for the motors. The program asks at least every
// 10 ms, and brakes as hard as it can for a zero twist.
func (b *Base) Twist(now protocol.Millis) robot.Twist {
	b.setTime(now)
	if now >= b.drive.ends {
		b.endDrive()
	}
	return b.drive.twist
}

// Reading returns the line about wheels and sensors at a time.
func (b *Base) Reading(at protocol.Millis, t protocol.Totals, s protocol.Senses) protocol.Reading {
	s.Refuses = new(b.Refusal())
	return protocol.Reading{At: at, Totals: t, Got: b.number, Senses: s}
}

// endDrive ends the current drive line.
func (b *Base) endDrive() { b.drive = drive{} }

// setTime records the base's time. An expiry is meaningless on a clock that has
// gone back, so the base then stops.
func (b *Base) setTime(now protocol.Millis) {
	if now < b.now {
		b.endDrive()
		b.heard, b.errorsOf = min(b.heard, now), min(b.errorsOf, now)
	}
	b.now = now
}
