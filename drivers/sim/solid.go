package sim

import (
	"math"

	"mybot/robot"
)

// A solid is a thing on the floor: a straight face from a to b, or, with a radius,
// a round thing around a. In map.
type solid struct {
	a, b   robot.Point
	radius float64 // m; 0 = a face
	low    bool    // sonars do not detect it, but the hull hits it
	passes float64 // cosine of the angle of incidence beyond which a lidar passes through; 0 = never
	dark   bool    // it reflects little light
}

// distanceTo returns the distance from p, in m; 0 inside a round thing.
func (s solid) distanceTo(p robot.Point) float64 {
	if s.radius > 0 {
		return math.Max(0, p.Sub(s.a).Norm()-s.radius)
	}
	return robot.Segment{A: s.a, B: s.b}.Distance(p)
}

// solids holds all stationary things in square bins, so that rays and hulls check
// only nearby ones.
type solids struct {
	all    []solid
	origin robot.Point // of bin (0, 0), in map
	size   float64     // m, side of a bin
	nx, ny int
	bins   [][]int32       // indices into all; a thing is in every bin that it reaches
	edges  [][]robot.Point // ends of faces that sonars detect, which return an echo in every direction
}

const (
	binSize = 0.5     // m
	maxBins = 1 << 20 // on a very large floor the bins are larger instead
)

// newSolids collects walls, furniture, the leaves of doors (closed says which are
// closed), and the things. Sonars do not detect what is lower than sees, in m.
func newSolids(plan *robot.Floorplan, closed []bool, things []Thing, sees float64) *solids {
	low := func(height float64) bool { return height > 0 && height < sees }
	g := &solids{all: wallsAndLeaves(plan, closed)}
	for _, f := range plan.Furniture {
		if f.Radius > 0 && len(f.Outline) > 0 {
			g.all = append(g.all, solid{a: f.Outline[0], radius: f.Radius, low: low(f.Height)})
			continue
		}
		g.all = append(g.all, sidesOf(f.Outline, low(f.Height))...)
	}
	for _, t := range things {
		if t.Kind == ObstacleKind {
			g.all = append(g.all, solid{a: t.Point, radius: t.Radius, low: low(t.height)})
		}
	}
	g.sortIntoBins()
	return g
}

// wallsAndLeaves returns the walls, in the order of the plan's lines, and then the
// leaves of the doors.
func wallsAndLeaves(plan *robot.Floorplan, closed []bool) (all []solid) {
	for _, l := range plan.Lines {
		all = append(all, solid{a: l.A, b: l.B})
	}
	for i, d := range plan.Doors {
		angle := d.Open
		if closed[i] {
			angle = d.Closed
		}
		all = append(all, leafSolid(d, angle))
	}
	return all
}

// sidesOf returns the sides of an outline; low as in solid.
func sidesOf(outline []robot.Point, low bool) (sides []solid) {
	for i, p := range outline {
		if q := outline[(i+1)%len(outline)]; p != q { // a ring may repeat its first point
			sides = append(sides, solid{a: p, b: q, low: low})
		}
	}
	return sides
}

// sortIntoBins puts every thing into its bins.
func (g *solids) sortIntoBins() {
	if len(g.all) == 0 {
		return
	}
	low := robot.Point{X: math.Inf(1), Y: math.Inf(1)}
	high := robot.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, s := range g.all {
		a, b := s.boundingBox()
		low = robot.Point{X: min(low.X, a.X), Y: min(low.Y, a.Y)}
		high = robot.Point{X: max(high.X, b.X), Y: max(high.Y, b.Y)}
	}
	g.size = max(binSize, math.Sqrt((high.X-low.X)*(high.Y-low.Y)/maxBins), (high.X-low.X)/maxBins, (high.Y-low.Y)/maxBins)
	g.origin = low.Sub(robot.Point{X: g.size / 2, Y: g.size / 2})
	g.nx = int((high.X-g.origin.X)/g.size) + 2
	g.ny = int((high.Y-g.origin.Y)/g.size) + 2
	g.bins = make([][]int32, g.nx*g.ny)
	g.edges = make([][]robot.Point, g.nx*g.ny)
	half := g.size * math.Sqrt2 / 2
	for n, s := range g.all {
		a, b := s.boundingBox()
		g.eachBin(a, b, func(k int) {
			i, j := k%g.nx, k/g.nx
			middle := g.origin.Add(robot.Point{X: (float64(i) + .5) * g.size, Y: (float64(j) + .5) * g.size})
			if s.distanceTo(middle) <= half+1e-9 {
				g.bins[k] = append(g.bins[k], int32(n))
			}
		})
		if s.radius == 0 && !s.low {
			for _, e := range []robot.Point{s.a, s.b} {
				g.eachBin(e, e, func(k int) { g.edges[k] = append(g.edges[k], e) })
			}
		}
	}
}

