package pathplan

import (
	"math"

	"mybot/robot"
)

const (
	landmarks = 12 // per graph
	guides    = 3  // landmarks that one search uses
)

// A landmark holds the distances in m from one node to all nodes, over open and closed
// edges; +Inf if there is no path. By the triangle inequality they bound the length of
// other paths from below, mostly more tightly than the straight distance (Goldberg and
// Harrelson 2005).
type landmark struct {
	far  []float64
	goal float64 // m to the goal of this search
}

// placeLandmarks places the landmarks, each as far as possible from those before it.
func (g *Graph) placeLandmarks() {
	if len(g.nodes) <= 4*landmarks {
		return // the straight distance is as good
	}
	nearest := make([]float64, len(g.nodes)) // to the nearest landmark
	for n := range nearest {
		nearest[n] = math.Inf(1)
	}
	// The first landmark is the node farthest from the first node: at an edge of the
	// floor.
	at := indexOfFarthest(g.distancesFrom(0))
	for range landmarks {
		far := g.distancesFrom(int32(at))
		for n, d := range far {
			nearest[n] = min(nearest[n], d)
		}
		g.landmarks = append(g.landmarks, landmark{far: far})
		at = indexOfFarthest(nearest)
	}
}

// indexOfFarthest returns the index of the largest finite value.
func indexOfFarthest(values []float64) int {
	best := 0
	for n, d := range values {
		if !math.IsInf(d, 1) && (d > values[best] || math.IsInf(values[best], 1)) {
			best = n
		}
	}
	return best
}

// distancesFrom returns the length in m of the shortest path from one node to each node;
// +Inf if there is none.
func (g *Graph) distancesFrom(from int32) []float64 {
	far := make([]float64, len(g.nodes))
	for n := range far {
		far[n] = math.Inf(1)
	}
	far[from] = 0
	open := heap{{at: from}}
	for len(open) > 0 {
		cost := open[0].rank
		at := open.pop()
		if cost > far[at] {
			continue
		}
		for _, a := range g.arcs[g.first[at]:g.first[at+1]] {
			if d := cost + a.length; d < far[a.to] {
				far[a.to] = d
				open.push(entry{rank: d, at: a.to})
			}
		}
	}
	return far
}

// pickLandmarks picks the landmarks that give the best bound from the first link of the
// start to the goal.
func (g *Graph) pickLandmarks(from, to []Link) {
	g.guides = g.guides[:0]
	if len(from) == 0 {
		return
	}
	var bounds [guides]float64
	for n := range g.landmarks {
		l := &g.landmarks[n]
		l.goal = math.Inf(1)
		for _, k := range to {
			l.goal = min(l.goal, l.far[k.node]+k.length)
		}
		b := l.boundFrom(from[0].node)
		if len(g.guides) < guides {
			bounds[len(g.guides)] = b
			g.guides = append(g.guides, l)
			continue
		}
		worst := 0
		for k := range bounds {
			if bounds[k] < bounds[worst] {
				worst = k
			}
		}
		if b > bounds[worst] {
			bounds[worst], g.guides[worst] = b, l
		}
	}
}

// boundFrom returns a lower bound of the path from a node to the goal, in m; +Inf if
// there is no path.
func (l *landmark) boundFrom(at int32) float64 {
	if far := l.far[at]; !math.IsInf(far, 1) {
		return l.goal - far
	}
	return 0
}

// lowerBound returns a lower bound of the path from a node to the goal, in m.
func (g *Graph) lowerBound(at int32, goal robot.Point) float64 {
	d := goal.Sub(g.nodes[at].Point)
	bound := math.Sqrt(d.X*d.X + d.Y*d.Y)
	for _, l := range g.guides {
		bound = max(bound, l.boundFrom(at))
	}
	return bound
}
