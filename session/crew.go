package session

import (
	"fmt"
	"log/slog"
	"math"
	"time"

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
	by string
	id int // 0 = from outside the page
	at time.Time
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
	robot  doer
	alarm  *alarm
	audit  *slog.Logger
	common welcomeMessage         // what everybody is welcomed with
	keep   func(name naming) bool // begins to write a name down, renamed follows; false = not now; nil = names are not kept

	people  people
	lease   Lease
	gate    gate
	stopped *stopped
	watch   watch

	shown   *stateFrame // the newest state that was sent
	urgent  bool        // the next state does not wait for its turn
	cleared bool        // states from before show a stop that was released

	row      bool      // the row has changed
	rtts     bool      // only round trips in it have
	rowAt    time.Time // when it was sent last
	refusals uint64
}

func newCrew(r doer, a *alarm, audit *slog.Logger, keep func(naming) bool, common welcomeMessage) crew {
	return crew{
		robot: r, alarm: a, audit: audit, keep: keep, common: common,
		people: people{known: map[key]*person{}},
		gate:   gate{hold: 1, seq: -1},
	}
}

// handle carries out a command of the user, other than a drive sample.
func (c *crew) handle(u *User, cmd any, now time.Time) {
	if greeting, ok := cmd.(hello); ok {
		c.hello(u, greeting, now)
		return
	}
	if u.person == nil {
		c.stranger(u)
		return
	}
	switch cmd := cmd.(type) {
	case unstop:
		c.reply(u, cmd.ID, c.unstop(u.person, cmd, now))
	case control:
		c.reply(u, cmd.ID, c.control(u.person, cmd, now))
	case rename:
		c.rename(u, cmd)
	case clock:
		c.roundTrip(u.person, cmd.RTT)
	}
}

// hello welcomes a person: a new one, or one who comes back.
func (c *crew) hello(u *User, h hello, now time.Time) {
	switch {
	case u.person != nil:
		c.answer(u, resultMessage{Word: robot.Error, Reason: `hello: it was said already; it should come once in a connection.`})
		return
	case h.Protocol != Protocol:
		c.refusals++
		u.bye(fmt.Sprintf("This page speaks %s and the robot speaks %s. Reload the page.", clip(h.Protocol), Protocol), false)
		return
	}
	c.expire(now)
	who, again, kept := c.people.enter(key{u.identity.Browser, h.Tab})
	c.row = true
	if h.Name != "" {
		who.name = h.Name
	} else if !again && u.stored != "" {
		who.name = u.stored
	}
	welcome := c.common
	if again {
		last := who.last
		if who.user != nil {
			last = who.user.lastHeard()
		}
		welcome.Back = &backMessage{After: number(max(0, now.Sub(last)).Seconds())}
	}
	if old := who.user; old != nil {
		old.person = nil
		old.bye("This robot is open in another tab.", false)
		who.user = nil
		if c.lease.Holder == who.id {
			c.giveUp(who.name + " connected again.")
		}
	}
	switch {
	case c.lease.Back(who.id, now):
		c.tellLease(who.name+" is back.", now)
	case c.lease.Holder == 0 && !kept && c.people.alone(who): // the first one drives
		c.take(who, now)
	}
	who.user, u.person, who.rtt = u, who, nil
	u.setName(who.name)

	welcome.You, welcome.Hold = who.id, c.gate.hold
	welcome.Lease = leaseOf(c.lease, now)
	welcome.People = c.people.entries(c.lease.Holder)
	welcome.Stop = c.stopped.message()
	if welcome.Back != nil {
		welcome.Back.Control = c.lease.Holder == who.id
	}
	u.tell(encode(welcome))
	u.out.greet()
	if c.shown != nil {
		u.out.show(c.shown)
	}
	if again {
		c.log(iconPerson, who.name+" is back.", now, "remote", u.identity.Remote)
	} else {
		c.log(iconPerson, who.name+" is here.", now, "remote", u.identity.Remote)
	}
}

