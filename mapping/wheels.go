package mapping

import (
	"math"

	"mybot/robot"
)

// Prior standard deviations of the errors of wheels.
const (
	scaleUnknown = 0.03 // relative error of distances
	turnUnknown  = 0.05 // relative error of rotations
	pullUnknown  = 0.05 // rad per m, to one side

	wheelDistance      = 0.005 // m of each motion as random error, and
	wheelDistanceShare = 0.02  // m per m
	wheelTurn          = 0.003 // rad, and
	wheelTurnShare     = 0.04  // rad per rad, and
	wheelTurnPerMetre  = 0.02  // rad per m

	matchedDistance = 0.01  // m and
	matchedTurn     = 0.004 // rad, error of a matched motion

	learnedDistance = 200.0 // m after which what was learned has faded to 1/e
)

// wheels is what the Mapper has learned about the errors of odometry, from motions
// that matches confirm: the systematic errors, by recursive least squares, and the
// size of the rest.
type wheels struct {
	scale float64 // m driven for each m measured, less 1
	turn  float64 // rad turned for each rad measured, less 1
	pull  float64 // rad turned for each m measured

	distanceRight, distanceNormal float64    // of the least squares for scale,
	turnRight                     [2]float64 // and of the least squares for turn and pull
	turnNormal                    [3]float64
	distanceRest, turnRest        varianceRatio
}

// correct returns the most likely motion for a motion measured by the wheels.
func (w *wheels) correct(measured robot.Pose) robot.Pose {
	off := w.turn*measured.Theta + w.pull*measured.Point().Norm()
	p := robot.Pose{Theta: off / 2}.Apply(measured.Point()) // the error of the heading grows along the motion
	return robot.Pose{X: (1 + w.scale) * p.X, Y: (1 + w.scale) * p.Y, Theta: robot.WrapAngle(measured.Theta + off)}
}

// learn compares a measured motion with the true one by matches. If they differ by
// more than the possible errors of wheels, the wheels slipped, and nothing is
// learned.
func (w *wheels) learn(measured, was robot.Pose) {
	distance := measured.Point().Norm()
	w.fadeBy(math.Exp(-distance / learnedDistance))
	spreadWay, spreadTurn := assumedSpread(measured)
	if distance > 0.02 {
		half := robot.Pose{Theta: -(w.turn*measured.Theta + w.pull*distance) / 2}
		off := measured.Point().Dot(half.Apply(was.Point()))/distance - distance
		if math.Abs(off) < 0.15*distance+0.03 {
			w.distanceRest.add((off - w.scale*distance) / spreadWay)
			v := square(matchedDistance) + square(wheelDistance) + square(wheelDistanceShare*distance)
			w.distanceRight += distance * off / v
			w.distanceNormal += distance * distance / v
			w.scale = w.distanceRight / (w.distanceNormal + 1/square(scaleUnknown))
		}
	}
	off := robot.WrapAngle(was.Theta - measured.Theta)
	if math.Abs(off) > 0.3*math.Abs(measured.Theta)+0.15*distance+0.05 {
		return
	}
	w.turnRest.add((off - w.turn*measured.Theta - w.pull*distance) / spreadTurn)
	v := square(matchedTurn) + square(wheelTurn) + square(wheelTurnShare*measured.Theta) + square(wheelTurnPerMetre*distance)
	w.turnNormal[0] += measured.Theta * measured.Theta / v
	w.turnNormal[1] += measured.Theta * distance / v
	w.turnNormal[2] += distance * distance / v
	w.turnRight[0] += measured.Theta * off / v
	w.turnRight[1] += distance * off / v
	a, b, c := w.turnNormal[0]+1/square(turnUnknown), w.turnNormal[1], w.turnNormal[2]+1/square(pullUnknown)
	det := a*c - b*b
	w.turn = (c*w.turnRight[0] - b*w.turnRight[1]) / det
	w.pull = (a*w.turnRight[1] - b*w.turnRight[0]) / det
}

// fadeBy reduces the weight of everything learned.
func (w *wheels) fadeBy(by float64) {
	w.distanceRight *= by
	w.distanceNormal *= by
	for i := range w.turnRight {
		w.turnRight[i] *= by
	}
	for i := range w.turnNormal {
		w.turnNormal[i] *= by
	}
}

// assumedSpread returns the prior standard deviation of a corrected motion, in m
// and rad.
func assumedSpread(motion robot.Pose) (distance, turn float64) {
	distance = motion.Point().Norm()
	return wheelDistance + wheelDistanceShare*distance, wheelTurn + wheelTurnShare*math.Abs(motion.Theta) + wheelTurnPerMetre*distance
}

// standardDeviations returns the standard deviation of a corrected motion, in m and rad.
func (w *wheels) standardDeviations(motion robot.Pose) (distance, turn float64) {
	distance, turn = assumedSpread(motion)
	return distance * w.distanceRest.deviationRatio(), turn * w.turnRest.deviationRatio()
}

// A varianceRatio is by how much the variance of something exceeds the assumed one:
// the mean of the squared errors, in assumed standard deviations, over some hundred
// of them.
type varianceRatio struct{ sum, weight float64 }

const (
	ratioBegin  = 4.0  // initial ratio, as if this much had been observed
	ratioSure   = 5.0  // times
	ratioMemory = 100  // errors after which one has faded to 1/e
	maxSquare   = 64.0 // of one error
	minRatio    = 0.5
)

func (v *varianceRatio) add(off float64) {
	const fade = 1 - 1.0/ratioMemory
	v.sum, v.weight = fade*v.sum+math.Min(off*off, maxSquare), fade*v.weight+1
}

// deviationRatio returns the square root of the ratio, which is that of standard deviations.
func (v *varianceRatio) deviationRatio() float64 {
	return math.Sqrt(math.Max(minRatio, (v.sum+ratioBegin*ratioSure)/(v.weight+ratioSure)))
}

func square(x float64) float64 { return x * x }
