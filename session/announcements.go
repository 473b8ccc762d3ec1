package session

import (
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

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

// logEvent writes a line to the log that the pages show and, with details, to the
// robot's own log.
func (c *coordinator) logEvent(i protocol.Icon, text string, at time.Time, details ...any) {
	c.logger.Info(text, append(details, "about", i, "epoch", c.lease.Epoch, "hold", c.gate.Epoch())...)
	c.broadcast(protocol.Encode(protocol.LogEvent{At: protocol.Moment(at), Icon: i, Text: text}))
}

func (c *coordinator) sendLease(reason string, now time.Time) {
	c.broadcast(protocol.Encode(protocol.LeaseEvent{Lease: leaseOf(&c.lease, now), Reason: reason}))
	c.sendMapper()
}

// sendMapping sends the progress of mapping to all users. The person in control is
// the mapper.
func (c *coordinator) sendMapping() {
	c.mapping.By = ""
	if who := c.people.byID(c.lease.Holder); who != nil && c.noGoals != "" {
		c.mapping.By = who.name
	}
	frame := protocol.Encode(c.mapping)
	c.mappingEvent, c.mappingSent = frame, true
	c.broadcast(frame)
}

// sendMapper tells all users who makes the map after a change of control.
func (c *coordinator) sendMapper() {
	if c.noGoals != "" {
		c.sendMapping()
	}
}

func (c *coordinator) sendDriveReset(reason string) {
	m := protocol.DriveReset{DriveEpoch: c.gate.Epoch(), Reason: reason}
	if !c.poseSeenAt.IsZero() {
		t := protocol.Seconds(c.poseSeenAt.Sub(c.start))
		m.T, m.Pose = &t, protocol.PoseOf(c.pose)
	}
	c.broadcast(protocol.Encode(m))
}

// answerRequest answers the command with this id.
func (c *coordinator) answerRequest(u *User, id uint64, r robot.Result) {
	c.sendResult(u, protocol.Result{ID: &id, Word: r.Word, Reason: r.Reason})
}

// answerUnderLease answers the command with this id, which was sent under the given
// lease.
func (c *coordinator) answerUnderLease(u *User, id, lease uint64, r robot.Result) {
	c.sendResultUnderLease(u, lease, protocol.Result{ID: &id, Word: r.Word, Reason: r.Reason, Route: protocol.RouteOf(r.Route)})
}

// sendResultUnderLease answers a command that was sent under the given lease. If
// that lease is old, the answer is a refusal that says who has control.
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

const nobodyHasControl = "Nobody has control."

// whoHolds returns a sentence that says who has control.
func (c *coordinator) whoHolds() string {
	if who := c.people.byID(c.lease.Holder); who != nil {
		return who.name + " has control."
	}
	return nobodyHasControl
}

func (p *presence) nameOf(id int) string {
	if who := p.people.byID(id); who != nil {
		return who.name
	}
	return "Nobody"
}

// auditPerson writes what a person did to the audit log; nil = the robot did it.
func (c *coordinator) auditPerson(at time.Time, kind string, who *person, text string) {
	by := "robot"
	if who != nil {
		by = who.auditEntry()
	}
	c.auditBy(at, kind, by, text)
}

// auditBy is auditPerson for an actor who may not be in the row of users.
func (c *coordinator) auditBy(at time.Time, kind, by, text string) {
	if c.audit != nil {
		c.audit.AppendEntry(at, kind, by, text)
	}
}

func newRefusal(word robot.Word, reason string) robot.Result {
	return robot.Result{Word: word, Reason: reason}
}

// leaseOf returns the wire form of the lease at time now.
func leaseOf(l *lease.Lease, now time.Time) protocol.Lease {
	m := protocol.Lease{Epoch: l.Epoch, Since: protocol.Moment(l.Since)}
	if l.Holder != 0 {
		holder := l.Holder
		m.Holder = &holder
	}
	if at, ok := l.FreeAt(); ok {
		left := timeLeft(at, now)
		m.FreeIn = &left
	}
	for _, r := range l.Requests() {
		m.Requests = append(m.Requests, protocol.LeaseRequest{ID: r.User, Reason: r.Reason, Left: timeLeft(r.Until, now)})
	}
	if o := l.Offered(); o.User != 0 {
		m.Offer = &protocol.LeaseOffer{ID: o.User, Left: timeLeft(o.Until, now)}
	}
	if to, ok := l.Passing(); ok {
		m.Passing = &protocol.LeasePassing{}
		if to != 0 {
			m.Passing.To = &to
		}
	}
	return m
}

// timeLeft returns the time from now until at, in s; 0 if at has passed.
func timeLeft(at, now time.Time) protocol.Number {
	return protocol.Number(max(0, at.Sub(now)).Seconds())
}
