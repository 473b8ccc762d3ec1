// Package onboard is the part of the robot that decides what the wheels do.
//
// Core is pure: it has no goroutine, no clock and does no I/O, so the same
// commands and readings always give the same motion, in the server, in
// experiments and in tests. Do takes a command; Tick takes a reading and
// returns one twist for the wheels and the state that people may see. On its
// way to the wheels a motion passes, in this order:
//
//	sources  each proposes a velocity request, with an expiry; the first that
//	         has one moves the robot
//	limiter  the safe speeds and accelerations of the description
//	guard    package guard: sonar and bumper, the last look before the wheels;
//	         it needs no map, no position and no planner
//
// The sources, in the order of their priorities, and what ends their requests:
//
//	teleop     what a driver asks for: Drive samples count while they are valid
//	           (0.25 s, at most 0.5 s); the path of Follow samples, which
//	           package playout follows, for at most 0.8 s after the last one
//	queue      a drive with a start time, for at most ten seconds; a goal
//	           in the queue is given to the navigator
//	jobRunner  the run of a job: it proposes nothing itself, it gives goals to
//	           the navigator
//	navigator  the path to a goal, anew at every reading
//
// Each has its own state; all see the same situation, which Core alone writes.
// A command of a driver that moves interrupts the queue and pauses the job and
// the goal; so do STOP, a replay and a new position. Only Resume, ResumeRun,
// RetryStep and SkipStep continue them; a goal that was paused because the position was
// lost continues by itself when it is known again. A new goal or job takes the place of the
// path that is driven by hand.
//
// The navigator asks a robot.Planner for a path, follows it and watches what
// becomes of it: it plans anew when the robot is off the path, when the position
// jumps or when something stands in the lane, waits where no path is left, and
// pauses when a driver drives, stops, or when the position is lost.
//
// With a lidar the navigator drives the path by robot/rollout among what robot/obstacle
// knows, and robot/behavior decides what it does when that does not get on.
//
// Loop is the one control goroutine of a robot: it owns Core and the base's
// driver, feeds readings to the one and twists to the other, and takes commands
// from many goroutines. Everything that could keep the robot moving by mistake
// has its own dead-man: a request expires, Core forgets every request after half
// a second, Loop brakes when readings stay away, and the base brakes by itself
// when Loop is silent.
package onboard
