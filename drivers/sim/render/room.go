package render

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mybot/robot"
)

// An interior is the static inside view of a floor plan. It depends on the plan
// alone, so that every camera on the same floor sees the same walls, pictures and
// lamps.
type interior struct {
	builder
	veils   []overlay // reflections on the floor
	glow    *field    // amount of light
	ground  *field    // the same on the floor, with shadows at the foot of things
	floors  uint16    // objects 1 to floors are floor
	ceiling float64   // m
	always  int       // number of the first faces, the floors and the ceiling, that are in no group

	plan      *robot.Floorplan
	low, high robot.Point // bounding box of the plan
	skins     interiorSkins
	places    []hanging // places for things on the walls
}

type interiorSkins struct {
	stone, ceiling, base, frame, post           skin
	paints, stripes, floors                     []skin
	lamp, rim, mat, glass, bar, sill            skin
	wood, light, dark, white, grey, shelf, leaf skin
	sofa, cushion, pot, steel, green, mark      skin
	arts                                        []skin
	pane, disc                                  *texture
}

func newInteriorSkins() interiorSkins {
	paint := func(c uint32) skin { return skin{texture: plasterTexture(hexColour(c)), s: cloudTexel, t: cloudTexel} }
	stone := skin{texture: tileTexture(hexColour(0xb3a58e)).makeSmooth(), s: tileTexel, t: tileTexel}
	return interiorSkins{
		stone:   stone,
		ceiling: skin{texture: panelTexture(hexColour(0xdfe2e4)).makeSmooth(), s: panelTexel, t: panelTexel},
		base:    flatSkin(hexColour(0x4a5560)), frame: flatSkin(hexColour(0x59636e)), post: flatSkin(hexColour(0xe2dfd8)),
		paints:  []skin{paint(0xf0ede6), paint(0xeeeae0), paint(0xe6ecee), paint(0xefe8dd), paint(0xe8ede4)},
		stripes: flatSkins(0x86b3c0, 0xd3b274, 0x86a9cd, 0xc98f78, 0x8fb78d),
		floors: []skin{
			stone,
			{texture: boardTexture(hexColour(0xb48c5c)).makeSmooth(), s: woodTexel, t: woodTexel},
			{texture: carpetTexture(hexColour(0x75828f)), s: carpetTexel, t: carpetTexel, dull: true},
			{texture: carpetTexture(hexColour(0x968775)), s: carpetTexel, t: carpetTexel, dull: true},
			{texture: boardTexture(hexColour(0x9d8560)).makeSmooth(), s: woodTexel, t: woodTexel},
		},
		lamp: flatSkin(hexColour(0xfffdf0)), rim: flatSkin(hexColour(0x2b2622)), mat: flatSkin(hexColour(0xeae2d2)),
		glass: skin{texture: daylightTexture().makeSmooth(), s: 1, t: 1}, bar: flatSkin(hexColour(0x7c8792)), sill: flatSkin(hexColour(0xdcdcd8)),
		wood: skin{texture: woodTexture(hexColour(0xb59a78)), s: woodTexel, t: 2.2 / woodTexels}, light: skin{texture: woodTexture(hexColour(0xc9ad85)), s: woodTexel, t: 2.2 / woodTexels},
		dark: flatSkin(hexColour(0x2f343b)), white: flatSkin(hexColour(0xdfe2e4)), grey: flatSkin(hexColour(0x8b949e)),
		shelf: skin{texture: bookTexture(hexColour(0x8d6f4b)).makeSmooth(), s: shelfTexel, t: shelfTexel}, leaf: skin{texture: leafTexture(), s: 0.004, t: 0.004},
		sofa: skin{texture: carpetTexture(hexColour(0x5d6f86)), s: carpetTexel, t: carpetTexel}, cushion: skin{texture: carpetTexture(hexColour(0x70839b)), s: carpetTexel, t: carpetTexel},
		pot: flatSkin(hexColour(0xb9704a)), steel: flatSkin(hexColour(0x6f7882)), green: flatSkin(hexColour(0x3ddc97)), mark: flatSkin(hexColour(0xf7b32b)),
		arts: flatSkins(0x3f6b7a, 0x8a4b3d, 0x46616b, 0xb0704a, 0x6b5a8e, 0x5b7d4a, 0x3c5a78, 0xc09a4a),
		pane: paneMask(), disc: discMask(),
	}
}

