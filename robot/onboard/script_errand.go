package onboard

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/script"
)

// An errand is a goal or a job that a script has asked for. The statement waits until it is
// over.
type errand struct {
	ask  int
	unit string
	goal *robot.GoTo // nil = a job
	run  uint64      // number of the prepared run
}

// scriptErrands holds the errands of the scripts. The robot does one at a time; the newest
// ends the one before.
type scriptErrands struct {
	asked   map[int]script.Ask // requests that the host has not answered; of speaker.val with an id below 0
	waiting []errand           // ready, in order; those of units that are held wait
	current *errand            // nil = none
	goal    uint64             // number of its goal; 0 = none
	run     uint64             // number of its run; 0 = none
	adopted bool               // a person has continued it, so it is the person's
}

// takeAsk takes a request of the machine.
func (s *scripted) takeAsk(now time.Time, a script.Ask) {
	if a.Cancelled {
		s.cancelAsk(now, a)
		return
	}
	if slices.ContainsFunc(a.Values, script.Value.HasBinary) {
		s.answer(now, a.ID, script.Value{}, "it takes numbers and texts, not pictures or sounds")
		return
	}
	switch a.Name {
	case "goto":
		if _, isPlace := a.Values[0].Text(); !isPlace {
			s.goToPoint(now, a)
			return
		}
	case "show", "ask":
		s.takeMessage(now, a)
		return
	case cameraPath:
		a.Values = []script.Value{script.Number(s.camera.quality)}
	}
	s.askHost(a)
}

// askHost passes a request to the host.
func (s *scripted) askHost(a script.Ask) {
	if s.errands.asked == nil {
		s.errands.asked = map[int]script.Ask{}
	}
	s.errands.asked[a.ID] = a
	s.asks = append(s.asks, a)
}

// cancelAsk ends what a statement has asked for, because the statement is over.
func (s *scripted) cancelAsk(now time.Time, a script.Ask) {
	if _, ok := s.errands.asked[a.ID]; ok {
		delete(s.errands.asked, a.ID)
		s.asks = append(s.asks, a)
	}
	s.errands.waiting = slices.DeleteFunc(s.errands.waiting, func(e errand) bool { return e.ask == a.ID })
	s.announced.cancel(a.ID)
	if e := s.errands.current; e != nil && e.ask == a.ID {
		s.endErrand(now, "The script ended it.")
	}
}

// goToPoint takes goto(x, y[, heading]). Without a heading the robot looks where it came
// to.
func (s *scripted) goToPoint(now time.Time, a script.Ask) {
	var at [3]float64
	for i, v := range a.Values {
		x, ok := v.Number()
		if !ok || !robot.Finite(x) {
			s.answer(now, a.ID, script.Value{}, "a goal is the name of a place, or x and y in metres and a heading in degrees")
			return
		}
		at[i] = x
	}
	if len(a.Values) < 2 {
		s.answer(now, a.ID, script.Value{}, "a goal needs x and y, or the name of a place in quotes")
		return
	}
	goal := robot.Pose{X: at[0], Y: at[1], Theta: robot.Radians(at[2])}
	if by := goal.Point().Sub(s.estimate.Pose.Point()); len(a.Values) == 2 {
		goal.Theta = math.Atan2(by.Y, by.X)
	}
	s.errands.waiting = append(s.errands.waiting, errand{ask: a.ID, unit: a.Unit, goal: &robot.GoTo{Goal: goal}})
}

// takeAnswer takes the host's answer to a request.
func (s *scripted) takeAnswer(now time.Time, r robot.AnswerAsk) robot.Result {
	a, ok := s.errands.asked[r.ID]
	if !ok {
		return failedResult("No statement waits for the answer %d.", r.ID)
	}
	delete(s.errands.asked, r.ID)
	switch {
	case r.ID < 0 && r.ID == s.standby.ask:
		s.takeAnnouncement(a.Unit, r.Speech)
	case r.ID < 0:
		s.takeSpeakerText(now, a.Unit, r)
	case r.Refusal != "":
		s.answer(now, r.ID, script.Value{}, r.Refusal)
	case r.Goal != nil, r.Run != 0:
		s.errands.waiting = append(s.errands.waiting, errand{ask: a.ID, unit: a.Unit, goal: r.Goal, run: r.Run})
	case len(r.Speech) > 0:
		s.announced.speeches = append(s.announced.speeches, utterance{unit: a.Unit, ask: a.ID, sentences: r.Speech})
	default:
		s.answer(now, r.ID, r.Value, "")
	}
	return robot.Result{Word: robot.Success}
}

