package mapping

import (
	"math"
	"slices"

	"mybot/robot"
)

// Undo takes back the last m of driving: it removes the key frames there from the
// map, and the loops that they closed, wherever these had moved it. It returns how
// many key frames remain; those of a map that is being extended, and the first one,
// always do. Step does the work, after earlier requests. The next key frame's
// Motion is still relative to the last one that was added, whether that was taken
// back or not.
func (m *Mapper) Undo(distance float64) (keep int) {
	keep = len(m.promised)
	if keep == 0 {
		return 0
	}
	end := m.promised[keep-1].distance - distance
	for keep > max(1, m.fixed) && m.promised[keep-1].distance > end {
		keep--
	}
	m.TakeBack(keep)
	return keep
}

// TakeBack takes back all key frames except the first keep, as Undo does.
func (m *Mapper) TakeBack(keep int) {
	keep = max(keep, min(1, len(m.promised)), m.fixed)
	if keep >= len(m.promised) {
		return
	}
	back := robot.Pose{}
	for _, p := range m.promised[keep:] {
		back = back.Compose(p.motion)
	}
	m.carried = back.Compose(m.carried)
	m.promised = m.promised[:keep]
	m.queue = append(m.queue, request{kind: takeBack, keep: keep})
}

// takeBack removes all key frames except the first keep, at least one, from the
// map.
func (m *Mapper) takeBack(keep int) {
	n := m.frames[keep].node // each key frame's node precedes that of the submap it begins
	m.frames = m.frames[:keep]
	distance := m.frames[keep-1].distance
	m.keepSubmaps(n, keep, distance)
	m.keepEdges(n)
	m.graph.nodes = m.graph.nodes[:n]
	m.pending = slices.DeleteFunc(m.pending, func(l loop) bool { return l.frame >= keep })
	m.sinceSearch = 0
	m.optimized = min(m.optimized, n)
	m.tasks = append(m.tasks, m.optimizeGraph(finishRounds))
}

// keepSubmaps removes the submaps with nodes n and above, and rebuilds those that
// contain key frames from number keep on.
func (m *Mapper) keepSubmaps(n, keep int, distance float64) {
	m.submaps = slices.DeleteFunc(m.submaps, func(s *submap) bool { return s.node >= n })
	m.running = nil
	kept := map[*likelihoodField]bool{}
	for k, s := range m.submaps {
		s.lastSearch = math.Min(s.lastSearch, distance)
		if s.last < keep {
			kept[&s.field] = true
			continue
		}
		m.submaps[k] = m.rebuildSubmap(s, n)
		m.running = append(m.running, k)
	}
	m.pyramids = slices.DeleteFunc(m.pyramids, func(p *pyramid) bool { return !kept[p.field] })
}

// rebuildSubmap returns a submap with only the key frames whose nodes are below n, as
// they were matched in it.
func (m *Mapper) rebuildSubmap(was *submap, n int) *submap {
	s := newSubmap(was.node)
	for _, e := range m.graph.edges {
		if e.loop || e.a != s.node || e.b >= n {
			continue
		}
		i, _ := slices.BinarySearchFunc(m.frames, e.b, func(f frame, node int) int { return f.node - node })
		distance := 0.0
		if i > 0 {
			distance = m.frames[i].distance - m.frames[i-1].distance
		}
		cloud := m.frames[i].cloud()
		s.insertFrame(i, e.bFromA, distance, thinPoints(cloud), fillWalls(cloud))
	}
	return s
}

// keepEdges removes the edges of the graph to nodes n and above, including loops.
func (m *Mapper) keepEdges(n int) {
	edges := m.graph.edges[:0:0]
	place := make([]int, len(m.graph.edges))
	for i, e := range m.graph.edges {
		if place[i] = len(edges); e.a < n && e.b < n {
			edges = append(edges, e)
		}
	}
	m.loops = slices.DeleteFunc(m.loops, func(l loop) bool { return m.graph.edges[l.edge].b >= n })
	for i := range m.loops {
		m.loops[i].edge = place[m.loops[i].edge]
	}
	m.graph.edges = edges
}
