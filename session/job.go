package session

import (
	"context"

	"mybot/jobs"
	"mybot/robot"
)

// Jobs stores jobs and prepares runs: jobs/library. Any goroutine may call it.
// Prepare and PrepareChange may take some seconds; the others do not wait.
type Jobs interface {
	List() []jobs.Job // by name; read-only
	// Prepare plans the paths of a job from a pose of base_link in map, synthesizes
	// its texts, and stores everything as a run that has not begun. The error is a
	// sentence for users.
	Prepare(ctx context.Context, from robot.Pose, job jobs.Job) (run uint64, err error)
	// PrepareChange is Prepare for steps that are to replace those of a run. The steps of
	// the run that are done or under way stay as they were prepared.
	PrepareChange(ctx context.Context, run uint64, from robot.Pose, job jobs.Job) (ready uint64, err error)
	Prepared(run uint64) (jobs.PreparedRun, bool)
	Discard(run uint64)             // drops a prepared run that will not begin
	ReplaceSteps(run, ready uint64) // the run continues with the steps that were prepared as run ready
}
