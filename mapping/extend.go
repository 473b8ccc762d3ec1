package mapping

import (
	"cmp"
	"slices"

	"mybot/robot"
)

// maxFixedStep is the largest distance, in m, between two successive key frames of
// an extended map in one submap.
const maxFixedStep = 3.0

// AddFixed queues a key frame of a finished map that is being extended, at its pose
// in map, which never changes. All of them must come before the first Add. The
// Motion of the first key frame that is added afterwards leads from the last of
// them to the robot's pose in that map by localization, to about half a metre and
// 20 degrees; a match refines it.
func (m *Mapper) AddFixed(k KeyFrame, at robot.Pose) {
	if m.fixed < len(m.promised) {
		m.Add(k) // too late to be fixed
		return
	}
	m.promiseKeyFrame(k.Motion, k.Motion.Point().Norm())
	m.fixed++
	m.queue = append(m.queue, request{kind: addFixed, keyFrame: k, at: at})
}

// placeFixed adds a key frame at its pose. It needs no edges, because nothing can
// move it.
func (m *Mapper) placeFixed(k KeyFrame, at robot.Pose) {
	i, f, distance := len(m.frames), newFrame(k.Cloud), 0.0
	if i > 0 {
		if distance = m.poseAt(i - 1).Inverse().Compose(at).Point().Norm(); distance > maxFixedStep {
			m.finishSubmaps() // the map was extended before, starting here
			distance = 0
		}
		f.distance = m.frames[i-1].distance + distance
	}
	m.newestFit = 1
	m.graph.nodes = append(m.graph.nodes, at)
	f.node = len(m.graph.nodes) - 1
	m.frames = append(m.frames, f)
	m.insertIntoSubmaps(i, at, distance, thinPoints(k.Cloud), fillWalls(k.Cloud), submapPrecision)
	m.graph.edges = m.graph.edges[:0]
	m.graph.fixed = len(m.graph.nodes)
	m.optimized = m.graph.fixed
}

// finishSubmaps ends the running submaps.
func (m *Mapper) finishSubmaps() {
	for _, k := range m.running {
		m.submaps[k].finishSubmap()
	}
	m.running = nil
}

// An arrival is where a key frame after a gap fits into the map.
type arrival struct {
	submap int // -1 = nowhere
	pose   robot.Pose
	fit    float64
}

// placeBehindGap places a key frame that does not follow the previous one in one
// motion, near the pose that its Motion gives, and begins a submap there.
func (m *Mapper) placeBehindGap(k KeyFrame, w window) {
	m.finishSubmaps()
	points := thinPoints(k.Cloud)
	guess := m.poseAt(len(m.frames) - 1).Compose(k.Motion)
	k.Motion = robot.Pose{} // there was no mapping in between
	best := arrival{submap: -1}
	for _, n := range m.nearestSubmaps(guess.Point(), maxLoopTries) {
		m.tasks = append(m.tasks, m.searchArrival(n, guess, points, w, &best))
	}
	m.tasks = append(m.tasks, func() bool {
		if m.newestFit = best.fit; best.submap < 0 {
			m.insertKeyFrame(k, points, placement{at: guess, motion: m.poseAt(len(m.frames) - 1).Inverse().Compose(guess), byMotion: gapPrecision})
			return true
		}
		s := m.submaps[best.submap]
		at := m.graph.nodes[s.node].Compose(best.pose)
		m.insertKeyFrame(k, points, placement{at: at, matched: true, motion: m.poseAt(len(m.frames) - 1).Inverse().Compose(at), byMotion: gapPrecision})
		last := m.frames[len(m.frames)-1]
		m.graph.edges = append(m.graph.edges, edge{a: s.node, b: last.node, bFromA: best.pose, precision: submapPrecision})
		return true
	})
}

// nearestSubmaps returns the n submaps in which the robot came nearest to a place
// in map.
func (m *Mapper) nearestSubmaps(at robot.Point, n int) []int {
	gap := func(k int) float64 {
		s := m.submaps[k]
		return s.distanceTo(m.graph.nodes[s.node].Inverse().Apply(at))
	}
	near := make([]int, len(m.submaps))
	for k := range near {
		near[k] = k
	}
	slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(gap(a), gap(b)) })
	return near[:min(n, len(near))]
}

// searchArrival returns the task that searches one submap for points around a guess
// in map, and updates best if they fit better there.
func (m *Mapper) searchArrival(n int, guess robot.Pose, points []robot.Point, w window, best *arrival) task {
	var search *poseSearch
	return func() bool {
		s := m.submaps[n]
		if search == nil {
			search = newPoseSearch(m.pyramidOf(n), m.graph.nodes[s.node].Inverse().Compose(guess), points, w, minLoopFit)
		}
		if !search.advance(sliceLookups) {
			return false
		}
		if at, ok := search.result(); ok {
			at, normal := s.field.refine(at, points, hold{})
			at, _, _ = s.surface.refinePose(at, points, hold{})
			if fit := s.field.fit(at, points); fit > max(minLoopFit, best.fit) && !canSlide(normal, minSlideShare) {
				*best = arrival{n, at, fit}
			}
		}
		return true
	}
}
