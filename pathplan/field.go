package pathplan

import "math/bits"

// A Cell is a cell of a field: column I and row J, from 0.
type Cell struct{ I, J int }

// A Field stores which cells of a grid are passable, as bits, both by rows and by
// columns, so that a scan along either axis checks 64 cells at once.
type Field struct {
	Width, Height int
	rows, cols    bitmap
}

// NewField returns the field of a grid of width x height cells. The cells for which
// free returns true are passable.
func NewField(width, height int, free func(Cell) bool) *Field {
	f := &Field{Width: width, Height: height, rows: newBitmap(width, height), cols: newBitmap(height, width)}
	for j := range height {
		for i := range width {
			if free(Cell{i, j}) {
				f.rows.setBit(i, j)
				f.cols.setBit(j, i)
			}
		}
	}
	return f
}

// setFree marks a cell as passable or not.
func (f *Field) setFree(c Cell, free bool) {
	f.rows.setTo(c.I, c.J, free)
	f.cols.setTo(c.J, c.I, free)
}

// IsFree reports whether a cell is passable. Cells outside the field are not.
func (f *Field) IsFree(c Cell) bool {
	return c.I >= 0 && c.J >= 0 && c.I < f.Width && c.J < f.Height && f.rows.getBit(c.I, c.J)
}

// bitmap holds lines of bits. A blocked word before and after each line, and a blocked
// line before the first and after the last, save the bounds checks at the edges.
type bitmap struct {
	stride int // words per line
	words  []uint64
}

func newBitmap(width, height int) bitmap {
	stride := (width+63)/64 + 2
	return bitmap{stride: stride, words: make([]uint64, stride*(height+2))}
}

func (b *bitmap) setBit(x, y int) { b.words[(y+1)*b.stride+1+x>>6] |= 1 << (x & 63) }

func (b *bitmap) setTo(x, y int, v bool) {
	word, bit := &b.words[(y+1)*b.stride+1+x>>6], uint64(1)<<(x&63)
	if *word &^= bit; v {
		*word |= bit
	}
}

// getBit reads bit x of line y. x and y may lie one beyond the edges.
func (b *bitmap) getBit(x, y int) bool {
	x += 64
	return b.words[(y+1)*b.stride+x>>6]>>(x&63)&1 != 0
}

// scanForward scans line y upwards from x, excluding x, and returns the first cell where
// a path may turn: the goal (goal < 0 = not on this line) or a cell beside which an
// obstacle ends. ok is false if an obstacle on the line comes first.
func (b *bitmap) scanForward(x, y, goal int) (at int, ok bool) {
	line := (y + 1) * b.stride
	cur, up, down := b.words[line:line+b.stride], b.words[line+b.stride:line+2*b.stride], b.words[line-b.stride:line]
	x += 64
	mask := ^uint64(0) << (x & 63) << 1
	for k := x >> 6; ; k++ {
		turn := up[k]&^(up[k]<<1|up[k-1]>>63) | down[k]&^(down[k]<<1|down[k-1]>>63)
		events := (turn | ^cur[k]) & mask
		if goal >= 0 && (goal+64)>>6 == k {
			events |= 1 << (goal & 63) & mask
		}
		if events != 0 {
			n := bits.TrailingZeros64(events)
			return k<<6 + n - 64, cur[k]>>n&1 != 0
		}
		mask = ^uint64(0)
	}
}

// scanBackward is scanForward towards smaller x.
func (b *bitmap) scanBackward(x, y, goal int) (at int, ok bool) {
	line := (y + 1) * b.stride
	cur, up, down := b.words[line:line+b.stride], b.words[line+b.stride:line+2*b.stride], b.words[line-b.stride:line]
	x += 64
	mask := uint64(1)<<(x&63) - 1
	for k := x >> 6; ; k-- {
		turn := up[k]&^(up[k]>>1|up[k+1]<<63) | down[k]&^(down[k]>>1|down[k+1]<<63)
		events := (turn | ^cur[k]) & mask
		if goal >= 0 && (goal+64)>>6 == k {
			events |= 1 << (goal & 63) & mask
		}
		if events != 0 {
			n := 63 - bits.LeadingZeros64(events)
			return k<<6 + n - 64, cur[k]>>n&1 != 0
		}
		mask = ^uint64(0)
	}
}
