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

// wireState returns the stop as it is sent; nil = not stopped.
func (s *stopped) wireState() *StopState {
	if s == nil {
		return nil
	}
	return &StopState{By: s.by, ID: s.id, At: moment(s.at)}
}

// A doer has commands executed by the robot.
type doer interface {
	Do(cmd robot.Command) robot.Result
	Stop(by string)
}

// A nameRequest is a name on its way to where names are kept.
type nameRequest struct {
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
	audit   Audit                       // nil = nothing is recorded
	world   World                       // nil = there is a real one
	network *link.Network               // nil = there is a real one
	motions Motions                     // nil = drives are not kept
	jobs    Jobs                        // nil = none are run
	ready   func(m prepareRequest) bool // begins to make a job ready, prepared follows; false = not now
	shelve  func(s motionRequest) bool  // begins to do what motions has to, shelved follows; false = not now
	common  Welcome                     // what everybody is welcomed with
	keep    func(name nameRequest) bool // begins to write a name down, renamed follows; false = not now; nil = names are not kept

	people  people
	lease   Lease
	gate    Gate
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

func newCoordinator(r doer, a *alarm, cfg Config, keep func(nameRequest) bool, common Welcome) crew {
	return crew{
		robot: r, alarm: a, lines: cfg.Log, audit: cfg.Audit, world: cfg.World, network: cfg.Network, motions: cfg.Motions, jobs: cfg.Jobs, keep: keep, common: common,
		people: people{known: map[string]*person{}}, standing: true, stoppers: stoppers{},
		gate: Gate{hold: 1, seq: -1},
	}
}

// handleRequest carries out a command of the user, other than a drive sample.
func (c *crew) handleRequest(u *User, cmd any, now time.Time) {
	if greeting, ok := cmd.(hello); ok {
		c.handleHello(u, greeting, now)
		return
	}
	if u.person == nil {
		c.answerOutsider(u, cmd, now)
		return
	}
	if _, quiet := cmd.(Clock); !quiet {
		c.noteInput(u.person, now)
	}
	switch cmd := cmd.(type) {
	case unstop:
		c.answerRequest(u, cmd.ID, c.releaseStop(u.person, cmd, now))
	case control:
		c.answerRequest(u, cmd.ID, c.handleControl(u.person, cmd, now))
	case rename:
		c.requestRename(u, cmd, now)
	case Navigate:
		if _, plan := cmd.Command.(robot.Plan); plan {
			cmd.Lease = c.lease.Epoch // it has none that could be old
		}
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.navigate(u.person, cmd.Lease, cmd.Command, now))
	case world:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.changeWorld(u.person, cmd, now))
	case bend:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.changeNetwork(u.person, cmd, now))
	case rtc:
		c.handleOffer(u, cmd, now)
	case motion:
		c.handleMotion(u, cmd, now)
	case Job:
		c.handleJob(u, cmd, now)
	case Look:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.turnHead(u.person, cmd.Lease, cmd.Look, now))
	case Clock:
		c.noteRoundTrip(u.person, cmd.RTT)
	}
}

// handleHello welcomes a person: a new one, or one who comes back. A browser is one
// person: while its person is in another tab, this one only watches.
func (c *crew) handleHello(u *User, h hello, now time.Time) {
	switch {
	case u.isGreeted():
		c.sendResult(u, Result{Word: robot.Error, Reason: `hello: it was sent already; it should be sent once per connection.`})
		return
	case h.Protocol != Protocol:
		c.refusals++
		u.sendBye(fmt.Sprintf("This page speaks %s and the robot speaks %s. Reload the page.", clip(h.Protocol), Protocol), false)
		return
	}
	c.expireControl(now)
	u.tab = h.Tab
	if who := c.people.byBrowser(u.identity.Browser); who != nil && who.user != nil && who.user.tab != h.Tab {
		u.onStandby = true
		u.setName(who.name)
		c.people.standby = append(c.people.standby, u)
		c.sendWelcome(u, who, nil, now)
		return
	}
	who, again, kept := c.people.enterRow(u.identity.Browser)
	who.grant = u.identity.Grant
	switch {
	case h.Name != "" && !who.isNameReservedFor(h.Name):
		who.name = c.people.nameFor(h.Name, who)
	case again:
	case u.stored != "":
		who.name = c.people.nameFor(u.stored, who)
	case IsName(u.identity.Name):
		who.name = c.people.nameFor(u.identity.Name, who)
	}
	var back *Back
	text := who.name + " is here."
	if again {
		last := who.last
		if who.user != nil {
			last = who.user.lastHeard()
		}
		back = &Back{After: number(max(0, now.Sub(last)).Seconds())}
		text = who.name + " is back."
	}
	if old := who.user; old != nil {
		old.person, who.user = nil, nil
		old.sendBye(elsewhere, false)
		if c.lease.Holder == who.id {
			c.haltDriving(who.name+" connected again.", false)
		}
	}
	c.attach(u, who, again, kept, now)
	c.sendWelcome(u, who, back, now)
	c.logArrival(text, now, "remote", u.identity.Remote)
}

