package onboard

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// A talker is a base with a speaker and a display.
type talker struct {
	*base
	takes time.Duration // to speak a sentence; 0 = it never reports one
	fails error

	speeches []robot.Speech
	shows    []string // the lines of each, joined
	begun    time.Time
	said     uint64
}

func (b *talker) Say(s robot.Speech) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.speeches, b.begun = append(b.speeches, s), time.Now()
	return b.fails
}

func (b *talker) Said() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.speeches); n > 0 && b.takes > 0 && time.Since(b.begun) >= b.takes {
		b.said = b.speeches[n-1].Number
	}
	return b.said
}

func (b *talker) Show(lines []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shows = append(b.shows, strings.Join(lines, "|"))
	return b.fails
}

// A talk is a loop with a talker that has a job to do, in virtual time.
type talk struct {
	*Loop
	*talker
	t      *testing.T
	newest robot.State
	log    strings.Builder
	seen   witness
	end    func()

	// As they were after the last pass.
	state    robot.State
	speeches []robot.Speech
	shows    []string
}

func newTalk(t *testing.T, b *talker, steps ...jobs.PreparedStep) *talk {
	s := &talk{talker: b, t: t}
	core := NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil)
	core.UseJobs(preparedRuns{1: jobs.NewRun(1, jobs.Job{ID: "talk", Name: "Talk"}, steps)})
	s.Loop = NewLoop(b, core, func(state robot.State) { b.set(func() { s.newest = state }) }, slog.New(slog.NewTextHandler(&s.log, nil)))
	s.UseObserver(&s.seen)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	s.end = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(s.end)
	time.Sleep(50 * time.Millisecond)
	s.do(robot.RunJob{Run: 1})
	return s
}

func (s *talk) do(cmd robot.Command) {
	s.t.Helper()
	if r := s.Do(s.t.Context(), cmd); r.Word != robot.Success {
		s.t.Fatalf("%T is answered %v", cmd, r)
	}
}

// pass lets time pass.
func (s *talk) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	s.set(func() {
		s.state, s.speeches, s.shows = s.newest, slices.Clone(s.talker.speeches), slices.Clone(s.talker.shows)
	})
}

// ends waits for the end of the job, ends the loop, and returns how the step ended.
func (s *talk) ends(step int) robot.Result {
	s.t.Helper()
	s.pass(time.Minute)
	s.end()
	if s.state.Run.Phase != robot.RunEnded {
		s.t.Fatalf("the job has not ended: %+v", *s.state.Run)
	}
	return s.state.Run.Steps[step].Result
}

func TestTheBaseSaysAndShowsWhatAJobSaysAndShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTalk(t, &talker{base: newBase(), takes: time.Second}, sayByBase(2*time.Second, 2*time.Second), showFor(4, false), waitFor(2, true))
		s.pass(1500 * time.Millisecond)
		if n := len(s.speeches); n != 2 || s.speeches[0].Text != "Sentence 1." || s.speeches[1].Text != "Sentence 2." || s.speeches[0].Number == s.speeches[1].Number {
			t.Errorf("after 1.5 s it has been given %+v", s.speeches)
		}
		if r := s.ends(0); r.Word != robot.Success || s.state.Run.Result.Word != robot.Success {
			t.Errorf("the sentence ended %v and the job %v", r, s.state.Run.Result)
		}
		if want := []string{"Touch OK.", "Touch OK.", ""}; !slices.Equal(s.shows, want) {
			t.Errorf("it shows %q, want %q", s.shows, want)
		}
		spoken := slices.DeleteFunc(slices.Clone(s.seen.seen), func(what string) bool { return what != "robot.Spoken SUCCESS" })
		if len(spoken) != 2 || len(s.speeches) != 2 {
			t.Errorf("a recording has %q of %d sentences", spoken, len(s.speeches))
		}
	})
}

func TestABaseThatNeverReportsASentenceDelaysAJobAndEndsItHonestly(t *testing.T) {
	for name, fails := range map[string]error{"it takes the sentence": nil, "it is out of reach": errors.New("the base is out of reach")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTalk(t, &talker{base: newBase(), fails: fails}, sayByBase(2*time.Second, 2*time.Second))
				s.pass(13900 * time.Millisecond) // 2 and 3 s for each sentence of 2 s
				if s.state.Run.Phase != robot.RunRunning {
					t.Errorf("it is given up early: %+v", *s.state.Run)
				}
				if r := s.ends(0); r.Word != robot.Modified || !strings.Contains(r.Reason, "speaker did not report") || len(s.speeches) != 2 {
					t.Errorf("the sentence ended %v, given %d times", r, len(s.speeches))
				}
				if n := strings.Count(s.log.String(), "out of reach"); fails != nil && n != 1 {
					t.Errorf("that is logged %d times", n)
				}
			})
		})
	}
}

func TestASentenceThatEndsAfterAStopReleasesNothingAndMovesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTalk(t, &talker{base: newBase(), takes: 3 * time.Second}, sayByBase(3*time.Second), showFor(0, true), waitFor(1, false))
		s.pass(time.Second)
		s.Stop("Jin")
		s.pass(5 * time.Second)
		if s.state.Stop == nil || s.state.Run.Phase != robot.RunPaused || s.state.Speech != nil || s.last() != (robot.Twist{}) {
			t.Fatalf("the base has finished its sentence, and the robot is stopped by %v, with the run %+v and the speech %v", s.state.Stop, *s.state.Run, s.state.Speech)
		}
		s.do(robot.ClearStop{})
		s.pass(time.Second)
		if s.state.Run.Phase != robot.RunPaused || len(s.speeches) != 1 {
			t.Fatalf("released, the run is %+v, and %d sentences were given", *s.state.Run, len(s.speeches))
		}
		s.do(robot.ResumeRun{})
		s.pass(2 * time.Second)
		if len(s.speeches) != 2 || s.speeches[1].Text != s.speeches[0].Text || s.speeches[1].Number == s.speeches[0].Number || len(s.shows) != 0 {
			t.Errorf("resumed, it has been given %+v and shows %q", s.speeches, s.shows)
		}
		s.pass(2 * time.Second)
		s.Stop("Jin") // while the message is shown
		s.pass(time.Second)
		s.do(robot.ClearStop{})
		s.do(robot.ResumeRun{})
		s.pass(time.Second)
		s.do(robot.OK{By: "Ana"})
		if r := s.ends(0); r.Word != robot.Success {
			t.Errorf("the sentence ended %v", r)
		}
		if want := []string{"Touch OK.", "", "Touch OK.", ""}; !slices.Equal(s.shows, want) {
			t.Errorf("it shows %q, want %q, as the screen", s.shows, want)
		}
	})
}

func TestABaseIsGivenNoSentenceOfTheScreenAndShowsNothingWithoutADisplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &talker{base: newBase(), takes: time.Second}
		b.desc.Display = false
		s := newTalk(t, b, sayFor(true, time.Second), sayFor(false, time.Second), showFor(1, false))
		if s.ends(2); len(s.speeches) != 0 || len(s.shows) != 0 {
			t.Errorf("it has been given %+v and %q", s.speeches, s.shows)
		}
	})
}
