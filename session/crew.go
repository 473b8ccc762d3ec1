package session

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"time"

	"mybot/link"
	"mybot/robot"
)

// How often the row of people is sent: soon when somebody comes, goes or is
// renamed, less often for round trips alone, and more rarely in a crowd.
const (
	rowSoon       = 100 * time.Millisecond
	rowSoonEach   = 5 * time.Millisecond
	rowRelaxed    = time.Second
	rowRelaxedOne = 50 * time.Millisecond
)

// A stopped says who stopped the robot, as the people know it.
type stopped struct {
	by    string
	id    int // 0 = from outside the page
	at    time.Time
	entry string // who it was, in the audit log
}

// message returns the stop as it is sent; nil = not stopped.
func (s *stopped) message() *stopMessage {
	if s == nil {
		return nil
	}
	return &stopMessage{By: s.by, ID: s.id, At: moment(s.at)}
}

// A doer has commands executed by the robot.
type doer interface {
	Do(cmd robot.Command) robot.Result
	Stop(by string)
}

// A naming is a name on its way to where names are kept.
type naming struct {
	user *User
	id   uint64 // of the command
	name string
	err  error // it could not be kept
}

// A crew is the people around one robot and what they may do: every decision
// of this room. The hub's goroutine calls it. It starts nothing and has no
// clock, and what it tells the pages goes to their outboxes, which never wait.
type crew struct {
	robot   doer
	alarm   *alarm
	lines   *slog.Logger
	audit   Audit                  // nil = nothing is recorded
	world   World                  // nil = there is a real one
	network *link.Network          // nil = there is a real one
	motions Motions                // nil = drives are not kept
	jobs    Jobs                   // nil = none are run
	ready   func(m making) bool    // begins to make a job ready, prepared follows; false = not now
	shelve  func(s shelving) bool  // begins to do what motions has to, shelved follows; false = not now
	common  welcomeMessage         // what everybody is welcomed with
	keep    func(name naming) bool // begins to write a name down, renamed follows; false = not now; nil = names are not kept

	people  people
	lease   Lease
	gate    gate
	stopped *stopped
	watch   watch

	pose  robot.Pose // of base_link in map, as it was seen last
	posed time.Time  // when; the zero time = it was not seen yet
	start time.Time  // zero of the robot's clock

	standing bool   // the robot was measured standing, its queue empty, after the last order to move; it begins so
	ordered  bool   // to move; what was measured before does not count
	why      string // the change of control that is under way
	goesOn   bool   // it leaves the robot on its way to a goal

	drives recorder
	replay replay

	goal  *robot.Goal // the newest that was seen; nil = none yet
	route []byte      // the event of its route; nil = the robot is on its way to nowhere
	chart []byte      // the event of the map that was saved last; nil = none was

	run     *robot.Run // the newest that was seen; nil = none yet
	over    uint64     // the number of the run that was ended last by somebody, which a state may not show yet
	changes int        // how often it was told
	runNews []byte     // its event; nil = there was none yet
	ways    []byte     // what of it tells its ways; nil = it is to be made anew

	worldly  bool      // the world has changed
	worldAt  time.Time // when it was told last
	plans    budget    // of everybody
	comings  budget    // lines about people who came or went
	watchers budget    // lines of the audit log about observers who came
	stoppers stoppers  // who stops the robot again and again

	direct  []*User     // to whom the newest state goes without their write pumps
	shown   *stateFrame // the newest state that was sent
	urgent  bool        // the next state does not wait for its turn
	cleared bool        // states from before show a stop that was released

	row      bool      // the row has changed
	rtts     bool      // only round trips in it have
	rowAt    time.Time // when it was sent last
	refusals uint64
}

func newCrew(r doer, a *alarm, cfg Config, keep func(naming) bool, common welcomeMessage) crew {
	return crew{
		robot: r, alarm: a, lines: cfg.Log, audit: cfg.Audit, world: cfg.World, network: cfg.Network, motions: cfg.Motions, jobs: cfg.Jobs, keep: keep, common: common,
		people: people{known: map[string]*person{}}, standing: true, stoppers: stoppers{},
		gate: gate{hold: 1, seq: -1},
	}
}

