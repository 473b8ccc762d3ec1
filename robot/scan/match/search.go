package match

import (
	"cmp"
	"math"
	"slices"

	"mybot/robot"
)

// A Match is a pose with the score of the scan there.
type Match struct {
	Pose  robot.Pose // of base_link in the frame of the field
	Score float64    // mean of the field at the points, 0 to 1
}

// A Floor tells where a robot may stand: it reports whether a square of cells of the
// field, given by its lower left cell and its side, contains any such cell.
type Floor func(x, y, side int) bool

// A Search finds the poses on a whole floor at which a scan fits best, by branch and bound
// over the field's maxima (Olson 2009; Hess 2016). Step does a slice of the work, so that
// the search fits into a control loop. The field must not change until the search is done.
type Search struct {
	field  *Field
	points []robot.Point
	anchor robot.Pose // of the node (0, 0) at the first heading
	floor  Floor      // nil = anywhere
	turn   float64    // rad between two headings
	turns  []int      // headings in the order of the search
	within float64    // fraction of the best score that a pose must reach
	least  int        // sum

	next  int     // index into turns of the next heading
	row   int     // of the next roots of this heading
	atX   []int32 // columns of the points at this heading
	atY   []int32 // rows of the points
	nodes []node  // stack of nodes to expand
	best  int     // sum
	kept  map[place]node
	work  int // points looked up
}

// node is a square of 2^level by 2^level poses with one heading.
type node struct {
	x, y, turn int32
	level      int32
	sum        int32 // upper bound of the sum of the field at the points
}

// place is a bin of poses, of which the search keeps the best one.
type place struct{ x, y, turn int32 }

const (
	rootTop = 5 // level of the roots: the bounds of larger squares would be useless
	// placeWide and placeTurn are the size of a place.
	placeWide = 4                   // cells
	placeTurn = 6 * math.Pi / 180   // rad
	turnWide  = 1.0 * math.Pi / 180 // rad between headings
)

// NewSearch returns a search of the whole field at all headings. It keeps the poses whose
// score is at least least, and at least within times the best score; of several poses
// close together it keeps one.
func NewSearch(f *Field, points []robot.Point, floor Floor, least, within float64) *Search {
	f.fillMaxima(rootTop)
	m := f.Middle(0, 0)
	s := &Search{
		field: f, points: points, floor: floor, within: within,
		anchor: robot.Pose{X: m.X, Y: m.Y, Theta: -math.Pi},
		least:  int(least * Full * float64(len(points))),
		atX:    make([]int32, len(points)), atY: make([]int32, len(points)),
		kept: map[place]node{},
	}
	n := int(math.Ceil(2 * math.Pi / turnWide))
	s.turn = 2 * math.Pi / float64(n)
	// Search with a wide stride first: a good pose found early bounds all others.
	for stride := 8; stride >= 1; stride /= 2 {
		for k := 0; k < n; k += stride {
			if stride == 8 || k%(2*stride) != 0 {
				s.turns = append(s.turns, k)
			}
		}
	}
	return s
}

// Work returns how many points it has looked up so far.
func (s *Search) Work() int { return s.work }

// Step continues the search until it has looked up the given number of points, or a few
// more, or is done.
func (s *Search) Step(points int) (done bool) {
	if len(s.points) == 0 || s.field.width == 0 {
		return true
	}
	for end := s.work + min(points, math.MaxInt-s.work); s.work < end; {
		switch {
		case len(s.nodes) > 0 && s.row >= s.field.height:
			n := s.nodes[len(s.nodes)-1]
			s.nodes = s.nodes[:len(s.nodes)-1]
			s.enterNode(n)
		case s.next > 0 && s.row < s.field.height:
			s.addRoots()
		case s.next == len(s.turns):
			return true
		default:
			s.turnScan()
		}
	}
	return false
}

// minSum returns the sum that a node must exceed to be kept. It is less than the best sum,
// so that the search also keeps equally good poses.
func (s *Search) minSum() int { return max(s.least, int(s.within*float64(s.best))-1) }

// turnScan rotates the scan to the next heading.
func (s *Search) turnScan() {
	sin, cos := math.Sincos(s.anchor.Theta + float64(s.turns[s.next])*s.turn)
	for i, p := range s.points {
		s.atX[i] = int32(s.field.cellOf(s.anchor.X+cos*p.X-sin*p.Y) - s.field.left)
		s.atY[i] = int32(s.field.cellOf(s.anchor.Y+sin*p.X+cos*p.Y) - s.field.low)
	}
	s.next++
	s.row = 0
}

