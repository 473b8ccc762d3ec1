package script

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Config configures a machine.
type Config struct {
	Devices   []Device
	Functions []Function // of the host
	Library   string     // definitions of more functions of the robot, in the language
	Seed      uint64     // of the random numbers
	// Refuse says why a device, such as headPan.val, or a function that moves the robot
	// cannot be used now; "" = it can. A command that begins to move it is a fault then.
	// nil = none is refused.
	Refuse func(name string) string
	// WhyHeld says, in a sentence, why the motion of a unit is held; "" = the unit need not
	// be told. Each unit is told once, when a command of it waits for Resume.
	WhyHeld func(unit string) string
}

// A Machine runs units. New creates one; the zero value is not usable.
type Machine struct {
	units map[string]*Unit
	order []*Unit // in order of their start

	cells       map[string]*cell // of devices and groups, by path
	devices     map[string]bool  // by name
	deviceOrder []*cell
	groups      map[string]*group
	functions   map[string]*function
	host        map[string]*Function
	listeners   map[string][]*listener // by event
	blocked     map[string]bool        // tags
	frozen      []frozenTag
	faults      map[string]*faultCount

	now        Time
	ticks      uint64
	tickTime   Time
	inTick     bool
	next       Time    // when something is due next, as far as it is known
	stirred    bool    // this instant has changed what other statements can see
	again      int     // instants at the present time that repeat another one
	caught     int     // steps that catching up has taken since the last tick
	measured   []*cell // with a value that takes effect in the next instant
	moment     uint64  // the same for everything that starts together
	moments    uint64  // the last moment
	names      uint64  // grows when the meaning of a name changes
	changes    uint64  // grows when what Units returns may have changed
	statements int
	memory     int
	steps      int // total
	told       int // faults that were reported, total
	orderLeft  int // steps left for orders until the next tick
	random     *rand.Rand

	ending  Time         // the time at which the parts of a runner end
	endPart func(runner) // ends a part; made once, because loops end a runner each turn

	evaluating []*callRunner // calls in progress within expressions
	stopped    []string      // tags that these calls have stopped
	trace      *[]dependency // the cells that the test being evaluated reads, nil = no test
	isVolatile bool          // the evaluated value may change without a change of a cell
	unsettled  []*cell

	refuse  func(name string) string
	whyHeld func(unit string) string // nil = units are not told
	lines   []Line
	outputs []Output
	asks    []Ask
	asking  map[int]*asking
	lastAsk int
}

// New returns a machine without units.
func New(c Config) *Machine {
	m := &Machine{
		units: map[string]*Unit{}, cells: map[string]*cell{}, devices: map[string]bool{}, groups: map[string]*group{},
		functions: map[string]*function{}, host: map[string]*Function{}, listeners: map[string][]*listener{},
		blocked: map[string]bool{}, faults: map[string]*faultCount{}, asking: map[int]*asking{},
		random: rand.New(rand.NewPCG(c.Seed, c.Seed)), orderLeft: MaxSteps, moment: 1, moments: 1, next: never,
		refuse: c.Refuse, whyHeld: c.WhyHeld,
	}
	m.endPart = func(part runner) { m.end(part, m.ending) }
	if m.refuse == nil {
		m.refuse = func(string) string { return "" }
	}
	for _, d := range c.Devices {
		m.addDevice(d)
	}
	for _, f := range c.Functions {
		m.host[f.Name] = &f
	}
	m.useLibrary(c.Library)
	return m
}

// IsName reports whether s is a valid name of a device or a variable.
func IsName(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != "" && !reserved[s] && s != "self"
}

// Open starts a unit for a connection, whose commands come with Say or Give. isHeld holds
// its motion from the start, for a unit that may not move the robot.
func (m *Machine) Open(now Time, name string, isHeld bool) error {
	m.catchUp(now)
	if err := m.checkName(name); err != nil {
		return err
	}
	m.begin(now, false)
	m.newUnit(name, false).held = isHeld
	m.finish()
	return nil
}