// logArrival tells of somebody who came or went, unless many do.
func (c *crew) logArrival(text string, now time.Time, details ...any) {
	if c.comings.take(now, comingsPerSecond) {
		c.logEvent(iconPerson, text, now, details...)
	}
}

// attach makes the user the person's connection.
func (c *crew) attach(u *User, who *person, again, kept bool, now time.Time) {
	c.row = true
	who.grant = u.identity.Grant
	if role := u.identity.Role; role != who.role {
		who.role = role
		if role >= Operator || again || c.watchers.take(now, comingsPerSecond) {
			c.auditBy(now, "role", auditEntry(who.name, who.id, u.identity), fmt.Sprintf("%q is here as %s.", who.name, role))
		}
		if !who.mayDrive() && c.lease.Dismiss(who.id, now) {
			c.beginChange(who.name+" may no longer drive.", now)
		}
	}
	switch {
	case c.lease.Reconnected(who.id, now):
		c.sendLease(who.name+" is back.", now)
	case c.lease.Holder == 0 && !kept && !c.isUnderWay() && who.mayDrive() && c.people.isOnlyDriver(who) && c.lease.Take(who.id, now): // the first one drives
		c.beginChange(who.name+" has control.", now)
	}
	who.user, u.person, who.rtt = u, who, nil
	u.setName(who.name)
}

// sendWelcome tells the page of the user, whose person is there or in another tab,
// all that it needs to begin.
func (c *crew) sendWelcome(u *User, who *person, back *Back, now time.Time) {
	m := c.common
	m.You, m.Role, m.Camera, m.DriveEpoch = who.id, u.identity.Role, u.identity.Camera, c.gate.hold
	if m.Role < Operator && !m.Camera {
		m.Relays = nil // their passwords are for nobody else
	}
	m.Lease = leaseOf(c.lease, now)
	m.People = c.people.wireEntries(&c.lease)
	m.Stop = c.stopped.wireState()
	if back != nil {
		back.Control = c.lease.Holder == who.id
		m.Back = back
	}
	if u.onStandby {
		m.Elsewhere = elsewhere
	}
	u.sendFrame(encodeValue(m))
	for _, event := range [][]byte{c.chart, c.encodeWorld(), c.encodeNetwork(), c.encodeMotions(), c.route, c.encodeJobs(), c.runNews} {
		if event != nil {
			u.sendFrame(event)
		}
	}
	u.out.openStates()
	if c.shown != nil {
		if _, _, direct := u.out.showState(c.shown, now); direct {
			u.out.sendDirect(c.shown)
		}
	}
}

// handleLeave notes that the connection was lost. A holder has Grace to come back;
// the robot stands at once.
func (c *crew) handleLeave(u *User, now time.Time) {
	if u.onStandby {
		c.people.standby = withoutUser(c.people.standby, u)
	}
	who := u.person
	if who == nil {
		return // it was nobody yet, or another connection has taken its place
	}
	if c.detach(u, now) {
		c.haltDriving(who.name+" left.", false)
		at, _ := c.lease.FreeAt()
		text := fmt.Sprintf("%s left. Control will be free in %.0f s.", who.name, at.Sub(now).Seconds())
		c.sendLease(text, now)
		c.auditPerson(now, "lease", who, text)
		c.logEvent(iconPerson, text, now)
	} else {
		c.logArrival(who.name+" left.", now)
	}
	c.offerNext(now)
}

