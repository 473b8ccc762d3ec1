package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
	"mybot/session/protocol"
)

// storeMotion queues the request; false = too many are waiting.
func (h *Hub) storeMotion(s motionRequest) bool {
	select {
	case h.motionRequests <- s:
		return true
	default:
		return false
	}
}

// runMotionStore executes requests, outside the hub's goroutine because a disk may
// be slow, until motionRequests is closed.
func (h *Hub) runMotionStore() {
	for s := range h.motionRequests {
		s.runOn(h.cfg.Motions)
		h.post(s)
	}
}

// MotionsChanged sends the list of motions to all users after one was added from
// outside the pages. It never waits.
func (h *Hub) MotionsChanged() { h.post(motionRequest{}) }

// handleMotion executes a motion command, or begins to; finishMotionRequest ends
// it.
func (c *coordinator) handleMotion(u *User, cmd protocol.Motion, now time.Time) {
	r := c.mayUseMotion(u.person, cmd, now)
	if r.Done() && cmd.Action != "stop" {
		if c.storeMotion(motionRequest{user: u, cmd: cmd}) {
			return
		}
		r = newRefusal(robot.Busy, "Too many motions are being saved. Try again in a moment.")
	}
	c.answerUnderLease(u, cmd.ID, cmd.Lease, r)
}

// mayUseMotion returns Success if the command may be executed, or else the refusal.
// A stop it executes itself.
func (c *coordinator) mayUseMotion(who *person, cmd protocol.Motion, now time.Time) robot.Result {
	if c.motions == nil {
		return newRefusal(robot.NA, "This robot does not record motions.")
	}
	if r := c.mayCommand(who, cmd.Lease, "Try again."); !r.Done() {
		return r
	}
	switch cmd.Action {
	case "play":
		return c.mayMove()
	case "delete":
		for _, m := range c.motions.List() {
			if m.N == cmd.Motion && !MayDelete(who.role, who.grant, m.Owner) {
				return newRefusal(robot.Error, "Only the person who recorded this motion and admins may delete it.")
			}
		}
	case "stop":
		if c.replay.name != "" {
			c.endReplay(who.name+" ended it.", now)
			c.haltDriving("The motion was ended.", false)
		}
	}
	return robot.Result{Word: robot.Success}
}

// finishMotionRequest reports the outcome of a request, and begins a replay.
func (c *coordinator) finishMotionRequest(s motionRequest, now time.Time) {
	who := (*person)(nil)
	if s.user != nil {
		who = s.user.person
	}
	r := robot.Result{Word: robot.Success}
	switch {
	case s.err != nil:
		r = newRefusal(robot.Error, s.err.Error())
		if s.drive != nil {
			c.logEvent(protocol.IconWarn, "The drive could not be saved.", now, "err", s.err)
		}
	case s.cmd.Action == "play":
		r = c.playMotion(who, s.cmd, s.motion, now)
	default:
		if who != nil && s.cmd.Action == "delete" {
			c.auditPerson(now, "settings", who, fmt.Sprintf("%s deleted motion %d.", who.name, s.cmd.Motion))
		}
		c.broadcast(c.encodeMotions())
	}
	if s.user != nil {
		c.answerUnderLease(s.user, s.cmd.ID, s.cmd.Lease, r)
	}
}

// playMotion has the robot replay a motion. Anything may have changed meanwhile, so
// it checks everything again.
func (c *coordinator) playMotion(who *person, cmd protocol.Motion, m playout.Motion, now time.Time) robot.Result {
	if who == nil {
		return newRefusal(robot.Interrupted, "The page has gone.")
	}
	if r := c.mayUseMotion(who, cmd, now); !r.Done() {
		return r
	}
	r := c.robot.Do(robot.Replay{Lease: c.lease.Epoch, Hold: c.gate.Epoch() + 1, Number: cmd.Motion, Points: m.Points})
	if !r.Done() {
		return r
	}
	c.gate.NextEpoch() // a driver who still holds a key must begin again from neutral
	c.standing, c.ordersPending = false, true
	c.replay = replay{m.Name, c.lease.Epoch, c.gate.Epoch()}
	c.sendDriveReset("The robot is replaying " + m.Name + ".")
	c.logEvent(protocol.IconDrive, who.name+" started replaying "+m.Name+".", now)
	return r
}

// endReplay notes that the robot no longer replays a motion.
func (c *coordinator) endReplay(how string, now time.Time) {
	if c.replay.name != "" {
		c.logEvent(protocol.IconDrive, c.replay.name+" is over. "+how, now)
		c.replay = replay{}
	}
}

// endReplayFor ends a replay when a driver begins to drive; the driver then begins
// again from neutral where the robot stands.
func (c *coordinator) endReplayFor(who *person, d protocol.Drive, now time.Time) {
	if c.replay.name != "" && d.DriveEpoch == c.gate.Epoch() {
		c.endReplay(who.name+" drives.", now)
		c.haltDriving("The robot has stopped where "+who.name+" took over. Let go and press again.", false)
	}
}

// observeDriving examines a state for the end of a replay and for a drive without a
// path, which it records. An old state is from before the last motion command.
func (c *coordinator) observeDriving(s robot.State, old bool) {
	if c.motions == nil {
		return
	}
	switch playing := s.Play.Motion != 0; {
	case c.replay.name == "" || playing || old:
	case s.Held != nil && s.Held.Lease == c.replay.lease && s.Held.Hold == c.replay.driveEpoch:
		c.endReplay(s.Held.Reason, s.Time)
	case c.gate.Epoch() != c.replay.driveEpoch:
		c.endReplay("It stopped before its end.", s.Time)
	default:
		c.endReplay("It was replayed to its end.", s.Time)
	}
	if who := c.people.byID(c.lease.Holder); who != nil {
		c.storeDrive(c.recorder.addState(s, c.lease.Epoch, c.gate.Epoch(), driver{who.name, Owner(who.grant)}))
	}
}

// recordDrive records a sample that the robot has accepted, if it has a path.
func (c *coordinator) recordDrive(who *person, d protocol.Drive, at time.Time) {
	if c.motions != nil && d.Path != nil {
		c.storeDrive(c.recorder.addSample(*d.Path, driver{who.name, Owner(who.grant)}, at))
	}
}

// storeEndedDrive stores the drive that has just ended, if there is one.
func (c *coordinator) storeEndedDrive(now time.Time) {
	if at, ok := c.recorder.endsAt(); ok && (!now.Before(at) || c.recorder.driveEpoch != c.gate.Epoch()) {
		c.storeDrive(c.recorder.finishMotion())
	}
}

// storeDrive stores a drive, if there is one, named after its rooms.
func (c *coordinator) storeDrive(m *playout.Motion) {
	if m == nil {
		return
	}
	if c.floorplan != nil {
		if name := driveName(c.floorplan(), m.Points); name != "" {
			m.Name = name
		}
	}
	if !c.storeMotion(motionRequest{drive: m, owner: c.recorder.lastOwner}) {
		c.logger.Error("a drive was not kept: too many wait to be written down")
	}
}

// encodeMotions returns the event with the motions; nil = motions are not recorded.
func (m *motionControl) encodeMotions() []byte {
	if m.motions == nil {
		return nil
	}
	return protocol.Encode(protocol.MotionsEvent{Motions: MotionsOf(m.motions.List())})
}
