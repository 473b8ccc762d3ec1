package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"mybot/jobs/rehearsal"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/script"
)

func TestScriptsAreTriedOneAfterTheOtherAndNotTooMany(t *testing.T) {
	desc, err := robot.ParseDescription(models.Mybot())
	if err != nil {
		t.Fatal(err)
	}
	program, _ := script.Parse("load \"greeting\";")
	synctest.Test(t, func(t *testing.T) {
		trials := newScriptTrials(desc, func() *robot.Floorplan { return nil }, func(name string) (string, error) { return "echo \"" + name + "\";", nil })
		busy := <-trials.rehearser // one script is being tried
		ended := make(chan error, maxTrials+1)
		ctx, cancel := context.WithCancel(t.Context())
		try := func(ctx context.Context) {
			out, err := trials.TryScript(ctx, rehearsal.ScriptTrial{Unit: "script", Program: program, Charge: 1, Lasts: 1e9})
			if err == nil && (len(out.Lines) != 1 || out.Lines[0].Text != `"greeting"`) {
				t.Errorf("it shows %+v", out)
			}
			ended <- err
		}
		go try(ctx)
		for range maxTrials - 1 {
			go try(t.Context())
		}
		synctest.Wait()
		go try(t.Context())
		var refusal robot.Refusal
		if err := <-ended; !errors.As(err, &refusal) || refusal.Word != robot.Busy {
			t.Errorf("one too many ends with %v", err)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a client that hangs up is told %v", err)
		}
		trials.rehearser <- busy
		for range maxTrials - 1 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}
