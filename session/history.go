package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// A Chance decides what happens next in a random history: IntN returns a
// whole number from 0 up to, not including, n.
type Chance interface{ IntN(n int) int }

// CheckHistory puts a hub with a robot of its own through a random history of
// so many steps, in virtual time: clients connect, vanish, come back, open
// second tabs, ask, give, keep, accept, decline, take, drive, send the robot to
// a goal, have it do jobs, which take a while to be made ready, stop and release
// the stop, with packets that arrive late or twice and
// pages that have not heard the latest. It returns the first thing that must
// not happen and did: two people in control, control that somebody did not want
// or may not have, a change of control to somebody while the robot moves, an
// epoch that does not grow by one with each change, a command with an old
// number executed, motion after a stop or a change without a hand that began
// again from neutral, a way to a goal that goes on under somebody else's
// control, or one that ends because its holder left.
//
// Some clients share a browser, some are observers, some are admins.
func CheckHistory(chance Chance, clients, steps int) error {
	h := newHistory(chance, clients)
	for n := range steps {
		h.step()
		h.look()
		if h.fault != "" {
			return fmt.Errorf("session: step %d, %v in: %s", n, h.now.Sub(h.hub.start), h.fault)
		}
	}
	return nil
}

// A sample is what one drive sample was sent with. The robot knows it again by
// its turning speed.
type sample struct {
	by          *client
	user        *User // nil = not over a connection
	lease, hold uint64
	neutral     bool
}

// A client is a page, or a program with the same rights.
type client struct {
	identity Identity
	tab      string
	user     *User // nil = not connected
	mail     []heard

	// As last heard.
	you         int
	lease, hold uint64
	seq         int
}

// A heard is a frame from the robot, as far as it matters here.
type heard struct {
	Type, Kind, Elsewhere string
	You                   int
	Hold                  uint64
	Lease                 heardLease
	heardLease
	People []struct {
		ID      int
		Role    Role
		Control bool
	}
}

type heardLease struct {
	Epoch    uint64
	Holder   int
	Requests []struct{ ID int }
	Offer    struct{ ID int }
	Passing  *struct{ To int }
}

// A history is a hub in virtual time, a robot, those around it, and what has
// happened so far.
type history struct {
	chance  Chance
	hub     *Hub
	base    *base
	now     time.Time
	clients []*client
	witness *client // an observer who misses nothing
	late    []func()
	samples []sample
	fault   string // the first thing that went wrong

	epoch    uint64 // as the witness heard it
	holder   int
	holders  map[uint64]int // by epoch, as anybody heard it
	wants    map[int]bool   // who took or accepted control under this holder
	asked    map[int]bool   // who asked this holder for it
	gave     bool           // this holder gave it
	promised int            // who it was offered to last; 0 = nobody
	active   time.Time      // when the holder did something
	loose    bool           // the holder has done or left undone something that loses control
	cut      int            // samples before this one are from before a stop or a change of control
	mustRest bool           // control changed while the robot moved; it has not stood since
	unstop   *client        // whose release of the stop is being handled
	unlocks  uint64         // the lease that was sent with it
	errander *errander      // whose errand is being handled
	stops    int            // so far
	awaited  []int          // how many they were when each of the jobs was asked for that are being made ready
}

// anyJob makes every job ready.
type anyJob struct{}

func (anyJob) List() []jobs.Job                                            { return nil }
func (anyJob) Ready(context.Context, robot.Pose, jobs.Job) (uint64, error) { return 0, nil }
func (anyJob) Made(uint64) (Made, bool)                                    { return Made{}, false }
func (anyJob) Drop(uint64)                                                 {}
func (anyJob) Changed(uint64, uint64)                                      {}

// An errander sends the robot somewhere.
type errander struct {
	by    *client
	user  *User // nil = not over a connection
	lease uint64
}

