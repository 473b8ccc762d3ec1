package localization

import (
	"mybot/robot"
	"mybot/robot/limits"
)

// trustOf returns the trust in an estimate with this covariance.
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
