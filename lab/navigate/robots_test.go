package navigate

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"mybot/lab/internal/testbed"
	"mybot/robot/models"
)

// scaledRobot writes the description of a robot whose body, wheels and sonars are
// Mybot's, scaled until half the diagonal of its hull is radius metres.
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

// The planner takes the room that a robot needs from its description.
func TestASmallerAndALargerRobotGoToTheirGoalsAndTouchNothing(t *testing.T) {
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
			t.Errorf("a robot of %.2f m came out as %+v, %+v", radius, o, o.Corridors)
		}
	}
}
