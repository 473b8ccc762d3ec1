package mapping

import (
	"math"

	"mybot/robot"
)

const (
	nearDistance      = 0.20 // m, and
	nearTurn          = 0.08 // rad, expected largest error of odometry between two key frames, plus these shares of the motion:
	nearDistanceShare = 0.2  // m a m
	nearTurnShare     = 0.15 // rad a rad
	nearTurnPerMetre  = 0.05 // rad a m
	doubtfulFit       = 0.6  // share of fitting points below which the wide window is searched too, where
	clearlyBetter     = 0.1  // this much more must fit
	minFit            = 0.45 // share of fitting points below which odometry counts as much
	slipDistance      = 0.17 // m, and
	slipTurn          = 0.17 // rad, standard deviations of odometry that did not lead near enough

	sliceLookups  = 1_000_000 // lookups per slice of a search
	optimizeEvery = 40        // nodes after which the graph is optimized again, if it has loops
	loopRounds    = 12        // of the optimization after a loop to another submap
	quietRounds   = 4         // after optimizeEvery nodes
	finishRounds  = 20        // at the end
)

// The precision of the edges of the graph. A normal matrix is for the mean point,
// in units of (0.1 m)^2; these scales convert it to the inverse covariance of a
// match.
const (
	matchScale       = 2000.0 // of a key frame in its submap: as if 150 independent points were accurate to 3 cm each
	loopScale        = 1500.0 // of a key frame in an older submap
	leastInformation = 1.0    // 1/m2 and 1/rad2
	holdScale        = 6e-4   // from the inverse covariance of odometry to a weight beside a normal matrix
)

var (
	submapPrecision = equalPrecision(1/0.03, 1/0.01)
	beginPrecision  = equalPrecision(1/0.003, 1/0.001) // of the first key frame of a submap
	gapPrecision    = equalPrecision(1/0.05, 1/0.02)   // between key frames without mapping in between
)

// A task is a part of the Mapper's work. It does one slice and reports whether it
// has finished.
type task func() (done bool)

// A Mapper makes a map from key frames. The zero value is ready for use. One
// goroutine owns it.
type Mapper struct {
	frames   []frame
	graph    poseGraph
	submaps  []*submap
	running  []int // the one or two submaps that key frames are inserted into, older first
	pyramids []*pyramid
	loops    []loop // edges of the graph
	pending  []loop // matched, not yet confirmed
	queue    []request
	tasks    []task     // of the current request, in order
	promised []promise  // one per key frame, placed or queued
	carried  robot.Pose // total motion of the last key frames that were taken back
	fixed    int        // number of the first key frames, whose poses are given
	gap      window     // search window of the next key frame, from Interrupt and Restart; zero = no gap

	sinceSearch float64 // m driven since the last key frame that was searched for in older submaps
	optimized   int     // nodes at the last optimization
	rounds      int     // rounds of the newest optimization so far
	newestFit   float64 // share of the newest key frame's points that fit
	wheels      wheels  // learned errors of odometry
	refused     int     // matches that were rejected as loops, or dropped later
	wide        int     // key frames for which the wide window was searched
	mounting    mountingCheck
}

// Step does one slice of the work, some milliseconds long, and reports whether
// there is more to do.
func (m *Mapper) Step() (more bool) {
	switch {
	case len(m.tasks) > 0:
		if m.tasks[0]() {
			m.tasks = m.tasks[1:]
		}
	case len(m.queue) > 0:
		r := m.queue[0]
		m.queue = m.queue[1:]
		m.beginRequest(r)
	}
	return m.Busy()
}

// judgeMap is the task that drops false loops, and optimizes again if there were
// any.
func (m *Mapper) judgeMap() (done bool) {
	if m.dropFalseLoops() {
		m.tasks = append(m.tasks, m.optimizeGraph(finishRounds))
	}
	return true
}

// poseAt returns the pose of base_link at key frame i, in map.
func (m *Mapper) poseAt(i int) robot.Pose { return m.graph.nodes[m.frames[i].node] }

