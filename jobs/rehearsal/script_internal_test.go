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

	"mybot/jobs"
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

func TestATrialShowsWhenATagWasFrozen(t *testing.T) {
	out := try(t, "beat: loop { wait(1s) | echo 1 },", "wait(2600ms) | freeze beat | wait(3s) | unfreeze beat", 10*time.Second)
	if want := "tag beat 0-3\ntag beat 3-6 frozen\ntag beat 6-10"; lanes(out) != want {
		t.Errorf("the lanes are\n%s, want\n%s", lanes(out), want)
	}
	if n := len(out.Lines); n < 6 || n > 7 {
		t.Errorf("it says %d lines in 7 s", n)
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

func TestOnlyTheWhatIfSetsWhatIsMeasured(t *testing.T) {
	out := try(t, "ok.val = 1; wait(3s);", "wait(1s) | ok.val = 1 | wait(1s) | echo ok.val", 5*time.Second)
	if want := "script ok.val is measured; it cannot be set\nwhat_if 1.000000"; said(out) != want {
		t.Errorf("it says\n%s, want\n%s", said(out), want)
	}
	out = try(t, `ask("Ready?", 10s);`, "ok.val = 0 | wait(3s) | ok.val = 1", 20*time.Second)
	if said(out) != "robot It shows: Ready? Touch OK.\nscript 1.000000" || !within(out.Lines[1].T, 3, 0.1) {
		t.Errorf("with a what-if that touches OK later it says %s, %+v", said(out), out.Lines)
	}
	if out := try(t, `ask("Ready?", 10s);`, "ok.val = 0", 20*time.Second); said(out) != "robot It shows: Ready? Touch OK.\nscript 0.000000" {
		t.Errorf("with a what-if that does not touch OK it says %s", said(out))
	}
}

func TestATrialAnswersAsTheServerDoes(t *testing.T) {
	load := func(s *ScriptTrial) {
		s.Unit = "patrol"
		s.Load = func(name string) (string, error) {
			if name != "Greeting" {
				return "", errors.New("there is no script " + name)
			}
			return `echo patrol.name;`, nil
		}
	}
	const text = `name = "P"; load "Greeting"; load "Other"; alert("Help."); job("Round"); goto(6, 7.3); goto(500, 0); camera.val(); show("Hi", 1s); say("One. Two.");`
	out := try(t, text, "echo patrol.name;", time.Minute, load)
	for _, want := range []string{
		"what_if \"P\"", "script \"P\"", "script load: there is no script Other", "robot It alerts everyone: Help.", "robot It would do the job Round. Jobs are left out of a trial.",
		"robot It sets out for 6.00, 7.30.", "robot It has arrived at 6.00, 7.30.", "script goto: ", "script camera.val: the virtual robot has no camera", "robot It shows: Hi", "robot It says: One. Two.",
	} {
		if !strings.Contains(said(out)+"\n", want) {
			t.Errorf("it does not say %q but\n%s", want, said(out))
		}
	}
	if !out.Ended {
		t.Error(out.Why)
	}
}

func TestATrialHasBounds(t *testing.T) {
	out := try(t, `loop { a: wait(20ms) | b: wait(200ms) | echo "`+strings.Repeat("<", 3000)+`"; };`, "", 4*time.Minute)
	if len(out.Lines) > maxTrialLines || len(out.Lanes) > maxTrialLanes || out.LeftOut == 0 || !strings.HasPrefix(out.Lines[0].Text, `"<<<`) || len(out.Lines[0].Text) > maxLineText+2 {
		t.Errorf("%d lines, %d lanes, %d left out, the first is %.20s", len(out.Lines), len(out.Lanes), out.LeftOut, out.Lines[0].Text)
	}
	size := 0
	for _, l := range out.Lines {
		size += len(l.Text) + len(l.Tag)
	}
	for _, l := range out.Lanes {
		size += len(l.Name)
	}
	if size > maxTrialText {
		t.Errorf("all texts have %d bytes", size)
	}
}

func TestALongPathIsThinned(t *testing.T) {
	const text = `loop { goto(6, 7.3) | goto(4.5, 7.3, 0) | wait(1s) };`
	out, short := try(t, text, "", 12*time.Minute), try(t, text, "", 2*time.Minute)
	if n := len(out.Path); n < maxTrialPoints/4 || n >= maxTrialPoints || len(short.Path) < 1000 {
		t.Errorf("the path of 12 min has %d points, that of 2 min %d", n, len(short.Path))
	}
	at := func(path []jobs.RehearsedPoint, s float64) robot.Pose {
		i := 1
		for i < len(path)-1 && path[i].T < s {
			i++
		}
		a, b := path[i-1], path[i]
		f := (s - a.T) / (b.T - a.T)
		return robot.Pose{X: a.Pose.X + f*(b.Pose.X-a.Pose.X), Y: a.Pose.Y + f*(b.Pose.Y-a.Pose.Y)}
	}
	for s := range 119 {
		whole, thin := at(short.Path, float64(s)), at(out.Path, float64(s))
		if off := whole.Point().Sub(thin.Point()).Norm(); off > 0.05 {
			t.Fatalf("after %d s the thinned path is %.3f m beside", s, off)
		}
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

// BenchmarkATrial reports how much faster than the clock a trial is.
func BenchmarkATrial(b *testing.B) {
	plan, desc := officePlan(b)
	const text = lowBattery + `every (30s) patrol: { goto(6, 7.3) | goto(4.5, 7.3) };`
	r := New(desc)
	r.plannerOf(plan)
	total := 0.0
	for b.Loop() {
		out, err := r.TryScript(b.Context(), plan, ScriptTrial{
			Unit: "script", Program: parse(b, text), WhatIf: parse(b, "wait(100s) | battery.val = 29"),
			From: robot.Pose{X: 4.5, Y: 7.3}, Charge: 1, Clock: time.Unix(0, 0), Lasts: 5 * time.Minute,
		})
		if err != nil {
			b.Fatal(err)
		}
		total += out.Time
	}
	b.ReportMetric(total/b.Elapsed().Seconds(), "times-the-clock")
}
