package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"mybot/session/protocol"
)

// Bounds of one page's outbox. A page whose outbox exceeds them is too slow for its
// events and is disconnected.
const (
	maxWaiting      = 256
	maxWaitingBytes = 1 << 20
)

// stuckAfter is how long a page may take or acknowledge nothing while frames wait
// for it.
const stuckAfter = 15 * time.Second

// A stateFrame is one encoded state.
type stateFrame struct {
	n     uint64
	bytes []byte
}

// An outbox holds what is to be sent to one page: events in order, the newest watched
// values and the newest state. Adding to it never waits.
type outbox struct {
	wake chan struct{} // holds one token while there may be something to send

	mu           sync.Mutex
	queue        []outgoing
	waiting      int    // bytes in queue
	values       []byte // newest watched values; nil = none wait
	state        *stateFrame
	window       creditWindow
	statesOpen   bool      // states may be sent
	stalledSince time.Time // since when the page takes or acknowledges nothing of what waits; zero = it does
	bye          []byte    // last frame; nil = the connection continues
	closed       bool      // nothing more may be added
	byeTaken     bool      // bye was taken

	direct        func(frame []byte) bool // sends a state without waiting; nil = not possible
	pumping       bool                    // the write pump holds a frame
	sendingDirect bool                    // a postman holds a state
}

// An outgoing is one frame that must be delivered; the answer to a clock is encoded
// when it leaves.
type outgoing struct {
	frame []byte
	clock *protocol.ClockAnswer
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

func (o *outbox) wakeUp() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// enqueueEvent appends an event. It returns false if that exceeds a bound: the
// outbox is then closed and says bye.
func (o *outbox) enqueueEvent(out outgoing) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return true
	}
	if len(o.queue) >= maxWaiting || o.waiting+len(out.frame) > maxWaitingBytes {
		o.shutDown(protocol.Encode(protocol.Bye{Reason: "This page reads too slowly.", Again: true}), true)
		return false
	}
	o.queue = append(o.queue, out)
	o.waiting += len(out.frame)
	o.wakeUp()
	return true
}

// openStates allows states to be sent from now on.
func (o *outbox) openStates() {
	o.mu.Lock()
	o.statesOpen = true
	o.mu.Unlock()
}

// showValues replaces the waiting values with newer ones.
func (o *outbox) showValues(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.values = frame
	if o.window.hasCredit() {
		o.wakeUp()
	}
}

// showState replaces the waiting state with the newest. It reports whether the old
// one was never sent, and whether the page has taken nothing for so long that it is
// stuck. If nothing else waits and the state can be sent without the write pump,
// direct is true, and the caller must have sendDirect called.
func (o *outbox) showState(s *stateFrame, now time.Time) (skipped, stuck, direct bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.statesOpen || o.closed {
		return false, false, false
	}
	if o.direct != nil && !o.pumping && !o.sendingDirect && o.state == nil && o.values == nil && len(o.queue) == 0 && o.window.hasCredit() {
		o.sendingDirect = true
		return false, false, true
	}
	skipped = o.state != nil
	o.state = s
	switch {
	case !skipped && len(o.queue) == 0:
		o.stalledSince = time.Time{}
	case o.stalledSince.IsZero():
		o.stalledSince = now
	default:
		stuck = now.Sub(o.stalledSince) >= stuckAfter
	}
	if o.window.hasCredit() {
		o.wakeUp()
	}
	return skipped, stuck, false
}

// sendDirect sends a state directly, or leaves it to the write pump if the
// connection has no room for it, and reports whether it was sent.
func (o *outbox) sendDirect(s *stateFrame) (sent bool) {
	sent = o.direct(s.bytes)
	o.finishDirect(s, sent)
	return sent
}

// finishDirect completes what showState began: the state was sent directly, or is
// left to the write pump.
func (o *outbox) finishDirect(s *stateFrame, sent bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sendingDirect = false
	if sent {
		o.stalledSince = time.Time{}
		o.window.noteSent(s.n)
	} else if o.state == nil && !o.closed {
		o.state = s
	}
	if o.state != nil || o.values != nil || len(o.queue) > 0 || o.closed {
		o.wakeUp()
	}
}

// acknowledgeState returns the credit of the states up to n.
func (o *outbox) acknowledgeState(n uint64) {
	o.mu.Lock()
	if o.window.acknowledgeState(n) {
		o.stalledSince = time.Time{}
	}
	if o.state != nil || o.values != nil {
		o.wakeUp()
	}
	o.mu.Unlock()
}

// close ends the outbox: what waits is still sent, then bye, then nothing. Without
// bye nothing more is sent.
func (o *outbox) close(bye []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.shutDown(bye, bye == nil)
	}
}

// closeAtOnce ends the outbox with bye immediately; what waits is dropped.
func (o *outbox) closeAtOnce(bye []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.shutDown(bye, true)
	}
}

func (o *outbox) shutDown(bye []byte, drop bool) {
	o.closed, o.bye, o.state, o.values = true, bye, nil, nil
	if drop {
		o.queue = nil
	}
	o.wakeUp()
}

// waitFrame takes the next frame to send, and waits for one until ctx ends. start
// is the zero of the robot's clock.
func (o *outbox) waitFrame(ctx context.Context, start time.Time) (frame []byte, isState bool, err error) {
	o.mu.Lock()
	o.pumping = false
	o.mu.Unlock()
	for {
		if frame, isState, ok := o.takeFrame(start); ok {
			if frame == nil {
				return nil, false, ErrClosed
			}
			return frame, isState, nil
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// takeFrame returns the next frame; nil and true = there will be no more.
func (o *outbox) takeFrame(start time.Time) (frame []byte, isState, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sendingDirect {
		return nil, false, false // finishDirect wakes it up
	}
	defer func() { o.pumping = ok }()
	switch {
	case len(o.queue) > 0:
		if o.window.hasCredit() {
			o.stalledSince = time.Time{}
		}
		out := o.queue[0]
		o.queue[0] = outgoing{}
		o.queue = o.queue[1:]
		o.waiting -= len(out.frame)
		if out.clock != nil {
			out.clock.T3 = protocol.Seconds(time.Since(start))
			out.frame = protocol.Encode(*out.clock)
		}
		return out.frame, false, true
	case o.closed:
		if o.byeTaken || o.bye == nil {
			return nil, false, true
		}
		o.byeTaken = true
		return o.bye, false, true
	case o.values != nil && o.window.hasCredit():
		v := o.values
		o.values = nil
		return v, false, true
	case o.state != nil && o.window.hasCredit():
		s := o.state
		o.state, o.stalledSince = nil, time.Time{}
		o.window.noteSent(s.n)
		return s.bytes, true, true
	}
	return nil, false, false
}

// ErrClosed says that the hub has ended, or this user's connection has.
var ErrClosed = errors.New("session: closed")
