package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// lentParts are the names of the parts in sentences, and what a request for each
// asks for.
var lentParts = map[lease.Part]struct{ name, request string }{
	lease.Head:  {"the head", "to look around"},
	lease.Voice: {"the voice", "to speak through the robot"},
	lease.Arm:   {"the arm", "to move the arm"},
}

// handlePart executes a person's command about a part of the robot.
func (c *coordinator) handlePart(who *person, cmd protocol.Part, now time.Time) robot.Result {
	c.expireControl(now)
	if !who.controlBudget.spendToken(now, controlRequestsPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("Too many requests about control. Send at most %d per second.", controlRequestsPerSecond))
	}
	part, name := cmd.Part, lentParts[cmd.Part].name
	switch cmd.Action {
	case "ask":
		return c.askForPart(who, part, now)
	case "give":
		if c.loans.Of(part).User != who.id {
			return newRefusal(robot.Error, "You have not borrowed "+name+". "+c.whoHas(part))
		}
		c.loans.End(part)
		c.announceLoans(who, who.name+" gave "+name+" back.", now)
		return robot.Result{Word: robot.Success}
	}
	if r := c.mayCommand(who, cmd.Lease, "Try again."); !r.Done() {
		return r
	}
	to := c.people.byID(cmd.To)
	switch cmd.Action {
	case "lend":
		return c.lendPart(who, part, to, now)
	case "deny":
		if to == nil || !c.loans.Deny(part, to.id, now) {
			return newRefusal(robot.Error, "This person is no longer asking for "+name+".")
		}
		c.announceLoans(who, who.name+" keeps "+name+".", now)
	default:
		c.takeBack(who, part, now)
	}
	return robot.Result{Word: robot.Success}
}

// askForPart opens a person's request for a part.
func (c *coordinator) askForPart(who *person, part lease.Part, now time.Time) robot.Result {
	r := c.mayLend(part, who)
	switch {
	case !r.Done():
		return r
	case c.lease.Has(who.id):
		return newRefusal(robot.Error, "You have control and need not ask.")
	case c.lease.Holder == 0:
		return newRefusal(robot.Error, nobodyHasControl+" There is nobody to ask.")
	case c.lease.IsPassing():
		return newRefusal(robot.Busy, c.whoIsNext())
	case c.loans.Of(part).User != 0:
		return newRefusal(robot.Busy, c.whoHas(part)+" Ask again later.")
	}
	if why := c.loans.Ask(part, who.id, now); why != "" {
		return newRefusal(robot.Busy, why)
	}
	c.announceLoans(who, who.name+" asks "+lentParts[part].request+".", now)
	return robot.Result{Word: robot.Success}
}

// lendPart lends a part to a person for the holder. The robot is informed before
// the borrower.
func (c *coordinator) lendPart(who *person, part lease.Part, to *person, now time.Time) robot.Result {
	switch {
	case to == nil || to.user == nil:
		return newRefusal(robot.Error, "This person is not here.")
	case to == who:
		return newRefusal(robot.Error, "You have control; nothing needs to be lent to you.")
	}
	if r := c.mayLend(part, to); !r.Done() {
		return r
	}
	held := c.loans.End(part).User == 0 || c.reportLoans() // ends what the previous borrower had commanded
	if c.loans.Lend(part, to.id, now); !held || !c.reportLoans() {
		c.loans.End(part)
		c.sendLoans(who.name+" could not lend "+lentParts[part].name+" to "+to.name+": the robot is too busy to take commands.", now)
		return newRefusal(robot.Busy, "The robot is too busy to take commands. Try again.")
	}
	c.announceLoans(who, who.name+" lent "+lentParts[part].name+" to "+to.name+".", now)
	return robot.Result{Word: robot.Success}
}

// mayLend returns Success if a part of the robot may be lent to a person now, or
// else the refusal.
func (c *coordinator) mayLend(part lease.Part, to *person) robot.Result {
	switch {
	case !c.hasPart(part):
		return newRefusal(robot.NA, "This robot has nothing to lend: "+lentParts[part].name+" is not there.")
	case !to.mayBorrow(part):
		return newRefusal(robot.Error, to.name+" is here as an observer, and may borrow the head alone, with leave to see the camera.")
	}
	return c.mayMove()
}

// hasPart reports whether the robot has the part.
func (c *coordinator) hasPart(part lease.Part) bool {
	switch part {
	case lease.Head:
		return c.welcomeTemplate.Robot.Head != nil
	case lease.Voice:
		return c.welcomeTemplate.HasMicrophone
	default:
		return len(c.welcomeTemplate.Robot.Joints) > 0
	}
}