// handle carries out a command of the user, other than a drive sample.
func (c *crew) handle(u *User, cmd any, now time.Time) {
	if greeting, ok := cmd.(hello); ok {
		c.hello(u, greeting, now)
		return
	}
	if u.person == nil {
		c.outside(u, cmd, now)
		return
	}
	if _, quiet := cmd.(clock); !quiet {
		c.input(u.person, now)
	}
	switch cmd := cmd.(type) {
	case unstop:
		c.reply(u, cmd.ID, c.unstop(u.person, cmd, now))
	case control:
		c.reply(u, cmd.ID, c.control(u.person, cmd, now))
	case rename:
		c.rename(u, cmd, now)
	case errand:
		if _, plan := cmd.Command.(robot.Plan); plan {
			cmd.Lease = c.lease.Epoch // it has none that could be old
		}
		c.replyTo(u, cmd.ID, cmd.Lease, c.errand(u.person, cmd.Lease, cmd.Command, now))
	case world:
		c.replyTo(u, cmd.ID, cmd.Lease, c.change(u.person, cmd, now))
	case bend:
		c.replyTo(u, cmd.ID, cmd.Lease, c.bend(u.person, cmd, now))
	case rtc:
		c.offer(u, cmd, now)
	case motion:
		c.motion(u, cmd, now)
	case job:
		c.job(u, cmd, now)
	case look:
		c.replyTo(u, cmd.ID, cmd.Lease, c.look(u.person, cmd.Lease, cmd.Look, now))
	case clock:
		c.roundTrip(u.person, cmd.RTT)
	}
}

// hello welcomes a person: a new one, or one who comes back. A browser is one
// person: while its person is in another tab, this one only watches.
func (c *crew) hello(u *User, h hello, now time.Time) {
	switch {
	case u.greeted():
		c.answer(u, resultMessage{Word: robot.Error, Reason: `hello: it was sent already; it should be sent once per connection.`})
		return
	case h.Protocol != Protocol:
		c.refusals++
		u.bye(fmt.Sprintf("This page speaks %s and the robot speaks %s. Reload the page.", clip(h.Protocol), Protocol), false)
		return
	}
	c.expire(now)
	u.tab = h.Tab
	if who := c.people.at(u.identity.Browser); who != nil && who.user != nil && who.user.tab != h.Tab {
		u.aside = true
		u.setName(who.name)
		c.people.aside = append(c.people.aside, u)
		c.welcome(u, who, nil, now)
		return
	}
	who, again, kept := c.people.enter(u.identity.Browser)
	who.grant = u.identity.Grant
	switch {
	case h.Name != "" && !who.mayNotBe(h.Name):
		who.name = c.people.nameFor(h.Name, who)
	case again:
	case u.stored != "":
		who.name = c.people.nameFor(u.stored, who)
	case properName(u.identity.Name):
		who.name = c.people.nameFor(u.identity.Name, who)
	}
	var back *backMessage
	text := who.name + " is here."
	if again {
		last := who.last
		if who.user != nil {
			last = who.user.lastHeard()
		}
		back = &backMessage{After: number(max(0, now.Sub(last)).Seconds())}
		text = who.name + " is back."
	}
	if old := who.user; old != nil {
		old.person, who.user = nil, nil
		old.bye(elsewhere, false)
		if c.lease.Holder == who.id {
			c.giveUp(who.name+" connected again.", false)
		}
	}
	c.arrive(u, who, again, kept, now)
	c.welcome(u, who, back, now)
	c.cameOrWent(text, now, "remote", u.identity.Remote)
}

// cameOrWent tells of somebody who came or went, unless many do.
func (c *crew) cameOrWent(text string, now time.Time, details ...any) {
	if c.comings.take(now, comingsPerSecond) {
		c.log(iconPerson, text, now, details...)
	}
}

// arrive makes the user the person's connection.
func (c *crew) arrive(u *User, who *person, again, kept bool, now time.Time) {
	c.row = true
	who.grant = u.identity.Grant
	if role := u.identity.Role; role != who.role {
		who.role = role
		if role >= Operator || again || c.watchers.take(now, comingsPerSecond) {
			c.recordBy(now, "role", entry(who.name, who.id, u.identity), fmt.Sprintf("%q is here as %s.", who.name, role))
		}
		if !who.mayDrive() && c.lease.Dismiss(who.id, now) {
			c.pass(who.name+" may no longer drive.", now)
		}
	}
	switch {
	case c.lease.Back(who.id, now):
		c.tellLease(who.name+" is back.", now)
	case c.lease.Holder == 0 && !kept && !c.underWay() && who.mayDrive() && c.people.alone(who) && c.lease.Take(who.id, now): // the first one drives
		c.pass(who.name+" has control.", now)
	}
	who.user, u.person, who.rtt = u, who, nil
	u.setName(who.name)
}

