package base

import (
	"fmt"
	"time"

	"mybot/drivers/base/protocol"
)

const (
	// clockMemory is for how many seconds the fastest line is remembered.
	clockMemory = 30
	// paceFor is for how long the pace of a base's clock is measured, and paceFactor how
	// many times too fast or too slow it must be to count in another unit: twice in a row,
	// because lines that have waited in a buffer come all at once.
	paceFor, paceFactor = 2 * time.Second, 5
)

// A clock compares the clock of a base with that of this computer. Lines arrive
// with an unknown delay; the fastest one of the last 30 s counts as having none.
// The zero clock has compared nothing.
type clock struct {
	zero    protocol.Millis // of the first line
	epoch   time.Time       // when it arrived
	newest  protocol.Millis // of the compared lines
	arrived time.Time       // arrival of that line
	least   []lateness      // one per second, oldest first
	pace    pace
}

// A pace is how fast the clock of a base goes by that of this computer.
type pace struct {
	zero  protocol.Millis // at the beginning of this measurement
	epoch time.Time       // of this measurement; zero = none yet
	grew  time.Duration   // by the base's clock, in the last measurement
	took  time.Duration   // by this computer's
	fast  int             // measurements in a row in which it went paceFactor times too fast
	slow  int             // and too slow
}

// measure takes the timestamp of a line and its time of arrival.
func (p *pace) measure(at protocol.Millis, arrived time.Time) {
	if took := arrived.Sub(p.epoch); p.epoch.IsZero() {
		p.zero, p.epoch = at, arrived
	} else if took >= paceFor {
		p.grew, p.took = (at - p.zero).Duration(), took
		p.fast = countInRow(p.fast, p.grew > paceFactor*took)
		p.slow = countInRow(p.slow, p.grew < took/paceFactor)
		p.zero, p.epoch = at, arrived
	}
}

// countInRow counts how many times in a row something has been.
func countInRow(n int, is bool) int {
	if !is {
		return 0
	}
	return n + 1
}

// fault returns an error if the clock does not count in milliseconds.
func (p *pace) fault() error {
	if max(p.fast, p.slow) < 2 {
		return nil
	}
	return fmt.Errorf("the clock of the base grew by %d ms in %.1f s; ms must be in milliseconds", p.grew.Milliseconds(), p.took.Seconds())
}

// lateness is the delay of the fastest line in a second, relative to the very first
// line.
type lateness struct {
	second int64 // since epoch
	by     time.Duration
}

// compare takes the timestamp of a line and its time of arrival.
func (c *clock) compare(at protocol.Millis, arrived time.Time) {
	if c.epoch.IsZero() {
		c.zero, c.epoch = at, arrived
	}
	c.newest, c.arrived = at, arrived
	c.pace.measure(at, arrived)
	since := arrived.Sub(c.epoch)
	second, by := int64(since/time.Second), since-(at-c.zero).Duration()
	if n := len(c.least); n > 0 && c.least[n-1].second == second {
		c.least[n-1].by = min(c.least[n-1].by, by)
	} else {
		c.least = append(c.least, lateness{second, by})
	}
	for c.least[0].second <= second-clockMemory {
		c.least = c.least[1:]
	}
}

// offset returns the delay of the fastest line of the last 30 s.
func (c *clock) offset() time.Duration {
	by := c.least[0].by
	for _, l := range c.least[1:] {
		by = min(by, l.by)
	}
	return by
}

// time converts a time of the base to this computer's clock, after at least one
// compare.
func (c *clock) time(at protocol.Millis) time.Time {
	return c.epoch.Add(c.offset() + (at - c.zero).Duration())
}

// lateBy returns by how much a line with timestamp at arrived later than the
// fastest of the last 30 s; negative if it was faster.
func (c *clock) lateBy(at protocol.Millis, arrived time.Time) time.Duration {
	return arrived.Sub(c.time(at))
}
