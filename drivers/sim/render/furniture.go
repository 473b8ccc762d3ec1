package render

import (
	"math"
	"slices"
	"strings"

	"mybot/robot"
)

// addFurniture adds a piece of furniture, in a shape chosen by its name.
func (in *interior) addFurniture(f robot.Furniture) {
	name := strings.ToLower(f.Name)
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
	}
	if f.Radius > 0 {
		in.addRoundFurniture(f, is)
	} else {
		in.addAngularFurniture(f, is)
	}
}

// addRoundFurniture adds furniture with a radius; is reports whether its name
// contains one of the words.
func (in *interior) addRoundFurniture(f robot.Furniture, is func(words ...string) bool) {
	k := &in.skins
	l := light{level: 0.97, field: in.glow}
	c := f.Outline[0]
	r := round{sides: 20, eye: pointAt(c.Add(robot.Point{X: -3, Y: 4}), 1), level: 0.95 * in.glow.at(c.X, c.Y), dark: 0.35}
	part := func(low, high, r0, r1 float64, s skin) {
		in.nextObject()
		in.addTube(ring{pointAt(c, low*f.Height), r0 * f.Radius, r0 * f.Radius}, ring{pointAt(c, high*f.Height), r1 * f.Radius, r1 * f.Radius}, r, s)
	}
	top := func(z, r0 float64, s skin) {
		in.nextObject()
		in.addLid(ring{pointAt(c, z*f.Height), r0 * f.Radius, r0 * f.Radius}, r, s, r.level)
	}
	switch {
	case is("plant", "tree"):
		part(0, 0.45, 0.5, 0.66, k.pot)
		part(0.33, 0.55, 0.72, 1, k.leaf)
		part(0.55, 0.85, 1, 0.8, k.leaf)
		part(0.85, 1, 0.8, 0.2, k.leaf)
		top(1, 0.2, k.leaf)
	case is("chair", "stool"):
		seat := min(1, 0.46/f.Height)
		part(0, 0.05, 0.95, 0.9, k.dark)
		top(0.05, 0.9, k.dark)
		part(0.05, seat-0.08, 0.14, 0.14, k.steel)
		part(seat-0.1, seat, 0.95, 1, k.sofa)
		top(seat, 1, k.cushion)
		if seat < 0.9 {
			away := in.awayFromTable(c)
			m := c.Add(robot.Point{X: 0.85 * f.Radius * away.X, Y: 0.85 * f.Radius * away.Y})
			angle := math.Atan2(away.X, -away.Y)
			in.addBlock(rectangleAround(m, angle, 1.5*f.Radius, 0.04), f.Height*seat+0.1, f.Height, k.sofa, k.sofa, l)
			in.addBlock(rectangleAround(m, angle, 0.04, 0.03), f.Height*(seat-0.05), f.Height*seat+0.12, k.dark, k.dark, l)
		}
	default:
		part(0, 1, 1, 1, k.wood)
		top(1, 1, k.light)
	}
}

// addAngularFurniture adds furniture with an outline; is reports whether its name
// contains one of the words.
func (in *interior) addAngularFurniture(f robot.Furniture, is func(words ...string) bool) {
	k := &in.skins
	l := light{level: 0.97, field: in.glow}
	outline := f.Outline
	if n := len(outline); outline[0] == outline[n-1] {
		outline = outline[:n-1]
	}
	middle := robot.Point{}
	for _, p := range outline {
		middle = middle.Add(robot.Point{X: p.X / float64(len(outline)), Y: p.Y / float64(len(outline))})
	}
	toward := func(share float64) []robot.Point {
		var out []robot.Point
		for _, p := range outline {
			d := middle.Sub(p)
			out = append(out, p.Add(robot.Point{X: share * d.X, Y: share * d.Y}))
		}
		return out
	}
	switch {
	case is("table", "desk", "bench"):
		in.addBlock(outline, f.Height-0.045, f.Height, k.light, k.light, l)
		for _, p := range outline {
			d := middle.Sub(p)
			n := max(1e-9, d.Norm())
			in.addBlock(rectangleAround(p.Add(robot.Point{X: 0.09 * d.X / n, Y: 0.09 * d.Y / n}), 0, 0.05, 0.05), 0, f.Height-0.045, k.steel, k.steel, l)
		}
		if is("bench") {
			in.addBlock(toward(0.06), 0.22, 0.26, k.wood, k.wood, l)
		}
	case is("shelf", "rack", "book"):
		in.addBlock(outline, 0, f.Height, k.shelf, k.wood, l)
	case is("sofa", "couch"):
		seat := min(0.43, 0.55*f.Height)
		in.addBlock(outline, 0.06, seat, k.sofa, k.cushion, l)
		in.sofaBack(outline, seat, f.Height, l)
	case is("copier", "printer", "machine"):
		in.addBlock(outline, 0, f.Height*0.86, k.white, k.white, l)
		in.addBlock(toward(0.03), f.Height*0.86, f.Height, k.dark, k.grey, l)
		in.addBlock(toward(-0.012), f.Height*0.5, f.Height*0.53, k.dark, k.dark, l)
		in.addBlock(toward(-0.012), f.Height*0.25, f.Height*0.265, k.dark, k.dark, l)
	case is("cabinet", "locker", "cupboard", "fridge"):
		in.addBlock(outline, 0.05, f.Height, k.white, k.grey, l)
		in.addBlock(toward(0.04), 0, 0.05, k.dark, k.dark, l)
		in.addBlock(toward(-0.01), f.Height*0.49, f.Height*0.5, k.dark, k.dark, l)
	default:
		in.addBlock(outline, 0, f.Height, k.wood, k.light, l)
	}
}

