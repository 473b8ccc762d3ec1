package session

import "time"

// Start returns the zero of the robot's clock on the wire: t2, t3 and the t of
// states count from then.
func (h *Hub) Start() time.Time { return h.start }

// HasControl tells whether the person has control now.
func (h *Hub) HasControl(id Identity) bool {
	browser := h.driver.Load()
	return browser != nil && *browser != "" && *browser == id.Browser
}

// driverBrowser returns the browser of who has control; "" = nobody has.
func (c *crew) driverBrowser() *string {
	browser := ""
	if who := c.people.byID(c.lease.Holder); who != nil {
		browser = who.browser
	}
	return &browser
}
