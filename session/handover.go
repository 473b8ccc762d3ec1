package session

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
)

// Control as the people see it: who asks the lease for what, what the robot is
// told, and what everybody hears of it.

// elsewhere is what a browser's second tab is told.
const elsewhere = "This robot is open in another tab."

// stillLinear and stillAngular are the speeds, in m/s and rad/s, below which a
// measured robot stands.
const (
	stillLinear  = 0.01
	stillAngular = 0.02
)

func isStanding(t robot.Twist) bool {
	return math.Abs(t.Linear) < stillLinear && math.Abs(t.Angular) < stillAngular
}

// handleControl carries out what a person wants of control.
func (c *crew) handleControl(who *person, cmd control, now time.Time) robot.Result {
	c.expireControl(now)
	if !who.mayDrive() && cmd.Action != "here" {
		return refusal(robot.Error, "You are here as an observer. You can watch and stop the robot, not drive it.")
	}
	if !who.controlBudget.take(now, wishesPerSecond) {
		return refusal(robot.Busy, fmt.Sprintf("Too many requests about control. Send at most %d per second.", wishesPerSecond))
	}
	l, name := &c.lease, who.name
	switch cmd.Action {
	case "take":
		return c.takeControl(who, now)
	case "release":
		if !l.Release(who.id, now) {
			return c.refuseWithoutControl(who)
		}
		c.beginChange(name+" released control.", now)
	case "give":
		to := c.people.byID(cmd.To)
		if to == nil || !l.Give(who.id, to.id, now) {
			return c.refuseAnswer(who)
		}
		c.beginChange(name+" gave control to "+to.name+".", now)
	case "keep":
		if !l.Keep(who.id, cmd.To, now) {
			return c.refuseAnswer(who)
		}
		c.announceControl(who, name+" keeps control.", now)
	case "request":
		if why := l.Ask(who.id, cmd.Reason, now); why != "" {
			return refusal(robot.Busy, why)
		}
		text := name + " asks for control."
		if cmd.Reason != "" {
			text = name + " asks for control: " + cmd.Reason
		}
		c.announceControl(who, text, now)
	case "cancel":
		if !l.Cancel(who.id, now) {
			return refusal(robot.Error, "You are not asking for control. "+c.whoHolds())
		}
		c.announceControl(who, name+" no longer asks for control.", now)
	case "accept":
		if !l.Accept(who.id, now) {
			return refusal(robot.Error, "Control is no longer offered to you. "+c.whoHolds())
		}
		c.beginChange(name+" accepted control.", now)
	case "decline":
		if !l.Decline(who.id) {
			return refusal(robot.Error, "Control is no longer offered to you. "+c.whoHolds())
		}
		c.announceControl(who, name+" declined control.", now)
		c.offerNext(now)
	}
	return robot.Result{Word: robot.Success} // of "here" too: this is the tab
}

// takeControl gives control to a person who takes it: when nobody has it, or at
// once for an admin.
func (c *crew) takeControl(who *person, now time.Time) robot.Result {
	switch {
	case c.lease.Heir() == who.id:
	case c.lease.Take(who.id, now):
		c.beginChange(who.name+" has control.", now)
	case who.role >= Admin && c.lease.Seize(who.id, now):
		c.beginChange(who.name+", an admin, took control.", now)
	case c.lease.passing:
		return refusal(robot.Busy, c.whoIsNext())
	case c.lease.Holder == 0:
		return refusal(robot.Busy, "Control is offered to "+c.nameOf(c.lease.offer.user)+". It becomes free if nobody accepts it.")
	default:
		return refusal(robot.Busy, c.whoHolds()+" It can be taken when nobody has it.")
	}
	return robot.Result{Word: robot.Success}
}

// refuseAnswer says why a person's answer to a request means nothing.
func (c *crew) refuseAnswer(who *person) robot.Result {
	if c.lease.Holder != who.id || c.lease.passing {
		return c.refuseWithoutControl(who)
	}
	return refusal(robot.Error, "This person is no longer asking for control.")
}

// refuseWithoutControl says why a person cannot do with control what its holder can.
func (c *crew) refuseWithoutControl(who *person) robot.Result {
	if c.lease.Holder == who.id {
		return refusal(robot.Busy, c.whoIsNext())
	}
	return refusal(robot.Error, "You do not have control. "+c.whoHolds())
}

// beginChange goes on with a change of control that has begun: the robot is halted,
// on its way to a goal too, and control passes when it stands. It often stands
// already.
func (c *crew) beginChange(reason string, now time.Time) {
	c.haltDriving(reason, true)
	c.goesOn = false
	c.awaitChange(reason, now)
}

