package onboard

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// jobStory is the part of a transcript that is about jobs.
type jobStory struct {
	ready preparedRuns
	last  uint64 // the number of the job that steps are added to
	name  string
	steps []jobs.PreparedStep
	told  int    // transitions of the run
	run   uint64 // whose
}

// doJob does what a line about a job says.
func (s *story) doJob(verb string, rest []string, d time.Duration) error {
	text := strings.Join(rest, " ")
	number := func() uint64 { n, _ := strconv.ParseUint(text, 10, 64); return n } // no number is 0
	j := &s.jobs
	switch verb {
	case "ready":
		n, err := strconv.ParseUint(rest[0], 10, 64)
		if err != nil {
			return err
		}
		if j.ready == nil {
			j.ready = preparedRuns{}
		}
		s.core.UseJobs(j.ready)
		j.last, j.name, j.steps = n, strings.Join(rest[1:], " "), nil
	case "step":
		r, err := readyStep(rest, d)
		if err != nil {
			return err
		}
		j.steps = append(j.steps, r)
		j.ready[j.last] = jobs.NewRun(j.last, jobs.Job{ID: "story", Name: j.name}, j.steps)
	case "else":
		last := &j.steps[len(j.steps)-1].Step
		last.OnFailure, last.RetryAfter = jobs.OnFailure(rest[0]), d.Seconds()
		j.ready[j.last] = jobs.NewRun(j.last, jobs.Job{ID: "story", Name: j.name}, j.steps)
	case "run":
		s.answer(s.core.Do(s.now, robot.RunJob{Run: number()}))
	case "change":
		s.answer(s.core.Do(s.now, robot.ChangeRun{Ready: number()}))
	case "pausejob":
		s.answer(s.core.Do(s.now, robot.PauseRun{Reason: text}))
	case "resumejob":
		s.answer(s.core.Do(s.now, robot.ResumeRun{}))
	case "skip":
		s.answer(s.core.Do(s.now, robot.SkipStep{Reason: text}))
	case "retry":
		s.answer(s.core.Do(s.now, robot.RetryStep{}))
	case "end":
		s.answer(s.core.Do(s.now, robot.EndRun{Reason: text}))
	case "ok":
		s.answer(s.core.Do(s.now, robot.OK{By: text}))
	case "spoken":
		s.answer(s.core.Do(s.now, robot.Spoken{Number: s.state.Speech.Number}))
	case "switch":
		s.ok = text == "on"
	default:
		return fmt.Errorf("there is no such verb")
	}
	return nil
}

// readyStep reads the words behind "step"; d is the last duration among them.
func readyStep(words []string, d time.Duration) (jobs.PreparedStep, error) {
	r := jobs.PreparedStep{Step: jobs.Step{Type: jobs.Kind(words[0]), Seconds: d.Seconds()}}
	rest := words[1:]
	switch r.Step.Type {
	case jobs.Move:
		if _, err := fmt.Sscan(rest[0]+" "+rest[1], &r.Goal.X, &r.Goal.Y); err != nil {
			return r, err
		}
		r.Step.Place = strings.Join(rest[2:], " ")
	case jobs.Voice:
		r.Speech.Aloud, r.Step.Seconds = rest[0] != "screen", 0
		if !r.Speech.Aloud {
			r.Speech.Reason, rest = "The robot has no voice of its own, so its screen speaks.", rest[1:]
		}
		for n, w := range rest {
			long, err := time.ParseDuration(w)
			if err != nil {
				return r, err
			}
			r.Speech.Sentences = append(r.Speech.Sentences, jobs.Sentence{Text: fmt.Sprintf("Sentence %d.", n+1), Duration: long})
		}
	case jobs.Message:
		r.Step.OK, r.Step.Text = rest[0] == "ok", strings.Join(rest[1:], " ")
	case jobs.Wait:
		r.Step.OK = len(rest) > 1
	default:
		return r, fmt.Errorf("there is no step %q", words[0])
	}
	return r, nil
}

// tellJob writes the state of the run, and what has happened to it since the last call.
func (s *story) tellJob() {
	run, j := s.state.Run, &s.jobs
	if run == nil {
		return
	}
	if run.Number != j.run {
		j.run, j.told = run.Number, 0
	}
	fmt.Fprintf(&s.out, "    job %d %s, step %d of %d, %.0f s to go", run.Number, run.Phase, min(run.Step+1, len(run.Steps)), len(run.Steps), run.Left)
	if run.Edition > 0 {
		fmt.Fprintf(&s.out, ", changed %d times", run.Edition)
	}
	fmt.Fprintln(&s.out)
	for _, t := range run.Log[j.told:] {
		what := fmt.Sprintf("step %d", t.Step+1)
		if t.Step < 0 {
			what = "the job"
		}
		fmt.Fprintf(&s.out, "    at %.2fs %s\n", t.At.Sub(epoch).Seconds(), strings.Join(strings.Fields(fmt.Sprintf("%s is %s %s %s", what, t.To, t.Word, t.Reason)), " "))
	}
	j.told = len(run.Log)
	if sp := s.state.Speech; sp != nil {
		fmt.Fprintf(&s.out, "    says %q for %.1f s, since %.2fs\n", sp.Text, sp.Duration.Seconds(), sp.At.Sub(epoch).Seconds())
	}
	if m := s.state.Message; m != nil {
		fmt.Fprintf(&s.out, "    shows %q", m.Text)
		if m.OK {
			fmt.Fprint(&s.out, " until OK")
		}
		if !m.Until.IsZero() {
			fmt.Fprintf(&s.out, " until %.2fs", m.Until.Sub(epoch).Seconds())
		}
		fmt.Fprintln(&s.out)
	}
}
