package session

// Screen returns what the robot's own screen shows of the users.
func (h *Hub) Screen() Screen {
	if s := h.screen.Load(); s != nil {
		return *s
	}
	return Screen{}
}

// screenNow returns what the robot's own screen shows now.
func (c *coordinator) screenNow() *Screen {
	var s Screen
	if who := c.people.byID(c.lease.Holder); who != nil {
		s.Driver, s.Away = who.name, who.user == nil && !c.lease.InTerm(who.id)
	}
	for _, who := range c.people.row {
		if who.user != nil {
			s.Here++
		}
	}
	return &s
}
