package pathplan

import (
	"math"

	"mybot/robot"
)

const (
	landmarks = 12 // of a graph
	guides    = 3  // of them that a search asks
)

// A landmark knows how far every node is from one of them when all edges are
// open, in m, +Inf = it does not lead there. By the triangle inequality that
// bounds every other way from below, mostly better than the straight distance
// (Goldberg and Harrelson 2005).
type landmark struct {
	far  []float64
	goal float64 // m to the goal of this search
}

// placeLandmarks places the landmarks, each as far as can be from those before it.
func (g *Graph) placeLandmarks() {
	if len(g.nodes) <= 4*landmarks {
		return // the straight distance is as good
	}
	nearest := make([]float64, len(g.nodes)) // to the nearest landmark
	for n := range nearest {
		nearest[n] = math.Inf(1)
	}
	// The first one is far from where the first node is, on an edge of the floor.
	at := indexOfFarthest(g.distancesTo(0))
	for range landmarks {
		far := g.distancesTo(int32(at))
		for n, d := range far {
			nearest[n] = min(nearest[n], d)
		}
		g.landmarks = append(g.landmarks, landmark{far: far})
		at = indexOfFarthest(nearest)
	}
}

// indexOfFarthest returns where the largest finite value is.
func indexOfFarthest(values []float64) int {
	best := 0
	for n, d := range values {
		if !math.IsInf(d, 1) && (d > values[best] || math.IsInf(values[best], 1)) {
			best = n
		}
	}
	return best
}

// distancesTo returns how far every node is from one of them.
func (g *Graph) distancesTo(from int32) []float64 {
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

// pickLandmarks picks the landmarks that bound the path from one of the links to the
// goal best.
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

// boundFrom returns what the path from a node to the goal is at least, in m; +Inf
// when there is none.
func (l *landmark) boundFrom(at int32) float64 {
	if far := l.far[at]; !math.IsInf(far, 1) {
		return l.goal - far
	}
	return 0
}

// lowerBound returns what the path from a node to the goal is at least, in m.
func (g *Graph) lowerBound(at int32, goal robot.Point) float64 {
	d := goal.Sub(g.nodes[at].Point)
	bound := math.Sqrt(d.X*d.X + d.Y*d.Y)
	for _, l := range g.guides {
		bound = max(bound, l.boundFrom(at))
	}
	return bound
}
