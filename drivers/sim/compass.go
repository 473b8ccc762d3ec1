package sim

import (
	"math"
	"math/rand/v2"

	"mybot/robot"
)

// compass is the electronic compass.
type compass struct {
	rng *rand.Rand
}

// compassHeading returns the compass's yaw in map, in rad; NaN without a compass.
// To the true yaw it adds a bias, a part that depends on the robot's own yaw (its
// iron), the deviation of nearby magnets, and noise.
func (w *World) compassHeading() float64 {
	if !w.desc.Compass {
		return math.NaN()
	}
	m, p := w.scene.Compass, w.base.pose
	yaw := p.Theta + m.Bias + m.Iron*math.Sin(p.Theta) + m.Noise*w.compass.rng.NormFloat64()
	for i := range w.things {
		if t := &w.things[i]; t.Kind == MagnetKind {
			yaw += t.deviationAt(p.Point())
		}
	}
	return robot.WrapAngle(yaw)
}

// deviationAt returns by how much, in rad, a magnet deflects a compass at p: fully
// at its centre, not at all from its radius on, and smoothly in between.
func (t *Thing) deviationAt(p robot.Point) float64 {
	r := p.Sub(t.Point).Norm() / t.Radius
	if !(r < 1) {
		return 0
	}
	return t.deviation * (1 - r*r) * (1 - r*r)
}
