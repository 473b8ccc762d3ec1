package vp8

// A block is an encoded macroblock of 16 x 16 pixels.
type block struct {
	inter    bool // predicted from the previous frame
	empty    bool // no coefficients
	mode     uint8
	chroma   uint8 // intra mode of the chroma
	submodes [16]uint8

	motion  uint8 // how v is encoded
	v       vector
	best    vector   // the vector that v is encoded relative to
	context [4]uint8 // probabilities for the encoding of v
}

// How a motion vector is encoded: as zero, as that of a neighbour, or in full.
const (
	motionZero = iota
	motionNearest
	motionNear
	motionNew
)

// blockAt returns the block at a position; -1 is the border.
func (e *Encoder) blockAt(column, row int) *block {
	return &e.blocks[(row+1)*(e.columns+1)+column+1]
}

// motionProbs are the probabilities of the encodings of a motion vector by the
// counts of neighbours (RFC 6386, section 18.3).
var motionProbs = [6][4]uint8{
	{7, 1, 1, 143},
	{14, 18, 14, 107},
	{135, 64, 57, 68},
	{60, 56, 128, 65},
	{159, 134, 128, 34},
	{234, 188, 128, 28},
}

// findNeighbours finds the motion vectors near a block, as a decoder does, and sets
// the vector that b's is encoded relative to.
func (e *Encoder) findNeighbours(b *block, column, row int) (nearest, near vector) {
	var found [4]vector
	var count [4]int
	n := 0
	for i, other := range [3]*block{e.blockAt(column, row-1), e.blockAt(column-1, row), e.blockAt(column-1, row-1)} {
		if !other.inter {
			continue
		}
		weight := 2
		if i == 2 {
			weight = 1
		}
		if other.v == (vector{}) {
			count[0] += weight
			continue
		}
		if other.v != found[n] {
			n++
			found[n] = other.v
		}
		count[n] += weight
	}
	if count[3] > 0 && found[n] == found[1] {
		count[1]++
	}
	count[3] = 0
	if count[2] > count[1] {
		count[1], count[2] = count[2], count[1]
		found[1], found[2] = found[2], found[1]
	}
	if count[1] >= count[0] {
		found[0] = found[1]
	}
	for i := range b.context {
		b.context[i] = motionProbs[count[i]][i]
	}
	b.best = e.clampVector(found[0], column, row)
	return e.clampVector(found[1], column, row), e.clampVector(found[2], column, row)
}

// clampVector clamps a motion vector so that the block ends at most 16 pixels
// outside.
func (e *Encoder) clampVector(v vector, column, row int) vector {
	hold := func(v int16, at, n int) int16 {
		return int16(max(-128*(at+1), min(128*(n-at), int(v))))
	}
	return vector{hold(v.x, column, e.columns), hold(v.y, row, e.rows)}
}
