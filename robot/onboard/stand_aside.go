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
	control *rollout.Controller
	points  []robot.PathPoint // to the place; empty = there is none; reused
	seen    rollout.Situation // reused
	soughtAt,
	chosenAt time.Time
	gained  time.Time   // when the controller last made progress
	gate    robot.Point // where the robot was in the way, in map
	heading float64     // rad, of its path there
	begun   bool
	there   bool // it is there, or cannot get nearer

	seesBack bool // the lidars measure in all directions behind the robot
}

// comes reports whether a person may want to pass where the robot stands: they are ahead on
// its path and walk, not away from it, or stopped when they met.
func (a *standAside) comes(p *robot.Track) bool {
	sin, cos := math.Sincos(a.heading)
	off := p.At.Sub(a.gate)
	if far := off.Norm(); cos*off.X+sin*off.Y <= limits.AsideAhead*far || p.Moving && p.Velocity.Dot(off) > limits.TrackStands*far {
		return false
	}
	return p.Moving || p.MetAt < limits.AsideMet
}

// seek looks for a place, every AsideSeek.
func (a *standAside) seek(now time.Time, axle robot.Pose, out rollout.Obstacles, people []robot.Track) {
	if since := now.Sub(a.soughtAt); since >= 0 && since < limits.AsideSeek {
		return
	}
	a.soughtAt = now
	a.points = a.control.FindAside(axle, a.heading, out, people, a.points[:0])
}

// begin begins the motion to the place.
func (a *standAside) begin(now time.Time) {
	a.begun, a.there, a.gained, a.chosenAt = true, false, now, time.Time{}
	a.control.Reset()
}

// steer returns the motion to the place. A robot that does not see where it backs up to
// stops there.
func (a *standAside) steer(now time.Time, axle robot.Pose, twist robot.Twist, out rollout.Obstacles) robot.Twist {
	nearest, off := 0, axle.Point().Sub(a.points[0].Pose.Point()).Norm()
	for n := range a.points {
		if far := axle.Point().Sub(a.points[n].Pose.Point()).Norm(); far < off {
			nearest, off = n, far
		}
	}
	s := &a.seen
	s.Pose, s.Twist, s.Path, s.Along, s.End = axle, twist, a.points, a.points[nearest].Along, a.points[len(a.points)-1].Along
	s.MaxSpeed, s.Obstacles = a.points[0].Speed, out
	if now.Sub(a.chosenAt) >= limits.ChooseEvery || now.Before(a.chosenAt) {
		a.chosenAt = now
		if a.control.Choose(s).OK {
			a.gained = now
		}
	}
	if a.there = a.there || !a.seesBack || nearest == len(a.points)-1 || now.Sub(a.gained) >= limits.AsideStuck; a.there {
		return robot.Twist{}
	}
	return a.control.Steer(s)
}
