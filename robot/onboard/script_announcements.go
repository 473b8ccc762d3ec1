package onboard

import (
	"maps"
	"slices"
	"time"

	"mybot/robot"
	"mybot/script"
)

// announcements are what scripts say and show: one sentence and one message at a time, in
// the order in which they came.
type announcements struct {
	speeches []utterance
	speech   *robot.Speech // the current sentence; nil = silent
	saying   utterance     // whose sentence it is; an announcement may have come before the rest
	ends     time.Time     // when it counts as spoken
	spoken   uint64        // number of the last sentence

	speakerAsks int                     // to the host about speaker.val
	speakerNext map[string]script.Value // newest text or sound of a unit's speaker.val, while the host prepares an earlier one

	notices  []notice
	message  *robot.Message // on display; nil = none
	standing string         // shown while there are no notices; "" = nothing
	shownBy  string         // the unit that shows it
	written  uint64         // number of the last message

	pressed bool // OK was pressed in the last reading
}

// An utterance is a text that is being said.
type utterance struct {
	unit      string
	ask       int // 0 = speaker.val, so that no statement waits for its end; below 0 = of a unit that stands by
	sentences []robot.Speech
	begun     bool
}

// A notice is a message with an end.
type notice struct {
	ask    int
	text   string
	asksOK bool
	lasts  time.Duration // 0 = until a person touches OK
	number uint64        // of its message; 0 = not shown yet
	until  time.Time
}

// okLasts is how long ok.val is 1 after a person touched OK on a screen.
const okLasts = 300 * time.Millisecond

// longestShown is the longest time for which a message can be shown.
const longestShown = 24 * time.Hour

// cancel ends what a statement says or shows.
func (a *announcements) cancel(ask int) {
	a.silence(func(u utterance) bool { return u.ask == ask })
	a.notices = slices.DeleteFunc(a.notices, func(n notice) bool { return n.ask == ask })
}

// silence ends what is being said, and what waits to be said, where is holds.
func (a *announcements) silence(is func(u utterance) bool) {
	if is(a.saying) {
		a.speech = nil
	}
	a.speeches = slices.DeleteFunc(a.speeches, is)
}

// dropEnded ends what units say and show that have ended. What their statements say and
// show has ended with these.
func (s *scripted) dropEnded() {
	a := &s.announced
	if !s.machine.IsOpen(a.shownBy) {
		a.standing = ""
	}
	a.silence(func(u utterance) bool { return !s.machine.IsOpen(u.unit) })
	maps.DeleteFunc(a.speakerNext, func(unit string, _ script.Value) bool { return !s.machine.IsOpen(unit) })
	if len(s.errands.asked) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(s.errands.asked)) {
		if ask := s.errands.asked[id]; id < 0 && !s.machine.IsOpen(ask.Unit) {
			ask.Cancelled = true
			delete(s.errands.asked, id)
			s.asks = append(s.asks, ask)
		}
	}
}

// takeMessage takes show(text[, time]) and ask(text[, time]).
func (s *scripted) takeMessage(now time.Time, a script.Ask) {
	n := notice{ask: a.ID, text: a.Values[0].Plain(), asksOK: a.Name == "ask"}
	if len(a.Values) == 2 {
		ms, ok := a.Values[1].Number()
		if !ok || !(ms > 0) {
			s.answer(now, a.ID, script.Value{}, "the time must be a number of ms, more than 0")
			return
		}
		n.lasts = time.Duration(min(ms, float64(longestShown.Milliseconds())) * float64(time.Millisecond))
	}
	if n.lasts == 0 && !n.asksOK {
		s.announced.standing, s.announced.shownBy = n.text, a.Unit
		s.answer(now, a.ID, script.Value{}, "")
		return
	}
	s.announced.notices = append(s.announced.notices, n)
}

// sayOrShow takes what a script set speaker.val or display.val to.
func (s *scripted) sayOrShow(o script.Output) {
	if o.Name == "display.val" {
		s.announced.standing, s.announced.shownBy = o.Value.Plain(), o.Unit
	} else if o.Value.Plain() != "" {
		s.speakAsSet(o.Unit, o.Value)
	}
}

// speakAsSet has the host prepare a text or a sound that a unit has set speaker.val to. Of
// those that come meanwhile only the newest remains.
func (s *scripted) speakAsSet(unit string, v script.Value) {
	a := &s.announced
	for id, ask := range s.errands.asked {
		if id >= 0 || id == s.standby.ask || ask.Unit != unit {
			continue
		}
		if a.speakerNext == nil {
			a.speakerNext = map[string]script.Value{}
		}
		a.speakerNext[unit] = v
		return
	}
	a.speakerAsks++
	s.askHost(script.Ask{ID: -a.speakerAsks, Unit: unit, Name: "say", Values: []script.Value{v}})
}

