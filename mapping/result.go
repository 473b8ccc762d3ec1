package mapping

import (
	"iter"
	"slices"

	"mybot/robot"
)

// A Result is what has been mapped so far: what the key frames saw, and where each was
// taken. It stays as it is while its Mapper goes on, so another goroutine may use it.
type Result struct {
	frames []frame
	poses  []robot.Pose // of base_link at each key frame, in map
	fixed  int          // key frames, the first, of a map that is extended
}

// Result returns what has been mapped so far.
func (m *Mapper) Result() *Result {
	return &Result{frames: slices.Clone(m.frames), poses: m.Poses(), fixed: min(m.fixed, len(m.frames))}
}

// Before returns what had been mapped before, of a map that is extended: its key frames are
// the first ones of the result, and nothing moves them. Of a new map it is empty.
func (r *Result) Before() *Result {
	return &Result{frames: r.frames[:r.fixed], poses: r.poses[:r.fixed], fixed: r.fixed}
}

// KeyFrames returns how many key frames there are.
func (r *Result) KeyFrames() int { return len(r.frames) }

// Pose returns the pose of base_link at key frame i, in map.
func (r *Result) Pose(i int) robot.Pose { return r.poses[i] }

// Echoes returns where key frame i saw something, in map: what is at most 25 m from the lidar.
func (r *Result) Echoes(i int) iter.Seq[robot.Point] {
	return func(yield func(robot.Point) bool) {
		for _, e := range r.frames[i].echoes {
			if !yield(r.poses[i].Apply(e.point())) {
				return
			}
		}
	}
}

// Draw returns the occupancy of the result in the given frame, with cells of size m, or
// larger by a power of two, so that it has at most maxCells cells.
func (r *Result) Draw(frameFromMap robot.Pose, size float64, maxCells int) *Occupancy {
	poses := make([]robot.Pose, len(r.poses))
	for i, at := range r.poses {
		poses[i] = frameFromMap.Compose(at)
	}
	turned := Result{frames: r.frames, poses: poses}
	o := turned.newOccupancy(size)
	for o.width*o.height > maxCells {
		size *= 2
		o = turned.newOccupancy(size)
	}
	n := o.width * o.height
	o.hits, o.passes, o.seen = make([]uint16, n), make([]uint16, n), make([]uint8, n)
	for i := range r.frames {
		o.add(&r.frames[i], poses[i])
	}
	return o
}

// DrawGrid returns the floor as Draw has it, as cells that are free, occupied or unknown.
func (r *Result) DrawGrid(frameFromMap robot.Pose, size float64, maxCells int) robot.Grid {
	return r.Draw(frameFromMap, size, maxCells).Grid()
}
