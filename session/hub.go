package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// Stats is what a hub has done since it began, and how it stands.
type Stats struct {
	Users         int    // connections now
	StatesSent    uint64 // states taken by write pumps
	StatesSkipped uint64 // states that a page missed because it was slow
	Events        uint64 // events, results and answers taken by write pumps
	Refusals      uint64 // frames and commands that were refused
	Epoch         uint64 // of the lease
	DriveEpoch    uint64 // of the gate
}

// shutdownReason is what connected and joining users are told at the end.
const shutdownReason = "The robot is shutting down."

// maxUsers is how many connections a hub takes.
const maxUsers = 2000

// A Hub connects the users of one robot: it moves frames, events and time between
// them and the coordinator, which decides.
//
// Fields before mu are safe for any goroutine, those below mu are guarded by it, and
// the last group belongs to the goroutine of Run.
type Hub struct {
	cfg   Config
	start time.Time // zero of the robot's clock on the wire

	alarm           alarm
	latest          atomic.Pointer[robot.State] // published and not looked at yet
	lastState       atomic.Pointer[stateFrame]  // the newest that was encoded
	wake            chan struct{}               // holds one token while something waits
	nameRequests    chan nameRequest            // in: names to store; out: an event
	motionRequests  chan motionRequest          // in: work for the disk; out: an event
	prepareRequests chan prepareRequest         // in: jobs to prepare; out: an event
	driver          atomic.Pointer[string]      // the browser of the holder, "" = none
	voice           atomic.Pointer[voice]       // who may speak through the robot
	spokeAt         atomic.Int64                // ns since start, when a borrower of the voice did last
	loanTaken       atomic.Uint64               // number of the loan of the voice that its holder took back last by speaking
	stopperGrants   atomic.Pointer[[]string]    // grants that may be removed because they stop the robot again and again
	mapping         atomic.Pointer[[]byte]      // newest event about it
	floors          atomic.Uint64               // floor plans that came into use since the hub began
	robot           atomic.Pointer[protocol.Robot]
	screen          atomic.Pointer[Screen] // for the robot's own screen
	postings        chan posting           // in: states to send without write pumps
	ended           chan struct{}          // closed when no order is answered any more

	mu            sync.Mutex
	closed        bool
	users         map[*User]struct{} // connections whose handler has not called Leave
	revokedGrants map[string]bool
	queue         []event // what step has to handle, in the order of arrival
	waitingOrders int     // those of the queue that are orders; at most maxOrders
	jobsChanged   bool    // the queue holds a jobsChanged

	// Counters, read by Stats.
	statesSent, statesSkipped, events, refusals atomic.Uint64
	epoch, driveEpoch                           atomic.Uint64

	// The hub goroutine's own.
	coordinator  coordinator
	pendingState *robot.State       // not encoded yet
	lastMode     robot.Mode         // of the state that was encoded last
	stateNumber  uint64             // of that state
	stateDue     time.Time          // when the next one is encoded
	pendingUsers map[*User]struct{} // have not said hello
}

// Publish shows the newest state to all users: once in a Config.Period, and at once
// when the mode or the stop has changed. It never waits. s.Ranges is not
// written to afterwards. The states of one robot are published by one
// goroutine, the one that answers Robot.Do or one it hands them to in order.
func (h *Hub) Publish(s robot.State) {
	h.latest.Store(&s)
	h.wakeUp()
}

// Stop is STOP from outside the pages: a form or the command line. by is what
// users read, from is who it was. The robot has had it when Stop returns. It
// never waits.
func (h *Hub) Stop(by string, from Identity) {
	h.raiseStop(stopSignal{by: by, at: time.Now(), from: from})
}

func (h *Hub) raiseStop(r stopSignal) {
	h.alarm.raiseStop(h.cfg.Robot, r)
	h.wakeUp()
}

// Join lets a connection in. The end of ctx is the same as User.Leave; one of
// them has to come. The error wraps ErrClosed when the hub has ended.
func (h *Hub) Join(ctx context.Context, id Identity) (*User, error) {
	u, err := h.joinAt(id, time.Now())
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, u.Leave)
	return u, nil
}

