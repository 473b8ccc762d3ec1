package script

import (
	"bytes"
	"fmt"
	"strings"
)

// A Reader splits text that arrives in pieces into commands: each ends with a ; or ,
// outside of brackets. Positions count from the start of the piece in which a command
// starts.
type Reader struct {
	text    []byte // a piece is appended in place
	pos     Pos
	blank   int // bytes of white space before the command
	scanned int // bytes of text that the scanner has passed
	inside  int // bytes after these that it has seen of a word, text or comment without its end
	open    []bracket
	word    []byte // the previous word
	isFor   bool   // word is directly before the scanner
	isDef   bool   // the command defines a function, so it ends with its block
	tooLong bool   // the reader skips the command up to its end
	begun   bool   // more than the start of a byte order mark has arrived
	needed  int    // length of text with the binary data that it waits for
}

// A bracket is an open bracket. It counts those of its block, up to itself, so that a bracket
// that closes nothing is known at once.
type bracket struct {
	kind          byte // f is a ( after for
	isInBlock     bool // it is a {, or in one
	round, square int32
}

// An item is one command with its separator.
type item struct {
	command  command
	beside   bool // a , follows: the next one does not wait
	charge   int  // bytes that its text and its binary data count for
	arrived  Time // its earliest start
	position Pos
}

// Commands are the commands and faults that a Reader has found in a text, in order.
type Commands struct{ arrived []arrival }

type arrival struct {
	item  item
	fault *Fault // nil = the item is a command
}

// Pending returns how many bytes of a command have arrived whose end has not.
func (r *Reader) Pending() int { return len(r.text) - r.blank }

// IsEmpty reports whether there are neither commands nor faults.
func (c Commands) IsEmpty() bool { return len(c.arrived) == 0 }

// Read takes the next piece of the text and returns the commands that it completes.
func (r *Reader) Read(text string) Commands {
	var c Commands
	r.feed(text)
	for len(r.text) >= r.needed {
		it, f, ok := r.next()
		if !ok {
			break
		}
		c.arrived = append(c.arrived, arrival{it, f})
	}
	return c
}

// byteOrderMark is what some editors and libraries write before a text.
const byteOrderMark = "\ufeff"

// feed appends to the text.
func (r *Reader) feed(text string) {
	switch {
	case !r.begun:
		if text = string(r.text) + text; len(text) < len(byteOrderMark) && strings.HasPrefix(byteOrderMark, text) {
			r.text = []byte(text)
			return
		}
		r.reset(strings.TrimPrefix(text, byteOrderMark))
	case !r.tooLong && r.Pending() == 0:
		r.reset(text)
	default:
		r.text = append(r.text, text...)
	}
}

func (r *Reader) reset(text string) {
	*r = Reader{text: []byte(text), pos: Pos{1, 1}, begun: true}
}

// next returns the next complete command, or its fault; ok is false if there is none.
func (r *Reader) next() (it item, fault *Fault, ok bool) {
	for {
		end, separator, binary, found := r.scan()
		if !found {
			if len(r.text) > MaxScript {
				wasTooLong := r.tooLong
				r.tooLong = true
				r.shorten()
				if wasTooLong {
					return item{}, nil, false
				}
				return item{}, newFault(r.pos, "this command has more than %d bytes; it is skipped up to its ; or ,", MaxScript), true
			}
			return item{}, nil, false
		}
		rest := r.text[end+separator:]
		if binary > 0 {
			rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n"))
			if len(rest) < binary {
				r.scanned, r.needed = end, len(r.text)-len(rest)+binary // scan it again when that has arrived
				return item{}, nil, false
			}
		}
		text, data := string(r.text[:end]), string(rest[:binary])
		pos, skip := r.pos, r.tooLong || len(text) > MaxScript
		isLong := !r.tooLong && skip
		isBeside := separator > 0 && r.text[end] == ','
		r.cut(end+separator, rest[binary:])
		switch {
		case isLong:
			return item{}, newFault(pos, "this command has %d bytes; a command has at most %d", len(text), MaxScript), true
		case skip:
			continue
		}
		it, fault, empty := parseItem(text, pos, data)
		if empty {
			continue
		}
		it.beside, it.charge = isBeside, chargeOf(len(text))+len(data)
		return it, fault, true
	}
}

// shorten drops the text of a command that is too long, except what is needed to find its
// end: an open text or comment.
func (r *Reader) shorten() {
	left := string(r.text[r.scanned:])
	switch end := left[max(0, len(left)-1):]; {
	case strings.HasPrefix(left, "\""):
		open := len(strings.TrimRight(left, "\\"))
		left = "\"" + left[len(left)-(len(left)-open)%2:]
	case strings.HasPrefix(left, "/*") && len(left) > 3:
		left = "/*" + end
	case strings.HasPrefix(left, "#"), strings.HasPrefix(left, "//"):
		left = "#"
	default:
		left = end
	}
	r.text, r.blank, r.scanned, r.inside = []byte(left), 0, 0, 0
}

// rest returns the remaining text as the last command, which needs no separator.
func (r *Reader) rest() (it item, fault *Fault, ok bool) {
	it, fault, empty := parseItem(string(r.text), r.pos, "")
	it.charge = chargeOf(len(r.text))
	return it, fault, !empty
}

