package render

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"mybot/robot"
)

// A face is a flat polygon in space with a texture. It is visible from the side on
// which its outline runs counter-clockwise.
type face struct {
	id      uint16         // of the object: edges between two faces of the same object are not smoothed
	outline []robot.Point3 // in map, in one plane
	normal  robot.Point3   // unit vector toward the visible side
	origin  robot.Point3   // position of the texture's first texel
	s, t    robot.Point3   // one texel to the right and one up, m
	texture *texture
	light   light
	floor   bool // it is drawn last, where no other face is
}

// light is the brightness of a face: 1 shows the texture unchanged. The steps along
// s and t make round things look round.
type light struct {
	level, perS, perT float64
	field             *field  // multiplied by the value of this field; nil = 1 everywhere
	shift             float64 // m along the normal, where the field is evaluated
	glows             bool    // it emits light, so distance does not dim it
}

// An overlay is a veil on the floor: a shadow or the reflection of a lamp.
type overlay struct {
	outline      []robot.Point3
	normal       robot.Point3
	origin, s, t robot.Point3
	mask         *texture // its lowest byte is the density of the veil, 0 to 255
	colour       uint32
	level        float64 // factor on the density, 1 = as in the mask
	mirror       bool    // it is stronger at a flat angle, as reflections are
	first, last  uint16  // the objects on which it lies
}

// Layout of a picture in memory: one packed colour per pixel, see packColour.
const (
	pairMask = 0xff00ff
	midMask  = 0x00ff00
	black    = 16 | 128<<8 | 128<<16
)

// packColour packs a colour with components from 0 to 1 into a texel: BT.601
// limited range, Y in the lowest byte, then U and V.
func packColour(r, g, b float64) uint32 {
	y := 16 + 65.481*r + 128.553*g + 24.966*b
	u := 128 - 37.797*r - 74.203*g + 112*b
	v := 128 + 112*r - 93.786*g - 18.214*b
	return clampByte(y) | clampByte(u)<<8 | clampByte(v)<<16
}

func clampByte(x float64) uint32 { return uint32(max(0, min(255, x+0.5))) }

// mixColours returns a for k = 0 and b for k = 256.
func mixColours(a, b, k uint32) uint32 {
	return ((a&pairMask)*(256-k)+(b&pairMask)*k)>>8&pairMask | ((a&midMask)*(256-k)+(b&midMask)*k)>>8&midMask
}

// dimColour is mixColours of black and a, written separately so that it is inlined.
func dimColour(a, k uint32) uint32 {
	return (a&pairMask*k+black&pairMask*(256-k))>>8&pairMask | (a&midMask*k+black&midMask*(256-k))>>8&midMask
}

// drawn is a face in the current view.
type drawn struct {
	*face
	corners []corner // of the outline, clipped at the near plane
	low     float64  // first and last row, in pixels
	high    float64
	nearest float64 // m, depth of the nearest corner
	plane
}

type corner struct{ x, y float64 }

// rank is a face's position in the drawing order.
type rank struct {
	nearest float64 // m
	face    int32
}

// A plane maps each pixel to the texture plane of a face. With r = (x, y, 1) the
// texel is at (a.r / c.r, b.r / c.r) and 1/depth is k (c.r).
type plane struct {
	a, b, c robot.Point3
	k       float64
}

// planeOf returns the mapping for the texture plane of a face.
func planeOf(v *robot.View, origin, s, t robot.Point3) plane {
	p0, ds, dt := inView(v, origin.Sub(v.Eye)), inView(v, s), inView(v, t)
	pl := plane{a: perPixel(v, dt.Cross(p0)), b: perPixel(v, p0.Cross(ds))}
	c := ds.Cross(dt)
	pl.c = perPixel(v, c)
	pl.k = 1 / c.Dot(p0)
	return pl
}

// inView converts a vector from map to the axes of the view: right, down, forward.
func inView(v *robot.View, p robot.Point3) robot.Point3 {
	return robot.Point3{X: p.Dot(v.Right), Y: p.Dot(v.Down), Z: p.Dot(v.Forward)}
}

// perPixel converts a linear form of the viewing direction to one of (x, y, 1) in
// pixels.
func perPixel(v *robot.View, n robot.Point3) robot.Point3 {
	f := 1 / v.Focal
	return robot.Point3{X: n.X * f, Y: n.Y * f, Z: n.Z - (n.X*float64(v.Width)+n.Y*float64(v.Height))*f/2}
}

// near is the distance of the near plane, in m along the optical axis.
const near = 0.04

