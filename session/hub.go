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
	Robot       Robot
	Description robot.Description
	Place       string        // where the robot is, for people: the floor plan's name
	Build       string        // the server's build
	Simulator   bool          // no real robot is there
	Sees        bool          // the robot has a camera,
	Hears       bool          // and a microphone
	Relays      []Relay       // that pages need to reach it by WebRTC
	Period      time.Duration // between two states; 0 = 100 ms
	Names       Names         // nil = names are forgotten
	Audit       Audit         // nil = nothing is recorded
	Motions     Motions       // nil = drives are not kept
	Jobs        Jobs          // nil = none are run
	World       World         // that people may change; nil = there is a real one
	Network     *link.Network // that people may change; nil = there is a real one
	Log         *slog.Logger
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
	Hold          uint64 // the hold number
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

	alarm   alarm
	latest  atomic.Pointer[robot.State] // published and not looked at yet
	shown   atomic.Pointer[stateFrame]  // the newest that was encoded
	wake    chan struct{}               // holds one token while something waits
	namings chan naming                 // to where names are written down
	shelf   chan shelving               // to where motions are kept
	makings chan making                 // to where jobs are made ready
	driver  atomic.Pointer[string]      // the browser of who has control, "" = nobody
	pests   atomic.Pointer[[]string]    // grants of those who stop the robot again and again
	screen  atomic.Pointer[Screen]      // the people, as the robot's own screen tells them
	posts   chan posting                // to who sends states without write pumps
	over    chan struct{}               // closed when no order is answered any more

	mu        sync.Mutex
	closed    bool
	users     map[*User]struct{} // connections whose handler has not called Leave
	calls     []*User            // whose inbox holds something
	named     []naming           // written down, or not
	shelved   []shelving         // done, or not
	made      []making           // ready, or not
	orders    []order            // from outside the pages
	gone      map[string]bool    // grants that were revoked
	ended     []string           // those of them that the hub has not heard of
	charts    []chart            // maps that were saved
	rewritten bool               // the jobs that are kept have changed

	// Counters, read by Stats.
	statesSent, statesSkipped, events, refusals atomic.Uint64
	epoch, hold                                 atomic.Uint64

	// The hub goroutine's own.
	crew      crew
	newest    *robot.State       // not encoded yet
	mode      robot.Mode         // of the state that was encoded last
	n         uint64             // of that state
	stateDue  time.Time          // when the next one is encoded
	strangers map[*User]struct{} // have not said hello
}

// NewHub returns a hub without people. Config.Robot and Config.Log must be
// there.
func NewHub(cfg Config) *Hub {
	if cfg.Period == 0 {
		cfg.Period = statePeriod
	}
	h := &Hub{
		cfg:       cfg,
		start:     time.Now(),
		wake:      make(chan struct{}, 1),
		namings:   make(chan naming, mostNamings),
		shelf:     make(chan shelving, mostShelvings),
		makings:   make(chan making, mostMakings),
		posts:     make(chan posting, postmen),
		over:      make(chan struct{}),
		users:     map[*User]struct{}{},
		gone:      map[string]bool{},
		strangers: map[*User]struct{}{},
	}
	var keep func(naming) bool
	if cfg.Names != nil {
		keep = h.keep
	}
	h.crew = newCrew(patient{cfg.Robot, cfg.Log}, &h.alarm, cfg, keep, welcomeMessage{
		Type: "welcome", Protocol: Protocol, Build: cfg.Build, Simulator: cfg.Simulator, Sees: cfg.Sees, Hears: cfg.Hears, Relays: cfg.Relays,
		Robot: robotOf(cfg.Description, cfg.Place, cfg.Period),
	})
	h.crew.shelve, h.crew.ready = h.shelve, h.make
	h.crew.start = h.start
	return h
}

