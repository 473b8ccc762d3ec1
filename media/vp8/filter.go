package vp8

// filterLevel returns the level of the loop filter for a quantizer index.
func filterLevel(index int) int { return max(0, min(63, index/5-1)) }

// smoothPicture applies the simple loop filter to a picture (RFC 6386, section
// 15.2), which smooths the block edges of the luma.
func (e *Encoder) smoothPicture(level int) {
	if level == 0 {
		return
	}
	inner := 3 * level
	outer := inner + 4
	p := &e.current.y
	for row := range e.rows {
		for column := range e.columns {
			b := e.blockAt(column, row)
			at := p.at(16*column, 16*row)
			inside := !b.empty || b.mode == modeBlocks
			if column > 0 {
				smoothColumn(p.pix, at, p.stride, outer)
			}
			if inside {
				for i := 4; i < 16; i += 4 {
					smoothColumn(p.pix, at+i, p.stride, inner)
				}
			}
			if row > 0 {
				smoothRow(p.pix, at, p.stride, outer)
			}
			if inside {
				for i := 4; i < 16; i += 4 {
					smoothRow(p.pix, at+i*p.stride, p.stride, inner)
				}
			}
		}
	}
}

// smoothColumn smooths the edge to the left of 16 pixels, one below another.
func smoothColumn(pix []byte, at, stride, limit int) {
	for range 16 {
		p := pix[at-2:][:4]
		p[1], p[2] = smoothEdge(int(p[0]), int(p[1]), int(p[2]), int(p[3]), limit)
		at += stride
	}
}

// smoothRow smooths the edge above 16 pixels, side by side.
func smoothRow(pix []byte, at, stride, limit int) {
	p1, p0 := pix[at-2*stride:][:16], pix[at-stride:][:16]
	q0, q1 := pix[at:][:16], pix[at+stride:][:16]
	for i := range p1 {
		p0[i], q0[i] = smoothEdge(int(p1[i]), int(p0[i]), int(q0[i]), int(q1[i]), limit)
	}
}

// smoothEdge returns the two pixels at an edge, from the four across it.
func smoothEdge(p1, p0, q0, q1, limit int) (p, q byte) {
	if max(p0-q0, q0-p0)*2+max(p1-q1, q1-p1)>>1 > limit {
		return byte(p0), byte(q0)
	}
	a := clampSigned(clampSigned(p1-q1) + 3*(q0-p0))
	return clipPixel(int32(p0 + clampSigned(a+3)>>3)), clipPixel(int32(q0 - clampSigned(a+4)>>3))
}

func clampSigned(v int) int { return max(-128, min(127, v)) }
