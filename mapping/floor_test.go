package mapping

import (
	"math"
	"math/rand/v2"

	"mybot/robot"
	"mybot/robot/scan"
)

// A testFloor is a set of walls.
type testFloor []robot.Segment

func (f *testFloor) wall(x0, y0, x1, y1 float64) {
	*f = append(*f, robot.Segment{A: robot.Point{X: x0, Y: y0}, B: robot.Point{X: x1, Y: y1}})
}

func (f *testFloor) box(x0, y0, x1, y1 float64) {
	f.wall(x0, y0, x1, y0)
	f.wall(x1, y0, x1, y1)
	f.wall(x1, y1, x0, y1)
	f.wall(x0, y1, x0, y0)
}

// ringFloor returns a corridor 2 m wide around a block, 24 x 14 m, with niches and
// pillars of different sizes.
func ringFloor() testFloor {
	var f testFloor
	f.box(-1, -1, 25, 15)
	f.box(1, 1, 23, 13)
	for i, x := range []float64{2.5, 6, 8.2, 13, 15.5, 19.3} {
		f.box(x, -1, x+0.3+0.1*float64(i), -0.75)
		f.box(x+1.1, 14.6, x+1.6, 15)
	}
	for i, y := range []float64{2.2, 5, 9.4} {
		f.box(-1, y, -0.7, y+0.4+0.2*float64(i))
		f.box(24.6, y+0.7, 25, y+1.1)
	}
	return f
}

// distance returns the distance of the nearest wall from p in a direction, +Inf if
// there is none.
func (f testFloor) distance(p robot.Point, theta float64) float64 {
	sin, cos := math.Sincos(theta)
	nearest := math.Inf(1)
	for _, s := range f {
		along, off := s.B.Sub(s.A), s.A.Sub(p)
		det := along.X*sin - along.Y*cos
		if math.Abs(det) < 1e-12 {
			continue
		}
		d := (along.X*off.Y - along.Y*off.X) / det
		u := (cos*off.Y - sin*off.X) / det
		if d > 0 && u >= 0 && u <= 1 {
			nearest = math.Min(nearest, d)
		}
	}
	return nearest
}

// A testLidar measures a floor.
type testLidar struct {
	beams int
	view  float64 // rad
	max   float64 // m
	noise float64 // m
	rng   *rand.Rand
}

func (l testLidar) cloud(f testFloor, at robot.Pose) scan.Cloud {
	var c scan.Cloud
	for i := range l.beams {
		angle := -l.view/2 + l.view*(float64(i)+0.5)/float64(l.beams)
		d := f.distance(at.Point(), at.Theta+angle)
		echo := d < l.max
		if echo && l.noise > 0 {
			d += l.noise * l.rng.NormFloat64()
		}
		d = math.Min(d, l.max)
		c.Beams = append(c.Beams, scan.Beam{End: robot.Point{X: d * math.Cos(angle), Y: d * math.Sin(angle)}, Echo: echo})
	}
	return c
}

// driveAlong returns the poses of a robot that drives through the corners step by
// step, and turns on the spot at each.
func driveAlong(corners []robot.Point, step, turn float64) []robot.Pose {
	at := robot.Pose{X: corners[0].X, Y: corners[0].Y, Theta: math.Atan2(corners[1].Y-corners[0].Y, corners[1].X-corners[0].X)}
	poses := []robot.Pose{at}
	for i := 1; i < len(corners); i++ {
		leg := corners[i].Sub(at.Point())
		off := robot.WrapAngle(math.Atan2(leg.Y, leg.X) - at.Theta)
		for n, k := int(math.Ceil(math.Abs(off)/turn)), 1; k <= n; k++ {
			poses = append(poses, robot.Pose{X: at.X, Y: at.Y, Theta: robot.WrapAngle(at.Theta + off*float64(k)/float64(n))})
		}
		at = poses[len(poses)-1]
		for n, k := int(math.Ceil(leg.Norm()/step)), 1; k <= n; k++ {
			poses = append(poses, robot.Pose{X: at.X + leg.X*float64(k)/float64(n), Y: at.Y + leg.Y*float64(k)/float64(n), Theta: at.Theta})
		}
		at = poses[len(poses)-1]
	}
	return poses
}

// A testWheels adds errors to true motions.
type testWheels struct {
	scale, turnScale float64 // of what is measured
	drift            float64 // rad a m
	noise            float64 // of the motion
	rng              *rand.Rand
}

func (w testWheels) motion(from, to robot.Pose) robot.Pose {
	m := from.Inverse().Compose(to)
	distance := m.Point().Norm()
	s := w.scale * (1 + w.noise*w.rng.NormFloat64())
	return robot.Pose{X: m.X * s, Y: m.Y * s, Theta: w.turnScale*m.Theta + w.drift*distance + w.noise*w.rng.NormFloat64()*(distance/3+math.Abs(m.Theta))}
}