// A canvas draws faces into a picture. It reuses its memory; one goroutine owns it,
// and another one helps it to draw.
type canvas struct {
	view   robot.View
	pixels []uint32
	depth  []float32 // 1/m; 0 = nothing there
	ids    []uint16
	void   uint32 // background colour

	faces    []drawn
	order    []rank // the faces, nearest first
	veils    []veil
	corners  []corner
	eyed     []robot.Point3
	strips   atomic.Int64
	crossing [2][]float64
	frame    *robot.Frame
	second   func() // runs in a helper goroutine
	drawAll  func(strip, worker int)
	storeAll func(strip, worker int)
	stage    func(n, worker int)
	count    int
	done     sync.WaitGroup
}

type veil struct {
	overlay
	corners   []corner
	low, high float64
	plane
}

// stripRows is how many rows of the picture are drawn at a time; even, because of
// 4:2:0.
const stripRows = 40

func newCanvas() *canvas {
	c := &canvas{}
	c.drawAll, c.storeAll = c.drawStrip, c.storeStrip
	c.second = func() {
		defer c.done.Done()
		c.workOnStrips(1)
	}
	return c
}

// beginPicture begins a picture.
func (c *canvas) beginPicture(v robot.View) {
	c.view = v
	if n := v.Width * v.Height; len(c.pixels) != n {
		c.pixels, c.depth, c.ids = make([]uint32, n), make([]float32, n), make([]uint16, n)
	}
	c.faces, c.veils, c.corners = c.faces[:0], c.veils[:0], c.corners[:0]
}

// addFace adds a face if it is visible.
func (c *canvas) addFace(f *face) {
	v := &c.view
	if f.normal.Dot(v.Eye.Sub(f.outline[0])) <= 1e-9 {
		return
	}
	d := drawn{face: f}
	var ok bool
	if d.corners, d.low, d.high, d.nearest, ok = c.projectOutline(f.outline); !ok {
		return
	}
	if f.floor {
		d.nearest = math.Inf(1)
	}
	d.plane = planeOf(v, f.origin, f.s, f.t)
	c.faces = append(c.faces, d)
}

// addOverlay adds an overlay if it is visible.
func (c *canvas) addOverlay(o *overlay) {
	v := &c.view
	if o.normal.Dot(v.Eye.Sub(o.outline[0])) <= 1e-9 {
		return
	}
	w := veil{overlay: *o}
	var ok bool
	if w.corners, w.low, w.high, _, ok = c.projectOutline(o.outline); !ok {
		return
	}
	w.plane = planeOf(v, o.origin, o.s, o.t)
	c.veils = append(c.veils, w)
}

// projectOutline projects an outline, clipped at the near plane. ok is false if
// none of it is in the picture.
func (c *canvas) projectOutline(outline []robot.Point3) (corners []corner, low, high, nearest float64, ok bool) {
	v := &c.view
	e := c.eyed[:0]
	left, right, above, below, behind := 0, 0, 0, 0, 0
	tanX, tanY := float64(v.Width)/2/v.Focal, float64(v.Height)/2/v.Focal
	for _, p := range outline {
		q := inView(v, p.Sub(v.Eye))
		e = append(e, q)
		if q.X < -q.Z*tanX {
			left++
		}
		if q.X > q.Z*tanX {
			right++
		}
		if q.Y < -q.Z*tanY {
			above++
		}
		if q.Y > q.Z*tanY {
			below++
		}
		if q.Z < near {
			behind++
		}
	}
	c.eyed = e
	n := len(e)
	if left == n || right == n || above == n || below == n || behind == n {
		return nil, 0, 0, 0, false
	}
	low, high, nearest = math.Inf(1), math.Inf(-1), math.Inf(1)
	start := len(c.corners)
	put := func(q robot.Point3) {
		k := v.Focal / q.Z
		x, y := float64(v.Width)/2+k*q.X, float64(v.Height)/2+k*q.Y
		c.corners = append(c.corners, corner{x, y})
		low, high, nearest = min(low, y), max(high, y), min(nearest, q.Z)
	}
	for i, p := range e {
		q := e[(i+1)%n]
		if p.Z >= near {
			put(p)
		}
		if p.Z < near != (q.Z < near) {
			m := p.Add(q.Sub(p).Times((near - p.Z) / (q.Z - p.Z)))
			m.Z = near
			put(m)
		}
	}
	return c.corners[start:len(c.corners):len(c.corners)], low, high, nearest, true
}

