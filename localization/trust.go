package localization

import "mybot/robot/limits"

import "mybot/robot"

// trustOf returns what an estimate is worth whose error is known to be of this
// size.
func trustOf(c robot.Covariance) robot.Trust {
	switch major, _, _ := c.Position(); {
	case major > limits.PositionLost:
		return robot.TrustLost
	case major > limits.PositionUnsure:
		return robot.TrustUnsure
	default:
		return robot.TrustOK
	}
}
