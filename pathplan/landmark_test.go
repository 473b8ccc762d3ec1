package pathplan

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

// drawLarge draws a graph that is large enough for landmarks. Some nodes are at the same place,
// and some are not reachable from others.
func drawLarge(t *rapid.T) *Graph {
	plain := &robot.Graph{}
	nodes := rapid.IntRange(4*landmarks+1, 8*landmarks).Draw(t, "nodes")
	node := rapid.IntRange(0, nodes-1)
	for n := range nodes {
		at := robot.Point{X: rapid.Float64Range(-20, 20).Draw(t, "x"), Y: rapid.Float64Range(-20, 20).Draw(t, "y")}
		if n%7 == 6 {
			at = plain.Nodes[n-1].Point
			plain.Edges = append(plain.Edges, robot.Edge{Start: n - 1, End: n}, robot.Edge{Start: n, End: n - 1})
		}
		plain.Nodes = append(plain.Nodes, robot.Via{ID: n, Point: at})
	}
	for range rapid.IntRange(nodes, 4*nodes).Draw(t, "edges") {
		plain.Edges = append(plain.Edges, robot.Edge{Start: node.Draw(t, "start"), End: node.Draw(t, "end")})
	}
	return newGraph(plain, anywhere)
}

func TestEachLandmarkStandsAsFarAsCanBeFromThoseBeforeIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawLarge(t)
		if len(g.landmarks) != landmarks {
			t.Fatalf("%d landmarks, want %d", len(g.landmarks), landmarks)
		}
		nearest := g.distancesFrom(0) // of the first one: far from some node
		for k, l := range g.landmarks {
			at := slices.Index(l.far, 0)
			most := 0.0
			for _, d := range nearest {
				if !math.IsInf(d, 1) {
					most = max(most, d)
				}
			}
			if l.far[at] != 0 || nearest[at] != most {
				t.Fatalf("landmark %d is %v m from the earlier ones; %v m are possible", k, nearest[at], most)
			}
			if k == 0 {
				nearest = slices.Clone(l.far)
			}
			for n, d := range l.far {
				nearest[n] = min(nearest[n], d)
			}
		}
	})
}

func TestASearchAsksTheLandmarksThatBoundItsPathBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawLarge(t)
		node := rapid.Int32Range(0, int32(len(g.nodes)-1))
		start, goal := node.Draw(t, "start"), node.Draw(t, "goal")
		g.pickLandmarks([]Link{{node: start}}, []Link{{node: goal, length: 1}})
		if len(g.guides) != guides {
			t.Fatalf("%d of them are used, want %d", len(g.guides), guides)
		}
		bound := math.Inf(1)
		for _, l := range g.guides {
			bound = min(bound, l.boundFrom(start))
		}
		for n := range g.landmarks {
			if l := &g.landmarks[n]; !slices.Contains(g.guides, l) && l.boundFrom(start) > bound {
				t.Fatalf("landmark %d bounds the path by %v m and is not used, one with %v m is", n, l.boundFrom(start), bound)
			}
		}
	})
}

func TestLandmarksLeadTheSearchPastWhatTheStraightDistanceRunsInto(t *testing.T) {
	// A wall of 40 m separates start and goal, each in the middle of its side; the only path
	// leads around one end of it.
	plain := &robot.Graph{}
	const length, across = 41, 6
	for y := range across {
		for x := range length {
			n := y*length + x
			plain.Nodes = append(plain.Nodes, robot.Via{ID: n, Point: robot.Point{X: float64(x), Y: float64(y)}})
			join := func(m int) {
				plain.Edges = append(plain.Edges, robot.Edge{Start: n, End: m}, robot.Edge{Start: m, End: n})
			}
			if x > 0 {
				join(n - 1)
			}
			if y > 0 && (y != across/2 || x == length-1) {
				join(n - length)
			}
		}
	}
	g := newGraph(plain, anywhere)
	start, goal := int32(20), int32((across-1)*length+20)
	via, _ := g.shortestPath(nil, noon, []Link{{node: start}}, []Link{{node: goal}}, g.nodes[goal].Point, math.Inf(1))
	looked := 0
	for n := range g.nodes {
		if s := g.states[n]; s.round == g.round && s.closed {
			looked++
		}
	}
	t.Logf("a path by %d via points, %d of %d looked at", len(via), looked, len(g.nodes))
	if len(via) != 46 || looked > 60 {
		t.Errorf("a path by %d via points, %d of %d looked at; want 46, and at most 60", len(via), looked, len(g.nodes))
	}
}
