package testbed

import (
	"fmt"
	"math"
	"math/rand/v2"

	"mybot/robot"
)

// minClearance is the least distance, in m, of via points and lanes from the map's obstacles.
const minClearance = 0.40

// Roads are via points and the lanes between them.
type Roads struct {
	At   []robot.Point
	next [][]int
}

// NewRoads returns the part of a plan's via graph that keeps minClearance. If there is none, it
// returns points on the free floor, with lanes between points that are in line of sight.
func NewRoads(plan *robot.Floorplan) (*Roads, error) {
	far := measureClearance(&plan.Grid)
	r := &Roads{}
	number := map[int]int{}
	for _, v := range plan.Graph.Nodes {
		if far.distanceAt(v.Point) >= minClearance {
			number[v.ID] = len(r.At)
			r.At = append(r.At, v.Point)
		}
	}
	r.next = make([][]int, len(r.At))
	for _, e := range plan.Graph.Edges {
		a, okA := number[e.Start]
		b, okB := number[e.End]
		if okA && okB && far.isLaneClear(r.At[a], r.At[b]) {
			r.next[a] = append(r.next[a], b)
		}
	}
	if len(r.LargestPart()) >= 4 {
		return r, nil
	}
	*r = Roads{}
	rng := rand.New(rand.NewPCG(uint64(len(plan.Grid.Cells)), 5))
	for range 20000 {
		if len(r.At) == 150 {
			break
		}
		c := rng.IntN(len(plan.Grid.Cells))
		p := plan.Grid.CellMiddle(c%plan.Grid.Width, c/plan.Grid.Width)
		if far.distanceAt(p) >= minClearance {
			r.At = append(r.At, p)
		}
	}
	r.next = make([][]int, len(r.At))
	for a, p := range r.At {
		for b, q := range r.At {
			if d := p.Sub(q).Norm(); a != b && d > 0.5 && d < 6 && far.isLaneClear(p, q) {
				r.next[a] = append(r.next[a], b)
			}
		}
	}
	if len(r.LargestPart()) < 2 {
		return nil, fmt.Errorf("lab: on this map there is no floor that is %.2f m clear of everything; the robot has nowhere to drive", minClearance)
	}
	return r, nil
}

// Next returns the via points that lanes lead to from via point n.
func (r *Roads) Next(n int) []int { return r.next[n] }

// LargestPart returns the via points of the largest connected part.
func (r *Roads) LargestPart() []int {
	part := make([]int, len(r.At))
	var best []int
	for a := range r.At {
		if part[a] != 0 {
			continue
		}
		part[a] = a + 1
		reached := []int{a}
		for i := 0; i < len(reached); i++ {
			for _, b := range r.next[reached[i]] {
				if part[b] == 0 {
					part[b] = a + 1
					reached = append(reached, b)
				}
			}
		}
		if len(reached) > len(best) {
			best = reached
		}
	}
	return best
}

// RandomPoint returns a point on a lane.
func (r *Roads) RandomPoint(rng *rand.Rand) robot.Point {
	a := rng.IntN(len(r.At))
	p := r.At[a]
	if next := r.next[a]; len(next) > 0 {
		v := r.At[next[rng.IntN(len(next))]].Sub(p)
		f := rng.Float64()
		p = p.Add(robot.Point{X: f * v.X, Y: f * v.Y})
	}
	return p
}

// distances holds the distance, in m, of each free cell from the nearest cell that is not free. An
// upper bound is sufficient here, so it is measured in steps to the eight neighbours.
type distances struct {
	grid *robot.Grid
	far  []float64
}

func measureClearance(g *robot.Grid) distances {
	d := distances{grid: g, far: make([]float64, len(g.Cells))}
	for k, c := range g.Cells {
		if c == robot.Free {
			d.far[k] = math.Inf(1)
		}
	}
	look := func(i, j int, steps [4][2]int) {
		k := j*g.Width + i
		for _, s := range steps {
			x, y := i+s[0], j+s[1]
			near := 0.0
			if x >= 0 && y >= 0 && x < g.Width && y < g.Height {
				near = d.far[y*g.Width+x]
			}
			d.far[k] = min(d.far[k], near+math.Hypot(float64(s[0]), float64(s[1]))*g.Resolution)
		}
	}
	for j := range g.Height {
		for i := range g.Width {
			look(i, j, [4][2]int{{-1, 0}, {-1, -1}, {0, -1}, {1, -1}})
		}
	}
	for j := g.Height - 1; j >= 0; j-- {
		for i := g.Width - 1; i >= 0; i-- {
			look(i, j, [4][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}})
		}
	}
	return d
}

func (d distances) distanceAt(p robot.Point) float64 {
	i, j, ok := d.grid.Index(p)
	if !ok {
		return 0
	}
	return d.far[j*d.grid.Width+i]
}

// isLaneClear reports whether the straight line from p to q is clear.
func (d distances) isLaneClear(p, q robot.Point) bool {
	v := q.Sub(p)
	n := int(v.Norm()/0.05) + 1
	for i := range n + 1 {
		f := float64(i) / float64(n)
		if d.distanceAt(p.Add(robot.Point{X: f * v.X, Y: f * v.Y})) < minClearance-0.02 {
			return false
		}
	}
	return true
}
