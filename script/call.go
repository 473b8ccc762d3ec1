package script

import "slices"

// A function is a function defined by def.
type function struct {
	path  string
	names []string
	body  *Program
	unit  *Unit // the unit whose bare names it sees
	size  int   // bytes that it counts for

	loaded    string // as of a scope
	isLibrary bool   // it belongs to the robot
}

// A boundFunction is a function together with the value of self in it.
type boundFunction struct {
	function *function
	self     string
}

func (c *defCommand) begin(s *scope, _ Time) (runner, *Fault) {
	m := s.machine
	if len(c.path.parts) > 1 && !m.devices[c.path.base] && m.groups[c.path.base] == nil {
		return nil, s.unknown(c.path)
	}
	if m.isOfRobot(c.path.text) {
		return nil, s.fault(c.path.pos, "%s is a function of the robot; choose another name", c.path.text)
	}
	if other := m.otherOwner(s, c.path.text); other != "" {
		return nil, s.fault(c.path.pos, "%s is a function of %s, which is running; choose another name", c.path.text, other)
	}
	f := &function{path: c.path.text, names: c.names, body: c.body, unit: s.names, size: chargeOf(c.body.size), loaded: s.loaded}
	if m.memory+f.size > MaxMemory {
		return nil, s.fault(c.pos, "%s would need more memory than there is; all scripts share %d MiB", f.path, MaxMemory>>20)
	}
	m.forgetFunction(f.path)
	m.memory += f.size
	m.functions[f.path] = f
	m.names++
	return nil, nil
}

// otherOwner returns the name of another running unit that has defined a function; "" =
// there is none. What such a unit runs may call the function, so no other unit changes it.
func (m *Machine) otherOwner(s *scope, path string) string {
	f := m.functions[path]
	if f == nil || f.unit == s.names || m.units[f.unit.name] != f.unit {
		return ""
	}
	return f.unit.name
}

// isOfRobot reports whether a function belongs to the robot, so that nobody can replace it.
func (m *Machine) isOfRobot(path string) bool {
	f := m.functions[path]
	return m.host[path] != nil || f != nil && f.isLibrary
}

// useLibrary adds the functions that a text defines. They belong to the robot; faults in
// them are faults of their callers. A text that is not a list of definitions is a mistake
// of the host, and panics.
func (m *Machine) useLibrary(text string) {
	p, faults := Parse(text)
	if len(faults) > 0 {
		panic("script: library: " + faults[0].Error())
	}
	u := &Unit{machine: m, cells: map[string]*cell{}}
	for _, it := range p.items {
		c := it.command.(*defCommand)
		m.functions[c.path.text] = &function{path: c.path.text, names: c.names, body: c.body, unit: u, isLibrary: true}
	}
}

func (m *Machine) forgetFunction(path string) bool {
	f := m.functions[path]
	if f == nil {
		return false
	}
	m.memory -= f.size
	delete(m.functions, path)
	m.names++
	if m.units[f.unit.name] != f.unit {
		f.unit.forgetCells(m.now) // if the connection is closed and no other function needs them
	}
	return true
}

func (c *undefCommand) begin(s *scope, at Time) (runner, *Fault) {
	p, f := s.resolve(c.path)
	if f == nil && s.machine.isOfRobot(p.text) {
		f = s.fault(p.pos, "%s is a function of the robot; it stays", p.text)
	}
	if f == nil {
		if other := s.machine.otherOwner(s, p.text); other != "" {
			f = s.fault(p.pos, "%s is a function of %s, which is running; it stays", p.text, other)
		}
	}
	if f != nil || s.machine.forgetFunction(p.text) {
		return nil, f
	}
	if s.machine.groups[p.text] != nil {
		delete(s.machine.groups, p.text)
		s.machine.names++
		return nil, nil
	}
	if len(p.parts) == 1 && s.names.cells[p.text] != nil {
		cell := s.names.cells[p.text]
		cell.cancelMotions(at)
		cell.forget()
		delete(s.names.cells, p.text)
		s.machine.names++
		return nil, nil
	}
	return nil, s.fault(p.pos, "there is no function, variable or group %s.%s", p.text, s.suggest(p.text, s.bareNames()))
}

