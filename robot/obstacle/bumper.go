package obstacle

import (
	"math"

	"mybot/robot"
)

const (
	touched = 0.01 // m, assumed distance of a touching obstacle from the hull
	feeling = 0.05 // m, between points along the hull
)

// observeBumper remembers a bump. The bumper does not show where it was touched, so the
// points cover the whole side of the hull that leads in the direction of motion.
func (l *Layer) observeBumper(pressed bool, moved float64) {
	if moved != 0 {
		l.backwards = moved < 0
	}
	if pressed && !l.bumped {
		front := 1.0
		if l.backwards {
			front = -1
		}
		hull := l.desc.Body.Outline()
		for i, a := range hull {
			leg := hull[(i+1)%len(hull)].Sub(a)
			// The hull is counter-clockwise: its outside is to the right of each edge.
			if leg.Y*front < math.Abs(leg.X) {
				continue
			}
			parts := math.Ceil(leg.Norm() / feeling)
			for k := 0.0; k <= parts; k++ {
				at := robot.Point{X: a.X + leg.X*k/parts + front*touched, Y: a.Y + leg.Y*k/parts}
				l.raster.put(point{at: l.odom.Apply(at), seen: l.now, kind: felt, sure: true})
			}
		}
		l.stale = true
	}
	l.bumped = pressed
}
