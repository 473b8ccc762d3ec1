package rehearsal

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/script"
)

// try tries a script in the office.
func try(t *testing.T, text, whatIf string, lasts time.Duration) Trial {
	t.Helper()
	plan, desc := officePlan(t)
	read := func(text string) *script.Program {
		p, faults := script.Parse(text)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		return p
	}
	s := ScriptTrial{Program: read(text), From: robot.Pose{X: 4.5, Y: 7.3}, Lasts: lasts}
	if whatIf != "" {
		s.WhatIf = read(whatIf)
	}
	out, err := New(desc).TryScript(t.Context(), plan, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// said are the lines of a trial.
func said(out Trial) string {
	var all []string
	for _, l := range out.Lines {
		all = append(all, l.Unit+" "+l.Tag+" "+l.Text)
	}
	return strings.Join(all, "\n")
}

func TestAWhatIfShowsWhatAScriptDoes(t *testing.T) {
	plan, _ := officePlan(t)
	const battery = `low: at (battery.val < 30 ~ 5s) say("My battery is low.") | dock() | echo "there",`
	out := try(t, battery, "wait(10s) | battery.val = 29", 3*time.Minute)
	end := out.Path[len(out.Path)-1].Pose
	if said(out) != "script low \"there\"" || end.Point().Sub(plan.Dock.Point()).Norm() > 0.1 || out.Ended || out.Time < 179 {
		t.Errorf("it says %q, ends at %v after %.0f s, over: %v", said(out), end, out.Time, out.Ended)
	}
	if at := out.Path[1].T; at < 14 {
		t.Errorf("the robot sets out after %.1f s; the battery has to be low for 5 s", at)
	}
	if out := try(t, battery, "", time.Minute); len(out.Lines) > 0 || len(out.Lanes) != 1 {
		t.Errorf("without what-if it says %q, its lanes are %v", said(out), out.Lanes)
	}
}

func TestATrialShowsWhenEachTagRan(t *testing.T) {
	out := try(t, "a: forward(1) | b: wait(2s) | c: ask(\"Ready?\") | d: goto(\"Moon\"); echo \"end\";", "", time.Minute)
	if len(out.Lanes) < 2 || out.Lanes[0].Tag != "a" || out.Lanes[1].Tag != "b" || out.Lanes[1].From < out.Lanes[0].To-0.2 || !out.Ended || out.Time > 30 {
		t.Errorf("%+v", out.Lanes)
	}
	if want := "script c 1.000000\nscript d !!! line 1, column 53: goto: the map has no place \"Moon\"\nscript  \"end\""; said(out) != want {
		t.Errorf("it says\n%s, want\n%s", said(out), want)
	}
	if again := try(t, "a: forward(1) | b: wait(2s) | c: ask(\"Ready?\") | d: goto(\"Moon\"); echo \"end\";", "", time.Minute); !reflect.DeepEqual(again, out) {
		t.Error("a second trial shows something else")
	}
}

func TestATrialEndsWithItsContext(t *testing.T) {
	plan, desc := officePlan(t)
	p, _ := script.Parse("loop wait(1s)")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(desc).TryScript(ctx, plan, ScriptTrial{Program: p, Lasts: time.Hour}); err == nil {
		t.Error("it does not end")
	}
}
