package localization

import (
	"math"
	"time"

	"mybot/robot"
)

// K selects the reading of the factor k of the position correction, which Han 2002
// calls "the number of valid data".
type K int

// The two readings of k.
const (
	KSum  K = iota // literally: the sum over the sonars is multiplied by their number
	KMean          // the sum is divided by their number
)

// The constants of Han 2002, section 2.3. Alpha is in odometry.go.
const (
	seedBeta  = 0.02
	seedGamma = 0.33
	seedFar   = 1.5 // m, D_max
)

// Seed estimates the pose by the method of the paper that the project grew from,
// Han 2002, section 2.3: odometry; the heading corrected toward the compass by
// alpha; the position moved along the normals of the object lines by the difference
// between the measured range of each sonar and the one predicted by the map. It
// corrects once per alphaPeriod.
//
// It has no measure of its own uncertainty; its covariance is that of the
// differences. One goroutine uses it.
type Seed struct {
	drive  robot.Drivetrain
	sonars []robot.Sonar
	walls  *walls
	k      K

	pose     robot.Pose
	turned   time.Time // last correction of the heading
	moved    time.Time // last correction of the position
	variance float64   // m2, of measured minus calculated range
	wheels   bool
	compass  bool
	valid    int // number of sonars in the last correction
}

// NewSeed returns an estimator for a robot that starts at start, in map.
func NewSeed(desc robot.Description, plan *robot.Floorplan, start robot.Pose, k K) *Seed {
	return &Seed{drive: desc.Drivetrain, sonars: desc.Sonars, walls: newWalls(plan), k: k, pose: start, variance: startPlace}
}

// SetPose sets the pose from a person, in map. It ignores a pose that is not
// finite.
func (s *Seed) SetPose(p robot.Pose) {
	if robot.Finite(p.X, p.Y, p.Theta) {
		p.Theta = robot.WrapAngle(p.Theta)
		s.pose = p
	}
}

// Update takes the next reading. It ignores values that are not finite.
func (s *Seed) Update(r robot.Reading) {
	s.moveBy(s.drive.Roll(robot.Pose{}, r.Travel), r)
}

// moveBy is Update for a base whose motion is given as that of base_link since the
// last reading, in its frame at that reading, instead of as travel of the wheels.
func (s *Seed) moveBy(move robot.Pose, r robot.Reading) {
	if s.wheels = move.Point().Norm() < maxMove && robot.Finite(move.Theta); s.wheels {
		s.pose = s.pose.Compose(move)
	}
	if s.turned.IsZero() {
		s.turned, s.moved = r.Time, r.Time
	}
	if r.Time.Sub(s.turned) >= alphaPeriod {
		s.turned = r.Time
		s.compass = robot.Finite(r.Heading)
		if s.compass {
			s.pose.Theta = robot.WrapAngle(s.pose.Theta + alpha*robot.WrapAngle(r.Heading-s.pose.Theta))
		}
	}
	if len(r.Ranges) > 0 && r.Time.Sub(s.moved) >= alphaPeriod {
		s.moved = r.Time
		s.correctPosition(r.Ranges)
	}
}

// correctPosition moves the position along the normals of the object lines.
func (s *Seed) correctPosition(ranges []float64) {
	var sum robot.Point
	s.valid = 0
	for i, sonar := range s.sonars {
		if i >= len(ranges) || !robot.Finite(ranges[i]) {
			continue
		}
		distance, normal, ok := s.walls.nearestLine(s.pose.Compose(sonar.Pose), sonar.Beam/2, sonar.Max+seedFar)
		e := ranges[i] - distance
		if !ok || math.Abs(e) >= seedFar {
			continue
		}
		s.valid++
		s.variance += 0.01 * (e*e - s.variance)
		sum = sum.Add(robot.Point{X: seedGamma * e * normal.X, Y: seedGamma * e * normal.Y})
	}
	if s.valid == 0 {
		return
	}
	k := float64(s.valid)
	if s.k == KMean {
		k = 1 / k
	}
	s.pose.X += seedBeta * k * sum.X
	s.pose.Y += seedBeta * k * sum.Y
}

// Estimate returns the estimated pose.
func (s *Seed) Estimate() robot.Estimate {
	c := robot.Covariance{XX: s.variance, YY: s.variance, TT: compassBias * compassBias}
	return robot.Estimate{
		Pose:       s.pose,
		Covariance: c,
		Trust:      trustOf(c),
		Wheels:     s.wheels,
		Compass:    s.compass,
		Sonars:     s.valid,
	}
}

// nearestLine returns the distance of the nearest object line within the beam of
// the given half angle, in rad, from a sonar at the pose at, and the line's normal
// toward the robot. It finds none beyond reach, in m.
func (w *walls) nearestLine(at robot.Pose, half, reach float64) (distance float64, normal robot.Point, ok bool) {
	if len(w.all) == 0 {
		return 0, robot.Point{}, false
	}
	o := at.Point()
	sin, cos := math.Sincos(at.Theta)
	slope := math.Tan(half)
	distance = reach
	box := robot.Point{X: reach, Y: reach}
	w.eachBin(o.Sub(box), o.Add(box), func(bin int) {
		for _, n := range w.bins[bin] {
			f := &w.all[n]
			a := f.a.Sub(o)
			a = robot.Point{X: cos*a.X + sin*a.Y, Y: -sin*a.X + cos*a.Y}
			if f.radius > 0 {
				if d := a.Norm() - f.radius; d >= 0 && d < distance && a.X > 0 && math.Abs(a.Y) <= slope*a.X+f.radius/math.Cos(half) {
					distance, ok = d, true
					normal = robot.Point{X: -(cos*a.X - sin*a.Y) / (d + f.radius), Y: -(sin*a.X + cos*a.Y) / (d + f.radius)}
				}
				continue
			}
			b := f.b.Sub(o)
			b = robot.Point{X: cos*b.X + sin*b.Y, Y: -sin*b.X + cos*b.Y}
			e := b.Sub(a)
			first, last := 0.0, 1.0
			for _, side := range [2]float64{1, -1} { // sides of the beam: inside is side*y <= slope*x
				va, vb := side*a.Y-slope*a.X, side*b.Y-slope*b.X
				switch {
				case va > 0 && vb > 0:
					last = -1
				case va > 0:
					first = max(first, va/(va-vb))
				case vb > 0:
					last = min(last, va/(va-vb))
				}
			}
			if first > last {
				continue
			}
			u := max(first, min(last, -(a.X*e.X+a.Y*e.Y)/(e.X*e.X+e.Y*e.Y)))
			if d := math.Hypot(a.X+u*e.X, a.Y+u*e.Y); d < distance {
				length := e.Norm()
				nx, ny := -e.Y/length, e.X/length
				if a.X*nx+a.Y*ny > 0 {
					nx, ny = -nx, -ny
				}
				distance, ok = d, true
				normal = robot.Point{X: cos*nx - sin*ny, Y: sin*nx + cos*ny}
			}
		}
	})
	return distance, normal, ok
}
