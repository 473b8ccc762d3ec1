package script

// A scope is where a command runs: whose it is, which names it sees, and under
// which tags. It does not change.
type scope struct {
	machine *Machine
	unit    *Unit     // whose statement it is, and who is told
	names   *Unit     // whose bare names it sees
	frame   *frame    // variables of blocks and calls, nil = none
	tags    *tagLink  // nil = none
	program *sequence // what watches are put into
	call    *callRunner
	self    string // what self stands for, "" = nothing
	calls   int    // calls around
	command uint64 // which command of the unit it belongs to
}

// A frame holds the variables of one block or call.
type frame struct {
	outer *frame
	cells map[string]*cell
}

// A tagLink is a tag around a command, and those around it.
type tagLink struct {
	name   string // "" = that of a freezeif
	outer  *tagLink
	errors bool // +error, here or farther out
}

// under reports whether the tag, or the one it belongs to, is around.
func (t *tagLink) under(name string) bool {
	for ; t != nil; t = t.outer {
		if isTagOrPart(t.name, name) {
			return true
		}
	}
	return false
}

// isTagOrPart reports whether a tag is this one or a part of it: patrol.leg is a
// part of patrol.
func isTagOrPart(tag, whole string) bool {
	return tag == whole || len(tag) > len(whole) && tag[len(whole)] == '.' && tag[:len(whole)] == whole
}

// tag returns the innermost tag, "" = none.
func (s *scope) tag() string {
	for t := s.tags; t != nil; t = t.outer {
		if t.name != "" {
			return t.name
		}
	}
	return ""
}

// fault returns a fault of a command here.
func (s *scope) fault(at Pos, format string, args ...any) *Fault {
	f := newFault(at, format, args...)
	f.tag, f.unit, f.command = s.tag(), s.unit, s.command
	return f
}

// suggest is suggestName, which takes a step for each known name.
func (s *scope) suggest(name string, known []string) string {
	s.unit.work(len(known))
	return suggestName(name, known)
}

// say says a line here.
func (s *scope) say(at Time, text string) { s.unit.say(s.tag(), at, text) }

// sayValue says a value here.
func (s *scope) sayValue(at Time, v Value) {
	if v.kind == binary {
		s.unit.put(Line{Unit: s.unit.name, Time: at, Tag: s.tag(), Text: v.String(), Data: []byte(v.text)})
		return
	}
	s.say(at, v.String())
}

// withTag returns this scope under a tag.
func (s *scope) withTag(name string, errors bool) *scope {
	inner := *s
	inner.tags = &tagLink{name: name, outer: s.tags, errors: errors || s.tags != nil && s.tags.errors}
	return &inner
}

// withFrame returns this scope with variables of its own.
func (s *scope) withFrame() *scope {
	inner := *s
	inner.frame = &frame{outer: s.frame, cells: map[string]*cell{}}
	return &inner
}

// local returns the variable of a block or a call around, nil = there is none.
func (s *scope) local(name string) *cell {
	for f := s.frame; f != nil; f = f.outer {
		if c := f.cells[name]; c != nil {
			return c
		}
	}
	return nil
}

// declare makes a variable of the innermost block or call.
func (s *scope) declare(name string, v Value, pos Pos) *Fault {
	if s.frame == nil {
		c := s.names.cells[name]
		if c == nil {
			var f *Fault
			if c, f = s.newCell(name, pos); f != nil {
				return f
			}
			s.names.cells[name] = c
		}
		return c.assign(s, v, pos)
	}
	c := s.frame.cells[name]
	if c == nil {
		var f *Fault
		if c, f = s.newCell(name, pos); f != nil {
			return f
		}
		s.frame.cells[name] = c
	}
	return c.assign(s, v, pos)
}

// release forgets the variables of a frame that is over.
func (f *frame) release(m *Machine) {
	for _, c := range f.cells {
		c.forget()
	}
	m.names++
}
