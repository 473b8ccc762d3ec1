package pathplan

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

func anywhere(_, _ robot.Point) bool { return true }

// drawGraph draws at most maxNodes nodes, and one-way edges between them.
func drawGraph(t *rapid.T, maxNodes int) *robot.Graph {
	g := &robot.Graph{}
	nodes := rapid.IntRange(1, maxNodes).Draw(t, "nodes")
	for n := range nodes {
		g.Nodes = append(g.Nodes, robot.Via{ID: 100 + n, Point: robot.Point{X: rapid.Float64Range(-20, 20).Draw(t, "x"), Y: rapid.Float64Range(-20, 20).Draw(t, "y")}})
	}
	for n := range rapid.IntRange(0, 3*nodes).Draw(t, "edges") {
		g.Edges = append(g.Edges, robot.Edge{ID: n, Start: 100 + rapid.IntRange(0, nodes-1).Draw(t, "start"), End: 100 + rapid.IntRange(0, nodes-1).Draw(t, "end")})
	}
	return g
}

func TestAPathOverTheGraphIsAsShortAsTheSlowestSearchFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := drawGraph(t, 8*landmarks) // half of them are large enough for landmarks
		g := newGraph(plain, anywhere)
		for range 5 {
			from := robot.Point{X: rapid.Float64Range(-25, 25).Draw(t, "from x"), Y: rapid.Float64Range(-25, 25).Draw(t, "from y")}
			to := robot.Point{X: rapid.Float64Range(-25, 25).Draw(t, "to x"), Y: rapid.Float64Range(-25, 25).Draw(t, "to y")}
			starts, goals := g.linksFrom(nil, from, anywhere), g.linksFrom(nil, to, anywhere)
			// Bellman and Ford: relax every edge once for each node.
			cost := make([]float64, len(g.nodes))
			for n := range cost {
				cost[n] = math.Inf(1)
			}
			for _, l := range starts {
				cost[l.node] = l.length
			}
			for range g.nodes {
				for _, a := range g.arcs {
					cost[a.to] = min(cost[a.to], cost[a.from]+a.length)
				}
			}
			want := math.Inf(1)
			for _, l := range goals {
				want = min(want, cost[l.node]+l.length)
			}
			via, got := g.shortestPath(nil, noon, starts, goals, to, math.Inf(1))
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("%v m, want %v m", got, want)
			}
			if math.IsInf(want, 1) {
				continue
			}
			walked := g.nodes[via[0]].Point.Sub(from).Norm() + g.nodes[via[len(via)-1]].Point.Sub(to).Norm()
			for n := 1; n < len(via); n++ {
				if !g.isJoined(via[n-1], via[n]) {
					t.Fatalf("no edge leads from %d to %d", via[n-1], via[n])
				}
				walked += g.distanceBetween(via[n-1], via[n])
			}
			if math.Abs(walked-want) > 1e-9 {
				t.Fatalf("the path by %v is %v m long, not %v m", via, walked, want)
			}
			if via, got := g.shortestPath(nil, noon, starts, goals, to, want/2); len(via) != 0 || got != want/2 {
				t.Fatalf("the direct path of %v m is not taken: %v, %v m", want/2, via, got)
			}
		}
	})
}

func TestAPlaceIsJoinedToTheNearestViaPointsItSees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := newGraph(drawGraph(t, 30), anywhere)
		p := robot.Point{X: rapid.Float64Range(-60, 60).Draw(t, "x"), Y: rapid.Float64Range(-60, 60).Draw(t, "y")}
		// Every second via point is visible.
		see := func(_, b robot.Point) bool { return int(math.Floor(b.X))%2 == 0 }
		links := g.linksFrom(nil, p, see)
		worst := 0.0
		linked := map[int32]bool{}
		for _, l := range links {
			if !see(p, g.nodes[l.node].Point) || math.Abs(l.length-g.nodes[l.node].Point.Sub(p).Norm()) > 1e-9 || linked[l.node] {
				t.Fatalf("%+v is no link", l)
			}
			linked[l.node] = true
			worst = max(worst, l.length)
		}
		for n, v := range g.nodes {
			if see(p, v.Point) && !linked[int32(n)] && (len(links) < maxLinks || v.Point.Sub(p).Norm() < worst-1e-9) {
				t.Fatalf("node %d at %v is not linked", n, v.Point)
			}
		}
	})
}

