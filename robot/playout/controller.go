package playout

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
)

// isLost reports whether the robot has lost its path.
func isLost(e robot.Deviation) bool {
	return math.Hypot(e.Along, e.Across) > limits.FollowOff || math.Abs(e.Turn) > limits.FollowTurned
}
