package robot

// A PathPoint is a point of a path, with what is planned there.
type PathPoint struct {
	Pose  Pose    // of M, in map, along the path
	Along float64 // m from the start of the path
	Bend  float64 // 1/m, curvature, left positive
	Speed float64 // m/s, maximum
	Clear float64 // m, clearance of base_link on the map
}
