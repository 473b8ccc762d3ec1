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

func stands(t robot.Twist) bool {
	return math.Abs(t.Linear) < stillLinear && math.Abs(t.Angular) < stillAngular
}

// control carries out what a person wants of control.
func (c *crew) control(who *person, cmd control, now time.Time) robot.Result {
	c.expire(now)
	if !who.mayDrive() && cmd.Action != "here" {
		return refusal(robot.Error, "You are here as an observer. You can watch and stop the robot, not drive it.")
	}
	if !who.wishes.take(now, wishesPerSecond) {
		return refusal(robot.Busy, fmt.Sprintf("Too many requests about control. Send at most %d per second.", wishesPerSecond))
	}
	l, name := &c.lease, who.name
	switch cmd.Action {
	case "take":
		return c.takeover(who, now)
	case "release":
		if !l.Release(who.id, now) {
			return c.notHolding(who)
		}
		c.pass(name+" released control.", now)
	case "give":
		to := c.people.find(cmd.To)
		if to == nil || !l.Give(who.id, to.id, now) {
			return c.notAsked(who)
		}
		c.pass(name+" gave control to "+to.name+".", now)
	case "keep":
		if !l.Keep(who.id, cmd.To, now) {
			return c.notAsked(who)
		}
		c.news(who, name+" keeps control.", now)
	case "request":
		if why := l.Ask(who.id, cmd.Reason, now); why != "" {
			return refusal(robot.Busy, why)
		}
		text := name + " asks for control."
		if cmd.Reason != "" {
			text = name + " asks for control: " + cmd.Reason
		}
		c.news(who, text, now)
	case "cancel":
		if !l.Cancel(who.id, now) {
			return refusal(robot.Error, "You are not asking for control. "+c.holding())
		}
		c.news(who, name+" no longer asks for control.", now)
	case "accept":
		if !l.Accept(who.id, now) {
			return refusal(robot.Error, "Control is no longer offered to you. "+c.holding())
		}
		c.pass(name+" accepted control.", now)
	case "decline":
		if !l.Decline(who.id) {
			return refusal(robot.Error, "Control is no longer offered to you. "+c.holding())
		}
		c.news(who, name+" declined control.", now)
		c.goRound(now)
	}
	return robot.Result{Word: robot.Success} // of "here" too: this is the tab
}

// takeover gives control to a person who takes it: when nobody has it, or at
// once for an admin.
func (c *crew) takeover(who *person, now time.Time) robot.Result {
	switch {
	case c.lease.heir() == who.id:
	case c.lease.Take(who.id, now):
		c.pass(who.name+" has control.", now)
	case who.role >= Admin && c.lease.Seize(who.id, now):
		c.pass(who.name+", an admin, took control.", now)
	case c.lease.passing:
		return refusal(robot.Busy, c.passing())
	case c.lease.Holder == 0:
		return refusal(robot.Busy, "Control is offered to "+c.nameOf(c.lease.offer.user)+". It becomes free if nobody accepts it.")
	default:
		return refusal(robot.Busy, c.holding()+" It can be taken when nobody has it.")
	}
	return robot.Result{Word: robot.Success}
}

// notAsked says why a person's answer to a request means nothing.
func (c *crew) notAsked(who *person) robot.Result {
	if c.lease.Holder != who.id || c.lease.passing {
		return c.notHolding(who)
	}
	return refusal(robot.Error, "This person is no longer asking for control.")
}

// notHolding says why a person cannot do with control what its holder can.
func (c *crew) notHolding(who *person) robot.Result {
	if c.lease.Holder == who.id {
		return refusal(robot.Busy, c.passing())
	}
	return refusal(robot.Error, "You do not have control. "+c.holding())
}

// pass goes on with a change of control that has begun: the robot is halted,
// on its way to a goal too, and control passes when it stands. It often stands
// already.
func (c *crew) pass(reason string, now time.Time) {
	c.giveUp(reason, true)
	c.goesOn = false
	c.await(reason, now)
}

// lapse goes on with a change by which nobody has control because its holder
// stays away: the way to a goal goes on, and control does not wait for its end.
func (c *crew) lapse(reason string, now time.Time) {
	c.giveUp(reason, false)
	c.goesOn = c.underWay()
	c.await(reason, now)
}

