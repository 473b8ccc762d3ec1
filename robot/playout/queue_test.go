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
		{ID: 3, After: 20 * time.Second, Command: drive(2)}, // received at 1: starts at 21
		{ID: 4, At: at(20), Command: drive(3)},              // the same time, later
		{ID: 5, Command: drive(4)},                          // now
		{ID: 6, After: -5 * time.Second, Command: drive(5)}, // negative = now
		{ID: 7, At: at(-3), Command: drive(6)},              // past = now
	} {
		if r := q.Put(at(1), o); r.Word != robot.Success {
			t.Fatalf("command %d was answered %v", o.ID, r)
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

func TestAnOrderThatCannotWaitIsToldWhy(t *testing.T) {
	var q Queue
	if r := q.Put(at(0), robot.Enqueue{ID: 2, After: 25 * time.Hour, Command: robot.Halt{}}); r.Word != robot.Error || !strings.Contains(r.Reason, "give at most 24h") {
		t.Errorf("a command for tomorrow was answered %v", r)
	}
	if r := q.Put(at(0), robot.Enqueue{ID: 2, After: 24 * time.Hour, Command: robot.Halt{}}); r.Word != robot.Success {
		t.Errorf("a command in a day was answered %v", r)
	}
	q.Flush("")
	q.Put(at(0), robot.Enqueue{ID: 3, After: time.Second, Command: robot.Halt{}})
	if r := q.Put(at(0), robot.Enqueue{ID: 3, After: time.Minute, Command: robot.Halt{}}); r.Word != robot.Error || q.Len() != 1 {
		t.Errorf("a second command with the same id was answered %v, %d wait", r, q.Len())
	}
	q.Flush("")
	for i := range maxWaiting {
		if r := q.Put(at(0), robot.Enqueue{ID: uint64(i), At: at(5), Command: robot.Halt{}}); r.Word != robot.Success {
			t.Fatal(r)
		}
	}
	if r := q.Put(at(0), robot.Enqueue{ID: maxWaiting, At: at(1), Command: robot.Halt{}}); r.Word != robot.Busy {
		t.Errorf("a full queue answers %v", r)
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
			if rapid.IntRange(0, 9).Draw(t, "flush") == 0 {
				answers(q.Flush("Control has passed on."))
			}
			o.After = time.Duration(rapid.IntRange(-2, 5).Draw(t, "after")) * time.Second
			if r := q.Put(at(now), o); r.Word != robot.Success {
				t.Fatal(r)
			}
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

func TestAnOrderStartsAtItsTimeHoweverThatIsGiven(t *testing.T) {
	for _, c := range []struct {
		name  string
		order robot.Enqueue
		want  time.Time
	}{
		{"a time", robot.Enqueue{At: at(20)}, at(20)},
		{"a time and a delay", robot.Enqueue{At: at(20), After: time.Second}, at(20)},
		{"a delay", robot.Enqueue{After: time.Second}, at(11)},
		{"the present", robot.Enqueue{At: at(10)}, time.Time{}},
		{"the past", robot.Enqueue{At: at(9)}, time.Time{}},
		{"nothing", robot.Enqueue{}, time.Time{}},
	} {
		var q Queue
		if _, ok := q.Due(); ok {
			t.Error("an empty queue is due")
		}
		q.Put(at(10), c.order)
		if due, ok := q.Due(); !ok || !due.Equal(c.want) {
			t.Errorf("%s: it is due at %v, %v; want %v", c.name, due, ok, c.want)
		}
	}
}
