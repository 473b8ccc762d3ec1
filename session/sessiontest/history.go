// Package sessiontest checks the rules of control: it runs a hub in virtual time
// through random histories and reports the first broken rule.
package sessiontest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session"
	"mybot/session/lease"
)

// A Chance decides what happens next in a random history: IntN returns a whole
// number in [0, n).
type Chance interface{ IntN(n int) int }

// CheckHistory runs a hub with a simulated robot through a random history of the
// given number of steps, in virtual time. Clients connect, vanish, come back, open
// second tabs, ask, give, keep, accept, decline, take, drive, send the robot to a
// goal, have it run jobs, which take a while to prepare, stop and release the stop;
// packets arrive late or twice, and pages have not read the latest news.
// CheckHistory returns the first violation: two users in control; control that its
// holder did not want or may not have; a change of control to a user while the
// robot moves; an epoch that does not grow by one at each change; an executed
// command with an old number; motion after a stop or a change without a driver who
// began again from neutral; a drive to a goal that continues under another user's
// control, or that ends because its holder left.
//
// Some clients share a browser, some are observers, some are admins.
func CheckHistory(chance Chance, clients, steps int) error {
	h := newHistory(chance, clients)
	for n := range steps {
		h.doSomething()
		h.checkAll()
		if h.fault != "" {
			return fmt.Errorf("session: step %d, %v in: %s", n, h.now.Sub(start), h.fault)
		}
	}
	return nil
}

// A sample is the numbers that one drive sample was sent with. The robot identifies
// it by its turning speed.
type sample struct {
	by          *client
	user        *session.User // nil = not over a connection
	lease, hold uint64
	neutral     bool
}

// A client is a page, or a program with the same rights.
type client struct {
	identity session.Identity
	tab      string
	user     *session.User // nil = not connected
	mail     []message

	// These are as the client last heard them.
	you         int
	lease, hold uint64
	seq         int
	borrowed    map[lease.Part]uint64 // numbers of its loans
	answer      string                // the word of the newest answer
}

// A message is the part of a frame from the robot that matters here.
type message struct {
	Type, Kind, Elsewhere string
	You                   int
	Hold                  uint64
	Lease                 leaseMessage
	leaseMessage
	People []struct {
		ID      int
		Role    session.Role
		Control bool
	}
	Loans []struct {
		Part lease.Part
		ID   int
		Loan uint64
	}
	Word string
}

type leaseMessage struct {
	Epoch    uint64
	Holder   int
	Requests []struct{ ID int }
	Offer    struct{ ID int }
	Passing  *struct{ To int }
}

// A history is a hub in virtual time, a robot, the clients, and what has happened
// so far.
type history struct {
	chance      Chance
	hub         *session.VirtualHub
	base        *base
	now         time.Time
	clients     []*client
	witness     *client // an observer who misses nothing
	latePackets []func()
	samples     []sample
	fault       string // the first violation

	epoch            uint64 // as the witness last heard it
	holder           int
	holders          map[uint64]int // by epoch, as any client read it
	volunteers       map[int]bool   // users who took or accepted control under this holder
	requesters       map[int]bool   // users who asked this holder for control
	holderGave       bool           // this holder gave control away
	promised         int            // the user who last had the offer; 0 = no one
	active           time.Time      // when the holder last did something
	mayLoseControl   bool           // the holder has done, or failed to do, something that loses control
	firstFreshSample int            // samples before this one are from before a stop or a change of control
	mustRest         bool           // control changed while the robot moved, and the robot has not stood since
	unstop           *client        // the client whose release of the stop is being handled
	unstopLease      uint64         // the lease that was sent with it
	currentTrip      *trip          // the trip that is being handled
	loans            loans
	stops            int   // so far
	awaited          []int // for each job in preparation: the number of stops when it was requested
}

// anyJob prepares every job at once.
type anyJob struct{}

func (anyJob) List() []jobs.Job                                              { return nil }
func (anyJob) Prepare(context.Context, robot.Pose, jobs.Job) (uint64, error) { return 0, nil }
func (anyJob) PrepareChange(context.Context, uint64, robot.Pose, jobs.Job) (uint64, error) {
	return 0, nil
}
func (anyJob) Prepared(uint64) (jobs.PreparedRun, bool) { return jobs.PreparedRun{}, false }
func (anyJob) Discard(uint64)                           {}
func (anyJob) ReplaceSteps(uint64, uint64)              {}

// A trip sends the robot somewhere.
type trip struct {
	by    *client
	user  *session.User // nil = not over a connection
	lease uint64
}