// detach takes the connection from its person, and tells whether a holder's
// grace begins.
func (c *crew) detach(u *User, now time.Time) bool {
	who := u.person
	u.person, who.user = nil, nil
	who.leftAt, who.last, who.rtt = now, u.lastHeard(), nil
	c.row = true
	return c.lease.Disconnected(who.id, now)
}

// answerOutsider answers what comes before hello, or from a tab that only watches.
func (c *crew) answerOutsider(u *User, cmd any, now time.Time) {
	reason := `The first frame should be a "hello".`
	if u.onStandby {
		reason = elsewhere + " Use it here first."
	}
	m := Result{Word: robot.Error, Reason: reason}
	if id := IDOf(cmd); id != 0 {
		m.ID = &id
	}
	switch cmd := cmd.(type) {
	case control:
		if u.onStandby && cmd.Action == "here" {
			m.Word, m.Reason = robot.Success, ""
			c.moveTab(u, now)
		}
	case drive:
		m.Seq = &cmd.Seq
	case Clock:
		if u.onStandby {
			return
		}
	}
	c.sendResult(u, m)
}

// handleDrive has a sample that arrived at the time at executed if it is the
// holder's and fresh. A past one has a successor already and only counts as
// heard.
func (c *crew) handleDrive(u *User, d drive, at, now time.Time, past bool) {
	if u.person == nil {
		c.answerOutsider(u, d, now)
		return
	}
	c.noteInput(u.person, at)
	r := c.mayDrive(u.person, d, at)
	if done(r) {
		if past {
			c.gate.NoteSample(d, at, true)
		} else {
			r = c.executeDrive(d, at, max(0, now.Sub(at)))
		}
	}
	if done(r) {
		u.lastRefusal = robot.Result{}
		c.recordDrive(u.person, d, at)
		return
	}
	if r == u.lastRefusal { // once for each run of equal refusals
		c.refusals++
	} else {
		u.lastRefusal = r
		m := Result{Seq: &d.Seq, Word: r.Word, Reason: r.Reason}
		if d.DriveEpoch < c.gate.hold {
			m.Old = "hold"
		}
		c.sendResultUnderLease(u, d.Lease, m)
	}
}

// mayDrive tells whether the person's sample may be executed: Success, or the
// refusal, which says who may.
func (c *crew) mayDrive(who *person, d drive, at time.Time) robot.Result {
	if r := c.mayMove(); !done(r) {
		return r
	}
	if r := c.mayCommand(who, d.Lease, "Let go and press again."); !done(r) {
		return r
	}
	c.endBrokenStream(at)
	c.endReplayFor(who, d, at)
	return c.gate.Admit(d)
}

// mayMove tells whether no stop is in the way of a motion.
func (c *crew) mayMove() robot.Result {
	switch {
	case c.stopped != nil:
		return refusal(robot.Panic, "Stopped by "+c.stopped.by+". "+c.whoReleases()+" release it.")
	case c.alarm.isPending():
		return refusal(robot.Panic, "The robot is being stopped.")
	}
	return robot.Result{Word: robot.Success}
}

// mayCommand tells whether the person has control under the lease, and the robot
// takes orders: Success, or the refusal, which says who has control. again
// tells what to do when that has just changed.
func (c *crew) mayCommand(who *person, lease uint64, again string) robot.Result {
	switch {
	case c.lease.Holder != who.id && lease < c.lease.Epoch:
		return refusal(robot.Interrupted, c.whoHolds())
	case c.lease.Holder != who.id:
		return refusal(robot.Error, c.whoHolds()+" You can watch and stop the robot.")
	case lease < c.lease.Epoch:
		return refusal(robot.Interrupted, "Control changed, and you have it. "+again)
	case !c.lease.Settled():
		return refusal(robot.Interrupted, "Control is changing hands; the robot must stop first. "+again)
	case lease > c.lease.Epoch:
		return refusal(robot.Error, `"lease" is ahead of the epoch; it should be the one last heard.`)
	}
	return robot.Result{Word: robot.Success}
}

