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

// heading returns the compass's yaw in map, in rad; NaN without a compass. To
// the true yaw it adds a bias, a share that changes with the robot's own yaw
// (its iron), what the magnets nearby do, and noise.
func (w *World) heading() float64 {
	if !w.desc.Compass {
		return math.NaN()
	}
	m, p := w.scene.Compass, w.base.pose
	yaw := p.Theta + m.Bias + m.Iron*math.Sin(p.Theta) + m.Noise*w.compass.rng.NormFloat64()
	for _, s := range w.scene.Magnets {
		yaw += s.deviation(p.Point())
	}
	return robot.WrapAngle(yaw)
}

// deviation returns how far, in rad, the magnet turns a compass at p: all of
// it in the middle, nothing from its radius on, smooth between.
func (m Magnet) deviation(p robot.Point) float64 {
	r := p.Sub(m.Point).Norm() / m.Radius
	if !(r < 1) {
		return 0
	}
	return m.Deviation * (1 - r*r) * (1 - r*r)
}
