package session

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// How often the row of users is sent: soon after a user joins, leaves or is
// renamed, less often for round trips alone, and more rarely with many users.
const (
	rowSoon        = 100 * time.Millisecond
	rowSoonEach    = 5 * time.Millisecond // for each user
	rowRelaxed     = time.Second
	rowRelaxedEach = 50 * time.Millisecond
)

// openElsewhere is the text for a browser's second tab.
const openElsewhere = "This robot is open in another tab."

// handleHello welcomes a person, new or returning. A browser is one person: while
// that person is in another tab, this tab only watches.
func (c *coordinator) handleHello(u *User, h protocol.Hello, now time.Time) {
	switch {
	case u.isGreeted():
		c.sendResult(u, protocol.Result{Word: robot.Error, Reason: `hello: it was sent already; it should be sent once per connection.`})
		return
	case h.Protocol != protocol.Protocol:
		c.refusals++
		u.sendBye(fmt.Sprintf("This page speaks %s and the robot speaks %s. Reload the page.", protocol.Clip(h.Protocol), protocol.Protocol), false)
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
	who, again, reserved := c.people.enterRow(u.identity.Browser)
	who.grant = u.identity.Grant
	switch {
	case h.Name != "" && !who.isNameReservedFor(h.Name):
		who.name = c.people.nameFor(h.Name, who)
	case again:
	case u.stored != "":
		who.name = c.people.nameFor(u.stored, who)
	case protocol.IsName(u.identity.Name):
		who.name = c.people.nameFor(u.identity.Name, who)
	}
	var back *protocol.Back
	text := who.name + " is here."
	if again {
		last := who.lastHeard
		if who.user != nil {
			last = who.user.lastHeard()
		}
		back = &protocol.Back{After: protocol.Number(max(0, now.Sub(last)).Seconds())}
		text = who.name + " is back."
	}
	if old := who.user; old != nil {
		old.person, who.user = nil, nil
		old.sendBye(openElsewhere, false)
		if c.lease.Holder == who.id {
			c.haltDriving(who.name+" connected again.", false)
		}
	}
	c.attachUser(u, who, again, reserved, now)
	c.sendWelcome(u, who, back, now)
	c.logArrival(text, now, "remote", u.identity.Remote)
}

// logArrival logs that a user joined or left, unless there are too many.
func (c *coordinator) logArrival(text string, now time.Time, details ...any) {
	if c.arrivalBudget.spendToken(now, arrivalsPerSecond) {
		c.logEvent(protocol.IconPerson, text, now, details...)
	}
}

// attachUser makes the user the person's connection.
func (c *coordinator) attachUser(u *User, who *person, again, reserved bool, now time.Time) {
	c.peopleChanged = true
	who.grant, who.camera = u.identity.Grant, u.identity.Camera
	if role := u.identity.Role; role != who.role {
		who.role = role
		if role >= Operator || again || c.observerBudget.spendToken(now, arrivalsPerSecond) {
			c.auditBy(now, "role", auditEntry(who.name, who.id, u.identity), fmt.Sprintf("%q is here as %s.", who.name, role))
		}
		if !who.mayDrive() && c.lease.Dismiss(who.id, now) {
			c.holdScripts(who.name + " may no longer drive.")
			c.beginChange(who.name+" may no longer drive.", now)
		}
	}
	c.dismissLoans(who, who.mayBorrow, now)
	c.loans.Reconnected(who.id, now)
	switch {
	case c.lease.Reconnected(who.id, now):
		c.sendLease(who.name+" is back.", now)
	case c.lease.Holder == 0 && !reserved && !c.isUnderWay() && !c.mayScriptsGoOn() && who.mayDrive() && c.people.isOnlyDriver(who) && c.lease.Take(who.id, now): // the first user drives
		c.beginChange(who.name+" has control.", now)
	}
	who.user, u.person, who.rtt, who.termEnd = u, who, nil, time.Time{}
	u.setName(who.name)
}

// sendWelcome sends the user's page everything that it needs to begin. The person
// may be in this tab or in another one.
func (c *coordinator) sendWelcome(u *User, who *person, back *protocol.Back, now time.Time) {
	m := c.welcomeTemplate
	m.You, m.Role, m.Camera, m.DriveEpoch = who.id, u.identity.Role.String(), u.identity.Camera, c.gate.Epoch()
	if u.identity.Role < Operator && !m.Camera {
		m.Relays = nil // the passwords are for these users only
	}
	m.Lease = leaseOf(&c.lease, now)
	m.People = c.people.wireEntries(&c.lease)
	m.Stop = c.stopped.wireState()
	if back != nil {
		back.Control = c.lease.Holder == who.id
		m.Back = back
	}
	if u.onStandby {
		m.Elsewhere = openElsewhere
	}
	u.sendFrame(protocol.Encode(m))
	for _, event := range [][]byte{c.floorEvent, c.lastMapEvent, c.encodeWorld(), c.encodeNetwork(), c.encodeMotions(), c.routeEvent, c.encodeJobs(), c.runEvent, c.encodeScripts(), c.mappingEvent, c.encodeLoans("", now)} {
		if event != nil {
			u.sendFrame(event)
		}
	}
	u.out.openStates()
	if c.lastState != nil {
		if _, _, direct := u.out.showState(c.lastState, now); direct {
			u.out.sendDirect(c.lastState)
		}
	}
}

// handleLeave notes that the connection was lost. A holder has lease.Grace to come
// back; the robot is halted at once.
func (c *coordinator) handleLeave(u *User, now time.Time) {
	if u.onStandby {
		c.people.standby = withoutUser(c.people.standby, u)
	}
	who := u.person
	if who == nil {
		return // before hello, or another connection has replaced it
	}
	if c.detachUser(u, now) {
		c.haltDriving(who.name+" left.", false)
		at, _ := c.lease.FreeAt()
		text := fmt.Sprintf("%s left. Control will be free in %.0f s.", who.name, at.Sub(now).Seconds())
		c.sendLease(text, now)
		c.auditPerson(now, "lease", who, text)
		c.logEvent(protocol.IconPerson, text, now)
	} else {
		c.logArrival(who.name+" left.", now)
	}
	c.offerNext(now)
}

// detachUser detaches the connection from its person, and reports whether a
// holder's grace begins.
func (c *coordinator) detachUser(u *User, now time.Time) bool {
	who := u.person
	u.person, who.user = nil, nil
	who.leftAt, who.lastHeard, who.rtt = now, u.lastHeard(), nil
	c.peopleChanged = true
	if c.loans.Disconnected(who.id, now) {
		c.sendLoans(who.name+" left.", now)
	}
	return c.lease.Disconnected(who.id, now)
}

// answerOutsider answers commands before hello, or from a tab that only watches.
func (c *coordinator) answerOutsider(u *User, cmd any, now time.Time) {
	reason := `The first frame should be a "hello".`
	if u.onStandby {
		reason = openElsewhere + " Use it here first."
	}
	m := protocol.Result{Word: robot.Error, Reason: reason}
	if id := protocol.IDOf(cmd); id != 0 {
		m.ID = &id
	}
	switch cmd := cmd.(type) {
	case protocol.Control:
		if u.onStandby && cmd.Action == "here" {
			m.Word, m.Reason = robot.Success, ""
			c.moveTab(u, now)
		}
	case protocol.Drive:
		m.Seq = &cmd.Seq
	case protocol.Clock:
		if u.onStandby {
			return
		}
	}
	c.sendResult(u, m)
}

// moveTab moves a person to the user's tab from another tab of the same browser,
// which keeps watching.
func (c *coordinator) moveTab(u *User, now time.Time) {
	c.expireControl(now)
	c.people.standby = withoutUser(c.people.standby, u)
	u.onStandby = false
	who, again, reserved := c.people.enterRow(u.identity.Browser)
	if old := who.user; old != nil {
		old.person, old.onStandby, who.user = nil, true, nil
		c.people.standby = append(c.people.standby, old)
		defer c.sendWelcome(old, who, nil, now)
	}
	c.attachUser(u, who, again, reserved, now)
	if c.lease.Move(who.id, now) {
		c.beginChange(who.name+" continues in another tab.", now)
	}
	c.sendWelcome(u, who, nil, now)
	c.logEvent(protocol.IconPerson, who.name+" switched to another tab.", now, "remote", u.identity.Remote)
}

// revokeUser disconnects a user whose grant has been revoked, after halting the
// robot if that user drives it.
func (c *coordinator) revokeUser(u *User, now time.Time) {
	const reason = "Your access to this robot has been revoked."
	who := u.person
	if who == nil {
		u.sendBye(reason, false)
		return
	}
	if c.lease.Dismiss(who.id, now) {
		c.holdScripts(who.name + " may no longer drive.")
		c.beginChange(who.name+" may no longer drive.", now)
	}
	c.dismissLoans(who, nil, now)
	c.detachUser(u, now)
	u.sendBye(reason, false)
	c.logEvent(protocol.IconPerson, who.name+" was disconnected.", now)
	c.auditPerson(now, "role", who, who.name+"'s access has been revoked.")
	c.offerNext(now)
}

// revokeAbsent takes control from a user who is away and joined by the revoked
// grant.
func (c *coordinator) revokeAbsent(grant string, now time.Time) {
	for _, who := range c.people.row {
		if who.user != nil || who.grant != grant {
			continue
		}
		c.dismissLoans(who, nil, now)
		if c.lease.Dismiss(who.id, now) {
			c.holdScripts(who.name + " may no longer drive.")
			c.beginChange(who.name+" may no longer drive.", now)
			c.auditPerson(now, "role", who, who.name+"'s access has been revoked.")
		}
	}
}

// requestRename begins to store a new name; finishRename ends it.
func (c *coordinator) requestRename(u *User, cmd protocol.Rename, now time.Time) {
	if !u.person.nameBudget.spendToken(now, namesPerSecond) {
		c.answerRequest(u, cmd.ID, robot.Result{Word: robot.Busy, Reason: "The name was changed less than a second ago. Try again in a moment."})
		return
	}
	if fault := c.people.nameFault(cmd.Name, u.person); fault != "" {
		c.answerRequest(u, cmd.ID, newRefusal(robot.Error, fault))
		return
	}
	name := nameRequest{user: u, who: u.person, id: cmd.ID, name: cmd.Name}
	u.person.nextName = cmd.Name
	if c.saveName == nil {
		c.finishRename(name, now)
	} else if !c.saveName(name) {
		u.person.nextName = ""
		c.answerRequest(u, cmd.ID, robot.Result{Word: robot.Busy, Reason: "Too many names are being saved. Try again in a moment."})
	}
}

// finishRename gives the person the new name once it has been stored.
func (c *coordinator) finishRename(name nameRequest, now time.Time) {
	u := name.user
	name.who.nextName = ""
	if name.err != nil {
		c.answerRequest(u, name.id, robot.Result{Word: robot.Error, Reason: "The name could not be saved. It stays as it was."})
		return
	}
	if who := u.person; who != nil {
		c.auditPerson(now, "settings", who, fmt.Sprintf("%q is now called %q.", who.name, name.name))
		who.name = name.name
		u.setName(name.name)
		c.peopleChanged = true
	}
	c.answerRequest(u, name.id, robot.Result{Word: robot.Success})
}

// noteRoundTrip records the round trip to a person's page.
func (p *presence) noteRoundTrip(who *person, ms *float64) {
	if (ms == nil) != (who.rtt == nil) || ms != nil && math.Round(*ms) != math.Round(*who.rtt) {
		who.rtt, p.roundTripsChanged = ms, true
	}
}

// peopleDue returns when the row of users must be sent; false = it has been.
func (p *presence) peopleDue() (at time.Time, ok bool) {
	n := time.Duration(len(p.people.row))
	switch {
	case p.peopleChanged:
		return p.peopleSentAt.Add(max(rowSoon, n*rowSoonEach)), true
	case p.roundTripsChanged:
		return p.peopleSentAt.Add(max(rowRelaxed, n*rowRelaxedEach)), true
	}
	return time.Time{}, false
}

// saveName queues a name to be stored; false = too many are waiting.
func (h *Hub) saveName(n nameRequest) bool {
	select {
	case h.nameRequests <- n:
		return true
	default:
		return false
	}
}

// runNameStore stores names, outside the hub's goroutine because a disk may be slow,
// until nameRequests is closed.
func (h *Hub) runNameStore() {
	for n := range h.nameRequests {
		if n.err = h.cfg.Names.SetName(n.user.identity.Browser, n.name); n.err != nil {
			h.cfg.Log.Error("a name could not be kept", "err", n.err)
		}
		h.post(n)
	}
}

// driverBrowser returns the browser of the holder; "" = no one has control.
func (c *coordinator) driverBrowser() *string {
	browser := ""
	if who := c.people.byID(c.lease.Holder); who != nil {
		browser = who.browser
	}
	return &browser
}
