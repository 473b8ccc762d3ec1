package script

import "math"

func (e *literal) eval(*scope, Time) (Value, *Fault) { return e.value, nil }

func (e *listExpression) eval(s *scope, at Time) (Value, *Fault) {
	s.unit.work(len(e.elements))
	elements := make([]Value, len(e.elements))
	for i, x := range e.elements {
		v, f := x.eval(s, at)
		if f != nil {
			return v, f
		}
		elements[i] = v
	}
	return s.checkSize(List(elements...), e.pos)
}

// checkSize returns a new value, or a fault if it is too large.
func (s *scope) checkSize(v Value, pos Pos) (Value, *Fault) {
	switch {
	case v.kind == text && len(v.text) > MaxText:
		return v, s.fault(pos, "this text would have %d bytes; a text has at most %d", len(v.text), MaxText)
	case v.kind == list && len(v.more.list) > MaxList:
		return v, s.fault(pos, "this list would have %d elements; a list has at most %d", len(v.more.list), MaxList)
	case v.kind == list && v.more.depth > MaxNesting:
		return v, s.fault(pos, "lists would be nested more than %d deep", MaxNesting)
	case v.kind == list && v.size() > MaxMemory:
		return v, s.fault(pos, "this list would take %d bytes; all scripts share %d", v.size(), MaxMemory)
	}
	return v, nil
}

func (e *unaryExpression) eval(s *scope, at Time) (Value, *Fault) {
	v, f := e.of.eval(s, at)
	if f != nil {
		return v, f
	}
	if e.sign == "!" {
		return truth(!v.isTrue()), nil
	}
	if v.kind != number {
		return v, s.fault(e.pos, "- needs a number, not %s", v.describe())
	}
	return Number(-v.number), nil
}

func (e *binaryExpression) eval(s *scope, at Time) (Value, *Fault) {
	s.unit.work(1)
	left, f := e.left.eval(s, at)
	if f != nil {
		return left, f
	}
	switch {
	case e.sign == or && left.isTrue():
		return Number(1), nil
	case e.sign == and && !left.isTrue():
		return Number(0), nil
	}
	right, f := e.right.eval(s, at)
	if f != nil {
		return right, f
	}
	if left.kind == number && right.kind == number {
		return e.ofNumbers(s, left.number, right.number)
	}
	switch e.sign {
	case or, and:
		return truth(right.isTrue()), nil
	case equal:
		s.unit.work(left.size() / 64)
		return truth(left.equals(right)), nil
	case unequal:
		s.unit.work(left.size() / 64)
		return truth(!left.equals(right)), nil
	case add:
		if left.kind != nothing && right.kind != nothing {
			return e.join(s, left, right)
		}
	case less, lessOrEqual, greater, greaterOrEqual:
		if left.kind == text && right.kind == text {
			return truth(compareTexts(e.sign, left.text, right.text)), nil
		}
	}
	wrong, of := left, e.left
	if left.kind == number {
		wrong, of = right, e.right
	}
	if f := s.withoutValue(wrong, of); f != nil {
		return wrong, f
	}
	return wrong, s.fault(e.pos, "%s needs two numbers, not %s", e.sign, wrong.describe())
}

// withoutValue returns the fault of a call that gives no value where one is needed; nil = it
// is no such call.
func (s *scope) withoutValue(v Value, of expression) *Fault {
	if c, ok := of.(*call); ok && v.kind == nothing {
		return s.fault(c.path.pos, "%s gives no value", c.path.text)
	}
	return nil
}

func (o operator) String() string {
	for sign, known := range binaryOperators {
		if known.operator == o {
			return sign
		}
	}
	return "^"
}

func compareTexts(sign operator, a, b string) bool {
	switch sign {
	case less:
		return a < b
	case lessOrEqual:
		return a <= b
	case greater:
		return a > b
	default:
		return a >= b
	}
}

// nearlyEqual is the largest difference of two numbers for which ~= is true.
const nearlyEqual = 1e-4

func (e *binaryExpression) ofNumbers(s *scope, a, b float64) (Value, *Fault) {
	var r float64
	switch e.sign {
	case or, and:
		return truth(b != 0), nil
	case equal:
		return truth(a == b), nil
	case unequal:
		return truth(a != b), nil
	case near:
		return truth(a == b || math.Abs(a-b) <= nearlyEqual), nil
	case less:
		return truth(a < b), nil
	case lessOrEqual:
		return truth(a <= b), nil
	case greater:
		return truth(a > b), nil
	case greaterOrEqual:
		return truth(a >= b), nil
	case add:
		r = a + b
	case subtract:
		r = a - b
	case multiply:
		r = a * b
	case divide, modulo:
		if b == 0 {
			return Value{}, s.fault(e.pos, "this divides by 0")
		}
		if r = a / b; e.sign == modulo {
			r = math.Mod(a, b)
		}
	case power:
		r = math.Pow(a, b)
	}
	if math.IsNaN(r) {
		return Value{}, s.fault(e.pos, "%s %s %s has no value", shortNumber(a), e.sign, shortNumber(b))
	}
	return Number(r), nil
}

// join concatenates lists, or texts and numbers.
func (e *binaryExpression) join(s *scope, left, right Value) (Value, *Fault) {
	switch {
	case left.kind == list && right.kind == list:
		s.unit.work(len(left.more.list) + len(right.more.list))
		elements := make([]Value, 0, len(left.more.list)+len(right.more.list))
		v := List(append(append(elements, left.more.list...), right.more.list...)...)
		return s.checkSize(v, e.pos)
	case isPlain(left) && isPlain(right):
		joined := plain(left) + plain(right)
		s.unit.work(len(joined) / joinedAStep)
		return s.checkSize(Text(joined), e.pos)
	}
	return Value{}, s.fault(e.pos, "+ adds numbers and joins texts or lists; it cannot join %s and %s", left.describe(), right.describe())
}

func isPlain(v Value) bool { return v.kind == text || v.kind == number }

// plain returns a value as part of a text.
func plain(v Value) string {
	if v.kind == text {
		return v.text
	}
	return shortNumber(v.number + 0)
}
