package script

import (
	"strings"
)

// Bounds of watched values.
const (
	MaxWatchedText = 200 // bytes of an expression

	maxLookSteps = MaxSteps / 10 // for one Look
	maxLookText  = 200           // bytes of a result
)

// A Watched is an expression whose value people look at while scripts run. It can have no
// effect: it reads, and calls only functions of mathematics. It is immutable.
type Watched struct {
	text  string
	value expression
}

// A Look is the value of a Watched at one time.
type Look struct {
	Number   float64
	IsNumber bool
	Text     string // as in a line of output, cut to 200 bytes
	Unit     string // "" = none, or the value is not that of a single name
	Fault    string // why there is no value, and what would be right; "" = there is one
}

// ParseWatched reads a watched value. Names are those of a unit without variables, so those
// of a script are NAME.x. It refuses what could change anything, with a fault.
func ParseWatched(text string) (*Watched, *Fault) {
	if len(text) > MaxWatchedText {
		return nil, newFault(Pos{1, 1}, "this has %d bytes; a watched value has at most %d", len(text), MaxWatchedText)
	}
	l := lexer{text: text, pos: Pos{1, 1}}
	tokens, f := l.tokens()
	if f != nil {
		return nil, f
	}
	p := &parser{tokens: tokens}
	value, f := p.value()
	if f == nil && p.peek().kind != endToken {
		f = p.unexpected("one value and no more")
	}
	if f != nil {
		return nil, f
	}
	if value, f = withoutEffect(value); f != nil {
		return nil, f
	}
	return &Watched{text: text, value: value}, nil
}

// Text returns the expression as it was written.
func (w *Watched) Text() string { return w.text }

// withoutEffect returns an expression in which each operator stops when the steps of a Look
// are used, or the fault of a part that could have an effect.
func withoutEffect(e expression) (expression, *Fault) {
	var f *Fault
	switch e := e.(type) {
	case *literal:
		return e, nil
	case *readExpression:
		return &watchedRead{*e}, nil
	case *propertyExpression:
		return &watchedProperty{*e}, nil
	case *listExpression:
		all := &listExpression{pos: e.pos}
		all.elements, f = allWithoutEffect(e.elements)
		return &sparing{all}, f
	case *unaryExpression:
		of, f := withoutEffect(e.of)
		return &sparing{&unaryExpression{e.pos, e.sign, of}}, f
	case *binaryExpression:
		left, f := withoutEffect(e.left)
		if f != nil {
			return nil, f
		}
		right, f := withoutEffect(e.right)
		return &sparing{&binaryExpression{e.pos, e.sign, left, right}}, f
	case *call:
		name := e.path.text
		if builtins[name] == nil || name == "random" {
			return nil, newFault(e.path.pos, "%s is not called in a watched value, which may change nothing; functions such as abs and max are", clip(name))
		}
		values, f := allWithoutEffect(e.values)
		return &sparing{&builtinCall{call{e.path, values}}}, f
	}
	return nil, newFault(e.place(), "this cannot be watched")
}

func allWithoutEffect(of []expression) ([]expression, *Fault) {
	all := make([]expression, len(of))
	for i, e := range of {
		var f *Fault
		if all[i], f = withoutEffect(e); f != nil {
			return nil, f
		}
	}
	return all, nil
}

// sparing evaluates an expression unless the steps of a Look are used.
type sparing struct{ expression }

func (e *sparing) eval(s *scope, at Time) (Value, *Fault) {
	if s.unit.left <= 0 {
		return Value{}, s.fault(e.place(), "what is watched takes more than %d steps in all; watch less", maxLookSteps)
	}
	s.unit.work(1)
	return e.expression.eval(s, at)
}

// builtinCall calls a function of the language, even if a script has defined another one of
// that name.
type builtinCall struct{ call }

