package script

// A Function is a function that the host executes when a script calls it. The call is a
// command that lasts until the host answers.
type Function struct {
	Name     string // may contain a dot, such as micro.val
	Min, Max int    // number of arguments
	Moves    bool   // it moves the robot, so it waits while the unit's motion is held
	Lasts    bool   // it may take longer than 10 s
}

// An Ask is a request from a machine to its host.
type Ask struct {
	ID     int
	Unit   string // the unit that asks
	Name   string // of the function
	Values []Value
	// Cancelled means that the statement that asked is over, so the host need not answer.
	Cancelled bool
}

// asking is a runner that waits for an answer.
type asking struct {
	running
	function *Function
	values   []Value
	pos      Pos
	id       int // 0 = not yet asked
	began    Time
	answered bool
	answer   Value
	refusal  string
	at       Time
	silent   bool // do not report the answer to the unit
}

// ask starts a call of a host function.
func (s *scope) ask(f *Function, values []Value, pos Pos, at Time) (*asking, *Fault) {
	if len(values) < f.Min || len(values) > f.Max {
		return nil, s.fault(pos, "%s takes %s, not %d", f.Name, countOf(f.Min, f.Max), len(values))
	}
	r := &asking{running: s.running(at), function: f, values: values, pos: pos, began: at}
	if fault := s.count(&r.running, pos); fault != nil {
		return nil, fault
	}
	if f.Moves && s.unit.held {
		s.unit.tellHeld(at)
		r.frozen++
	}
	return r, nil
}

func (r *asking) step(now Time) (bool, Time, *Fault) {
	m := r.scope.machine
	if r.id == 0 {
		if r.function.Moves {
			if why := m.refuse(r.function.Name); why != "" {
				return false, now, r.scope.fault(r.pos, "%s: %s", r.function.Name, why)
			}
		}
		m.lastAsk++
		r.id = m.lastAsk
		m.asking[r.id] = r
		m.asks = append(m.asks, Ask{ID: r.id, Unit: r.scope.unit.name, Name: r.function.Name, Values: r.values})
	}
	switch {
	case r.answered && r.refusal != "":
		return false, r.at, r.scope.fault(r.pos, "%s: %s", r.function.Name, r.refusal)
	case r.answered:
		if r.answer.kind != nothing && !r.silent {
			r.scope.sayValue(r.at, r.answer)
		}
		return true, r.at, nil
	case !r.function.Lasts && now >= r.began+askTime:
		return false, r.began + askTime, r.scope.fault(r.pos, "%s had no answer for %d s", r.function.Name, int(askTime/second))
	case !r.function.Lasts:
		m.wake(r.began + askTime)
	}
	return false, 0, nil
}

func (r *asking) shift(by Time) {
	r.began += by
	r.at += by
}

func (r *asking) over(Time) {
	if r.id == 0 {
		return
	}
	m := r.scope.machine
	delete(m.asking, r.id)
	if !r.answered {
		m.asks = append(m.asks, Ask{ID: r.id, Unit: r.scope.unit.name, Name: r.function.Name, Cancelled: true})
	}
}

// loading is a runner that waits for a script from the host and runs it.
type loading struct {
	running
	asking *asking
	body   runner
}

func (c *loadCommand) begin(s *scope, at Time) (runner, *Fault) {
	v, f := c.name.eval(s, at)
	if f != nil {
		return nil, f
	}
	switch {
	case v.kind != text:
		return nil, s.fault(c.name.place(), "load needs the name of a script in quotes, not %s", v.describe())
	case s.machine.host["load"] == nil:
		return nil, s.fault(c.pos, "nothing can be loaded here")
	}
	a, f := s.ask(s.machine.host["load"], []Value{v}, c.pos, at)
	if f != nil {
		return nil, f
	}
	a.silent = true
	r := &loading{running: s.running(at), asking: a}
	return r, s.count(&r.running, c.pos)
}

func (r *loading) step(now Time) (bool, Time, *Fault) {
	m := r.scope.machine
	if r.body == nil {
		done, at, f := m.advance(r.asking, now)
		if f != nil || !done {
			return false, at, f
		}
		if f := r.run(at); f != nil {
			return false, at, f
		}
	}
	return m.advance(r.body, now)
}

// run starts the script that was loaded.
func (r *loading) run(at Time) *Fault {
	s := r.scope
	content, ok := r.asking.answer.Text()
	if !ok {
		return s.fault(r.asking.pos, "load was answered with %s, not with a text", r.asking.answer.describe())
	}
	program, faults := Parse(content)
	name, _ := r.asking.values[0].Text()
	for _, f := range faults {
		f.Text = name + ": " + f.Text
		f.unit, f.tag, f.command = s.unit, "error", s.command
		s.machine.report(f, at)
	}
	charge := chargeOf(program.size)
	if s.machine.memory+charge > MaxMemory {
		return s.fault(r.asking.pos, "it would need more memory than there is; all scripts share %d MiB", MaxMemory>>20)
	}
	s.machine.memory += charge
	r.charge += charge
	inner := *s
	inner.loaded = name
	r.body = inner.newSequence(program.items, at)
	return nil
}

func (r *loading) parts(visit func(runner)) {
	if r.body != nil {
		visit(r.body)
		return
	}
	visit(r.asking)
}
