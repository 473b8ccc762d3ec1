package robot

// A PathPoint is one point of a path that is being followed, and what is planned there.
type PathPoint struct {
	Pose  Pose    // of M, in map, along the path
	Along float64 // m from the start of the path
	Bend  float64 // 1/m, curvature, left positive
	Speed float64 // m/s at most
	Clear float64 // m from base_link to what is on the map
}
