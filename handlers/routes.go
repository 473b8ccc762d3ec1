package handlers

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"mybot/link"
	"mybot/robot"
	"mybot/session"
	"mybot/static"
)

// Config is what a Handler is made of. All functions may be called from any
// goroutine.
type Config struct {
	Hub         *session.Hub
	Plan        *robot.Floorplan
	Description robot.Description
	Build       string // the server's build, for the page
	Listen      net.Addr
	Healthy     func() bool                // the control loop ticks
	State       func() (robot.State, bool) // the newest; false = none yet
	Truth       func() robot.Pose          // of base_link in map; nil = nobody is told
	Link        link.Profile               // how the page's traffic is bent; the zero Profile = not at all
	Seed        uint64                     // of the bent network
	Log         *slog.Logger
}

// A Handler answers every request to one robot's server.
type Handler struct {
	cfg     Config
	own     netip.Addr // the address listened on
	router  chi.Router
	page    page
	sockets sockets
	ways    ways
	metrics *metrics
}

// New returns the handler. The error says which part of the page cannot be
// made.
func New(cfg Config) (*Handler, error) {
	h := &Handler{cfg: cfg, router: chi.NewRouter(), ways: ways{profile: cfg.Link, seed: cfg.Seed}}
	if tcp, ok := cfg.Listen.(*net.TCPAddr); ok {
		h.own = tcp.AddrPort().Addr().Unmap()
	}
	h.metrics = newMetrics(cfg, h.sockets.count)
	var err error
	if h.page, err = newPage(cfg); err != nil {
		return nil, fmt.Errorf("handlers: %w", err)
	}
	picture, err := newPicture(cfg)
	if err != nil {
		return nil, fmt.Errorf("handlers: %w", err)
	}

	r := h.router
	r.Use(headers, h.local, http.NewCrossOriginProtection().Handler, middleware.GetHead)
	r.NotFound(notFound)
	r.MethodNotAllowed(h.methodNotAllowed)
	r.Get("/", h.servePage)
	r.Get("/static/*", static.Handler().ServeHTTP)
	r.Get("/map.svg", picture.ServeHTTP)
	r.Post("/stop", h.serveStop)
	r.Get("/healthz", h.serveHealth)
	r.Get("/metrics", h.metrics.ServeHTTP)
	r.Get("/ws", h.serveSocket)
	return h, nil
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.router.ServeHTTP(w, r) }

// headers sets what is true of every answer. A route that may be kept by a
// browser says so itself.
func headers(next http.Handler) http.Handler {
	fixed := map[string]string{
		"Content-Security-Policy": "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
			"connect-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), microphone=(), geolocation=(), gamepad=(self), screen-wake-lock=(self)",
		"Cache-Control":                "no-store",
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for k, v := range fixed {
			w.Header().Set(k, v)
		}
		next.ServeHTTP(w, r)
	})
}

// proxied names the headers by which a proxy tells of itself.
var proxied = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}

// local lets in only who speaks to this server by a name or address of this
// computer. A page of another site whose name suddenly points here (DNS
// rebinding) still says that site's name in Host.
func (h *Handler) local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.knows(r.Host) {
			say(w, http.StatusForbidden, fmt.Sprintf("This robot does not go by the name %q. Open it as http://%s/ on its own computer.", clip(r.Host), h.cfg.Listen))
			return
		}
		for _, name := range proxied {
			if r.Header.Get(name) != "" {
				say(w, http.StatusForbidden, fmt.Sprintf("This request came through a proxy (it carries %s). This version lets in only people at the robot's own computer: open http://%s/ there.", name, h.cfg.Listen))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// knows tells whether host, with or without a port, is this computer.
func (h *Handler) knows(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (ip.IsLoopback() || ip == h.own)
}

func notFound(w http.ResponseWriter, r *http.Request) {
	say(w, http.StatusNotFound, fmt.Sprintf("There is nothing at %q here. The robot's page is at /.", clip(r.URL.Path)))
}

func (h *Handler) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		asked := method
		if method == http.MethodHead {
			asked = http.MethodGet // GetHead answers HEAD wherever GET is
		}
		if h.router.Match(chi.NewRouteContext(), asked, r.URL.Path) {
			allowed = append(allowed, method)
		}
	}
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	say(w, http.StatusMethodNotAllowed, fmt.Sprintf("%s is not possible here, only %s.", clip(r.Method), list))
}

// say answers with one sentence.
func say(w http.ResponseWriter, status int, sentence string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, sentence) // the browser may be gone
}

// clip shortens what a stranger sent before it is said back to him.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// serveStop stops the robot for a browser without scripts, or for a command
// line.
func (h *Handler) serveStop(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	h.cfg.Hub.Stop("the stop form at " + host)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// serveHealth tells whether the control loop ticks.
func (h *Handler) serveHealth(w http.ResponseWriter, _ *http.Request) {
	if !h.cfg.Healthy() {
		say(w, http.StatusServiceUnavailable, "The control loop does not tick.")
		return
	}
	say(w, http.StatusOK, "ok")
}