func newHistory(chance Chance, clients int) *history {
	h := &history{chance: chance, holders: map[uint64]int{}, wants: map[int]bool{}, asked: map[int]bool{}}
	h.base = &base{history: h, brake: []float64{0.5, 2, 0.05}[chance.IntN(3)]}
	h.hub = NewHub(Config{Robot: h.base, Jobs: anyJob{}, Log: slog.New(slog.DiscardHandler)})
	h.hub.start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h.now = h.hub.start
	h.publish()
	for i := range clients {
		n := i
		if i%10 == 1 {
			n-- // a second tab of the client before
		}
		role := Operator
		switch {
		case n%7 == 3:
			role = Observer
		case n%11 == 5:
			role = Admin
		}
		h.clients = append(h.clients, &client{
			identity: Identity{Browser: fmt.Sprint("browser ", n), Role: role, Grant: fmt.Sprint("grant ", n)},
			tab:      fmt.Sprint("tab ", i),
		})
	}
	h.witness = &client{identity: Identity{Browser: "witness", Role: Observer}, tab: "w"}
	h.connect(h.witness)
	return h
}

func (h *history) wrong(format string, args ...any) {
	if h.fault == "" {
		h.fault = fmt.Sprintf(format, args...)
	}
}

// did notes that a client is about to do something.
func (h *history) did(c *client) {
	if who := h.hub.crew.people.at(c.identity.Browser); who != nil && who.user != nil && who.id == h.holder {
		h.active = h.now
	}
}

func (h *history) maybe(one int) bool { return h.chance.IntN(one) == 0 }

// step is one thing that happens.
func (h *history) step() {
	c := h.clients[h.chance.IntN(len(h.clients))]
	if holder := h.inControl(); holder != nil && h.maybe(3) {
		c = holder // else control would rarely do anything
	}
	if h.maybe(8) {
		h.ready()
	}
	if c.user == nil {
		if h.maybe(4) {
			h.arrive()
		} else {
			h.connect(c)
		}
		return
	}
	switch h.chance.IntN(22) {
	case 0:
		h.leave(c)
	case 1:
		h.hear(c)
	case 2, 3:
		h.drive(c)
	case 4:
		h.arrive()
	case 5, 6:
		h.press(c)
		if h.maybe(2) { // while the robot still moves
			h.control(h.clients[h.chance.IntN(len(h.clients))])
		}
	case 7:
		h.stop(c)
	case 8:
		h.release(c)
	case 9, 10, 11, 12:
		h.control(c)
	case 13:
		h.order(c)
	case 14, 15:
		h.pass(time.Duration([]int{1, 50, 249, 250, 1000, 2000, 9000, 10_000, 31_000, 61_000, 600_000}[h.chance.IntN(11)]) * time.Millisecond)
		if holder := h.inControl(); holder != nil && h.maybe(2) {
			h.press(holder)
		}
	case 16: // somebody asks a holder who sleeps
		h.pass(idleAfter - answerWait)
		h.ask(c, "request", "")
		h.pass(answerWait)
	case 17:
		h.snatch(c)
	case 18, 19:
		h.errand(c)
	case 20, 21:
		if holder := h.inControl(); holder != nil {
			c = holder
			h.release(c)
		}
		h.errand(c)
	}
}

// errand sends the robot to a goal, or says what becomes of the goal. The
// client may not have heard the latest.
func (h *history) errand(c *client) {
	h.look()
	if !h.maybe(4) {
		h.hear(c)
	}
	if c.user == nil {
		return
	}
	lease := c.lease
	if h.maybe(8) {
		lease = h.hub.crew.lease.Epoch
	}
	h.errander = &errander{c, c.user, lease}
	if c.user.person != nil {
		h.did(c)
	}
	switch h.chance.IntN(4) {
	case 0:
		h.say(c, `{"type":"goto","id":1,"lease":%d,"goal":[1,2,3]}`, lease)
	case 1:
		h.say(c, `{"type":"goal","id":1,"lease":%d,"action":%q}`, lease, []string{"pause", "resume", "cancel", "around"}[h.chance.IntN(4)])
	default:
		h.job(c, lease)
	}
	h.errander = nil
}