const (
	roomHeight = 2.55 // m
	baseHeight = 0.10 // m, of the skirting boards
	stripeLow  = 1.00 // m
	stripeHigh = 1.12 // m
	doorHeight = 2.04 // m, of the opening in the wall
)

// newInterior builds the interior of a plan.
func newInterior(plan *robot.Floorplan) *interior {
	in := &interior{plan: plan, skins: newInteriorSkins(), ceiling: roomHeight}
	in.measureRooms()
	lamps := in.hangLamps()
	in.lightRooms(lamps)
	in.addFloors()
	in.always = len(in.faces)
	in.addWalls()
	for _, h := range in.places {
		in.inOwnGroup(func() { h.put(h) })
	}
	for _, l := range lamps {
		in.inOwnGroup(func() { in.addLamp(l) })
	}
	for _, d := range plan.Doors {
		in.inOwnGroup(func() { in.addLintel(d) })
		in.inOwnGroup(func() { in.addDoorSign(d) })
	}
	for _, f := range plan.Furniture {
		in.inOwnGroup(func() { in.addFurniture(f) })
	}
	if plan.Dock != nil {
		in.inOwnGroup(func() { in.addDock(*plan.Dock) })
	}
	in.places = nil
	return in
}

// inOwnGroup makes a group of what put adds.
func (in *interior) inOwnGroup(put func()) {
	n := len(in.faces)
	put()
	in.groupFrom(n)
}

// measureRooms computes the extent of everything.
func (in *interior) measureRooms() {
	in.low, in.high = robot.Point{X: math.Inf(1), Y: math.Inf(1)}, robot.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	take := func(p robot.Point) {
		in.low = robot.Point{X: min(in.low.X, p.X), Y: min(in.low.Y, p.Y)}
		in.high = robot.Point{X: max(in.high.X, p.X), Y: max(in.high.Y, p.Y)}
	}
	for _, l := range in.plan.Lines {
		take(l.A)
		take(l.B)
	}
	for _, r := range in.plan.Rooms {
		for _, p := range r.Outline {
			take(p)
		}
	}
	for _, f := range in.plan.Furniture {
		take(f.Outline[0])
		in.ceiling = max(in.ceiling, f.Height+0.3)
	}
	if in.low.X > in.high.X {
		in.low, in.high = robot.Point{X: -10, Y: -10}, robot.Point{X: 10, Y: 10}
	}
	margin := robot.Point{X: 0.5, Y: 0.5}
	in.low, in.high = in.low.Sub(margin), in.high.Add(margin)
}

// roomAt returns the index of the room at p; -1 = none.
func (in *interior) roomAt(p robot.Point) int {
	for i := range in.plan.Rooms {
		if outlineEncloses(in.plan.Rooms[i].Outline, p) {
			return i
		}
	}
	return -1
}

// outlineEncloses reports whether p is within an outline of any shape (even-odd).
func outlineEncloses(outline []robot.Point, p robot.Point) bool {
	in := false
	q := outline[len(outline)-1]
	for _, r := range outline {
		if q.Y <= p.Y != (r.Y <= p.Y) && p.X < q.X+(p.Y-q.Y)*(r.X-q.X)/(r.Y-q.Y) {
			in = !in
		}
		q = r
	}
	return in
}

// isOutside reports whether p is beyond the outer walls.
func (in *interior) isOutside(p robot.Point) bool {
	if in.roomAt(p) >= 0 {
		return false
	}
	g := &in.plan.Grid
	return len(in.plan.Rooms) > 0 && len(g.Cells) == 0 || len(g.Cells) > 0 && g.At(p) != robot.Free
}

// styleOf returns which of n styles a room has; corridors, and places outside
// rooms, have the first.
func (in *interior) styleOf(room, n int) int {
	if room < 0 || in.plan.Rooms[room].Corridor {
		return 0
	}
	return 1 + room%(n-1)
}

