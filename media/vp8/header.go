package vp8

// A branch is one step down a tree of modes.
type branch struct {
	node int
	bit  bool
}

// submodePath is the encoding of each 4 x 4 mode (RFC 6386, section 11.2).
var submodePath = [submodes][]branch{
	modeMean:      {{0, false}},
	modeSlope:     {{0, true}, {1, false}},
	modeAbove:     {{0, true}, {1, true}, {2, false}},
	modeLeft:      {{0, true}, {1, true}, {2, true}, {3, false}, {4, false}},
	modeRightDown: {{0, true}, {1, true}, {2, true}, {3, false}, {4, true}, {5, false}},
	modeDownRight: {{0, true}, {1, true}, {2, true}, {3, false}, {4, true}, {5, true}},
	modeLeftDown:  {{0, true}, {1, true}, {2, true}, {3, true}, {6, false}},
	modeDownLeft:  {{0, true}, {1, true}, {2, true}, {3, true}, {6, true}, {7, false}},
	modeRightUp:   {{0, true}, {1, true}, {2, true}, {3, true}, {6, true}, {7, true}, {8, false}},
	modeLeftUp:    {{0, true}, {1, true}, {2, true}, {3, true}, {6, true}, {7, true}, {8, true}},
}

// plainSubmodeProbs apply to all frames except key frames.
var plainSubmodeProbs = [9]uint8{120, 90, 79, 133, 87, 85, 80, 111, 151}

// Probabilities of the parts of a motion vector, vertical and horizontal, and that
// these do not change (RFC 6386, section 17.2).
var (
	motionPartProbs = [2][19]uint8{
		{162, 128, 225, 146, 172, 147, 214, 39, 156, 128, 129, 132, 75, 145, 178, 206, 239, 254, 254},
		{164, 128, 204, 170, 119, 235, 140, 230, 228, 128, 130, 130, 74, 148, 180, 203, 236, 254, 254},
	}
	motionUpdateProbs = [2][19]uint8{
		{237, 246, 253, 253, 254, 254, 254, 254, 254, 254, 254, 254, 254, 254, 250, 250, 252, 254, 254},
		{231, 243, 245, 253, 254, 254, 254, 254, 254, 254, 254, 254, 254, 254, 251, 251, 254, 254, 254},
	}
)

// writeFrame writes the encoded frame into out (RFC 6386, section 9).
func (e *Encoder) writeFrame(level int) {
	h := &e.header
	h.reset()
	if e.key {
		h.putLiteral(0, 2) // default colour space and clamping
	}
	h.putFlag(false) // no segments
	h.putFlag(true)  // the simple filter
	h.putLiteral(level, 6)
	h.putLiteral(0, 3) // sharpness
	h.putFlag(false)   // no filter adjustments for some blocks
	h.putLiteral(0, 2) // one partition of tokens
	h.putLiteral(e.index, 7)
	h.putLiteral(0, 5) // all kinds of blocks use this index
	if e.key {
		h.putFlag(true) // the probabilities also apply to later frames
	} else {
		h.putLiteral(0, 2) // the golden frame stays, and the alternative one
		h.putLiteral(0, 4) // and none is copied to them
		h.putLiteral(0, 2) // signs of their vectors
		h.putLiteral(3, 2) // the probabilities stay, and this is the last frame
	}
	e.coders[0].tally.add(&e.coders[1].tally)
	e.updateProbs(h, &e.coders[0].tally)
	e.writeBlocks(h)
	first := h.finish()
	b := &e.body
	b.reset()
	for i := range e.rowTokens {
		b.writeTokens(e.rowTokens[i], &e.probs)
	}
	tag := 1<<4 | len(first)<<5 // visible
	if !e.key {
		tag |= 1
	}
	e.out = append(e.out[:0], byte(tag), byte(tag>>8), byte(tag>>16))
	if e.key {
		e.out = append(e.out, 0x9d, 0x01, 0x2a, byte(e.width), byte(e.width>>8), byte(e.height), byte(e.height>>8))
	}
	e.out = append(append(e.out, first...), b.finish()...)
}

// updateProbs writes the token probabilities that are worth changing for these
// counts.
func (e *Encoder) updateProbs(h *boolWriter, count *tally) {
	for i := range e.probs {
		old, stays := int(e.probs[i]), tokenUpdateProbs[i]
		zeros, ones := int(count[i][0]), int(count[i][1])
		p := old
		if n := zeros + ones; n > 0 {
			p = max(1, min(255, (zeros*256+n/2)/n))
		}
		price := func(p int) int { return zeros*int(e.bits[p]) + ones*int(e.bits[256-p]) }
		change := 8*256 + int(e.bits[256-int(stays)]) - int(e.bits[stays])
		if p == old || price(p)+change >= price(old) {
			h.putBit(false, stays)
			continue
		}
		h.putBit(true, stays)
		h.putLiteral(p, 8)
		e.probs[i] = uint8(p)
	}
}

