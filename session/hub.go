package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mybot/ratelimit"
	"mybot/robot"
	"mybot/session/protocol"
)

// Stats counts what a hub has done since it began, and describes its state.
type Stats struct {
	Users         int    // connections now
	StatesSent    uint64 // states sent to pages, by their write pumps or directly
	StatesSkipped uint64 // states that a page missed because it was slow
	Events        uint64 // events, results and answers taken by write pumps
	Refusals      uint64 // frames and commands that were refused
	Epoch         uint64 // of the lease
	DriveEpoch    uint64 // of the gate
}

// shutdownReason is what connected and joining users read at shutdown.
const shutdownReason = "The robot is shutting down."

// The largest number of connections of a hub.
const (
	maxUsers      = 2000
	reservedUsers = 100 // of them, for users who may drive
)

// A Hub connects the users of one robot: it moves frames, events and time between
// them and the coordinator, which decides.
//
// Fields before mu and the counters are safe for any goroutine, mu guards the group
// that it heads, and the last group belongs to the goroutine of Run.
type Hub struct {
	cfg   Config
	start time.Time // zero of the robot's clock on the wire

	alarm           alarm
	latest          atomic.Pointer[robot.State]           // published, not yet observed
	lastState       atomic.Pointer[stateFrame]            // the newest encoded one
	wake            chan struct{}                         // holds one token while something waits
	nameRequests    chan nameRequest                      // in: names to store; out: an event
	motionRequests  chan motionRequest                    // in: work for the disk; out: an event
	prepareRequests chan prepareRequest                   // in: jobs to prepare; out: an event
	driver          atomic.Pointer[string]                // the browser of the holder; "" = none
	voice           atomic.Pointer[voice]                 // who may speak through the robot
	spokeAt         atomic.Int64                          // ns since start: when a borrower of the voice last spoke
	loanTaken       atomic.Uint64                         // number of the loan of the voice that the holder last took back by speaking
	stopperGrants   atomic.Pointer[[]string]              // grants that may be removed because they stop the robot repeatedly
	mapping         atomic.Pointer[protocol.MappingEvent] // newest mapping event, without By
	mapper          atomic.Pointer[string]                // By of mapping events
	floors          atomic.Uint64                         // changes of the floor plan in use since the hub began
	robot           atomic.Pointer[protocol.Robot]
	screen          atomic.Pointer[Screen] // for the robot's own screen
	postings        chan posting           // in: states to send without write pumps
	ended           chan struct{}          // closed when orders are no longer answered

	mu            sync.Mutex
	closed        bool
	users         map[*User]struct{} // connections whose handler has not called Leave
	observers     ratelimit.Shares   // of them, observers by link
	revokedGrants map[string]bool
	queue         []event               // what step has to handle, in order of arrival
	waitingOrders int                   // orders in the queue; at most maxOrders
	ordersBy      ratelimit.Shares      // of them, by grant
	scriptUnits   map[string]scriptUnit // of open connections, by name
	jobsChanged   bool                  // the queue holds a jobsChanged event

	// Counters, read by Stats.
	statesSent, statesSkipped, events, refusals atomic.Uint64
	epoch, driveEpoch                           atomic.Uint64

	// These belong to the hub's goroutine.
	coordinator  coordinator
	pendingState *robot.State       // not yet encoded
	lastMode     robot.Mode         // of the last encoded state
	stateNumber  uint64             // of the last encoded state
	stateDue     time.Time          // when the next one is encoded
	pendingUsers map[*User]struct{} // users who have not said hello
}

// Publish shows the newest state to all users: once in a Config.Period, and at once
// when the mode or the stop has changed. It never waits. The caller must not write
// to s.Ranges afterwards. One goroutine publishes the states of a robot: the one
// that answers Robot.Do, or one that receives them from it in order.
func (h *Hub) Publish(s robot.State) {
	h.latest.Store(&s)
	h.wakeUp()
}

// Stop is STOP from outside the pages: from a form or the command line. by is what
// users read, from is who it was. The robot has executed the stop when Stop
// returns. It never waits for the hub.
func (h *Hub) Stop(by string, from Identity) {
	h.raiseStop(stopSignal{by: by, at: time.Now(), from: from})
}

