package localization

import (
	"math"

	"mybot/robot"
)

// A face is a surface that returns echoes, in map: a straight one from a to b, or,
// with a radius, a round one around a.
type face struct {
	a, b   robot.Point
	radius float64 // m; 0 = straight
}

// walls are the faces of a floor plan, in square bins, so that a rayScan tests only
// nearby ones.
type walls struct {
	all    []face
	origin robot.Point // of bin (0, 0), in map
	nx, ny int
	bins   [][]int32 // indices into all; a face is in every bin that its bounding box overlaps
}

// wallBin is the side of a bin, in m.
const wallBin = 1.0

// newWalls collects the faces of a plan: object lines, furniture, and the leaves of
// the doors, which are open.
func newWalls(plan *robot.Floorplan) *walls {
	w := &walls{}
	for _, l := range plan.Lines {
		if l.A != l.B {
			w.all = append(w.all, face{a: l.A, b: l.B})
		}
	}
	for _, d := range plan.Doors {
		leaf := d.Leaf(d.Open)
		w.all = append(w.all, face{a: leaf.A, b: leaf.B})
	}
	for _, f := range plan.Furniture {
		if f.Radius > 0 && len(f.Outline) > 0 {
			w.all = append(w.all, face{a: f.Outline[0], radius: f.Radius})
			continue
		}
		for i, p := range f.Outline {
			if q := f.Outline[(i+1)%len(f.Outline)]; p != q {
				w.all = append(w.all, face{a: p, b: q})
			}
		}
	}
	w.fillBins()
	return w
}

// fillBins puts every face into its bins.
func (w *walls) fillBins() {
	if len(w.all) == 0 {
		return
	}
	low, high := w.all[0].boundingBox()
	for _, f := range w.all {
		a, b := f.boundingBox()
		low = robot.Point{X: min(low.X, a.X), Y: min(low.Y, a.Y)}
		high = robot.Point{X: max(high.X, b.X), Y: max(high.Y, b.Y)}
	}
	w.origin = low
	w.nx, w.ny = int((high.X-low.X)/wallBin)+1, int((high.Y-low.Y)/wallBin)+1
	w.bins = make([][]int32, w.nx*w.ny)
	for n, f := range w.all {
		a, b := f.boundingBox()
		w.eachBin(a, b, func(k int) { w.bins[k] = append(w.bins[k], int32(n)) })
	}
}

// boundingBox returns the corners of the rectangle around the face.
func (f face) boundingBox() (low, high robot.Point) {
	if f.radius > 0 {
		r := robot.Point{X: f.radius, Y: f.radius}
		return f.a.Sub(r), f.a.Add(r)
	}
	return robot.Point{X: min(f.a.X, f.b.X), Y: min(f.a.Y, f.b.Y)}, robot.Point{X: max(f.a.X, f.b.X), Y: max(f.a.Y, f.b.Y)}
}

// eachBin calls f with the index of every bin that the rectangle overlaps.
func (w *walls) eachBin(low, high robot.Point, f func(k int)) {
	bin := func(v, o float64, n int) int {
		return int(math.Floor(max(-1, min(float64(n), (v-o)/wallBin))))
	}
	i0, i1 := max(0, bin(low.X, w.origin.X, w.nx)), min(w.nx-1, bin(high.X, w.origin.X, w.nx))
	j0, j1 := max(0, bin(low.Y, w.origin.Y, w.ny)), min(w.ny-1, bin(high.Y, w.origin.Y, w.ny))
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			f(j*w.nx + i)
		}
	}
}

// rays is the number of directions of a scan: one for each degree.
const rays = 360

// A rayScan is what can be seen from one point, ray by ray; ray k points along k
// degrees in map. Its slices are reused by the next scan.
type rayScan struct {
	walls  *walls
	reach  float64       // m
	depth  [rays]float64 // m to the first face; reach = nothing
	normal [rays]float64 // rad, of that face, against the ray
	square [rays]bool    // the ray hits it nearly along its normal, or it is round
	echo   [rays]float64 // m to the first face that returns an echo along this ray; reach = nothing
	sin    [rays]float64 // of the ray
	cos    [rays]float64 // of the ray
	seen   []int         // by face: the number of the scan that has hit it
	turn   int           // number of this scan
	ends   []robot.Point // of nearby faces
	slant  float64       // cosine of the largest angle of incidence at which a face returns an echo
	edge   float64       // m, largest distance at which the end of a face is heard
}

const (
	// faceSlant is the largest angle from its normal, in rad, at which a straight
	// face returns an echo.
	faceSlant = 24 * math.Pi / 180
	// roundCos is the cosine of the largest such angle for round things.
	roundCos = 0.5
	// edgeReach is the largest distance, in m, at which the end of a face is heard.
	edgeReach = 3.0
)

