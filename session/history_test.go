package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

// A sample is what a drive sample of a random history was sent with. Its
// turning speed names it.
type sample struct {
	by          *page
	lease, hold uint64
	neutral     bool
}

// A history is a random course of people who come, go, drive, stop, release
// and take control, with packets that arrive late and pages that have not
// heard the latest. It checks what holds whatever happens.
type history struct {
	*table
	rt      *rapid.T
	pages   []*page // connected
	late    []func()
	samples []sample // by number - 1

	// What the robot has been told, in order.
	epoch, hold uint64
	holder      int
	halts       int          // since the holder changed
	moving      bool         // the last thing it was told by hand was to move
	asked       map[int]bool // who did something to get control since it changed
}

func newHistory(rt *rapid.T, t testing.TB) *history {
	hs := &history{table: newTable(t), rt: rt, asked: map[int]bool{}, hold: 1}
	hs.robot.onDrive = hs.driven
	return hs
}

// driven checks a sample that the robot is about to execute.
func (hs *history) driven(d robot.Drive) {
	c := &hs.hub.crew
	if d.Twist.IsZero() {
		hs.moving = false
		return
	}
	n := int(d.Twist.Angular) - 1
	s := hs.samples[n]
	who := s.by.user.person
	switch {
	case c.stopped != nil:
		hs.rt.Fatalf("a sample was executed while the robot is stopped")
	case who == nil || who.id != c.lease.Holder:
		hs.rt.Fatalf("a sample of %s was executed, but %d has control", s.by.browser, c.lease.Holder)
	case s.lease != c.lease.Epoch || s.hold != c.gate.hold:
		hs.rt.Fatalf("a sample of lease %d, hold %d was executed under %d, %d", s.lease, s.hold, c.lease.Epoch, c.gate.hold)
	case !slices.ContainsFunc(hs.samples[:n], func(first sample) bool {
		return first.neutral && first.by == s.by && first.lease == s.lease && first.hold == s.hold
	}):
		hs.rt.Fatalf("hold %d began with a sample that moves", c.gate.hold)
	case d.Valid <= 0 || d.Valid > 500*time.Millisecond:
		hs.rt.Fatalf("a sample lives for %v", d.Valid)
	}
	if _, waiting := c.lease.FreeAt(); waiting {
		hs.rt.Fatalf("a sample of a person who is away was executed")
	}
	hs.moving = true
}

func (hs *history) someone(what string) *page {
	if len(hs.pages) == 0 {
		hs.rt.Skip("nobody is here")
	}
	return rapid.SampledFrom(hs.pages).Draw(hs.rt, what)
}

func (hs *history) Join(rt *rapid.T) {
	name := rapid.SampledFrom([]string{"Ana", "Jin", "Kim"}).Draw(rt, "name")
	p := hs.connect(name)
	first := !slices.ContainsFunc(hs.pages, func(other *page) bool { return other.user.person != nil }) &&
		!slices.ContainsFunc(hs.hub.crew.people.row, func(who *person) bool { return who.key.browser == name })
	hs.pages = append(hs.pages, p)
	p.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":%q,"build":"0.1.0"}`, name)
	p.hear()
	if first {
		hs.asked[p.you] = true
	}
}

func (hs *history) Leave(*rapid.T) {
	p := hs.someone("who leaves")
	p.user.Leave()
	hs.hub.work(hs.now)
	hs.pages = slices.DeleteFunc(hs.pages, func(other *page) bool { return other == p })
}

func (hs *history) Hear(*rapid.T) { hs.someone("who hears").hear() }

