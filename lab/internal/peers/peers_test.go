package peers

import (
	"math"
	"strings"
	"testing"

	"mybot/lab/internal/testbed"
	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/onboard"
	"mybot/robot/rollout"
)

// A corridor has walls at 1.2 m on both sides, and barrels.
type corridor []robot.Point

func (c corridor) Clearance(p robot.Point) float64 {
	least := 1.2 - math.Abs(p.Y)
	for _, b := range c {
		least = math.Min(least, p.Sub(b).Norm()-0.25)
	}
	return least
}

func (corridor) Discs() []robot.Track { return nil }

// drive drives the robot for a time in s along the middle of the corridor, and returns where
// it is then and how near it came to an obstacle.
func drive(desc robot.Description, by onboard.LocalController, in corridor, seconds float64) (at robot.Pose, nearest float64) {
	s := rollout.Situation{MaxSpeed: desc.Safe.Linear, Obstacles: in, End: 20}
	for x := 0.0; x <= 20; x += rollout.Spacing {
		s.Path = append(s.Path, robot.PathPoint{Pose: robot.Pose{X: x}, Along: x, Speed: desc.Safe.Linear, Clear: 1.2})
	}
	nearest = math.Inf(1)
	dt, every := 1/desc.Rate, int(limits.ChooseEvery.Seconds()*desc.Rate)
	for n := range int(seconds * desc.Rate) {
		if n%every == 0 {
			by.Choose(&s)
		}
		s.Twist = desc.Safe.Slew(s.Twist, by.Steer(&s), dt)
		s.Pose.Theta += s.Twist.Angular * dt
		sin, cos := math.Sincos(s.Pose.Theta)
		s.Pose.X, s.Pose.Y = s.Pose.X+s.Twist.Linear*cos*dt, s.Pose.Y+s.Twist.Linear*sin*dt
		s.Along = robot.Clamp(s.Pose.X, 0, s.End)
		for _, corner := range desc.Body.Hull {
			corner.X += desc.Drivetrain.AxleOffset
			nearest = math.Min(nearest, in.Clearance(s.Pose.Apply(corner)))
		}
	}
	return s.Pose, nearest
}

func TestEveryControllerPassesABarrelAndStandsBeforeAWall(t *testing.T) {
	desc := testbed.Mybot()
	for _, name := range []string{"dwa", "mppi"} {
		build, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if at, _ := drive(desc, build(desc, 1), nil, 10); at.X < 4.4 || math.Abs(at.Y) > 0.1 {
			t.Errorf("%s: after 10 s on a free way the robot is at %v", name, at)
		}
		if at, nearest := drive(desc, build(desc, 1), corridor{{X: 3, Y: 0.3}}, 16); at.X < 5 || nearest < 0 {
			t.Errorf("%s: with a barrel on its way it is at %v after 16 s, and came within %.2f m", name, at, nearest)
		}
		shut := corridor{{X: 3, Y: -0.9}, {X: 3, Y: -0.45}, {X: 3}, {X: 3, Y: 0.45}, {X: 3, Y: 0.9}}
		if at, nearest := drive(desc, build(desc, 1), shut, 16); at.X > 2.75 || at.X < 1.5 || nearest < 0 {
			t.Errorf("%s: before a row of barrels it is at %v after 16 s, and came within %.2f m", name, at, nearest)
		}
	}
}

func TestMPPIDrivesTheSameWayForTheSameSeed(t *testing.T) {
	desc := testbed.Mybot()
	in := corridor{{X: 2, Y: 0.1}}
	a, _ := drive(desc, newMPPI(desc, 7), in, 6)
	b, _ := drive(desc, newMPPI(desc, 7), in, 6)
	other, _ := drive(desc, newMPPI(desc, 8), in, 6)
	if a != b || a == other {
		t.Errorf("seed 7: %v, again %v; seed 8: %v", a, b, other)
	}
}

func TestAControllerThatDoesNotExistIsRefused(t *testing.T) {
	for _, own := range []string{"", "rollout"} {
		if build, err := Find(own); build != nil || err != nil {
			t.Errorf("%q: %v", own, err)
		}
	}
	if _, err := Find("teb"); err == nil || !strings.Contains(err.Error(), "rollout, dwa or mppi") {
		t.Errorf("it says %v", err)
	}
}
