package session

import (
	"encoding/json"
	"time"

	"mybot/session/protocol"
)

// A savedMap is a map that a user saved, as the page has it.
type savedMap struct {
	by    Identity
	event []byte
}

// MapSaved informs all users, including those who join later, that the person has
// saved another map: its via points, edges and places, in the JSON of the page's
// floor plan. It never waits.
func (h *Hub) MapSaved(by Identity, via, edges, places json.RawMessage) {
	event := protocol.Encode(protocol.MapEvent{Via: via, Edges: edges, Places: places})
	h.post(savedMap{by, event})
}

// handleSavedMap sends the map that was saved to all users.
func (c *coordinator) handleSavedMap(m savedMap, now time.Time) {
	c.lastMapEvent = m.event
	c.broadcast(m.event)
	who, name := c.people.byBrowser(m.by.Browser), m.by.displayName()
	if who != nil {
		name = who.name
	}
	c.logEvent(protocol.IconMap, name+" saved the map.", now)
	c.auditPerson(now, "settings", who, name+" saved the map.")
}
