package protocol

import (
	"encoding/json"
	"fmt"
	"time"

	"mybot/robot"
)

// maxQueued is how many commands one request may contain.
const maxQueued = 100

// DecodeQueue reads the body of an HTTP request, which arrived at time now, that
// adds commands to the robot's queue. The error says which command is wrong.
func DecodeQueue(body []byte, now time.Time) (lease uint64, queued []robot.Enqueue, err error) {
	r := newReader("queue", body, nil)
	lease = r.wholeNumber("lease", 0)
	var commands []json.RawMessage
	should := fmt.Sprintf("a list of 1 to %d commands", maxQueued)
	if value := r.requireField("commands", should); value != nil {
		if json.Unmarshal(value, &commands) != nil || len(commands) == 0 || len(commands) > maxQueued {
			r.rejectField("commands", "is "+Clip(string(value)), should)
		}
	}
	if r.rejectUnknown(); r.fault != "" {
		return 0, nil, bodyError(r)
	}
	queued = make([]robot.Enqueue, len(commands))
	for i, command := range commands {
		c := newReader(fmt.Sprintf("command %d of the queue", i+1), command, nil)
		queued[i] = c.readQueuedCommand(now)
		if c.rejectUnknown(); c.fault != "" {
			return 0, nil, bodyError(c)
		}
	}
	return lease, queued, nil
}

// readQueuedCommand reads one command of the queue.
func (r *reader) readQueuedCommand(now time.Time) robot.Enqueue {
	o := robot.Enqueue{ID: r.readID(true)}
	if r.findField("at") != nil && r.findField("after") != nil {
		r.rejectField("after", `is there beside "at"`, "left out, or the only one of them")
	}
	if r.findField("at") != nil {
		o.At = r.readDateTime("at")
	} else if r.findField("after") != nil {
		if s := r.readNumber("after", "a time in s"); s > 0 {
			o.At = now.Add(toDuration(s))
		}
	}
	if r.findField("goto") != nil {
		o.Command = robot.GoTo{Goal: r.readPose("goto"), Name: r.readLine("name", MaxPlaceName)}
		return o
	}
	o.Command = robot.Drive{
		Twist: robot.Twist{Linear: r.readNumber("v", "a speed in m/s, for example 0.3"), Angular: r.readNumber("w", "a turning speed in rad/s, for example -0.2")},
		Valid: r.queuedFor("for"),
	}
	return o
}

// queuedFor reads the duration of a queued drive.
func (r *reader) queuedFor(name string) time.Duration {
	should := fmt.Sprintf("a time in s above 0 and at most %g", robot.LongestQueued.Seconds())
	s := r.readNumber(name, should)
	d := toDuration(s)
	if r.fault == "" && (d <= 0 || d > robot.LongestQueued) {
		r.rejectField(name, fmt.Sprintf("is %g", s), should)
	}
	return d
}

// readDateTime reads a date and time as in RFC 3339.
func (r *reader) readDateTime(name string) time.Time {
	const should = `a time like "2026-11-20T14:33:05Z"`
	text := r.readText(name, should)
	at, err := time.Parse(time.RFC3339, text)
	if r.fault == "" && err != nil {
		r.rejectField(name, fmt.Sprintf("is %q", Clip(text)), should)
	}
	return at
}

// toDuration converts a time in s, limited to 30 years, which fits into a
// time.Duration.
func toDuration(s float64) time.Duration {
	const limit = 1e9
	return time.Duration(min(max(s, -limit), limit) * float64(time.Second))
}

// A QueueAnswer says how a queued command ended. N is its running number from 1 since the
// robot was started, 0 = the command was refused. It tells the answers of commands with one ID apart.
type QueueAnswer struct {
	N      uint64     `json:"n"`
	ID     uint64     `json:"id"`
	Word   robot.Word `json:"word"`
	Reason string     `json:"reason"`
}

// A Queue is the state of the robot's queue. Running is the id of the command in
// progress, nil = none.
type Queue struct {
	Waiting int           `json:"waiting"`
	Running *uint64       `json:"running"`
	Answers []QueueAnswer `json:"answers"`
}

// QueueOf returns the wire form of the queue.
func QueueOf(q *robot.Queue) Queue {
	m := Queue{Answers: []QueueAnswer{}}
	if q == nil {
		return m
	}
	m.Waiting = q.Waiting
	if q.Busy {
		m.Running = &q.Running
	}
	for _, a := range q.Answers {
		m.Answers = append(m.Answers, QueueAnswer{a.N, a.ID, a.Word, a.Reason})
	}
	return m
}
