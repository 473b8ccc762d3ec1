package script

// waiter waits until a time.
type waiter struct {
	running
	until Time
}

func (c *waitCommand) begin(s *scope, at Time) (runner, *Fault) {
	d, f := s.duration(c.time, at)
	if f != nil || d == 0 {
		return nil, f
	}
	w := &waiter{running: s.running(at), until: min(at+d, never)}
	return w, s.count(&w.running, c.pos)
}

func (w *waiter) step(now Time) (bool, Time, *Fault) {
	if w.until > now {
		w.scope.machine.wake(w.until)
		return false, 0, nil
	}
	return true, w.until, nil
}

func (w *waiter) shift(by Time) { w.until += by }

// pause waits for one tick.
type pause struct {
	running
	tick uint64
}

func (c *noopCommand) begin(s *scope, at Time) (runner, *Fault) {
	p := &pause{running: s.running(at), tick: s.machine.ticks}
	return p, s.count(&p.running, c.pos)
}

func (p *pause) step(Time) (bool, Time, *Fault) {
	m := p.scope.machine
	return m.ticks > p.tick, m.tickTime, nil
}

// untilRunner waits until a test is true.
type untilRunner struct {
	running
	tester  *tester
	began   Time
	isFirst bool
	command *waituntilCommand
}

func (c *waituntilCommand) begin(s *scope, at Time) (runner, *Fault) {
	r := &untilRunner{running: s.running(at), began: at, isFirst: true, command: c}
	var f *Fault
	if r.tester, f = s.newTester(c.test, at, &r.running); f != nil {
		return nil, f
	}
	return r, s.count(&r.running, c.pos)
}

func (r *untilRunner) step(now Time) (bool, Time, *Fault) {
	if l := r.tester.listener; l != nil {
		e, ok := l.take()
		if !ok {
			return false, 0, nil
		}
		for i, n := range l.names {
			if f := r.scope.declare(n, e.values[i], r.command.pos); f != nil {
				return false, e.at, f
			}
		}
		return true, e.at, nil
	}
	if r.isFirst {
		r.isFirst = false
		if holds, at, f := r.tester.poll(r.began); f != nil || holds {
			return f == nil, at, f
		}
	}
	holds, at, f := r.tester.poll(now)
	return holds, at, f
}

func (r *untilRunner) shift(by Time) {
	r.began += by
	r.tester.shift(by)
}
