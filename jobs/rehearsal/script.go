package rehearsal

import (
	"context"
	"math"
	"time"
	"unicode/utf8"

	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/script"
)

// Bounds of a trial, so that what it shows has at most 1 MiB as JSON.
const (
	MaxTrial       = 2 * time.Hour // of virtual time
	maxTrialLines  = 1000
	maxTrialLanes  = 2000
	maxTrialPoints = 5000
	maxTrialText   = 96 << 10 // bytes of all lines, tags and names together
	maxLineText    = 1 << 10  // bytes of one of them
)

const (
	perLetter  = 60 * time.Millisecond // that a spoken letter takes
	whatIfUnit = "U0"                  // is the name of no script and of no connection
)

// A ScriptTrial is a script to be tried on a virtual robot.
type ScriptTrial struct {
	Unit    string // the name of its unit
	Program *script.Program
	WhatIf  *script.Program // runs beside it and may set what is measured; nil = none
	From    robot.Pose      // of base_link in map
	Charge  float64         // of the battery at the start, 0 to 1; NaN = unknown
	Clock   time.Time       // at the start
	Lasts   time.Duration   // at most MaxTrial
	// Load returns the text of a saved script; nil = there is none. The error is a sentence.
	Load func(name string) (string, error)
}

// A Trial is what a script did on the virtual robot.
type Trial struct {
	Time    float64    // s, of virtual time
	Ended   bool       // all of the script was over before that
	Why     string     // sentence: why the trial ended
	At      robot.Pose // of base_link in map, at the end
	Lines   []TrialLine
	Lanes   []TrialLane           // by their beginning
	Path    []jobs.RehearsedPoint // as of a rehearsal; a long one is thinned
	LeftOut int                   // lines and lanes that were too many
}

// Who a TrialLine is from.
const (
	ByScript = "script"
	ByWhatIf = "what_if"
	ByRobot  = "robot" // what the robot does
)

// A TrialLine is a line that the script or its what-if said, or a sentence about what the
// robot did.
type TrialLine struct {
	T     float64 // s
	By    string
	Tag   string // "" = none
	Text  string
	Fault bool
	Pos   script.Pos // of a fault, in the text; zero = unknown
}

// The kinds of lanes.
const (
	TagLane     = "tag"
	GoalLane    = "goal"
	SpeechLane  = "speech"
	MessageLane = "message"
)

// A TrialLane is a time in which statements ran under a tag, or in which the robot was
// on the way to a goal, spoke or showed a message.
type TrialLane struct {
	Lane
	Begin float64 // s
	End   float64 // s
}

// A Lane is what a TrialLane shows.
type Lane struct {
	Kind   string
	Name   string // the tag, the goal's name, or the text
	Frozen bool   // the tag is frozen
}

// TryScript runs a script on a virtual robot, as Rehearse runs a job: the same Core as the
// server's, on an ideal base, on the empty floor of the plan. The script has the licence to
// move. A question is answered with OK at once, unless the what-if sets ok.val; jobs are left
// out. The error is a sentence, or that of ctx.
func (r *Rehearser) TryScript(ctx context.Context, plan *robot.Floorplan, s ScriptTrial) (Trial, error) {
	drained := 0.0
	if !math.IsNaN(s.Charge) {
		drained = 1 - s.Charge
	}
	v := newVirtualRobot(plan, r.plannerOf(plan), r.desc, s.From, drained, r.now.Add(betweenRehearsals))
	defer func() { r.now = v.now }()
	v.takeReading() // Core accepts no commands before the first reading
	v.began = v.now
	v.core.PretendSensors(whatIfUnit, s.Clock.Sub(v.began))
	t := scriptTrial{virtualRobot: v, trial: s, plan: plan, open: map[Lane]float64{}}
	for _, u := range []robot.StartUnit{{Unit: s.Unit, Program: s.Program}, {Unit: whatIfUnit, Program: s.WhatIf}} {
		if u.Program == nil {
			continue
		}
		if no := v.core.Do(v.now, u); !no.Done() {
			return Trial{}, robot.Refusal(no)
		}
	}
	for n := 0; v.now.Sub(v.began) < min(s.Lasts, MaxTrial) && !t.out.Ended; n++ {
		if err := yieldAt(ctx, n); err != nil {
			return Trial{}, err
		}
		t.advance()
	}
	v.endStand()
	t.finish()
	return t.out, nil
}

// A scriptTrial is the trial of one script.
type scriptTrial struct {
	*virtualRobot
	trial ScriptTrial
	plan  *robot.Floorplan
	out   Trial
	text  int // bytes in out

	scripts *robot.ScriptState // whose tags have lanes
	tags    []string           // that run
	goal    robot.Goal         // the newest, as it was before this reading
	speech  uint64             // number of the newest sentence
	message uint64             // and message
	open    map[Lane]float64   // when the lanes that have not ended began, s
}

// seconds returns the time since the beginning.
func (t *scriptTrial) seconds() float64 { return t.now.Sub(t.began).Seconds() }

// advance runs one reading.
func (t *scriptTrial) advance() {
	t.takeReading()
	if a, ok := t.core.ScriptLook(); ok {
		_ = t.base.Look(a) // within the limits of the head
	}
	for _, a := range t.core.ScriptAsks() {
		if !a.Cancelled {
			t.core.Do(t.now, t.answer(a))
		}
	}
	for _, l := range t.core.ScriptLines() {
		t.addLine(lineOf(l))
	}
	t.followTags()
	t.followGoal()
	t.followStage()
	if m := t.state.Message; m != nil && m.OK && !t.core.PretendsOK() {
		t.core.Do(t.now, robot.OK{Message: m.Number})
	}
	t.extendPath()
	t.thinPath()
}

// answer answers a request as the server would.
func (t *scriptTrial) answer(a script.Ask) (answer robot.AnswerAsk) {
	text := ""
	if len(a.Values) > 0 {
		text = a.Values[0].Plain()
	}
	switch a.Name {
	case "goto", "dock":
		var err error
		if answer, err = onboard.FindScriptGoal(t.plan, a); err != nil {
			answer.Refusal = err.Error()
		}
	case "say":
		answer.Speech = []robot.Speech{{Text: text, Duration: time.Duration(utf8.RuneCountInString(text)) * perLetter, Aloud: true}}
	case "alert":
		t.tell("It alerts everyone: %s", text)
	case "job":
		t.tell("It would do the job %s. Jobs are left out of a trial.", text)
	case "load":
		answer.Value, answer.Refusal = t.load(text)
	case "camera.val":
		answer.Refusal = "the virtual robot has no camera"
	case "micro.val":
		answer.Refusal = "nothing is to be heard at the virtual robot"
	}
	answer.ID = a.ID
	return answer
}

// load returns the text of a saved script, or why there is none.
func (t *scriptTrial) load(name string) (text script.Value, refusal string) {
	if t.trial.Load == nil {
		return script.Value{}, "this robot keeps no scripts"
	}
	s, err := t.trial.Load(name)
	if err != nil {
		return script.Value{}, err.Error()
	}
	return script.Text(s), ""
}
