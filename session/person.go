package session

import (
	"slices"
	"strconv"
	"time"
)

// key is what a person is known again by: the browser's cookie and the tab.
type key struct{ browser, tab string }

// A person is one page's user, here or away. Only the hub's goroutine has it.
type person struct {
	key  key
	id   int
	name string
	user *User     // the connection; nil = away
	gone time.Time // when the last connection went
	last time.Time // when it was heard last
	rtt  *float64  // ms, as the page measures it; nil = not known
}

// Bounds of how many people who left are known again, and for how long.
const (
	mostRemembered = 4096
	remembered     = time.Hour
)

// People are in the row in order of connection, and known again for a while
// after they left it.
type people struct {
	row    []*person
	known  map[key]*person
	lastID int
}

// guest is the name of a person who has not given one.
func guest(id int) string { return "Guest " + strconv.Itoa(id) }

// find returns the person with the id in the row; nil = nobody.
func (p *people) find(id int) *person {
	for _, who := range p.row {
		if who.id == id {
			return who
		}
	}
	return nil
}

// enter puts the person with the key in the row, at its end unless the place
// was kept. again tells whether the person was here before, kept whether the
// place was kept.
func (p *people) enter(k key) (who *person, again, kept bool) {
	who, again = p.known[k]
	if !again {
		p.lastID++
		who = &person{key: k, id: p.lastID, name: guest(p.lastID)}
		p.known[k] = who
	}
	if kept = slices.Contains(p.row, who); !kept {
		p.row = append(p.row, who)
	}
	return who, again, kept
}

// alone tells whether nobody but this person is connected.
func (p *people) alone(who *person) bool {
	return !slices.ContainsFunc(p.row, func(other *person) bool { return other != who && other.user != nil })
}

// fade takes those out of the row who have been away for Grace, and tells
// whether there were any. People who left long ago are forgotten.
func (p *people) fade(now time.Time) bool {
	faded := func(who *person) bool { return who.user == nil && !now.Before(who.gone.Add(Grace)) }
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
	slices.SortFunc(away, func(a, b *person) int { return b.gone.Compare(a.gone) })
	for i, who := range away {
		if i >= mostRemembered || now.Sub(who.gone) > remembered {
			delete(p.known, who.key)
		}
	}
	return true
}

// fadesAt returns when the next one leaves the row; false = nobody is away.
func (p *people) fadesAt() (at time.Time, ok bool) {
	for _, who := range p.row {
		if end := who.gone.Add(Grace); who.user == nil && (!ok || end.Before(at)) {
			at, ok = end, true
		}
	}
	return at, ok
}

// entries returns the row as pages show it. holder has control.
func (p *people) entries(holder int) []personEntry {
	entries := make([]personEntry, len(p.row))
	for i, who := range p.row {
		entries[i] = personEntry{ID: who.id, Name: who.name, Order: i + 1, Control: who.id == holder, Here: who.user != nil}
		if who.rtt != nil {
			rtt := number(*who.rtt)
			entries[i].RTT = &rtt
		}
	}
	return entries
}
