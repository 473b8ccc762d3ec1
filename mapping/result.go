package mapping

import (
	"iter"
	"slices"

	"mybot/robot"
)

// A Result is the map so far: what the key frames saw, and their poses. It does not
// change when its Mapper continues, so another goroutine may use it.
type Result struct {
	frames []frame
	poses  []robot.Pose // of base_link at each key frame, in map
	fixed  int          // number of the first key frames, of an extended map
}

// Result returns the map so far.
func (m *Mapper) Result() *Result {
	return &Result{frames: slices.Clone(m.frames), poses: m.Poses(), fixed: min(m.fixed, len(m.frames))}
}

// Before returns the original map if the map extends one: its key frames are the
// first ones of the result, and nothing moves them. For a new map it is empty.
func (r *Result) Before() *Result {
	return &Result{frames: r.frames[:r.fixed], poses: r.poses[:r.fixed], fixed: r.fixed}
}

// KeyFrames returns the number of key frames.
func (r *Result) KeyFrames() int { return len(r.frames) }

// Pose returns the pose of base_link at key frame i, in map.
func (r *Result) Pose(i int) robot.Pose { return r.poses[i] }

// Echoes returns the echoes of key frame i, in map, at most 25 m from the lidar.
func (r *Result) Echoes(i int) iter.Seq[robot.Point] {
	return func(yield func(robot.Point) bool) {
		for _, e := range r.frames[i].echoes {
			if !yield(r.poses[i].Apply(e.point())) {
				return
			}
		}
	}
}

// Draw returns the occupancy of the result in the given frame, with cells of size
// m, or larger by a power of two if it would have more than maxCells cells.
func (r *Result) Draw(frameFromMap robot.Pose, size float64, maxCells int) *Occupancy {
	poses := make([]robot.Pose, len(r.poses))
	for i, at := range r.poses {
		poses[i] = frameFromMap.Compose(at)
	}
	turned := Result{frames: r.frames, poses: poses}
	o := turned.newOccupancy(size)
	for o.width > maxCells/max(o.height, 1) { // the product may be beyond an int
		size *= 2
		o = turned.newOccupancy(size)
	}
	n := o.width * o.height
	o.hits, o.passes, o.seen = make([]uint16, n), make([]uint16, n), make([]uint8, n)
	for i := range r.frames {
		o.addFrame(&r.frames[i], poses[i])
	}
	return o
}

// DrawGrid returns the result of Draw as free, occupied and unknown cells.
func (r *Result) DrawGrid(frameFromMap robot.Pose, size float64, maxCells int) robot.Grid {
	return r.Draw(frameFromMap, size, maxCells).Grid()
}
