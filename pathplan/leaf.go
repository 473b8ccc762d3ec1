package pathplan

import (
	"math"
	"slices"

	"mybot/robot"
)

// gridWithDoors returns the grid of a floor with the open door leaves drawn in,
// because most grids show only the doorways.
func gridWithDoors(plan *robot.Floorplan) *robot.Grid {
	g := plan.Grid
	if len(plan.Doors) == 0 {
		return &g
	}
	g.Cells = slices.Clone(g.Cells)
	for _, d := range plan.Doors {
		l := d.Leaf(d.Open)
		leg := l.B.Sub(l.A)
		parts := max(1, int(math.Ceil(2*d.Length/g.Resolution)))
		for n := range parts + 1 {
			f := float64(n) / float64(parts)
			if i, j, ok := g.Index(l.A.Add(robot.Point{X: f * leg.X, Y: f * leg.Y})); ok {
				g.Cells[j*g.Width+i] = robot.Occupied
			}
		}
	}
	return &g
}
