package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"mybot/jobs/rehearsal"
	"mybot/robot"
	"mybot/robot/models/modelstest"
	"mybot/script"
)

func TestScriptsAreTriedOneAfterTheOther(t *testing.T) {
	desc := modelstest.Mybot(t)
	program, _ := script.Parse("load \"greeting\";")
	synctest.Test(t, func(t *testing.T) {
		trials := newScriptTrials(desc, func() *robot.Floorplan { return nil }, func(name string) (string, error) { return "echo \"" + name + "\";", nil })
		busy := <-trials.rehearser // one script is being tried
		ended := make(chan error)
		try := func(ctx context.Context) {
			out, err := trials.TryScript(ctx, rehearsal.ScriptTrial{Unit: "script", Program: program, Charge: 1, Lasts: 1e9})
			if err == nil && (len(out.Lines) != 1 || out.Lines[0].Text != `"greeting"`) {
				t.Errorf("it shows %+v", out)
			}
			ended <- err
		}
		ctx, cancel := context.WithCancel(t.Context())
		go try(ctx)
		go try(t.Context())
		go try(t.Context())
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a client that hangs up is told %v", err)
		}
		trials.rehearser <- busy
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}
