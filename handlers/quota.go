package handlers

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"mybot/ratelimit"
	"mybot/session"
)

// A quota shares a number of places among those whom Identity.Sharer tells apart, devices
// or share links, as ratelimit.Shares does. Users at the robot's own computer have no grant
// and count as one device.
type quota struct {
	of   string // what has the places, in the plural
	max  int    // places
	each int    // of one sharer at most; 0 = as many as the others leave it

	mu     sync.Mutex
	taken  int // places
	shares ratelimit.Shares
}

// take takes a place for a sharer until leave is called. If it gets none, leave is nil and
// has is how many it has.
func (q *quota) take(sharer string) (leave func(), has int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	has = q.shares.Count(sharer)
	if has >= cmp.Or(q.each, q.max) || !q.shares.Take(sharer, q.max-q.taken) {
		return nil, has
	}
	q.taken++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.taken--
		q.shares.Return(sharer)
	}, has
}

// count returns how many places are taken.
func (q *quota) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken
}

// refuse says why a user whose device or link has so many places gets no other.
func (q *quota) refuse(id session.Identity, has int) (status int, says string) {
	switch {
	case has == 0:
		return http.StatusServiceUnavailable, fmt.Sprintf("There are %d %s already, the most at a time. Try again when one of them has ended.", q.max, q.of)
	case id.SharesLink():
		return http.StatusTooManyRequests, fmt.Sprintf("Your link has %d %s already; the other places are for others. Try again when one of its own has ended.", has, q.of)
	}
	return http.StatusTooManyRequests, fmt.Sprintf("This device has %d %s already; the other places are for other devices. Try again when one of its own has ended.", has, q.of)
}

// takeFor takes a place for the caller. If there is none it answers that the caller may try
// again after some seconds, and ok is false.
func (q *quota) takeFor(w http.ResponseWriter, r *http.Request, retry int) (leave func(), ok bool) {
	id := callerOf(r).Identity
	leave, has := q.take(id.Sharer())
	if leave == nil {
		w.Header().Set("Retry-After", strconv.Itoa(retry))
		status, says := q.refuse(id, has)
		writeSentence(w, status, says)
	}
	return leave, leave != nil
}
