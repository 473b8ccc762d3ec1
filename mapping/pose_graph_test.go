package mapping

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mybot/robot"
)

var sure = equalPrecision(10, 500)

// chainGraph returns n+1 nodes 1 m apart along x, with the edges between them.
func chainGraph(n int) *poseGraph {
	g := &poseGraph{nodes: []robot.Pose{{}}}
	for i := range n {
		g.nodes = append(g.nodes, robot.Pose{X: float64(i + 1)})
		g.edges = append(g.edges, edge{a: i, b: i + 1, bFromA: robot.Pose{X: 1}, precision: sure})
	}
	return g
}

func wantPose(t *testing.T, what string, got, want robot.Pose, distance, turn float64) {
	t.Helper()
	off := want.Inverse().Compose(got)
	if off.Point().Norm() > distance || math.Abs(off.Theta) > turn {
		t.Errorf("%s is at %+v, want %+v", what, got, want)
	}
}

func TestAnEdgeThatDisagreesIsSpreadOverAChainLikeASpring(t *testing.T) {
	// Ten edges of 1 m in a row, and one that measures 10.5 m for their sum: with
	// equal weights each of the eleven takes the same part of the difference.
	g := chainGraph(10)
	g.edges = append(g.edges, edge{a: 0, b: 10, bFromA: robot.Pose{X: 10.5}, precision: sure})
	newOptimization(g, 20).run()
	for i, p := range g.nodes {
		wantPose(t, "a node", p, robot.Pose{X: float64(i) * (1 + 0.5/11)}, 1e-6, 1e-6)
	}
}

func TestASquareWithAKnownTurnErrorCloses(t *testing.T) {
	// Four sides whose measured turns are 1° too small, and a loop closure that
	// joins the end to the start: by symmetry every corner becomes a right angle
	// again.
	g := &poseGraph{nodes: []robot.Pose{{}}}
	step := robot.Pose{X: 2, Theta: robot.Radians(89)}
	for i := range 4 {
		g.nodes = append(g.nodes, g.nodes[i].Compose(step))
		g.edges = append(g.edges, edge{a: i, b: i + 1, bFromA: step, precision: sure})
	}
	g.edges = append(g.edges, edge{a: 4, b: 0, bFromA: robot.Pose{}, precision: equalPrecision(1e4, 1e4)})
	newOptimization(g, 50).run()
	for i := range 4 {
		turn := g.nodes[i].Inverse().Compose(g.nodes[i+1]).Theta
		if math.Abs(robot.Degrees(turn)-90) > 0.2 {
			t.Errorf("corner %d turns by %.3f deg", i, robot.Degrees(turn))
		}
	}
	wantPose(t, "the end", g.nodes[4], robot.Pose{}, 1e-4, 1e-4)
}

func TestTheResultTurnsWithTheFirstNode(t *testing.T) {
	at := robot.Pose{X: -7, Y: 3, Theta: 2.5}
	a, b := ringGraph(robot.Pose{}), ringGraph(at)
	newOptimization(a, 30).run()
	newOptimization(b, 30).run()
	for i := range a.nodes {
		wantPose(t, "a node", b.nodes[i], at.Compose(a.nodes[i]), 1e-5, 1e-6)
	}
}

// ringGraph returns a ring of forty noisy edges that begins at a pose.
func ringGraph(at robot.Pose) *poseGraph {
	rng := rand.New(rand.NewPCG(1, 2))
	g := &poseGraph{nodes: []robot.Pose{at}}
	for i := range 40 {
		step := robot.Pose{X: 1 + 0.05*rng.NormFloat64(), Y: 0.05 * rng.NormFloat64(), Theta: 2*math.Pi/40 + 0.02*rng.NormFloat64()}
		g.nodes = append(g.nodes, g.nodes[i].Compose(step))
		g.edges = append(g.edges, edge{a: i, b: i + 1, bFromA: step, precision: sure})
	}
	g.edges = append(g.edges, edge{a: 40, b: 0, bFromA: robot.Pose{}, precision: sure})
	return g
}

func TestAFalseLoopMovesAGraphLess(t *testing.T) {
	// Fifty metres straight, true loop closures at both ends, and one that is 3 m
	// wrong.
	shift := func(isLoop bool) float64 {
		g := chainGraph(50)
		for k := range 5 {
			g.edges = append(g.edges, edge{a: k, b: 45 + k, bFromA: robot.Pose{X: 45}, precision: sure, loop: true})
		}
		g.edges = append(g.edges, edge{a: 10, b: 30, bFromA: robot.Pose{X: 20, Y: 3}, precision: sure, loop: isLoop})
		newOptimization(g, 50).run()
		return math.Abs(g.nodes[30].Y - g.nodes[10].Y)
	}
	robust, plain := shift(true), shift(false)
	if plain < 0.5 || robust > 0.2*plain {
		t.Errorf("a wrong loop moves the graph by %.3f m, and by %.3f m without the kernel", robust, plain)
	}
}

