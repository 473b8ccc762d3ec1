package script

import "math"

// A Time is a time in microseconds since the robot was switched on, or a duration.
type Time int64

const (
	millisecond Time = 1000
	second      Time = 1000 * millisecond
	never       Time = math.MaxInt64 / 4
)

// Milliseconds converts milliseconds to a time.
func Milliseconds(ms int64) Time { return Time(ms) * millisecond }

// Milliseconds returns a time in milliseconds, rounded towards zero.
func (t Time) Milliseconds() int64 { return int64(t / millisecond) }

// toTime converts milliseconds to a time, rounded.
func toTime(ms float64) Time {
	if us := math.Round(ms * 1000); us < float64(never) {
		return Time(us)
	}
	return never
}

func (t Time) seconds() float64 { return float64(t) / float64(second) }
