package script

import "math"

// A builtin is a function of the language.
type builtin struct {
	min, max int // number of arguments
	of       func(s *scope, v []float64) float64
}

func oneNumber(f func(float64) float64) *builtin {
	return &builtin{1, 1, func(_ *scope, v []float64) float64 { return f(v[0]) }}
}

// builtins are the numeric functions. Angles are in rad, as in C.
var builtins = map[string]*builtin{
	"abs": oneNumber(math.Abs), "sqrt": oneNumber(math.Sqrt), "exp": oneNumber(math.Exp), "log": oneNumber(math.Log),
	"sin": oneNumber(math.Sin), "cos": oneNumber(math.Cos), "tan": oneNumber(math.Tan),
	"asin": oneNumber(math.Asin), "acos": oneNumber(math.Acos), "atan": oneNumber(math.Atan),
	"floor": oneNumber(math.Floor), "ceil": oneNumber(math.Ceil), "round": oneNumber(math.Round), "trunc": oneNumber(math.Trunc),
	"sign": oneNumber(func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	}),
	"sqr":   oneNumber(func(x float64) float64 { return x * x }),
	"atan2": {2, 2, func(_ *scope, v []float64) float64 { return math.Atan2(v[0], v[1]) }},
	"pow":   {2, 2, func(_ *scope, v []float64) float64 { return math.Pow(v[0], v[1]) }},
	"min": {1, MaxList, func(_ *scope, v []float64) float64 {
		least := v[0]
		for _, x := range v {
			least = math.Min(least, x)
		}
		return least
	}},
	"max": {1, MaxList, func(_ *scope, v []float64) float64 {
		greatest := v[0]
		for _, x := range v {
			greatest = math.Max(greatest, x)
		}
		return greatest
	}},
	"random": {2, 2, func(s *scope, v []float64) float64 {
		s.machine.isVolatile = true
		return v[0] + (v[1]-v[0])*s.machine.random.Float64()
	}},
}

// apply returns the result of a builtin for values.
func (b *builtin) apply(s *scope, c *call, values []Value) (Value, *Fault) {
	if len(values) < b.min || len(values) > b.max {
		return Value{}, s.fault(c.path.pos, "%s takes %s, not %d", c.path.text, countOf(b.min, b.max), len(values))
	}
	numbers := make([]float64, len(values))
	for i, v := range values {
		if v.kind != number {
			return v, s.fault(c.values[i].place(), "%s takes numbers, not %s", c.path.text, v.describe())
		}
		numbers[i] = v.number
	}
	r := b.of(s, numbers)
	if math.IsNaN(r) {
		return Value{}, s.fault(c.path.pos, "%s has no value here", c.path.text)
	}
	return Number(r), nil
}

func countOf(least, most int) string {
	switch {
	case least == 1 && most == 1:
		return "one value"
	case least == 0 && most == 0:
		return "no value"
	case least == most:
		return shortNumber(float64(least)) + " values"
	}
	return shortNumber(float64(least)) + " to " + shortNumber(float64(most)) + " values"
}