// executeDrive has the robot drive by a sample that has waited for the time age.
func (c *crew) executeDrive(d drive, at time.Time, age time.Duration) robot.Result {
	if d.Path != nil {
		if !d.IsNeutral() {
			c.standing, c.ordered = false, true
		}
		r := c.robot.Do(*d.Path)
		c.gate.NotePathSample(d, at, done(r))
		return r
	}
	valid := d.Valid
	if !d.IsNeutral() {
		if valid -= age; valid <= 0 {
			c.gate.NoteLateSample(d, at)
			return robot.Result{Word: robot.Interrupted, Reason: "The sample waited too long and was not executed."}
		}
	}
	if !d.IsNeutral() {
		c.standing, c.ordered = false, true
	}
	r := c.robot.Do(robot.Drive{Twist: d.Twist(), Valid: valid})
	c.gate.NoteSample(d, at, done(r))
	return r
}

// releaseStop releases the latch for the holder.
func (c *crew) releaseStop(who *person, cmd unstop, now time.Time) robot.Result {
	switch {
	case c.lease.Holder == 0:
		return robot.Result{Word: robot.Error, Reason: "Nobody has control. Take control, then release the stop."}
	case c.lease.Holder != who.id:
		return robot.Result{Word: robot.Error, Reason: c.whoHolds() + " Only the person who has control can release the stop."}
	case cmd.Lease != c.lease.Epoch:
		return robot.Result{Word: robot.Interrupted, Reason: "Control changed. Look again, then release the stop."}
	case c.alarm.isPending():
		return robot.Result{Word: robot.Panic, Reason: "The robot is being stopped again."}
	case c.stopped == nil:
		return robot.Result{Word: robot.Success}
	}
	if r := c.robot.Do(robot.ClearStop{}); !done(r) {
		return r
	}
	if c.alarm.isPending() { // a stop came in between: it may have been released unseen
		c.robot.Stop(c.stopped.by)
	}
	c.stopped, c.cleared, c.urgent = nil, true, true
	c.gate.NextEpoch() // what was sent before, and comes late, is from a hand of before
	c.sendDriveReset(who.name + " released the stop.")
	c.broadcast(encodeValue(stopEvent{"event", "stop", false, StopState{who.name, who.id, moment(now)}}))
	c.logEvent(iconStop, who.name+" released the stop.", now)
	c.auditPerson(now, "stop", who, who.name+" released the stop.")
	return robot.Result{Word: robot.Success}
}

// requestRename begins to write a new name down; renamed ends it.
func (c *crew) requestRename(u *User, cmd rename, now time.Time) {
	if !u.person.nameBudget.take(now, namesPerSecond) {
		c.answerRequest(u, cmd.ID, robot.Result{Word: robot.Busy, Reason: "The name was changed less than a second ago. Try again in a moment."})
		return
	}
	if fault := c.people.nameFault(cmd.Name, u.person); fault != "" {
		c.answerRequest(u, cmd.ID, refusal(robot.Error, fault))
		return
	}
	name := nameRequest{user: u, id: cmd.ID, name: cmd.Name}
	if c.keep == nil {
		c.finishRename(name, now)
	} else if !c.keep(name) {
		c.answerRequest(u, cmd.ID, robot.Result{Word: robot.Busy, Reason: "Too many names are being saved. Try again in a moment."})
	}
}

// finishRename gives the person the new name once it has been written down.
func (c *crew) finishRename(name nameRequest, now time.Time) {
	u := name.user
	if name.err != nil {
		c.answerRequest(u, name.id, robot.Result{Word: robot.Error, Reason: "The name could not be saved. It stays as it was."})
		return
	}
	if who := u.person; who != nil {
		c.auditPerson(now, "settings", who, fmt.Sprintf("%q is now called %q.", who.name, name.name))
		who.name = name.name
		u.setName(name.name)
		c.row = true
	}
	c.answerRequest(u, name.id, robot.Result{Word: robot.Success})
}

// noteRoundTrip notes how far away a person's page is.
func (c *crew) noteRoundTrip(who *person, ms *float64) {
	if (ms == nil) != (who.rtt == nil) || ms != nil && math.Round(*ms) != math.Round(*who.rtt) {
		who.rtt, c.rtts = ms, true
	}
}

