package testbed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"mybot/robot"
	"mybot/robot/floorplan"
)

// drawnPrefix begins the name of a drawn building; its seed follows.
const drawnPrefix = "drawn:"

// What a drawn building looks like.
const (
	drawnCell   = 0.05 // m
	drawnWall   = 0.12 // m, thickness of the walls
	drawnMargin = 0.5  // m of unknown floor around the building
	drawnDepth  = 3    // times that rooms are divided at most
	drawnRoom   = 5.0  // m; a room that is shorter on both sides is not divided
)

// building is a building while it is drawn, in the frame of its walls.
type building struct {
	rng       *rand.Rand
	size      robot.Point // m, from a corner at the origin
	walls     []robot.Segment
	furniture []robot.Furniture
}

// DrawBuilding draws a floor that nothing was tuned for: rooms with furniture in a rectangle of
// 12 to 22 m by 9 to 15 m, with doorways 0.85 to 1.15 m wide, turned by up to 45 degrees against
// the grid. Like a map that another program made, it has no names, via points or places, and its
// object lines are traced from the picture. The same seed gives the same floor.
func DrawBuilding(seed uint64) (*robot.Floorplan, error) {
	rng := rand.New(rand.NewPCG(seed, 0xb1d6))
	b := building{rng: rng, size: robot.Point{X: between(rng, 12, 22), Y: between(rng, 9, 15)}}
	turned := between(rng, -math.Pi/4, math.Pi/4)
	corners := []robot.Point{{}, {X: b.size.X}, b.size, {Y: b.size.Y}}
	for i, c := range corners {
		b.walls = append(b.walls, robot.Segment{A: c, B: corners[(i+1)%len(corners)]})
	}
	b.divide(robot.Point{}, b.size, drawnDepth)
	plan := &robot.Floorplan{Name: fmt.Sprint(drawnPrefix, seed), Grid: b.picture(robot.Pose{Theta: turned}, corners)}
	var err error
	plan.Lines, err = floorplan.TraceGrid(&plan.Grid)
	return plan, err
}

// between returns a random number.
func between(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// divide divides a room by a wall with a doorway, and the parts again; a room that is not divided
// gets furniture.
func (b *building) divide(low, high robot.Point, times int) {
	size := high.Sub(low)
	if times == 0 || size.X < drawnRoom && size.Y < drawnRoom {
		b.furnish(low, high)
		return
	}
	const jamb = 0.4 // m between the doorway and the next wall, at least
	door, share := between(b.rng, 0.85, 1.15), between(b.rng, 0.35, 0.65)
	flip := func(p robot.Point) robot.Point { return p }
	if size.Y >= size.X { // the wall is across the longer side
		flip = func(p robot.Point) robot.Point { return robot.Point{X: p.Y, Y: p.X} }
	}
	l, h := flip(low), flip(high)
	x, y := l.X+share*(h.X-l.X), between(b.rng, l.Y+jamb, h.Y-jamb-door)
	from, to := flip(robot.Point{X: x, Y: l.Y}), flip(robot.Point{X: x, Y: h.Y})
	b.walls = append(b.walls, robot.Segment{A: from, B: flip(robot.Point{X: x, Y: y})}, robot.Segment{A: flip(robot.Point{X: x, Y: y + door}), B: to})
	b.divide(low, to, times-1)
	b.divide(from, high, times-1)
}

// furnish puts up to three round or rectangular things into a room.
func (b *building) furnish(low, high robot.Point) {
	const free = 0.7 // m along the walls that the middle of a thing keeps
	for range b.rng.IntN(4) {
		at := robot.Point{X: between(b.rng, low.X+free, high.X-free), Y: between(b.rng, low.Y+free, high.Y-free)}
		if b.rng.IntN(2) == 0 {
			b.furniture = append(b.furniture, robot.Furniture{Outline: []robot.Point{at}, Radius: between(b.rng, 0.15, 0.5)})
			continue
		}
		half := robot.Point{X: between(b.rng, 0.2, 0.6), Y: between(b.rng, 0.2, 0.4)}
		b.furniture = append(b.furniture, robot.Furniture{Outline: []robot.Point{
			at.Sub(half), {X: at.X + half.X, Y: at.Y - half.Y}, at.Add(half), {X: at.X - half.X, Y: at.Y + half.Y},
		}})
	}
}

// picture draws the building as an occupancy grid, with the frame of its walls at a pose in map.
func (b *building) picture(walls robot.Pose, corners []robot.Point) robot.Grid {
	low, high := walls.Apply(corners[0]), walls.Apply(corners[0])
	for _, c := range corners {
		p := walls.Apply(c)
		low, high = robot.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}, robot.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
	}
	margin := robot.Point{X: drawnMargin, Y: drawnMargin}
	low, high = low.Sub(margin), high.Add(margin)
	g := robot.Grid{
		Width: int((high.X - low.X) / drawnCell), Height: int((high.Y - low.Y) / drawnCell),
		Resolution: drawnCell, Origin: low,
	}
	g.Cells = make([]robot.Cell, g.Width*g.Height)
	inMap := walls.Inverse()
	for n := range g.Cells {
		g.Cells[n] = b.cellAt(inMap.Apply(robot.Point{
			X: low.X + (float64(n%g.Width)+0.5)*drawnCell,
			Y: low.Y + (float64(n/g.Width)+0.5)*drawnCell,
		}))
	}
	return g
}

// cellAt returns the state of the cell with the middle p, in the frame of the walls.
func (b *building) cellAt(p robot.Point) robot.Cell {
	for _, w := range b.walls {
		if w.Distance(p) <= drawnWall/2 {
			return robot.Occupied
		}
	}
	if p.X < 0 || p.Y < 0 || p.X > b.size.X || p.Y > b.size.Y {
		return robot.Unknown
	}
	for _, f := range b.furniture {
		if f.Radius > 0 && p.Sub(f.Outline[0]).Norm() <= f.Radius || f.Radius == 0 && robot.Inside(p, f.Outline) {
			return robot.Occupied
		}
	}
	return robot.Free
}

// drawnSeed returns the seed in the name of a drawn building; ok is false if it is another name.
func drawnSeed(name string) (seed uint64, ok bool, err error) {
	text, ok := strings.CutPrefix(name, drawnPrefix)
	if !ok {
		return 0, false, nil
	}
	if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
		return 0, true, fmt.Errorf("lab: %q is no drawn building; give its seed, as in %s7", name, drawnPrefix)
	}
	return seed, true, nil
}
