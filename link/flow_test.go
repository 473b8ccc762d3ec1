package link_test

import (
	"testing"
	"time"

	"mybot/link"
)

func TestAFlowLosesAndNothingInItOvertakes(t *testing.T) {
	p := link.New(link.Profile{RoundTrip: 310 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.05}, 3)
	var last time.Time
	lost, uneven := 0, 0
	for i := range 4000 {
		sent := start.Add(time.Duration(i) * 5 * time.Millisecond)
		at, ok := p.Arrive(sent, link.Flow, 1000)
		switch {
		case !ok:
			lost++
			continue
		case at.Before(last):
			t.Fatalf("packet %d overtakes by %v", i, last.Sub(at))
		case at.Sub(sent) > 310*time.Millisecond:
			t.Fatalf("packet %d takes %v", i, at.Sub(sent))
		case !last.IsZero() && at.Sub(last) > 15*time.Millisecond:
			uneven++
		}
		last = at
	}
	if lost < 150 || lost > 250 || uneven < 100 {
		t.Errorf("of 4000 %d are lost, and %d come uneven", lost, uneven)
	}
}
