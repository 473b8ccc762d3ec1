package script

import "slices"

// A group is a name for several devices and groups.
type group struct{ members []path }

// maxMembers is the largest number of members that one setting of a group can reach.
const maxMembers = 256

func (c *groupCommand) begin(s *scope, at Time) (runner, *Fault) {
	m := s.machine
	name, f := s.resolve(c.path)
	if f != nil {
		return nil, f
	}
	if !c.define {
		g := m.groups[name.text]
		if g == nil {
			return nil, s.unknownGroup(name)
		}
		members := make([]Value, len(g.members))
		for i, p := range g.members {
			members[i] = Text(p.text)
		}
		s.sayValue(at, List(members...))
		return nil, nil
	}
	if s.find(&name) != nil || m.functions[name.text] != nil || m.units[name.text] != nil {
		return nil, s.fault(name.pos, "%s is something else already; choose another name for the group", name.text)
	}
	g := &group{}
	s.unit.work(len(c.members))
	if len(c.members) > maxMembers {
		return nil, s.fault(name.pos, "%s would have %d members; a group has at most %d", name.text, len(c.members), maxMembers)
	}
	for _, p := range c.members {
		if !m.devices[p.text] && m.groups[p.text] == nil {
			return nil, s.unknownGroup(p)
		}
		if !slices.ContainsFunc(g.members, func(q path) bool { return q.text == p.text }) {
			g.members = append(g.members, p)
		}
	}
	if m.groups[name.text] == nil && len(m.groups) >= MaxVariables {
		return nil, s.fault(name.pos, "there are %d groups, which is the most there can be", MaxVariables)
	}
	if n := m.reach(g, map[*group]int{}); n > maxMembers {
		return nil, s.fault(name.pos, "%s would have %d members, with theirs; a group has at most %d", name.text, n, maxMembers)
	}
	for _, p := range g.members {
		if p.text == name.text || m.contains(p.text, name.text) {
			return nil, s.fault(p.pos, "%s contains %s, so it cannot be a member of it", p.text, name.text)
		}
	}
	was := m.groups[name.text]
	m.groups[name.text] = g
	known := map[*group]int{}
	for _, other := range m.groups { // those that contain it have its members, too
		s.unit.work(len(other.members))
		if m.reach(other, known) <= maxMembers {
			continue
		}
		if m.groups[name.text] = was; was == nil {
			delete(m.groups, name.text)
		}
		return nil, s.fault(name.pos, "a group that contains %s would have more than %d members, with theirs", name.text, maxMembers)
	}
	m.names++
	return nil, nil
}

// contains reports whether a group has a member, directly or through another group.
func (m *Machine) contains(name, member string) bool {
	g := m.groups[name]
	if g == nil {
		return false
	}
	return slices.ContainsFunc(g.members, func(p path) bool { return p.text == member || m.contains(p.text, member) })
}

// reach returns the number of members of a group, including those of its groups. It looks
// at each group once: known holds those that it has counted.
func (m *Machine) reach(g *group, known map[*group]int) int {
	n, ok := known[g]
	if !ok {
		n = len(g.members)
		for _, p := range g.members {
			if inner := m.groups[p.text]; inner != nil {
				n += m.reach(inner, known)
			}
		}
		known[g] = n
	}
	return n
}

// unknownGroup returns the fault of a name that is neither a device nor a group.
func (s *scope) unknownGroup(p path) *Fault {
	var known []string
	for d := range s.machine.devices {
		known = append(known, d)
	}
	for g := range s.machine.groups {
		known = append(known, g)
	}
	return s.fault(p.pos, "%s is not known.%s", p.text, s.suggest(p.text, known))
}
