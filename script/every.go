package script

import "math"

// everyRunner runs its body at once and then at regular intervals.
type everyRunner struct {
	running
	command *everyCommand
	period  Time
	due     Time
	body    runner
	free    Time // when the last turn ended
}

func (c *everyCommand) begin(s *scope, at Time) (runner, *Fault) { return beginWatch(c, s, at) }

func (c *everyCommand) start(s *scope, at Time) (runner, *Fault) {
	d, f := s.duration(c.period, at)
	if f != nil {
		return nil, f
	}
	if d < millisecond {
		return nil, s.fault(c.period.place(), "every needs at least 1 ms")
	}
	r := &everyRunner{running: s.running(at), command: c, period: d, due: at, free: at}
	return r, s.count(&r.running, c.pos)
}

func (r *everyRunner) step(now Time) (bool, Time, *Fault) {
	m := r.scope.machine
	for {
		if r.body != nil {
			done, at, f := m.advance(r.body, now)
			m.report(f, at)
			if r.stands() {
				return false, 0, nil
			}
			if !done && f == nil {
				r.skip(now + 1) // skip the turns that are already due
				return false, 0, nil
			}
			r.body, r.free = nil, at
			r.skip(r.free)
		}
		if r.due > now {
			m.wake(r.due)
			return false, 0, nil
		}
		if !r.scope.unit.spend() {
			return false, 0, nil
		}
		r.body = r.scope.runBody(r.command.body, max(r.due, r.scope.unit.floor))
		r.due += r.period
		m.changes++
	}
}

// skip drops the turns that are due before a time.
func (r *everyRunner) skip(before Time) {
	if late := before - r.due; late > 0 {
		r.due += (late + r.period - 1) / r.period * r.period
	}
}

func (r *everyRunner) parts(visit func(runner)) {
	if r.body != nil {
		visit(r.body)
	}
}

func (r *everyRunner) shift(by Time) {
	r.due += by
	r.free += by
}

// duration evaluates an expression to a time; its value is in ms.
func (s *scope) duration(e expression, at Time) (Time, *Fault) {
	v, f := e.eval(s, at)
	if f != nil {
		return 0, f
	}
	if v.kind != number || v.number < 0 || math.IsNaN(v.number) {
		return 0, s.fault(e.place(), "there must be a time of 0 or more, such as 500 or 2s, not %s", v.describe())
	}
	return toTime(v.number), nil
}