// welcome tells the page of the user, whose person is there or in another tab,
// all that it needs to begin.
func (c *crew) welcome(u *User, who *person, back *backMessage, now time.Time) {
	m := c.common
	m.You, m.Role, m.Camera, m.Hold = who.id, u.identity.Role, u.identity.Camera, c.gate.hold
	if m.Role < Operator && !m.Camera {
		m.Relays = nil // their passwords are for nobody else
	}
	m.Lease = leaseOf(c.lease, now)
	m.People = c.people.entries(&c.lease)
	m.Stop = c.stopped.message()
	if back != nil {
		back.Control = c.lease.Holder == who.id
		m.Back = back
	}
	if u.aside {
		m.Elsewhere = elsewhere
	}
	u.tell(encode(m))
	for _, event := range [][]byte{c.chart, c.worldNow(), c.networkNow(), c.motionsNow(), c.route, c.jobsNow(), c.runNews} {
		if event != nil {
			u.tell(event)
		}
	}
	u.out.greet()
	if c.shown != nil {
		if _, _, direct := u.out.show(c.shown, now); direct {
			u.out.post(c.shown)
		}
	}
}

// leave notes that the connection was lost. A holder has Grace to come back;
// the robot stands at once.
func (c *crew) leave(u *User, now time.Time) {
	if u.aside {
		c.people.aside = without(c.people.aside, u)
	}
	who := u.person
	if who == nil {
		return // it was nobody yet, or another connection has taken its place
	}
	if c.depart(u, now) {
		c.giveUp(who.name+" left.", false)
		at, _ := c.lease.FreeAt()
		text := fmt.Sprintf("%s left. Control will be free in %.0f s.", who.name, at.Sub(now).Seconds())
		c.tellLease(text, now)
		c.record(now, "lease", who, text)
		c.log(iconPerson, text, now)
	} else {
		c.cameOrWent(who.name+" left.", now)
	}
	c.goRound(now)
}

// depart takes the connection from its person, and tells whether a holder's
// grace begins.
func (c *crew) depart(u *User, now time.Time) bool {
	who := u.person
	u.person, who.user = nil, nil
	who.gone, who.last, who.rtt = now, u.lastHeard(), nil
	c.row = true
	return c.lease.Lost(who.id, now)
}

// outside answers what comes before hello, or from a tab that only watches.
func (c *crew) outside(u *User, cmd any, now time.Time) {
	reason := `The first frame should be a "hello".`
	if u.aside {
		reason = elsewhere + " Use it here first."
	}
	m := resultMessage{Word: robot.Error, Reason: reason}
	if id := idOf(cmd); id != 0 {
		m.ID = &id
	}
	switch cmd := cmd.(type) {
	case control:
		if u.aside && cmd.Action == "here" {
			m.Word, m.Reason = robot.Success, ""
			c.here(u, now)
		}
	case drive:
		m.Seq = &cmd.Seq
	case clock:
		if u.aside {
			return
		}
	}
	c.answer(u, m)
}

// drive has a sample that arrived at the time at executed if it is the
// holder's and fresh. A past one has a successor already and only counts as
// heard.
func (c *crew) drive(u *User, d drive, at, now time.Time, past bool) {
	if u.person == nil {
		c.outside(u, d, now)
		return
	}
	c.input(u.person, at)
	r := c.mayDrive(u.person, d, at)
	if done(r) {
		if past {
			c.gate.took(d, at, true)
		} else {
			r = c.execute(d, at, max(0, now.Sub(at)))
		}
	}
	if done(r) {
		u.refused = robot.Result{}
		c.recordDrive(u.person, d, at)
		return
	}
	if r == u.refused { // once for each run of equal refusals
		c.refusals++
	} else {
		u.refused = r
		m := resultMessage{Seq: &d.Seq, Word: r.Word, Reason: r.Reason}
		if d.Hold < c.gate.hold {
			m.Old = "hold"
		}
		c.answerTo(u, d.Lease, m)
	}
}

// mayDrive tells whether the person's sample may be executed: Success, or the
// refusal, which says who may.
func (c *crew) mayDrive(who *person, d drive, at time.Time) robot.Result {
	if r := c.mayMove(); !done(r) {
		return r
	}
	if r := c.mayOrder(who, d.Lease, "Let go and press again."); !done(r) {
		return r
	}
	c.breakOff(at)
	c.takeOver(who, d, at)
	return c.gate.admit(d)
}

