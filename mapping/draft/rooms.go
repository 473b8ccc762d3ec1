package draft

import (
	"math"
	"slices"

	"mybot/robot"
)

const (
	minRoom     = 1.5  // m2, for the robot's centre
	outlineBy   = 0.12 // m, error of the corners of an outline
	corridorBy  = 3.5  // ratio of length to width above which a room is a corridor
	maxHalfDoor = 1.0  // m to each side over which a door is closed
)

// A room is a part of the floor between doors, in the frame of the draft.
type room struct {
	outline  []robot.Point
	inside   robot.Point // the point with the most clearance
	corridor bool
}

// The labels of cells; rooms count from 1.
const (
	closed int32 = -1 // floor of no room, or a door
	open   int32 = 0
)

// isCore reports whether the robot's centre can be in a cell.
func (f *floor) isCore(i, j int) bool {
	g := f.grid
	return i >= 0 && j >= 0 && i < g.Width && j < g.Height && f.far[j*g.Width+i] > 0
}

// labelOpen labels each cell: open where the robot's centre can be, except in
// doors, and closed elsewhere.
func (f *floor) labelOpen(doors []doorway) []int32 {
	g := f.grid
	label := make([]int32, len(g.Cells))
	for k, far := range f.far {
		if label[k] = closed; far > 0 {
			label[k] = open
		}
	}
	for _, d := range doors {
		for _, side := range []float64{1, -1} {
			for s := 0.0; s <= maxHalfDoor; s += g.Resolution / 4 {
				i, j, ok := g.Index(robot.Point{X: d.at.X + side*s*d.across.X, Y: d.at.Y + side*s*d.across.Y})
				if !ok || !f.isCore(i, j) {
					break
				}
				label[j*g.Width+i] = closed
			}
		}
	}
	return label
}

// findRooms divides a floor at its doors, and returns the parts that are large
// enough.
func findRooms(f *floor, doors []doorway) (rooms []room) {
	g := f.grid
	label := f.labelOpen(doors)
	var next []int
	visit := func(i, j int, from, to int32) {
		if k := j*g.Width + i; f.isCore(i, j) && label[k] == from {
			label[k] = to
			next = append(next, k)
		}
	}
	flood := func(from, to int32) (count int) {
		for len(next) > 0 {
			k := next[len(next)-1]
			next = next[:len(next)-1]
			i, j := k%g.Width, k/g.Width
			count++
			visit(i+1, j, from, to)
			visit(i-1, j, from, to)
			visit(i, j+1, from, to)
			visit(i, j-1, from, to)
		}
		return count
	}
	type part struct {
		size int
		best int // its cell with the most clearance
		far  float32
	}
	parts := []part{{}}
	for k := range label {
		if label[k] != open {
			continue
		}
		n := int32(len(parts))
		visit(k%g.Width, k/g.Width, open, n)
		parts = append(parts, part{size: flood(open, n)})
	}
	for k, n := range label {
		if n > 0 && f.far[k] > parts[n].far {
			parts[n].far, parts[n].best = f.far[k], k
		}
	}
	growLabels(g, label, int(math.Ceil(f.hard/g.Resolution))+1)
	first := make([]int, len(parts)) // the cell in the lowest row, and there the leftmost
	for k := len(label) - 1; k >= 0; k-- {
		if label[k] > 0 {
			first[label[k]] = k
		}
	}
	for n := 1; n < len(parts); n++ {
		p := parts[n]
		area := float64(p.size) * g.Resolution * g.Resolution
		if area < minRoom {
			continue
		}
		outline := outlineOf(g, label, first[n])
		if len(outline) < 3 {
			continue
		}
		long := 0.0 // length along the middle, from the area
		if p.far > 0 {
			long = area / float64(4*p.far*p.far)
		}
		rooms = append(rooms, room{outline: outline, inside: f.cellCentre(p.best), corridor: long > corridorBy})
	}
	return rooms
}

// growLabels grows the numbered cells over free ones, one cell per step.
func growLabels(g *robot.Grid, label []int32, steps int) {
	var edge []int
	for k, n := range label {
		if n > 0 {
			edge = append(edge, k)
		}
	}
	for range steps {
		var next []int
		for _, k := range edge {
			i := k % g.Width
			for _, m := range [4]int{k - g.Width, k - 1, k + 1, k + g.Width} {
				if m < 0 || m >= len(label) || m == k-1 && i == 0 || m == k+1 && i == g.Width-1 {
					continue
				}
				if label[m] <= 0 && g.Cells[m] == robot.Free {
					label[m] = label[k]
					next = append(next, m)
				}
			}
		}
		edge = next
	}
}

// outlineOf returns the outer outline of the cells with the label of first,
// counter-clockwise and simplified. first is the leftmost one in the lowest row.
func outlineOf(g *robot.Grid, label []int32, first int) []robot.Point {
	n := label[first]
	is := func(x, y int) bool {
		return x >= 0 && y >= 0 && x < g.Width && y < g.Height && label[y*g.Width+x] == n
	}
	// Along the cell sides, with the room on the left: east, north, west, south.
	x, y, d := first%g.Width, first/g.Width, 0
	sx, sy := x, y
	var corners []robot.Point
	step := [4][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	left := [4][2]int{{0, 0}, {-1, 0}, {-1, -1}, {0, -1}} // the cell to the left, ahead of a corner
	right := [4][2]int{{0, -1}, {0, 0}, {-1, 0}, {-1, -1}}
	for range 4 * len(label) {
		if len(corners) > 0 && x == sx && y == sy && d == 0 {
			break
		}
		corners = append(corners, g.Origin.Add(robot.Point{X: float64(x) * g.Resolution, Y: float64(y) * g.Resolution}))
		x, y = x+step[d][0], y+step[d][1]
		switch {
		case !is(x+left[d][0], y+left[d][1]):
			d = (d + 1) % 4
		case is(x+right[d][0], y+right[d][1]):
			d = (d + 3) % 4
		}
	}
	return simplifyRing(corners, outlineBy)
}

// simplifyRing returns the corners of a ring that are needed for an error of at
// most within metres (Douglas and Peucker 1973).
func simplifyRing(ring []robot.Point, within float64) []robot.Point {
	if len(ring) < 4 {
		return ring
	}
	far := 0
	for i, p := range ring {
		if p.Sub(ring[0]).Norm() > ring[far].Sub(ring[0]).Norm() {
			far = i
		}
	}
	kept := append([]robot.Point{ring[0]}, simplifyLine(ring[:far+1], within)...)
	kept = append(kept, simplifyLine(append(slices.Clone(ring[far:]), ring[0]), within)...)
	return kept[:len(kept)-1]
}

// simplifyLine returns the needed points of a line, without the first.
func simplifyLine(points []robot.Point, within float64) (kept []robot.Point) {
	type span struct{ a, b int }
	for todo := []span{{0, len(points) - 1}}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		worst, at := within, -1
		line := robot.Segment{A: points[s.a], B: points[s.b]}
		for i := s.a + 1; i < s.b; i++ {
			if d := line.Distance(points[i]); d > worst {
				worst, at = d, i
			}
		}
		if at < 0 {
			kept = append(kept, points[s.b])
			continue
		}
		todo = append(todo, span{at, s.b}, span{s.a, at})
	}
	return kept
}
