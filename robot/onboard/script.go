package onboard

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/script"
)

// scripted runs the scripts: it owns their machine, gives it what the robot measures, and
// makes one velocity request of its motions. What may move is decided in
// script_licence.go.
type scripted struct {
	*situation
	others    others
	navigator *navigator
	jobs      *jobRunner

	machine   *script.Machine // nil = nothing was run yet
	began     time.Time       // when the machine's time begins; zero = not yet
	latest    time.Time       // of the last instant
	ticked    time.Time       // of the last tick
	isBehind  bool            // the references of motions have moved on without readings
	ranges    []float64       // of the newest reading
	users     robot.NoteUsers
	licence   licence
	standby   standby
	asks      []script.Ask // for the host, since takeAsks
	errands   scriptErrands
	announced announcements
	camera    scriptedCamera
	okUntil   time.Time // until then ok.val is 1, because a person touched OK
	recorded  *[]robot.ScriptWish
	request   velocityRequest

	axes       []axis
	head       robot.HeadAngles // set point of the head
	headWanted robot.HeadAngles // deg, as the scripts say
	headMoves  bool
	headUnsent bool // the set point has changed since takeLook

	pretender   string          // the unit that may set what is measured; "" = none
	pretends    map[string]bool // devices that it has set, which are no longer measured
	pretendedOK bool            // it has set ok.val
	clockAhead  time.Duration   // of the clock that scripts read, ahead of this computer's
	wallAhead   time.Duration   // of this computer's wall clock, ahead of that of the readings

	watched watched // values that people watch

	sonarNames []string // of the devices, so that a tick builds no texts
	sideNames  []string

	shown     *robot.ScriptState // the last published state
	shownFor  uint64             // number of the machine's changes that it shows
	shownAt   time.Time
	shownHold uint64
}

func newScripted(s *situation, o others, n *navigator, j *jobRunner) scripted {
	c := scripted{situation: s, others: o, navigator: n, jobs: j, axes: newAxes(s.desc), camera: scriptedCamera{quality: defaultQuality}}
	for i := range s.desc.Sonars {
		c.sonarNames = append(c.sonarNames, "sonar"+strconv.Itoa(i)+".val")
	}
	for _, one := range sides {
		c.sideNames = append(c.sideNames, one.name+".val")
	}
	return c
}

// time converts a time of the readings' clock to the machine's, which never runs backward.
func (s *scripted) time(now time.Time) script.Time {
	switch {
	case s.began.IsZero():
		s.began = now
	case s.latest.Sub(now) > limits.ReadingGap: // the clock was set back
		s.began = s.began.Add(now.Sub(s.latest))
	case now.Before(s.latest):
		now = s.latest
	}
	s.latest = now
	return script.Time(now.Sub(s.began).Microseconds())
}

// useMachine creates the machine at its first use. The first commands see what is measured
// then.
func (s *scripted) useMachine(now time.Time) {
	if s.machine == nil {
		c := ScriptConfig(s.desc)
		c.Seed, c.Refuse, c.WhyHeld = 1, s.refuseMoving, s.licence.whyHeld
		for i := range c.Devices {
			if d := &c.Devices[i]; d.ReadOnly && s.pretender != "" {
				d.ReadOnly, d.SetBy, d.FollowsAtOnce = false, s.pretender, true
			}
		}
		s.machine = script.New(c)
		s.measure(now)
	}
}

// Do executes a command about scripts, or the OK that one waits for.
func (s *scripted) Do(now time.Time, cmd robot.Command) (r robot.Result, ok bool) {
	switch cmd := cmd.(type) {
	case robot.OK:
		return s.takeOK(now, cmd)
	case robot.Spoken:
		return s.takeSpoken(now, cmd)
	case robot.OpenUnit, robot.StartUnit, robot.GiveCommands, robot.CloseUnit, robot.HoldUnits, robot.ResumeUnits, robot.LetStandBy, robot.ContinueUnit, robot.SilenceUnit, robot.AnswerAsk, robot.NoteUsers, robot.WatchValues, robot.StepUnits:
	default:
		return r, false
	}
	if w, ok := cmd.(robot.WatchValues); ok && len(w.Values) == 0 && s.machine == nil {
		return robot.Result{Word: robot.Success}, true
	}
	if s.recorded != nil { // the recorded wishes say what came of it
		return robot.Result{Word: robot.Success}, true
	}
	s.useMachine(now)
	r = s.doUnits(now, cmd)
	s.settle(now)
	return r, true
}

