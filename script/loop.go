package script

import "math"

func (c *ifCommand) begin(s *scope, at Time) (runner, *Fault) {
	v, f := c.condition.eval(s, at)
	switch {
	case f != nil:
		return nil, f
	case v.isTrue():
		return c.body.begin(s, at)
	case c.otherwise != nil:
		return c.otherwise.begin(s, at)
	}
	return nil, nil
}

// turns is a runner that repeats a body.
type turns struct {
	running
	body    command
	current runner
	at      Time
	// more reports whether there is another turn, and prepares it.
	more func(t *turns) (more bool, f *Fault)
	// perTick means that a turn without duration is the last one of its tick.
	perTick   bool
	isEndless bool      // its body is repeated without end
	waits     bool      // it waits for the next tick
	tick      uint64    // of the last turn
	began     Time      // of the last turn
	inner     *scope    // of the turn
	idle      *sequence // the block of an earlier turn, which has ended; nil = none
	left      []Value
	count     float64
}

func (t *turns) step(now Time) (bool, Time, *Fault) {
	m := t.scope.machine
	for {
		if t.waits {
			if t.tick == m.ticks {
				return false, 0, nil
			}
			t.at, t.waits = max(t.at, m.tickTime), false
		}
		if t.current != nil {
			done, at, f := m.advance(t.current, now)
			m.report(f, at)
			if done || f != nil {
				t.finish(at)
			}
			if t.stands() || !done && f == nil {
				return false, 0, nil
			}
			continue
		}
		if !t.scope.unit.spend() {
			return false, 0, nil
		}
		t.at = max(t.at, t.scope.unit.floor)
		more, f := t.more(t)
		if f != nil || !more {
			return f == nil, t.at, f
		}
		group := t.enter()
		t.began = t.at
		r, f := t.beginBody()
		m.report(f, t.at)
		switch {
		case f != nil || r == nil:
			t.finish(t.at)
		case t.dead:
			m.end(r, t.at)
		default:
			join(r, group)
			t.current = r
		}
		if t.stands() {
			return false, 0, nil
		}
	}
}

// beginBody starts the body of a turn. A block without variables is the same in each turn, so
// it starts again in the memory of the one before.
func (t *turns) beginBody() (runner, *Fault) {
	b, ok := t.body.(*block)
	if !ok || b.program.hasVar {
		return t.body.begin(t.inner, t.at)
	}
	if q := t.idle; q != nil && q.inside.frame == t.inner.frame {
		t.idle = nil
		q.restart(b.program.items, t.at)
		return q, t.inner.count(&q.running, b.pos)
	}
	return b.begin(t.inner, t.at)
}

// finish ends a turn.
func (t *turns) finish(at Time) {
	if q, ok := t.current.(*sequence); ok && q.dead && q.current == nil && len(q.beside) == 0 {
		t.idle = q
	}
	if t.inner.frame != t.scope.frame {
		t.inner.frame.release(t.scope.machine)
		t.inner = t.scope
	}
	t.current = nil
	t.at = max(t.at, at)
	if t.perTick && t.at <= t.began {
		t.waits, t.tick = true, t.scope.machine.ticks
	}
}

func (t *turns) parts(visit func(runner)) {
	if t.current != nil {
		visit(t.current)
	}
}

func (t *turns) shift(by Time) {
	t.at += by
	t.began += by
}

func (t *turns) over(Time) {
	if t.inner != nil && t.inner.frame != t.scope.frame {
		t.inner.frame.release(t.scope.machine)
		t.inner = t.scope
	}
}

// newTurns starts a control that repeats its body.
func (s *scope) newTurns(pos Pos, body command, at Time, more func(*turns) (bool, *Fault)) (*turns, *Fault) {
	t := &turns{running: s.running(at), body: body, at: at, more: more, inner: s}
	return t, s.count(&t.running, pos)
}

func (c *whileCommand) begin(s *scope, at Time) (runner, *Fault) {
	t, f := s.newTurns(c.pos, c.body, at, func(t *turns) (bool, *Fault) {
		if c.condition == nil {
			return true, nil
		}
		v, f := c.condition.eval(t.scope, t.at)
		return f == nil && v.isTrue(), f
	})
	if f != nil {
		return nil, f
	}
	t.perTick = true
	_, t.isEndless = c.condition.(*literal)
	t.isEndless = t.isEndless || c.condition == nil
	return t, nil
}

func (c *loopnCommand) begin(s *scope, at Time) (runner, *Fault) {
	v, f := c.count.eval(s, at)
	if f != nil {
		return nil, f
	}
	if v.kind != number || v.number < 0 || v.number != math.Trunc(v.number) {
		return nil, s.fault(c.count.place(), "loopn needs a whole number of turns, not %s", v.describe())
	}
	t, f := s.newTurns(c.pos, c.body, at, func(t *turns) (bool, *Fault) {
		t.count--
		return t.count >= 0, nil
	})
	if f != nil {
		return nil, f
	}
	t.count = v.number
	return t, nil
}

func (c *forCommand) begin(s *scope, at Time) (runner, *Fault) {
	inner := s
	if set, ok := c.first.(*setCommand); ok && set.declare {
		inner = s.withFrame()
	}
	t, f := s.newTurns(c.pos, c.body, at, func(t *turns) (bool, *Fault) {
		step := c.next
		if t.count == 0 {
			step = c.first
		}
		t.count++
		t.inner = inner
		if r, f := step.begin(inner, t.at); f != nil {
			return false, f
		} else if r != nil { // do not wait for a setting with a duration
			s.program.attach(r, t.scope.machine.now)
		}
		v, f := c.condition.eval(inner, t.at)
		return f == nil && v.isTrue(), f
	})
	if f != nil {
		return nil, f
	}
	if inner != s {
		t.scope = inner // the variable lives as long as the loop
		return &framed{running: s.running(at), inner: t, frame: inner.frame}, nil
	}
	return t, nil
}

func (c *foreachCommand) begin(s *scope, at Time) (runner, *Fault) {
	v, f := c.list.eval(s, at)
	if f != nil {
		return nil, f
	}
	elements, ok := v.List()
	if !ok {
		return nil, s.fault(c.list.place(), "foreach needs a list such as [1, 2], not %s", v.describe())
	}
	t, f := s.newTurns(c.pos, c.body, at, func(t *turns) (bool, *Fault) {
		if len(t.left) == 0 {
			return false, nil
		}
		t.inner = t.scope.withFrame()
		f := t.inner.declare(c.name, t.left[0], c.pos)
		t.left = t.left[1:]
		return f == nil, f
	})
	if f != nil {
		return nil, f
	}
	t.left = elements
	return t, nil
}

// framed is a runner with variables of its own.
type framed struct {
	running
	inner runner
	frame *frame
}

func (r *framed) step(now Time) (bool, Time, *Fault) {
	return r.scope.machine.advance(r.inner, now)
}
func (r *framed) parts(visit func(runner)) { visit(r.inner) }
func (r *framed) over(Time)                { r.frame.release(r.scope.machine) }