func newRayScan(w *walls, reach float64) *rayScan {
	l := &rayScan{walls: w, reach: reach, seen: make([]int, len(w.all)), slant: math.Cos(faceSlant), edge: edgeReach}
	for k := range rays {
		l.sin[k], l.cos[k] = math.Sincos(2 * math.Pi * float64(k) / rays)
	}
	return l
}

// scanFrom scans in all directions from o.
func (l *rayScan) scanFrom(o robot.Point) {
	for k := range rays {
		l.depth[k], l.echo[k] = l.reach, l.reach
		l.square[k] = false
	}
	l.turn++
	l.ends = l.ends[:0]
	if len(l.walls.all) == 0 {
		return
	}
	r := robot.Point{X: l.reach, Y: l.reach}
	l.walls.eachBin(o.Sub(r), o.Add(r), func(bin int) {
		for _, n := range l.walls.bins[bin] {
			if l.seen[n] != l.turn {
				l.seen[n] = l.turn
				l.meetFace(o, &l.walls.all[n])
			}
		}
	})
	for k := range rays {
		if l.square[k] {
			l.echo[k] = l.depth[k]
		}
	}
	for _, e := range l.ends {
		v := e.Sub(o)
		d := v.Norm()
		k := rayAt(math.Atan2(v.Y, v.X))
		if d < l.echo[k] && d <= 0.02+max(l.depth[k], l.depth[(k+1)%rays], l.depth[(k+rays-1)%rays]) {
			l.echo[k] = d
		}
	}
}

// rayAt returns the ray nearest to the angle a, in rad.
func rayAt(a float64) int {
	k := int(math.Round(a * rays / (2 * math.Pi)))
	return ((k % rays) + rays) % rays
}

// meetFace intersects the rays from o with one face.
func (l *rayScan) meetFace(o robot.Point, f *face) {
	a := f.a.Sub(o)
	if f.radius > 0 {
		l.meetRound(a, f.radius)
		return
	}
	e := f.b.Sub(f.a)
	b := a.Add(e)
	length := e.Norm()
	along := max(0, min(length, -(a.X*e.X+a.Y*e.Y)/length))
	if math.Hypot(a.X+along/length*e.X, a.Y+along/length*e.Y) >= l.reach {
		return
	}
	for _, end := range [2]robot.Point{f.a, f.b} {
		if d := end.Sub(o).Norm(); d > 0 && d <= l.edge {
			l.ends = append(l.ends, end)
		}
	}
	side := a.X*e.Y - a.Y*e.X // the distance of o from the face, times its length
	if side == 0 {
		return
	}
	first, last := math.Atan2(a.Y, a.X), math.Atan2(b.Y, b.X)
	span := robot.WrapAngle(last - first)
	if span < 0 {
		first, span = last, -span
	}
	perDegree := rays / (2 * math.Pi)
	k0 := int(math.Ceil(first*perDegree - 1e-9))
	k1 := int(math.Floor((first+span)*perDegree + 1e-9))
	normal := math.Atan2(e.X, -e.Y)
	if side < 0 { // otherwise it would point away from o
		normal = math.Atan2(-e.X, e.Y)
	}
	for k := k0; k <= k1; k++ {
		i := ((k % rays) + rays) % rays
		den := l.cos[i]*e.Y - l.sin[i]*e.X
		distance := side / den
		if !(distance >= 0 && distance < l.depth[i]) {
			continue
		}
		l.depth[i], l.normal[i], l.square[i] = distance, normal, math.Abs(den) >= l.slant*length
	}
}

// meetRound intersects the rays with a round thing, whose centre is at a from o.
func (l *rayScan) meetRound(a robot.Point, radius float64) {
	d := a.Norm()
	if d <= radius || d-radius >= l.reach {
		return
	}
	half := int(math.Ceil(math.Asin(radius/d) * rays / (2 * math.Pi)))
	middle := rayAt(math.Atan2(a.Y, a.X))
	for k := middle - half; k <= middle+half; k++ {
		i := ((k % rays) + rays) % rays
		across := a.X*l.sin[i] - a.Y*l.cos[i]
		inner := radius*radius - across*across
		if inner < 0 {
			continue
		}
		inner = math.Sqrt(inner)
		distance := a.X*l.cos[i] + a.Y*l.sin[i] - inner
		if !(distance >= 0 && distance < l.depth[i]) {
			continue
		}
		l.depth[i], l.square[i] = distance, inner/radius >= roundCos
		l.normal[i] = math.Atan2(distance*l.sin[i]-a.Y, distance*l.cos[i]-a.X)
	}
}