// Run serves the people until ctx ends. Then it halts the robot, says bye to
// everybody, waits a moment for the connections to end, and returns nil. It is
// called once; the robot has to run a little longer than it.
func (h *Hub) Run(ctx context.Context) error {
	var writer sync.WaitGroup
	writer.Go(h.writeNames)
	writer.Go(h.keepMotions)
	writer.Go(func() { h.makeJobs(ctx) })
	for range postmen {
		writer.Go(h.post)
	}
	defer writer.Wait()
	defer close(h.namings)
	defer close(h.shelf)
	defer close(h.makings)
	defer close(h.posts)

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
		h.work(time.Now())
		if at, ok := h.due(); ok {
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
	h.ring()
}

// Stop is STOP from outside the pages: a form or the command line. by is what
// people read, from is who it was. The robot has had it when Stop returns. It
// never waits.
func (h *Hub) Stop(by string, from Identity) { h.raise(raise{by: by, at: time.Now(), from: from}) }

func (h *Hub) raise(r raise) {
	h.alarm.raise(h.cfg.Robot, r)
	h.ring()
}

// Join lets a connection in. The end of ctx is the same as User.Leave; one of
// them has to come. The error wraps ErrClosed when the hub has ended.
func (h *Hub) Join(ctx context.Context, id Identity) (*User, error) {
	u, err := h.join(id, time.Now())
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, u.Leave)
	return u, nil
}

func (h *Hub) join(id Identity, now time.Time) (*User, error) {
	switch {
	case id.Browser == "":
		return nil, errors.New("session: the connection has no identity; it should come with the cookie of the page")
	case id.Role < Observer || id.Role > Admin:
		return nil, fmt.Errorf("session: a %s may not come in; pair this device with the robot first", id.Role)
	}
	u := &User{hub: h, identity: id, joined: now, out: newOutbox(), over: make(chan struct{}), offers: make(chan Offer, 1)}
	u.inbox.ready = true // the hub is told of it below
	u.heard.Store(int64(now.Sub(h.start)))
	u.setName("someone")
	if properName(id.Name) {
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
	h.ring()
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
	h.ended = append(h.ended, grant)
	h.mu.Unlock()
	for _, u := range users {
		u.revoked.Store(true)
		h.call(u)
	}
	h.ring()
}

// An Order is a command from outside the pages: the command line, or another
// program. Lease, Hold and Seq are what a page would send with it; Stop needs
// none of them, and Halt neither; only Drive needs Hold and Seq. Without a
// Command nothing is done, and the answer tells whether something could be.
type Order struct {
	Lease, Hold, Seq uint64
	Command          robot.Command // Stop, Halt, ClearStop, Drive, Plan, GoTo, Pause, Resume, Cancel, GoAround, SetPose, Enqueue, Look, PauseRun, ResumeRun, SkipStep, RetryStep, EndRun, OK or Spoken
	AtRobot          bool          // OK and Spoken come from the robot's own screen, where nobody has to have control
}

// order is an Order on its way to the hub's goroutine.
type order struct {
	Order
	job    jobs.Job // of RunJob
	by     Identity
	over   func() error // not nil = nobody waits for the answer any more
	answer chan outcome // holds one
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
		h.Stop(by.called(), by)
		return robot.Result{Word: robot.Success}
	}
	return h.give(ctx, by, order{Order: o}).Result
}

// give has the hub's goroutine carry out an order, and waits for the answer
// until ctx ends.
func (h *Hub) give(ctx context.Context, by Identity, o order) outcome {
	no := func(word robot.Word, reason string) outcome { return outcome{Result: refusal(word, reason)} }
	if by.Role < Observer || by.Role > Admin {
		return no(robot.Error, "This device is not paired with the robot. Pair it first.")
	}
	o.by, o.over, o.answer = by, ctx.Err, make(chan outcome, 1)
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
	h.ring()
	select {
	case a := <-o.answer:
		return a
	case <-h.over:
		return no(robot.Busy, closing)
	case <-ctx.Done():
		return no(robot.Interrupted, givenUp)
	}
}

