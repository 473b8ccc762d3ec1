package playout

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

func TestOrdersRunInTheOrderOfTheirStartAndNotOfTheirArrival(t *testing.T) {
	drive := func(v float64) robot.Command { return robot.Drive{Twist: robot.Twist{Linear: v}} }
	var q Queue
	for _, o := range []robot.Enqueue{
		{ID: 1, At: at(40), Command: robot.Halt{}},
		{ID: 2, At: at(20), Command: drive(1)},
		{ID: 3, After: 20 * time.Second, Command: drive(2)}, // comes at 1: starts at 21
		{ID: 4, At: at(20), Command: drive(3)},              // the same time, later
		{ID: 5, Command: drive(4)},                          // now
		{ID: 6, After: -5 * time.Second, Command: drive(5)}, // negative = now
		{ID: 7, At: at(-3), Command: drive(6)},              // gone by = now
	} {
		if a := q.Put(at(1), o); a != nil {
			t.Fatalf("order %d is answered %v", o.ID, a)
		}
	}
	var got []string
	for _, now := range []float64{1, 19.9, 20, 20.9, 21, 39, 40, 100} {
		for {
			o, ok := q.Next(at(now))
			if !ok {
				break
			}
			got = append(got, fmt.Sprintf("%d@%g", o.ID, now))
		}
	}
	if want := "5@1 6@1 7@1 2@20 4@20 3@21 1@40"; strings.Join(got, " ") != want {
		t.Errorf("they ran as %v, want %s", got, want)
	}
	if _, ok := q.Due(); ok || q.Len() != 0 {
		t.Error("something is left")
	}
}

func TestAStopIsNeverQueued(t *testing.T) {
	var q Queue
	for i := range 5 {
		q.Put(at(0), robot.Enqueue{ID: uint64(i + 1), At: at(float64(i)), Command: robot.Drive{}})
	}
	ended := q.Put(at(0), robot.Enqueue{ID: 9, At: at(60), Command: robot.Stop{By: "Jin"}})
	if len(ended) != 5 {
		t.Errorf("%d orders were flushed, want 5", len(ended))
	}
	for _, a := range ended {
		if a.Word != robot.Interrupted || a.Reason != "The robot was stopped." {
			t.Errorf("order %d is answered %v", a.ID, a.Result)
		}
	}
	if a := q.Put(at(0), robot.Enqueue{ID: 10, Command: robot.Drive{}}); len(a) != 1 || a[0].Word != robot.Panic || a[0].ID != 10 {
		t.Errorf("while it is stopped: %v", a)
	}
	if a := q.Flush("Control has passed on."); a != nil {
		t.Errorf("the stop itself was flushed: %v", a)
	}
	if o, ok := q.Next(at(0)); !ok || o.ID != 9 {
		t.Errorf("the stop does not run at once, but %v", o)
	}
	q.Put(at(0), robot.Enqueue{ID: 11, At: at(50), Command: robot.ClearStop{}})
	if o, ok := q.Next(at(0)); !ok || o.ID != 11 {
		t.Errorf("the release does not run at once, but %v", o)
	}
	if a := q.Put(at(0), robot.Enqueue{ID: 12, Command: robot.Drive{}}); a != nil {
		t.Errorf("after the release: %v", a)
	}
}

func TestAnOrderThatCannotWaitIsToldWhy(t *testing.T) {
	var q Queue
	for _, c := range []struct {
		order robot.Enqueue
		word  robot.Word
		say   string
	}{
		{robot.Enqueue{ID: 1}, robot.Error, "holds no command"},
		{robot.Enqueue{ID: 2, After: 25 * time.Hour, Command: robot.Halt{}}, robot.Error, "give at most 24h"},
	} {
		if a := q.Put(at(0), c.order); len(a) != 1 || a[0].ID != c.order.ID || a[0].Word != c.word || !strings.Contains(a[0].Reason, c.say) {
			t.Errorf("%+v: %v", c.order, a)
		}
	}
	q.Put(at(0), robot.Enqueue{ID: 3, After: time.Second, Command: robot.Halt{}})
	if a := q.Put(at(0), robot.Enqueue{ID: 3, After: time.Minute, Command: robot.Halt{}}); len(a) != 1 || a[0].Word != robot.Error || q.Len() != 1 {
		t.Errorf("a second order of one id is answered %v, %d wait", a, q.Len())
	}
	q.Flush("")
	for i := range mostWaiting {
		if a := q.Put(at(0), robot.Enqueue{ID: uint64(i), At: at(5), Command: robot.Halt{}}); a != nil {
			t.Fatal(a)
		}
	}
	if a := q.Put(at(0), robot.Enqueue{ID: mostWaiting, At: at(1), Command: robot.Halt{}}); len(a) != 1 || a[0].Word != robot.Busy {
		t.Errorf("a full queue answers %v", a)
	}
}

func TestEveryOrderEndsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		ended := map[uint64]int{}
		answers := func(list []robot.Answer) {
			for _, a := range list {
				ended[a.ID]++
			}
		}
		now := 0.0
		var last time.Time
		for id := uint64(1); id <= 60; id++ {
			o := robot.Enqueue{ID: id, Command: robot.Halt{}}
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				o.Command = robot.Stop{}
			case 1:
				o.Command = robot.ClearStop{}
			case 2:
				answers(q.Flush("Control has passed on."))
			}
			o.After = time.Duration(rapid.IntRange(-2, 5).Draw(t, "after")) * time.Second
			answers(q.Put(at(now), o))
			now += float64(rapid.IntRange(0, 2).Draw(t, "wait"))
			last = time.Time{}
			for {
				o, ok := q.Next(at(now))
				if !ok {
					break
				}
				ended[o.ID]++
				if o.At.After(at(now)) || o.At.Before(last) {
					t.Fatalf("at %g an order of %v ran after one of %v", now, o.At, last)
				}
				last = o.At
			}
		}
		for {
			o, ok := q.Next(at(now + 100))
			if !ok {
				break
			}
			ended[o.ID]++
		}
		for id := uint64(1); id <= 60; id++ {
			if ended[id] != 1 {
				t.Fatalf("order %d ended %d times", id, ended[id])
			}
		}
	})
}
