package handlers

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"mybot/media"
	"mybot/session"
)

// Watching and listening through the robot by WHEP (draft-ietf-wish-whep), for any
// WHEP player, and talking through it by WHIP (RFC 9725).

const (
	whepPath = "/whep"
	whipPath = "/whip"
	sdpType  = "application/sdp"
	trickle  = "application/trickle-ice-sdpfrag"
	maxOffer = 32 << 10 // bytes
)

// maySee reports whether the caller may see and hear through the robot.
func (c caller) maySee() bool { return c.Camera || c.Role >= session.Operator }

// serveWatch answers the offer of a player that wants to watch.
func (h *Handler) serveWatch(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	switch {
	case !c.maySee():
		writeSentence(w, http.StatusForbidden, "You may watch the map but not the camera. Ask the driver for a link that includes the camera.")
		return
	case h.cfg.Broadcaster == nil:
		writeSentence(w, http.StatusNotFound, "This robot has no camera and no microphone.")
		return
	}
	offer, ok := readSDP(w, r, sdpType)
	if !ok {
		return
	}
	v, answer, err := h.cfg.Broadcaster.Watch(r.Context(), offer, media.Watcher{
		Grant:   c.Grant,
		Sharer:  c.Sharer(),
		Speaker: r.URL.Query().Get("of") == "speaker",
		Measure: c.Role >= session.Operator,
		Leads:   func() bool { return h.cfg.Hub.HasControl(c.Identity) },
		Holds:   func() bool { return h.accessHolds(c) },
	})
	if err != nil {
		refuseOffer(w, err)
		return
	}
	h.answerOffer(w, whepPath, v.ID, answer)
}

// answerOffer sends the answer to an offer.
func (h *Handler) answerOffer(w http.ResponseWriter, path, id, answer string) {
	head := w.Header()
	h.nameRelays(head)
	head.Set("Location", path+"/"+id)
	head.Set("ETag", etagOf(id))
	head.Set("Accept-Patch", trickle)
	head.Set("Content-Type", sdpType)
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, answer) // if the caller is gone, the connection notices
}

// nameRelays names the TURN servers that a player may use.
func (h *Handler) nameRelays(head http.Header) {
	if h.cfg.Channels == nil {
		return
	}
	for _, r := range h.cfg.Channels.Relays() {
		head.Add("Link", fmt.Sprintf("<%s>; rel=\"ice-server\"; username=%q; credential=%q; credential-type=\"password\"", r.URL, r.Username, r.Password))
	}
}

// serveTalk answers the offer of a player to talk through the robot: the driver's,
// or that of the borrower of the voice.
func (h *Handler) serveTalk(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	speak := func() bool { return h.cfg.Hub.Speak(c.Identity) }
	switch {
	case h.cfg.Broadcaster == nil:
		writeSentence(w, http.StatusNotFound, "This robot has no speaker.")
		return
	case !speak():
		writeSentence(w, http.StatusConflict, "Only the person who has control, or has borrowed the voice, can talk through the robot.")
		return
	}
	offer, ok := readSDP(w, r, sdpType)
	if !ok {
		return
	}
	t, answer, err := h.cfg.Broadcaster.Talk(r.Context(), offer, c.Grant, func() bool { return h.cfg.Hub.MaySpeak(c.Identity) }, speak)
	if err != nil {
		refuseOffer(w, err)
		return
	}
	h.answerOffer(w, whipPath, t.ID, answer)
}

// A mediaSession is what an offer opened: a *media.Viewer or a *media.Talker.
type mediaSession interface {
	comparable
	OpenedBy(grant string) bool
}

// sessionOf returns the session that the request names by its id, which is as hard
// to guess as a token. If the caller has not opened one with that id, it answers
// the request and returns nil.
func sessionOf[S mediaSession](h *Handler, w http.ResponseWriter, r *http.Request, kind string, find func(*media.Broadcaster, string) S) S {
	var none S
	if b := h.cfg.Broadcaster; b != nil {
		if s := find(b, chi.URLParam(r, "id")); s != none && s.OpenedBy(callerOf(r).Grant) {
			return s
		}
	}
	writeSentence(w, http.StatusNotFound, fmt.Sprintf("No %s session is open at this address any more.", kind))
	return none
}

