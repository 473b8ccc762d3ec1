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

// Config configures a Handler. Any goroutine may call its functions.
type Config struct {
	Hub         *session.Hub
	Access      *access.Authenticator
	Plan        *robot.Floorplan // read-only
	Map         MapStore         // stores the plan when users change it; nil = users cannot change it
	Mapping     MapMaker         // nil = users cannot make maps
	Motions     session.Motions  // nil = there are no motions
	Jobs        Jobs             // nil = there are no jobs
	Scripts     ScriptConfig
	Console     *UrbiPort       // serves the consoles of pages; nil = there are none
	Recorder    Recorder        // nil = recording is not possible
	Recordings  RecordingFolder // on the robot's disk; nil = none
	Player      Player          // of the recording in place of a robot; nil = there is a robot
	Description robot.Description
	Build       string // the server's build, for the page
	Listen      net.Addr
	Hosts       []string        // names of this computer, besides the loopback ones
	Addresses   func() []string // at which other computers reach the robot now, such as "http://192.168.1.7:8080", the best first; nil = not at all
	Proxies     []netip.Prefix  // whose X-Forwarded headers are trusted
	Owner       string          // token for users who can read the robot's disk; "" = none
	CookieKey   []byte          // seals the cookies of users who need no token; nil = a new one
	Authority   Authority       // of --tls self; nil = none
	Began       time.Time       // start of the program, from which grants and links age; zero = now
	Audit       session.Audit   // log of access; nil = none
	Limits      Limits
	Healthy     func() bool                // reports whether the control loop ticks
	State       func() (robot.State, bool) // the newest; false = none yet
	Truth       func() robot.Pose          // of base_link in map; nil = unknown
	Network     *link.Network              // impairs the pages' traffic; nil = no impairment
	Channels    *media.Port                // to which pages may open data channels; nil = none
	Broadcaster *media.Broadcaster         // through which users see and hear; nil = neither camera nor microphone
	Voice       Voice                      // of the robot; nil = none
	Log         *slog.Logger
}

// Limits are the largest numbers of open WebSockets; 0 = the default. Those from
// this computer count only toward the total.
type Limits struct {
	Sockets    int // in total; 4096 by default
	PerAddress int // from one address, or by one grant of a user who may drive; 64 by default
}

// An Authority is the robot's own certificate authority: certs.Authority.
type Authority interface {
	PEM() []byte         // the certificate to install
	Fingerprint() string // its SHA-256, for visual comparison
}

// A Handler answers every request to one robot's server.
type Handler struct {
	cfg     Config
	own     netip.Addr // the address listened on
	names   []string   // in lower case
	router  chi.Router
	drawing atomic.Pointer[drawing] // of the newest floor plan
	editing sync.Mutex              // serializes changes of the map
	about   func() ([]byte, error)  // the page about the interface, written once
	clock   clock
	pace    rateLimiter
	warned  warnings
	sockets sockets
	parsing sync.Mutex    // held while a motion is parsed
	screens chan struct{} // holds a token for each screen on this computer
	closing chan struct{} // closed by Shutdown
	turn    turn          // of requests that take computing time
	metrics *metrics
	quotas  struct{ recordings, uploads, screens, rehearsals, trials, channels, driver quota } // screens: of those elsewhere; driver: the channel of the person in control beyond the others
	lines   scriptLines
	silence func() // ends the delivery of lines; nil = there is none
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.router.ServeHTTP(w, r) }
