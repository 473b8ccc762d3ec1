package script

import "unicode/utf8"

// A scope is the context of a command: its unit, the names that it sees, and its tags. It is
// immutable.
type scope struct {
	machine *Machine
	unit    *Unit     // the unit that runs the statement and receives its lines
	names   *Unit     // the unit whose bare names it sees
	frame   *frame    // variables of blocks and calls, nil = none
	tags    *tagLink  // nil = none
	program *sequence // the sequence to which watches are attached
	call    *callRunner
	self    string // the value of self, "" = none
	calls   int    // depth of calls
	command uint64 // the command of the unit to which it belongs
	loaded  string // the name of the text that was loaded and has the command, "" = none
	called  Pos    // where a function of the library is called, for faults in it; zero = it is not one
}

// A frame holds the variables of one block or call.
type frame struct {
	outer *frame
	cells map[string]*cell
}

// A tagLink is a tag of a command, linked to the tag around it.
type tagLink struct {
	name   string // "" = that of a freezeif
	outer  *tagLink
	depth  int  // number of tags from here outwards
	errors bool // +error, here or farther out
}

// compareTags uses the steps for comparing the scope's tags with n others.
func (s *scope) compareTags(n int) {
	if s.tags != nil {
		s.unit.work(n * s.tags.depth / comparedInAStep)
	}
}

// under reports whether one of the tags has the name or is a part of it.
func (t *tagLink) under(name string) bool {
	for ; t != nil; t = t.outer {
		if isTagOrPart(t.name, name) {
			return true
		}
	}
	return false
}

// isTagOrPart reports whether a tag is whole or a part of it: patrol.leg is a part of patrol.
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

// fault returns a fault of a command in this scope.
func (s *scope) fault(at Pos, format string, args ...any) *Fault {
	if s.called != (Pos{}) {
		at = s.called
	}
	f := newFault(at, format, args...)
	if s.loaded != "" {
		f.Text = s.loaded + ": " + f.Text
	}
	f.tag, f.unit, f.command = s.tag(), s.unit, s.command
	return f
}

// suggest is suggestName, and costs one step for each known name, and more for long ones.
func (s *scope) suggest(name string, known []string) string {
	s.unit.work(len(known) + min(pairsOfLetters(name, known), maxCompared)/comparedInAStep)
	return suggestName(name, known)
}

// say sends a line to the unit, under the scope's tag.
func (s *scope) say(at Time, text string) { s.unit.say(s.tag(), at, text) }

// saidInAStep is how many bytes of a value, as it counts its memory, are said in a step: an
// element of a list, at least 64 bytes, takes about as long to write as two steps.
const saidInAStep = 32

// sayValue sends a value to the unit, under the scope's tag.
func (s *scope) sayValue(at Time, v Value) {
	s.unit.work(v.size() / saidInAStep)
	if v.kind == binary {
		s.unit.put(Line{Unit: s.unit.name, Time: at, Tag: s.tag(), Text: v.String(), Data: []byte(v.text)})
		return
	}
	s.say(at, v.brief(maxLine+utf8.UTFMax)) // which is cut to maxLine like all lines
}

// withTag returns this scope with an additional tag.
func (s *scope) withTag(name string, errors bool) *scope {
	s.unit.work(tagSteps)
	inner := *s
	inner.tags = &tagLink{name: name, outer: s.tags, depth: 1, errors: errors}
	if s.tags != nil {
		inner.tags.depth, inner.tags.errors = s.tags.depth+1, errors || s.tags.errors
	}
	return &inner
}

// withFrame returns this scope with a new frame for variables.
func (s *scope) withFrame() *scope {
	inner := *s
	inner.frame = s.newFrame(s.frame)
	return &inner
}

// newFrame returns a frame without variables in another one; nil = in none.
func (s *scope) newFrame(outer *frame) *frame {
	s.unit.work(frameSteps)
	return &frame{outer: outer, cells: map[string]*cell{}}
}

// local returns the variable of an enclosing block or call, nil = there is none.
func (s *scope) local(name string) *cell {
	for f := s.frame; f != nil; f = f.outer {
		if c := f.cells[name]; c != nil {
			return c
		}
	}
	return nil
}

// declare creates a variable of the innermost block or call.
func (s *scope) declare(name string, v Value, pos Pos) *Fault {
	cells := s.names.cells
	if s.frame != nil {
		cells = s.frame.cells
	}
	c := cells[name]
	if c == nil {
		var f *Fault
		if c, f = s.newCell(name, pos); f != nil {
			return f
		}
		cells[name] = c
	}
	return c.assign(s, v, pos)
}

// release drops the variables of a frame that is over.
func (f *frame) release(m *Machine) {
	for _, c := range f.cells {
		c.forget()
	}
	m.names++
}