// A pendant is a ceiling lamp.
type pendant struct {
	at     robot.Point
	room   int
	across bool // its long side is along y
}

const (
	lampLength, lampWidth = 1.2, 0.6 // m
	lampEvery             = 2.4      // m
)

// hangLamps finds places for the lamps: as far from the walls as possible, and not
// too close to each other.
func (in *interior) hangLamps() []pendant {
	type place struct {
		at    robot.Point
		clear float64
	}
	var out []pendant
	light := func(room int, outline []robot.Point) {
		low, high := outline[0], outline[0]
		for _, p := range outline {
			low = robot.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
			high = robot.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
		}
		step := max(0.1, math.Sqrt((high.X-low.X)*(high.Y-low.Y)/10000))
		var places []place
		for i := 0.5; i*step < high.X-low.X; i++ {
			for j := 0.5; j*step < high.Y-low.Y; j++ {
				p := robot.Point{X: low.X + i*step, Y: low.Y + j*step}
				if room >= 0 && !outlineEncloses(outline, p) {
					continue
				}
				clear := 1.5
				for k, q := range outline {
					clear = min(clear, robot.Segment{A: q, B: outline[(k+1)%len(outline)]}.Distance(p))
				}
				if clear > 0.45 {
					places = append(places, place{p, math.Round(clear*8) / 8})
				}
			}
		}
		slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(b.clear, a.clear) })
		first := len(out)
	next:
		for _, p := range places {
			for _, o := range out[first:] {
				if d := o.at.Sub(p.at); max(math.Abs(d.X), math.Abs(d.Y)) < lampEvery-1e-9 {
					continue next
				}
			}
			far := func(dx, dy float64) bool {
				return outlineEncloses(outline, p.at.Add(robot.Point{X: dx, Y: dy})) && outlineEncloses(outline, p.at.Sub(robot.Point{X: dx, Y: dy}))
			}
			out = append(out, pendant{p.at, room, far(0, 1.6) && !far(1.6, 0)})
		}
	}
	for i, r := range in.plan.Rooms {
		light(i, r.Outline)
	}
	if len(in.plan.Rooms) == 0 {
		light(-1, []robot.Point{in.low, {X: in.high.X, Y: in.low.Y}, in.high, {X: in.low.X, Y: in.high.Y}})
		if g := &in.plan.Grid; len(g.Cells) > 0 {
			out = slices.DeleteFunc(out, func(l pendant) bool { return g.At(l.at) != robot.Free })
		}
	}
	return out
}

// lightRooms computes the light. Walls do not block it, because a field that jumps
// at a wall would be visible on both sides.
func (in *interior) lightRooms(lamps []pendant) {
	in.glow = newField(in.low, in.high, 0.25, 0.86)
	for _, l := range lamps {
		in.glow.changeAround(l.at, l.at, 3.5, func(_ robot.Point, away, value float64) float64 {
			return min(1.06, value+0.22*math.Exp(-away*away/1.5))
		})
	}
	in.ground = newField(in.low, in.high, 0.06, 1)
	foot := func(a, b robot.Point, deep, wide float64) {
		in.ground.changeAround(a, b, 3*wide, func(_ robot.Point, away, value float64) float64 {
			return min(value, 1-deep*math.Exp(-away/wide))
		})
	}
	for _, l := range in.plan.Lines {
		foot(l.A, l.B, 0.38, 0.16)
	}
	for _, f := range in.plan.Furniture {
		if f.Radius > 0 {
			in.ground.changeAround(f.Outline[0], f.Outline[0], f.Radius+0.4, func(_ robot.Point, away, value float64) float64 {
				return min(value, 1-0.42*math.Exp(-max(0, away-f.Radius)/0.13))
			})
			continue
		}
		low, high := f.Outline[0], f.Outline[0]
		for i, p := range f.Outline {
			foot(p, f.Outline[(i+1)%len(f.Outline)], 0.42, 0.15)
			low = robot.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
			high = robot.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
		}
		in.ground.changeAround(low, high, high.Sub(low).Norm(), func(p robot.Point, _, value float64) float64 {
			if outlineEncloses(f.Outline, p) {
				return 0.56
			}
			return value
		})
	}
	for i := range in.ground.values {
		p := in.ground.origin.Add(robot.Point{X: float64(i%in.ground.nx) * in.ground.size, Y: float64(i/in.ground.nx) * in.ground.size})
		in.ground.values[i] *= float32(in.glow.at(p.X, p.Y))
	}
}

