package mapping

import (
	"math"

	"mybot/robot"
)

const (
	loopKernel   = 3.0  // standard deviations at which a loop begins to count less (Cauchy)
	dampingBegin = 1e-6 // of Levenberg-Marquardt
	smallStep    = 1e-5 // m and rad: the optimization has converged
)

// An edge is the measured pose of node b in the frame of node a.
type edge struct {
	a, b   int
	bFromA robot.Pose
	precision
	loop   bool    // it may be wrong, and is weighed by a Cauchy kernel
	kernel float64 // standard deviations at which it begins to count less, at least loopKernel
	weight float64 // by that kernel, 1 = full weight
}

// A precision is how precise an edge is, in each direction: the R of R'R, the
// inverse of the covariance of its x, y (in the frame of a) and theta. R times a
// residual is in standard deviations.
type precision matrix3

// equalPrecision returns a precision that is equal along x and y: in 1/m and 1/rad.
func equalPrecision(linear, turn float64) precision {
	return precision{0: linear, 4: linear, 8: turn}
}

// precisionOf returns the precision of an edge with this information, which must be
// symmetric and positive definite.
func precisionOf(information matrix3) (r precision, ok bool) {
	if !information.factorize() {
		return r, false
	}
	for i := range 3 {
		for j := range i + 1 {
			r[3*j+i] = information[3*i+j]
		}
	}
	return r, true
}

// scale returns R v.
func (r *precision) scale(v vector3) vector3 {
	return vector3{r[0]*v[0] + r[1]*v[1] + r[2]*v[2], r[4]*v[1] + r[5]*v[2], r[8] * v[2]}
}

// scaleMatrix returns R m.
func (r *precision) scaleMatrix(m matrix3) (out matrix3) {
	for c := range 3 {
		v := r.scale(vector3{m[c], m[3+c], m[6+c]})
		out[c], out[3+c], out[6+c] = v[0], v[1], v[2]
	}
	return out
}

// A poseGraph is poses and the measured relations between them.
type poseGraph struct {
	nodes []robot.Pose // in map
	edges []edge
	fixed int // number of the first nodes, which never move; 0 counts as 1
}

// isFixed reports whether a node never moves.
func (g *poseGraph) isFixed(node int) bool { return node < max(1, g.fixed) }

// freeEdges returns the edges between nodes that move.
func (g *poseGraph) freeEdges() []edge {
	free := make([]edge, 0, len(g.edges))
	for _, e := range g.edges {
		if !g.isFixed(e.a) && !g.isFixed(e.b) {
			free = append(free, e)
		}
	}
	return free
}

// residualAt returns the error of an edge, x and y in m in the frame of a and theta in
// rad, and its derivatives by the poses of a and b in map.
func (e *edge) residualAt(nodes []robot.Pose) (r vector3, byA, byB matrix3) {
	a, b := nodes[e.a], nodes[e.b]
	sin, cos := math.Sincos(a.Theta)
	dx, dy := b.X-a.X, b.Y-a.Y
	x, y := cos*dx+sin*dy, -sin*dx+cos*dy
	r = vector3{x - e.bFromA.X, y - e.bFromA.Y, robot.WrapAngle(b.Theta - a.Theta - e.bFromA.Theta)}
	byA = matrix3{-cos, -sin, y, sin, -cos, -x, 0, 0, -1}
	byB = matrix3{cos, sin, 0, -sin, cos, 0, 0, 0, 1}
	return r, byA, byB
}

// weighLoops sets the weights of the loops and returns the cost of all edges.
func (g *poseGraph) weighLoops() float64 {
	cost := 0.0
	for i := range g.edges {
		e := &g.edges[i]
		r, _, _ := e.residualAt(g.nodes)
		r = e.scale(r)
		chi2 := r[0]*r[0] + r[1]*r[1] + r[2]*r[2]
		e.weight = 1
		if e.loop {
			kernel := math.Max(e.kernel, loopKernel)
			scaled := chi2 / (kernel * kernel)
			e.weight = 1 / (1 + scaled)
			cost += kernel * kernel * math.Log1p(scaled)
			continue
		}
		cost += chi2
	}
	return cost
}

// An optimization moves the nodes of a graph to where its edges agree best:
// Levenberg-Marquardt with a sparse Cholesky factorization. advance does the work,
// a slice at a time; the graph must not get nodes or edges meanwhile.
type optimization struct {
	graph   *poseGraph
	rounds  int // remaining
	order   *elimination
	matrix  *blockMatrix
	right   []vector3
	damping float64
	cost    float64
}

func newOptimization(g *poseGraph, rounds int) *optimization {
	return &optimization{graph: g, rounds: rounds, damping: dampingBegin}
}

