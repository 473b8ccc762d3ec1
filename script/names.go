package script

import (
	"slices"
	"strings"
)

// resolve replaces self in a path.
func (s *scope) resolve(p path) (path, *Fault) {
	if p.parts[0] != "self" {
		return p, nil
	}
	if s.self == "" {
		return p, s.fault(p.pos, "self is known in a function of a device or a group, such as def %s() {..}", "head.rest")
	}
	return makePath(append(strings.Split(s.self, "."), p.parts[1:]...), p.pos), nil
}

// find returns the cell of a path, nil = there is none.
func (s *scope) find(p *path) *cell {
	if len(p.parts) == 1 {
		if c := s.local(p.text); c != nil {
			return c
		}
		return s.names.cells[p.text]
	}
	if c := s.machine.cells[p.text]; c != nil {
		return c
	}
	if u := s.machine.units[p.parts[0]]; u != nil {
		return u.cells[p.rest]
	}
	return nil
}

// findToRead returns the cell of a path; for a group its own cell, otherwise that of its
// first member.
func (s *scope) findToRead(p path, only bool) (*cell, *Fault) {
	p, f := s.resolve(p)
	if f != nil {
		return nil, f
	}
	if c := s.first(p, only); c != nil {
		return c, nil
	}
	return nil, s.unknown(p)
}

func (s *scope) first(p path, only bool) *cell {
	if c := s.find(&p); c != nil {
		return c
	}
	if g := s.machine.groups[p.base]; g != nil && !only {
		s.unit.work(len(g.members))
		for _, member := range g.members {
			if c := s.first(member.with(p.last), false); c != nil {
				return c
			}
		}
	}
	return nil
}

// with returns a path with another part appended.
func (p path) with(last string) path {
	parts := make([]string, len(p.parts), len(p.parts)+1)
	copy(parts, p.parts)
	return makePath(append(parts, last), p.pos)
}

