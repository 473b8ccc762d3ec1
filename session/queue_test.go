package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

// enqueue gives a drive of 2 s to the queue, as REST does.
func (p *page) enqueue(lease uint64, cmd robot.Command) string {
	r := p.hub.coordinator.executeOrder(order{Order: Order{Lease: lease, Command: robot.Enqueue{ID: 1, Command: cmd}}, by: Identity{Browser: p.browser}}, p.now)
	return strings.TrimSpace(fmt.Sprint(r.Word, " ", r.Reason))
}

func TestOnlyTheHolderUsesTheQueue(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	tb.robot.take()
	drive := robot.Drive{Twist: robot.Twist{Linear: 0.2}, Valid: 2 * time.Second}
	answer(t, "who does not have control", jin.enqueue(1, drive), "ERROR Ana has control. You can watch and stop the robot.")
	answer(t, "an old lease", ana.enqueue(0, drive), "INTERRUPTED Control changed, and you have it. Look again, then send it again.")
	equal(t, "the robot", tb.robot.take())
	answer(t, "the holder", ana.enqueue(1, drive), "SUCCESS")
	equal(t, "the robot", tb.robot.take(), "robot.Enqueue")
	for range plansPerSecond {
		ana.enqueue(1, robot.GoTo{})
	}
	if got := ana.enqueue(1, robot.GoTo{}); !strings.HasPrefix(got, "BUSY Too many routes") {
		t.Errorf("too many goals are answered %s", got)
	}
	ana.say(`{"type":"stop"}`)
	tb.robot.take()
	answer(t, "while stopped", ana.enqueue(1, drive), "PANIC Stopped by Ana. Ana can release it.")
	equal(t, "the robot", tb.robot.take())
}

func TestTheQueueEndsWithItsHoldersControl(t *testing.T) {
	for name, c := range map[string]struct {
		ends func(ana, jin *page)
		halt string
	}{
		"the holder leaves":      {func(ana, _ *page) { ana.user.Leave(); ana.hub.step(ana.now) }, "halt: Ana left."},
		"the holder gives it up": {func(ana, _ *page) { ana.control("release") }, "halt and pause: Ana released control."},
		"it is given to another": {func(ana, jin *page) { jin.control("request"); ana.control("give", `,"to":%d`, jin.you) }, "halt and pause: Ana gave control to Jin."},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			ana, jin := tb.join("Ana"), tb.join("Jin")
			tb.stand()
			ana.enqueue(1, robot.Drive{Twist: robot.Twist{Linear: 0.2}, Valid: 2 * time.Second})
			tb.robot.take()
			c.ends(ana, jin)
			equal(t, "the robot", tb.robot.take(), c.halt)
		})
	}
}

// An order that waits may begin at any tick: until the robot has told that its
// queue is empty, what stands may be about to move.
func TestControlDoesNotPassWhileAnOrderWaits(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	tb.stand()
	ana.enqueue(1, robot.Drive{Twist: robot.Twist{Linear: 0.2}, Valid: 2 * time.Second})
	see := func(q *robot.Queue) {
		tb.hub.coordinator.ordered = false
		tb.hub.coordinator.observeState(robot.State{Battery: robot.Battery{Charge: 1}, Queue: q}, false)
		tb.hub.step(tb.now)
		jin.hear()
	}
	see(&robot.Queue{Waiting: 1})
	jin.control("request")
	ana.control("give", `,"to":%d`, jin.you)
	see(&robot.Queue{Waiting: 1}) // from before the halt
	if jin.lease != 1 {
		t.Errorf("control has passed to %d while an order waits", jin.holder)
	}
	see(&robot.Queue{Answers: []robot.Answer{{ID: 1, Result: robot.Result{Word: robot.Interrupted, Reason: "Ana gave control to Jin."}}}})
	if jin.lease != 2 || jin.holder != jin.you {
		t.Errorf("%d has control under %d", jin.holder, jin.lease)
	}
}

