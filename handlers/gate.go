package handlers

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mybot/session"
)

// setHeaders sets the headers of every answer, and bounds the body of the request. A
// route whose answer browsers may cache says so itself.
func setHeaders(next http.Handler) http.Handler {
	fixed := map[string]string{
		"Content-Security-Policy": "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
			"connect-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "same-origin", // with no-referrer a form would send the origin "null"
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), microphone=(self), geolocation=(), gamepad=(self), screen-wake-lock=(self)",
		"Cache-Control":                "no-store",
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for k, v := range fixed {
			w.Header().Set(k, v)
		}
		if !isInsecure(r) { // elsewhere browsers only complain about it
			w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		limit := int64(maxBody)
		switch {
		case r.Method == http.MethodPut, slices.Contains([]string{jobsPath, checkPath, orderPath, rehearsePath, runsPath, queuePath, scriptsPath, scriptsCheckPath, scriptsTryPath, draftPath}, r.URL.Path):
			limit = maxMapBody // also of a job, a script, an edit of a new map, and of 100 queued commands
		case r.URL.Path == motionsPath:
			limit = maxMotion
		case r.URL.Path == whepPath, r.URL.Path == whipPath:
			limit = maxOffer
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		next.ServeHTTP(w, r)
	})
}

// maxBody is the longest body of a request, in bytes, enough for a form with a code
// and a name; setHeaders says which may be longer.
const (
	maxBody    = 8 << 10
	maxMapBody = 256 << 10
)

// checkHost admits only requests that address this server by one of its own names.
// A page of another site whose name suddenly resolves to this server (DNS
// rebinding) still sends that site's name in Host.
func (h *Handler) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.isOwnName(r) {
			writeSentence(w, http.StatusForbidden, fmt.Sprintf("This robot does not know itself as %q. Open http://%s/ or start the robot with --host and that name.", clipText(r.Host), h.cfg.Listen))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOwnName reports whether the request's Host, with or without a port, is a name
// of this computer: a loopback name, the address listened on, the address that the
// connection came to, or a configured name.
func (h *Handler) isOwnName(r *http.Request) bool {
	name := hostOf(r.Host)
	if isLoopbackName(name) || slices.Contains(h.names, name) {
		return true
	}
	address := addressOf(name)
	if !address.IsValid() {
		return false
	}
	if address == h.own {
		return true
	}
	here, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && address == addressOf(here.String())
}

// checkOrigin refuses requests that a page of another site has made, as their
// origin or the browser's marking shows. Following a link from another site is
// allowed, because that is how share links work.
func checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r) {
			writeSentence(w, http.StatusForbidden, fmt.Sprintf("This request came from a page of %q, which is not this robot's. Behind a proxy, start the robot with --trusted-proxy.", clipText(origin)))
			return
		}
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case site == "" || site == "same-origin" || site == "none":
		case r.URL.Path == speechPath, // to ask for it does something: it is synthesized
			strings.HasPrefix(r.URL.Path, recordingPath): // it begins, or is noted
			writeSentence(w, http.StatusForbidden, "This request came from a page of another site.")
			return
		case r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		default:
			writeSentence(w, http.StatusForbidden, "This request came from a page of another site.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sameOrigin reports whether the origin is that of the request's own address.
func sameOrigin(origin string, r *http.Request) bool {
	scheme := "http"
	if callerOf(r).secure {
		scheme = "https"
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == scheme && strings.EqualFold(u.Host, r.Host)
}

// requireRole admits only callers with the role or a higher one.
func requireRole(role session.Role, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch c := callerOf(r); {
		case c.Role >= role:
			next(w, r)
		case c.Role == session.Stranger:
			w.Header().Set("WWW-Authenticate", `Bearer realm="mybot"`)
			writeSentence(w, http.StatusUnauthorized, "The robot does not know you. Pair this browser at /pair, or a command line with 'mybot pair'.")
		default:
			writeSentence(w, http.StatusForbidden, fmt.Sprintf("You are here as %s; this is for %s only.", c.Role, role))
		}
	}
}