func (c *crew) await(reason string, now time.Time) {
	c.why = reason
	if !c.settle(now) {
		c.tellLease(reason+" "+c.passing(), now)
	}
}

// settle ends a change of control once the robot stands, or has not done so in
// time.
func (c *crew) settle(now time.Time) bool {
	if !c.lease.Settle(now, c.standing || c.goesOn) {
		return false
	}
	reason := c.why
	if !c.lease.Settled() {
		reason += " The robot is still moving; it takes commands once it has stopped."
	}
	c.news(c.people.find(c.lease.Holder), reason, now)
	return true
}

// news tells everybody of something about control, and has it written down.
func (c *crew) news(who *person, text string, now time.Time) {
	c.row = true
	c.tellLease(text, now)
	c.log(iconControl, text, now)
	c.record(now, "lease", who, fmt.Sprintf("%s (epoch %d)", text, c.lease.Epoch))
}

// expire does to control what the time has come for.
func (c *crew) expire(now time.Time) {
	holder := c.nameOf(c.lease.Holder)
	if c.lease.Expire(now) {
		c.lapse(holder+" left. Nobody has control.", now)
	}
	c.settle(now)
	if id := c.lease.Unaccepted(now); id != 0 {
		c.news(c.people.find(id), c.nameOf(id)+" did not accept control.", now)
	}
	for {
		id, offered := c.lease.Silence(now)
		if id == 0 {
			break
		}
		text := holder + " did not answer and keeps control."
		if offered {
			text = holder + " has been idle. Control is offered to " + c.nameOf(id) + "."
		}
		c.news(c.people.find(id), text, now)
	}
	c.goRound(now)
	if c.people.fade(now, c.lease.Holder) {
		c.row = true
	}
}

// goRound offers control that its holder left to the next in order.
func (c *crew) goRound(now time.Time) {
	id, over := c.lease.GoRound(c.people.drivers(), now)
	switch {
	case id != 0:
		c.news(c.people.find(id), "Control is offered to "+c.nameOf(id)+".", now)
	case over:
		c.news(nil, "Nobody has control.", now)
	}
}

// input notes that a person did something.
func (c *crew) input(who *person, now time.Time) {
	if id := c.lease.Input(who.id, now); id != 0 {
		c.news(who, who.name+" is active again and keeps control.", now)
	}
}

// here moves a person to the tab of the user, which is another one of the same
// browser. The tab the person was in goes on watching.
func (c *crew) here(u *User, now time.Time) {
	c.expire(now)
	c.people.aside = without(c.people.aside, u)
	u.aside = false
	who, again, kept := c.people.enter(u.identity.Browser)
	if old := who.user; old != nil {
		old.person, old.aside, who.user = nil, true, nil
		c.people.aside = append(c.people.aside, old)
		defer c.welcome(old, who, nil, now)
	}
	c.arrive(u, who, again, kept, now)
	if c.lease.Move(who.id, now) {
		c.pass(who.name+" continues in another tab.", now)
	}
	c.welcome(u, who, nil, now)
	c.log(iconPerson, who.name+" switched to another tab.", now, "remote", u.identity.Remote)
}

// revoke sends a user away whose grant has ended: the robot first.
func (c *crew) revoke(u *User, now time.Time) {
	const reason = "Your access to this robot has been revoked."
	who := u.person
	if who == nil {
		u.bye(reason, false)
		return
	}
	if c.lease.Dismiss(who.id, now) {
		c.pass(who.name+" may no longer drive.", now)
	}
	c.depart(u, now)
	u.bye(reason, false)
	c.log(iconPerson, who.name+" was disconnected.", now)
	c.record(now, "role", who, who.name+"'s access has been revoked.")
	c.goRound(now)
}

// dismiss takes control from who is away and came in by the grant, which has
// ended.
func (c *crew) dismiss(grant string, now time.Time) {
	for _, who := range c.people.row {
		if who.user == nil && who.grant == grant && c.lease.Dismiss(who.id, now) {
			c.pass(who.name+" may no longer drive.", now)
			c.record(now, "role", who, who.name+"'s access has been revoked.")
		}
	}
}

