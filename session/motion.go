package session

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// Motions keeps recorded drives: app's adapter to the store. It may be called
// from any goroutine, and waits for the disk, but for List. Errors are
// sentences for people.
type Motions interface {
	List() []KeptMotion // the newest first; nobody writes to it
	Add(m playout.Motion) (n uint64, err error)
	Get(n uint64) (playout.Motion, error)
	Rename(n uint64, name string) error
	Delete(n uint64) error
}

// A KeptMotion tells what a motion is.
type KeptMotion struct {
	N        uint64 // counts from 1, and is never given again
	Name     string
	Made     time.Time  // when it began
	Length   float64    // m
	Duration float64    // s
	Start    robot.Pose // of base_link in map
}

// LongestMotion is how long a motion may last.
const LongestMotion = 10 * time.Minute

// CheckMotion tells, in a sentence, why a motion cannot be kept; "" = it can.
func CheckMotion(m playout.Motion) string {
	switch d := m.Duration(); {
	case !IsLine(m.Name, mostPlace) || m.Name == "":
		return fmt.Sprintf("The motion's name is %q; it should be one line of 1 to %d letters.", clip(m.Name), mostPlace)
	case d > LongestMotion.Seconds():
		return fmt.Sprintf("The motion lasts %.0f s; it should last at most %.0f s.", d, LongestMotion.Seconds())
	case m.Length() < leastWay && totalTurn(m) < leastTurn:
		return "Nothing moves in this motion."
	}
	return ""
}

// A motion that moves less than both is none.
const (
	leastWay  = 0.05 // m
	leastTurn = 0.1  // rad
)

// totalTurn returns by how much the robot turns in a motion, in rad.
func totalTurn(m playout.Motion) float64 {
	sum := 0.0
	for i := 1; i < len(m.Points); i++ {
		sum += math.Abs(robot.WrapAngle(m.Points[i].Pose.Theta - m.Points[i-1].Pose.Theta))
	}
	return sum
}

// MotionsOf returns the motions as the event tells them.
func MotionsOf(kept []KeptMotion) []MotionEntry {
	all := make([]MotionEntry, len(kept))
	for i, k := range kept {
		all[i] = MotionEntry{k.N, k.Name, moment(k.Made), number(k.Length), number(k.Duration), PoseOf(k.Start)}
	}
	return all
}

// A MotionEntry is a kept motion as it is sent.
type MotionEntry struct {
	N        uint64   `json:"n"`
	Name     string   `json:"name"`
	At       moment   `json:"at"`
	Length   number   `json:"length"`
	Duration number   `json:"time"`
	Start    []number `json:"start"`
}

type motionsEvent struct {
	Type    string        `json:"type"`
	Kind    string        `json:"kind"`
	Motions []MotionEntry `json:"motions"`
}

// A motion command: what a person wants of a motion.
type motion struct {
	ID, Lease uint64
	Action    string // one of motionActions
	Motion    uint64 // its number; 0 with stop
	Name      string // of rename
}

const motionActions = "play, stop, rename or delete"

// motion reads a motion command.
func (r *reader) motion() motion {
	m := motion{ID: r.id(true), Lease: r.wholeNumber("lease", 0)}
	switch m.Action = r.text("action", motionActions); m.Action {
	case "stop":
		return m
	case "play", "delete":
	case "rename":
		const should = "a name of 1 to 60 letters"
		r.require("name", should)
		if m.Name = r.line("name", mostPlace); m.Name == "" {
			r.reject("name", "is empty", should)
		}
	default:
		r.reject("action", "is "+clip(fmt.Sprintf("%q", m.Action)), motionActions)
	}
	m.Motion = r.wholeNumber("motion", 1)
	return m
}

// A motionRequest is work for where motions are kept, which waits for a disk: a
// motion that was made, or a command. done is what became of it.
type motionRequest struct {
	drive *playout.Motion // to be kept; nil = there is a command
	user  *User
	cmd   motion

	found playout.Motion // what is to be played
	err   error
}

// runOn does the work.
func (s *motionRequest) runOn(motions Motions) {
	switch {
	case s.drive != nil:
		_, s.err = motions.Add(*s.drive)
	case s.cmd.Action == "play":
		s.found, s.err = motions.Get(s.cmd.Motion)
	case s.cmd.Action == "rename":
		s.err = motions.Rename(s.cmd.Motion, s.cmd.Name)
	default:
		s.err = motions.Delete(s.cmd.Motion)
	}
}

// mostShelvings is how much work for the shelf may wait.
const mostShelvings = 64

// storeMotion has work done where motions are kept; false = too much waits already.
func (h *Hub) storeMotion(s motionRequest) bool {
	select {
	case h.motionRequests <- s:
		return true
	default:
		return false
	}
}

// runMotionStore does the work of the shelf, away from the hub's goroutine because
// a disk may be slow, until the shelf is closed.
func (h *Hub) runMotionStore() {
	for s := range h.motionRequests {
		s.runOn(h.cfg.Motions)
		h.mu.Lock()
		h.shelved = append(h.shelved, s)
		h.mu.Unlock()
		h.wakeUp()
	}
}

// MotionsChanged tells everybody of the motions there are: one came from
// outside the pages. It never waits.
func (h *Hub) MotionsChanged() {
	h.mu.Lock()
	h.shelved = append(h.shelved, motionRequest{})
	h.mu.Unlock()
	h.wakeUp()
}