// job has the robot do a job, or says what becomes of the one that it does.
func (h *history) job(c *client, lease uint64) {
	if h.maybe(3) {
		h.say(c, `{"type":"job","id":1,"lease":%d,"action":%q}`, lease, []string{"pause", "resume", "skip", "end", "ok"}[h.chance.IntN(5)])
		return
	}
	h.say(c, `{"type":"job","id":1,"lease":%d,"action":"run","name":"A","steps":[{"type":"WAIT","seconds":15}]}`, lease)
	if len(h.hub.makings) > len(h.awaited) {
		h.awaited = append(h.awaited, h.stops)
	}
	if h.maybe(2) {
		h.ready()
	}
}

// ready is the moment at which a job that was asked for is ready.
func (h *history) ready() {
	if len(h.awaited) == 0 {
		return
	}
	m := <-h.hub.makings
	begun := h.base.goal.Number
	h.errander = &errander{user: m.who.user, lease: m.cmd.Lease}
	for _, c := range h.clients {
		if c.identity.Browser == m.who.browser {
			h.errander.by = c
		}
	}
	h.hub.made = append(h.hub.made, m)
	h.work()
	if h.base.goal.Number != begun && h.stops != h.awaited[0] {
		h.wrong("a job began that was asked for before a stop")
	}
	h.errander, h.awaited = nil, h.awaited[1:]
}

// snatch has the client take control while the robot moves. The client may
// vanish before it gets it, and may drive as soon as it has it.
func (h *history) snatch(c *client) {
	if holder := h.inControl(); holder != nil {
		h.press(holder)
	}
	h.ask(c, "take", "")
	h.look()
	if h.maybe(4) && c.user != nil {
		h.leave(c)
	}
	h.pass(standWait)
	if c.user != nil {
		h.press(c)
	}
}

// inControl returns the client of the holder; nil = it has none.
func (h *history) inControl() *client {
	for _, c := range h.clients {
		if c.user != nil && c.user.person != nil && c.user.person.id == h.hub.crew.lease.Holder {
			return c
		}
	}
	return nil
}

func (h *history) connect(c *client) {
	u, err := h.hub.join(c.identity, h.now)
	if err != nil {
		h.wrong("a client was not let in: %v", err)
		return
	}
	c.user, c.seq, c.mail = u, 0, nil
	if c.identity.Role >= Operator && !slices.ContainsFunc(h.clients, func(other *client) bool {
		return other.user != nil && other.user.person != nil && other.identity.Role >= Operator
	}) {
		// The first one drives; its id is known once it was welcomed.
		defer func() { h.wants[c.you] = true }()
	}
	h.say(c, `{"type":"hello","protocol":"mybot.v1","tab":%q,"build":"0.1.0"}`, c.tab)
	h.hear(c)
}

func (h *history) leave(c *client) {
	sent := h.maybe(6) // away instead, with the other tabs
	who := h.hub.crew.people.of(c.user)
	loses := who != nil && who.user != nil && who.id == h.holder && (sent || !c.user.aside)
	h.loose = h.loose || loses
	going := h.base.going()
	if sent {
		h.hub.Revoke(c.identity.Grant)
		for _, other := range h.clients {
			if other.identity.Grant == c.identity.Grant && other != c {
				other.identity.Grant += "'"
			}
		}
		c.identity.Grant += "'"
	} else {
		c.user.Leave()
		c.user = nil
	}
	h.work()
	if loses && h.base.want != 0 {
		h.wrong("%d is gone and the robot was not halted", h.holder)
	}
	switch {
	case loses && sent && h.hub.crew.lease.heir() == who.id:
		h.wrong("%d was sent away and still has control", h.holder)
	case loses && sent && h.base.going():
		h.wrong("%d was sent away and the robot goes on", h.holder)
	case !sent && going && !h.base.going():
		h.wrong("somebody left and the robot does not go on")
	}
}

