package mapping

import (
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
)

func TestWheelsThatAreWrongAreLearned(t *testing.T) {
	for _, c := range []testWheels{
		{scale: 1.03, turnScale: 0.97, drift: 0.01, noise: 0.03},
		{scale: 0.97, turnScale: 1.03, drift: -0.05, noise: 0.03},
		{scale: 1, turnScale: 1, noise: 0.1},
	} {
		c.rng = rand.New(rand.NewPCG(1, 1))
		var w wheels
		for i := range 300 {
			step := robot.Pose{X: 0.2, Theta: 0.1 * float64(i%7-3)}
			w.learn(c.motion(robot.Pose{}, step), step)
		}
		c.noise = 0
		step := robot.Pose{X: 0.5, Theta: 0.3}
		off := w.correct(c.motion(robot.Pose{}, step)).Inverse().Compose(step)
		if math.Abs(off.X) > 0.008 || math.Abs(off.Theta) > 0.01 {
			t.Errorf("%+v: a motion of half a metre is corrected to %+v off", c, off)
		}
	}
}

func TestWheelsThatSlipTeachNothing(t *testing.T) {
	var w wheels
	for range 100 {
		w.learn(robot.Pose{X: 0.5, Theta: 0.1}, robot.Pose{X: 0.1, Theta: 1})
	}
	if at := w.correct(robot.Pose{X: 1, Theta: 1}); at != (robot.Pose{X: 1, Theta: 1}) {
		t.Errorf("the motion is corrected to %+v", at)
	}
}

func TestOdometryIsAskedAlongACorridorOnly(t *testing.T) {
	// Walls along a line at 30°: the match constrains the motion across them.
	along := turnMatrix(matrix3{0: 0.1, 4: 80, 8: 400}, math.Pi/6)
	open := turnMatrix(opennessOf(along), -math.Pi/6)
	if open[0] < 0.9 || open[4] > 0.01 || math.Abs(open[1]) > 1e-9 || open[8] > 0.02 {
		t.Errorf("openness %v", open)
	}
	if open := opennessOf(matrix3{}); open != (matrix3{0: 1, 4: 1, 8: 1}) {
		t.Errorf("without a match %v is open", open)
	}
}
