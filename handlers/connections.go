package handlers

import (
	"container/list"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"mybot/ratelimit"
	"mybot/session"
)

// The largest numbers of open connections.
const (
	beside        = 1024 // in total, besides the WebSockets
	besideAddress = 64   // from one address, besides its WebSockets
	placesHere    = 64   // of the total, reserved for the robot's own computer, so that its STOP always gets through
	placesKnown   = 256  // of the total, reserved for addresses that have presented a grant
	knownFor      = 12 * time.Hour
	maxKnown      = 4096 // addresses

	acceptAgain = 5 * time.Millisecond // when the process is out of file descriptors
)

// Limit returns ln with a bound on open connections, in total and per address,
// before TLS. A connection beyond a bound replaces the idlest one of the lowest
// standing: one of its own address if that has too many, otherwise one whose standing
// is not higher than its own, and from this computer any. If there is none that is not
// serving a request, it is closed at once. This computer and trusted proxies count only
// toward the total. The server must use Connected.
func (h *Handler) Limit(ln net.Listener) net.Listener {
	limits := h.sockets.limits
	return &limitedListener{
		Listener: ln,
		max:      limits.Sockets + beside,
		each:     limits.PerAddress + besideAddress,
		trusts:   h.isTrustedProxy,
		from:     map[netip.Prefix]int{},
		known:    map[netip.Prefix]time.Time{},
	}
}

// connectionKey is the key of the connection in a request's context.
type connectionKey struct{}

// Connected is the server's ConnContext: through it a request finds its connection
// and can mark it as known.
func (h *Handler) Connected(ctx context.Context, conn net.Conn) context.Context {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = over.NetConn() // the connection under TLS
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// serveOn notes that the caller's connection is serving a request, until done is
// called.
func serveOn(r *http.Request, c caller) (done func()) {
	conn, ok := r.Context().Value(connectionKey{}).(*countedConn)
	if !ok {
		return func() {}
	}
	return conn.beginRequest(c.Role >= session.Observer, c.Grant != "" || c.Role == session.Admin, time.Now())
}

// A standing is the priority of a connection when there are too many; within one
// standing the one that was served longest ago is closed first.
type standing int

const (
	unknown   standing = iota // it has presented no grant
	neighbour                 // another connection of its address has presented a grant, or it comes from a trusted proxy
	here                      // it comes from the robot's own computer
	shown                     // it has presented a grant
)

// A limitedListener counts its connections.
type limitedListener struct {
	net.Listener
	max, each int
	trusts    func(netip.Addr) bool

	mu    sync.Mutex
	open  list.List                  // of *countedConn, the one that was served longest ago first
	from  map[netip.Prefix]int       // connections per address with a bound
	known map[netip.Prefix]time.Time // addresses that have presented a grant, and when last
}

// Accept returns the next connection within the bounds.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err == nil:
			if admitted, ok := l.admitConn(conn, time.Now()); ok {
				return admitted, nil
			}
			_ = conn.Close() // before anything was sent
		case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
			l.mu.Lock()
			room := l.evictIdlest(shown, netip.Prefix{})
			l.mu.Unlock()
			if !room {
				return nil, err // the server tries again later
			}
			time.Sleep(acceptAgain)
		default:
			return nil, err
		}
	}
}

// admitConn adds a connection, and closes another if necessary; ok is false if
// there is no room.
func (l *limitedListener) admitConn(conn net.Conn, now time.Time) (admitted net.Conn, ok bool) {
	address := addressOf(conn.RemoteAddr().String())
	c := &countedConn{Conn: conn, list: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	limit, upTo := l.max, unknown // of open connections, and the highest standing that may be closed to make room
	switch at, seen := l.known[ratelimit.Network(address)]; {
	case address.IsLoopback():
		c.standing, upTo = here, shown
	case l.trusts(address):
		c.standing, upTo, limit = neighbour, neighbour, l.max-placesHere
	default:
		c.from = ratelimit.Network(address)
		limit = l.max - placesHere - placesKnown
		if seen && now.Sub(at) < knownFor {
			c.standing, upTo, limit = neighbour, neighbour, l.max-placesHere
		}
	}
	if c.from.IsValid() && l.from[c.from] >= l.each && !l.evictIdlest(shown, c.from) {
		return nil, false
	}
	if l.open.Len() >= limit && !l.evictIdlest(upTo, netip.Prefix{}) {
		return nil, false
	}
	c.place = l.open.PushBack(c)
	l.from[c.from]++
	return c, true
}

// evictIdlest closes the idlest connection of the lowest standing, at most upTo,
// that is not serving a request, of one address or of all. It reports whether there
// was one.
func (l *limitedListener) evictIdlest(upTo standing, from netip.Prefix) bool {
	var worst *countedConn
	for e := l.open.Front(); e != nil; e = e.Next() {
		c := e.Value.(*countedConn)
		if c.busy > 0 || c.standing > upTo || from.IsValid() && c.from != from || worst != nil && c.standing >= worst.standing {
			continue
		}
		if worst = c; c.standing == unknown {
			break
		}
	}
	if worst == nil {
		return false
	}
	l.forgetConn(worst)
	_ = worst.Conn.Close() // its reader gets an error
	return true
}

// forgetConn stops counting a connection.
func (l *limitedListener) forgetConn(c *countedConn) {
	if c.place == nil {
		return
	}
	l.open.Remove(c.place)
	c.place = nil
	if l.from[c.from]--; l.from[c.from] == 0 {
		delete(l.from, c.from)
	}
}

// rememberGrant notes that an address has presented a grant.
func (l *limitedListener) rememberGrant(from netip.Prefix, now time.Time) {
	if _, known := l.known[from]; !known && len(l.known) >= maxKnown {
		for other, at := range l.known {
			if now.Sub(at) >= knownFor {
				delete(l.known, other)
			}
		}
		if len(l.known) >= maxKnown {
			return
		}
	}
	l.known[from] = now
}

// A countedConn is a connection of a limitedListener.
type countedConn struct {
	net.Conn
	list *limitedListener
	from netip.Prefix // zero = it counts only toward the total

	// The list's mutex guards these.
	place    *list.Element // nil = no longer counted
	standing standing
	busy     int // requests of known callers in progress
}

// beginRequest notes the start of a request, whether its caller is known, and
// whether by a grant.
func (c *countedConn) beginRequest(known, grant bool, now time.Time) (done func()) {
	c.list.mu.Lock()
	defer c.list.mu.Unlock()
	if grant {
		c.standing = shown
		if c.from.IsValid() {
			c.list.rememberGrant(c.from, now)
		}
	}
	if !known {
		return func() {}
	}
	c.busy++
	return func() {
		c.list.mu.Lock()
		defer c.list.mu.Unlock()
		if c.busy--; c.place != nil {
			c.list.open.MoveToBack(c.place)
		}
	}
}

// Close closes the connection.
func (c *countedConn) Close() error {
	c.list.mu.Lock()
	c.list.forgetConn(c)
	c.list.mu.Unlock()
	return c.Conn.Close()
}