// say sends a frame and has the hub handle it.
func (h *history) say(c *client, format string, args ...any) {
	c.user.receive(fmt.Appendf(nil, format, args...), h.now)
	h.work()
}

func (h *history) work() { h.hub.work(h.now) }

// collect takes what the robot sends to the client, who reads it later.
func (h *history) collect(c *client) {
	for c.user != nil {
		frame, isState, ok := c.user.out.take(h.hub.start)
		switch {
		case !ok:
			return
		case frame == nil || bytes.HasPrefix(frame, []byte(`{"type":"bye"`)):
			c.user.Leave()
			c.user = nil
			h.work()
		case isState:
			c.user.out.acked(math.MaxUint64)
		case bytes.HasPrefix(frame, []byte(`{"type":"welcome"`)), bytes.HasPrefix(frame, []byte(`{"type":"hold"`)),
			bytes.HasPrefix(frame, []byte(`{"type":"event","kind":"lease"`)),
			c == h.witness && bytes.HasPrefix(frame, []byte(`{"type":"event","kind":"people"`)):
			var m heard
			if err := json.Unmarshal(frame, &m); err != nil {
				h.wrong("the robot sent %s: %v", frame, err)
			}
			c.mail = append(c.mail, m)
		}
	}
}

// hear has the client read all that came.
func (h *history) hear(c *client) {
	h.collect(c)
	for _, m := range c.mail {
		lease := m.heardLease
		switch {
		case m.Type == "hold":
			c.hold = m.Hold
			continue
		case m.Kind == "people":
			h.row(m)
			continue
		case m.Type == "welcome":
			c.you, c.hold, lease = m.You, m.Hold, m.Lease
		}
		c.lease = lease.Epoch
		if who, known := h.holders[lease.Epoch]; known && who != lease.Holder {
			h.wrong("epoch %d was told to be of %d and of %d", lease.Epoch, who, lease.Holder)
		}
		h.holders[lease.Epoch] = lease.Holder
		if c == h.witness {
			h.heardOf(lease)
		}
	}
	c.mail = nil
}

// heardOf checks one piece of news about control.
func (h *history) heardOf(l heardLease) {
	if l.Passing != nil {
		h.cut = len(h.samples)
	}
	if l.Offer.ID != 0 && l.Holder != 0 && l.Holder == h.holder {
		if h.now.Sub(h.active) < idleAfter {
			h.wrong("control of %d, who is not idle, was offered to %d", l.Holder, l.Offer.ID)
		}
		h.loose = true
	}
	defer func() { h.promised = l.Offer.ID }()
	ids := []int{l.Holder, l.Offer.ID}
	for _, r := range l.Requests {
		ids = append(ids, r.ID)
	}
	for _, id := range ids {
		if who := h.hub.crew.people.find(id); who != nil && who.role < Operator {
			h.wrong("%d is an observer and asks for control, is offered it or has it", id)
		}
	}
	if l.Epoch == h.epoch {
		if l.Holder != h.holder {
			h.wrong("control went from %d to %d under one epoch", h.holder, l.Holder)
		}
		return
	}
	if l.Epoch != h.epoch+1 {
		h.wrong("the epoch went from %d to %d", h.epoch, l.Epoch)
	}
	if l.Holder != h.holder {
		if l.Holder != 0 && !h.wants[l.Holder] && (!h.gave || !h.asked[l.Holder]) {
			h.wrong("%d was given control silently", l.Holder)
		}
		if h.promised != 0 && l.Holder != 0 && l.Holder != h.promised && !h.loose {
			h.wrong("%d got control while it was offered to %d", l.Holder, h.promised)
		}
		if h.holder != 0 && !h.loose {
			h.wrong("control was taken from %d", h.holder)
		}
		h.wants, h.asked, h.gave, h.loose = map[int]bool{}, map[int]bool{}, false, false
	}
	h.active = h.now
	switch {
	case h.base.going() && l.Holder == 0: // its holder stayed away
	case h.base.going():
		h.wrong("the robot goes on to its goal under the control of %d, who has not resumed it", l.Holder)
	case h.base.moving():
		if h.base.halted.IsZero() || h.now.Sub(h.base.halted) < standWait {
			h.wrong("control went from %d to %d while the robot moves at %.2f m/s", h.holder, l.Holder, h.base.speed)
		}
		h.mustRest = true
	}
	h.epoch, h.holder, h.cut = l.Epoch, l.Holder, len(h.samples)
}

