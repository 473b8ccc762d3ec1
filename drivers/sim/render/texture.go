package render

import (
	"math"
	"math/bits"
)

// A texture is a repeating picture in all sizes down to one texel, independently in
// each direction (a ripmap): surfaces at a flat angle are blurred in one direction
// only, and thin lines fade with distance instead of flickering.
type texture struct {
	logS, logT int // its size is 1 << logS by 1 << logT texels
	levels     [][]texels
	fine       bool // it is interpolated between texels
}

// texels is one size of a texture.
type texels struct {
	texels         []uint32
	maskS, maskT   uint32
	shiftS, shiftT uint32
	row            uint32 // log of the row length
}

// newTexture paints a texture of s by t texels, powers of two.
func newTexture(s, t int, at func(i, j int) uint32) *texture {
	x := &texture{logS: bits.Len(uint(s)) - 1, logT: bits.Len(uint(t)) - 1}
	x.levels = make([][]texels, x.logS+1)
	for i := range x.levels {
		x.levels[i] = make([]texels, x.logT+1)
		for j := range x.levels[i] {
			l := &x.levels[i][j]
			w, h := s>>i, t>>j
			*l = texels{
				texels: make([]uint32, w*h), maskS: uint32(w - 1), maskT: uint32(h - 1),
				shiftS: uint32(16 + i), shiftT: uint32(16 + j), row: uint32(x.logS - i),
			}
			for n := range l.texels {
				u, v := n%w, n/w
				switch {
				case i > 0:
					from := x.levels[i-1][j].texels
					l.texels[n] = mixColours(from[v*2*w+2*u], from[v*2*w+2*u+1], 128)
				case j > 0:
					from := x.levels[i][j-1].texels
					l.texels[n] = mixColours(from[2*v*w+u], from[(2*v+1)*w+u], 128)
				default:
					l.texels[n] = at(u, v)
				}
			}
		}
	}
	return x
}

// plainTexture returns a texture of one colour.
func plainTexture(colour uint32) *texture {
	return newTexture(1, 1, func(int, int) uint32 { return colour })
}

// makeSmooth sets fine.
func (x *texture) makeSmooth() *texture {
	x.fine = true
	return x
}

// interpolate returns the colour at (s, t), in texels of the full size with 16
// fractional bits, mixed from the four texels around it.
func (l *texels) interpolate(s, t int32) uint32 {
	shiftS, shiftT, row := l.shiftS&31, l.shiftT&31, l.row&31 // redundant, but faster
	a, b := uint32(s)-1<<((shiftS-1)&31), uint32(t)-1<<((shiftT-1)&31)
	i, j := a>>shiftS, b>>shiftT
	u, v := a>>((shiftS-8)&31)&255, b>>((shiftT-8)&31)&255
	low, high := int(j&l.maskT)<<row, int((j+1)&l.maskT)<<row
	left, right := int(i&l.maskS), int((i+1)&l.maskS)
	return mixColours(mixColours(l.texels[low|left], l.texels[low|right], u), mixColours(l.texels[high|left], l.texels[high|right], u), v)
}

// levelFor returns the size of the texture for pixels that cover ss by tt texels.
func (x *texture) levelFor(ss, tt float64) *texels {
	return &x.levels[texelsFor(ss, x.logS)][texelsFor(tt, x.logT)]
}

// texelsFor returns the log of the reduction of a texture for a pixel that covers
// this many texels: slightly sharper than one texel per pixel.
func texelsFor(covered float64, most int) int {
	if !(covered > 1) {
		return 0
	}
	return min(most, bits.Len(uint(min(covered*0.75, 1<<20))))
}

// valueNoise returns smooth value noise, from 0 to 1, on a square that repeats
// after n texels; the coarsest grain is grain texels wide, and each octave is half
// as wide and half as strong.
func valueNoise(n, grain, octaves int, seed uint32) func(i, j int) float64 {
	type octave struct {
		grain, cells int
		values       []float64 // at the corners of the grains
		eased        []float64 // interpolation weights between corners
	}
	var all []octave
	weight, total := 1.0, 0.0
	for o := range octaves {
		g := max(1, grain>>o)
		x := octave{grain: g, cells: n / g, eased: make([]float64, g)}
		for k := range x.cells * x.cells {
			x.values = append(x.values, weight*hashToUnit(uint32(k%x.cells), uint32(k/x.cells), seed+uint32(o)))
		}
		for k := range x.eased {
			x.eased[k] = smoothStep(float64(k) / float64(g))
		}
		all = append(all, x)
		total += weight
		weight /= 2
	}
	return func(i, j int) float64 {
		sum := 0.0
		for k := range all {
			o := &all[k]
			u, v := i/o.grain%o.cells, j/o.grain%o.cells
			fu, fv := o.eased[i%o.grain], o.eased[j%o.grain]
			p, q := v*o.cells, (v+1)%o.cells*o.cells
			r := (u + 1) % o.cells
			low := o.values[p+u] + fu*(o.values[p+r]-o.values[p+u])
			high := o.values[q+u] + fu*(o.values[q+r]-o.values[q+u])
			sum += low + fv*(high-low)
		}
		return sum / total
	}
}

