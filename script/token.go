package script

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind int

const (
	endToken    tokenKind = iota // after the last token
	nameToken                    // a name or a keyword
	numberToken                  // converted from its unit
	textToken                    // in quotes
	signToken                    // an operator, a bracket or a separator
)

// A token is one word of a text.
type token struct {
	kind   tokenKind
	text   string  // the name, the sign, or the text without its quotes
	number float64 // of a number, in ms, degrees or metres
	isTime bool    // the number has a unit of time
	pos    Pos
}

// describe returns a token as quoted in a fault.
func (t token) describe() string {
	switch t.kind {
	case endToken:
		return "the end of the command"
	case textToken:
		return "the text " + strconv.Quote(clip(t.text))
	default:
		return clip(t.text)
	}
}

func clip(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "..."
}

// units are the units that may follow a number, with the factor to the unit of values.
var units = map[string]struct {
	factor float64
	isTime bool
}{
	"ms": {1, true}, "s": {1000, true}, "min": {60_000, true}, "h": {3_600_000, true},
	"deg": {1, false}, "rad": {180 / 3.14159265358979323846, false},
	"m": {1, false}, "cm": {0.01, false},
}

// A lexer reads the tokens of one command.
type lexer struct {
	text string
	at   int
	pos  Pos
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// advance moves past n bytes.
func (l *lexer) advance(n int) {
	for range n {
		switch c := l.text[l.at]; {
		case c == '\n':
			l.pos.Line++
			l.pos.Column = 1
		case c < utf8.RuneSelf || utf8.RuneStart(c): // count each character once
			l.pos.Column++
		}
		l.at++
	}
}

func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

// tokens returns all tokens, followed by endToken.
func (l *lexer) tokens() ([]token, *Fault) {
	var all []token
	for {
		t, f := l.next()
		if f != nil {
			return nil, f
		}
		all = append(all, t)
		if t.kind == endToken {
			return all, nil
		}
	}
}

// skipBlank moves past white space and comments.
func (l *lexer) skipBlank() *Fault {
	for l.at < len(l.text) {
		switch c := l.peek(0); {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.advance(1)
		case c == '#' || c == '/' && l.peek(1) == '/':
			n := strings.IndexByte(l.text[l.at:], '\n')
			if n < 0 {
				n = len(l.text) - l.at
			}
			l.advance(n)
		case c == '/' && l.peek(1) == '*':
			n := strings.Index(l.text[l.at+2:], "*/")
			if n < 0 {
				return newFault(l.pos, "this comment is not closed; it ends with */")
			}
			l.advance(n + 4)
		default:
			return nil
		}
	}
	return nil
}

// signs are the operators of two characters; others have one.
var signs = []string{"||", "&&", "==", "!=", "~=", "<=", ">=", "++", "--", "->", "'n"}

func (l *lexer) next() (token, *Fault) {
	if f := l.skipBlank(); f != nil {
		return token{}, f
	}
	t := token{pos: l.pos}
	c := l.peek(0)
	switch {
	case l.at == len(l.text):
		return t, nil
	case isLetter(c):
		n := 1
		for isLetter(l.peek(n)) || isDigit(l.peek(n)) {
			n++
		}
		t.kind, t.text = nameToken, l.text[l.at:l.at+n]
		if n > maxName {
			return t, newFault(t.pos, "%s has %d letters; a name has at most %d", clip(t.text), n, maxName)
		}
		l.advance(n)
		return t, nil
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		return l.number()
	case c == '"':
		return l.quoted()
	}
	t.kind = signToken
	for _, s := range signs {
		if strings.HasPrefix(l.text[l.at:], s) {
			if s == "'n" && (isLetter(l.peek(2)) || isDigit(l.peek(2))) {
				continue
			}
			t.text = s
			l.advance(len(s))
			return t, nil
		}
	}
	if !strings.ContainsRune("+-*/%^!<>=()[]{},;&|:?.@~", rune(c)) {
		r, _ := utf8.DecodeRuneInString(l.text[l.at:])
		return t, newFault(t.pos, "%q is not part of the language; text is written in quotes \"..\"", r)
	}
	t.text = string(c)
	l.advance(1)
	return t, nil
}

// number reads digits with an optional decimal point, exponent and unit.
func (l *lexer) number() (token, *Fault) {
	t := token{kind: numberToken, pos: l.pos}
	n := 0
	for isDigit(l.peek(n)) {
		n++
	}
	if l.peek(n) == '.' && isDigit(l.peek(n+1)) {
		n++
		for isDigit(l.peek(n)) {
			n++
		}
	}
	if c := l.peek(n); c == 'e' || c == 'E' {
		e := n + 1
		if l.peek(e) == '+' || l.peek(e) == '-' {
			e++
		}
		if isDigit(l.peek(e)) {
			for n = e; isDigit(l.peek(n)); n++ {
			}
		}
	}
	value, err := strconv.ParseFloat(l.text[l.at:l.at+n], 64)
	u := n
	for isLetter(l.peek(u)) || u > n && isDigit(l.peek(u)) {
		u++
	}
	t.text, t.number = l.text[l.at:l.at+u], value
	if err != nil {
		return t, newFault(t.pos, "%s is too large for a number", clip(t.text))
	}
	if u > n {
		unit, ok := units[l.text[l.at+n:l.at+u]]
		if !ok {
			return t, newFault(t.pos, "%s has an unknown unit; the units are ms s min h deg rad m cm", clip(t.text))
		}
		t.number, t.isTime = value*unit.factor, unit.isTime
	}
	l.advance(u)
	return t, nil
}

// quoted reads a text in quotes, with \n, \t, \" and \\ in it.
func (l *lexer) quoted() (token, *Fault) {
	t := token{kind: textToken, pos: l.pos}
	var b strings.Builder
	for n := 1; l.at+n < len(l.text); n++ {
		switch c := l.peek(n); c {
		case '"':
			t.text = b.String()
			switch {
			case len(t.text) > MaxText:
				return t, newFault(t.pos, "this text has %d bytes; a text has at most %d", len(t.text), MaxText)
			case !utf8.ValidString(t.text):
				return t, newFault(t.pos, "this text is not UTF-8")
			}
			l.advance(n + 1)
			return t, nil
		case '\\':
			n++
			switch e := l.peek(n); e {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '"', '\\':
				b.WriteByte(e)
			default:
				return t, newFault(t.pos, `a \ in a text must be followed by n, t, " or \`)
			}
		default:
			b.WriteByte(c)
		}
	}
	return t, newFault(t.pos, "this text is not closed; it ends with \"")
}