// drawPicture draws everything that was added into f.
func (c *canvas) drawPicture(f *robot.Frame) {
	f.Resize(c.view.Width, c.view.Height)
	c.frame = f
	c.order = c.order[:0]
	for i := range c.faces {
		c.order = append(c.order, rank{c.faces[i].nearest, int32(i)})
	}
	slices.SortFunc(c.order, func(a, b rank) int {
		return cmp.Or(cmp.Compare(a.nearest, b.nearest), cmp.Compare(a.face, b.face))
	})
	n := (c.view.Height + stripRows - 1) / stripRows
	c.shareStrips(n, c.drawAll)
	for _, o := range c.order {
		if d := &c.faces[o.face]; !d.floor {
			c.smoothEdges(d)
		}
	}
	c.shareStrips(n, c.storeAll)
	c.frame = nil
}

// shareStrips runs the stage for n strips, in this goroutine and a second one.
func (c *canvas) shareStrips(n int, stage func(strip, worker int)) {
	c.stage, c.count = stage, n
	c.strips.Store(0)
	c.done.Add(1)
	go c.second()
	c.workOnStrips(0)
	c.done.Wait()
}

func (c *canvas) workOnStrips(worker int) {
	for {
		n := int(c.strips.Add(1)) - 1
		if n >= c.count {
			return
		}
		c.stage(n, worker)
	}
}

// drawStrip draws all faces and overlays into the rows of a strip.
func (c *canvas) drawStrip(strip, worker int) {
	w := c.view.Width
	top, end := strip*stripRows, min((strip+1)*stripRows, c.view.Height)
	clear(c.depth[top*w : end*w])
	clear(c.ids[top*w : end*w])
	for i := top * w; i < end*w; i++ {
		c.pixels[i] = c.void
	}
	for _, o := range c.order {
		d := &c.faces[o.face]
		c.fillRows(d.corners, d.low, d.high, top, end, worker, func(y, x0, x1 int) { c.drawSpan(d, y, x0, x1) })
	}
	for i := range c.veils {
		v := &c.veils[i]
		c.fillRows(v.corners, v.low, v.high, top, end, worker, func(y, x0, x1 int) { c.coverSpan(v, y, x0, x1) })
	}
}

// fillRows calls fill for every run of pixels, in rows top to end-1, with their
// centres within the outline (even-odd).
func (c *canvas) fillRows(corners []corner, low, high float64, top, end, worker int, fill func(y, x0, x1 int)) {
	w := c.view.Width
	first, last := max(float64(top), math.Ceil(low-0.5)), min(float64(end-1), math.Ceil(high-0.5)-1)
	for y := int(first); y <= int(last); y++ {
		at := float64(y) + 0.5
		xs := c.crossing[worker][:0]
		p := corners[len(corners)-1]
		for _, q := range corners {
			if p.y <= at != (q.y <= at) {
				xs = append(xs, p.x+(at-p.y)*(q.x-p.x)/(q.y-p.y))
			}
			p = q
		}
		if len(xs) == 2 {
			if xs[0] > xs[1] {
				xs[0], xs[1] = xs[1], xs[0]
			}
		} else {
			slices.Sort(xs)
		}
		for i := 0; i+1 < len(xs); i += 2 {
			x0 := int(max(0, math.Ceil(xs[i]-0.5)))
			x1 := int(min(float64(w), math.Ceil(xs[i+1]-0.5)))
			if x0 < x1 {
				fill(y, x0, x1)
			}
		}
		c.crossing[worker] = xs
	}
}

// runLength returns how many pixels of a row share one division: in between, the
// texture is interpolated linearly. It is large where the depth changes little.
func runLength(change, den float64) int {
	switch change, den = math.Abs(change), math.Abs(den); {
	case change*32 < den*0.03:
		return 32
	case change*16 < den*0.06:
		return 16
	default:
		return 8
	}
}

// lightRun is over how many pixels of a row the light of a face is interpolated
// linearly: the same pixels in each row, so that no stripes are visible.
const lightRun = 32

// A line is a plane restricted to one row of the picture.
type line struct {
	plane
	a0, b0, c0 float64
}

// at returns the texel at the centre of pixel x and 1/depth there. Beyond the
// horizon of the plane, where a row may end, it returns the last valid value.
func (r *line) at(x int) (s, t, z float64) {
	fx := float64(x) + 0.5
	den := r.c.X*fx + r.c0
	if !(den*r.k > 1e-4) {
		fx--
		den = r.c.X*fx + r.c0
	}
	inv := 1 / den
	return (r.a.X*fx + r.a0) * inv, (r.b.X*fx + r.b0) * inv, den * r.k
}

