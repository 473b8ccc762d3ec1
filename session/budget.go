package session

import "time"

// framesPerSecond is how many frames a page may send in a second, and in one
// burst. An honest page sends about 40: 20 samples, 10 acks and some clocks.
const framesPerSecond = 200

// flood is how many frames in a second, and in one burst, cost a page its
// connection: to read them is work too.
const flood = 2000

// plansPerSecond is how many ways are planned in a second, and in one burst,
// for one person, and allPlansPerSecond for all together: the control loop
// plans them.
const (
	plansPerSecond    = 10
	allPlansPerSecond = 20
)

// namesPerSecond is how often a person may be renamed in a second, and
// wishesPerSecond how often want something of control: each is written down for
// good.
const (
	namesPerSecond  = 1
	wishesPerSecond = 5
)

// comingsPerSecond is how many lines of the log tell in a second, and in one
// burst, that people came or went: somebody who does nothing else fills neither
// the log nor what waits for a page that is slow. The row tells of all.
const comingsPerSecond = 10

// A budget is a token bucket. The zero value is full.
type budget struct {
	tokens float64 // tokens, 0 = the bucket is full
	last   time.Time
}

// take spends one of most tokens a second at the time now, and tells whether
// it was there.
func (b *budget) take(now time.Time, most float64) bool {
	if since := now.Sub(b.last); since > 0 {
		b.tokens = max(0, b.tokens-since.Seconds()*most)
		b.last = now
	}
	if b.tokens > most-1 {
		return false
	}
	b.tokens++
	return true
}
