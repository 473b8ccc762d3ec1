package session

import "time"

// handle executes what waits in the user's inbox.
func (u *User) handle(h *Hub, now time.Time) { h.serveUser(u, now) }

func (g grantRevoked) handle(h *Hub, now time.Time) {
	h.coordinator.refuseWaiting(string(g))
	h.coordinator.holdScriptsOf(string(g))
	h.coordinator.revokeAbsent(string(g), now)
}

func (m savedMap) handle(h *Hub, now time.Time) { h.coordinator.handleSavedMap(m, now) }

func (n nameRequest) handle(h *Hub, now time.Time) { h.coordinator.finishRename(n, now) }

func (s motionRequest) handle(h *Hub, now time.Time) { h.coordinator.finishMotionRequest(s, now) }

func (m prepareRequest) handle(h *Hub, now time.Time) { h.coordinator.finishPrepare(m, now) }

func (jobsChanged) handle(h *Hub, _ time.Time) {
	if c := &h.coordinator; c.jobs != nil {
		c.broadcast(c.encodeJobs())
	}
}
