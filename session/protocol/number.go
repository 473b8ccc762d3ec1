package protocol

import (
	"math"
	"strconv"
	"time"

	"mybot/robot"
)

// Number is a JSON number of six significant digits, null when not finite.
type Number float64

// MarshalJSON writes the number.
func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(x), 'g', 6, 64), nil
}

// UnmarshalJSON reads the number; null is NaN.
func (x *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = Number(math.NaN())
		return nil
	}
	read, err := strconv.ParseFloat(string(text), 64)
	*x = Number(read)
	return err
}

// Seconds is a time in s on the robot's monotonic clock, to the microsecond.
type Seconds time.Duration

// MarshalJSON writes the time as a number.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Round(time.Microsecond).Seconds(), 'f', -1, 64), nil
}

// UnmarshalJSON reads the time.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	read, err := strconv.ParseFloat(string(text), 64)
	*s = Seconds(math.Round(read*1e6) * 1e3)
	return err
}

// Moment is a date and time in UTC, to the millisecond.
type Moment time.Time

const momentLayout = `"2006-01-02T15:04:05.999Z07:00"`

// MarshalJSON writes the date and time as in RFC 3339.
func (m Moment) MarshalJSON() ([]byte, error) {
	return time.Time(m).UTC().AppendFormat(nil, momentLayout), nil
}

// UnmarshalJSON reads the date and time.
func (m *Moment) UnmarshalJSON(text []byte) error {
	at, err := time.Parse(momentLayout, string(text))
	*m = Moment(at)
	return err
}

// optionalMoment returns the wire form of the time; nil = the zero time, never.
func optionalMoment(t time.Time) *Moment {
	if t.IsZero() {
		return nil
	}
	m := Moment(t)
	return &m
}

func numbersOf(xs ...float64) []Number {
	numbers := make([]Number, len(xs))
	for i, x := range xs {
		numbers[i] = Number(x)
	}
	return numbers
}

// PoseOf returns the wire form of the pose.
func PoseOf(p robot.Pose) []Number { return numbersOf(p.X, p.Y, p.Theta) }

// PointOf returns the wire form of the point.
func PointOf(p robot.Point) []Number { return numbersOf(p.X, p.Y) }

func twistOf(t robot.Twist) []Number { return numbersOf(t.Linear, t.Angular) }
