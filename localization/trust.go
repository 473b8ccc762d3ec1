package localization

import "mybot/robot"

const (
	unsureFrom = 0.35 // m, standard deviation
	lostFrom   = 1.0  // m
)

// trustOf returns what an estimate is worth whose error is known to be of this
// size.
func trustOf(c robot.Covariance) robot.Trust {
	switch major, _, _ := c.Position(); {
	case major > lostFrom:
		return robot.TrustLost
	case major > unsureFrom:
		return robot.TrustUnsure
	default:
		return robot.TrustOK
	}
}
