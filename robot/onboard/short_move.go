package onboard

import (
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/rollout"
)

// shortMove drives a robot along a short path that it has chosen itself.
type shortMove struct {
	control  *rollout.Controller
	points   []robot.PathPoint // empty = there is no path; reused
	seen     rollout.Situation // reused
	chosenAt time.Time
	gained   time.Time // when the controller last made progress, or the robot crept on
	over     bool      // the robot is at the end, or cannot get nearer
	creeps   bool      // where the controller sees no room between things, the robot creeps along the path
}

// creepsOn reports whether the robot creeps where the controller chose to stand. It does not
// toward a person.
func (m *shortMove) creepsOn() bool {
	c := m.control.Last()
	return m.creeps && !c.OK && c.Because != rollout.Near
}

// newShortMove returns a move of at most max metres.
func newShortMove(control *rollout.Controller, max float64) shortMove {
	return shortMove{control: control, points: make([]robot.PathPoint, 0, int(max/rollout.Spacing)+2)}
}

func (m *shortMove) begin(now time.Time) {
	m.over, m.gained, m.chosenAt = false, now, time.Time{}
	m.control.Reset()
}

// steer returns the motion along the path.
func (m *shortMove) steer(now time.Time, axle robot.Pose, twist robot.Twist, out rollout.Obstacles) robot.Twist {
	nearest, off := 0, axle.Point().Sub(m.points[0].Pose.Point()).Norm()
	for n := range m.points {
		if far := axle.Point().Sub(m.points[n].Pose.Point()).Norm(); far < off {
			nearest, off = n, far
		}
	}
	s := &m.seen
	s.Pose, s.Twist, s.Path, s.Along, s.End = axle, twist, m.points, m.points[nearest].Along, m.points[len(m.points)-1].Along
	s.MaxSpeed, s.Obstacles = m.points[0].Speed, out
	if now.Sub(m.chosenAt) >= limits.ChooseEvery || now.Before(m.chosenAt) {
		m.chosenAt = now
		if m.control.Choose(s).OK || m.creepsOn() && !twist.IsStill() {
			m.gained = now
		}
	}
	if m.over = m.over || nearest == len(m.points)-1 || now.Sub(m.gained) >= limits.AsideStuck; m.over {
		return robot.Twist{}
	}
	if m.creepsOn() {
		return m.control.Track(s, limits.BackOffSpeed)
	}
	return m.control.Steer(s)
}
