package link_test

import (
	"testing"
	"time"

	"mybot/link"
)

func TestASteadyStreamHearsOfALossSooner(t *testing.T) {
	const ms = time.Millisecond
	start := time.Unix(1000, 0)
	for _, c := range []struct {
		name    string
		cutOff  time.Duration
		arrives time.Duration // delay of the lost message
	}{
		{"the message behind it gets through", 1 * ms, 50*ms + 400*ms*5/4 + 200*ms},
		{"the message behind it is lost too", 51 * ms, 800*ms + 200*ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := link.New(link.Profile{RoundTrip: 400 * ms}, 1)
			lost := start.Add(100 * ms)
			p.BlackHole(lost, lost.Add(c.cutOff))
			for i := range 4 {
				sent := start.Add(time.Duration(i) * 50 * ms)
				at, ok := p.Arrive(sent, link.Stream, 100)
				if want := sent.Add(200 * ms); i < 2 && !at.Equal(want) || !ok {
					t.Fatalf("message %d arrives after %v", i, at.Sub(sent))
				}
				if i == 2 && at.Sub(sent) != c.arrives {
					t.Errorf("the lost message arrives after %v, want %v", at.Sub(sent), c.arrives)
				}
			}
		})
	}
}
