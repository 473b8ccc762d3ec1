package handlers

import (
	"fmt"
	"net/http"

	"mybot/recording"
	"mybot/robot"
	"mybot/session"
)

// playbackPath is where a recording in place of a robot is controlled.
const playbackPath = "/api/v1/playback"

// A Player plays a recording: replay.Driver. Any goroutine may call it.
type Player interface {
	Playback() recording.Playback
	// Control changes the playback. The error is a sentence for people.
	Control(order recording.PlaybackOrder) error
}

// servePlayback answers with the state of the playback.
func (h *Handler) servePlayback(w http.ResponseWriter, _ *http.Request) {
	if h.cfg.Player == nil {
		writeSentence(w, http.StatusNotFound, "This is a robot, not a recording that is shown.")
		return
	}
	h.writeJSON(w, http.StatusOK, h.cfg.Player.Playback())
}

// serveControlPlayback changes the playback for the person in control, even while
// the robot in the recording drives.
func (h *Handler) serveControlPlayback(w http.ResponseWriter, r *http.Request) {
	var o struct {
		recording.PlaybackOrder

		Lease uint64 `json:"lease"`
	}
	if err := readJSON(r, &o); err != nil {
		writeBodyFault(w, err)
		return
	}
	if h.cfg.Player == nil {
		h.servePlayback(w, r)
		return
	}
	if may := h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Lease: o.Lease, MovesNothing: true}); may.Word != robot.Success {
		h.writeResult(w, may)
		return
	}
	if err := h.cfg.Player.Control(o.PlaybackOrder); err != nil {
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("Nothing was changed: %v.", err))
		return
	}
	h.servePlayback(w, r)
}
