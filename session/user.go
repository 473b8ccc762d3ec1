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

// called is the name of a caller who has no page.
func (id Identity) called() string {
	if properName(id.Name) {
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
	over     chan struct{}          // closed when the hub is done with the user
	overOnce sync.Once

	offers chan Offer // holds one

	// The channel's own.
	datagrams budget

	// The read pump's own.
	budget  budget
	floods  budget
	scolded time.Time // when it was told last that it sends too much

	// The hub's own.
	tab     string       // the page's word for its tab, from hello
	person  *person      // nil before hello, and once another connection took its place
	late    lateness     // of what comes
	aside   bool         // the browser's person is in another tab; this one watches
	offered budget       // of channels
	refused robot.Result // what the last drive samples were refused with
}

// Receive takes one text frame from the page; the connection's read pump
// calls it, one frame after the other. It never waits for the hub or for
// another user. A stop has reached the robot when it returns, even when the
// hub hangs, the page is new here or sends too much.
func (u *User) Receive(frame []byte) { u.receive(frame, time.Now()) }

func (u *User) receive(frame []byte, at time.Time) {
	u.heard.Store(int64(at.Sub(u.hub.start)))
	within := u.budget.take(at, framesPerSecond)
	if !u.floods.take(at, flood) {
		u.bye("This page sends far too much.", true)
	}
	if !within && !mayStop(frame) {
		u.scold(at)
		return
	}
	cmd, err := decode(frame)
	if s, ok := cmd.(stop); ok {
		u.stop(s, at)
		return
	}
	if !within {
		u.scold(at)
		return
	}
	if err != nil {
		u.hub.refusals.Add(1)
		m := resultMessage{Type: "result", Word: robot.Error, Reason: err.Error()}
		if bad := (*badFrame)(nil); errors.As(err, &bad) {
			m.ID, m.Seq = bad.ID, bad.Seq
		}
		u.tell(encode(m))
		return
	}
	switch c := cmd.(type) {
	case ack:
		u.out.acked(c.N)
		return
	case clock:
		u.put(outgoing{clock: &clockMessage{Type: "clock", T1: c.T1, T2: seconds(at.Sub(u.hub.start))}})
	}
	first, room := u.inbox.put(incoming{cmd, at})
	if !room {
		u.scold(at)
	}
	if first {
		u.hub.call(u)
	}
}

// scold tells the page, once a second, that it sends too much.
func (u *User) scold(at time.Time) {
	u.hub.refusals.Add(1)
	if at.Sub(u.scolded) < time.Second {
		return
	}
	u.scolded = at
	u.tell(encode(resultMessage{
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
	frame, isState, err := u.out.next(ctx, u.hub.start)
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
	u.end(false)
	u.hub.forget(u)
}

// Done is closed when the hub is done with the user: it has said bye, or the
// user has left. A connection that Next has not ended a moment later is stuck
// and can be cut.
func (u *User) Done() <-chan struct{} { return u.over }

// end takes the user out of the hub; what waits in the outbox may still go.
func (u *User) end(bye bool) {
	u.overOnce.Do(func() { close(u.over) })
	if u.inbox.leave(bye) {
		u.hub.call(u)
	}
}

// tell puts a frame into the outbox.
func (u *User) tell(frame []byte) { u.put(outgoing{frame: frame}) }

func (u *User) put(out outgoing) {
	if !u.out.put(out) {
		u.end(true)
	}
}

// cut ends the connection of a page that takes nothing; what waits for it is
// dropped.
func (u *User) cut(reason string) {
	u.out.drop(encode(byeMessage{"bye", reason, true}))
	u.end(true)
}

// greeted tells whether hello was answered with a welcome.
func (u *User) greeted() bool { return u.person != nil || u.aside }

// bye ends the connection with a reason; again tells the page whether to come
// back.
func (u *User) bye(reason string, again bool) {
	u.out.close(encode(byeMessage{"bye", reason, again}))
	u.end(true)
}

func (u *User) setName(name string) { u.name.Store(&name) }

// lastHeard returns when the last frame came.
func (u *User) lastHeard() time.Time { return u.hub.start.Add(time.Duration(u.heard.Load())) }
