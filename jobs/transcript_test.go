package jobs

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/robottest"
)

// TestTranscripts plays the stories of testdata/*.txt: lines at the margin are
// events, indented lines are the run's answers and transitions, recorded with
// -update.
//
//	job JSON              a run of this job is prepared; a VOICE takes 0.1 s a letter, a MOVE 10 s
//	mute                  before it: the screen speaks, not the robot
//	begin                 it begins
//	wait D                ticks of 0.1 s for the duration D
//	switch on|off         the OK switch
//	ok WHO, spoken        someone presses OK; the screen has said it
//	pause WHY, resume, skip WHY, retry, end WHY
//	change JSON           the steps are replaced
//	arrive, break WHY     the robot reaches its goal, or fails to
//	rest WHY, cancel WHY, away   someone pauses its goal, cancels it, sends it elsewhere
//	block, free           an obstacle blocks the robot, or is gone
//	refuse WORD WHY       the robot refuses goals from now on; without a word it takes them again
//	left                  writes the remaining time
func TestTranscripts(t *testing.T) {
	robottest.Transcripts(t, play)
}

var epoch = time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)

const tick = 100 * time.Millisecond

// A body is a robot that the test controls.
type body struct {
	goal    robot.Goal
	refuses robot.Result // word "" = it takes goals
	asked   []string
}

func (b *body) GoTo(g robot.GoTo) robot.Result {
	b.asked = append(b.asked, fmt.Sprintf("goto %g %g %s", g.Goal.X, g.Goal.Y, g.Name))
	if b.refuses.Word != "" {
		return b.refuses
	}
	b.send(g.Goal)
	return robot.Result{Word: robot.Success}
}

func (b *body) send(to robot.Pose) {
	b.goal = robot.Goal{Number: b.goal.Number + 1, Pose: to, Phase: robot.GoalDriving, Time: 10}
}

func (b *body) Goal() robot.Goal { return b.goal }

func (b *body) PauseGoal(reason string) {
	b.asked = append(b.asked, "pause the goal")
	b.goal.Phase, b.goal.Blocked, b.goal.Result = robot.GoalPaused, nil, robot.Result{Reason: reason}
}

func (b *body) ResumeGoal() robot.Result {
	b.asked = append(b.asked, "resume the goal")
	if b.refuses.Word != "" {
		return b.refuses
	}
	b.goal.Phase, b.goal.Result = robot.GoalDriving, robot.Result{}
	return robot.Result{Word: robot.Success}
}

func (b *body) CancelGoal(reason string) {
	b.asked = append(b.asked, "give the goal up")
	b.end(robot.Interrupted, reason)
}

func (b *body) end(word robot.Word, reason string) {
	b.goal.Phase, b.goal.Blocked, b.goal.Result = robot.GoalEnded, nil, robot.Result{Word: word, Reason: reason}
}

// pass advances the time of a robot that drives or waits.
func (b *body) pass(d time.Duration) {
	switch b.goal.Phase {
	case robot.GoalDriving:
		b.goal.Time = max(b.goal.Time-d.Seconds(), 0)
	case robot.GoalBlocked:
		b.goal.Blocked = &robot.Blockage{Waited: b.goal.Blocked.Waited + d.Seconds()}
	}
}

// ready prepares a job as the library does, but without paths.
func ready(j Job, aloud bool) []PreparedStep {
	steps := make([]PreparedStep, len(j.Steps))
	for i, s := range j.Steps {
		r := PreparedStep{Step: s}
		switch s.Type {
		case Move:
			r.Expect = 10
			if s.Pose != nil {
				r.Goal = robot.Pose{X: s.Pose[0], Y: s.Pose[1], Theta: s.Pose[2]}
			}
		case Voice:
			r.Speech.Aloud = aloud
			if !aloud {
				r.Speech.Reason = "The robot has no voice. Its screen speaks."
			}
			for text := range strings.SplitAfterSeq(s.Text, ". ") {
				d := time.Duration(len(text)) * tick
				r.Speech.Sentences = append(r.Speech.Sentences, Sentence{strings.TrimSpace(text), d})
				r.Expect += d.Seconds()
			}
		case Message:
			if !s.OK {
				r.Expect = 5
				if s.Seconds > 0 {
					r.Expect = s.Seconds
				}
			}
		case Wait:
			r.Expect = s.Seconds
		}
		steps[i] = r
	}
	return steps
}

