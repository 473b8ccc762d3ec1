package localization

import "mybot/robot"

// A trip is the way from where a robot set out. What counts is how far away it
// has been, not how far it has rolled: one that swings to and fro before a
// barrel sees the same things again and again.
type trip struct {
	at  robot.Pose // relative to where it set out
	far float64    // m from there, at most
}

// addMove goes on and tells whether the robot is farther than it ever was.
func (t *trip) addMove(by robot.Pose) bool {
	t.at = t.at.Compose(by)
	d := t.at.Point().Norm()
	if d <= t.far {
		return false
	}
	t.far = d
	return true
}
