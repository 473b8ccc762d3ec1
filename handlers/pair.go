package handlers

import (
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"mybot/ratelimit"
	"mybot/session"
	"mybot/session/access"
	"mybot/web"
)

// servePair writes the page where a code is exchanged for a token. A link has the
// code in its query; it is exchanged only when the person agrees, so that programs
// that follow links, such as the preview of a messenger, do not use it up.
func (h *Handler) servePair(w http.ResponseWriter, r *http.Request) {
	h.writePair(w, r, http.StatusOK, web.PairData{Code: r.URL.Query().Get("code")})
}

func (h *Handler) writePair(w http.ResponseWriter, r *http.Request, status int, d web.PairData) {
	c := callerOf(r)
	d.Name, d.Build, d.Insecure, d.Authority = h.cfg.Description.Name, h.cfg.Build, isInsecure(r), h.cfg.Authority != nil
	if c.Role > session.Stranger {
		d.Role = c.Role.String()
	}
	h.writePage(w, r, status, web.Pair(d))
}

// servePairing exchanges a code for a token: a browser gets it as a cookie that
// replaces the old one, a command line in the answer.
func (h *Handler) servePairing(w http.ResponseWriter, r *http.Request) {
	c := callerOf(r)
	wantsJSON := strings.HasPrefix(r.Header.Get("Accept"), "application/json")
	fail := func(status int, d web.PairData) {
		if wantsJSON {
			writeSentence(w, status, d.Fault)
			return
		}
		h.writePair(w, r, status, d)
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		fail(http.StatusUnsupportedMediaType, web.PairData{Fault: "The code must come as a form (application/x-www-form-urlencoded) with the fields code and name."})
		return
	}
	if err := r.ParseForm(); err != nil {
		fail(http.StatusBadRequest, web.PairData{Fault: fmt.Sprintf("The form cannot be read; it should have the fields code and name and be at most %d bytes long.", maxBody)})
		return
	}
	code, name := r.PostForm.Get("code"), r.PostForm.Get("name")
	now := h.clock.now()
	token, grant, err := h.cfg.Access.Redeem(now, ratelimit.Network(c.address).String(), code, name)
	if err != nil {
		status, fault, level := http.StatusServiceUnavailable, web.Text("pair", "failed"), slog.LevelWarn
		switch {
		case errors.Is(err, access.ErrCode): // logged, because there are few; other refusals are not worth a line each
			status, fault = http.StatusForbidden, web.Text("pair", "wrong")
			h.recordAccess("robot", fmt.Sprintf("A pairing from %s was refused: %v.", c.address, err))
		case errors.Is(err, access.ErrGuess):
			status, fault, level = http.StatusTooManyRequests, web.Text("pair", "guesses"), slog.LevelDebug // a stranger may send 30 a second
		case errors.Is(err, access.ErrOften):
			status, fault, level = http.StatusTooManyRequests, web.Text("pair", "often"), slog.LevelDebug
		default:
			level = h.warned.level(now)
		}
		h.cfg.Log.Log(r.Context(), level, "a pairing was refused", "remote", c.address, "reason", err)
		fail(status, web.PairData{Fault: fault, Who: name})
		return
	}
	h.cfg.Log.Info("a device was paired", "remote", c.address, "grant", grant.ID, "role", grant.Role, "by", grant.By)
	h.recordAccess(bearerName(grant), fmt.Sprintf("Paired from %s as %s by the %s.", c.address, grant.Role, grant.By))
	if wantsJSON {
		h.writeJSON(w, http.StatusOK, map[string]any{"token": token, "id": grant.ID, "role": grant.Role, "expires": grant.Expires, "robot": h.cfg.Description.Name})
		return
	}
	setCookie(w, token, c.secure)
	if c.Grant != "" { // the browser no longer needs its old token
		old, err := h.cfg.Access.Replace(c.Grant, grant.ID)
		if err != nil {
			h.cfg.Log.Warn("an old grant was not deleted", "grant", c.Grant, "error", err)
		}
		h.sendAway(old, bearerName(grant), "replaced by a new pairing of the same browser")
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// warnings bounds the lines of the log about one thing, which a stranger can repeat.
type warnings struct {
	mu   sync.Mutex
	left ratelimit.Bucket
}

// level returns the level of the next line: five are warnings, and then one a minute.
func (w *warnings) level(now time.Time) slog.Level {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.left.Take(now, 1, 1./60, 5); ok {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// sendAway ends all connections that came by a grant that has ended; why says why
// it ended.
func (h *Handler) sendAway(grant access.Grant, by, why string) {
	if grant.ID == "" {
		return
	}
	h.recordAccess(by, fmt.Sprintf("The access of %s as %s was %s.", bearerName(grant), grant.Role, why))
	h.cfg.Hub.Revoke(grant.ID)
	h.endStandby(grant)
	if h.cfg.Broadcaster != nil {
		h.cfg.Broadcaster.RevokeGrant(grant.ID)
	}
}

// recordAccess writes a change of access to the audit log.
func (h *Handler) recordAccess(who, text string) { h.recordAs("role", who, text) }

// recordAs writes an event of another kind to the audit log.
func (h *Handler) recordAs(kind, who, text string) {
	if h.cfg.Audit != nil {
		h.cfg.Audit.AppendEntry(time.Now(), kind, who, text)
	}
}

// bearerName names the bearer of a grant.
func bearerName(g access.Grant) string {
	if g.Name == "" {
		return "device " + g.ID
	}
	return fmt.Sprintf("%q (device %s)", g.Name, g.ID)
}

// serveAuthority answers with the certificate of the robot's own authority.
func (h *Handler) serveAuthority(w http.ResponseWriter, r *http.Request) {
	if h.cfg.Authority == nil {
		h.notFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/x-x509-ca-cert")
	w.Header().Set("Content-Disposition", `attachment; filename="mybot-ca.crt"`)
	_, _ = w.Write(h.cfg.Authority.PEM()) // the browser may be gone
}

// serveInstall writes the page that explains how to install that certificate.
func (h *Handler) serveInstall(w http.ResponseWriter, r *http.Request) {
	if h.cfg.Authority == nil {
		h.notFound(w, r)
		return
	}
	h.writePage(w, r, http.StatusOK, web.CA(web.CAData{Name: h.cfg.Description.Name, Build: h.cfg.Build, Fingerprint: h.cfg.Authority.Fingerprint()}))
}