func (m *Machine) checkName(name string) error {
	switch {
	case name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fmt.Errorf("%q cannot be the name of a connection or a script: a name has 1 to %d characters without spaces", name, maxName)
	case m.units[name] != nil:
		return fmt.Errorf("there is a connection or a script %s already", name)
	case m.devices[name] || m.groups[name] != nil:
		return fmt.Errorf("%s is a device or a group; a connection or a script needs another name", name)
	}
	return nil
}

// Start starts a unit for a script. CloseEnded closes it when all its statements have ended.
// isHeld holds its motion from the start, for a unit that may not move the robot.
func (m *Machine) Start(now Time, name string, p *Program, isHeld bool) error {
	m.catchUp(now)
	if err := m.checkName(name); err != nil {
		return err
	}
	charge := chargeOf(p.size)
	if m.memory+charge > MaxMemory {
		return fmt.Errorf("%s would need more memory than there is; all scripts share %d MiB", name, MaxMemory>>20)
	}
	m.begin(now, false)
	u := m.newUnit(name, true)
	u.held = isHeld
	u.root.items, u.root.running.charge = p.items, charge
	m.memory += charge
	m.lend(u)
	m.runInstant(u)
	return nil
}

// Say passes text to a connection; the text may end anywhere in a command. Say reports
// whether the connection exists.
func (m *Machine) Say(now Time, name, text string) bool {
	m.catchUp(now)
	u := m.units[name]
	if u == nil || !u.root.isConnection {
		return false
	}
	return m.Give(now, name, u.read(max(m.now, now), text))
}

// Give passes commands to a connection. The host has read them from the connection's text
// with a Reader, because reading here would take too long. Give reports whether the
// connection exists.
func (m *Machine) Give(now Time, name string, c Commands) bool {
	m.catchUp(now)
	u := m.units[name]
	if u == nil || !u.root.isConnection {
		return false
	}
	m.begin(now, false)
	m.lend(u)
	u.take(m.now, c)
	m.runInstant(u)
	return true
}

// Close ends a unit and all its statements. It reports whether the unit existed.
func (m *Machine) Close(now Time, name string) bool {
	m.catchUp(now)
	u := m.units[name]
	if u == nil {
		return false
	}
	m.begin(now, false)
	u.closed = true
	u.endAll(m.now)
	m.runInstant(nil)
	return true
}

// CloseEnded closes the scripts whose statements have all ended. Their variables are gone
// then.
func (m *Machine) CloseEnded(now Time) {
	ended := false
	for _, u := range m.order {
		if !u.root.isConnection && m.IsIdle(u.name) {
			u.closed, ended = true, true
		}
	}
	if ended {
		m.begin(now, false)
		m.finish()
	}
}

// IsOpen reports whether a unit exists; the command quit closes a unit.
func (m *Machine) IsOpen(name string) bool { return m.units[name] != nil }

// IsIdle reports whether a unit only waits for commands.
func (m *Machine) IsIdle(name string) bool {
	u := m.units[name]
	return u == nil || u.root.dead || u.root.current == nil && len(u.root.beside) == 0 && u.root.next == len(u.root.items)
}

// IsPending reports whether a unit runs something that ends by itself: a wait, a motion with
// an end, a timeout, a request, or steps that it could not take yet. What watches, repeats
// without end or is frozen is not pending.
func (m *Machine) IsPending(name string) bool {
	u := m.units[name]
	if u == nil {
		return false
	}
	isPending := u.cut
	walk(u.root, func(r runner) bool {
		if r.state().frozen > 0 {
			return false
		}
		switch r := r.(type) {
		case *everyRunner, *wheneverRunner:
			return false
		case *turns:
			return !r.isEndless
		case *waiter, *pause, *asking:
			isPending = true
		case *motion:
			isPending = isPending || r.moving && r.end() < never
		case *limited:
			isPending = isPending || r.until < never
		}
		return !isPending
	})
	return isPending
}

