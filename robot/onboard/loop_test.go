package onboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/robot/models"
)

// base is a driver whose readings come at 50 Hz while it is not mute.
type base struct {
	desc   robot.Description
	period time.Duration // between two readings

	mu     sync.Mutex
	told   []robot.Twist
	calls  []string
	mute   bool
	fail   error         // of Read
	refuse error         // of Drive
	rigid  error         // the answer to Look
	behind time.Duration // of its clock
	looked robot.HeadAngles
	looks  int
	estop  bool
	motion robot.Motion
	closed chan struct{}
	scan   func(now time.Time) []robot.Scan // nil = it has no lidar
}

func newBase() *base {
	return &base{desc: mybot(), period: 20 * time.Millisecond, closed: make(chan struct{})}
}

func (b *base) Describe() robot.Description { return b.desc }

func (b *base) Read(ctx context.Context) (robot.Reading, error) {
	for {
		select {
		case <-ctx.Done():
			return robot.Reading{}, ctx.Err()
		case <-b.closed:
			return robot.Reading{}, robot.ErrClosed
		case <-time.After(b.period):
		}
		b.mu.Lock()
		mute, fail := b.mute, b.fail
		var want robot.Twist
		if n := len(b.told); n > 0 {
			want = b.told[n-1]
		}
		dt := b.period.Seconds()
		b.motion = robot.Step(b.motion, want, b.desc.Hardware, dt)
		w := b.desc.Drivetrain.Wheels(b.motion.Twist)
		b.mu.Unlock()
		if fail != nil {
			return robot.Reading{}, fail
		}
		if !mute {
			r := robot.Reading{Time: time.Now().Add(-b.behind), Travel: robot.Wheels{Left: w.Left * dt, Right: w.Right * dt}}
			r.Ranges = make([]float64, len(b.desc.Sonars))
			for i := range r.Ranges {
				r.Ranges[i] = 4
			}
			b.mu.Lock()
			r.EStop = b.estop
			if b.scan != nil {
				r.Scans = b.scan(r.Time)
			}
			b.mu.Unlock()
			return r, nil
		}
	}
}

func (b *base) Drive(t robot.Twist) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, t)
	b.calls = append(b.calls, fmt.Sprint("drive ", t))
	return b.refuse
}

func (b *base) Look(a robot.HeadAngles) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.looked = a
	b.looks++
	return b.rigid
}

func (b *base) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, "close")
	close(b.closed)
	return nil
}

func (b *base) last() robot.Twist {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.told) == 0 {
		return robot.Twist{}
	}
	return b.told[len(b.told)-1]
}