// handleStop tells everybody of a stop that the robot has had.
func (c *crew) handleStop(stop stopSignal) {
	s := stopped{by: stop.by, at: stop.at}
	who := c.people.personOf(stop.user)
	if stop.user == nil && stop.from.Browser != "" {
		if who = c.people.byBrowser(stop.from.Browser); who != nil {
			s.by = who.name
		}
	}
	if who != nil {
		s.id = who.id
		c.noteInput(who, stop.at)
	}
	s.entry = auditEntry(s.by, s.id, stop.from)
	again := c.stopped == nil && (who == nil || who.id != c.lease.Holder)
	c.setStopped(s)
	if again {
		c.countStop(stop)
	}
	if stop.user != nil && stop.id != 0 {
		c.answerRequest(stop.user, stop.id, robot.Result{Word: robot.Success})
	}
}

// setStopped notes that the robot is stopped. The first stop counts.
func (c *crew) setStopped(s stopped) {
	if c.stopped != nil {
		return
	}
	c.stopped, c.urgent = &s, true
	c.gate.NextEpoch()
	c.sendDriveReset("Stopped by " + s.by + ".")
	c.broadcast(encodeValue(stopEvent{"event", "stop", true, *s.wireState()}))
	c.logEvent(iconStop, "Stopped by "+s.by+".", s.at)
	c.auditBy(s.at, "stop", cmp.Or(s.entry, "robot"), fmt.Sprintf("Stopped by %q.", s.by))
}

// observeState looks at a new state: a stop that came from the robot itself counts
// like any other, unless word of it is on its way here. An old state may be
// from before the last order to move.
func (c *crew) observeState(s robot.State, old bool) {
	if !old {
		c.standing = isStanding(s.Twist) && s.Queue.Idle()
	}
	if s.Stop != nil && c.stopped == nil && !c.alarm.isPending() {
		c.setStopped(stopped{by: s.Stop.By, at: s.Stop.At})
	}
	c.pose, c.posed = s.Estimate.Pose, s.Time
	if h := s.Held; h != nil && s.Stop == nil && h.Lease == c.lease.Epoch && h.Hold == c.gate.hold {
		c.handleHeld(h)
	}
	c.observeGoal(s.Goal)
	c.observeRun(s.Run)
	c.observeDriving(s, old)
	for _, l := range c.watch.observe(s) {
		c.logEvent(l.icon, l.text, s.Time)
	}
}

// showState puts a state that has been encoded on its way to everybody, and
// returns how many pages had not yet taken the one before.
func (c *crew) showState(s *stateFrame, now time.Time) (skipped uint64) {
	c.shown, c.urgent = s, false
	show := func(u *User) {
		missed, stuck, direct := u.out.showState(s, now)
		if direct {
			c.direct = append(c.direct, u)
		}
		if missed {
			skipped++
		}
		if stuck {
			u.sendByeAtOnce("This page has not read anything for too long.")
		}
	}
	for _, who := range c.people.row {
		if who.user != nil {
			show(who.user)
		}
	}
	for _, u := range c.people.standby {
		show(u)
	}
	return skipped
}

// runDeadlines does what the time has come for.
func (c *crew) runDeadlines(now time.Time) {
	c.expireControl(now)
	c.endBrokenStream(now)
	c.storeEndedDrive(now)
	if at, ok := c.peopleDue(); ok && !now.Before(at) {
		c.row, c.rtts, c.rowAt = false, false, now
		c.broadcast(encodeValue(peopleEvent{"event", "people", c.people.wireEntries(&c.lease)}))
	}
	if at, ok := c.worldDue(); ok && !now.Before(at) {
		c.worldly, c.worldAt = false, now
		c.broadcast(c.encodeWorld())
	}
}

