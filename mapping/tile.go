package mapping

import "mybot/robot"

// A Tile is a part of the map whose picture does not change when a loop closure
// moves it: a submap.
type Tile struct {
	Pose        robot.Pose // of its frame in map
	First, Last int        // key frames in it
	Finished    bool       // no key frame will be added
}

// Tiles returns the tiles of the map, in the order in which they were begun.
func (m *Mapper) Tiles() []Tile {
	tiles := make([]Tile, len(m.submaps))
	first := 0
	for k, s := range m.submaps {
		for first < s.last && m.frames[first].node < s.node-1 {
			first++
		}
		tiles[k] = Tile{Pose: m.graph.nodes[s.node], First: first, Last: s.last, Finished: s.finished}
	}
	return tiles
}

// DrawTile returns the map of tile k of Tiles in the tile's frame, with cells as in
// Draw. It does not change until a key frame is added to the tile.
func (m *Mapper) DrawTile(k int, size float64, maxCells int) robot.Grid {
	t := m.Tiles()[k]
	r := Result{frames: m.frames[t.First : t.Last+1], poses: make([]robot.Pose, 0, t.Last+1-t.First)}
	for i := t.First; i <= t.Last; i++ {
		r.poses = append(r.poses, t.Pose.Inverse().Compose(m.poseAt(i)))
	}
	return r.DrawGrid(robot.Pose{}, size, maxCells)
}

// Newest returns the newest placed key frame: its index, the pose of base_link
// there, in map, and the share of its points that fit. ok is false if there is
// none.
func (m *Mapper) Newest() (n int, pose robot.Pose, fit float64, ok bool) {
	if len(m.frames) == 0 {
		return 0, robot.Pose{}, 0, false
	}
	n = len(m.frames) - 1
	return n, m.poseAt(n), m.newestFit, true
}

// Loops returns the number of accepted loops, and where the newest was closed: the
// pose of base_link, in map, at its key frame.
func (m *Mapper) Loops() (n int, newest robot.Pose) {
	if n = len(m.loops); n > 0 {
		newest = m.poseAt(m.loops[n-1].frame)
	}
	return n, newest
}
