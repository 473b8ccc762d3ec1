package script

// control reads a command that starts with a keyword of a control; nil = the word is not
// one.
func (p *parser) control(t token) (command, *Fault) {
	switch t.text {
	case "if":
		return p.ifCommand(t.pos)
	case "while", "loopn", "every", "timeout":
		return p.counted(t)
	case "loop":
		body, f := p.body()
		return &whileCommand{pos: t.pos, body: body}, f
	case "for":
		return p.forCommand(t.pos)
	case "foreach":
		return p.foreachCommand(t.pos)
	case "at", "whenever":
		return p.watch(t)
	case "stopif", "freezeif":
		test, f := p.test()
		if f != nil {
			return nil, f
		}
		body, f := p.body()
		if t.text == "stopif" {
			return &stopifCommand{pos: t.pos, test: test, body: body}, f
		}
		return &freezeifCommand{pos: t.pos, test: test, body: body}, f
	}
	return nil, nil
}

func (p *parser) ifCommand(pos Pos) (command, *Fault) {
	c := &ifCommand{pos: pos}
	var f *Fault
	if f = p.expect("(", "behind if"); f != nil {
		return nil, f
	}
	if c.condition, f = p.value(); f != nil {
		return nil, f
	}
	if p.is("=") {
		return nil, newFault(p.peek().pos, "= sets a value; == compares two")
	}
	if f = p.expect(")", "behind the condition"); f != nil {
		return nil, f
	}
	if c.body, f = p.body(); f != nil {
		return nil, f
	}
	if p.isWord("else") {
		p.at++
		c.otherwise, f = p.body()
	}
	return c, f
}

// counted reads a control with one value.
func (p *parser) counted(t token) (command, *Fault) {
	value, f := p.bracketed(t.text)
	if f != nil {
		return nil, f
	}
	body, f := p.body()
	if f != nil {
		return nil, f
	}
	switch t.text {
	case "while":
		return &whileCommand{pos: t.pos, condition: value, body: body}, nil
	case "loopn":
		return &loopnCommand{pos: t.pos, count: value, body: body}, nil
	case "every":
		return &everyCommand{pos: t.pos, period: value, body: body}, nil
	default:
		return &timeoutCommand{pos: t.pos, after: value, body: body}, nil
	}
}

// step reads a setting in the parentheses of for.
func (p *parser) step(purpose string) (command, *Fault) {
	t := p.peek()
	var c command
	var f *Fault
	if p.isWord("var") {
		p.at++
		c, f = p.action(t)
	} else {
		c, f = p.setting()
	}
	if f != nil {
		return nil, f
	}
	if _, ok := c.(*setCommand); !ok {
		return nil, newFault(t.pos, "for needs %s, such as i=0", purpose)
	}
	return c, nil
}

func (p *parser) forCommand(pos Pos) (command, *Fault) {
	c := &forCommand{pos: pos}
	var f *Fault
	if f = p.expect("(", "behind for"); f != nil {
		return nil, f
	}
	if c.first, f = p.step("a setting to begin with"); f != nil {
		return nil, f
	}
	if f = p.expect(";", "behind the first setting"); f != nil {
		return nil, f
	}
	if c.condition, f = p.value(); f != nil {
		return nil, f
	}
	if f = p.expect(";", "behind the condition"); f != nil {
		return nil, f
	}
	if c.next, f = p.step("a setting for each turn"); f != nil {
		return nil, f
	}
	if f = p.expect(")", "behind the last setting"); f != nil {
		return nil, f
	}
	c.body, f = p.body()
	return c, f
}

func (p *parser) foreachCommand(pos Pos) (command, *Fault) {
	c := &foreachCommand{pos: pos}
	bracket := p.accept("(")
	name, f := p.name("a name behind foreach")
	if f != nil {
		return nil, f
	}
	c.name = name.text
	if !p.isWord("in") {
		return nil, p.unexpected("in, as in foreach x in [1, 2, 3]")
	}
	p.at++
	if c.list, f = p.value(); f != nil {
		return nil, f
	}
	if bracket {
		if f = p.expect(")", "behind the list"); f != nil {
			return nil, f
		}
	}
	c.body, f = p.body()
	return c, f
}

// watch reads at and whenever.
func (p *parser) watch(t token) (command, *Fault) {
	test, f := p.test()
	if f != nil {
		return nil, f
	}
	body, f := p.body()
	if f != nil {
		return nil, f
	}
	var other command
	if p.isWord("else") || t.text == "at" && p.isWord("onleave") {
		p.at++
		if other, f = p.body(); f != nil {
			return nil, f
		}
	}
	if t.text == "at" {
		return &atCommand{pos: t.pos, test: test, body: body, onleave: other}, nil
	}
	return &wheneverCommand{pos: t.pos, test: test, body: body, otherwise: other}, nil
}
