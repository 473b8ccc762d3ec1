package jobruns

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mybot/lab/internal/experiment/experimenttest"
	"mybot/robot"
)

func TestTheJobOfFigure6IsDoneAsInThePaper(t *testing.T) {
	experimenttest.ComputesLong(t)
	picture := filepath.Join(t.TempDir(), "fig6.svg")
	out, _, err := commands.Run(t, "fig6", "--json", "--seed", "3", "--svg", picture)
	if err != nil {
		t.Fatal(err)
	}
	var o fig6Outcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if !o.Finished || o.Off > 0.15 || o.Turned > 10 || o.Bumps > 0 || o.Way < 40 || len(o.Steps) != 7 {
		t.Errorf("the outcome is %s", out)
	}
	last := 0.0
	for n, s := range o.Steps {
		if s.State != robot.StepFinished || s.Began < last || s.Ended < s.Began {
			t.Errorf("step %d is %+v", n+1, s)
		}
		last = s.Ended
	}
	// The stop on the way, with the head turned, and the two touches of OK.
	if first := o.Steps[0]; first.Ended-first.Began < first.Expect+lookTime.Seconds() {
		t.Errorf("the drive to the sofa took %.1f s with a stop of %v; the rehearsal said %.1f s", first.Ended-first.Began, lookTime, first.Expect)
	}
	for n, want := range map[int]time.Duration{2: putPaper, 5: copyPaper} {
		if s := o.Steps[n]; math.Abs(s.Ended-s.Began-want.Seconds()) > 0.2 || s.Result.Reason != "OK was touched on the robot." {
			t.Errorf("step %d, which waits for OK for %v, is %+v", n+1, want, s)
		}
	}
	told := o.String()
	for _, part := range []string{"Ana has looked at them, 90 deg to the left", "PAUSED. Paused by Ana.", "touches OK", "Finished after"} {
		if !strings.Contains(told, part) {
			t.Errorf("there is no %q in\n%s", part, told)
		}
	}
	svg, err := os.ReadFile(picture)
	if err != nil || strings.Count(string(svg), "<circle") < 7 || !strings.Contains(string(svg), "<polyline") {
		t.Errorf("the picture is %d bytes, %v", len(svg), err)
	}
}
