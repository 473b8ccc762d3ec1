// Package onboard decides, at every reading, how the wheels move.
//
// Core is pure: it has no goroutine, no clock and does no I/O, so the same
// commands and readings always result in the same motion, in the server, in
// experiments and in tests. Do executes a command; Tick takes a reading and
// returns one twist for the wheels and the state for users. A motion passes
// these stages on its way to the wheels:
//
//	sources  each proposes a velocity request, with an expiry; the first
//	         request moves the robot
//	limiter  safe speeds and accelerations of the description, and lower
//	         speeds for a blind robot, a lent part or the localizer
//	guard    package guard: sonars, lidars and bumper, the last check before
//	         the wheels; it needs no map, no position and no planner
//
// The sources, in order of priority:
//
//	teleop     a driver's request: a Drive sample is valid for 0.25 s, or for
//	           its own time up to 0.5 s; the path of Follow samples, which
//	           package playout follows, lasts at most 0.8 s after the last one
//	queue      a drive with a start time, for at most ten seconds; the queue
//	           passes a goal to the navigator
//	scripted   the motions of scripts, which run until their licence ends; goals
//	           and jobs of scripts go to navigator and jobRunner
//	jobRunner  the run of a job; it requests no motion, but gives goals to the
//	           navigator
//	navigator  the motion along the path to a goal, computed at every reading
//
// Each source has its own state. All read the same situation, which only Core
// writes. A driver's command that moves the robot flushes the queue and pauses
// the job and the goal; so do STOP, a replay and a new position. Only Resume,
// ResumeRun, RetryStep and SkipStep continue them, except that a goal that was
// paused because the position was lost resumes when it is known again. A new
// goal or job replaces the path that is driven by hand.
//
// Scripts move the robot only with a licence. Whatever moves or stops the robot in
// another way takes it from all of them, and only ResumeUnits gives it back.
//
// The navigator asks a robot.Planner for a path and follows it. It plans again
// when the robot is off the path or when the position jumps, and pauses when a
// driver drives or stops the robot, or when the position is lost. With a lidar it
// uses robot/rollout to drive along the path among the obstacles that
// robot/obstacle shows; with sonars alone it follows the path exactly. When the
// robot makes no progress, robot/behavior decides what to do.
//
// Loop is the control loop, in one goroutine: it owns Core and the base's
// driver, passes readings to Core and twists to the driver, and takes commands
// from many goroutines. Each layer has its own watchdog against unintended
// motion: a request expires, Core drops every request after half a second, Loop
// brakes when readings stay away, and the base brakes by itself when Loop is
// silent.
package onboard
