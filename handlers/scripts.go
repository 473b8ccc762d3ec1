package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mybot/robot"
	"mybot/script"
	"mybot/script/library"
	"mybot/session"
	"mybot/store"
)

// Scripts stores scripts: script/library. Any goroutine may call it. An error may be
// library.ErrStale; one that is store.ErrFull or a robot.Refusal is a sentence for the
// caller of the URL.
type Scripts interface {
	List() []library.Script // by name
	Get(id string) (library.Script, bool)
	// Save saves the script: a new one if it has no id, otherwise in place of the one with
	// its id and revision. It returns the script as saved. A new script belongs to the
	// owner, as returned by session.Owner.
	Save(s library.Script, owner string) (library.Script, error)
	OwnerOf(id string) string // "" = unknown
	// SetStarts sets whether a script starts with the robot, and PermitStandby lets it stand
	// by. revision is that of the text that the user saw, 0 = any; the error is
	// library.ErrStale if the script was saved since. by is the admin, as returned by
	// session.Owner.
	SetStarts(id string, revision uint64, on bool) (library.Script, error)
	PermitStandby(id string, revision uint64, by string) (library.Script, error)
	EndStandby(id string) (library.Script, error)
	// StandbyOf returns who permits a script to stand by, and the text that is permitted.
	StandbyOf(id string) (by, text string, ok bool)
	Delete(id string) error
	NextID(name string) string // the id that a new script of this name gets
}

// A ScriptRunner runs scripts: session.Hub. Its errors are sentences for the caller of
// the URL.
type ScriptRunner interface {
	// StartScript starts a script for an operator. With the lease of control it may move
	// the robot; with lease 0 its motion is held until ResumeScripts.
	StartScript(ctx context.Context, by session.Identity, lease uint64, s session.Script) error
	StopScript(ctx context.Context, by session.Identity, name string) error
	// ResumeScripts ends the hold of motion, for the holder of control.
	ResumeScripts(ctx context.Context, by session.Identity, lease uint64) error
}

// ScriptUnits are units for connections: session.Hub.
type ScriptUnits interface {
	OpenScriptUnit(ctx context.Context, by session.Identity) (unit string, err error)
	GiveScriptCommands(ctx context.Context, unit string, c script.Commands) error
	CloseScriptUnit(unit string)
}

// A ScriptConfig is what a Handler needs for scripts.
type ScriptConfig struct {
	Library    Scripts                     // nil = there are no scripts
	Standby    ScriptStandby               // nil = no script stands by
	Runner     ScriptRunner                // nil = scripts cannot run
	Units      ScriptUnits                 // nil = scripts cannot run
	Router     ScriptRouter                // nil = there are no lines
	Trials     ScriptTrials                // nil = scripts cannot be tried
	StartFault func(library.Script) string // why it did not start with the robot, "" = it did; nil = all did
	Names      func() ScriptNames          // of the robot's devices and functions; nil = none
}

const (
	scriptsPath      = "/api/v1/scripts"
	scriptsCheckPath = scriptsPath + "/check"
	scriptsTryPath   = scriptsPath + "/try"
)

// withScripts refuses requests if the robot has no scripts.
func (h *Handler) withScripts(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.cfg.Scripts.Library == nil {
			writeSentence(w, http.StatusNotFound, "This robot cannot run scripts.")
			return
		}
		serve(w, r)
	}
}

// A scriptEntry is a script in the list of scripts.
type scriptEntry struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Bytes    int       `json:"bytes"` // of its text
	Revision uint64    `json:"revision"`
	Changed  time.Time `json:"changed"`
	Starts   bool      `json:"starts"`      // with the robot
	StandsBy bool      `json:"stands_by"`   // it may continue by itself after a visitor
	Fault    string    `json:"start_fault"` // why it did not start with the robot; "" = it did, or should not
}

// serveScripts lists the saved scripts, and the examples.
func (h *Handler) serveScripts(w http.ResponseWriter, _ *http.Request) {
	list := []scriptEntry{}
	for _, s := range h.cfg.Scripts.Library.List() {
		list = append(list, scriptEntry{s.ID, s.Name, len(s.Text), s.Revision, s.Changed, s.Starts, h.marked(s).StandsBy, h.startFault(s)})
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"scripts": list, "examples": library.Examples()})
}

// serveScript answers with a saved script.
func (h *Handler) serveScript(w http.ResponseWriter, r *http.Request) {
	if s, ok := h.savedScript(w, r); ok {
		h.writeJSON(w, http.StatusOK, h.marked(s))
	}
}

