// Package link is a bad network inside the server, for the page's own traffic
// and for tests and experiments: delay, jitter, loss, stalls and black holes.
//
// A Path is a pure, seeded model of arrival times: a message that is sent now
// arrives then, or never. It owns no timer, so experiments step it in virtual
// time; DeliverMessages runs it in real time. The same seed and the same calls give
// the same arrivals. Each user has a path up and a path down; a Network holds
// those of everybody and changes them while they are in use.
//
// Messages on a stream (TCP, so a WebSocket) are never lost and never overtake
// each other: a lost packet comes again after a time-out, and all that follows
// waits behind it. Datagrams are lost and overtake. Those of a flow are lost
// and do not overtake: what is dense, as pictures are, waits in one queue.
package link

import (
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// Class says how a message travels.
type Class int

// The classes.
const (
	Stream   Class = iota // TCP: in order, sent again when lost
	Datagram              // UDP: lost is lost
	Flow                  // UDP that waits in one queue: lost is lost, and none overtakes
)

const (
	packet       = 1200                   // bytes of a message that travel in one piece
	minTimeout   = 200 * time.Millisecond // before a stream sends again
	maxTimeout   = time.Minute
	maxSends     = 16               // of one piece before the stream is dead, as with Linux's tcp_retries2
	maxGap       = 1000 * time.Hour // between two bursts, on average
	jitterSpread = 3                // standard deviations at which the jitter ends
)

// A Path is one direction of one user's network. Several goroutines may use
// it; now must not go back from call to call, because the past is forgotten.
type Path struct {
	mu      sync.Mutex
	profile Profile
	luck    *rand.Rand
	stalls  spells // in which the direction stands still: what is sent then leaves when one ends
	bursts  spells // in which all packets are lost
	holes   []period
	last    time.Time // when the newest message of the stream arrives
	queue   time.Time // when the last one of the flow arrives
	sent    time.Time // when the newest message of the stream was sent
	clear   time.Time // when the sender hears that what was lost has arrived
	dead    bool      // the stream has given up
}

// NewPair returns both directions of one user's network. What happens in one
// does not change the luck of the other.
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

// IsTransparent reports whether the path adds no delay, jitter or loss now, so that
// messages arrive at once.
func (p *Path) IsTransparent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.dead && len(p.holes) == 0 && p.profile == withGap(Profile{StallGap: p.profile.StallGap})
}

// BlackHole makes everything vanish that is sent from one time to another. It
// counts for messages that are sent after the call.
func (p *Path) BlackHole(from, to time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holes = append(p.holes, period{from, to})
}

// Arrive returns when a message of size bytes arrives that is sent now. It is
// not ok when the message never arrives: a datagram that is lost, or a stream
// that gave up after about ten minutes of sending again; then nothing arrives
// on it any more.
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
			t, arrived = p.resendPiece(now, t, arrived)
		}
		ok = ok && arrived
		if t.After(at) {
			at = t
		}
	}
	if class == Stream {
		if at.Before(p.last) {
			at = p.last // behind the one before it
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

// resendPiece sends a lost piece of a stream anew until it arrives: after a time-out
// of two round trips, and after twice the time from then on. A steady stream is
// faster once: the answer to the message behind the lost one reports the loss,
// after a quarter of a round trip for what may have been overtaken (RACK, RFC
// 8985). The message behind is taken to follow as this one followed the one
// before it. While the stream recovers from an earlier loss, the piece goes with
// the rest as soon as the sender hears that the lost one has arrived; so a
// stream that was cut off comes back in one burst.
func (p *Path) resendPiece(sent, t time.Time, arrived bool) (time.Time, bool) {
	gap, known := sent.Sub(p.sent), !p.sent.IsZero() && sent.After(p.sent)
	if !arrived && sent.Before(p.clear) {
		sent = p.clear
		t, arrived = p.crossOnce(sent)
	}
	timeout := max(minTimeout, 2*p.profile.RoundTrip)
	if !arrived && known && !anyContains(p.holes, sent.Add(gap)) {
		if told := gap + p.profile.RoundTrip*5/4; told < timeout {
			sent = sent.Add(told)
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

// crossOnce returns when one packet arrives that is sent at t.
func (p *Path) crossOnce(t time.Time) (at time.Time, ok bool) {
	lost := p.luck.Float64() < p.profile.Loss
	if p.profile.Burst > 0 {
		_, lost = p.bursts.spellAt(t)
	}
	// The two directions together have the profile's variance.
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

// A period is the time from one moment until just before another.
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

// spells are periods that come at random. They are made up as time comes.
type spells struct {
	gap   time.Duration                       // mean time from one to the next; 0 = there are none
	lasts func(luck *rand.Rand) time.Duration // how long one is
	first float64                             // the chance that time begins within one
	luck  *rand.Rand
	list  []period  // in order
	known time.Time // until when they are made up; zero before the first call
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

// minGap is the least mean time between bursts: shorter ones would be made
// up by the million.
const minGap = time.Millisecond

// burstsOf returns the bursts in which a profile loses packets: those of a
// Markov chain with two states in continuous time (Gilbert 1960).
func burstsOf(p Profile, luck *rand.Rand) spells {
	if p.Burst <= 0 || p.Loss <= 0 {
		return spells{luck: luck}
	}
	gap := time.Duration(min(float64(p.Burst)*(1-p.Loss)/p.Loss, float64(maxGap)))
	return spells{gap: max(minGap, gap), first: p.Loss, luck: luck, lasts: func(luck *rand.Rand) time.Duration {
		return time.Duration(luck.ExpFloat64()*float64(p.Burst)) + 1
	}}
}

// spellAt reports whether t is within a spell, and returns when that one ends;
// otherwise t.
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
