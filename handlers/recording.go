package handlers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"mybot/recording"
)

const (
	recordingPath    = "/api/v1/recording" // where recordings are streamed from
	maxRecording     = 24 * time.Hour      // the longest recording; without a length it lasts until the caller disconnects
	recordingWithin  = 10 * time.Second    // for the caller to take recorded data
	recordingPatrols = 2 * time.Second     // between two checks of the caller's access
)

// A Recorder makes recordings: recording.Recorder.
type Recorder interface {
	// Record writes a recording to w until ctx ends, and calls flush every second.
	Record(ctx context.Context, w io.Writer, flush func() error) error
}

// serveRecording streams a recording as MCAP until the caller disconnects, its time
// is over, the caller's access ends, or the server shuts down. In all cases but the
// first it ends with an index.
func (h *Handler) serveRecording(w http.ResponseWriter, r *http.Request) {
	lasts, err := recordingLength(r.FormValue("seconds"))
	switch {
	case h.cfg.Recorder == nil:
		writeSentence(w, http.StatusNotFound, "This robot makes no recordings.")
		return
	case err != nil:
		writeSentence(w, http.StatusBadRequest, err.Error()+".")
		return
	}
	leave, ok := h.quotas.recordings.takeFor(w, r, 10)
	if !ok {
		return
	}
	defer leave()
	who, name := callerOf(r).deviceName(), time.Now().UTC().Format("mybot-2006-01-02-150405.mcap")
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	if err := out.SetReadDeadline(time.Time{}); err != nil { // the request has been read, and the answer takes long
		writeSentence(w, http.StatusNotImplemented, "This connection cannot carry a recording.")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), lasts)
	defer cancel()
	patrol := make(chan struct{})
	go func() {
		defer close(patrol)
		h.watchRecorder(ctx, cancel, callerOf(r))
	}()
	defer func() { cancel(); <-patrol }()

	stream := &recordingStream{ResponseWriter: w, out: out}
	began := time.Now()
	h.recordAs("stream", who, fmt.Sprintf("A recording began, of %s at most.", lasts))
	err = h.cfg.Recorder.Record(ctx, stream, stream.flush)
	h.recordAs("stream", who, fmt.Sprintf("A recording ended after %s, with %d bytes.", time.Since(began).Round(time.Second), stream.bytes))
	switch {
	case errors.Is(err, recording.ErrBusy):
		w.Header().Del("Content-Disposition")
		w.Header().Set("Retry-After", "10")
		writeSentence(w, http.StatusServiceUnavailable, fmt.Sprintf("%v.", err))
	case err != nil && r.Context().Err() == nil:
		h.cfg.Log.Info("a recording was broken off", "error", err)
		panic(http.ErrAbortHandler) // so that the caller sees that the file is incomplete
	}
}

// recordingLength parses the length of a recording in seconds; "" = as long as
// possible.
func recordingLength(seconds string) (time.Duration, error) {
	if seconds == "" {
		return maxRecording, nil
	}
	n, err := strconv.Atoi(seconds)
	if most := int(maxRecording.Seconds()); err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("seconds is %q; it should be a whole number from 1 to %d", clipText(seconds), most)
	}
	return time.Duration(n) * time.Second, nil
}

// watchRecorder ends a recording when the caller's access ends or the server shuts
// down. It returns when ctx ends.
func (h *Handler) watchRecorder(ctx context.Context, end func(), c caller) {
	every := time.NewTicker(recordingPatrols)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.closing:
			end()
		case <-every.C:
			if !h.accessHolds(c) {
				end()
			}
		}
	}
}

// A recordingStream is the answer that carries a recording. It cuts off a caller
// who takes nothing for too long.
type recordingStream struct {
	http.ResponseWriter
	out   *http.ResponseController
	bytes int
	holds func() bool // whether the caller still has access; nil = another goroutine looks
}

func (s *recordingStream) Write(p []byte) (int, error) {
	if s.holds != nil && !s.holds() {
		return 0, errors.New("the caller's access has ended")
	}
	if err := s.out.SetWriteDeadline(time.Now().Add(recordingWithin)); err != nil {
		return 0, err
	}
	n, err := s.ResponseWriter.Write(p)
	s.bytes += n
	return n, err
}

func (s *recordingStream) flush() error { return s.out.Flush() }