// row checks the row of people.
func (h *history) row(m heard) {
	holders := 0
	for _, e := range m.People {
		if e.Control {
			holders++
			if e.Role < Operator {
				h.wrong("%d is an observer and has control", e.ID)
			}
		}
	}
	if holders > 1 {
		h.wrong("%d people have control", holders)
	}
}

// drive sends a sample or two, which may be with old or guessed numbers, and
// may be late. A state from before may come to the hub after them.
func (h *history) drive(c *client) {
	if h.maybe(2) {
		h.hear(c)
	}
	if c.user == nil {
		return
	}
	s := sample{by: c, user: c.user, lease: c.lease, hold: c.hold, neutral: h.maybe(2)}
	epoch, hold := h.hub.crew.lease.Epoch, h.hub.crew.gate.hold
	switch h.chance.IntN(12) {
	case 0:
		s.lease, s.hold = epoch, hold
	case 1:
		s.lease, s.hold = max(epoch, 1)-1, hold
	case 2:
		s.lease, s.hold = epoch, hold-1
	}
	if h.maybe(4) {
		h.hub.latest.Store(h.state())
	}
	h.send(c, s, h.maybe(4))
	if s.neutral && h.maybe(2) {
		s.neutral = false
		h.send(c, s, false)
	}
	if h.maybe(2) {
		h.work()
	}
}

func (h *history) send(c *client, s sample, late bool) {
	h.samples = append(h.samples, s)
	c.seq++
	v, w := 0.45, float64(len(h.samples))
	if s.neutral {
		v, w = 0, 0
	}
	path := ""
	if h.maybe(2) {
		path = `,"vr":[0,0,0,0,0,0]`
	}
	frame := fmt.Appendf(nil, `{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":1,"v":%g,"w":%g%s}`, s.lease, s.hold, c.seq, v, w, path)
	send := func() {
		if s.user.person != nil {
			h.did(c)
		}
		s.user.receive(frame, h.now)
	}
	if late {
		h.late = append(h.late, send)
		return
	}
	send()
}

// arrive lets a late packet come in, or come again.
func (h *history) arrive() {
	if len(h.late) > 0 {
		h.late[h.chance.IntN(len(h.late))]()
		h.work()
	}
}

// press is a hand that does everything right: it moves the robot of a person
// who has control and may.
func (h *history) press(c *client) {
	h.work()
	h.hear(c)
	if c.user == nil {
		return
	}
	c.seq = max(c.seq, int(h.hub.crew.gate.seq)) // an order may have used it up
	for _, neutral := range []bool{true, false} {
		h.send(c, sample{c, c.user, c.lease, c.hold, neutral}, false)
		h.work()
	}
	crew := &h.hub.crew
	if who := c.user.person; who != nil && who.id == crew.lease.Holder && crew.lease.Settled() && h.base.by == "" && h.base.want == 0 {
		h.wrong("%d has control, nothing is in the way, and yet a press moves nothing", who.id)
	}
}

func (h *history) stop(c *client) {
	h.work()
	h.stops++
	switch h.chance.IntN(3) {
	case 0:
		h.did(c)
		c.user.receive([]byte(`{"type":"stop","id":1}`), h.now)
	case 1:
		h.hub.alarm.raise(h.base, raise{by: "the form", at: h.now})
	default:
		h.base.Stop("a button on it")
		h.publish()
	}
	if h.base.by == "" {
		h.wrong("a stop did not reach the robot before the call returned")
	}
	h.cut = len(h.samples)
	h.work()
}

