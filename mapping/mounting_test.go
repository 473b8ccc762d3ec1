package mapping

import (
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
	"mybot/robot/scan"
)

// described returns a cloud as a robot has it whose lidar sits otherwise than described.
func (m Mounting) described(c scan.Cloud) (out scan.Cloud) {
	isFromTold := robot.Pose{X: m.Shifted.X, Y: m.Shifted.Y, Theta: m.Turned}
	take := func(p robot.Point) robot.Point {
		p = isFromTold.Inverse().Apply(p)
		if m.Mirrored {
			p.Y = -p.Y
		}
		return p
	}
	out.Origin = take(c.Origin)
	for _, b := range c.Beams {
		out.Beams = append(out.Beams, scan.Beam{End: take(b.End), Echo: b.Echo})
	}
	return out
}

// checkDrive returns what is found of a mounting on a drive along the ring's lower
// corridor and back, and after which key frame it was found first; 0 = it was not.
func checkDrive(m Mounting, l testLidar, w testWheels, seed uint64) (found Mounting, differs bool, first int) {
	l.rng, w.rng = rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
	floor, drive := ringFloor(), driveAlong([]robot.Point{{}, {X: 3}, {Y: 0.4}}, 0.05, 0.05)
	var c mountingCheck
	var before scan.Cloud
	motion := robot.Pose{}
	for i, at := range drive {
		if i > 0 {
			step := w.motion(drive[i-1], at)
			if motion = motion.Compose(step); !IsKeyFrame(motion, step) {
				continue
			}
		}
		now := m.described(l.cloud(floor, at))
		if i > 0 {
			c.observe(before, now, motion)
		}
		before, motion = now, robot.Pose{}
		if found, differs = c.find(now.Origin); differs && first == 0 {
			first = len(c.pairs)
		}
	}
	return found, differs, first
}

var (
	lidarAround = testLidar{beams: 360, view: 2 * math.Pi, max: 12, noise: 0.01}
	lidarAhead  = testLidar{beams: 361, view: math.Pi, max: 30, noise: 0.01}
)

func TestHowALidarSitsIsFoundWhileTheRobotDrives(t *testing.T) {
	for _, c := range []struct {
		name string
		is   Mounting
	}{
		{"mirrored", Mounting{Mirrored: true}},
		{"turned by 90 degrees to the left", Mounting{Turned: math.Pi / 2}},
		{"turned by 90 degrees to the right", Mounting{Turned: -math.Pi / 2}},
		{"turned by 180 degrees", Mounting{Turned: math.Pi}},
		{"turned by 30 degrees", Mounting{Turned: math.Pi / 6}},
		{"mirrored and turned by 90 degrees", Mounting{Mirrored: true, Turned: math.Pi / 2}},
		{"mirrored and turned by 180 degrees", Mounting{Mirrored: true, Turned: math.Pi}},
		{"30 cm behind its place", Mounting{Shifted: robot.Point{X: -0.3}}},
		{"30 cm beside its place", Mounting{Shifted: robot.Point{Y: 0.3}}},
		{"turned by 180 degrees, 30 cm ahead", Mounting{Turned: math.Pi, Shifted: robot.Point{X: 0.3}}},
	} {
		for name, l := range map[string]testLidar{"all round": lidarAround, "ahead": lidarAhead} {
			t.Run(c.name+", a lidar that sees "+name, func(t *testing.T) {
				found, differs, first := checkDrive(c.is, l, poorWheels, 1)
				turned, shifted := robot.WrapAngle(found.Turned-c.is.Turned), found.Shifted.Sub(c.is.Shifted).Norm()
				if !differs || found.Mirrored != c.is.Mirrored || math.Abs(turned) > 0.03 || shifted > 0.08 {
					t.Fatalf("found %+v", found)
				}
				t.Logf("found after %d pairs of key frames; %.1f deg and %.3f m off", first, robot.Degrees(turned), shifted)
			})
		}
	}
}
