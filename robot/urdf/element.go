package urdf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mybot/strictjson"
)

// Limits of a file.
const (
	maxBytes    = 8 << 20
	maxDepth    = 32
	maxElements = 100_000
	maxNumber   = 1e9 // in m, rad, kg and per second: beyond that of any robot
)

// An element is one XML element with its content.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	line     int
	taken    bool // a reader has used it
}

// parseXML reads the element tree of a URDF. It does not expand entities.
func parseXML(data []byte) (*element, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("it is %d bytes long; it must be at most %d", len(data), maxBytes)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	document := &element{}
	open, count := []*element{document}, 0
	for {
		token, err := d.Token()
		line, _ := d.InputPos()
		switch {
		case errors.Is(err, io.EOF) && len(document.children) == 1:
			return document.children[0], nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("it has %d outermost tags; it must have one, <robot>", len(document.children))
		case err != nil:
			return nil, fmt.Errorf("it is not XML that can be read: %w", err)
		}
		switch token := token.(type) {
		case xml.Directive:
			return nil, fmt.Errorf("line %d: it has <!%s...>; a URDF has no document type and no entities", line, clip(string(token[:min(len(token), 20)])))
		case xml.StartElement:
			if count++; count > maxElements || len(open) > maxDepth {
				return nil, fmt.Errorf("line %d: it must have at most %d tags, %d deep", line, maxElements, maxDepth)
			}
			e, err := newElement(token, line)
			if err != nil {
				return nil, err
			}
			parent := open[len(open)-1]
			parent.children = append(parent.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

// newElement returns the element of a tag. It refuses tags that xacro would expand.
func newElement(tag xml.StartElement, line int) (*element, error) {
	e := &element{name: tag.Name.Local, attrs: map[string]string{}, line: line}
	isXacro := tag.Name.Space == "xacro" || strings.HasSuffix(tag.Name.Space, "/xacro")
	for _, a := range tag.Attr {
		if a.Name.Space == "" {
			e.attrs[a.Name.Local] = a.Value
		}
		isXacro = isXacro || strings.Contains(a.Value, "${") || strings.Contains(a.Value, "$(")
	}
	if isXacro {
		return nil, fmt.Errorf("line %d: it is written in xacro (<%s>); expand it first: xacro FILE.urdf.xacro > FILE.urdf", line, tagName(tag.Name))
	}
	return e, nil
}

func tagName(n xml.Name) string {
	if strings.HasSuffix(n.Space, "xacro") {
		return "xacro:" + n.Local
	}
	return n.Local
}

// each takes all children with a name.
func (e *element) each(name string) (list []*element) {
	if e == nil {
		return nil
	}
	for _, c := range e.children {
		if c.name == name {
			c.taken = true
			list = append(list, c)
		}
	}
	return list
}

// first takes the first child with a name and skips the others; nil = there is none.
func (e *element) first(name string) *element {
	if e == nil {
		return nil
	}
	for _, c := range e.children {
		if c.name == name {
			c.taken = true
			return c
		}
	}
	return nil
}

// attr returns an attribute; "" = it is absent.
func (e *element) attr(name string) string {
	if e == nil {
		return ""
	}
	return strings.TrimSpace(e.attrs[name])
}

// number returns a numeric attribute, or otherwise if it is absent.
func (e *element) number(name string, otherwise float64) (float64, error) {
	if e.attr(name) == "" {
		return otherwise, nil
	}
	var n [1]float64
	err := e.numbers(name, n[:])
	return n[0], err
}

// numbers reads an attribute with exactly len(into) numbers. If the attribute is absent,
// into stays as it is.
func (e *element) numbers(name string, into []float64) error {
	text := e.attr(name)
	if text == "" {
		return nil
	}
	fields := strings.Fields(text)
	for i := range into {
		if len(fields) == len(into) {
			x, err := strconv.ParseFloat(fields[i], 64)
			if into[i] = x; err == nil && math.Abs(x) <= maxNumber {
				continue
			}
		}
		return fmt.Errorf("line %d: <%s %s=%q>: it must be %s", e.line, e.name, name, clip(text), countNumbers(len(into)))
	}
	return nil
}

func countNumbers(n int) string {
	if n == 1 {
		return "a number of at most 1e9"
	}
	return fmt.Sprintf("%d numbers of at most 1e9 separated by spaces", n)
}

func clip(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return strictjson.Printable(s)
}
