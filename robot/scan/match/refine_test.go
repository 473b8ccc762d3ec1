package match

import (
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
)

func TestRefiningGoesToTheBestPoseNearby(t *testing.T) {
	f := fieldOf(room)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		at := robot.Pose{X: 1.5, Y: 1.5, Theta: 6 * rng.Float64()}
		guess := at.Compose(robot.Pose{X: 0.2*rng.Float64() - 0.1, Y: 0.2*rng.Float64() - 0.1, Theta: 0.1*rng.Float64() - 0.05})
		got, h := f.Refine(guess, blur(seen(at, room, 3), rng), Normal{})
		if off := at.Inverse().Compose(got); off.Point().Norm() > 0.025 || math.Abs(off.Theta) > 0.01 {
			t.Errorf("from %v it comes %v beside", guess, off)
		}
		if h.Slides() {
			t.Errorf("in a room it slides: %v", h)
		}
	}
}

// blur adds the noise of a lidar to points. Without noise, the field is flat at the points.
func blur(points []robot.Point, rng *rand.Rand) []robot.Point {
	for i := range points {
		points[i] = points[i].Add(robot.Point{X: 0.02 * rng.NormFloat64(), Y: 0.02 * rng.NormFloat64()})
	}
	return points
}

func TestAScanInACorridorSlidesAndIsHeld(t *testing.T) {
	f := fieldOf(hall)
	at := robot.Pose{X: 10, Y: 1}
	var scan []robot.Point
	for _, p := range seen(at, hall, 5) {
		if math.Abs(p.X) < 4 {
			scan = append(scan, p)
		}
	}
	blur(scan, rand.New(rand.NewPCG(2, 2)))
	guess := robot.Pose{X: 10.05, Y: 1.05, Theta: 0.01}
	got, h := f.Refine(guess, scan, Normal{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}})
	if !h.Slides() {
		t.Errorf("it does not slide: %v", h)
	}
	if math.Abs(got.X-guess.X) > 0.01 || math.Abs(got.Y-1) > 0.02 {
		t.Errorf("from %v it moves to %v; it must only move across", guess, got)
	}
	if got, _ := f.Refine(guess, nil, Normal{}); got != guess {
		t.Errorf("without points it moves to %v", got)
	}
	if n := testing.AllocsPerRun(10, func() { f.Refine(guess, scan, Normal{}) }); n > 0 {
		t.Errorf("it allocates %v times", n)
	}
}

func BenchmarkRefine(b *testing.B) {
	f := fieldOf(room)
	scan := seen(robot.Pose{X: 1.5, Y: 1.5}, room, 4)
	for b.Loop() {
		f.Refine(robot.Pose{X: 1.55, Y: 1.45, Theta: 0.03}, scan, Normal{})
	}
}
