package draft

import (
	"math"

	"mybot/robot"
	"mybot/robot/floorplan"
)

const (
	hitDepth    = 0.02                 // m, approximate distance of a wall's surface behind the traced line
	minFitted   = 0.3                  // m: for a shorter line only the position is fitted, not the direction
	minPoints   = 8                    // needed for a fit
	maxShift    = 0.10                 // m, and
	maxTurnBy   = 8 * math.Pi / 180    // rad, by which a fitted line may differ from the traced one
	joinWithin  = 0.03                 // m, and
	joinTurn    = 2 * math.Pi / 180    // rad, within which two lines count as one
	joinGap     = 0.12                 // m between their ends, at most
	cornerTurn  = 15 * math.Pi / 180   // rad: lines that differ by more meet in a corner
	cornerReach = 0.15                 // m by which an end may be moved to the corner
	glassNear   = 0.3                  // m, and
	glassTurn   = 15.0 * math.Pi / 180 // rad, from a glass line to the walls that it marks
	minPart     = 0.05                 // m, of a wall at the ends of the glass
)

// fitWindows are the largest distances of points from the line that is fitted to
// them, in m, for each round.
var fitWindows = []float64{0.08, 0.05, 0.04}

// A wall is an object line, in map.
type wall struct {
	line  robot.Segment // the wall is on its left
	glass bool
	drawn bool // by the person
}

// traceWalls returns the walls of a grid in the frame of the draft: traced, fitted
// to what the key frames saw by total least squares, and joined.
func traceWalls(g *robot.Grid, mapFromDraft robot.Pose, seen *points) ([]robot.Segment, error) {
	lines, err := floorplan.TraceGrid(g)
	if err != nil {
		return nil, err
	}
	traced := make([]robot.Segment, len(lines))
	for i, l := range lines {
		traced[i] = robot.Segment{A: mapFromDraft.Apply(l.A), B: mapFromDraft.Apply(l.B)}
	}
	fitted := fitLines(traced, seen)
	joined := joinLines(traced, fitted)
	fitted = fitLines(joined, seen)
	meetInCorners(joined, fitted)
	walls := fitted[:0]
	for _, l := range fitted {
		if lengthOf(l) > 0.01 {
			walls = append(walls, l)
		}
	}
	return walls, nil
}

func fitLines(lines []robot.Segment, seen *points) []robot.Segment {
	fitted := make([]robot.Segment, len(lines))
	for i, l := range lines {
		fitted[i] = fitLine(l, seen)
	}
	return fitted
}

// fitLine fits a traced line to the points near it: total least squares, the sum of
// the squared distances across the line. Its ends do not move along it. A line that
// too few points support is unchanged.
func fitLine(traced robot.Segment, seen *points) robot.Segment {
	length := lengthOf(traced)
	if length == 0 {
		return traced
	}
	along := robot.Point{X: (traced.B.X - traced.A.X) / length, Y: (traced.B.Y - traced.A.Y) / length}
	middle := robot.Point{X: (traced.A.X+traced.B.X)/2 - hitDepth*along.Y, Y: (traced.A.Y+traced.B.Y)/2 + hitDepth*along.X}
	direction := along
	for _, window := range fitWindows {
		var n, x, y, xx, xy, yy float64
		count := 0
		ends := robot.Segment{
			A: robot.Point{X: middle.X - length/2*direction.X, Y: middle.Y - length/2*direction.Y},
			B: robot.Point{X: middle.X + length/2*direction.X, Y: middle.Y + length/2*direction.Y},
		}
		seen.visitNear(ends, window, func(w weighed) {
			off := w.at.Sub(middle)
			u, v := off.Dot(direction), direction.Cross(off)
			if math.Abs(u) > length/2 || math.Abs(v) > window {
				return
			}
			count++
			n += w.weight
			x, y = x+w.weight*u, y+w.weight*v
			xx, xy, yy = xx+w.weight*u*u, xy+w.weight*u*v, yy+w.weight*v*v
		})
		if count < minPoints {
			return traced
		}
		x, y = x/n, y/n
		turn := 0.0
		if length >= minFitted {
			turn = math.Atan2(2*(xy/n-x*y), (xx/n-x*x)-(yy/n-y*y)) / 2
		}
		sin, cos := math.Sincos(turn)
		mean := robot.Point{X: middle.X + x*direction.X - y*direction.Y, Y: middle.Y + x*direction.Y + y*direction.X}
		direction = robot.Point{X: cos*direction.X - sin*direction.Y, Y: sin*direction.X + cos*direction.Y}
		f := middle.Sub(mean).Dot(direction) // the middle does not move along the line
		middle = robot.Point{X: mean.X + f*direction.X, Y: mean.Y + f*direction.Y}
	}
	fitted := robot.Segment{A: projectOnto(traced.A, middle, direction), B: projectOnto(traced.B, middle, direction)}
	if math.Abs(math.Atan2(along.Cross(direction), along.Dot(direction))) > maxTurnBy ||
		fitted.A.Sub(traced.A).Norm() > maxShift || fitted.B.Sub(traced.B).Norm() > maxShift {
		return traced
	}
	return fitted
}

