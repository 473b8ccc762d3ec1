package session

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mybot/session/lease"
	"mybot/session/protocol"
)

// A person is the user of one browser, here or away, in one of its tabs. Only the
// hub's goroutine uses it.
type person struct {
	browser       string // identifies the person
	id            int
	name          string
	nextName      string // that is being stored; "" = none
	role          Role
	grant         string    // of the last connection; "" = none was needed
	camera        bool      // may see and hear through the robot, whatever the role
	user          *User     // the connection; nil = away
	leftAt        time.Time // when the last connection ended
	termEnd       time.Time // when the control of a program without a connection ends; zero = it has no such control
	lastHeard     time.Time // when the person's last frame came
	rtt           *float64  // ms, as the page measures it; nil = not known
	planBudget    budget    // for planning paths
	lookBudget    budget    // for turning the head
	jointBudget   budget    // for moving joints
	nameBudget    budget    // for renaming
	controlBudget budget    // for control requests
}

// auditEntry names the person in the audit log: the name in quotes, because users
// choose names freely, then what does not depend on the name.
func (p *person) auditEntry() string { return auditEntry(p.name, p.id, Identity{Grant: p.grant}) }

// auditEntry names who it was in the audit log.
func auditEntry(name string, id int, from Identity) string {
	device := "this computer"
	if from.Grant != "" {
		device = "device " + from.Grant
	}
	if id != 0 {
		device = fmt.Sprintf("%d, %s", id, device)
	}
	if from.Remote != "" {
		device += " at " + from.Remote
	}
	return fmt.Sprintf("%q (%s)", name, device)
}

// mayDrive reports whether the person may have control.
func (p *person) mayDrive() bool { return p.role >= Operator }

// How many people who left are remembered, and for how long.
const (
	maxRemembered = 4096
	rememberedFor = time.Hour
)

// people are in the row in order of connection, and are remembered for a while
// after they left it. Everyone in the row is also in known.
type people struct {
	row     []*person
	standby []*User // tabs whose browser's person is or was in another tab
	known   map[string]*person
	lastID  int
}

// guestName is the name of a person who has not given one.
func guestName(id int) string { return "Guest " + strconv.Itoa(id) }

// byID returns the person with the id in the row; nil = there is none.
func (p *people) byID(id int) *person {
	for _, who := range p.row {
		if who.id == id {
			return who
		}
	}
	return nil
}

// byBrowser returns the person of the browser; nil = it is not known.
func (p *people) byBrowser(browser string) *person { return p.known[browser] }

// personOf returns the person of the connection, who may be in another tab of the
// same browser; nil = there is none.
func (p *people) personOf(u *User) *person {
	switch {
	case u == nil:
		return nil
	case u.onStandby:
		return p.byBrowser(u.identity.Browser)
	}
	return u.person
}

// driverIDs returns the ids of the connected people who may have control, in order.
func (p *people) driverIDs() (ids []int) {
	for _, who := range p.row {
		if who.user != nil && who.mayDrive() {
			ids = append(ids, who.id)
		}
	}
	return ids
}

// enterRow adds the person of the browser to the row, at the end unless the place
// was reserved. again reports whether the person was here before, reserved whether the
// place was.
func (p *people) enterRow(browser string) (who *person, again, reserved bool) {
	who, again = p.known[browser]
	if !again {
		p.lastID++
		who = &person{browser: browser, id: p.lastID, name: guestName(p.lastID)}
		p.known[browser] = who
	}
	if reserved = slices.Contains(p.row, who); !reserved {
		p.row = append(p.row, who)
	}
	return who, again, reserved
}

// isOnlyDriver reports whether no other connected person may have control.
func (p *people) isOnlyDriver(who *person) bool {
	return !slices.ContainsFunc(p.driverIDs(), func(id int) bool { return id != who.id })
}

// removeAbsent removes from the row everyone who has been away for lease.Grace and
// does not have control, and reports whether there was anyone. It forgets people
// who left long ago.
func (p *people) removeAbsent(now time.Time, holder int) bool {
	faded := func(who *person) bool {
		return who.user == nil && who.id != holder && !now.Before(who.leftAt.Add(lease.Grace))
	}
	before := len(p.row)
	p.row = slices.DeleteFunc(p.row, faded)
	if len(p.row) == before {
		return false
	}
	var away []*person
	for _, who := range p.known {
		if faded(who) {
			away = append(away, who)
		}
	}
	slices.SortFunc(away, func(a, b *person) int { return b.leftAt.Compare(a.leftAt) })
	for i, who := range away {
		if i >= maxRemembered || now.Sub(who.leftAt) > rememberedFor {
			delete(p.known, who.browser)
		}
	}
	return true
}

// nextRemoval returns when the next person leaves the row; false = never.
func (p *people) nextRemoval(holder int) (at time.Time, ok bool) {
	for _, who := range p.row {
		if end := who.leftAt.Add(lease.Grace); who.user == nil && who.id != holder && (!ok || end.Before(at)) {
			at, ok = end, true
		}
	}
	return at, ok
}

// wireEntries returns the row as pages show it.
func (p *people) wireEntries(l *lease.Lease) []protocol.Person {
	entries := make([]protocol.Person, len(p.row))
	for i, who := range p.row {
		entries[i] = protocol.Person{
			ID: who.id, Name: who.name, Role: who.role.String(), Order: i + 1,
			Control: l.Has(who.id), Asks: l.Asks(who.id), Here: who.user != nil || l.InTerm(who.id),
		}
		if who.rtt != nil {
			rtt := protocol.Number(*who.rtt)
			entries[i].RTT = &rtt
		}
	}
	return entries
}

// withoutUser returns the connections except u.
func withoutUser(users []*User, u *User) []*User {
	return slices.DeleteFunc(users, func(other *User) bool { return other == u })
}

// countHere returns the number of connected people.
func (p *people) countHere() (n int) {
	for _, who := range p.row {
		if who.user != nil {
			n++
		}
	}
	return n
}
