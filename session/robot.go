package session

import (
	"context"
	"log/slog"
	"time"

	"mybot/robot"
)

// A Robot is what users drive: onboard.Loop.
type Robot interface {
	// Do executes one command and returns its result. It returns when ctx ends, at
	// the latest.
	Do(ctx context.Context, cmd robot.Command) robot.Result
	// Stop latches the robot's stop. It never blocks and may be called from
	// any goroutine.
	Stop(by string)
}

// robotWait is how long the hub waits for the robot's answer.
const robotWait = 500 * time.Millisecond

// A robotWithTimeout waits at most robotWait for each answer, so that a robot that
// hangs does not delay the hub for longer.
type robotWithTimeout struct {
	robot Robot
	log   *slog.Logger
}

// Do executes the command, or gives it up after robotWait.
func (p robotWithTimeout) Do(cmd robot.Command) robot.Result {
	ctx, cancel := context.WithTimeout(context.Background(), robotWait)
	defer cancel()
	r := p.robot.Do(ctx, cmd)
	if halt, ok := cmd.(robot.Halt); ok && !r.Done() {
		p.log.Warn("the robot did not take a halt; it stands when its last sample runs out", "halt", halt.Reason, "word", r.Word, "reason", r.Reason)
	}
	return r
}

// Stop stops the robot.
func (p robotWithTimeout) Stop(by string) { p.robot.Stop(by) }

// A doer executes commands on the robot.
type doer interface {
	Do(cmd robot.Command) robot.Result
	Stop(by string)
}