// beginLapse goes on with a change by which nobody has control because its holder
// stays away: the way to a goal goes on, and control does not wait for its end.
func (c *crew) beginLapse(reason string, now time.Time) {
	c.haltDriving(reason, false)
	c.goesOn = c.isUnderWay()
	c.awaitChange(reason, now)
}

func (c *crew) awaitChange(reason string, now time.Time) {
	c.why = reason
	if !c.settleChange(now) {
		c.sendLease(reason+" "+c.whoIsNext(), now)
	}
}

// settleChange ends a change of control once the robot stands, or has not done so in
// time.
func (c *crew) settleChange(now time.Time) bool {
	if !c.lease.Settle(now, c.standing || c.goesOn) {
		return false
	}
	reason := c.why
	if !c.lease.Settled() {
		reason += " The robot is still moving; it takes commands once it has stopped."
	}
	c.announceControl(c.people.byID(c.lease.Holder), reason, now)
	return true
}

// announceControl tells everybody of something about control, and has it written down.
func (c *crew) announceControl(who *person, text string, now time.Time) {
	c.row = true
	c.sendLease(text, now)
	c.logEvent(iconControl, text, now)
	c.auditPerson(now, "lease", who, fmt.Sprintf("%s (epoch %d)", text, c.lease.Epoch))
}

// expireControl does to control what the time has come for.
func (c *crew) expireControl(now time.Time) {
	holder := c.nameOf(c.lease.Holder)
	if c.lease.Expire(now) {
		c.beginLapse(holder+" left. Nobody has control.", now)
	}
	c.settleChange(now)
	if id := c.lease.ExpireOffer(now); id != 0 {
		c.announceControl(c.people.byID(id), c.nameOf(id)+" did not accept control.", now)
	}
	for {
		id, offered := c.lease.ExpireRequest(now)
		if id == 0 {
			break
		}
		text := holder + " did not answer and keeps control."
		if offered {
			text = holder + " has been idle. Control is offered to " + c.nameOf(id) + "."
		}
		c.announceControl(c.people.byID(id), text, now)
	}
	c.offerNext(now)
	if c.people.removeAbsent(now, c.lease.Holder) {
		c.row = true
	}
}

// offerNext offers control that its holder left to the next in order.
func (c *crew) offerNext(now time.Time) {
	id, over := c.lease.OfferNext(c.people.driverIDs(), now)
	switch {
	case id != 0:
		c.announceControl(c.people.byID(id), "Control is offered to "+c.nameOf(id)+".", now)
	case over:
		c.announceControl(nil, "Nobody has control.", now)
	}
}

// noteInput notes that a person did something.
func (c *crew) noteInput(who *person, now time.Time) {
	if id := c.lease.NoteInput(who.id, now); id != 0 {
		c.announceControl(who, who.name+" is active again and keeps control.", now)
	}
}

// moveTab moves a person to the tab of the user, which is another one of the same
// browser. The tab the person was in goes on watching.
func (c *crew) moveTab(u *User, now time.Time) {
	c.expireControl(now)
	c.people.standby = withoutUser(c.people.standby, u)
	u.onStandby = false
	who, again, kept := c.people.enterRow(u.identity.Browser)
	if old := who.user; old != nil {
		old.person, old.onStandby, who.user = nil, true, nil
		c.people.standby = append(c.people.standby, old)
		defer c.sendWelcome(old, who, nil, now)
	}
	c.attach(u, who, again, kept, now)
	if c.lease.Move(who.id, now) {
		c.beginChange(who.name+" continues in another tab.", now)
	}
	c.sendWelcome(u, who, nil, now)
	c.logEvent(iconPerson, who.name+" switched to another tab.", now, "remote", u.identity.Remote)
}

// revokeUser sends a user away whose grant has ended: the robot first.
func (c *crew) revokeUser(u *User, now time.Time) {
	const reason = "Your access to this robot has been revoked."
	who := u.person
	if who == nil {
		u.sendBye(reason, false)
		return
	}
	if c.lease.Dismiss(who.id, now) {
		c.beginChange(who.name+" may no longer drive.", now)
	}
	c.detach(u, now)
	u.sendBye(reason, false)
	c.logEvent(iconPerson, who.name+" was disconnected.", now)
	c.auditPerson(now, "role", who, who.name+"'s access has been revoked.")
	c.offerNext(now)
}

// revokeAbsent takes control from who is away and came in by the grant, which has
// ended.
func (c *crew) revokeAbsent(grant string, now time.Time) {
	for _, who := range c.people.row {
		if who.user == nil && who.grant == grant && c.lease.Dismiss(who.id, now) {
			c.beginChange(who.name+" may no longer drive.", now)
			c.auditPerson(now, "role", who, who.name+"'s access has been revoked.")
		}
	}
}

