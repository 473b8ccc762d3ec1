package handlers

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mybot/ratelimit"
	"mybot/session"
)

// The request rates of one person, identified by the grant, and of one address
// without a grant.
const (
	requestsPerSecond = 30
	requestsAtOnce    = 120 // a page with all its files takes about ten
	heavy             = 30  // cost of a request for a motion, which is decompressed, checked and compressed again
	maxPayers         = 4096
)

// A payer is the user whose tokens a request costs. The zero payer stands for all
// users without a bucket of their own.
type payer struct {
	grant string       // grant or link that was presented
	from  netip.Prefix // of callers without a grant
}

// A rateLimiter is a token bucket for each payer. Time is an argument.
type rateLimiter struct {
	mu      sync.Mutex
	buckets map[payer]ratelimit.Bucket
	swept   time.Time // when full ones were dropped last
}

// takeTokens takes the given number of a payer's tokens; ok is false if there are
// too few, and wait is how long until there are enough. When there are too many
// payers, those without a bucket share one; a grant always gets a bucket of its
// own, because there are few grants.
func (p *rateLimiter) takeTokens(now time.Time, key payer, weight float64) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, known := p.buckets[key]
	if !known {
		if p.forgetFull(now); len(p.buckets) >= maxPayers && key.grant == "" {
			key = payer{}
			b = p.buckets[key]
		}
	}
	if wait, ok = b.Take(now, weight, requestsPerSecond, requestsAtOnce); ok {
		p.buckets[key] = b
	}
	return wait, ok
}

// forgetFull drops the buckets that are full again, if there are too many; at most
// once a second, so that a flood of addresses causes no extra work.
func (p *rateLimiter) forgetFull(now time.Time) {
	if len(p.buckets) < maxPayers || now.Sub(p.swept) < time.Second {
		return
	}
	p.swept = now
	for key, b := range p.buckets {
		if b.Spent(now, requestsPerSecond) == 0 {
			delete(p.buckets, key)
		}
	}
}

// commandLine pays for callers with the owner's token, who have no grant.
const commandLine = "command line"

// limitRate refuses requests beyond a caller's rate. Requests with a grant are
// limited by grant and those of strangers by address, so that a stranger cannot
// lock out users behind the same address; those with a valid link are limited by
// link. This computer is not limited, and neither is a STOP from a user with
// access.
func (h *Handler) limitRate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r)
		stops := r.Method == http.MethodPost && slices.Contains([]string{"/stop", "/api/v1/stop", "/screen/stop"}, r.URL.Path)
		if free := c.local || stops && c.Role >= session.Observer; !free {
			weight := 1.0
			if strings.HasPrefix(r.URL.Path, motionsPath+"/") || r.URL.Path == motionsPath && r.Method == http.MethodPost {
				weight = heavy
			}
			now := h.clock.now()
			by, who := payer{from: ratelimit.Network(c.address)}, c.address.String()
			if c.Role > session.Stranger {
				by, who = payer{grant: cmp.Or(c.Grant, commandLine)}, "this device"
			}
			wait, ok := h.pace.takeTokens(now, by, weight)
			if link := ""; !ok && c.Role == session.Stranger && r.URL.Path == "/pair" {
				if link, ok = h.cfg.Access.FindLink(now, r.FormValue("code")); ok {
					wait, ok = h.pace.takeTokens(now, payer{grant: link}, weight)
				}
			}
			if !ok {
				seconds := int(math.Ceil(wait.Seconds()))
				w.Header().Set("Retry-After", strconv.Itoa(seconds))
				writeSentence(w, http.StatusTooManyRequests, fmt.Sprintf("Too many requests come from %s; try again in %d s.", who, seconds))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
