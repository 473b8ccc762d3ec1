package script

import "math"

// A Unit is one connection or one script, with its statements and its names.
type Unit struct {
	machine *Machine
	name    string
	root    *sequence
	reader  Reader
	cells   map[string]*cell
	closed  bool // it ends at the end of this instant
	held    bool // it may not move the robot

	heldSaid bool // it has been told so

	silent      bool // nothing is heard from its connection
	silentSince Time
	mute        bool // it has been silent for so long that it may not move the wheels

	statements int // running
	variables  int

	left     int  // steps that it may still take
	cut      bool // it needed more steps in this tick
	floor    Time // when it continues, if it was cut in the last tick
	cutSince Time // 0 = it was not cut
	cutSaid  bool

	tokens      float64 // lines that it may send now
	refilled    Time
	leftOut     int // lines dropped
	saidLeftOut Time
}

// spend uses one step. If none was left it returns false, and the unit continues in the next
// tick. A call within a value cannot wait for that, so it may overdraw by overdraft.
func (u *Unit) spend() bool {
	left := u.left
	if len(u.machine.evaluating) > 0 {
		left += overdraft
	}
	if left <= 0 {
		u.cut = true
		return false
	}
	u.left--
	u.machine.steps++
	return true
}

// work uses steps for evaluating a value: one for each operator and call. It may overdraw;
// then the command is the last one of the tick.
func (u *Unit) work(n int) {
	u.left -= n
	u.machine.steps += n
}

func (m *Machine) newUnit(name string, isScript bool) *Unit {
	u := &Unit{machine: m, name: name, cells: map[string]*cell{}, tokens: MaxLines, refilled: m.now, saidLeftOut: math.MinInt64 / 2}
	s := &scope{machine: m, unit: u, names: u}
	u.root = s.newSequence(nil, m.now)
	u.root.isConnection = !isScript
	m.units[name] = u
	m.order = append(m.order, u)
	m.names++
	m.changes++
	return u
}

// take adds commands that have arrived.
func (u *Unit) take(now Time, c Commands) {
	m := u.machine
	for _, a := range c.arrived {
		it, f := a.item, a.fault
		it.arrived = now
		if f == nil && m.memory+it.charge > MaxMemory {
			f = newFault(it.position, "this command is left out: the %d MiB that all scripts share are used", MaxMemory>>20)
		}
		if f != nil {
			u.root.firstPass(now) // run the commands before the fault first
			u.complain(f, now)
			continue
		}
		m.memory += it.charge
		u.root.items = append(u.root.items, it)
		m.changes++
	}
}

// read reads a piece of the unit's text. An incomplete command counts towards the memory.
func (u *Unit) read(now Time, text string) Commands {
	m := u.machine
	m.memory -= len(u.reader.text)
	c := u.reader.Read(text)
	if m.memory+len(u.reader.text) > MaxMemory {
		u.complain(newFault(u.reader.pos, "this command is left out: the %d MiB that all scripts share are used", MaxMemory>>20), now)
		u.reader.reset("")
	}
	m.memory += len(u.reader.text)
	return c
}

// complain reports a fault in the unit's text.
func (u *Unit) complain(f *Fault, now Time) {
	said := *f
	said.unit, said.tag = u, "error"
	u.machine.report(&said, now)
}

// chargeOf returns how many bytes a command that is ready to run counts for, given the size
// of its text.
func chargeOf(size int) int { return 128 + 2*size }

// endAll ends the unit's statements and drops the commands that wait.
func (u *Unit) endAll(at Time) {
	u.machine.stir()
	q := u.root
	q.parts(func(r runner) { u.machine.end(r, at) })
	q.drop()
	for _, r := range u.machine.evaluating {
		if r.scope.unit == u {
			u.machine.end(r, at)
		}
	}
}

// release frees the resources of a closed unit.
func (u *Unit) release(now Time) {
	m := u.machine
	u.endAll(now)
	u.root.dead = true
	m.memory -= len(u.reader.text)
	u.reader = Reader{}
	u.forgetCells(now)
}

// forgetCells drops the variables, unless other units may call a function that uses them.
func (u *Unit) forgetCells(now Time) {
	for _, f := range u.machine.functions {
		if f.unit == u {
			return
		}
	}
	for _, c := range u.cells {
		c.cancelMotions(now)
		c.forget()
	}
	clear(u.cells)
}
