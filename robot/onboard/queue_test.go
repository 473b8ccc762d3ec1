package onboard

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

func later(id uint64, after time.Duration, v float64, lasts time.Duration) robot.Enqueue {
	return robot.Enqueue{ID: id, After: after, Command: robot.Drive{Twist: robot.Twist{Linear: v}, Valid: lasts}}
}

// busyQueue is a robot on an open floor that carries one order out while
// another one waits.
func busyQueue(t *testing.T) *plant {
	t.Helper()
	p := newPlant(robot.Pose{})
	p.core.usePlanner(ahead{})
	p.tick()
	for _, o := range []robot.Enqueue{later(1, 0, 0.3, 8*time.Second), later(2, 2*time.Second, 0.3, 8*time.Second)} {
		if r := p.core.Do(p.now, o); r.Word != robot.Success {
			t.Fatal(r)
		}
	}
	p.wait(time.Second)
	if q := p.state.Queue; q.Waiting != 1 || q.Running != 1 || !q.Busy || p.state.Twist.Linear < 0.25 {
		t.Fatalf("it goes at %v: %+v", p.state.Twist, q)
	}
	return p
}

// Each of these ends both orders. What moves the robot then is what was asked
// for; after a STOP or a halt nothing does.
func TestWhateverIsAskedForDirectlyFlushesTheQueue(t *testing.T) {
	for name, orders := range map[string][]robot.Command{
		"STOP":                    {robot.Stop{By: "Jin"}},
		"a STOP in the queue":     {robot.Enqueue{ID: 9, After: time.Hour, Command: robot.Stop{By: "Jin"}}},
		"a halt without a reason": {robot.Halt{}},
		"a change of control":     {robot.Halt{Reason: "Ana gave control to Jin.", Goal: true}},
		"a neutral driver":        {robot.Drive{}},
		"a driver with compensation": {
			robot.Follow{Lease: 1, Hold: 1, Seq: 1, Pose: robot.Pose{X: 0.3}},
			robot.Follow{Lease: 1, Hold: 1, Seq: 2, T: 0.05, Pose: robot.Pose{X: 0.3}, Want: robot.Twist{Angular: 0.1}},
		},
		"a goal":                  {robot.GoTo{Goal: robot.Pose{X: 5}}, robot.Cancel{}},
		"a goal that is given up": {robot.GoTo{Goal: robot.Pose{X: 5}}, later(3, 0, 0.3, 8*time.Second), robot.Cancel{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := busyQueue(t)
			for _, o := range orders {
				p.core.Do(p.now, o)
			}
			p.wait(2500 * time.Millisecond)
			q := p.state.Queue
			if !q.Idle() || len(q.Answers) < 2 || !p.state.Twist.IsStill() {
				t.Fatalf("it goes at %v: %+v", p.state.Twist, q)
			}
			for i, a := range q.Answers {
				if a.ID != uint64(i+1) || a.Word != robot.Interrupted || a.Reason == "" {
					t.Errorf("answered %+v", a)
				}
			}
			rests := p.centre()
			p.core.Do(p.now, robot.ClearStop{})
			if p.wait(3 * time.Second); p.centre().Point().Sub(rests.Point()).Norm() > 0.001 {
				t.Errorf("it goes on from %v to %v", rests, p.centre())
			}
		})
	}
}

func TestAnOrderThatIsNotTakenLeavesTheQueueAsItIs(t *testing.T) {
	late := robot.Follow{Lease: 1, Hold: 1, Seq: 9, T: 3, Want: robot.Twist{Linear: 0.3}}
	for name, orders := range map[string][]robot.Command{
		"a pause without a goal":      {robot.Pause{}},
		"a goal that is not there":    {robot.Cancel{}},
		"a way on without a goal":     {robot.Resume{}},
		"a goal that is no place":     {robot.GoTo{Goal: robot.Pose{X: math.NaN()}}},
		"a look at a way":             {robot.Plan{Goal: robot.Pose{X: 5}}},
		"a position while it moves":   {robot.SetPose{}},
		"a motion while it moves":     {replay(playout.Motion{Points: []playout.Waypoint{{}}}, 1)},
		"a drive without a beginning": {late},
		"a driver who begins":         {robot.Follow{Lease: 1, Hold: 1, Seq: 1}},
		"a drive that has no end":     {robot.Drive{Valid: -1, Twist: robot.Twist{Linear: 0.1}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := busyQueue(t)
			for _, o := range orders {
				p.core.Do(p.now, o)
			}
			p.tick()
			if q := p.state.Queue; q.Waiting != 1 || q.Running != 1 || len(q.Answers) != 0 || p.state.Drive.Asked.Linear != 0.3 {
				t.Errorf("it is asked for %v: %+v", p.state.Drive.Asked, q)
			}
			p.wait(time.Second)
			if q := p.state.Queue; q.Running != 2 || p.state.Twist.Linear < 0.25 {
				t.Errorf("it goes at %v: %+v", p.state.Twist, q)
			}
		})
	}
}