// projectOnto returns the point nearest to p on the line through on with the given
// direction.
func projectOnto(p, on, direction robot.Point) robot.Point {
	f := p.Sub(on).Dot(direction)
	return robot.Point{X: on.X + f*direction.X, Y: on.Y + f*direction.Y}
}

// joinLines replaces traced lines that belong to the same wall, according to their
// fits, by a single one: lines with the same direction, on the same line, one
// beginning where the other ends. The order of a chain is preserved.
func joinLines(traced, fitted []robot.Segment) []robot.Segment {
	begins := map[[2]int32][]int{}
	for i, l := range traced {
		begins[binOf(l.A)] = append(begins[binOf(l.A)], i)
	}
	gone := make([]bool, len(traced))
	joined, shape := make([]robot.Segment, len(traced)), make([]robot.Segment, len(traced))
	copy(joined, traced)
	copy(shape, fitted)
	for i := range joined {
		for !gone[i] {
			j := nextOf(i, joined, shape, begins, gone)
			if j < 0 {
				break
			}
			joined[i].B, shape[i].B = joined[j].B, shape[j].B
			gone[j] = true
		}
	}
	kept := joined[:0]
	for i, l := range joined {
		if !gone[i] {
			kept = append(kept, l)
		}
	}
	return kept
}

// nextOf returns the line that continues line i; -1 = none.
func nextOf(i int, joined, shape []robot.Segment, begins map[[2]int32][]int, gone []bool) int {
	end := joined[i].B
	best, nearest := -1, joinGap
	bin := binOf(end)
	for y := bin[1] - 1; y <= bin[1]+1; y++ {
		for x := bin[0] - 1; x <= bin[0]+1; x++ {
			for _, j := range begins[[2]int32{x, y}] {
				if gap := joined[j].A.Sub(end).Norm(); j != i && !gone[j] && gap <= nearest && isOneWall(shape[i], shape[j]) {
					best, nearest = j, gap
				}
			}
		}
	}
	return best
}

// isOneWall reports whether two fitted lines are parts of one wall.
func isOneWall(a, b robot.Segment) bool {
	u, v := a.B.Sub(a.A), b.B.Sub(b.A)
	whole := robot.Segment{A: a.A, B: b.B}
	return math.Abs(math.Atan2(u.Cross(v), u.Dot(v))) <= joinTurn && v.Dot(b.B.Sub(a.B)) > 0 &&
		whole.Distance(a.B) <= joinWithin && whole.Distance(b.A) <= joinWithin
}

// meetInCorners moves the ends of fitted lines that met when they were traced to
// their intersection, or to the midpoint between the ends if they are nearly
// parallel.
func meetInCorners(traced, fitted []robot.Segment) {
	begins := map[robot.Point]int{}
	for i, l := range traced {
		begins[l.A] = i
	}
	for i, l := range traced {
		j, ok := begins[l.B]
		if !ok || j == i {
			continue
		}
		a, b := &fitted[i], &fitted[j]
		u, v := a.B.Sub(a.A), b.B.Sub(b.A)
		at := robot.Point{X: (a.B.X + b.A.X) / 2, Y: (a.B.Y + b.A.Y) / 2}
		if math.Abs(math.Atan2(u.Cross(v), u.Dot(v))) > cornerTurn {
			if det := u.Cross(v); det != 0 {
				f := b.A.Sub(a.A).Cross(v) / det
				at = robot.Point{X: a.A.X + f*u.X, Y: a.A.Y + f*u.Y}
			}
		}
		if at.Sub(a.B).Norm() < cornerReach && at.Sub(b.A).Norm() < cornerReach {
			a.B, b.A = at, at
		}
	}
}

// markGlass returns the walls with the parts beside a line marked as glass. found
// is false if there are none.
func markGlass(walls []wall, glass robot.Segment) (marked []wall, found bool) {
	for _, w := range walls {
		length := lengthOf(w.line)
		along := w.line.B.Sub(w.line.A)
		pane := glass.B.Sub(glass.A)
		turn := math.Abs(math.Atan2(along.Cross(pane), along.Dot(pane)))
		from, to := glass.A.Sub(w.line.A).Dot(along)/(length*length), glass.B.Sub(w.line.A).Dot(along)/(length*length)
		from, to = math.Max(0, math.Min(from, to)), math.Min(1, math.Max(from, to))
		at := func(f float64) robot.Point {
			return robot.Point{X: w.line.A.X + f*along.X, Y: w.line.A.Y + f*along.Y}
		}
		if math.Min(turn, math.Pi-turn) > glassTurn || (to-from)*length < minPart || glass.Distance(at((from+to)/2)) > glassNear {
			marked = append(marked, w)
			continue
		}
		found = true
		if from*length < minPart {
			from = 0
		}
		if (1-to)*length < minPart {
			to = 1
		}
		for _, part := range []struct {
			from, to float64
			glass    bool
		}{{0, from, w.glass}, {from, to, true}, {to, 1, w.glass}} {
			if part.to > part.from {
				marked = append(marked, wall{line: robot.Segment{A: at(part.from), B: at(part.to)}, glass: part.glass, drawn: w.drawn})
			}
		}
	}
	return marked, found
}
