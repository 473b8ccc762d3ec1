package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"mybot/jobs/rehearsal"
	"mybot/robot"
	"mybot/script"
)

// ScriptTrials tries scripts, which may load saved ones, on a virtual robot. The error may be
// a robot.Refusal, which is a sentence for the caller of the URL, or that of ctx.
type ScriptTrials interface {
	TryScript(ctx context.Context, s rehearsal.ScriptTrial) (rehearsal.Trial, error)
}

const (
	maxTrials  = 4                // requested at a time
	usualTrial = 10 * time.Minute // how long a trial lasts that does not say so
)

// A tryBody is the body of a request to try a script.
type tryBody struct {
	ID      string   `json:"id"`      // of a saved script; "" = a new one
	Name    string   `json:"name"`    // of a new script
	Text    *string  `json:"text"`    // nil = as it is saved
	WhatIf  string   `json:"what_if"` // "" = nothing happens
	Seconds *float64 `json:"seconds"` // of virtual time
}

// serveTryScript tries a script on a virtual robot that starts where the robot is. Neither
// the robot nor what is saved changes.
func (h *Handler) serveTryScript(w http.ResponseWriter, r *http.Request) {
	var ask tryBody
	if err := readJSON(r, &ask); err != nil {
		writeBodyFault(w, err)
		return
	}
	trial, ok := h.trialOf(w, ask)
	if !ok {
		return
	}
	state, known := h.cfg.State()
	switch {
	case h.cfg.Scripts.Trials == nil:
		writeSentence(w, http.StatusNotFound, "This robot cannot try scripts.")
		return
	case !known:
		writeSentence(w, http.StatusServiceUnavailable, "The robot has not reported its state yet.")
		return
	}
	trial.From, trial.Charge, trial.Clock = state.Estimate.Pose, state.Battery.Charge, time.Now()
	leave, ok := h.quotas.trials.takeFor(w, r, 1)
	if !ok {
		return
	}
	defer leave()
	ctx, cancel := withJobTimeout(w, r)
	defer cancel()
	out, err := h.cfg.Scripts.Trials.TryScript(ctx, trial)
	var refusal robot.Refusal
	switch {
	case err == nil:
		h.writeJSON(w, http.StatusOK, triedOf(out))
	case errors.As(err, &refusal):
		writeSentence(w, http.StatusConflict, refusal.Reason)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		writeSentence(w, http.StatusServiceUnavailable, fmt.Sprintf("The trial takes longer than %.0f s of the robot's computer. Try less time.", readyWithin.Seconds()))
	default:
		h.cfg.Log.Error("the script cannot be tried", "error", err)
		writeSentence(w, http.StatusInternalServerError, "It cannot be done. The robot's log says why.")
	}
}

// trialOf reads what is to be tried. If it cannot be, it answers the request and ok is
// false.
func (h *Handler) trialOf(w http.ResponseWriter, ask tryBody) (trial rehearsal.ScriptTrial, ok bool) {
	text := ""
	switch trial.Unit = "script"; {
	case ask.ID != "":
		saved, ok := h.cfg.Scripts.Library.Get(ask.ID)
		if !ok {
			writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is no script %q; %s lists the scripts.", clipText(ask.ID), scriptsPath))
			return trial, false
		}
		trial.Unit, text = saved.ID, saved.Text
	case ask.Text == nil:
		writeSentence(w, http.StatusBadRequest, "There is nothing to try; the body should have text, or id, that of a saved script.")
		return trial, false
	case ask.Name != "":
		trial.Unit = h.cfg.Scripts.Library.NextID(ask.Name)
	}
	if ask.Text != nil {
		text = *ask.Text
	}
	trial.Lasts = usualTrial
	if s := ask.Seconds; s != nil {
		if !(*s > 0 && *s <= rehearsal.MaxTrial.Seconds()) {
			writeSentence(w, http.StatusBadRequest, fmt.Sprintf("seconds is %g; it should be more than 0 and at most %.0f.", *s, rehearsal.MaxTrial.Seconds()))
			return trial, false
		}
		trial.Lasts = time.Duration(*s * float64(time.Second))
	}
	if trial.Program, ok = parseToTry(w, "script", text); ok && ask.WhatIf != "" {
		trial.WhatIf, ok = parseToTry(w, "what-if", ask.WhatIf)
	}
	return trial, ok
}

// parseToTry parses the script or its what-if. It answers the request if it cannot.
func parseToTry(w http.ResponseWriter, what, text string) (p *script.Program, ok bool) {
	if len(text) > script.MaxScript {
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("The %s has %d bytes; it should have at most %d.", what, len(text), script.MaxScript))
		return nil, false
	}
	p, faults := script.Parse(text)
	if len(faults) > 0 {
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("The %s has a fault in %s.", what, faults[0].Error()))
		return nil, false
	}
	return p, true
}

// A tried is the wire form of a rehearsal.Trial.
type tried struct {
	Time    float64      `json:"time"`  // s
	Ended   bool         `json:"ended"` // the script was over before the time
	Why     string       `json:"why"`
	At      [3]float64   `json:"at"` // x, y, theta
	Lines   []triedLine  `json:"lines"`
	Lanes   []triedLane  `json:"lanes"`
	Path    [][4]float64 `json:"path"` // t, x, y, theta
	LeftOut int          `json:"left_out"`
}

type triedLine struct {
	T      float64 `json:"t"`
	By     string  `json:"by"`
	Tag    string  `json:"tag"`
	Text   string  `json:"text"`
	Fault  bool    `json:"fault"`
	Line   int     `json:"line,omitempty"`
	Column int     `json:"column,omitempty"`
}

type triedLane struct {
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`
	Begin  float64 `json:"begin"`
	End    float64 `json:"end"`
	Frozen bool    `json:"frozen"`
}

func triedOf(t rehearsal.Trial) tried {
	out := tried{
		Time: roundToPage(t.Time), Ended: t.Ended, Why: t.Why,
		At:    [3]float64{roundToPage(t.At.X), roundToPage(t.At.Y), roundToPage(t.At.Theta)},
		Lines: make([]triedLine, len(t.Lines)), Lanes: make([]triedLane, len(t.Lanes)), Path: pathOnPage(t.Path), LeftOut: t.LeftOut,
	}
	for i, l := range t.Lines {
		out.Lines[i] = triedLine{roundToPage(l.T), l.By, l.Tag, l.Text, l.Fault, l.Pos.Line, l.Pos.Column}
	}
	for i, l := range t.Lanes {
		out.Lanes[i] = triedLane{l.Kind, l.Name, roundToPage(l.Begin), roundToPage(l.End), l.Frozen}
	}
	return out
}