// obey answers an order of somebody without a page, or begins to.
func (c *crew) obey(o order, now time.Time) {
	switch cmd := o.Command.(type) {
	case robot.RunJob:
		who, no := c.connected(o.by)
		if who == nil {
			o.answer <- outcome{Result: no}
			return
		}
		c.input(who, now)
		c.prepare(who, job{Lease: o.Lease, Command: cmd, Job: o.job}, o.over, now, func(run uint64, no error) { o.answer <- outcome{answerOf(no), run, no} })
	default:
		o.answer <- outcome{Result: c.order(o, now)}
	}
}

// connected returns the person who is here with this identity; nil = nobody,
// and why that is not enough.
func (c *crew) connected(by Identity) (*person, robot.Result) {
	if who := c.people.at(by.Browser); who != nil && who.user != nil {
		return who, robot.Result{}
	}
	return nil, refusal(robot.Error, "You are not connected. Only who is connected and has control can drive. "+c.holding())
}

// order carries out a command of somebody without a page. It has the numbers
// that a page would send with it, and is judged like a page's.
func (c *crew) order(o order, now time.Time) robot.Result {
	if o.AtRobot {
		switch cmd := o.Command.(type) {
		case robot.OK:
			return c.touch(cmd, "OK was touched on the robot's screen.", now)
		case robot.Spoken:
			return c.robot.Do(cmd)
		}
	}
	who, no := c.connected(o.by)
	if who == nil {
		return no
	}
	c.input(who, now)
	switch cmd := o.Command.(type) {
	case robot.Drive:
		d := drive{Lease: o.Lease, Hold: o.Hold, Seq: o.Seq, V: cmd.Twist.Linear, W: cmd.Twist.Angular, Valid: cmd.Valid}
		if d.Valid == 0 {
			d.Valid = robot.DriveValid
		}
		if !cmd.Twist.IsFinite() || d.Valid < 0 || d.Valid > mostValid {
			return refusal(robot.Error, fmt.Sprintf("The sample asks for %g m/s and %g rad/s for %v; it should be finite, for at most %v.", d.V, d.W, d.Valid, mostValid))
		}
		r := c.mayDrive(who, d, now)
		if done(r) {
			r = c.execute(d, now, 0)
		}
		return r
	case robot.ClearStop:
		return c.unstop(who, unstop{Lease: o.Lease}, now)
	case robot.Halt:
		if c.lease.Holder != who.id {
			return refusal(robot.Error, c.holding()+" Anyone can stop the robot.")
		}
		c.giveUp(who.name+" halted the robot.", false)
		return robot.Result{Word: robot.Success}
	case robot.Plan, robot.GoTo, robot.Pause, robot.Resume, robot.Cancel, robot.GoAround, robot.SetPose:
		return c.errand(who, o.Lease, cmd, now)
	case robot.PauseRun, robot.ResumeRun, robot.SkipStep, robot.RetryStep, robot.EndRun, robot.OK:
		return c.steer(who, o.Lease, cmd, now)
	case robot.Look:
		return c.look(who, o.Lease, cmd, now)
	case robot.Enqueue:
		return c.enqueue(who, o.Lease, cmd, now)
	case nil:
		return c.mayOrder(who, o.Lease, "Try again.")
	}
	return refusal(robot.NA, fmt.Sprintf("A %T cannot be ordered here.", o.Command))
}

// passing says who gets control when the robot has stopped.
func (c *crew) passing() string {
	if to, _ := c.lease.Passing(); to != 0 {
		return "Control passes to " + c.nameOf(to) + " when the robot has stopped."
	}
	return "Control becomes free when the robot has stopped."
}

func (c *crew) nameOf(id int) string {
	if who := c.people.find(id); who != nil {
		return who.name
	}
	return "Nobody"
}

// record has something that a person did, or nobody, written into the audit
// log.
func (c *crew) record(at time.Time, kind string, who *person, text string) {
	by := "robot"
	if who != nil {
		by = who.entry()
	}
	c.recordBy(at, kind, by, text)
}

// recordBy is record of somebody who may be no person of the row.
func (c *crew) recordBy(at time.Time, kind, by, text string) {
	if c.audit != nil {
		c.audit.Append(at, kind, by, text)
	}
}

func refusal(word robot.Word, reason string) robot.Result {
	return robot.Result{Word: word, Reason: reason}
}
