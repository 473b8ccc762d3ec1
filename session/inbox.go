package session

import (
	"slices"
	"sync"
	"time"

	"mybot/session/protocol"
)

// Bounds of one user's inbox. Of drive samples the oldest is dropped first, because
// a late one is worthless.
const (
	maxCommands = 256
	maxSamples  = 32
)

// An incoming is one decoded command and its time of arrival.
type incoming struct {
	cmd any
	at  time.Time
}

// An inbox holds what one user has sent to the hub. Adding to it never waits.
type inbox struct {
	mu      sync.Mutex
	queue   []incoming
	samples int  // drive samples in queue
	ready   bool // the hub has been notified
	left    bool // the connection was lost

	hasCopies  bool   // copies of samples come by the channel too
	driveEpoch uint64 // of the newest sample from the connection itself
	newestSeq  uint64 // seq of the newest sample
}

// putCommand appends a command. first reports whether the hub must be notified,
// hasPlace whether there was room for the command.
func (b *inbox) putCommand(in incoming) (first, hasPlace bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d, sample := in.cmd.(protocol.Drive)
	if sample {
		if b.hasCopies && d.DriveEpoch == b.driveEpoch && d.Seq <= b.newestSeq {
			return false, true // the channel was faster
		}
		b.driveEpoch, b.newestSeq = d.DriveEpoch, d.Seq
	}
	return b.addCommand(in, sample)
}

// putCopy appends a sample from the channel, if it is newer than all before it.
func (b *inbox) putCopy(in incoming) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := in.cmd.(protocol.Drive)
	if d.DriveEpoch != b.driveEpoch || d.Seq <= b.newestSeq {
		return false
	}
	b.hasCopies, b.newestSeq = true, d.Seq
	first, _ = b.addCommand(in, true)
	return first
}

func (b *inbox) addCommand(in incoming, sample bool) (first, hasPlace bool) {
	switch {
	case b.left:
		return false, true
	case sample && b.samples == maxSamples:
		b.dropSample()
	case sample:
		b.samples++
	case len(b.queue)-b.samples >= maxCommands:
		return false, false
	}
	b.queue = append(b.queue, in)
	return b.markReady(), true
}

func (b *inbox) dropSample() {
	for i := range b.queue {
		if _, sample := b.queue[i].cmd.(protocol.Drive); sample {
			b.queue = append(b.queue[:i], b.queue[i+1:]...)
			return
		}
	}
}

// noteLeave notes that the connection was lost. Commands stay in the inbox, but
// drive samples are dropped, because a disconnected driver must not keep the robot
// moving. After a bye everything is dropped.
func (b *inbox) noteLeave(bye bool) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left {
		return false
	}
	b.left, b.samples = true, 0
	b.queue = slices.DeleteFunc(b.queue, func(in incoming) bool {
		_, sample := in.cmd.(protocol.Drive)
		return bye || sample
	})
	return b.markReady()
}

func (b *inbox) markReady() (first bool) {
	first = !b.ready
	b.ready = true
	return first
}

// takeAll empties the queue and returns it, and whether the connection was lost.
func (b *inbox) takeAll() (queue []incoming, left bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue, b.queue, b.samples, b.ready = b.queue, nil, 0, false
	return queue, b.left
}