// targets returns the cells that a setting sets: for a group, its own cell, if any, and
// those of its members.
func (s *scope) targets(p path, only bool) ([]*cell, *Fault) {
	p, f := s.resolve(p)
	if f != nil {
		return nil, f
	}
	g := s.machine.groups[p.base]
	if g == nil || len(p.parts) == 1 {
		c, f := s.target(p)
		return []*cell{c}, f
	}
	var all []*cell
	switch c := s.machine.cells[p.text]; {
	case c != nil:
		all = append(all, c)
	case only:
		c, f := s.newCommon(p)
		return []*cell{c}, f
	}
	if only {
		return all, nil
	}
	s.unit.work(len(g.members))
	for _, member := range g.members {
		cells, f := s.targets(member.with(p.last), false)
		if f != nil {
			f.Pos = p.pos
			return nil, f
		}
		for _, c := range cells {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// target returns the single cell that a setting sets. If necessary it creates a variable of
// the unit, a device or a group.
func (s *scope) target(p path) (*cell, *Fault) {
	m := s.machine
	if c := s.find(&p); c != nil {
		return c, nil
	}
	switch {
	case len(p.parts) > 1 && m.devices[p.base]:
		return s.newCommon(p)
	case len(p.parts) == 2 && m.units[p.base] != nil:
		return s.newOf(m.units[p.base], p)
	case len(p.parts) > 1, m.devices[p.text], m.groups[p.text] != nil, p.text == "time":
		return nil, s.unknown(p)
	}
	c, f := s.newCell(p.text, p.pos)
	if f == nil {
		s.names.cells[p.text] = c
	}
	return c, f
}

// newOf creates a variable of another unit.
func (s *scope) newOf(u *Unit, p path) (*cell, *Fault) {
	there := *s
	there.names = u
	c, f := there.newCell(p.last, p.pos)
	if f == nil {
		u.cells[p.last] = c
	}
	return c, f
}

// newCommon creates a variable of a device or a group, which all units see.
func (s *scope) newCommon(p path) (*cell, *Fault) {
	c, f := s.newCell(p.text, p.pos)
	if f == nil {
		s.machine.cells[p.text] = c
	}
	return c, f
}

// properties returns the cells whose properties a path refers to: head means head.val.
func (s *scope) properties(p path) ([]*cell, *Fault) {
	p, f := s.resolve(p)
	if f != nil {
		return nil, f
	}
	if all := s.collect(p); len(all) > 0 {
		return all, nil
	}
	return nil, s.unknown(p)
}

func (s *scope) collect(p path) []*cell {
	var all []*cell
	if c := s.find(&p); c != nil {
		all = append(all, c)
	} else if c := s.machine.cells[p.text+".val"]; c != nil {
		all = append(all, c)
	}
	if g := s.machine.groups[p.text]; g != nil {
		s.unit.work(len(g.members))
		for _, member := range g.members {
			all = append(all, s.collect(member)...)
		}
	}
	if g := s.machine.groups[p.base]; g != nil && len(p.parts) > 1 {
		s.unit.work(len(g.members))
		for _, member := range g.members {
			all = append(all, s.collect(member.with(p.last))...)
		}
	}
	return all
}

// unknown returns the fault of an unknown name, with the most similar known one.
func (s *scope) unknown(p path) *Fault {
	m := s.machine
	if len(p.parts) == 1 {
		switch {
		case m.devices[p.text]:
			return s.fault(p.pos, "%s is a device; its value is %s.val", p.text, p.text)
		case m.groups[p.text] != nil:
			return s.fault(p.pos, "%s is a group; its value is %s.val", p.text, p.text)
		case m.functions[p.text] != nil || m.host[p.text] != nil || builtins[p.text] != nil:
			return s.fault(p.pos, "%s is a function; call it as %s(..)", p.text, p.text)
		case p.text == "time":
			return s.fault(p.pos, "time is when it is now; it cannot be set")
		}
		return s.fault(p.pos, "%s is not known.%s", p.text, s.suggest(p.text, s.bareNames()))
	}
	if m.devices[p.base] || m.groups[p.base] != nil || m.units[p.base] != nil {
		return s.fault(p.pos, "%s is not known.%s", p.text, s.suggest(p.text, s.namesIn(p.base)))
	}
	name := p.base
	if m.units[p.parts[0]] != nil {
		return s.fault(p.pos, "%s is not known.%s", p.text, s.suggest(p.text, s.namesIn(p.parts[0])))
	}
	var known []string
	for d := range m.devices {
		known = append(known, d)
	}
	for g := range m.groups {
		known = append(known, g)
	}
	for u := range m.units {
		known = append(known, u)
	}
	return s.fault(p.pos, "%s is not known.%s", name, s.suggest(name, known))
}

// bareNames returns the names that are valid here without a prefix.
func (s *scope) bareNames() []string {
	m := s.machine
	known := []string{"time"}
	for f := s.frame; f != nil; f = f.outer {
		for n := range f.cells {
			known = append(known, n)
		}
	}
	for n := range s.names.cells {
		known = append(known, n)
	}
	for n := range m.devices {
		known = append(known, n)
	}
	for n := range m.groups {
		known = append(known, n)
	}
	return append(known, m.functionNames()...)
}

// namesIn returns the paths that start with the name of a device, a group or a unit.
func (s *scope) namesIn(base string) []string {
	var known []string
	for n := range s.machine.cells {
		if strings.HasPrefix(n, base+".") {
			known = append(known, n)
		}
	}
	if g := s.machine.groups[base]; g != nil {
		known = append(known, base+".val")
	}
	if u := s.machine.units[base]; u != nil {
		for n := range u.cells {
			known = append(known, base+"."+n)
		}
	}
	return known
}

// functionNames returns the names of all functions.
func (m *Machine) functionNames() []string {
	var known []string
	for n := range m.functions {
		known = append(known, n)
	}
	for n := range m.host {
		known = append(known, n)
	}
	for n := range builtins {
		known = append(known, n)
	}
	return known
}

func (e *readExpression) eval(s *scope, at Time) (Value, *Fault) {
	if !e.isTime && !e.normal { // the usual case
		if c := s.find(&e.path); c != nil {
			return c.read(at), nil
		}
	}
	if e.isTime && s.local("time") == nil {
		s.machine.isVolatile = true
		return Number(float64(at) / float64(millisecond)), nil
	}
	p, only := e.path, e.only
	if e.normal && (s.machine.cells[p.text+".val"] != nil || s.machine.groups[p.text] != nil) {
		p = p.with("val") // headPan'n is headPan.val'n
	}
	c, f := s.findToRead(p, only)
	if f != nil {
		return Value{}, f
	}
	v := c.read(at)
	if !e.normal {
		return v, nil
	}
	if f := s.checkRange(c, e.path); f != nil {
		return Value{}, f
	}
	return Number((v.number - c.low) / (c.high - c.low)), nil
}

// checkRange returns a fault if a cell's range is not finite at both ends.
func (s *scope) checkRange(c *cell, p path) *Fault {
	if c.high-c.low > 0 && c.high-c.low <= 1e300 {
		return nil
	}
	return s.fault(p.pos, "%s has no range, so it has no normalized value", p.text)
}

func (e *propertyExpression) eval(s *scope, _ Time) (Value, *Fault) {
	cells, f := s.properties(e.path)
	if f != nil {
		return Value{}, f
	}
	s.machine.isVolatile = true
	return s.property(cells[0], e.property, e.pos)
}

// propertyName returns the name of a property, which may have another one: Baillie 2004 says
// both rangemax and maxrange.
func propertyName(name string) string {
	switch name {
	case "minrange":
		return "rangemin"
	case "maxrange":
		return "rangemax"
	}
	return name
}

var propertyNames = []string{"unit", "rangemin", "rangemax", "blend"}

// property returns a property of a cell.
func (s *scope) property(c *cell, name string, pos Pos) (Value, *Fault) {
	switch name {
	case "unit":
		return Text(c.unit), nil
	case "rangemin":
		return Number(c.low), nil
	case "rangemax":
		return Number(c.high), nil
	case "blend":
		return Text(blendNames[c.blend]), nil
	}
	return Value{}, s.fault(pos, "%s is not a property; the properties are unit, rangemin, rangemax and blend.%s", name, s.suggest(name, propertyNames))
}

var blendNames = [...]string{cancel: "cancel", queue: "queue", discard: "discard", mix: "mix", sum: "add"}
