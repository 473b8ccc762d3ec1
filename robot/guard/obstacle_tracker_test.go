package guard

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/models"
)

func TestASonarDoesNotTellTheSideButTheMotionDoes(t *testing.T) {
	for _, beside := range []float64{-0.2, 0.2} {
		s := newRig(disc{robot.Point{X: 3, Y: beside}, 0.2})
		tracker := NewObstacleTracker(s.guard, func(robot.Point) bool { return false })
		tick := func() { // swings a little to the left and back
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
			t.Errorf("one ping gives %.2f m, plus or minus %.2f m", mean, spread)
		}
		for s.axle.X < 1.8 {
			tick()
		}
		if mean, spread := side(); math.Abs(mean-beside) > 0.1 || spread > 0.06 {
			t.Errorf("a post at an offset of %+.2f m is estimated at %+.2f m, plus or minus %.2f m", beside, mean, spread)
		}
	}
}

// toThing returns the ranges of a lidar at the axle to a disc, and to walls 4 m around.
func toThing(lidar robot.Lidar, axleOffset float64, d disc) func(degrees int) float64 {
	from := lidar.Pose.Point().Add(robot.Point{X: axleOffset})
	return func(degrees int) float64 {
		facing := robot.Pose{Theta: robot.Radians(float64(degrees))}.Apply(robot.Point{X: 1})
		v := d.at.Sub(from)
		if along, across := v.Dot(facing), math.Abs(facing.Cross(v)); along > 0 && across < d.radius {
			return along - math.Sqrt(d.radius*d.radius-across*across)
		}
		return 4
	}
}

func TestALidarTellsOnWhichSideOfAThingThereIsRoom(t *testing.T) {
	for _, name := range []string{models.LidarName, models.LidarSonarName} {
		s := newLidarRig(t, name)
		tracker := NewObstacleTracker(s.guard, func(p robot.Point) bool { return math.Abs(p.Y) > 0.8 })
		look := func(way func(int) float64) {
			s.scan(way)
			tracker.Observe(s.now.Add(-5*20*time.Millisecond), true) // the reading with the scan
		}
		thing := disc{robot.Point{X: 1.5, Y: 0.1}, 0.2}
		way := toThing(s.desc.Lidars[0], s.desc.Drivetrain.AxleOffset, thing)
		look(way)
		look(way)
		aside := func(y float64) []robot.Pose { return []robot.Pose{{X: 0.8, Y: y}, {X: 1.2, Y: y}, {X: 1.6, Y: y}} }
		half := s.desc.Body.Width / 2
		for _, c := range []struct {
			y    float64
			want float64
		}{
			{0, 1},
			{thing.at.Y - thing.radius - half - 0.05, 1},
			{thing.at.Y - thing.radius - half - 0.15, 0},
			{thing.at.Y + thing.radius + half + 0.05, 1},
			{thing.at.Y + thing.radius + half + 0.15, 0},
		} {
			if got := tracker.Risk(aside(c.y), 0.1); got != c.want {
				t.Errorf("%s: %.2f m beside the path the risk is %.2f, want %g", name, c.y, got, c.want)
			}
		}
		if known := tracker.Risk([]robot.Pose{{Y: 3.9}}, 0.1); known != 0 {
			t.Errorf("%s: what is on the map is a risk of %.2f", name, known)
		}
		empty := func(int) float64 { return 4 }
		look(empty)
		look(empty)
		look(empty)
		if left := tracker.Risk(aside(0), 0.1); left != 0 {
			t.Errorf("%s: what is gone is a risk of %.2f", name, left)
		}
	}
}

func TestWhatALidarNoLongerSeesIsRememberedBesideTheRobot(t *testing.T) {
	s := newLidarRig(t, models.LidarName)
	tracker := NewObstacleTracker(s.guard, func(robot.Point) bool { return false })
	look := func(way func(int) float64) {
		s.scan(way)
		tracker.Observe(s.now.Add(-5*20*time.Millisecond), true)
	}
	seen := toThing(s.desc.Lidars[0], s.desc.Drivetrain.AxleOffset, disc{robot.Point{X: 1.5}, 0.2})
	for range 2 {
		look(func(degrees int) float64 {
			if math.Abs(float64(degrees)) > 20 {
				return math.NaN()
			}
			return seen(degrees)
		})
	}
	blind := func(degrees int) float64 {
		if math.Abs(float64(degrees)) < 30 {
			return math.NaN()
		}
		return 4
	}
	for range 30 { // 3 s
		look(blind)
	}
	if got := tracker.Risk([]robot.Pose{{X: 1.2}}, 0.1); got != 1 {
		t.Errorf("after 3 s out of sight the risk is %g", got)
	}
	for range 180 { // 18 s
		look(blind)
	}
	if got := tracker.Risk([]robot.Pose{{X: 1.2}}, 0.1); got != 0 {
		t.Errorf("after 21 s out of sight the risk is %g", got)
	}
	look(seen)
	if tracker.Observe(s.now, false); tracker.Risk([]robot.Pose{{X: 1.2}}, 0.1) != 0 {
		t.Error("while no path is followed something is known")
	}
}
