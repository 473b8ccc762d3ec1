package rehearsal

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/script"
)

// Bounds of a trial.
const (
	MaxTrial      = time.Hour // of virtual time
	maxTrialLines = 1000
	perLetter     = 60 * time.Millisecond // that a spoken letter takes
	trialUnit     = "script"
	whatIfUnit    = "whatif"
)

// A ScriptTrial is a script to be tried on a virtual robot.
type ScriptTrial struct {
	Program *script.Program
	WhatIf  *script.Program // runs beside it and may set what is measured; nil = none
	From    robot.Pose      // of base_link in map
	Lasts   time.Duration   // at most MaxTrial
}

// A Trial is what a script did on the virtual robot.
type Trial struct {
	Time  float64               `json:"time"`  // s
	Ended bool                  `json:"ended"` // the script was over before the time was
	Lines []TrialLine           `json:"lines"`
	Lanes []TrialLane           `json:"lanes"` // by their beginning
	Path  []jobs.RehearsedPoint `json:"path"`
}

// A TrialLine is a line that the script said, or its what-if.
type TrialLine struct {
	T    float64 `json:"t"` // s
	Unit string  `json:"unit"`
	Tag  string  `json:"tag"`
	Text string  `json:"text"`
}

// A TrialLane is a time in which statements ran under a tag.
type TrialLane struct {
	Tag  string  `json:"tag"`
	From float64 `json:"from"` // s
	To   float64 `json:"to"`   // s
}

// TryScript runs a script on a virtual robot, as Rehearse runs a job: the same Core as the
// server's, on an ideal base, on the empty floor of the plan. The script has the licence to
// move. Questions are answered with OK at once, and jobs are left out. The error is a
// sentence, or that of ctx.
func (r *Rehearser) TryScript(ctx context.Context, plan *robot.Floorplan, s ScriptTrial) (Trial, error) {
	v := newVirtualRobot(plan, r.plannerOf(plan), r.desc, s.From, r.now.Add(betweenRehearsals))
	defer func() { r.now = v.now }()
	t := scriptTrial{virtualRobot: v, plan: plan, open: map[string]float64{}}
	v.core.PretendSensors(whatIfUnit, 0)
	v.takeReading() // Core accepts no commands before the first reading
	v.began = v.now
	for _, u := range []robot.StartUnit{{Unit: trialUnit, Program: s.Program}, {Unit: whatIfUnit, Program: s.WhatIf}} {
		if u.Program == nil {
			continue
		}
		if no := v.core.Do(v.now, u); !no.Done() {
			return Trial{}, fmt.Errorf("rehearsal: the script cannot be tried: %w", robot.Refusal(no))
		}
	}
	for n := 0; v.now.Sub(v.began) < min(s.Lasts, MaxTrial) && !t.out.Ended; n++ {
		if n%contextPeriod == 0 && ctx.Err() != nil {
			return Trial{}, ctx.Err()
		}
		if n%yieldPeriod == 0 {
			runtime.Gosched()
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
	plan *robot.Floorplan
	out  Trial
	open map[string]float64 // when the lanes of tags began
}

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
	if m := t.state.Message; m != nil && m.OK {
		t.core.Do(t.now, robot.OK{Message: m.Number})
	}
	for _, l := range t.core.ScriptLines() {
		if len(t.out.Lines) < maxTrialLines {
			t.out.Lines = append(t.out.Lines, TrialLine{T: t.seconds(), Unit: l.Unit, Tag: l.Tag, Text: l.Text})
		}
	}
	t.extendPath()
	t.extendLanes()
}

// extendLanes begins and ends the lanes of tags.
func (t *scriptTrial) extendLanes() {
	running := map[string]bool{}
	t.out.Ended = true
	for _, u := range t.state.Scripts.Units {
		if u.Name != trialUnit {
			continue
		}
		t.out.Ended = false
		for _, tag := range u.Tags {
			if tag.Statements > 0 {
				running[tag.Name] = true
			}
		}
	}
	for tag := range running {
		if _, ok := t.open[tag]; !ok {
			t.open[tag] = t.seconds()
		}
	}
	for tag, from := range t.open {
		if !running[tag] {
			t.out.Lanes = append(t.out.Lanes, TrialLane{tag, from, t.seconds()})
			delete(t.open, tag)
		}
	}
}

// finish ends what is open.
func (t *scriptTrial) finish() {
	t.out.Time, t.out.Path = t.seconds(), t.virtualRobot.out.Path
	for tag, from := range t.open {
		t.out.Lanes = append(t.out.Lanes, TrialLane{tag, from, t.out.Time})
	}
	slices.SortFunc(t.out.Lanes, func(a, b TrialLane) int {
		switch {
		case a.From < b.From || a.From == b.From && a.Tag < b.Tag:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
}

// answer answers a request as the server would.
func (t *scriptTrial) answer(a script.Ask) (answer robot.AnswerAsk) {
	switch a.Name {
	case "goto", "dock":
		var err error
		if answer, err = onboard.FindScriptGoal(t.plan, a); err != nil {
			answer.Refusal = err.Error()
		}
	case "say":
		text := a.Values[0].Plain()
		answer.Speech = []robot.Speech{{Text: text, Duration: time.Duration(len(text)) * perLetter, Aloud: true}}
	case "load", "camera.val":
		answer.Refusal = "it is not tried here"
	}
	answer.ID = a.ID
	return answer
}