// takeSpeakerText takes the host's answer about speaker.val of a unit. It replaces what
// waits to be said for that unit.
func (s *scripted) takeSpeakerText(now time.Time, unit string, r robot.AnswerAsk) {
	a := &s.announced
	if r.Refusal != "" {
		s.machine.TellFault(s.time(now), unit, "speaker.val: "+r.Refusal)
	}
	if len(r.Speech) > 0 {
		u := utterance{unit: unit, sentences: r.Speech}
		if i := slices.IndexFunc(a.speeches, func(o utterance) bool { return o.ask == 0 && o.unit == unit && !o.begun }); i >= 0 {
			a.speeches[i] = u
		} else {
			a.speeches = append(a.speeches, u)
		}
	}
	if v, ok := a.speakerNext[unit]; ok {
		delete(a.speakerNext, unit)
		s.speakAsSet(unit, v)
	}
}

// watchAnnouncements says and shows what is next. It reports whether a statement was answered.
func (s *scripted) watchAnnouncements(now time.Time) (answered bool) {
	s.dropEnded()
	answered = s.watchSpeech(now)
	return s.watchMessage(now) || answered
}

func (s *scripted) watchSpeech(now time.Time) bool {
	a := &s.announced
	if a.speech != nil && now.Before(a.ends) || len(a.speeches) == 0 {
		return false
	}
	u := &a.speeches[0]
	if a.speech = nil; len(u.sentences) == 0 {
		ask := u.ask
		a.speeches = slices.Delete(a.speeches, 0, 1)
		s.answer(now, ask, script.Value{}, "")
		return true
	}
	if run := s.jobs.run; run != nil && run.Speech() != nil {
		return false // a job speaks
	}
	next := u.sentences[0]
	u.sentences, u.begun = u.sentences[1:], true
	a.spoken++
	next.Number, next.At = a.spoken, now
	a.speech, a.saying, a.ends = &next, *u, now.Add(next.Duration)
	if !next.Aloud { // the page or base that speaks reports the end; it may take longer
		a.ends = now.Add(2*next.Duration + 3*time.Second)
	}
	return false
}

func (s *scripted) watchMessage(now time.Time) bool {
	a := &s.announced
	if len(a.notices) > 0 {
		n := &a.notices[0]
		if n.number != 0 && !n.until.IsZero() && !now.Before(n.until) {
			s.endNotice(now, script.Number(0))
			return true
		}
		if n.number == 0 {
			a.written++
			n.number = a.written
			if n.lasts > 0 {
				n.until = now.Add(n.lasts)
			}
			a.message = &robot.Message{Number: n.number, Text: n.text, OK: n.asksOK, Until: n.until}
		}
		return false
	}
	switch {
	case a.standing == "":
		a.message = nil
	case a.message == nil || *a.message != (robot.Message{Number: a.written, Text: a.standing}):
		a.written++
		a.message = &robot.Message{Number: a.written, Text: a.standing}
	}
	return false
}

// endNotice ends the message on display. ask answers with a value, show without.
func (s *scripted) endNotice(now time.Time, v script.Value) {
	n := s.announced.notices[0]
	s.announced.notices = slices.Delete(s.announced.notices, 0, 1)
	if !n.asksOK {
		v = script.Value{}
	}
	s.answer(now, n.ask, v, "")
}

// takeOK takes an OK of a person, unless it is for a job.
func (s *scripted) takeOK(now time.Time, cmd robot.OK) (r robot.Result, ok bool) {
	m := s.announced.message
	isOurs := m != nil && m.OK && cmd.Message == m.Number
	if s.machine == nil || s.recorded != nil || !isOurs && s.jobs.runPhase() != robot.RunEnded {
		return r, false
	}
	if cmd.Message != 0 && !isOurs {
		return failedResult("This message is no longer shown."), true
	}
	s.touchOK(now)
	s.settle(now)
	return robot.Result{Word: robot.Success}, true
}

// touchOK answers the question on display, and makes ok.val 1 for a moment.
func (s *scripted) touchOK(now time.Time) {
	s.okUntil = now.Add(okLasts)
	if n := s.announced.notices; len(n) > 0 && n[0].asksOK && n[0].number != 0 {
		s.endNotice(now, script.Number(1))
	}
}

// watchOK notices that the OK switch of the robot is pressed, or that a unit pretends so.
func (s *scripted) watchOK(now time.Time) {
	pressed := s.reading.OK || s.pretendedOK
	if pressed && !s.announced.pressed {
		s.touchOK(now)
	}
	s.announced.pressed = pressed
}

// takeSpoken takes the end of a sentence of a script.
func (s *scripted) takeSpoken(now time.Time, cmd robot.Spoken) (r robot.Result, ok bool) {
	if a := &s.announced; a.speech == nil || a.speech.Number != cmd.Number || s.recorded != nil {
		return r, false
	}
	s.announced.ends = now
	s.settle(now)
	return robot.Result{Word: robot.Success}, true
}

// describeAnnouncements adds what scripts say and show to a state, unless a job does.
func (s *scripted) describeAnnouncements(state *robot.State) {
	if state.Speech == nil {
		state.Speech = s.announced.speech
	}
	if state.Message == nil {
		state.Message = s.announced.message
	}
}
