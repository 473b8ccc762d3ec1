package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/script"
)

// parse parses a script without faults; nil for an empty one.
func parse(t testing.TB, text string) *script.Program {
	t.Helper()
	if text == "" {
		return nil
	}
	p, faults := script.Parse(text)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return p
}

// try tries a script in the office.
func try(t testing.TB, text, whatIf string, lasts time.Duration, change ...func(*ScriptTrial)) Trial {
	t.Helper()
	plan, desc := officePlan(t)
	s := ScriptTrial{
		Unit: "script", Program: parse(t, text), WhatIf: parse(t, whatIf),
		From: robot.Pose{X: 4.5, Y: 7.3}, Charge: 1, Clock: time.Unix(0, 0), Lasts: lasts,
	}
	for _, c := range change {
		c(&s)
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
		all = append(all, strings.Join(strings.Fields(l.By+" "+l.Tag+" "+l.Text), " "))
	}
	return strings.Join(all, "\n")
}

// lanes are the lanes of a trial, in whole seconds.
func lanes(out Trial) string {
	var all []string
	for _, l := range out.Lanes {
		frozen := ""
		if l.Frozen {
			frozen = " frozen"
		}
		all = append(all, fmt.Sprintf("%s %s %.0f-%.0f%s", l.Kind, l.Name, l.Begin, l.End, frozen))
	}
	return strings.Join(all, "\n")
}

const lowBattery = `low: at (battery.val < 30 ~ 5s) say("My battery is low.") | dock() | echo "there",`

func TestAWhatIfShowsWhatAScriptDoes(t *testing.T) {
	plan, _ := officePlan(t)
	out := try(t, lowBattery, "wait(10s) | battery.val = 29", 3*time.Minute)
	if want := "robot It says: My battery is low.\nrobot It sets out for the dock.\nrobot It has arrived at the dock.\nscript low \"there\""; said(out) != want {
		t.Errorf("it says\n%s, want\n%s", said(out), want)
	}
	if end := out.Path[len(out.Path)-1].Pose; end != out.At || end.Point().Sub(plan.Dock.Point()).Norm() > 0.1 || out.Ended || out.Time < 179 {
		t.Errorf("it ends at %v, %v after %.0f s, over: %v", end, out.At, out.Time, out.Ended)
	}
	if want := "The time of the trial was over. low is still running."; out.Why != want {
		t.Errorf("it ends because %q", out.Why)
	}
	if at := out.Lines[0].T; !within(at, 15, 0.1) {
		t.Errorf("it speaks after %.2f s; the battery is low after 10 s and has to be so for 5 s", at)
	}
	if at := out.Path[1].T; at < 15 {
		t.Errorf("the robot sets out after %.1f s", at)
	}
	if kinds := lanes(out); !strings.HasPrefix(kinds, "tag low 0-180\nspeech My battery is low. 15-16\ngoal the dock 16-") {
		t.Errorf("the lanes are\n%s", kinds)
	}
	if out := try(t, lowBattery, "", time.Minute); len(out.Lines) > 0 || lanes(out) != "tag low 0-60" {
		t.Errorf("without what-if it says %q, its lanes are %s", said(out), lanes(out))
	}
}

func TestATrialShowsWhenEachTagRan(t *testing.T) {
	const text = "a: forward(1) | b: wait(2s) | c: ask(\"Ready?\") | d: goto(\"Moon\"); echo \"end\";"
	out := try(t, text, "", time.Minute)
	if len(out.Lanes) < 2 || out.Lanes[0].Name != "a" || out.Lanes[1].Name != "b" || out.Lanes[1].Begin < out.Lanes[0].End-0.2 || !out.Ended || out.Time > 30 {
		t.Errorf("%+v", out.Lanes)
	}
	if want := "robot It shows: Ready? Touch OK.\nscript c 1.000000\nscript d goto: the map has no place \"Moon\"\nscript \"end\""; said(out) != want {
		t.Errorf("it says\n%s, want\n%s", said(out), want)
	}
	if f := out.Lines[2]; !f.Fault || f.Pos != (script.Pos{Line: 1, Column: 53}) || out.Lines[3].Fault {
		t.Errorf("the fault is %+v", f)
	}
	if out.Why != "All of it is over." {
		t.Errorf("it ends because %q", out.Why)
	}
	if again := try(t, text, "", time.Minute); !reflect.DeepEqual(again, out) {
		t.Error("a second trial shows something else")
	}
}

func TestATrialBeginsWithTheBatteryAndTheClockOfTheRobot(t *testing.T) {
	noon := time.Date(2026, 11, 24, 21, 59, 50, 0, time.Local)
	out := try(t, "echo battery.val < 41 && battery.val > 39; at (clock.hour == 22) echo clock.minute;", "", 20*time.Second, func(s *ScriptTrial) { s.Charge, s.Clock = 0.4, noon })
	if said(out) != "script 1.000000\nscript 0.000000" || !within(out.Lines[1].T, 10, 0.1) {
		t.Errorf("it says %s", said(out))
	}
	if out := try(t, "wait(1s) | echo battery.val > 99.9;", "", 2*time.Second, func(s *ScriptTrial) { s.Charge = math.NaN() }); said(out) != "script 1.000000" {
		t.Errorf("with a battery that is not known it says %s", said(out))
	}
}

func TestATrialEndsWithItsContext(t *testing.T) {
	plan, desc := officePlan(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(desc).TryScript(ctx, plan, ScriptTrial{Unit: "script", Program: parse(t, "loop wait(1s)"), Lasts: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}