// nextDeadline returns when tick has something to do next; false = not by itself.
func (c *crew) nextDeadline() (at time.Time, ok bool) {
	sooner := func(t time.Time, is bool) {
		if is && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	sooner(c.lease.Due())
	sooner(c.gate.deadline, !c.gate.deadline.IsZero())
	sooner(c.people.nextRemoval(c.lease.Holder))
	sooner(c.peopleDue())
	sooner(c.worldDue())
	sooner(c.drives.endsAt())
	return at, ok
}

// peopleDue returns when the row of people is to be sent; false = it has been.
func (c *crew) peopleDue() (at time.Time, ok bool) {
	n := time.Duration(len(c.people.row))
	switch {
	case c.row:
		return c.rowAt.Add(max(rowSoon, n*rowSoonEach)), true
	case c.rtts:
		return c.rowAt.Add(max(rowRelaxed, n*rowRelaxedOne)), true
	}
	return time.Time{}, false
}

// endBrokenStream gives up a stream of samples that moves the robot and has not been
// heard of in time.
func (c *crew) endBrokenStream(now time.Time) {
	if c.gate.IsBroken(now) {
		c.haltDriving("The page stopped sending drive samples. Let go and press again.", false)
	}
}

// haltDriving ends what was asked for by hand: the robot first, then the number. The
// way to a goal goes on, unless goal says that it pauses.
func (c *crew) haltDriving(reason string, goal bool) {
	c.robot.Do(robot.Halt{Reason: reason, Goal: goal})
	c.gate.NextEpoch()
	c.sendDriveReset(reason)
}

// handleHeld tells that the robot itself has given up what a hand asked for.
func (c *crew) handleHeld(h *robot.Held) {
	c.lines.Info("the robot gave up driving by hand", "reason", h.Reason, "epoch", c.lease.Epoch, "hold", c.gate.hold)
	c.gate.NextEpoch()
	c.pose, c.posed = h.Pose, h.At
	c.sendDriveReset(h.Reason)
}

func (c *crew) sendDriveReset(reason string) {
	m := DriveReset{DriveEpoch: "hold", Hold: c.gate.hold, Reason: reason}
	if !c.posed.IsZero() {
		t := seconds(c.posed.Sub(c.start))
		m.T, m.Pose = &t, PoseOf(c.pose)
	}
	c.broadcast(encodeValue(m))
}

func (c *crew) sendLease(reason string, now time.Time) {
	c.broadcast(encodeValue(leaseEvent{"event", "lease", leaseOf(c.lease, now), reason}))
}

// logEvent writes a line into the log that the pages show and, with details, into
// the one that the robot keeps.
func (c *crew) logEvent(i icon, text string, at time.Time, details ...any) {
	c.lines.Info(text, append(details, "about", i, "epoch", c.lease.Epoch, "hold", c.gate.hold)...)
	c.broadcast(encodeValue(logEvent{"event", "log", moment(at), i, text}))
}

// whoHolds says who has control.
func (c *crew) whoHolds() string {
	if who := c.people.byID(c.lease.Holder); who != nil {
		return who.name + " has control."
	}
	return "Nobody has control."
}

// whoReleases says who can release the stop.
func (c *crew) whoReleases() string {
	if who := c.people.byID(c.lease.Holder); who != nil {
		return who.name + " can"
	}
	return "The next person to take control can"
}

// broadcast tells everybody who is here.
func (c *crew) broadcast(frame []byte) {
	for _, who := range c.people.row {
		if who.user != nil {
			who.user.sendFrame(frame)
		}
	}
	for _, u := range c.people.standby {
		u.sendFrame(frame)
	}
}

// answerRequest answers the command with the id.
func (c *crew) answerRequest(u *User, id uint64, r robot.Result) {
	c.sendResult(u, Result{ID: &id, Word: r.Word, Reason: r.Reason})
}

// answerUnderLease answers the command with the id, which was sent under the lease.
func (c *crew) answerUnderLease(u *User, id, lease uint64, r robot.Result) {
	c.sendResultUnderLease(u, lease, Result{ID: &id, Word: r.Word, Reason: r.Reason, Route: RouteOf(r.Route)})
}

// sendResultUnderLease answers what was sent under the lease. With an old number it is a
// refusal, and says who has control.
func (c *crew) sendResultUnderLease(u *User, lease uint64, m Result) {
	if lease < c.lease.Epoch {
		m.Old = "lease"
	}
	if m.Old != "" {
		m.Holder = &c.lease.Holder
	}
	c.sendResult(u, m)
}

func (c *crew) sendResult(u *User, m Result) {
	if !done(robot.Result{Word: m.Word}) {
		c.refusals++
	}
	m.Type = "result"
	u.sendFrame(encodeValue(m))
}

// done tells whether the robot did something like what was asked.
func done(r robot.Result) bool { return r.Word == robot.Success || r.Word == robot.Modified }
