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
	names   []string // for the values, nil = all emissions count
	waiting []emission
}

// listen adds a listener to an event.
func (m *Machine) listen(event string, names []string, r *running) *listener {
	l := &listener{runner: r, names: names}
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
		if l.runner.stands() || l.names != nil && len(l.names) != len(values) {
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