// handleOrder answers an order of somebody without a page, or begins to.
func (c *crew) handleOrder(o order, now time.Time) {
	switch cmd := o.Command.(type) {
	case robot.RunJob:
		who, no := c.findConnected(o.by)
		if who == nil {
			o.answer <- outcome{Result: no}
			return
		}
		c.noteInput(who, now)
		c.startPrepare(who, Job{Lease: o.Lease, Command: cmd, Job: o.job}, o.cancelled, now, func(run uint64, no error) { o.answer <- outcome{resultOf(no), run, no} })
	default:
		o.answer <- outcome{Result: c.executeOrder(o, now)}
	}
}

// findConnected returns the person who is here with this identity; nil = nobody,
// and why that is not enough.
func (c *crew) findConnected(by Identity) (*person, robot.Result) {
	if who := c.people.byBrowser(by.Browser); who != nil && who.user != nil {
		return who, robot.Result{}
	}
	return nil, refusal(robot.Error, "You are not connected. Only who is connected and has control can drive. "+c.whoHolds())
}

// executeOrder carries out a command of somebody without a page. It has the numbers
// that a page would send with it, and is judged like a page's.
func (c *crew) executeOrder(o order, now time.Time) robot.Result {
	if o.AtRobot {
		switch cmd := o.Command.(type) {
		case robot.OK:
			return c.touchOK(cmd, "OK was touched on the robot's screen.", now)
		case robot.Spoken:
			return c.robot.Do(cmd)
		}
	}
	who, no := c.findConnected(o.by)
	if who == nil {
		return no
	}
	c.noteInput(who, now)
	switch cmd := o.Command.(type) {
	case robot.Drive:
		d := drive{Lease: o.Lease, DriveEpoch: o.DriveEpoch, Seq: o.Seq, V: cmd.Twist.Linear, W: cmd.Twist.Angular, Valid: cmd.Valid}
		if d.Valid == 0 {
			d.Valid = robot.DriveValid
		}
		if !cmd.Twist.IsFinite() || d.Valid < 0 || d.Valid > MaxValid {
			return refusal(robot.Error, fmt.Sprintf("The sample asks for %g m/s and %g rad/s for %v; it should be finite, for at most %v.", d.V, d.W, d.Valid, MaxValid))
		}
		r := c.mayDrive(who, d, now)
		if done(r) {
			r = c.executeDrive(d, now, 0)
		}
		return r
	case robot.ClearStop:
		return c.releaseStop(who, unstop{Lease: o.Lease}, now)
	case robot.Halt:
		if c.lease.Holder != who.id {
			return refusal(robot.Error, c.whoHolds()+" Anyone can stop the robot.")
		}
		c.haltDriving(who.name+" halted the robot.", false)
		return robot.Result{Word: robot.Success}
	case robot.Plan, robot.GoTo, robot.Pause, robot.Resume, robot.Cancel, robot.GoAround, robot.SetPose:
		return c.navigate(who, o.Lease, cmd, now)
	case robot.PauseRun, robot.ResumeRun, robot.SkipStep, robot.RetryStep, robot.EndRun, robot.OK:
		return c.steerRun(who, o.Lease, cmd, now)
	case robot.Look:
		return c.turnHead(who, o.Lease, cmd, now)
	case robot.Enqueue:
		return c.enqueueCommand(who, o.Lease, cmd, now)
	case nil:
		return c.mayCommand(who, o.Lease, "Try again.")
	}
	return refusal(robot.NA, fmt.Sprintf("A %T cannot be ordered here.", o.Command))
}

// whoIsNext says who gets control when the robot has stopped.
func (c *crew) whoIsNext() string {
	if to, _ := c.lease.Passing(); to != 0 {
		return "Control passes to " + c.nameOf(to) + " when the robot has stopped."
	}
	return "Control becomes free when the robot has stopped."
}

func (c *crew) nameOf(id int) string {
	if who := c.people.byID(id); who != nil {
		return who.name
	}
	return "Nobody"
}

// auditPerson has something that a person did, or nobody, written into the audit
// log.
func (c *crew) auditPerson(at time.Time, kind string, who *person, text string) {
	by := "robot"
	if who != nil {
		by = who.auditEntry()
	}
	c.auditBy(at, kind, by, text)
}

// auditBy is record of somebody who may be no person of the row.
func (c *crew) auditBy(at time.Time, kind, by, text string) {
	if c.audit != nil {
		c.audit.Append(at, kind, by, text)
	}
}

func refusal(word robot.Word, reason string) robot.Result {
	return robot.Result{Word: word, Reason: reason}
}
