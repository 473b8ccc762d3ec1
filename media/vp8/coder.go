package vp8

// A coder encodes macroblocks: it chooses the prediction of each, transforms and
// quantizes the residual, and reconstructs what a decoder will have.
type coder struct {
	*Encoder
	search search
	tokens tokens
	tally  tally

	left   around9 // of the previous macroblock in the row
	levels [25][16]int16
	ends   [25]int // index after the last non-zero level
	values [25]coefficients
	trial  [256]byte
}

// around9 says which blocks at an edge of a macroblock have levels: four of luma,
// two of each chroma plane, and the means.
type around9 [9]uint8

// Positions of a macroblock's blocks in levels, ends and values: 16 of luma, four
// of each chroma plane, and the means.
const (
	chromaBlocks = 16
	meansBlock   = 24
)

// codeRows encodes every second row, starting at row. The macroblocks above, and to
// the right of those, must be encoded first.
func (c *coder) codeRows(row int) {
	c.tally = tally{}
	c.tokens.count = &c.tally
	for ; row < c.rows; row += len(c.coders) {
		c.left = around9{}
		c.tokens.list = c.rowTokens[row][:0]
		if row > 0 {
			<-c.ready[row-1]
		}
		for column := range c.columns {
			if row > 0 && column%group == 0 && column+group < c.columns {
				<-c.ready[row-1]
			}
			c.codeMacroblock(column, row)
			if column == c.columns-1 {
				c.repeatOverhang(row)
			}
			if row+1 < c.rows && (column%group == group-1 || column == c.columns-1) {
				c.ready[row] <- struct{}{}
			}
		}
		c.rowTokens[row] = c.tokens.list
	}
}

// repeatOverhang repeats the last pixel of a row of macroblocks, for the 4 x 4
// blocks below that use pixels to their right.
func (c *coder) repeatOverhang(row int) {
	p := &c.current.y
	at := p.at(p.width, 16*row+15)
	fillBytes(p.pix[at:][:4], p.pix[at-1])
}

// codeMacroblock encodes one macroblock.
func (c *coder) codeMacroblock(column, row int) {
	b := c.blockAt(column, row)
	*b = block{}
	x, y := 16*column, 16*row
	cost := none
	if !c.key {
		cost = c.seekMotion(b, column, row)
	}
	if c.key || cost > 1500+16*c.price {
		c.chooseIntra(b, column, row, cost)
	}
	c.predictBlock(b, x, y)
	first := 1
	switch {
	case b.mode == modeBlocks:
		first = 0
		c.codeChroma(column, row)
	case b.inter && b.motion == motionZero && cost < 256+2*c.price && c.stillChroma(column, row):
		c.ends = [25]int{}
	default:
		c.codeLuma(x, y)
		c.codeChroma(column, row)
	}
	b.empty = true
	for i, end := range c.ends {
		if i < chromaBlocks && end > first || i >= chromaBlocks && end > 0 {
			b.empty = false
		}
	}
	c.before[row*c.columns+column] = b.v
	c.emitTokens(b, column)
	if !b.empty {
		c.rebuildBlock(b, x, y)
	}
}

// stillChroma reports whether the predicted chroma is good enough.
func (c *coder) stillChroma(column, row int) bool {
	off := 0
	for _, p := range [2][2]*plane{{&c.source.u, &c.current.u}, {&c.source.v, &c.current.v}} {
		off += sad8(p[0].pix[p[0].at(8*column, 8*row):], p[0].stride, p[1].pix[p[1].at(8*column, 8*row):], p[1].stride)
	}
	return off <= 128+int(c.quantizer.chroma.step[1])
}

// predictBlock writes the prediction of a block into the current picture. Those of
// 4 x 4 blocks are already there.
func (c *coder) predictBlock(b *block, x, y int) {
	p := c.current
	dst := p.y.pix[p.y.at(x, y):]
	u, v := p.u.pix[p.u.at(x/2, y/2):], p.v.pix[p.v.at(x/2, y/2):]
	if !b.inter {
		if b.mode != modeBlocks {
			p.y.predictIntra(dst, p.y.stride, x, y, 16, b.mode)
		}
		p.u.predictIntra(u, p.u.stride, x/2, y/2, 8, b.chroma)
		p.v.predictIntra(v, p.v.stride, x/2, y/2, 8, b.chroma)
		return
	}
	if c.search.kept >= 0 {
		for i := range 16 {
			copy(dst[i*p.y.stride:][:16], c.search.scratch[c.search.kept][16*i:][:16])
		}
	} else {
		c.last.y.predictMotion(dst, p.y.stride, x, y, b.v, 16)
	}
	half := b.v.chroma()
	c.last.u.predictMotion(u, p.u.stride, x/2, y/2, half, 8)
	c.last.v.predictMotion(v, p.v.stride, x/2, y/2, half, 8)
}

