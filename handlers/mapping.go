package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mybot/robot"
	"mybot/session"
)

// Making a map by driving.

const (
	mappingPath = "/api/v1/mapping"
	draftPath   = mappingPath + "/draft"
	immutable   = "private, max-age=31536000, immutable"
)

// A MapMaker makes maps while a person drives: app's adapter to mapping/survey. Any
// goroutine may call it.
type MapMaker interface {
	// Do executes a person's order, and returns the name of a map that it saved. The
	// error is a sentence for people that says why not.
	Do(ctx context.Context, order MapOrder) (saved string, err error)
	// Picture returns the newest picture of a tile, as PNG. exact says that it has
	// that revision; ok is false if there is none.
	Picture(tile, revision int) (data []byte, exact, ok bool)
	// Draft returns the map in review, in the JSON of draft.View. The error is a
	// sentence for people, also if no map is in review.
	Draft(ctx context.Context) ([]byte, error)
	// Edit makes one edit and returns the map in review as Draft does.
	Edit(ctx context.Context, edit []byte) ([]byte, error)
	// DraftPicture returns the picture of the map in review, as Picture does.
	DraftPicture(ctx context.Context, revision int) (data []byte, exact, ok bool)
}

// mapActions are the actions of a MapMaker, and what other users read when a user
// did one; "" = nothing.
var mapActions = []struct{ Name, Told string }{
	{"start", "began to make a map."},
	{"sketch", "began to make a sketch."},
	{"sheet", "began to draw walls by hand."},
	{"pause", "paused mapping."},
	{"resume", "resumed mapping."},
	{"undo", "took back the last 10 m of the map."},
	{"finish", "finished the map."},
	{"back", "went back to mapping."},
	{"discard", "discarded the map."},
	{"save", "saved the map %s."},
	{"extend", "extended the map."},
	{"revert", "brought back the version of the map before this one."},
	{"advance", "brought back the version of the map after this one."},
}

// A MapOrder is a person's order about the map in progress.
type MapOrder struct {
	Action string  `json:"action"` // of mapActions
	Name   string  `json:"name"`   // save: of the map
	Width  float64 `json:"width"`  // sheet: m
	Height float64 `json:"height"` // sheet: m
}

// serveMapping answers with the newest mapping event.
func (h *Handler) serveMapping(w http.ResponseWriter, _ *http.Request) {
	event := h.cfg.Hub.Mapping()
	if h.cfg.Mapping == nil || event == nil {
		writeSentence(w, http.StatusNotFound, "This robot makes no maps.")
		return
	}
	sendJSON(w, http.StatusOK, event)
}

// serveMapOrder executes the holder's order about the map in progress.
func (h *Handler) serveMapOrder(w http.ResponseWriter, r *http.Request) {
	var o struct {
		MapOrder

		Lease uint64 `json:"lease"`
	}
	if err := readJSON(r, &o); err != nil {
		writeBodyFault(w, err)
		return
	}
	var names []string
	for _, a := range mapActions {
		names = append(names, a.Name)
	}
	i := slices.Index(names, o.Action)
	switch {
	case i < 0:
		writeSentence(w, http.StatusBadRequest, `"action" should be one of `+strings.Join(names, ", ")+".")
		return
	case h.cfg.Mapping == nil:
		h.writeResult(w, robot.Result{Word: robot.NA, Reason: "This robot makes no maps."})
		return
	}
	by := callerOf(r).Identity
	if may := h.cfg.Hub.Command(r.Context(), by, session.Order{Lease: o.Lease}); may.Word != robot.Success {
		h.writeResult(w, may)
		return
	}
	saved, err := h.cfg.Mapping.Do(r.Context(), o.MapOrder)
	if err != nil {
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: err.Error()})
		return
	}
	h.cfg.Hub.NoteMapping(by, strings.Replace(mapActions[i].Told, "%s", saved, 1))
	h.writeResult(w, robot.Result{Word: robot.Success})
}

// serveTile answers with the picture of a tile of the map in progress.
func (h *Handler) serveTile(w http.ResponseWriter, r *http.Request) {
	tile, noTile := strconv.Atoi(pathParam(r, "tile"))
	revision, noRevision := strconv.Atoi(pathParam(r, "rev"))
	if h.cfg.Mapping == nil || noTile != nil || noRevision != nil {
		writeSentence(w, http.StatusNotFound, "There is no such picture.")
		return
	}
	picture, exact, ok := h.cfg.Mapping.Picture(tile, revision)
	writePicture(w, picture, exact, ok)
}

// A draftEdit is one edit of the map in review.
type draftEdit struct {
	Lease uint64          `json:"lease"`
	Edit  json.RawMessage `json:"edit"`
}

// serveDraft answers with the map in review.
func (h *Handler) serveDraft(w http.ResponseWriter, r *http.Request) {
	if h.cfg.Mapping == nil {
		writeSentence(w, http.StatusNotFound, "This robot makes no maps.")
		return
	}
	view, err := h.cfg.Mapping.Draft(r.Context())
	if err != nil {
		writeSentence(w, http.StatusNotFound, err.Error())
		return
	}
	sendJSON(w, http.StatusOK, view)
}

// serveDraftEdit makes the holder's edit of the map in review.
func (h *Handler) serveDraftEdit(w http.ResponseWriter, r *http.Request) {
	var e draftEdit
	if err := readJSON(r, &e); err != nil {
		writeBodyFault(w, err)
		return
	}
	switch {
	case len(e.Edit) == 0:
		writeSentence(w, http.StatusBadRequest, `"edit" is missing; it should be what is to be changed, as in {"op":"undo"}.`)
		return
	case h.cfg.Mapping == nil:
		h.writeResult(w, robot.Result{Word: robot.NA, Reason: "This robot makes no maps."})
		return
	}
	if may := h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Lease: e.Lease}); may.Word != robot.Success {
		h.writeResult(w, may)
		return
	}
	view, err := h.cfg.Mapping.Edit(r.Context(), e.Edit)
	if err != nil {
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: err.Error()})
		return
	}
	sendJSON(w, http.StatusOK, view)
}

// serveDraftPicture answers with the picture of the map in review.
func (h *Handler) serveDraftPicture(w http.ResponseWriter, r *http.Request) {
	revision, err := strconv.Atoi(pathParam(r, "rev"))
	if h.cfg.Mapping == nil || err != nil {
		writeSentence(w, http.StatusNotFound, "There is no such picture.")
		return
	}
	picture, exact, ok := h.cfg.Mapping.DraftPicture(r.Context(), revision)
	writePicture(w, picture, exact, ok)
}

// writePicture answers with a picture; exact says that the picture at this address
// never changes.
func writePicture(w http.ResponseWriter, picture []byte, exact, ok bool) {
	if !ok {
		writeSentence(w, http.StatusNotFound, "There is no such picture any more.")
		return
	}
	w.Header().Set("Content-Type", "image/png")
	if exact {
		w.Header().Set("Cache-Control", immutable)
	}
	_, _ = w.Write(picture) // the caller may be gone
}