func newHistory(chance Chance, clients int) *history {
	h := &history{chance: chance, holders: map[uint64]int{}, volunteers: map[int]bool{}, requesters: map[int]bool{}}
	h.loans = loans{known: map[lease.Part]*loan{}, numbered: map[uint64]*loan{}, looks: map[float64]int{}, moves: map[float64]int{}}
	h.now = start
	h.base = &base{limbs: newLimbs(h), history: h, brake: []float64{0.5, 2, 0.05}[chance.IntN(3)]}
	h.hub = session.NewVirtualHub(session.Config{Robot: h.base, Description: h.base.limbs.desc, HasMicrophone: true, Jobs: anyJob{}, Log: slog.New(slog.DiscardHandler)}, start)
	h.publishState()
	for i := range clients {
		n := i
		if i%10 == 1 {
			n-- // this client is a second tab of the previous one
		}
		role := session.Operator
		switch {
		case n%7 == 3:
			role = session.Observer
		case n%11 == 5:
			role = session.Admin
		}
		h.clients = append(h.clients, &client{
			identity: session.Identity{Browser: fmt.Sprint("browser ", n), Role: role, Camera: n%2 > 0, Grant: fmt.Sprint("grant ", n)},
			tab:      fmt.Sprint("tab ", i),
		})
	}
	h.witness = &client{identity: session.Identity{Browser: "witness", Role: session.Observer}, tab: "w"}
	h.connectClient(h.witness)
	return h
}

// start is when a history begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// isMember reports whether the connection is that of a person.
func (h *history) isMember(u *session.User) bool {
	_, ok := h.hub.Member(u)
	return ok
}

func (h *history) reportFault(format string, args ...any) {
	if h.fault == "" {
		h.fault = fmt.Sprintf(format, args...)
	}
}

// noteAction notes that a client is about to act.
func (h *history) noteAction(c *client) {
	if who, ok := h.hub.MemberOf(c.identity.Browser); ok && who.Connected && who.ID == h.holder {
		h.active = h.now
	}
}

func (h *history) isOneIn(one int) bool { return h.chance.IntN(one) == 0 }

// doSomething performs one random action.
func (h *history) doSomething() {
	c := h.clients[h.chance.IntN(len(h.clients))]
	if holder := h.clientInControl(); holder != nil && h.isOneIn(3) {
		c = holder // otherwise the driver would rarely act
	}
	if h.isOneIn(8) {
		h.finishPreparing()
	}
	if c.user == nil {
		if h.isOneIn(4) {
			h.deliverLate()
		} else {
			h.connectClient(c)
		}
		return
	}
	switch h.chance.IntN(26) {
	case 0:
		h.disconnectClient(c)
	case 1:
		h.readMail(c)
	case 2, 3:
		h.sendDrive(c)
	case 4:
		h.deliverLate()
	case 5, 6:
		h.driveCorrectly(c)
		if h.isOneIn(2) { // while the robot still moves
			h.sendControl(h.clients[h.chance.IntN(len(h.clients))])
		}
	case 7:
		h.stopRobot(c)
	case 8:
		h.releaseStop(c)
	case 9, 10, 11, 12:
		h.sendControl(c)
	case 13:
		h.executeOrder(c)
	case 14, 15:
		h.letTimePass(time.Duration([]int{1, 50, 249, 250, 1000, 2000, 9000, 10_000, 31_000, 61_000, 600_000}[h.chance.IntN(11)]) * time.Millisecond)
		if holder := h.clientInControl(); holder != nil && h.isOneIn(2) {
			h.driveCorrectly(holder)
		}
	case 16: // a client asks an idle holder
		h.letTimePass(lease.IdleAfter - lease.AnswerTimeout)
		h.requestControl(c, "request", "")
		h.letTimePass(lease.AnswerTimeout)
	case 17:
		h.takeWhileMoving(c)
	case 18, 19:
		h.sendSomewhere(c)
	case 20, 21:
		if holder := h.clientInControl(); holder != nil {
			c = holder
			h.releaseStop(c)
		}
		h.sendSomewhere(c)
	case 22:
		h.sendPart(c)
	case 23:
		h.lendPart(c)
	case 24:
		h.takePart()
	case 25:
		h.usePart(c)
	}
}

