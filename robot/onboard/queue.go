package onboard

import (
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// The queue keeps the newest maxAnswers answers of each client, for the maxClients clients
// that were answered last.
const (
	maxAnswers = 400
	maxClients = 8
)

// replaced is why a command ends when the next one begins.
const replaced = "The next command in the queue began."

// queue holds commands that have a start time, and their answers. Every accepted direct
// command flushes it: motion by a driver, STOP, a halt, a goal.
type queue struct {
	*situation
	others    others
	order     *driveOrder
	navigator *navigator

	waiting playout.Queue
	running *queuedRun     // nil = none
	ended   []robot.Answer // read-only; replaced by a new slice
	answers uint64         // how many answers were noted, also those that were dropped
	shown   *robot.Queue   // nil = describeQueue must build it
	used    bool           // a command has been queued
}

// queuedRun is the command that is being executed: a drive or a goal.
type queuedRun struct {
	id     uint64
	client int
	twist  robot.Twist // at M
	until  time.Time   // end of a drive; zero = it is a goal
	goal   uint64      // number of the goal
	result robot.Result
}

// Do queues a command.
func (q *queue) Do(now time.Time, cmd robot.Command) (r robot.Result, ok bool) {
	if o, ok := cmd.(robot.Enqueue); ok {
		return q.enqueue(now, o), true
	}
	return r, false
}

// Interrupt ends all waiting commands and a running drive. A goal that the queue gave ends
// separately.
func (q *queue) Interrupt(_ time.Time, reason string) {
	q.interruptDrive(reason)
	q.noteAnswers(q.waiting.Flush(reason)...)
}

// interruptDrive ends a running drive.
func (q *queue) interruptDrive(reason string) {
	if q.running != nil && !q.running.until.IsZero() {
		q.endCommand(robot.Result{Word: robot.Interrupted, Reason: reason})
	}
}

// enqueue checks a command that has a start time, and queues it.
func (q *queue) enqueue(now time.Time, o robot.Enqueue) robot.Result {
	switch cmd := o.Command.(type) {
	case robot.Drive:
		switch {
		case !cmd.Twist.IsFinite():
			return failedResult("The speed %v m/s, %v rad/s is not a number.", cmd.Twist.Linear, cmd.Twist.Angular)
		case cmd.Valid <= 0 || cmd.Valid > robot.LongestQueued:
			return failedResult("A drive in the queue cannot last for %v; give more than 0 s and at most %v.", cmd.Valid, robot.LongestQueued)
		case cmd.Twist.LimitTurning(q.desc.TurningRadius) != cmd.Twist:
			return robot.Result{Word: robot.NA, Reason: q.tooTight(cmd.Twist)}
		}
	case robot.GoTo:
	default:
		return failedResult("The command %T cannot be queued; a drive or a goal can.", cmd)
	}
	if no := q.refuseMotion(now); no.Word != "" {
		return no
	}
	if q.running != nil && q.running.id == o.ID {
		return failedResult("The command with the id %d is being carried out; give another id.", o.ID)
	}
	r := q.waiting.Put(now, o)
	if r.Word == robot.Success {
		q.used, q.shown = true, nil
	}
	return r
}

// endCommand ends the running command.
func (q *queue) endCommand(r robot.Result) {
	if !q.running.until.IsZero() {
		q.order.asked, q.order.answer = robot.Twist{}, r
	}
	q.noteAnswers(robot.Answer{ID: q.running.id, Client: q.running.client, Result: r})
	q.running = nil
}

// noteAnswers numbers and adds answers, and drops the oldest ones.
func (q *queue) noteAnswers(as ...robot.Answer) {
	if len(as) == 0 {
		return
	}
	all := slices.Concat(q.ended, as)
	for i := len(q.ended); i < len(all); i++ {
		q.answers++
		all[i].N = q.answers
	}
	kept := make(map[int]int, maxClients)
	for i, n := len(all)-1, len(all); ; i-- {
		if i < 0 {
			q.ended, q.shown = all[n:], nil
			return
		}
		by := all[i].Client
		if _, known := kept[by]; !known && len(kept) == maxClients || kept[by] == maxAnswers {
			continue
		}
		kept[by]++
		n--
		all[n] = all[i]
	}
}

// Propose ends the running command when it is over and begins the next due command, at most
// one per tick.
func (q *queue) Propose(r robot.Reading) (v velocityRequest, ok bool) {
	now := r.Time
	if q.running != nil {
		if end, ok := q.findOutcome(now); ok {
			q.endCommand(end)
		}
	}
	if o, ok := q.waiting.Next(now); ok {
		q.shown = nil
		q.beginCommand(now, o)
	}
	if q.running == nil || q.running.until.IsZero() {
		return v, false
	}
	q.order.asked = q.running.twist
	v = newVelocityRequest(q.running.twist, now, q.running.until.Sub(now), byHand)
	return v, v.isFresh(now)
}

// findOutcome returns the result of the running command if it has ended.
func (q *queue) findOutcome(now time.Time) (end robot.Result, ok bool) {
	g := &q.navigator.run.goal
	switch {
	case !q.running.until.IsZero():
		return q.running.result, !now.Before(q.running.until)
	case g.Number != q.running.goal:
		return robot.Result{Word: robot.Interrupted, Reason: "The robot was sent to another goal."}, true
	case g.Phase == robot.GoalEnded:
		return g.Result, true
	case g.Phase == robot.GoalPaused:
		return robot.Result{Word: robot.Interrupted, Reason: g.Result.Reason}, true
	}
	return end, false
}

// beginCommand executes a command that is due.
func (q *queue) beginCommand(now time.Time, o robot.Enqueue) {
	no := q.refuseMotion(now)
	if no.Word == "" && q.others.drivesByHand(now) {
		no = busyResult("The robot is being driven by hand.")
	}
	if no.Word != "" {
		q.noteAnswers(robot.Answer{ID: o.ID, Client: o.Client, Result: no})
		return
	}
	q.others.holdScripts(now, drivenByHand)
	if q.running != nil {
		q.endCommand(q.running.replacedBy(o.Command))
	}
	switch cmd := o.Command.(type) {
	case robot.Drive:
		q.others.pauseGoal(now, "The robot was driven by its queue.")
		q.order.answer = q.judgeRequest(cmd.Twist)
		q.running = &queuedRun{id: o.ID, client: o.Client, twist: cmd.Twist, until: now.Add(cmd.Valid), result: q.order.answer}
	case robot.GoTo:
		if r := q.navigator.sendToGoal(now, cmd); r.Word != robot.Success {
			q.noteAnswers(robot.Answer{ID: o.ID, Client: o.Client, Result: r})
			return
		}
		q.others.pauseJob(now, sentAway)
		q.running = &queuedRun{id: o.ID, client: o.Client, goal: q.navigator.run.goal.Number}
	}
}

// replacedBy returns the result of a command when the queue begins the next one. A speed
// lasts until the next speed is set: those of a steady stream overlap.
func (b *queuedRun) replacedBy(next robot.Command) robot.Result {
	if _, speed := next.(robot.Drive); speed && !b.until.IsZero() {
		return b.result
	}
	return robot.Result{Word: robot.Interrupted, Reason: replaced}
}

// describeQueue returns the queue for a state; nil until the first command is queued.
func (q *queue) describeQueue() *robot.Queue {
	if q.used && q.shown == nil {
		q.shown = &robot.Queue{Waiting: q.waiting.Len(), Answers: q.ended}
		if q.running != nil {
			q.shown.Running, q.shown.Busy = q.running.id, true
		}
	}
	return q.shown
}