// placeKeyFrame finds the pose of a key frame near that of odometry.
func (m *Mapper) placeKeyFrame(k KeyFrame) {
	points := thinPoints(k.Cloud)
	if len(m.frames) == 0 {
		m.beginSubmap(robot.Pose{})
		m.newestFit = 1
		m.insertKeyFrame(k, points, placement{matched: true})
		return
	}
	s := m.submaps[m.running[0]]
	base := m.graph.nodes[s.node]
	last := base.Inverse().Compose(m.poseAt(len(m.frames) - 1))
	motion := m.wheels.correct(k.Motion)
	guess := last.Compose(motion)
	distance, turn := k.Motion.Point().Norm(), math.Abs(k.Motion.Theta)
	sdWay, sdTurn := m.wheels.standardDeviations(k.Motion)
	near := prior{guess, window{
		distance: nearDistance + nearDistanceShare*distance,
		turn:     nearTurn + nearTurnShare*turn + nearTurnPerMetre*distance,
	}, usualSlip * sdWay}
	at := s.field.matchNear(near, points)
	h := equalHold(guess, holdScale/square(sdWay), holdScale/square(sdTurn))
	finish := func() {
		var information matrix3
		if len(points) > 0 {
			at, information = s.matchPoints(at, points, h)
			h.weight = weighOpen(opennessOf(information), holdScale/square(sdWay), holdScale/square(sdTurn))
			at, information = s.matchPoints(at, points, h)
		}
		m.newestFit = s.field.fit(at, points)
		p := placement{at: base.Compose(at), matched: m.newestFit >= minFit, information: information, motion: motion}
		if p.matched {
			m.learnWheels(k.Motion, last, at, h, information)
		}
		open := turnMatrix(opennessOf(information), -last.Theta) // the motion is in the frame of the previous key frame
		p.byMotion, _ = precisionOf(weighOpen(open, 1/square(sdWay), 1/square(sdTurn)))
		m.insertKeyFrame(k, points, p)
	}
	fit := s.field.fit(at, points)
	if fit >= doubtfulFit {
		finish()
		return
	}
	m.wide++
	search := newWideSearch(s, near, points, wideWindow(distance, turn), fit+clearlyBetter)
	m.tasks = append(m.tasks, func() bool {
		if !search.advance() {
			return false
		}
		if far, ok := search.result(); ok {
			at = far
			h = equalHold(far, holdScale/square(slipDistance), holdScale/square(slipTurn))
			sdWay, sdTurn = slipDistance, slipTurn
		}
		finish()
		return true
	})
}

// learnWheels passes the wheels a motion from a match that cannot slide.
func (m *Mapper) learnWheels(motion, last, at robot.Pose, h hold, information matrix3) {
	if canSlide(information, minLearnShare) {
		return
	}
	// The match alone, without the hold.
	free := information
	if !free.factorize() {
		return
	}
	var d vector3
	for i, off := range h.offsetOf(at) {
		for j := range 3 {
			d[j] += h.weight[3*j+i] * off
		}
	}
	d = free.solveUpper(free.solveLower(d))
	was := last.Inverse().Compose(robot.Pose{X: at.X + d[0], Y: at.Y + d[1], Theta: at.Theta + d[2]})
	m.wheels.learn(motion, was)
}

// A placement is the pose of a key frame and where it comes from.
type placement struct {
	at          robot.Pose // in map
	matched     bool       // the scan fits there
	information matrix3    // normal matrix of that match, in the frame of the running submap
	motion      robot.Pose // since the previous key frame
	byMotion    precision  // precision of motion
}

// insertKeyFrame adds a placed key frame to the map.
func (m *Mapper) insertKeyFrame(k KeyFrame, points []robot.Point, p placement) {
	i, at := len(m.frames), p.at
	f := newFrame(k.Cloud)
	distance, bySubmap := 0.0, matchPrecision(p.information, matchScale)
	if !p.matched {
		bySubmap = bySubmap.weakened()
	}
	m.graph.nodes = append(m.graph.nodes, at)
	f.node = len(m.graph.nodes) - 1
	if i > 0 {
		distance = k.Motion.Point().Norm()
		f.distance = m.frames[i-1].distance + distance
		m.graph.edges = append(m.graph.edges, edge{a: m.frames[i-1].node, b: f.node, bFromA: p.motion, precision: p.byMotion})
		m.sinceSearch += distance + math.Abs(k.Motion.Theta)/2
	}
	m.frames = append(m.frames, f)
	m.insertIntoSubmaps(i, at, distance, points, fillWalls(k.Cloud), bySubmap)
	if m.sinceSearch > loopEvery {
		m.sinceSearch = 0
		for _, t := range m.loopTries(i) {
			m.tasks = append(m.tasks, m.searchLoop(i, points, t))
		}
		m.tasks = append(m.tasks, func() bool {
			m.closeLoops(i)
			return true
		})
	}
}

