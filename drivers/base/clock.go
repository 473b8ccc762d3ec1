package base

import (
	"time"

	"mybot/drivers/base/protocol"
)

// clockMemory is for how many seconds the quickest way of a line is remembered.
const clockMemory = 30

// A clock compares the clock of a base with that of this computer. What arrives is
// late by an unknown time; the least late of the last 30 s counts as not late at
// all. The zero clock has compared nothing.
type clock struct {
	zero    protocol.Millis // of the first line
	epoch   time.Time       // when it arrived
	newest  protocol.Millis // of the lines that were compared
	arrived time.Time       // when that one did
	least   []lateness      // of each second, oldest first
}

// lateness is how late the least late line of a second arrived, with the first line
// of all as that which was not late.
type lateness struct {
	second int64 // since epoch
	by     time.Duration
}

// compare takes the time that a line says and when it arrived.
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

// offset returns how late the least late line of the last 30 s was.
func (c *clock) offset() time.Duration {
	by := c.least[0].by
	for _, l := range c.least[1:] {
		by = min(by, l.by)
	}
	return by
}

// time returns a time of the base by this computer's clock. Something has been compared.
func (c *clock) time(at protocol.Millis) time.Time {
	return c.epoch.Add(c.offset() + (at - c.zero).Duration())
}

// lateBy returns how much later than usual a line arrived that says the time at; less
// than zero, when it came earlier than any line of the last 30 s.
func (c *clock) lateBy(at protocol.Millis, arrived time.Time) time.Duration {
	return arrived.Sub(c.time(at))
}

// millis returns the time of the base now as far as the newest line tells: the way
// of that line is not counted.
func (c *clock) millis(now time.Time) protocol.Millis {
	return c.newest + protocol.Millis(now.Sub(c.arrived).Milliseconds())
}
