package session

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
)

// stillLinear and stillAngular are the measured speeds, in m/s and rad/s, below
// which a robot counts as standing.
const (
	stillLinear  = 0.01
	stillAngular = 0.02
)

func isStanding(t robot.Twist) bool {
	return math.Abs(t.Linear) < stillLinear && math.Abs(t.Angular) < stillAngular
}

// handleDrive executes a sample that arrived at time at, if it is the holder's and
// fresh. A past sample already has a successor, and only counts as heard.
func (c *coordinator) handleDrive(u *User, d protocol.Drive, at, now time.Time, past bool) {
	if u.person == nil {
		c.answerOutsider(u, d, now)
		return
	}
	c.noteInput(u.person, at)
	r := c.mayDrive(u.person, d, at)
	if r.Done() {
		if past {
			c.gate.NoteSample(sampleOf(d), at, true)
		} else {
			r = c.executeDrive(d, at, max(0, now.Sub(at)))
		}
	}
	if r.Done() {
		u.lastRefusal = robot.Result{}
		c.recordDrive(u.person, d, at)
		return
	}
	if r == u.lastRefusal { // once for each series of equal refusals
		c.refusals++
	} else {
		u.lastRefusal = r
		m := protocol.Result{Seq: &d.Seq, Word: r.Word, Reason: r.Reason}
		if d.DriveEpoch < c.gate.Epoch() {
			m.Old = "hold"
		}
		c.sendResultUnderLease(u, d.Lease, m)
	}
}

// mayDrive returns Success if the person's sample may be executed, or else the
// refusal, which says who may drive.
func (c *coordinator) mayDrive(who *person, d protocol.Drive, at time.Time) robot.Result {
	if r := c.mayMove(); !r.Done() {
		return r
	}
	if r := c.mayCommand(who, d.Lease, "Let go and press again."); !r.Done() {
		return r
	}
	c.endBrokenStream(at)
	c.endReplayFor(who, d, at)
	return c.gate.Admit(sampleOf(d))
}

// executeDrive passes the robot a sample that has waited for age.
func (c *coordinator) executeDrive(d protocol.Drive, at time.Time, age time.Duration) robot.Result {
	if d.Path != nil {
		if !d.IsNeutral() {
			c.standing, c.ordersPending = false, true
		}
		r := c.robot.Do(*d.Path)
		c.gate.NotePathSample(sampleOf(d), at, r.Done())
		return r
	}
	valid := d.Valid
	if !d.IsNeutral() {
		if valid -= age; valid <= 0 {
			c.gate.NoteLateSample(sampleOf(d), at)
			return robot.Result{Word: robot.Interrupted, Reason: "The sample waited too long and was not executed."}
		}
	}
	if !d.IsNeutral() {
		c.standing, c.ordersPending = false, true
	}
	r := c.robot.Do(robot.Drive{Twist: d.Twist(), Valid: valid})
	c.gate.NoteSample(sampleOf(d), at, r.Done())
	return r
}

// sampleOf returns the part of a drive sample that the gate needs.
func sampleOf(d protocol.Drive) lease.Sample {
	return lease.Sample{Epoch: d.DriveEpoch, Seq: d.Seq, Neutral: d.IsNeutral(), Valid: d.Valid}
}

// endBrokenStream halts a robot that a stream of samples was moving when the next
// sample did not come in time.
func (c *coordinator) endBrokenStream(now time.Time) {
	if c.gate.IsBroken(now) {
		c.haltDriving("The page stopped sending drive samples. Let go and press again.", false)
	}
}

// handleHeld begins a new drive epoch because the robot itself has discarded what
// the driver asked for.
func (c *coordinator) handleHeld(h *robot.Held) {
	c.logger.Info("the robot gave up driving by hand", "reason", h.Reason, "epoch", c.lease.Epoch, "hold", c.gate.Epoch())
	c.gate.NextEpoch()
	c.pose, c.poseSeenAt = h.Pose, h.At
	c.sendDriveReset(h.Reason)
}