func smoothStep(x float64) float64 { return x * x * (3 - 2*x) }

// hashToUnit hashes three numbers to a number from 0 to 1.
func hashToUnit(a, b, c uint32) float64 {
	h := a*374761393 + b*668265263 + c*2246822519 + 3266489917
	h = (h ^ h>>15) * 2246822519
	h = (h ^ h>>13) * 3266489917
	return float64(h^h>>16) / (1 << 32)
}

// An rgb is a colour with components from 0 to 1.
type rgb [3]float64

// hexColour converts 0xrrggbb to a colour.
func hexColour(c uint32) rgb {
	return rgb{float64(c>>16) / 255, float64(c>>8&255) / 255, float64(c&255) / 255}
}

func (c rgb) scaled(k float64) rgb { return rgb{c[0] * k, c[1] * k, c[2] * k} }

func (c rgb) blended(o rgb, k float64) rgb {
	return rgb{c[0] + k*(o[0]-c[0]), c[1] + k*(o[1]-c[1]), c[2] + k*(o[2]-c[2])}
}

func (c rgb) packed() uint32 { return packColour(c[0], c[1], c[2]) }

// Sizes of textures in texels, and of texels in m.
const (
	tileTexels   = 512
	tileTexel    = 1.2 / tileTexels // two tiles of 0.6 m
	cloudTexels  = 128
	cloudTexel   = 1.2 / cloudTexels
	panelTexels  = 128
	panelTexel   = 0.6 / panelTexels
	woodTexels   = 256
	woodTexel    = 1.0 / woodTexels
	shelfTexels  = 256
	shelfTexel   = 1.2 / shelfTexels
	glassTexels  = 64
	maskTexels   = 64
	signTexels   = 64   // wide, half as many high
	signWidth    = 0.28 // m
	carpetTexels = 128
	carpetTexel  = 0.5 / carpetTexels
)

// tileTexture returns a floor of square stone tiles with joints.
func tileTexture(c rgb) *texture {
	cloud, grain := valueNoise(tileTexels, 64, 4, 1), valueNoise(tileTexels, 4, 1, 2)
	return newTexture(tileTexels, tileTexels, func(i, j int) uint32 {
		const side = tileTexels / 2
		a, b := i/side, j/side
		k := 0.90 + 0.06*hashToUnit(uint32(a), uint32(b), 3) + 0.11*(cloud((i+a*37)%tileTexels, (j+b*61)%tileTexels)-0.5) + 0.05*(grain(i, j)-0.5)
		edge := min(i%side, j%side, side-1-i%side, side-1-j%side)
		switch edge {
		case 0:
			k *= 0.64
		case 1:
			k *= 0.80
		case 2, 3:
			k *= 1.02
		}
		return c.scaled(k).packed()
	})
}

// carpetTexture returns a carpet of short threads.
func carpetTexture(c rgb) *texture {
	cloud, thread := valueNoise(carpetTexels, 32, 2, 11), valueNoise(carpetTexels, 2, 1, 12)
	return newTexture(carpetTexels, carpetTexels, func(i, j int) uint32 {
		return c.scaled(0.86 + 0.12*cloud(i, j) + 0.22*(thread(i, j)-0.5)).packed()
	})
}

// boardTexture returns a floor of wooden boards.
func boardTexture(c rgb) *texture {
	grain := valueNoise(woodTexels, 16, 3, 21)
	return newTexture(woodTexels*2, woodTexels, func(i, j int) uint32 {
		const broad = woodTexels / 8
		b := j / broad
		i = (i + b*151) % (2 * woodTexels)
		k := 0.84 + 0.14*hashToUnit(uint32(b), uint32(i/woodTexels), 22) + 0.12*(grain(i/8%woodTexels, (j*3+b*40)%woodTexels)-0.5)
		if j%broad == 0 || i%woodTexels < 2 {
			k *= 0.66
		}
		return c.scaled(k).packed()
	})
}

// plasterTexture returns a slightly uneven wall or ceiling.
func plasterTexture(c rgb) *texture {
	cloud, grain := valueNoise(cloudTexels, 32, 3, 31), valueNoise(cloudTexels, 2, 1, 32)
	return newTexture(cloudTexels, cloudTexels, func(i, j int) uint32 {
		return c.scaled(0.955 + 0.05*(cloud(i, j)-0.5) + 0.025*(grain(i, j)-0.5)).packed()
	})
}

// panelTexture returns a ceiling of square panels in a grid of rails.
func panelTexture(c rgb) *texture {
	grain := valueNoise(panelTexels, 4, 2, 41)
	return newTexture(panelTexels, panelTexels, func(i, j int) uint32 {
		k := 0.97 + 0.06*(grain(i, j)-0.5)
		switch edge := min(i, j, panelTexels-1-i, panelTexels-1-j); {
		case edge < 2:
			k = 1.04
		case edge < 3:
			k = 0.80
		}
		return c.scaled(k).packed()
	})
}