// answer answers a request of the machine.
func (s *scripted) answer(now time.Time, ask int, v script.Value, refusal string) {
	if ask > 0 {
		s.machine.Answer(s.time(now), ask, v, refusal)
	}
}

// forgetFloor refuses the errands that have not begun, and those whose answer the host still
// looks up: their poses belong to the floor that is no longer in use.
func (s *scripted) forgetFloor(now time.Time, reason string) {
	waiting := s.errands.waiting
	s.errands.waiting = nil
	for _, e := range waiting {
		s.answer(now, e.ask, script.Value{}, reason)
	}
	for _, id := range slices.Sorted(maps.Keys(s.errands.asked)) {
		switch a := s.errands.asked[id]; a.Name {
		case "goto", "dock", "job":
			delete(s.errands.asked, id)
			a.Cancelled = true
			s.asks = append(s.asks, a)
			s.answer(now, id, script.Value{}, reason)
		}
	}
}

// watchErrands begins errands whose turn it is, and ends the current one when it is over.
// It reports whether a statement was answered.
func (s *scripted) watchErrands(now time.Time) bool {
	for i, e := range s.errands.waiting {
		if !s.machine.IsHeld(e.unit) {
			s.errands.waiting = slices.Delete(s.errands.waiting, i, i+1)
			s.beginErrand(now, e)
			return true
		}
	}
	e := s.errands.current
	if e == nil {
		return false
	}
	end, reason := s.findEnd()
	switch {
	case end.Word != "":
		s.errands.current, s.errands.goal, s.errands.run = nil, 0, 0
		s.answerEnd(now, e.ask, end)
		return true
	case reason != "" && !s.machine.IsHeld(e.unit):
		s.hold(now, "", reason)
	}
	return false
}

// findEnd returns how the current errand ended, without a word if it has not; and why it is
// paused, "" = it is not.
func (s *scripted) findEnd() (end robot.Result, paused string) {
	if s.errands.current.goal == nil {
		r := s.jobs.run.State()
		switch {
		case r.Number != s.errands.run:
			return robot.Result{Word: robot.Interrupted, Reason: "Another job was started."}, ""
		case r.Phase == robot.RunEnded:
			return r.Result, ""
		case r.Phase == robot.RunPaused:
			return end, cmp.Or(r.Result.Reason, jobPaused)
		}
		return end, ""
	}
	g := &s.navigator.run.goal
	switch {
	case g.Number != s.errands.goal:
		return robot.Result{Word: robot.Interrupted, Reason: "The robot was sent to another goal."}, ""
	case g.Phase == robot.GoalEnded:
		return g.Result, ""
	case g.Phase == robot.GoalPaused:
		return end, cmp.Or(g.Result.Reason, goalPaused)
	}
	return end, ""
}

// answerEnd answers the statement of an errand.
func (s *scripted) answerEnd(now time.Time, ask int, end robot.Result) {
	refusal := ""
	if !end.Done() {
		refusal = cmp.Or(end.Reason, "It did not succeed.")
	}
	s.answer(now, ask, script.Value{}, refusal)
}

// beginErrand begins an errand. It ends the one before.
func (s *scripted) beginErrand(now time.Time, e errand) {
	if why := s.foreignErrand(); why != "" {
		s.answer(now, e.ask, script.Value{}, why+" Scripts do not move it meanwhile.")
		return
	}
	if before := s.errands.current; before != nil {
		s.endErrand(now, "A newer errand of a script began.")
		s.answer(now, before.ask, script.Value{}, "a newer goto, dock or job ended it")
	}
	wish := robot.ScriptWish{Do: robot.ScriptJob, Run: e.run}
	if e.goal != nil {
		wish = robot.ScriptWish{Do: robot.ScriptGoTo, Goal: e.goal.Goal, Name: e.goal.Name}
	}
	if r := s.act(now, wish, ""); !r.Done() {
		s.answer(now, e.ask, script.Value{}, r.Reason)
		return
	}
	s.errands.current, s.errands.adopted = &e, false
	s.errands.goal, s.errands.run = 0, e.run
	if e.goal != nil {
		s.errands.goal = s.navigator.run.goal.Number
	}
}