// mayMove tells whether no stop is in the way of a motion.
func (c *crew) mayMove() robot.Result {
	switch {
	case c.stopped != nil:
		return refusal(robot.Panic, "Stopped by "+c.stopped.by+". "+c.releaser()+" release it.")
	case c.alarm.pending():
		return refusal(robot.Panic, "The robot is being stopped.")
	}
	return robot.Result{Word: robot.Success}
}

// mayOrder tells whether the person has control under the lease, and the robot
// takes orders: Success, or the refusal, which says who has control. again
// tells what to do when that has just changed.
func (c *crew) mayOrder(who *person, lease uint64, again string) robot.Result {
	switch {
	case c.lease.Holder != who.id && lease < c.lease.Epoch:
		return refusal(robot.Interrupted, c.holding())
	case c.lease.Holder != who.id:
		return refusal(robot.Error, c.holding()+" You can watch and stop the robot.")
	case lease < c.lease.Epoch:
		return refusal(robot.Interrupted, "Control changed, and you have it. "+again)
	case !c.lease.Settled():
		return refusal(robot.Interrupted, "Control is changing hands; the robot must stop first. "+again)
	case lease > c.lease.Epoch:
		return refusal(robot.Error, `"lease" is ahead of the epoch; it should be the one last heard.`)
	}
	return robot.Result{Word: robot.Success}
}

// execute has the robot drive by a sample that has waited for the time age.
func (c *crew) execute(d drive, at time.Time, age time.Duration) robot.Result {
	if d.Path != nil {
		if !d.neutral() {
			c.standing, c.ordered = false, true
		}
		r := c.robot.Do(*d.Path)
		c.gate.followed(d, at, done(r))
		return r
	}
	valid := d.Valid
	if !d.neutral() {
		if valid -= age; valid <= 0 {
			c.gate.late(d, at)
			return robot.Result{Word: robot.Interrupted, Reason: "The sample waited too long and was not executed."}
		}
	}
	if !d.neutral() {
		c.standing, c.ordered = false, true
	}
	r := c.robot.Do(robot.Drive{Twist: d.twist(), Valid: valid})
	c.gate.took(d, at, done(r))
	return r
}

// unstop releases the latch for the holder.
func (c *crew) unstop(who *person, cmd unstop, now time.Time) robot.Result {
	switch {
	case c.lease.Holder == 0:
		return robot.Result{Word: robot.Error, Reason: "Nobody has control. Take control, then release the stop."}
	case c.lease.Holder != who.id:
		return robot.Result{Word: robot.Error, Reason: c.holding() + " Only the person who has control can release the stop."}
	case cmd.Lease != c.lease.Epoch:
		return robot.Result{Word: robot.Interrupted, Reason: "Control changed. Look again, then release the stop."}
	case c.alarm.pending():
		return robot.Result{Word: robot.Panic, Reason: "The robot is being stopped again."}
	case c.stopped == nil:
		return robot.Result{Word: robot.Success}
	}
	if r := c.robot.Do(robot.ClearStop{}); !done(r) {
		return r
	}
	if c.alarm.pending() { // a stop came in between: it may have been released unseen
		c.robot.Stop(c.stopped.by)
	}
	c.stopped, c.cleared, c.urgent = nil, true, true
	c.gate.next() // what was sent before, and comes late, is from a hand of before
	c.tellHold(who.name + " released the stop.")
	c.broadcast(encode(stopEvent{"event", "stop", false, stopMessage{who.name, who.id, moment(now)}}))
	c.log(iconStop, who.name+" released the stop.", now)
	c.record(now, "stop", who, who.name+" released the stop.")
	return robot.Result{Word: robot.Success}
}

// rename begins to write a new name down; renamed ends it.
func (c *crew) rename(u *User, cmd rename, now time.Time) {
	if !u.person.names.take(now, namesPerSecond) {
		c.reply(u, cmd.ID, robot.Result{Word: robot.Busy, Reason: "The name was changed less than a second ago. Try again in a moment."})
		return
	}
	if fault := c.people.nameFault(cmd.Name, u.person); fault != "" {
		c.reply(u, cmd.ID, refusal(robot.Error, fault))
		return
	}
	name := naming{user: u, id: cmd.ID, name: cmd.Name}
	if c.keep == nil {
		c.renamed(name, now)
	} else if !c.keep(name) {
		c.reply(u, cmd.ID, robot.Result{Word: robot.Busy, Reason: "Too many names are being saved. Try again in a moment."})
	}
}

