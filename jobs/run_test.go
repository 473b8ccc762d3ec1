package jobs

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

// TestWhateverHappensTheTransitionsAreLegal runs random jobs on a robot that fails,
// is stopped, blocked and sent elsewhere at random, while users control the run at
// random; and then undisturbed, which ends it.
func TestWhateverHappensTheTransitionsAreLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := anyJob().Draw(t, "job")
		b := &body{}
		now := epoch
		r := NewRun(3, j, ready(j, rapid.Bool().Draw(t, "aloud")))
		other := func() *Run {
			k := j
			k.Steps = append(k.Steps[:rapid.IntRange(1, len(j.Steps)).Draw(t, "kept")], anyStep().Draw(t, "new"))
			return NewRun(4, k, ready(k, true))
		}
		var before *robot.Run
		look := func() {
			check(t, before, r.State())
			before = r.State()
			if r.Message() != nil && before.Steps[before.Step].State != robot.StepRunning {
				t.Fatal("a message is shown that is no step's")
			}
			if r.Speech() != nil && before.Phase != robot.RunRunning {
				t.Fatal("it speaks while it does not run")
			}
		}
		reason := rapid.SampledFrom([]string{"", "because"})
		for range rapid.IntRange(0, 60).Draw(t, "orders") {
			why := reason.Draw(t, "reason")
			switch rapid.IntRange(0, 18).Draw(t, "order") {
			case 0:
				r.Begin(now, b)
			case 1:
				r.Pause(now, why, b)
			case 2, 3:
				r.Resume(now, b)
			case 4:
				r.Skip(now, 0, why, b)
			case 5, 6:
				r.Retry(now, 0, b)
			case 7:
				if rapid.IntRange(0, 5).Draw(t, "end") == 0 {
					r.End(now, why, b)
				}
			case 8:
				r.PressOK(now, "Ana")
			case 9:
				if s := r.Speech(); s != nil {
					r.FinishSpeech(now, s.Number)
				}
			case 10:
				r.ReplaceSteps(now, other())
			case 11:
				b.refuses = robot.Result{Word: rapid.SampledFrom([]robot.Word{"", "", robot.Error, robot.Panic, robot.Busy}).Draw(t, "word"), Reason: "No."}
			case 12, 13:
				b.end(rapid.SampledFrom([]robot.Word{robot.Success, robot.Modified, robot.Error, robot.Interrupted}).Draw(t, "word"), why)
			case 14:
				b.send(robot.Pose{})
			case 15:
				b.goal.Phase, b.goal.Blocked = robot.GoalBlocked, &robot.Blockage{Waited: rapid.Float64Range(0, 4000).Draw(t, "waited")}
			case 16:
				b.goal.Phase = robot.GoalPaused
			default:
				now = now.Add(time.Duration(rapid.Int64Range(-int64(time.Second), int64(20*time.Second)).Draw(t, "time")))
				r.Tick(now, rapid.Bool().Draw(t, "ok"), b)
			}
			look()
		}
		r.Begin(now, b)
		b.refuses = robot.Result{}
		for range 100 * MaxSteps {
			if r.State().Phase == robot.RunEnded {
				break
			}
			now = now.Add(20 * time.Minute)
			r.Tick(now, false, b)
			look()
			b.end(robot.Success, "")
			r.PressOK(now, "Ana")
			r.Retry(now, 0, b)
			r.Resume(now, b)
			look()
		}
		run := r.State()
		if run.Phase != robot.RunEnded || run.Ended.IsZero() || run.Result.Word == "" || run.Left != 0 {
			t.Fatalf("the run has not ended: %+v", run)
		}
		if r.Speech() != nil || r.Message() != nil {
			t.Fatal("it speaks or shows something after the end")
		}
		for i, s := range run.Steps {
			if (s.State == robot.StepFinished || s.State == robot.StepFailed) == s.Ended.IsZero() || s.Left < 0 || s.Skipped && s.State != robot.StepFailed {
				t.Fatalf("step %d is %+v", i, s)
			}
			if run.Result.Word == robot.Success && s.Result.Word != robot.Success {
				t.Fatalf("the run has succeeded, but step %d is %+v", i, s)
			}
		}
	})
}