func (h *Hub) raiseStop(r stopSignal) {
	h.alarm.raiseStop(h.cfg.Robot, r)
	h.wakeUp()
}

// Join adds a connection, which ends with ctx or with User.Leave; one of them must
// happen. The error wraps ErrClosed if the hub has ended.
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
	u.inbox.ready = true // the hub gets it below
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
	places := maxUsers
	if id.Role < Operator {
		places -= reservedUsers
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, fmt.Errorf("session: the robot is shutting down: %w", ErrClosed)
	case h.revokedGrants[id.Grant]:
		return nil, errors.New("session: this access has been revoked; pair this device with the robot again")
	case len(h.users) >= places:
		return nil, fmt.Errorf("session: %d pages are connected; close one of them, then try again", len(h.users))
	case id.Role < Operator && !h.observers.Take(id.Sharer(), places-len(h.users)):
		who := "this device"
		if id.SharesLink() {
			who = "your link"
		}
		return nil, fmt.Errorf("session: %s has %d pages open; close one of them, then try again", who, h.observers.Count(id.Sharer()))
	}
	h.users[u] = struct{}{}
	h.queue = append(h.queue, u)
	h.wakeUp()
	return u, nil
}

// Revoke disconnects all users who joined by the grant, and refuses the grant from
// now on. Commands of theirs that were not handled yet are dropped; if one of them
// drives, the robot is halted before they are informed.
func (h *Hub) Revoke(grant string) {
	if grant == "" {
		return // users at the robot's own computer need no grant
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

// State returns the newest state as pages receive it, or nil if there is none yet.
// It is read-only.
func (h *Hub) State() []byte {
	if f := h.lastState.Load(); f != nil {
		return f.bytes
	}
	return nil
}

// Robot returns the robot as a welcome describes it. It is read-only.
func (h *Hub) Robot() protocol.Robot { return *h.robot.Load() }

// describeRobot returns the description of the robot on a floor.
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

// removeUser drops a connection whose handler has finished.
func (h *Hub) removeUser(u *User) {
	h.mu.Lock()
	if _, counted := h.users[u]; counted && u.identity.Role < Operator {
		h.observers.Return(u.identity.Sharer())
	}
	delete(h.users, u)
	h.mu.Unlock()
	h.wakeUp()
}

// Start returns the zero of the robot's clock on the wire, for t2, t3 and the t of
// states.
func (h *Hub) Start() time.Time { return h.start }

// HasControl reports whether the person has control now.
func (h *Hub) HasControl(id Identity) bool {
	browser := h.driver.Load()
	return browser != nil && *browser != "" && *browser == id.Browser
}

// An event is something that the hub's goroutine handles; the set is closed. Events
// wait in one queue and are handled in the order of posting, except that a
// revocation comes before everything that waits. Stops are not in the queue,
// because they do not wait (alarm), and neither are the robot's states, of which
// only the newest counts (Hub.Publish).
//
// Posting never waits. The posters bound the queue: a user is in it once until its
// bounded inbox has been taken (and once more when it is revoked); at most
// maxOrders orders are in it, and further ones are refused; workers post one result
// per request, and their channels hold only so many requests; jobsChanged is in it
// once. Saved maps, motions from outside the pages and revoked grants come at most
// once per HTTP request of an operator.
type event interface {
	handle(h *Hub, now time.Time)
}

// post gives the event to the hub's goroutine. It never waits.
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
	h.queue, h.waitingOrders, h.ordersBy, h.jobsChanged = nil, 0, ratelimit.Shares{}, false
	return events
}

// MayRemove reports whether the user may remove the bearer of the grant: the holder
// may, if the bearer has stopped the robot three times within a minute.
func (h *Hub) MayRemove(by Identity, grant string) bool {
	driver, grants := h.driver.Load(), h.stopperGrants.Load()
	return driver != nil && *driver != "" && *driver == by.Browser && grants != nil && slices.Contains(*grants, grant)
}

// A Screen is what the robot's own screen shows about users. It is immutable.
type Screen struct {
	Driver string // who has control; "" = no one
	Away   bool   // and is disconnected at the moment
	Here   int    // number of connected users
	Lent   Lent
}

// Lent names the borrowers of the parts; "" = not lent.
type Lent struct{ Head, Voice, Arm string }
