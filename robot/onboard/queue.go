package onboard

import (
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// How many answers of the queue are kept: the newest ones of each client, and
// those of so many clients that were answered last.
const (
	mostAnswers = 400
	mostClients = 8
)

// replaced is why an order ends when the one after it begins.
const replaced = "The next command in the queue began."

// queue holds the orders that have a start time and keeps how they ended.
// Whatever is asked for directly, and taken, flushes it: a hand that moves,
// STOP, a halt, a goal.
type queue struct {
	waiting playout.Queue
	running *queuedRun     // nil = none
	ended   []robot.Answer // never written to; a new one is made
	shown   *robot.Queue   // nil = it is to be made anew
	used    bool           // something was put into it
}

// queuedRun is an order that is carried out: a drive, or a goal.
type queuedRun struct {
	id     uint64
	client int
	twist  robot.Twist // at M
	until  time.Time   // of a drive; the zero time = it is a goal
	goal   uint64      // its number
	result robot.Result
}

// enqueue takes an order that has a start time.
func (c *Core) enqueue(now time.Time, o robot.Enqueue) robot.Result {
	switch cmd := o.Command.(type) {
	case robot.Stop:
		return c.Do(now, cmd)
	case robot.Drive:
		switch {
		case !cmd.Twist.IsFinite():
			return failed("The speed %v m/s, %v rad/s is not a number.", cmd.Twist.Linear, cmd.Twist.Angular)
		case cmd.Valid <= 0 || cmd.Valid > robot.LongestQueued:
			return failed("A drive in the queue cannot last for %v; give more than 0 s and at most %v.", cmd.Valid, robot.LongestQueued)
		}
	case robot.GoTo:
	default:
		return failed("The command %T cannot be queued; a drive or a goal can.", cmd)
	}
	if no := c.refuseMotion(now); no.Word != "" {
		return no
	}
	q := &c.queue
	if q.running != nil && q.running.id == o.ID {
		return failed("The command with the id %d is being carried out; give another id.", o.ID)
	}
	r := q.waiting.Put(now, o)
	if r.Word == robot.Success {
		q.used, q.shown = true, nil
	}
	return r
}

// flush gives up what waits in the queue and a drive that it carries out. A
// goal that it set out for ends by itself.
func (c *Core) flush(reason string) {
	c.breakOff(reason)
	c.queue.answer(c.queue.waiting.Flush(reason)...)
}

// breakOff gives up a drive of the queue.
func (c *Core) breakOff(reason string) {
	if r := c.queue.running; r != nil && !r.until.IsZero() {
		c.over(robot.Result{Word: robot.Interrupted, Reason: reason})
	}
}

// over ends the order that is carried out.
func (c *Core) over(r robot.Result) {
	q := &c.queue
	if !q.running.until.IsZero() {
		c.wishes[queued], c.asked, c.answer = velocityRequest{}, robot.Twist{}, r
	}
	q.answer(robot.Answer{ID: q.running.id, Client: q.running.client, Result: r})
	q.running = nil
}

func (q *queue) answer(as ...robot.Answer) {
	if len(as) == 0 {
		return
	}
	all := slices.Concat(q.ended, as)
	kept := make(map[int]int, mostClients)
	for i, n := len(all)-1, len(all); ; i-- {
		if i < 0 {
			q.ended, q.shown = all[n:], nil
			return
		}
		by := all[i].Client
		if _, known := kept[by]; !known && len(kept) == mostClients || kept[by] == mostAnswers {
			continue
		}
		kept[by]++
		n--
		all[n] = all[i]
	}
}

// serve ends the order whose time is over and begins the one that is due, one
// in a tick.
func (c *Core) serve(now time.Time) {
	q := &c.queue
	c.wishes[queued] = velocityRequest{}
	if r := q.running; r != nil {
		if end, ok := c.outcome(now, r); ok {
			c.over(end)
		}
	}
	if o, ok := q.waiting.Next(now); ok {
		q.shown = nil
		c.begin(now, o)
	}
	if r := q.running; r != nil && !r.until.IsZero() {
		c.wishes[queued] = newVelocityRequest(r.twist, now, r.until.Sub(now))
		c.asked = r.twist
	}
}

// outcome tells how the order has ended, if it has.
func (c *Core) outcome(now time.Time, r *queuedRun) (end robot.Result, ok bool) {
	g := &c.errand.goal
	switch {
	case !r.until.IsZero():
		return r.result, !now.Before(r.until)
	case g.Number != r.goal:
		return robot.Result{Word: robot.Interrupted, Reason: "The robot was sent to another goal."}, true
	case g.Phase == robot.GoalEnded:
		return g.Result, true
	case g.Phase == robot.GoalPaused:
		return robot.Result{Word: robot.Interrupted, Reason: g.Result.Reason}, true
	}
	return end, false
}

// begin carries out an order whose time has come.
func (c *Core) begin(now time.Time, o robot.Enqueue) {
	q := &c.queue
	no := c.refuseMotion(now)
	if _, by, ok := c.wishes.pick(now); no.Word == "" && ok && by == manual {
		no = busy("The robot is being driven by hand.")
	}
	if no.Word != "" {
		q.answer(robot.Answer{ID: o.ID, Client: o.Client, Result: no})
		return
	}
	if q.running != nil {
		c.over(q.running.replacedBy(o.Command))
	}
	switch cmd := o.Command.(type) {
	case robot.Drive:
		c.pause(now, "The robot was driven by its queue.")
		c.answer = judgeLimits(cmd.Twist, c.desc.Safe)
		q.running = &queuedRun{id: o.ID, client: o.Client, twist: cmd.Twist, until: now.Add(cmd.Valid), result: c.answer}
	case robot.GoTo:
		if r := c.send(now, cmd); r.Word != robot.Success {
			q.answer(robot.Answer{ID: o.ID, Client: o.Client, Result: r})
			return
		}
		c.pauseJob(now, sentAway)
		q.running = &queuedRun{id: o.ID, client: o.Client, goal: c.errand.goal.Number}
	}
}

// replacedBy returns how the order ends when the queue begins the next one. A
// speed lasts until the next speed is set: those of a steady stream overlap.
func (b *queuedRun) replacedBy(next robot.Command) robot.Result {
	if _, speed := next.(robot.Drive); speed && !b.until.IsZero() {
		return b.result
	}
	return robot.Result{Word: robot.Interrupted, Reason: replaced}
}

// publish returns the queue for a state: nil when nothing was put into it yet.
func (q *queue) publish() *robot.Queue {
	if q.used && q.shown == nil {
		q.shown = &robot.Queue{Waiting: q.waiting.Len(), Answers: q.ended}
		if q.running != nil {
			q.shown.Running, q.shown.Busy = q.running.id, true
		}
	}
	return q.shown
}