// writeBlocks writes the predictions of the macroblocks.
func (e *Encoder) writeBlocks(h *boolWriter) {
	all, full, intra := e.columns*e.rows, 0, 0
	for row := range e.rows {
		for column := range e.columns {
			b := e.blockAt(column, row)
			if !b.empty {
				full++
			}
			if !b.inter {
				intra++
			}
		}
	}
	fullProb := uint8(max(1, min(255, full*256/all)))
	intraProb := uint8(max(1, min(255, intra*256/all)))
	h.putFlag(true) // empty blocks are marked
	h.putLiteral(int(fullProb), 8)
	if !e.key {
		h.putLiteral(int(intraProb), 8)
		h.putLiteral(255, 8) // all refer to the previous frame
		h.putLiteral(128, 8)
		h.putLiteral(0, 2) // probabilities of intra modes stay
		for i := range motionUpdateProbs {
			for _, p := range motionUpdateProbs[i] {
				h.putBit(false, p)
			}
		}
	}
	for row := range e.rows {
		for column := range e.columns {
			b := e.blockAt(column, row)
			h.putBit(b.empty, fullProb)
			if !e.key {
				h.putBit(b.inter, intraProb)
			}
			switch {
			case b.inter:
				h.writeMotion(b)
			case e.key:
				e.writeKeyModes(h, b, column, row)
			default:
				h.writeModes(b)
			}
		}
	}
}

// writeMotion writes the motion vector of a block.
func (w *boolWriter) writeMotion(b *block) {
	w.putBit(false, 255) // the previous frame
	for i := range b.motion {
		w.putBit(true, b.context[i])
	}
	w.putBit(false, b.context[b.motion])
	if b.motion == motionNew {
		w.writePart(int(b.v.y-b.best.y)/2, &motionPartProbs[0])
		w.writePart(int(b.v.x-b.best.x)/2, &motionPartProbs[1])
	}
}

// writePart writes one half of a vector, in quarters of a pixel.
func (w *boolWriter) writePart(v int, p *[19]uint8) {
	const (
		long  = 0
		sign  = 1
		short = 2
		bits  = 9
	)
	a := max(v, -v)
	if a < 8 {
		w.putBit(false, p[long])
		b2, b1, b0 := a>>2, a>>1&1, a&1
		w.putBit(b2 == 1, p[short])
		w.putBit(b1 == 1, p[short+1+3*b2])
		w.putBit(b0 == 1, p[short+2+3*b2+b1])
		if a == 0 {
			return
		}
	} else {
		w.putBit(true, p[long])
		for i := range 3 {
			w.putBit(a>>i&1 == 1, p[bits+i])
		}
		for i := 9; i > 3; i-- {
			w.putBit(a>>i&1 == 1, p[bits+i])
		}
		if a > 15 { // otherwise bit 3 is implied
			w.putBit(a>>3&1 == 1, p[bits+3])
		}
	}
	w.putBit(v < 0, p[sign])
}

// writeKeyModes writes the modes of a block in a key frame.
func (e *Encoder) writeKeyModes(h *boolWriter, b *block, column, row int) {
	h.putBit(b.mode != modeBlocks, 145)
	if b.mode == modeBlocks {
		aboveBlock, leftBlock := e.blockAt(column, row-1), e.blockAt(column-1, row)
		for i, mode := range b.submodes {
			above, left := aboveBlock.submode(12+i&3), leftBlock.submode(i|3)
			if i >= 4 {
				above = b.submodes[i-4]
			}
			if i&3 > 0 {
				left = b.submodes[i-1]
			}
			h.writeSubmode(mode, &submodeProbs[above][left])
		}
	} else {
		h.putBit(b.mode == modeLeft || b.mode == modeSlope, 156)
		switch b.mode {
		case modeMean, modeAbove:
			h.putBit(b.mode == modeAbove, 163)
		default:
			h.putBit(b.mode == modeSlope, 128)
		}
	}
	h.writeChroma(b.chroma, &[3]uint8{142, 114, 183})
}

// writeModes writes the modes of an intra block in another frame.
func (w *boolWriter) writeModes(b *block) {
	w.putBit(b.mode != modeMean, 112)
	switch b.mode {
	case modeAbove, modeLeft:
		w.putBit(false, 86)
		w.putBit(b.mode == modeLeft, 140)
	case modeSlope, modeBlocks:
		w.putBit(true, 86)
		w.putBit(b.mode == modeBlocks, 37)
	}
	if b.mode == modeBlocks {
		for _, mode := range b.submodes {
			w.writeSubmode(mode, &plainSubmodeProbs)
		}
	}
	w.writeChroma(b.chroma, &[3]uint8{162, 101, 204})
}

func (w *boolWriter) writeSubmode(mode uint8, probs *[9]uint8) {
	for _, s := range submodePath[mode] {
		w.putBit(s.bit, probs[s.node])
	}
}

func (w *boolWriter) writeChroma(mode uint8, probs *[3]uint8) {
	w.putBit(mode != modeMean, probs[0])
	if mode == modeMean {
		return
	}
	w.putBit(mode != modeAbove, probs[1])
	if mode != modeAbove {
		w.putBit(mode == modeSlope, probs[2])
	}
}
