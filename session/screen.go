package session

import (
	"time"

	"mybot/session/lease"
)

// Screen returns what the robot's own screen shows about users.
func (h *Hub) Screen() Screen {
	stored := h.screen.Load()
	if stored == nil {
		return Screen{}
	}
	s := *stored
	if v := h.voice.Load(); v != nil && s.Lent.Voice == "" && v.last != v.holder && h.endsSentence(v, time.Now()) {
		s.Lent.Voice = v.lastName
	}
	return s
}

// screenNow returns what the robot's own screen should show now.
func (c *coordinator) screenNow() *Screen {
	var s Screen
	if who := c.people.byID(c.lease.Holder); who != nil {
		s.Driver, s.Away = who.name, who.user == nil && !c.lease.InTerm(who.id)
	}
	s.Here = c.people.countHere()
	s.Lent = Lent{c.nameOfBorrower(lease.Head), c.nameOfBorrower(lease.Voice), c.nameOfBorrower(lease.Arm)}
	return &s
}

// nameOfBorrower returns the name of a part's borrower; "" = not lent.
func (c *coordinator) nameOfBorrower(part lease.Part) string {
	if who := c.people.byID(c.loans.Of(part).User); who != nil {
		return who.name
	}
	return ""
}
