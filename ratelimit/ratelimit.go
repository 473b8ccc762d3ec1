// Package ratelimit bounds how often one user may do something: by token
// buckets, and by which addresses count as one user's. Time is an argument.
package ratelimit

import (
	"net/netip"
	"time"
)

// A Bucket is a token bucket. The zero Bucket is full.
type Bucket struct {
	spent float64   // tokens at last
	last  time.Time // when tokens were taken last
}

// Spent returns how many tokens are missing from the bucket; 0 = it is full.
func (b *Bucket) Spent(now time.Time, perSecond float64) float64 {
	return max(0, b.spent-max(0, now.Sub(b.last).Seconds())*perSecond)
}

// Take takes n tokens of a bucket that holds so many and gets perSecond back; ok
// is false, and nothing is taken, when they are not there, and wait is how long
// until they are.
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

// Network returns the addresses that count as one user's: a single one of IPv4,
// a /64 of IPv6. What is no address belongs to the zero Prefix.
func Network(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	p, _ := address.Prefix(min(64, address.BitLen())) // fails only without an address
	return p
}
