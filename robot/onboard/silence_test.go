package onboard

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// A line is a base at the end of a line. It sends readings at 10 Hz, executes a twist for
// 100 ms, and notes each command with its time.
type line struct {
	*base
	mu    sync.Mutex
	tolds []told
	link  robot.BaseLink
	slow  time.Duration // for which its head makes the loop wait
}

type told struct {
	at    time.Time
	twist robot.Twist
}

func newLine() *line {
	l := &line{base: newBase(), link: robot.BaseLink{Up: true, Since: time.Now()}}
	l.desc.Holds, l.desc.Rate, l.period = 100*time.Millisecond, 10, 100*time.Millisecond
	return l
}

func (l *line) Drive(t robot.Twist) error {
	l.mu.Lock()
	l.tolds = append(l.tolds, told{time.Now(), t})
	l.mu.Unlock()
	return l.base.Drive(t)
}

func (l *line) Look(robot.HeadAngles) error {
	time.Sleep(l.slow)
	return nil
}

func (l *line) BaseLink() robot.BaseLink {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.link
}

// lose has parts be out of reach from now on.
func (l *line) lose(parts ...robot.LostPart) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.link.Gone = parts
}

// since returns the commands to the base from a time on.
func (l *line) since(t time.Time) (tolds []told) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.tolds {
		if !d.at.Before(t) {
			tolds = append(tolds, d)
		}
	}
	return tolds
}

// hanging is a localizer in which the core hangs once for a while. What is publishd
// may hang, too.
type hanging struct {
	believed
	mu            sync.Mutex
	tick, publish time.Duration
}

func (h *hanging) Update(r robot.Reading) {
	h.sleepOnce(&h.tick)
	h.believed.Update(r)
}

func (h *hanging) sleepOnce(d *time.Duration) {
	h.mu.Lock()
	span := *d
	*d = 0
	h.mu.Unlock()
	time.Sleep(span)
}

func (h *hanging) hang(tick, publish time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tick, h.publish = tick, publish
}

// runLine runs a loop on the line in a bubble.
func runLine(t *testing.T, test func(t *testing.T, r *rig, l *line, h *hanging)) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		h := &hanging{believed: believed{drive: l.desc.Drivetrain}}
		r := &rig{base: l.base, log: &bytes.Buffer{}, ended: make(chan error, 1)}
		r.Loop = NewLoop(l, NewCore(l.desc, h, nil), func(s robot.State) {
			h.sleepOnce(&h.publish)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.states = append(r.states, s)
		}, slog.New(slog.NewTextHandler(r.log, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		r.cancel = cancel
		go func() { r.ended <- r.Run(ctx) }()
		test(t, r, l, h)
		r.end(t)
	})
}

var cruise = robot.Twist{Linear: 0.3}

func TestTheTwistIsRepeatedToABaseThatForgetsItBeforeTheNextReading(t *testing.T) {
	runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
		r.drive(t, cruise, 3*time.Second)
		all := l.since(time.Now().Add(-time.Second))
		if len(all) < 38 {
			t.Errorf("it was told %d times in a second", len(all))
		}
		for i, d := range all {
			if !alike(d.twist, cruise) {
				t.Errorf("it was told %v", d.twist)
			}
			if i > 0 && d.at.Sub(all[i-1].at) > l.desc.Holds/4 {
				t.Errorf("it was told nothing for %v", d.at.Sub(all[i-1].at))
			}
		}
	})
}

