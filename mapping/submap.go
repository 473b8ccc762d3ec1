package mapping

import (
	"math"
	"slices"

	"mybot/robot"
)

const (
	submapDistance = 8.0 // m driven in a submap; two neighbours share half of it
	maxPyramids    = 8   // of the most recently searched submaps; the others are computed again
)

// A submap is a part of the map from successive key frames, in a frame of its own.
type submap struct {
	node       int // of the pose graph
	field      likelihoodField
	surface    surface
	distance   float64     // m driven in it
	last       int         // its newest key frame
	finished   bool        // no more key frames are inserted
	low, high  robot.Point // bounding box of base_link's positions, in its frame
	lastSearch float64     // m driven at which a loop was last searched for in it
}

// distanceTo returns the distance of a point in the submap's frame from the bounding
// box of the robot's positions, in m.
func (s *submap) distanceTo(p robot.Point) float64 {
	return math.Hypot(math.Max(0, math.Max(s.low.X-p.X, p.X-s.high.X)), math.Max(0, math.Max(s.low.Y-p.Y, p.Y-s.high.Y)))
}

// beginSubmap begins a submap whose frame is the pose at, in map.
func (m *Mapper) beginSubmap(at robot.Pose) {
	m.graph.nodes = append(m.graph.nodes, at)
	m.running = append(m.running, len(m.submaps))
	m.submaps = append(m.submaps, newSubmap(len(m.graph.nodes)-1))
}

// newSubmap returns a submap without key frames.
func newSubmap(node int) *submap {
	return &submap{
		node:       node,
		surface:    surface{},
		low:        robot.Point{X: math.Inf(1), Y: math.Inf(1)},
		high:       robot.Point{X: math.Inf(-1), Y: math.Inf(-1)},
		lastSearch: math.Inf(-1),
	}
}

// insertFrame adds key frame i, at a pose in the submap's frame.
func (s *submap) insertFrame(i int, local robot.Pose, distance float64, points, walls []robot.Point) {
	s.field.insert(local, points)
	s.field.insert(local, walls)
	s.surface.insert(local, points)
	s.distance += distance
	s.last = i
	s.low = robot.Point{X: math.Min(s.low.X, local.X), Y: math.Min(s.low.Y, local.Y)}
	s.high = robot.Point{X: math.Max(s.high.X, local.X), Y: math.Max(s.high.Y, local.Y)}
}

// insertIntoSubmaps adds key frame i, at a pose in map, to the running submaps and
// ties it to them.
func (m *Mapper) insertIntoSubmaps(i int, at robot.Pose, distance float64, points, walls []robot.Point, sure precision) {
	if len(m.running) == 0 || len(m.running) == 1 && m.submaps[m.running[0]].distance > submapDistance/2 {
		m.beginSubmap(at)
	}
	for _, k := range m.running {
		s := m.submaps[k]
		local := m.graph.nodes[s.node].Inverse().Compose(at)
		s.insertFrame(i, local, distance, points, walls)
		precision := sure
		if s.node > m.frames[i].node { // the submap begins here, whatever the match is worth
			precision = beginPrecision
		}
		m.graph.edges = append(m.graph.edges, edge{a: s.node, b: m.frames[i].node, bFromA: local, precision: precision})
	}
	if s := m.submaps[m.running[0]]; s.distance > submapDistance && len(m.running) > 1 {
		s.finishSubmap()
		m.running = m.running[1:]
	}
}

func (s *submap) finishSubmap() {
	s.finished = true
	s.field.trim()
}

// pyramidOf returns the pyramid of a finished submap, and caches the most recently
// used ones.
func (m *Mapper) pyramidOf(k int) *pyramid {
	field := &m.submaps[k].field
	at := slices.IndexFunc(m.pyramids, func(p *pyramid) bool { return p.field == field })
	var p *pyramid
	if at >= 0 {
		p = m.pyramids[at]
		m.pyramids = slices.Delete(m.pyramids, at, at+1)
	} else {
		p = newPyramid(field)
		if len(m.pyramids) == maxPyramids {
			m.pyramids = slices.Delete(m.pyramids, 0, 1)
		}
	}
	m.pyramids = append(m.pyramids, p)
	return p
}
