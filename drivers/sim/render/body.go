package render

import (
	"math"

	"mybot/robot"
)

// A wardrobe holds the skins of moving things.
type wardrobe struct {
	wood, metal, slot       skin
	drum, band, rim         skin
	skins, hair, tops, legs []skin
	shoe                    skin
}

func newWardrobe() *wardrobe {
	return &wardrobe{
		wood:  skin{texture: woodTexture(hexColour(0x9a7850)), s: woodTexel, t: 2.2 / woodTexels},
		metal: flatSkin(hexColour(0xc3c8cc)), slot: flatSkin(hexColour(0x9fb2bd)),
		drum: flatSkin(hexColour(0x3a3d43)), band: flatSkin(hexColour(0xf7b32b)), rim: flatSkin(hexColour(0x565b63)),
		skins: flatSkins(0xe0b594, 0xc68f68, 0x8f5f42),
		hair:  flatSkins(0x2b2320, 0x5a3d28, 0x1d1c20),
		tops:  flatSkins(0x2f6f8f, 0xb4533f, 0x5b7d4a, 0xc9a03d, 0x6b5a8e),
		legs:  flatSkins(0x2c3442, 0x4a4f57, 0x3b3a2f),
		shoe:  flatSkin(hexColour(0x1c1d20)),
	}
}

// leafHeight is how high a door is, in m.
const leafHeight = 2.0

// addDoor adds a door's leaf at an angle.
func (b *builder) addDoor(w *wardrobe, d robot.Door, angle float64, l light) {
	hinge := robot.Pose{X: d.Hinge.X, Y: d.Hinge.Y, Theta: angle}
	part := func(from, to, near, far, low, high float64, k skin) {
		var outline [4]robot.Point
		for i, p := range [4]robot.Point{{X: from, Y: near}, {X: to, Y: near}, {X: to, Y: far}, {X: from, Y: far}} {
			outline[i] = hinge.Apply(p)
		}
		b.addBlock(outline[:], low, high, k, k, l)
	}
	const half = 0.02
	part(0.01, d.Length-0.01, -half, half, 0.012, leafHeight, w.wood)
	if d.Length < 0.5 {
		return
	}
	slot := func(p, q robot.Point) {
		b.nextObject()
		ll := l
		ll.level *= 0.95
		b.addUpright(hinge.Apply(p), hinge.Apply(q), 0.95, 1.75, w.slot, ll)
	}
	slot(robot.Point{X: d.Length - 0.30, Y: -half - 0.002}, robot.Point{X: d.Length - 0.18, Y: -half - 0.002})
	slot(robot.Point{X: d.Length - 0.18, Y: half + 0.002}, robot.Point{X: d.Length - 0.30, Y: half + 0.002})
	part(d.Length-0.17, d.Length-0.05, half+0.035, half+0.055, 1.0, 1.025, w.metal)
	part(d.Length-0.17, d.Length-0.05, -half-0.055, -half-0.035, 1.0, 1.025, w.metal)
}

// addBarrel adds a round obstacle.
func (b *builder) addBarrel(w *wardrobe, p robot.Point, radius, height, level float64, eye robot.Point3) {
	b.nextObject()
	r := round{sides: 28, eye: eye, level: level, dark: 0.7}
	for _, s := range [...]struct {
		low, high float64 // shares of the height
		k         skin
	}{{0, 0.5, w.drum}, {0.5, 0.625, w.band}, {0.625, 0.725, w.drum}, {0.725, 0.85, w.band}, {0.85, 1, w.drum}} {
		b.nextObject()
		b.addTube(ring{pointAt(p, s.low*height), radius, radius}, ring{pointAt(p, s.high*height), radius, radius}, r, s.k)
	}
	b.nextObject()
	b.addLid(ring{pointAt(p, height), radius, radius}, r, w.rim, level)
	b.nextObject()
	b.addLid(ring{pointAt(p, height+0.002), 0.9 * radius, 0.9 * radius}, r, w.drum, 0.9*level)
}

