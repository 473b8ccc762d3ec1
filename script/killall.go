package script

// begin ends what a unit runs. A host with the function killall decides whether one unit
// may end what another runs; it is asked with the names of both.
func (c *killallCommand) begin(s *scope, at Time) (runner, *Fault) {
	m := s.machine
	u := m.units[c.name]
	if u == nil {
		var known []string
		for _, other := range m.order {
			known = append(known, other.name)
		}
		return nil, s.fault(c.pos, "there is no connection or script %s.%s", c.name, s.suggest(c.name, known))
	}
	permit := m.host["killall"]
	if permit == nil || u == s.unit {
		u.endAll(at)
		return nil, nil
	}
	a, f := s.ask(permit, []Value{Text(c.name)}, c.pos, at)
	if f != nil {
		return nil, f
	}
	return &killing{running: s.running(at), asking: a, unit: u}, nil
}

// killing is a runner that waits for the host's permission, and then ends what a unit runs.
type killing struct {
	running
	asking *asking
	unit   *Unit
}

func (r *killing) step(now Time) (bool, Time, *Fault) {
	m := r.scope.machine
	done, at, f := m.advance(r.asking, now)
	if f != nil || !done {
		return false, at, f
	}
	if m.units[r.unit.name] == r.unit {
		r.unit.endAll(at)
	}
	return true, at, nil
}

func (r *killing) parts(visit func(runner)) { visit(r.asking) }
