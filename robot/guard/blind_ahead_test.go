package guard

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/models"
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

func TestASonarCountsAsBlindAheadFromItsTimeOnAndBelowItsAngle(t *testing.T) {
	g := New(mybot())
	for i := range g.sonars {
		g.sonars[i].lost = limits.BlindSonarAfter
	}
	if !g.IsBlindAhead() {
		t.Errorf("after %v it is not blind", limits.BlindSonarAfter)
	}
	if g.sonars[0].lost, g.sonars[0].pose.Theta = 0, limits.BlindSonarAngle; !g.IsBlindAhead() {
		t.Error("a sonar that looks aside sees ahead")
	}
	if g.sonars[0].pose.Theta = limits.BlindSonarAngle - 0.01; g.IsBlindAhead() {
		t.Error("a sonar that works and looks ahead does not see there")
	}
}

// measuring returns the ranges in an empty hall, of a lidar whose other beams measure nothing.
func measuring(where func(degrees int) bool) func(degrees int) float64 {
	return func(degrees int) float64 {
		if where(degrees) {
			return free(degrees)
		}
		return silent(degrees)
	}
}

func TestARobotWithALidarIsBlindAheadOnlyWhenNoBeamMeasuresThere(t *testing.T) {
	r := newLidarRig(t, models.LidarName)
	for _, c := range []struct {
		name  string
		scan  func(degrees int) float64
		blind bool
	}{
		{"all beams measure", free, false},
		{"none measures", silent, true},
		{"one on the left measures", measuring(func(d int) bool { return d == 15 }), false},
		{"one on the right measures", measuring(func(d int) bool { return d == -15 }), false},
		{"those aside measure", measuring(func(d int) bool { return d > 25 || d < -25 }), true},
	} {
		for range 10 {
			r.scan(c.scan)
		}
		if got := r.guard.IsBlindAhead(); got != c.blind {
			t.Errorf("%s: it is blind ahead: %t", c.name, got)
		}
	}
	clear(r.guard.lidars[0].covers)
	if r.guard.IsBlindAhead() {
		t.Error("a robot whose lidar does not look ahead is blind there")
	}
}

func TestTheSideOnWhichASensorIsOutOfOrderHasASpeedLimitAndASentence(t *testing.T) {
	sonars, lidar := New(mybot()), newLidarRig(t, models.LidarName)
	for i := range sonars.sonars {
		if e := &sonars.sonars[i]; math.Abs(e.pose.Theta) < 0.1 {
			e.lost = limits.BlindSonarAfter
		}
	}
	for range 10 {
		lidar.scan(measuring(func(d int) bool { return d <= -60 || d >= 60 }))
	}
	for g, want := range map[*Guard]string{
		sonars:      "Speed reduced to 0.15 m/s. A sonar on that side is out of order.",
		lidar.guard: "Speed reduced to 0.15 m/s. The lidar measures nothing on that side.",
	} {
		if speed, why, ok := g.BlindSide(false); !ok || speed != limits.BlindSonarSpeed || why != want {
			t.Errorf("ahead: %t, %v m/s, %q; want %q", ok, speed, why, want)
		}
		if speed, why, ok := g.BlindSide(true); ok || speed != 0 || why != "" {
			t.Errorf("behind: %t, %v m/s, %q", ok, speed, why)
		}
	}
}

func TestOfSensorsThatAreEquallyNearTheFirstCounts(t *testing.T) {
	g := newLidarRig(t, models.LidarName).guard
	g.lidars[0].seen = []robot.Point{{X: 2, Y: 0.1}, {X: 2, Y: -0.1}}
	if n := g.Nearest(); n.Bearing <= 0 {
		t.Errorf("the nearest is at %v rad, want the first, on the left", n.Bearing)
	}
	g = New(mybot())
	g.sonars = g.sonars[:2]
	g.sonars[0].pose, g.sonars[1].pose = robot.Pose{Theta: 0.5}, robot.Pose{Theta: -0.5}
	if off, _ := g.NearestSonar(robot.Point{X: 1}); off != -0.5 {
		t.Errorf("the first sonar would have to turn by %v rad, want -0.5", off)
	}
}

func TestATurnOfAQuarterOfTheSpeedIsNearlyStraight(t *testing.T) {
	g := New(mybot())
	turn := 0.2
	straight := turn * g.body.ReachFrom(robot.Point{}) / limits.NearlyStraight
	if !g.isNearlyStraight(robot.Twist{Linear: straight, Angular: turn}) || g.isNearlyStraight(robot.Twist{Linear: 0.99 * straight, Angular: turn}) {
		t.Errorf("at %v m/s and %v rad/s the bound is elsewhere", straight, turn)
	}
}

func TestAPingIsUnconfirmedOnlyIfItIsNearerThanTheEchoAndNearEnough(t *testing.T) {
	for _, c := range []struct {
		before, ping float64
		unconfirmed  bool
	}{{1, 1, false}, {math.Inf(1), limits.GuardRange, true}, {math.Inf(1), limits.GuardRange + 0.01, false}} {
		g := listening(c.before)
		g.Observe(heard(g, g.now.Add(20*time.Millisecond), c.ping))
		if got := len(g.unconfirmed) > 0; got != c.unconfirmed {
			t.Errorf("a ping at %v m after %v m: unconfirmed %t", c.ping, c.before, got)
		}
	}
}
