package pathplan

// entry is a node of the open list.
type entry struct {
	rank float64 // cost so far plus a lower bound of the rest
	cost float64
	at   int32
}

// comesBefore orders by rank; of equal ranks the entry farther from the start is first.
func (e entry) comesBefore(o entry) bool {
	return e.rank < o.rank || e.rank == o.rank && e.cost > o.cost
}

// heap is a binary heap of entries, the smallest first. container/heap would
// box every entry in an interface.
type heap []entry

func (h *heap) push(e entry) {
	*h = append(*h, e)
	q := *h
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.comesBefore(q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = e
}

func (h *heap) pop() int32 {
	q := *h
	top, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*h = q
	if len(q) == 0 {
		return top.at
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= len(q) {
			break
		}
		if down+1 < len(q) && q[down+1].comesBefore(q[down]) {
			down++
		}
		if !q[down].comesBefore(last) {
			break
		}
		q[i] = q[down]
		i = down
	}
	q[i] = last
	return top.at
}
