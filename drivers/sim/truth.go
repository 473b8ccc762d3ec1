package sim

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
)

// Truth is what no robot can know. It is for experiments and --truth only.
type Truth struct {
	Time    time.Time
	Pose    robot.Pose    // of base_link in map
	Twist   robot.Twist   // at M, over the floor
	Contact bool          // the hull touches something
	Nearest float64       // m from the hull to the nearest thing or person; +Inf = nothing within a step
	Joints  []float64     // rad or m, in the order of the description
	People  []robot.Point // their positions in map, in the order of the scene
}

// Truth returns the true state of the world.
func (w *World) Truth() Truth {
	t := Truth{
		Time:    w.time,
		Pose:    w.base.pose,
		Joints:  slices.Clone(w.joints.at),
		Twist:   w.base.ground,
		Contact: w.base.touching,
		Nearest: w.measureClearance(w.base.pose),
	}
	for i := range w.walkers {
		t.People = append(t.People, w.walkers[i].at)
	}
	return t
}

// A Face is what a lidar can hit: a straight face from A to B or, with a radius, a
// round thing around A.
type Face struct {
	A, B   robot.Point // in map
	Radius float64     // m; 0 = straight
	Glass  bool        // a lidar passes through it, unless it hits it squarely
}

// DistanceTo returns the distance of a point from the face, in m; the point may be
// inside a round one.
func (f Face) DistanceTo(p robot.Point) float64 {
	if f.Radius > 0 {
		return math.Abs(p.Sub(f.A).Norm() - f.Radius)
	}
	return robot.Segment{A: f.A, B: f.B}.Distance(p)
}

// Faces returns what stands in the plane of the lidar with this index, without
// people.
func (w *World) Faces(lidar int) []Face {
	var faces []Face
	for _, s := range w.lidars.each[lidar].plane.all {
		faces = append(faces, Face{A: s.a, B: s.b, Radius: s.radius, Glass: s.passes > 0})
	}
	return faces
}