// advance does one part of a round, and reports whether the optimization has
// finished.
func (o *optimization) advance() (done bool) {
	switch {
	case len(o.graph.edges) == 0 || o.rounds <= 0:
		return true
	case o.order == nil:
		o.order = newElimination(len(o.graph.nodes), o.graph.freeEdges())
		o.cost = o.graph.weighLoops()
	case o.matrix == nil:
		o.build()
	default:
		o.rounds--
		converged := o.move()
		o.matrix = nil
		if o.graph.narrowKernels() {
			o.cost = o.graph.weighLoops()
			converged = false
		}
		return converged || o.rounds <= 0
	}
	return false
}

// addLoop adds an edge that may be wrong. Its kernel is initially as wide as its
// distance from the graph: with a narrow one, a true loop at the end of a long
// drive, from which the graph is off by many standard deviations, would move
// nothing. Each round of an optimization halves it, so that a loop that the rest
// does not come to agree with counts little in the end (graduated non-convexity, as
// in Yang et al. 2020).
func (g *poseGraph) addLoop(e edge) {
	e.loop, e.weight = true, 1
	r, _, _ := e.residualAt(g.nodes)
	r = e.scale(r)
	e.kernel = math.Sqrt(r[0]*r[0] + r[1]*r[1] + r[2]*r[2])
	g.edges = append(g.edges, e)
}

// narrowKernels halves the kernels of new loops, and reports whether there were
// any.
func (g *poseGraph) narrowKernels() (some bool) {
	for i := range g.edges {
		if e := &g.edges[i]; e.kernel > loopKernel {
			e.kernel, some = math.Max(loopKernel, e.kernel/2), true
		}
	}
	return some
}

// run runs the whole optimization and returns the cost.
func (o *optimization) run() float64 {
	for !o.advance() {
	}
	return o.cost
}

// build computes the damped normal equations at the current poses.
func (o *optimization) build() {
	g := o.graph
	o.matrix = o.order.newMatrix()
	o.right = make([]vector3, len(g.nodes))
	for i := range g.edges {
		e := &g.edges[i]
		r, byA, byB := e.residualAt(g.nodes)
		r, byA, byB = e.scale(r), e.scaleMatrix(byA), e.scaleMatrix(byB)
		w := vector3{e.weight, e.weight, e.weight}
		a, b := o.order.place[e.a], o.order.place[e.b]
		freeA, freeB := !g.isFixed(e.a), !g.isFixed(e.b)
		if freeA {
			o.matrix.block(a, a).addProduct(&byA, &byA, &w)
		}
		if freeB {
			o.matrix.block(b, b).addProduct(&byB, &byB, &w)
		}
		switch {
		case !freeA || !freeB:
		case a > b:
			o.matrix.block(a, b).addProduct(&byA, &byB, &w)
		default:
			o.matrix.block(b, a).addProduct(&byB, &byA, &w)
		}
		for k := range 3 {
			for c := range 3 {
				o.right[a][c] -= byA[3*k+c] * w[k] * r[k]
				o.right[b][c] -= byB[3*k+c] * w[k] * r[k]
			}
		}
	}
	for i := range max(1, g.fixed) {
		d := &o.matrix.columns[o.order.place[i]].diagonal
		for k := range 3 {
			d[4*k] = 1
		}
	}
	for i := range o.matrix.columns {
		d := &o.matrix.columns[i].diagonal
		for k := range 3 {
			d[4*k] += o.damping*d[4*k] + 1e-9
		}
	}
}

// move solves the equations and takes the step if it lowers the cost. It reports
// whether the step was small.
func (o *optimization) move() (converged bool) {
	g := o.graph
	harder := func() { o.damping = 100 * math.Max(o.damping, dampingBegin) }
	if !o.matrix.factorize() {
		harder()
		return false
	}
	o.matrix.solve(o.right)
	was := append([]robot.Pose(nil), g.nodes...)
	largest := 0.0
	for i := max(1, g.fixed); i < len(g.nodes); i++ {
		d, p := o.right[o.order.place[i]], g.nodes[i]
		g.nodes[i] = robot.Pose{X: p.X + d[0], Y: p.Y + d[1], Theta: robot.WrapAngle(p.Theta + d[2])}
		largest = math.Max(largest, math.Abs(d[0])+math.Abs(d[1])+math.Abs(d[2]))
	}
	if cost := g.weighLoops(); cost <= o.cost {
		o.cost, o.damping = cost, o.damping/10
	} else {
		copy(g.nodes, was)
		g.weighLoops()
		harder()
	}
	return largest < smallStep
}
