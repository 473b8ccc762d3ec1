package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mybot/jobs"
	"mybot/link"
	"mybot/robot"
)

// A Robot is what the people drive: onboard.Loop.
type Robot interface {
	// Do has one command executed and tells what became of it. It returns
	// when ctx ends, at the latest.
	Do(ctx context.Context, cmd robot.Command) robot.Result
	// Stop latches the robot's stop. It never blocks and may be called from
	// any goroutine.
	Stop(by string)
}

// Names keeps the names that people gave themselves, by browser.
type Names interface {
	Name(browser string) string // "" = none is known
	SetName(browser, name string) error
}

// Audit records what must be known afterwards: audit.Log. Kind is lease, role,
// stop or settings; who is a person's name and number, or "robot". Append does
// not wait.
type Audit interface {
	Append(at time.Time, kind, who, text string)
}

// Config is what a hub is made of.
type Config struct {
	Robot         Robot
	Description   robot.Description
	Place         string        // where the robot is, for people: the floor plan's name
	Build         string        // the server's build
	Simulator     bool          // no real robot is there
	HasCamera     bool          // the robot has a camera,
	HasMicrophone bool          // and a microphone
	Relays        []Relay       // that pages need to reach it by WebRTC
	Period        time.Duration // between two states; 0 = 100 ms
	Names         Names         // nil = names are forgotten
	Audit         Audit         // nil = nothing is recorded
	Motions       Motions       // nil = drives are not kept
	Jobs          Jobs          // nil = none are run
	World         World         // that people may change; nil = there is a real one
	Network       *link.Network // that people may change; nil = there is a real one
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
	DriveEpoch    uint64 // the hold number
}

// Periods and waits of the hub.
const (
	statePeriod = 100 * time.Millisecond // between two states, usually
	helloWait   = 5 * time.Second        // from the connection to hello
	robotWait   = 500 * time.Millisecond // for the robot's answer
	byeWait     = 500 * time.Millisecond // for the connections to end after bye
)

// closing is what whoever is here, or comes, is told at the end.
const closing = "The robot is shutting down."

// mostUsers is how many connections a hub takes.
const mostUsers = 2000

// mostOrders is how many orders from outside the pages may wait.
const mostOrders = 64

// mostNamings is how many names may wait to be written down.
const mostNamings = 64

// A Hub is where the people around one robot meet.
type Hub struct {
	cfg   Config
	start time.Time // zero of the robot's clock on the wire

	alarm           alarm
	latest          atomic.Pointer[robot.State] // published and not looked at yet
	lastState       atomic.Pointer[stateFrame]  // the newest that was encoded
	wake            chan struct{}               // holds one token while something waits
	nameRequests    chan nameRequest            // to where names are written down
	motionRequests  chan motionRequest          // to where motions are kept
	prepareRequests chan prepareRequest         // to where jobs are made ready
	driver          atomic.Pointer[string]      // the browser of who has control, "" = nobody
	stopperGrants   atomic.Pointer[[]string]    // grants of those who stop the robot again and again
	screen          atomic.Pointer[Screen]      // the people, as the robot's own screen tells them
	postings        chan posting                // to who sends states without write pumps
	ended           chan struct{}               // closed when no order is answered any more

	mu          sync.Mutex
	closed      bool
	users       map[*User]struct{} // connections whose handler has not called Leave
	calls       []*User            // whose inbox holds something
	named       []nameRequest      // written down, or not
	shelved     []motionRequest    // done, or not
	made        []prepareRequest   // ready, or not
	orders      []order            // from outside the pages
	gone        map[string]bool    // grants that were revoked
	queue       []string           // those of them that the hub has not heard of
	charts      []savedMap         // maps that were saved
	jobsChanged bool               // the jobs that are kept have changed

	// Counters, read by Stats.
	statesSent, statesSkipped, events, refusals atomic.Uint64
	epoch, driveEpoch                           atomic.Uint64

	// The hub goroutine's own.
	coordinator  crew
	pendingState *robot.State       // not encoded yet
	lastMode     robot.Mode         // of the state that was encoded last
	n            uint64             // of that state
	stateDue     time.Time          // when the next one is encoded
	pendingUsers map[*User]struct{} // have not said hello
}

