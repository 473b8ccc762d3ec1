package base

import (
	"time"

	"mybot/drivers/base/protocol"
)

// clockMemory is for how many seconds the fastest line is remembered.
const clockMemory = 30

// A clock compares the clock of a base with that of this computer. Lines arrive
// with an unknown delay; the fastest one of the last 30 s counts as having none.
// The zero clock has compared nothing.
type clock struct {
	zero    protocol.Millis // of the first line
	epoch   time.Time       // when it arrived
	newest  protocol.Millis // of the compared lines
	arrived time.Time       // arrival of that line
	least   []lateness      // one per second, oldest first
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

// millis returns the base's current time as estimated from the newest line, without
// that line's delay.
func (c *clock) millis(now time.Time) protocol.Millis {
	return c.newest + protocol.Millis(now.Sub(c.arrived).Milliseconds())
}
