package session

// maxUnacknowledged is how many states may be in flight to one page. It keeps
// kernel buffers from hiding minutes of old states on a slow link.
const maxUnacknowledged = 8

// A creditWindow holds the numbers of the states that one page has not
// acknowledged, oldest first.
type creditWindow struct {
	unacknowledged [maxUnacknowledged]uint64
	n              int
}

// hasCredit reports whether another state may be sent.
func (w *creditWindow) hasCredit() bool { return w.n < maxUnacknowledged }

// noteSent notes that state n is in flight; hasCredit must have been true.
func (w *creditWindow) noteSent(n uint64) {
	w.unacknowledged[w.n] = n
	w.n++
}

// acknowledgeState notes that the page has drawn state n: it and all earlier ones
// have arrived. A number that is not in flight has no effect of its own. It reports
// whether it removed any.
func (w *creditWindow) acknowledgeState(n uint64) bool {
	gone := 0
	for gone < w.n && w.unacknowledged[gone] <= n {
		gone++
	}
	w.n = copy(w.unacknowledged[:], w.unacknowledged[gone:w.n])
	return gone > 0
}