// addFloors adds the floors and the ceiling.
func (in *interior) addFloors() {
	l := light{level: 0.93, field: in.ground}
	for i, r := range in.plan.Rooms {
		in.nextObject()
		style := in.styleOf(i, len(in.skins.floors))
		in.addLevel(r.Outline, 0, true, in.skins.floors[style], l).floor = true
	}
	const beyond = 60 // m
	all := []robot.Point{
		{X: in.low.X - beyond, Y: in.low.Y - beyond},
		{X: in.high.X + beyond, Y: in.low.Y - beyond},
		{X: in.high.X + beyond, Y: in.high.Y + beyond},
		{X: in.low.X - beyond, Y: in.high.Y + beyond},
	}
	in.nextObject()
	in.builder.addLevel(all, -0.001, true, in.skins.stone, l).floor = true
	in.floors = in.id
	for i := range in.faces {
		f := &in.faces[i]
		f.origin = robot.Point3{Z: f.origin.Z}
	}
	in.nextObject()
	f := in.addLevel(all, in.ceiling+0.001, false, in.skins.ceiling, light{level: 0.86, field: in.glow})
	f.floor = true
	f.origin = robot.Point3{X: in.low.X + 0.1, Y: in.low.Y + 0.2, Z: f.origin.Z}
}

// addLamp adds a ceiling lamp and its reflection on the floor.
func (in *interior) addLamp(l pendant) {
	angle := 0.0
	if l.across {
		angle = math.Pi / 2
	}
	in.nextObject()
	in.addLevel(rectangleAround(l.at, angle, lampLength+0.05, lampWidth+0.05), in.ceiling-0.002, false, in.skins.grey, light{level: 0.95})
	in.nextObject()
	in.addLevel(rectangleAround(l.at, angle, lampLength, lampWidth), in.ceiling-0.006, false, in.skins.lamp, light{level: 1, glows: true})
	in.addLampImage(l)
}

// addLampImage adds the reflection of a lamp on the floor.
func (in *interior) addLampImage(l pendant) {
	length, width := lampLength*1.15, lampWidth*1.15
	if l.across {
		length, width = width, length
	}
	low := robot.Point3{X: l.at.X - length/2, Y: l.at.Y - width/2, Z: -in.ceiling}
	o := overlay{
		normal: robot.Point3{Z: 1}, origin: low, s: robot.Point3{X: length / maskTexels}, t: robot.Point3{Y: width / maskTexels},
		mask: in.skins.pane, colour: hexColour(0xfff3d6).packed(), level: 0.55, mirror: true,
	}
	o.outline = []robot.Point3{low, low.Add(robot.Point3{X: length}), low.Add(robot.Point3{X: length, Y: width}), low.Add(robot.Point3{Y: width})}
	in.addReflection(o, l.room)
}

// addReflection adds a reflection on the floor of a room, unless the floor is dull.
func (in *interior) addReflection(o overlay, room int) {
	o.first, o.last = 1, in.floors
	if room >= 0 {
		o.first, o.last = uint16(room+1), uint16(room+1)
	}
	if f := in.skins.floors[in.styleOf(room, len(in.skins.floors))]; !f.dull {
		in.veils = append(in.veils, o)
	}
}

// addWalls adds the walls with everything that hangs on them.
func (in *interior) addWalls() {
	for n, l := range in.plan.Lines {
		for _, s := range [2]robot.Segment{l, {A: l.B, B: l.A}} {
			for _, piece := range in.wallPieces(s) {
				in.inOwnGroup(func() { in.addWall(piece, n) })
			}
		}
		for _, end := range [2]robot.Segment{l, {A: l.B, B: l.A}} {
			in.inOwnGroup(func() { in.addPost(end, n) })
		}
	}
}

