package handlers

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"

	"mybot/recording"
)

// recordingsPath is where the recordings on the robot's disk are.
const recordingsPath = "/api/v1/recordings"

// A RecordingFolder stores recordings on the robot's disk: recording.Folder.
type RecordingFolder interface {
	Start() error
	Stop()
	Status() recording.Status
	List() ([]recording.File, error)
	Open(name string) (recording.Content, error)
	Remove(name string) error
}

// noRecordings says why a robot has no recordings on its disk.
const noRecordings = "This robot keeps no recordings: it was started without a data directory and without --record."

// withRecordings refuses requests if the robot has no folder of recordings.
func (h *Handler) withRecordings(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.cfg.Recordings == nil {
			writeSentence(w, http.StatusNotFound, noRecordings)
			return
		}
		serve(w, r)
	}
}

// serveRecordings says whether the robot records, and lists its recordings. A robot
// without a folder says why, because every page asks.
func (h *Handler) serveRecordings(w http.ResponseWriter, _ *http.Request) {
	if h.cfg.Recordings == nil {
		h.writeRecordingList(w, recording.Status{Ended: noRecordings}, []recording.File{})
		return
	}
	h.writeRecordings(w)
}

func (h *Handler) writeRecordings(w http.ResponseWriter) {
	files, err := h.cfg.Recordings.List()
	if errors.Is(err, recording.ErrSlow) {
		says := fmt.Sprintf("The recordings cannot be listed: %v.", err)
		if h.cfg.Recordings.Status().Recording {
			says += " A recording is being made; what the disk does not take is lost from it."
		}
		writeSentence(w, http.StatusServiceUnavailable, says)
		return
	}
	if err != nil {
		writeSentence(w, http.StatusInternalServerError, fmt.Sprintf("%v.", err))
		return
	}
	h.writeRecordingList(w, h.cfg.Recordings.Status(), files)
}

func (h *Handler) writeRecordingList(w http.ResponseWriter, status recording.Status, files []recording.File) {
	h.writeJSON(w, http.StatusOK, struct {
		recording.Status
		Files []recording.File `json:"files"`
	}{status, files})
}

// serveStartRecording begins a recording on the robot's disk.
func (h *Handler) serveStartRecording(w http.ResponseWriter, r *http.Request) {
	if err := h.cfg.Recordings.Start(); err != nil {
		writeSentence(w, http.StatusConflict, fmt.Sprintf("Nothing is recorded: %v.", err))
		return
	}
	h.recordAs("recording", callerOf(r).deviceName(), "A recording on the robot's disk began.")
	h.writeRecordings(w)
}

// serveStopRecording ends the recording on the robot's disk.
func (h *Handler) serveStopRecording(w http.ResponseWriter, r *http.Request) {
	h.cfg.Recordings.Stop()
	h.recordAs("recording", callerOf(r).deviceName(), "The recording on the robot's disk was ended.")
	h.writeRecordings(w)
}

// serveRecordingFile answers with a recording, or with the beginning of one in
// progress.
func (h *Handler) serveRecordingFile(w http.ResponseWriter, r *http.Request) {
	name := chi.URLParam(r, "name")
	file, err := h.cfg.Recordings.Open(name)
	if err != nil {
		h.sayNoRecording(w, name, err)
		return
	}
	defer file.Close() //nolint:errcheck // it is read only
	if r.Method == http.MethodGet {
		h.recordAs("recording", callerOf(r).deviceName(), fmt.Sprintf("The recording %s was downloaded.", name))
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	w.Header().Set("Cache-Control", "no-store")
	// A caller who takes nothing for too long is cut off; one who takes long is not.
	c := callerOf(r)
	http.ServeContent(&recordingStream{ResponseWriter: w, out: http.NewResponseController(w), holds: func() bool { return h.accessHolds(c) }}, r, "", file.Changed, file)
}

// serveDeleteRecording deletes a recording.
func (h *Handler) serveDeleteRecording(w http.ResponseWriter, r *http.Request) {
	name := chi.URLParam(r, "name")
	if err := h.cfg.Recordings.Remove(name); err != nil {
		h.sayNoRecording(w, name, err)
		return
	}
	h.recordAs("recording", callerOf(r).deviceName(), fmt.Sprintf("The recording %s was deleted.", name))
	h.writeRecordings(w)
}

func (h *Handler) sayNoRecording(w http.ResponseWriter, name string, err error) {
	if errors.Is(err, recording.ErrNone) {
		writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is no recording %q; %s lists the recordings.", clipText(name), recordingsPath))
		return
	}
	writeSentence(w, http.StatusConflict, fmt.Sprintf("The recording %s: %v.", clipText(name), err))
}
