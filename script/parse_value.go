package script

import (
	"math"
	"strings"
)

type operator int

const (
	or operator = iota
	and
	equal
	unequal
	near
	less
	lessOrEqual
	greater
	greaterOrEqual
	add
	subtract
	multiply
	divide
	modulo
	power
)

// binaryOperators are the binary operators with their precedence.
var binaryOperators = map[string]struct {
	operator operator
	binds    int
}{
	"||": {or, 1}, "&&": {and, 2},
	"==": {equal, 3}, "!=": {unequal, 3}, "~=": {near, 3},
	"<": {less, 4}, "<=": {lessOrEqual, 4}, ">": {greater, 4}, ">=": {greaterOrEqual, 4},
	"+": {add, 5}, "-": {subtract, 5}, "*": {multiply, 6}, "/": {divide, 6}, "%": {modulo, 6},
}

// value reads an expression.
func (p *parser) value() (expression, *Fault) { return p.binary(1) }

// binary reads operators of at least the given precedence, by precedence climbing.
func (p *parser) binary(binds int) (expression, *Fault) {
	left, f := p.unary()
	if f != nil {
		return nil, f
	}
	chain := p.depth
	defer func() { p.depth = chain }()
	for {
		t := p.peek()
		op, ok := binaryOperators[t.text]
		if t.kind != signToken || !ok || op.binds < binds {
			return left, nil
		}
		p.at++
		right, f := p.binary(op.binds + 1)
		if f != nil {
			return nil, f
		}
		left = &binaryExpression{pos: t.pos, sign: op.operator, left: left, right: right}
	}
}

// unary reads signs before a value; a power binds more tightly, as in mathematics.
func (p *parser) unary() (expression, *Fault) {
	t := p.peek()
	if t.kind == signToken && (t.text == "!" || t.text == "-" || t.text == "+") {
		p.at++
		if f := p.enter(); f != nil {
			return nil, f
		}
		defer p.leave()
		of, f := p.unary()
		if f != nil || t.text == "+" {
			return of, f
		}
		return &unaryExpression{pos: t.pos, sign: t.text, of: of}, nil
	}
	base, f := p.primary()
	if f != nil || !p.is("^") {
		return base, f
	}
	pos := p.next().pos
	if f := p.enter(); f != nil {
		return nil, f
	}
	defer p.leave()
	exponent, f := p.unary()
	return &binaryExpression{pos: pos, sign: power, left: base, right: exponent}, f
}

var constants = map[string]float64{"inf": math.Inf(1), "pi": math.Pi, "true": 1, "false": 0}

// primary reads a value without operators.
func (p *parser) primary() (expression, *Fault) {
	t := p.peek()
	switch {
	case t.kind == numberToken:
		p.at++
		return &literal{t.pos, Number(t.number)}, nil
	case t.kind == textToken:
		p.at++
		return &literal{t.pos, Text(t.text)}, nil
	case p.is("("):
		return p.inBrackets("behind the value")
	case p.accept("["):
		elements, f := p.values("]")
		if len(elements) > MaxList {
			return nil, newFault(t.pos, "this list has %d elements; a list has at most %d", len(elements), MaxList)
		}
		return &listExpression{t.pos, elements}, f
	case t.kind != nameToken:
		return nil, p.unexpected("a value")
	case t.text == "BIN":
		return p.binaryData()
	}
	if c, ok := constants[t.text]; ok {
		p.at++
		return &literal{t.pos, Number(c)}, nil
	}
	return p.named()
}

// named reads a path and its suffixes.
func (p *parser) named() (expression, *Fault) {
	pa, f := p.path("a value")
	if f != nil {
		return nil, f
	}
	switch {
	case p.accept("("):
		values, f := p.values(")")
		return &call{path: pa, values: values}, f
	case p.accept("->"):
		t := p.next()
		if t.kind != nameToken {
			p.at--
			return nil, p.unexpected("unit, rangemin, rangemax or blend behind ->")
		}
		return &propertyExpression{path: pa, property: propertyName(t.text), pos: t.pos}, nil
	case p.accept("'n"):
		return &readExpression{path: pa, normal: true}, nil
	}
	pa, normal := pa.withoutN()
	return &readExpression{path: pa, normal: normal, isTime: pa.text == "time"}, nil
}

// inBrackets reads a value in parentheses.
func (p *parser) inBrackets(where string) (expression, *Fault) {
	p.at++
	if f := p.enter(); f != nil {
		return nil, f
	}
	defer p.leave()
	e, f := p.value()
	if f != nil {
		return nil, f
	}
	return e, p.expect(")", where)
}

// values reads values separated by commas, up to the closing bracket.
func (p *parser) values(end string) ([]expression, *Fault) {
	if f := p.enter(); f != nil {
		return nil, f
	}
	defer p.leave()
	var all []expression
	for !p.is(end) {
		e, f := p.value()
		if f != nil {
			return nil, f
		}
		all = append(all, e)
		if !p.accept(",") {
			break
		}
	}
	return all, p.expect(end, "behind the values")
}

// binaryData reads a header such as BIN 2048 wav; the bytes follow the command.
func (p *parser) binaryData() (expression, *Fault) {
	t := p.next()
	n := p.next()
	if n.kind != numberToken {
		return nil, newFault(t.pos, "BIN needs a number of bytes and a format, as in BIN 2048 wav")
	}
	var format []string
	for p.peek().kind == nameToken || p.peek().kind == numberToken {
		format = append(format, p.next().text)
	}
	switch {
	case int(n.number) > MaxBinary:
		return nil, newFault(n.pos, "binary data has at most %d bytes", MaxBinary)
	case len(format) == 0 || p.peek().kind != endToken:
		return nil, newFault(t.pos, "BIN needs a number of bytes and a format at the end of its command, as in BIN 2048 wav;")
	case len(p.data) != int(n.number):
		return nil, newFault(t.pos, "BIN has %d bytes behind its command; it announces %s", len(p.data), n.text)
	}
	return &literal{t.pos, Binary(strings.Join(format, " "), []byte(p.data))}, nil
}
