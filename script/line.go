package script

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Line is one line of output to a unit.
type Line struct {
	Unit string
	Time Time
	Tag  string // "" = notag
	Text string
	Data []byte // follows the line if its text starts with BIN
}

// DefaultPort is the TCP port of the line protocol (Baillie 2004).
const DefaultPort = "54000"

// maxLine is the longest text of a line, in bytes.
const maxLine = 64 << 10

// String returns a line in the format of the line protocol, without its data.
func (l Line) String() string {
	return fmt.Sprintf("[%09d:%s] %s", l.Time.Milliseconds(), l.TagName(), l.Text)
}

// TagName returns the tag of a line, or notag.
func (l Line) TagName() string {
	if l.Tag == "" {
		return "notag"
	}
	return l.Tag
}

// Lines returns the lines since its last call.
func (m *Machine) Lines() []Line {
	l := m.lines
	m.lines = nil
	return l
}

// say sends a line to the unit.
func (u *Unit) say(tag string, at Time, text string) {
	u.put(Line{Unit: u.name, Time: at, Tag: tag, Text: text})
}

// put sends a line, unless the unit has sent too many.
func (u *Unit) put(l Line) {
	u.work(len(l.Text) / 64)
	m := u.machine
	if u.closed {
		return
	}
	u.refill()
	if u.tokens < 1 {
		u.leftOut++
		return
	}
	u.tokens--
	if len(l.Text) > maxLine {
		cut := maxLine
		for !utf8.RuneStart(l.Text[cut]) {
			cut--
		}
		l.Text = l.Text[:cut] + ".."
	}
	if strings.ContainsAny(l.Text, "\r\n") {
		l.Text = strings.NewReplacer("\r", " ", "\n", " ").Replace(l.Text)
	}
	m.lines = append(m.lines, l)
}

// TellFault tells a unit why the host did not do what it set a device to.
func (m *Machine) TellFault(now Time, unit, text string) {
	if u := m.units[unit]; u != nil {
		u.say("", max(m.now, now), "!!! "+text)
	}
}

// tellHeld says, once until Resume, why a command of the unit waits.
func (u *Unit) tellHeld(at Time) {
	if u.heldSaid || u.machine.whyHeld == nil {
		return
	}
	if why := u.machine.whyHeld(u.name); why != "" {
		u.heldSaid = true
		u.say("held", at, "*** "+why)
	}
}

// refill adds the tokens for lines that have accrued since the last call.
func (u *Unit) refill() {
	now := u.machine.now
	if now > u.refilled {
		u.tokens = min(MaxLines, u.tokens+(now-u.refilled).seconds()*LinesPerSecond)
		u.refilled = now
	}
}

// sayLeftOut reports once a second how many lines were dropped. A unit that goes on sending
// too many never has a token to spare, so the report takes one in advance.
func (u *Unit) sayLeftOut(now Time) {
	u.refill()
	if u.leftOut == 0 || now < u.saidLeftOut+second {
		return
	}
	n, missing := u.leftOut, max(0, 1-u.tokens)
	u.leftOut, u.saidLeftOut = 0, now
	u.tokens += missing
	defer func() { u.tokens -= missing }()
	u.say("", now, fmt.Sprintf("*** %d lines left out; %d a second are sent", n, LinesPerSecond))
}

// faultCount holds the times of the last faults under a tag.
type faultCount struct {
	times [MaxFaults]Time
	n     int
}

// report sends a fault to its unit, and stops its tag if that has too many faults.
func (m *Machine) report(f *Fault, at Time) {
	if f == nil || f.silent {
		return
	}
	m.told++
	u := f.unit
	u.say(f.tag, at, "!!! "+f.Error())
	key := f.tag
	if key == "" || key == "error" {
		key = fmt.Sprint("\x00", u.name, f.command)
	}
	count := m.faults[key]
	if count == nil {
		if len(m.faults) >= MaxStatements {
			clear(m.faults)
		}
		count = &faultCount{}
		m.faults[key] = count
	}
	count.times[count.n%MaxFaults] = at
	count.n++
	if oldest := count.times[count.n%MaxFaults]; count.n < MaxFaults || at-oldest >= second {
		return
	}
	*count = faultCount{}
	if f.tag != "" && f.tag != "error" {
		m.stopTag(f.tag, at)
		u.say(f.tag, at, fmt.Sprintf("!!! %d faults in a second; %s is stopped", MaxFaults, f.tag))
		return
	}
	if f.command == 0 {
		return
	}
	m.walkUnit(u, func(r runner) bool {
		if r.state().scope.command == f.command {
			m.end(r, at)
			return false
		}
		return true
	})
	u.say(f.tag, at, fmt.Sprintf("!!! %d faults in a second; the command is stopped", MaxFaults))
}

func (m *Machine) walkUnit(u *Unit, visit func(runner) bool) {
	for _, r := range m.evaluating {
		if r.scope.unit == u {
			walk(r, visit)
		}
	}
	walk(u.root, visit)
}
