package session

import "time"

// An event is something that the hub's goroutine handles: a closed set. Events wait
// in one queue and are handled in the order in which they were posted, but for a
// revocation, which comes before all that waits. Not in the queue are stops, which
// do not wait (alarm), and the robot's states, of which only the newest counts
// (Hub.Publish).
//
// Posting never waits. The queue is bounded by who posts: a user is in it once
// until its inbox, which is bounded too, has been taken (and once more when it is
// revoked); orders are at most maxOrders, and one more is refused; the workers post
// a result for each request they were given, of which their channels take only so
// many; jobs that changed are in it once. Saved maps, motions from outside the
// pages and revoked grants come one for each HTTP request of an operator.
type event interface {
	handle(h *Hub, now time.Time)
}

// post has the hub's goroutine handle the event. It never waits.
func (h *Hub) post(e event) {
	h.mu.Lock()
	h.queue = append(h.queue, e)
	h.mu.Unlock()
	h.wakeUp()
}

// takeEvents returns the events that were posted, in order.
func (h *Hub) takeEvents() []event {
	h.mu.Lock()
	defer h.mu.Unlock()
	events := h.queue
	h.queue, h.waitingOrders, h.jobsChanged = nil, 0, false
	return events
}

// handle carries out what waits in the user's inbox.
func (u *User) handle(h *Hub, now time.Time) { h.serveUser(u, now) }

// grantRevoked is the id of a grant that has been revoked.
type grantRevoked string

func (g grantRevoked) handle(h *Hub, now time.Time) { h.coordinator.revokeAbsent(string(g), now) }

func (m savedMap) handle(h *Hub, now time.Time) { h.coordinator.handleSavedMap(m, now) }

func (n nameRequest) handle(h *Hub, now time.Time) { h.coordinator.finishRename(n, now) }

func (s motionRequest) handle(h *Hub, now time.Time) { h.coordinator.finishMotionRequest(s, now) }

func (m prepareRequest) handle(h *Hub, now time.Time) { h.coordinator.finishPrepare(m, now) }

// jobsChanged says that the saved jobs have changed.
type jobsChanged struct{}

func (jobsChanged) handle(h *Hub, _ time.Time) {
	if c := &h.coordinator; c.jobs != nil {
		c.broadcast(c.encodeJobs())
	}
}

func (o order) handle(h *Hub, now time.Time) { h.coordinator.handleOrder(o, now) }
