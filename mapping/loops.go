package mapping

import "mybot/robot"

// A Closure is an accepted loop: the pose of base_link at one key frame in the
// frame of an earlier one.
type Closure struct {
	From, To int        // indices of key frames
	Pose     robot.Pose // of base_link at To, in the frame of base_link at From
}

// Closures returns the accepted loops in the order in which they were found. From
// is the first key frame of the submap of the loop.
func (m *Mapper) Closures() []Closure {
	frameOf := map[int]int{} // by node
	for i := range m.frames {
		frameOf[m.frames[i].node] = i
	}
	first := map[int]int{} // by node of a submap: its first key frame
	for _, e := range m.graph.edges {
		i, ok := frameOf[e.b]
		if _, is := frameOf[e.a]; !ok || is {
			continue
		}
		if k, known := first[e.a]; !known || i < k {
			first[e.a] = i
		}
	}
	closures := make([]Closure, 0, len(m.loops))
	for _, l := range m.loops {
		closures = append(closures, Closure{From: first[m.submaps[l.submap].node], To: l.frame, Pose: l.pose})
	}
	return closures
}