// State returns the newest state as pages get it, or nil when there is none
// yet. Nobody may write to it.
func (h *Hub) State() []byte {
	if f := h.shown.Load(); f != nil {
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
		Hold:          h.hold.Load(),
	}
}

// ring wakes the hub's goroutine.
func (h *Hub) ring() {
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
	h.ring()
}

// forget drops a connection whose handler is done with it.
func (h *Hub) forget(u *User) {
	h.mu.Lock()
	delete(h.users, u)
	h.mu.Unlock()
	h.ring()
}

// work does everything that waits, once, then what the time has come for.
// Whatever came before now is handled before a deadline counts as missed.
func (h *Hub) work(now time.Time) {
	for _, stop := range h.alarm.take() {
		h.crew.alarmed(stop)
	}
	h.mu.Lock()
	calls, named, orders, ended, charts, shelved, made, rewritten := h.calls, h.named, h.orders, h.ended, h.charts, h.shelved, h.made, h.rewritten
	h.calls, h.named, h.orders, h.ended, h.charts, h.shelved, h.made, h.rewritten = nil, nil, nil, nil, nil, nil, nil, false
	h.mu.Unlock()
	for _, u := range calls {
		h.serve(u, now)
	}
	for _, grant := range ended {
		h.crew.dismiss(grant, now)
	}
	for _, m := range charts {
		h.crew.charted(m, now)
	}
	for _, n := range named {
		h.crew.renamed(n, now)
	}
	for _, s := range shelved {
		h.crew.shelved(s, now)
	}
	for _, m := range made {
		h.crew.prepared(m, now)
	}
	if rewritten && h.crew.jobs != nil {
		h.crew.broadcast(h.crew.jobsNow())
	}
	for _, o := range orders {
		h.crew.obey(o, now)
	}
	h.dismiss(now)
	h.observe()
	h.crew.tick(now)
	if h.crew.row || h.crew.rowAt.Equal(now) {
		h.screen.Store(h.crew.screen())
	}
	h.show(now)
	h.refusals.Add(h.crew.refusals)
	h.crew.refusals = 0
	h.driver.Store(h.crew.driver())
	pests := h.crew.stoppers.grants(now)
	h.pests.Store(&pests)
	h.epoch.Store(h.crew.lease.Epoch)
	h.hold.Store(h.crew.gate.hold)
}

