package script

import (
	"math"
	"slices"
)

func (c *setCommand) begin(s *scope, at Time) (runner, *Fault) {
	if c.declare {
		v, f := c.value.eval(s, at)
		if f != nil {
			return nil, f
		}
		return nil, s.declare(c.path.text, v, c.path.pos)
	}
	v, f := c.value.eval(s, at)
	if f != nil {
		return nil, f
	}
	if v.kind == nothing {
		if f := s.withoutValue(v, c.value); f != nil {
			return nil, f
		}
		return nil, s.fault(c.value.place(), "this has no value, so %s cannot be set to it", c.path.text)
	}
	if len(c.path.parts) == 1 && !c.normal { // the usual case
		if cell := s.find(&c.path); cell != nil {
			return c.set(s, cell, v, at)
		}
	}
	p := c.path
	if c.normal && s.machine.cells[p.text+".val"] != nil || c.normal && s.machine.groups[p.text] != nil {
		p = p.with("val")
	}
	if cell := s.find(&p); cell != nil && s.machine.groups[p.base] == nil {
		return c.set(s, cell, v, at)
	}
	cells, f := s.targets(p, c.only)
	if f != nil {
		return nil, f
	}
	s.unit.work(len(cells))
	all := &together{running: s.running(at), at: at}
	for _, cell := range cells {
		r, f := c.set(s, cell, v, at)
		if f != nil {
			s.machine.end(all, at)
			return nil, f
		}
		if r != nil {
			all.runners = append(all.runners, r)
		}
	}
	if len(all.runners) == 0 {
		return nil, nil
	}
	return all, nil
}

// set sets one cell. If that takes time it returns the motion.
func (c *setCommand) set(s *scope, cell *cell, v Value, at Time) (runner, *Fault) {
	d := cell.device
	if d != nil && !d.mayBeSetBy(s.unit.name) {
		return nil, s.fault(c.path.pos, "%s is measured; it cannot be set", d.path())
	}
	isCut := false
	if v.kind == number {
		if c.normal {
			if f := s.checkRange(cell, c.path); f != nil {
				return nil, f
			}
			v = Number(cell.low + v.number*(cell.high-cell.low))
		}
		within := cell.clampNumber(v.number)
		isCut = within != v.number && (len(c.modifiers) == 0 || !math.IsInf(v.number, 0))
		v = Number(within)
	} else if f := c.checkKind(s, cell, v); f != nil {
		return nil, f
	}
	if cell.blend == discard && len(cell.motions) > 0 {
		return nil, nil
	}
	if isCut && s.tags != nil && s.tags.errors {
		s.say(at, "!!! "+s.fault(c.path.pos, "%s is cut to %s, the end of its range from %s to %s", cell.name, shortNumber(v.number), shortNumber(cell.low), shortNumber(cell.high)).Error())
	}
	if f := s.reserve(cell, v, c.path.pos); f != nil {
		return nil, f
	}
	isHeld := d != nil && d.Moves && s.unit.held
	if d != nil && d.Moves && !isHeld {
		if why := s.machine.refuse(cell.name); why != "" {
			return nil, s.fault(c.path.pos, "%s", why)
		}
	}
	waits := cell.blend == queue && len(cell.motions) > 0
	if len(c.modifiers) == 0 && !isHeld && !waits && (d == nil || d.FollowsAtOnce) {
		c.setAtOnce(s, cell, v, at)
		return nil, nil
	}
	return c.move(s, cell, v, at)
}

// checkKind returns a fault if the value must be a number and is not, or must not be binary
// data and is.
func (c *setCommand) checkKind(s *scope, cell *cell, v Value) *Fault {
	switch d := cell.device; {
	case d != nil && d.NoBinary != "" && v.HasBinary() && !v.hasFormat(d.Takes):
		return s.fault(c.value.place(), "%s", d.NoBinary)
	case len(c.modifiers) > 0:
		return s.fault(c.value.place(), "only a number can move with %s:, not %s", c.modifiers[0].name, v.describe())
	case c.normal || cell.ranged() || d != nil && cell.value.kind == number:
		return s.fault(c.value.place(), "%s needs a number, not %s", cell.name, v.describe())
	}
	return nil
}

// setAtOnce sets a cell without a motion.
func (c *setCommand) setAtOnce(s *scope, cell *cell, v Value, at Time) {
	if blends := cell.blend == mix || cell.blend == sum; !blends || v.kind != number || cell.value.kind != number {
		cell.cancelMotions(at)
		cell.by = s.unit
		cell.put(v)
		return
	}
	from := cell.beginAt(s, at)
	cell.wants = append(cell.wants, want{to: v.number, change: v.number - from, unit: s.unit, moment: s.machine.moment})
	if len(cell.wants) > MaxList { // more than any sensible script needs
		cell.wants = slices.Delete(cell.wants, 0, 1)
	}
	cell.touch()
	s.machine.settleLater(cell)
}

