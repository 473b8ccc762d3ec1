package script

// limited runs a body under a condition: timeout, stopif or freezeif.
type limited struct {
	running
	body    runner
	until   Time    // of a timeout, otherwise never
	stop    *tester // of a stopif, nil = none
	freeze  *tester // of a freezeif, nil = none
	freezes bool    // the freezeif freezes the body now
	inner   *scope
	began   Time
	first   bool
}

func (c *timeoutCommand) begin(s *scope, at Time) (runner, *Fault) {
	d, f := s.duration(c.after, at)
	if f != nil {
		return nil, f
	}
	s.unit.work(limitSteps)
	r := &limited{running: s.running(at), until: min(at+d, never), body: s.runBody(c.body, at)}
	return r, s.count(&r.running, c.pos)
}

func (c *stopifCommand) begin(s *scope, at Time) (runner, *Fault) {
	s.unit.work(limitSteps)
	r := &limited{running: s.running(at), until: never, began: at, first: true}
	var f *Fault
	if r.stop, f = s.newTester(c.test, at, &r.running); f != nil {
		return nil, f
	}
	r.body = s.runBody(c.body, at)
	return r, s.count(&r.running, c.pos)
}

func (c *freezeifCommand) begin(s *scope, at Time) (runner, *Fault) {
	s.unit.work(limitSteps)
	r := &limited{running: s.running(at), until: never, began: at, first: true, inner: s.withTag("", false)}
	var f *Fault
	if r.freeze, f = s.newTester(c.test, at, &r.running); f != nil {
		return nil, f
	}
	r.body = r.inner.runBody(c.body, at)
	return r, s.count(&r.running, c.pos)
}

func (r *limited) step(now Time) (bool, Time, *Fault) {
	m := r.scope.machine
	upTo := now
	if r.until <= now {
		upTo = r.until
	}
	looked := now
	if r.first {
		looked, r.first = r.began, false
	}
	if r.stop != nil {
		ends, at, f := r.stop.pollOrHear(looked)
		if f != nil || ends {
			m.end(r.body, at)
			return f == nil, at, f
		}
	}
	if r.freeze != nil {
		if f := r.look(looked); f != nil {
			return false, now, f
		}
	}
	now, m.now = m.now, upTo
	done, at, f := m.advance(r.body, upTo)
	m.now = now
	switch {
	case done || f != nil || r.stands():
		return done, at, f
	case r.until <= now:
		m.end(r.body, r.until)
		return true, r.until, nil
	}
	m.wake(r.until)
	return false, 0, nil
}

// look freezes or thaws the body.
func (r *limited) look(now Time) *Fault {
	holds, at, f := r.freeze.pollOrHear(now)
	if f != nil || holds == r.freezes {
		return f
	}
	r.freezes = holds
	r.scope.machine.freezeUnder(frozenTag{link: r.inner.tags}, holds, at)
	return nil
}

// pollOrHear polls a test; for an event it reports whether there was an emission.
func (w *tester) pollOrHear(now Time) (bool, Time, *Fault) {
	if w.listener == nil {
		return w.poll(now)
	}
	e, ok := w.listener.take()
	return ok, max(e.at, 0), nil
}

func (r *limited) parts(visit func(runner)) { visit(r.body) }

func (r *limited) shift(by Time) {
	if r.until < never {
		r.until += by
	}
	r.began += by
	for _, t := range []*tester{r.stop, r.freeze} {
		if t != nil {
			t.shift(by)
		}
	}
}

func (r *limited) over(at Time) {
	if r.freezes {
		r.scope.machine.freezeUnder(frozenTag{link: r.inner.tags}, false, at)
	}
}