// renamed gives the person the new name once it has been written down.
func (c *crew) renamed(name naming, now time.Time) {
	u := name.user
	if name.err != nil {
		c.reply(u, name.id, robot.Result{Word: robot.Error, Reason: "The name could not be saved. It stays as it was."})
		return
	}
	if who := u.person; who != nil {
		c.record(now, "settings", who, fmt.Sprintf("%q is now called %q.", who.name, name.name))
		who.name = name.name
		u.setName(name.name)
		c.row = true
	}
	c.reply(u, name.id, robot.Result{Word: robot.Success})
}

// roundTrip notes how far away a person's page is.
func (c *crew) roundTrip(who *person, ms *float64) {
	if (ms == nil) != (who.rtt == nil) || ms != nil && math.Round(*ms) != math.Round(*who.rtt) {
		who.rtt, c.rtts = ms, true
	}
}

// alarmed tells everybody of a stop that the robot has had.
func (c *crew) alarmed(stop raise) {
	s := stopped{by: stop.by, at: stop.at}
	who := c.people.of(stop.user)
	if stop.user == nil && stop.from.Browser != "" {
		if who = c.people.at(stop.from.Browser); who != nil {
			s.by = who.name
		}
	}
	if who != nil {
		s.id = who.id
		c.input(who, stop.at)
	}
	s.entry = entry(s.by, s.id, stop.from)
	again := c.stopped == nil && (who == nil || who.id != c.lease.Holder)
	c.halted(s)
	if again {
		c.countStop(stop)
	}
	if stop.user != nil && stop.id != 0 {
		c.reply(stop.user, stop.id, robot.Result{Word: robot.Success})
	}
}

// halted notes that the robot is stopped. The first stop counts.
func (c *crew) halted(s stopped) {
	if c.stopped != nil {
		return
	}
	c.stopped, c.urgent = &s, true
	c.gate.next()
	c.tellHold("Stopped by " + s.by + ".")
	c.broadcast(encode(stopEvent{"event", "stop", true, *s.message()}))
	c.log(iconStop, "Stopped by "+s.by+".", s.at)
	c.recordBy(s.at, "stop", cmp.Or(s.entry, "robot"), fmt.Sprintf("Stopped by %q.", s.by))
}

// observe looks at a new state: a stop that came from the robot itself counts
// like any other, unless word of it is on its way here. An old state may be
// from before the last order to move.
func (c *crew) observe(s robot.State, old bool) {
	if !old {
		c.standing = stands(s.Twist) && s.Queue.Idle()
	}
	if s.Stop != nil && c.stopped == nil && !c.alarm.pending() {
		c.halted(stopped{by: s.Stop.By, at: s.Stop.At})
	}
	c.pose, c.posed = s.Estimate.Pose, s.Time
	if h := s.Held; h != nil && s.Stop == nil && h.Lease == c.lease.Epoch && h.Hold == c.gate.hold {
		c.held(h)
	}
	c.follow(s.Goal)
	c.seeRun(s.Run)
	c.seeDrive(s, old)
	for _, l := range c.watch.see(s) {
		c.log(l.icon, l.text, s.Time)
	}
}

// show puts a state that has been encoded on its way to everybody, and
// returns how many pages had not yet taken the one before.
func (c *crew) show(s *stateFrame, now time.Time) (skipped uint64) {
	c.shown, c.urgent = s, false
	show := func(u *User) {
		missed, stuck, direct := u.out.show(s, now)
		if direct {
			c.direct = append(c.direct, u)
		}
		if missed {
			skipped++
		}
		if stuck {
			u.cut("This page has not read anything for too long.")
		}
	}
	for _, who := range c.people.row {
		if who.user != nil {
			show(who.user)
		}
	}
	for _, u := range c.people.aside {
		show(u)
	}
	return skipped
}

// tick does what the time has come for.
func (c *crew) tick(now time.Time) {
	c.expire(now)
	c.breakOff(now)
	c.keepDrive(now)
	if at, ok := c.rowDue(); ok && !now.Before(at) {
		c.row, c.rtts, c.rowAt = false, false, now
		c.broadcast(encode(peopleEvent{"event", "people", c.people.entries(&c.lease)}))
	}
	if at, ok := c.worldDue(); ok && !now.Before(at) {
		c.worldly, c.worldAt = false, now
		c.broadcast(c.worldNow())
	}
}

