package mapping

import (
	"math"

	"mybot/robot"
)

const (
	nearWay       = 0.20 // m and
	nearTurn      = 0.08 // rad, that odometry may be wrong by between two key frames, and shares of the motion:
	nearWayShare  = 0.2  // m a m
	nearTurnShare = 0.15 // rad a rad
	nearTurnWay   = 0.05 // rad a m
	doubtfulFit   = 0.6  // of the points fit, or the key frame is searched for in the wide window too, where
	clearlyBetter = 0.1  // more of them must fit, and
	minFit        = 0.45 // at all
	holdWay       = 0.02 // weights that hold a refined pose to the matched one
	holdTurn      = 0.02

	sliceLookups  = 1_000_000 // points that a search looks up in one slice
	optimizeEvery = 40        // nodes after which the graph is optimized again, when it has loops
	loopRounds    = 10        // of the optimization after a loop to another submap,
	quietRounds   = 4         // after optimizeEvery nodes,
	finishRounds  = 20        // and at the end
)

// wideWindow is where a key frame is searched for when odometry did not lead near enough.
var wideWindow = window{way: 1, turn: 0.6}

// How sure the edges of the graph are.
var (
	submapPrecision = precision{1 / 0.03, 1 / 0.01} // of a key frame in its submap
	motionPrecision = precision{1 / 0.05, 1 / 0.02} // from a key frame to the next
	loopPrecision   = precision{1 / 0.03, 1 / 0.01}
)

// A task is a piece of the Mapper's work. It does one slice and reports whether it is done.
type task func() (done bool)

// A Mapper makes a map from key frames. Its zero value is ready for use. One goroutine owns it.
type Mapper struct {
	frames   []frame
	graph    poseGraph
	submaps  []*submap
	running  []int // the one or two submaps that key frames are inserted into, the older first
	pyramids []*pyramid
	loops    []loop // edges of the graph
	pending  []loop // matched, and not confirmed yet
	queue    []request
	tasks    []task     // of the request that is worked on, in their order
	promised []promise  // a key frame each, placed or queued
	carried  robot.Pose // motion of the key frames that were taken back last
	fixed    int        // key frames, the first, whose poses were given
	gap      window     // in which the next key frame is searched for, by Interrupt and Restart; zero = it follows the one before

	sinceSearch float64 // m of way since the last key frame that was searched for in older submaps
	tiedAt      float64 // m of way at the newest key frame that closed a loop
	optimized   int     // nodes at the last optimization
	newestFit   float64 // share of the points of the newest key frame that fitted
	refused     int     // matches that did not become loops, or did not stay
	wide        int     // key frames that were searched for in the wide window
}

// Step does one slice of the work, of some milliseconds, and reports whether there is
// more to do.
func (m *Mapper) Step() (more bool) {
	switch {
	case len(m.tasks) > 0:
		if m.tasks[0]() {
			m.tasks = m.tasks[1:]
		}
	case len(m.queue) > 0:
		r := m.queue[0]
		m.queue = m.queue[1:]
		m.begin(r)
	}
	return m.Busy()
}

// judgeMap is the task that drops false loops, and optimizes again when there were any.
func (m *Mapper) judgeMap() (done bool) {
	if m.dropFalseLoops() {
		m.tasks = append(m.tasks, m.optimize(finishRounds))
	}
	return true
}

// pose returns the pose of base_link at key frame i, in map.
func (m *Mapper) pose(i int) robot.Pose { return m.graph.nodes[m.frames[i].node] }

// place finds the pose of a key frame near where odometry says it is.
func (m *Mapper) place(k KeyFrame) {
	points := thinPoints(k.Cloud)
	if len(m.frames) == 0 {
		m.beginSubmap(robot.Pose{})
		m.newestFit = 1
		m.insert(k, robot.Pose{}, points, true)
		return
	}
	s := m.submaps[m.running[0]]
	base := m.graph.nodes[s.node]
	guess := base.Inverse().Compose(m.pose(len(m.frames) - 1).Compose(k.Motion))
	way, turn := k.Motion.Point().Norm(), math.Abs(k.Motion.Theta)
	at := s.field.matchNear(guess, points, window{
		way:  nearWay + nearWayShare*way,
		turn: nearTurn + nearTurnShare*turn + nearTurnWay*way,
	})
	finish := func() {
		if len(points) > 0 {
			at, _ = s.field.refine(at, points, holdWay, holdTurn)
			at, _, _ = s.surface.polish(at, points, holdWay, holdTurn)
		}
		m.newestFit = s.field.fit(at, points)
		m.insert(k, base.Compose(at), points, m.newestFit >= minFit)
	}
	fit := s.field.fit(at, points)
	if fit >= doubtfulFit {
		finish()
		return
	}
	m.wide++
	search := newPoseSearch(newPyramid(&s.field), guess, points, wideWindow, math.Max(minFit, fit+clearlyBetter))
	m.tasks = append(m.tasks, func() bool {
		if !search.advance(sliceLookups) {
			return false
		}
		if far, ok := search.result(); ok {
			at = far
		}
		finish()
		return true
	})
}

