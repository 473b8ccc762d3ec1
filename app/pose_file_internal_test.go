package app

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// The process runs out of file descriptors, or the disk is gone, while the robot
// drives.
func TestWhatCannotBeWrittenIsToldOnceAMinuteAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		var x float64
		state := func() (robot.State, bool) {
			x++
			s := robot.State{Time: time.Now()}
			s.Estimate.Pose.X, s.Estimate.Trust = x, robot.TrustOK
			return s, true
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute+time.Second)
		defer cancel()
		k := &poseFile{file: filepath.Join(t.TempDir(), "none", "pose.json"), floor: func() string { return "a floor" }}
		_ = k.run(ctx, state, slog.New(slog.NewTextHandler(&out, nil)))
		lines := strings.Count(out.String(), "\n")
		if x < 200 || lines > 11 {
			t.Errorf("%.0f poses that could not be written made %d lines, want one a minute", x, lines)
		}
		if !strings.Contains(out.String(), "times=181") {
			t.Errorf("the log does not count them:\n%s", out.String())
		}
	})
}
