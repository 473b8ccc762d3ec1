package sketch

import (
	"math"

	"mybot/robot"
)

const (
	cellSize  = 0.10 // m
	margin    = 3.0  // m drawn beyond MaxRange, for echoes from its edge
	maxEcho   = 2.5  // m: farther echoes may come from anywhere on a long arc
	side      = int(2 * (MaxRange + margin) / cellSize)
	arcDepth  = 0.10  // m in front of and behind an echo that may contain its source
	freeShare = 0.8   // share of half the beam that counts as free in front of an echo
	isFree    = -0.45 // log odds that a ping adds to the cells it passes
	isWall    = 0.9   // and at most to those on its arc
	hullFree  = -0.5  // and that the hull adds where the robot stands
	surest    = 5.0   // limit of the log odds
	freeFrom  = -0.8  // largest log odds of a free cell
	wallFrom  = 1.2   // smallest log odds of an occupied cell
)

// A picture holds the log odds of occupancy of each cell around the start: row 0 is
// the lowest y.
type picture struct{ odds []float32 }

func newPicture() picture { return picture{odds: make([]float32, side*side)} }

// cellOf returns the column or row of a coordinate of map, in m.
func cellOf(v float64) int { return int(math.Floor(v/cellSize)) + side/2 }

// cellCentre returns the centre of a cell, in map.
func cellCentre(i, j int) robot.Point {
	return robot.Point{X: (float64(i-side/2) + 0.5) * cellSize, Y: (float64(j-side/2) + 0.5) * cellSize}
}

// visitCells calls what for each cell whose centre is at most reach m from a point.
func (p *picture) visitCells(at robot.Point, reach float64, what func(k int, at robot.Point)) {
	for j := max(0, cellOf(at.Y-reach)); j <= min(side-1, cellOf(at.Y+reach)); j++ {
		for i := max(0, cellOf(at.X-reach)); i <= min(side-1, cellOf(at.X+reach)); i++ {
			what(j*side+i, cellCentre(i, j))
		}
	}
}

// addOdds adds log odds to a cell.
func (p *picture) addOdds(k int, odds float64) {
	p.odds[k] = float32(robot.Clamp(float64(p.odds[k])+odds, -surest, surest))
}

// drawEcho draws an echo: free in front of it, and occupied on its arc, more so near
// the centre of the beam.
func (p *picture) drawEcho(g ping, s robot.Sonar) {
	half, echo := s.Beam/2, math.Min(g.echo, maxEcho)
	fromMap := g.at.Inverse()
	p.visitCells(g.at.Point(), echo+arcDepth, func(k int, at robot.Point) {
		v := fromMap.Apply(at)
		d, off := v.Norm(), math.Abs(math.Atan2(v.Y, v.X))
		switch {
		case d < echo-arcDepth && off <= freeShare*half:
			p.addOdds(k, isFree)
		case g.echo <= maxEcho && math.Abs(d-g.echo) <= arcDepth/2 && off <= half:
			f := off / half
			p.addOdds(k, isWall*(1-f*f)/math.Max(1, g.echo*half/cellSize))
		}
	})
}

// clearHull marks the floor under the robot as free.
func (p *picture) clearHull(at robot.Pose, hull []robot.Point) {
	reach := 0.0
	for _, h := range hull {
		reach = math.Max(reach, h.Norm())
	}
	fromMap := at.Inverse()
	p.visitCells(at.Point(), reach, func(k int, m robot.Point) {
		if robot.Inside(fromMap.Apply(m), hull) {
			p.addOdds(k, hullFree)
		}
	})
}

// drawAll draws echoes, and free floor under the robot at each of them, in a frame
// in which map is frameFromMap.
func (p *picture) drawAll(desc robot.Description, pings []ping, frameFromMap robot.Pose) {
	for _, g := range pings {
		p.clearHull(frameFromMap.Compose(g.base), desc.Body.Hull)
		g.at = frameFromMap.Compose(g.at)
		p.drawEcho(g, desc.Sonars[g.sonar])
	}
}

// toGrid returns the known part, cropped. Free cells that are not connected to the
// start are unknown.
func (p *picture) toGrid() robot.Grid {
	cells := make([]robot.Cell, len(p.odds))
	reached := []int{side/2*side + side/2}
	free := func(k int) bool { return p.odds[k] <= freeFrom }
	if free(reached[0]) {
		cells[reached[0]] = robot.Free
	}
	for len(reached) > 0 {
		k := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		for _, n := range [4]int{k - 1, k + 1, k - side, k + side} {
			if n >= 0 && n < len(cells) && cells[n] == robot.Unknown && free(n) {
				cells[n] = robot.Free
				reached = append(reached, n)
			}
		}
	}
	low, high := [2]int{side, side}, [2]int{-1, -1}
	for k, odds := range p.odds {
		if odds >= wallFrom {
			cells[k] = robot.Occupied
		}
		if cells[k] != robot.Unknown {
			low[0], high[0] = min(low[0], k%side), max(high[0], k%side)
			low[1], high[1] = min(low[1], k/side), max(high[1], k/side)
		}
	}
	if high[0] < 0 { // nothing is known
		low, high = [2]int{side / 2, side / 2}, [2]int{side / 2, side / 2}
	}
	g := robot.Grid{
		Width: high[0] - low[0] + 1, Height: high[1] - low[1] + 1, Resolution: cellSize,
		Origin: robot.Point{X: float64(low[0]-side/2) * cellSize, Y: float64(low[1]-side/2) * cellSize},
	}
	for j := low[1]; j <= high[1]; j++ {
		g.Cells = append(g.Cells, cells[j*side+low[0]:][:g.Width]...)
	}
	return g
}