// drawSpan draws the pixels x0 to x1-1 of row y of a face, where nothing nearer is.
func (c *canvas) drawSpan(d *drawn, y, x0, x1 int) {
	w := c.view.Width
	fy := float64(y) + 0.5
	r := line{plane: d.plane, a0: d.a.Y*fy + d.a.Z, b0: d.b.Y*fy + d.b.Z, c0: d.c.Y*fy + d.c.Z}
	depthStep := float32(r.c.X * r.k)
	// At pixel known: the texel, and its brightness, which changes by step per
	// pixel until knot.
	var s0, t0, bright, step float64
	known, knot := x0-1, x0
	for x, n := x0, 0; x < x1; x += n {
		den := r.c.X*(float64(x)+0.5) + r.c0
		n = min(runLength(r.c.X, den), x1-x)
		z := float32(den * r.k)
		depth := c.depth[y*w+x:][:n]
		if !showsAny(z, depthStep, depth) {
			continue
		}
		if known != x {
			s0, t0, _ = r.at(x)
			bright, knot = d.brightness(s0, t0, float64(z)), x
		}
		if x >= knot {
			knot = min((x/lightRun+1)*lightRun, x1)
			s, t, q := r.at(knot)
			step = (d.brightness(s, t, q) - bright) / float64(knot-x)
		}
		if n > knot-x {
			n = knot - x
			depth = depth[:n]
		}
		s1, t1, z1 := r.at(x + n)
		share := 1 / float64(n)

		// How many texels one pixel covers along s and t.
		inv := r.k / z1
		ss := max(math.Abs(s1-s0)*share, math.Abs((r.a.Y-s0*r.c.Y)*inv))
		tt := max(math.Abs(t1-t0)*share, math.Abs((r.b.Y-t0*r.c.Y)*inv))
		lv := d.texture.levelFor(ss, tt)

		s, ds := int32(int64(s0*65536)), int32(int64((s1-s0)*share*65536))
		t, dt := int32(int64(t0*65536)), int32(int64((t1-t0)*share*65536))
		l, dl := int32(bright*65536), int32(step*65536)
		pixels, ids := c.pixels[y*w+x:][:len(depth)], c.ids[y*w+x:][:len(depth)]
		if d.texture.fine {
			for i := range depth {
				if z > depth[i] {
					depth[i], ids[i] = z, d.id
					pixels[i] = dimColour(lv.interpolate(s, t), uint32(l)>>8)
				}
				z += depthStep
				s += ds
				t += dt
				l += dl
			}
		} else {
			texels, maskS, maskT, shiftS, shiftT, row := lv.texels, lv.maskS, lv.maskT, lv.shiftS, lv.shiftT, lv.row
			for i := range depth {
				if z > depth[i] {
					depth[i], ids[i] = z, d.id
					pixels[i] = dimColour(texels[int(uint32(t)>>(shiftT&31)&maskT)<<(row&31)|int(uint32(s)>>(shiftS&31)&maskS)], uint32(l)>>8)
				}
				z += depthStep
				s += ds
				t += dt
				l += dl
			}
		}
		s0, t0, known = s1, t1, x+n
		bright += step * float64(n)
	}
}

// showsAny reports whether any of the pixels is nearer than the current content.
func showsAny(z, step float32, depth []float32) bool {
	for _, q := range depth {
		if z > q {
			return true
		}
		z += step
	}
	return false
}

// brightness returns the brightness of the face at a texel seen from 1/z metres: 0
// dark to 1.
func (d *drawn) brightness(s, t, z float64) float64 {
	l := d.light.level + d.light.perS*s + d.light.perT*t
	if d.light.glows {
		return min(1, l)
	}
	if d.light.field != nil {
		x := d.origin.X + s*d.s.X + t*d.t.X + d.light.shift*d.normal.X
		y := d.origin.Y + s*d.s.Y + t*d.t.Y + d.light.shift*d.normal.Y
		l *= d.light.field.at(x, y)
	}
	return max(0, min(1, l*distanceDimming(z)))
}

// distanceDimming returns the dimming of something seen from 1/z metres.
func distanceDimming(z float64) float64 { return 0.45 + 0.55*z/(z+0.055) }

