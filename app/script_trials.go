package app

import (
	"context"

	"mybot/jobs/rehearsal"
	"mybot/robot"
)

// scriptTrials tries scripts on a virtual robot, one at a time, because the control loop
// needs the processor too. Its rehearser is not that of the jobs, so that a job does not
// wait for a trial before it begins.
type scriptTrials struct {
	plan      func() *robot.Floorplan
	load      func(name string) (text string, err error) // of a saved script
	rehearser chan *rehearsal.Rehearser                  // holds the rehearser while it is idle
}

func newScriptTrials(desc robot.Description, plan func() *robot.Floorplan, load func(name string) (text string, err error)) *scriptTrials {
	t := &scriptTrials{plan: plan, load: load, rehearser: make(chan *rehearsal.Rehearser, 1)}
	t.rehearser <- rehearsal.New(desc)
	return t
}

// TryScript tries a script on the map in use. The error is a robot.Refusal, or that of ctx.
func (t *scriptTrials) TryScript(ctx context.Context, s rehearsal.ScriptTrial) (rehearsal.Trial, error) {
	select {
	case r := <-t.rehearser:
		defer func() { t.rehearser <- r }()
		s.Load = t.load
		return r.TryScript(ctx, t.plan(), s)
	case <-ctx.Done():
		return rehearsal.Trial{}, ctx.Err()
	}
}