// check reports whether one state may follow another.
func check(t *rapid.T, was, is *robot.Run) {
	t.Helper()
	if was == is {
		return
	}
	states := map[int]string{}
	last := time.Time{}
	for i, l := range is.Log {
		if was != nil && i < len(was.Log) && was.Log[i] != l {
			t.Fatalf("transition %d was %+v and is %+v", i, was.Log[i], l)
		}
		from, ok := states[l.Step]
		if !ok && l.Step >= 0 {
			from = string(robot.StepWaiting)
		}
		if l.From != from {
			t.Fatalf("transition %d is %+v, but it was %q", i, l, from)
		}
		if !IsLegalChange(l.From, l.To) {
			t.Fatalf("transition %d is not legal: %+v", i, l)
		}
		if l.At.Before(last) {
			t.Fatalf("transition %d is of %s, before %s", i, l.At, last)
		}
		states[l.Step], last = l.To, l.At
	}
	if was != nil && len(is.Log) < len(was.Log) {
		t.Fatal("transitions were forgotten")
	}
	if states[-1] != string(is.Phase) {
		t.Fatalf("the phase is %q, but the log says %q", is.Phase, states[-1])
	}
	for i, s := range is.Steps {
		want := states[i]
		if want == "" {
			want = string(robot.StepWaiting)
		}
		if string(s.State) != want {
			t.Fatalf("step %d is %s, but the log says %q", i, s.State, want)
		}
		if under := s.State != robot.StepWaiting && s.State != robot.StepFinished && s.State != robot.StepFailed; under && (i != is.Step || is.Phase == robot.RunEnded) {
			t.Fatalf("step %d is %s, but step %d is the current one of a run that is %s", i, s.State, is.Step, is.Phase)
		}
	}
	if is.Phase == robot.RunStuck && is.Steps[is.Step].State != robot.StepRetriable {
		t.Fatalf("the run is stuck at a step that is %s", is.Steps[is.Step].State)
	}
}

func TestAStateIsTheSameUntilSomethingChanges(t *testing.T) {
	j := Job{Name: "J", Steps: []Step{{Type: Wait, Seconds: 10}, {Type: Wait, Seconds: 5}}}
	r, b := NewRun(1, j, ready(j, true)), &body{}
	r.Begin(epoch, b)
	first := r.State()
	kept := *first
	for d := tick; d < leftEvery; d += tick {
		r.Tick(epoch.Add(d), false, b)
		if r.State() != first {
			t.Fatalf("the state changed after %s", d)
		}
	}
	r.Tick(epoch.Add(leftEvery), false, b)
	next := r.State()
	if next == first || next.Left != 14.5 || next.Steps[0].Left != 9.5 {
		t.Errorf("after half a second %g s are left, want 14.5", next.Left)
	}
	if first.Left != kept.Left || first.Steps[0].Left != 10 || len(first.Log) != len(kept.Log) {
		t.Error("a state that was given away changed")
	}
}

func TestAnOKSwitchThatIsDownWhenTheRunBeginsHasToBeLetGoFirst(t *testing.T) {
	j := Job{Name: "J", Steps: []Step{{Type: Message, Text: "Hello.", OK: true}}}
	r, b := NewRun(1, j, ready(j, true)), &body{}
	r.Begin(epoch, b)
	for n, down := range []bool{true, true, false, true} {
		if r.State().Phase != robot.RunRunning {
			t.Fatalf("the run has ended before tick %d", n+1)
		}
		r.Tick(epoch.Add(time.Duration(n+1)*tick), down, b)
	}
	if r.State().Phase != robot.RunEnded {
		t.Error("a touch after that ends nothing")
	}
}

