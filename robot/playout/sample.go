package playout

import (
	"fmt"
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// A Sample is one drive sample. Its lease and hold identify its stream.
type Sample = robot.Follow

// sampleFault returns a sentence that says what is wrong with a sample; "" = nothing.
func sampleFault(s *Sample) string {
	switch {
	case !robot.Finite(s.T, s.S, s.Pose.X, s.Pose.Y, s.Pose.Theta) || !s.Want.IsFinite() || !s.Twist.IsFinite():
		return fmt.Sprintf("Drive sample %d holds something that is not a number.", s.Seq)
	case math.Abs(s.T) > 1e10 || math.Abs(s.Pose.X) > 1e6 || math.Abs(s.Pose.Y) > 1e6 || math.Abs(s.Twist.Linear) > 100 || math.Abs(s.Twist.Angular) > 100:
		return fmt.Sprintf("Drive sample %d is beyond all bounds: time %.4g s, place %.4g, %.4g, speed %.4g m/s, %.4g rad/s.",
			s.Seq, s.T, s.Pose.X, s.Pose.Y, s.Twist.Linear, s.Twist.Angular)
	case s.Valid < 0 || s.Valid > limits.SampleValidity:
		return fmt.Sprintf("Drive sample %d is valid for %v; give more than 0 s and at most %v.", s.Seq, s.Valid, limits.SampleValidity)
	}
	return ""
}
