package script

import (
	"math"
	"slices"
)

// A motion is a setting of one cell that takes time.
type motion struct {
	running
	cell    *cell
	command *setCommand
	pos     Pos
	to      Value
	profile *profile // nil = at once
	from    float64  // start value
	began   Time
	moving  bool    // it has started; in a queue it may have to wait
	holds   int     // reasons why it is held: its unit may not move the robot, or is silent
	muted   bool    // one of them is silence
	heldAt  float64 // measured value of the device at that time
	arrived bool    // the setpoint has reached the target; the device may lag
	arrival Time
}

// valueAt returns the setpoint of the motion at a time.
func (m *motion) valueAt(at Time) float64 {
	switch {
	case !m.moving:
		return m.from
	case m.frozen > 0:
		at = m.since
	}
	if m.profile == nil {
		if m.frozen > 0 && !m.arrived {
			return m.from // frozen before it started
		}
		return m.to.number
	}
	if at >= m.end() {
		return m.cell.clampNumber(m.profile.to)
	}
	return m.cell.clampNumber(m.profile.valueAt((at - m.began).seconds()))
}

func (m *motion) step(now Time) (bool, Time, *Fault) {
	if !m.moving {
		if m.cell.motions[0] != m {
			return false, 0, nil // waits in the queue
		}
		m.from = m.cell.value.number
		if f := m.start(max(m.began, m.cell.endedAt)); f != nil {
			return false, m.began, f
		}
		if m.muted {
			return false, 0, nil
		}
	}
	if !m.arrived {
		end := m.end()
		if end > now {
			m.scope.machine.wake(end)
			return false, 0, nil
		}
		m.arrived, m.arrival = true, end
	}
	return m.follow(now)
}

// start starts the motion.
func (m *motion) start(at Time) *Fault {
	m.began = at
	if len(m.command.modifiers) > 0 {
		p, f := newProfile(m.scope, m.from, m.to.number, m.command.modifiers, at)
		if f != nil {
			return f
		}
		m.profile = p
	}
	m.moving = true
	m.cell.machine.settleLater(m.cell)
	m.muteInSilence(at)
	return nil
}

// end returns when the setpoint reaches the target.
func (m *motion) end() Time {
	if m.profile == nil {
		return m.began
	}
	if math.IsInf(m.profile.duration, 0) || m.profile.duration > 1e9 {
		return never
	}
	return m.began + toTime(m.profile.duration*1000)
}

// follow waits until the device has followed the setpoint.
func (m *motion) follow(now Time) (bool, Time, *Fault) {
	d := m.cell.device
	if d == nil || d.FollowsAtOnce || m.to.kind != number {
		return true, m.arrival, nil
	}
	to := m.cell.valueAt(m.arrival).number
	switch {
	case math.Abs(m.cell.measured.number-to) <= d.Tolerance:
		return true, max(m.arrival, min(now, m.arrival+followLag)), nil
	case now >= m.arrival+followLag:
		return false, m.arrival + followLag, m.scope.fault(m.pos, "%s did not follow: it is at %s, not at %s", d.path(), shortNumber(m.cell.measured.number), shortNumber(to))
	}
	m.scope.machine.wake(m.arrival + followLag)
	return false, 0, nil
}

func (m *motion) shift(by Time) {
	m.began += by
	if !m.moving { // it waits in the queue; its turn may have come while it was frozen
		m.began = m.since + by
	}
	m.arrival += by
}

// hold stops a motion and keeps the rest of it until release.
func (m *motion) hold() {
	if m.holds++; m.holds == 1 {
		m.heldAt = m.cell.measured.number
	}
}

// release continues a held motion. If its device is odometric, the motion continues from
// the present value.
func (m *motion) release() {
	if m.holds--; m.holds > 0 {
		return
	}
	c := m.cell
	by := c.measured.number - m.heldAt
	if !c.device.Odometric || by == 0 {
		return
	}
	m.from += by
	m.to.number += by
	if m.profile != nil {
		m.profile.from += by
		m.profile.to += by
	}
	if c.blend == sum && !slices.ContainsFunc(c.motions, func(o *motion) bool { return o.holds > 0 }) {
		c.value.number += by
	}
}

// stand keeps the device at its last output when a held motion ends.
func (c *cell) stand() {
	c.value = c.device.told
	if c.blend == sum {
		for _, m := range c.motions {
			c.value.number -= m.valueAt(c.machine.now) - m.from
		}
	}
	c.touch()
}

// over ends the motion and keeps the cell's present value.
func (m *motion) over(at Time) { m.cell.leave(m, at) }

// leave removes a motion that ends and stores the value that it has produced.
func (c *cell) leave(m *motion, at Time) {
	c.machine.stir()
	ended := at
	if m.frozen > 0 {
		at = m.since
	}
	before := c.valueAt(at)
	last := m.valueAt(at)
	for i, other := range c.motions {
		if other == m {
			c.motions = append(c.motions[:i], c.motions[i+1:]...)
			break
		}
	}
	if !m.moving {
		return
	}
	if m.holds > 0 && (c.isHeld() || len(c.motions) == 0) {
		c.endedAt = ended
		c.stand()
		return
	}
	if m.profile == nil && m.to.kind != number {
		last = 0
	}
	switch c.blend {
	case mix:
		if ended > c.endedAt {
			c.ended = c.ended[:0]
		}
		c.ended = append(c.ended, last)
		if len(c.motions) == 0 && len(c.wants) == 0 {
			c.value = Number(c.clampNumber(mean(c.ended)))
		}
	case sum:
		c.value = Number(c.value.number + last - m.from)
		c.bound()
	default:
		switch {
		case m.to.kind == number:
			c.value = before
		case m.arrived:
			c.value, c.by = m.to, m.scope.unit
		}
	}
	c.endedAt = ended
	c.touch()
	c.machine.settleLater(c)
}

func mean(all []float64) float64 {
	total := 0.0
	for _, v := range all {
		total += v
	}
	return total / float64(len(all))
}
