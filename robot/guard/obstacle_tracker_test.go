package guard

import (
	"math"
	"testing"

	"mybot/robot"
)

func TestASonarDoesNotTellTheSideButTheMotionDoes(t *testing.T) {
	for _, beside := range []float64{-0.2, 0.2} {
		s := newRig(disc{robot.Point{X: 3, Y: beside}, 0.2})
		tracker := NewObstacleTracker(s.guard, func(robot.Point) bool { return false })
		tick := func() { // a little to the left and back
			s.tick(robot.Twist{Linear: 0.3, Angular: 0.3 * math.Cos(s.axle.X*math.Pi/0.9)})
			tracker.Observe(s.now, true)
		}
		side := func() (mean, spread float64) {
			o := &tracker.found[0]
			for i, d := range o.discs {
				mean += o.weight[i] * d.at.Y
			}
			for i, d := range o.discs {
				spread += o.weight[i] * (d.at.Y - mean) * (d.at.Y - mean)
			}
			return mean, math.Sqrt(spread)
		}
		for len(tracker.found) == 0 {
			tick()
		}
		if mean, spread := side(); spread < 0.15 {
			t.Errorf("one ping tells %.2f m, give or take %.2f m", mean, spread)
		}
		for s.axle.X < 1.8 {
			tick()
		}
		if mean, spread := side(); math.Abs(mean-beside) > 0.1 || spread > 0.06 {
			t.Errorf("a post %+.2f m beside is taken to be %+.2f m, give or take %.2f m", beside, mean, spread)
		}
	}
}
