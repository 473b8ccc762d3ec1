package script

// A sequence runs a program: the foreground, in which each command waits for the previous
// one to end, and the runners beside it. It is over when all of them are.
type sequence struct {
	running
	items        []item
	next         int
	isConnection bool // it is the root of a connection: more commands may come, so it is never over
	current      runner
	at           Time // start of the next command of the foreground
	beside       []runner
	last         Time // the latest end of the runners beside
	frame        *frame
	inside       scope
	charge       int // bytes that the starting command counts for
}

func (b *block) begin(s *scope, at Time) (runner, *Fault) {
	return s.runProgram(b.program, b.pos, at)
}

// runProgram starts a program as a block.
func (s *scope) runProgram(p *Program, pos Pos, at Time) (runner, *Fault) {
	if len(p.items) == 0 {
		return nil, nil
	}
	if p.hasVar {
		s = s.withFrame()
	}
	q := s.newSequence(p.items, at)
	if f := s.count(&q.running, pos); f != nil {
		return nil, f
	}
	if p.hasVar {
		q.frame = s.frame
	}
	return q, nil
}

func (s *scope) newSequence(items []item, at Time) *sequence {
	q := &sequence{items: items, at: at, last: at, inside: *s}
	q.inside.program = q
	q.running = q.inside.running(at)
	return q
}

// restart begins a sequence that has ended again, with the same scope.
func (q *sequence) restart(items []item, at Time) {
	q.running = q.inside.running(at)
	q.items, q.next, q.at, q.last, q.charge = items, 0, at, at, 0
}

// runBody starts the body of a watch or a limit. The body is a block of its own, so watches
// in it end with it.
func (s *scope) runBody(c command, at Time) runner {
	if b, ok := c.(*block); ok && len(b.program.items) > 0 && !b.program.hasVar {
		return s.newSequence(b.program.items, at)
	}
	return s.newSequence([]item{{command: c}}, at)
}

func (q *sequence) step(now Time) (bool, Time, *Fault) {
	if !q.foreground(now) {
		return false, 0, nil
	}
	m := q.scope.machine
	for i := 0; i < len(q.beside); i++ {
		done, at, f := m.advance(q.beside[i], now)
		m.report(f, at)
		if done || f != nil {
			q.last = max(q.last, at)
		}
		if q.stands() {
			return false, 0, nil
		}
	}
	q.sweep()
	if q.isConnection || q.current != nil || len(q.beside) > 0 || q.next < len(q.items) {
		return false, 0, nil
	}
	return true, max(q.at, q.last), nil
}

// sweep drops the runners beside that are over.
func (q *sequence) sweep() {
	left := q.beside[:0]
	for _, r := range q.beside {
		if st := r.state(); st.dead {
			q.last = max(q.last, st.ended)
			continue
		}
		left = append(left, r)
	}
	clear(q.beside[len(left):])
	q.beside = left
}

// foreground runs commands until one takes time. It reports whether the sequence
// runs at all.
func (q *sequence) foreground(now Time) bool {
	m := q.scope.machine
	for {
		if q.current != nil {
			done, at, f := m.advance(q.current, now)
			m.report(f, at)
			if q.dead {
				return false
			}
			if !done && f == nil {
				return q.frozen == 0
			}
			q.at, q.current = max(q.at, at), nil
		}
		if q.frozen > 0 {
			return false
		}
		if q.next == len(q.items) {
			if q.isConnection {
				q.items, q.next = q.items[:0], 0
			}
			return true
		}
		if !q.scope.unit.spend() {
			return true
		}
		it := &q.items[q.next]
		q.next++
		if q.isConnection {
			m.changes++
		}
		q.at = max(q.at, it.arrived, q.scope.unit.floor)
		q.begin(it, now)
		if q.dead {
			return false
		}
	}
}

// begin starts one command.
func (q *sequence) begin(it *item, now Time) {
	m := q.scope.machine
	group := q.enter()
	c, beside, s := it.command, it.beside, q.scope
	if q == q.scope.unit.root {
		top := *q.scope
		top.command, s = m.moment, &top
	}
	if q.isConnection {
		q.charge, it.charge, it.command = it.charge, 0, nil
	}
	r, f := c.begin(s, q.at)
	m.report(f, q.at)
	if r != nil {
		join(r, group)
	}
	switch {
	case f != nil, r == nil:
	case q.dead:
		m.end(r, q.at)
	case beside:
		q.attach(r, now)
	default:
		q.current = r
		r.state().charge += q.charge
		q.charge = 0
	}
	m.memory -= q.charge
	q.charge = 0
}

// attach adds a runner beside the foreground and starts it.
func (q *sequence) attach(r runner, now Time) {
	q.beside = append(q.beside, r)
	r.state().charge += q.charge
	q.charge = 0
	_, at, f := q.scope.machine.advance(r, now)
	q.scope.machine.report(f, at)
}

func (q *sequence) parts(visit func(runner)) {
	if q.current != nil {
		visit(q.current)
	}
	for i := 0; i < len(q.beside); i++ {
		visit(q.beside[i])
	}
}

func (q *sequence) shift(by Time) {
	q.at += by
	q.last += by
}

func (q *sequence) over(Time) {
	if q.frame != nil {
		q.frame.release(q.scope.machine)
	}
	q.drop()
}

// drop drops the commands that have not started.
func (q *sequence) drop() {
	if q.isConnection {
		for _, it := range q.items[q.next:] {
			q.scope.machine.memory -= it.charge
		}
	}
	q.items, q.next = nil, 0
}