// boundingBox returns the corners of the rectangle around the thing.
func (s solid) boundingBox() (low, high robot.Point) {
	if s.radius > 0 {
		r := robot.Point{X: s.radius, Y: s.radius}
		return s.a.Sub(r), s.a.Add(r)
	}
	return robot.Point{X: min(s.a.X, s.b.X), Y: min(s.a.Y, s.b.Y)}, robot.Point{X: max(s.a.X, s.b.X), Y: max(s.a.Y, s.b.Y)}
}

// eachBin calls f with the index of every bin that the rectangle overlaps.
func (g *solids) eachBin(low, high robot.Point, f func(k int)) {
	if len(g.bins) == 0 {
		return
	}
	bin := func(v, o float64, n int) int {
		return int(math.Floor(max(-1, min(float64(n), (v-o)/g.size))))
	}
	i0, i1 := max(0, bin(low.X, g.origin.X, g.nx)), min(g.nx-1, bin(high.X, g.origin.X, g.nx))
	j0, j1 := max(0, bin(low.Y, g.origin.Y, g.ny)), min(g.ny-1, bin(high.Y, g.origin.Y, g.ny))
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			f(j*g.nx + i)
		}
	}
}

// solidsWithin returns the things closer to p than d metres, each once.
func (g *solids) solidsWithin(p robot.Point, d float64) []solid {
	var seen []int32
	var out []solid
	r := robot.Point{X: d, Y: d}
	g.eachBin(p.Sub(r), p.Add(r), func(k int) {
	next:
		for _, n := range g.bins[k] {
			for _, m := range seen {
				if m == n {
					continue next
				}
			}
			if s := g.all[n]; s.distanceTo(p) < d {
				seen = append(seen, n)
				out = append(out, s)
			}
		}
	})
	return out
}

// A hit is where a ray hits a thing.
type hit struct {
	distance float64     // m along the ray
	cos      float64     // of the angle between the ray and the thing's normal
	normal   robot.Point // unit vector, against the ray
	round    bool
	dark     bool
}

// castRay follows a ray from o along the unit vector d, for at most most metres,
// and returns the first thing that sonars or, in its plane, a lidar can detect.
func (g *solids) castRay(o, d robot.Point, most float64) (hit, bool) {
	best, found := hit{distance: most}, false
	if len(g.bins) == 0 {
		return best, false
	}
	// The part of the ray inside the bins.
	enter, leave := 0.0, most
	for _, axis := range [2][3]float64{
		{o.X - g.origin.X, d.X, float64(g.nx) * g.size},
		{o.Y - g.origin.Y, d.Y, float64(g.ny) * g.size},
	} {
		at, dir, end := axis[0], axis[1], axis[2]
		if dir == 0 {
			if at < 0 || at >= end {
				return best, false
			}
			continue
		}
		t0, t1 := -at/dir, (end-at)/dir
		enter, leave = max(enter, min(t0, t1)), min(leave, max(t0, t1))
	}
	if enter > leave {
		return best, false
	}
	// From bin to bin, the nearest border first (Amanatides and Woo 1987).
	x, y := (o.X+enter*d.X-g.origin.X)/g.size, (o.Y+enter*d.Y-g.origin.Y)/g.size
	i, j := min(g.nx-1, max(0, int(x))), min(g.ny-1, max(0, int(y)))
	stepX, nextX, everyX := nextBorder(d.X, x, i, g.size, enter)
	stepY, nextY, everyY := nextBorder(d.Y, y, j, g.size, enter)
	for i >= 0 && j >= 0 && i < g.nx && j < g.ny {
		for _, n := range g.bins[j*g.nx+i] {
			s := &g.all[n]
			if s.low {
				continue
			}
			if h, ok := s.meetRay(o, d); ok && h.distance < best.distance && h.cos >= s.passes {
				best, found = h, true
				best.dark = s.dark
			}
		}
		if best.distance <= min(nextX, nextY) {
			return best, found
		}
		if nextX < nextY {
			i += stepX
			nextX += everyX
		} else {
			j += stepY
			nextY += everyY
		}
	}
	return best, found
}

