package localization

import "mybot/robot"

// A trip is the motion of a robot from a starting point. It measures how far away
// the robot has been, not how far it has rolled, because a robot that turns back
// and forth in front of a barrel sees the same objects again and again.
type trip struct {
	at  robot.Pose // relative to the start
	far float64    // m from the start, at most
}

// addMove adds a motion and reports whether the robot is farther away than ever
// before.
func (t *trip) addMove(by robot.Pose) bool {
	t.at = t.at.Compose(by)
	d := t.at.Point().Norm()
	if d <= t.far {
		return false
	}
	t.far = d
	return true
}