func (b *base) set(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// rig is a running loop.
type rig struct {
	*Loop
	base   *base
	log    *bytes.Buffer
	cancel context.CancelFunc
	ended  chan error
	mu     sync.Mutex
	states []robot.State
}

func run(t *testing.T, b *base) *rig {
	t.Helper()
	r := &rig{base: b, log: &bytes.Buffer{}, ended: make(chan error, 1)}
	r.Loop = NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(s robot.State) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.states = append(r.states, s)
	}, slog.New(slog.NewTextHandler(r.log, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	go func() { r.ended <- r.Run(ctx) }()
	return r
}

func (r *rig) published() []robot.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.states[:len(r.states):len(r.states)]
}

// drive orders a twist at 20 Hz for a while.
func (r *rig) drive(t *testing.T, twist robot.Twist, d time.Duration) robot.Result {
	var res robot.Result
	for range int(d / (50 * time.Millisecond)) {
		res = r.Do(t.Context(), robot.Drive{Twist: twist})
		time.Sleep(50 * time.Millisecond)
	}
	return res
}

func (r *rig) end(t *testing.T) {
	t.Helper()
	r.cancel()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
}

func TestTheLoop(t *testing.T) {
	forward := robot.Twist{Linear: 0.3}
	cases := []struct {
		name string
		do   func(t *testing.T, r *rig)
	}{
		{"drives as it is asked", func(t *testing.T, r *rig) {
			time.Sleep(time.Second)
			if res := r.drive(t, forward, 2*time.Second); res.Word != robot.Success {
				t.Error(res)
			}
			if got := r.base.last(); !alike(got, forward) {
				t.Errorf("told %v", got)
			}
			s := r.published()
			if last := s[len(s)-1]; last.Mode != robot.ModeManual || last.Tick.Period != 20*time.Millisecond {
				t.Errorf("%+v", last)
			}
		}},
		{"brakes when the readings stay away, says so once, and shows nothing stale", func(t *testing.T, r *rig) {
			r.drive(t, forward, 2*time.Second)
			r.base.set(func() { r.base.mute = true })
			time.Sleep(240 * time.Millisecond)
			n := len(r.published())
			time.Sleep(100 * time.Millisecond)
			if got := r.base.last(); !got.IsZero() {
				t.Errorf("told %v", got)
			}
			if r.Healthy() {
				t.Error("says it is healthy")
			}
			if res := r.drive(t, forward, 2*time.Second); res.Word != robot.Error {
				t.Error(res)
			}
			if !r.base.last().IsZero() || len(r.published()) != n {
				t.Errorf("told %v, published %d", r.base.last(), len(r.published())-n)
			}
			if n := strings.Count(r.log.String(), "the base reports nothing"); n != 1 {
				t.Errorf("logged %d times", n)
			}
			r.base.set(func() { r.base.mute = false })
			time.Sleep(time.Second)
			if !r.base.last().IsZero() || !r.Healthy() {
				t.Errorf("back: told %v, healthy %v", r.base.last(), r.Healthy())
			}
		}},
		{"stops within the same instant, also without readings", func(t *testing.T, r *rig) {
			r.drive(t, forward, time.Second)
			r.base.set(func() { r.base.mute = true })
			time.Sleep(50 * time.Millisecond)
			r.Stop("Jin")
			synctest.Wait()
			if got := r.base.last(); !got.IsZero() {
				t.Errorf("told %v", got)
			}
		}},
		{"takes stops from many at once and keeps the first", func(t *testing.T, r *rig) {
			r.drive(t, forward, time.Second)
			r.Stop("Jin")
			var all sync.WaitGroup
			for i := range 100 {
				all.Go(func() { r.Stop(fmt.Sprint("user ", i)) })
				all.Go(func() { r.Do(t.Context(), robot.Drive{Twist: forward}) })
			}
			all.Wait()
			time.Sleep(time.Second)
			s := r.published()
			if last := s[len(s)-1]; last.Stop == nil || last.Stop.By != "Jin" || !r.base.last().IsZero() {
				t.Errorf("%+v, told %v", last.Stop, r.base.last())
			}
			if res := r.Do(t.Context(), robot.Drive{Twist: forward}); res.Word != robot.Panic {
				t.Error(res)
			}
			if res := r.Do(t.Context(), robot.ClearStop{}); res.Word != robot.Success {
				t.Error(res)
			}
			if res := r.drive(t, forward, time.Second); res.Word != robot.Success || r.base.last().IsZero() {
				t.Errorf("after the release: %v, told %v", res, r.base.last())
			}
		}},
		{"logs a stop once, however often it comes, and the next one after its release", func(t *testing.T, r *rig) {
			logged := func() int { return strings.Count(r.log.String(), "robot stopped") }
			for range 3 {
				r.Stop("Jin")
				synctest.Wait()
			}
			if n := logged(); n != 1 || !strings.Contains(r.log.String(), "by=Jin") {
				t.Errorf("logged %d times: %s", n, r.log)
			}
			if res := r.Do(t.Context(), robot.ClearStop{}); res.Word != robot.Success {
				t.Error(res)
			}
			r.Stop("Ana")
			synctest.Wait()
			if n := logged(); n != 2 || !strings.Contains(r.log.String(), "by=Ana") {
				t.Errorf("with the next stop logged %d times: %s", n, r.log)
			}
		}},
		{"takes a Stop that comes as an order", func(t *testing.T, r *rig) {
			if res := r.Do(t.Context(), robot.Stop{By: "Ana"}); res.Word != robot.Success {
				t.Error(res)
			}
			if res := r.Do(t.Context(), robot.Drive{Twist: forward}); res.Word != robot.Panic {
				t.Error(res)
			}
		}},
		{"turns the head within its limits", func(t *testing.T, r *rig) {
			if res := r.Do(t.Context(), robot.Look{HeadAngles: robot.HeadAngles{Pan: 9}}); res.Word != robot.Modified {
				t.Error(res)
			}
			if r.base.looked.Pan != 9 {
				t.Errorf("the driver, which clamps, heard %v", r.base.looked)
			}
		}},
		{"says when the base does not accept the motion", func(t *testing.T, r *rig) {
			r.base.set(func() { r.base.refuse = errors.New("no current") })
			r.drive(t, forward, time.Second)
			s := r.published()
			if d := s[len(s)-1].Drive; d.Result.Reason != "The base does not accept the motion: no current." || !d.Given.IsZero() {
				t.Errorf("%+v", d)
			}
			if n := strings.Count(r.log.String(), "no current"); n != 1 {
				t.Errorf("logged %d times", n)
			}
			r.base.set(func() { r.base.refuse = nil })
			time.Sleep(time.Second)
		}},
		{"takes no order after its end", func(t *testing.T, r *rig) {
			r.cancel()
			<-r.Loop.ended
			if res := r.Do(t.Context(), robot.Drive{}); res != (robot.Result{Word: robot.Busy, Reason: "The robot is shutting down."}) {
				t.Error(res)
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := run(t, newBase())
				time.Sleep(100 * time.Millisecond)
				c.do(t, r)
				r.end(t)
				if calls := r.base.calls; len(calls) < 2 || calls[len(calls)-1] != "close" || calls[len(calls)-2] != "drive {0 0}" {
					t.Errorf("it ended with %v", calls[max(0, len(calls)-2):])
				}
			})
		})
	}
}