// leave notes that the connection is gone. A holder has Grace to come back;
// the robot stands at once.
func (c *crew) leave(u *User, now time.Time) {
	who := u.person
	if who == nil {
		return // it was nobody yet, or another connection has taken its place
	}
	u.person, who.user = nil, nil
	who.gone, who.last, who.rtt = now, u.lastHeard(), nil
	c.row = true
	text := who.name + " left."
	if c.lease.Lost(who.id, now) {
		c.giveUp(text)
		c.tellLease(text, now)
		text += fmt.Sprintf(" Control is free in %.0f s.", Grace.Seconds())
	}
	c.log(iconPerson, text, now)
}

// stranger refuses what comes before hello.
func (c *crew) stranger(u *User) {
	c.answer(u, resultMessage{Word: robot.Error, Reason: `The first frame should be a "hello".`})
}

// drive has a sample that arrived at the time at executed if it is the
// holder's and fresh. A past one has a successor already and only counts as
// heard.
func (c *crew) drive(u *User, d drive, at, now time.Time, past bool) {
	if u.person == nil {
		c.stranger(u)
		return
	}
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
		return
	}
	c.refusals++
	if r != u.refused { // once for each run of equal refusals
		u.refused = r
		u.tell(encode(resultMessage{Type: "result", Seq: &d.Seq, Word: r.Word, Reason: r.Reason}))
	}
}

// mayDrive tells whether the person's sample may be executed: Success, or the
// refusal, which says who may.
func (c *crew) mayDrive(who *person, d drive, at time.Time) robot.Result {
	switch {
	case c.stopped != nil:
		return robot.Result{Word: robot.Panic, Reason: "Stopped by " + c.stopped.by + ". " + c.releaser() + " release it."}
	case c.alarm.pending():
		return robot.Result{Word: robot.Panic, Reason: "The robot is being stopped."}
	case c.lease.Holder != who.id && d.Lease < c.lease.Epoch:
		return robot.Result{Word: robot.Interrupted, Reason: c.holding()}
	case c.lease.Holder != who.id:
		return robot.Result{Word: robot.Error, Reason: c.holding() + " You can watch and stop the robot."}
	case d.Lease < c.lease.Epoch:
		return robot.Result{Word: robot.Interrupted, Reason: "Control changed. Let go and press again."}
	case d.Lease > c.lease.Epoch:
		return robot.Result{Word: robot.Error, Reason: `drive: "lease" is ahead of the epoch; it should be the one last heard.`}
	}
	c.breakOff(at)
	return c.gate.admit(d)
}

