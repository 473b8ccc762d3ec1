package script

import (
	"maps"
	"slices"
)

// A UnitStatus describes what runs in a unit.
type UnitStatus struct {
	Name     string
	IsScript bool // false = a connection
	Held     bool // its motion is held
	Tags     []TagStatus

	Waits      int  // commands of a connection that wait for the end of the one before them
	WaitsSince Time // when the first of them arrived
}

// A TagStatus describes what runs under a tag.
type TagStatus struct {
	Name       string
	Frozen     bool
	Blocked    bool
	Statements int // running under it
	// Until is when the first wait, motion or timeout under it ends, or the next turn of an
	// every begins; 0 = that is not known.
	Until Time
}

// Changes returns a number that grows whenever Units may have changed.
func (m *Machine) Changes() uint64 { return m.changes }

// Units returns the units in the order of their start, with their tags by name. Tags that
// are frozen or blocked, and under which nothing runs, are those of the first unit.
func (m *Machine) Units() []UnitStatus {
	all := make([]UnitStatus, 0, len(m.order))
	known := map[string]bool{}
	for _, u := range m.order {
		running := map[string]*TagStatus{}
		m.walkUnit(u, func(r runner) bool {
			if st := r.state(); st.counted {
				st.scope.tags.count(running, endOf(r))
			}
			return true
		})
		s := UnitStatus{Name: u.name, IsScript: !u.root.isConnection, Held: u.held}
		if q := u.root; q.isConnection && q.current != nil && q.next < len(q.items) {
			s.Waits, s.WaitsSince = len(q.items)-q.next, q.items[q.next].arrived
		}
		for _, name := range slices.Sorted(maps.Keys(running)) {
			known[name] = true
			t := running[name]
			t.Frozen, t.Blocked = m.isFrozen(name), m.blocked[name]
			s.Tags = append(s.Tags, *t)
		}
		all = append(all, s)
	}
	if len(all) > 0 {
		all[0].Tags = append(all[0].Tags, m.idleTags(known)...)
	}
	return all
}

// idleTags returns the frozen and blocked tags that are not known.
func (m *Machine) idleTags(known map[string]bool) (tags []TagStatus) {
	names := map[string]bool{}
	for name := range m.blocked {
		names[name] = true
	}
	for _, f := range m.frozen {
		if f.link == nil {
			names[f.name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !known[name] {
			tags = append(tags, TagStatus{Name: name, Frozen: m.isFrozen(name), Blocked: m.blocked[name]})
		}
	}
	return tags
}

// endOf returns when a statement ends by itself, or an every begins its next turn; 0 = that
// is not known, or its clock stands.
func endOf(r runner) Time {
	if r.state().frozen > 0 {
		return 0
	}
	end := Time(0)
	switch r := r.(type) {
	case *waiter:
		end = r.until
	case *limited:
		end = r.until
	case *everyRunner:
		if r.body == nil {
			end = r.due
		}
	case *motion:
		if r.moving && !r.arrived {
			end = r.end()
		}
	}
	if end >= never {
		return 0
	}
	return end
}

// count adds a statement that ends at a time to each of the tags.
func (t *tagLink) count(running map[string]*TagStatus, until Time) {
	for l := t; l != nil; l = l.outer {
		isRepeated := false
		for inner := t; inner != l; inner = inner.outer {
			isRepeated = isRepeated || inner.name == l.name
		}
		if l.name == "" || isRepeated {
			continue
		}
		s := running[l.name]
		if s == nil {
			s = &TagStatus{Name: l.name}
			running[l.name] = s
		}
		s.Statements++
		if until > 0 && (s.Until == 0 || until < s.Until) {
			s.Until = until
		}
	}
}

// isFrozen reports whether a tag is frozen, itself or as a part of another one.
func (m *Machine) isFrozen(name string) bool {
	return slices.ContainsFunc(m.frozen, func(f frozenTag) bool { return f.link == nil && isTagOrPart(name, f.name) })
}

// IsUnder reports whether the statement of an Ask runs under a tag or a part of it.
func (m *Machine) IsUnder(ask int, tag string) bool {
	a := m.asking[ask]
	return a != nil && a.scope.tags.under(tag)
}

// Target returns where the motion of a device will end; ok is false if there is none, or no
// single end.
func (m *Machine) Target(name string) (to float64, ok bool) {
	c := m.cells[name]
	if c == nil || len(c.motions) == 0 || c.blend == mix || c.blend == sum {
		return 0, false
	}
	o := c.motions[0]
	if !o.moving || o.to.kind != number || o.end() == never {
		return 0, false
	}
	return c.clampNumber(o.to.number), true
}

// IsMoving reports whether a motion of a device is in progress that is neither held nor
// frozen; name includes the field, such as headPan.val.
func (m *Machine) IsMoving(name string) bool {
	c := m.cells[name]
	return c != nil && slices.ContainsFunc(c.motions, func(o *motion) bool { return o.moving && o.frozen == 0 })
}