// doUnits executes a command about scripts.
func (s *scripted) doUnits(now time.Time, cmd robot.Command) robot.Result {
	t := s.time(now)
	switch cmd := cmd.(type) {
	case robot.OpenUnit:
		return s.startUnit(now, cmd.Unit, cmd.Held, notTaken, func(held bool) error { return s.machine.Open(t, cmd.Unit, held) })
	case robot.StartUnit:
		if cmd.Program == nil {
			return failedResult("The script %s is empty.", cmd.Unit)
		}
		if n := s.countScripts(); n >= maxScripts {
			return busyResult(fmt.Sprintf("%d scripts are running, and no more can. Stop one first.", n))
		}
		return s.startUnit(now, cmd.Unit, cmd.Held, cmp.Or(cmd.Why, withoutControl), func(held bool) error { return s.machine.Start(t, cmd.Unit, cmd.Program, held) })
	case robot.GiveCommands:
		return knownUnit(s.machine.Give(t, cmd.Unit, cmd.Commands), cmd.Unit)
	case robot.CloseUnit:
		return knownUnit(s.machine.Close(t, cmd.Unit), cmd.Unit)
	case robot.HoldUnits:
		if cmd.Handover && cmd.Unit == "" {
			s.yield(now, cmd.Reason)
		} else {
			s.hold(now, cmd.Unit, cmd.Reason)
		}
	case robot.ResumeUnits:
		return s.resume(now, cmd.Unit)
	case robot.LetStandBy:
		s.letStandBy(now, cmd)
	case robot.ContinueUnit:
		return s.continueUnit(now, cmd)
	case robot.SilenceUnit:
		if cmd.Reason != "" {
			s.machine.Silence(t, cmd.Unit)
		} else {
			s.machine.Hear(t, cmd.Unit)
		}
		return knownUnit(s.machine.IsOpen(cmd.Unit), cmd.Unit)
	case robot.AnswerAsk:
		return s.takeAnswer(now, cmd)
	case robot.NoteUsers:
		s.users = cmd
		s.measureUsers()
	case robot.WatchValues:
		s.watched = watched{of: cmd.Values}
	case robot.StepUnits:
		s.step(now)
		s.isBehind = true
	}
	return robot.Result{Word: robot.Success}
}

// maxScripts is how many scripts can run at the same time.
const maxScripts = 16

func (s *scripted) countScripts() (n int) {
	for _, u := range s.machine.Units() {
		if u.IsScript {
			n++
		}
	}
	return n
}

func knownUnit(ok bool, name string) robot.Result {
	if !ok {
		return failedResult("No script or connection %s is running.", name)
	}
	return robot.Result{Word: robot.Success}
}

// startUnit starts a unit. why says, in a sentence, why its motion is held if the caller
// wants that; start gets whether it is.
func (s *scripted) startUnit(now time.Time, name string, held bool, why string, start func(held bool) error) robot.Result {
	if s.machine.IsOpen(name) {
		return failedResult("It does not start: %s is running already.", name)
	}
	if !held {
		if no := s.refuseProgram(now); no.Word != "" {
			held, why = true, no.Reason
		}
	}
	s.endStandby(name)
	s.licence.note(name, held, why) // before it starts, because it may say why at once
	if err := start(held); err != nil {
		delete(s.licence.why, name)
		return failedResult("It does not start: %v.", err)
	}
	return robot.Result{Word: robot.Success}
}