// nextBorder returns, for one axis, the direction in which a ray crosses the bins,
// where it crosses the next border, and the distance between borders.
func nextBorder(dir, at float64, bin int, size, enter float64) (step int, next, every float64) {
	switch {
	case dir > 0:
		return 1, enter + (float64(bin+1)-at)*size/dir, size / dir
	case dir < 0:
		return -1, enter + (float64(bin)-at)*size/dir, -size / dir
	default:
		return 0, math.Inf(1), math.Inf(1)
	}
}

// meetRay returns where the ray from o along the unit vector d hits the thing.
func (s *solid) meetRay(o, d robot.Point) (hit, bool) {
	to := s.a.Sub(o)
	if s.radius > 0 {
		along := to.X*d.X + to.Y*d.Y
		across := to.X*d.Y - to.Y*d.X
		half := s.radius*s.radius - across*across
		if half < 0 {
			return hit{}, false
		}
		half = math.Sqrt(half)
		if along+half < 0 {
			return hit{}, false
		}
		distance := along - half
		if distance < 0 { // o is inside: no outer normal faces the ray
			return hit{cos: 1, normal: robot.Point{X: -d.X, Y: -d.Y}, round: true}, true
		}
		normal := robot.Point{X: (distance*d.X - to.X) / s.radius, Y: (distance*d.Y - to.Y) / s.radius}
		return hit{distance: distance, cos: half / s.radius, normal: normal, round: true}, true
	}
	e := s.b.Sub(s.a)
	den := d.X*e.Y - d.Y*e.X
	if den == 0 {
		return hit{}, false
	}
	distance := (to.X*e.Y - to.Y*e.X) / den
	on := (to.X*d.Y - to.Y*d.X) / den
	if distance < 0 || on < 0 || on > 1 {
		return hit{}, false
	}
	length := e.Norm()
	normal := robot.Point{X: -e.Y / length, Y: e.X / length}
	if den < 0 {
		normal = robot.Point{X: -normal.X, Y: -normal.Y}
	}
	return hit{distance: distance, cos: math.Abs(den) / length, normal: normal}, true
}

// hullDistance returns the distance, in m, between a convex outline, given
// counter-clockwise, and a thing; 0 where they overlap.
func hullDistance(hull []robot.Point, s solid) float64 {
	if insideConvex(hull, s.a) {
		return 0
	}
	least := math.Inf(1)
	for i, p := range hull {
		q := hull[(i+1)%len(hull)]
		if s.radius > 0 {
			least = min(least, math.Max(0, robot.Segment{A: p, B: q}.Distance(s.a)-s.radius))
		} else {
			least = min(least, robot.Segment{A: p, B: q}.Gap(robot.Segment{A: s.a, B: s.b}))
		}
		if least == 0 {
			break
		}
	}
	return least
}

// insideConvex reports whether p lies in the convex outline.
func insideConvex(hull []robot.Point, p robot.Point) bool {
	for i, a := range hull {
		if hull[(i+1)%len(hull)].Sub(a).Cross(p.Sub(a)) < 0 {
			return false
		}
	}
	return true
}
