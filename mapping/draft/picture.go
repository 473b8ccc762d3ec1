package draft

import (
	"math"
	"slices"

	"mybot/robot"
)

// trimMargin is how many unknown cells remain around the known ones.
const trimMargin = 4

// fillOutline calls do with the index of every cell whose centre is within an
// outline.
func fillOutline(g *robot.Grid, outline []robot.Point, do func(k int)) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range outline {
		low, high = math.Min(low, p.Y), math.Max(high, p.Y)
	}
	row := func(y float64) int {
		return int(robot.Clamp(math.Ceil((y-g.Origin.Y)/g.Resolution-0.5), 0, float64(g.Height)))
	}
	var crossings []float64
	for j := row(low); j < row(high); j++ {
		y := g.Origin.Y + (float64(j)+0.5)*g.Resolution
		crossings = crossings[:0]
		for i, a := range outline {
			if b := outline[(i+1)%len(outline)]; (a.Y > y) != (b.Y > y) {
				crossings = append(crossings, a.X+(b.X-a.X)*(y-a.Y)/(b.Y-a.Y))
			}
		}
		slices.Sort(crossings)
		for n := 0; n+1 < len(crossings); n += 2 {
			column := func(x float64) int {
				return int(robot.Clamp(math.Ceil((x-g.Origin.X)/g.Resolution-0.5), 0, float64(g.Width)))
			}
			for i := column(crossings[n]); i < column(crossings[n+1]); i++ {
				do(j*g.Width + i)
			}
		}
	}
}

// eraseOutline frees occupied cells within an outline, and unknown cells there,
// unless these are connected to the unknown area around the outline.
func eraseOutline(g *robot.Grid, outline []robot.Point) {
	const (
		untouched = iota
		within
		outer
	)
	state := make([]uint8, len(g.Cells))
	var cells, next []int
	fillOutline(g, outline, func(k int) {
		state[k] = within
		cells = append(cells, k)
	})
	neighbours := func(k int, do func(k int)) {
		if i := k % g.Width; i > 0 {
			do(k - 1)
		}
		if i := k % g.Width; i+1 < g.Width {
			do(k + 1)
		}
		if k >= g.Width {
			do(k - g.Width)
		}
		if k+g.Width < len(g.Cells) {
			do(k + g.Width)
		}
	}
	reach := func(k int) {
		if state[k] == within && g.Cells[k] == robot.Unknown {
			state[k] = outer
			next = append(next, k)
		}
	}
	for _, k := range cells {
		atEdge := false
		neighbours(k, func(n int) { atEdge = atEdge || state[n] == untouched && g.Cells[n] == robot.Unknown })
		if atEdge {
			reach(k)
		}
	}
	for len(next) > 0 {
		k := next[len(next)-1]
		next = next[:len(next)-1]
		neighbours(k, reach)
	}
	for _, k := range cells {
		if state[k] == within {
			g.Cells[k] = robot.Free
		}
	}
}

// drawLine makes the cells along a line occupied.
func drawLine(g *robot.Grid, s robot.Segment) {
	way := s.B.Sub(s.A)
	n := int(2*way.Norm()/g.Resolution) + 1
	for i := range n + 1 {
		f := float64(i) / float64(n)
		if x, y, ok := g.Index(robot.Point{X: s.A.X + f*way.X, Y: s.A.Y + f*way.Y}); ok {
			g.Cells[y*g.Width+x] = robot.Occupied
		}
	}
}

// keepWithin makes everything outside an outline unknown.
func keepWithin(g *robot.Grid, outline []robot.Point) {
	kept := make([]robot.Cell, len(g.Cells))
	fillOutline(g, outline, func(k int) { kept[k] = g.Cells[k] })
	g.Cells = kept
}

// trimGrid crops a grid to its known cells, with a margin; ok is false if no cell is
// free.
func trimGrid(g *robot.Grid) (cut robot.Grid, ok bool) {
	ax, ay, bx, by := g.Width, g.Height, -1, -1
	for k, c := range g.Cells {
		if c != robot.Unknown {
			x, y := k%g.Width, k/g.Width
			ax, ay, bx, by = min(ax, x), min(ay, y), max(bx, x), max(by, y)
			ok = ok || c == robot.Free
		}
	}
	if !ok {
		return *g, false
	}
	ax, ay = max(0, ax-trimMargin), max(0, ay-trimMargin)
	bx, by = min(g.Width-1, bx+trimMargin), min(g.Height-1, by+trimMargin)
	cut = robot.Grid{
		Width: bx - ax + 1, Height: by - ay + 1, Resolution: g.Resolution,
		Origin: g.Origin.Add(robot.Point{X: float64(ax) * g.Resolution, Y: float64(ay) * g.Resolution}),
	}
	for y := ay; y <= by; y++ {
		cut.Cells = append(cut.Cells, g.Cells[y*g.Width+ax:][:cut.Width]...)
	}
	return cut, true
}

// clipLine returns the parts of a line within an outline, or outside it.
func clipLine(s robot.Segment, outline []robot.Point, inside bool) (parts []robot.Segment) {
	way := s.B.Sub(s.A)
	cuts := []float64{0, 1}
	for i, a := range outline {
		side := outline[(i+1)%len(outline)].Sub(a)
		if det := way.Cross(side); det != 0 {
			off := a.Sub(s.A)
			if f, g := off.Cross(side)/det, off.Cross(way)/det; f > 0 && f < 1 && g >= 0 && g <= 1 {
				cuts = append(cuts, f)
			}
		}
	}
	slices.Sort(cuts)
	at := func(f float64) robot.Point { return robot.Point{X: s.A.X + f*way.X, Y: s.A.Y + f*way.Y} }
	for n := 0; n+1 < len(cuts); n++ {
		if robot.Inside(at((cuts[n]+cuts[n+1])/2), outline) == inside && cuts[n+1] > cuts[n] {
			if last := len(parts) - 1; last >= 0 && parts[last].B == at(cuts[n]) {
				parts[last].B = at(cuts[n+1])
			} else {
				parts = append(parts, robot.Segment{A: at(cuts[n]), B: at(cuts[n+1])})
			}
		}
	}
	return parts
}