// matchPoints refines a pose in a submap, and returns the normal matrix of the scan
// there.
func (s *submap) matchPoints(at robot.Pose, points []robot.Point, h hold) (robot.Pose, matrix3) {
	at, information := s.field.refine(at, points, h)
	if polished, onWalls, ok := s.surface.refinePose(at, points, h); ok {
		return polished, onWalls
	}
	return at, information
}

// matchPrecision returns the precision of a match with this normal matrix.
func matchPrecision(information matrix3, scale float64) precision {
	for i := range information {
		information[i] *= scale
	}
	for i := range 3 {
		information[4*i] += leastInformation
	}
	if r, ok := precisionOf(information); ok {
		return r
	}
	return equalPrecision(1, 1)
}

// weakening is the factor by which edges of a key frame that did not fit are less
// precise.
const weakening = 3

func (r precision) weakened() precision {
	for i := range r {
		r[i] /= weakening
	}
	return r
}

// closeLoops judges the loops found up to key frame i, and queues an optimization
// if one is due.
func (m *Mapper) closeLoops(i int) {
	switch {
	case m.judgeLoops(i):
		m.tasks = append(m.tasks, m.optimizeGraph(loopRounds))
	case len(m.loops) > 0 && len(m.graph.nodes)-m.optimized > optimizeEvery:
		m.tasks = append(m.tasks, m.optimizeGraph(quietRounds))
	}
}

// optimizeGraph returns the task that moves everything to where all edges agree best.
func (m *Mapper) optimizeGraph(rounds int) task {
	var o *optimization
	return func() bool {
		if o == nil {
			o = newOptimization(&m.graph, rounds)
			m.optimized = len(m.graph.nodes)
		}
		done := o.advance()
		m.rounds = rounds - o.rounds
		return done
	}
}

// FinishRounds is the largest number of rounds of Finish's optimization.
const FinishRounds = finishRounds

// Rounds returns the number of rounds of the newest optimization so far.
func (m *Mapper) Rounds() int { return m.rounds }

// Poses returns the poses of base_link at the placed key frames, in map.
func (m *Mapper) Poses() []robot.Pose {
	poses := make([]robot.Pose, len(m.frames))
	for i := range poses {
		poses[i] = m.poseAt(i)
	}
	return poses
}

// A Summary describes a map.
type Summary struct {
	KeyFrames    int
	Fixed        int     // number of the first ones, of an extended map
	Way          float64 // m driven, by odometry
	Submaps      int
	Loops        int     // accepted
	LoopsRefused int     // matches that could slide, were not confirmed, or contradicted the rest
	LoopWay      float64 // m, and
	LoopTurn     float64 // rad, mean difference between the loops and the map
	Searched     int     // key frames that odometry did not place well enough
}

// Summary returns a description of the map so far.
func (m *Mapper) Summary() Summary {
	s := Summary{KeyFrames: len(m.frames), Fixed: min(m.fixed, len(m.frames)), Submaps: len(m.submaps), Loops: len(m.loops), LoopsRefused: m.refused, Searched: m.wide}
	if len(m.frames) > 0 {
		s.Way = m.frames[len(m.frames)-1].distance
	}
	for _, l := range m.loops {
		off := m.loopPose(l).Inverse().Compose(m.poseAt(l.frame))
		s.LoopWay += off.Point().Norm() / float64(len(m.loops))
		s.LoopTurn += math.Abs(off.Theta) / float64(len(m.loops))
	}
	return s
}
