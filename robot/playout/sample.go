package playout

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
)

// A Sample is one packet of driving by hand. Its stream is its lease and hold.
type Sample = robot.Follow

// longestValid is how long a sample may count at most: as session has it.
const longestValid = 500 * time.Millisecond

// fault says what is wrong with a sample, in a sentence; "" = nothing.
func fault(s *Sample) string {
	switch {
	case !Finite(s.T, s.S, s.Pose.X, s.Pose.Y, s.Pose.Theta) || !s.Want.IsFinite() || !s.Twist.IsFinite():
		return fmt.Sprintf("Drive sample %d holds something that is not a number.", s.Seq)
	case math.Abs(s.T) > 1e10 || math.Abs(s.Pose.X) > 1e6 || math.Abs(s.Pose.Y) > 1e6 || math.Abs(s.Twist.Linear) > 100 || math.Abs(s.Twist.Angular) > 100:
		return fmt.Sprintf("Drive sample %d is beyond all bounds: time %.4g s, place %.4g, %.4g, speed %.4g m/s, %.4g rad/s.",
			s.Seq, s.T, s.Pose.X, s.Pose.Y, s.Twist.Linear, s.Twist.Angular)
	case s.Valid < 0 || s.Valid > longestValid:
		return fmt.Sprintf("Drive sample %d is valid for %v; give more than 0 s and at most %v.", s.Seq, s.Valid, longestValid)
	}
	return ""
}

func Finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// Virtual returns the limits of the virtual robot of a robot that is driven
// within safe: 0.9 of its speeds and 0.8 of its accelerations. Without that
// head-room the robot can never catch up.
func Virtual(safe robot.Limit) robot.Limit {
	return robot.Limit{
		Linear:              0.9 * safe.Linear,
		Angular:             0.9 * safe.Angular,
		LinearAcceleration:  0.8 * safe.LinearAcceleration,
		AngularAcceleration: 0.8 * safe.AngularAcceleration,
	}
}
