package onboard

import (
	"testing"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/robot"
	"mybot/robot/models"
)

// From the 2 m/s that its motors can do, Mybot needs almost 4 m to stop.
func TestARobotThatIsFastForItsBrakesStopsBeforeAWall(t *testing.T) {
	computesLong(t)
	plan, scene := office(t)
	scene.People, scene.Obstacles = nil, nil
	desc := builtIn(t, models.LidarName)
	desc.Safe = desc.Hardware
	start := robot.Pose{X: 5, Y: 7.3}
	w := sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Start: start, Epoch: epoch})
	core := NewCore(desc, localization.NewOdometry(desc, start), nil)
	fast := false
	for range 20 * 50 {
		r := w.Step()
		if r.Bump {
			t.Fatalf("it touches the wall at %.2f", w.Truth().Pose)
		}
		core.Do(r.Time, drive(2, 0))
		out, s := core.Tick(r)
		fast = fast || s.Twist.Linear > 1.9
		if err := w.Drive(out); err != nil {
			t.Fatal(err)
		}
	}
	if !fast {
		t.Error("it did not get fast")
	}
}
