// Package ratelimit limits how often one user may do something, by token buckets, and how
// much of something shared one has, and decides which addresses count as one user's. Time
// is an argument.
package ratelimit

import (
	"net/netip"
	"time"
)

// A Bucket is a token bucket. The zero Bucket is full.
type Bucket struct {
	spent float64   // missing tokens at last
	last  time.Time // when tokens were last taken
}

// Spent returns how many tokens are missing from the bucket; 0 = full.
func (b *Bucket) Spent(now time.Time, perSecond float64) float64 {
	return max(0, b.spent-max(0, now.Sub(b.last).Seconds())*perSecond)
}

// Take takes n tokens from a bucket with the capacity that refills at perSecond. If
// there are too few, ok is false, nothing is taken, and wait is how long until
// there are enough.
func (b *Bucket) Take(now time.Time, n, perSecond, capacity float64) (wait time.Duration, ok bool) {
	spent := b.Spent(now, perSecond)
	if lacks := spent + n - capacity; lacks > 0 {
		return time.Duration(lacks / perSecond * float64(time.Second)), false
	}
	b.spent = spent + n
	if now.After(b.last) {
		b.last = now
	}
	return 0, true
}

// Network returns the addresses that count as one user's: a single IPv4 address, or
// an IPv6 /64. Invalid addresses belong to the zero Prefix.
func Network(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	p, _ := address.Prefix(min(64, address.BitLen())) // fails only without an address
	return p
}
