package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"mybot/robot"
)

// The decimals of encoded numbers.
const (
	speedDecimals = 4 // 0.1 mm/s, 0.1 mrad/s
	decimals      = 5 // 0.01 mm, 0.01 mrad
)

// AppendLine appends the message as one line with its newline and, if checked, its
// checksum. The first key is "t", the others follow in the order of the fields,
// without spaces, and numbers have no exponent, so that a microcontroller may
// search for keys instead of parsing JSON.
//
// It refuses what the receiver would refuse: a number that is not finite or out of
// its range, text of several lines, a line that is too long.
func AppendLine(line []byte, m Message, checked bool) ([]byte, error) {
	start := len(line)
	w := &writer{line: append(line, `{"t":`...)}
	w.appendText(m.kind())
	m.write(w)
	w.line = append(w.line, '}')
	if w.err != nil {
		return line, fmt.Errorf("protocol: the %s line cannot be written: %w", m.kind(), w.err)
	}
	if err := checkAccepted(m, w.line[start:]); err != nil {
		return line, fmt.Errorf("protocol: the %s line cannot be written: %w", m.kind(), err)
	}
	if checked {
		w.line = fmt.Appendf(w.line, "~%04X", Checksum(w.line[start:]))
	}
	return append(w.line, '\n'), nil
}

// checkAccepted returns the error that the receiver would report about the line.
func checkAccepted(m Message, line []byte) error {
	if len(line)+checksumLength > MaxLine && m.kind() != (Scan{}).kind() && m.kind() != (Describe{}).kind() {
		return tooLong(line, MaxLine-checksumLength)
	}
	read := (*reader).fromBase
	if _, ok := m.(ToBase); ok {
		read = (*reader).toBase
	}
	if _, fault := decodeLine(line, MaxLongLine-checksumLength, false, read); fault != nil {
		return fault
	}
	return nil
}

// A writer appends the fields of one line. After an error its output is useless.
type writer struct {
	line []byte
	err  error
}

func (w *writer) key(name string) {
	w.line = append(w.line, ',', '"')
	w.line = append(w.line, name...)
	w.line = append(w.line, '"', ':')
}

func (w *writer) appendText(s string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		w.err = err
	}
	w.line = append(w.line, bytes.TrimSpace(b.Bytes())...)
}

func (w *writer) appendNumber(name string, x float64, decimals int) {
	if !robot.Finite(x) {
		w.err = fmt.Errorf("%s is %g; it must be a finite number", name, x)
		return
	}
	scale := math.Pow10(decimals)
	if rounded := math.Round(x*scale) / scale; robot.Finite(rounded) {
		x = rounded
	}
	w.line = strconv.AppendFloat(w.line, x+0, 'f', -1, 64) // + 0 makes 0 of -0
}

func (w *writer) text(name, s string) {
	w.key(name)
	w.appendText(s)
}

func (w *writer) integer(name string, n int64) {
	w.key(name)
	w.line = strconv.AppendInt(w.line, n, 10)
}

func (w *writer) number(name string, x float64, decimals int) {
	w.key(name)
	w.appendNumber(name, x, decimals)
}

func (w *writer) numbers(name string, xs ...float64) {
	w.key(name)
	for i, x := range xs {
		w.line = append(w.line, separator(i, '['))
		w.appendNumber(name, x, decimals)
	}
	w.line = append(w.line, ']')
}

func (w *writer) integers(name string, ns []int) {
	w.key(name)
	if len(ns) == 0 {
		w.line = append(w.line, '[')
	}
	for i, n := range ns {
		w.line = strconv.AppendInt(append(w.line, separator(i, '[')), int64(n), 10)
	}
	w.line = append(w.line, ']')
}

// separator returns the character before element i of a list or an object.
func separator(i int, opening byte) byte {
	if i == 0 {
		return opening
	}
	return ','
}

func (w *writer) flag(name string, on bool) {
	w.key(name)
	w.line = strconv.AppendBool(w.line, on)
}

func (w *writer) positions(name string, at map[string]float64) {
	w.key(name)
	if len(at) == 0 {
		w.line = append(w.line, '{')
	}
	for i, joint := range slices.Sorted(maps.Keys(at)) {
		w.line = append(w.line, separator(i, '{'))
		w.appendText(joint)
		w.line = append(w.line, ':')
		w.appendNumber(name+"."+joint, at[joint], decimals)
	}
	w.line = append(w.line, '}')
}

func (Hello) kind() string     { return "hello" }
func (Drive) kind() string     { return "drive" }
func (Look) kind() string      { return "look" }
func (Joints) kind() string    { return "joints" }
func (Say) kind() string       { return "say" }
func (Show) kind() string      { return "show" }
func (Panic) kind() string     { return "panic" }
func (Clear) kind() string     { return "clear" }
func (Ping) kind() string      { return "ping" }
func (Describe) kind() string  { return "describe" }
func (Reading) kind() string   { return "reading" }
func (More) kind() string      { return "more" }
func (Scan) kind() string      { return "scan" }
func (Said) kind() string      { return "said" }
func (Pong) kind() string      { return "pong" }
func (Error) kind() string     { return "error" }
func (Log) kind() string       { return "log" }
func (u Unknown) kind() string { return u.Kind }

