package mapping

const maxLevels = 7 // of a pyramid: blocks of up to 64 cells, 3.2 m

// A pyramid bounds a likelihood field from above: at level k, cell (x, y) is the
// maximum of the 2^k by 2^k cells from (x, y) on (Hess et al. 2016, section V).
// Level 0 is the field itself.
type pyramid struct {
	field  *likelihoodField
	levels [][]uint8
}

func newPyramid(f *likelihoodField) *pyramid {
	return &pyramid{field: f, levels: [][]uint8{f.values}}
}

// grow computes the next level.
func (p *pyramid) grow() {
	was, w, h := p.levels[len(p.levels)-1], p.field.width, p.field.height
	step := 1 << (len(p.levels) - 1)
	level := make([]uint8, len(was))
	for y := range h {
		near, out := was[y*w:][:w], level[y*w:][:w]
		far := near // there is nothing above the last rows
		if y+step < h {
			far = was[(y+step)*w:][:w]
		}
		for x := range max(0, w-step) {
			out[x] = max(near[x], near[x+step], far[x], far[x+step])
		}
		for x := max(0, w-step); x < w; x++ {
			out[x] = max(near[x], far[x])
		}
	}
	p.levels = append(p.levels, level)
}

// bound returns an upper bound of the sum of the field under a scan moved by dx to
// dx + 2^level - 1 and dy to dy + 2^level - 1 cells.
func (p *pyramid) bound(level int, t *turnedScan, dx, dy int) int {
	f := p.field
	if level == 0 {
		return f.sum(t, dx, dy)
	}
	dx, dy = dx-f.x0, dy-f.y0
	values, reach := p.levels[level], -1<<level
	sum, ys := 0, t.y[:len(t.x)]
	for i, cx := range t.x {
		x, y := int(cx)+dx, int(ys[i])+dy
		if x < 0 && x > reach { // the block begins outside the field and extends into it
			x = 0
		}
		if y < 0 && y > reach {
			y = 0
		}
		if uint(x) < uint(f.width) && uint(y) < uint(f.height) {
			sum += int(values[y*f.width+x])
		}
	}
	return sum
}