// woodTexture returns wood with its grain along t.
func woodTexture(c rgb) *texture {
	grain, cloud := valueNoise(woodTexels, 32, 4, 51), valueNoise(woodTexels, 128, 2, 52)
	return newTexture(woodTexels, woodTexels, func(i, j int) uint32 {
		ring := math.Sin(2 * math.Pi * (4*float64(i)/woodTexels + 0.8*cloud(i, j/2)))
		return c.scaled(0.93 + 0.05*ring*cloud(j/2, i) + 0.10*(grain(i, j/8)-0.5)).packed()
	})
}

// bookTexture returns books on boards, three shelves per texture.
func bookTexture(board rgb) *texture {
	colours := []rgb{hexColour(0x7a3b34), hexColour(0x34506b), hexColour(0x3f6152), hexColour(0xb59a63), hexColour(0x574a66), hexColour(0xa8a294), hexColour(0x2f3b46), hexColour(0x8c5a36)}
	return newTexture(shelfTexels, shelfTexels, func(i, j int) uint32 {
		const shelf = shelfTexels / 4
		up := j % shelf
		if up < 5 {
			return board.packed()
		}
		row := uint32(j / shelf)
		book, left := uint32(0), 0
		for width := 0; ; book++ {
			width = 6 + int(8*hashToUnit(book, row, 61))
			if left+width > i || left+width >= shelfTexels {
				break
			}
			left += width
		}
		tall := 36 + int(18*hashToUnit(book, row, 62))
		if up > 5+tall {
			return board.scaled(0.32).packed()
		}
		c := colours[int(hashToUnit(book, row, 63)*float64(len(colours)))]
		k := 0.95
		if i-left < 1 {
			k = 0.55
		}
		if d := up - 5 - tall*3/4; d >= 0 && d < 3 {
			c = c.blended(rgb{0.9, 0.85, 0.7}, 0.5)
		}
		return c.scaled(k).packed()
	})
}

// leafTexture returns the foliage of a plant.
func leafTexture() *texture {
	const n = 128
	a, b := valueNoise(n, 16, 2, 71), valueNoise(n, 8, 3, 72)
	return newTexture(n, n, func(i, j int) uint32 {
		k := a(i, j)
		return hexColour(0x21402a).blended(hexColour(0x6da05c), smoothStep(max(0, min(1, 1.7*k-0.45)))).scaled(0.75 + 0.35*b(i, j)).packed()
	})
}

// daylightTexture returns the view through a window: the sky, and trees far below.
func daylightTexture() *texture {
	tree := valueNoise(glassTexels, 16, 4, 81)
	return newTexture(glassTexels, glassTexels, func(i, j int) uint32 {
		h := float64(j) / glassTexels
		c := hexColour(0xf3f8fd).blended(hexColour(0xd5e7fa), h)
		if edge := 0.13 + 0.16*tree(i, 0); h < edge {
			c = hexColour(0xa9bfae).blended(hexColour(0xc9d8cf), tree(i, j)).blended(hexColour(0xf3f8fd), 0.35)
		}
		return c.packed()
	})
}

// discMask returns a mask that is dense at the centre and fades to its rim.
func discMask() *texture {
	return newTexture(maskTexels, maskTexels, func(i, j int) uint32 {
		const half = maskTexels / 2
		r := math.Hypot(float64(i)+0.5-half, float64(j)+0.5-half) / half
		return clampByte(255 * smoothStep(max(0, min(1, 1.12*(1-r)))))
	})
}

// paneMask returns a mask of a rectangle with soft borders.
func paneMask() *texture {
	return newTexture(maskTexels, maskTexels, func(i, j int) uint32 {
		edge := func(i int) float64 { return smoothStep(min(1, float64(min(i, maskTexels-1-i))/10)) }
		return clampByte(255 * edge(i) * edge(j))
	})
}

// signDigits is the largest number of digits on a plate.
const signDigits = 4

// plateTexture returns a door plate with a number, light on dark.
func plateTexture(number string) *texture {
	// Three columns and five rows per digit, from the top.
	figures := [10]string{
		"###|# #|# #|# #|###", " # |## | # | # |###", "###|  #|###|#  |###", "###|  #|###|  #|###", "# #|# #|###|  #|  #",
		"###|#  |###|  #|###", "###|#  |###|# #|###", "###|  #|  #| # | # ", "###|# #|###|# #|###", "###|# #|###|  #|###",
	}
	const dot = 4
	left := (signTexels - dot*(4*len(number)-1)) / 2
	const top = (signTexels/2 + 5*dot) / 2
	return newTexture(signTexels, signTexels/2, func(i, j int) uint32 {
		column, row := i-left, top-1-j
		if column >= 0 && row >= 0 && column/dot/4 < len(number) && row/dot < 5 && column/dot%4 < 3 &&
			figures[number[column/dot/4]-'0'][row/dot*4+column/dot%4] == '#' {
			return hexColour(0xf2f5f7).packed()
		}
		return hexColour(0x2f4a5c).packed()
	}).makeSmooth()
}
