package playout

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// isLost reports whether the robot is too far from its path, or turned too far from it,
// to follow it.
func isLost(e robot.Deviation) bool {
	return math.Hypot(e.Along, e.Across) > limits.FollowOff || math.Abs(e.Turn) > limits.FollowTurned
}
