package script

import (
	"maps"
	"slices"
	"strings"
)

// A parser reads the tokens of one command by recursive descent.
type parser struct {
	tokens  []token
	at      int
	depth   int    // levels of blocks and brackets
	inDef   int    // levels of function definitions
	data    string // binary data after the command
	declare bool   // the current block has declared a variable
	word    int    // the first token of the last command, without its tag
}

// Parse reads a whole script. A fault drops only the command that contains it.
func Parse(text string) (*Program, []*Fault) {
	if len(text) > MaxScript {
		return &Program{}, []*Fault{newFault(Pos{1, 1}, "the script has %d bytes; a script has at most %d", len(text), MaxScript)}
	}
	var faults []*Fault
	p := &Program{size: len(text)}
	r := Reader{}
	arrived := r.Read(text + "\n").arrived
	if it, fault, ok := r.rest(); ok {
		arrived = append(arrived, arrival{it, fault})
	}
	for _, a := range arrived {
		if a.fault != nil {
			faults = append(faults, a.fault)
			continue
		}
		p.items = append(p.items, a.item)
	}
	p.hasVar = false // a variable of a script belongs to its unit
	return p, faults
}

// parseItem reads one command without its separator.
func parseItem(text string, pos Pos, data string) (it item, fault *Fault, empty bool) {
	l := lexer{text: text, pos: pos}
	tokens, fault := l.tokens()
	if fault != nil {
		return item{}, fault, false
	}
	if len(tokens) == 1 {
		return item{}, nil, true
	}
	p := &parser{tokens: tokens, data: data}
	c, fault := p.statement()
	if fault == nil && p.peek().kind != endToken {
		fault = p.unexpected("; or , or & or | after the command")
	}
	if fault != nil {
		if misspelt := p.misspelt(); misspelt != nil {
			fault = misspelt
		}
		return item{}, fault, false
	}
	return item{command: c, position: tokens[0].pos}, nil, false
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) peekAt(n int) token {
	return p.tokens[min(p.at+n, len(p.tokens)-1)]
}

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// is reports whether the next token is the given sign.
func (p *parser) is(sign string) bool {
	t := p.peek()
	return t.kind == signToken && t.text == sign
}

// isWord reports whether the next token is the given word.
func (p *parser) isWord(word string) bool {
	t := p.peek()
	return t.kind == nameToken && t.text == word
}

// accept takes the next token if it is the given sign.
func (p *parser) accept(sign string) bool {
	if !p.is(sign) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(sign, purpose string) *Fault {
	if p.accept(sign) {
		return nil
	}
	return p.unexpected(sign + " " + purpose)
}

// unexpected returns the fault of the next token, where wanted must be.
func (p *parser) unexpected(wanted string) *Fault {
	t := p.peek()
	if owner := map[string]string{"else": "if", "onleave": "at"}[t.text]; owner != "" && t.kind == nameToken {
		if p.at == 0 || p.tokens[p.at-1].text == ";" || p.tokens[p.at-1].text == "," {
			return newFault(t.pos, "this %s has no %s: the ; or , before it ended the %s; leave that out", t.text, owner, owner)
		}
		return newFault(t.pos, "this %s has no %s; it belongs right after the body of one", t.text, owner)
	}
	if p.at > 0 && p.tokens[p.at-1].text == "}" && p.tokens[p.at-1].kind == signToken {
		wanted = strings.Replace(wanted, "after the command", "after the }", 1)
	}
	return newFault(t.pos, "expected %s, found %s", wanted, t.describe())
}

// misspelt returns a fault if the last command begins like a statement of which the word is
// misspelt, such as stopp t or whil (x) y, and what follows the word is unexpected; nil = it
// does not.
func (p *parser) misspelt() *Fault {
	word, found := p.tokens[p.word], p.peek()
	isTest := found.text == "~" || found.text == "?"
	switch {
	case word.kind != nameToken, reserved[word.text], p.at <= p.word, found.kind == endToken, found.text == "else", found.text == "onleave":
		return nil
	case found.kind == signToken && !isTest && found.text != "{" && found.text != "[":
		return nil
	case p.at > p.word+1:
		before := p.tokens[p.at-1]
		if p.tokens[p.word+1].text != "(" || !isTest && before.text != ")" {
			return nil
		}
	}
	did := suggestName(word.text, statementWords)
	if did == "" {
		return nil
	}
	return newFault(word.pos, "%s is not known.%s", word.text, did)
}

// enter counts a level of nesting and checks its limit.
func (p *parser) enter() *Fault {
	if p.depth++; p.depth > MaxNesting {
		return newFault(p.peek().pos, "blocks and brackets are nested more than %d deep", MaxNesting)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// reserved are the keywords, which cannot be names.
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`if else while loopn every timeout loop for foreach at onleave whenever stopif freezeif
		only var wait sleep echo return load waituntil emit stop freeze unfreeze block unblock def undef group blend unit
		rangemin rangemax info motoron motoroff motor killall quit devices connections ping noop inf pi true false BIN`) {
		m[w] = true
	}
	return m
}()

// statementWords are the keywords that begin a command.
var statementWords = func() []string {
	var all []string
	for w := range reserved {
		if !slices.Contains([]string{"else", "onleave", "inf", "pi", "true", "false", "BIN"}, w) {
			all = append(all, w)
		}
	}
	slices.Sort(all)
	return all
}()

// Keywords returns the words of the language, in any order. None of them can be a name,
// except for in, which is a keyword only after foreach.
func Keywords() []string { return slices.AppendSeq([]string{"self", "in"}, maps.Keys(reserved)) }

// name reads a name that is not a keyword.
func (p *parser) name(purpose string) (token, *Fault) {
	t := p.peek()
	switch {
	case t.kind != nameToken:
		return t, p.unexpected(purpose)
	case reserved[t.text] && !p.startsPath():
		return t, newFault(t.pos, "expected %s, found %s, which is a word of the language", purpose, t.text)
	}
	p.at++
	return t, nil
}

// startsPath reports whether a name with a dot follows, as in stop.val; then its first word
// may be a keyword.
func (p *parser) startsPath() bool {
	dot := p.peekAt(1)
	return dot.kind == signToken && dot.text == "." && p.peekAt(2).kind == nameToken
}

// path reads names separated by dots.
func (p *parser) path(purpose string) (path, *Fault) {
	t, f := p.name(purpose)
	if f != nil {
		return path{}, f
	}
	parts := []string{t.text}
	for p.is(".") {
		p.at++
		t := p.next()
		if t.kind != nameToken {
			p.at--
			return path{}, p.unexpected("a name behind the .")
		}
		if parts = append(parts, t.text); len(parts) > maxParts {
			return path{}, newFault(t.pos, "this name has more than %d parts", maxParts)
		}
	}
	return makePath(parts, t.pos), nil
}

func makePath(parts []string, pos Pos) path {
	n := len(parts)
	return path{
		parts: parts, text: strings.Join(parts, "."), pos: pos, last: parts[n-1],
		base: strings.Join(parts[:n-1], "."), rest: strings.Join(parts[1:], "."),
	}
}

// names reads the names in ( ) or { }, up to the closing bracket.
func (p *parser) names(end string) ([]string, *Fault) {
	var all []string
	for !p.is(end) {
		t, f := p.name("a name or " + end)
		if f != nil {
			return nil, f
		}
		if slices.Contains(all, t.text) {
			return nil, newFault(t.pos, "%s is given twice; names must differ", t.text)
		}
		all = append(all, t.text)
		if !p.accept(",") {
			break
		}
	}
	return all, p.expect(end, "behind the names")
}