func (h *history) release(c *client) {
	if !h.maybe(4) {
		h.hear(c)
	}
	if c.user == nil {
		return
	}
	h.unstop, h.unlocks = c, c.lease
	if c.user.person != nil {
		h.did(c)
	}
	h.say(c, `{"type":"unstop","id":1,"lease":%d}`, c.lease)
	h.unstop = nil
}

func (h *history) control(c *client) {
	h.collect(c)
	if c.user == nil {
		return
	}
	l := &h.hub.crew.lease
	action := []string{"take", "release", "request", "request", "cancel", "give", "keep", "accept", "decline", "here"}[h.chance.IntN(10)]
	if who := c.user.person; who != nil && h.maybe(2) {
		switch { // do what the moment asks for
		case l.offer.user == who.id:
			action = "accept"
		case l.has(who.id) && len(l.requests) > 0:
			action = "give"
		}
	}
	rest := ""
	if action == "give" || action == "keep" {
		to := 1 + h.chance.IntN(len(h.clients))
		if len(l.requests) > 0 && !h.maybe(4) {
			to = l.requests[h.chance.IntN(len(l.requests))].user
		}
		rest = fmt.Sprintf(`,"to":%d`, to)
	}
	h.ask(c, action, rest)
}

// ask says what the client wants of control.
func (h *history) ask(c *client, action, rest string) {
	if c.user == nil {
		return
	}
	if who := h.hub.crew.people.of(c.user); who != nil {
		holder := who.id == h.holder
		switch action {
		case "take", "accept", "here":
			h.wants[who.id] = true
		case "request":
			h.asked[who.id] = true
		}
		h.gave = h.gave || holder && action == "give"
		h.loose = h.loose || holder && (action == "give" || action == "release") || action == "take" && who.role == Admin
	}
	if c.user.person != nil {
		h.did(c)
	}
	h.say(c, `{"type":"control","id":1,"action":%q%s}`, action, rest)
	if who := c.user.person; who != nil && action == "here" {
		h.wants[who.id] = true // somebody who was forgotten has a new number now
	}
}

// order is a client that has no page.
func (h *history) order(c *client) {
	o := Order{Lease: h.hub.crew.lease.Epoch, Hold: h.hub.crew.gate.hold, Seq: uint64(1000 + len(h.samples))}
	switch h.chance.IntN(5) {
	case 0:
		o.Command = robot.Halt{Reason: "enough"}
	case 4:
		o.Command = robot.GoTo{Name: "there"}
		h.errander = &errander{c, nil, o.Lease}
	case 1:
		o.Command = robot.ClearStop{}
		h.unstop, h.unlocks = c, o.Lease
	default:
		s := sample{by: c, lease: o.Lease, hold: o.Hold, neutral: h.maybe(2)}
		h.samples = append(h.samples, s)
		d := robot.Drive{}
		if !s.neutral {
			d.Twist = robot.Twist{Linear: 0.45, Angular: float64(len(h.samples))}
		}
		o.Command = d
	}
	h.did(c)
	h.hub.crew.order(order{Order: o, by: c.identity}, h.now)
	h.unstop, h.errander = nil, nil
}

// pass lets time go by; what is due by then happens at its time.
func (h *history) pass(d time.Duration) {
	end := h.now.Add(d)
	for h.now.Before(end) && h.fault == "" {
		next := end
		if at, ok := h.hub.due(); ok && at.Before(next) {
			next = at
		}
		busy := h.base.moving() || !h.hub.crew.lease.Settled() || !h.hub.crew.standing
		if tick := h.now.Add(100 * time.Millisecond); busy && tick.Before(next) {
			next = tick
		}
		h.base.run(next)
		if next.After(h.now) {
			h.now = next
		}
		if busy {
			h.publish()
		}
		h.work()
		h.look()
		if at, ok := h.hub.due(); ok && !at.After(h.now) {
			h.wrong("something was due at %v and is not done", at.Sub(h.hub.start))
		}
	}
	h.publish()
	h.look()
	if l := &h.hub.crew.lease; d >= 10*time.Minute && (!l.Settled() || l.offer.user != 0 || len(l.requests) > 0) {
		h.wrong("after %v in which nobody did anything, control is still waiting for something: %+v", d, *l)
	}
}

