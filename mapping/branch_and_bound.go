package mapping

import (
	"cmp"
	"math"
	"slices"

	"mybot/robot"
)

const (
	searchPoints = 150   // of a scan, in a search
	minTurnStep  = 0.003 // rad between the headings of a search, at least,
	maxTurnStep  = 0.01  // and at most; in between, so that the far points move by about a cell
	farPoint     = 12.0  // m; points beyond do not make the headings denser
)

// A poseSearch finds the pose in a wide window where a scan fits best, by branch
// and bound over a pyramid (Hess et al. 2016, algorithm 3): it skips whole blocks
// of poses whose bound is below the best pose so far. advance does the work, a
// slice at a time.
type poseSearch struct {
	pyramid  *pyramid
	guess    robot.Pose // in the submap's frame
	points   []robot.Point
	reach    int // cells, half width of the window
	top      int // level of the first blocks
	headings int // in the window
	turnStep float64
	turns    []turnedScan // of the headings that already have blocks
	blocks   []poseBlock  // to be examined; the most promising one last
	sorted   bool         // every heading has its blocks, and they are sorted
	best     poseBlock
	found    bool
	avoid    *robot.Pose // poses near this one are excluded; nil = none
}

// A poseBlock is the poses at one heading with offsets of dx to dx + 2^level - 1
// and dy to dy + 2^level - 1 cells, and the bound of their sums.
type poseBlock struct{ turn, dx, dy, level, bound int }

func compareBounds(a, b poseBlock) int { return cmp.Compare(a.bound, b.bound) }

// newPoseSearch prepares a search in a window around a guess for the pose where at
// least the share least of the points fits.
func newPoseSearch(p *pyramid, guess robot.Pose, points []robot.Point, w window, least float64) *poseSearch {
	s := &poseSearch{pyramid: p, guess: guess, points: pickPoints(points, searchPoints)}
	far := 1.0
	for _, q := range points {
		far = math.Max(far, q.Norm())
	}
	s.turnStep = robot.Clamp(cellSize/math.Min(far, farPoint), minTurnStep, maxTurnStep)
	s.headings = 2*int(math.Ceil(w.turn/s.turnStep)) + 1
	s.reach = int(math.Ceil(w.distance / cellSize))
	for s.top < maxLevels-1 && 1<<(s.top+1) <= s.reach {
		s.top++
	}
	s.best.bound = int(least * 255 * float64(len(s.points)))
	return s
}

// advance works until about budget points have been looked up, and reports whether
// the search has finished.
func (s *poseSearch) advance(budget int) (done bool) {
	if len(s.points) == 0 {
		return true
	}
	if len(s.pyramid.levels) <= s.top {
		s.pyramid.grow() // a slice of its own, because it passes over the whole field
		return false
	}
	for ; len(s.turns) < s.headings; budget -= s.addHeading() {
		if budget <= 0 {
			return false
		}
	}
	if !s.sorted {
		slices.SortFunc(s.blocks, compareBounds)
		s.sorted = true
	}
	for len(s.blocks) > 0 {
		if budget <= 0 {
			return false
		}
		last := len(s.blocks) - 1
		b := s.blocks[last]
		s.blocks = s.blocks[:last]
		switch {
		case b.bound <= s.best.bound:
		case b.level == 0 && s.avoid != nil && !isBeyond(s.poseOf(b).Inverse().Compose(*s.avoid), rivalDistance, rivalTurn):
		case b.level == 0:
			s.best, s.found = b, true
		default:
			budget -= s.split(b)
		}
	}
	return true
}

// addHeading adds the blocks of the next heading that may contain a good pose, and
// returns the number of lookups.
func (s *poseSearch) addHeading() int {
	k := len(s.turns)
	theta := s.guess.Theta + float64(k-s.headings/2)*s.turnStep
	s.turns = append(s.turns, turnPoints(s.guess, theta, s.points))
	looked := 0
	for dx := -s.reach; dx <= s.reach; dx += 1 << s.top {
		for dy := -s.reach; dy <= s.reach; dy += 1 << s.top {
			looked += len(s.points)
			if bound := s.pyramid.bound(s.top, &s.turns[k], dx, dy); bound > s.best.bound {
				s.blocks = append(s.blocks, poseBlock{k, dx, dy, s.top, bound})
			}
		}
	}
	return looked
}

// split pushes the four parts of a block onto the stack, the most promising one
// last, and returns the number of lookups.
func (s *poseSearch) split(b poseBlock) int {
	half := 1 << (b.level - 1)
	begin := len(s.blocks)
	looked := 0
	for _, dx := range [2]int{b.dx, b.dx + half} {
		for _, dy := range [2]int{b.dy, b.dy + half} {
			if dx > s.reach || dy > s.reach {
				continue
			}
			looked += len(s.points)
			if bound := s.pyramid.bound(b.level-1, &s.turns[b.turn], dx, dy); bound > s.best.bound {
				s.blocks = append(s.blocks, poseBlock{b.turn, dx, dy, b.level - 1, bound})
			}
		}
	}
	slices.SortStableFunc(s.blocks[begin:], compareBounds)
	return looked
}

// result returns the best pose, to a cell, and whether there is one.
func (s *poseSearch) result() (robot.Pose, bool) {
	if !s.found {
		return s.guess, false
	}
	return s.poseOf(s.best), true
}

// poseOf returns the pose of a block of level 0.
func (s *poseSearch) poseOf(b poseBlock) robot.Pose {
	return robot.Pose{
		X:     s.guess.X + float64(b.dx)*cellSize,
		Y:     s.guess.Y + float64(b.dy)*cellSize,
		Theta: robot.WrapAngle(s.turns[b.turn].theta),
	}
}

// fit returns how well the points of the search fit at the best pose, 0 to 1.
func (s *poseSearch) fit() float64 {
	return float64(s.best.bound) / (255 * float64(max(1, len(s.points))))
}

const (
	rivalDistance = 0.3 // m, or
	rivalTurn     = 0.1 // rad, the smallest difference between two distinct poses
)

// newRivalSearch prepares a search in the same window for another pose than the best
// one, where at least the share least of the points fits.
func (s *poseSearch) newRivalSearch(least float64) *poseSearch {
	best := s.poseOf(s.best)
	return &poseSearch{
		pyramid: s.pyramid, guess: s.guess, points: s.points, reach: s.reach, top: s.top, headings: s.headings, turnStep: s.turnStep,
		best: poseBlock{bound: int(least * 255 * float64(len(s.points)))}, avoid: &best,
	}
}
