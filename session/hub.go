package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mybot/link"
	"mybot/robot"
	"mybot/session/protocol"
)

// Names stores the names that users gave themselves, by browser.
type Names interface {
	NameOf(browser string) string // "" = none is known
	SetName(browser, name string) error
}

// Audit records what must be known afterwards: audit.Log. Kind is lease, role,
// stop or settings; who is a person's name and number, or "robot". Append does
// not wait.
type Audit interface {
	AppendEntry(at time.Time, kind, who, text string)
}

// Config is what a hub is made of.
type Config struct {
	Robot         Robot
	Description   robot.Description
	Place         string                  // where the robot is, for users: the floor plan's name
	Build         string                  // the server's build
	Simulator     bool                    // no real robot is there
	HasCamera     bool                    // the robot has a camera,
	HasMicrophone bool                    // and a microphone
	Relays        []protocol.Relay        // that pages need to reach it by WebRTC
	Period        time.Duration           // between two states; 0 = 100 ms
	Names         Names                   // nil = names are forgotten
	Audit         Audit                   // nil = nothing is recorded
	Motions       Motions                 // nil = drives are not recorded
	Plan          func() *robot.Floorplan // the map in use, for the names of drives; nil = there is none
	Jobs          Jobs                    // nil = none are run
	World         World                   // that users may change; nil = there is a real one
	Network       *link.Network           // that users may change; nil = there is a real one
	Log           *slog.Logger
}

// ErrClosed says that the hub has ended, or this user's connection has.
var ErrClosed = errors.New("session: closed")

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

// Periods and waits of the hub.
const (
	statePeriod = 100 * time.Millisecond // between two states, usually
	helloWait   = 5 * time.Second        // from the connection to hello
	robotWait   = 500 * time.Millisecond // for the robot's answer
	byeWait     = 500 * time.Millisecond // for the connections to end after bye
)

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
	stopperGrants   atomic.Pointer[[]string]    // grants that may be removed because they stop the robot again and again
	mapping         atomic.Pointer[[]byte]      // newest event about it
	screen          atomic.Pointer[Screen]      // for the robot's own screen
	postings        chan posting                // in: states to send without write pumps
	ended           chan struct{}               // closed when no order is answered any more

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

// NewHub returns a hub without users. Config.Robot and Config.Log must be set.
func NewHub(cfg Config) *Hub {
	if cfg.Period == 0 {
		cfg.Period = statePeriod
	}
	h := &Hub{
		cfg:             cfg,
		start:           time.Now(),
		wake:            make(chan struct{}, 1),
		nameRequests:    make(chan nameRequest, maxNameRequests),
		motionRequests:  make(chan motionRequest, maxMotionRequests),
		prepareRequests: make(chan prepareRequest, maxPrepareRequests),
		postings:        make(chan posting, postmen),
		ended:           make(chan struct{}),
		users:           map[*User]struct{}{},
		revokedGrants:   map[string]bool{},
		pendingUsers:    map[*User]struct{}{},
	}
	h.coordinator = newCoordinator(robotWithTimeout{cfg.Robot, cfg.Log}, &h.alarm, cfg, protocol.Welcome{
		Protocol: protocol.Protocol, Build: cfg.Build, Simulator: cfg.Simulator, HasCamera: cfg.HasCamera, HasMicrophone: cfg.HasMicrophone, Relays: cfg.Relays,
		Robot: protocol.RobotOf(cfg.Description, cfg.Place, cfg.Period),
	})
	h.coordinator.storeMotion, h.coordinator.requestPrepare = h.storeMotion, h.requestPrepare
	h.coordinator.start = h.start
	if cfg.Names != nil {
		h.coordinator.saveName = h.saveName
	}
	return h
}

// Run serves the users until ctx ends. Then it halts the robot, sends bye to all,
// waits a moment for the connections to end, and returns nil. It is called once; the
// robot has to run a little longer.
func (h *Hub) Run(ctx context.Context) error {
	var writer sync.WaitGroup
	writer.Go(h.runNameStore)
	writer.Go(h.runMotionStore)
	writer.Go(func() { h.runPrepare(ctx) })
	for range postmen {
		writer.Go(h.runPostman)
	}
	defer writer.Wait()
	defer close(h.nameRequests)
	defer close(h.motionRequests)
	defer close(h.prepareRequests)
	defer close(h.postings)

	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			h.shutDown()
			return nil
		case <-h.wake:
		case <-timer.C:
		}
		h.step(time.Now())
		if at, ok := h.nextDeadline(); ok {
			timer.Reset(time.Until(at))
		} else {
			timer.Stop()
		}
	}
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

