package vp8

// A vector is a motion in eighths of a pixel. Luma uses whole quarters; chroma, at
// half the resolution, uses all eighths.
type vector struct{ x, y int16 }

// chroma returns the chroma motion of a macroblock that moves by v, rounded away
// from zero.
func (v vector) chroma() vector {
	half := func(n int16) int16 {
		if n < 0 {
			return (n - 1) / 2
		}
		return (n + 1) / 2
	}
	return vector{half(v.x), half(v.y)}
}

// wholePixels returns v in whole pixels.
func (v vector) wholePixels() vector { return vector{(v.x + 4) &^ 7, (v.y + 4) &^ 7} }

func (v vector) plus(w vector) vector { return vector{v.x + w.x, v.y + w.y} }

// The filters of RFC 6386, section 18.3, by eighths of a pixel; the second and the
// fifth value are subtracted.
var sixTaps = [8][6]uint64{
	{0, 0, 128, 0, 0, 0},
	{0, 6, 123, 12, 1, 0},
	{2, 11, 108, 36, 8, 1},
	{0, 9, 93, 50, 6, 0},
	{3, 16, 77, 77, 16, 3},
	{0, 6, 50, 93, 9, 0},
	{1, 8, 36, 108, 11, 2},
	{0, 1, 12, 123, 6, 0},
}

// rounding is what a filter adds before it divides by 128: half of that, and 64
// units that lanesToBytes subtracts, so that no lane is negative.
const rounding = (64 + 64*128) * laneOne

// predictMotion copies the block of size x size pixels, 8 or 16, at offset v from
// x, y into dst.
func (p *plane) predictMotion(dst []byte, stride, x, y int, v vector, size int) {
	src := p.pix[p.at(x+int(v.x>>3)-2, y+int(v.y>>3)-2):]
	across, down := v.x&7, v.y&7
	switch {
	case across == 0 && down == 0:
		src = src[2*p.stride+2:]
		for i := range size {
			copy(dst[i*stride:][:size], src[i*p.stride:][:size])
		}
	case down == 0:
		filterAcross(dst, stride, src[2*p.stride:], p.stride, size, size, &sixTaps[across])
	case across == 0:
		filterDown(dst, stride, src[2:], p.stride, size, &sixTaps[down])
	default:
		var between [21 * 16]byte
		filterAcross(between[:], 16, src, p.stride, size, size+5, &sixTaps[across])
		filterDown(dst, stride, between[:], 16, size, &sixTaps[down])
	}
}

// filterAcross filters rows; src begins two pixels to the left of dst.
func filterAcross(dst []byte, dstStride int, src []byte, srcStride, width, height int, taps *[6]uint64) {
	t0, t1, t2, t3, t4, t5 := taps[0], taps[1], taps[2], taps[3], taps[4], taps[5]
	for y := range height {
		for x := 0; x < width; x += 8 {
			s, d := src[y*srcStride+x:][:14], dst[y*dstStride+x:][:8]
			// every second pixel, starting at each of seven
			p0, p1, p2, p3 := loadLanes(s)&laneByte, loadLanes(s[1:])&laneByte, loadLanes(s[2:])&laneByte, loadLanes(s[3:])&laneByte
			p4, p5, p6 := loadLanes(s[4:])&laneByte, loadLanes(s[5:])&laneByte, loadLanes(s[6:])&laneByte
			even := p0*t0 + p2*t2 + p3*t3 + p5*t5 + rounding - p1*t1 - p4*t4
			odd := p1*t0 + p3*t2 + p4*t3 + p6*t5 + rounding - p2*t1 - p5*t4
			even = lanesToBytes(even >> 7 & (0x1ff * laneOne))
			odd = lanesToBytes(odd >> 7 & (0x1ff * laneOne))
			storeLanes(d, even|odd<<8)
		}
	}
}

// filterDown filters columns; src begins two pixels above dst.
func filterDown(dst []byte, dstStride int, src []byte, srcStride, size int, taps *[6]uint64) {
	t0, t1, t2, t3, t4, t5 := taps[0], taps[1], taps[2], taps[3], taps[4], taps[5]
	for y := range size {
		for x := 0; x < size; x += 8 {
			s := src[y*srcStride+x:]
			p0, p1, p2 := loadLanes(s), loadLanes(s[srcStride:]), loadLanes(s[2*srcStride:])
			p3, p4, p5 := loadLanes(s[3*srcStride:]), loadLanes(s[4*srcStride:]), loadLanes(s[5*srcStride:])
			even := (p0&laneByte)*t0 + (p2&laneByte)*t2 + (p3&laneByte)*t3 + (p5&laneByte)*t5 + rounding - (p1&laneByte)*t1 - (p4&laneByte)*t4
			odd := (p0>>8&laneByte)*t0 + (p2>>8&laneByte)*t2 + (p3>>8&laneByte)*t3 + (p5>>8&laneByte)*t5 + rounding - (p1>>8&laneByte)*t1 - (p4>>8&laneByte)*t4
			even = lanesToBytes(even >> 7 & (0x1ff * laneOne))
			odd = lanesToBytes(odd >> 7 & (0x1ff * laneOne))
			storeLanes(dst[y*dstStride+x:], even|odd<<8)
		}
	}
}