// cut drops the text up to the rest; the command is its first n bytes.
func (r *Reader) cut(n int, rest []byte) {
	l := lexer{text: string(r.text[:n]), pos: r.pos}
	l.advance(n)
	*r = Reader{text: rest, pos: l.pos, begun: true}
}

// scan finds the end of the first command: the byte at which it ends, the length of its
// separator and the number of bytes of binary data after it.
func (r *Reader) scan() (end, separator, binary int, found bool) {
	for r.scanned < len(r.text) {
		c := r.text[r.scanned]
		n := r.skip()
		if n == 0 {
			return 0, 0, 0, false // not yet known
		}
		at := r.scanned
		r.scanned += n
		if n > 1 || strings.IndexByte(" \t\r\n", c) >= 0 {
			if n == 1 && r.blank == at {
				r.blank++
			}
			r.note(r.text[at:r.scanned])
			continue
		}
		switch c {
		case ';', ',':
			for c == ';' && len(r.open) > 0 && (r.top().kind == '(' || r.top().kind == '[') {
				r.open = r.open[:len(r.open)-1] // unclosed bracket: the parser reports it
			}
			if len(r.open) == 0 {
				return at, 1, binaryLength(r.text[:at]), true
			}
		case '(':
			if r.isFor {
				c = 'f'
			}
			r.openBracket(c)
		case '{', '[':
			r.openBracket(c)
		case ')', ']', '}':
			r.closeBracket(c)
			if c == '}' && len(r.open) == 0 && r.isDef {
				return r.scanned, 0, 0, true
			}
		}
		r.note(r.text[at:r.scanned])
	}
	return 0, 0, 0, false
}

func (r *Reader) top() bracket {
	if len(r.open) == 0 {
		return bracket{}
	}
	return r.open[len(r.open)-1]
}

// openBracket adds an open bracket.
func (r *Reader) openBracket(kind byte) {
	b := r.top()
	switch b.kind = kind; kind {
	case '{':
		b = bracket{kind: kind, isInBlock: true}
	case '[':
		b.square++
	default:
		b.round++
	}
	r.open = append(r.open, b)
}

// closeBracket removes the bracket that c closes, and the unclosed ones in it.
func (r *Reader) closeBracket(c byte) {
	switch b := r.top(); {
	case c == '}' && !b.isInBlock, c == ']' && b.square == 0, c == ')' && b.round == 0:
		return // it closes nothing
	}
	for isClosed := false; !isClosed; r.open = r.open[:len(r.open)-1] {
		o := r.top().kind
		isClosed = c == '}' && o == '{' || c == ']' && o == '[' || c == ')' && (o == '(' || o == 'f')
	}
}

// note stores the previous word, and whether the command defines a function.
func (r *Reader) note(word []byte) {
	switch c := word[0]; {
	case strings.IndexByte(" \t\r\n#", c) >= 0, bytes.HasPrefix(word, []byte("//")), bytes.HasPrefix(word, []byte("/*")):
		return
	case string(word) == "def" && (len(r.word) == 0 || string(r.word) == ":") && len(r.open) == 0:
		r.isDef = true
	}
	r.isFor = string(word) == "for"
	r.word = word
}

// skip returns the length of the word, text or comment at the scanner; 0 = its end has not
// arrived, and the next call goes on where this one has ended.
func (r *Reader) skip() int {
	s := r.text[r.scanned:]
	n := r.inside
	switch c := s[0]; {
	case isLetter(c) || isDigit(c):
		for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
			n++
		}
		if n < len(s) {
			return r.end(n)
		}
	case c == '"':
		for n = max(n, 1); n < len(s); n++ {
			switch s[n] {
			case '\\':
				n++
			case '"':
				return r.end(n + 1)
			}
		}
	case c == '#' || bytes.HasPrefix(s, []byte("//")):
		if i := bytes.IndexByte(s[n:], '\n'); i >= 0 {
			return r.end(n + i + 1)
		}
		n = len(s)
	case bytes.HasPrefix(s, []byte("/*")):
		n = max(n, 2)
		if i := bytes.Index(s[n:], []byte("*/")); i >= 0 {
			return r.end(n + i + 2)
		}
		n = max(2, len(s)-1) // the last byte may be its *
	case len(s) == 1 && c == '/': // a comment may start here
	default:
		return 1
	}
	r.inside = n
	return 0
}

// end returns n, the length of a word, text or comment that has ended.
func (r *Reader) end(n int) int {
	r.inside = 0
	return n
}

// binaryLength returns how many bytes follow a command that ends like
// BIN 2048 wav, or 0.
func binaryLength(command []byte) int {
	text := string(command)
	at := strings.LastIndex(text, "BIN ")
	if at < 0 || at > 0 && (isLetter(text[at-1]) || isDigit(text[at-1])) {
		return 0
	}
	n, format := 0, ""
	if _, err := fmt.Sscanf(text[at:], "BIN %d %s", &n, &format); err != nil || n <= 0 || n > MaxBinary || strings.ContainsRune(text[at:], '"') {
		return 0
	}
	return n
}