func (hs *history) Drive(rt *rapid.T) {
	p := hs.someone("who drives")
	p.seq++
	s := sample{by: p, lease: p.lease, hold: p.hold, neutral: rapid.Bool().Draw(rt, "neutral")}
	if rapid.IntRange(0, 9).Draw(rt, "guess") == 0 {
		s.lease, s.hold = hs.hub.crew.lease.Epoch, hs.hub.crew.gate.hold
	}
	hs.samples = append(hs.samples, s)
	w := 0
	if !s.neutral {
		w = len(hs.samples)
	}
	frame := fmt.Sprintf(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":1,"v":0,"w":%d,"valid":0.25}`, s.lease, s.hold, p.seq, w)
	send := func() { p.user.receive([]byte(frame), hs.now) }
	if rapid.IntRange(0, 4).Draw(rt, "late") == 0 {
		hs.late = append(hs.late, send)
		return
	}
	send()
	if rapid.Bool().Draw(rt, "the hub looks") {
		hs.hub.work(hs.now)
	}
}

// Arrive lets a late packet come in, or come again.
func (hs *history) Arrive(rt *rapid.T) {
	if len(hs.late) == 0 {
		rt.Skip("nothing is late")
	}
	rapid.SampledFrom(hs.late).Draw(rt, "which")()
	hs.hub.work(hs.now)
}

// Press is a hand that does everything right.
func (hs *history) Press(*rapid.T) {
	p := hs.someone("who presses")
	p.hear()
	for _, w := range []int{0, 1} {
		p.seq++
		hs.samples = append(hs.samples, sample{by: p, lease: p.lease, hold: p.hold, neutral: w == 0})
		p.say(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":1,"v":0,"w":%d,"valid":0.25}`, p.lease, p.hold, p.seq, w*len(hs.samples))
	}
	c := &hs.hub.crew
	if who := p.user.person; who != nil && who.id == c.lease.Holder && c.stopped == nil && !hs.moving {
		hs.rt.Fatalf("%s has control, nothing is stopped, and yet a press moves nothing: %v", p.browser, p.results())
	}
}

func (hs *history) Stop(*rapid.T) {
	hs.someone("who stops").say(`{"type":"stop","id":1}`)
	if hs.robot.stopped() == "" {
		hs.rt.Fatal("the stop did not reach the robot")
	}
	hs.moving = false
}

func (hs *history) StopOutside(*rapid.T) {
	hs.hub.Stop("the form")
	hs.moving = false
}

func (hs *history) Unstop(*rapid.T) {
	p := hs.someone("who releases the stop")
	was := hs.robot.stopped()
	p.say(`{"type":"unstop","id":1,"lease":%d}`, p.lease)
	if who := p.user.person; was != "" && hs.robot.stopped() == "" && (who == nil || who.id != hs.hub.crew.lease.Holder) {
		hs.rt.Fatalf("%s released the stop without control", p.browser)
	}
}

func (hs *history) Control(rt *rapid.T) {
	p := hs.someone("who wants control")
	action := rapid.SampledFrom([]string{"take", "release"}).Draw(rt, "action")
	if action == "take" && p.user.person != nil {
		hs.asked[p.user.person.id] = true
	}
	p.say(`{"type":"control","id":1,"action":%q}`, action)
}

func (hs *history) Pass(rt *rapid.T) {
	hs.pass(time.Duration(rapid.SampledFrom([]int{1, 50, 249, 250, 1000, 9000, 10000}).Draw(rt, "ms")) * time.Millisecond)
}

// Check holds after every step.
func (hs *history) Check(*rapid.T) {
	hs.hub.work(hs.now)
	c := &hs.hub.crew
	for _, line := range hs.robot.take() {
		if strings.HasPrefix(line, "halt") {
			hs.halts++
			hs.moving = false
		}
	}
	if c.lease.Epoch != hs.epoch {
		if hs.halts == 0 || c.gate.hold <= hs.hold {
			hs.rt.Fatalf("control passed from %d to %d without a halt, or without a new hold number", hs.holder, c.lease.Holder)
		}
		if c.lease.Holder != 0 && !hs.asked[c.lease.Holder] {
			hs.rt.Fatalf("%d was given control silently", c.lease.Holder)
		}
		hs.epoch, hs.holder, hs.halts = c.lease.Epoch, c.lease.Holder, 0
		hs.asked = map[int]bool{}
	} else if c.lease.Holder != hs.holder {
		hs.rt.Fatalf("the holder changed from %d to %d under one epoch", hs.holder, c.lease.Holder)
	}
	if c.gate.hold < hs.hold {
		hs.rt.Fatalf("the hold number fell from %d to %d", hs.hold, c.gate.hold)
	}
	hs.hold = c.gate.hold
	if (c.stopped != nil) != (hs.robot.stopped() != "") {
		hs.rt.Fatalf("the robot is stopped by %q, for the people by %v", hs.robot.stopped(), c.stopped)
	}
	control := 0
	for i, e := range c.people.entries(c.lease.Holder) {
		if e.Control {
			control++
		}
		if e.Order != i+1 {
			hs.rt.Fatalf("the row is out of order: %+v", c.people.row)
		}
	}
	if control > 1 || control == 0 && c.lease.Holder != 0 {
		hs.rt.Fatalf("%d people in the row have control, the holder is %d", control, c.lease.Holder)
	}
	away := c.people.find(c.lease.Holder)
	if hs.moving && (away == nil || away.user == nil || c.stopped != nil || c.gate.expect.IsZero()) {
		hs.rt.Fatalf("the robot moves with nobody at the stick")
	}
}

func TestWhateverHappensOnlyTheHolderMovesTheRobot(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hs := newHistory(rt, t)
		rt.Repeat(map[string]func(*rapid.T){
			"join": hs.Join, "leave": hs.Leave, "hear": hs.Hear,
			"drive": hs.Drive, "arrive": hs.Arrive, "press": hs.Press, "press again": hs.Press,
			"stop": hs.Stop, "stop outside": hs.StopOutside, "unstop": hs.Unstop,
			"control": hs.Control, "pass": hs.Pass,
			"": hs.Check,
		})
	})
}
