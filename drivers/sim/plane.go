package sim

import (
	"math"
	"slices"
	"strings"

	"mybot/robot"
)

// Heights of the parts of furniture, in m above the floor, and thicknesses of legs
// and of the ends of walls and doors. The camera draws the furniture in the same
// way.
const (
	tableTop  = 0.05  // thickness
	legRadius = 0.025 // of a table
	legInset  = 0.09  // of a table's leg, from the corner to the middle
	seat      = 0.40  // of a chair, from below
	stemShare = 0.14  // of a chair's stem, as a share of its radius
	endRadius = 0.02  // of the end of a wall and of the leaf of a door
	sameEnd   = 0.01  // m within which two ends count as one
)

// newPlane collects what a lidar in a plane at a height, in m above the floor, can
// hit: walls and doors, things that are high enough, and the legs of tables and
// chairs. Glass reflects up to glassSlant, in rad, off its normal and is
// transparent otherwise; 0 = it always reflects.
func newPlane(plan *robot.Floorplan, closed []bool, things []Thing, height, glassSlant float64) *solids {
	g := &solids{all: wallsAndLeaves(plan, closed)}
	if glassSlant > 0 {
		for _, i := range plan.Glass {
			g.all[i].passes = math.Cos(glassSlant)
		}
	}
	g.all = append(g.all, freeEnds(g.all)...)
	for _, f := range plan.Furniture {
		g.all = append(g.all, sliceFurniture(f, height)...)
	}
	for _, t := range things {
		if t.Kind == ObstacleKind && (t.height == 0 || t.height >= height) {
			g.all = append(g.all, solid{a: t.Point, radius: t.Radius, dark: t.dark})
		}
	}
	g.sortIntoBins()
	return g
}

// freeEnds returns the ends of faces where no other face begins, as round things: a
// line on a map has no thickness, so a beam along it would miss it, but a real wall
// or leaf has some.
func freeEnds(faces []solid) (ends []solid) {
	type corner struct{ x, y int64 }
	at := func(p robot.Point) corner {
		return corner{int64(math.Round(p.X / sameEnd)), int64(math.Round(p.Y / sameEnd))}
	}
	count := map[corner]int{}
	for _, f := range faces {
		count[at(f.a)]++
		count[at(f.b)]++
	}
	for _, f := range faces {
		for _, p := range [2]robot.Point{f.a, f.b} {
			if count[at(p)] == 1 {
				ends = append(ends, solid{a: p, radius: endRadius})
			}
		}
	}
	return ends
}

// sliceFurniture returns the section of a piece of furniture at a height, in m.
func sliceFurniture(f robot.Furniture, height float64) []solid {
	if len(f.Outline) == 0 || f.Height > 0 && f.Height < height {
		return nil
	}
	name := strings.ToLower(f.Name)
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
	}
	if f.Radius > 0 {
		if is("chair", "stool") && height < seat {
			return []solid{{a: f.Outline[0], radius: stemShare * f.Radius}}
		}
		return []solid{{a: f.Outline[0], radius: f.Radius}}
	}
	if is("table", "desk", "bench") && height < f.Height-tableTop {
		var out []solid
		for _, p := range tableLegs(f.Outline) {
			out = append(out, solid{a: p, radius: legRadius})
		}
		return out
	}
	return sidesOf(f.Outline, false)
}

// tableLegs returns the positions of a table's legs, near its corners.
func tableLegs(outline []robot.Point) []robot.Point {
	if n := len(outline); outline[0] == outline[n-1] {
		outline = outline[:n-1]
	}
	middle := robot.Point{}
	for _, p := range outline {
		middle = middle.Add(robot.Point{X: p.X / float64(len(outline)), Y: p.Y / float64(len(outline))})
	}
	var legs []robot.Point
	for _, p := range outline {
		d := middle.Sub(p)
		inset := legInset / max(1e-9, d.Norm())
		legs = append(legs, p.Add(robot.Point{X: inset * d.X, Y: inset * d.Y}))
	}
	return legs
}
