package sim

import (
	"time"

	"mybot/robot"
)

// Truth is what no robot knows: for experiments and --truth only.
type Truth struct {
	Time    time.Time
	Pose    robot.Pose    // of base_link in map
	Twist   robot.Twist   // at M, over the floor
	Contact bool          // the hull touches something
	Nearest float64       // m from the hull to what stands or walks close to it; +Inf = nothing within a step
	People  []robot.Point // where they stand, in map, in the order of the scene
}

// Truth tells how the world really is.
func (w *World) Truth() Truth {
	t := Truth{
		Time:    w.time,
		Pose:    w.base.pose,
		Twist:   w.base.ground,
		Contact: w.base.touching,
		Nearest: w.clearance(w.base.pose),
	}
	for i := range w.walkers {
		t.People = append(t.People, w.walkers[i].at)
	}
	return t
}