func (h *Handler) findViewer(w http.ResponseWriter, r *http.Request) *media.Viewer {
	return sessionOf(h, w, r, "viewer", (*media.Broadcaster).FindViewer)
}

func (h *Handler) findTalker(w http.ResponseWriter, r *http.Request) *media.Talker {
	return sessionOf(h, w, r, "voice", (*media.Broadcaster).FindTalker)
}

// serveTalkTrickle ignores late ICE candidates of a talker's player.
func (h *Handler) serveTalkTrickle(w http.ResponseWriter, r *http.Request) {
	if h.findTalker(w, r) != nil {
		w.WriteHeader(http.StatusNoContent)
	}
}

// serveEndTalk ends a talker's session.
func (h *Handler) serveEndTalk(w http.ResponseWriter, r *http.Request) {
	if t := h.findTalker(w, r); t != nil {
		t.Close()
	}
}

// serveOfferOptions names the type of body to post and, to callers who may post
// one, the TURN servers: the passwords are for those callers only.
func (h *Handler) serveOfferOptions(w http.ResponseWriter, r *http.Request) {
	if callerOf(r).maySee() {
		h.nameRelays(w.Header())
	}
	w.Header().Set("Accept-Post", sdpType)
	w.Header().Set("Allow", "POST, OPTIONS")
	w.WriteHeader(http.StatusNoContent)
}

// serveTrickle accepts late ICE candidates of a viewer's player. The robot needs
// them only with a relay; otherwise it answers the address that asks.
func (h *Handler) serveTrickle(w http.ResponseWriter, r *http.Request) {
	v := h.findViewer(w, r)
	if v == nil {
		return
	}
	// RFC 9725 has players send If-Match; a request without it names its session by
	// the address.
	if match := r.Header.Get("If-Match"); match != "" && match != etagOf(v.ID) && match != "*" {
		writeSentence(w, http.StatusPreconditionFailed, "If-Match names another session; it should be the ETag of the answer.")
		return
	}
	fragment, ok := readSDP(w, r, trickle)
	if !ok {
		return
	}
	if !v.Trickle(fragment) {
		writeSentence(w, http.StatusUnprocessableEntity, "The robot does not restart ICE. Open a new session.")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// serveEndWatch ends a viewer's session.
func (h *Handler) serveEndWatch(w http.ResponseWriter, r *http.Request) {
	if v := h.findViewer(w, r); v != nil {
		v.Close()
	}
}

func etagOf(id string) string { return fmt.Sprintf("%q", id[:8]) }

// readSDP reads a session description of the media type; if the body is not one, it
// answers the request and ok is false.
func readSDP(w http.ResponseWriter, r *http.Request, kind string) (sdp string, ok bool) {
	if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || !strings.EqualFold(got, kind) {
		w.Header().Set("Accept-Post", sdpType)
		writeSentence(w, http.StatusUnsupportedMediaType, fmt.Sprintf("The Content-Type is %q; it should be %s.", clipText(r.Header.Get("Content-Type")), kind))
		return "", false
	}
	body, ok := readBody(w, r)
	return string(body), ok
}

// refuseOffer answers an offer with the reason for refusing it.
func refuseOffer(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	switch {
	case errors.Is(err, media.ErrCrowded), errors.Is(err, media.ErrShare), errors.Is(err, media.ErrGreedy), errors.Is(err, media.ErrClosed):
		w.Header().Set("Retry-After", "5")
		status = http.StatusServiceUnavailable
	}
	reason := strings.TrimPrefix(err.Error(), "media: ")
	writeSentence(w, status, strings.ToUpper(reason[:1])+reason[1:]+".")
}
