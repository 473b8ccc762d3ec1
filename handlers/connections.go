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

// How many connections are open at most.
const (
	beside        = 1024 // in all, beside the WebSockets
	besideAddress = 64   // from one address, beside its WebSockets
	placesHere    = 64   // of all, kept for the robot's own computer: STOP by it always finds one
	placesKnown   = 256  // of all, reserved for addresses from which a grant was shown
	knownFor      = 12 * time.Hour
	maxKnown      = 4096 // addresses

	acceptAgain = 5 * time.Millisecond // when no file was left for a connection
)

// Limit returns ln with a bound on open connections, in all and for each
// address, before TLS. One too many takes the place of the idlest that matters
// less; where there is none it is closed at once. This computer and trusted
// proxies count only toward the whole. The server has to call Connected.
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

// connectionKey is where a request's context keeps its connection.
type connectionKey struct{}

// Connected is the server's ConnContext: by it a request finds its connection,
// which is how a connection comes to be known.
func (h *Handler) Connected(ctx context.Context, conn net.Conn) context.Context {
	if over, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = over.NetConn() // of TLS
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// serveOn notes that a request of the caller is served on its connection, until
// done is called.
func serveOn(r *http.Request, c caller) (done func()) {
	conn, ok := r.Context().Value(connectionKey{}).(*countedConn)
	if !ok {
		return func() {}
	}
	return conn.beginRequest(c.Role >= session.Observer, c.Grant != "" || c.Role == session.Admin, time.Now())
}

// A standing is how much a connection matters when there are too many;
// within one standing the one that was served longest ago matters least.
type standing int

const (
	unknown   standing = iota // no grant or request was seen on it
	neighbour                 // nor by this one, but by another of its address
	here                      // it comes from the robot's own computer
	shown                     // a grant was shown on it
)

// A limitedListener listener counts its connections.
type limitedListener struct {
	net.Listener
	max, each int
	trusts    func(netip.Addr) bool

	mu    sync.Mutex
	open  list.List                  // of *counted, the one that was served longest ago first
	from  map[netip.Prefix]int       // those of addresses with a bound
	known map[netip.Prefix]time.Time // addresses from which a grant was shown, and when last
}

// Accept returns the next connection that is not one too many.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err == nil:
			if kept, ok := l.admitConn(conn, time.Now()); ok {
				return kept, nil
			}
			_ = conn.Close() // nothing was said yet
		case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
			l.mu.Lock()
			room := l.evictIdlest(shown, netip.Prefix{})
			l.mu.Unlock()
			if !room {
				return nil, err // who serves tries again later
			}
			time.Sleep(acceptAgain)
		default:
			return nil, err
		}
	}
}

// admitConn adds a connection, closing another if necessary; ok is false if it cannot.
func (l *limitedListener) admitConn(conn net.Conn, now time.Time) (kept net.Conn, ok bool) {
	address := addressOf(conn.RemoteAddr().String())
	c := &countedConn{Conn: conn, list: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	limit, upTo := l.max, unknown // of open connections, and the highest standing that is closed for it
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

// evictIdlest closes the idlest connection of the lowest standing, up to one, that is
// not being served, of one address or of all. It reports whether there was one.
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

// rememberGrant notes that a grant was shown from an address.
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

// A countedConn connection is one of a limited listener.
type countedConn struct {
	net.Conn
	list *limitedListener
	from netip.Prefix // zero = it counts toward the whole alone

	// Guarded by the list's mutex.
	place    *list.Element // nil = it is not counted any more
	standing standing
	busy     int // requests of known people that are served
}

// beginRequest notes a request, whether its caller is known, and by a grant.
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
