package script

import (
	"fmt"
	"slices"
	"strings"
)

func (c *valueCommand) begin(s *scope, at Time) (runner, *Fault) {
	if read, ok := c.value.(*readExpression); ok && s.machine.host[read.path.text] != nil && len(read.path.parts) > 1 {
		return s.ask(s.machine.host[read.path.text], nil, read.path.pos, at) // the host provides values such as camera.val
	}
	v, f := c.value.eval(s, at)
	if f != nil {
		return nil, f
	}
	if v.kind != nothing {
		s.sayValue(at, v)
	}
	return nil, nil
}

func (c *echoCommand) begin(s *scope, at Time) (runner, *Fault) {
	v, f := c.value.eval(s, at)
	switch {
	case f != nil:
		return nil, f
	case v.kind == nothing:
		return nil, s.fault(c.value.place(), "this has no value")
	}
	s.sayValue(at, v)
	return nil, nil
}

func (c *tellCommand) begin(s *scope, at Time) (runner, *Fault) {
	if c.what == "info" {
		return nil, s.tellAbout(c.path, at)
	}
	cells, f := s.properties(c.path)
	if f != nil {
		return nil, f
	}
	v, f := s.property(cells[0], c.what, c.pos)
	if f == nil {
		s.sayValue(at, v)
	}
	return nil, f
}

// tellAbout reports to the unit what a name refers to.
func (s *scope) tellAbout(p path, at Time) *Fault {
	p, fault := s.resolve(p)
	if fault != nil {
		return fault
	}
	m := s.machine
	told := false
	if f := m.functions[p.text]; f != nil {
		s.say(at, fmt.Sprintf("*** %s(%s) is a function", f.path, strings.Join(f.names, ", ")))
		told = true
	}
	if g := m.groups[p.text]; g != nil {
		names := make([]string, len(g.members))
		for i, q := range g.members {
			names[i] = q.text
		}
		s.say(at, fmt.Sprintf("*** %s is a group of %s", p.text, strings.Join(names, ", ")))
		told = true
	}
	for _, c := range m.deviceOrder {
		if c.device.Name == p.text || c.device.path() == p.text {
			s.say(at, "*** "+c.describe())
			told = true
		}
	}
	if told {
		return nil
	}
	c := s.find(&p)
	if c == nil {
		return s.unknown(p)
	}
	s.say(at, fmt.Sprintf("*** %s is %s", p.text, c.read(at).describe()))
	return nil
}

// describe returns a one-line description of a device.
func (c *cell) describe() string {
	d := c.device
	parts := []string{c.name}
	if d.Kind != "" {
		parts = append(parts, d.Kind)
	}
	if c.unit != "" {
		parts = append(parts, c.unit)
	}
	if c.ranged() {
		parts = append(parts, fmt.Sprintf("from %s to %s", shortNumber(c.low), shortNumber(c.high)))
	}
	if d.ReadOnly {
		parts = append(parts, "measured")
	}
	return strings.Join(append(parts, "blend "+blendNames[c.blend]), ", ")
}

func (c *plainCommand) begin(s *scope, at Time) (runner, *Fault) {
	m := s.machine
	switch c.what {
	case "devices":
		s.unit.work(len(m.deviceOrder))
		var names []Value
		for _, d := range m.deviceOrder {
			if v := Text(d.device.Name); !slices.ContainsFunc(names, v.equals) {
				names = append(names, v)
			}
		}
		s.sayValue(at, List(names...))
	case "connections":
		var names []Value
		for _, u := range m.order {
			names = append(names, Text(u.name))
		}
		s.sayValue(at, List(names...))
	case "ping":
		s.say(at, "*** pong")
	case "quit":
		s.unit.closed = true
		s.unit.endAll(at)
	case "motoron", "motoroff":
		if f := m.host[c.what]; f != nil {
			return s.ask(f, nil, c.pos, at)
		}
	}
	return nil, nil
}
