package localization

import "mybot/robot"

// A trip is the motion of a robot from where it started. What counts is how far
// away it has been, not how far it has rolled: a robot that swings to and fro before
// a barrel sees the same objects again and again.
type trip struct {
	at  robot.Pose // relative to the start
	far float64    // m from there, at most
}

// addMove adds a motion and reports whether the robot is farther away than before.
func (t *trip) addMove(by robot.Pose) bool {
	t.at = t.at.Compose(by)
	d := t.at.Point().Norm()
	if d <= t.far {
		return false
	}
	t.far = d
	return true
}