// coverSpan applies a veil to the pixels x0 to x1-1 of row y.
func (c *canvas) coverSpan(v *veil, y, x0, x1 int) {
	w := c.view.Width
	fy := float64(y) + 0.5
	pixels, ids := c.pixels[y*w:][:w], c.ids[y*w:][:w]
	lv := v.mask.levelFor(0, 0)
	for x := x0; x < x1; x++ {
		if id := ids[x]; id < v.first || id > v.last {
			continue
		}
		fx := float64(x) + 0.5
		den := v.c.X*fx + v.c.Y*fy + v.c.Z
		inv := 1 / den
		s, t := (v.a.X*fx+v.a.Y*fy+v.a.Z)*inv, (v.b.X*fx+v.b.Y*fy+v.b.Z)*inv
		m := lv.texels[int(uint32(int32(t*65536))>>lv.shiftT&lv.maskT)<<lv.row|int(uint32(int32(s*65536))>>lv.shiftS&lv.maskS)] & 255
		k := v.level
		if v.mirror {
			k *= 1 - 0.9*min(1, 4.5*den*v.k) // the farther, the flatter the angle
		}
		pixels[x] = mixColours(pixels[x], v.colour, uint32(min(256, float64(m)*k)))
	}
}

// touched marks a pixel in which an edge has been smoothed.
const touched = 0x8000

// smoothEdges mixes the colours of both sides in the pixels along the face's
// outline, by the share of the pixel on each side.
func (c *canvas) smoothEdges(d *drawn) {
	area := 0.0
	p := d.corners[len(d.corners)-1]
	for _, q := range d.corners {
		area += p.x*q.y - q.x*p.y
		p = q
	}
	p = d.corners[len(d.corners)-1]
	for _, q := range d.corners {
		c.smoothEdge(d.id, p, q, area > 0)
		p = q
	}
}

// smoothEdge does so for the edge from p to q of an outline that runs clockwise in
// the picture, or counter-clockwise.
func (c *canvas) smoothEdge(id uint16, p, q corner, clockwise bool) {
	w, h := c.view.Width, c.view.Height
	steep := math.Abs(q.y-p.y) >= math.Abs(q.x-p.x)
	// m runs along the edge, n across it.
	m0, m1, n0, n1 := p.x, q.x, p.y, q.y
	along, across := w, h
	stepM, stepN := 1, w
	inAfter := q.x > p.x == clockwise // the face is at higher n
	if steep {
		m0, m1, n0, n1 = p.y, q.y, p.x, q.x
		along, across = h, w
		stepM, stepN = w, 1
		inAfter = q.y < p.y == clockwise
	}
	if m0 > m1 {
		m0, m1, n0, n1 = m1, m0, n1, n0
	}
	if m1 == m0 {
		return
	}
	slope := (n1 - n0) / (m1 - m0)
	for m := int(max(0, math.Ceil(m0-0.5))); float64(m)+0.5 < m1 && m < along; m++ {
		n := n0 + (float64(m)+0.5-m0)*slope
		if !(n > 0 && n < float64(across)) {
			continue
		}
		i := int(n)
		share := n - float64(i) // share of pixel i before the edge
		// before and after are the pixels with their centres on either side.
		before, after := i, i+1
		if share < 0.5 {
			before, after = i-1, i
		}
		if before < 0 || after >= across {
			continue
		}
		in, out := before, after
		if inAfter {
			in, out = after, before
		}
		kIn, kOut := m*stepM+in*stepN, m*stepM+out*stepN
		if c.ids[kIn]&^touched != id || c.ids[kOut]&^touched == id {
			continue
		}
		if c.depth[kOut] > c.depth[kIn]*1.02 {
			continue // something nearer covers the edge
		}
		k := m*stepM + i*stepN
		if c.ids[k]&touched != 0 {
			continue
		}
		c.ids[k] |= touched
		if share < 0.5 {
			c.pixels[k] = mixColours(c.pixels[k], c.pixels[k-stepN], uint32(share*256))
		} else {
			c.pixels[k] = mixColours(c.pixels[k], c.pixels[k+stepN], uint32((1-share)*256))
		}
	}
}

// storeStrip writes the rows of a strip to the planes of the frame.
func (c *canvas) storeStrip(strip, _ int) {
	w := c.view.Width
	top, end := strip*stripRows, min((strip+1)*stripRows, c.view.Height)
	for y := top; y < end; y += 2 {
		p, q := c.pixels[y*w:][:w], c.pixels[(y+1)*w:][:w]
		yp, yq := c.frame.Y[y*w:][:w], c.frame.Y[(y+1)*w:][:w]
		u, v := c.frame.U[y*w/4:][:w/2], c.frame.V[y*w/4:][:w/2]
		for i := range u {
			j := 2 * i
			a, b, d, e := p[j], p[j+1], q[j], q[j+1]
			yp[j], yp[j+1], yq[j], yq[j+1] = byte(a), byte(b), byte(d), byte(e)
			u[i] = byte((a>>8&255 + b>>8&255 + d>>8&255 + e>>8&255 + 2) >> 2)
			v[i] = byte((a>>16 + b>>16 + d>>16 + e>>16 + 2) >> 2)
		}
	}
}
