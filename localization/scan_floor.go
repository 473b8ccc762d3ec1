package localization

import (
	"errors"
	"math"

	"mybot/robot"
	"mybot/robot/scan/match"
)

// scanFloor is a floor as lidars see it: a likelihood field of what stands on it.
// It is immutable and shared.
type scanFloor struct {
	field  *match.Field
	origin robot.Point // of cell (0, 0) of the field, in map
	perM   float64     // cells per metre
	width  int         // cells
	height int
	value  []uint8 // of the field by cell, at least 1; 0 = unknown
	free   []int32 // summed area table of the free cells: (width + 1) by (height + 1)
	chance float64 // share of the known cells at which a beam end would fit
}

// The likelihood of a beam's end: p = scanOther + (1 - scanOther) exp(-d2 / 2
// sigma2), with the distance d from the nearest mapped object.
const (
	scanOther   = 0.15 // with nothing on the map nearby
	scanUnknown = 0.40 // where the map is unknown: neither for nor against a pose
	scanSigma   = 0.10 // m; at least half a cell of a coarse map
	scanCell    = 0.05 // m, cell size of the field, or that of a coarser map
	faceStep    = 0.02 // m between the points that represent a face
	fitsWithin  = 2.0  // sigmas from a mapped object within which a beam end fits
	tracedCells = 1.5  // cells from a line within which an occupied cell belongs to the line
)

var (
	scanLogs   = scanLogTable()
	fitsFrom   = uint8(math.Round(match.Full * gaussianOf(fitsWithin))) // of the field, at which a beam end fits
	unlikeFrom = uint8(match.Full * (scanUnknown - scanOther) / (1 - scanOther))
)

// scanLogTable returns the log likelihood of a beam by scanFloor.value.
func scanLogTable() (logs [256]float32) {
	for v := range logs {
		logs[v] = float32(math.Log(scanOther + (1-scanOther)*float64(v)/match.Full))
	}
	logs[0] = float32(math.Log(scanUnknown))
	return logs
}

// newScanFloor returns the floor of a plan: its object lines, furniture and open
// doors, and the occupied cells at the edge of free ones that no line represents.
func newScanFloor(plan *robot.Floorplan) (*scanFloor, error) {
	g := &plan.Grid
	cell := max(scanCell, g.Resolution)
	f := match.NewField(cell, max(scanSigma, g.Resolution/2))
	f.Reserve(g.Origin, g.Origin.Add(robot.Point{X: float64(g.Width) * g.Resolution, Y: float64(g.Height) * g.Resolution}))
	f.Add(robot.Pose{}, facePoints(newWalls(plan)))
	f.Add(robot.Pose{}, untracedCells(g, f))
	low := f.Middle(0, 0)
	s := &scanFloor{field: f, origin: robot.Point{X: low.X - cell/2, Y: low.Y - cell/2}, perM: 1 / cell}
	s.width, s.height = f.Size()
	s.value, s.free = make([]uint8, s.width*s.height), make([]int32, (s.width+1)*(s.height+1))
	known, near := 0, 0
	for y := range s.height {
		row := int32(0)
		for x := range s.width {
			state, v := g.At(f.Middle(x, y)), f.Value(x, y)
			if state == robot.Free {
				row++
			}
			s.free[(y+1)*(s.width+1)+x+1] = s.free[y*(s.width+1)+x+1] + row
			if state == robot.Unknown && v < unlikeFrom {
				continue
			}
			s.value[y*s.width+x] = max(1, v)
			known++
			if v >= fitsFrom {
				near++
			}
		}
	}
	if near == 0 {
		return nil, errors.New("localization: the map has no walls; a lidar finds its position by them")
	}
	s.chance = float64(near) / float64(known)
	return s, nil
}

// facePoints returns points along all faces, in map.
func facePoints(w *walls) (points []robot.Point) {
	for _, f := range w.all {
		if f.radius > 0 {
			n := int(math.Ceil(2 * math.Pi * f.radius / faceStep))
			for k := range n {
				sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
				points = append(points, f.a.Add(robot.Point{X: f.radius * cos, Y: f.radius * sin}))
			}
			continue
		}
		v := f.b.Sub(f.a)
		n := int(math.Ceil(v.Norm() / faceStep))
		for k := range n + 1 {
			along := float64(k) / float64(n)
			points = append(points, f.a.Add(robot.Point{X: along * v.X, Y: along * v.Y}))
		}
	}
	return points
}