// NewHub returns a hub without people. Config.Robot and Config.Log must be
// there.
func NewHub(cfg Config) *Hub {
	if cfg.Period == 0 {
		cfg.Period = statePeriod
	}
	h := &Hub{
		cfg:             cfg,
		start:           time.Now(),
		wake:            make(chan struct{}, 1),
		nameRequests:    make(chan nameRequest, mostNamings),
		motionRequests:  make(chan motionRequest, mostShelvings),
		prepareRequests: make(chan prepareRequest, mostMakings),
		postings:        make(chan posting, postmen),
		ended:           make(chan struct{}),
		users:           map[*User]struct{}{},
		gone:            map[string]bool{},
		pendingUsers:    map[*User]struct{}{},
	}
	var keep func(nameRequest) bool
	if cfg.Names != nil {
		keep = h.keep
	}
	h.coordinator = newCoordinator(robotWithTimeout{cfg.Robot, cfg.Log}, &h.alarm, cfg, keep, Welcome{
		Type: "welcome", Protocol: Protocol, Build: cfg.Build, Simulator: cfg.Simulator, HasCamera: cfg.HasCamera, HasMicrophone: cfg.HasMicrophone, Relays: cfg.Relays,
		Robot: RobotOf(cfg.Description, cfg.Place, cfg.Period),
	})
	h.coordinator.shelve, h.coordinator.ready = h.storeMotion, h.requestPrepare
	h.coordinator.start = h.start
	return h
}

// Run serves the people until ctx ends. Then it halts the robot, says bye to
// everybody, waits a moment for the connections to end, and returns nil. It is
// called once; the robot has to run a little longer than it.
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

// Publish shows the newest state to everybody: once in a Config.Period, and at once
// when the mode or the stop has changed. It never waits. s.Ranges is not
// written to afterwards. The states of one robot are published by one
// goroutine, the one that answers Robot.Do or one it hands them to in order.
func (h *Hub) Publish(s robot.State) {
	h.latest.Store(&s)
	h.wakeUp()
}

// Stop is STOP from outside the pages: a form or the command line. by is what
// people read, from is who it was. The robot has had it when Stop returns. It
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
	if IsName(id.Name) {
		u.setName(id.Name)
	}
	if h.cfg.Names != nil {
		if u.stored = h.cfg.Names.Name(id.Browser); u.stored != "" {
			u.setName(u.stored)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, fmt.Errorf("session: the robot is shutting down: %w", ErrClosed)
	case h.gone[id.Grant]:
		return nil, errors.New("session: this access has been revoked; pair this device with the robot again")
	case len(h.users) >= mostUsers:
		return nil, fmt.Errorf("session: %d pages are connected; close one of them, then try again", mostUsers)
	}
	h.users[u] = struct{}{}
	h.calls = append(h.calls, u)
	h.wakeUp()
	return u, nil
}

// Revoke sends everybody away who came in by the grant, and lets nobody in by
// it any more. What waits of what they sent is not carried out; a robot that
// one of them drives is halted before they hear of it.
func (h *Hub) Revoke(grant string) {
	if grant == "" {
		return // who needed none cannot lose it
	}
	h.mu.Lock()
	h.gone[grant] = true
	var users []*User
	for u := range h.users {
		if u.identity.Grant == grant {
			users = append(users, u)
		}
	}
	h.queue = append(h.queue, grant)
	h.mu.Unlock()
	for _, u := range users {
		u.revoked.Store(true)
		h.call(u)
	}
	h.wakeUp()
}

// An Order is a command from outside the pages: the command line, or another
// program. Lease, Hold and Seq are what a page would send with it; Stop needs
// none of them, and Halt neither; only Drive needs Hold and Seq. Without a
// Command nothing is done, and the answer tells whether something could be.
type Order struct {
	Lease, DriveEpoch, Seq uint64
	Command                robot.Command // Stop, Halt, ClearStop, Drive, Plan, GoTo, Pause, Resume, Cancel, GoAround, SetPose, Enqueue, Look, PauseRun, ResumeRun, SkipStep, RetryStep, EndRun, OK or Spoken
	AtRobot                bool          // OK and Spoken come from the robot's own screen, where nobody has to have control
}

// order is an Order on its way to the hub's goroutine.
type order struct {
	Order
	job       jobs.Job // of RunJob
	by        Identity
	cancelled func() error // not nil = nobody waits for the answer any more
	answer    chan outcome // holds one
}

// givenUp is why an order is not carried out that nobody waits for.
const givenUp = "The command was cancelled before it was answered."

// An outcome is what became of an order.
type outcome struct {
	robot.Result
	run uint64 // that RunJob began,
	no  error  // or why it did not
}

// Command has an order carried out by the rules for pages: anyone who may come
// in may stop the robot, which has had the stop when Command returns; the rest
// is for who is connected and has control. It waits until ctx ends, at the
// longest.
func (h *Hub) Command(ctx context.Context, by Identity, o Order) robot.Result {
	if _, stop := o.Command.(robot.Stop); stop && by.Role >= Observer && by.Role <= Admin {
		h.Stop(by.displayName(), by)
		return robot.Result{Word: robot.Success}
	}
	return h.executeOrder(ctx, by, order{Order: o}).Result
}

