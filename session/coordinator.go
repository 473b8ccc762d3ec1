package session

import (
	"log/slog"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// A coordinator decides who may do what with one robot. It is made of parts: each
// owns its fields, which the others read and only its own functions write; what
// concerns several parts is a function of the coordinator, in the file of the part
// that it is mostly about. Only the hub's goroutine calls it. It starts nothing and
// has no clock, and what it sends to the pages goes to their outboxes, which never
// wait.
type coordinator struct {
	presence
	handover
	driving
	navigation
	jobControl
	motionControl
	surroundings
	mapmaking

	robot           doer
	alarm           *alarm
	logger          *slog.Logger
	audit           Audit            // nil = nothing is recorded
	welcomeTemplate protocol.Welcome // what is the same in every welcome
	watcher         watch
	refusals        uint64

	// Of the states: the newest that was sent, to whom it goes without their write
	// pumps, and whether the next one does not wait for its turn.
	lastState   *stateFrame
	direct      []*User
	stateUrgent bool
}

func newCoordinator(r doer, a *alarm, cfg Config, welcome protocol.Welcome) coordinator {
	return coordinator{
		presence:      presence{people: people{known: map[string]*person{}}},
		handover:      handover{standing: true},
		driving:       driving{gate: lease.NewGate(), stoppers: stoppers{}},
		jobControl:    jobControl{jobs: cfg.Jobs},
		motionControl: motionControl{motions: cfg.Motions, floorplan: cfg.Plan},
		surroundings:  surroundings{world: cfg.World, network: cfg.Network},
		robot:         r, alarm: a, logger: cfg.Log, audit: cfg.Audit, welcomeTemplate: welcome,
	}
}

// handleRequest carries out a command of the user, other than a drive sample.
func (c *coordinator) handleRequest(u *User, cmd any, now time.Time) {
	if greeting, ok := cmd.(protocol.Hello); ok {
		c.handleHello(u, greeting, now)
		return
	}
	if u.person == nil {
		c.answerOutsider(u, cmd, now)
		return
	}
	if _, quiet := cmd.(protocol.Clock); !quiet {
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
			cmd.Lease = c.lease.Epoch // it has none that could be old
		}
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.navigate(u.person, cmd.Lease, cmd.Command, now))
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
		c.answerUnderLease(u, cmd.ID, cmd.Lease, c.turnHead(u.person, cmd.Lease, cmd.Look, now))
	case protocol.Clock:
		c.noteRoundTrip(u.person, cmd.RTT)
	}
}

// mayMove returns Success when no stop is in the way of a motion, or the refusal.
func (c *coordinator) mayMove() robot.Result {
	switch {
	case c.stopped != nil:
		return refusal(robot.Panic, "Stopped by "+c.stopped.by+". "+c.whoReleases()+" release it.")
	case c.alarm.isPending():
		return refusal(robot.Panic, "The robot is being stopped.")
	}
	return robot.Result{Word: robot.Success}
}

// mayCommand returns Success when the person has control under the lease and the
// robot takes commands, or the refusal, which says who has control. again says what
// to do when that has just changed.
func (c *coordinator) mayCommand(who *person, lease uint64, again string) robot.Result {
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

// observeState looks at a new state: a stop that came from the robot itself counts
// like any other, unless its signal is on the way here. An old state may be from
// before the last command to move.
func (c *coordinator) observeState(s robot.State, old bool) {
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
	c.observeGoal(s.Goal)
	c.observeRun(s.Run)
	c.observeDriving(s, old)
	for _, l := range c.watcher.observe(s) {
		c.logEvent(l.icon, l.text, s.Time)
	}
}

// showState sends an encoded state to all users, and returns how many pages had not
// yet taken the one before.
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

// runDeadlines does what is due.
func (c *coordinator) runDeadlines(now time.Time) {
	c.expireControl(now)
	c.endBrokenStream(now)
	c.storeEndedDrive(now)
	if at, ok := c.peopleDue(); ok && !now.Before(at) {
		c.peopleChanged, c.roundTripsChanged, c.peopleSentAt = false, false, now
		c.broadcast(protocol.Encode(protocol.PeopleEvent{People: c.people.wireEntries(&c.lease)}))
	}
	if at, ok := c.worldDue(); ok && !now.Before(at) {
		c.worldChanged, c.worldSentAt = false, now
		c.broadcast(c.encodeWorld())
	}
}

// nextDeadline returns when runDeadlines has something to do next; false = nothing is
// due by the time alone.
func (c *coordinator) nextDeadline() (at time.Time, ok bool) {
	sooner := func(t time.Time, is bool) {
		if is && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	sooner(c.lease.Due())
	sooner(c.gate.Deadline())
	sooner(c.people.nextRemoval(c.lease.Holder))
	sooner(c.peopleDue())
	sooner(c.worldDue())
	sooner(c.recorder.endsAt())
	return at, ok
}

func (c *coordinator) sendLease(reason string, now time.Time) {
	c.broadcast(protocol.Encode(protocol.LeaseEvent{Lease: leaseOf(&c.lease, now), Reason: reason}))
	c.sendMapper()
}

// logEvent writes a line into the log that the pages show and, with details, into
// the robot's own.
func (c *coordinator) logEvent(i protocol.Icon, text string, at time.Time, details ...any) {
	c.logger.Info(text, append(details, "about", i, "epoch", c.lease.Epoch, "hold", c.gate.Epoch())...)
	c.broadcast(protocol.Encode(protocol.LogEvent{At: protocol.Moment(at), Icon: i, Text: text}))
}

const nobodyHasControl = "Nobody has control."

// whoHolds says who has control.
func (c *coordinator) whoHolds() string {
	if who := c.people.byID(c.lease.Holder); who != nil {
		return who.name + " has control."
	}
	return nobodyHasControl
}

// broadcast sends the frame to all users.
func (c *coordinator) broadcast(frame []byte) {
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
func (c *coordinator) answerRequest(u *User, id uint64, r robot.Result) {
	c.sendResult(u, protocol.Result{ID: &id, Word: r.Word, Reason: r.Reason})
}

// answerUnderLease answers the command with the id, which was sent under the lease.
func (c *coordinator) answerUnderLease(u *User, id, lease uint64, r robot.Result) {
	c.sendResultUnderLease(u, lease, protocol.Result{ID: &id, Word: r.Word, Reason: r.Reason, Route: protocol.RouteOf(r.Route)})
}

// sendResultUnderLease answers what was sent under the lease. With an old number it is a
// refusal, and says who has control.
func (c *coordinator) sendResultUnderLease(u *User, lease uint64, m protocol.Result) {
	if lease < c.lease.Epoch {
		m.Old = "lease"
	}
	if m.Old != "" {
		m.Holder = &c.lease.Holder
	}
	c.sendResult(u, m)
}

func (c *coordinator) sendResult(u *User, m protocol.Result) {
	if !(robot.Result{Word: m.Word}).Done() {
		c.refusals++
	}
	u.sendFrame(protocol.Encode(m))
}
