package script

// A runner is one running statement. A runner that contains others steps them.
type runner interface {
	// step runs the statement up to now. It returns whether the statement is over, and when
	// it ended, which may be before now. A fault ends it.
	step(now Time) (done bool, at Time, f *Fault)
	// parts visits the runners in it.
	parts(visit func(runner))
	// shift moves its times by the time for which it was frozen.
	shift(by Time)
	// over is called once when it ends, for whatever reason.
	over(at Time)
	state() *running
}

// running is the common state of all runners.
type running struct {
	scope   *scope
	dead    bool
	ended   Time   // if dead
	frozen  int    // number of tags, limits, holds and silences that freeze it
	since   Time   // start of the freeze, if frozen
	counted bool   // it counts as a statement of its unit
	charge  int    // bytes that its text counts for
	moment  uint64 // of the group in which it starts first, 0 = it is in none
}

func (r *running) state() *running       { return r }
func (r *running) parts(func(runner))    {}
func (r *running) shift(Time)            {}
func (r *running) over(Time)             {}
func (r *running) stands() bool          { return r.dead || r.frozen > 0 }
func (s *scope) running(at Time) running { return running{scope: s, frozen: s.frozenBy(), since: at} }

// nextMoment begins a new moment.
func (m *Machine) nextMoment() {
	m.moments++
	m.moment = m.moments
}

// enter begins the moment of the next command of a runner. The first command of a part of a
// group starts in the moment of the group. It returns that moment, 0 = none.
func (r *running) enter() (group uint64) {
	m := r.scope.machine
	if r.moment == 0 {
		m.nextMoment()
		return 0
	}
	m.moment, r.moment = r.moment, 0
	return m.moment
}

// join lets a runner start in the moment of a group, 0 = none.
func join(r runner, group uint64) {
	if group == 0 {
		return
	}
	r.state().moment = group
	r.parts(func(p runner) { join(p, group) })
}

// advance steps a runner unless it is frozen or over.
func (m *Machine) advance(r runner, now Time) (done bool, at Time, f *Fault) {
	st := r.state()
	switch {
	case st.dead:
		return true, st.ended, nil
	case st.frozen > 0:
		return false, 0, nil
	}
	done, at, f = r.step(now)
	switch {
	case st.dead: // the runner stopped itself
		return true, st.ended, nil
	case f != nil:
		m.end(r, max(at, 0))
		return true, at, f
	case done:
		m.end(r, at)
	}
	return done, at, nil
}

// end ends a runner and all runners in it.
func (m *Machine) end(r runner, at Time) {
	st := r.state()
	if st.dead {
		return
	}
	st.dead, st.ended = true, at
	outer := m.ending
	m.ending = at
	r.parts(m.endPart)
	m.ending = outer
	st.uncount()
	m.memory -= st.charge
	st.charge = 0
	r.over(at)
}

// count counts a runner as a statement of its unit and checks the limits.
func (s *scope) count(r *running, pos Pos) *Fault {
	u, m := s.unit, s.machine
	switch {
	case u.statements >= MaxUnitStatements:
		r.dead = true
		return s.fault(pos, "%d statements are running in %s, and no more can run until one ends", MaxUnitStatements, u.name)
	case m.statements >= MaxStatements:
		r.dead = true
		return s.fault(pos, "%d statements are running in all, and no more can run until one ends", MaxStatements)
	}
	u.statements++
	m.statements++
	m.changes++
	r.counted = true
	return nil
}

// uncount reverses count.
func (r *running) uncount() {
	if r.counted {
		r.counted = false
		r.scope.unit.statements--
		r.scope.machine.statements--
		r.scope.machine.changes++
	}
}

// freeze stops the clock of a runner.
func (r *running) freeze(now Time) {
	if r.frozen == 0 {
		r.since = now
	}
	r.frozen++
}

// thaw removes one freeze of a runner.
func thaw(r runner, now Time) {
	st := r.state()
	if st.frozen == 0 {
		return
	}
	if st.frozen--; st.frozen == 0 {
		r.shift(max(0, now-st.since))
		st.scope.machine.stir()
	}
}

// walk visits a runner and, if visit returns true, the runners in it.
func walk(r runner, visit func(runner) bool) {
	if r.state().dead || !visit(r) {
		return
	}
	r.parts(func(p runner) { walk(p, visit) })
}
