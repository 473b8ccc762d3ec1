package onboard

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/rollout"
)

// standAside backs a robot up to a place where it does not stand in a person's way.
type standAside struct {
	shortMove
	soughtAt time.Time
	inWay    robot.Point // where the robot was in the way, in map
	heading  float64     // rad, of its path there
	begun    bool

	seesBack bool // the lidars measure in all directions behind the robot
}

// comes reports whether a person may want to pass where the robot stands: they are ahead on
// its path and walk, not away from it, or stopped when they met. After the robot has waited
// for long, all who are ahead may.
func (a *standAside) comes(p *robot.Track, waited time.Duration) bool {
	sin, cos := math.Sincos(a.heading)
	off := p.At.Sub(a.inWay)
	if far := off.Norm(); cos*off.X+sin*off.Y <= limits.AsideAhead*far || p.Moving && p.Velocity.Dot(off) > limits.TrackStands*far {
		return false
	}
	return p.Moving || p.MetAt < limits.AsideMet || waited >= limits.AsidePatience
}

// seek looks for a place, every AsideSeek.
func (a *standAside) seek(now time.Time, axle robot.Pose, out rollout.Obstacles, people []robot.Track) {
	if since := now.Sub(a.soughtAt); since >= 0 && since < limits.AsideSeek {
		return
	}
	a.soughtAt = now
	a.points = a.control.FindAside(axle, a.heading, out, people, a.points[:0])
}