// publish shows the robot's state to the hub.
func (h *history) publish() {
	h.hub.latest.Store(h.state())
	h.work()
}

// state is the robot's state now.
func (h *history) state() *robot.State {
	s := &robot.State{Time: h.now, Mode: robot.ModeReady, Twist: robot.Twist{Linear: h.base.speed}}
	if h.base.by != "" {
		s.Stop = &robot.StopState{By: h.base.by, At: h.now}
	}
	goal := h.base.goal
	switch {
	case h.base.job:
		s.Run = &robot.Run{Number: goal.Number, Phase: map[robot.GoalPhase]robot.RunPhase{
			robot.GoalDriving: robot.RunRunning, robot.GoalPaused: robot.RunPaused, robot.GoalEnded: robot.RunEnded,
		}[goal.Phase]}
	case goal.Number != 0:
		s.Goal = &goal
	}
	return s
}

// look has everybody take what was sent, and the witness hear it.
func (h *history) look() {
	h.work()
	for _, c := range h.clients {
		h.collect(c)
	}
	h.hear(h.witness)
	if h.witness.user == nil {
		h.wrong("the witness was sent away")
	}
	l := &h.hub.crew.lease
	if _, grace := l.FreeAt(); l.Holder != 0 && !grace && !slices.Contains(h.hub.crew.people.drivers(), l.Holder) {
		h.wrong("%d has control, is not here and is not waited for", l.Holder)
	}
	if l.Epoch != h.epoch || l.Holder != h.holder {
		h.wrong("%d has control under epoch %d, and it was told that %d has it under epoch %d", l.Holder, l.Epoch, h.holder, h.epoch)
	}
}

// A base is the robot of a history. It speeds up at once, so that the worst is
// expected of it, and slows down at brake.
type base struct {
	*history
	brake  float64   // m/s2
	by     string    // who stopped it; "" = nobody
	want   float64   // m/s
	until  time.Time // when the wish is over
	speed  float64   // m/s
	at     time.Time // of the speed
	halted time.Time // first halt since it was told to move
	goal   robot.Goal
	job    bool      // the goal is that of a job, of which only a run is told
	there  time.Time // when it arrives
}

// How fast a base goes to its goal, in m/s, and for how long.
const (
	goingSpeed = 0.4
	goingFor   = 15 * time.Second
)

// going tells whether the base is on its way to a goal.
func (b *base) going() bool { return b.goal.Phase == robot.GoalDriving }

func (b *base) moving() bool { return !stands(robot.Twist{Linear: b.speed}) }

// run lets the base move until the time t.
func (b *base) run(t time.Time) {
	if b.want != 0 && b.until.After(t) {
		b.at = t
		return
	}
	if b.want != 0 {
		b.want, b.at = 0, b.until
	}
	if b.going() {
		if b.speed, b.at = goingSpeed, t; t.Before(b.there) {
			return
		}
		b.goal.Phase, b.at = robot.GoalEnded, b.there
	}
	if d := t.Sub(b.at); d > 0 {
		b.speed = max(0, b.speed-b.brake*d.Seconds())
		b.at = t
	}
	if !b.moving() {
		b.mustRest = false
	}
}

// Stop latches.
func (b *base) Stop(by string) {
	if b.by == "" {
		b.by = by
	}
	b.pause()
	b.halt()
}

// pause ends the way until it is resumed.
func (b *base) pause() {
	b.run(b.now)
	if b.going() {
		b.goal.Phase, b.halted = robot.GoalPaused, b.now
	}
}

