package onboard

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/script"
)

// This file lets scripts continue without ResumeUnits after a person has used the robot. A unit
// stands by while only the control of persons holds its motion: driving by hand, turning the
// head, a goal or a job of a person, or a handover. Anything else that holds scripts ends that
// until ResumeUnits: STOP, trouble with base or position, a set position, another map, a pause or a
// cancelled goal. So does trouble that is too short to hold scripts. session names the units
// that may continue (LetStandBy) while no one has control. The robot says so before it moves,
// and session, which knows who has control, has the last word (ContinueUnit).

// What the robot says before a unit continues.
const (
	noticeLine = "*** It continues in 10 s unless someone takes control."
	noticeText = "The robot moves again in 10 s unless someone takes control."
	noticeSaid = "I will move again in 10 seconds."
)

// continueWithin is how long after its time ContinueUnit may come; later the announcement has lapsed.
const continueWithin = 5 * time.Second

// standby holds what standing by needs. Its times are the machine's.
type standby struct {
	epoch   uint64              // of the lease under which the units may stand by
	after   script.Time         // without control
	yields  map[string]bool     // units whose motion is held, and only because persons have used the robot
	may     map[string]*stander // units that may continue, by LetStandBy
	ask     int                 // id of the request to prepare the speech; 0 = none
	message *robot.Message      // while an announcement counts; nil = none does
	lines   []script.Line       // since takeLines
}

// A stander is a unit that may continue.
type stander struct {
	since     script.Time // no one has had control since then, and nothing of a person's was under way
	waits     bool        // something of a person's is under way
	announced bool
	said      script.Time // when it was announced
}

func machineTime(d time.Duration) script.Time { return script.Time(d.Microseconds()) }

// continuesAt returns when a unit continues; it has the time that was announced.
func (b *standby) continuesAt(st *stander) script.Time {
	at := st.since + b.after
	if st.announced {
		at = st.said + machineTime(limits.StandByNotice)
	}
	return at
}

// yield holds the motion of all scripts because a person uses the robot. Units that had the
// licence may stand by; the time of all restarts.
func (s *scripted) yield(now time.Time, reason string) {
	if s.machine == nil {
		return
	}
	for u, st := range s.standby.may {
		st.since = s.time(now)
		s.withdraw(u)
	}
	if !s.licence.licensed {
		return
	}
	if s.standby.yields == nil {
		s.standby.yields = map[string]bool{}
	}
	for _, u := range s.machine.Units() {
		if s.licence.why[u.Name] == "" {
			s.standby.yields[u.Name] = true
		}
	}
	s.takeLicence(now, "", reason)
}

func (s *scripted) yieldIf(yields bool, now time.Time, reason string) {
	if yields {
		s.yield(now, reason)
	}
}

// endStandby ends that a unit, or all units if name is "", may continue without ResumeUnits.
func (s *scripted) endStandby(name string) {
	b := &s.standby
	for u := range b.yields {
		if name == "" || u == name {
			delete(b.yields, u)
			s.licence.version++
		}
	}
	for u := range b.may {
		if name == "" || u == name {
			s.withdraw(u)
		}
	}
}

// letStandBy takes the units that may continue.
func (s *scripted) letStandBy(now time.Time, cmd robot.LetStandBy) {
	b, t := &s.standby, s.time(now)
	for u := range b.may {
		if cmd.Epoch != b.epoch || !slices.Contains(cmd.Units, u) {
			s.withdraw(u)
			delete(b.may, u)
		}
	}
	if b.may == nil {
		b.may = map[string]*stander{}
	}
	for _, u := range cmd.Units {
		if b.may[u] == nil {
			b.may[u] = &stander{since: t}
		}
	}
	b.epoch, b.after = cmd.Epoch, machineTime(cmp.Or(cmd.After, limits.StandBy))
	s.licence.version++
}