// mayBorrow reports whether the person may borrow the part: operators may borrow
// any part, others the head if they may see through the camera.
func (p *person) mayBorrow(part lease.Part) bool {
	return p.mayDrive() || part == lease.Head && p.camera
}

// mayUse returns Success if the person may use a part: the holder, who takes it
// back by using it, or the borrower under the number of the loan. Otherwise it
// returns a refusal that says who has the part.
func (c *coordinator) mayUse(who *person, part lease.Part, lease, loan uint64, now time.Time) robot.Result {
	c.expireLoans(now)
	switch {
	case loan == 0 || c.lease.Has(who.id):
		r := c.mayCommand(who, lease, "Try again.")
		if r.Done() {
			c.takeBack(who, part, now)
		}
		return r
	case !c.loans.Use(part, who.id, loan, now):
		return newRefusal(robot.Interrupted, c.whoHas(part))
	}
	return robot.Result{Word: robot.Success}
}

// takeBack ends the loan of a part for the holder; the loan may have ended already.
func (c *coordinator) takeBack(who *person, part lease.Part, now time.Time) {
	if c.loans.End(part).User != 0 {
		c.announceLoans(who, who.name+" took "+lentParts[part].name+" back.", now)
	}
}

// endLoans ends all loans and requests for one common reason.
func (c *coordinator) endLoans(reason string, now time.Time) {
	if c.loans.EndAll() {
		c.announceLoans(nil, reason+" Nothing is lent any more.", now)
	}
}

// expireLoans ends the loans and requests that have timed out.
func (c *coordinator) expireLoans(now time.Time) {
	for over, gone := c.loans.Expire(now); over.User != 0; over, gone = c.loans.Expire(now) {
		name := lentParts[over.Part].name
		why := fmt.Sprintf(" did not use %s for %.0f s and no longer has it.", name, lease.UnusedAfter.Seconds())
		if gone {
			why = " stayed away and no longer has " + name + "."
		}
		c.announceLoans(c.people.byID(over.User), c.nameOf(over.User)+why, now)
	}
	for r := c.loans.ExpireRequest(now); r.User != 0; r = c.loans.ExpireRequest(now) {
		c.announceLoans(nil, c.nameOf(c.lease.Holder)+" did not answer and keeps "+lentParts[r.Part].name+".", now)
	}
}

// dismissLoans ends what a person may no longer borrow; without may, everything.
func (c *coordinator) dismissLoans(who *person, may func(lease.Part) bool, now time.Time) {
	if may == nil {
		may = func(lease.Part) bool { return false }
	}
	if c.loans.Dismiss(who.id, may, now) {
		c.announceLoans(who, who.name+" may no longer borrow.", now)
	}
}

// whoHas names who has a part: its borrower, or else the person in control.
func (c *coordinator) whoHas(part lease.Part) string {
	user := c.loans.Of(part).User
	if user == 0 {
		user = c.lease.Holder
	}
	return c.nameOf(user) + " has " + lentParts[part].name + "."
}

// announceLoans reports a change of loans to the robot, to all users and to the
// audit log.
func (c *coordinator) announceLoans(who *person, text string, now time.Time) {
	c.reportLoans()
	c.sendLoans(text, now)
	c.logEvent(protocol.IconControl, text, now)
	c.auditPerson(now, "lease", who, text)
}

// sendLoans sends loans and requests to all users.
func (c *coordinator) sendLoans(reason string, now time.Time) {
	c.hasLent = true
	c.broadcast(c.encodeLoans(reason, now))
	c.peopleChanged = true // for the robot's own screen
}

// encodeLoans returns the event with loans and requests; nil = there were none yet.
func (c *coordinator) encodeLoans(reason string, now time.Time) []byte {
	if !c.hasLent {
		return nil
	}
	m := protocol.PartsEvent{Loans: []protocol.Loan{}, Requests: []protocol.LoanRequest{}, Reason: reason}
	for _, o := range c.loans.All() {
		m.Loans = append(m.Loans, protocol.Loan{Part: o.Part, ID: o.User, Loan: o.Number})
	}
	for _, r := range c.loans.Requests() {
		m.Requests = append(m.Requests, protocol.LoanRequest{Part: r.Part, ID: r.User, Left: timeLeft(r.Until, now)})
	}
	return protocol.Encode(m)
}

// reportLoans informs the robot of the loans, unless it knows them, and reports
// whether it does. If the robot does not answer, the next state tries again; until
// then the robot assumes the loans that it last heard of, and drives slowly because
// of them if it must.
func (c *coordinator) reportLoans() bool {
	lent := robot.Lend{Head: c.loans.Of(lease.Head).User != 0, Arm: c.loans.Of(lease.Arm).User != 0}
	if lent != c.lentReported && c.robot.Do(lent).Done() {
		c.lentReported = lent
	}
	return lent == c.lentReported
}