func TestAStopBeforeTheLoopRunsHoldsWhenItDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase()
		var states []robot.State
		l := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(s robot.State) { states = append(states, s) }, slog.New(slog.DiscardHandler))
		if res := l.Do(t.Context(), robot.Drive{}); res != (robot.Result{Word: robot.Busy, Reason: "The robot is starting."}) {
			t.Error(res)
		}
		l.Stop("Jin")
		l.Stop("Ana")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Run(ctx); err != nil {
			t.Error(err)
		}
		for _, s := range states {
			if s.Stop == nil || s.Stop.By != "Jin" {
				t.Fatalf("not stopped at %v", s.Time)
			}
		}
		if len(states) == 0 {
			t.Error("no state was published")
		}
		if err := l.Run(ctx); err == nil {
			t.Error("Run ran twice")
		}
	})
}

// A release may wait in front of the loop while a user stops the robot again. That stop
// must hold.
func TestAReleaseThatWasGivenBeforeAStopDoesNotReleaseIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase()
		busy := make(chan struct{})
		first := true
		var states []robot.State
		l := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(s robot.State) {
			states = append(states, s)
			if first {
				first = false
				<-busy
			}
		}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		l.Stop("Jin")
		go func() { ended <- l.Run(ctx) }()
		time.Sleep(100 * time.Millisecond) // the loop waits in publish
		answer := make(chan robot.Result, 2)
		go func() { answer <- l.Do(ctx, robot.ClearStop{}) }()
		synctest.Wait()
		l.Stop("Ana") // does not wait for the loop
		late, stop := context.WithTimeout(ctx, 100*time.Millisecond)
		if res := l.Do(late, robot.Halt{}); res.Word != robot.Interrupted {
			t.Errorf("an order whose giver gave up: %v", res)
		}
		stop()
		if res := l.Do(ctx, robot.Halt{}); res != (robot.Result{Word: robot.Busy, Reason: "The robot is too busy to take commands."}) {
			t.Errorf("an order to a busy loop: %v", res)
		}
		close(busy)
		if res := <-answer; res.Word != robot.Busy && res.Word != robot.Panic {
			t.Errorf("the release was answered %v", res)
		}
		time.Sleep(time.Second)
		if res := l.Do(ctx, robot.Drive{}); res.Word != robot.Panic {
			t.Errorf("after it a drive is answered %v", res)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestAReleaseMustNotOvertakeAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase()
		hold := make(chan struct{})
		blocked := false
		l := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(s robot.State) {
			if s.Stop != nil && !blocked {
				blocked = true
				<-hold
			}
		}, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- l.Run(ctx) }()
		time.Sleep(100 * time.Millisecond)
		l.Stop("Jin")
		time.Sleep(50 * time.Millisecond) // the loop waits in publish
		answer := make(chan robot.Result)
		go func() { answer <- l.Do(ctx, robot.ClearStop{}) }()
		synctest.Wait()
		l.Stop("Ana")
		close(hold)
		if res := <-answer; res != (robot.Result{Word: robot.Panic, Reason: "The robot was stopped again meanwhile."}) {
			t.Errorf("the release was answered %v", res)
		}
		if res := l.Do(ctx, robot.Drive{}); res.Word != robot.Panic {
			t.Errorf("after it a drive is answered %v", res)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// An order to go somewhere may wait in front of the loop while the robot is
// stopped and released: it was given before the stop, so it moves nothing.
func TestAnOrderToGoThatWasGivenBeforeAStopIsNotCarriedOutAfterIt(t *testing.T) {
	b := newBase()
	l := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, &floor{}), func(robot.State) {}, slog.New(slog.DiscardHandler))
	h := newLoopState(l)
	defer h.pulse.Stop()
	do := func(cmd robot.Command, stops uint64) robot.Result {
		return h.executeOrder(&order{cmd: cmd, at: time.Now(), stops: stops})
	}
	h.processReading(robot.Reading{Time: time.Now(), Ranges: slices.Repeat([]float64{math.Inf(1)}, len(b.desc.Sonars))})
	set := do(robot.GoTo{Goal: robot.Pose{X: 4}}, 0)
	l.Stop("Jin")
	h.carryOutStop()
	if res := do(robot.ClearStop{}, 1); set.Word != robot.Success || res.Word != robot.Success {
		t.Fatal(set, res)
	}
	for _, cmd := range []robot.Command{robot.Drive{}, robot.Follow{}, robot.GoTo{Goal: robot.Pose{X: 2}}, robot.Resume{}, robot.GoAround{}, robot.Enqueue{}, robot.Replay{}, robot.RunJob{}, robot.ResumeRun{}, robot.RetryStep{}, robot.SkipStep{}, robot.OK{}, robot.Look{}, robot.MoveJoints{}} {
		if res := do(cmd, 0); res != (robot.Result{Word: robot.Panic, Reason: "The robot was stopped meanwhile."}) {
			t.Errorf("%T from before the stop is answered %v", cmd, res)
		}
	}
	if res := do(robot.Resume{}, 1); res.Word != robot.Success {
		t.Errorf("to go on after the release is answered %v", res)
	}
}