// A story is a transcript while it is played.
type story struct {
	now     time.Time
	run     *Run
	body    *body
	mute    bool
	ok      bool
	told    int // transitions
	speech  *robot.Speech
	message *robot.Message
	runs    uint64
	out     strings.Builder
}

func play(text string) (string, error) {
	s := &story{now: epoch, body: &body{}}
	for n, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if strings.HasPrefix(line, " ") {
			continue
		}
		s.out.WriteString(line + "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if err := s.do(line); err != nil {
			return "", fmt.Errorf("line %d: %w", n+1, err)
		}
		s.tell()
	}
	return s.out.String(), nil
}

func (s *story) do(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "job", "change":
		j, err := Parse([]byte(rest))
		if err != nil {
			return err
		}
		s.runs++
		r := NewRun(s.runs, j, ready(j, !s.mute))
		if word == "change" {
			s.answer(s.run.ReplaceSteps(s.now, r))
		} else {
			s.run, s.told = r, 0
		}
	case "mute":
		s.mute = true
	case "begin":
		s.answer(s.run.Begin(s.now, s.body))
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		for end := s.now.Add(d); s.now.Before(end); {
			s.now = s.now.Add(tick)
			s.body.pass(tick)
			s.run.Tick(s.now, s.ok, s.body)
			s.tell()
		}
	case "switch":
		s.ok = rest == "on"
	case "ok":
		s.answer(s.run.PressOK(s.now, rest))
	case "spoken":
		s.run.FinishSpeech(s.now, s.speech.Number)
	case "pause":
		s.run.Pause(s.now, rest, s.body)
	case "resume":
		s.answer(s.run.Resume(s.now, s.body))
	case "skip":
		s.answer(s.run.Skip(s.now, 0, rest, s.body))
	case "retry":
		s.answer(s.run.Retry(s.now, 0, s.body))
	case "end":
		s.answer(s.run.End(s.now, rest, s.body))
	case "arrive":
		s.body.end(robot.Success, "")
	case "break":
		s.body.end(robot.Error, rest)
	case "cancel":
		s.body.end(robot.Interrupted, rest)
	case "rest":
		s.body.goal.Phase, s.body.goal.Result = robot.GoalPaused, robot.Result{Reason: rest}
	case "away":
		s.body.send(robot.Pose{X: 99})
	case "block":
		s.body.goal.Phase, s.body.goal.Blocked = robot.GoalBlocked, &robot.Blockage{}
	case "free":
		s.body.goal.Phase, s.body.goal.Blocked = robot.GoalDriving, nil
	case "refuse":
		w, why, _ := strings.Cut(rest, " ")
		s.body.refuses = robot.Result{Word: robot.Word(w), Reason: why}
	case "left":
		run := s.run.State()
		s.line("%.1f s left, %.1f s of step %d", run.Left, run.Steps[run.Step].Left, run.Step+1)
	default:
		return fmt.Errorf("nothing is called %q", word)
	}
	return nil
}

func (s *story) line(format string, args ...any) {
	s.out.WriteString("    " + strings.TrimRight(fmt.Sprintf("%6.1f  ", s.now.Sub(epoch).Seconds())+fmt.Sprintf(format, args...), " ") + "\n")
}

func (s *story) answer(r robot.Result) { s.line("%s %s", r.Word, r.Reason) }

// tell writes the news since the last call.
func (s *story) tell() {
	for _, a := range s.body.asked {
		s.line("> %s", a)
	}
	s.body.asked = nil
	if s.run == nil {
		return
	}
	run := s.run.State()
	for _, t := range run.Log[s.told:] {
		what := "the run"
		if t.Step >= 0 {
			what = fmt.Sprintf("step %d", t.Step+1)
		}
		s.line("%s: %s -> %s %s %s", what, strconv.Quote(t.From), t.To, t.Word, t.Reason)
	}
	s.told = len(run.Log)
	if p := s.run.Speech(); p != s.speech {
		s.speech = p
		if p == nil {
			s.line("it is silent")
		} else {
			s.line("%d: says %q", p.Number, p.Text)
		}
	}
	if m := s.run.Message(); m != s.message {
		s.message = m
		switch {
		case m == nil:
			s.line("it shows nothing")
		case m.Until.IsZero():
			s.line("%d: shows %q", m.Number, m.Text)
		default:
			s.line("%d: shows %q for %.1f s", m.Number, m.Text, m.Until.Sub(s.now).Seconds())
		}
	}
}

// jsonOf writes a value that can always be written.
func jsonOf(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
