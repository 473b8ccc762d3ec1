package mapping

import (
	"cmp"
	"math"
	"slices"

	"mybot/robot"
)

const (
	loopEvery       = 0.4  // m driven between two key frames that are searched for in older submaps; a rad counts as half a metre
	searchAgain     = 0.75 // m driven between two searches in the same submap
	maxLoopTries    = 4    // submaps per key frame that are searched, nearest first
	minLoopDistance = 12.0 // m driven between a key frame and a submap that it may close a loop with
	minLoopFit      = 0.62 // share of the points that must fit
	minLoopPoints   = 20   // of a scan, because one or two pillars look like others
	minLoopHold     = 0.5  // lowest information of a loop on x and y; 10 to 100 is usual
	recentFrames    = 25   // key frames within which two loops can confirm each other, and a submap counts as tied
	confirmDistance = 0.35 // m, and
	confirmTurn     = 0.06 // rad, by which two loops that confirm each other may differ
	confirmApart    = 0.5  // m driven between them, at least
	newsDistance    = 0.03 // m, or
	newsTurn        = 0.01 // rad, by which a loop must differ from the map for an immediate optimization
	tieDistance     = 1.0  // m that a loop counts as, when errors are added up along paths
	minTieWeight    = 0.3  // by the kernel; below it a loop does not tie its submap
	minLoopWeight   = 0.15 // by the kernel; below it a loop contradicts the rest and is dropped at the end
)

// submapOf returns the newest submap that contains key frame i.
func (m *Mapper) submapOf(i int) int {
	node := m.frames[i].node
	k, _ := slices.BinarySearchFunc(m.submaps, node+2, func(s *submap, n int) int { return cmp.Compare(s.node, n) })
	return max(0, k-1)
}

// distancesTo returns, for each submap, the length in m along which errors add up
// between it and key frame i: from submap to submap as driven, or through loops.
func (m *Mapper) distancesTo(i int) []float64 {
	n := len(m.submaps)
	ties := make([][]int, n)
	for _, l := range m.loops {
		if !m.isSupported(l) {
			continue
		}
		a, b := m.submapOf(l.frame), l.submap
		ties[a], ties[b] = append(ties[a], b), append(ties[b], a)
	}
	distances, done := make([]float64, n), make([]bool, n)
	for k := range distances {
		distances[k] = math.Inf(1)
	}
	distances[m.submapOf(i)] = 0
	begin := make([]float64, n)
	frame := 0
	for k, s := range m.submaps {
		for frame < len(m.frames)-1 && m.frames[frame].node < s.node-1 {
			frame++
		}
		begin[k] = m.frames[frame].distance
	}
	for {
		k := -1
		for j := range distances {
			if !done[j] && !math.IsInf(distances[j], 1) && (k < 0 || distances[j] < distances[k]) {
				k = j
			}
		}
		if k < 0 {
			return distances
		}
		done[k] = true
		reach := func(j int, distance float64) { distances[j] = math.Min(distances[j], distances[k]+distance) }
		if k > 0 {
			reach(k-1, begin[k]-begin[k-1])
		}
		if k+1 < n {
			reach(k+1, begin[k+1]-begin[k])
		}
		for _, j := range ties[k] {
			reach(j, tieDistance)
		}
	}
}

// loopWindow returns the search window of a loop after errors have added up over
// distance m, the shortest path through the graph: matched scans drift by a few per
// cent. A window larger than necessary contains the next of several similar doors.
func loopWindow(distance float64) window {
	return window{
		distance: robot.Clamp(1+0.03*distance, 1, 12),
		turn:     robot.Clamp(0.2+0.002*distance, 0.2, 0.5),
	}
}

// tiedWindow is the search window in a recently tied submap.
var tiedWindow = window{distance: 0.5, turn: 0.1}

// A loop is the pose of a key frame in an older submap, by a match.
type loop struct {
	frame, submap int
	pose          robot.Pose // of base_link in the submap's frame
	information   matrix3    // of the match
	edge          int        // of the pose graph, once the loop is accepted
}

// A loopTry is a submap to search for a key frame.
type loopTry struct {
	submap int
	guess  robot.Pose // of base_link in the submap's frame
	window window
	gap    float64 // m from the robot's nearest position in that submap
}

// loopTries returns the submaps that key frame i may close a loop with, nearest
// first.
func (m *Mapper) loopTries(i int) []loopTry {
	var tries []loopTry
	here, distance := m.graph.nodes[m.frames[i].node], m.frames[i].distance
	var distances []float64
	for k, s := range m.submaps {
		end := m.frames[s.last].distance
		if isOld := m.graph.isFixed(s.node) && m.fixed > 0; !s.finished || !isOld && distance-end < minLoopDistance || distance-s.lastSearch < searchAgain {
			continue
		}
		t := loopTry{submap: k, guess: m.graph.nodes[s.node].Inverse().Compose(here)}
		if distances == nil {
			distances = m.distancesTo(i)
		}
		t.window = loopWindow(distances[k])
		t.gap = s.distanceTo(t.guess.Point())
		if t.gap > math.Max(4, t.window.distance-2) {
			continue
		}
		if m.isTied(i, k) {
			t.window = tiedWindow
		}
		tries = append(tries, t)
	}
	slices.SortStableFunc(tries, func(a, b loopTry) int { return cmp.Compare(a.gap, b.gap) })
	return tries[:min(len(tries), maxLoopTries)]
}

