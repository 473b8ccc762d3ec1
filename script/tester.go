package script

// A tester evaluates a test repeatedly. A new value counts once it has lasted as long as the
// test requires.
type tester struct {
	test     *test
	scope    *scope
	listener *listener // of an event, nil = a value
	depends  []dependency
	names    uint64 // the machine's names when depends was recorded
	isSteady bool   // raw is valid as long as depends has not changed
	raw      bool   // the present value
	holds    bool   // the value that counts

	ticks    int    // for which a new value must last, 0 = it counts at once
	seen     int    // ticks with the new value so far
	lastTick uint64 // last tick that was counted
	lasting  Time   // for which a new value must last
	pending  bool   // a new value is lasting
	since    Time
}

// A dependency is a cell that a test has read, with its version at that time.
type dependency struct {
	cell    *cell
	version uint64
}

// newTester returns a tester for a test that starts at a time.
func (s *scope) newTester(t *test, at Time, r *running) (*tester, *Fault) {
	w := &tester{test: t, scope: s}
	if t.value == nil || t.bare && s.isEvent(t.event) {
		w.listener = s.machine.listen(t, r)
		return w, nil
	}
	if t.soft == nil {
		return w, nil
	}
	v, f := t.soft.eval(s, at)
	switch {
	case f != nil:
		return nil, f
	case v.kind != number || v.number < 0:
		return nil, s.fault(t.soft.place(), "behind ~ there must be how many ticks or how long a value must last, not %s", v.describe())
	case t.softTime:
		w.lasting = toTime(v.number)
	default:
		w.ticks = int(min(v.number, 1e9))
	}
	w.lastTick = s.machine.ticks
	if s.machine.inTick {
		w.lastTick--
	}
	return w, nil
}

// isSoft reports whether a new value must last.
func (w *tester) isSoft() bool { return w.ticks > 1 || w.lasting > 0 }

// isEvent reports whether a bare name refers to nothing else, so that it is an event.
func (s *scope) isEvent(name string) bool {
	p := makePath([]string{name}, Pos{})
	return name != "time" && s.find(&p) == nil && !s.machine.devices[name] && s.machine.groups[name] == nil
}

// poll evaluates the test now. It returns whether the test holds, and since when at the
// latest.
func (w *tester) poll(now Time) (bool, Time, *Fault) {
	if f := w.look(now); f != nil {
		return false, now, f
	}
	m := w.scope.machine
	switch {
	case w.ticks > 1 && !m.inTick: // what is between two ticks does not count
	case w.raw == w.holds:
		w.seen, w.pending = 0, false
	case w.ticks > 1:
		if w.lastTick != m.ticks {
			w.lastTick = m.ticks
			if w.seen++; w.seen >= w.ticks {
				w.holds, w.seen = w.raw, 0
			}
		}
	case w.lasting > 0:
		if !w.pending {
			w.pending, w.since = true, now
		}
		if end := w.since + w.lasting; end <= now {
			w.holds, w.pending = w.raw, false
			return w.holds, end, nil
		}
		m.wake(w.since + w.lasting)
	default:
		w.holds = w.raw
	}
	return w.holds, now, nil
}

// look updates the present value of the test. It evaluates the test only if a cell has
// changed that it read the last time.
func (w *tester) look(now Time) *Fault {
	m := w.scope.machine
	if w.isSteady && w.names == m.names && !w.hasChanged() {
		return nil
	}
	outer, wasVolatile := m.trace, m.isVolatile
	w.depends = w.depends[:0]
	m.trace, m.isVolatile = &w.depends, false
	v, f := w.test.value.eval(w.scope, now)
	w.isSteady, w.names = !m.isVolatile && f == nil, m.names
	m.trace, m.isVolatile = outer, wasVolatile || m.isVolatile
	w.raw = v.isTrue()
	return f
}

func (w *tester) hasChanged() bool {
	for _, d := range w.depends {
		if d.cell.version != d.version || len(d.cell.motions) > 0 {
			return true
		}
	}
	return false
}

func (w *tester) shift(by Time) { w.since += by }