func (m Hello) write(w *writer) { w.integers("v", m.Versions) }

func (m Drive) write(w *writer) {
	w.integer("n", m.Number)
	w.integer("until", int64(m.Until))
	w.number("v", m.Twist.Linear, speedDecimals)
	w.number("w", m.Twist.Angular, speedDecimals)
}

func (m Look) write(w *writer) {
	w.number("pan", m.Head.Pan, decimals)
	w.number("tilt", m.Head.Tilt, decimals)
}

func (m Joints) write(w *writer) { w.positions("at", m.At) }

func (m Say) write(w *writer) {
	w.integer("id", m.ID)
	w.text("text", m.Text)
	if m.Lang != "" {
		w.text("lang", m.Lang)
	}
}

func (m Show) write(w *writer) {
	w.key("lines")
	if len(m.Lines) == 0 {
		w.line = append(w.line, '[')
	}
	for i, s := range m.Lines {
		w.line = append(w.line, separator(i, '['))
		w.appendText(s)
	}
	w.line = append(w.line, ']')
}

func (Panic) write(*writer) {}

func (Clear) write(*writer) {}

func (m Ping) write(w *writer) { w.integer("id", m.ID) }

func (m Describe) write(w *writer) {
	w.integer("protocol", int64(m.Version))
	w.text("base", m.Base)
	if m.Robot != nil {
		w.key("robot")
		b := bytes.NewBuffer(w.line)
		if err := json.Compact(b, m.Robot); err != nil {
			w.err = fmt.Errorf("the description is not JSON: %w", err)
			return
		}
		w.line = b.Bytes()
	}
}

func (m Reading) write(w *writer) {
	w.integer("ms", int64(m.At))
	if m.Totals == nil {
		w.err = errors.New("a reading must have its totals")
		return
	}
	m.Totals.writeTotals(w)
	w.integer("got", m.Got)
	m.Senses.write(w)
}

func (t WheelTotals) writeTotals(w *writer) { w.numbers("wheels", t.Left, t.Right) }
func (t TickTotals) writeTotals(w *writer)  { w.integers("ticks", []int{int(t.Left), int(t.Right)}) }
func (t PoseTotals) writeTotals(w *writer)  { w.numbers("odom", t.X, t.Y, t.Theta) }

func (m More) write(w *writer) {
	w.integer("ms", int64(m.At))
	m.Senses.write(w)
}

func (s Senses) write(w *writer) {
	if s.Ranges != nil {
		w.integers("ranges", s.Ranges)
	}
	writeOptional(w, "yaw", s.Yaw)
	writeOptional(w, "compass", s.Compass)
	writeFlag(w, "bump", s.Bump)
	writeFlag(w, "ok", s.OK)
	writeFlag(w, "estop", s.EStop)
	if s.Head != nil {
		w.numbers("head", s.Head.Pan, s.Head.Tilt)
	}
	if s.Joints != nil {
		w.positions("joints", s.Joints)
	}
	if s.Battery != nil {
		s.Battery.write(w)
	}
	if s.Refuses != nil {
		w.text("refuses", *s.Refuses)
	}
}

func (b Battery) write(w *writer) {
	w.key("battery")
	inner := &writer{}
	writeOptional(inner, "v", b.Volts)
	writeOptional(inner, "a", b.Amperes)
	writeOptional(inner, "charge", b.Charge)
	writeFlag(inner, "charging", b.Charging)
	if inner.err != nil {
		w.err = inner.err
	}
	w.line = append(w.line, '{')
	w.line = append(w.line, bytes.TrimPrefix(inner.line, []byte(","))...)
	w.line = append(w.line, '}')
}

func writeOptional(w *writer, name string, x *float64) {
	if x != nil {
		w.number(name, *x, decimals)
	}
}

func writeFlag(w *writer, name string, on *bool) {
	if on != nil {
		w.flag(name, *on)
	}
}

func (m Scan) write(w *writer) {
	w.integer("ms", int64(m.At))
	w.integer("lidar", int64(m.Lidar))
	w.integer("lasts", m.Lasts)
	w.integers("mm", m.Ranges)
}

func (m Said) write(w *writer) { w.integer("id", m.ID) }

func (m Pong) write(w *writer) {
	w.integer("id", m.ID)
	w.integer("ms", int64(m.At))
}

func (m Error) write(w *writer) { w.text("text", m.Text) }

func (m Log) write(w *writer) {
	w.text("level", m.Level)
	w.text("text", m.Text)
}

func (Unknown) write(w *writer) { w.err = errors.New("Mybot does not know this kind") }
