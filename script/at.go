package script

// A watch is a command that runs beside the commands after it.
type watch interface {
	start(s *scope, at Time) (runner, *Fault)
}

// beginWatch starts a watch beside the foreground of its block.
func beginWatch(w watch, s *scope, at Time) (runner, *Fault) {
	r, f := w.start(s, at)
	if f != nil {
		return nil, f
	}
	s.program.attach(r, s.machine.now)
	return nil, nil
}

// atRunner runs its body once each time a test becomes true.
type atRunner struct {
	running
	command *atCommand
	tester  *tester
	began   Time
	isFirst bool // the test has not been evaluated yet
	wasTrue bool // the previous result of the test
	body    runner
	onleave runner
	heard   []runner // one body for each emission
}

func (c *atCommand) begin(s *scope, at Time) (runner, *Fault) { return beginWatch(c, s, at) }

func (c *atCommand) start(s *scope, at Time) (runner, *Fault) {
	r := &atRunner{running: s.running(at), command: c, began: at, isFirst: true}
	var f *Fault
	if r.tester, f = s.newTester(c.test, at, &r.running); f != nil {
		return nil, f
	}
	return r, s.count(&r.running, c.pos)
}

func (r *atRunner) step(now Time) (bool, Time, *Fault) {
	if r.tester.listener != nil {
		r.hear(now)
		return false, 0, nil
	}
	looked := now
	if r.isFirst {
		looked, r.isFirst = r.began, false
	}
	holds, at, f := r.tester.poll(looked)
	if f != nil || r.stands() {
		return false, now, f
	}
	if holds != r.wasTrue {
		r.wasTrue = holds
		switch {
		case holds && r.body == nil:
			r.body = r.scope.runBody(r.command.body, at)
		case !holds && r.onleave == nil && r.command.onleave != nil:
			r.onleave = r.scope.runBody(r.command.onleave, at)
		}
	}
	r.body = r.advanceBody(r.body, now)
	if r.stands() {
		return false, 0, nil
	}
	r.onleave = r.advanceBody(r.onleave, now)
	return false, 0, nil
}

// advanceBody steps a body and returns it, or nil if it is over.
func (r *running) advanceBody(body runner, now Time) runner {
	if body == nil {
		return nil
	}
	m := r.scope.machine
	done, at, f := m.advance(body, now)
	m.report(f, at)
	if done || f != nil {
		return nil
	}
	return body
}

// hear starts a body for each emission.
func (r *atRunner) hear(now Time) {
	s, l := r.scope, r.tester.listener
	for {
		e, ok := l.take()
		if !ok || r.dead {
			break
		}
		q, f := r.beginHeard(e)
		if f != nil {
			s.machine.report(f, e.at)
			continue
		}
		r.heard = append(r.heard, q)
		if r.command.onleave != nil && r.onleave == nil { // an event has no duration
			r.onleave = s.runBody(r.command.onleave, e.at)
		}
	}
	for i, body := range r.heard {
		r.heard[i] = r.advanceBody(body, now)
		if r.stands() {
			return
		}
	}
	left := r.heard[:0]
	for _, body := range r.heard {
		if body != nil {
			left = append(left, body)
		}
	}
	r.heard = left
	r.onleave = r.advanceBody(r.onleave, now)
}

// beginHeard starts the body for one emission.
func (r *atRunner) beginHeard(e emission) (*sequence, *Fault) {
	q, f := r.tester.listener.runBody(r.scope, r.command.body, e, e.at, r.command.pos)
	if f != nil {
		return nil, f
	}
	if f := r.scope.count(&q.running, r.command.pos); f != nil {
		q.over(e.at)
		return nil, f
	}
	return q, nil
}

func (r *atRunner) parts(visit func(runner)) {
	for _, p := range append([]runner{r.body, r.onleave}, r.heard...) {
		if p != nil {
			visit(p)
		}
	}
}

func (r *atRunner) shift(by Time) {
	r.began += by
	r.tester.shift(by)
}

// wheneverRunner repeats its body while a test is true, and another body while it is false.
type wheneverRunner struct {
	running
	command *wheneverCommand
	tester  *tester
	at      Time // earliest start of the next turn
	body    runner
	began   Time
	waits   bool // it waits for the next tick
	tick    uint64
	isFirst bool
	idle    bool      // the test was false and there is no body for that
	heard   *emission // whose turn has not begun yet, nil = none
}

func (c *wheneverCommand) begin(s *scope, at Time) (runner, *Fault) { return beginWatch(c, s, at) }

func (c *wheneverCommand) start(s *scope, at Time) (runner, *Fault) {
	r := &wheneverRunner{running: s.running(at), command: c, at: at, isFirst: true}
	var f *Fault
	if r.tester, f = s.newTester(c.test, at, &r.running); f != nil {
		return nil, f
	}
	return r, s.count(&r.running, c.pos)
}

func (r *wheneverRunner) step(now Time) (bool, Time, *Fault) {
	m := r.scope.machine
	for {
		if r.body != nil {
			done, at, f := m.advance(r.body, now)
			m.report(f, at)
			if r.stands() {
				return false, 0, nil
			}
			if !done && f == nil {
				f = r.lookMeanwhile(now)
				return false, now, f
			}
			r.finish(at)
		}
		holds, since, f := r.look(now)
		if f != nil || r.stands() {
			return false, now, f
		}
		if r.waits {
			if r.tick == m.ticks {
				return false, 0, nil
			}
			r.at, r.waits = max(r.at, m.tickTime), false
		}
		body := r.command.body
		if !holds {
			body = r.command.otherwise
		}
		if body == nil {
			r.idle = true
			return false, 0, nil
		}
		if r.idle {
			r.at, r.idle = max(r.at, since), false
		}
		if !r.scope.unit.spend() {
			return false, 0, nil
		}
		r.at = max(r.at, r.scope.unit.floor)
		m.report(r.start(body), r.at)
	}
}

// start starts a turn.
func (r *wheneverRunner) start(body command) *Fault {
	e := r.heard
	if e == nil {
		r.began, r.body = r.at, r.scope.runBody(body, r.at)
		return nil
	}
	r.heard, r.at = nil, max(r.at, e.at)
	q, f := r.tester.listener.runBody(r.scope, body, *e, r.at, r.command.pos)
	if f == nil {
		r.began, r.body = r.at, q
	}
	return f
}

// look returns whether a turn of the body is due now, and since when.
func (r *wheneverRunner) look(now Time) (bool, Time, *Fault) {
	if l := r.tester.listener; l != nil {
		if r.heard == nil {
			e, ok := l.take()
			if !ok {
				return false, now, nil
			}
			r.heard = &e
		}
		r.waits = false
		return true, r.heard.at, nil
	}
	if r.isFirst {
		r.isFirst = false
		now = r.at
	}
	return r.tester.poll(now)
}

// lookMeanwhile looks at a soft test while a turn runs. A value lasts then as well, but the
// turn is finished before it counts.
func (r *wheneverRunner) lookMeanwhile(now Time) *Fault {
	if !r.tester.isSoft() {
		return nil
	}
	_, _, f := r.tester.poll(now)
	return f
}

// finish ends a turn.
func (r *wheneverRunner) finish(at Time) {
	r.body, r.at = nil, max(r.at, at)
	if r.at <= r.began {
		r.waits, r.tick = true, r.scope.machine.ticks
	}
}

func (r *wheneverRunner) parts(visit func(runner)) {
	if r.body != nil {
		visit(r.body)
	}
}

func (r *wheneverRunner) shift(by Time) {
	r.at += by
	r.began += by
	r.tester.shift(by)
}
