package script

// silentFor is how long a unit may be silent until its motions of odometric devices are
// held, whatever their end.
const silentFor = 10 * second

// Silence holds the endless motions of a unit, because nothing was heard from its
// connection for a while: those that would end later than 10 s from now. After 10 s the
// motions of odometric devices are held too, because a loop of short motions is endless as
// well. Functions of the host continue.
func (m *Machine) Silence(now Time, name string) {
	u := m.units[name]
	if u == nil || u.silent {
		return
	}
	m.begin(now, false)
	u.silent, u.silentSince, u.mute = true, m.now, false
	m.muteMotions(u)
	m.runInstant(nil)
}

// Hear continues what Silence has held.
func (m *Machine) Hear(now Time, name string) {
	u := m.units[name]
	if u == nil || !u.silent {
		return
	}
	m.begin(now, false)
	u.silent, u.mute = false, false
	m.changes++
	m.walkUnit(u, func(r runner) bool {
		if o, ok := r.(*motion); ok && o.muted {
			o.muted = false
			thaw(o, m.now)
			o.release()
		}
		return true
	})
	m.runInstant(nil)
}

// muteLongSilent holds the odometric motions of units that have been silent for too long.
func (m *Machine) muteLongSilent() {
	for _, u := range m.order {
		if u.silent && !u.mute && m.now-u.silentSince >= silentFor {
			u.mute = true
			m.muteMotions(u)
		}
	}
}

// muteMotions holds the motions that may not continue while their unit is silent.
func (m *Machine) muteMotions(u *Unit) {
	m.changes++
	m.walkUnit(u, func(r runner) bool {
		if o, ok := r.(*motion); ok {
			o.muteInSilence(m.now)
		}
		return true
	})
}

// muteInSilence holds the motion if it may not continue while its unit is silent.
func (m *motion) muteInSilence(now Time) {
	d, u := m.cell.device, m.scope.unit
	if !u.silent || d == nil || !d.Moves || m.muted || !m.moving {
		return
	}
	if m.end()-now > silentFor || u.mute && d.Odometric {
		m.muted = true
		m.freeze(now)
		m.hold()
	}
}
