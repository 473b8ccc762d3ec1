package session

import (
	"context"
	"fmt"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// Command executes an order by the rules for pages: every role may stop the robot,
// which has executed the stop when Command returns; everything else needs a
// connection and control. It returns when ctx ends, at the latest.
func (h *Hub) Command(ctx context.Context, by Identity, o Order) robot.Result {
	if _, stop := o.Command.(robot.Stop); stop && by.Role >= Observer && by.Role <= Admin {
		h.Stop(by.displayName(), by)
		return robot.Result{Word: robot.Success}
	}
	return h.executeOrder(ctx, by, order{Order: o}).Result
}

// executeOrder has the hub's goroutine execute an order, and waits for the answer
// until ctx ends.
func (h *Hub) executeOrder(ctx context.Context, by Identity, o order) outcome {
	no := func(word robot.Word, reason string) outcome { return outcome{Result: newRefusal(word, reason)} }
	if by.Role < Observer || by.Role > Admin {
		return no(robot.Error, "This device is not paired with the robot. Pair it first.")
	}
	o.by, o.cancelled, o.answer = by, ctx.Err, make(chan outcome, 1)
	h.mu.Lock()
	switch {
	case h.closed:
		h.mu.Unlock()
		return no(robot.Busy, shutdownReason)
	case h.revokedGrants[by.Grant]:
		h.mu.Unlock()
		return no(robot.Error, revokedReason)
	case !h.ordersBy.Take(by.Grant, maxOrders-h.waitingOrders):
		h.mu.Unlock()
		return no(robot.Busy, "Too many commands are waiting. Try again in a moment.")
	}
	h.waitingOrders++
	h.queue = append(h.queue, o)
	h.mu.Unlock()
	h.wakeUp()
	select {
	case a := <-o.answer:
		return a
	case <-h.ended:
		return no(robot.Busy, shutdownReason)
	case <-ctx.Done():
		return no(robot.Interrupted, cancelledReason)
	}
}

// revokedReason is why an order is not executed whose sender's grant has been revoked.
const revokedReason = "This access has been revoked. Pair this device with the robot again."

// handle answers an order, unless its grant was revoked while it waited in the queue.
func (o order) handle(h *Hub, now time.Time) {
	h.mu.Lock()
	revoked := h.revokedGrants[o.by.Grant]
	h.mu.Unlock()
	if revoked {
		o.answer <- outcome{Result: newRefusal(robot.Error, revokedReason)}
		return
	}
	h.coordinator.handleOrder(o, now)
}

// handleOrder answers an order, or begins to.
func (c *coordinator) handleOrder(o order, now time.Time) {
	if o.control != nil {
		c.handleControlRequest(o, now)
		return
	}
	if o.script != nil {
		c.expireControl(now)
		if o.cancelled() != nil {
			o.answer <- outcome{Result: newRefusal(robot.Interrupted, cancelledReason)}
			return
		}
		o.answer <- outcome{Result: o.script(c, now)}
		return
	}
	switch cmd := o.Command.(type) {
	case robot.RunJob:
		who, no := c.findConnected(o.by)
		if who == nil {
			o.answer <- outcome{Result: no}
			return
		}
		c.noteInput(who, now)
		c.startPrepare(who, protocol.Job{Lease: o.Lease, Command: cmd, Job: o.job}, o.cancelled, now, func(run uint64, no error) { o.answer <- outcome{resultOf(no), run, no} })
	default:
		o.answer <- outcome{Result: c.executeOrder(o, now)}
	}
}

// findConnected returns the person who is connected with this identity, or has
// control for a term; nil = none, with the refusal.
func (c *coordinator) findConnected(by Identity) (*person, robot.Result) {
	if who := c.people.byBrowser(by.Browser); who != nil && (who.user != nil || c.lease.InTerm(who.id)) {
		return who, robot.Result{}
	}
	return nil, newRefusal(robot.Error, "You are not connected. Take control first, by POST /api/v1/control or in the page. "+c.whoHolds())
}

// executeOrder executes a command from outside the pages. It carries the numbers
// that a page would send, and the same rules apply.
func (c *coordinator) executeOrder(o order, now time.Time) robot.Result {
	if o.AtRobot {
		switch cmd := o.Command.(type) {
		case robot.OK:
			return c.touchOK(cmd, "OK was touched on the robot's screen.", now)
		case robot.Spoken:
			return c.robot.Do(cmd)
		}
	}
	who, no := c.findConnected(o.by)
	if plan, ok := o.Command.(robot.Plan); ok && who == nil {
		c.absentPerson.role = o.by.Role
		return c.handleNavigate(&c.absentPerson, 0, plan, now)
	}
	if who == nil {
		return no
	}
	c.noteInput(who, now)
	switch cmd := o.Command.(type) {
	case robot.Drive:
		d := protocol.Drive{Lease: o.Lease, DriveEpoch: o.DriveEpoch, Seq: o.Seq, V: cmd.Twist.Linear, W: cmd.Twist.Angular, Valid: cmd.Valid}
		if d.Valid == 0 {
			d.Valid = robot.DriveValid
		}
		if !cmd.Twist.IsFinite() || d.Valid < 0 || d.Valid > protocol.MaxValid {
			return newRefusal(robot.Error, fmt.Sprintf("The sample asks for %g m/s and %g rad/s for %v; it should be finite, for at most %v.", d.V, d.W, d.Valid, protocol.MaxValid))
		}
		r := c.mayDrive(who, d, now)
		if r.Done() {
			r = c.executeDrive(d, now, 0)
		}
		return r
	case robot.ClearStop:
		return c.releaseStop(who, protocol.Unstop{Lease: o.Lease}, now)
	case robot.Halt:
		if c.lease.Holder != who.id {
			return newRefusal(robot.Error, c.whoHolds()+" Anyone can stop the robot.")
		}
		c.holdScripts(who.name + " halted the robot.")
		c.haltDriving(who.name+" halted the robot.", false)
		return robot.Result{Word: robot.Success}
	case robot.Plan, robot.GoTo, robot.Pause, robot.Resume, robot.Cancel, robot.GoAround, robot.SetPose:
		return c.handleNavigate(who, o.Lease, cmd, now)
	case robot.PauseRun, robot.ResumeRun, robot.SkipStep, robot.RetryStep, robot.EndRun, robot.OK:
		return c.steerRun(who, o.Lease, cmd, now)
	case robot.Look:
		return c.turnHead(who, protocol.Look{Lease: o.Lease, Look: cmd}, now)
	case robot.MoveJoints:
		return c.moveJoints(who, protocol.MoveJoints{Lease: o.Lease, MoveJoints: cmd}, now)
	case robot.Enqueue:
		return c.enqueueCommand(who, o.Lease, cmd, now)
	case nil:
		if o.MovesNothing && c.lease.Holder == who.id && o.Lease == c.lease.Epoch && !c.lease.IsPassing() {
			return robot.Result{Word: robot.Success}
		}
		return c.mayCommand(who, o.Lease, "Try again.")
	}
	return newRefusal(robot.NA, fmt.Sprintf("A %T cannot be ordered here.", o.Command))
}