// addRoots adds the roots of one row. After the last row it sorts all roots.
func (s *Search) addRoots() {
	side := 1 << rootTop
	for x := 0; x < s.field.width; x += side {
		s.addNode(x, s.row, rootTop)
	}
	if s.row += side; s.row >= s.field.height {
		slices.SortFunc(s.nodes, bySum)
	}
}

func bySum(a, b node) int { return cmp.Compare(a.sum, b.sum) }

// addNode adds a node if its bound exceeds minSum.
func (s *Search) addNode(x, y, level int) {
	if s.floor != nil && !s.floor(x, y, 1<<level) {
		return
	}
	bar := s.minSum()
	if sum := s.sumMaxima(x, y, level, bar); sum > bar {
		s.nodes = append(s.nodes, node{int32(x), int32(y), int32(s.turns[s.next-1]), int32(level), int32(sum)})
	}
}

// enterNode expands a node, or keeps its pose if it is a leaf.
func (s *Search) enterNode(n node) {
	if int(n.sum) <= s.minSum() {
		return
	}
	if n.level == 0 {
		s.keepPose(n)
		return
	}
	first, half, level := len(s.nodes), 1<<(n.level-1), int(n.level)-1
	for _, x := range [2]int{int(n.x), int(n.x) + half} {
		for _, y := range [2]int{int(n.y), int(n.y) + half} {
			if x < s.field.width && y < s.field.height {
				s.addNode(x, y, level)
			}
		}
	}
	slices.SortFunc(s.nodes[first:], bySum)
}

// keepPose keeps a pose unless its place already has one that is at least as good.
func (s *Search) keepPose(n node) {
	s.best = max(s.best, int(n.sum))
	wide := max(1, int32(math.Round(placeTurn/s.turn)))
	k := place{floorDiv(n.x, placeWide), floorDiv(n.y, placeWide), floorDiv(n.turn, wide)}
	if n.sum > s.kept[k].sum {
		s.kept[k] = n
	}
}

func floorDiv(a, b int32) int32 { return int32(math.Floor(float64(a) / float64(b))) }

// sumMaxima returns an upper bound of the sum of the field at the points, for the poses of
// a node. It returns 0 as soon as the bound cannot exceed bar.
func (s *Search) sumMaxima(x, y, level, bar int) int {
	v, w, h := s.field.maxima[level], s.field.width, s.field.height
	side := -1 << level
	sum, left := 0, len(s.points)
	for i, px := range s.atX {
		cx, cy := int(px)+x, int(s.atY[i])+y
		if cx < 0 && cx > side { // a square that starts left of the field may reach into it
			cx = 0
		}
		if cy < 0 && cy > side {
			cy = 0
		}
		if uint(cx) < uint(w) && uint(cy) < uint(h) {
			sum += int(v[cy*w+cx])
		}
		if left--; sum+Full*left <= bar {
			s.work += i + 1
			return 0
		}
	}
	s.work += len(s.points)
	return sum
}

// Matches returns the result of a finished search, best first: of poses close together
// only the best.
func (s *Search) Matches() []Match {
	var found []node
	bar := s.minSum()
	for _, n := range s.kept {
		if int(n.sum) > bar {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b node) int {
		return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.turn, b.turn), cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	matches := make([]Match, 0, len(found))
	for _, n := range found {
		m := Match{
			Pose: robot.Pose{
				X:     s.anchor.X + float64(n.x)*s.field.resolution,
				Y:     s.anchor.Y + float64(n.y)*s.field.resolution,
				Theta: robot.WrapAngle(s.anchor.Theta + float64(n.turn)*s.turn),
			},
			Score: float64(n.sum) / Full / float64(len(s.points)),
		}
		if !slices.ContainsFunc(matches, m.isNear) {
			matches = append(matches, m)
		}
	}
	return matches
}

// isNear reports whether another match is at practically the same pose.
func (m Match) isNear(o Match) bool {
	return m.Pose.Point().Sub(o.Pose.Point()).Norm() < nearPlace && math.Abs(robot.WrapAngle(m.Pose.Theta-o.Pose.Theta)) < nearTurn
}

const (
	nearPlace = 0.3                // m
	nearTurn  = 12 * math.Pi / 180 // rad
)