// watchStandby announces that units continue when it is time. A goal, a job or a drive of a
// person that is still under way restarts the time.
func (s *scripted) watchStandby(now time.Time) {
	b := &s.standby
	for name := range b.yields {
		if !s.machine.IsOpen(name) {
			s.endStandby(name)
		}
	}
	if len(b.may) == 0 || len(b.yields) == 0 {
		return
	}
	t, notice, errand := s.time(now), machineTime(limits.StandByNotice), s.foreignErrand() != ""
	for _, name := range slices.Sorted(maps.Keys(b.may)) {
		st := b.may[name]
		if st.waits != errand {
			st.waits = errand
			s.licence.version++
		}
		switch {
		case errand:
			st.since = t
			s.withdraw(name)
		case !b.yields[name]:
		case st.announced && t >= st.said+notice+machineTime(continueWithin): // session has not let it continue
			st.since = t
			s.withdraw(name)
		case !st.announced && t >= st.since+b.after-notice:
			s.announce(now, name)
		}
	}
}

// announce says that a unit continues.
func (s *scripted) announce(now time.Time, name string) {
	b, t := &s.standby, s.time(now)
	b.may[name].announced, b.may[name].said = true, t
	b.lines = append(b.lines, script.Line{Unit: name, Time: t, Text: noticeLine})
	s.licence.version++
	if b.message != nil { // for another unit
		return
	}
	g := &s.announced
	g.written++
	b.message = &robot.Message{Number: g.written, Text: noticeText, Until: now.Add(limits.StandByNotice)}
	g.speakerAsks++
	b.ask = -g.speakerAsks
	s.askHost(script.Ask{ID: b.ask, Unit: name, Name: "say", Values: []script.Value{script.Text(noticeSaid)}})
}

// takeAnnouncement takes the speech that the host has prepared. It comes before what waits
// to be said.
func (s *scripted) takeAnnouncement(unit string, sentences []robot.Speech) {
	b, g := &s.standby, &s.announced
	if len(sentences) > 0 {
		g.speeches = slices.Insert(g.speeches, 0, utterance{unit: unit, ask: b.ask, sentences: sentences})
	}
	b.ask = 0
}

// withdraw takes back that a unit continues.
func (s *scripted) withdraw(name string) {
	b := &s.standby
	if st := b.may[name]; st == nil || !st.announced {
		return
	}
	b.may[name].announced = false
	s.licence.version++
	for _, st := range b.may {
		if st.announced {
			return
		}
	}
	b.message = nil
	if a, ok := s.errands.asked[b.ask]; ok {
		delete(s.errands.asked, b.ask)
		a.Cancelled = true
		s.asks = append(s.asks, a)
	}
	s.announced.silence(func(u utterance) bool { return u.ask < 0 })
}

// continueUnit continues the motion of a unit for which that was announced.
func (s *scripted) continueUnit(now time.Time, cmd robot.ContinueUnit) robot.Result {
	b, t := &s.standby, s.time(now)
	st := b.may[cmd.Unit]
	if st == nil || cmd.Epoch != b.epoch || !b.yields[cmd.Unit] || !st.announced || t < b.continuesAt(st) {
		return failedResult("The script %s does not continue by itself now.", cmd.Unit)
	}
	r := s.resume(now, cmd.Unit)
	if r.Done() {
		b.lines = append(b.lines, script.Line{Unit: cmd.Unit, Time: t, Text: "*** It continues, because no one has control."})
	}
	return r
}

// describeStandby adds to the state of a unit whether it stands by.
func (s *scripted) describeStandby(u *robot.ScriptUnit) {
	b := &s.standby
	u.Yields = u.Held && b.yields[u.Name]
	if st := b.may[u.Name]; u.Yields && st != nil && !st.waits {
		u.ContinuesAt = s.wallTime(b.continuesAt(st))
		u.Announced = st.announced
	}
}

// describeNotice shows the announcement on the display, before any other message.
func (s *scripted) describeNotice(state *robot.State) {
	if s.standby.message != nil {
		state.Message = s.standby.message
	}
}

func (b *standby) takeLines() []script.Line {
	lines := b.lines
	b.lines = nil
	return lines
}
