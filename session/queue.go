package session

import (
	"encoding/json"
	"fmt"
	"time"

	"mybot/robot"
)

// Commands with start times, which the robot keeps in its queue until then.

// mostQueued is how many commands one request may bring.
const mostQueued = 100

// ReadQueue reads the body of a request that puts commands into the robot's
// queue, as in protocol.md; it came at the time now. The error is a sentence,
// and says which command is wrong.
func ReadQueue(body []byte, now time.Time) ([]Order, error) {
	r := open("queue", body, nil)
	lease := r.whole("lease", 0)
	var commands []json.RawMessage
	should := fmt.Sprintf("a list of 1 to %d commands", mostQueued)
	if value := r.take("commands", should); value != nil {
		if json.Unmarshal(value, &commands) != nil || len(commands) == 0 || len(commands) > mostQueued {
			r.wrong("commands", "is "+clip(string(value)), should)
		}
	}
	if r.rest(); r.fault != "" {
		return nil, bodyFault(r)
	}
	orders := make([]Order, len(commands))
	for i, command := range commands {
		c := open(fmt.Sprintf("command %d of the queue", i+1), command, nil)
		orders[i] = Order{Lease: lease, Command: c.enqueue(now)}
		if c.rest(); c.fault != "" {
			return nil, bodyFault(c)
		}
	}
	return orders, nil
}

// enqueue reads one command of the queue.
func (r *reader) enqueue(now time.Time) robot.Enqueue {
	o := robot.Enqueue{ID: r.id(true)}
	if r.find("at") != nil && r.find("after") != nil {
		r.wrong("after", `is there beside "at"`, "left out, or the only one of them")
	}
	if r.find("at") != nil {
		o.At = r.moment("at")
	} else if r.find("after") != nil {
		if s := r.number("after", "a time in s"); s > 0 {
			o.At = now.Add(duration(s))
		}
	}
	if r.find("goto") != nil {
		o.Command = robot.GoTo{Goal: r.pose("goto"), Name: r.line("name", mostPlace)}
		return o
	}
	o.Command = robot.Drive{
		Twist: robot.Twist{Linear: r.number("v", "a speed in m/s, for example 0.3"), Angular: r.number("w", "a turning speed in rad/s, for example -0.2")},
		Valid: r.lasting("for"),
	}
	return o
}

// lasting reads how long a drive of the queue lasts.
func (r *reader) lasting(name string) time.Duration {
	should := fmt.Sprintf("a time in s above 0 and at most %g", robot.LongestQueued.Seconds())
	s := r.number(name, should)
	d := duration(s)
	if r.fault == "" && (d <= 0 || d > robot.LongestQueued) {
		r.wrong(name, fmt.Sprintf("is %g", s), should)
	}
	return d
}

// moment reads a time of day.
func (r *reader) moment(name string) time.Time {
	const should = `a time like "2026-11-20T14:33:05Z"`
	text := r.text(name, should)
	at, err := time.Parse(time.RFC3339, text)
	if r.fault == "" && err != nil {
		r.wrong(name, fmt.Sprintf("is %q", clip(text)), should)
	}
	return at
}

// duration returns a time that was given in s, cut to 30 years, which a
// time.Duration holds.
func duration(s float64) time.Duration {
	const most = 1e9
	return time.Duration(min(max(s, -most), most) * float64(time.Second))
}

// enqueue puts a command into the robot's queue for the holder. While anything
// is in it, the robot does not count as standing.
func (c *crew) enqueue(who *person, lease uint64, o robot.Enqueue, now time.Time) robot.Result {
	if r := c.mayOrder(who, lease, "Look again, then send it again."); !done(r) {
		return r
	}
	if r := c.mayMove(); !done(r) {
		return r
	}
	if _, far := o.Command.(robot.GoTo); far {
		if r := c.mayPlan(who, now); !done(r) {
			return r
		}
	}
	o.Client = who.id
	r := c.robot.Do(o)
	if done(r) {
		c.standing, c.ordered = false, true
	}
	return r
}

// An AnswerMessage is how a command of the queue ended, as it is sent.
type AnswerMessage struct {
	ID     uint64     `json:"id"`
	Word   robot.Word `json:"word"`
	Reason string     `json:"reason"`
}

// A QueueMessage is how the robot's queue stands, as it is sent. Running is
// the id of what is carried out, nil = nothing.
type QueueMessage struct {
	Waiting int             `json:"waiting"`
	Running *uint64         `json:"running"`
	Answers []AnswerMessage `json:"answers"`
}

// QueueOf returns the queue as it is sent.
func QueueOf(q *robot.Queue) QueueMessage {
	m := QueueMessage{Answers: []AnswerMessage{}}
	if q == nil {
		return m
	}
	m.Waiting = q.Waiting
	if q.Busy {
		m.Running = &q.Running
	}
	for _, a := range q.Answers {
		m.Answers = append(m.Answers, AnswerMessage{a.ID, a.Word, a.Reason})
	}
	return m
}
