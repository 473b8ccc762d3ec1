package survey

import (
	"cmp"
	"slices"
	"time"

	"mybot/mapping"
	"mybot/robot"
)

const (
	overviewCell  = 0.2     // m
	overviewCells = 1 << 20 // at most
	overviewEvery = 5 * time.Second
	overviewShare = 50  // multiple of the drawing time that passes before the next drawing, at least
	minOpen       = 0.6 // m, length of an open edge that a robot can about pass
	maxOpen       = 20  // open edges that are reported
	maxTrail      = 500 // points
)

// An overview is the whole floor, drawn coarsely and rarely, for the open edges and
// the trail.
type overview struct {
	open   []robot.Point
	trail  []robot.Point
	frames int       // number it was drawn from
	due    time.Time // when it is drawn next; zero = at once
}

// drawIfDue redraws the overview when it is due.
func (o *overview) drawIfDue(m *mapping.Mapper, now time.Time) {
	r := m.Result()
	n := r.KeyFrames()
	o.trail = o.trail[:0:0]
	stride := n/maxTrail + 1
	for i := 0; i < n; i += stride {
		o.trail = append(o.trail, r.Pose(i).Point())
	}
	if n == o.frames || now.Before(o.due) {
		return
	}
	began := time.Now()
	grid := r.Draw(robot.Pose{}, overviewCell, overviewCells).Grid()
	o.open = openEdges(&grid)
	o.frames, o.due = n, now.Add(max(overviewEvery, overviewShare*time.Since(began)))
}

// openEdges returns the centres of the longest edges between free and unknown
// floor.
func openEdges(g *robot.Grid) []robot.Point {
	isOpen := make([]bool, len(g.Cells))
	for y := 1; y < g.Height-1; y++ {
		for x := 1; x < g.Width-1; x++ {
			k := y*g.Width + x
			isOpen[k] = g.Cells[k] == robot.Free && (g.Cells[k-1] == robot.Unknown || g.Cells[k+1] == robot.Unknown ||
				g.Cells[k-g.Width] == robot.Unknown || g.Cells[k+g.Width] == robot.Unknown)
		}
	}
	type edge struct {
		cells  int
		middle robot.Point
	}
	var edges []edge
	for k := range isOpen {
		if !isOpen[k] {
			continue
		}
		cells := followEdge(isOpen, g.Width, k)
		if float64(len(cells))*g.Resolution < minOpen {
			continue
		}
		slices.Sort(cells) // so that the centre does not depend on the first cell found
		edges = append(edges, edge{len(cells), middleOf(cells, g)})
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(b.cells, a.cells) })
	var open []robot.Point
	for _, e := range edges[:min(len(edges), maxOpen)] {
		open = append(open, e.middle)
	}
	return open
}

// followEdge returns the cells connected to cell k, and removes them from isOpen.
func followEdge(isOpen []bool, width, k int) []int {
	isOpen[k] = false
	cells := []int{k}
	for i := 0; i < len(cells); i++ {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if next := cells[i] + dy*width + dx; next >= 0 && next < len(isOpen) && isOpen[next] {
					isOpen[next] = false
					cells = append(cells, next)
				}
			}
		}
	}
	return cells
}

// middleOf returns the centre of the cell nearest to the mean of the cells, so that
// it is on the edge even if the edge is curved.
func middleOf(cells []int, g *robot.Grid) robot.Point {
	at := func(k int) robot.Point {
		return g.CellMiddle(k%g.Width, k/g.Width)
	}
	mean := robot.Point{}
	for _, k := range cells {
		mean = mean.Add(at(k))
	}
	mean.X /= float64(len(cells))
	mean.Y /= float64(len(cells))
	best := at(cells[0])
	for _, k := range cells {
		if p := at(k); p.Sub(mean).Norm() < best.Sub(mean).Norm() {
			best = p
		}
	}
	return best
}
