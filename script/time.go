package script

import "math"

// A Time is in microseconds since the robot was switched on; also a duration.
type Time int64

const (
	millisecond Time = 1000
	second      Time = 1000 * millisecond
	never       Time = math.MaxInt64 / 4
)

// Milliseconds returns the time of whole milliseconds.
func Milliseconds(ms int64) Time { return Time(ms) * millisecond }

// Milliseconds returns the whole milliseconds of a time.
func (t Time) Milliseconds() int64 { return int64(t / millisecond) }

// toTime returns the time of so many milliseconds, rounded.
func toTime(ms float64) Time {
	if us := math.Round(ms * 1000); us < float64(never) {
		return Time(us)
	}
	return never
}

func (t Time) seconds() float64 { return float64(t) / float64(second) }
