package script

import "slices"

// statement reads commands joined by & and |; | binds more tightly.
func (p *parser) statement() (command, *Fault) {
	return p.join("&", p.serial, func(parts []command) command { return &parallel{parts} })
}

func (p *parser) serial() (command, *Fault) {
	return p.join("|", p.command, func(parts []command) command { return &serial{parts} })
}

// join reads parts with a sign between them, and joins them if there are several.
func (p *parser) join(sign string, read func() (command, *Fault), several func([]command) command) (command, *Fault) {
	var parts []command
	for {
		c, f := read()
		if f != nil {
			return nil, f
		}
		parts = append(parts, c)
		if !p.accept(sign) {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return several(parts), nil
}

// command reads one command with its tag.
func (p *parser) command() (command, *Fault) {
	t := p.peek()
	tag, flags, ok, f := p.tag()
	if f != nil {
		return nil, f
	}
	if !ok {
		return p.untagged()
	}
	body, f := p.untagged()
	if f != nil {
		return nil, f
	}
	return &tagged{pos: t.pos, tag: tag, flags: flags, body: body}, nil
}

// tag reads the tag of a command and its options, if it has one.
func (p *parser) tag() (tag string, flags tagFlags, ok bool, f *Fault) {
	if p.peek().kind != nameToken {
		return "", flags, false, nil
	}
	n := 1
	for p.peekAt(n).text == "." && p.peekAt(n+1).kind == nameToken {
		n += 2
	}
	options := n
	for p.peekAt(n).text == "+" && p.peekAt(n+1).kind == nameToken {
		n += 2
	}
	if end := p.peekAt(n); end.kind != signToken || end.text != ":" {
		return "", flags, false, nil
	}
	name, f := p.path("a tag")
	if f != nil {
		return "", flags, false, f
	}
	for range (n - options) / 2 {
		p.at++
		switch t := p.next(); t.text {
		case "report":
			flags.begin, flags.end = true, true
		case "begin":
			flags.begin = true
		case "end":
			flags.end = true
		case "error":
			flags.errors = true
		default:
			known := []string{"report", "begin", "end", "error"}
			return "", flags, false, newFault(t.pos, "+%s is not known; a tag has +report, +begin, +end and +error.%s", t.text, suggestName(t.text, known))
		}
	}
	p.at++ // the :
	return name.text, flags, true, nil
}

// untagged reads a command after its tag.
func (p *parser) untagged() (command, *Fault) {
	t := p.peek()
	p.word = p.at
	switch {
	case t.kind == endToken, t.kind == signToken && slices.Contains([]string{"&", "|", ";", ",", "}", ")"}, t.text):
		return nil, p.unexpected("a command")
	case p.is("{"):
		return p.block()
	case p.isWord("else"), p.isWord("onleave"):
		return nil, p.unexpected("a command")
	case t.kind == nameToken && reserved[t.text] && !p.startsPath():
		p.at++
		if c, f := p.action(t); c != nil || f != nil {
			return c, f
		}
		if f := p.enter(); f != nil {
			return nil, f
		}
		defer p.leave()
		if c, f := p.control(t); c != nil || f != nil {
			return c, f
		}
		p.at--
	}
	return p.setting()
}

// block reads a program in braces.
func (p *parser) block() (command, *Fault) {
	pos := p.peek().pos
	program, f := p.braces()
	if f != nil {
		return nil, f
	}
	return &block{pos, program}, nil
}

func (p *parser) braces() (*Program, *Fault) {
	if f := p.expect("{", "before a block"); f != nil {
		return nil, f
	}
	if f := p.enter(); f != nil {
		return nil, f
	}
	defer p.leave()
	outer := p.declare
	p.declare = false
	defer func() { p.declare = outer }()
	program := &Program{}
	for !p.accept("}") {
		if p.accept(";") || p.accept(",") {
			continue
		}
		t := p.peek()
		if t.kind == endToken {
			return nil, p.unexpected("} at the end of a block")
		}
		c, f := p.statement()
		if f != nil {
			return nil, f
		}
		it := item{command: c, position: t.pos}
		_, isDef := c.(*defCommand)
		switch {
		case p.accept(","):
			it.beside = true
		case p.accept(";"), p.is("}"), isDef:
		default:
			return nil, p.unexpected("; or , or & or | or } after the command")
		}
		program.items = append(program.items, it)
	}
	program.hasVar = p.declare
	return program, nil
}

// body reads the body of a control: a block, or everything up to the next ; or ,.
func (p *parser) body() (command, *Fault) {
	if p.is("{") {
		return p.block()
	}
	return p.statement()
}

// bracketed reads the value in parentheses that follows a word.
func (p *parser) bracketed(word string) (expression, *Fault) {
	if f := p.expect("(", "behind "+word); f != nil {
		return nil, f
	}
	e, f := p.value()
	if f != nil {
		return nil, f
	}
	return e, p.expect(")", "behind the value")
}

// test reads a test in parentheses.
func (p *parser) test() (*test, *Fault) {
	if f := p.expect("(", "before a test"); f != nil {
		return nil, f
	}
	t := &test{pos: p.peek().pos}
	if p.isEvent() {
		name, f := p.path("the name of an event")
		if f != nil {
			return nil, f
		}
		t.event, t.of = name.last, name.base
		p.at++ // the ?
		if p.accept("(") {
			if t.names, f = p.names(")"); f != nil {
				return nil, f
			}
		}
	} else {
		e, f := p.value()
		if f != nil {
			return nil, f
		}
		t.value = e
		if r, ok := e.(*readExpression); ok && len(r.path.parts) == 1 && !r.normal {
			t.bare, t.event = true, r.path.text
		}
	}
	if p.accept("~") {
		if t.value == nil {
			return nil, newFault(t.pos, "an event does not last, so it cannot have a ~")
		}
		from := p.at
		e, f := p.value()
		if f != nil {
			return nil, f
		}
		t.soft, t.bare = e, false
		for _, used := range p.tokens[from:p.at] {
			t.softTime = t.softTime || used.isTime
		}
	}
	if p.is("=") {
		return nil, newFault(p.peek().pos, "= sets a value; == compares two")
	}
	return t, p.expect(")", "behind the test")
}

// isEvent reports whether a name with a ? follows, such as e? or A.e?.
func (p *parser) isEvent() bool {
	n := 1
	for p.peekAt(n).text == "." && p.peekAt(n+1).kind == nameToken {
		n += 2
	}
	end := p.peekAt(n)
	return p.peek().kind == nameToken && end.kind == signToken && end.text == "?"
}

// setting reads a command that starts with a name: a setting, a call, or a value.
func (p *parser) setting() (command, *Fault) {
	only := false
	if p.accept("@") {
		only = true
	} else if p.isWord("only") {
		p.at++
		only = true
	}
	start := p.at
	if p.peek().kind == nameToken && !reserved[p.peek().text] {
		pa, f := p.path("a name")
		if f != nil {
			return nil, f
		}
		if c, f, ok := p.assignment(pa, only); ok {
			return c, f
		}
		p.at = start
	} else if only {
		return nil, p.unexpected("the name of a group behind @")
	}
	e, f := p.value()
	if f != nil {
		return nil, f
	}
	switch e := e.(type) {
	case *call:
		return &callCommand{call: e, only: only}, nil
	case *readExpression:
		e.only = only
	}
	if p.is("=") {
		return nil, newFault(p.peek().pos, "only a name can be set with =; == compares two values")
	}
	return &valueCommand{value: e}, nil
}

// assignment reads an assignment to the path, if there is one.
func (p *parser) assignment(pa path, only bool) (c command, f *Fault, ok bool) {
	switch {
	case p.is("->") && p.peekAt(2).text == "=" && p.peekAt(2).kind == signToken:
		p.at++
		t := p.next()
		p.at++
		e, f := p.value()
		return &propertyCommand{path: pa, property: propertyName(t.text), value: e, pos: t.pos}, f, true
	case p.is("++"), p.is("--"):
		sign := add
		if p.next().text == "--" {
			sign = subtract
		}
		one := &binaryExpression{pos: pa.pos, sign: sign, left: &readExpression{path: pa}, right: &literal{pos: pa.pos, value: Number(1)}}
		return &setCommand{path: pa, only: only, value: one}, nil, true
	case slices.Contains([]string{"+", "-", "*", "/"}, p.peek().text) && p.peekAt(1).text == "=" && p.peek().kind == signToken:
		t := p.peek()
		return nil, newFault(t.pos, "%s= is not known; write %s = %s %s ..", t.text, pa.text, pa.text, t.text), true
	}
	normal := false
	if p.is("'n") && p.peekAt(1).text == "=" && p.peekAt(1).kind == signToken {
		p.at++
		normal = true
	}
	if !p.accept("=") {
		return nil, nil, false
	}
	pa, isNormal := pa.withoutN()
	set := &setCommand{path: pa, only: only, normal: normal || isNormal}
	if set.value, f = p.value(); f == nil {
		set.modifiers, f = p.modifiers()
	}
	return set, f, true
}

// withoutN returns x.val for x.valn, which means x.val'n.
func (p path) withoutN() (path, bool) {
	if p.last != "valn" || len(p.parts) == 1 {
		return p, false
	}
	parts := slices.Clone(p.parts)
	parts[len(parts)-1] = "val"
	return makePath(parts, p.pos), true
}

var modifierNames = []string{"time", "speed", "accel", "smooth", "sin", "ampli", "phase"}

func (p *parser) modifiers() ([]modifier, *Fault) {
	var all []modifier
	for p.peek().kind == nameToken && p.peekAt(1).text == ":" && p.peekAt(1).kind == signToken {
		t := p.next()
		p.at++
		if !slices.Contains(modifierNames, t.text) {
			return nil, newFault(t.pos, "%s: is not known; a value moves with time: speed: accel: smooth: sin: ampli: phase:.%s", t.text, suggestName(t.text, modifierNames))
		}
		for _, m := range all {
			if m.name == t.text {
				return nil, newFault(t.pos, "%s: is given twice", t.text)
			}
		}
		e, f := p.value()
		if f != nil {
			return nil, f
		}
		all = append(all, modifier{name: t.text, value: e, pos: t.pos})
	}
	return all, checkModifiers(all)
}

// checkModifiers returns a fault if modifiers contradict each other.
func checkModifiers(all []modifier) *Fault {
	has := map[string]bool{}
	for _, m := range all {
		has[m.name] = true
	}
	for _, m := range all {
		switch m.name {
		case "ampli", "phase":
			if !has["sin"] {
				return newFault(m.pos, "%s: needs sin: beside it", m.name)
			}
			if !has["ampli"] {
				return newFault(m.pos, "phase: needs ampli: beside it")
			}
		case "sin", "smooth":
			for _, other := range []string{"time", "speed", "accel", "smooth", "sin"} {
				if other != m.name && has[other] {
					return newFault(m.pos, "%s: already says how long it takes; it cannot be combined with %s:", m.name, other)
				}
			}
		}
	}
	return nil
}