func TestADriveOfTheQueueEndsWithAFaultAndTheOthersWait(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.tick()
	p.core.Do(p.now, later(1, 0, 0.3, 8*time.Second))
	p.core.Do(p.now, later(2, 5*time.Second, 0.2, time.Second))
	p.wait(time.Second)
	p.now = p.now.Add(time.Second) // the readings stay away
	p.wait(time.Second)
	if q := p.state.Queue; len(q.Answers) != 1 || q.Answers[0].ID != 1 || q.Answers[0].Word != robot.Interrupted || q.Waiting != 1 || !p.state.Twist.IsStill() {
		t.Errorf("it goes at %v: %+v", p.state.Twist, q)
	}
	p.wait(4 * time.Second)
	if q := p.state.Queue; len(q.Answers) != 2 || q.Answers[1] != (robot.Answer{N: 2, ID: 2, Result: robot.Result{Word: robot.Success}}) {
		t.Errorf("%+v", q)
	}
}

func TestAQueueThatWasPublishedDoesNotChange(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.tick()
	var first *robot.Queue
	for id := range uint64(5) {
		p.core.Do(p.now, later(id+1, time.Minute, 0, time.Second))
		p.core.Do(p.now, robot.Halt{Reason: "Ana left."})
		p.tick()
		if first == nil {
			first = p.state.Queue
		}
	}
	if q := p.state.Queue; len(q.Answers) != 5 || len(first.Answers) != 1 || first.Answers[0].ID != 1 {
		t.Errorf("%+v is now %+v", first, q)
	}
}

// The readings' clock is not the one that people set the start by.
func TestAStartTimeIsOfTheClockOfWhoGivesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBase()
		b.behind = 3 * time.Hour
		r := run(t, b)
		time.Sleep(100 * time.Millisecond)
		start := time.Now().Add(time.Second).Round(0)
		o := later(1, 0, 0.3, time.Second)
		o.At = start
		if res := r.Do(t.Context(), o); res.Word != robot.Success {
			t.Fatal(res)
		}
		began := func() bool { return math.Abs(b.last().Linear) > 0 }
		for !began() && time.Since(start) < time.Second {
			time.Sleep(10 * time.Millisecond)
		}
		if late := time.Since(start); late < 0 || late > 50*time.Millisecond {
			t.Errorf("it began %v after its time", late)
		}
		r.Stop("Jin")
		if res := r.Do(t.Context(), later(2, 0, 0.3, time.Second)); res.Word != robot.Panic {
			t.Errorf("while stopped: %v", res)
		}
		r.end(t)
	})
}

// A stream of speeds that overlap, as a client sends them against jitter.
func TestASpeedThatTheNextOneReplacesHasSucceeded(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.core.usePlanner(ahead{})
	p.tick()
	for i := range uint64(5) {
		p.core.Do(p.now, later(i+1, time.Duration(i)*100*time.Millisecond, 0.2, 300*time.Millisecond))
	}
	p.core.Do(p.now, robot.Enqueue{ID: 6, After: 500 * time.Millisecond, Command: robot.GoTo{Goal: robot.Pose{X: 5}}})
	p.wait(time.Second)
	for i, a := range p.state.Queue.Answers {
		want := robot.Result{Word: robot.Success}
		if i == 4 { // what a goal replaces is broken off
			want = robot.Result{Word: robot.Interrupted, Reason: replaced}
		}
		if a.ID != uint64(i+1) || a.Result != want {
			t.Errorf("order %d: %+v", i+1, a)
		}
	}
	if n := len(p.state.Queue.Answers); n != 5 {
		t.Errorf("%d orders are answered", n)
	}
}

func TestTheAnswersOfEachClientAreKept(t *testing.T) {
	var q queue
	put := func(client int, ids ...uint64) {
		for _, id := range ids {
			q.noteAnswers(robot.Answer{ID: id, Client: client})
		}
	}
	count := func(client int) (n int, first uint64) {
		for _, a := range q.ended {
			if a.Client == client {
				if n++; n == 1 {
					first = a.ID
				}
			}
		}
		return n, first
	}
	put(1, 1, 2, 3)
	for id := range uint64(maxAnswers + 5) {
		put(2, id)
	}
	if n, first := count(1); n != 3 || first != 1 {
		t.Errorf("of the quiet client %d are kept, from %d on", n, first)
	}
	if n, first := count(2); n != maxAnswers || first != 5 {
		t.Errorf("of the busy client %d are kept, from %d on", n, first)
	}
	newest := q.ended[len(q.ended)-1]
	if q.ended[0].N != 1 || newest.N != maxAnswers+8 {
		t.Errorf("the answers have the numbers %d to %d", q.ended[0].N, newest.N)
	}
	for client := 3; client < 2+maxClients; client++ {
		put(client, 7)
	}
	if n, _ := count(1); n != 0 || len(q.ended) != maxAnswers+maxClients-1 {
		t.Errorf("%d of the client that was answered first, %d in all", n, len(q.ended))
	}
}
