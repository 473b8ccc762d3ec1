package session

// credit is how many states may be on the way to one page. It keeps the
// kernel's buffers from hiding minutes of old states on a slow line.
const credit = 8

// A window holds the numbers of the states that one page has not
// acknowledged, oldest first.
type window struct {
	flying [credit]uint64
	n      int
}

// room tells whether another state may be sent.
func (w *window) room() bool { return w.n < credit }

// sent notes that state n is on the way; the caller asked room first.
func (w *window) sent(n uint64) {
	w.flying[w.n] = n
	w.n++
}

// acked notes that the page has drawn state n: it and those before it have
// arrived. A number that is not on the way changes nothing by itself. It tells
// whether there were any.
func (w *window) acked(n uint64) bool {
	gone := 0
	for gone < w.n && w.flying[gone] <= n {
		gone++
	}
	w.n = copy(w.flying[:], w.flying[gone:w.n])
	return gone > 0
}
