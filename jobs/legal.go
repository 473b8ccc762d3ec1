package jobs

import (
	"slices"

	"mybot/robot"
)

// IsLegalChange reports whether a run or a step of one may go from one state to the
// other. Both are words of robot.ActionState, or both of robot.RunPhase; from ""
// a run begins.
func IsLegalChange(from, to string) bool { return slices.Contains(legalNext(from), to) }

// legalNext is the one table of what may come after what.
func legalNext(from string) []string {
	const (
		waiting      = string(robot.StepWaiting)
		initializing = string(robot.StepInitializing)
		running      = string(robot.StepRunning)
		paused       = string(robot.StepPaused)
		retriable    = string(robot.StepRetriable)
		finished     = string(robot.StepFinished)
		failed       = string(robot.StepFailed)
	)
	switch from {
	case waiting:
		return []string{initializing, failed} // failed: skipped before its turn came, in a run that is paused
	case initializing:
		return []string{running, paused, retriable, failed} // paused: the robot is stopped
	case running:
		return []string{paused, retriable, finished, failed}
	case paused:
		return []string{running, failed}
	case retriable:
		return []string{initializing, failed}

	case "":
		return []string{string(robot.RunRunning)}
	case string(robot.RunRunning):
		return []string{string(robot.RunPaused), string(robot.RunStuck), string(robot.RunEnded)}
	case string(robot.RunPaused), string(robot.RunStuck):
		return []string{string(robot.RunRunning), string(robot.RunEnded)}
	}
	return nil // FINISHED, FAILED and ended are for good
}
