package vp8

// A plane is one of the three parts of a picture: luma or a chroma plane.
type plane struct {
	width, height int
	stride        int // from one row to the next
	border        int // pixels around the picture that belong to it
	origin        int // index of the top left pixel
	pix           []byte
}

// A picture is three planes, with chroma at half the width and height.
type picture struct{ y, u, v plane }

// Motion vectors reach at most reach pixels beyond the picture, so with the six
// pixels of the filter a block stays within these borders.
const (
	lumaBorder   = 48
	chromaBorder = 32
)

// newPicture returns a picture of whole macroblocks with borders.
func newPicture(columns, rows int) *picture {
	return &picture{
		y: newPlane(16*columns, 16*rows, lumaBorder),
		u: newPlane(8*columns, 8*rows, chromaBorder),
		v: newPlane(8*columns, 8*rows, chromaBorder),
	}
}

func newPlane(width, height, border int) plane {
	stride := width + 2*border
	return plane{
		width: width, height: height, stride: stride, border: border,
		origin: border*stride + border,
		pix:    make([]byte, stride*(height+2*border)+16),
	}
}

// at returns the index of a pixel.
func (p *plane) at(x, y int) int { return p.origin + y*p.stride + x }

// copyIn copies a picture of width x height, which may be smaller, and repeats its
// last column and row up to the size of the plane.
func (p *plane) copyIn(src []byte, width, height int) {
	for y := range p.height {
		row := p.pix[p.at(0, y):][:p.width]
		copy(row, src[min(y, height-1)*width:][:width])
		for x := width; x < p.width; x++ {
			row[x] = row[width-1]
		}
	}
}

// copyOut copies the first pixels of as many rows as fit into dst.
func (p *plane) copyOut(dst []byte, width int) {
	for y := 0; len(dst) > 0; y++ {
		copy(dst[:width], p.pix[p.at(0, y):])
		dst = dst[width:]
	}
}

// frameBorder sets the border to what intra prediction expects: 127 above, 129 to
// the left (RFC 6386, section 12.2).
func (p *plane) frameBorder() {
	above := p.pix[p.at(-1, -1):][:p.width+5]
	for i := range above {
		above[i] = 127
	}
	for y := range p.height {
		p.pix[p.at(-1, y)] = 129
	}
}

// extendBorder repeats the outermost pixels in the border, where motion vectors may
// point.
func (p *plane) extendBorder() {
	for y := range p.height {
		row := p.pix[p.at(-p.border, y):][:p.stride]
		left, right := row[:p.border], row[p.border+p.width:]
		first, last := row[p.border], row[p.border+p.width-1]
		for i := range left {
			left[i] = first
		}
		for i := range right {
			right[i] = last
		}
	}
	first := p.pix[p.at(-p.border, 0):][:p.stride]
	last := p.pix[p.at(-p.border, p.height-1):][:p.stride]
	for y := 1; y <= p.border; y++ {
		copy(p.pix[p.at(-p.border, -y):], first)
		copy(p.pix[p.at(-p.border, p.height-1+y):], last)
	}
}

func (p *picture) frameBorders() {
	p.y.frameBorder()
	p.u.frameBorder()
	p.v.frameBorder()
}

func (p *picture) extendBorders() {
	p.y.extendBorder()
	p.u.extendBorder()
	p.v.extendBorder()
}
