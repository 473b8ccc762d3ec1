package handlers

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"mybot/link"
	"mybot/media"
	"mybot/robot"
	"mybot/session"
	"mybot/session/access"
)

// Config is what a Handler is made of. All functions may be called from any
// goroutine.
type Config struct {
	Hub         *session.Hub
	Access      *access.Authenticator
	Plan        *robot.Floorplan // not changed after that
	Map         MapStore         // keeps the plan when people may change it; nil = they may not
	Mapping     MapMaker         // nil = maps cannot be made
	Motions     session.Motions  // nil = none are kept
	Jobs        Jobs             // nil = none are kept
	Recorder    Recorder         // nil = nothing can be recorded
	Recordings  RecordingFolder  // on the robot's disk; nil = there are none
	Player      Player           // of the recording that is shown; nil = there is a robot
	Description robot.Description
	Build       string // the server's build, for the page
	Listen      net.Addr
	Hosts       []string        // names of this computer, beside the loopback ones
	Addresses   func() []string // at which others reach the robot now, "http://192.168.1.7:8080", the best first; nil = not at all
	Proxies     []netip.Prefix  // whose X-Forwarded headers are believed
	Owner       string          // token for users who can read the robot's disk; "" = none
	CookieKey   []byte          // that seals cookies of who needs no token; nil = a new one
	Authority   Authority       // of --tls self; nil = none
	Began       time.Time       // when the robot's program began, by which grants and links age; zero = now
	Audit       session.Audit   // log of access; nil = nothing is recorded
	Limits      Limits
	Healthy     func() bool                // the control loop ticks
	State       func() (robot.State, bool) // the newest; false = none yet
	Truth       func() robot.Pose          // of base_link in map; nil = not reported
	Network     *link.Network              // impairs the pages' traffic; nil = no impairment
	Channels    *media.Port                // that pages may open a channel of datagrams to; nil = there are none
	Broadcaster *media.Broadcaster         // through which people see and hear; nil = there is neither camera nor microphone
	Voice       Voice                      // of the robot; nil = it has none
	Log         *slog.Logger
}

// Limits is how many WebSockets are open at most; 0 = as many as is usual.
// Those from this computer itself count only toward the whole.
type Limits struct {
	Sockets    int // in all; usually 4096
	PerAddress int // from one address; usually 64
}

// An Authority is what vouches for the robot's certificate: certs.Authority.
type Authority interface {
	PEM() []byte         // the certificate to install
	Fingerprint() string // its SHA-256, to compare by eye
}

// A Handler answers every request to one robot's server.
type Handler struct {
	cfg     Config
	own     netip.Addr // the address listened on
	names   []string   // in small letters
	router  chi.Router
	drawing atomic.Pointer[drawing] // of the newest floor plan
	editing sync.Mutex              // of the map, one after the other
	about   func() ([]byte, error)  // the page about the interface, written once
	clock   clock
	pace    rateLimiter
	sockets sockets
	uploads chan struct{} // holds a token for each motion that is being read
	screens chan struct{} // holds a token for each that is open on this computer,
	distant chan struct{} // and on others
	closing chan struct{} // closed by Shutdown
	metrics *metrics
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.router.ServeHTTP(w, r) }
