package playout

import (
	"fmt"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

const (
	maxWaiting = 1024 // orders waiting in a queue
)

// A Queue holds orders until they start. They run in order of their start times; orders
// with equal times run in order of arrival, and orders without a time run first. Only one
// goroutine may use a queue; the zero Queue is empty and ready for use.
type Queue struct{ waiting []robot.Enqueue }

// Put adds an order that arrives now. The result says why, if the queue refuses it.
func (q *Queue) Put(now time.Time, o robot.Enqueue) robot.Result {
	if o.At.IsZero() && o.After > 0 {
		o.At = now.Add(o.After)
	}
	if !o.At.After(now) {
		o.At = time.Time{}
	}
	switch ahead := o.At.Sub(now); {
	case q.containsOrder(o.ID):
		return robot.Result{Word: robot.Error, Reason: fmt.Sprintf("A command with the id %d is already waiting; give another id.", o.ID)}
	case ahead > limits.QueueAhead:
		return robot.Result{Word: robot.Error, Reason: fmt.Sprintf("The command starts in %v; give at most %v.", ahead.Round(time.Second), limits.QueueAhead)}
	case len(q.waiting) >= maxWaiting:
		return robot.Result{Word: robot.Busy, Reason: fmt.Sprintf("%d commands are already waiting.", maxWaiting)}
	}
	i, _ := slices.BinarySearchFunc(q.waiting, o, func(a, b robot.Enqueue) int {
		if a.At.After(b.At) {
			return 1
		}
		return -1 // insert after orders with the same time
	})
	q.waiting = slices.Insert(q.waiting, i, o)
	return robot.Result{Word: robot.Success}
}

// containsOrder reports whether an order with the id is waiting.
func (q *Queue) containsOrder(id uint64) bool {
	return slices.ContainsFunc(q.waiting, func(o robot.Enqueue) bool { return o.ID == id })
}

// Next removes and returns the next order that is due at now. The caller executes it and
// answers it.
func (q *Queue) Next(now time.Time) (robot.Enqueue, bool) {
	if len(q.waiting) == 0 || q.waiting[0].At.After(now) {
		return robot.Enqueue{}, false
	}
	o := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return o, true
}

// Due returns when the next order is due; the zero time means now. ok is false if no order
// is waiting.
func (q *Queue) Due() (at time.Time, ok bool) {
	if len(q.waiting) == 0 {
		return time.Time{}, false
	}
	return q.waiting[0].At, true
}

// Len returns how many orders are waiting.
func (q *Queue) Len() int { return len(q.waiting) }

// Flush removes all waiting orders and returns their answers: INTERRUPTED, for the reason.
func (q *Queue) Flush(reason string) []robot.Answer {
	var ended []robot.Answer
	for _, o := range q.waiting {
		ended = append(ended, robot.Answer{ID: o.ID, Client: o.Client, Result: robot.Result{Word: robot.Interrupted, Reason: reason}})
	}
	q.waiting = nil
	return ended
}
