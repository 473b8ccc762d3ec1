package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// maxStopFrame is more bytes than a stop needs.
const maxStopFrame = 256

// mayStop reports whether a frame may be a stop. It is the only check for frames of
// a page that sends too much.
func mayStop(frame []byte) bool {
	return len(frame) <= maxStopFrame && bytes.Contains(frame, []byte("stop"))
}

// A User is one connection to the hub.
type User struct {
	hub      *Hub
	identity Identity
	stored   string // the name stored for the browser; "" = none
	joined   time.Time
	inbox    inbox
	out      *outbox
	name     atomic.Pointer[string] // for a stop, which does not wait for the hub
	heard    atomic.Int64           // ns since the hub's start, last frame
	revoked  atomic.Bool            // its grant has ended
	ended    chan struct{}          // closed when the hub has finished with the user
	endOnce  sync.Once

	offers chan Offer // holds one

	// These belong to the goroutine of the channel.
	datagramBudget budget

	// These belong to the read pump.
	frameBudget budget
	floodBudget budget
	warnedAt    time.Time // when the page was last warned about sending too much

	// These belong to the hub.
	tab         string       // the page's identifier of its tab, from hello
	person      *person      // nil before hello, and after another connection has replaced this one
	lateness    lateness     // of the frames
	onStandby   bool         // the browser's person is in another tab; this one watches
	offerBudget budget       // for channels
	watchBudget budget       // for lists of watched values
	lastRefusal robot.Result // the refusal of the last drive samples
}

// Receive takes one text frame from the page; the connection's read pump calls it
// with one frame after the other. It never waits for the hub or for another user.
// When it returns, a stop has reached the robot, even if the hub hangs, or the page
// is new or sends too much.
func (u *User) Receive(frame []byte) { u.receiveAt(frame, time.Now()) }

func (u *User) receiveAt(frame []byte, at time.Time) {
	u.heard.Store(int64(at.Sub(u.hub.start)))
	within := u.frameBudget.spendToken(at, framesPerSecond)
	if !u.floodBudget.spendToken(at, flood) {
		u.sendBye("This page sends far too much.", true)
	}
	if !within && !mayStop(frame) {
		u.warnOfFlood(at)
		return
	}
	cmd, err := protocol.Decode(frame)
	if s, ok := cmd.(protocol.Stop); ok {
		u.stopRobot(s, at)
		return
	}
	if !within {
		u.warnOfFlood(at)
		return
	}
	if err != nil {
		u.hub.refusals.Add(1)
		m := protocol.Result{Word: robot.Error, Reason: err.Error()}
		if bad := (*protocol.FrameError)(nil); errors.As(err, &bad) {
			m.ID, m.Seq = bad.ID, bad.Seq
		}
		u.sendFrame(protocol.Encode(m))
		return
	}
	switch c := cmd.(type) {
	case protocol.Ack:
		u.out.acknowledgeState(c.N)
		return
	case protocol.Clock:
		u.sendOut(outgoing{clock: &protocol.ClockAnswer{T1: c.T1, T2: protocol.Seconds(at.Sub(u.hub.start))}})
	}
	first, hasPlace := u.inbox.putCommand(incoming{cmd, at})
	if !hasPlace {
		u.warnOfFlood(at)
	}
	if first {
		u.hub.post(u)
	}
}

// warnOfFlood warns the page, once a second, that it sends too much.
func (u *User) warnOfFlood(at time.Time) {
	u.hub.refusals.Add(1)
	if at.Sub(u.warnedAt) < time.Second {
		return
	}
	u.warnedAt = at
	u.sendFrame(protocol.Encode(protocol.Result{
		Word:   robot.Busy,
		Reason: fmt.Sprintf("This page sends too much and some of it is dropped; it should send at most %d frames a second.", framesPerSecond),
	}))
}

// Next returns the next frame for the page; the connection's write pump calls it.
// Events and results come first and in order, then, if fewer than eight states are
// unacknowledged, the newest watched values and the newest state. It waits until there
// is a frame. After a bye, and after Leave, it returns ErrClosed; when ctx ends,
// ctx.Err(). The frame is read-only, because other users get the same bytes.
func (u *User) Next(ctx context.Context) ([]byte, error) {
	frame, isState, err := u.out.waitFrame(ctx, u.hub.start)
	switch {
	case err != nil:
		return nil, err
	case isState:
		u.hub.statesSent.Add(1)
	default:
		u.hub.events.Add(1)
	}
	return frame, nil
}

// Direct sets the function that sends states to the page without its write pump.
// The function must not wait, returns false if it sent nothing of the frame, and is
// called by one goroutine at a time; nil = none. Call Direct before anything else.
func (u *User) Direct(send func(frame []byte) bool) {
	u.out.mu.Lock()
	defer u.out.mu.Unlock()
	u.out.direct = send
}

// Leave says that the connection was lost. It may be called by any goroutine, any
// number of times.
func (u *User) Leave() {
	u.out.close(nil)
	u.endUser(false)
	u.hub.removeUser(u)
}

// Done is closed when the hub has finished with the user: it has said bye, or the
// user has left. A connection that Next has not ended a moment later is stuck, and
// its owner may close it.
func (u *User) Done() <-chan struct{} { return u.ended }

// endUser removes the user from the hub; what waits in the outbox may still be
// sent.
func (u *User) endUser(bye bool) {
	u.endOnce.Do(func() { close(u.ended) })
	if u.inbox.noteLeave(bye) {
		u.hub.post(u)
	}
}

// sendFrame puts a frame into the outbox.
func (u *User) sendFrame(frame []byte) { u.sendOut(outgoing{frame: frame}) }

func (u *User) sendOut(out outgoing) {
	if !u.out.enqueueEvent(out) {
		u.endUser(true)
	}
}

// sendByeAtOnce ends the connection of a page that takes nothing; its waiting
// frames are dropped.
func (u *User) sendByeAtOnce(reason string) {
	u.out.closeAtOnce(protocol.Encode(protocol.Bye{Reason: reason, Again: true}))
	u.endUser(true)
}

// isGreeted reports whether hello was answered with a welcome.
func (u *User) isGreeted() bool { return u.person != nil || u.onStandby }

// sendBye ends the connection with a reason; again says whether the page should come
// back.
func (u *User) sendBye(reason string, again bool) {
	u.out.close(protocol.Encode(protocol.Bye{Reason: reason, Again: again}))
	u.endUser(true)
}

func (u *User) setName(name string) { u.name.Store(&name) }

// lastHeard returns when the last frame came.
func (u *User) lastHeard() time.Time { return u.hub.start.Add(time.Duration(u.heard.Load())) }

// stopRobot stops the robot at once.
func (u *User) stopRobot(s protocol.Stop, at time.Time) {
	u.hub.raiseStop(stopSignal{by: *u.name.Load(), at: at, user: u, from: u.identity, id: s.ID})
}

// An Offer is what a page offers for its channel of datagrams: a session
// description of WebRTC.
type Offer struct {
	Description string
	id          uint64
}
