package onboard

import (
	"time"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/limits"
)

// A source is one of those that may ask for motion. Core asks them in the order of
// their priority; the first that proposes something moves the robot. Core's
// goroutine alone uses them.
type source interface {
	// Do takes a command; ok is false when it is another source's.
	Do(now time.Time, cmd robot.Command) (r robot.Result, ok bool)
	// Propose brings the source to the time of the newest reading, at every
	// reading, and returns the motion that it asks for; ok is false when it asks
	// for none.
	Propose(r robot.Reading) (v velocityRequest, ok bool)
	// Interrupt takes the robot from the source, for the reason.
	Interrupt(now time.Time, reason string)
}

// others is Core as a source sees it: what it may do to the sources beside it.
type others interface {
	flushQueue(reason string)                 // what waits in the queue, and a drive of it
	leaveTeleop(reason string)                // the path that is driven by hand
	pauseGoal(now time.Time, reason string)   // and the job
	pauseJob(now time.Time, reason string)    // and the goal, if it is the job's
	hasJobGoal() bool                         // the goal is that of a job
	drivesByHand(now time.Time) (drives bool) // a driver moves the robot now
}

// velocityRequest is a motion that a source asks for, until it expires. The zero
// request asks for nothing.
type velocityRequest struct {
	twist    robot.Twist // at M
	until    time.Time
	approach guard.Approach
}

// byHand is how near the guard lets a robot come that a driver steers.
var byHand = guard.Approach{Stop: limits.StopDistance}

func newVelocityRequest(t robot.Twist, now time.Time, valid time.Duration, near guard.Approach) velocityRequest {
	return velocityRequest{twist: t, until: now.Add(min(valid, limits.RequestValidity)), approach: near}
}

func (v velocityRequest) isZero() bool { return v.until.IsZero() }

// isFresh reports whether the request counts at the time now.
func (v velocityRequest) isFresh(now time.Time) bool { return now.Before(v.until) }
