package mapping

import (
	"math"

	"mybot/drivers/sim"
	"mybot/robot"
)

const (
	wallFar    = 0.5  // m, limit of distances
	sampleStep = 0.05 // m between the tested points of a face or line
	fineStep   = 0.01 // m between the points that represent a line
	seenPoints = 5    // echoes near a point of a face from which the map should have it
)

// A pointHash counts points by square cells.
type pointHash struct {
	cell   float64 // m
	points map[[2]int][]robot.Point
	count  map[[2]int]int
}

func newPointHash(cell float64) *pointHash {
	return &pointHash{cell: cell, points: map[[2]int][]robot.Point{}, count: map[[2]int]int{}}
}

func (h *pointHash) cellOf(p robot.Point) [2]int {
	return [2]int{int(math.Floor(p.X / h.cell)), int(math.Floor(p.Y / h.cell))}
}

// add counts a point without storing it.
func (h *pointHash) add(p robot.Point) { h.count[h.cellOf(p)]++ }

// keep stores a point for nearest.
func (h *pointHash) keep(p robot.Point) {
	c := h.cellOf(p)
	h.points[c] = append(h.points[c], p)
}

// near returns the number of points counted within about a cell of p.
func (h *pointHash) near(p robot.Point) (n int) {
	c := h.cellOf(p)
	for i := -1; i <= 1; i++ {
		for j := -1; j <= 1; j++ {
			n += h.count[[2]int{c[0] + i, c[1] + j}]
		}
	}
	return n
}

// nearest returns the distance from p to the nearest stored point, at most wallFar.
func (h *pointHash) nearest(p robot.Point) float64 {
	c, best := h.cellOf(p), wallFar
	reach := int(math.Ceil(wallFar / h.cell))
	for i := -reach; i <= reach; i++ {
		for j := -reach; j <= reach; j++ {
			for _, q := range h.points[[2]int{c[0] + i, c[1] + j}] {
				best = math.Min(best, q.Sub(p).Norm())
			}
		}
	}
	return best
}

// wallErrors returns the distances between the walls of the made map and the building, in m,
// before a person draws: from points on its lines, from what the lidar saw to the nearest line,
// and from the centres of its occupied cells.
func (m *Made) wallErrors() (drawn, missed, cells []float64) {
	mapFromMade := m.MadeFromMap.Inverse()
	lines := newPointHash(0.25)
	for _, l := range m.unedited.Lines {
		wall := sim.Face{A: mapFromMade.Apply(l.A), B: mapFromMade.Apply(l.B)}
		for _, p := range samplesOf(wall, sampleStep) {
			drawn = append(drawn, m.offFaces(p))
		}
		for _, p := range samplesOf(wall, fineStep) {
			lines.keep(p)
		}
	}
	for _, f := range m.faces {
		for _, p := range samplesOf(f, sampleStep) {
			if m.seen.near(p) >= seenPoints {
				missed = append(missed, lines.nearest(p))
			}
		}
	}
	g := &m.unedited.Grid
	for k, c := range g.Cells {
		if c == robot.Occupied {
			cells = append(cells, m.offFaces(mapFromMade.Apply(g.Origin.Add(robot.Point{
				X: (float64(k%g.Width) + 0.5) * g.Resolution,
				Y: (float64(k/g.Width) + 0.5) * g.Resolution,
			}))))
		}
	}
	return drawn, missed, cells
}

// offFaces returns the distance of a point from the nearest face of the building, at most
// wallFar.
func (m *Made) offFaces(p robot.Point) float64 {
	nearest := wallFar
	for _, f := range m.faces {
		nearest = math.Min(nearest, f.DistanceTo(p))
	}
	return nearest
}

// samplesOf returns points along a face, in map, at a distance in m.
func samplesOf(f sim.Face, apart float64) (points []robot.Point) {
	if f.Radius > 0 {
		n := max(4, int(2*math.Pi*f.Radius/apart))
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			points = append(points, f.A.Add(robot.Point{X: f.Radius * cos, Y: f.Radius * sin}))
		}
		return points
	}
	along := f.B.Sub(f.A)
	n := max(1, int(along.Norm()/apart))
	for i := range n {
		share := (float64(i) + 0.5) / float64(n)
		points = append(points, f.A.Add(robot.Point{X: share * along.X, Y: share * along.Y}))
	}
	return points
}