// due returns when tick has something to do next; false = not by itself.
func (c *crew) due() (at time.Time, ok bool) {
	sooner := func(t time.Time, is bool) {
		if is && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	sooner(c.lease.Due())
	sooner(c.gate.expect, !c.gate.expect.IsZero())
	sooner(c.people.fadesAt(c.lease.Holder))
	sooner(c.rowDue())
	sooner(c.worldDue())
	sooner(c.drives.due())
	return at, ok
}

// rowDue returns when the row of people is to be sent; false = it has been.
func (c *crew) rowDue() (at time.Time, ok bool) {
	n := time.Duration(len(c.people.row))
	switch {
	case c.row:
		return c.rowAt.Add(max(rowSoon, n*rowSoonEach)), true
	case c.rtts:
		return c.rowAt.Add(max(rowRelaxed, n*rowRelaxedOne)), true
	}
	return time.Time{}, false
}

// breakOff gives up a stream of samples that moves the robot and has not been
// heard of in time.
func (c *crew) breakOff(now time.Time) {
	if c.gate.broken(now) {
		c.giveUp("The page stopped sending drive samples. Let go and press again.", false)
	}
}

// giveUp ends what was asked for by hand: the robot first, then the number. The
// way to a goal goes on, unless goal says that it pauses.
func (c *crew) giveUp(reason string, goal bool) {
	c.robot.Do(robot.Halt{Reason: reason, Goal: goal})
	c.gate.next()
	c.tellHold(reason)
}

// held tells that the robot itself has given up what a hand asked for.
func (c *crew) held(h *robot.Held) {
	c.lines.Info("the robot gave up driving by hand", "reason", h.Reason, "epoch", c.lease.Epoch, "hold", c.gate.hold)
	c.gate.next()
	c.pose, c.posed = h.Pose, h.At
	c.tellHold(h.Reason)
}

func (c *crew) tellHold(reason string) {
	m := holdMessage{Type: "hold", Hold: c.gate.hold, Reason: reason}
	if !c.posed.IsZero() {
		t := seconds(c.posed.Sub(c.start))
		m.T, m.Pose = &t, poseOf(c.pose)
	}
	c.broadcast(encode(m))
}

func (c *crew) tellLease(reason string, now time.Time) {
	c.broadcast(encode(leaseEvent{"event", "lease", leaseOf(c.lease, now), reason}))
}

// log writes a line into the log that the pages show and, with details, into
// the one that the robot keeps.
func (c *crew) log(i icon, text string, at time.Time, details ...any) {
	c.lines.Info(text, append(details, "about", i, "epoch", c.lease.Epoch, "hold", c.gate.hold)...)
	c.broadcast(encode(logEvent{"event", "log", moment(at), i, text}))
}

// holding says who has control.
func (c *crew) holding() string {
	if who := c.people.find(c.lease.Holder); who != nil {
		return who.name + " has control."
	}
	return "Nobody has control."
}

// releaser says who can release the stop.
func (c *crew) releaser() string {
	if who := c.people.find(c.lease.Holder); who != nil {
		return who.name + " can"
	}
	return "The next person to take control can"
}

// broadcast tells everybody who is here.
func (c *crew) broadcast(frame []byte) {
	for _, who := range c.people.row {
		if who.user != nil {
			who.user.tell(frame)
		}
	}
	for _, u := range c.people.aside {
		u.tell(frame)
	}
}

// reply answers the command with the id.
func (c *crew) reply(u *User, id uint64, r robot.Result) {
	c.answer(u, resultMessage{ID: &id, Word: r.Word, Reason: r.Reason})
}

// replyTo answers the command with the id, which was sent under the lease.
func (c *crew) replyTo(u *User, id, lease uint64, r robot.Result) {
	c.answerTo(u, lease, resultMessage{ID: &id, Word: r.Word, Reason: r.Reason, Route: RouteOf(r.Route)})
}

// answerTo answers what was sent under the lease. With an old number it is a
// refusal, and says who has control.
func (c *crew) answerTo(u *User, lease uint64, m resultMessage) {
	if lease < c.lease.Epoch {
		m.Old = "lease"
	}
	if m.Old != "" {
		m.Holder = &c.lease.Holder
	}
	c.answer(u, m)
}

func (c *crew) answer(u *User, m resultMessage) {
	if !done(robot.Result{Word: m.Word}) {
		c.refusals++
	}
	m.Type = "result"
	u.tell(encode(m))
}

// done tells whether the robot did something like what was asked.
func done(r robot.Result) bool { return r.Word == robot.Success || r.Word == robot.Modified }
