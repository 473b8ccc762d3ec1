package script

import "slices"

// action reads a command that starts with a keyword of an action; nil = the word is not one.
func (p *parser) action(t token) (command, *Fault) {
	switch t.text {
	case "var":
		return p.variable()
	case "wait", "sleep", "echo", "load":
		e, f := p.value()
		switch t.text {
		case "echo":
			return &echoCommand{pos: t.pos, value: e}, f
		case "load":
			return &loadCommand{pos: t.pos, name: e}, f
		}
		return &waitCommand{pos: t.pos, time: e}, f
	case "return":
		return p.returnCommand(t.pos)
	case "waituntil":
		test, f := p.test()
		return &waituntilCommand{pos: t.pos, test: test}, f
	case "emit":
		return p.emit(t.pos)
	case "stop", "freeze", "unfreeze", "block", "unblock":
		tag, f := p.path("a tag behind " + t.text)
		return &tagCommand{pos: t.pos, tag: tag, do: t.text}, f
	case "def":
		return p.define(t.pos)
	case "undef":
		pa, f := p.path("the name of a function behind undef")
		return &undefCommand{path: pa}, f
	case "group":
		return p.group()
	case "blend":
		return p.blend(t.pos)
	case "unit", "rangemin", "rangemax", "info":
		pa, f := p.path("a name behind " + t.text)
		return &tellCommand{path: pa, what: t.text, pos: t.pos}, f
	case "killall":
		name, f := p.name("the name of a connection or a script behind killall")
		return &killallCommand{pos: t.pos, name: name.text}, f
	case "motor":
		on := p.next()
		if on.kind != nameToken || on.text != "on" && on.text != "off" {
			p.at--
			return nil, p.unexpected("on or off behind motor")
		}
		return &plainCommand{pos: t.pos, what: "motor" + on.text}, nil
	case "motoron", "motoroff", "quit", "devices", "connections", "ping":
		return &plainCommand{pos: t.pos, what: t.text}, nil
	case "noop":
		return &noopCommand{pos: t.pos}, nil
	}
	return nil, nil
}

func (p *parser) variable() (command, *Fault) {
	name, f := p.name("a name behind var")
	if f != nil {
		return nil, f
	}
	if f := p.expect("=", "and a value, as in var x = 0"); f != nil {
		return nil, f
	}
	e, f := p.value()
	p.declare = true
	return &setCommand{path: makePath([]string{name.text}, name.pos), value: e, declare: true}, f
}

func (p *parser) returnCommand(pos Pos) (command, *Fault) {
	if p.inDef == 0 {
		return nil, newFault(pos, "return is outside of a function; it ends one, as in def f() { return 1; }")
	}
	c := &returnCommand{pos: pos}
	if t := p.peek(); t.kind == endToken || t.kind == signToken && slices.Contains([]string{";", ",", "}", "&", "|"}, t.text) {
		return c, nil
	}
	e, f := p.value()
	c.value = e
	return c, f
}

func (p *parser) emit(pos Pos) (command, *Fault) {
	name, f := p.path("the name of an event behind emit")
	if f != nil {
		return nil, f
	}
	c := &emitCommand{pos: pos, event: name.last, of: name.base}
	if p.accept("(") {
		c.values, f = p.values(")")
	}
	return c, f
}

func (p *parser) define(pos Pos) (command, *Fault) {
	pa, f := p.path("the name of a function behind def")
	if f != nil {
		return nil, f
	}
	if pa.parts[0] == "self" || builtins[pa.text] != nil {
		return nil, newFault(pa.pos, "%s is part of the language; a function needs another name", pa.text)
	}
	if f := p.expect("(", "behind the name of a function"); f != nil {
		return nil, f
	}
	names, f := p.names(")")
	if f != nil {
		return nil, f
	}
	p.inDef++
	defer func() { p.inDef-- }()
	from := p.at
	body, f := p.braces()
	if f != nil {
		return nil, f
	}
	for _, t := range p.tokens[from:p.at] {
		body.size += 1 + len(t.text)
	}
	return &defCommand{pos: pos, path: pa, names: names, body: body}, nil
}

func (p *parser) group() (command, *Fault) {
	pa, f := p.path("the name of a group")
	if f != nil {
		return nil, f
	}
	c := &groupCommand{path: pa}
	if !p.accept("{") {
		return c, nil
	}
	c.define = true
	for !p.is("}") {
		m, f := p.path("a device or a group")
		if f != nil {
			return nil, f
		}
		c.members = append(c.members, m)
		if !p.accept(",") {
			break
		}
	}
	return c, p.expect("}", "behind the members of a group")
}

var blendModes = []string{"cancel", "queue", "discard", "mix", "add"}

func (p *parser) blend(pos Pos) (command, *Fault) {
	c := &blendCommand{pos: pos}
	if p.accept("[") {
		t := p.next()
		if t.kind != nameToken || !slices.Contains(blendModes, t.text) {
			return nil, newFault(t.pos, "%s is not a blend mode; the modes are cancel, queue, discard, mix and add.%s", t.describe(), suggestName(t.text, blendModes))
		}
		c.mode = t.text
		if f := p.expect("]", "behind the way to blend"); f != nil {
			return nil, f
		}
	}
	pa, f := p.path("the name of what is blended")
	c.path = pa
	return c, f
}