// endErrand ends the current errand, unless it has become a person's.
func (s *scripted) endErrand(now time.Time, reason string) {
	e := s.errands.current
	end, _ := s.findEnd()
	if end.Word == "" && !s.errands.adopted {
		verb := robot.ScriptEndJob
		if e.goal != nil {
			verb = robot.ScriptCancel
		}
		s.act(now, robot.ScriptWish{Do: verb}, reason)
	}
	s.errands.current, s.errands.goal, s.errands.run = nil, 0, 0
}

// endOwnErrand ends the current errand because a script moves the wheels.
func (s *scripted) endOwnErrand(now time.Time) {
	if e := s.errands.current; e != nil && !s.errands.adopted {
		s.endErrand(now, "A script moved the wheels.")
		s.answer(now, e.ask, script.Value{}, "a script moved the wheels")
	}
}

// pauseErrand pauses the current errand if its unit is held, unless it is over: then a person's
// goal or job may have taken its place. A goal that would continue by itself once the
// position is known again does not.
func (s *scripted) pauseErrand(now time.Time, reason string) {
	e := s.errands.current
	if e == nil || s.errands.adopted || !s.machine.IsHeld(e.unit) {
		return
	}
	end, paused := s.findEnd()
	if end.Word == "" && (paused == "" || s.navigator.run.lost) {
		s.act(now, robot.ScriptWish{Do: robot.ScriptPause}, reason)
	}
}

// resumeErrand continues the current errand if its unit is not held.
func (s *scripted) resumeErrand(now time.Time) {
	e := s.errands.current
	if e == nil || s.machine.IsHeld(e.unit) {
		return
	}
	if _, paused := s.findEnd(); paused == "" {
		return
	}
	verb := robot.ScriptGoOn
	if e.goal != nil {
		verb = robot.ScriptResume
	}
	s.errands.adopted = false
	if r := s.act(now, robot.ScriptWish{Do: verb}, ""); !r.Done() {
		s.endErrand(now, r.Reason)
		s.answer(now, e.ask, script.Value{}, r.Reason)
	}
}

// isOnErrand reports whether the robot is on the way of the current errand.
func (s *scripted) isOnErrand() bool {
	if s.errands.current == nil || s.errands.adopted {
		return false
	}
	end, paused := s.findEnd()
	return end.Word == "" && paused == ""
}

// act does what the scripts want of the robot, and shows it to the observer.
func (s *scripted) act(now time.Time, w robot.ScriptWish, reason string) robot.Result {
	s.reply(robot.Reply{Kind: robot.ScriptReply, Wish: w})
	return s.perform(now, w, reason)
}

// repeatWishes does again what a recording says.
func (s *scripted) repeatWishes(now time.Time) {
	for _, w := range *s.recorded {
		s.perform(now, w, "It was recorded.")
	}
	*s.recorded = (*s.recorded)[:0]
}

func (s *scripted) perform(now time.Time, w robot.ScriptWish, reason string) (r robot.Result) {
	r.Word = robot.Success
	switch w.Do {
	case robot.ScriptDrive:
		s.request = newVelocityRequest(w.Twist, now, robot.DriveValid, alone)
	case robot.ScriptGoTo:
		if r = s.navigator.sendToGoal(now, robot.GoTo{Goal: w.Goal, Name: w.Name}); r.Done() {
			s.others.flushQueue(sentAway)
			s.others.pauseJob(now, sentAway)
		}
	case robot.ScriptCancel:
		r = s.navigator.cancelGoal(reason)
	case robot.ScriptPause:
		s.others.pauseGoal(now, reason)
	case robot.ScriptResume:
		r = s.navigator.resendToGoal(now)
	case robot.ScriptJob:
		r = s.jobs.beginRun(now, w.Run)
	case robot.ScriptEndJob:
		r = s.jobs.changeRun(now, robot.EndRun{Reason: reason})
	case robot.ScriptGoOn:
		r = s.jobs.resumeRun(now)
	}
	return r
}