// untracedCells returns the centres of occupied cells next to free ones that the
// field does not contain yet.
func untracedCells(g *robot.Grid, f *match.Field) (points []robot.Point) {
	far := tracedCells * g.Resolution
	had := uint8(match.Full * gaussianOf(far/max(scanSigma, g.Resolution/2)))
	for j := range g.Height {
		for i := range g.Width {
			if g.Cells[j*g.Width+i] != robot.Occupied || !hasFreeNeighbour(g, i, j) {
				continue
			}
			p := g.CellMiddle(i, j)
			if x, y := f.Cell(p); f.Value(x, y) < had {
				points = append(points, p)
			}
		}
	}
	return points
}

// hasFreeNeighbour reports whether one of the eight cells around (i, j) is free.
func hasFreeNeighbour(g *robot.Grid, i, j int) bool {
	for y := max(0, j-1); y <= min(g.Height-1, j+1); y++ {
		for x := max(0, i-1); x <= min(g.Width-1, i+1); x++ {
			if g.Cells[y*g.Width+x] == robot.Free {
				return true
			}
		}
	}
	return false
}

// valueAt returns the value at (x, y), in map.
func (s *scanFloor) valueAt(x, y float64) uint8 {
	i, j := (x-s.origin.X)*s.perM, (y-s.origin.Y)*s.perM
	if !(i >= 0 && j >= 0 && i < float64(s.width) && j < float64(s.height)) {
		return 0
	}
	return s.value[int(j)*s.width+int(i)]
}

// holdsFree implements match.Floor: it reports whether any cell of a square is
// free.
func (s *scanFloor) holdsFree(x, y, side int) bool {
	x0, y0 := max(0, min(s.width, x)), max(0, min(s.height, y))
	x1, y1 := max(0, min(s.width, x+side)), max(0, min(s.height, y+side))
	w := s.width + 1
	return s.free[y1*w+x1]-s.free[y0*w+x1]-s.free[y1*w+x0]+s.free[y0*w+x0] > 0
}

// A beamEnd is a beam of a scan that hit something, in base_link.
type beamEnd struct {
	from robot.Point // position of the lidar
	at   robot.Point // position of the hit
}

const (
	crowdBefore = 0.5  // m: a beam that ends this far in front of everything on the map has hit an unmapped object
	crowdMost   = 0.5  // share of such beams from which on the pose, and not a crowd, is the likely cause
	castStep    = 0.05 // m, step of a ray through the floor
	wallWithin  = 0.75 // sigmas from a mapped object that stop a ray
)

var wallFrom = uint8(math.Round(match.Full * gaussianOf(wallWithin)))

// isShort reports whether a beam, seen from a pose, ends more than crowdBefore in
// front of everything on the map.
func (s *scanFloor) isShort(e beamEnd, at robot.Pose) bool {
	from, end := at.Apply(e.from), at.Apply(e.at)
	if s.valueAt(end.X, end.Y) == 0 {
		return false // unknown floor gives no answer
	}
	distance := end.Sub(from)
	length := distance.Norm()
	if !(length > 0) {
		return false
	}
	step := robot.Point{X: distance.X / length, Y: distance.Y / length}
	blocked := func(r float64) bool { return s.valueAt(from.X+r*step.X, from.Y+r*step.Y) >= wallFrom }
	// Most beams end at a wall, so that is checked first.
	for r := max(0, length-4*castStep); r <= length+crowdBefore; r += castStep {
		if blocked(r) {
			return false
		}
	}
	for r := 0.0; r < length; r += castStep {
		if blocked(r) {
			return false // the beam passed through a wall: it is too long
		}
	}
	return true
}

// measureFit returns the share of the beams that, seen from a pose, end at a mapped
// object, and the number of beams over known floor, which alone count.
func (s *scanFloor) measureFit(ends []beamEnd, at robot.Pose) (share float64, known int) {
	sin, cos := math.Sincos(at.Theta)
	fits := 0
	for i := range ends {
		p := &ends[i].at
		switch v := s.valueAt(at.X+cos*p.X-sin*p.Y, at.Y+sin*p.X+cos*p.Y); {
		case v == 0:
		case v >= fitsFrom:
			fits++
			known++
		default:
			known++
		}
	}
	return float64(fits) / math.Max(1, float64(known)), known
}

// logLikelihood returns the log likelihood of the beams for a robot at (x, y) whose
// heading has this sine and cosine.
func (s *scanFloor) logLikelihood(ends []beamEnd, x, y, sin, cos float64) float64 {
	x, y = (x-s.origin.X)*s.perM, (y-s.origin.Y)*s.perM
	sin, cos = sin*s.perM, cos*s.perM
	sum := float32(0)
	for i := range ends {
		p := &ends[i].at
		j, k := x+cos*p.X-sin*p.Y, y+sin*p.X+cos*p.Y
		v := uint8(0)
		if j >= 0 && k >= 0 {
			if j, k := int(j), int(k); j < s.width && k < s.height {
				v = s.value[k*s.width+j]
			}
		}
		sum += scanLogs[v]
	}
	return float64(sum)
}