// execute has the robot drive by a sample that has waited for the time age.
func (c *crew) execute(d drive, at time.Time, age time.Duration) robot.Result {
	valid := d.Valid
	if !d.neutral() {
		if valid -= age; valid <= 0 {
			c.gate.late(d, at)
			return robot.Result{Word: robot.Interrupted, Reason: "The sample waited too long and was not executed."}
		}
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
	c.broadcast(encode(stopEvent{"event", "stop", false, stopMessage{who.name, who.id, moment(now)}}))
	c.log(iconStop, who.name+" released the stop.", now)
	return robot.Result{Word: robot.Success}
}

// control takes or releases control.
func (c *crew) control(who *person, cmd control, now time.Time) robot.Result {
	c.expire(now)
	switch holder := c.lease.Holder; {
	case cmd.Action == "take" && holder == 0:
		c.take(who, now)
	case cmd.Action == "take" && holder != who.id:
		return robot.Result{Word: robot.Busy, Reason: c.holding() + " It can be taken when nobody has it."}
	case cmd.Action == "release" && holder != who.id:
		return robot.Result{Word: robot.Error, Reason: "You do not have control. " + c.holding()}
	case cmd.Action == "release":
		c.giveUp(who.name + " released control.")
		c.lease.Release(who.id, now)
		c.changed(who.name+" released control.", now)
	}
	return robot.Result{Word: robot.Success}
}

// take gives control, which nobody has, to the person.
func (c *crew) take(who *person, now time.Time) {
	reason := who.name + " has control."
	c.giveUp(reason)
	c.lease.Take(who.id, now)
	c.changed(reason, now)
}

// rename begins to write a new name down; renamed ends it.
func (c *crew) rename(u *User, cmd rename) {
	name := naming{user: u, id: cmd.ID, name: cmd.Name}
	if c.keep == nil {
		c.renamed(name)
	} else if !c.keep(name) {
		c.reply(u, cmd.ID, robot.Result{Word: robot.Busy, Reason: "Too many names are being written down. Try again in a moment."})
	}
}

// renamed gives the person the new name once it has been written down.
func (c *crew) renamed(name naming) {
	u := name.user
	if name.err != nil {
		c.reply(u, name.id, robot.Result{Word: robot.Error, Reason: "The name could not be kept. It stays as it was."})
		return
	}
	if u.person != nil {
		u.person.name = name.name
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
	id, by := 0, stop.by
	if stop.user != nil && stop.user.person != nil {
		id = stop.user.person.id
	}
	c.halted(stopped{by: by, id: id, at: stop.at})
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
}

// observe looks at a new state: a stop that came from the robot itself counts
// like any other, unless word of it is on its way here.
func (c *crew) observe(s robot.State) {
	if s.Stop != nil && c.stopped == nil && !c.alarm.pending() {
		c.halted(stopped{by: s.Stop.By, at: s.Stop.At})
	}
	for _, l := range c.watch.see(s) {
		c.log(l.icon, l.text, s.Time)
	}
}

// show puts a state that has been encoded on its way to everybody, and
// returns how many pages had not yet taken the one before.
func (c *crew) show(s *stateFrame) (skipped uint64) {
	c.shown, c.urgent = s, false
	for _, who := range c.people.row {
		if who.user != nil && who.user.out.show(s) {
			skipped++
		}
	}
	return skipped
}

// tick does what the time has come for.
func (c *crew) tick(now time.Time) {
	c.expire(now)
	c.breakOff(now)
	if at, ok := c.rowDue(); ok && !now.Before(at) {
		c.row, c.rtts, c.rowAt = false, false, now
		c.broadcast(encode(peopleEvent{"event", "people", c.people.entries(c.lease.Holder)}))
	}
}

// due returns when tick has something to do next; false = not by itself.
func (c *crew) due() (at time.Time, ok bool) {
	sooner := func(t time.Time, is bool) {
		if is && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	sooner(c.lease.FreeAt())
	sooner(c.gate.expect, !c.gate.expect.IsZero())
	sooner(c.people.fadesAt())
	sooner(c.rowDue())
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

// expire frees control when its holder stayed away, and clears the row.
func (c *crew) expire(now time.Time) {
	if at, ok := c.lease.FreeAt(); ok && !now.Before(at) {
		reason := "Nobody has control."
		if who := c.people.find(c.lease.Holder); who != nil {
			reason = who.name + " left. " + reason
		}
		c.giveUp(reason)
		c.lease.Expire(now)
		c.changed(reason, now)
	}
	if c.people.fade(now) {
		c.row = true
	}
}

// breakOff gives up a stream of samples that moves the robot and has not been
// heard of in time.
func (c *crew) breakOff(now time.Time) {
	if c.gate.broken(now) {
		c.giveUp("The samples of the hand stopped coming. Let go and press again.")
	}
}

// giveUp ends what was asked for by hand: the robot first, then the number.
func (c *crew) giveUp(reason string) {
	c.robot.Do(robot.Halt{Reason: reason})
	c.gate.next()
	c.tellHold(reason)
}

// changed tells everybody of a new holder.
func (c *crew) changed(reason string, now time.Time) {
	c.row = true
	c.tellLease(reason, now)
	c.log(iconControl, reason, now)
}

func (c *crew) tellHold(reason string) {
	c.broadcast(encode(holdMessage{"hold", c.gate.hold, reason}))
}

func (c *crew) tellLease(reason string, now time.Time) {
	c.broadcast(encode(leaseEvent{"event", "lease", leaseOf(c.lease, now), reason}))
}

// log writes a line into the log that the pages show and, with details, into
// the one that the robot keeps.
func (c *crew) log(i icon, text string, at time.Time, details ...any) {
	c.audit.Info(text, append(details, "about", i, "epoch", c.lease.Epoch, "hold", c.gate.hold)...)
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
	return "Whoever takes control can"
}

// broadcast tells everybody who is here.
func (c *crew) broadcast(frame []byte) {
	for _, who := range c.people.row {
		if who.user != nil {
			who.user.tell(frame)
		}
	}
}

// reply answers the command with the id.
func (c *crew) reply(u *User, id uint64, r robot.Result) {
	c.answer(u, resultMessage{ID: &id, Word: r.Word, Reason: r.Reason})
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
