package session

import "time"

// framesPerSecond is how many frames a page may send in a second, and in one
// burst. An honest page sends about 40: 20 samples, 10 acks and some clocks.
const framesPerSecond = 200

// A budget is a token bucket for the frames of one connection. The zero value
// is full.
type budget struct {
	spent float64 // frames, 0 = the bucket is full
	last  time.Time
}

// take spends one frame at the time now and tells whether it was there.
func (b *budget) take(now time.Time) bool {
	if since := now.Sub(b.last); since > 0 {
		b.spent = max(0, b.spent-since.Seconds()*framesPerSecond)
		b.last = now
	}
	if b.spent > framesPerSecond-1 {
		return false
	}
	b.spent++
	return true
}
