package bases

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"mybot/lab/internal/experiment/experimenttest"
)

func TestReadingsComeOverEveryLineAndBitErrorsAreNoticed(t *testing.T) {
	experimenttest.StartChildren(t)
	o := experimenttest.Outcome[linesOutcome](t, commands, "line", "--for", "2s", "--bit-errors", "1000")
	t.Log(o)
	lines := 4
	if _, err := exec.LookPath("socat"); err != nil {
		lines = 3
	}
	if len(o.Lines) != lines || o.BitErrors != 1000 || o.ExecutedWrong != 0 || o.MalformedCounted != (lines == 4) {
		t.Errorf("the outcome is %+v", o)
	}
	for _, l := range o.Lines {
		if l.Rate != 50 || l.Readings < 10 || !(l.GapP99 > 0 && l.GapMax >= l.GapP99) {
			t.Errorf("%s: %+v", l.Transport, l)
		}
	}
	if _, _, err := commands.Run(t, "line", "--for", "1ms"); err == nil || !strings.Contains(err.Error(), "--for is 1ms; it must be from 1s to 1h") {
		t.Errorf("no time at all: %v", err)
	}
}

func TestAStutterIsAStopInMidDrive(t *testing.T) {
	at := time.UnixMilli(0)
	for _, c := range []struct {
		speeds []float64
		want   int
	}{{nil, 0}, {[]float64{0, 0.1, 0.45}, 0}, {[]float64{0.45, 0, 0.2, 0.45}, 1}, {[]float64{0.45, 0, 0, -0.1, 0}, 2}} {
		var commands []command
		for _, v := range c.speeds {
			commands = append(commands, command{at: at, v: v})
		}
		if got := countStutters(commands); got != c.want {
			t.Errorf("%v: %d stutters, want %d", c.speeds, got, c.want)
		}
	}
}