// wallPieces splits the side of a wall where another room begins. The side is the
// one visible to a viewer with A on the left.
func (in *interior) wallPieces(s robot.Segment) []robot.Segment {
	d := s.B.Sub(s.A)
	length := d.Norm()
	if length < 0.01 {
		return nil
	}
	cuts := []float64{0, length}
	for _, r := range in.plan.Rooms {
		for _, p := range r.Outline {
			v := p.Sub(s.A)
			along := (v.X*d.X + v.Y*d.Y) / length
			if along > 0.05 && along < length-0.05 && math.Abs(d.Cross(v))/length < 0.1 {
				cuts = append(cuts, along)
			}
		}
	}
	slices.Sort(cuts)
	var out []robot.Segment
	on := func(along float64) robot.Point {
		return s.A.Add(robot.Point{X: d.X * along / length, Y: d.Y * along / length})
	}
	for i := 1; i < len(cuts); i++ {
		if cuts[i]-cuts[i-1] > 0.02 {
			out = append(out, robot.Segment{A: on(cuts[i-1]), B: on(cuts[i])})
		}
	}
	return out
}

// addWall adds one side of a part of a wall.
func (in *interior) addWall(s robot.Segment, line int) {
	d := s.B.Sub(s.A)
	length := d.Norm()
	along := robot.Point{X: d.X / length, Y: d.Y / length}
	face := robot.Point{X: along.Y, Y: -along.X} // toward the viewer
	middle := robot.Point{X: (s.A.X + s.B.X) / 2, Y: (s.A.Y + s.B.Y) / 2}
	front := robot.Point{X: middle.X + 0.25*face.X, Y: middle.Y + 0.25*face.Y}
	back := robot.Point{X: middle.X - 0.25*face.X, Y: middle.Y - 0.25*face.Y}
	room := in.roomAt(front)
	style := in.styleOf(room, len(in.skins.paints))
	l := light{level: uprightShade(face), field: in.glow, shift: 0.2}
	band := func(low, high float64, k skin, from, to float64) {
		in.nextObject()
		ll := l
		ll.level *= from
		ll.perT = l.level * (to - from) / (high - low) * k.t
		in.addUpright(s.A, s.B, low, high, k, ll)
	}
	paint := in.skins.paints[style]
	band(0, baseHeight, in.skins.base, 0.9, 0.95)
	band(baseHeight, stripeLow, paint, 0.88, 1)
	band(stripeLow, stripeHigh, in.skins.stripes[style], 1, 1)
	band(stripeHigh, in.ceiling, paint, 1, 0.90)
	if in.isOutside(front) {
		return
	}
	corridor := room >= 0 && in.plan.Rooms[room].Corridor
	spot := func(x float64) robot.Point { return s.A.Add(robot.Point{X: along.X * x, Y: along.Y * x}) }
	h := hanging{in: in, along: along, face: face, level: l.level, room: room, number: line}
	switch {
	case in.isOutside(back):
		width, n := 1.5, int((length-0.4)/2.4)
		if corridor {
			width = 1.2
		}
		if n == 0 && length > 1.1 {
			n, width = 1, min(width, length-0.6)
		}
		for i := range n {
			h.middle, h.width, h.put = spot((float64(i)+0.5)*length/float64(n)), width, hanging.addWindow
			in.places = append(in.places, h)
		}
	case length > 1.4:
		every := 3.6
		if corridor {
			every = 2.6
		}
		const margin = 0.45 // m, for the door plates
		n := max(1, int(length/every))
		free := (length - 2*margin) / float64(n)
		for i := range n {
			h.number = line*31 + i*7 + int(8*math.Abs(face.X-face.Y))
			h.middle, h.put = spot(margin+(float64(i)+0.5)*free), hanging.addPicture
			h.width = min(0.9*free, 0.7+0.5*hashToUnit(uint32(h.number), 5, 9))
			in.places = append(in.places, h)
		}
	}
}

