package scripts

import (
	"encoding/json"
	"os"
	"testing"
)

// measure runs an experiment and reads its JSON into outcome.
func measure(t *testing.T, outcome any, args ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds of real time")
	}
	out, _, err := commands.Run(t, append(args, "--json")...)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), outcome); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
}

// The bounds are those of a computer that does much else; docs/benchmarks.md has the times of
// a quiet one.
func TestThePortAnswersAndStopsWhoIsSilent(t *testing.T) {
	var o portOutcome
	measure(t, &o, "urbi", "--asks", "50", "--seconds", "1", "--trials", "1")
	if o.HTTPExecuted != 0 || o.AskP50 <= 0 || o.AskP50 > 100 || o.EchoP50 <= 0 || o.EchoP99 < o.EchoP50 || o.SettingsRate <= 0 || o.Throughput < 1 {
		t.Errorf("the outcome is %+v", o)
	}
	if s := o.SilentMotions; s.Worst < 400 || s.Worst > 3000 || s.Stands < s.Worst || s.Stands > 6000 {
		t.Errorf("a silent program ends after %+v", s)
	}
}

// Two robots that drive in real time need the computer for themselves, so this test is one
// of ./test long.
func TestSoakARobotMirrorsAndPlaysAnother(t *testing.T) {
	if os.Getenv("MYBOT_LONG") == "" {
		t.Skip("takes a while: MYBOT_LONG is not set")
	}
	var o mirrorOutcome
	measure(t, &o, "mirror", "--seconds", "8", "--metres", "2")
	if o.Lag.Median <= 0 || o.Lag.P95 > 350 || o.Replay.P95 > 0.5 || o.Replay.Length < 1.8 || o.Replay.Played < 1.8 {
		t.Errorf("the outcome is %+v", o)
	}
}
