package session

import (
	"slices"
	"sync"
	"time"
)

// Bounds of what one user may have waiting for the hub. Of drive samples the
// oldest goes first: a late one is worth nothing.
const (
	mostCommands = 256
	mostSamples  = 32
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

	copies bool   // samples come by the channel too
	hold   uint64 // of the newest sample by the connection itself
	newest uint64 // seq of the newest sample
}

// put appends a command. first tells whether the hub has to be told; room is
// false when the command found no place.
func (b *inbox) put(in incoming) (first, room bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d, sample := in.cmd.(drive)
	if sample {
		if b.copies && d.Hold == b.hold && d.Seq <= b.newest {
			return false, true // the channel was faster
		}
		b.hold, b.newest = d.Hold, d.Seq
	}
	return b.add(in, sample)
}

// putCopy appends a sample that came by the channel, if it is newer than what
// came before.
func (b *inbox) putCopy(in incoming) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := in.cmd.(drive)
	if d.Hold != b.hold || d.Seq <= b.newest {
		return false
	}
	b.copies, b.newest = true, d.Seq
	first, _ = b.add(in, true)
	return first
}

func (b *inbox) add(in incoming, sample bool) (first, room bool) {
	switch {
	case b.left:
		return false, true
	case sample && b.samples == mostSamples:
		b.dropSample()
	case sample:
		b.samples++
	case len(b.queue)-b.samples >= mostCommands:
		return false, false
	}
	b.queue = append(b.queue, in)
	return b.call(), true
}

func (b *inbox) dropSample() {
	for i := range b.queue {
		if _, sample := b.queue[i].cmd.(drive); sample {
			b.queue = append(b.queue[:i], b.queue[i+1:]...)
			return
		}
	}
}

// leave notes that the connection was lost. What the page still asked for is
// kept, but for samples: a hand that is gone holds nothing. After a bye
// nothing is kept.
func (b *inbox) leave(bye bool) (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left {
		return false
	}
	b.left, b.samples = true, 0
	b.queue = slices.DeleteFunc(b.queue, func(in incoming) bool {
		_, sample := in.cmd.(drive)
		return bye || sample
	})
	return b.call()
}

func (b *inbox) call() (first bool) {
	first = !b.ready
	b.ready = true
	return first
}

// take returns what waits, and whether the connection was lost.
func (b *inbox) take() (queue []incoming, left bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue, b.queue, b.samples, b.ready = b.queue, nil, 0, false
	return queue, b.left
}
