package handlers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"mybot/robot/playout"
	"mybot/session"
)

// motionsPath is the path of recorded drives, and maxMotion the longest one that is
// accepted, in bytes.
const (
	motionsPath  = "/api/v1/motions"
	maxMotion    = 4 << 20
	maxUploads   = 16 // that arrive at a time, and maxUploadsOf those of one device
	maxUploadsOf = 2
)

// serveMotions lists the motions.
func (h *Handler) serveMotions(w http.ResponseWriter, _ *http.Request) {
	list := []session.KeptMotion{}
	if h.cfg.Motions != nil {
		list = h.cfg.Motions.List()
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"motions": session.MotionsOf(list)})
}

// serveMotion answers with a motion as a file.
func (h *Handler) serveMotion(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.ParseUint(chi.URLParam(r, "n"), 10, 64)
	if err != nil || h.cfg.Motions == nil {
		writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is no motion %q; %s lists the motions.", clipText(chi.URLParam(r, "n")), motionsPath))
		return
	}
	m, err := h.cfg.Motions.Get(n)
	if err != nil {
		writeSentence(w, http.StatusNotFound, err.Error())
		return
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="motion-%d.json"`, n))
	h.writeJSON(w, http.StatusOK, m)
}

// serveNewMotion saves an uploaded motion.
func (h *Handler) serveNewMotion(w http.ResponseWriter, r *http.Request) {
	leave, ok := h.quotas.uploads.takeFor(w, r, 1)
	if !ok {
		return
	}
	defer leave()
	data, ok := readBody(w, r)
	if !ok {
		return
	}
	h.parsing.Lock() // one at a time: it takes several times the length of the file in memory
	m, err := playout.ParseMotion(data)
	h.parsing.Unlock()
	if err != nil {
		writeSentence(w, http.StatusBadRequest, strings.TrimPrefix(err.Error(), "playout: ")+".")
		return
	}
	if m.Made.IsZero() {
		m.Made = time.Now().UTC()
	}
	if fault := session.CheckMotion(m); fault != "" {
		writeSentence(w, http.StatusBadRequest, fault)
		return
	}
	if h.cfg.Motions == nil {
		writeSentence(w, http.StatusConflict, "This robot does not record motions.")
		return
	}
	n, err := h.cfg.Motions.Add(m, session.Owner(callerOf(r).Grant))
	if err != nil {
		writeSentence(w, http.StatusInternalServerError, err.Error())
		return
	}
	h.cfg.Hub.MotionsChanged()
	h.writeJSON(w, http.StatusOK, map[string]any{"n": n})
}
