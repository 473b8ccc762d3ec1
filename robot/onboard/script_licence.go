package onboard

import (
	"maps"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/script"
)

// This file decides when scripts may move the robot. A unit has the licence to move when a
// person in control has started or resumed it. Driving by hand, STOP, a person's goal or job,
// a set position, trouble with base or position, or HoldUnits take it from all units; only
// ResumeUnits gives it back, and for units that stand by ContinueUnit (script_standby.go).
// What does not move the robot needs no licence.

// Why motion is held.
const (
	withoutControl = "It was started without control of the robot."
	notTaken       = "The connection has not taken control of the robot; motoron takes it."
	headByHand     = "A person turned the head."
	wayByPerson    = "A person sent the robot somewhere."
	jobByPerson    = "A person started or continued a job."
)

// licence holds the reasons why units may not move.
type licence struct {
	why      map[string]string // by unit; a unit with the licence has none
	version  uint64            // grows with every change
	licensed bool              // a unit may have the licence
	wellAt   time.Time         // when base and position were last fine
}

// note sets the licence of a unit that starts.
func (l *licence) note(name string, held bool, why string) {
	if l.why == nil {
		l.why = map[string]string{}
	}
	l.version++
	delete(l.why, name)
	if held {
		l.why[name] = why
	} else {
		l.licensed = true
	}
}

// whyHeld is the machine's WhyHeld.
func (l *licence) whyHeld(unit string) string { return l.why[unit] }

// hold holds the motion of a unit, or of all units if name is "", for a reason, until
// ResumeUnits.
func (s *scripted) hold(now time.Time, name, reason string) {
	s.endStandby(name)
	s.takeLicence(now, name, reason)
}

// takeLicence takes the licence of a unit, or of all units if name is "".
func (s *scripted) takeLicence(now time.Time, name, reason string) {
	if s.machine == nil || !s.licence.licensed {
		return
	}
	for _, u := range s.machine.Units() {
		if name == "" || u.Name == name {
			s.licence.why[u.Name] = reason
		}
	}
	s.machine.Hold(s.time(now), name)
	s.licence.version++
	if name == "" {
		s.licence.licensed = false
	}
	s.pauseErrand(now, reason)
	s.settle(now)
}

// resume gives a unit, or all units if name is "", the licence to move.
func (s *scripted) resume(now time.Time, name string) robot.Result {
	if no := s.refuseProgram(now); no.Word != "" {
		return no
	}
	if why := s.foreignErrand(); why != "" {
		return busyResult(why + " Cancel that first, or wait for its end.")
	}
	if name != "" && !s.machine.IsOpen(name) {
		return knownUnit(false, name)
	}
	for _, u := range s.machine.Units() {
		if name == "" || u.Name == name {
			delete(s.licence.why, u.Name)
		}
	}
	s.endStandby(name)
	s.licence.licensed = true
	s.licence.version++
	s.machine.Resume(s.time(now), name)
	s.resumeErrand(now)
	return robot.Result{Word: robot.Success}
}

// refuseMoving is the machine's Refuse: it returns why a device or function cannot move
// the robot now; "" = it can.
func (s *scripted) refuseMoving(name string) string {
	if why := s.foreignErrand(); why != "" {
		return why + " Scripts do not move it meanwhile."
	}
	if s.lent.Head && (name == panPath || name == tiltPath) {
		return "The head is lent."
	}
	return ""
}

// foreignErrand returns a sentence about a goal, a job, a replay or timed commands that are
// under way and not the scripts'; "" = there are none.
func (s *scripted) foreignErrand() string {
	if s.others.hasPlannedDrive() {
		return "A replay or timed commands drive the robot."
	}
	if run := s.jobs.run; run != nil {
		r := run.State()
		if isOwn := s.errands.run == r.Number && !s.errands.adopted; (r.Phase == robot.RunRunning || r.Phase == robot.RunStuck) && !isOwn {
			return "The job " + r.Name + " is under way."
		}
	}
	g := &s.navigator.run
	if isOwn := s.errands.goal == g.goal.Number && !s.errands.adopted; (g.isUnderWay() || g.lost) && !isOwn && !s.others.hasJobGoal() {
		if g.goal.Name != "" {
			return "The robot is on its way to " + g.goal.Name + "."
		}
		return "The robot is on its way to a goal."
	}
	return ""
}

// heed holds the motion of scripts if a command of a person ends their licence. It is called
// after the command, with its answer.
func (s *scripted) heed(now time.Time, cmd robot.Command, r robot.Result) {
	if s.recorded != nil {
		s.repeatWishes(now)
		return
	}
	if s.machine == nil {
		return
	}
	switch cmd := cmd.(type) {
	case robot.Stop:
		s.hold(now, "", s.stopReason())
	case robot.Drive:
		s.yieldIf(r.Done() && !cmd.Twist.IsZero(), now, drivenByHand)
	case robot.Follow:
		s.yieldIf(r.Done() && !cmd.Want.IsZero(), now, drivenByHand)
	case robot.Replay, robot.Enqueue:
		s.yieldIf(r.Done(), now, drivenByHand)
	case robot.Look:
		s.yieldIf(r.Done(), now, headByHand)
	case robot.GoTo:
		s.yieldIf(r.Done(), now, wayByPerson)
	case robot.Resume, robot.GoAround:
		s.adopt(r.Done())
		s.yieldIf(r.Done(), now, wayByPerson)
	case robot.RunJob:
		s.yieldIf(r.Done(), now, jobByPerson)
	case robot.ResumeRun, robot.SkipStep, robot.RetryStep:
		s.adopt(r.Done())
		s.yieldIf(r.Done(), now, jobByPerson)
	case robot.Cancel, robot.EndRun:
		s.holdIf(r.Done() && s.errands.current != nil, now, goalGivenUp)
	case robot.Pause, robot.PauseRun:
		s.holdIf(r.Done(), now, goalPaused)
	case robot.SetPose:
		s.holdIf(r.Done(), now, "The position was set.")
	}
}

