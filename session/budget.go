package session

import (
	"time"

	"mybot/ratelimit"
)

// framesPerSecond limits the frames of a page, per second and per burst. A
// well-behaved page sends about 40: 20 samples, 10 acks and a few clocks.
const framesPerSecond = 200

// flood is the number of frames per second, and per burst, at which a page is
// disconnected, because reading frames costs time too.
const flood = 2000

// plansPerSecond limits the paths that are planned for one person, per second and
// per burst, and allPlansPerSecond those for all persons together, because planning
// takes computing time. The person in control has plansPerSecond whatever others ask for.
const (
	plansPerSecond    = 10
	allPlansPerSecond = 20
)

// namesPerSecond limits how often a person may rename, and controlRequestsPerSecond
// how often a person may send a control request, because each is written to the
// audit log.
const (
	namesPerSecond           = 1
	controlRequestsPerSecond = 5
)

// arrivalsPerSecond limits the lines of the log about users who join or leave, per
// second and per burst, so that a client that keeps reconnecting fills neither the
// log nor the outbox of a slow page. The row of users is always complete.
const arrivalsPerSecond = 10

// A budget is a token bucket that holds one second's worth of tokens. The zero
// value is full.
type budget struct{ tokens ratelimit.Bucket }

// spendToken takes one token from a bucket that refills at perSecond, and reports
// whether there was one.
func (b *budget) spendToken(now time.Time, perSecond float64) bool {
	_, ok := b.tokens.Take(now, 1, perSecond, perSecond)
	return ok
}
