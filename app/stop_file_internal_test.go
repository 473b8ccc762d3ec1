package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// A disk that takes ten seconds, or hangs, delays no STOP, and the newest state is
// written in the end.
func TestNoUserWaitsForTheDiskThatKeepsTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var disk atomic.Pointer[savedStop]
		var full atomic.Bool
		full.Store(true)
		k := &stopFile{log: slog.New(slog.DiscardHandler), wake: make(chan struct{}, 1), save: func(s savedStop) error {
			time.Sleep(10 * time.Second) // of the bubble
			if full.Load() {
				return errors.New("no space left")
			}
			disk.Store(&s)
			return nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- k.run(ctx) }()

		begin := time.Now()
		k.noteStop("Ana", begin)
		k.observeState(robot.State{Stop: &robot.StopState{By: "Ana", At: begin}})
		raised := k.countStops()
		k.noteStop("Ben", begin)
		k.noteRelease(raised) // Ben's came in between, and stays
		if took := time.Since(begin); took != 0 {
			t.Errorf("they waited %v for the disk", took)
		}
		time.Sleep(time.Minute)
		full.Store(false)
		time.Sleep(time.Minute)
		if want := (savedStop{Running: true, Stopped: true, By: "Ana", At: begin}); *disk.Load() != want {
			t.Errorf("on the disk is %+v, not %+v", disk.Load(), want)
		}
		k.noteRelease(k.countStops())
		k.observeState(robot.State{Stop: &robot.StopState{By: "the base", At: begin}}) // a stop that did not come from a button of the page
		time.Sleep(time.Minute)
		if d := disk.Load(); !d.Stopped || d.By != "the base" {
			t.Errorf("on the disk is %+v", disk.Load())
		}
		cancel()
		<-ended
		if d := disk.Load(); d.Running || !d.Stopped {
			t.Errorf("after an orderly end on the disk is %+v", disk.Load())
		}
	})
}

func TestAStopLastsEvenIfTheDiskWasFullSinceTheStart(t *testing.T) {
	for _, c := range []struct{ note, by string }{
		{"", afterDamage},
		{`{"running":false,"stopped":false}`, afterDamage},
		{`{"running":true,"stopped":false}`, afterCrash},
		{`{"running":false,"stopped":true,"by":"Ana"}`, "Ana" + beforeRestart},
	} {
		dir := t.TempDir()
		if c.note != "" {
			if err := os.WriteFile(filepath.Join(dir, StopFile), []byte(c.note), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		k, _ := openStopFile(dir, slog.New(slog.DiscardHandler))
		k.save = func(savedStop) error { return errors.New("no space left") }
		k.markRunning()
		k.noteStop("Ben", time.Now())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := k.run(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, by := openStopFile(dir, slog.New(slog.DiscardHandler)); by != c.by {
			t.Errorf("after the note %q the robot starts stopped by %q, want %q", cmp.Or(c.note, "none"), by, c.by)
		}
	}
}
