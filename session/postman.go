package session

// postmen is how many goroutines send states without write pumps, and minPosted for
// how many users it is worth waking one.
const (
	postmen   = 4
	minPosted = 16
)

// runPostman sends states, each by one non-blocking system call, until postings is
// closed. Waking a write pump for each page would cost more than the call.
func (h *Hub) runPostman() {
	for p := range h.postings {
		sent := uint64(0)
		for _, u := range p.users {
			if u.out.sendDirect(p.frame) {
				sent++
			}
		}
		h.statesSent.Add(sent)
	}
}
