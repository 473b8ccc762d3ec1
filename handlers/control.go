package handlers

import (
	"errors"
	"net/http"

	"mybot/robot"
	"mybot/session"
)

// Control for programs without a connection.

const controlPath = "/api/v1/control"

// serveTakeControl gives a program control for some seconds, or extends it.
func (h *Handler) serveTakeControl(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Seconds float64 `json:"seconds"`
		Name    string  `json:"name"`
	}
	if err := readJSON(r, &ask); err != nil {
		writeBodyFault(w, err)
		return
	}
	c := callerOf(r)
	term, err := h.cfg.Hub.TakeControl(r.Context(), c.Identity, ask.Name, ask.Seconds)
	switch {
	case errors.Is(err, session.ErrNobody):
		writeSentence(w, http.StatusForbidden, "The robot cannot tell this program from others. Send the cookie "+cookieName+" that GET / gives, or a token as Authorization: Bearer.")
	case err != nil:
		writeSentence(w, http.StatusBadRequest, err.Error())
	case term.Word != robot.Success:
		h.writeResult(w, term.Result)
	default:
		body := map[string]any{"word": term.Word, "reason": term.Reason, "lease": term.Lease, "hold": term.DriveEpoch}
		if term.Left > 0 {
			body["seconds"] = term.Left
		}
		h.writeJSON(w, http.StatusOK, body)
	}
}

// serveGiveUpControl ends a program's control.
func (h *Handler) serveGiveUpControl(w http.ResponseWriter, r *http.Request) {
	h.writeResult(w, h.cfg.Hub.GiveUpControl(r.Context(), callerOf(r).Identity))
}
