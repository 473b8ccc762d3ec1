package vp8

import "math"

// A search looks for the position of a macroblock in the previous frame.
type search struct {
	src    []byte // the macroblock
	stride int
	last   *plane
	x, y   int // of the macroblock

	best vector
	off  int // its difference; known while best is in whole pixels
	cost int // difference and price

	// The two newest sub-pixel candidates, and which of them is the best; -1 if
	// best is in whole pixels.
	scratch [2][256]byte
	kept    int
}

// none is the cost of the impossible.
const none = math.MaxInt / 2

// isAllowed reports whether most of the block that v points at is in the picture.
func (s *search) isAllowed(v vector) bool {
	x, y := s.x+int(v.x>>3), s.y+int(v.y>>3)
	return x >= -12 && y >= -12 && x <= s.last.width-4 && y <= s.last.height-4
}

// measureDifference returns the difference of the block at v, in whole pixels.
func (s *search) measureDifference(v vector, enough int) int {
	return sad16(s.src, s.stride, s.last.pix[s.last.at(s.x+int(v.x>>3), s.y+int(v.y>>3)):], s.last.stride, enough)
}

// tryVector adopts v, in whole pixels, if it is better including its price.
func (s *search) tryVector(v vector, price, enough int) (difference int) {
	if !s.isAllowed(v) {
		return none
	}
	d := s.measureDifference(v, enough)
	if d+price < s.cost {
		s.best, s.off, s.cost = v, d, d+price
	}
	return d
}

// tryBetween does the same for any v.
func (s *search) tryBetween(v vector, price int) {
	if v.x&7 == 0 && v.y&7 == 0 || v == s.best || !s.isAllowed(v) {
		return
	}
	i := 1 - max(0, s.kept)
	b := s.scratch[i][:]
	s.last.predictMotion(b, 16, s.x, s.y, v, 16)
	if d := sad16(s.src, s.stride, b, 16, s.cost) + price; d < s.cost {
		s.best, s.cost, s.kept = v, d, i
	}
}

var around = [4]vector{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}

// descendFrom moves to the best neighbour while there is a better one, in ever
// smaller steps, and returns the differences of the four neighbours of the final
// position.
func (s *search) descendFrom(step int16, price int) (beside [4]int) {
	for ; step >= 8; step /= 2 {
		origin, known := -1, 0 // the neighbour it came from, and its difference
		for range 4 {
			center, off, enough := s.best, s.off, s.cost
			if step == 8 {
				enough = none // needed for the parabola
			}
			for i, d := range around {
				if i == origin {
					beside[i] = known
					continue
				}
				beside[i] = s.tryVector(vector{center.x + d.x*step, center.y + d.y*step}, price, enough)
			}
			if s.best == center {
				break
			}
			for i, d := range around {
				if s.best == (vector{center.x + d.x*step, center.y + d.y*step}) {
					origin, known = i^1, off
				}
			}
			if step == 8 {
				beside = [4]int{none, none, none, none}
			}
		}
	}
	return beside
}

// lowestOf returns the minimum of a parabola through three differences one pixel
// apart, in eighths of a pixel from the middle one, rounded to quarters.
func lowestOf(before, middle, after int) int16 {
	curve := before + after - 2*middle
	if curve <= 0 || before == none || after == none {
		return 0
	}
	return int16(math.Round(2*float64(before-after)/float64(curve))) * 2
}

// seekMotion finds the motion of a block and returns its difference.
func (c *coder) seekMotion(b *block, column, row int) int {
	nearest, near := c.findNeighbours(b, column, row)
	s := &c.search
	s.x, s.y = 16*column, 16*row
	s.src, s.stride, s.last = c.source.y.pix[c.source.y.at(s.x, s.y):], c.source.y.stride, &c.last.y
	s.kept = -1
	price := c.price
	still := s.measureDifference(vector{}, none)
	s.best, s.off, s.cost = vector{}, still, still
	if still > 256+6*price {
		s.tryVector(nearest.wholePixels(), price/2, s.cost)
		s.tryVector(near.wholePixels(), price, s.cost)
		s.tryVector(b.best.wholePixels(), price, s.cost)
		at := row*c.columns + column
		s.tryVector(c.before[at].wholePixels(), 2*price, s.cost)
		if column+1 < c.columns {
			s.tryVector(c.before[at+1].wholePixels(), 2*price, s.cost)
		}
		var beside [4]int
		if s.cost > 512+8*price {
			beside = s.descendFrom(64, 2*price)
		} else {
			beside = s.descendFrom(8, price)
		}
		middle := s.off
		s.cost = middle + price
		whole := s.best
		s.tryBetween(whole.plus(vector{lowestOf(beside[2], middle, beside[3]), lowestOf(beside[0], middle, beside[1])}), price)
		for i, v := range [3]vector{nearest, near, b.best} {
			dx, dy := int(v.x-whole.x), int(v.y-whole.y)
			if dx*dx+dy*dy <= 200 {
				s.tryBetween(v, [3]int{0, price / 2, price}[i])
			}
		}
		if s.cost > 512+4*price {
			center := s.best
			for _, d := range around {
				s.tryBetween(vector{center.x + 2*d.x, center.y + 2*d.y}, price)
			}
		}
		if still <= s.cost+price {
			s.best, s.cost, s.kept = vector{}, still, -1
		}
	}
	b.inter, b.v = true, s.best
	switch s.best {
	case vector{}:
		b.motion = motionZero
	case nearest:
		b.motion = motionNearest
	case near:
		b.motion = motionNear
	default:
		b.motion = motionNew
	}
	return s.cost
}
