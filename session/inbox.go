package session

import (
	"slices"
	"sync"
	"time"

	"mybot/session/protocol"
)

// Bounds of what one user may have waiting for the hub. Of drive samples the
// oldest is dropped first: a late one is worth nothing.
const (
	maxCommands = 256
	maxSamples  = 32
)

// An incoming is one decoded command and when it arrived.
type incoming struct {
	cmd any
	at  time.Time
}

// An inbox is what one user has waiting for the hub. Putting something in
// never waits.
type inbox struct {
	mu      sync.Mutex
	queue   []incoming
	samples int  // drive samples in queue
	ready   bool // the hub knows that something is here
	left    bool // the connection was lost

	hasCopies  bool   // samples come by the channel too
	driveEpoch uint64 // of the newest sample by the connection itself
	newestSeq  uint64 // seq of the newest sample
}

// putCommand appends a command. first reports whether the hub has to be told, hasPlace whether
// there was a place for the command.
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

// putCopy appends a sample that came by the channel, if it is newer than what
// came before.
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

// noteLeave notes that the connection was lost. What the page has asked for stays in the
// inbox, but drive samples are dropped: a disconnected driver must not keep the robot
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

// takeAll returns what waits, and whether the connection was lost.
func (b *inbox) takeAll() (queue []incoming, left bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue, b.queue, b.samples, b.ready = b.queue, nil, 0, false
	return queue, b.left
}
