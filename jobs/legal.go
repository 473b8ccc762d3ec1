package jobs

import (
	"slices"

	"mybot/robot"
)

// IsLegalChange reports whether a run or a step may change from one state to the
// other. Both are a robot.ActionState, or both a robot.RunPhase; a run begins from
// "".
func IsLegalChange(from, to string) bool { return slices.Contains(legalNext(from), to) }

// legalNext returns the states that may follow a state.
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
		return []string{initializing, failed} // failed: skipped before its turn, while the run is paused
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
	return nil // FINISHED, FAILED and ended are final
}
