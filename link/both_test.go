package link_test

import (
	"slices"
	"testing"
	"time"

	"mybot/link"
)

// gaps returns the gaps between newer samples at the receiver of samples sent at 20
// Hz, longest first.
func gaps(times []time.Time, arrive func(now time.Time) []time.Time) []time.Duration {
	type news struct {
		at time.Time
		n  int
	}
	var all []news
	for n, now := range times {
		for _, at := range arrive(now) {
			all = append(all, news{at, n})
		}
	}
	slices.SortStableFunc(all, func(a, b news) int { return a.at.Compare(b.at) })
	newest, last := -1, all[0].at
	var long []time.Duration
	for _, a := range all {
		if a.n > newest {
			long = append(long, a.at.Sub(last))
			newest, last = a.n, a.at
		}
	}
	slices.SortFunc(long, func(a, b time.Duration) int { return int(b - a) })
	return long
}

// A page sends samples on a stream and copies as datagrams: the newest counts.
func TestACopyByDatagramsClosesTheGapsOfAStream(t *testing.T) {
	var times []time.Time
	for i := range 8 * 60 * 20 { // 8 minutes
		times = append(times, start.Add(time.Duration(i)*50*time.Millisecond))
	}
	for _, c := range []struct {
		profile string
		alone   int           // lowest number of gaps above 250 ms with a stream alone
		both    int           // highest number with both
		worst   time.Duration // of both
	}{
		{"rtt=160ms,jitter=10ms,loss=1%", 50, 0, 200 * time.Millisecond},
		{"kaist-davis", 50, 0, 250 * time.Millisecond},
		{"rtt=310ms,jitter=40ms,loss=5%", 200, 3, 350 * time.Millisecond},
	} {
		p, err := link.ParseProfile(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		run := func(classes ...link.Class) (long int, worst time.Duration) {
			path := link.New(p, 7)
			found := gaps(times, func(now time.Time) (at []time.Time) {
				for _, class := range classes {
					if arrives, ok := path.Arrive(now, class, 200); ok {
						at = append(at, arrives)
					}
				}
				return at
			})
			for _, g := range found {
				if g > 250*time.Millisecond {
					long++
				}
			}
			return long, found[0]
		}
		alone, worstAlone := run(link.Stream)
		both, worstBoth := run(link.Stream, link.Datagram)
		t.Logf("%s: gaps above 250 ms in 8 min: the WebSocket alone %d (worst %v), both %d (worst %v)", c.profile, alone, worstAlone.Round(time.Millisecond), both, worstBoth.Round(time.Millisecond))
		if alone < c.alone || both > c.both || worstBoth > c.worst {
			t.Errorf("%s: alone %d, want at least %d; both %d, want at most %d; the worst %v, want at most %v", c.profile, alone, c.alone, both, c.both, worstBoth, c.worst)
		}
	}
}
