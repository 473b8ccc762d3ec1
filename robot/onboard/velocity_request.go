package onboard

import (
	"time"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/limits"
)

// A source is a part of Core that proposes velocity requests. Core asks the sources in
// order of priority; the first request moves the robot. Only Core's goroutine uses them.
type source interface {
	// Do executes a command; ok is false if the command belongs to another source.
	Do(now time.Time, cmd robot.Command) (r robot.Result, ok bool)
	// Propose advances the source to the time of the newest reading, at every reading, and
	// returns its request; ok is false if it has none.
	Propose(r robot.Reading) (v velocityRequest, ok bool)
	// Interrupt ends the source's motion for a reason.
	Interrupt(now time.Time, reason string)
}

// others is Core as a source sees it: how one source may affect the others.
type others interface {
	flushQueue(reason string)                 // ends waiting commands and a running drive
	leaveTeleop(reason string)                // ends the path that is driven by hand
	pauseGoal(now time.Time, reason string)   // pauses the goal and the job
	pauseJob(now time.Time, reason string)    // pauses the job, and the goal if the job gave it
	hasJobGoal() bool                         // reports whether the goal belongs to a job
	drivesByHand(now time.Time) (drives bool) // reports whether a driver's request is valid now
	holdScripts(now time.Time, reason string) // takes the licence of all scripts because a person drives
	hasPlannedDrive() bool                    // reports whether a replay drives, or the queue does or will
}

// velocityRequest is a motion that a source requests until it expires. The zero value
// requests none.
type velocityRequest struct {
	twist    robot.Twist // at M
	until    time.Time
	approach guard.Approach
}

// byHand is the guard's approach zone for a robot that a driver steers.
var byHand = guard.Approach{Stop: limits.StopDistance}

func newVelocityRequest(t robot.Twist, now time.Time, valid time.Duration, near guard.Approach) velocityRequest {
	return velocityRequest{twist: t, until: now.Add(min(valid, limits.RequestValidity)), approach: near}
}

func (v velocityRequest) isZero() bool { return v.until.IsZero() }

// isFresh reports whether the request is valid at the time now.
func (v velocityRequest) isFresh(now time.Time) bool { return now.Before(v.until) }
