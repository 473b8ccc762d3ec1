package recording

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A Number is a float64 in JSON. JSON has no infinities and no NaN, but it does not
// bound numbers: +Inf, where nothing is within reach, is 1e999, and NaN, where
// nothing was measured, is -1e999. Programs that read IEEE doubles take those for
// +Inf and -Inf, which are never drawn. All other numbers are exact.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

// UnmarshalJSON reads the number.
func (n *Number) UnmarshalJSON(text []byte) error {
	x, err := parseNumber(string(text))
	*n = Number(x)
	return err
}

// A Figure is a number rounded to five decimals, for people; numbers that must be
// exact are Numbers. Figures halve the length of recordings.
type Figure float64

// MarshalJSON writes the figure.
func (f Figure) MarshalJSON() ([]byte, error) {
	x := float64(f)
	if math.Abs(x) < 1e9 {
		x = math.Round(x*1e5)/1e5 + 0 // no -0
	}
	return appendNumber(nil, x), nil
}

// UnmarshalJSON reads the figure.
func (f *Figure) UnmarshalJSON(text []byte) error { return (*Number)(f).UnmarshalJSON(text) }

// Numbers is a list of Number.
type Numbers []float64

// MarshalJSON writes the numbers.
func (all Numbers) MarshalJSON() ([]byte, error) {
	text := make([]byte, 1, 2+20*len(all))
	text[0] = '['
	for i, x := range all {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendNumber(text, x)
	}
	return append(text, ']'), nil
}

// UnmarshalJSON reads the numbers.
func (all *Numbers) UnmarshalJSON(text []byte) error {
	*all = (*all)[:0]
	begin := -1
	for i, c := range text {
		if c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E' || c >= '0' && c <= '9' {
			if begin < 0 {
				begin = i
			}
			continue
		}
		if begin >= 0 {
			x, err := parseNumber(string(text[begin:i]))
			if err != nil {
				return err
			}
			*all, begin = append(*all, x), -1
			continue
		}
		if c != '[' && c != ']' && c != ',' && c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return fmt.Errorf("%q is no list of numbers", text)
		}
	}
	return nil
}

func appendNumber(text []byte, x float64) []byte {
	switch {
	case math.IsInf(x, 1):
		return append(text, "1e999"...)
	case math.IsNaN(x) || math.IsInf(x, -1):
		return append(text, "-1e999"...)
	}
	return strconv.AppendFloat(text, x, 'g', -1, 64)
}

func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is no number", text)
	}
	if math.IsInf(x, -1) {
		x = math.NaN()
	}
	return x, nil
}

// A Stamp is a time in the form of Foxglove's schemas, from 1970 on.
type Stamp struct {
	Sec  uint32 `json:"sec"`
	Nsec uint32 `json:"nsec"`
}

// stampOf returns the stamp of a time; zero for times before 1970.
func stampOf(t time.Time) Stamp {
	if t.Before(time.Unix(0, 0)) {
		return Stamp{}
	}
	return Stamp{uint32(t.Unix()), uint32(t.Nanosecond())} //nolint:gosec // until 2106
}

// A clock converts all times of a recording to one scale, on which they differ
// exactly as they did for the recording program. Go measures differences by the
// monotonic clock, and shows times by the wall clock, which can be set; epoch has
// both. A time without a monotonic reading is unchanged.
type clock struct{ epoch time.Time }

func (c clock) timeOf(t time.Time) time.Time {
	if t == t.Round(0) { //nolint:staticcheck // not Equal: Round takes the clock off that is never set
		return t
	}
	return c.epoch.Round(0).Add(t.Sub(c.epoch))
}

func (c clock) stampOf(t time.Time) Stamp { return stampOf(c.timeOf(t)) }

// Time returns the time of the stamp.
func (s Stamp) Time() time.Time { return time.Unix(int64(s.Sec), int64(s.Nsec)) }