func (h *Hub) joinAt(id Identity, now time.Time) (*User, error) {
	switch {
	case id.Browser == "":
		return nil, errors.New("session: the connection has no identity; it should come with the cookie of the page")
	case id.Role < Observer || id.Role > Admin:
		return nil, fmt.Errorf("session: a %s may not come in; pair this device with the robot first", id.Role)
	}
	u := &User{hub: h, identity: id, joined: now, out: newOutbox(), ended: make(chan struct{}), offers: make(chan Offer, 1)}
	u.inbox.ready = true // the hub is told of it below
	u.heard.Store(int64(now.Sub(h.start)))
	u.setName("someone")
	if protocol.IsName(id.Name) {
		u.setName(id.Name)
	}
	if h.cfg.Names != nil {
		if u.stored = h.cfg.Names.NameOf(id.Browser); u.stored != "" {
			u.setName(u.stored)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, fmt.Errorf("session: the robot is shutting down: %w", ErrClosed)
	case h.revokedGrants[id.Grant]:
		return nil, errors.New("session: this access has been revoked; pair this device with the robot again")
	case len(h.users) >= maxUsers:
		return nil, fmt.Errorf("session: %d pages are connected; close one of them, then try again", maxUsers)
	}
	h.users[u] = struct{}{}
	h.queue = append(h.queue, u)
	h.wakeUp()
	return u, nil
}

// Revoke disconnects all users who joined by the grant, and refuses it from now on.
// What they sent and was not handled yet is dropped; a robot that one of them drives
// is halted before they are told.
func (h *Hub) Revoke(grant string) {
	if grant == "" {
		return // no grant was needed at the robot's own computer
	}
	var first []event
	h.mu.Lock()
	h.revokedGrants[grant] = true
	for u := range h.users {
		if u.identity.Grant == grant {
			u.revoked.Store(true)
			first = append(first, u)
		}
	}
	h.queue = append(append(first, grantRevoked(grant)), h.queue...)
	h.mu.Unlock()
	h.wakeUp()
}

// State returns the newest state as pages get it, or nil when there is none
// yet. It is read-only.
func (h *Hub) State() []byte {
	if f := h.lastState.Load(); f != nil {
		return f.bytes
	}
	return nil
}

// Robot returns the robot as a welcome describes it. Nobody writes to it.
func (h *Hub) Robot() protocol.Robot { return *h.robot.Load() }

// describeRobot returns the robot as it is on a floor.
func (c Config) describeRobot(place string, hasMap bool) protocol.Robot {
	var more []robot.Part
	if c.HasCamera {
		more = append(more, robot.PartCamera)
	}
	if hasMap {
		more = append(more, robot.PartMap)
	}
	return protocol.RobotOf(c.Description, place, c.Period, more...)
}

// Stats returns what the hub has done so far.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	users := len(h.users)
	h.mu.Unlock()
	return Stats{
		Users:         users,
		StatesSent:    h.statesSent.Load(),
		StatesSkipped: h.statesSkipped.Load(),
		Events:        h.events.Load(),
		Refusals:      h.refusals.Load(),
		Epoch:         h.epoch.Load(),
		DriveEpoch:    h.driveEpoch.Load(),
	}
}

// wakeUp wakes the hub's goroutine.
func (h *Hub) wakeUp() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// removeUser drops a connection whose handler is done with it.
func (h *Hub) removeUser(u *User) {
	h.mu.Lock()
	delete(h.users, u)
	h.mu.Unlock()
	h.wakeUp()
}

// Start returns the zero of the robot's clock on the wire: t2, t3 and the t of
// states count from then.
func (h *Hub) Start() time.Time { return h.start }

// HasControl reports whether the person has control now.
func (h *Hub) HasControl(id Identity) bool {
	browser := h.driver.Load()
	return browser != nil && *browser != "" && *browser == id.Browser
}

// An event is something that the hub's goroutine handles: a closed set. Events wait
// in one queue and are handled in the order in which they were posted, but for a
// revocation, which comes before all that waits. Not in the queue are stops, which
// do not wait (alarm), and the robot's states, of which only the newest counts
// (Hub.Publish).
//
// Posting never waits. The queue is bounded by who posts: a user is in it once
// until its inbox, which is bounded too, has been taken (and once more when it is
// revoked); orders are at most maxOrders, and one more is refused; the workers post
// a result for each request they were given, of which their channels take only so
// many; jobs that changed are in it once. Saved maps, motions from outside the
// pages and revoked grants come one for each HTTP request of an operator.
type event interface {
	handle(h *Hub, now time.Time)
}

// post has the hub's goroutine handle the event. It never waits.
func (h *Hub) post(e event) {
	h.mu.Lock()
	h.queue = append(h.queue, e)
	h.mu.Unlock()
	h.wakeUp()
}

// takeEvents returns the events that were posted, in order.
func (h *Hub) takeEvents() []event {
	h.mu.Lock()
	defer h.mu.Unlock()
	events := h.queue
	h.queue, h.waitingOrders, h.jobsChanged = nil, 0, false
	return events
}

// MayRemove reports whether the user may remove the bearer of the grant: the holder
// may, when the bearer has stopped the robot three times within a minute.
func (h *Hub) MayRemove(by Identity, grant string) bool {
	driver, grants := h.driver.Load(), h.stopperGrants.Load()
	return driver != nil && *driver != "" && *driver == by.Browser && grants != nil && slices.Contains(*grants, grant)
}

// A Screen is what the robot's own screen shows of the users. It does not change.
type Screen struct {
	Driver string // who has control; "" = nobody
	Away   bool   // and is not connected now
	Here   int    // users who are connected
	Lent   Lent
}

// Lent names who has borrowed which part of the robot; "" = it is not lent.
type Lent struct{ Head, Voice, Arm string }
