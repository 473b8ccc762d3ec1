package robot

import "time"

// LongestQueued is how long a Drive in the queue may last.
const LongestQueued = 10 * time.Second

// An Enqueue puts a command into the robot's queue, to begin at a start time:
// RoboTalk's (Yang 2005, section IV.A). The answer reports whether it waits now;
// how it ends is in State.Queue. A Drive in it lasts for its Valid, at most
// LongestQueued, and a GoTo until the robot is there.
type Enqueue struct {
	ID      uint64        // of the answer; no other that waits or runs has it
	At      time.Time     // when it starts; zero, or gone by = now
	After   time.Duration // without At: how long after it came; zero or negative = now
	Command Command       // a Drive or a GoTo; a Stop stops at once
	Client  int           // whose command it is, for how long its answer is kept
}

// An Answer is how a command of the queue with this ID has ended. Each ends
// once.
type Answer struct {
	ID     uint64
	Client int
	Result
}

// A Queue is how the robot's queue stands. It is not written to after
// publication.
type Queue struct {
	Waiting int
	Running uint64   // the ID of what is carried out, while Busy
	Busy    bool     // something is
	Answers []Answer // the last 100, the oldest first
}

// Idle reports whether nothing waits or runs. A nil queue is idle.
func (q *Queue) Idle() bool { return q == nil || q.Waiting == 0 && !q.Busy }
