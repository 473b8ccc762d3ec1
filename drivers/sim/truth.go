package sim

import (
	"math"
	"slices"
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
	Joints  []float64     // rad or m, in the order of the description
	People  []robot.Point // where they stand, in map, in the order of the scene
}

// Truth tells how the world really is.
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

// A Face is what a lidar meets: a straight face from A to B or, with a radius, a
// round thing around A.
type Face struct {
	A, B   robot.Point // in map
	Radius float64     // m; 0 = straight
	Glass  bool        // a lidar looks through it, unless it looks squarely at it
}

// DistanceTo returns how far a point is from the face, in m; it may be inside a round one.
func (f Face) DistanceTo(p robot.Point) float64 {
	if f.Radius > 0 {
		return math.Abs(p.Sub(f.A).Norm() - f.Radius)
	}
	return robot.Segment{A: f.A, B: f.B}.Distance(p)
}

// Faces tells what stands in the plane of the lidar with this index, people left out.
func (w *World) Faces(lidar int) []Face {
	var faces []Face
	for _, s := range w.lidars.each[lidar].plane.all {
		faces = append(faces, Face{A: s.a, B: s.b, Radius: s.radius, Glass: s.passes > 0})
	}
	return faces
}