// sendSomewhere sends the robot to a goal, or commands the current goal. The client
// may not have heard the latest news.
func (h *history) sendSomewhere(c *client) {
	h.checkAll()
	if !h.isOneIn(4) {
		h.readMail(c)
	}
	if c.user == nil {
		return
	}
	lease := c.lease
	if h.isOneIn(8) {
		lease = h.hub.Lease().Epoch
	}
	h.currentTrip = &trip{c, c.user, lease}
	if h.isMember(c.user) {
		h.noteAction(c)
	}
	switch h.chance.IntN(4) {
	case 0:
		h.sendFrame(c, `{"type":"goto","id":1,"lease":%d,"goal":[1,2,3]}`, lease)
	case 1:
		h.sendFrame(c, `{"type":"goal","id":1,"lease":%d,"action":%q}`, lease, []string{"pause", "resume", "cancel", "around"}[h.chance.IntN(4)])
	default:
		h.sendJob(c, lease)
	}
	h.currentTrip = nil
}

// sendJob has the robot run a job, or commands the current run.
func (h *history) sendJob(c *client, lease uint64) {
	if h.isOneIn(3) {
		h.sendFrame(c, `{"type":"job","id":1,"lease":%d,"action":%q}`, lease, []string{"pause", "resume", "skip", "end", "ok"}[h.chance.IntN(5)])
		return
	}
	h.sendFrame(c, `{"type":"job","id":1,"lease":%d,"action":"run","name":"A","steps":[{"type":"WAIT","seconds":15}]}`, lease)
	if h.hub.Preparing() > len(h.awaited) {
		h.awaited = append(h.awaited, h.stops)
	}
	if h.isOneIn(2) {
		h.finishPreparing()
	}
}

// finishPreparing completes the preparation of a job.
func (h *history) finishPreparing() {
	if len(h.awaited) == 0 {
		return
	}
	m := h.hub.NextPrepared()
	begun := h.base.goal.Number
	h.currentTrip = &trip{user: m.User, lease: m.Lease}
	for _, c := range h.clients {
		if c.identity.Browser == m.Browser {
			h.currentTrip.by = c
		}
	}
	h.hub.FinishPrepared(m)
	h.stepHub()
	if h.base.goal.Number != begun && h.stops != h.awaited[0] {
		h.reportFault("a job began that was asked for before a stop")
	}
	h.currentTrip, h.awaited = nil, h.awaited[1:]
}

// takeWhileMoving has the client take control while the robot moves. The client may
// vanish before it gets control, and may drive as soon as it has it.
func (h *history) takeWhileMoving(c *client) {
	if holder := h.clientInControl(); holder != nil {
		h.driveCorrectly(holder)
	}
	h.requestControl(c, "take", "")
	h.checkAll()
	if h.isOneIn(4) && c.user != nil {
		h.disconnectClient(c)
	}
	h.letTimePass(lease.StandTimeout)
	if c.user != nil {
		h.driveCorrectly(c)
	}
}

// clientInControl returns the client of the holder; nil = it has none.
func (h *history) clientInControl() *client {
	for _, c := range h.clients {
		if c.user == nil {
			continue
		}
		if who, ok := h.hub.Member(c.user); ok && who.ID == h.hub.Lease().Holder {
			return c
		}
	}
	return nil
}

func (h *history) connectClient(c *client) {
	u, err := h.hub.Join(c.identity, h.now)
	if err != nil {
		h.reportFault("a client was not let in: %v", err)
		return
	}
	c.user, c.seq, c.mail, c.borrowed = u, 0, nil, nil
	if c.identity.Role >= session.Operator && !slices.ContainsFunc(h.clients, func(other *client) bool {
		return other.user != nil && h.isMember(other.user) && other.identity.Role >= session.Operator
	}) {
		// The first client drives; its id is known after the welcome.
		defer func() { h.volunteers[c.you] = true }()
	}
	h.sendFrame(c, `{"type":"hello","protocol":"mybot.v1","tab":%q,"build":"0.1.0"}`, c.tab)
	h.readMail(c)
}

