package onboard

import (
	"time"

	"mybot/robot"
)

// An Observer sees what goes into the core, and what comes out, in the order of
// the core: a core that gets the same again does the same again, as Replay does.
// Run's goroutine calls it, so it must not wait. Times are by this computer's clock.
type Observer interface {
	// ObserveTick sees a reading that came at the time, and the state that the core
	// made of it. State.Drive.Given is the core's twist; a stop that comes meanwhile,
	// and a base that refuses, are not in it.
	ObserveTick(at time.Time, r robot.Reading, s robot.State)
	// ObserveCommand sees a command that was given at the time, its answer and the
	// estimate after it. taken is when the core got it, by the clock of the readings;
	// zero = it was answered without the core.
	ObserveCommand(at, taken time.Time, cmd robot.Command, answer robot.Result, e robot.Estimate)
	// ObserveFloor sees that the core changed to another floor or planner.
	ObserveFloor(at time.Time, change robot.FloorChange)
	// ObserveReply sees what the core was answered by another part. The reading or the
	// command for which it asked is observed after that.
	ObserveReply(r robot.Reply)
}