// Answer answers an Ask. refusal is "", or a sentence that says why there is no answer.
// Answer reports whether a statement still waits for it.
func (m *Machine) Answer(now Time, id int, v Value, refusal string) bool {
	m.catchUp(now)
	a := m.asking[id]
	if a == nil || a.answered {
		return false
	}
	m.begin(now, false)
	a.answered, a.answer, a.refusal, a.at = true, v, refusal, m.now
	if a.frozen > 0 {
		a.at = a.since // shift adjusts it when the runner continues
	}
	m.runInstant(nil)
	return true
}

// Hold holds the motion of a unit, or of all units if name is "": the clocks of statements
// that move the robot stop, and the statements keep the rest of their motion. Everything
// else continues. It comes even before what was due earlier and has not been done yet, so
// that nothing moves the robot once Hold is called.
func (m *Machine) Hold(now Time, name string) {
	at := max(m.now, now)
	var waiting []*Unit // with a command that waits for Resume
	for _, u := range m.order {
		if u.held || name != "" && u.name != name {
			continue
		}
		u.held = true
		m.changes++
		waits := false
		m.walkUnit(u, func(r runner) bool {
			if moves(r) {
				waits = true
				r.state().freeze(at)
				if r, ok := r.(*motion); ok {
					r.hold()
				}
			}
			return true
		})
		if waits {
			waiting = append(waiting, u)
		}
	}
	m.begin(now, false)
	for _, u := range waiting {
		u.tellHeld(m.now)
	}
	m.runInstant(nil)
}

// Resume continues the held motion of a unit, or of all units if name is "".
func (m *Machine) Resume(now Time, name string) {
	m.begin(now, false)
	for _, u := range m.order {
		if !u.held || name != "" && u.name != name {
			continue
		}
		u.held, u.heldSaid = false, false
		m.changes++
		m.walkUnit(u, func(r runner) bool {
			if moves(r) {
				thaw(r, m.now)
				if r, ok := r.(*motion); ok {
					r.release()
				}
			}
			return true
		})
	}
	m.runInstant(nil)
}

// IsHeld reports whether the motion of a unit is held.
func (m *Machine) IsHeld(name string) bool { return m.units[name] != nil && m.units[name].held }

// moves reports whether a statement itself moves the robot.
func moves(r runner) bool {
	switch r := r.(type) {
	case *motion:
		return r.cell.device != nil && r.cell.device.Moves
	case *asking:
		return r.function.Moves
	}
	return false
}

// Tick runs the statements that are due at a reading.
func (m *Machine) Tick(now Time) {
	m.begin(now, true)
	m.muteLongSilent()
	left := MaxSteps*9/10 - min(m.caught, maxCatchUp) // the rest is for orders until the next tick
	m.caught = 0
	m.next = never
	for _, u := range m.order {
		u.floor = 0
		if u.cut {
			u.floor = m.now
		}
		u.cut = true
	}
	for n := len(m.order); n > 0 && left > 0; n = m.cutUnits() {
		left = m.runRound(n, left)
	}
	m.orderLeft = left + MaxSteps/10
	for _, u := range m.order {
		u.nameIfCut(m.now)
		u.sayLeftOut(m.now)
	}
	m.finish()
	m.inTick = false
}

// runRound steps the n units that were cut, each with its share of the remaining steps. It
// returns how many steps remain.
func (m *Machine) runRound(n, left int) int {
	for _, u := range m.order {
		if !u.cut || n == 0 {
			continue
		}
		share := max(1, left/n)
		n--
		share = min(share, left)
		u.cut = false
		u.left += share // negative = it has overdrawn before
		left -= share
		m.stepUnit(u)
		left += max(0, u.left)
		u.left = min(0, u.left)
	}
	return max(0, left)
}