func TestAShutEdgeIsAvoidedUntilItsTimeIsOver(t *testing.T) {
	// A square: 0 (0, 0), 1 (10, 0), 2 (10, 10), 3 (0, 10), connected in both directions.
	plain := &robot.Graph{}
	for n, p := range []robot.Point{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 10, Y: 10}, {X: 0, Y: 10}} {
		plain.Nodes = append(plain.Nodes, robot.Via{ID: n, Point: p})
		plain.Edges = append(plain.Edges, robot.Edge{Start: n, End: (n + 1) % 4}, robot.Edge{Start: (n + 1) % 4, End: n})
	}
	g := newGraph(plain, anywhere)
	from, to := []Link{{node: 0}}, []Link{{node: 1}}
	length := func(now time.Time) float64 {
		_, l := g.shortestPath(nil, now, from, to, plain.Nodes[1].Point, math.Inf(1))
		return l
	}
	if n := g.closeNear(robot.Point{X: 5, Y: 0.4}, 0.5, noon.Add(time.Minute)); n != 2 {
		t.Errorf("%d edges are shut, want both directions of one", n)
	}
	g.closeNear(robot.Point{X: 5, Y: 0.4}, 0.5, noon.Add(time.Second)) // a shorter block does not open it earlier
	for _, c := range []struct {
		now  time.Time
		want float64
	}{{noon, 30}, {noon.Add(time.Minute - 1), 30}, {noon.Add(time.Minute), 10}} {
		if got := length(c.now); got != c.want {
			t.Errorf("at %v the path is %v m, want %v m", c.now.Sub(noon), got, c.want)
		}
	}
	g.closeNear(robot.Point{X: 5, Y: 10}, 0.5, noon.Add(time.Hour))
	g.closeNear(robot.Point{X: 5, Y: 0}, 0.5, noon.Add(time.Hour))
	if got := length(noon.Add(time.Minute)); !math.IsInf(got, 1) {
		t.Errorf("with both sides shut the path is %v m", got)
	}
}

func TestEdgesThatDoNotFitAreLeftOut(t *testing.T) {
	plain := &robot.Graph{
		Nodes: []robot.Via{{ID: 1}, {ID: 2, Point: robot.Point{X: 1}}, {ID: 3, Point: robot.Point{X: 9}}},
		Edges: []robot.Edge{{Start: 1, End: 2}, {Start: 2, End: 3}, {Start: 1, End: 77}, {Start: 1, End: 1}},
	}
	g := newGraph(plain, func(a, b robot.Point) bool { return a.X < 5 && b.X < 5 })
	if g.CountNodes() != 2 || g.CountEdges() != 1 {
		t.Errorf("%d nodes and %d edges, want 2 and 1", g.CountNodes(), g.CountEdges())
	}
	empty := newGraph(&robot.Graph{}, anywhere)
	if links := empty.linksFrom(nil, robot.Point{}, anywhere); len(links) != 0 {
		t.Errorf("an empty graph has links: %v", links)
	}
}

func TestTheDistanceFromAnEdgeIsThatFromItsNearestPoint(t *testing.T) {
	for _, c := range []struct {
		a, b robot.Point
		want float64
	}{
		{robot.Point{X: -1}, robot.Point{X: 3}, 2},
		{robot.Point{X: 3}, robot.Point{X: 5}, math.Sqrt(13)},
		{robot.Point{X: -5}, robot.Point{X: -3}, math.Sqrt(13)},
		{robot.Point{X: 3}, robot.Point{X: 3}, math.Sqrt(13)},
	} {
		if got := (robot.Segment{A: c.a, B: c.b}).Distance(robot.Point{Y: 2}); !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("from %v to %v: %v m, want %v m", c.a, c.b, got, c.want)
		}
	}
}
