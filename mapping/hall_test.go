package mapping

import (
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
)

// hallOfPillars returns a hall of 42 x 26 m with identical pillars 7 m apart, some
// of them with a box beside it.
func hallOfPillars() testFloor {
	var f testFloor
	f.box(0, 0, 42, 26)
	for i := range 5 {
		for j := range 3 {
			x, y := 7*float64(i+1), 6.5*float64(j+1)
			f.box(x-0.25, y-0.25, x+0.25, y+0.25)
			if (3*i+j)%4 == 0 {
				f.box(x+0.6, y-1.2, x+1.4, y-0.8)
			}
		}
	}
	return f
}

// A lidar with a short range sees two or three pillars in the middle of a hall,
// with few beams: they must not pull the pose away from the wheel odometry.
func TestAFewPointsDoNotOutweighTheWheels(t *testing.T) {
	if testing.Short() {
		t.Skip("maps a hall")
	}
	var corners []robot.Point
	for lap := range 2 {
		for i := range 6 {
			x := 3.5 + 7*float64(i)
			if (i+lap)%2 == 0 {
				corners = append(corners, robot.Point{X: x, Y: 3}, robot.Point{X: x, Y: 23})
			} else {
				corners = append(corners, robot.Point{X: x, Y: 23}, robot.Point{X: x, Y: 3})
			}
		}
		corners = append(corners, robot.Point{X: 3.5, Y: 10})
	}
	l := testLidar{beams: 91, view: math.Pi, max: 8, noise: 0.02, rng: rand.New(rand.NewPCG(1, 1))}
	w := testWheels{scale: 1.02, turnScale: 0.98, drift: 0.005, noise: 0.03, rng: rand.New(rand.NewPCG(1, 2))}
	m, odometry, truth := mapDrive(hallOfPillars(), l, w, driveAlong(corners, 0.05, 0.05))
	rms, worst := alignedOff(m.Poses(), truth)
	byWheels, _ := alignedOff(odometry, truth)
	wrong := falseLoops(m, truth)
	t.Logf("RMS %.3f m, worst %.3f m, by the wheels alone %.2f m; %d loops", rms, worst, byWheels, len(m.loops))
	if rms > 0.3 || wrong > 0 {
		t.Errorf("the RMS is %.2f m, want at most 0.3 m; %d loops are false", rms, wrong)
	}
}

func TestAMatchThatCanSwingIsNoLoop(t *testing.T) {
	// Points along an arc of a round wall, whose centre is off to the side.
	around := func(middle robot.Point, from, to float64) (normal matrix3) {
		for a := from; a < to; a += 0.01 {
			sin, cos := math.Sincos(a)
			p := robot.Point{X: middle.X + 5*cos, Y: middle.Y + 5*sin}
			j := vector3{cos, sin, -cos*p.Y + sin*p.X}
			for i := range 3 {
				for k := range 3 {
					normal[3*i+k] += j[i] * j[k]
				}
			}
		}
		return normal
	}
	arc := around(robot.Point{X: 3, Y: 4}, -1.5, 1.5)
	if canSlide(arc, minSlideShare) || !canSwing(arc) {
		t.Error("a round wall holds x and y, but not a turn about its middle")
	}
	other := around(robot.Point{X: -6, Y: 1}, 0, 2)
	for i := range arc {
		arc[i] += other[i]
	}
	if canSwing(arc) {
		t.Error("two round walls hold everything")
	}
}