func TestLoopsAtTheEndOfALongWayBendItAsFarAsTheyAgree(t *testing.T) {
	// Fifty metres that are straight by the matches; in truth they bend to the left
	// by 0.5° a metre, so that the end is 11 m to the side: a hundred standard
	// deviations.
	var bent []robot.Pose
	for i := range 51 {
		if i == 0 {
			bent = append(bent, robot.Pose{})
			continue
		}
		bent = append(bent, bent[i-1].Compose(robot.Pose{X: 1, Theta: robot.Radians(0.5)}))
	}
	endOff := func(add func(g *poseGraph, e edge)) (off float64, loops []edge) {
		g := chainGraph(50)
		for k := range 5 {
			add(g, edge{a: k, b: 46 + k, bFromA: bent[k].Inverse().Compose(bent[46+k]), precision: sure})
		}
		add(g, edge{a: 10, b: 30, bFromA: robot.Pose{X: 20, Y: -9}, precision: sure}) // is false
		newOptimization(g, loopRounds).run()
		return g.nodes[50].Point().Sub(bent[50].Point()).Norm(), g.edges[50:]
	}
	off, loops := endOff((*poseGraph).addLoop)
	if off > 0.6 {
		t.Errorf("the end is %.2f m off where five loops say it is", off)
	}
	for _, e := range loops {
		if isFalse := e.a == 10; isFalse && e.weight > minLoopWeight || !isFalse && e.weight < minTieWeight {
			t.Errorf("the loop from %d to %d has the weight %.3f", e.a, e.b, e.weight)
		}
	}
	narrow := func(g *poseGraph, e edge) {
		e.loop = true
		g.edges = append(g.edges, e)
	}
	if off, _ := endOff(narrow); off < 3 {
		t.Errorf("with a narrow kernel the end is %.2f m off, so the test proves nothing", off)
	}
}

func TestTheSparseFactorSolvesTheEquations(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(30)
		var edges []edge
		for i := 1; i < n; i++ {
			edges = append(edges, edge{a: rng.IntN(i), b: i})
		}
		for range rng.IntN(2 * n) {
			if a, b := rng.IntN(n), rng.IntN(n); a != b {
				edges = append(edges, edge{a: a, b: b})
			}
		}
		// A = sum of J'J over the edges, plus one on the diagonal, as a dense
		// matrix too.
		order := newElimination(n, edges)
		if sorted := slices.Sorted(slices.Values(order.place)); sorted[0] != 0 || int(sorted[n-1]) != n-1 || len(slices.Compact(sorted)) != n {
			t.Fatalf("seed %d: the order is not one of all nodes: %v", seed, order.place)
		}
		m := order.newMatrix()
		dense := make([][]float64, 3*n)
		for i := range dense {
			dense[i] = make([]float64, 3*n)
		}
		add := func(r, c int32, left, right *matrix3) {
			w := vector3{1, 1, 1}
			var b matrix3
			b.addProduct(left, right, &w)
			for k := range 9 {
				row, col := int(3*r)+k/3, int(3*c)+k%3
				dense[row][col] += b[k]
				if r != c {
					dense[col][row] += b[k]
				}
			}
			m.block(r, c).addProduct(left, right, &w)
		}
		one := matrix3{1, 0, 0, 0, 1, 0, 0, 0, 1}
		for _, e := range edges {
			var ja, jb matrix3
			for k := range 9 {
				ja[k], jb[k] = rng.NormFloat64(), rng.NormFloat64()
			}
			a, b := order.place[e.a], order.place[e.b]
			add(a, a, &ja, &ja)
			add(b, b, &jb, &jb)
			if a > b {
				add(a, b, &ja, &jb)
			} else {
				add(b, a, &jb, &ja)
			}
		}
		for i := range int32(n) {
			add(i, i, &one, &one)
		}
		right := make([]vector3, n)
		for i := range right {
			right[i] = vector3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		}
		x := slices.Clone(right)
		if !m.factorize() {
			t.Fatalf("seed %d: a positive definite matrix was not factorized", seed)
		}
		m.solve(x)
		for row := range dense {
			sum := -right[row/3][row%3]
			for col, v := range dense[row] {
				sum += v * x[col/3][col%3]
			}
			if math.Abs(sum) > 1e-8 {
				t.Fatalf("seed %d: equation %d is off by %g", seed, row, sum)
			}
		}
	}
}

func TestAMatrixThatIsNotPositiveDefiniteIsRefused(t *testing.T) {
	g := chainGraph(3)
	m := newElimination(len(g.nodes), g.edges).newMatrix()
	if m.factorize() {
		t.Error("a matrix of zeros was factorized")
	}
}

func TestAGraphWithoutEdgesIsLeftAlone(t *testing.T) {
	g := &poseGraph{nodes: []robot.Pose{{X: 1}}}
	if !newOptimization(g, 5).advance() || g.nodes[0].X != 1 {
		t.Errorf("%+v", g)
	}
}
