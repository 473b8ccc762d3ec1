package guard

import (
	"math"
	"testing"
	"time"

	"mybot/robot/limits"
)

func TestARobotIsBlindAheadOnlyWhenNothingThatLooksThereMeasures(t *testing.T) {
	g := New(mybot())
	now := epoch
	hears := func(broken func(heading float64) bool) bool {
		for range int(limits.BlindSonarAfter/(20*time.Millisecond)) + 2 {
			now = now.Add(20 * time.Millisecond)
			r := heard(g, now, math.Inf(1)) // no echo is a measurement
			for i := range r.Ranges {
				if broken(math.Abs(g.sonars[i].pose.Theta)) {
					r.Ranges[i] = math.NaN()
				}
			}
			g.Observe(r)
		}
		return !g.IsBlindAhead()
	}
	ahead := func(heading float64) bool { return heading < limits.BlindSonarAngle }
	for _, c := range []struct {
		name   string
		broken func(heading float64) bool
		sees   bool
	}{
		{"all work", func(float64) bool { return false }, true},
		{"those that look aside and back are broken", func(h float64) bool { return !ahead(h) }, true},
		{"only one ahead works", func(h float64) bool { return h > 0.1 }, true},
		{"those that look ahead are broken", ahead, false},
		{"all work again", func(float64) bool { return false }, true},
	} {
		if got := hears(c.broken); got != c.sees {
			t.Errorf("%s: it sees ahead: %t", c.name, got)
		}
	}
	desc := mybot()
	desc.Sonars = nil
	if New(desc).IsBlindAhead() {
		t.Error("a robot without sensors that look ahead is blind ahead")
	}
}
