package mapping

import (
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
	"mybot/robot/scan"
)

// described returns the cloud of a robot whose lidar is mounted differently than
// described.
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

// checkDrive returns the mounting that is estimated on a drive along the ring's
// lower corridor and back, and the key frame after which there was first an
// estimate; 0 = none.
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

func TestALidarThatSitsAboutAsDescribedIsNotSuspected(t *testing.T) {
	for _, c := range []struct {
		name   string
		is     Mounting
		wheels testWheels
	}{
		{"exactly", Mounting{}, testWheels{scale: 1, turnScale: 1}},
		{"poor wheels", Mounting{}, poorWheels},
		{"wheels that measure 15 % too little", Mounting{}, testWheels{scale: 0.85, turnScale: 1.15, noise: 0.05}},
		{"5 degrees off", Mounting{Turned: robot.Radians(5)}, poorWheels},
		{"5 cm off", Mounting{Shifted: robot.Point{X: 0.05}}, poorWheels},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(3) {
				for _, l := range []testLidar{lidarAround, lidarAhead} {
					if found, _, first := checkDrive(c.is, l, c.wheels, seed+2); first > 0 {
						t.Errorf("after %d pairs of key frames it was %+v", first, found)
					}
				}
			}
		})
	}
}

func TestNothingIsFoundOfALidarThatSeesTooLittle(t *testing.T) {
	for name, l := range map[string]testLidar{
		"nothing within reach": {beams: 360, view: 2 * math.Pi, max: 0.5},
		"a few beams":          {beams: 24, view: 2 * math.Pi, max: 12},
	} {
		if found, differs, first := checkDrive(Mounting{Mirrored: true}, l, poorWheels, 1); differs || first > 0 {
			t.Errorf("%s: found %+v", name, found)
		}
	}
	if found, differs := (&Mapper{}).Mounting(); differs {
		t.Errorf("before the first key frame: %+v", found)
	}
}

// The motion between two key frames of a mapper is also right if key frames between
// them were undone.
func TestAMapperFindsHowTheLidarSits(t *testing.T) {
	frames, _ := ringFrames(driveAlong([]robot.Point{{}, {X: 2.4}, {Y: 0.4}}, 0.05, 0.05))
	is := Mounting{Turned: math.Pi / 2}
	as, otherwise := &Mapper{}, &Mapper{}
	for i, k := range frames {
		if i == len(frames)/2 {
			otherwise.Undo(0.5)
		}
		as.Add(k)
		otherwise.Add(KeyFrame{Motion: k.Motion, Cloud: is.described(k.Cloud)})
		work(as)
		work(otherwise)
	}
	if found, differs := as.Mounting(); differs {
		t.Errorf("of one that sits as described it finds %+v", found)
	}
	if found, differs := otherwise.Mounting(); !differs || math.Abs(robot.WrapAngle(found.Turned-is.Turned)) > 0.03 || found.Mirrored {
		t.Errorf("it finds %+v", found)
	}
}
