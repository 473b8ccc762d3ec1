package link_test

import (
	"testing"
	"time"

	"mybot/link"
)

func TestANetworkChangesUnderThoseWhoAreInIt(t *testing.T) {
	n := link.NewNetwork(link.Profile{}, 1)
	up, down := n.AddUser()
	takes := func(p *link.Path, at time.Duration) time.Duration {
		t.Helper()
		arrives, ok := p.Arrive(start.Add(at), link.Stream, 100)
		if !ok {
			t.Fatal("a message on a stream is lost")
		}
		return arrives.Sub(start.Add(at))
	}
	for _, p := range []*link.Path{up, down} {
		if d := takes(p, 0); d != 0 {
			t.Errorf("a network that bends nothing takes %v", d)
		}
	}
	n.SetProfile(link.Profile{RoundTrip: 600 * time.Millisecond})
	if n.Profile().RoundTrip != 600*time.Millisecond {
		t.Errorf("its profile is %v", n.Profile())
	}
	for _, p := range []*link.Path{up, down} {
		if d := takes(p, time.Second); d != 300*time.Millisecond {
			t.Errorf("it takes %v, want half the round trip", d)
		}
	}
	n.SetProfile(link.Profile{})
	if d := takes(up, 1100*time.Millisecond); d != 200*time.Millisecond {
		t.Errorf("a message overtakes the one before it on a stream: it takes %v", d)
	}
	if d := takes(up, 2*time.Second); d != 0 {
		t.Errorf("it takes %v after the end", d)
	}
	n.RemoveUser(up, down)
	n.SetProfile(link.Profile{RoundTrip: time.Second})
	if d := takes(up, 3*time.Second); d != 0 {
		t.Errorf("the traffic of a user who has left is delayed by %v", d)
	}
}

func TestAStallOfTheOldProfileEndsWithIt(t *testing.T) {
	n := link.NewNetwork(link.Profile{StallMin: time.Minute, StallMax: time.Minute, StallGap: time.Millisecond}, 3)
	up, _ := n.AddUser()
	now := start
	for range 100 { // until it stalls
		now = now.Add(time.Millisecond)
		if at, _ := up.Arrive(now, link.Datagram, 1); at.After(now) {
			break
		}
	}
	if at, _ := up.Arrive(now.Add(time.Second), link.Datagram, 1); !at.After(now.Add(time.Second)) {
		t.Fatal("it does not stall")
	}
	n.SetProfile(link.Profile{RoundTrip: 20 * time.Millisecond})
	if at, ok := up.Arrive(now.Add(2*time.Second), link.Datagram, 1); !ok || at.Sub(now) != 2010*time.Millisecond {
		t.Errorf("it arrives %v after the stall began", at.Sub(now))
	}
}

func TestEveryoneInANetworkHasTheirOwnLuck(t *testing.T) {
	n := link.NewNetwork(link.Profile{RoundTrip: time.Second, Jitter: 300 * time.Millisecond}, 1)
	seen := map[time.Time]bool{}
	for range 10 {
		up, down := n.AddUser()
		for _, path := range []*link.Path{up, down} {
			at, ok := path.Arrive(start, link.Stream, 100)
			if !ok {
				t.Fatal("a message on a stream was lost")
			}
			seen[at] = true
		}
	}
	if len(seen) != 20 {
		t.Errorf("20 packets have only %d different delays", len(seen))
	}
}