func TestTheTwistIsRepeatedNoLongerThanReadingsComeOrSomebodyStops(t *testing.T) {
	t.Run("readings stay away", func(t *testing.T) {
		runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
			r.drive(t, cruise, 3*time.Second)
			time.Sleep(10 * time.Millisecond)
			silent := r.lastTickTime()
			l.set(func() { l.mute = true })
			r.drive(t, cruise, time.Second)
			for _, d := range l.since(silent.Add(1)) {
				if after := d.at.Sub(silent); d.twist.IsZero() != (after >= 250*time.Millisecond) {
					t.Errorf("%v after the last reading it was told %v", after, d.twist)
				}
			}
			if all := l.since(silent); len(all) < 12 {
				t.Errorf("it was told %d times", len(all))
			}
		})
	})
	t.Run("STOP", func(t *testing.T) {
		runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
			r.drive(t, cruise, 3*time.Second)
			time.Sleep(10 * time.Millisecond)
			r.Stop("Jin")
			synctest.Wait()
			at := time.Now()
			r.drive(t, cruise, time.Second)
			for _, d := range l.since(at) {
				if !d.twist.IsZero() {
					t.Errorf("%v after STOP it was told %v", d.at.Sub(at), d.twist)
				}
			}
		})
	})
	t.Run("a halt", func(t *testing.T) {
		runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
			r.drive(t, cruise, 3*time.Second)
			time.Sleep(10 * time.Millisecond)
			if answer := r.Do(t.Context(), robot.Halt{Reason: "Jin has control now."}); answer.Word != robot.Success {
				t.Fatalf("the halt is answered %v", answer)
			}
			at := time.Now()
			time.Sleep(time.Second)
			for _, d := range l.since(at) {
				if !d.twist.IsZero() && alike(d.twist, cruise) {
					t.Errorf("%v after the halt it was told %v", d.at.Sub(at), d.twist)
				}
			}
		})
	})
	t.Run("the base refused it", func(t *testing.T) {
		runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
			l.set(func() { l.refuse = robot.Refusef("no current") })
			r.drive(t, cruise, 3*time.Second)
			moved := 0
			for _, d := range l.since(time.Now().Add(-time.Second)) {
				if !d.twist.IsZero() {
					moved++
				}
			}
			if moved > 12 {
				t.Errorf("it was told to move %d times in a second", moved)
			}
			l.set(func() { l.refuse = nil })
			time.Sleep(time.Second)
		})
	})
}

func TestACoreThatHangsRepeatsNothing(t *testing.T) {
	runLine(t, func(t *testing.T, r *rig, l *line, h *hanging) {
		r.drive(t, cruise, 3*time.Second)
		h.hang(2*time.Second, 0)
		time.Sleep(150 * time.Millisecond)
		at := time.Now()
		time.Sleep(1500 * time.Millisecond)
		if all := l.since(at); len(all) > 0 {
			t.Errorf("it was told %v", all)
		}
	})
}

func TestADriveBeginsFromZeroWhenTheBaseHasForgottenTheLastTwist(t *testing.T) {
	for _, c := range []struct {
		name          string
		tick, publish time.Duration
		want          bool
	}{
		{"a tick of 90 ms", 90 * time.Millisecond, 0, false},
		{"a tick of 110 ms", 110 * time.Millisecond, 0, true},
		{"90 ms between two ticks", 0, 90 * time.Millisecond, false},
		{"150 ms between two ticks", 0, 150 * time.Millisecond, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			runLine(t, func(t *testing.T, r *rig, l *line, h *hanging) {
				r.drive(t, cruise, 3*time.Second)
				time.Sleep(5 * time.Millisecond) // not at the time of a reading
				h.hang(c.tick, c.publish)
				at := time.Now()
				r.drive(t, cruise, time.Second)
				begun := false
				for _, d := range l.since(at) {
					begun = begun || d.twist.Linear < cruise.Linear/2
				}
				if begun != c.want {
					t.Errorf("it began from zero: %v", begun)
				}
			})
		})
	}
}

// TestWhatTheBaseHasForgottenIsNotRepeated has an order hold up the loop for longer than the
// base keeps a twist. After it a reading and the next repetition are both due, and either
// may come first.
func TestWhatTheBaseHasForgottenIsNotRepeated(t *testing.T) {
	runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
		l.slow = 130 * time.Millisecond
		for range 20 {
			r.drive(t, cruise, 2*time.Second)
			time.Sleep(5 * time.Millisecond) // not at the time of a reading
			if res := r.Do(t.Context(), robot.Look{}); res.Word != robot.Success {
				t.Fatal(res)
			}
			at := time.Now()
			time.Sleep(30 * time.Millisecond)
			if all := l.since(at); len(all) == 0 || all[0].twist.Linear > cruise.Linear/2 {
				t.Fatalf("after %v without a command it was told %v", l.slow, all)
			}
		}
	})
}