func TestCommandsOfTheQueueAreReadStrictly(t *testing.T) {
	now := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	got, err := DecodeQueue([]byte(`{"lease":4,"commands":[
		{"id":1,"at":"2026-11-20T15:33:05+01:00","v":0.2,"w":-0.1,"for":2},
		{"id":2,"after":1.5,"goto":[12.1,3.35,0.5],"name":"Copy room"},
		{"id":3,"after":-2,"v":0,"w":0,"for":10},
		{"id":4,"v":0,"w":0,"for":0.5}]}`), now)
	if err != nil {
		t.Fatal(err)
	}
	want := []robot.Enqueue{
		{ID: 1, At: now.Add(5 * time.Second), Command: robot.Drive{Twist: robot.Twist{Linear: 0.2, Angular: -0.1}, Valid: 2 * time.Second}},
		{ID: 2, At: now.Add(1500 * time.Millisecond), Command: robot.GoTo{Goal: robot.Pose{X: 12.1, Y: 3.35, Theta: 0.5}, Name: "Copy room"}},
		{ID: 3, Command: robot.Drive{Valid: 10 * time.Second}},
		{ID: 4, Command: robot.Drive{Valid: 500 * time.Millisecond}},
	}
	for i, o := range got {
		is := o.Command.(robot.Enqueue)
		if o.Lease != 4 || !is.At.Equal(want[i].At) {
			t.Errorf("%+v starts at %v, want %v", o, is.At, want[i].At)
		}
		if is.At = want[i].At; is != want[i] {
			t.Errorf("%+v, want %+v", is, want[i])
		}
	}
	for body, says := range map[string]string{
		``:                           `The body is not JSON`,
		`{"commands":[{}]}`:          `queue: "lease" is missing`,
		`{"lease":1}`:                `queue: "commands" is missing; it should be a list of 1 to 100 commands.`,
		`{"lease":1,"commands":{}}`:  `queue: "commands" is {}; it should be a list of 1 to 100 commands.`,
		`{"lease":1,"commands":[]}`:  `queue: "commands" is []; it should be a list of 1 to 100 commands.`,
		`{"lease":1,"commands":[7]}`: `The body is 7`,
		`{"lease":1,"commands":[{"id":1,"v":0,"w":0,"for":1},{"v":0,"w":0,"for":1}]}`:            `command 2 of the queue: "id" is missing`,
		`{"lease":1,"commands":[{"id":1,"v":0,"w":0}]}`:                                          `command 1 of the queue: "for" is missing; it should be a time in s above 0 and at most 10.`,
		`{"lease":1,"commands":[{"id":1,"v":0,"w":0,"for":10.5}]}`:                               `"for" is 10.5; it should be a time in s above 0 and at most 10.`,
		`{"lease":1,"commands":[{"id":1,"v":0,"w":0,"for":0}]}`:                                  `"for" is 0;`,
		`{"lease":1,"commands":[{"id":1,"goto":[1,2,3],"v":0.2}]}`:                               `"v"`,
		`{"lease":1,"commands":[{"id":1,"at":"noon","goto":[1,2,3]}]}`:                           `"at" is "noon"; it should be a time like "2026-11-20T14:33:05Z".`,
		`{"lease":1,"commands":[{"id":1,"at":"2026-11-20T14:33:05Z","after":1,"goto":[1,2,3]}]}`: `"after" is there beside "at"; it should be left out, or the only one of them.`,
		`{"lease":1,"commands":[{"id":1,"after":1e400,"goto":[1,2,3]}]}`:                         `"after" is 1e400, which is not a finite number`,
		`{"lease":1,"commands":[{"id":1,"stop":true}]}`:                                          `"v" is missing`,
		`{"lease":1,"commands":[` + strings.Repeat(`{},`, mostQueued) + `{}]}`:                   `it should be a list of 1 to 100 commands.`,
	} {
		if _, err := DecodeQueue([]byte(body), now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.70s is answered %v, want %s", body, err, says)
		}
	}
}

func FuzzDecodeQueue(f *testing.F) {
	f.Add([]byte(`{"lease":4,"commands":[{"id":1,"at":"2026-11-20T15:33:05+01:00","v":0.2,"w":-0.1,"for":2},{"id":2,"after":4,"goto":[1,2,3]}]}`))
	f.Add([]byte(`{"lease":4,"commands":[{"id":1,"after":1e300,"v":0,"w":0,"for":1e-12}]}`))
	f.Add([]byte(`{"lease":4,"commands":[null]}`))
	now := time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, body []byte) {
		orders, err := DecodeQueue(body, now)
		if err == nil == (len(orders) == 0) {
			t.Fatalf("%d orders and %v", len(orders), err)
		}
		for _, o := range orders {
			if d, ok := o.Command.(robot.Enqueue).Command.(robot.Drive); ok && (!d.Twist.IsFinite() || d.Valid <= 0 || d.Valid > robot.LongestQueued) {
				t.Errorf("%+v", d)
			}
		}
	})
}