func TestNumbersOfSpeechesAndMessagesAreNeverGivenAgain(t *testing.T) {
	j := Job{Name: "J", Steps: []Step{{Type: Voice, Text: "Hello."}, {Type: Message, Text: "Hello."}}}
	var speech, message uint64
	for n := uint64(1); n < 4; n++ {
		r, b := NewRun(n, j, ready(j, true)), &body{}
		r.Begin(epoch, b)
		if s := r.Speech(); s.Number <= speech {
			t.Errorf("speech %d follows %d", s.Number, speech)
		} else {
			speech = s.Number
		}
		r.Skip(epoch, 0, "", b)
		r.Tick(epoch, false, b)
		if m := r.Message(); m.Number <= message {
			t.Errorf("message %d follows %d", m.Number, message)
		} else {
			message = m.Number
		}
	}
}

func TestARunThatWasCutOffEndedThen(t *testing.T) {
	j := Job{Name: "J", Steps: []Step{{Type: Wait, Seconds: 1}, {Type: Wait, Seconds: 5}, {Type: Wait, Seconds: 5}}}
	r, b := NewRun(1, j, ready(j, true)), &body{}
	r.Begin(epoch, b)
	r.Tick(epoch.Add(time.Second), false, b)
	was := r.State()
	off := epoch.Add(time.Hour)
	is := CutOff(*was, off, "The robot was switched off.")
	if is.Phase != robot.RunEnded || is.Result.Word != robot.Interrupted || !is.Ended.Equal(off) || is.Left != 0 {
		t.Errorf("the run is %+v", is)
	}
	for i, want := range []robot.ActionState{robot.StepFinished, robot.StepFailed, robot.StepWaiting} {
		if is.Steps[i].State != want {
			t.Errorf("step %d is %s, want %s", i, is.Steps[i].State, want)
		}
	}
	if len(is.Log) != len(was.Log)+2 || was.Steps[1].State != robot.StepRunning {
		t.Errorf("the log has %d transitions after %d, and the run before is %+v", len(is.Log), len(was.Log), was.Steps)
	}
	if again := CutOff(is, off.Add(time.Hour), "Again."); !again.Ended.Equal(off) || len(again.Log) != len(is.Log) {
		t.Error("a run that has ended was cut off")
	}
	if begun := CutOff(*NewRun(2, j, ready(j, true)).State(), off, "Off."); begun.Phase != robot.RunEnded {
		t.Error("a run that was only made ready has not ended")
	}
}

// A text that the base's own speaker says ends as asked for once the base has reported
// every sentence, and with an honest reason when it does not.
func TestTheBaseSaysATextOrFallsSilent(t *testing.T) {
	const lasts = 2 * time.Second
	for name, c := range map[string]struct {
		answers int // of two sentences
		want    robot.Result
	}{
		"it reports both sentences": {2, robot.Result{Word: robot.Success}},
		"it reports the first one":  {1, robot.Result{Word: robot.Modified, Reason: "The robot's own speaker did not report that it has spoken."}},
		"it reports nothing":        {0, robot.Result{Word: robot.Modified, Reason: "The robot's own speaker did not report that it has spoken."}},
	} {
		t.Run(name, func(t *testing.T) {
			b, now := &body{}, time.Unix(1000, 0)
			step := PreparedStep{Step: Step{Type: Voice, Text: "One. Two."}, Speech: PreparedSpeech{ByBase: true, Sentences: []Sentence{{"One.", lasts}, {"Two.", lasts}}}}
			r := NewRun(1, Job{Name: "Talk"}, []PreparedStep{step})
			r.Begin(now, b)
			for i := range 2 {
				s := r.Speech()
				if s == nil || !s.ByBase || s.Aloud || s.Text != step.Speech.Sentences[i].Text {
					t.Fatalf("sentence %d is %+v", i+1, s)
				}
				if i < c.answers {
					now = now.Add(lasts)
					r.FinishSpeech(now, s.Number)
					continue
				}
				now = now.Add(spokenWithin(lasts) - time.Millisecond)
				if r.Tick(now, false, b); r.Speech() != s {
					t.Fatalf("sentence %d is over before the base has had its time", i+1)
				}
				now = now.Add(time.Millisecond)
				r.Tick(now, false, b)
			}
			r.Tick(now, false, b)
			if got := r.State().Steps[0].Result; got != c.want || r.State().Phase != robot.RunEnded {
				t.Errorf("it ends %+v, want %+v", got, c.want)
			}
		})
	}
}