// Propose runs the scripts up to the time of the reading, and requests the velocity of
// their motions.
func (s *scripted) Propose(r robot.Reading) (v velocityRequest, ok bool) {
	if s.began.IsZero() {
		s.began = r.Time
	}
	if s.fault == "" {
		s.roll(r.Travel)
	}
	if s.recorded != nil {
		s.request = velocityRequest{}
		s.repeatWishes(r.Time)
		return s.request, s.request.isFresh(r.Time)
	}
	if s.machine == nil {
		return v, false
	}
	dt := s.tickTime(r.Time)
	s.ranges = r.Ranges
	s.step(r.Time)
	s.settle(r.Time)
	s.turnHead(dt)
	if s.isBehind {
		s.skipReferences()
		s.isBehind = false
	}
	t, moving := s.requestMotion(dt)
	if !moving || !t.IsFinite() || s.stop != nil || s.unsafeReason() != "" {
		s.request = velocityRequest{}
		return s.request, false
	}
	s.endOwnErrand(r.Time)
	s.act(r.Time, robot.ScriptWish{Do: robot.ScriptDrive, Twist: t}, "")
	return s.request, true
}

// tickTime returns the time since the last tick, in s.
func (s *scripted) tickTime(now time.Time) float64 {
	dt := now.Sub(s.ticked)
	if period := time.Duration(float64(time.Second) / s.desc.Rate); s.ticked.IsZero() || dt <= 0 || dt > limits.ReadingGap {
		dt = period
	}
	s.ticked = now
	return dt.Seconds()
}

// step runs a tick of the machine with what the robot measures.
func (s *scripted) step(now time.Time) {
	s.watchTrouble(now)
	s.watchStandby(now)
	s.watchCamera()
	s.measure(now)
	s.machine.Tick(s.time(now))
	s.machine.CloseEnded(s.time(now))
	s.lookAtWatched(now)
	s.watchOK(now)
}

// settle carries out what the machine wants after an instant. A statement that is answered at
// once may want more.
func (s *scripted) settle(now time.Time) {
	const atOnce = 100 // rounds; what wants more continues with the next reading
	for range atOnce {
		s.takeOutputs()
		asks := s.machine.Asks()
		for _, a := range asks {
			s.takeAsk(now, a)
		}
		answered := s.watchErrands(now)
		answered = s.watchAnnouncements(now) || answered
		if len(asks) == 0 && !answered {
			return
		}
	}
}

// Interrupt holds the motion of all scripts.
func (s *scripted) Interrupt(now time.Time, reason string) { s.hold(now, "", reason) }

// takeLines returns the lines of the scripts since its last call.
func (s *scripted) takeLines() []script.Line {
	if s.machine == nil {
		return nil
	}
	return append(s.machine.Lines(), s.standby.takeLines()...)
}

// takeAsks returns the requests to the host since its last call.
func (s *scripted) takeAsks() []script.Ask {
	asks := s.asks
	s.asks = nil
	return asks
}

// ScriptLines returns the lines that scripts have said since its last call. A caller that
// uses a Core without a Loop takes them after each command and reading.
func (c *Core) ScriptLines() []script.Line { return c.scripts.takeLines() }

// ScriptAsks returns the requests of scripts to their host since its last call; AnswerAsk
// answers them.
func (c *Core) ScriptAsks() []script.Ask { return c.scripts.takeAsks() }

// PretendSensors lets one unit set what is measured, for trying a script on a simulated
// robot: what was set is no longer measured. The clock that scripts read is ahead of that of
// the readings. Call it before the first command.
func (c *Core) PretendSensors(by string, ahead time.Duration) {
	c.scripts.pretender, c.scripts.pretends, c.scripts.clockAhead = by, map[string]bool{}, ahead
}

// PretendsOK reports whether that unit has set ok.val, so that it answers questions.
func (c *Core) PretendsOK() bool { return c.scripts.pretends[okPath] }

// ScriptLook returns where scripts want the head to look, if that has changed since its last
// call.
func (c *Core) ScriptLook() (a robot.HeadAngles, ok bool) { return c.scripts.takeLook() }