// A hanging is a thing on one side of a wall.
type hanging struct {
	in          *interior
	along, face robot.Point // unit vectors: along the wall to the right, and away from it
	level       float64
	room        int
	number      int
	middle      robot.Point
	width       float64 // m
	put         func(hanging)
}

// addSheet adds a rectangle out metres in front of the wall.
func (h hanging) addSheet(middle robot.Point, width, low, high, out float64, k skin, l light) *face {
	h.in.nextObject()
	half := robot.Point{X: h.along.X * width / 2, Y: h.along.Y * width / 2}
	m := middle.Add(robot.Point{X: h.face.X * out, Y: h.face.Y * out})
	return h.in.addUpright(m.Sub(half), m.Add(half), low, high, k, l)
}

// addPicture adds a picture.
func (h hanging) addPicture() {
	middle, width := h.middle, h.width
	k := &h.in.skins
	const low, high = 1.26, 1.96
	l := light{level: h.level, field: h.in.glow, shift: 0.2}
	h.addSheet(middle, width, low, high, 0.010, k.rim, l)
	h.addSheet(middle, width-0.09, low+0.045, high-0.045, 0.014, k.mat, l)
	inner := width - 0.24
	art := func(n int) skin { return k.arts[(h.number+n)%len(k.arts)] }
	h.addSheet(middle, inner, low+0.12, high-0.12, 0.018, art(0), l)
	// The picture consists of two triangles.
	a := 0.25 + 0.5*hashToUnit(uint32(h.number), 2, 9)
	tri := func(x0, x1, top, out, level float64, s skin) {
		h.in.nextObject()
		spot := func(x, z float64) robot.Point3 {
			x = (x - 0.5) * inner
			return pointAt(middle.Add(robot.Point{X: h.along.X*x + h.face.X*out, Y: h.along.Y*x + h.face.Y*out}), low+0.12+z*(high-low-0.24))
		}
		ll := l
		ll.level *= level
		h.in.addPolygon(h.in.keepPoints(spot(x0, 0.05), spot(x1, 0.05), spot(top, 0.75)),
			robot.Point3{X: h.along.X, Y: h.along.Y}, robot.Point3{Z: 1}, s, ll)
	}
	tri(0.06, a, a*0.7, 0.022, 0.8, k.mat)
	tri(a*0.5, 0.94, a, 0.026, 0.9, art(3))
}

// addWindow adds a window with daylight.
func (h hanging) addWindow() {
	middle, width := h.middle, h.width
	const low, high = 0.92, 2.14
	k := &h.in.skins
	l := light{level: 0.9, field: h.in.glow, shift: 0.2}
	glass := k.glass
	glass.s, glass.t = width/glassTexels, (high-low)/glassTexels
	h.addSheet(middle, width+0.1, low-0.05, high+0.05, 0.004, k.sill, l)
	h.addSheet(middle, width, low, high, 0.008, glass, light{level: 1, glows: true})
	h.addSheet(middle, 0.035, low, high, 0.012, k.bar, l)
	h.addSheet(middle, width, (low+high)/2-0.02, (low+high)/2+0.02, 0.012, k.bar, l)
	m := middle.Add(robot.Point{X: 0.06 * h.face.X, Y: 0.06 * h.face.Y})
	h.in.addBlock(rectangleAround(m, math.Atan2(h.along.Y, h.along.X), width+0.16, 0.12), low-0.09, low-0.05, k.sill, k.sill, l)

	half := robot.Point3{X: h.along.X * width / 2, Y: h.along.Y * width / 2}
	mid := pointAt(middle, 0)
	origin := mid.Sub(half).Add(robot.Point3{Z: -high})
	tall := robot.Point3{Z: high - low}
	o := overlay{
		outline: []robot.Point3{origin, origin.Add(half.Times(2)), origin.Add(half.Times(2)).Add(tall), origin.Add(tall)},
		normal:  robot.Point3{X: h.face.X, Y: h.face.Y}, origin: origin,
		s: half.Times(2.0 / maskTexels), t: tall.Times(1.0 / maskTexels),
		mask: k.pane, colour: hexColour(0xe8f2fb).packed(), level: 0.8, mirror: true,
	}
	h.in.addReflection(o, h.room)
}