func (s *scripted) holdIf(holds bool, now time.Time, reason string) {
	if holds {
		s.hold(now, "", reason)
	}
}

// adopt makes the goal and the job of the scripts those of the person who continues them.
func (s *scripted) adopt(done bool) {
	if done && (s.errands.goal != 0 || s.errands.run != 0) {
		s.errands.adopted = true
	}
}

// watchTrouble holds motion when base or position have been in trouble for GoalTrouble. A
// base that refuses to drive, however briefly, holds it at once.
func (s *scripted) watchTrouble(now time.Time) {
	reason := s.unsafeReason()
	if silent := now.Sub(s.reading.Time); reason == "" && silent > limits.ReadingGap {
		reason = s.refuseInSilence(silent).Reason
	}
	if reason != "" { // however short
		s.endStandby("")
	}
	switch {
	case s.stop != nil:
		s.hold(now, "", s.stopReason())
	case s.reading.Refuses != "":
		s.hold(now, "", s.reading.Refuses)
	case reason == "":
		s.licence.wellAt = now
	case now.Sub(s.licence.wellAt) > limits.GoalTrouble:
		s.hold(now, "", reason)
	}
}

// describe returns the scripts for a state; nil = nothing was run yet.
func (s *scripted) describe() *robot.ScriptState {
	if s.machine == nil {
		return nil
	}
	moving := s.request.isFresh(s.reading.Time) && !s.request.twist.IsZero() || s.headMoves
	errand := s.isOnErrand()
	changes := s.machine.Changes() + s.licence.version
	if s.shown != nil && s.shownFor == changes && s.shown.Moving == moving && s.shown.Errand == errand {
		return s.shown
	}
	isHoldNew := s.shownHold != s.licence.version
	if s.shown != nil && !isHoldNew && s.shown.Moving == moving && s.shown.Errand == errand && s.latest.Sub(s.shownAt) < showScriptsEvery {
		return s.shown
	}
	next := s.listUnits()
	next.Moving, next.Errand, next.CameraOff = moving, errand, s.camera.offBy
	s.shownFor, s.shownHold, s.shownAt = changes, s.licence.version, s.latest
	if s.shown == nil || !equalScripts(*s.shown, next) {
		s.shown = &next
	}
	return s.shown
}

// showScriptsEvery is the shortest time between two lists of what runs, unless a licence
// changes.
const showScriptsEvery = 200 * time.Millisecond

// listUnits lists what runs.
func (s *scripted) listUnits() (list robot.ScriptState) {
	for _, u := range s.machine.Units() {
		one := robot.ScriptUnit{Name: u.Name, Held: u.Held, Why: s.licence.why[u.Name]}
		s.describeStandby(&one)
		if one.Held {
			list.Held = one.Why
		}
		if one.Waits = u.Waits; u.Waits > 0 {
			one.WaitsSince = s.wallTime(u.WaitsSince)
		}
		for _, t := range u.Tags {
			one.Tags = append(one.Tags, s.describeTag(u.Name, t))
		}
		list.Units = append(list.Units, one)
	}
	maps.DeleteFunc(s.licence.why, func(name, _ string) bool { return !s.machine.IsOpen(name) })
	return list
}

// soonest is the shortest time of a tag that is worth showing: shorter ones change all the
// time.
const soonest = time.Second

func (s *scripted) describeTag(unit string, t script.TagStatus) robot.ScriptTag {
	one := robot.ScriptTag{Name: t.Name, Frozen: t.Frozen, Blocked: t.Blocked, Statements: t.Statements}
	if until := s.wallTime(t.Until); t.Until > 0 && until.Sub(s.latest) >= soonest {
		one.Until = until
	}
	if e := s.errands.current; e != nil && e.goal != nil && e.unit == unit && s.isOnErrand() {
		one.OnWay = s.machine.IsUnder(e.ask, t.Name)
	}
	return one
}

// wallTime converts a time of the machine to that of the readings' clock.
func (s *scripted) wallTime(t script.Time) time.Time {
	return s.began.Add(time.Duration(t) * time.Microsecond)
}

func equalScripts(a, b robot.ScriptState) bool {
	return a.Held == b.Held && a.CameraOff == b.CameraOff && a.Moving == b.Moving && a.Errand == b.Errand && slices.EqualFunc(a.Units, b.Units, func(a, b robot.ScriptUnit) bool {
		return a.Name == b.Name && a.Held == b.Held && a.Why == b.Why && a.Yields == b.Yields && a.ContinuesAt.Equal(b.ContinuesAt) && a.Announced == b.Announced && a.Waits == b.Waits && a.WaitsSince.Equal(b.WaitsSince) && slices.Equal(a.Tags, b.Tags)
	})
}
