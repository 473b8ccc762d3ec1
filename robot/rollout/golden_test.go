package rollout

import (
	"fmt"
	"strings"
	"testing"

	"mybot/robot/robottest"
)

// TestTheDriveAmongManyIsAlwaysTheSame logs the robot's pose and choice twice a second.
func TestTheDriveAmongManyIsAlwaysTheSame(t *testing.T) {
	r := busy()
	var b strings.Builder
	for range 50 {
		r.drive(0.5)
		c := r.c.Last()
		fmt.Fprintf(&b, "%4.1f s: at %.2f, %.2f, %.2f m/s; lane %.2f, %.2f m/s, gains %.2f m, because of %s; nearest %.2f, %.2f\n", r.time, r.s.Pose.X, r.s.Pose.Y, r.s.Twist.Linear, c.Lane, c.Speed, c.Gain, Names[c.Because], r.nearest, r.nearestPerson)
	}
	robottest.Golden(t, "testdata/drive.txt", b.String())
}
