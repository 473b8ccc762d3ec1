package handlers

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mybot/session"
)

// How often one address may ask.
const (
	requestsPerSecond = 30
	requestsAtOnce    = 120 // a page with all its files is about ten
	heavy             = 30  // requests that one for a motion counts as: it is unpacked, checked and packed again
	mostAddresses     = 4096
)

// A pace is a token bucket for each address. Time is an argument.
type pace struct {
	mu      sync.Mutex
	buckets map[netip.Prefix]bucket
	swept   time.Time // when full ones were dropped last
}

type bucket struct {
	tokens float64
	at     time.Time
}

func (b bucket) left(now time.Time) float64 {
	return math.Min(requestsAtOnce, b.tokens+max(0, now.Sub(b.at).Seconds())*requestsPerSecond)
}

// take takes so many tokens of the address; ok is false when there are not as
// many, and wait is how long until there are. When too many addresses ask at once,
// those that are not known yet share one bucket.
func (p *pace) take(now time.Time, address netip.Addr, weight float64) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := neighbourhood(address)
	b, known := p.buckets[key]
	if !known {
		if p.forget(now); len(p.buckets) >= mostAddresses {
			key = netip.Prefix{}
			b, known = p.buckets[key]
		}
		if !known {
			b = bucket{tokens: requestsAtOnce, at: now}
		}
	}
	tokens := b.left(now)
	if tokens < weight {
		return time.Duration((weight - tokens) / requestsPerSecond * float64(time.Second)), false
	}
	p.buckets[key] = bucket{tokens: tokens - weight, at: now}
	return 0, true
}

// forget drops the buckets that are full again, when there are too many; once
// a second, so that a flood of addresses does not make work of its own.
func (p *pace) forget(now time.Time) {
	if len(p.buckets) < mostAddresses || now.Sub(p.swept) < time.Second {
		return
	}
	p.swept = now
	for key, b := range p.buckets {
		if b.left(now) >= requestsAtOnce {
			delete(p.buckets, key)
		}
	}
}

// neighbourhood is what one person has of addresses: one of IPv4, a /64 of
// IPv6.
func neighbourhood(address netip.Addr) netip.Prefix {
	bits := 32
	if address.Is6() {
		bits = 64
	}
	p, _ := address.WithZone("").Prefix(bits) // fails only without an address: those share the zero one
	return p
}

// paced refuses what an address asks beyond its pace. This computer is not
// held back, and neither is a STOP of somebody who is in.
func (h *Handler) paced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r)
		stops := r.Method == http.MethodPost && slices.Contains([]string{"/stop", "/api/v1/stop", "/screen/stop"}, r.URL.Path)
		if free := c.local || stops && c.Role >= session.Observer; !free {
			weight := 1.0
			if strings.HasPrefix(r.URL.Path, motionsPath+"/") {
				weight = heavy
			}
			if wait, ok := h.pace.take(time.Now(), c.address, weight); !ok {
				seconds := int(math.Ceil(wait.Seconds()))
				w.Header().Set("Retry-After", strconv.Itoa(seconds))
				say(w, http.StatusTooManyRequests, fmt.Sprintf("Too many requests come from %s; try again in %d s.", c.address, seconds))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// How many connections are open at most.
const (
	beside        = 1024 // in all, beside the WebSockets
	besideAddress = 64   // from one address, beside its WebSockets
)

// Limit returns ln with a bound on open connections, in all and for each
// address; one too many is closed at once. This computer and trusted proxies
// count only toward the whole.
func (h *Handler) Limit(ln net.Listener) net.Listener {
	limits := h.sockets.limits
	return &limited{
		Listener: ln,
		most:     limits.Sockets + beside,
		each:     limits.PerAddress + besideAddress,
		free:     func(a netip.Addr) bool { return a.IsLoopback() || h.trusts(a) },
		from:     map[netip.Prefix]int{},
	}
}

// A limited listener counts its connections.
type limited struct {
	net.Listener
	most, each int
	free       func(netip.Addr) bool

	mu   sync.Mutex
	all  int
	from map[netip.Prefix]int // those that are not free
}

// Accept returns the next connection that is not one too many.
func (l *limited) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if kept, ok := l.take(conn); ok {
			return kept, nil
		}
		_ = conn.Close() // nothing was said yet
	}
}

func (l *limited) take(conn net.Conn) (net.Conn, bool) {
	address := addressOf(conn.RemoteAddr().String())
	key := neighbourhood(address)
	if l.free(address) {
		key = netip.Prefix{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= l.most || key.IsValid() && l.from[key] >= l.each {
		return nil, false
	}
	l.all++
	l.from[key]++
	return &counted{Conn: conn, gone: sync.OnceFunc(func() { l.give(key) })}, true
}

func (l *limited) give(key netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.from[key]--; l.from[key] == 0 {
		delete(l.from, key)
	}
}

// A counted connection tells its listener when it is closed.
type counted struct {
	net.Conn
	gone func()
}

// Close closes the connection.
func (c *counted) Close() error {
	defer c.gone()
	return c.Conn.Close()
}
