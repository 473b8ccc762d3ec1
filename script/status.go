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
}

// A TagStatus describes what runs under a tag.
type TagStatus struct {
	Name       string
	Frozen     bool
	Blocked    bool
	Statements int // running under it
}

// Changes returns a number that grows whenever Units may have changed.
func (m *Machine) Changes() uint64 { return m.changes }

// Units returns the units in the order of their start, with their tags by name. Tags that
// are frozen or blocked, and under which nothing runs, are those of the first unit.
func (m *Machine) Units() []UnitStatus {
	all := make([]UnitStatus, 0, len(m.order))
	known := map[string]bool{}
	for _, u := range m.order {
		running := map[string]int{}
		m.walkUnit(u, func(r runner) bool {
			if st := r.state(); st.counted {
				st.scope.tags.count(running)
			}
			return true
		})
		s := UnitStatus{Name: u.name, IsScript: !u.root.isUnit, Held: u.held}
		for _, name := range slices.Sorted(maps.Keys(running)) {
			known[name] = true
			s.Tags = append(s.Tags, TagStatus{Name: name, Frozen: m.isFrozen(name), Blocked: m.blocked[name], Statements: running[name]})
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

// count adds a statement to each of the tags.
func (t *tagLink) count(running map[string]int) {
	for l := t; l != nil; l = l.outer {
		isRepeated := false
		for inner := t; inner != l; inner = inner.outer {
			isRepeated = isRepeated || inner.name == l.name
		}
		if l.name != "" && !isRepeated {
			running[l.name]++
		}
	}
}

// isFrozen reports whether a tag is frozen, itself or as a part of another one.
func (m *Machine) isFrozen(name string) bool {
	return slices.ContainsFunc(m.frozen, func(f frozenTag) bool { return f.link == nil && isTagOrPart(name, f.name) })
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