// setOut begins to go, or goes on, and checks that it may.
func (b *base) setOut() robot.Result {
	e, l := b.errander, &b.hub.crew.lease
	switch {
	case e == nil || !b.isHolder(e.by) || e.user != nil && e.user.person == nil || e.lease != l.Epoch:
		b.wrong("the robot was sent to a goal by somebody without control, or with an old lease")
	case l.passing || b.mustRest:
		b.wrong("the robot was sent to a goal while control changes hands")
	case b.by != "":
		return refusal(robot.Panic, "Stopped by "+b.by+".")
	}
	b.goal.Phase, b.there, b.halted = robot.GoalDriving, b.now.Add(goingFor), time.Time{}
	b.want, b.speed, b.at = 0, goingSpeed, b.now
	return robot.Result{Word: robot.Success}
}

func (b *base) halt() {
	b.run(b.now)
	b.want = 0
	if b.halted.IsZero() {
		b.halted = b.now
	}
}

// Do carries out a command and checks that it may be.
func (b *base) Do(ctx context.Context, cmd robot.Command) robot.Result {
	b.run(b.now)
	switch cmd := cmd.(type) {
	case robot.Halt:
		if cmd.Goal {
			b.pause()
		}
		if !b.going() {
			b.halt()
		}
	case robot.GoTo:
		r := b.setOut()
		if done(r) {
			b.goal.Number++
			b.job = false
		}
		return r
	case robot.RunJob:
		if b.job && b.goal.Phase != robot.GoalEnded {
			return refusal(robot.Busy, "A job is under way.")
		}
		r := b.setOut()
		if done(r) {
			b.goal.Number++
			b.job = true
		}
		return r
	case robot.Resume, robot.GoAround, robot.ResumeRun:
		if b.goal.Phase == robot.GoalPaused {
			return b.setOut()
		}
	case robot.Pause, robot.PauseRun:
		b.pause()
	case robot.Cancel, robot.EndRun:
		if b.pause(); b.goal.Phase == robot.GoalPaused {
			b.goal.Phase = robot.GoalEnded
		}
	case robot.ClearStop:
		l := &b.hub.crew.lease
		if c := b.unstop; c == nil || b.unlocks != l.Epoch || !b.isHolder(c) {
			b.wrong("the stop was released by somebody without control, or with an old lease")
		}
		b.by = ""
	case robot.Follow:
		return b.Do(ctx, robot.Drive{Twist: cmd.Want, Valid: cmd.Valid})
	case robot.Drive:
		if b.by != "" {
			return refusal(robot.Panic, "Stopped by "+b.by+".")
		}
		if cmd.Twist.IsZero() {
			b.want = 0
			break
		}
		b.check(int(cmd.Twist.Angular) - 1)
		b.pause()
		b.want, b.speed, b.at, b.until, b.halted = cmd.Twist.Linear, cmd.Twist.Linear, b.now, b.now.Add(cmd.Valid), time.Time{}
	}
	return robot.Result{Word: robot.Success}
}

// isHolder tells whether the client is connected and has control.
func (b *base) isHolder(c *client) bool {
	who := b.hub.crew.people.at(c.identity.Browser)
	return who != nil && who.user != nil && who.id == b.hub.crew.lease.Holder && who.role >= Operator
}

// check looks at a sample, by its number, that moves the robot.
func (b *base) check(n int) {
	s, crew := b.samples[n], &b.hub.crew
	switch {
	case !b.isHolder(s.by) || s.user != nil && s.user.person == nil:
		b.wrong("a sample of %s was executed, but %d has control", s.by.identity.Browser, crew.lease.Holder)
	case s.lease != crew.lease.Epoch || s.hold != crew.gate.hold:
		b.wrong("a sample of lease %d, hold %d was executed under %d, %d", s.lease, s.hold, crew.lease.Epoch, crew.gate.hold)
	case crew.lease.passing || b.mustRest:
		b.wrong("a sample was executed while control changes hands")
	case n < b.cut || !slices.ContainsFunc(b.samples[b.cut:n], func(first sample) bool {
		return first.neutral && first.by.identity.Browser == s.by.identity.Browser && first.lease == s.lease && first.hold == s.hold
	}):
		b.wrong("the robot moves without a hand that began again from neutral")
	}
}