func TestAStopHoldsTheHeadWhereItIs(t *testing.T) {
	b := newBase()
	l := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(robot.State) {}, slog.New(slog.DiscardHandler))
	h := newLoopState(l)
	defer h.pulse.Stop()
	l.Stop("Jin")
	if h.carryOutStop(); b.looks != 0 {
		t.Fatalf("a head of which nothing is known turns to %v", b.looked)
	}
	h.executeOrder(&order{cmd: robot.ClearStop{}, at: time.Now(), stops: 1})
	here := robot.HeadAngles{Pan: 0.3, Tilt: -0.1}
	h.processReading(robot.Reading{Time: time.Now(), Head: here, Ranges: slices.Repeat([]float64{math.Inf(1)}, len(b.desc.Sonars))})
	if res := h.executeOrder(&order{cmd: robot.Look{HeadAngles: robot.HeadAngles{Pan: 1}}, at: time.Now(), stops: 1}); res.Word != robot.Success || b.looked.Pan != 1 {
		t.Fatalf("the head, answered %v, turns to %v", res, b.looked)
	}
	l.Stop("Jin")
	if h.carryOutStop(); b.looked != here {
		t.Errorf("the head of a stopped robot turns to %v, and was at %v", b.looked, here)
	}
}

func TestTheLoopHandsANewPlannerToTheCore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, newBase())
		time.Sleep(100 * time.Millisecond)
		if res := r.Do(t.Context(), robot.GoTo{Goal: robot.Pose{X: 4}}); res.Word != robot.NA {
			t.Errorf("without a map: %v", res)
		}
		f := &floor{}
		if res := r.UsePlanner(t.Context(), f); res.Word != robot.Success {
			t.Error(res)
		}
		if res := r.Do(t.Context(), robot.GoTo{Goal: robot.Pose{X: 4}}); res.Word != robot.Success || f.plans != 1 {
			t.Errorf("with one: %v", res)
		}
		r.end(t)
		if res := r.UsePlanner(t.Context(), nil); res.Word != robot.Busy {
			t.Errorf("after its end: %v", res)
		}
	})
}