// isSupported reports whether the rest of the graph supports a loop; otherwise later
// searches must not rely on it.
func (m *Mapper) isSupported(l loop) bool { return m.graph.edges[l.edge].weight >= minTieWeight }

// isTied reports whether a loop of the recent key frames before i leads to submap
// k.
func (m *Mapper) isTied(i, k int) bool {
	for j := len(m.loops) - 1; j >= 0 && m.loops[j].frame >= i-recentFrames; j-- {
		if m.loops[j].submap == k && m.isSupported(m.loops[j]) {
			return true
		}
	}
	return false
}

// searchLoop returns the task that searches one submap for key frame i.
func (m *Mapper) searchLoop(i int, points []robot.Point, t loopTry) task {
	var s *poseSearch
	return func() bool {
		if s == nil {
			m.submaps[t.submap].lastSearch = m.frames[i].distance
			s = newPoseSearch(m.pyramidOf(t.submap), t.guess, points, t.window, minLoopFit)
		}
		if !s.advance(sliceLookups) {
			return false
		}
		at, ok := s.result()
		if !ok {
			return true
		}
		field := &m.submaps[t.submap].field
		at, normal := field.refine(at, points, hold{})
		at, onWalls, onSurface := m.submaps[t.submap].surface.refinePose(at, points, hold{})
		information := normal
		if onSurface {
			information = onWalls
		}
		if len(points) < minLoopPoints || canSwing(normal) || canSwing(information) || canSlide(normal, minSlideShare) || canSlide(information, minSlideShare) || information[0]+information[4] < minLoopHold || field.fit(at, points) < minLoopFit {
			m.refused++
			return true
		}
		m.pending = append(m.pending, loop{frame: i, submap: t.submap, pose: at, information: information})
		return true
	}
}

// judgeLoops accepts the pending loops that another one confirms and drops those
// too old to be confirmed. It reports whether the graph must be optimized now.
func (m *Mapper) judgeLoops(i int) (fresh bool) {
	waiting := m.pending[:0:0]
	for _, p := range m.pending {
		switch {
		case p.frame < i-recentFrames:
			m.refused++
		case slices.ContainsFunc(m.pending, func(q loop) bool { return m.confirmsLoop(p, q) }):
			fresh = m.takeLoop(p) || fresh
		default:
			waiting = append(waiting, p)
		}
	}
	m.pending = waiting
	return fresh
}

// confirmsLoop reports whether two loops agree: the motion between their key frames by
// the loops equals that by the key frames in between.
func (m *Mapper) confirmsLoop(p, q loop) bool {
	if max(p.submap-q.submap, q.submap-p.submap) > 2 || math.Abs(m.frames[p.frame].distance-m.frames[q.frame].distance) < confirmApart {
		return false
	}
	byLoops := m.loopPose(p).Inverse().Compose(m.loopPose(q))
	byFrames := m.poseAt(p.frame).Inverse().Compose(m.poseAt(q.frame))
	off := byLoops.Inverse().Compose(byFrames)
	return off.Point().Norm() < confirmDistance && math.Abs(off.Theta) < confirmTurn
}

// loopPose returns the pose of a loop's key frame by the loop, in map.
func (m *Mapper) loopPose(l loop) robot.Pose {
	return m.graph.nodes[m.submaps[l.submap].node].Compose(l.pose)
}

// takeLoop adds a loop to the graph. It reports whether it is news: its submap was
// not recently tied, and is not where the loop says.
func (m *Mapper) takeLoop(l loop) (fresh bool) {
	fresh = !m.isTied(l.frame, l.submap) && isBeyond(m.loopPose(l).Inverse().Compose(m.poseAt(l.frame)), newsDistance, newsTurn)
	l.edge = len(m.graph.edges)
	m.graph.addLoop(edge{a: m.submaps[l.submap].node, b: m.frames[l.frame].node, bFromA: l.pose, precision: matchPrecision(l.information, loopScale)})
	m.loops = append(m.loops, l)
	return fresh
}

// dropFalseLoops removes the loops that contradict the optimized graph, and reports
// whether there were any.
func (m *Mapper) dropFalseLoops() bool {
	var good []loop
	bad := map[int]bool{} // edges
	for _, l := range m.loops {
		if m.graph.edges[l.edge].weight < minLoopWeight {
			bad[l.edge] = true
			continue
		}
		good = append(good, l)
	}
	if len(bad) == 0 {
		return false
	}
	edges := m.graph.edges[:0:0]
	place := make([]int, len(m.graph.edges))
	for i, e := range m.graph.edges {
		if !bad[i] {
			place[i] = len(edges)
			edges = append(edges, e)
		}
	}
	for i := range good {
		good[i].edge = place[good[i].edge]
	}
	m.graph.edges, m.loops, m.refused = edges, good, m.refused+len(bad)
	return true
}
