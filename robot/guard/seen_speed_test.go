package guard

import (
	"math"
	"testing"

	"mybot/robot"
	"mybot/robot/limits"
)

func TestTheSpeedThatSensorsAllowLeavesRoomToStop(t *testing.T) {
	ahead := robot.Lidar{Pose: robot.Pose{X: 0.1}, From: -math.Pi / 2, Step: math.Pi / 180, Beams: 181, Max: 0.8}
	back := ahead
	back.Pose.Theta = math.Pi
	masked := ahead
	masked.Mask = []robot.Sector{{From: -1, To: 1}}
	sonar := robot.Sonar{Pose: robot.Pose{X: 0.2, Theta: 0.4}, Max: 3}
	aside := robot.Sonar{Pose: robot.Pose{X: 0.2, Theta: 1}, Max: 9}
	for _, c := range []struct {
		name   string
		lidars []robot.Lidar
		sonars []robot.Sonar
		seen   float64 // m before base_link
	}{
		{"a lidar", []robot.Lidar{ahead}, nil, 0.9},
		{"a lidar and a sonar that reaches farther", []robot.Lidar{ahead}, []robot.Sonar{sonar}, 3.2},
		{"a sonar aside does not count", []robot.Lidar{ahead}, []robot.Sonar{aside}, 0.9},
		{"no sensor ahead", []robot.Lidar{back, masked}, []robot.Sonar{aside}, math.Inf(1)},
	} {
		desc := robot.Description{Lidars: c.lidars, Sonars: c.sonars}
		desc.Body.Length, desc.Body.Width = 0.5, 0.4
		desc.Hardware.LinearAcceleration = 0.5
		v, a := SeenSpeed(desc), plannedBraking*desc.Hardware.LinearAcceleration
		if math.IsInf(c.seen, 1) {
			if !math.IsInf(v, 1) {
				t.Errorf("%s: %g m/s", c.name, v)
			}
			continue
		}
		if stands := 0.25 + v*limits.SensingLatency + v*v/(2*a) + limits.StopDistance; math.Abs(stands-c.seen) > 1e-9 {
			t.Errorf("%s: at %g m/s the robot stops for what is at %g m, want %g", c.name, v, stands, c.seen)
		}
	}
}

func TestASensorThatSeesNoFartherThanTheRobotKeepsFromThingsAllowsNoSpeed(t *testing.T) {
	desc := robot.Description{Sonars: []robot.Sonar{{Max: 0.5}}}
	desc.Body.Length, desc.Body.Width = 0.5, 0.4
	desc.Hardware.LinearAcceleration = 0.5
	if v := SeenSpeed(desc); v != 0 {
		t.Errorf("it allows %g m/s", v)
	}
}