// executeOrder has the hub's goroutine carry out an order, and waits for the answer
// until ctx ends.
func (h *Hub) executeOrder(ctx context.Context, by Identity, o order) outcome {
	no := func(word robot.Word, reason string) outcome { return outcome{Result: refusal(word, reason)} }
	if by.Role < Observer || by.Role > Admin {
		return no(robot.Error, "This device is not paired with the robot. Pair it first.")
	}
	o.by, o.cancelled, o.answer = by, ctx.Err, make(chan outcome, 1)
	h.mu.Lock()
	switch {
	case h.closed:
		h.mu.Unlock()
		return no(robot.Busy, closing)
	case h.gone[by.Grant]:
		h.mu.Unlock()
		return no(robot.Error, "This access has been revoked. Pair this device with the robot again.")
	case len(h.orders) >= mostOrders:
		h.mu.Unlock()
		return no(robot.Busy, "Too many commands are waiting. Try again in a moment.")
	}
	h.orders = append(h.orders, o)
	h.mu.Unlock()
	h.wakeUp()
	select {
	case a := <-o.answer:
		return a
	case <-h.ended:
		return no(robot.Busy, closing)
	case <-ctx.Done():
		return no(robot.Interrupted, givenUp)
	}
}

// State returns the newest state as pages get it, or nil when there is none
// yet. Nobody may write to it.
func (h *Hub) State() []byte {
	if f := h.lastState.Load(); f != nil {
		return f.bytes
	}
	return nil
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

// call tells the hub's goroutine that the user's inbox holds something.
func (h *Hub) call(u *User) {
	h.mu.Lock()
	h.calls = append(h.calls, u)
	h.mu.Unlock()
	h.wakeUp()
}

// removeUser drops a connection whose handler is done with it.
func (h *Hub) removeUser(u *User) {
	h.mu.Lock()
	delete(h.users, u)
	h.mu.Unlock()
	h.wakeUp()
}

// step does everything that waits, once, then what the time has come for.
// Whatever came before now is handled before a deadline counts as missed.
func (h *Hub) step(now time.Time) {
	for _, stop := range h.alarm.takeSignals() {
		h.coordinator.handleStop(stop)
	}
	h.mu.Lock()
	calls, named, orders, ended, charts, shelved, made, rewritten := h.calls, h.named, h.orders, h.queue, h.charts, h.shelved, h.made, h.jobsChanged
	h.calls, h.named, h.orders, h.queue, h.charts, h.shelved, h.made, h.jobsChanged = nil, nil, nil, nil, nil, nil, nil, false
	h.mu.Unlock()
	for _, u := range calls {
		h.serve(u, now)
	}
	for _, grant := range ended {
		h.coordinator.revokeAbsent(grant, now)
	}
	for _, m := range charts {
		h.coordinator.handleSavedMap(m, now)
	}
	for _, n := range named {
		h.coordinator.finishRename(n, now)
	}
	for _, s := range shelved {
		h.coordinator.finishMotionRequest(s, now)
	}
	for _, m := range made {
		h.coordinator.prepared(m, now)
	}
	if rewritten && h.coordinator.jobs != nil {
		h.coordinator.broadcast(h.coordinator.encodeJobs())
	}
	for _, o := range orders {
		h.coordinator.handleOrder(o, now)
	}
	h.dismissPendingUsers(now)
	h.observeState()
	h.coordinator.runDeadlines(now)
	if h.coordinator.row || h.coordinator.rowAt.Equal(now) {
		h.screen.Store(h.coordinator.screenNow())
	}
	h.showState(now)
	h.refusals.Add(h.coordinator.refusals)
	h.coordinator.refusals = 0
	h.driver.Store(h.coordinator.driverBrowser())
	grants := h.coordinator.stoppers.removableGrants(now)
	h.stopperGrants.Store(&grants)
	h.epoch.Store(h.coordinator.lease.Epoch)
	h.driveEpoch.Store(h.coordinator.gate.hold)
}

// nextDeadline returns when work has something to do next by itself; false = never.
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

// serve handles what one user has waiting. Of samples in a row that arrived
// together the last one counts: the others are a hand's past. Those of a path
// count all.
func (h *Hub) serve(u *User, now time.Time) {
	queue, left := u.inbox.takeAll()
	if u.revoked.Load() {
		h.coordinator.revokeUser(u, now)
		queue, left = nil, true
	}
	for i, in := range queue {
		switch cmd := in.cmd.(type) {
		case drive:
			made := u.lateness.madeAt(in.at, cmd.T)
			past := false
			if cmd.Path != nil {
				cmd.Path.Made = made
			} else if i+1 < len(queue) {
				_, past = queue[i+1].cmd.(drive)
			}
			h.coordinator.handleDrive(u, cmd, in.at, now, past)
		case Clock:
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
	old := h.coordinator.ordered
	h.coordinator.ordered = false
	if h.coordinator.cleared {
		h.coordinator.cleared = false
		s, h.pendingState = nil, nil
	}
	if s != nil {
		h.pendingState = s
		h.coordinator.observeState(*s, old)
	}
}

// showState encodes the newest state, once for everybody, when it is time.
func (h *Hub) showState(now time.Time) {
	s := h.pendingState
	if s == nil {
		return
	}
	due := !now.Before(h.stateDue)
	if !due && !h.coordinator.urgent && s.Mode == h.lastMode {
		return
	}
	if due {
		h.stateDue = h.stateDue.Add(h.cfg.Period)
		if !now.Before(h.stateDue) { // the first one, or states had stopped coming
			h.stateDue = now.Add(h.cfg.Period)
		}
	}
	h.pendingState, h.lastMode = nil, s.Mode
	h.n++
	frame := &stateFrame{
		n:     h.n,
		bytes: StateOf(*s, h.n, h.coordinator.gate.executed, h.coordinator.changes, h.start, h.coordinator.stopped),
	}
	h.lastState.Store(frame)
	h.statesSkipped.Add(h.coordinator.showState(frame, now))
	direct := h.coordinator.direct
	h.coordinator.direct = nil
	for each := max(leastPosted, (len(direct)+postmen-1)/postmen); len(direct) > 0; {
		n := min(each, len(direct))
		select {
		case h.postings <- posting{frame, direct[:n]}:
		default: // the hub waits for nobody, also not for a busy computer
			for _, u := range direct[:n] {
				u.out.finishDirect(frame, false)
			}
		}
		direct = direct[n:]
	}
}

// postmen is how many goroutines send states without write pumps, and
// leastPosted for how many people one of them is worth waking.
const (
	postmen     = 4
	leastPosted = 16
)

// A posting is a state for some people.
type posting struct {
	frame *stateFrame
	users []*User
}

// runPostman sends states, each by one system call that does not wait, until posts is
// closed. Waking a write pump for each page costs more than the call.
func (h *Hub) runPostman() {
	for p := range h.postings {
		sent := uint64(0)
		for _, u := range p.users {
			if u.out.sendDirect(p.frame) {
				sent++
			}
		}
		h.statesSent.Add(sent)
	}
}

// keep has a name written down; false = too many wait already.
func (h *Hub) keep(n nameRequest) bool {
	select {
	case h.nameRequests <- n:
		return true
	default:
		return false
	}
}

// runNameStore writes names down, away from the hub's goroutine because a disk
// may be slow, until namings is closed.
func (h *Hub) runNameStore() {
	for n := range h.nameRequests {
		if n.err = h.cfg.Names.SetName(n.user.identity.Browser, n.name); n.err != nil {
			h.cfg.Log.Error("a name could not be kept", "err", n.err)
		}
		h.mu.Lock()
		h.named = append(h.named, n)
		h.mu.Unlock()
		h.wakeUp()
	}
}

// shutDown halts the robot, then says bye to everybody and waits for the
// connections to end.
func (h *Hub) shutDown() {
	h.step(time.Now())
	h.coordinator.haltDriving(closing, true)
	h.coordinator.shelveDrive(h.coordinator.drives.finishMotion())
	h.mu.Lock()
	h.closed = true
	for u := range h.users {
		u.out.close(encodeValue(Bye{"bye", closing, true}))
		u.endOnce.Do(func() { close(u.ended) })
	}
	for _, o := range h.orders {
		o.answer <- outcome{Result: refusal(robot.Busy, closing)}
	}
	close(h.ended) // for who waits for a job that is being made ready
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

// A robotWithTimeout robot is given robotWait to answer, so that one that hangs holds
// nobody up for longer.
type robotWithTimeout struct {
	robot Robot
	log   *slog.Logger
}

// Do has the robot carry out the command, or give it up after robotWait.
func (p robotWithTimeout) Do(cmd robot.Command) robot.Result {
	ctx, cancel := context.WithTimeout(context.Background(), robotWait)
	defer cancel()
	r := p.robot.Do(ctx, cmd)
	if halt, ok := cmd.(robot.Halt); ok && !done(r) {
		p.log.Warn("the robot did not take a halt; it stands when its last sample runs out", "halt", halt.Reason, "word", r.Word, "reason", r.Reason)
	}
	return r
}

// Stop stops the robot.
func (p robotWithTimeout) Stop(by string) { p.robot.Stop(by) }
