package app

import (
	"context"

	"mybot/jobs/rehearsal"
	"mybot/robot"
)

// maxTrials is how many trials of scripts may be requested at a time.
const maxTrials = 4

// scriptTrials tries scripts on a virtual robot, one at a time, because the control loop
// needs the processor too. Its rehearser is not that of the jobs, so that a job does not
// wait for a trial before it begins.
type scriptTrials struct {
	plan      func() *robot.Floorplan
	load      func(name string) (text string, err error) // of a saved script
	requested chan struct{}                              // holds one token per requested trial
	rehearser chan *rehearsal.Rehearser                  // holds the rehearser while it is idle
}

func newScriptTrials(desc robot.Description, plan func() *robot.Floorplan, load func(name string) (text string, err error)) *scriptTrials {
	t := &scriptTrials{plan: plan, load: load, requested: make(chan struct{}, maxTrials), rehearser: make(chan *rehearsal.Rehearser, 1)}
	t.rehearser <- rehearsal.New(desc)
	return t
}

// TryScript tries a script on the map in use. The error is a robot.Refusal, or that of ctx.
func (t *scriptTrials) TryScript(ctx context.Context, s rehearsal.ScriptTrial) (rehearsal.Trial, error) {
	select {
	case t.requested <- struct{}{}:
		defer func() { <-t.requested }()
	default:
		return rehearsal.Trial{}, robot.Refusal{Word: robot.Busy, Reason: "Too many scripts are being tried. Try again in a moment."}
	}
	select {
	case r := <-t.rehearser:
		defer func() { t.rehearser <- r }()
		s.Load = t.load
		return r.TryScript(ctx, t.plan(), s)
	case <-ctx.Done():
		return rehearsal.Trial{}, ctx.Err()
	}
}
