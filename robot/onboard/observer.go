package onboard

import (
	"time"

	"mybot/robot"
)

// An Observer sees the inputs and outputs of the core in order. A core with the same inputs
// decides the same, as Replay shows. Run's goroutine calls it, so it must not wait. Times
// are by this computer's clock unless stated otherwise.
type Observer interface {
	// ObserveTick sees a reading that arrived at the time at, and the resulting state.
	// State.Drive.Given is the core's twist; it does not include a stop that arrives
	// meanwhile, or the base's refusal.
	ObserveTick(at time.Time, r robot.Reading, s robot.State)
	// ObserveCommand sees a command that was given at the time at, its answer and the
	// estimate after it. taken is when the core received it, by the readings' clock; zero =
	// it was answered without the core.
	ObserveCommand(at, taken time.Time, cmd robot.Command, answer robot.Result, e robot.Estimate)
	// ObserveFloor sees a change to another floor or planner.
	ObserveFloor(at time.Time, change robot.FloorChange)
	// ObserveReply sees another component's answer to the core. The observer sees the
	// reading or command for which the core asked after that.
	ObserveReply(r robot.Reply)
}
