// Package link is an impaired network inside the server, for the page's own traffic
// and for tests and experiments: delay, jitter, loss, stalls and black holes.
//
// A Path is a pure, seeded model of arrival times: it computes when a message that
// is sent now arrives, if at all. It has no timer, so experiments step it in
// virtual time; DeliverMessages runs it in real time. The same seed and the same
// calls give the same arrivals. Each user has a path up and a path down; a Network
// holds those of all users and changes them while they are in use.
//
// Messages on a stream (TCP, so a WebSocket) are never lost and never overtake each
// other: a lost packet is resent after a time-out, and everything after it waits.
// Datagrams can be lost and can overtake. Those of a flow can be lost but do not
// overtake: dense traffic, such as video, waits in one queue.
package link

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// A Class says how a message travels.
type Class int

// The classes.
const (
	Stream   Class = iota // TCP: in order, resent when lost
	Datagram              // UDP: a lost message stays lost
	Flow                  // UDP through one queue: a lost message stays lost, and none overtakes
)

const (
	packet       = 1200                   // bytes of a message in one packet
	minTimeout   = 200 * time.Millisecond // before a stream resends
	maxTimeout   = time.Minute
	maxSends     = 16               // of one packet before the stream is dead, as with Linux's tcp_retries2
	maxGap       = 1000 * time.Hour // between two bursts, on average
	jitterSpread = 3                // standard deviations at which the jitter is cut off
)

// A Path is one direction of one user's network. Several goroutines may use it; now
// must not decrease from call to call, because the past is forgotten.
type Path struct {
	mu      sync.Mutex
	profile Profile
	luck    *rand.Rand
	stalls  spells // periods in which nothing moves: a message sent during one leaves at its end
	bursts  spells // in which all packets are lost
	holes   []period
	last    time.Time // arrival of the newest message of the stream
	queue   time.Time // arrival of the last message of the flow
	sent    time.Time // when the newest message of the stream was sent
	clear   time.Time // when the sender learns that the lost packet has arrived
	dead    bool      // the stream has given up
}

// NewPair returns both directions of one user's network. Their random numbers are
// independent.
func NewPair(p Profile, seed uint64) (up, down *Path) {
	return newPath(p, seed, 0), newPath(p, seed, 1)
}

func newPath(p Profile, seed, direction uint64) *Path {
	p = withGap(p)
	return &Path{
		profile: p,
		luck:    rand.New(rand.NewPCG(seed, 2*direction)),
		stalls:  stallsOf(p, rand.New(rand.NewPCG(seed, 2*direction+1))),
		bursts:  burstsOf(p, rand.New(rand.NewPCG(seed, 4+direction))),
	}
}

// IsTransparent reports whether the path adds no delay, jitter or loss at the
// moment, so that messages arrive at once.
func (p *Path) IsTransparent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.dead && len(p.holes) == 0 && p.profile == withGap(Profile{StallGap: p.profile.StallGap})
}

// BlackHole loses everything that is sent between the two times. It affects
// messages that are sent after the call.
func (p *Path) BlackHole(from, to time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holes = append(p.holes, period{from, to})
}

// Arrive returns when a message of size bytes that is sent now arrives. ok is false
// if it never does: a datagram that is lost, or a stream that gave up after about
// ten minutes of resending; nothing arrives on that stream afterwards.
func (p *Path) Arrive(now time.Time, class Class, size int) (at time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgetBefore(now)
	if class == Stream && p.dead {
		return time.Time{}, false
	}
	ok = true
	for range max(1, (size+packet-1)/packet) {
		t, arrived := p.crossOnce(now)
		if class == Stream {
			t, arrived = p.resendPacket(now, t, arrived)
		}
		ok = ok && arrived
		if t.After(at) {
			at = t
		}
	}
	if class == Stream {
		if at.Before(p.last) {
			at = p.last // after the previous message
		}
		p.last, p.sent, p.dead = at, now, !ok
	}
	if !ok {
		return time.Time{}, false
	}
	if class == Flow {
		if at.Before(p.queue) {
			at = p.queue
		}
		p.queue = at
	}
	return at, true
}