// beginAt returns the value from which a command starts: for sum, without the changes by
// other units and by commands that start at the same moment.
func (c *cell) beginAt(s *scope, at Time) float64 {
	v := c.valueAt(at).number
	if c.blend != sum {
		return v
	}
	for _, w := range c.wants {
		if w.unit != s.unit || w.moment == s.machine.moment {
			v -= w.change
		}
	}
	return v
}

// cancelMotions ends the motions of the cell.
func (c *cell) cancelMotions(at Time) {
	for len(c.motions) > 0 {
		m := c.motions[0]
		c.machine.end(m, at)
		if len(c.motions) > 0 && c.motions[0] == m {
			c.motions = c.motions[1:]
		}
	}
}

// move creates the motion that sets a cell over time.
func (c *setCommand) move(s *scope, cell *cell, v Value, at Time) (runner, *Fault) {
	if len(c.modifiers) > 0 && cell.value.kind != number {
		return nil, s.fault(c.path.pos, "%s is not a number, so it cannot move to one", cell.name)
	}
	m := &motion{running: s.running(at), cell: cell, command: c, pos: c.path.pos, to: v, began: at}
	if f := s.count(&m.running, c.path.pos); f != nil {
		return nil, f
	}
	m.from = cell.beginAt(s, at)
	if cell.blend != queue || len(cell.motions) == 0 {
		if f := m.start(at); f != nil {
			s.machine.end(m, at)
			return nil, f
		}
	}
	if cell.blend == cancel {
		cell.cancelMotions(at)
	}
	cell.motions = append(cell.motions, m)
	if d := cell.device; d != nil && d.Moves && s.unit.held {
		s.unit.tellHeld(at)
		m.frozen++
		m.hold()
	}
	return m, nil
}

func (c *propertyCommand) begin(s *scope, at Time) (runner, *Fault) {
	if read, ok := c.value.(*readExpression); ok && c.property == "blend" && slices.Contains(blendModes, read.path.text) {
		return (&blendCommand{path: c.path, mode: read.path.text, pos: c.pos}).begin(s, at) // x->blend = mix
	}
	v, f := c.value.eval(s, at)
	if f != nil {
		return nil, f
	}
	cells, f := s.properties(c.path)
	if f != nil {
		return nil, f
	}
	s.unit.work(len(cells))
	for _, cell := range cells {
		if f := c.set(s, cell, v); f != nil {
			return nil, f
		}
	}
	return nil, nil
}

func (c *propertyCommand) set(s *scope, cell *cell, v Value) *Fault {
	if _, f := s.property(cell, c.property, c.pos); f != nil {
		return f
	}
	if c.property == "blend" {
		mode := slices.Index(blendNames[:], v.text)
		if v.kind != text || mode < 0 {
			return s.fault(c.value.place(), "%s is not a blend mode; the modes are \"cancel\", \"queue\", \"discard\", \"mix\" or \"add\"", v.describe())
		}
		cell.setBlend(blendMode(mode))
		return nil
	}
	if cell.device != nil {
		return s.fault(c.pos, "->%s of %s belongs to the robot and cannot be set", c.property, cell.name)
	}
	if c.property == "unit" {
		if v.kind != text {
			return s.fault(c.value.place(), "->unit needs a text, not %s", v.describe())
		}
		cell.unit = v.text
		return nil
	}
	if v.kind != number {
		return s.fault(c.value.place(), "->%s needs a number, not %s", c.property, v.describe())
	}
	low, high := cell.low, cell.high
	if c.property == "rangemin" {
		low = v.number
	} else {
		high = v.number
	}
	if low > high {
		return s.fault(c.value.place(), "the range of %s would be from %s to %s; it must begin below its end", cell.name, shortNumber(low), shortNumber(high))
	}
	cell.low, cell.high = low, high
	return nil
}

// setBlend changes how commands are blended; motions in progress continue.
func (c *cell) setBlend(mode blendMode) {
	if mode == c.blend {
		return
	}
	v := c.valueAt(c.machine.now)
	c.wants, c.ended = nil, nil
	if v.kind == number {
		for _, m := range c.motions {
			if m.moving && (mode == sum || c.blend == sum) { // its change counts from here
				m.from = m.valueAt(c.machine.now)
			}
		}
		c.value = v
	}
	c.blend = mode
	c.machine.settleLater(c)
}

func (c *blendCommand) begin(s *scope, at Time) (runner, *Fault) {
	cells, f := s.properties(c.path)
	if f != nil {
		return nil, f
	}
	if c.mode == "" {
		s.sayValue(at, Text(blendNames[cells[0].blend]))
		return nil, nil
	}
	s.unit.work(len(cells))
	for _, cell := range cells {
		cell.setBlend(blendMode(slices.Index(blendNames[:], c.mode)))
	}
	return nil, nil
}
