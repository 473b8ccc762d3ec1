package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"mybot/session"
	"mybot/session/access"
)

// serveShare makes a link for observers.
func (h *Handler) serveShare(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	var ask struct {
		Camera bool `json:"camera"`
	}
	if err := readJSON(r, &ask); err != nil {
		writeBodyFault(w, err)
		return
	}
	if ask.Camera && !c.Camera {
		writeSentence(w, http.StatusForbidden, "You may not use the camera yourself, so you cannot share it; make a link without it.")
		return
	}
	now := h.clock.now()
	code, err := h.cfg.Access.Share(now, ask.Camera, c.Grant)
	if err != nil {
		refuseLink(w, err)
		return
	}
	what := "A share link was made."
	if ask.Camera {
		what = "A share link with the camera was made."
	}
	h.recordAccess(c.deviceName(), what)
	h.writeJSON(w, http.StatusOK, map[string]any{"link": PairLink(h.baseURL(r), code), "expires": now.Add(access.ShareLife).UTC()})
}

// serveInvite makes a link for one operator or admin, like the one that the
// terminal shows when the robot starts.
func (h *Handler) serveInvite(w http.ResponseWriter, r *http.Request) {
	ask := struct {
		Role session.Role `json:"role"`
	}{session.Admin}
	if err := readJSON(r, &ask); err != nil {
		writeBodyFault(w, err)
		return
	}
	if ask.Role < session.Operator {
		writeSentence(w, http.StatusBadRequest, "The role must be operator or admin; observers are invited by share links.")
		return
	}
	c, now := callerOf(r), h.clock.now()
	code, err := h.cfg.Access.OneTime(now, ask.Role, c.Grant)
	if err != nil {
		refuseLink(w, err)
		return
	}
	h.recordAccess(c.deviceName(), fmt.Sprintf("A link for one %s was made.", ask.Role))
	h.writeJSON(w, http.StatusOK, map[string]any{"link": PairLink(h.baseURL(r), code), "role": ask.Role, "expires": now.Add(access.OneTimeLife).UTC()})
}

// refuseLink says why no link was made.
func refuseLink(w http.ResponseWriter, err error) {
	if errors.Is(err, access.ErrToken) {
		writeSentence(w, http.StatusUnauthorized, "This access has been revoked. Pair this device with the robot again.")
		return
	}
	writeSentence(w, http.StatusServiceUnavailable, "There are too many links already. Wait until some expire.")
}

// PairLink returns the address under base, "http://robot:8080", at which the
// code is exchanged for a token.
func PairLink(base, code string) string {
	return base + "/pair?code=" + url.QueryEscape(code)
}

// baseURL returns the address at which others reach the robot: the one that the
// caller uses, or the first one on the network if the caller uses loopback.
func (h *Handler) baseURL(r *http.Request) string {
	if h.cfg.Addresses != nil && isLoopbackName(hostOf(r.Host)) {
		if all := h.cfg.Addresses(); len(all) > 0 {
			return all[0]
		}
	}
	if callerOf(r).secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
