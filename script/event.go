package script

import "slices"

// An emission is one emit, as received by one listener.
type emission struct {
	values []Value
	at     Time
}

// A listener waits for an event.
type listener struct {
	runner  *running // the runner that listens
	of      string   // the unit of the event, "" = of any
	names   []string // for the values, nil = all emissions count
	waiting []emission
}

// listen adds a listener to the event of a test.
func (m *Machine) listen(t *test, r *running) *listener {
	event := t.event
	l := &listener{runner: r, of: t.of, names: t.names}
	if len(m.listeners) > MaxStatements {
		m.forgetListeners()
	}
	left := m.listeners[event][:0]
	for _, other := range m.listeners[event] {
		if !other.runner.dead {
			left = append(left, other)
		}
	}
	m.listeners[event] = append(left, l)
	return l
}

// forgetListeners drops the events without a live listener.
func (m *Machine) forgetListeners() {
	for event, all := range m.listeners {
		if !slices.ContainsFunc(all, func(l *listener) bool { return !l.runner.dead }) {
			delete(m.listeners, event)
		}
	}
}

func (c *emitCommand) begin(s *scope, at Time) (runner, *Fault) {
	values := make([]Value, len(c.values))
	for i, e := range c.values {
		v, f := e.eval(s, at)
		if f != nil {
			return nil, f
		}
		values[i] = v
	}
	s.unit.work(len(s.machine.listeners[c.event]))
	for _, l := range s.machine.listeners[c.event] {
		if l.runner.stands() || !l.hears(c, s.unit) || l.names != nil && len(l.names) != len(values) {
			continue
		}
		if len(l.waiting) >= MaxUnitStatements {
			return nil, s.fault(c.pos, "%d emissions of %s are waiting, and no more can in one instant", MaxUnitStatements, c.event)
		}
		l.waiting = append(l.waiting, emission{values, at})
		s.machine.stir()
	}
	return nil, nil
}

// hears reports whether an emission by a unit reaches the listener. A.e is the event e of the
// unit A: emit A.e reaches those who wait for it, and in A those who wait for e; who waits for
// A.e also hears an emit e in A.
func (l *listener) hears(c *emitCommand, by *Unit) bool {
	switch l.of {
	case c.of:
		return true
	case "":
		return c.of == l.runner.scope.unit.name
	default:
		return c.of == "" && l.of == by.name
	}
}

// take returns the next waiting emission.
func (l *listener) take() (emission, bool) {
	if len(l.waiting) == 0 {
		return emission{}, false
	}
	e := l.waiting[0]
	l.waiting = l.waiting[1:]
	return e, true
}

// withValues returns a scope with the values of an emission.
func (l *listener) withValues(s *scope, e emission, pos Pos) (*scope, *Fault) {
	if len(l.names) == 0 {
		return s, nil
	}
	inner := s.withFrame()
	for i, n := range l.names {
		if f := inner.declare(n, e.values[i], pos); f != nil {
			inner.frame.release(s.machine)
			return s, f
		}
	}
	return inner, nil
}

// runBody starts the body of a watch at a time, with the values of an emission.
func (l *listener) runBody(s *scope, c command, e emission, at Time, pos Pos) (*sequence, *Fault) {
	inner, f := l.withValues(s, e, pos)
	if f != nil {
		return nil, f
	}
	q := inner.newSequence([]item{{command: c}}, at)
	if inner != s {
		q.frame = inner.frame
	}
	return q, nil
}