// addPost adds a frame around the end A of a wall that no other wall continues. It looks
// for one among the lines next to it in the plan first: traced lines are chains.
func (in *interior) addPost(s robot.Segment, line int) {
	d := s.B.Sub(s.A)
	n := d.Norm()
	if n < 0.3 {
		return
	}
	lines := in.plan.Lines
	for k := 1; k < len(lines); k++ {
		if i := line - k; i >= 0 && lines[i].Distance(s.A) < 0.03 {
			return
		}
		if i := line + k; i < len(lines) && lines[i].Distance(s.A) < 0.03 {
			return
		}
	}
	middle := s.A.Add(robot.Point{X: 0.015 * d.X / n, Y: 0.015 * d.Y / n})
	angle := math.Atan2(d.Y, d.X)
	l := light{level: 0.98, field: in.glow}
	if !in.atDoor(s.A) {
		in.addBlock(rectangleAround(middle, angle, 0.05, 0.10), 0, in.ceiling, in.skins.post, in.skins.post, l)
		return
	}
	in.addBlock(rectangleAround(middle, angle, 0.07, 0.12), 0, doorHeight, in.skins.frame, in.skins.frame, l)
}

func (in *interior) atDoor(p robot.Point) bool {
	for _, d := range in.plan.Doors {
		if l := d.Leaf(d.Closed); p.Sub(l.A).Norm() < 0.08 || p.Sub(l.B).Norm() < 0.08 {
			return true
		}
	}
	return false
}

// addLintel adds the wall above a door.
func (in *interior) addLintel(d robot.Door) {
	closed := d.Leaf(d.Closed)
	middle := robot.Point{X: (closed.A.X + closed.B.X) / 2, Y: (closed.A.Y + closed.B.Y) / 2}
	l := light{level: 0.98, field: in.glow}
	in.addBlock(rectangleAround(middle, d.Closed, d.Length, 0.12), doorHeight-0.06, doorHeight, in.skins.frame, in.skins.frame, l)
	for _, s := range [2]robot.Segment{closed, {A: closed.B, B: closed.A}} {
		n := s.B.Sub(s.A)
		face := robot.Point{X: n.Y / d.Length, Y: -n.X / d.Length}
		style := in.styleOf(in.roomAt(middle.Add(robot.Point{X: 0.25 * face.X, Y: 0.25 * face.Y})), len(in.skins.paints))
		in.nextObject()
		k := in.skins.paints[style]
		high := in.ceiling - doorHeight
		level := uprightShade(face)
		in.addUpright(s.A, s.B, doorHeight-0.03, in.ceiling, k, light{level: level * 0.96, perT: -level * 0.06 / high * k.t, field: in.glow, shift: 0.2})
	}
}

// addDoorSign adds a plate with the room's number beside its door, on both sides of
// the wall.
func (in *interior) addDoorSign(d robot.Door) {
	number := strings.TrimLeft(d.Name, strings.TrimRight(d.Name, "0123456789"))
	if number == "" || len(number) > signDigits {
		return
	}
	closed := d.Leaf(d.Closed)
	along := closed.B.Sub(closed.A)
	along = robot.Point{X: along.X / d.Length, Y: along.Y / d.Length}
	middle := closed.B.Add(robot.Point{X: 0.26 * along.X, Y: 0.26 * along.Y})
	if !slices.ContainsFunc(in.plan.Lines, func(l robot.Segment) bool { return l.Distance(middle) < 0.02 }) {
		return
	}
	k := skin{texture: plateTexture(number), s: signWidth / signTexels, t: signWidth / signTexels}
	for _, right := range [2]robot.Point{along, {X: -along.X, Y: -along.Y}} {
		h := hanging{in: in, along: right, face: robot.Point{X: right.Y, Y: -right.X}}
		l := light{level: uprightShade(h.face), field: in.glow, shift: 0.2}
		h.addSheet(middle, signWidth+0.02, 1.48, 1.50+signWidth/2, 0.008, in.skins.white, l)
		h.addSheet(middle, signWidth, 1.49, 1.49+signWidth/2, 0.012, k, l)
	}
}
