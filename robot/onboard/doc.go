// Package onboard is the part of the robot that decides what the wheels do.
//
// Core is pure: it has no goroutine, no clock and does no I/O, so the same
// orders and readings always give the same motion, in the server, in
// experiments and in tests. Do takes an order; Tick takes a reading and
// returns one twist for the wheels and the state that people may see. On its
// way to the wheels a motion passes, in this order:
//
//	wishes   every source's wish, by priority, each with an expiry
//	limiter  the safe speeds and accelerations of the description
//	guard    sonar and bumper, the last look before the wheels; it needs no
//	         map, no position and no planner
//
// A hand drives by Drive samples, which count while they are valid, or by Follow
// samples, whose path package playout follows, round what stands on it and is
// not on the map, if there is room; STOP and whatever else takes the
// robot from the hand flush that path, and State.Held tells why. Its dead-man
// lives in the time of the samples: what is buffered is followed for at most
// 0.8 s after the last one came, then the robot brakes.
//
// A goal is a source of wishes below the hand. Core asks a Planner for a Way,
// follows it and watches what becomes of it: it plans anew when the robot is
// off the way, when the position jumps or when something stands in the lane,
// waits where no way is left, and pauses when somebody drives by hand, stops,
// or when nobody knows where the robot is. Only Resume goes on after a pause.
//
// The queue holds orders that begin at a start time: a drive of at most ten
// seconds, which is a source of wishes between the hand and the goal, or a
// goal. A hand that moves, STOP, a Halt and whatever else is asked for directly
// and taken flush it.
//
// A job is a run of package jobs, which Jobs hands over ready. Core steps it with
// the time of the readings, gives it the goal to move, and tells of it in State.
// Whatever pauses a goal pauses the job, whatever its step is; so do a goal of
// somebody's and three seconds without a position. Only ResumeRun, RetryStep and
// SkipStep go on then.
//
// Loop is the one control goroutine of a robot: it owns Core and the driver,
// feeds readings to the one and twists to the other, and takes orders from
// many goroutines. Everything that could keep the robot moving by mistake has
// its own dead-man: a wish expires (Drive.Valid), Core forgets every wish after
// half a second, Loop brakes when readings stay away, and the driver brakes by
// itself when Loop is silent.
package onboard