// codeLuma transforms and quantizes the luma of a macroblock that is
// predicted as a whole.
func (c *coder) codeLuma(x, y int) {
	src, dst := &c.source.y, &c.current.y
	var means [16]int16
	for i := 0; i < 16; i += 2 {
		from, to := src.pix[src.at(x+i&3*4, y+i>>2*4):], dst.pix[dst.at(x+i&3*4, y+i>>2*4):]
		sums, off := blockDifferences(from, src.stride, to, dst.stride)
		for k := range 2 {
			if off[k] <= c.quantizer.luma.flat {
				means[i+k], c.ends[i+k] = meanOf(sums[k]), 0
				continue
			}
			v := &c.values[i+k]
			v.forward(from[4*k:], src.stride, to[4*k:], dst.stride)
			means[i+k] = v[0]
			c.ends[i+k] = c.quantizer.luma.quantize(v, &c.levels[i+k], 1)
		}
	}
	c.values[meansBlock].forwardMeans(&means)
	c.ends[meansBlock] = c.quantizer.means.quantize(&c.values[meansBlock], &c.levels[meansBlock], 0)
}

// codeChroma does the same for both chroma planes.
func (c *coder) codeChroma(column, row int) {
	src, dst := &c.source.u, &c.current.u
	for i := 0; i < 8; i += 2 {
		if i == 4 {
			src, dst = &c.source.v, &c.current.v
		}
		y := 8*row + i>>1&1*4
		from, to := src.pix[src.at(8*column, y):], dst.pix[dst.at(8*column, y):]
		sums, off := blockDifferences(from, src.stride, to, dst.stride)
		for k := range 2 {
			at := chromaBlocks + i + k
			v := &c.values[at]
			if off[k] <= c.quantizer.chroma.flat {
				v[0] = meanOf(sums[k])
				c.ends[at] = c.quantizer.chroma.quantizeMean(v, &c.levels[at])
				continue
			}
			v.forward(from[4*k:], src.stride, to[4*k:], dst.stride)
			c.ends[at] = c.quantizer.chroma.quantize(v, &c.levels[at], 0)
		}
	}
}

// emitTokens adds the tokens of a block.
func (c *coder) emitTokens(b *block, column int) {
	above := &c.above[column]
	if b.empty {
		// A block without means leaves their context unchanged.
		if b.mode == modeBlocks {
			*above, c.left = around9{8: above[8]}, around9{8: c.left[8]}
		} else {
			*above, c.left = around9{}, around9{}
		}
		return
	}
	first, plane := 0, planeLuma
	if b.mode != modeBlocks {
		first, plane = 1, planeLumaRest
		c.putLevels(meansBlock, 0, planeMeans, &above[8], &c.left[8])
	}
	for i := range 16 {
		c.putLevels(i, first, plane, &above[i&3], &c.left[i>>2])
	}
	for i := range 8 {
		c.putLevels(chromaBlocks+i, 0, planeChroma, &above[4+i>>2*2+i&1], &c.left[4+i>>2*2+i>>1&1])
	}
}

func (c *coder) putLevels(i, first, plane int, above, left *uint8) {
	c.tokens.addBlock(&c.levels[i], first, c.ends[i], plane, *above+*left)
	has := uint8(0)
	if c.ends[i] > first {
		has = 1
	}
	*above, *left = has, has
}

// rebuildBlock adds the encoded residual to the prediction.
func (c *coder) rebuildBlock(b *block, x, y int) {
	if b.mode != modeBlocks {
		p := &c.current.y
		var means [16]int16
		c.values[meansBlock].means(&means)
		for i := range 16 {
			dst := p.pix[p.at(x+i&3*4, y+i>>2*4):]
			if c.ends[i] > 1 {
				c.values[i][0] = means[i]
				c.values[i].addTo(dst, p.stride)
			} else {
				addMean(means[i], dst, p.stride)
			}
		}
	}
	p := &c.current.u
	for i := range 8 {
		if i == 4 {
			p = &c.current.v
		}
		c.addBlock(chromaBlocks+i, p.pix[p.at(x/2+i&1*4, y/2+i>>1&1*4):], p.stride)
	}
}

// addBlock adds a block with its mean to dst.
func (c *coder) addBlock(i int, dst []byte, stride int) {
	switch end := c.ends[i]; {
	case end > 1:
		c.values[i].addTo(dst, stride)
	case end == 1:
		addMean(c.values[i][0], dst, stride)
	}
}

