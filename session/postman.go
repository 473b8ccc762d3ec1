package session

// postmen is how many goroutines send states without write pumps, and
// minPosted for how many users one of them is worth waking.
const (
	postmen   = 4
	minPosted = 16
)

// runPostman sends states, each by one system call that does not wait, until postings
// is closed. Waking a write pump for each page costs more than the call.
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