func (h *history) disconnectClient(c *client) {
	sent := h.isOneIn(6) // leaves instead, with its other tabs
	who, known := h.hub.MemberBehind(c.user)
	loses := known && who.Connected && who.ID == h.holder && (sent || h.isMember(c.user))
	h.mayLoseControl = h.mayLoseControl || loses
	going := h.base.isGoing()
	if sent {
		h.endLoans(func(l *loan) bool { return l.browser == c.identity.Browser })
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
	h.stepHub()
	if loses && h.base.want != 0 {
		h.reportFault("%d is gone and the robot was not halted", h.holder)
	}
	switch {
	case loses && sent && h.hub.Lease().Heir() == who.ID:
		h.reportFault("%d was sent away and still has control", h.holder)
	case loses && sent && h.base.isGoing():
		h.reportFault("%d was sent away and the robot goes on", h.holder)
	case !sent && going && !h.base.isGoing():
		h.reportFault("somebody left and the robot does not go on")
	}
}

// sendFrame sends a frame and has the hub handle it.
func (h *history) sendFrame(c *client, format string, args ...any) {
	h.hub.Receive(c.user, fmt.Appendf(nil, format, args...), h.now)
	h.stepHub()
}

// skipTo skips the time that the hub waits for the robot.
func (h *history) skipTo(t time.Time) { h.now = t }

func (h *history) stepHub() { h.hub.Step(h.now) }

// collectMail collects what the robot sends to the client, who reads it later.
func (h *history) collectMail(c *client) {
	for c.user != nil {
		frame, isState, ok := h.hub.Take(c.user)
		switch {
		case !ok:
			return
		case frame == nil || bytes.HasPrefix(frame, []byte(`{"type":"bye"`)):
			c.user.Leave()
			c.user = nil
			h.stepHub()
		case isState:
			h.hub.Acknowledge(c.user)
		case bytes.HasPrefix(frame, []byte(`{"type":"result","id":9,`)):
			var m message
			if err := json.Unmarshal(frame, &m); err != nil {
				h.reportFault("the robot sent %s: %v", frame, err)
			}
			c.answer = m.Word
		case bytes.HasPrefix(frame, []byte(`{"type":"welcome"`)), bytes.HasPrefix(frame, []byte(`{"type":"event","kind":"parts"`)), bytes.HasPrefix(frame, []byte(`{"type":"hold"`)),
			bytes.HasPrefix(frame, []byte(`{"type":"event","kind":"lease"`)),
			c == h.witness && bytes.HasPrefix(frame, []byte(`{"type":"event","kind":"people"`)):
			var m message
			if err := json.Unmarshal(frame, &m); err != nil {
				h.reportFault("the robot sent %s: %v", frame, err)
			}
			c.mail = append(c.mail, m)
		}
	}
}

// readMail has the client read all collected frames.
func (h *history) readMail(c *client) {
	h.collectMail(c)
	for _, m := range c.mail {
		news := m.leaseMessage
		switch {
		case m.Type == "hold":
			c.hold = m.Hold
			continue
		case m.Kind == "people":
			h.checkRow(m)
			continue
		case m.Kind == "parts":
			c.borrowed = map[lease.Part]uint64{}
			for _, o := range m.Loans {
				if o.ID == c.you {
					c.borrowed[o.Part] = o.Loan
				}
			}
			if c == h.witness {
				h.checkParts(m)
			}
			continue
		case m.Type == "welcome":
			c.you, c.hold, news = m.You, m.Hold, m.Lease
		}
		c.lease = news.Epoch
		if who, known := h.holders[news.Epoch]; known && who != news.Holder {
			h.reportFault("epoch %d was told to be of %d and of %d", news.Epoch, who, news.Holder)
		}
		h.holders[news.Epoch] = news.Holder
		if c == h.witness {
			h.checkLease(news)
		}
	}
	c.mail = nil
}

// checkLease checks one event about control.
func (h *history) checkLease(l leaseMessage) {
	if l.Passing != nil {
		h.firstFreshSample = len(h.samples)
	}
	if l.Offer.ID != 0 && l.Holder != 0 && l.Holder == h.holder {
		if h.now.Sub(h.active) < lease.IdleAfter {
			h.reportFault("control of %d, who is not idle, was offered to %d", l.Holder, l.Offer.ID)
		}
		h.mayLoseControl = true
	}
	defer func() { h.promised = l.Offer.ID }()
	ids := []int{l.Holder, l.Offer.ID}
	for _, r := range l.Requests {
		ids = append(ids, r.ID)
	}
	for _, id := range ids {
		if who, ok := h.hub.MemberByID(id); ok && who.Role < session.Operator {
			h.reportFault("%d is an observer and asks for control, is offered it or has it", id)
		}
	}
	if l.Epoch == h.epoch {
		if l.Holder != h.holder {
			h.reportFault("control went from %d to %d under one epoch", h.holder, l.Holder)
		}
		return
	}
	if l.Epoch != h.epoch+1 {
		h.reportFault("the epoch went from %d to %d", h.epoch, l.Epoch)
	}
	if l.Holder != h.holder {
		h.endLoans(func(*loan) bool { return true })
		if l.Holder != 0 && !h.volunteers[l.Holder] && (!h.holderGave || !h.requesters[l.Holder]) {
			h.reportFault("%d was given control silently", l.Holder)
		}
		if h.promised != 0 && l.Holder != 0 && l.Holder != h.promised && !h.mayLoseControl {
			h.reportFault("%d got control while it was offered to %d", l.Holder, h.promised)
		}
		if h.holder != 0 && !h.mayLoseControl {
			h.reportFault("control was taken from %d", h.holder)
		}
		h.volunteers, h.requesters, h.holderGave, h.mayLoseControl = map[int]bool{}, map[int]bool{}, false, false
	}
	h.active = h.now
	switch {
	case h.base.isGoing() && l.Holder == 0: // the holder stayed away
	case h.base.isGoing():
		h.reportFault("the robot goes on to its goal under the control of %d, who has not resumed it", l.Holder)
	case h.base.isMoving():
		if h.base.halted.IsZero() || h.now.Sub(h.base.halted) < lease.StandTimeout {
			h.reportFault("control went from %d to %d while the robot moves at %.2f m/s", h.holder, l.Holder, h.base.speed)
		}
		h.mustRest = true
	}
	h.epoch, h.holder, h.firstFreshSample = l.Epoch, l.Holder, len(h.samples)
}

// checkRow checks the row of people.
func (h *history) checkRow(m message) {
	holders := 0
	for _, e := range m.People {
		if e.Control {
			holders++
			if e.Role < session.Operator {
				h.reportFault("%d is an observer and has control", e.ID)
			}
		}
	}
	if holders > 1 {
		h.reportFault("%d people have control", holders)
	}
}

// sendDrive sends one or two samples, which may be late or carry old or guessed
// numbers. An earlier state may reach the hub after them.
func (h *history) sendDrive(c *client) {
	if h.isOneIn(2) {
		h.readMail(c)
	}
	if c.user == nil {
		return
	}
	s := sample{by: c, user: c.user, lease: c.lease, hold: c.hold, neutral: h.isOneIn(2)}
	epoch, hold := h.hub.Lease().Epoch, h.hub.Gate().Epoch()
	switch h.chance.IntN(12) {
	case 0:
		s.lease, s.hold = epoch, hold
	case 1:
		s.lease, s.hold = max(epoch, 1)-1, hold
	case 2:
		s.lease, s.hold = epoch, hold-1
	}
	if h.isOneIn(4) {
		h.hub.Publish(h.robotState())
	}
	h.sendSample(c, s, h.isOneIn(4))
	if s.neutral && h.isOneIn(2) {
		s.neutral = false
		h.sendSample(c, s, false)
	}
	if h.isOneIn(2) {
		h.stepHub()
	}
}

func (h *history) sendSample(c *client, s sample, late bool) {
	h.samples = append(h.samples, s)
	c.seq++
	v, w := 0.45, float64(len(h.samples))
	if s.neutral {
		v, w = 0, 0
	}
	path := ""
	if h.isOneIn(2) {
		path = `,"vr":[0,0,0,0,0,0]`
	}
	frame := fmt.Appendf(nil, `{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":1,"v":%g,"w":%g%s}`, s.lease, s.hold, c.seq, v, w, path)
	send := func() {
		if h.isMember(s.user) {
			h.noteAction(c)
		}
		h.hub.Receive(s.user, frame, h.now)
	}
	if late {
		h.latePackets = append(h.latePackets, send)
		return
	}
	send()
}

// deliverLate delivers a late packet, or delivers it again.
func (h *history) deliverLate() {
	if len(h.latePackets) > 0 {
		h.latePackets[h.chance.IntN(len(h.latePackets))]()
		h.stepHub()
	}
}

// driveCorrectly drives without mistakes: it moves the robot for a person who has
// control and may drive.
func (h *history) driveCorrectly(c *client) {
	h.stepHub()
	h.readMail(c)
	if c.user == nil {
		return
	}
	c.seq = max(c.seq, int(h.hub.Gate().Seq())) // an order may have used the number
	for _, neutral := range []bool{true, false} {
		h.sendSample(c, sample{c, c.user, c.lease, c.hold, neutral}, false)
		h.stepHub()
	}
	l := h.hub.Lease()
	if who, ok := h.hub.Member(c.user); ok && who.ID == l.Holder && l.Settled() && h.base.by == "" && h.base.want == 0 {
		h.reportFault("%d has control, nothing is in the way, and yet a press moves nothing", who.ID)
	}
}

func (h *history) stopRobot(c *client) {
	h.stepHub()
	h.stops++
	switch h.chance.IntN(3) {
	case 0:
		h.noteAction(c)
		h.hub.Receive(c.user, []byte(`{"type":"stop","id":1}`), h.now)
	case 1:
		h.hub.Stop("the form", h.now)
	default:
		h.base.Stop("a button on it")
		h.publishState()
	}
	if h.base.by == "" {
		h.reportFault("a stop did not reach the robot before the call returned")
	}
	h.firstFreshSample = len(h.samples)
	h.stepHub()
}

func (h *history) releaseStop(c *client) {
	if !h.isOneIn(4) {
		h.readMail(c)
	}
	if c.user == nil {
		return
	}
	h.unstop, h.unstopLease = c, c.lease
	if h.isMember(c.user) {
		h.noteAction(c)
	}
	h.sendFrame(c, `{"type":"unstop","id":1,"lease":%d}`, c.lease)
	h.unstop = nil
}

func (h *history) sendControl(c *client) {
	h.collectMail(c)
	if c.user == nil {
		return
	}
	l := h.hub.Lease()
	action := []string{"take", "release", "request", "request", "cancel", "give", "keep", "accept", "decline", "here"}[h.chance.IntN(10)]
	if who, ok := h.hub.Member(c.user); ok && h.isOneIn(2) {
		switch { // do what fits the situation
		case l.Offered().User == who.ID:
			action = "accept"
		case l.Has(who.ID) && len(l.Requests()) > 0:
			action = "give"
		}
	}
	rest := ""
	if action == "give" || action == "keep" {
		to := 1 + h.chance.IntN(len(h.clients))
		if len(l.Requests()) > 0 && !h.isOneIn(4) {
			to = l.Requests()[h.chance.IntN(len(l.Requests()))].User
		}
		rest = fmt.Sprintf(`,"to":%d`, to)
	}
	h.requestControl(c, action, rest)
}

// requestControl sends a control request of the client.
func (h *history) requestControl(c *client, action, rest string) {
	if c.user == nil {
		return
	}
	if who, ok := h.hub.MemberBehind(c.user); ok {
		holder := who.ID == h.holder
		switch action {
		case "take", "accept", "here":
			h.volunteers[who.ID] = true
		case "request":
			h.requesters[who.ID] = true
		}
		h.holderGave = h.holderGave || holder && action == "give"
		h.mayLoseControl = h.mayLoseControl || holder && (action == "give" || action == "release") || action == "take" && who.Role == session.Admin
	}
	if h.isMember(c.user) {
		h.noteAction(c)
	}
	h.sendFrame(c, `{"type":"control","id":1,"action":%q%s}`, action, rest)
	if who, ok := h.hub.Member(c.user); ok && action == "here" {
		h.volunteers[who.ID] = true // a person who was forgotten has a new number now
	}
}

// executeOrder acts as a client without a page.
func (h *history) executeOrder(c *client) {
	o := session.Order{Lease: h.hub.Lease().Epoch, DriveEpoch: h.hub.Gate().Epoch(), Seq: uint64(1000 + len(h.samples))}
	switch h.chance.IntN(5) {
	case 0:
		o.Command = robot.Halt{Reason: "enough"}
	case 4:
		o.Command = robot.GoTo{Name: "there"}
		h.currentTrip = &trip{c, nil, o.Lease}
	case 1:
		o.Command = robot.ClearStop{}
		h.unstop, h.unstopLease = c, o.Lease
	default:
		s := sample{by: c, lease: o.Lease, hold: o.DriveEpoch, neutral: h.isOneIn(2)}
		h.samples = append(h.samples, s)
		d := robot.Drive{}
		if !s.neutral {
			d.Twist = robot.Twist{Linear: 0.45, Angular: float64(len(h.samples))}
		}
		o.Command = d
	}
	h.noteAction(c)
	h.hub.Execute(c.identity, o, h.now)
	h.unstop, h.currentTrip = nil, nil
}

// letTimePass advances the time; whatever becomes due happens at its time.
func (h *history) letTimePass(d time.Duration) {
	end := h.now.Add(d)
	for h.now.Before(end) && h.fault == "" {
		next := end
		if at, ok := h.hub.NextDeadline(); ok && at.Before(next) {
			next = at
		}
		busy := h.base.isMoving() || !h.hub.Lease().Settled() || !h.hub.IsStanding()
		tick := h.now.Add(100 * time.Millisecond)
		if h.base.limbs.isActive() {
			busy, tick = true, h.now.Add(reading)
		}
		if busy && tick.Before(next) {
			next = tick
		}
		h.base.runUntil(next)
		if next.After(h.now) {
			h.now = next
		}
		if busy {
			h.publishState()
		}
		h.stepHub()
		h.checkAll()
		if at, ok := h.hub.NextDeadline(); ok && !at.After(h.now) {
			h.reportFault("something was due at %v and is not done", at.Sub(start))
		}
	}
	h.publishState()
	h.checkAll()
	if l := h.hub.Lease(); d >= 10*time.Minute && (!l.Settled() || l.Offered().User != 0 || len(l.Requests()) > 0) {
		h.reportFault("after %v in which nobody did anything, control is still waiting for something: %+v", d, *l)
	}
}

// publishState publishes the robot's state to the hub.
func (h *history) publishState() {
	h.hub.Publish(h.robotState())
	h.stepHub()
}

// robotState returns the robot's current state.
func (h *history) robotState() *robot.State {
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

// checkAll has all clients collect their frames, and the witness read them.
func (h *history) checkAll() {
	h.stepHub()
	for _, c := range h.clients {
		h.collectMail(c)
	}
	h.readMail(h.witness)
	if h.witness.user == nil {
		h.reportFault("the witness was sent away")
	}
	h.noteAway()
	l := h.hub.Lease()
	if _, grace := l.FreeAt(); l.Holder != 0 && !grace && !slices.Contains(h.hub.Drivers(), l.Holder) {
		h.reportFault("%d has control, is not here and is not waited for", l.Holder)
	}
	if l.Epoch != h.epoch || l.Holder != h.holder {
		h.reportFault("%d has control under epoch %d, and it was told that %d has it under epoch %d", l.Holder, l.Epoch, h.holder, h.epoch)
	}
}

// A base is the robot of a history. It accelerates at once, as the worst case, and
// brakes at brake.
type base struct {
	*history
	limbs  *limbs
	brake  float64   // m/s2
	by     string    // who stopped it; "" = no one
	want   float64   // m/s
	until  time.Time // when the velocity request expires
	speed  float64   // m/s
	at     time.Time // of the speed
	halted time.Time // first halt since it began to move
	goal   robot.Goal
	job    bool      // the goal belongs to a job, and the state shows only a run
	there  time.Time // when it arrives
}

// Speed of a base on its way to a goal, in m/s, and duration of the drive.
const (
	goingSpeed = 0.4
	goingFor   = 15 * time.Second
)

// isGoing reports whether the base is on its way to a goal.
func (b *base) isGoing() bool { return b.goal.Phase == robot.GoalDriving }

func (b *base) isMoving() bool { return !session.IsStanding(robot.Twist{Linear: b.speed}) }

// runUntil moves the base until time t.
func (b *base) runUntil(t time.Time) {
	b.limbs.runUntil(t)
	if b.want != 0 && b.until.After(t) {
		b.at = t
		return
	}
	if b.want != 0 {
		b.want, b.at = 0, b.until
	}
	if b.isGoing() {
		if b.speed, b.at = goingSpeed, t; t.Before(b.there) {
			return
		}
		b.goal.Phase, b.at = robot.GoalEnded, b.there
	}
	if d := t.Sub(b.at); d > 0 {
		b.speed = max(0, b.speed-b.brake*d.Seconds())
		b.at = t
	}
	if !b.isMoving() {
		b.mustRest = false
	}
}

// Stop latches.
func (b *base) Stop(by string) {
	if b.by == "" {
		b.noteStop()
		b.by = by
	}
	b.limbs.passStop(by)
	b.pauseGoal()
	b.haltBase()
}

// pauseGoal pauses the drive to the goal until it is resumed.
func (b *base) pauseGoal() {
	b.runUntil(b.now)
	if b.isGoing() {
		b.goal.Phase, b.halted = robot.GoalPaused, b.now
	}
}

// startGoal begins or continues the drive to the goal, and checks that it is
// allowed.
func (b *base) startGoal() robot.Result {
	e, l := b.currentTrip, b.hub.Lease()
	switch {
	case e == nil || !b.isHolder(e.by) || e.user != nil && !b.isMember(e.user) || e.lease != l.Epoch:
		b.reportFault("the robot was sent to a goal by somebody without control, or with an old lease")
	case l.IsPassing() || b.mustRest:
		b.reportFault("the robot was sent to a goal while control changes hands")
	case b.by != "":
		return robot.Result{Word: robot.Panic, Reason: "Stopped by " + b.by + "."}
	}
	b.goal.Phase, b.there, b.halted = robot.GoalDriving, b.now.Add(goingFor), time.Time{}
	b.want, b.speed, b.at = 0, goingSpeed, b.now
	return robot.Result{Word: robot.Success}
}

func (b *base) haltBase() {
	b.runUntil(b.now)
	b.want = 0
	if b.halted.IsZero() {
		b.halted = b.now
	}
}

// Do executes a command and checks that it is allowed.
func (b *base) Do(ctx context.Context, cmd robot.Command) robot.Result {
	b.runUntil(b.now)
	switch cmd := cmd.(type) {
	case robot.Halt:
		if cmd.Goal {
			b.pauseGoal()
		}
		if !b.isGoing() {
			b.haltBase()
		}
		b.limbs.passOrder(cmd)
	case robot.Lend:
		return b.limbs.passOrder(cmd)
	case robot.Look, robot.MoveJoints:
		return b.movePart(cmd)
	case robot.GoTo:
		r := b.startGoal()
		if r.Done() {
			b.goal.Number++
			b.job = false
		}
		return r
	case robot.RunJob:
		if b.job && b.goal.Phase != robot.GoalEnded {
			return robot.Result{Word: robot.Busy, Reason: "A job is under way."}
		}
		r := b.startGoal()
		if r.Done() {
			b.goal.Number++
			b.job = true
		}
		return r
	case robot.Resume, robot.GoAround, robot.ResumeRun:
		if b.goal.Phase == robot.GoalPaused {
			return b.startGoal()
		}
	case robot.Pause, robot.PauseRun:
		b.pauseGoal()
	case robot.Cancel, robot.EndRun:
		if b.pauseGoal(); b.goal.Phase == robot.GoalPaused {
			b.goal.Phase = robot.GoalEnded
		}
	case robot.ClearStop:
		l := b.hub.Lease()
		if c := b.unstop; c == nil || b.unstopLease != l.Epoch || !b.isHolder(c) {
			b.reportFault("the stop was released by somebody without control, or with an old lease")
		}
		b.by = ""
		return b.limbs.passOrder(cmd)
	case robot.Follow:
		return b.Do(ctx, robot.Drive{Twist: cmd.Want, Valid: cmd.Valid})
	case robot.Drive:
		if b.by != "" {
			return robot.Result{Word: robot.Panic, Reason: "Stopped by " + b.by + "."}
		}
		if cmd.Twist.IsZero() {
			b.want = 0
			b.limbs.passOrder(cmd)
			break
		}
		b.checkSample(int(cmd.Twist.Angular) - 1)
		b.pauseGoal()
		b.want, b.speed, b.at, b.until, b.halted = cmd.Twist.Linear, cmd.Twist.Linear, b.now, b.now.Add(cmd.Valid), time.Time{}
		b.limbs.passOrder(cmd)
	}
	return robot.Result{Word: robot.Success}
}

// movePart moves the head or the arm, and checks that it is allowed.
func (b *base) movePart(cmd robot.Command) robot.Result {
	r := b.limbs.passOrder(cmd)
	if !r.Done() {
		return r
	}
	b.noteCommand(cmd)
	if move, ok := cmd.(robot.MoveJoints); ok {
		b.limbs.movedBy = b.loans.moves[move.At[movedJoint]]
	}
	return r
}

// isHolder reports whether the client is connected and has control.
func (b *base) isHolder(c *client) bool {
	who, ok := b.hub.MemberOf(c.identity.Browser)
	return ok && who.Connected && who.ID == b.hub.Lease().Holder && who.Role >= session.Operator
}

// checkSample checks a sample, given its number, that moves the robot.
func (b *base) checkSample(n int) {
	s, l, epoch := b.samples[n], b.hub.Lease(), b.hub.Gate().Epoch()
	switch {
	case !b.isHolder(s.by) || s.user != nil && !b.isMember(s.user):
		if b.hasBorrowed(s.by) {
			b.loans.BaseMovedByBorrower++
		}
		b.reportFault("a sample of %s was executed, but %d has control", s.by.identity.Browser, l.Holder)
	case s.lease != l.Epoch || s.hold != epoch:
		b.reportFault("a sample of lease %d, hold %d was executed under %d, %d", s.lease, s.hold, l.Epoch, epoch)
	case l.IsPassing() || b.mustRest:
		b.reportFault("a sample was executed while control changes hands")
	case n < b.firstFreshSample || !slices.ContainsFunc(b.samples[b.firstFreshSample:n], func(first sample) bool {
		return first.neutral && first.by.identity.Browser == s.by.identity.Browser && first.lease == s.lease && first.hold == s.hold
	}):
		b.reportFault("the robot moves without a hand that began again from neutral")
	}
}