func (m *Machine) cutUnits() int {
	n := 0
	for _, u := range m.order {
		if u.cut {
			n++
		}
	}
	return n
}

// nameIfCut reports a unit that has taken too many steps for longer than cutTime.
func (u *Unit) nameIfCut(now Time) {
	switch {
	case !u.cut:
		u.cutSince, u.cutSaid = 0, false
	case u.cutSince == 0:
		u.cutSince = max(now, 1)
	case !u.cutSaid && now-u.cutSince >= cutTime:
		u.cutSaid = true
		u.say("", now, fmt.Sprintf("*** %s needs more steps than it can have: all scripts and connections share %d in a tick; it continues more slowly", u.name, MaxSteps))
	}
}

// begin starts an instant, after those of what was due before.
func (m *Machine) begin(now Time, isTick bool) {
	m.catchUp(now)
	m.setTime(now)
	m.nextMoment()
	for _, c := range m.measured {
		c.measure()
	}
	m.measured = m.measured[:0]
	if isTick {
		m.ticks++
		m.tickTime, m.inTick = m.now, true
	}
}

// runInstant runs the instant of an order: first the commands of the unit first, then all
// units in order of their start.
func (m *Machine) runInstant(first *Unit) {
	m.next = never
	if first != nil && !first.cut {
		first.root.firstPass(m.now)
		m.settleSteps(first)
		m.stirred = false // what it has changed is seen by all units, which are stepped now
	}
	for _, u := range m.order {
		if u.cut {
			continue // it has used its share of this tick
		}
		m.lend(u)
		m.stepUnit(u)
		m.settleSteps(u)
	}
	m.finish()
}

// lend gives a unit three quarters of the steps left for orders until the next tick, so
// that some remain for other units.
func (m *Machine) lend(u *Unit) {
	if !u.cut {
		lent := (3*m.orderLeft + 3) / 4
		u.left += lent
		m.orderLeft -= lent
	}
}

// settleSteps takes back the steps that a unit has not used.
func (m *Machine) settleSteps(u *Unit) {
	m.orderLeft += max(0, u.left)
	u.left = min(0, u.left)
}

// firstPass runs only the foreground.
func (q *sequence) firstPass(now Time) {
	if !q.stands() {
		q.foreground(now)
	}
}

func (m *Machine) stepUnit(u *Unit) {
	_, at, f := m.advance(u.root, m.now)
	m.report(f, at)
}

// settleLater schedules a cell to settle at the end of the instant.
func (m *Machine) settleLater(c *cell) {
	if !c.listed {
		c.listed = true
		m.unsettled = append(m.unsettled, c)
	}
}

// finish ends an instant: it settles values and removes the units that are closed.
func (m *Machine) finish() {
	m.repeatIfStirred()
	left := m.unsettled[:0]
	for _, c := range m.unsettled {
		if c.listed = c.settle(m.now, m.inTick); c.listed {
			left = append(left, c)
		}
	}
	clear(m.unsettled[len(left):])
	m.unsettled = left
	m.forgetClosed()
}

// forgetClosed removes the units that are closed.
func (m *Machine) forgetClosed() {
	for _, u := range m.order {
		if u.closed {
			m.forget(u)
			break
		}
	}
}

// forget removes a closed unit.
func (m *Machine) forget(u *Unit) {
	u.release(m.now)
	delete(m.units, u.name)
	m.changes++
	m.order = slices.DeleteFunc(m.order, func(o *Unit) bool { return o == u })
	m.names++
	for _, other := range m.order {
		if other.closed {
			m.forget(other)
			return
		}
	}
}

// Outputs returns the outputs since its last call.
func (m *Machine) Outputs() []Output {
	o := m.outputs
	m.outputs = nil
	return o
}

// Asks returns the asks since its last call.
func (m *Machine) Asks() []Ask {
	a := m.asks
	m.asks = nil
	return a
}
