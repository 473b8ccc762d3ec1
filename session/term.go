package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// Control for a term: a program without a connection takes control for some seconds
// and renews it before they are over. Otherwise control ends by itself, as when the
// holder's page stays away. Everything else is as for pages: free control goes to
// the first who takes it, and control changes only while the robot stands.

// Bounds of a term, in seconds.
const (
	minTerm = 2.0
	maxTerm = 60.0
)

// ErrNobody says that a program sent nothing that identifies it.
var ErrNobody = errors.New("session: the program has no identity")

// TakeControl gives a program control for some seconds, or extends its control. It
// waits until the robot stands and control has passed, for at most twice
// lease.StandTimeout, or until ctx ends. The error says what is wrong with name or
// seconds.
func (h *Hub) TakeControl(ctx context.Context, by Identity, name string, seconds float64) (Term, error) {
	switch {
	case !(seconds >= minTerm && seconds <= maxTerm): // NaN too
		return Term{}, &protocol.FrameError{Reason: fmt.Sprintf(`"seconds" is %g; it should be how long you want control, from %g to %g.`, seconds, minTerm, maxTerm)}
	case name != "" && !protocol.IsName(name):
		return Term{}, &protocol.FrameError{Reason: fmt.Sprintf(`"name" is not one that people can read; it should be one line of 1 to %d letters.`, protocol.MaxName)}
	case by.Browser == "":
		return Term{}, ErrNobody
	}
	return h.requestControl(ctx, by, controlRequest{name: name, term: time.Duration(seconds * float64(time.Second))}), nil
}

// GiveUpControl releases a program's control: the robot stops, even on its way to a
// goal. It waits until control is free, as TakeControl waits.
func (h *Hub) GiveUpControl(ctx context.Context, by Identity) robot.Result {
	return h.requestControl(ctx, by, controlRequest{}).Result
}

func (h *Hub) requestControl(ctx context.Context, by Identity, w controlRequest) Term {
	told := make(chan Term, 1)
	w.notify = func(t Term) { told <- t }
	o := h.executeOrder(ctx, by, order{control: &w})
	select {
	case t := <-told:
		return t
	default:
		return Term{Result: o.Result}
	}
}

// handleControlRequest executes a program's control request. If that has to wait
// until the robot stands, answerWaiting answers it.
func (c *coordinator) handleControlRequest(o order, now time.Time) {
	c.expireControl(now)
	if o.control.term > 0 && o.cancelled != nil && o.cancelled() != nil { // it hung up, perhaps while it waited
		o.answer <- outcome{Result: newRefusal(robot.Interrupted, cancelledReason)}
		return
	}
	who := c.people.byBrowser(o.by.Browser)
	if who != nil && !who.controlBudget.spendToken(now, controlRequestsPerSecond) {
		o.answer <- outcome{Result: newRefusal(robot.Busy, fmt.Sprintf("Too many requests about control. Send at most %d per second.", controlRequestsPerSecond))}
		return
	}
	if to, passing := c.lease.Passing(); passing && to == 0 && o.control.term > 0 {
		c.waitingOrders = append(c.waitingOrders, o) // waits until control is free
		return
	}
	var r robot.Result
	if o.control.term == 0 {
		r = c.releaseTerm(who, now)
	} else {
		who, r = c.takeTerm(who, o, now)
	}
	if r.Done() && c.lease.IsPassing() && (o.control.term == 0 || c.lease.Heir() == who.id) {
		c.waitingOrders = append(c.waitingOrders, o)
		return
	}
	c.answerTerm(o, who, r, now)
}

// releaseTerm frees control that a program has.
func (c *coordinator) releaseTerm(who *person, now time.Time) robot.Result {
	switch {
	case who == nil:
		return newRefusal(robot.Error, "You do not have control. "+c.whoHolds())
	case !c.lease.Release(who.id, now):
		return c.refuseWithoutControl(who)
	}
	who.leftAt = now
	c.beginChange(who.name+" released control.", now)
	return robot.Result{Word: robot.Success}
}

// takeTerm gives control to a program whose person may not be known yet, or extends
// its term.
func (c *coordinator) takeTerm(who *person, o order, now time.Time) (*person, robot.Result) {
	id := 0
	if who != nil {
		id = who.id
	}
	l := &c.lease
	if heir := l.Heir(); heir != 0 && heir != id || heir == 0 && (l.IsPassing() || l.Offered().User != 0 && l.Offered().User != id) {
		return who, c.refuseTake()
	}
	who, again, _ := c.people.enterRow(o.by.Browser)
	if name := o.control.name; name != "" && name != who.name {
		who.name = c.people.nameFor(name, who)
		c.peopleChanged = true
	} else if !again && protocol.IsName(o.by.Name) {
		who.name = c.people.nameFor(o.by.Name, who)
	}
	who.grant = o.by.Grant
	if who.role != o.by.Role {
		who.role = o.by.Role
		c.auditBy(now, "role", auditEntry(who.name, who.id, o.by), fmt.Sprintf("%q is here as %s.", who.name, who.role))
	}
	if who.user == nil { // otherwise control lasts as long as the connection
		who.termEnd, who.leftAt, who.lastHeard = now.Add(o.control.term), now, now
		if away := l.Has(who.id) && !l.InTerm(who.id); l.Extend(who.id, who.termEnd) && away {
			c.peopleChanged = true
			c.sendLease(who.name+" is back.", now)
		}
	}
	return who, c.takeControl(who, now)
}

// setTermEnd sets the end of control that has just passed to a program.
func (c *coordinator) setTermEnd(who *person) {
	if who != nil && who.user == nil && !who.termEnd.IsZero() {
		c.lease.Extend(who.id, who.termEnd)
	}
}

// answerWaiting answers the orders that waited for the end of a change of control, or
// handles them again. A release that waited has happened.
func (c *coordinator) answerWaiting(now time.Time) {
	waiting := c.waitingOrders
	c.waitingOrders = nil
	for _, o := range waiting {
		if who := c.people.byBrowser(o.by.Browser); o.control.term == 0 || who != nil && c.lease.Has(who.id) {
			c.answerTerm(o, who, robot.Result{Word: robot.Success}, now)
		} else {
			c.handleControlRequest(o, now)
		}
	}
}

// refuseWaiting refuses the orders of a revoked grant that wait for the end of a change
// of control. Otherwise they would take control after the revocation.
func (c *coordinator) refuseWaiting(grant string) {
	c.waitingOrders = slices.DeleteFunc(c.waitingOrders, func(o order) bool {
		if o.by.Grant != grant {
			return false
		}
		o.answer <- outcome{Result: newRefusal(robot.Error, revokedReason)}
		return true
	})
}

func (c *coordinator) answerTerm(o order, who *person, r robot.Result, now time.Time) {
	t := Term{Result: r, Lease: c.lease.Epoch, DriveEpoch: c.gate.Epoch()}
	if o.control.term > 0 && r.Done() && c.lease.InTerm(who.id) {
		t.Left = math.Ceil(max(0, c.lease.TermEnd().Sub(now)).Seconds()*1000) / 1000
	}
	o.control.notify(t)
	o.answer <- outcome{Result: r}
}