// resendPacket resends a lost packet of a stream until it arrives: after a time-out
// of two round trips, which doubles each time. A steady stream is faster the first
// time: the answer to the next message reveals the loss, after a quarter of a round trip to
// allow for reordering (RACK, RFC 8985). The next message is assumed to follow at
// the same interval as this one followed the previous one. While the stream
// recovers from an earlier loss, the packet goes with the rest as soon as the
// sender learns that the lost one has arrived; so a stream that was cut off comes
// back in one burst.
func (p *Path) resendPacket(sent, t time.Time, arrived bool) (time.Time, bool) {
	gap, known := sent.Sub(p.sent), !p.sent.IsZero() && sent.After(p.sent)
	if !arrived && sent.Before(p.clear) {
		sent = p.clear
		t, arrived = p.crossOnce(sent)
	}
	timeout := max(minTimeout, 2*p.profile.RoundTrip)
	if !arrived && known && !anyContains(p.holes, sent.Add(gap)) {
		if reported := gap + p.profile.RoundTrip*5/4; reported < timeout {
			sent = sent.Add(reported)
			t, arrived = p.crossOnce(sent)
			p.clear = sent.Add(p.profile.RoundTrip)
		}
	}
	for sends := 1; !arrived && sends < maxSends; sends++ {
		sent = sent.Add(timeout)
		timeout = min(2*timeout, maxTimeout)
		t, arrived = p.crossOnce(sent)
		p.clear = sent.Add(p.profile.RoundTrip)
	}
	return t, arrived
}

// crossOnce returns when a packet that is sent at t arrives.
func (p *Path) crossOnce(t time.Time) (at time.Time, ok bool) {
	lost := p.luck.Float64() < p.profile.Loss
	if p.profile.Burst > 0 {
		_, lost = p.bursts.spellAt(t)
	}
	// Both directions together have the profile's variance.
	off := math.Max(-jitterSpread, math.Min(jitterSpread, p.luck.NormFloat64())) / math.Sqrt2
	leaves, _ := p.stalls.spellAt(t)
	if lost || anyContains(p.holes, t) || anyContains(p.holes, leaves) {
		return time.Time{}, false
	}
	takes := p.profile.RoundTrip/2 + time.Duration(off*float64(p.profile.Jitter))
	return leaves.Add(max(0, takes)), true
}

func (p *Path) forgetBefore(now time.Time) {
	p.stalls.forgetBefore(now)
	p.bursts.forgetBefore(now)
	kept := p.holes[:0]
	for _, h := range p.holes {
		if h.to.After(now) {
			kept = append(kept, h)
		}
	}
	p.holes = kept
}

// A period is a half-open interval of time.
type period struct{ from, to time.Time }

func (p period) contains(t time.Time) bool { return !t.Before(p.from) && t.Before(p.to) }

func anyContains(periods []period, t time.Time) bool {
	for _, p := range periods {
		if p.contains(t) {
			return true
		}
	}
	return false
}

// spells are random periods, generated as time passes.
type spells struct {
	gap   time.Duration                       // mean time from one to the next; 0 = none
	lasts func(luck *rand.Rand) time.Duration // draws the length of one
	first float64                             // probability that time begins within one
	luck  *rand.Rand
	list  []period  // in order
	known time.Time // until when they are generated; zero before the first call
}

// stallsOf returns the stalls of a profile.
func stallsOf(p Profile, luck *rand.Rand) spells {
	if p.StallMax == 0 {
		return spells{luck: luck}
	}
	return spells{gap: p.StallGap, luck: luck, lasts: func(luck *rand.Rand) time.Duration {
		return p.StallMin + time.Duration(luck.Float64()*float64(p.StallMax-p.StallMin))
	}}
}

// minGap is the shortest mean time between bursts; shorter ones would be generated
// by the million.
const minGap = time.Millisecond

// burstsOf returns the bursts in which a profile loses packets: those of a
// continuous-time Markov chain with two states (Gilbert 1960).
func burstsOf(p Profile, luck *rand.Rand) spells {
	if p.Burst <= 0 || p.Loss <= 0 {
		return spells{luck: luck}
	}
	gap := time.Duration(min(float64(p.Burst)*(1-p.Loss)/p.Loss, float64(maxGap)))
	return spells{gap: max(minGap, gap), first: p.Loss, luck: luck, lasts: func(luck *rand.Rand) time.Duration {
		return time.Duration(luck.ExpFloat64()*float64(p.Burst)) + 1
	}}
}

// spellAt reports whether t is within a spell, and returns the end of that spell,
// or else t.
func (s *spells) spellAt(t time.Time) (end time.Time, in bool) {
	if s.gap == 0 {
		return t, false
	}
	if s.known.IsZero() {
		if s.known = t; s.first > 0 && s.luck.Float64() < s.first {
			s.addSpell(t)
		}
	}
	for !s.known.After(t) {
		s.addSpell(s.known.Add(time.Duration(s.luck.ExpFloat64()*float64(s.gap)) + 1))
	}
	for _, p := range s.list {
		if p.contains(t) {
			return p.to, true
		}
	}
	return t, false
}

func (s *spells) addSpell(from time.Time) {
	s.known = from.Add(s.lasts(s.luck))
	s.list = append(s.list, period{from, s.known})
}

func (s *spells) forgetBefore(now time.Time) {
	for len(s.list) > 0 && !s.list[0].to.After(now) {
		s.list = s.list[1:]
	}
}