func TestAnOrderIsAnsweredWhenItsPathIsPlanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, newBase())
		time.Sleep(100 * time.Millisecond)
		r.UsePlanner(t.Context(), &floor{slow: 10})
		began := time.Now()
		if res := r.Do(t.Context(), robot.Plan{Goal: robot.Pose{X: 4}}); res.Word != robot.Success || res.Route == nil || time.Since(began) < 150*time.Millisecond {
			t.Errorf("answered %v after %v", res, time.Since(began))
		}
		if s := r.published(); s[len(s)-1].Time.Sub(began) < 150*time.Millisecond {
			t.Error("nothing was published while the way was planned")
		}
		r.UsePlanner(t.Context(), &floor{slow: 1e6})
		begin := time.Now()
		if res := r.Do(t.Context(), robot.GoTo{Goal: robot.Pose{X: 4}}); res.Word != robot.Busy || time.Since(begin) > 600*time.Millisecond {
			t.Errorf("a way that takes for ever is answered %v after %v", res, time.Since(begin))
		}
		for _, c := range []struct {
			meanwhile func()
			want      robot.Result
		}{
			{func() { r.Stop("Jin") }, robot.Result{Word: robot.Panic, Reason: "The robot was stopped meanwhile."}},
			{func() { r.Do(t.Context(), robot.ClearStop{}) }, robot.Result{Word: robot.Interrupted, Reason: "Another order came while the way was planned."}},
			{func() { r.cancel() }, robot.Result{Word: robot.Busy, Reason: "The robot is shutting down."}},
		} {
			r.Do(t.Context(), robot.ClearStop{})
			answer := make(chan robot.Result)
			go func() { answer <- r.Do(t.Context(), robot.GoTo{Goal: robot.Pose{X: 4}}) }()
			time.Sleep(50 * time.Millisecond)
			c.meanwhile()
			if got := <-answer; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		}
		if err := <-r.ended; err != nil {
			t.Error(err)
		}
		for _, s := range r.published() {
			if s.Goal != nil || !s.Drive.Given.IsZero() {
				t.Fatalf("it moves %v, the goal is %+v", s.Drive.Given, s.Goal)
			}
		}
	})
}

func TestABaseMayHaveAClockOfItsOwn(t *testing.T) {
	for _, behind := range []time.Duration{time.Hour, -time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			b := newBase()
			b.behind = behind
			r := run(t, b)
			time.Sleep(100 * time.Millisecond)
			if res := r.drive(t, robot.Twist{Linear: 0.3}, time.Second); res.Word != robot.Success || b.last().IsZero() {
				t.Errorf("%v: %v, told %v", behind, res, b.last())
			}
			time.Sleep(2 * time.Second)
			if !b.last().IsZero() {
				t.Errorf("%v: the order lives on: told %v", behind, b.last())
			}
			r.end(t)
		})
	}
}

func TestScansThatAreNotUsedAreLoggedOnceAndSoIsTheirReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase()
		b.desc = builtIn(t, models.LidarSonarName)
		short := false
		b.scan = func(now time.Time) []robot.Scan {
			ranges := slices.Repeat([]float64{4}, 360)
			if short {
				ranges = ranges[1:]
			}
			return []robot.Scan{{Time: now, Ranges: ranges}}
		}
		r := run(t, b)
		time.Sleep(time.Second)
		if strings.Contains(r.log.String(), "scan") {
			t.Errorf("it logs %s", r.log)
		}
		b.set(func() { short = true })
		time.Sleep(time.Second)
		b.set(func() { short = false })
		time.Sleep(time.Second)
		r.end(t)
		said := r.log.String()
		if strings.Count(said, "a scan is not used") != 1 || strings.Count(said, "scans are used again") != 1 ||
			!strings.Contains(said, "lidar 0, scan of ") || !strings.Contains(said, "it has 359 ranges; it must have 360, one for each beam of the description") {
			t.Errorf("it logs %s", said)
		}
		for _, s := range r.published() {
			if s.Drive.Result.Word == robot.Error {
				t.Fatalf("driving does not go on: %v", s.Drive.Result)
			}
		}
	})
}

func TestTheLoopEndsWhenTheBaseFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase()
		r := run(t, b)
		time.Sleep(time.Second)
		broken := errors.New("the cable is out")
		b.set(func() { b.fail = broken })
		if err := <-r.ended; !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "onboard: ") {
			t.Error(err)
		}
		if calls := b.calls; calls[len(calls)-1] != "close" || r.Healthy() {
			t.Errorf("ended with %v", calls[len(calls)-1])
		}
	})
}

func TestTheTicksArePunctual(t *testing.T) {
	p := newTickStats(50)
	now := epoch
	for i := range 700 {
		d := 20 * time.Millisecond
		switch {
		case i < 100:
			d += 50 * time.Millisecond // leaves the window of 500 ticks
		case i == 300:
			d += 30 * time.Millisecond
		case i%50 == 0:
			d += 4 * time.Millisecond
		case i%2 == 0:
			d -= time.Millisecond
		}
		now = now.Add(d)
		p.noteTick(now)
	}
	want := robot.TickStats{Period: 20 * time.Millisecond, Jitter: 4 * time.Millisecond, Worst: 30 * time.Millisecond, Late: 100}
	if p.stats != want {
		t.Errorf("got %+v, want %+v", p.stats, want)
	}
	if n := testing.AllocsPerRun(1000, func() { now = now.Add(20 * time.Millisecond); p.noteTick(now) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}
