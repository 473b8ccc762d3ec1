package script

// taggedRunner runs a command under a tag that reports or is frozen.
type taggedRunner struct {
	running
	command *tagged
	inner   runner
	at      Time
	begun   bool
}

func (c *tagged) begin(s *scope, at Time) (runner, *Fault) {
	m := s.machine
	inner := s.withTag(c.tag, c.flags.errors)
	inner.compareTags(len(m.blocked))
	for name := range m.blocked {
		if inner.tags.under(name) {
			return nil, nil
		}
	}
	if !c.flags.begin && !c.flags.end && inner.frozenBy() == 0 {
		return c.body.begin(inner, at)
	}
	r := &taggedRunner{running: inner.running(at), command: c, at: at}
	if f := s.count(&r.running, c.pos); f != nil {
		return nil, f
	}
	if _, ok := c.body.(watch); ok {
		s.program.attach(r, m.now)
		return nil, nil
	}
	return r, nil
}

func (r *taggedRunner) step(now Time) (bool, Time, *Fault) {
	if !r.begun {
		r.begun = true
		r.uncount() // the command that it starts counts instead
		if r.command.flags.begin {
			r.scope.say(r.at, "*** start")
		}
		begin := r.command.body.begin
		if w, ok := r.command.body.(watch); ok {
			begin = w.start
		}
		inner, f := begin(r.scope, r.at)
		if f != nil || inner == nil {
			return f == nil, r.at, r.report(f, r.at)
		}
		if r.dead {
			r.scope.machine.end(inner, r.at)
			return true, r.at, nil
		}
		join(inner, r.moment)
		r.inner = inner
	}
	done, at, f := r.scope.machine.advance(r.inner, now)
	return done, at, r.report(f, at)
}

// report reports a fault before the tag reports its end.
func (r *taggedRunner) report(f *Fault, at Time) *Fault {
	if f == nil {
		return nil
	}
	r.scope.machine.report(f, at)
	return &Fault{silent: true}
}

func (r *taggedRunner) parts(visit func(runner)) {
	if r.inner != nil {
		visit(r.inner)
	}
}

func (r *taggedRunner) shift(by Time) { r.at += by }

func (r *taggedRunner) over(at Time) {
	if r.begun && r.command.flags.end {
		r.scope.say(at, "*** stop")
	}
}

// A frozenTag is a cause of a freeze: a tag, or the freezeif of a link.
type frozenTag struct {
	name string
	link *tagLink
}

// covers reports whether it freezes commands under these tags.
func (f frozenTag) covers(t *tagLink) bool {
	if f.link == nil {
		return t.under(f.name)
	}
	for ; t != nil; t = t.outer {
		if t == f.link {
			return true
		}
	}
	return false
}

// frozenBy returns how many tags freeze a command that starts in this scope.
func (s *scope) frozenBy() int {
	s.compareTags(len(s.machine.frozen))
	n := 0
	for _, f := range s.machine.frozen {
		if f.covers(s.tags) {
			n++
		}
	}
	return n
}

// freezeUnder freezes or thaws all runners under a tag.
func (m *Machine) freezeUnder(f frozenTag, freeze bool, at Time) {
	m.changes++
	for i, other := range m.frozen {
		if other != f {
			continue
		}
		if !freeze {
			m.frozen = append(m.frozen[:i], m.frozen[i+1:]...)
			m.walk(func(r runner) bool {
				if f.covers(r.state().scope.tags) {
					thaw(r, at)
				}
				return true
			})
		}
		return
	}
	if !freeze {
		return
	}
	m.frozen = append(m.frozen, f)
	m.walk(func(r runner) bool {
		if st := r.state(); f.covers(st.scope.tags) {
			st.freeze(at)
		}
		return true
	})
}

// stopTag ends all runners under a tag.
func (m *Machine) stopTag(name string, at Time) {
	if len(m.evaluating) > 0 {
		m.stopped = append(m.stopped, name)
	}
	m.walk(func(r runner) bool {
		if r.state().scope.tags.under(name) {
			m.end(r, at)
			m.stir()
			return false
		}
		return true
	})
}

// walk visits all runners.
func (m *Machine) walk(visit func(runner) bool) {
	for _, r := range m.evaluating {
		walk(r, visit)
	}
	for _, u := range m.order {
		walk(u.root, visit)
	}
}

func (c *tagCommand) begin(s *scope, at Time) (runner, *Fault) {
	m, name := s.machine, c.tag.text
	s.unit.work(m.statements / 4) // the cost of visiting all statements
	if len(m.frozen)+len(m.blocked) >= MaxVariables && (c.do == "freeze" || c.do == "block") {
		return nil, s.fault(c.pos, "%d tags are frozen or blocked, which is the most that can be", MaxVariables)
	}
	m.changes++
	switch c.do {
	case "stop":
		m.stopTag(name, at)
	case "freeze":
		m.freezeUnder(frozenTag{name: name}, true, at)
	case "unfreeze":
		m.freezeUnder(frozenTag{name: name}, false, at)
	case "block":
		m.blocked[name] = true
		m.stopTag(name, at)
	case "unblock":
		delete(m.blocked, name)
	}
	return nil, nil
}
