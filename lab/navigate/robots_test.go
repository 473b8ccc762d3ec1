package navigate

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/testbed"
	"mybot/localization"
	"mybot/robot"
	"mybot/robot/models"
)

// scaledRobot writes the description of a robot with the body, wheels and sonars of Mybot,
// scaled so that half the diagonal of its hull is radius, in m.
func scaledRobot(t *testing.T, radius float64) (file string) {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(models.Mybot(), &d); err != nil {
		t.Fatal(err)
	}
	f := radius / testbed.Mybot().Body.Radius()
	scale := func(part any, keys ...string) {
		for _, k := range keys {
			m := part.(map[string]any)
			m[k] = math.Round(1e4*f*m[k].(float64)) / 1e4
		}
	}
	scale(d["body"], "length_m", "width_m")
	scale(d["drivetrain"], "wheel_base_m", "axle_offset_m")
	for _, s := range d["sonars"].([]any) {
		scale(s, "x_m", "y_m")
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "robot.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The planner takes the space that a robot needs from its description.
func TestASmallerAndALargerRobotGoToTheirGoalsAndTouchNothing(t *testing.T) {
	experimenttest.ComputesLong(t)
	for _, radius := range []float64{0.30, 0.55} {
		var o gotoOutcome
		out, _, err := commands.Run(t, "goto", "--json", "--robot", scaledRobot(t, radius), "--runs", "2", "--corridors", "1", "--tracks", "0", "--seed", "3")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out), &o); err != nil {
			t.Fatal(err)
		}
		if o.Bumps+o.Corridors.Bumps > 0 || o.Here != o.Reachable || o.Corridors.Arrived != 1 {
			t.Errorf("the outcome of a robot of %.2f m is %+v, %+v", radius, o, o.Corridors)
		}
	}
}

// The robot does not drive up to a barrel that a lidar sees from afar and wait there: it drives
// around it without stopping.
func TestARobotWithALidarIsLedAroundABarrelWithoutStoppingForIt(t *testing.T) {
	for _, name := range []string{models.LidarName, models.LidarSonarName} {
		f := officeFloor(t)
		var err error
		if f.Desc, err = testbed.LoadRobot(name); err != nil {
			t.Fatal(err)
		}
		scene := sim.DefaultScene()
		scene.Start = robot.Pose{X: 5, Y: 7.3}
		scene.Obstacles = []sim.Obstacle{{Name: "Barrel", Point: robot.Point{X: 10, Y: 7.35}, Radius: 0.2, Height: 0.9}}
		r, err := f.NewRover(scene, localization.NewOdometry(f.Desc, scene.Start), 1)
		if err != nil {
			t.Fatal(err)
		}
		o, err := driveToGoal(t.Context(), r, goalTrial{goal: robot.Pose{X: 15, Y: 7.3}, lasts: time.Minute}, func(r *testbed.Rover) error {
			if x := r.Truth.Pose.X; r.Rested && x > 6 && x < 14 {
				t.Fatalf("%s: the robot stopped %.2f m before the barrel", name, 10-x)
			}
			return nil
		})
		if err != nil || o.end != arrived || o.bumps > 0 || o.took > 1.5*o.planned {
			t.Errorf("%s: %v, %+v", name, err, o)
		}
	}
}