func (e *builtinCall) eval(s *scope, at Time) (Value, *Fault) {
	s.unit.work(len(e.values))
	values, f := e.evalValues(s, at)
	if f != nil {
		return Value{}, f
	}
	return builtins[e.path.text].apply(s, &e.call, values)
}

// watchedRead reads a value. It does not look for similar names, which takes time.
type watchedRead struct{ readExpression }

func (e *watchedRead) eval(s *scope, at Time) (Value, *Fault) {
	if !e.isTime && e.find(s) == nil {
		return Value{}, s.notThere(e.path)
	}
	return e.readExpression.eval(s, at)
}

// find returns what is read, nil = it is not there.
func (e *watchedRead) find(s *scope) *cell {
	if e.normal {
		if c := s.first(e.path.with("val"), e.only); c != nil {
			return c
		}
	}
	return s.first(e.path, e.only)
}

// watchedProperty reads a property.
type watchedProperty struct{ propertyExpression }

func (e *watchedProperty) eval(s *scope, at Time) (Value, *Fault) {
	if len(s.collect(e.path)) == 0 {
		return Value{}, s.notThere(e.path)
	}
	return e.propertyExpression.eval(s, at)
}

// notThere returns the fault of a name that does not exist now.
func (s *scope) notThere(p path) *Fault {
	m := s.machine
	switch {
	case p.parts[0] == "self":
		return s.fault(p.pos, "self is known only in a function")
	case m.devices[p.text] || m.groups[p.text] != nil:
		return s.fault(p.pos, "the value of %s is %s.val", clip(p.text), clip(p.text))
	case len(p.parts) == 1:
		return s.fault(p.pos, "%s is not known; a variable of a script is NAME.%s", clip(p.text), clip(p.text))
	}
	return s.fault(p.pos, "%s is not known now", clip(p.text))
}

// Look returns the values of what is watched, in its order. No statement, variable or
// random number is affected by it. All of it takes at most maxLookSteps steps; what exceeds
// them has a fault. begin says which one is evaluated first, so that different ones are left
// out if their steps are too many.
func (m *Machine) Look(now Time, watched []*Watched, begin int) []Look {
	steps, volatile, trace := m.steps, m.isVolatile, m.trace
	m.trace = nil
	defer func() { m.steps, m.isVolatile, m.trace = steps, volatile, trace }()
	viewer := &Unit{machine: m, left: maxLookSteps}
	s := &scope{machine: m, unit: viewer, names: viewer}
	looks := make([]Look, len(watched))
	for i := range watched {
		i = (i + begin) % len(watched)
		looks[i] = watched[i].look(s, max(m.now, now))
	}
	return looks
}

func (w *Watched) look(s *scope, at Time) (l Look) {
	v, f := w.value.eval(s, at)
	if f != nil {
		l.Fault = f.Text
		return l
	}
	l.Number, l.IsNumber = v.Number()
	l.Text = v.brief(maxLookText)
	if e, ok := w.value.(*watchedRead); ok && !e.normal {
		if e.isTime {
			l.Unit = "ms"
		} else if c := e.find(s); c != nil {
			l.Unit = c.unit
		}
	}
	return l
}

// brief returns a value as in a line of output, cut to about so many bytes.
func (v Value) brief(most int) string {
	var b strings.Builder
	v.write(&b, most)
	return b.String()
}

// write appends a value to a text that is cut to about so many bytes.
func (v Value) write(b *strings.Builder, most int) {
	switch v.kind {
	case text:
		if left := most - b.Len(); len(v.text) > left {
			v.text = strings.ToValidUTF8(v.text[:left], "") + ".."
		}
		b.WriteString(v.String())
	case list:
		b.WriteString("[")
		for i, e := range v.more.list {
			if i > 0 {
				b.WriteString(", ")
			}
			if b.Len() >= most {
				b.WriteString("..")
				break
			}
			e.write(b, most)
		}
		b.WriteString("]")
	default:
		b.WriteString(v.String())
	}
}
