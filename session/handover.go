package session

import (
	"fmt"
	"strings"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// handleControl executes a person's control request.
func (c *coordinator) handleControl(who *person, cmd protocol.Control, now time.Time) robot.Result {
	c.expireControl(now)
	if !who.mayDrive() && cmd.Action != "here" {
		return newRefusal(robot.Error, "You are here as an observer. You can watch and stop the robot, not drive it.")
	}
	if !who.controlBudget.spendToken(now, controlRequestsPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("Too many requests about control. Send at most %d per second.", controlRequestsPerSecond))
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
			return newRefusal(robot.Busy, why)
		}
		text := name + " asks for control."
		if cmd.Reason != "" {
			text = name + " asks for control: " + cmd.Reason
		}
		c.announceControl(who, text, now)
	case "cancel":
		if !l.Cancel(who.id, now) {
			return newRefusal(robot.Error, "You are not asking for control. "+c.whoHolds())
		}
		c.announceControl(who, name+" no longer asks for control.", now)
	case "accept":
		if !l.Accept(who.id, now) {
			return newRefusal(robot.Error, "Control is no longer offered to you. "+c.whoHolds())
		}
		c.beginChange(name+" accepted control.", now)
	case "decline":
		if !l.Decline(who.id) {
			return newRefusal(robot.Error, "Control is no longer offered to you. "+c.whoHolds())
		}
		c.announceControl(who, name+" declined control.", now)
		c.offerNext(now)
	}
	return robot.Result{Word: robot.Success} // also for "here": this is the tab
}

// takeControl gives control to a person who takes it: to anyone while no one has
// it, to an admin at any time.
func (c *coordinator) takeControl(who *person, now time.Time) robot.Result {
	switch {
	case c.lease.Heir() == who.id:
	case c.lease.Take(who.id, now):
		c.beginChange(who.name+" has control.", now)
	case who.role >= Admin && c.lease.Seize(who.id, now):
		c.beginChange(who.name+", an admin, took control.", now)
	default:
		return c.refuseTake()
	}
	return robot.Result{Word: robot.Success}
}

// refuseTake says why a person cannot take control.
func (c *coordinator) refuseTake() robot.Result {
	switch {
	case c.lease.IsPassing():
		return newRefusal(robot.Busy, c.whoIsNext())
	case c.lease.Holder == 0:
		return newRefusal(robot.Busy, "Control is offered to "+c.nameOf(c.lease.Offered().User)+". It becomes free if nobody accepts it.")
	}
	return newRefusal(robot.Busy, c.whoHolds()+" It can be taken when nobody has it.")
}

// refuseAnswer says why a person's answer to a request has no effect.
func (c *coordinator) refuseAnswer(who *person) robot.Result {
	if c.lease.Holder != who.id || c.lease.IsPassing() {
		return c.refuseWithoutControl(who)
	}
	return newRefusal(robot.Error, "This person is no longer asking for control.")
}

// refuseWithoutControl says why a person without control cannot do what only the
// holder may.
func (c *coordinator) refuseWithoutControl(who *person) robot.Result {
	if c.lease.Holder == who.id {
		return newRefusal(robot.Busy, c.whoIsNext())
	}
	return newRefusal(robot.Error, "You do not have control. "+c.whoHolds())
}

// beginChange continues a change of control that the lease has begun: it halts the
// robot, even on its way to a goal, and control passes when the robot stands, which
// is often at once. Control that becomes free, or that its last holder takes again, lets
// scripts that may move continue.
func (c *coordinator) beginChange(reason string, now time.Time) {
	c.holdScriptsForOther(reason)
	c.leavesRobotDriving = !c.passesToOther() && c.mayScriptsGoOn()
	c.haltDriving(reason, !c.leavesRobotDriving || !c.scripts.Errand)
	c.awaitChange(reason, now)
}

// beginLapse continues a change by which control becomes free because its holder
// stays away: the drive to a goal continues, and the change does not wait for it to
// end.
func (c *coordinator) beginLapse(reason string, now time.Time) {
	c.haltDriving(reason, false)
	c.leavesRobotDriving = c.isUnderWay() || c.mayScriptsGoOn()
	c.awaitChange(reason, now)
}

func (c *coordinator) awaitChange(reason string, now time.Time) {
	c.changeReason = reason
	c.updateStandby()
	if c.lease.Heir() != c.lease.Holder {
		c.endLoans(reason, now)
	}
	if !c.settleChange(now) {
		c.sendLease(reason+" "+c.whoIsNext(), now)
	}
}

// settleChange ends a change of control once the robot stands, or has failed to
// within the time-out.
func (c *coordinator) settleChange(now time.Time) bool {
	if !c.lease.Settle(now, c.standing || c.leavesRobotDriving) {
		return false
	}
	c.setTermEnd(c.people.byID(c.lease.Holder))
	if c.lease.Holder != 0 {
		c.lastHolder = c.lease.Holder
	}
	if c.used {
		c.noteUsers()
	}
	reason := c.changeReason
	if !c.lease.Settled() {
		reason += " The robot is still moving; it takes commands once it has stopped."
	}
	c.announceControl(c.people.byID(c.lease.Holder), reason, now)
	c.answerWaiting(now)
	return true
}

// announceControl reports a change of control to all users and to the audit log.
func (c *coordinator) announceControl(who *person, text string, now time.Time) {
	c.peopleChanged, c.announced = true, text
	c.sendLease(text, now)
	c.logEvent(protocol.IconControl, text, now)
	c.auditPerson(now, "lease", who, fmt.Sprintf("%s (epoch %d)", text, c.lease.Epoch))
}

// expireControl ends what has timed out: grace, term, requests, offers and places
// in the row.
func (c *coordinator) expireControl(now time.Time) {
	holder, term := c.nameOf(c.lease.Holder), c.lease.InTerm(c.lease.Holder)
	if c.lease.Expire(now) {
		if term {
			c.beginLapse(holder+" did not renew control. "+nobodyHasControl, now)
		} else {
			c.beginLapse(holder+" left. "+nobodyHasControl, now)
		}
	}
	c.settleChange(now)
	c.expireLoans(now)
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
		c.peopleChanged = true
	}
}

// offerNext offers control that its holder has left to the next user in order.
func (c *coordinator) offerNext(now time.Time) {
	id, over := c.lease.OfferNext(c.people.driverIDs(), now)
	switch {
	case id != 0:
		c.announceControl(c.people.byID(id), "Control is offered to "+c.nameOf(id)+".", now)
	case over && !strings.HasSuffix(c.announced, nobodyHasControl):
		c.announceControl(nil, nobodyHasControl, now)
	}
}

// noteInput notes that a person did something.
func (c *coordinator) noteInput(who *person, now time.Time) {
	if id := c.lease.NoteInput(who.id, now); id != 0 {
		c.announceControl(who, who.name+" is active again and keeps control.", now)
	}
}

// whoIsNext says who gets control when the robot has stopped.
func (c *coordinator) whoIsNext() string {
	if to, _ := c.lease.Passing(); to != 0 {
		return "Control passes to " + c.nameOf(to) + " when the robot has stopped."
	}
	return "Control becomes free when the robot has stopped."
}