// bind returns the functions that a call invokes: for a group its own function, then those
// of its members.
func (s *scope) bind(p path, only bool) []boundFunction {
	m := s.machine
	if len(p.parts) == 1 {
		if f := m.functions[p.text]; f != nil {
			return []boundFunction{{f, ""}}
		}
		return nil
	}
	var all []boundFunction
	var visit func(base string, inherited *function)
	visit = func(base string, inherited *function) {
		f := m.functions[base+"."+p.last]
		if f == nil {
			f = inherited
		}
		known := slices.ContainsFunc(all, func(b boundFunction) bool { return b.self == base })
		if f != nil && !known {
			all = append(all, boundFunction{f, base})
		}
		if g := m.groups[base]; g != nil && !only {
			s.unit.work(len(g.members))
			for _, member := range g.members {
				visit(member.text, f)
			}
		}
	}
	visit(p.base, nil)
	return all
}

// callRunner is one call of a function.
type callRunner struct {
	running
	body   runner // nil = the function is empty
	at     Time
	frame  *frame
	result Value
	says   bool // report the result to the unit
}

func (r *callRunner) step(now Time) (bool, Time, *Fault) {
	done, at := true, r.at
	if r.body != nil {
		var f *Fault
		if done, at, f = r.scope.machine.advance(r.body, now); f != nil {
			return false, at, f
		}
	}
	if done && r.says && r.result.kind != nothing && !r.dead {
		r.scope.sayValue(at, r.result)
	}
	return done, at, nil
}

func (r *callRunner) parts(visit func(runner)) {
	if r.body != nil {
		visit(r.body)
	}
}

func (r *callRunner) over(Time) { r.frame.release(r.scope.machine) }

// newCall starts a call of a function with values.
func (s *scope) newCall(b boundFunction, c *call, values []Value, at Time) (*callRunner, *Fault) {
	f := b.function
	switch {
	case len(values) != len(f.names):
		return nil, s.fault(c.path.pos, "%s takes %s, not %d", f.path, countOf(len(f.names), len(f.names)), len(values))
	case s.calls >= MaxNesting:
		return nil, s.fault(c.path.pos, "calls are nested more than %d deep; %s may be calling itself", MaxNesting, f.path)
	}
	inner := *s
	inner.names, inner.self, inner.calls = f.unit, b.self, s.calls+1
	inner.frame = s.newFrame(nil)
	r := &callRunner{running: s.running(at), at: at, frame: inner.frame}
	inner.call = r
	switch {
	case !f.isLibrary:
		inner.loaded = f.loaded
	case inner.called == (Pos{}):
		inner.called = c.path.pos
	}
	if fault := s.count(&r.running, c.path.pos); fault != nil {
		return nil, fault
	}
	for i, n := range f.names {
		if fault := inner.declare(n, values[i], c.path.pos); fault != nil {
			s.machine.end(r, at)
			return nil, fault
		}
	}
	if len(f.body.items) > 0 {
		r.body = inner.newSequence(f.body.items, at)
	}
	return r, nil
}

func (c *returnCommand) begin(s *scope, at Time) (runner, *Fault) {
	if c.value != nil {
		v, f := c.value.eval(s, at)
		if f != nil {
			return nil, f
		}
		s.call.result = v
	}
	s.machine.end(s.call.body, at)
	return nil, nil
}

// evalValues returns the arguments of a call.
func (c *call) evalValues(s *scope, at Time) ([]Value, *Fault) {
	values := make([]Value, len(c.values))
	for i, e := range c.values {
		v, f := e.eval(s, at)
		if f != nil {
			return nil, f
		}
		if v.kind == nothing {
			return nil, s.fault(e.place(), "this has no value")
		}
		values[i] = v
	}
	return values, nil
}

