package robot

import "time"

// LongestQueued is the longest duration of a Drive in the queue.
const LongestQueued = 10 * time.Second

// An Enqueue queues a command with a start time, as in RoboTalk (Yang 2005, section IV.A).
// The answer reports whether the queue accepted it; State.Queue shows how it ends. A queued
// Drive lasts for its Valid, at most LongestQueued, and a GoTo until the robot arrives.
type Enqueue struct {
	ID      uint64        // of the answer; unique among waiting and running commands
	At      time.Time     // start time; zero or past = now
	After   time.Duration // delay after arrival, if At is zero; zero or negative = none
	Command Command       // a Drive or a GoTo; a Stop stops at once
	Client  int           // sender; the queue limits the stored answers per client
}

// An Answer is the result of the queued command with this ID. Each command has one.
type Answer struct {
	N      uint64 // running number from 1, of the answers of all clients
	ID     uint64
	Client int
	Result
}

// A Queue is the state of the robot's queue. It is not modified after publication.
type Queue struct {
	Waiting int
	Running uint64   // ID of the running command, while Busy
	Busy    bool     // a command is running
	Answers []Answer // the newest of each recent client, oldest first
}

// Idle reports whether no command waits or runs. A nil queue is idle.
func (q *Queue) Idle() bool { return q == nil || q.Waiting == 0 && !q.Busy }