// awayFromTable returns the direction, a unit vector, away from the nearest angular
// piece of furniture.
func (in *interior) awayFromTable(p robot.Point) robot.Point {
	best, out := math.Inf(1), robot.Point{Y: 1}
	for _, f := range in.plan.Furniture {
		for i, a := range f.Outline {
			b := f.Outline[(i+1)%len(f.Outline)]
			if a == b {
				continue
			}
			if d := (robot.Segment{A: a, B: b}).Distance(p); d < best {
				best = d
				e := b.Sub(a)
				u := max(0, min(1, (p.Sub(a).X*e.X+p.Sub(a).Y*e.Y)/(e.X*e.X+e.Y*e.Y)))
				v := p.Sub(robot.Point{X: a.X + u*e.X, Y: a.Y + u*e.Y})
				if n := v.Norm(); n > 1e-9 {
					out = robot.Point{X: v.X / n, Y: v.Y / n}
				}
			}
		}
	}
	return out
}

// sofaBack adds the back of a sofa on the long side nearest to a wall, and its
// arms.
func (in *interior) sofaBack(outline []robot.Point, seat, height float64, l light) {
	long := 0.0
	for i, p := range outline {
		long = max(long, outline[(i+1)%len(outline)].Sub(p).Norm())
	}
	best, back := math.Inf(1), 0
	for i, p := range outline {
		q := outline[(i+1)%len(outline)]
		if q.Sub(p).Norm() < 0.9*long {
			continue
		}
		for _, w := range in.plan.Lines {
			if d := (robot.Segment{A: p, B: q}).Gap(w); d < best {
				best, back = d, i
			}
		}
	}
	inward := 1.0
	if outlineArea(outline) < 0 {
		inward = -1
	}
	strip := func(i int, low, high float64) {
		p, q := outline[i], outline[(i+1)%len(outline)]
		d := q.Sub(p)
		n := d.Norm()
		deep := robot.Point{X: -d.Y / n * 0.2 * inward, Y: d.X / n * 0.2 * inward}
		in.addBlock([]robot.Point{p, q, q.Add(deep), p.Add(deep)}, low, high, in.skins.sofa, in.skins.cushion, l)
	}
	strip(back, seat, height)
	if n := len(outline); n == 4 {
		strip((back+1)%n, seat, seat+0.35*(height-seat)+0.05)
		strip((back+3)%n, seat, seat+0.35*(height-seat)+0.05)
	}
}

// addDock adds the charging dock behind the robot's docking pose, and marks its
// place on the floor.
func (in *interior) addDock(mapFromBase robot.Pose) {
	k := &in.skins
	l := light{level: 0.98, field: in.glow}
	box := func(x0, x1, y0, y1, low, high float64, side, top skin, l light) {
		var outline []robot.Point
		for _, p := range []robot.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}} {
			outline = append(outline, mapFromBase.Apply(p))
		}
		in.addBlock(outline, low, high, side, top, l)
	}
	const back, front = -0.40, -0.285
	box(back, front, -0.24, 0.24, 0, 0.36, k.dark, k.grey, l)
	box(front, front+0.004, -0.20, 0.20, 0.27, 0.30, k.green, k.green, light{level: 1, glows: true})
	box(front, front+0.02, -0.13, -0.07, 0.08, 0.16, k.mark, k.mark, l)
	box(front, front+0.02, 0.07, 0.13, 0.08, 0.16, k.mark, k.mark, l)
	line := func(x0, x1, y0, y1 float64) {
		in.nextObject()
		var outline []robot.Point
		for _, p := range []robot.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}} {
			outline = append(outline, mapFromBase.Apply(p))
		}
		in.addLevel(outline, 0.002, true, k.mark, light{level: 0.95, field: in.ground})
	}
	line(-0.28, 0.42, 0.34, 0.38)
	line(-0.28, 0.42, -0.38, -0.34)
	line(0.38, 0.42, -0.34, 0.34)
}