// addPerson adds a standing or walking person.
func (b *builder) addPerson(w *wardrobe, f Figure, level float64, eye robot.Point3) {
	pose := robot.Pose{X: f.At.X, Y: f.At.Y, Theta: f.Heading}
	tall := 1.66 + 0.12*hashToUnit(uint32(f.Number), 1, 7)
	k := tall / 1.72
	spot := func(x, y, z float64) robot.Point3 { return pointAt(pose.Apply(robot.Point{X: x * k, Y: y * k}), z*k) }
	r := round{sides: 12, heading: f.Heading, eye: eye, level: level, dark: 0.45}
	limb := func(x0, y0, z0, r0, x1, y1, z1, r1 float64, s skin) {
		b.addTube(ring{spot(x0, y0, z0), r0 * k, r0 * k}, ring{spot(x1, y1, z1), r1 * k, r1 * k}, r, s)
	}
	top, legs := w.tops[f.Number%len(w.tops)], w.legs[f.Number%len(w.legs)]
	face, hair := w.skins[f.Number%len(w.skins)], w.hair[f.Number%len(w.hair)]
	for _, side := range [2]float64{1, -1} {
		swing, lift := 0.0, 0.0
		if !math.IsNaN(f.Stride) {
			sin, cos := math.Sincos(f.Stride)
			swing, lift = 0.24*side*sin, 0.06*max(0, side*cos)
		}
		b.nextObject()
		limb(swing-0.05, side*0.09, 0.0+lift, 0.05, swing-0.05, side*0.09, 0.10+lift, 0.055, w.shoe)
		limb(swing+0.09, side*0.09, 0.0+lift, 0.04, swing+0.05, side*0.09, 0.08+lift, 0.045, w.shoe)
		b.nextObject()
		limb(swing-0.05, side*0.09, 0.09+lift, 0.055, swing*0.55+0.03*lift/0.06, side*0.09, 0.48+lift/2, 0.068, legs)
		limb(swing*0.55+0.03*lift/0.06, side*0.09, 0.48+lift/2, 0.068, 0, side*0.08, 0.90, 0.088, legs)
		b.nextObject()
		limb(-0.5*swing-0.02, side*0.235, 0.98, 0.036, -0.62*swing+0.02, side*0.235, 0.85, 0.03, face)
		b.nextObject()
		limb(-0.5*swing-0.02, side*0.235, 0.98, 0.045, 0, side*0.205, 1.40, 0.058, top)
	}
	body := func(s skin, rings ...[3]float64) { // half depth, half width, height
		b.nextObject()
		for i := 1; i < len(rings); i++ {
			p, q := rings[i-1], rings[i]
			b.addTube(ring{spot(0, 0, p[2]), p[0] * k, p[1] * k}, ring{spot(0, 0, q[2]), q[0] * k, q[1] * k}, r, s)
		}
	}
	body(legs, [3]float64{0.105, 0.165, 0.84}, [3]float64{0.105, 0.160, 0.96})
	body(top, [3]float64{0.108, 0.163, 0.94}, [3]float64{0.100, 0.150, 1.10}, [3]float64{0.118, 0.185, 1.32},
		[3]float64{0.095, 0.205, 1.41}, [3]float64{0.060, 0.090, 1.465}, [3]float64{0.05, 0.05, 1.48})
	body(face, [3]float64{0.05, 0.05, 1.46}, [3]float64{0.048, 0.048, 1.52}, [3]float64{0.075, 0.062, 1.53},
		[3]float64{0.095, 0.076, 1.59}, [3]float64{0.098, 0.078, 1.64}, [3]float64{0.08, 0.068, 1.70}, [3]float64{0.0, 0.0, 1.735})
	b.nextObject()
	for i, p := range [...][4]float64{{-0.02, 0.088, 0.080, 1.59}, {-0.016, 0.102, 0.086, 1.65}, {-0.012, 0.09, 0.076, 1.71}, {-0.01, 0.045, 0.045, 1.742}} {
		q := [...][4]float64{{-0.016, 0.102, 0.086, 1.65}, {-0.012, 0.09, 0.076, 1.71}, {-0.01, 0.045, 0.045, 1.742}, {-0.01, 0.001, 0.001, 1.75}}[i]
		lean := 0.0
		if i == 0 {
			lean = -0.02 // the face stays uncovered in front
		}
		b.addTube(ring{spot(p[0]+lean, 0, p[3]), p[1] * k, p[2] * k}, ring{spot(q[0]+lean/2, 0, q[3]), q[1] * k, q[2] * k}, r, hair)
	}
	b.nextObject()
	sin, cos := math.Sincos(f.Heading)
	for _, side := range [2]float64{1, -1} {
		const x, y, z, half = 0.097, 0.031, 1.625, 0.009
		b.addPolygon(b.keepPoints(spot(x, side*y-half, z-half), spot(x, side*y+half, z-half), spot(x, side*y+half, z+half), spot(x, side*y-half, z+half)),
			robot.Point3{X: -sin, Y: cos}, robot.Point3{Z: 1}, w.shoe, light{level: level})
	}
}
