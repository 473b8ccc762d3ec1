package session

import (
	"time"

	"mybot/ratelimit"
)

// framesPerSecond is how many frames a page may send in a second, and in one
// burst. An honest page sends about 40: 20 samples, 10 acks and some clocks.
const framesPerSecond = 200

// flood is how many frames in a second, and in one burst, cost a page its
// connection: to read them is work too.
const flood = 2000

// plansPerSecond is how many paths are planned in a second, and in one burst, for one
// person, and allPlansPerSecond for all together: planning takes computing time.
const (
	plansPerSecond    = 10
	allPlansPerSecond = 20
)

// namesPerSecond is how often a person may be renamed in a second, and
// controlRequestsPerSecond how often send a control request: each is written into
// the audit log.
const (
	namesPerSecond           = 1
	controlRequestsPerSecond = 5
)

// arrivalsPerSecond is how many lines of the log say in a second, and in one burst,
// that users joined or left: a client that reconnects all the time fills neither the
// log nor the outbox of a slow page. The row always shows all.
const arrivalsPerSecond = 10

// A budget is a token bucket that holds what it gets back in a second. The zero
// value is full.
type budget struct{ tokens ratelimit.Bucket }

// spendToken spends one of perSecond tokens at the time now, and reports whether it was
// there.
func (b *budget) spendToken(now time.Time, perSecond float64) bool {
	_, ok := b.tokens.Take(now, 1, perSecond, perSecond)
	return ok
}
