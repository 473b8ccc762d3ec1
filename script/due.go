package script

// maxCatchUp is the largest part of the steps of a tick that catching up can take.
const maxCatchUp = MaxSteps * 4 / 10

// maxAgain is how often an instant is repeated because statements have changed what others
// that were stepped before them can see.
const maxAgain = 4

// wake asks for an instant at a time. What takes time does so in each step.
func (m *Machine) wake(at Time) { m.next = min(m.next, at) }

// stir notes that the present instant has changed what other statements can see, so that
// those that were stepped before must be stepped again.
func (m *Machine) stir() {
	if m.trace == nil { // what a test changes does not count, because each step evaluates it
		m.stirred = true
	}
}

// setTime sets the clock of the machine, which never runs backward.
func (m *Machine) setTime(now Time) {
	if now > m.now {
		m.now, m.again = now, 0
	}
}

// catchUp runs, in order of time, the instants of what is due before now. Each costs one step
// for each statement, because all are visited; when the steps for catching up are used, the
// rest is done in the instant of now, with its own times.
func (m *Machine) catchUp(now Time) {
	for m.next < now && m.caught < maxCatchUp {
		m.setTime(m.next)
		m.nextMoment()
		m.next = never
		m.caught += 1 + m.statements
		for _, u := range m.order {
			if u.cut {
				continue // it has used its share of this tick
			}
			lent := max(1, maxCatchUp-m.caught)
			u.left += lent
			m.stepUnit(u)
			m.caught += lent - max(0, u.left)
			u.left = min(0, u.left)
			u.cut = false // it continues in the instant of now
		}
		m.repeatIfStirred()
		m.forgetClosed()
	}
}

// repeatIfStirred ends the stepping of all units. If it has changed what others can see, it
// asks for another instant at the same time.
func (m *Machine) repeatIfStirred() {
	if m.stirred && m.again < maxAgain {
		m.again++
		m.wake(m.now)
	}
	m.stirred = false
}