// serveScriptText answers with the text of a script, for files.
func (h *Handler) serveScriptText(w http.ResponseWriter, r *http.Request) {
	s, ok := h.savedScript(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.u"`, s.ID))
	_, _ = w.Write([]byte(s.Text)) // the caller may be gone
}

// serveScriptGuide answers with the language on one page.
func serveScriptGuide(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(library.Guide())) // the caller may be gone
}

// savedScript returns the script that the address names.
func (h *Handler) savedScript(w http.ResponseWriter, r *http.Request) (library.Script, bool) {
	id := pathParam(r, "id")
	s, ok := h.cfg.Scripts.Library.Get(id)
	if !ok {
		writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is no script %q; %s lists the scripts.", clipText(id), scriptsPath))
	}
	return s, ok
}

// A scriptBody is a script in the body of a request.
type scriptBody struct {
	Name     string  `json:"name"`
	Text     *string `json:"text"`
	Revision uint64  `json:"revision"`
}

// readScript reads a script strictly.
func readScript(w http.ResponseWriter, r *http.Request) (s library.Script, ok bool) {
	var body scriptBody
	if err := readJSON(r, &body); err != nil {
		writeBodyFault(w, err)
		return s, false
	}
	if body.Text == nil {
		writeSentence(w, http.StatusBadRequest, "The body has no text; it should have name and text.")
		return s, false
	}
	return library.Script{Name: body.Name, Text: *body.Text, Revision: body.Revision}, true
}

// serveNewScript saves a new script.
func (h *Handler) serveNewScript(w http.ResponseWriter, r *http.Request) {
	s, ok := readScript(w, r)
	switch {
	case !ok:
	case s.Revision != 0:
		writeSentence(w, http.StatusBadRequest, "A new script has no revision; leave it out.")
	default:
		h.saveScript(w, r, s, http.StatusCreated)
	}
}

// serveSaveScript saves a new version of a script.
func (h *Handler) serveSaveScript(w http.ResponseWriter, r *http.Request) {
	was, ok := h.savedScript(w, r)
	if !ok {
		return
	}
	s, ok := readScript(w, r)
	switch {
	case !ok:
	case s.Revision == 0:
		writeSentence(w, http.StatusBadRequest, "The script has no revision; it should have the one that it was read with.")
	default:
		s.ID = was.ID
		h.saveScript(w, r, s, http.StatusOK)
	}
}

func (h *Handler) saveScript(w http.ResponseWriter, r *http.Request, s library.Script, status int) {
	s, err := h.cfg.Scripts.Library.Save(s, session.Owner(callerOf(r).Grant))
	if err != nil {
		h.writeScriptError(w, "the script cannot be saved", err)
		return
	}
	w.Header().Set("Location", scriptsPath+"/"+s.ID)
	h.writeJSON(w, status, h.marked(s))
}

func (h *Handler) serveDeleteScript(w http.ResponseWriter, r *http.Request) {
	s, ok := h.savedScript(w, r)
	if !ok {
		return
	}
	c := callerOf(r)
	if !session.MayDelete(c.Role, c.Grant, h.cfg.Scripts.Library.OwnerOf(s.ID)) {
		writeSentence(w, http.StatusForbidden, "Only the person who made this script and admins may delete it.")
		return
	}
	if err := h.cfg.Scripts.Library.Delete(s.ID); err != nil {
		h.writeScriptError(w, "the script cannot be deleted", err)
		return
	}
	h.recordAs("settings", c.deviceName(), fmt.Sprintf("The script %q was deleted.", s.Name))
	w.WriteHeader(http.StatusNoContent)
}

// writeScriptError answers with what went wrong with a saved script.
func (h *Handler) writeScriptError(w http.ResponseWriter, what string, err error) {
	refusal := robot.Refusal{}
	switch {
	case errors.Is(err, library.ErrStale):
		writeSentence(w, http.StatusConflict, "Someone else has saved this script. Open it again, then make your change.")
	case errors.Is(err, store.ErrFull):
		writeSentence(w, http.StatusInsufficientStorage, err.Error())
	case errors.As(err, &refusal):
		writeSentence(w, http.StatusBadRequest, refusal.Reason)
	default:
		h.cfg.Log.Error(what, "error", err)
		writeSentence(w, http.StatusInternalServerError, "It cannot be done. The robot's log says why.")
	}
}

