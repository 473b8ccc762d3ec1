package onboard

import (
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/models"
)

// The robot stands beside the coffee table of the lounge, whose top is above the plane of the
// lidar, and has no room to turn about its axle, which is far ahead of its middle.
func TestARobotDoesNotTurnIntoWhatIsOnTheMapAndNoSensorSees(t *testing.T) {
	computesLong(t)
	plan, _ := office(t)
	desc := builtIn(t, models.LidarName)
	desc.Body.Length, desc.Body.Width, desc.Body.Hull = 0.95, 0.60, nil
	desc.Body.Hull = desc.Body.Outline()
	desc.Drivetrain.AxleOffset = -0.30
	w := newWalkOf(t, desc, plan, robot.Pose{X: 9.955, Y: 3.847, Theta: robot.Radians(-97.6)}, nil)
	w.do(robot.GoTo{Goal: robot.Pose{X: 17.38, Y: 7.21, Theta: robot.Radians(74)}})
	w.arrives(time.Minute)
}
