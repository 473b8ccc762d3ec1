package onboard

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
)

// window is the period that tickStats covers.
const window = 10 * time.Second

// tickStats measures the regularity of the ticks. It allocates only in newTickStats.
type tickStats struct {
	stats  robot.TickStats
	last   time.Time
	off    []time.Duration // |interval - period|, a ring
	sorted []time.Duration
	ticks  int // number of intervals measured
}

// newTickStats returns statistics for ticks at rate, in Hz.
func newTickStats(rate float64) tickStats {
	if !(rate > 0) {
		rate = 50
	}
	n := int(math.Ceil(window.Seconds() * rate))
	return tickStats{
		stats:  robot.TickStats{Period: time.Duration(float64(time.Second) / rate)},
		off:    make([]time.Duration, n),
		sorted: make([]time.Duration, n),
	}
}

// noteTick adds a tick. It updates jitter and worst interval twice a second.
func (p *tickStats) noteTick(now time.Time) robot.TickStats {
	if p.last.IsZero() {
		p.last = now
		return p.stats
	}
	interval := now.Sub(p.last)
	p.last = now
	if interval > 2*p.stats.Period {
		p.stats.Late++
	}
	p.off[p.ticks%len(p.off)] = (interval - p.stats.Period).Abs()
	p.ticks++
	if every := max(1, len(p.off)/20); p.ticks%every == 0 {
		n := min(p.ticks, len(p.off))
		s := p.sorted[:n]
		copy(s, p.off)
		slices.Sort(s)
		p.stats.Jitter, p.stats.Worst = s[(99*n+99)/100-1], s[n-1]
	}
	return p.stats
}
