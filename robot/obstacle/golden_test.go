package obstacle

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/robottest"
)

// TestTheLayerOfACrowdIsAlwaysTheSame draws the layer of a crowd: a digit is the distance to
// the nearest obstacle in decimetres, at most 9.
func TestTheLayerOfACrowdIsAlwaysTheSame(t *testing.T) {
	r := crowd()
	var b strings.Builder
	for n := range 25 {
		r.read(r.step(), r.cloud())
		if n%8 != 0 {
			continue
		}
		fmt.Fprintf(&b, "after %d scans\n", n+1)
		for _, d := range r.layer.Discs() {
			fmt.Fprintf(&b, "moves: %.2f, %.2f with %.1f, %.1f m/s, radius %.2f\n", d.At.X, d.At.Y, d.Velocity.X, d.Velocity.Y, d.Radius)
		}
		for y := 3.9; y > -4; y -= 0.2 {
			for x := -3.9; x < 4; x += 0.2 {
				b.WriteByte('0' + byte(math.Min(9, 10*r.layer.Clearance(robot.Point{X: x, Y: y}))))
			}
			b.WriteByte('\n')
		}
	}
	robottest.Golden(t, "testdata/crowd.txt", b.String())
}

// hall is a robot between walls of its map at 2 m on both sides, among barrels, people whose
// legs the lidar sees, a post that some scans miss and things that only sonars hear.
func hall(model string, rng *rand.Rand) *rig {
	r := newRig(model)
	r.walls = line(2)
	for _, y := range []float64{2.06, -2.06} { // only the left wall is on the map
		for x := -8.0; x < 8; x += 0.1 {
			r.discs = append(r.discs, disc{at: robot.Point{X: x, Y: y}, radius: 0.06})
		}
	}
	for _, at := range []robot.Point{{X: 1.6, Y: 0.9}, {X: -2.1, Y: -1.1}, {X: 3.2, Y: -0.7}} {
		r.discs = append(r.discs, disc{at: at, radius: 0.25})
	}
	for n := range 4 { // two legs each
		at, v := robot.Point{X: -4 + 2.2*float64(n), Y: 1.4 - 0.8*float64(n)}, robot.Point{X: 0.9 - 0.45*float64(n), Y: 0.3 * float64(n%2)}
		r.discs = append(r.discs, disc{at: at, v: v, radius: 0.06}, disc{at: at.Add(robot.Point{X: 0.12, Y: 0.2}), v: v, radius: 0.06})
	}
	r.noise = func() float64 { return 0.01 * math.Round(2*rng.NormFloat64()) }
	return r
}

// listen gives the sonars ranges in centimetres, most of them of what the lidar sees too.
func (r *rig) listen(rng *rand.Rand) {
	for n, s := range r.desc.Sonars {
		switch rng.IntN(12) {
		case 0:
			r.ranges[n] = []float64{math.Inf(1), math.NaN(), s.Max, 0.4, 0.8}[rng.IntN(5)]
		case 1, 2:
			continue // it has not pinged again
		default:
			ear, far := r.pose.Compose(s.Pose), s.Max
			for _, d := range r.discs {
				to := ear.Inverse().Apply(d.at)
				if math.Abs(to.Y) < to.X*math.Tan(s.Beam/2)+d.radius {
					far = math.Min(far, to.Norm()-d.radius)
				}
			}
			r.ranges[n] = math.Round(100*far) / 100
		}
	}
}

// TestTheLayerOfAHallIsAlwaysTheSame drives through a hall by what lidar, sonars and bumper
// tell. A line each half second has the sum of the distances on a grid, where any point that
// comes or goes shows, the number of points and what moves.
func TestTheLayerOfAHallIsAlwaysTheSame(t *testing.T) {
	var b strings.Builder
	for _, model := range []string{models.LidarName, models.LidarSonarName, models.MybotName} {
		rng := rand.New(rand.NewPCG(17, 1)) //nolint:gosec // the same hall each time
		r := hall(model, rng)
		fmt.Fprintln(&b, model)
		twist := robot.Twist{}
		for n := range 300 {
			if n%20 == 0 {
				twist = robot.Twist{Linear: 0.5 * (rng.Float64() - 0.3), Angular: rng.Float64() - 0.5}
				for i := len(r.discs) - 8; i < len(r.discs); i += 2 { // people turn, or stand
					pace := float64(rng.IntN(3)) / 2
					v := robot.Point{X: 2 * pace * (rng.Float64() - 0.5), Y: pace * (rng.Float64() - 0.5)}
					r.discs[i].v, r.discs[i+1].v = v, v
				}
			}
			if n%75 == 40 {
				r.off = robot.Pose{X: 0.1 * float64(rng.IntN(3)), Theta: 0.02 * float64(rng.IntN(2))} // the estimate jumps
			}
			r.bump = n%90 == 60
			travel := r.pass(twist)
			r.listen(rng)
			if model == models.MybotName || rng.IntN(8) == 0 {
				r.read(travel)
			} else {
				c := r.cloud()
				for k := range c.Beams { // dark things answer now and then
					if n%3 == 0 && k%40 < 3 {
						c.Beams[k].Echo = false
					}
				}
				r.read(travel, c)
			}
			if n%5 != 4 {
				continue
			}
			sum, here := 0.0, r.pose.Compose(r.off)
			for y := -3.9; y < 4; y += 0.13 {
				for x := -3.9; x < 4; x += 0.13 {
					sum += math.Min(2, r.layer.Clearance(here.Apply(robot.Point{X: x, Y: y})))
				}
			}
			fmt.Fprintf(&b, "%.1f %.4f %d", float64(n+1)/10, sum, len(r.layer.raster.points))
			for _, d := range r.layer.Discs() {
				fmt.Fprintf(&b, " (%.3f %.3f %.3f %.3f %.2f %.2f %v)", d.At.X, d.At.Y, d.Velocity.X, d.Velocity.Y, d.Radius, d.Sigma, d.Moving)
			}
			b.WriteByte('\n')
		}
	}
	robottest.Golden(t, "testdata/hall.txt", b.String())
}
