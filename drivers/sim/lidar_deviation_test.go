package sim

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/scan"
)

// deviating returns a robot in a box, with a noiseless lidar of the deviation.
func deviating(t testing.TB, name string, lidar robot.Lidar) *World {
	t.Helper()
	deviation, err := ParseDeviation(name)
	if err != nil {
		t.Fatal(err)
	}
	d := mybot(t)
	d.Lidars = []robot.Lidar{lidar}
	w := NewWorld(d, box(), Scene{}, Options{Epoch: time.Unix(1000, 0), Deviation: deviation})
	if !reflect.DeepEqual(w.Describe(), d) {
		t.Errorf("%s: the robot's description has changed", name)
	}
	return w
}

// The box has walls 5 m ahead and behind and 3 m to the sides; a post stands ahead
// to the left, so that no two directions look the same.
func TestALidarThatSitsOtherwiseMeasuresWhatThatPlaceSees(t *testing.T) {
	around := robot.Lidar{Pose: robot.Pose{X: 0.1}, Height: 0.3, From: -math.Pi, Step: robot.Radians(1), Beams: 360, Min: 0.1, Max: 12, Rate: 10}
	for name, at := range map[string]struct {
		pose      robot.Pose // true pose of the lidar
		clockwise bool
	}{
		"nominal":        {pose: robot.Pose{X: 0.1}},
		"lidar-shifted":  {pose: robot.Pose{X: -0.2}},
		"lidar-crooked":  {pose: robot.Pose{X: 0.1, Theta: robot.Radians(5)}},
		"lidar-turned":   {pose: robot.Pose{X: 0.1, Theta: math.Pi / 2}},
		"lidar-reversed": {pose: robot.Pose{X: 0.1, Theta: math.Pi}},
		"lidar-mirrored": {pose: robot.Pose{X: 0.1}, clockwise: true},
	} {
		w := deviating(t, name, around)
		if _, err := w.AddThing(ObstacleKind, robot.Point{X: 2, Y: 1}, 0.2); err != nil {
			t.Fatal(err)
		}
		for beam, got := range newest(t, w) {
			bearing := around.Bearing(beam)
			if at.clockwise {
				bearing = -bearing
			}
			sin, cos := math.Sincos(at.pose.Theta + bearing)
			want := math.Min((5-at.pose.X*math.Copysign(1, cos))/math.Max(1e-9, math.Abs(cos)), 3/math.Max(1e-9, math.Abs(sin)))
			post := robot.Point{X: 2, Y: 1}.Sub(at.pose.Point())
			if along, across := post.X*cos+post.Y*sin, post.Y*cos-post.X*sin; along > 0 && math.Abs(across) < 0.2 {
				want = math.Min(want, along-math.Sqrt(0.04-across*across))
			}
			if math.Abs(got-want) > 1e-6 {
				t.Fatalf("%s: beam %d measures %.3f m, want %.3f m", name, beam, got, want)
			}
		}
	}
}

func TestTheRobotItselfStaysWhereItIsWhenItsLidarIsTurned(t *testing.T) {
	for name, first := range map[string]int{"nominal": 80, "lidar-turned": 350, "lidar-reversed": 260, "lidar-mirrored": 270} {
		ranges := newest(t, deviating(t, name, robot.Lidar{
			Height: 0.3, Step: robot.Radians(1), Beams: 360, Min: 0.1, Max: 12, Rate: 10, Mask: []robot.Sector{{From: robot.Radians(80), To: robot.Radians(90)}},
		}))
		for beam, got := range ranges {
			if own, want := got < 0.2, (beam-first+360)%360 <= 10; own != want {
				t.Errorf("%s: beam %d sees the robot itself: %t", name, beam, own)
			}
		}
	}
}

func TestALidarThatFailsWorksForTwentySecondsAndThenBringsNoScanThatIsUsed(t *testing.T) {
	for name, says := range map[string]string{
		"lidar-silent":      "",
		"lidar-frozen":      "the same ranges",
		"lidar-nan":         "no beam has measured anything",
		"lidar-short":       "it must have 360",
		"lidar-millimetres": "not in millimetres",
		"lidar-clock-back":  "not later than the scan before",
	} {
		deviation, err := ParseDeviation(name)
		if err != nil {
			t.Fatal(err)
		}
		d := withLidar(t)
		scene := DefaultScene()
		w := NewWorld(d, box(), scene, Options{Seed: 1, Deviation: deviation})
		deskewer := scan.NewDeskewer(d)
		var used time.Duration
		var said []string
		for w.time.Before(time.Time{}.Add(30 * time.Second)) {
			after := w.time.Sub(time.Time{})
			clouds, faults := deskewer.Observe(steps(t, w, robot.Twist{Linear: 0.1, Angular: 0.3}, w.period))
			if len(clouds) > 0 {
				used = after
			}
			for _, f := range faults {
				if said = append(said, f.Problem); after < lidarWorks {
					t.Errorf("%s: after %v: %s", name, after, f.Problem)
				}
			}
		}
		if used < lidarWorks-200*time.Millisecond || used > lidarWorks+1500*time.Millisecond {
			t.Errorf("%s: the newest scan that is used is of %v", name, used)
		}
		if got := fmt.Sprint(said); says == "" && len(said) > 0 || !strings.Contains(got, says) {
			t.Errorf("%s: the message is %.200s, want %q", name, got, says)
		}
	}
}

func TestALidarDeviationFitsNoRobotWithoutALidar(t *testing.T) {
	for _, d := range append(Deviations(), lidarDeviations()...) {
		if err := d.CheckFit(withLidar(t)); err != nil {
			t.Errorf("%s does not fit a robot with all sensors: %v", d.Name, err)
		}
		if err := d.CheckFit(mybot(t)); (err != nil) != strings.HasPrefix(d.Name, "lidar-") {
			t.Errorf("%s fits a robot without a lidar: %v", d.Name, err)
		}
	}
}
