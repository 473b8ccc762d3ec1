package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

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

// Config is what a hub is made of.
type Config struct {
	Robot       Robot
	Description robot.Description
	Place       string // where the robot is, for people: the floor plan's name
	Build       string // the server's build
	Simulator   bool   // no real robot is there
	Names       Names  // nil = names are forgotten
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
	statePeriod = 100 * time.Millisecond // between two states
	helloWait   = 5 * time.Second        // from the connection to hello
	robotWait   = 500 * time.Millisecond // for the robot's answer
	byeWait     = 500 * time.Millisecond // for the connections to end after bye
)

// mostUsers is how many connections a hub takes.
const mostUsers = 2000

// mostNamings is how many names may wait to be written down.
const mostNamings = 64

// A Hub is where the people around one robot meet.
type Hub struct {
	cfg   Config
	start time.Time // zero of the robot's clock on the wire

	alarm   alarm
	latest  atomic.Pointer[robot.State] // published and not looked at yet
	wake    chan struct{}               // holds one token while something waits
	namings chan naming                 // to where names are written down

	mu     sync.Mutex
	closed bool
	users  map[*User]struct{} // connections whose handler has not called Leave
	calls  []*User            // whose inbox holds something
	named  []naming           // written down, or not

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
	h := &Hub{
		cfg:       cfg,
		start:     time.Now(),
		wake:      make(chan struct{}, 1),
		namings:   make(chan naming, mostNamings),
		users:     map[*User]struct{}{},
		strangers: map[*User]struct{}{},
	}
	var keep func(naming) bool
	if cfg.Names != nil {
		keep = h.keep
	}
	h.crew = newCrew(patient{cfg.Robot, cfg.Log}, &h.alarm, cfg.Log, keep, welcomeMessage{
		Type: "welcome", Protocol: Protocol, Build: cfg.Build, Simulator: cfg.Simulator,
		Robot: robotOf(cfg.Description, cfg.Place),
	})
	return h
}

// Run serves the people until ctx ends. Then it halts the robot, says bye to
// everybody, waits a moment for the connections to end, and returns nil. It is
// called once; the robot has to run a little longer than it.
func (h *Hub) Run(ctx context.Context) error {
	var writer sync.WaitGroup
	writer.Go(h.writeNames)
	defer writer.Wait()
	defer close(h.namings)

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

// Publish shows the newest state to everybody: ten times a second, and at once
// when the mode or the stop has changed. It never waits. s.Ranges is not
// written to afterwards. The states of one robot are published by one
// goroutine, the one that answers Robot.Do or one it hands them to in order.
func (h *Hub) Publish(s robot.State) {
	h.latest.Store(&s)
	h.ring()
}

// Stop is STOP from outside the pages: a form or the command line. The robot
// has had it when Stop returns. It never waits.
func (h *Hub) Stop(by string) {
	h.alarm.raise(h.cfg.Robot, raise{by: by, at: time.Now()})
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
	if id.Browser == "" {
		return nil, errors.New("session: the connection has no identity; it should come with the cookie of the page")
	}
	u := &User{hub: h, identity: id, joined: now, out: newOutbox(), over: make(chan struct{})}
	u.inbox.ready = true // the hub is told of it below
	u.heard.Store(int64(now.Sub(h.start)))
	u.setName("somebody")
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
	case len(h.users) >= mostUsers:
		return nil, fmt.Errorf("session: %d pages are connected; close one of them, then try again", mostUsers)
	}
	h.users[u] = struct{}{}
	h.calls = append(h.calls, u)
	h.ring()
	return u, nil
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
	calls, named := h.calls, h.named
	h.calls, h.named = nil, nil
	h.mu.Unlock()
	for _, u := range calls {
		h.serve(u, now)
	}
	for _, n := range named {
		h.crew.renamed(n)
	}
	h.dismiss(now)
	h.observe()
	h.crew.tick(now)
	h.show(now)
	h.refusals.Add(h.crew.refusals)
	h.crew.refusals = 0
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
// together the last one counts: the others are a hand's past.
func (h *Hub) serve(u *User, now time.Time) {
	queue, left := u.inbox.take()
	for i, in := range queue {
		d, sample := in.cmd.(drive)
		switch {
		case !sample:
			h.crew.handle(u, in.cmd, now)
		default:
			past := false
			if i+1 < len(queue) {
				_, past = queue[i+1].cmd.(drive)
			}
			h.crew.drive(u, d, in.at, now, past)
		}
	}
	if left {
		h.crew.leave(u, now)
		delete(h.strangers, u)
	} else if u.person == nil {
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
	if h.crew.cleared {
		h.crew.cleared = false
		s, h.newest = nil, nil
	}
	if s != nil {
		h.newest = s
		h.crew.observe(*s)
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
		h.stateDue = h.stateDue.Add(statePeriod)
		if !now.Before(h.stateDue) { // the first one, or states had stopped coming
			h.stateDue = now.Add(statePeriod)
		}
	}
	h.newest, h.mode = nil, s.Mode
	h.n++
	h.statesSkipped.Add(h.crew.show(&stateFrame{
		n:     h.n,
		bytes: encodeState(*s, h.n, h.crew.gate.taken, h.start, h.crew.stopped),
	}))
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
	const reason = "The robot is shutting down."
	h.work(time.Now())
	h.crew.giveUp(reason)
	h.mu.Lock()
	h.closed = true
	for u := range h.users {
		u.out.close(encode(byeMessage{"bye", reason, true}))
		u.overOnce.Do(func() { close(u.over) })
	}
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