// handleMotion carries out a motion command, or begins to; shelved ends it.
func (c *crew) handleMotion(u *User, cmd motion, now time.Time) {
	r := c.mayUseMotion(u.person, cmd, now)
	if done(r) && cmd.Action != "stop" {
		if c.shelve(motionRequest{user: u, cmd: cmd}) {
			return
		}
		r = refusal(robot.Busy, "Too many motions are being saved. Try again in a moment.")
	}
	c.answerUnderLease(u, cmd.ID, cmd.Lease, r)
}

// mayUseMotion tells whether the command may be carried out, and carries a stop out.
func (c *crew) mayUseMotion(who *person, cmd motion, now time.Time) robot.Result {
	if c.motions == nil {
		return refusal(robot.NA, "This robot does not record motions.")
	}
	if r := c.mayCommand(who, cmd.Lease, "Try again."); !done(r) {
		return r
	}
	switch cmd.Action {
	case "play":
		return c.mayMove()
	case "stop":
		if c.replay.name != "" {
			c.endReplay(who.name+" ended it.", now)
			c.haltDriving("The motion was ended.", false)
		}
	}
	return robot.Result{Word: robot.Success}
}

// finishMotionRequest goes on with what was done where motions are kept.
func (c *crew) finishMotionRequest(s motionRequest, now time.Time) {
	who := (*person)(nil)
	if s.user != nil {
		who = s.user.person
	}
	r := robot.Result{Word: robot.Success}
	switch {
	case s.err != nil:
		r = refusal(robot.Error, s.err.Error())
		if s.drive != nil {
			c.logEvent(iconWarn, "The drive could not be saved.", now, "err", s.err)
		}
	case s.cmd.Action == "play":
		r = c.playMotion(who, s.cmd, s.found, now)
	default:
		c.broadcast(c.encodeMotions())
	}
	if s.user != nil {
		c.answerUnderLease(s.user, s.cmd.ID, s.cmd.Lease, r)
	}
}

// playMotion has the robot drive a motion again. Meanwhile anything may have changed.
func (c *crew) playMotion(who *person, cmd motion, m playout.Motion, now time.Time) robot.Result {
	if who == nil {
		return refusal(robot.Interrupted, "The page has gone.")
	}
	if r := c.mayUseMotion(who, cmd, now); !done(r) {
		return r
	}
	r := c.robot.Do(robot.Replay{Lease: c.lease.Epoch, Hold: c.gate.hold + 1, Number: cmd.Motion, Points: m.Points})
	if !done(r) {
		return r
	}
	c.gate.NextEpoch() // a hand that still holds something begins anew
	c.standing, c.ordered = false, true
	c.replay = replay{m.Name, c.lease.Epoch, c.gate.hold}
	c.sendDriveReset("The robot is replaying " + m.Name + ".")
	c.logEvent(iconDrive, who.name+" started replaying "+m.Name+".", now)
	return r
}

// A replay is a motion that the robot plays; the zero replay is none.
type replay struct {
	name              string
	lease, driveEpoch uint64 // its stream
}

// endReplay notes that the robot no longer plays a motion.
func (c *crew) endReplay(how string, now time.Time) {
	if c.replay.name != "" {
		c.logEvent(iconDrive, c.replay.name+" is over. "+how, now)
		c.replay = replay{}
	}
}

// endReplayFor ends a motion that the robot plays when a hand begins to drive. The
// hand begins anew from where the robot stands then.
func (c *crew) endReplayFor(who *person, d drive, now time.Time) {
	if c.replay.name != "" && d.DriveEpoch == c.gate.hold {
		c.endReplay(who.name+" drives.", now)
		c.haltDriving("The robot has stopped where "+who.name+" took over. Let go and press again.", false)
	}
}

// observeDriving looks at a state for what it tells of drives: one that is played, and one that
// is driven directly and kept. An old state is from before the last order to
// move.
func (c *crew) observeDriving(s robot.State, old bool) {
	if c.motions == nil {
		return
	}
	switch playing := s.Play.Motion != 0; {
	case c.replay.name == "" || playing || old:
	case s.Held != nil && s.Held.Lease == c.replay.lease && s.Held.Hold == c.replay.driveEpoch:
		c.endReplay(s.Held.Reason, s.Time)
	case c.gate.hold != c.replay.driveEpoch:
		c.endReplay("It stopped before its end.", s.Time)
	default:
		c.endReplay("It was replayed to its end.", s.Time)
	}
	if who := c.people.byID(c.lease.Holder); who != nil {
		c.shelveDrive(c.drives.addState(s, c.lease.Epoch, c.gate.hold, who.name))
	}
}

// recordDrive keeps a sample that the robot has taken, when it has a path.
func (c *crew) recordDrive(who *person, d drive, at time.Time) {
	if c.motions != nil && d.Path != nil {
		c.shelveDrive(c.drives.addSample(*d.Path, who.name, at))
	}
}

// storeEndedDrive keeps the drive that has come to its end, if one has.
func (c *crew) storeEndedDrive(now time.Time) {
	if at, ok := c.drives.endsAt(); ok && (!now.Before(at) || c.drives.driveEpoch != c.gate.hold) {
		c.shelveDrive(c.drives.finishMotion())
	}
}

// shelveDrive has a drive kept, if there is one.
func (c *crew) shelveDrive(m *playout.Motion) {
	if m != nil && !c.shelve(motionRequest{drive: m}) {
		c.lines.Error("a drive was not kept: too many wait to be written down")
	}
}

// encodeMotions returns the event that tells the motions; nil = none are kept here.
func (c *crew) encodeMotions() []byte {
	if c.motions == nil {
		return nil
	}
	return encodeValue(motionsEvent{"event", "motions", MotionsOf(c.motions.List())})
}
