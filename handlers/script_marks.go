package handlers

import (
	"fmt"
	"net/http"

	"mybot/script/library"
	"mybot/session"
	"mybot/session/access"
)

// A ScriptStandby says which scripts stand by: those that an admin permits whose access has
// not ended.
type ScriptStandby interface {
	StandsBy(id string) bool
}

// A markedScript is a script as requests get it, with all its marks.
type markedScript struct {
	library.Script
	StandsBy bool `json:"stands_by"`
}

func (h *Handler) marked(s library.Script) markedScript {
	return markedScript{s, h.cfg.Scripts.Standby != nil && h.cfg.Scripts.Standby.StandsBy(s.ID)}
}

// startFault returns why a script that should start with the robot did not.
func (h *Handler) startFault(s library.Script) string {
	if !s.Starts || h.cfg.Scripts.StartFault == nil {
		return ""
	}
	return h.cfg.Scripts.StartFault(s)
}

// A markBody is the body of a request that sets a mark of a script.
type markBody struct {
	On       *bool  `json:"on"`
	Revision uint64 `json:"revision"` // of the text that the user saw; 0 = any
}

// serveStarts sets whether a script starts with the robot.
func (h *Handler) serveStarts(w http.ResponseWriter, r *http.Request) {
	h.serveMark(w, r, map[bool]string{true: "now starts with the robot.", false: "no longer starts with the robot."}, func(id string, ask markBody) (library.Script, error) {
		return h.cfg.Scripts.Library.SetStarts(id, ask.Revision, *ask.On)
	})
}

// serveStandby sets, for an admin, whether a script stands by.
func (h *Handler) serveStandby(w http.ResponseWriter, r *http.Request) {
	h.serveMark(w, r, map[bool]string{true: "now stands by: it may continue by itself after a visitor.", false: "no longer stands by."}, func(id string, ask markBody) (library.Script, error) {
		if !*ask.On {
			return h.cfg.Scripts.Library.EndStandby(id)
		}
		return h.cfg.Scripts.Library.PermitStandby(id, ask.Revision, session.Owner(callerOf(r).Grant))
	})
}

// serveMark sets a mark of a script, and writes that to the audit log. said is the rest of
// the sentence about it.
func (h *Handler) serveMark(w http.ResponseWriter, r *http.Request, said map[bool]string, set func(id string, ask markBody) (library.Script, error)) {
	s, ok := h.savedScript(w, r)
	if !ok {
		return
	}
	var ask markBody
	switch err := readJSON(r, &ask); {
	case err != nil:
		writeBodyFault(w, err)
		return
	case ask.On == nil:
		writeSentence(w, http.StatusBadRequest, `The body has no "on"; it should be true or false.`)
		return
	}
	s, err := set(s.ID, ask)
	if err != nil {
		h.writeScriptError(w, "the script cannot be marked", err)
		return
	}
	h.recordAs("settings", callerOf(r).deviceName(), fmt.Sprintf("The script %q %s", s.Name, said[*ask.On]))
	h.writeJSON(w, http.StatusOK, h.marked(s))
}

// endStandby ends what a grant that has ended permitted.
func (h *Handler) endStandby(grant access.Grant) {
	if h.cfg.Scripts.Library == nil {
		return
	}
	for _, s := range h.cfg.Scripts.Library.List() {
		if by, _, ok := h.cfg.Scripts.Library.StandbyOf(s.ID); !ok || by != grant.ID {
			continue
		}
		if _, err := h.cfg.Scripts.Library.EndStandby(s.ID); err != nil {
			h.cfg.Log.Error("a permission cannot be deleted; it has ended all the same", "script", s.ID, "error", err)
		}
		h.recordAs("settings", bearerName(grant), fmt.Sprintf("The script %q no longer stands by: the access of the admin who permitted it has ended.", s.Name))
	}
}
