package session

import (
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// handleRequest executes a command of the user, except for drive samples.
func (c *coordinator) handleRequest(u *User, cmd any, now time.Time) {
	if greeting, ok := cmd.(protocol.Hello); ok {
		c.handleHello(u, greeting, now)
		return
	}
	if u.person == nil {
		c.answerOutsider(u, cmd, now)
		return
	}
	switch cmd.(type) {
	case protocol.Clock, protocol.Watch:
	default:
		c.noteInput(u.person, now)
	}
	switch cmd := cmd.(type) {
	case protocol.Unstop:
		c.answerRequest(u, cmd.ID, c.releaseStop(u.person, cmd, now))
	case protocol.Control:
		c.answerRequest(u, cmd.ID, c.handleControl(u.person, cmd, now))
	case protocol.Rename:
		c.requestRename(u, cmd, now)
	case protocol.Navigate:
		if _, plan := cmd.Command.(robot.Plan); plan {
			cmd.Lease = c.lease.Epoch // the command has no lease that could be old
		}
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.handleNavigate(u.person, cmd.Lease, cmd.Command, now))
	case protocol.World:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.changeWorld(u.person, cmd, now))
	case protocol.Link:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.changeNetwork(u.person, cmd, now))
	case protocol.RTC:
		c.handleOffer(u, cmd, now)
	case protocol.Motion:
		c.handleMotion(u, cmd, now)
	case protocol.Job:
		c.handleJob(u, cmd, now)
	case protocol.Look:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.turnHead(u.person, cmd, now))
	case protocol.MoveJoints:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.moveJoints(u.person, cmd, now))
	case protocol.Part:
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.handlePart(u.person, cmd, now))
	case protocol.Clock:
		c.noteRoundTrip(u.person, cmd.RTT)
	case protocol.Watch:
		c.answerRequest(u, cmd.ID, c.watchValues(u, cmd, now))
	}
}

// observeState examines a new state. A stop that the robot itself began counts like
// any other, unless its signal is already on the way to the hub. An old state may
// be from before the last motion command; while the base is out of reach nothing is
// measured.
func (c *coordinator) observeState(s robot.State, old bool) {
	old = old || s.IsSilent()
	if !old {
		c.standing = isStanding(s.Twist) && s.Queue.Idle()
	}
	if s.Stop != nil && c.stopped == nil && !c.alarm.isPending() {
		c.setStopped(stopped{by: s.Stop.By, at: s.Stop.At})
	}
	c.pose, c.poseSeenAt = s.Estimate.Pose, s.Time
	if h := s.Held; h != nil && s.Stop == nil && h.Lease == c.lease.Epoch && h.Hold == c.gate.Epoch() {
		c.handleHeld(h)
	}
	c.reportLoans()
	c.observeGoal(s.Goal)
	c.observeRun(s.Run)
	c.observeScripts(s.Scripts, s.Time)
	c.watchStandby(s)
	c.observeDriving(s, old)
	var dock *robot.Pose
	if c.floorplan != nil {
		dock = c.floorplan().Dock
	}
	for _, l := range c.watcher.observeState(s, dock) {
		c.logEvent(l.icon, l.text, s.Time)
	}
}

// showState sends an encoded state to all users, and returns how many pages had not
// taken the previous one.
func (c *coordinator) showState(s *stateFrame, now time.Time) (skipped uint64) {
	c.lastState, c.stateUrgent = s, false
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

// runDeadlines does everything whose time has come.
func (c *coordinator) runDeadlines(now time.Time) {
	c.extendScriptControl(now)
	c.expireControl(now)
	c.endBrokenStream(now)
	c.storeEndedDrive(now)
	c.holdOverdueScripts(now)
	if at, ok := c.peopleDue(); ok && !now.Before(at) {
		c.peopleChanged, c.roundTripsChanged, c.peopleSentAt = false, false, now
		c.broadcast(protocol.Encode(protocol.PeopleEvent{People: c.people.wireEntries(&c.lease)}))
	}
	if at, ok := c.worldDue(); ok && !now.Before(at) {
		c.worldChanged, c.worldSentAt = false, now
		c.broadcast(c.encodeWorld())
	}
}

// nextDeadline returns when runDeadlines next has work; false = no deadline is set.
func (c *coordinator) nextDeadline() (at time.Time, ok bool) {
	sooner := func(t time.Time, is bool) {
		if is && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	sooner(c.lease.Due())
	sooner(c.loans.Due())
	sooner(c.scriptControlDue())
	sooner(c.gate.Deadline())
	sooner(c.people.nextRemoval(c.lease.Holder))
	sooner(c.peopleDue())
	sooner(c.worldDue())
	sooner(c.recorder.endsAt())
	sooner(c.holdAgain, c.holdDue.Reason != "")
	return at, ok
}
