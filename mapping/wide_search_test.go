package mapping

import (
	"math"
	"testing"

	"mybot/robot"
)

// searchWide searches for points in a submap of walls, from a guess.
func searchWide(walls, points []robot.Point, guess robot.Pose) (robot.Pose, bool) {
	var s submap
	s.field.insert(robot.Pose{}, walls)
	near := prior{guess: guess, window: window{nearDistance, nearTurn}, slip: 0.1}
	w := newWideSearch(&s, near, points, wideWindow(0, 0), 0)
	for !w.advance() {
	}
	return w.result()
}

// line returns points from a to b, 5 cm apart.
func line(a, b robot.Point) (points []robot.Point) {
	n := int(b.Sub(a).Norm() / 0.05)
	for i := range n {
		s := float64(i) / float64(n)
		points = append(points, robot.Point{X: a.X + s*(b.X-a.X), Y: a.Y + s*(b.Y-a.Y)})
	}
	return points
}

// seenFrom returns points as seen from a pose.
func seenFrom(at robot.Pose, points []robot.Point) (seen []robot.Point) {
	for _, p := range points {
		seen = append(seen, at.Inverse().Apply(p))
	}
	return seen
}

func TestAScanOfWhichAThirdFitsIsFoundWhereItFitsNowhereElse(t *testing.T) {
	known := append(line(robot.Point{X: 3, Y: -1}, robot.Point{X: 3, Y: 2}), line(robot.Point{X: 3, Y: 2}, robot.Point{X: 0, Y: 3})...)
	// The scan also sees something new: a curved wall far behind.
	seen := append([]robot.Point(nil), known...)
	for i := range 2 * len(known) {
		sin, cos := math.Sincos(math.Pi/2 + float64(i)*0.012)
		seen = append(seen, robot.Point{X: 6 * cos, Y: -7 + 5*sin})
	}
	truth := robot.Pose{X: 0.6, Y: -0.5, Theta: 0.35} // 20 deg off the wheels
	at, ok := searchWide(known, seenFrom(truth, seen), robot.Pose{})
	if !ok {
		t.Fatal("the scan was not found")
	}
	wantPose(t, "the scan", at, truth, 0.08, 0.02)
}

func TestAScanOfWhichAThirdFitsAtSeveralPlacesIsFoundAtNone(t *testing.T) {
	post := func(x float64) []robot.Point {
		return append(line(robot.Point{X: x, Y: 1}, robot.Point{X: x + 0.3, Y: 1}), line(robot.Point{X: x + 0.3, Y: 1}, robot.Point{X: x + 0.3, Y: 1.5})...)
	}
	known := append(post(0), post(0.7)...)
	seen := append([]robot.Point(nil), post(0)...)
	for i := range 2 * len(seen) {
		seen = append(seen, robot.Point{X: -8 - 0.1*float64(i%7), Y: -8 + 0.3*float64(i)})
	}
	if at, ok := searchWide(known, seen, robot.Pose{X: -0.4}); ok {
		t.Errorf("a post like the next one was found at %+v", at)
	}
}

func TestOfPlacesThatLookAlikeTheWheelsSayWhichOne(t *testing.T) {
	var known []robot.Point
	for i := range 6 { // niches, 0.8 m apart
		x := 0.8 * float64(i)
		known = append(known, line(robot.Point{X: x, Y: 1}, robot.Point{X: x + 0.4, Y: 1})...)
		known = append(known, line(robot.Point{X: x + 0.4, Y: 1}, robot.Point{X: x + 0.4, Y: 1.3})...)
		known = append(known, line(robot.Point{X: x + 0.4, Y: 1.3}, robot.Point{X: x + 0.8, Y: 1.3})...)
	}
	seen := known[:len(known)/2]
	for _, shift := range []float64{0, 0.8, 1.6} {
		truth := robot.Pose{X: shift}
		guess := robot.Pose{X: shift + 0.1, Y: 0.05}
		if at, ok := searchWide(known, seen, guess); !ok || math.Abs(at.X-truth.X) > 0.06 {
			t.Errorf("the scan is at %+v, %v; the nearest such place is %+v", at, ok, truth)
		}
	}
}

func TestTheWideWindowGrowsWithTheMotion(t *testing.T) {
	if w := wideWindow(0.3, 0.1); w != (window{wideDistance, wideTurn}) {
		t.Errorf("after 0.3 m it is %+v", w)
	}
	if w := wideWindow(3, 1.5); w.distance != 1.5 || w.turn != maxWideTurn {
		t.Errorf("after 3 m and 86 deg it is %+v", w)
	}
}
