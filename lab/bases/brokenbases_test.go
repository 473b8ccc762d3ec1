package bases

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mybot/drivers/base/check"
	"mybot/lab/internal/experiment/experimenttest"
)

func TestEachFaultFitsTheExample(t *testing.T) {
	text, err := pythonText()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := loggedPython("/tmp/motors"); err != nil {
		t.Error(err)
	}
	for _, b := range brokenBases() {
		if broken, err := b.edits.apply(text); err != nil || broken == text {
			t.Errorf("%s: %v", b.fault, err)
		}
	}
	if n := len(brokenBases()); n != 22 {
		t.Errorf("there are %d broken bases, want 22", n)
	}
	if _, err := (edits{{"no such line", ""}}).apply(text); err == nil || !strings.Contains(err.Error(), `it has 0 times "no such line"`) {
		t.Errorf("an edit that does not fit: %v", err)
	}
}

func TestABrokenBaseIsCaughtInOneRun(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	o := experimenttest.Outcome[brokenBasesOutcome](t, commands, "brokenbases", "--fault", "ms stands still", "--good", "0")
	if len(o.Bases) != 1 || !o.Bases[0].Caught || o.Bases[0].Rule != "has a clock in milliseconds" || !strings.Contains(o.Bases[0].Text, "ms was 1000 and then 1000") {
		t.Errorf("the outcome is %+v", o)
	}
	if _, _, err := commands.Run(t, "brokenbases", "--fault", "flat tyre"); err == nil || !strings.Contains(err.Error(), `--fault is "flat tyre"; it must be a part of never forgets, `) {
		t.Errorf("an unknown fault: %v", err)
	}
}

// A check that reports another fault, or words it differently, has not found this one.
func TestOnlyTheFaultItselfCounts(t *testing.T) {
	b := brokenBase{fault: "swapped", rule: "turns left", says: "are swapped"}
	for text, caught := range map[string]bool{"left and right are swapped": true, "look at wheel_base_m": false} {
		for _, rule := range []string{b.rule, "answers ping"} {
			r := check.Report{Rules: []check.Result{{Rule: "answers hello", OK: true}, {Rule: rule, Text: text}}}
			if got := b.judge(r).Caught; got != (caught && rule == b.rule) {
				t.Errorf("%s: %s: caught is %v", rule, text, got)
			}
		}
	}
	if slices.ContainsFunc(brokenBases(), func(b brokenBase) bool { return b.rule == "" || b.says == "" }) {
		t.Error("a fault has no rule or no text")
	}
}