// serveCheckScript answers with the faults of a text.
func (h *Handler) serveCheckScript(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Text *string `json:"text"`
	}
	switch err := readJSON(r, &ask); {
	case err != nil:
		writeBodyFault(w, err)
	case ask.Text == nil:
		writeSentence(w, http.StatusBadRequest, "The body has no text; it should have text.")
	default:
		h.writeJSON(w, http.StatusOK, map[string]any{"faults": library.Check(*ask.Text)})
	}
}

// A leaseBody is the body of a request of the holder of control.
type leaseBody struct {
	Lease uint64 `json:"lease"` // 0 = without control
}

// A startBody is the body of a request to start a script.
type startBody struct {
	Lease    uint64 `json:"lease"`    // 0 = without control
	Revision uint64 `json:"revision"` // of the text that the user saw; 0 = any
}

// serveStartScript starts a saved script. It refuses one with faults, and one that was saved
// since the user saw it, because the user answers for its motion.
func (h *Handler) serveStartScript(w http.ResponseWriter, r *http.Request) {
	s, ok := h.savedScript(w, r)
	if !ok {
		return
	}
	var ask startBody
	if err := readJSON(r, &ask); err != nil {
		writeBodyFault(w, err)
		return
	}
	if ask.Revision != 0 && ask.Revision != s.Revision {
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: "Someone else has saved this script since you saw it. Open it again, then start it."})
		return
	}
	program, faults := script.Parse(s.Text)
	if len(faults) > 0 {
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: "The script has a fault in " + faults[0].Error() + "."})
		return
	}
	h.answerRunner(w, func(run ScriptRunner) error {
		return run.StartScript(r.Context(), callerOf(r).Identity, ask.Lease, session.Script{ID: s.ID, Name: s.Name, Text: s.Text, Program: program})
	})
}

// serveStopScript stops a script, also one that has been deleted.
func (h *Handler) serveStopScript(w http.ResponseWriter, r *http.Request) {
	if err := readJSON(r, &struct{}{}); err != nil {
		writeBodyFault(w, err)
		return
	}
	h.answerRunner(w, func(run ScriptRunner) error {
		return run.StopScript(r.Context(), callerOf(r).Identity, pathParam(r, "id"))
	})
}

// serveResumeScripts ends the hold of the scripts' motion.
func (h *Handler) serveResumeScripts(w http.ResponseWriter, r *http.Request) {
	var ask leaseBody
	if err := readJSON(r, &ask); err != nil {
		writeBodyFault(w, err)
		return
	}
	h.answerRunner(w, func(run ScriptRunner) error { return run.ResumeScripts(r.Context(), callerOf(r).Identity, ask.Lease) })
}

// serveTag gives a command about a tag of all units, in a unit of its own.
func (h *Handler) serveTag(verb string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		tag := pathParam(r, "tag")
		for part := range strings.SplitSeq(tag, ".") {
			if !script.IsName(part) {
				writeSentence(w, http.StatusBadRequest, fmt.Sprintf("%q cannot be a tag; a tag is a name, or names joined by dots.", clipText(tag)))
				return
			}
		}
		if err := readJSON(r, &struct{}{}); err != nil {
			writeBodyFault(w, err)
			return
		}
		h.answerRunner(w, func(ScriptRunner) error {
			unit, err := h.cfg.Scripts.Units.OpenScriptUnit(r.Context(), callerOf(r).Identity)
			if err != nil {
				return err
			}
			defer h.cfg.Scripts.Units.CloseScriptUnit(unit)
			var reader script.Reader
			return h.cfg.Scripts.Units.GiveScriptCommands(r.Context(), unit, reader.Read(verb+" "+tag+";"))
		})
	}
}

// answerRunner answers with the result of a command to the runner.
func (h *Handler) answerRunner(w http.ResponseWriter, do func(ScriptRunner) error) {
	if h.cfg.Scripts.Runner == nil || h.cfg.Scripts.Units == nil {
		h.writeResult(w, robot.Result{Word: robot.NA, Reason: "This robot cannot run scripts."})
		return
	}
	refusal := robot.Refusal{}
	switch err := do(h.cfg.Scripts.Runner); {
	case err == nil:
		h.writeResult(w, robot.Result{Word: robot.Success})
	case errors.As(err, &refusal):
		h.writeResult(w, robot.Result(refusal))
	default:
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: sentenceOf(err)})
	}
}

// sentenceOf returns an error as a sentence.
func sentenceOf(err error) string {
	s := err.Error()
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}
