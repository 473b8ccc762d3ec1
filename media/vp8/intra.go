package vp8

// The intra modes: the first four for whole macroblocks and their chroma, all for 4
// x 4 blocks.
const (
	modeMean      = iota // the mean of the neighbours
	modeSlope            // left plus above minus the corner
	modeAbove            // the row above
	modeLeft             // the column to the left
	modeRightDown        // the others are directional
	modeDownRight
	modeLeftDown
	modeDownLeft
	modeRightUp
	modeLeftUp
	submodes
	modeBlocks = submodes // a macroblock whose 4 x 4 blocks have modes of their own
)

// predictIntra predicts size x size pixels, 8 or 16, at x, y from the row above
// them and the column to their left.
func (p *plane) predictIntra(dst []byte, stride, x, y, size int, mode uint8) {
	at := p.at(x, y)
	above := p.pix[at-p.stride:][:size]
	left := func(j int) byte { return p.pix[at+j*p.stride-1] }
	switch mode {
	case modeMean:
		v := p.meanOfNeighbours(x, y, size)
		for j := range size {
			fillBytes(dst[j*stride:][:size], v)
		}
	case modeSlope:
		corner := int32(p.pix[at-p.stride-1])
		for j := range size {
			d := int32(left(j)) - corner
			row := dst[j*stride:][:size]
			for i, a := range above {
				row[i] = clipPixel(int32(a) + d)
			}
		}
	case modeAbove:
		for j := range size {
			copy(dst[j*stride:][:size], above)
		}
	case modeLeft:
		for j := range size {
			fillBytes(dst[j*stride:][:size], left(j))
		}
	}
}

// meanOfNeighbours returns the mean of the neighbours inside the picture, 128 if
// there are none.
func (p *plane) meanOfNeighbours(x, y, size int) byte {
	at, sum, n := p.at(x, y), 0, 0
	if y > 0 {
		for _, v := range p.pix[at-p.stride:][:size] {
			sum += int(v)
		}
		n += size
	}
	if x > 0 {
		for j := range size {
			sum += int(p.pix[at+j*p.stride-1])
		}
		n += size
	}
	if n == 0 {
		return 128
	}
	return byte((sum + n/2) / n)
}

func fillBytes(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// An edge is the input of a 4 x 4 prediction: the column to its left from the
// bottom up, the corner, and eight pixels of the row above.
type edge [13]int32

// edge returns the edge of the block at index at, with the last four pixels of the
// row above from index right.
func (p *plane) edge(at, right int) edge {
	var e edge
	for j := range 4 {
		e[j] = int32(p.pix[at+(3-j)*p.stride-1])
	}
	above := p.pix[at-p.stride-1:][:5]
	for i, v := range above {
		e[4+i] = int32(v)
	}
	for i, v := range p.pix[right:][:4] {
		e[9+i] = int32(v)
	}
	return e
}

// two and three return rounded means of neighbours on the edge; three weighs the
// middle one double.
func (e *edge) two(i int) byte { return byte((e[i] + e[i+1] + 1) >> 1) }

func (e *edge) three(i int) byte { return byte((e[i-1] + 2*e[i] + e[i+1] + 2) >> 2) }

// predictMode returns the 4 x 4 pixels predicted by a mode, row by row (RFC 6386,
// section 12.3).
func (e *edge) predictMode(mode uint8) (b [16]byte) {
	switch mode {
	case modeMean:
		sum := int32(4)
		for i := range 4 {
			sum += e[i] + e[5+i]
		}
		fillBytes(b[:], byte(sum>>3))
	case modeSlope:
		for j := range 4 {
			for i := range 4 {
				b[4*j+i] = clipPixel(e[3-j] + e[5+i] - e[4])
			}
		}
	case modeAbove:
		for i := range 16 {
			b[i] = e.three(5 + i&3)
		}
	case modeLeft:
		for j := range 3 {
			fillBytes(b[4*j:][:4], e.three(3-j))
		}
		fillBytes(b[12:], byte((e[1]+3*e[0]+2)>>2))
	case modeRightDown:
		for j := range 4 {
			for i := range 4 {
				b[4*j+i] = e.three(4 - j + i)
			}
		}
	case modeDownRight:
		for i := range 4 {
			b[i], b[4+i] = e.two(4+i), e.three(4+i)
		}
		b[8], b[12] = e.three(3), e.three(2)
		copy(b[9:12], b[0:3])
		copy(b[13:16], b[4:7])
	case modeLeftDown:
		for j := range 4 {
			for i := range 4 {
				b[4*j+i] = e.three(min(6+i+j, 11))
			}
		}
		b[15] = byte((e[11] + 3*e[12] + 2) >> 2)
	case modeDownLeft:
		for i := range 4 {
			b[i], b[4+i] = e.two(5+i), e.three(6+i)
		}
		copy(b[8:11], b[1:4])
		copy(b[12:15], b[5:8])
		b[11], b[15] = e.three(10), e.three(11)
	case modeRightUp:
		for j := range 4 {
			b[4*j], b[4*j+1] = e.two(3-j), e.three(4-j)
		}
		b[2], b[3] = e.three(5), e.three(6)
		for j := 1; j < 4; j++ {
			copy(b[4*j+2:][:2], b[4*j-4:][:2])
		}
	case modeLeftUp:
		last := byte(e[0])
		b = [16]byte{
			e.two(2), e.three(2), e.two(1), e.three(1),
			e.two(1), e.three(1), e.two(0), byte((e[1] + 3*e[0] + 2) >> 2),
			e.two(0), byte((e[1] + 3*e[0] + 2) >> 2), last, last,
			last, last, last, last,
		}
	}
	return b
}
