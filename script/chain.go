package script

// together runs commands joined by &: all start at once, from left to right, and it is over
// when all are.
type together struct {
	running
	commands []command
	runners  []runner
	at, last Time
}

func (c *parallel) begin(s *scope, at Time) (runner, *Fault) {
	t := &together{running: s.running(at), commands: c.parts, at: at, last: at}
	t.moment = s.machine.moment
	return t, nil
}

func (t *together) step(now Time) (bool, Time, *Fault) {
	m := t.scope.machine
	for _, r := range t.runners {
		if _, at, f := m.advance(r, now); f != nil || t.stands() {
			return false, at, f
		}
	}
	for len(t.commands) > 0 {
		if !t.scope.unit.spend() {
			return false, 0, nil
		}
		r, f := t.start()
		if f != nil || t.stands() {
			return false, t.at, f
		}
		if r == nil {
			continue
		}
		if _, at, f := m.advance(r, now); f != nil || t.stands() {
			return false, at, f
		}
	}
	t.last = max(t.last, t.at)
	for _, r := range t.runners { // one may have ended another
		if !r.state().dead {
			return false, 0, nil
		}
		t.last = max(t.last, r.state().ended)
	}
	return true, t.last, nil
}

// start starts the next command; nil = it is over at once.
func (t *together) start() (runner, *Fault) {
	m, c := t.scope.machine, t.commands[0]
	t.commands = t.commands[1:]
	t.at = max(t.at, t.scope.unit.floor)
	m.moment = t.moment
	r, f := c.begin(t.scope, t.at)
	switch {
	case f != nil || r == nil:
		return nil, f
	case t.dead:
		m.end(r, t.at)
		return nil, nil
	}
	join(r, t.moment)
	t.runners = append(t.runners, r)
	return r, nil
}

func (t *together) parts(visit func(runner)) {
	for _, r := range t.runners {
		visit(r)
	}
}

func (t *together) shift(by Time) {
	t.at += by
	t.last += by
}

// chain runs commands joined by |: each starts when the previous one ends.
type chain struct {
	running
	commands []command
	current  runner
	at       Time
}

func (c *serial) begin(s *scope, at Time) (runner, *Fault) {
	return &chain{running: s.running(at), commands: c.parts, at: at}, nil
}

func (c *chain) step(now Time) (bool, Time, *Fault) {
	m := c.scope.machine
	for {
		if c.current != nil {
			done, at, f := m.advance(c.current, now)
			if f != nil {
				return false, at, f
			}
			if !done || c.stands() {
				if done {
					c.at, c.current = at, nil
				}
				return false, 0, nil
			}
			c.at, c.current = at, nil
		}
		switch {
		case len(c.commands) == 0:
			return true, c.at, nil
		case !c.scope.unit.spend():
			return false, 0, nil
		}
		group := c.enter()
		next := c.commands[0]
		c.commands = c.commands[1:]
		c.at = max(c.at, c.scope.unit.floor)
		r, f := next.begin(c.scope, c.at)
		switch {
		case f != nil:
			return false, c.at, f
		case c.dead && r != nil:
			m.end(r, c.at)
		case r != nil:
			join(r, group)
			c.current = r
		}
		if c.stands() {
			return false, 0, nil
		}
	}
}

func (c *chain) parts(visit func(runner)) {
	if c.current != nil {
		visit(c.current)
	}
}

func (c *chain) shift(by Time) { c.at += by }
