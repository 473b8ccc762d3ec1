package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"mybot/robot"
)

// Identity is who stands at the other end of a connection, as far as the
// connection itself tells.
type Identity struct {
	Browser string // what the browser or command line is known again by, a random word
	Remote  string // network address, for the log
	Role    Role   // a Stranger is not let in
	Camera  bool   // may see and hear through the robot
	Name    string // that came with the grant; "" = none
	Grant   string // id of the grant that let it in, for Revoke; "" = none was needed
}

// displayName is the name of a caller who has no page.
func (id Identity) displayName() string {
	if IsName(id.Name) {
		return id.Name
	}
	if a, err := netip.ParseAddr(id.Remote); err == nil && a.IsLoopback() {
		return "a program on the robot's computer"
	}
	return "a program at " + id.Remote
}

// longStop is more bytes than a stop needs.
const longStop = 256

// mayStop tells whether a frame may be a stop. Of a page that sends too much
// nothing else is looked at.
func mayStop(frame []byte) bool {
	return len(frame) <= longStop && bytes.Contains(frame, []byte("stop"))
}

// A User is one connection to the hub.
type User struct {
	hub      *Hub
	identity Identity
	stored   string // the name kept for the browser; "" = none
	joined   time.Time
	inbox    inbox
	out      *outbox
	name     atomic.Pointer[string] // for a stop that waits for nobody
	heard    atomic.Int64           // ns since the hub's start, last frame
	revoked  atomic.Bool            // its grant has ended
	ended    chan struct{}          // closed when the hub is done with the user
	endOnce  sync.Once

	offers chan Offer // holds one

	// The channel's own.
	datagramBudget budget

	// The read pump's own.
	frameBudget budget
	floodBudget budget
	warnedAt    time.Time // when it was told last that it sends too much

	// The hub's own.
	tab         string       // the page's word for its tab, from hello
	person      *person      // nil before hello, and once another connection took its place
	lateness    lateness     // of what comes
	onStandby   bool         // the browser's person is in another tab; this one watches
	offerBudget budget       // of channels
	lastRefusal robot.Result // what the last drive samples were refused with
}

// Receive takes one text frame from the page; the connection's read pump
// calls it, one frame after the other. It never waits for the hub or for
// another user. A stop has reached the robot when it returns, even when the
// hub hangs, the page is new here or sends too much.
func (u *User) Receive(frame []byte) { u.receiveAt(frame, time.Now()) }

func (u *User) receiveAt(frame []byte, at time.Time) {
	u.heard.Store(int64(at.Sub(u.hub.start)))
	within := u.frameBudget.take(at, framesPerSecond)
	if !u.floodBudget.take(at, flood) {
		u.sendBye("This page sends far too much.", true)
	}
	if !within && !mayStop(frame) {
		u.warnOfFlood(at)
		return
	}
	cmd, err := Decode(frame)
	if s, ok := cmd.(stop); ok {
		u.stopRobot(s, at)
		return
	}
	if !within {
		u.warnOfFlood(at)
		return
	}
	if err != nil {
		u.hub.refusals.Add(1)
		m := Result{Type: "result", Word: robot.Error, Reason: err.Error()}
		if bad := (*FrameError)(nil); errors.As(err, &bad) {
			m.ID, m.Seq = bad.ID, bad.Seq
		}
		u.sendFrame(encodeValue(m))
		return
	}
	switch c := cmd.(type) {
	case ack:
		u.out.acknowledge(c.N)
		return
	case Clock:
		u.sendOut(outgoing{clock: &ClockAnswer{Type: "clock", T1: c.T1, T2: seconds(at.Sub(u.hub.start))}})
	}
	first, hasPlace := u.inbox.put(incoming{cmd, at})
	if !hasPlace {
		u.warnOfFlood(at)
	}
	if first {
		u.hub.call(u)
	}
}

// warnOfFlood tells the page, once a second, that it sends too much.
func (u *User) warnOfFlood(at time.Time) {
	u.hub.refusals.Add(1)
	if at.Sub(u.warnedAt) < time.Second {
		return
	}
	u.warnedAt = at
	u.sendFrame(encodeValue(Result{
		Type: "result", Word: robot.Busy,
		Reason: fmt.Sprintf("This page sends too much and some of it is dropped; it should send at most %d frames a second.", framesPerSecond),
	}))
}

// Next returns the next frame for the page; the connection's write pump calls
// it. Events and results come first and in order, then the newest state if
// fewer than eight are unacknowledged. It waits until there is one. After a
// bye, and after Leave, it returns ErrClosed; when ctx ends, ctx.Err(). Nobody
// may write to the frame: others get the same bytes.
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

// Direct gives the way by which states go to the page without its write pump. It
// must not wait, is false when nothing of the frame was sent, and is called by
// one goroutine at a time; nil = there is none. It is called before anything else.
func (u *User) Direct(send func(frame []byte) bool) {
	u.out.mu.Lock()
	defer u.out.mu.Unlock()
	u.out.direct = send
}

// Leave tells the hub that the connection was lost. It may be called by anyone,
// any number of times.
func (u *User) Leave() {
	u.out.close(nil)
	u.endUser(false)
	u.hub.removeUser(u)
}

// Done is closed when the hub is done with the user: it has said bye, or the
// user has left. A connection that Next has not ended a moment later is stuck
// and can be cut.
func (u *User) Done() <-chan struct{} { return u.ended }

// endUser takes the user out of the hub; what waits in the outbox may still go.
func (u *User) endUser(bye bool) {
	u.endOnce.Do(func() { close(u.ended) })
	if u.inbox.leave(bye) {
		u.hub.call(u)
	}
}

// sendFrame puts a frame into the outbox.
func (u *User) sendFrame(frame []byte) { u.sendOut(outgoing{frame: frame}) }

func (u *User) sendOut(out outgoing) {
	if !u.out.enqueue(out) {
		u.endUser(true)
	}
}

// sendByeAtOnce ends the connection of a page that takes nothing; what waits for it is
// dropped.
func (u *User) sendByeAtOnce(reason string) {
	u.out.closeAtOnce(encodeValue(Bye{"bye", reason, true}))
	u.endUser(true)
}

// isGreeted tells whether hello was answered with a welcome.
func (u *User) isGreeted() bool { return u.person != nil || u.onStandby }

// sendBye ends the connection with a reason; again tells the page whether to come
// back.
func (u *User) sendBye(reason string, again bool) {
	u.out.close(encodeValue(Bye{"bye", reason, again}))
	u.endUser(true)
}

func (u *User) setName(name string) { u.name.Store(&name) }

// lastHeard returns when the last frame came.
func (u *User) lastHeard() time.Time { return u.hub.start.Add(time.Duration(u.heard.Load())) }