// chooseIntra makes a block intra-predicted if that costs less than cost. If it
// uses 4 x 4 blocks, it encodes their luma.
func (c *coder) chooseIntra(b *block, column, row, cost int) {
	x, y := 16*column, 16*row
	src, p := &c.source.y, &c.current.y
	pix := src.pix[src.at(x, y):]
	best, mode := none, uint8(0)
	for m := uint8(modeMean); m <= modeLeft; m++ {
		p.predictIntra(c.trial[:], 16, x, y, 16, m)
		off := sad16(pix, src.stride, c.trial[:], 16, best)
		if m != modeMean {
			off += c.price / 2
		}
		if off < best {
			best, mode = off, m
		}
	}
	if !c.key {
		best += 4 * c.price
	}
	whole := *b
	if best < cost {
		cost = best
		whole = block{mode: mode}
	}
	trial := block{mode: modeBlocks}
	if cost > 512+12*c.price && c.smallBlocks(&trial, column, row, cost) {
		*b = trial
	} else {
		*b = whole
	}
	if !b.inter {
		b.chroma = c.chromaMode(column, row)
	}
}

// chromaMode returns the best intra mode of the chroma.
func (c *coder) chromaMode(column, row int) (mode uint8) {
	x, y := 8*column, 8*row
	best := none
	for m := uint8(modeMean); m <= modeLeft; m++ {
		off := 0
		for _, p := range [2][2]*plane{{&c.source.u, &c.current.u}, {&c.source.v, &c.current.v}} {
			p[1].predictIntra(c.trial[:], 8, x, y, 8, m)
			off += sad8(p[0].pix[p[0].at(x, y):], p[0].stride, c.trial[:], 8)
		}
		if off < best {
			best, mode = off, m
		}
	}
	return mode
}

// smallBlocks encodes the luma of a macroblock in 4 x 4 blocks, each with its best
// mode. It gives up when that costs as much as cost.
func (c *coder) smallBlocks(b *block, column, row, cost int) bool {
	src, p := &c.source.y, &c.current.y
	aboveBlock, leftBlock := c.blockAt(column, row-1), c.blockAt(column-1, row)
	total := 4 * c.price
	corner := p.at(16*column+16, 16*row-1)
	for i := range 16 {
		x, y := 16*column+i&3*4, 16*row+i>>2*4
		at := p.at(x, y)
		right := at - p.stride + 4
		if i&3 == 3 {
			right = corner // for all four rows, because the pixels below are not known yet
		}
		e := p.edge(at, right)
		probs := &plainSubmodeProbs
		if c.key {
			above, left := aboveBlock.submode(12+i&3), leftBlock.submode(i|3)
			if i >= 4 {
				above = b.submodes[i-4]
			}
			if i&3 > 0 {
				left = b.submodes[i-1]
			}
			probs = &submodeProbs[above][left]
		}
		pix := src.pix[src.at(x, y):]
		best, mode, pred := none, uint8(0), [16]byte{}
		for m := range uint8(submodes) {
			trial := e.predictMode(m)
			off := sad4(pix, src.stride, &trial) + c.submodePrice(m, probs)
			if off < best {
				best, mode, pred = off, m, trial
			}
		}
		if total += best; total >= cost {
			return false
		}
		b.submodes[i] = mode
		dst := p.pix[at:]
		for j := range 4 {
			copy(dst[j*p.stride:][:4], pred[4*j:])
		}
		c.values[i].forward(pix, src.stride, dst, p.stride)
		c.ends[i] = c.quantizer.luma.quantize(&c.values[i], &c.levels[i], 0)
		c.addBlock(i, dst, p.stride)
	}
	c.ends[meansBlock] = 0
	return true
}

// submodePrice returns the cost of encoding a mode.
func (c *coder) submodePrice(mode uint8, probs *[9]uint8) int {
	bits := 0
	for _, s := range submodePath[mode] {
		p := int(probs[s.node])
		if s.bit {
			p = 256 - p
		}
		bits += int(c.bits[p])
	}
	return bits * c.price / (8 * 256)
}

// submode returns the mode of a 4 x 4 block, which may follow from that of the
// macroblock.
func (b *block) submode(i int) uint8 {
	if b.mode == modeBlocks {
		return b.submodes[i]
	}
	return b.mode
}

// sad4 returns the sum of absolute differences of 4 x 4 pixels.
func sad4(a []byte, stride int, b *[16]byte) int {
	sum := int32(0)
	for j := range 4 {
		row := a[j*stride:][:4]
		for i, v := range row {
			d := int32(v) - int32(b[4*j+i])
			sum += max(d, -d)
		}
	}
	return int(sum)
}