// due returns when work has something to do next by itself; false = never.
func (h *Hub) due() (at time.Time, ok bool) {
	at, ok = h.crew.due()
	if h.newest != nil && (!ok || h.stateDue.Before(at)) {
		at, ok = h.stateDue, true
	}
	for u := range h.strangers {
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
	queue, left := u.inbox.take()
	if u.revoked.Load() {
		h.crew.revoke(u, now)
		queue, left = nil, true
	}
	for i, in := range queue {
		switch cmd := in.cmd.(type) {
		case drive:
			made := u.late.made(in.at, cmd.T)
			past := false
			if cmd.Path != nil {
				cmd.Path.Made = made
			} else if i+1 < len(queue) {
				_, past = queue[i+1].cmd.(drive)
			}
			h.crew.drive(u, cmd, in.at, now, past)
		case clock:
			u.late.made(in.at, cmd.T1)
			h.crew.handle(u, cmd, now)
		default:
			h.crew.handle(u, cmd, now)
		}
	}
	if left {
		h.crew.leave(u, now)
		delete(h.strangers, u)
	} else if !u.greeted() {
		h.strangers[u] = struct{}{}
	} else {
		delete(h.strangers, u)
	}
}

// dismiss ends the connections that have not said hello in time.
func (h *Hub) dismiss(now time.Time) {
	for u := range h.strangers {
		if !now.Before(u.joined.Add(helloWait)) {
			delete(h.strangers, u)
			u.bye(fmt.Sprintf("No hello came within %.0f s.", helloWait.Seconds()), true)
		}
	}
}

// observe takes the newest state. One from before a stop was released may
// still be here; it is passed over.
func (h *Hub) observe() {
	s := h.latest.Swap(nil)
	old := h.crew.ordered
	h.crew.ordered = false
	if h.crew.cleared {
		h.crew.cleared = false
		s, h.newest = nil, nil
	}
	if s != nil {
		h.newest = s
		h.crew.observe(*s, old)
	}
}

// show encodes the newest state, once for everybody, when it is time.
func (h *Hub) show(now time.Time) {
	s := h.newest
	if s == nil {
		return
	}
	due := !now.Before(h.stateDue)
	if !due && !h.crew.urgent && s.Mode == h.mode {
		return
	}
	if due {
		h.stateDue = h.stateDue.Add(h.cfg.Period)
		if !now.Before(h.stateDue) { // the first one, or states had stopped coming
			h.stateDue = now.Add(h.cfg.Period)
		}
	}
	h.newest, h.mode = nil, s.Mode
	h.n++
	frame := &stateFrame{
		n:     h.n,
		bytes: encodeState(*s, h.n, h.crew.gate.taken, h.crew.changes, h.start, h.crew.stopped),
	}
	h.shown.Store(frame)
	h.statesSkipped.Add(h.crew.show(frame, now))
	direct := h.crew.direct
	h.crew.direct = nil
	for each := max(leastPosted, (len(direct)+postmen-1)/postmen); len(direct) > 0; {
		n := min(each, len(direct))
		select {
		case h.posts <- posting{frame, direct[:n]}:
		default: // the hub waits for nobody, also not for a busy computer
			for _, u := range direct[:n] {
				u.out.posted(frame, false)
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

// post sends states, each by one system call that does not wait, until posts is
// closed. Waking a write pump for each page costs more than the call.
func (h *Hub) post() {
	for p := range h.posts {
		sent := uint64(0)
		for _, u := range p.users {
			if u.out.post(p.frame) {
				sent++
			}
		}
		h.statesSent.Add(sent)
	}
}

// keep has a name written down; false = too many wait already.
func (h *Hub) keep(n naming) bool {
	select {
	case h.namings <- n:
		return true
	default:
		return false
	}
}

// writeNames writes names down, away from the hub's goroutine because a disk
// may be slow, until namings is closed.
func (h *Hub) writeNames() {
	for n := range h.namings {
		if n.err = h.cfg.Names.SetName(n.user.identity.Browser, n.name); n.err != nil {
			h.cfg.Log.Error("a name could not be kept", "err", n.err)
		}
		h.mu.Lock()
		h.named = append(h.named, n)
		h.mu.Unlock()
		h.ring()
	}
}

// shutDown halts the robot, then says bye to everybody and waits for the
// connections to end.
func (h *Hub) shutDown() {
	h.work(time.Now())
	h.crew.giveUp(closing, true)
	h.crew.shelveDrive(h.crew.drives.end())
	h.mu.Lock()
	h.closed = true
	for u := range h.users {
		u.out.close(encode(byeMessage{"bye", closing, true}))
		u.overOnce.Do(func() { close(u.over) })
	}
	for _, o := range h.orders {
		o.answer <- outcome{Result: refusal(robot.Busy, closing)}
	}
	close(h.over) // for who waits for a job that is being made ready
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

// A patient robot is given robotWait to answer, so that one that hangs holds
// nobody up for longer.
type patient struct {
	robot Robot
	log   *slog.Logger
}

// Do has the robot carry out the command, or give it up after robotWait.
func (p patient) Do(cmd robot.Command) robot.Result {
	ctx, cancel := context.WithTimeout(context.Background(), robotWait)
	defer cancel()
	r := p.robot.Do(ctx, cmd)
	if halt, ok := cmd.(robot.Halt); ok && !done(r) {
		p.log.Warn("the robot did not take a halt; it stands when its last sample runs out", "halt", halt.Reason, "word", r.Word, "reason", r.Reason)
	}
	return r
}

// Stop stops the robot.
func (p patient) Stop(by string) { p.robot.Stop(by) }
