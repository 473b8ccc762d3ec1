package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

// enqueue adds a drive of 2 s to the queue, as REST does.
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

// A queued order may begin at any tick: until the robot has published an empty
// queue, a standing robot may be about to move.
func TestControlDoesNotPassWhileAnOrderWaits(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	tb.stand()
	ana.enqueue(1, robot.Drive{Twist: robot.Twist{Linear: 0.2}, Valid: 2 * time.Second})
	see := func(q *robot.Queue) {
		tb.hub.coordinator.ordersPending = false
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