// unknownCall returns the fault of a call of a function that does not exist; other are names
// that may be meant besides those of functions.
func (c *call) unknownCall(s *scope, p path, other []string) *Fault {
	if len(p.parts) > 1 && !s.machine.devices[p.base] && s.machine.groups[p.base] == nil {
		return s.unknown(p)
	}
	return s.fault(p.pos, "%s is not known.%s", p.text, s.suggest(p.text, append(s.machine.functionNames(), other...)))
}

// eval calls a function within an expression, where it must end at once.
func (c *call) eval(s *scope, at Time) (Value, *Fault) {
	m := s.machine
	s.unit.work(1 + len(c.values))
	values, f := c.evalValues(s, at)
	if f != nil {
		return Value{}, f
	}
	p, f := s.resolve(c.path)
	if f != nil {
		return Value{}, f
	}
	bound := s.bind(p, false)
	switch {
	case len(bound) > 0:
	case builtins[p.text] != nil:
		return builtins[p.text].apply(s, c, values)
	case m.host[p.text] != nil:
		return Value{}, s.fault(p.pos, "%s takes time, so it cannot be used in a value; call it as a command", p.text)
	default:
		return Value{}, c.unknownCall(s, p, nil)
	}
	m.isVolatile = true
	var result Value
	for i, b := range bound {
		r, f := s.newCall(b, c, values, at)
		if f != nil {
			return Value{}, f
		}
		done, f := s.evaluate(r, at)
		switch {
		case f != nil:
			return Value{}, f
		case !done:
			m.end(r, at)
			if s.unit.left <= -overdraft {
				return Value{}, s.fault(p.pos, "%s takes too many steps to be used in a value; call it as a command", p.text)
			}
			return Value{}, s.fault(p.pos, "%s takes time, so it cannot be used in a value; call it as a command", p.text)
		case i == 0:
			result = r.result
		}
	}
	return result, nil
}

// evaluate runs a function that is called within an expression. If the function stops the
// command that needs the value, the fault is silent. So it is if the function has no value
// because of a fault in it, which was reported there.
func (s *scope) evaluate(r *callRunner, at Time) (done bool, f *Fault) {
	m := s.machine
	before, told, moment := len(m.stopped), m.told, m.moment
	m.evaluating = append(m.evaluating, r)
	done, _, f = m.advance(r, at)
	m.evaluating = m.evaluating[:len(m.evaluating)-1]
	m.moment = moment
	for _, name := range m.stopped[before:] {
		if s.tags.under(name) {
			f = &Fault{silent: true}
		}
	}
	if done && f == nil && r.result.kind == nothing && m.told > told {
		f = &Fault{silent: true}
	}
	if len(m.evaluating) == 0 {
		m.stopped = m.stopped[:0]
	}
	return done, f
}

func (c *callCommand) begin(s *scope, at Time) (runner, *Fault) {
	m := s.machine
	values, f := c.call.evalValues(s, at)
	if f != nil {
		return nil, f
	}
	p, f := s.resolve(c.call.path)
	if f != nil {
		return nil, f
	}
	bound := s.bind(p, c.only)
	switch {
	case len(bound) > 0:
	case builtins[p.text] != nil:
		v, f := builtins[p.text].apply(s, c.call, values)
		if f == nil {
			s.sayValue(at, v)
		}
		return nil, f
	case m.host[p.text] != nil:
		return s.ask(m.host[p.text], values, p.pos, at)
	case p.last == "sleep" && len(values) == 1 && len(p.parts) > 1 && m.devices[p.base]:
		w := &waitCommand{pos: p.pos, time: &literal{c.call.values[0].place(), values[0]}}
		return w.begin(s, at)
	default:
		return nil, c.call.unknownCall(s, p, statementWords)
	}
	all := &together{running: s.running(at), at: at, last: at}
	for _, b := range bound {
		r, f := s.newCall(b, c.call, values, at)
		if f != nil {
			m.end(all, at)
			return nil, f
		}
		r.says = true
		all.runners = append(all.runners, r)
	}
	if len(all.runners) == 1 {
		return all.runners[0], nil
	}
	return all, nil
}