// handleStop reports to all users a stop that the robot has executed.
func (c *coordinator) handleStop(stop stopSignal) {
	s := stopped{by: stop.by, at: stop.at}
	who := c.people.personOf(stop.user)
	if who == nil && stop.from.Browser != "" { // by a request, or before hello
		if who = c.people.byBrowser(stop.from.Browser); who != nil {
			s.by = who.name
		}
	}
	if who != nil {
		s.id = who.id
		c.noteInput(who, stop.at)
	}
	s.entry = auditEntry(s.by, s.id, stop.from)
	byOther := who == nil || who.id != c.lease.Holder
	counts := c.stopped == nil && byOther
	if c.stopped != nil && byOther && (s.id != c.stopped.id || s.by != c.stopped.by) { // not the same press, by another way
		c.stopped.again, c.stopped.againAt = s.by, stop.at
	}
	c.setStopped(s)
	if counts {
		c.countStop(stop)
	}
	if stop.user != nil && stop.id != 0 {
		c.answerRequest(stop.user, stop.id, robot.Result{Word: robot.Success})
	}
}

// setStopped notes that the robot is stopped. If it already was, the first stop
// counts.
func (c *coordinator) setStopped(s stopped) {
	if c.stopped != nil {
		return
	}
	c.stopped, c.stateUrgent = &s, true
	c.gate.NextEpoch()
	c.sendDriveReset("Stopped by " + s.by + ".")
	c.allowLastWords(s.at)
	c.endLoans("The robot was stopped.", s.at)
	c.broadcast(protocol.Encode(protocol.StopEvent{Stopped: true, StopState: *s.wireState()}))
	c.logEvent(protocol.IconStop, "Stopped by "+s.by+".", s.at)
	c.auditBy(s.at, "stop", cmp.Or(s.entry, "robot"), fmt.Sprintf("Stopped by %q.", s.by))
}

// newStopFor is how long after the STOP of another person the holder cannot have seen it: a
// release that arrives within it was sent for the stop before.
const newStopFor = time.Second

// releaseStop releases the latched stop for the holder.
func (c *coordinator) releaseStop(who *person, cmd protocol.Unstop, now time.Time) robot.Result {
	switch {
	case c.lease.Holder == 0:
		return robot.Result{Word: robot.Error, Reason: "Nobody has control. Take control, then release the stop."}
	case c.lease.Holder != who.id:
		return robot.Result{Word: robot.Error, Reason: c.whoHolds() + " Only the person who has control can release the stop."}
	case cmd.Lease != c.lease.Epoch:
		return robot.Result{Word: robot.Interrupted, Reason: "Control changed. Look again, then release the stop."}
	case c.alarm.isPending():
		return robot.Result{Word: robot.Panic, Reason: "The robot is being stopped again."}
	case c.stopped == nil:
		return robot.Result{Word: robot.Success}
	case c.stopped.again != "" && now.Sub(c.stopped.againAt) < newStopFor:
		return robot.Result{Word: robot.Interrupted, Reason: c.stopped.again + " has just pressed STOP as well. Look again, then release the stop."}
	}
	if r := c.robot.Do(robot.ClearStop{}); !r.Done() {
		return r
	}
	if c.alarm.isPending() { // a stop came in between and may have been released unseen
		c.robot.Stop(c.stopped.by)
	}
	c.stopped, c.stopCleared, c.stateUrgent = nil, true, true
	c.gate.NextEpoch() // what arrives late was sent before the stop
	c.sendDriveReset(who.name + " released the stop.")
	c.broadcast(protocol.Encode(protocol.StopEvent{Stopped: false, StopState: protocol.StopState{By: who.name, ID: who.id, At: protocol.Moment(now)}}))
	c.logEvent(protocol.IconStop, who.name+" released the stop.", now)
	c.auditPerson(now, "stop", who, who.name+" released the stop.")
	return robot.Result{Word: robot.Success}
}

// countStop reports to the holder a device that stops the robot repeatedly. Users
// at the robot's own computer need no grant and cannot be removed; an admin is removed
// by another admin alone, who needs no control for that.
func (c *coordinator) countStop(stop stopSignal) {
	if stop.from.Grant == "" || stop.from.Role >= Admin {
		return
	}
	n := c.stoppers.addStop(stop.from.Grant, stop.at)
	holder := c.people.byID(c.lease.Holder)
	if n < maxStops || holder == nil || holder.user == nil {
		return
	}
	e := protocol.StopperEvent{Name: stop.by, Device: stop.from.Grant, Stops: n}
	if who := c.people.personOf(stop.user); who != nil {
		e.ID = who.id
	}
	holder.user.sendFrame(protocol.Encode(e))
}