// Robot returns the robot as a welcome describes it.
func (h *Hub) Robot() protocol.Robot {
	return protocol.RobotOf(h.cfg.Description, h.cfg.Place, h.cfg.Period)
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

// step handles everything that waits, once, then what is due. What arrived before
// now is handled before a deadline counts as missed.
func (h *Hub) step(now time.Time) {
	for _, stop := range h.alarm.takeSignals() {
		h.coordinator.handleStop(stop)
	}
	for _, e := range h.takeEvents() {
		e.handle(h, now)
	}
	h.dismissPendingUsers(now)
	h.observeState()
	h.coordinator.runDeadlines(now)
	if h.coordinator.peopleChanged || h.coordinator.peopleSentAt.Equal(now) {
		h.screen.Store(h.coordinator.screenNow())
	}
	if h.coordinator.mappingSent {
		h.coordinator.mappingSent = false
		frame := h.coordinator.mappingEvent
		h.mapping.Store(&frame)
	}
	h.showState(now)
	h.refusals.Add(h.coordinator.refusals)
	h.coordinator.refusals = 0
	h.driver.Store(h.coordinator.driverBrowser())
	grants := h.coordinator.stoppers.removableGrants(now)
	h.stopperGrants.Store(&grants)
	h.epoch.Store(h.coordinator.lease.Epoch)
	h.driveEpoch.Store(h.coordinator.gate.Epoch())
}

// nextDeadline returns when step has something to do by the time alone; false =
// never.
func (h *Hub) nextDeadline() (at time.Time, ok bool) {
	at, ok = h.coordinator.nextDeadline()
	if h.pendingState != nil && (!ok || h.stateDue.Before(at)) {
		at, ok = h.stateDue, true
	}
	for u := range h.pendingUsers {
		if end := u.joined.Add(helloWait); !ok || end.Before(at) {
			at, ok = end, true
		}
	}
	return at, ok
}

// serveUser handles what waits in one user's inbox. Of plain drive samples that
// arrived together only the newest is used. Path samples are all used.
func (h *Hub) serveUser(u *User, now time.Time) {
	queue, left := u.inbox.takeAll()
	if u.revoked.Load() {
		h.coordinator.revokeUser(u, now)
		queue, left = nil, true
	}
	for i, in := range queue {
		switch cmd := in.cmd.(type) {
		case protocol.Drive:
			made := u.lateness.madeAt(in.at, cmd.T)
			past := false
			if cmd.Path != nil {
				cmd.Path.Made = made
			} else if i+1 < len(queue) {
				_, past = queue[i+1].cmd.(protocol.Drive)
			}
			h.coordinator.handleDrive(u, cmd, in.at, now, past)
		case protocol.Clock:
			u.lateness.madeAt(in.at, cmd.T1)
			h.coordinator.handleRequest(u, cmd, now)
		default:
			h.coordinator.handleRequest(u, cmd, now)
		}
	}
	if left {
		h.coordinator.handleLeave(u, now)
		delete(h.pendingUsers, u)
	} else if !u.isGreeted() {
		h.pendingUsers[u] = struct{}{}
	} else {
		delete(h.pendingUsers, u)
	}
}

// dismissPendingUsers ends the connections that have not said hello in time.
func (h *Hub) dismissPendingUsers(now time.Time) {
	for u := range h.pendingUsers {
		if !now.Before(u.joined.Add(helloWait)) {
			delete(h.pendingUsers, u)
			u.sendBye(fmt.Sprintf("No hello came within %.0f s.", helloWait.Seconds()), true)
		}
	}
}

// observeState takes the newest state. One from before a stop was released may
// still be here; it is passed over.
func (h *Hub) observeState() {
	s := h.latest.Swap(nil)
	old := h.coordinator.ordersPending
	h.coordinator.ordersPending = false
	if h.coordinator.stopCleared {
		h.coordinator.stopCleared = false
		s, h.pendingState = nil, nil
	}
	if s != nil {
		h.pendingState = s
		h.coordinator.observeState(*s, old)
	}
}

// showState encodes the newest state, once for all users, when it is time.
func (h *Hub) showState(now time.Time) {
	s := h.pendingState
	if s == nil {
		return
	}
	due := !now.Before(h.stateDue)
	if !due && !h.coordinator.stateUrgent && s.Mode == h.lastMode {
		return
	}
	if due {
		h.stateDue = h.stateDue.Add(h.cfg.Period)
		if !now.Before(h.stateDue) { // the first one, or states had stopped coming
			h.stateDue = now.Add(h.cfg.Period)
		}
	}
	h.pendingState, h.lastMode = nil, s.Mode
	h.stateNumber++
	frame := &stateFrame{
		n:     h.stateNumber,
		bytes: protocol.Encode(protocol.StateOf(*s, h.stateNumber, h.coordinator.gate.Executed(), h.coordinator.runChanges, h.start, h.coordinator.stopped.wireState())),
	}
	h.lastState.Store(frame)
	h.statesSkipped.Add(h.coordinator.showState(frame, now))
	direct := h.coordinator.direct
	h.coordinator.direct = nil
	for each := max(minPosted, (len(direct)+postmen-1)/postmen); len(direct) > 0; {
		n := min(each, len(direct))
		select {
		case h.postings <- posting{frame, direct[:n]}:
		default: // the hub never waits, not even for a busy computer
			for _, u := range direct[:n] {
				u.out.finishDirect(frame, false)
			}
		}
		direct = direct[n:]
	}
}

// shutDown halts the robot, then says bye to all users and waits for the
// connections to end.
func (h *Hub) shutDown() {
	h.step(time.Now())
	h.coordinator.haltDriving(shutdownReason, true)
	h.coordinator.storeDrive(h.coordinator.recorder.finishMotion())
	h.mu.Lock()
	h.closed = true
	for u := range h.users {
		u.out.close(protocol.Encode(protocol.Bye{Reason: shutdownReason, Again: true}))
		u.endOnce.Do(func() { close(u.ended) })
	}
	for _, e := range h.queue {
		if o, ok := e.(order); ok {
			o.answer <- outcome{Result: refusal(robot.Busy, shutdownReason)}
		}
	}
	close(h.ended) // for callers who wait for a job that is being prepared
	h.mu.Unlock()
	timeout := time.NewTimer(byeWait)
	defer timeout.Stop()
	for h.Stats().Users > 0 {
		select {
		case <-h.wake:
		case <-timeout.C:
			h.cfg.Log.Warn("some connections did not end in time", "users", h.Stats().Users)
			return
		}
	}
}

// Start returns the zero of the robot's clock on the wire: t2, t3 and the t of
// states count from then.
func (h *Hub) Start() time.Time { return h.start }

// HasControl reports whether the person has control now.
func (h *Hub) HasControl(id Identity) bool {
	browser := h.driver.Load()
	return browser != nil && *browser != "" && *browser == id.Browser
}
