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

	"mybot/session"
)

// How often one person may ask, by the grant that they show, and one address
// from which nobody shows one.
const (
	requestsPerSecond = 30
	requestsAtOnce    = 120 // a page with all its files is about ten
	heavy             = 30  // requests that one for a motion counts as: it is unpacked, checked and packed again
	mostPayers        = 4096
)

// A payer is whose tokens a request costs. The zero payer is everybody for whom
// there is no bucket of their own.
type payer struct {
	grant string       // that was shown, or the link that was
	from  netip.Prefix // of who has shown nothing
}

// A rateLimiter is a token bucket for each payer. Time is an argument.
type rateLimiter struct {
	mu      sync.Mutex
	buckets map[payer]bucket
	swept   time.Time // when full ones were dropped last
}

type bucket struct {
	tokens float64
	at     time.Time
}

func (b bucket) left(now time.Time) float64 {
	return math.Min(requestsAtOnce, b.tokens+max(0, now.Sub(b.at).Seconds())*requestsPerSecond)
}

// takeTokens takes so many tokens of a payer; ok is false when there are not as
// many, and wait is how long until there are. When too many ask at once, those
// that have no bucket yet share one; who shows a grant has one of their own all
// the same, for there are not many grants.
func (p *rateLimiter) takeTokens(now time.Time, key payer, weight float64) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, known := p.buckets[key]
	if !known {
		if p.forgetFull(now); len(p.buckets) >= mostPayers && key.grant == "" {
			key = payer{}
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

// forgetFull drops the buckets that are full again, when there are too many; once
// a second, so that a flood of addresses does not make work of its own.
func (p *rateLimiter) forgetFull(now time.Time) {
	if len(p.buckets) < mostPayers || now.Sub(p.swept) < time.Second {
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

// commandLine pays for who shows the owner's token, who has no grant.
const commandLine = "command line"

// limitRate refuses what somebody asks beyond their pace: who shows a grant is paced
// by it, and strangers by their address, so that nobody behind the same address
// can keep those out who are in. Who shows a link that is good is paced by that.
// This computer is not held back, and neither is a STOP of somebody who is in.
func (h *Handler) limitRate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r)
		stops := r.Method == http.MethodPost && slices.Contains([]string{"/stop", "/api/v1/stop", "/screen/stop"}, r.URL.Path)
		if free := c.local || stops && c.Role >= session.Observer; !free {
			weight := 1.0
			if strings.HasPrefix(r.URL.Path, motionsPath+"/") || r.URL.Path == motionsPath && r.Method == http.MethodPost {
				weight = heavy
			}
			now := time.Now()
			by, who := payer{from: neighbourhood(c.address)}, c.address.String()
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
				say(w, http.StatusTooManyRequests, fmt.Sprintf("Too many requests come from %s; try again in %d s.", who, seconds))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