func TestALostBaseIsAState(t *testing.T) {
	runLine(t, func(t *testing.T, r *rig, l *line, _ *hanging) {
		r.drive(t, cruise, 3*time.Second)
		time.Sleep(10 * time.Millisecond) // not at the time of a reading
		before := r.published()
		s := before[len(before)-1]
		if s.IsSilent() || s.Base == nil || !s.Base.Up || s.Base.Why != "" {
			t.Errorf("while readings come the line is %+v", s.Base)
		}
		since := r.lastTickTime()
		l.set(func() { l.mute = true })
		time.Sleep(3 * time.Second)
		l.mu.Lock()
		l.link = robot.BaseLink{Why: "/dev/ttyUSB0 is gone.", Since: since.Add(time.Second), Malformed: 2}
		l.mu.Unlock()
		time.Sleep(5 * time.Second)
		silent := r.published()[len(before):]
		if len(silent) < 15 || len(silent) > 17 {
			t.Errorf("%d states in 8 s of silence", len(silent))
		}
		for _, q := range silent {
			if !q.IsSilent() || !q.Time.Equal(s.Time) || q.Estimate != s.Estimate || len(q.Ranges) != len(s.Ranges) || !q.Drive.Given.IsZero() || q.Drive.Result.Word != robot.Error {
				t.Fatalf("%+v\nafter\n%+v", q, s)
			}
		}
		if b := silent[0].Base; b.Why != "The base reports nothing." || !b.Since.Equal(since) {
			t.Errorf("first the line is %+v", b)
		}
		if b := silent[len(silent)-1].Base; b.Why != "/dev/ttyUSB0 is gone." || !b.Since.Equal(since.Add(time.Second)) || b.Malformed != 2 {
			t.Errorf("then the line is %+v", b)
		}
		if res := r.Do(t.Context(), robot.Drive{Twist: cruise}); res.Word != robot.Error || !strings.HasPrefix(res.Reason, "Nothing from the base for 8.") || !strings.HasSuffix(res.Reason, " s: /dev/ttyUSB0 is gone.") {
			t.Error(res)
		}
		r.Stop("Jin")
		time.Sleep(time.Second)
		if q := r.published(); q[len(q)-1].Mode != robot.ModeStopped || q[len(q)-1].Stop == nil || r.Stopping() {
			t.Errorf("after STOP %+v", q[len(q)-1])
		}
		l.mu.Lock()
		l.link = robot.BaseLink{Up: true, Restarts: 1}
		l.mu.Unlock()
		l.set(func() { l.mute = false })
		time.Sleep(time.Second)
		if q := r.published(); q[len(q)-1].IsSilent() || q[len(q)-1].Base.Restarts != 1 || q[len(q)-1].Stop == nil {
			t.Errorf("back it is %+v", q[len(q)-1])
		}
		if !strings.Contains(r.log.String(), "why=\"The base reports nothing.\"") {
			t.Errorf("the log says %s", r.log)
		}
	})
}

func TestABaseThatIsNotThereAtTheStartIsAStateToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		l.mute, l.link = true, robot.BaseLink{Why: "No base answers at 127.0.0.1:7401.", Since: time.Now()}
		var states []robot.State
		stand := robot.Pose{X: 4, Y: 7, Theta: 1}
		loop := NewLoop(l, NewCore(l.desc, &believed{drive: l.desc.Drivetrain, pose: stand}, nil), func(s robot.State) { states = append(states, s) }, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		begin := time.Now()
		go func() { ended <- loop.Run(ctx) }()
		time.Sleep(2 * time.Second)
		res := loop.Do(ctx, robot.Drive{Twist: cruise})
		if res.Word != robot.Error || res.Reason != "The base is not there yet: No base answers at 127.0.0.1:7401." {
			t.Error(res)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if len(states) < 3 || len(states) > 5 {
			t.Fatalf("%d states in 2 s", len(states))
		}
		s := states[0]
		if !s.IsSilent() || !s.Time.Equal(begin) || s.Estimate.Pose != stand || s.Battery.Charge == 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestTheLoopTellsABaseThatReportedNothingFromAComputerThatWasTooBusy(t *testing.T) {
	runLine(t, func(t *testing.T, r *rig, l *line, h *hanging) {
		r.drive(t, cruise, time.Second)
		l.set(func() { l.mute = true })
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if !r.core.baseSilent {
			t.Error("the silence of the base is not noted")
		}
		l.set(func() { l.mute = false })
		time.Sleep(time.Second)
		h.hang(5*time.Second, 0)
		time.Sleep(8 * time.Second)
		synctest.Wait()
		if r.core.baseSilent {
			t.Error("a loop that hung blames the base")
		}
	})
}

func TestAJobThatPausesForASilentBaseSaysSo(t *testing.T) {
	for silent, want := range map[bool]string{
		true:  "The base reported nothing for 4.5 s.",
		false: "This computer is too busy: the control loop was held up.",
	} {
		p := worker(waitFor(60, false))
		p.order(t, robot.RunJob{Run: 1})
		p.core.Arrive(p.now, p.now)
		p.core.baseSilent = silent
		p.core.Arrive(p.now.Add(4500*time.Millisecond), p.now.Add(4500*time.Millisecond))
		if r := p.core.jobs.run.State(); r.Phase != robot.RunPaused || r.Result.Reason != want || p.core.baseSilent {
			t.Errorf("the run is %s: %s", r.Phase, r.Result.Reason)
		}
	}
}
