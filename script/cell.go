package script

import "math"

type blendMode int

const (
	cancel  blendMode = iota // a new command ends the earlier ones
	queue                    // a new command waits for the earlier ones
	discard                  // a new command does nothing while another one runs
	mix                      // the mean of all targets
	sum                      // the sum of all changes
)

// A cell is one variable, of a unit, a block or a device.
type cell struct {
	machine *Machine
	name    string
	owner   *Unit   // the unit that it counts for, nil = it belongs to a device
	device  *Device // nil = none
	value   Value   // without the motions in progress
	by      *Unit   // that has set value, if it is no number
	version uint64  // grows with every change
	size    int     // bytes that it counts for

	unit      string
	low, high float64 // its range
	blend     blendMode

	motions  []*motion // in order of start; for queue, including those that wait
	wants    []want    // of settings without duration in this tick, for mix and sum
	ended    []float64 // targets of motions that ended at endedAt, in this tick, for mix
	endedAt  Time
	listed   bool // in the machine's list of cells to settle
	measured Value
	reading  Value // that is measured from the next instant on, if isRead
	isRead   bool
}

// A want is the target or change that a setting without duration requests of a cell.
type want struct {
	to, change float64
	unit       *Unit
	moment     uint64
}

func (s *scope) newCell(name string, pos Pos) (*cell, *Fault) {
	u := s.names
	if u.variables >= MaxVariables {
		return nil, s.fault(pos, "%s has %d variables, which is the most it can have", u.name, MaxVariables)
	}
	c := &cell{machine: s.machine, name: name, owner: u, low: math.Inf(-1), high: math.Inf(1)}
	if f := s.reserve(c, Number(0), pos); f != nil {
		return nil, f
	}
	c.value = Number(0)
	u.variables++
	s.machine.names++
	return c, nil
}

// reserve accounts for the memory of a value before a cell stores it.
func (s *scope) reserve(c *cell, v Value, pos Pos) *Fault {
	if v.kind == number && c.value.kind == number && c.size > 0 {
		return nil // a number takes as much memory as before
	}
	m, size := s.machine, v.size()+len(c.name)
	if grown := m.memory - c.size + size; grown > MaxMemory && size > c.size {
		return s.fault(pos, "%s would need more memory than there is; all scripts share %d MiB", c.name, MaxMemory>>20)
	}
	m.memory += size - c.size
	c.size = size
	return nil
}

// forget releases the memory that a cell counts for.
func (c *cell) forget() {
	c.machine.memory -= c.size
	c.size = 0
	if c.owner != nil {
		c.owner.variables--
	}
}

func (c *cell) ranged() bool { return c.low >= -math.MaxFloat64 || c.high <= math.MaxFloat64 }

// clampNumber limits a number to the range.
func (c *cell) clampNumber(f float64) float64 {
	switch {
	case f < c.low:
		return c.low
	case f > c.high:
		return c.high
	}
	return f
}

// bound limits the sum of all changes to the range, once the motions that changed it are over.
func (c *cell) bound() {
	if len(c.motions) == 0 {
		c.value.number = c.clampNumber(c.value.number)
	}
}

// put stores a value and counts the change.
func (c *cell) put(v Value) {
	if v.kind == number && c.value.kind == number {
		c.value.number = v.number // avoids writing pointers
	} else {
		c.value = v
	}
	c.touch()
}

func (c *cell) touch() {
	c.version++
	c.machine.stir()
	if c.device != nil && c.device.tells() {
		c.machine.settleLater(c)
	}
}

// read returns the value at a time. While a test is evaluated, it records the cell as a
// dependency.
func (c *cell) read(at Time) Value {
	if m := c.machine; m.trace != nil {
		*m.trace = append(*m.trace, dependency{c, c.version})
	}
	switch {
	case c.device != nil && !c.device.FollowsAtOnce:
		return c.measured
	case c.isHeld():
		return c.device.told
	}
	return c.valueAt(at)
}

// isHeld reports whether the device stands because all its motions are held.
func (c *cell) isHeld() bool {
	for _, m := range c.motions {
		if m.holds == 0 {
			return false
		}
	}
	return c.device != nil && len(c.motions) > 0
}

// valueAt returns the value at a time, including the motions in progress.
func (c *cell) valueAt(at Time) Value {
	if len(c.motions) == 0 && len(c.wants) == 0 && len(c.ended) == 0 {
		return c.value
	}
	switch c.blend {
	case mix:
		return c.mean(at)
	case sum:
		v := c.value.number
		for _, m := range c.motions {
			v += m.valueAt(at) - m.from
		}
		for _, w := range c.wants {
			v += w.change
		}
		return Number(c.clampNumber(v))
	}
	if len(c.motions) > 0 && c.motions[0].moving && c.motions[0].to.kind == number {
		return Number(c.clampNumber(c.motions[0].valueAt(at)))
	}
	return c.value
}

// mean returns the mean of the targets of all commands. A motion that ends at this time still
// counts, so that motions that end together do not depend on which one ends first.
func (c *cell) mean(at Time) Value {
	total, n := 0.0, 0
	for _, m := range c.motions {
		total += m.valueAt(at)
		n++
	}
	for _, w := range c.wants {
		total += w.to
		n++
	}
	if n == 0 || len(c.wants) == 0 && c.endedAt == at {
		for _, v := range c.ended {
			total += v
			n++
		}
	}
	if n == 0 {
		return c.value
	}
	return Number(c.clampNumber(total / float64(n)))
}

// settle stores, at the end of an instant, the value that results from motions and wants.
// It reports whether there is more to settle.
func (c *cell) settle(now Time, isTick bool) bool {
	v := c.valueAt(now)
	c.touchIfMoved(v)
	if isTick {
		switch c.blend {
		case sum:
			for _, w := range c.wants {
				c.value.number += w.change
			}
			c.bound()
		case mix:
			if len(c.motions) == 0 {
				c.value = v
			}
		}
		c.wants, c.ended = c.wants[:0], c.ended[:0]
	}
	return len(c.motions) > 0 || len(c.wants) > 0 || len(c.ended) > 0 || c.isHeld()
}

// touchIfMoved counts a change that others can see, and passes that of a device to the host.
func (c *cell) touchIfMoved(v Value) {
	if len(c.motions) > 0 || len(c.wants) > 0 || len(c.ended) > 0 {
		c.version++
	}
	d := c.device
	if d == nil || !d.tells() || c.isHeld() {
		return
	}
	if isKnown := v.equals(d.told) && (v.kind == number || c.by == d.toldBy); isKnown && d.SetBy == "" {
		return
	}
	d.told, d.toldBy = v, c.by
	o := Output{Name: d.path(), Value: v}
	if c.by != nil {
		o.Unit = c.by.name
	}
	c.machine.outputs = append(c.machine.outputs, o)
}

// assign sets the value at once, as for a variable without motions.
func (c *cell) assign(s *scope, v Value, pos Pos) *Fault {
	if f := s.reserve(c, v, pos); f != nil {
		return f
	}
	c.put(v)
	return nil
}