// insert makes a key frame at a pose in map part of the map. matched says whether its
// scan fits there.
func (m *Mapper) insert(k KeyFrame, at robot.Pose, points []robot.Point, matched bool) {
	i := len(m.frames)
	f := newFrame(k.Cloud)
	way, bySubmap, byMotion := 0.0, submapPrecision, motionPrecision
	if !matched {
		bySubmap, byMotion = bySubmap.weaker(), byMotion.weaker()
	}
	m.graph.nodes = append(m.graph.nodes, at)
	f.node = len(m.graph.nodes) - 1
	if i > 0 {
		way = k.Motion.Point().Norm()
		f.way = m.frames[i-1].way + way
		m.graph.edges = append(m.graph.edges, edge{a: m.frames[i-1].node, b: f.node, bFromA: m.pose(i - 1).Inverse().Compose(at), precision: byMotion})
		m.sinceSearch += way + math.Abs(k.Motion.Theta)/2
	}
	m.frames = append(m.frames, f)
	m.insertIntoSubmaps(i, at, way, points, bySubmap)
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

// weakening is how much less sure the edges of a key frame are whose scan did not fit.
const weakening = 3

func (p precision) weaker() precision { return precision{p.way / weakening, p.turn / weakening} }

// closeLoops judges the loops that were found up to key frame i, and queues an
// optimization where one is due.
func (m *Mapper) closeLoops(i int) {
	switch {
	case m.judgeLoops(i):
		m.tasks = append(m.tasks, m.optimize(loopRounds))
	case len(m.loops) > 0 && len(m.graph.nodes)-m.optimized > optimizeEvery:
		m.tasks = append(m.tasks, m.optimize(quietRounds))
	}
}

// optimize returns the task that moves everything to where all edges agree best.
func (m *Mapper) optimize(rounds int) task {
	var o *optimization
	return func() bool {
		if o == nil {
			o = newOptimization(&m.graph, rounds)
			m.optimized = len(m.graph.nodes)
		}
		return o.advance()
	}
}

// Poses returns the pose of base_link at each key frame that has been placed, in map.
func (m *Mapper) Poses() []robot.Pose {
	poses := make([]robot.Pose, len(m.frames))
	for i := range poses {
		poses[i] = m.pose(i)
	}
	return poses
}

// A Summary is what a map is made of.
type Summary struct {
	KeyFrames    int
	Fixed        int     // of those, the first, of a map that is extended
	Way          float64 // m driven, by odometry
	Submaps      int
	Loops        int     // that hold the map together
	LoopsRefused int     // matches that could slide, that no other confirmed, or that contradicted the rest
	LoopWay      float64 // m and
	LoopTurn     float64 // rad, by which the loops differ from the map, in the mean
	Searched     int     // key frames whose place odometry did not tell well enough
}

// Summary returns what the map is made of so far.
func (m *Mapper) Summary() Summary {
	s := Summary{KeyFrames: len(m.frames), Fixed: min(m.fixed, len(m.frames)), Submaps: len(m.submaps), Loops: len(m.loops), LoopsRefused: m.refused, Searched: m.wide}
	if len(m.frames) > 0 {
		s.Way = m.frames[len(m.frames)-1].way
	}
	for _, l := range m.loops {
		off := m.loopPose(l).Inverse().Compose(m.pose(l.frame))
		s.LoopWay += off.Point().Norm() / float64(len(m.loops))
		s.LoopTurn += math.Abs(off.Theta) / float64(len(m.loops))
	}
	return s
}
