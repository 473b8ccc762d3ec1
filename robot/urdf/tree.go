package urdf

import (
	"fmt"
	"slices"
	"strings"

	"mybot/robot"
)

// noteSkipped adds a note for each kind of tag that no reader used, with the line of the
// first one.
func (r *reader) noteSkipped(root *element) {
	type place struct{ count, line int }
	places, order := map[string]*place{}, []string{}
	var walk func(path string, e *element)
	walk = func(path string, e *element) {
		for _, c := range e.children {
			at := path + "/" + clip(c.name)
			switch {
			case c.taken:
				walk(at, c)
			case places[at] != nil:
				places[at].count++
			default:
				places[at] = &place{1, c.line}
				order = append(order, at)
			}
		}
	}
	walk("robot", root)
	for _, at := range order {
		if p := places[at]; p.count == 1 {
			r.note("skipped: %s in line %d", at, p.line)
		} else {
			r.note("skipped: %s, %d times, first in line %d", at, p.count, p.line)
		}
	}
}

// hangOnBaseLink checks that the links form a tree and renames its root to base_link.
func (r *reader) hangOnBaseLink() {
	roots := []string{}
	for _, l := range r.Links {
		if l.Parent == "" {
			roots = append(roots, l.Name)
		}
	}
	fault := func(format string, args ...any) { r.faults = append(r.faults, fmt.Errorf(format, args...)) }
	switch {
	case len(r.Links) == 0:
		fault("it has no <link>; a robot has at least one")
		return
	case len(roots) == 0:
		fault("every link has a parent, so they go in a circle; one must have none")
		return
	case len(roots) > 1:
		fault("%d links have no parent: %s; a robot has one outermost link, so the others need a joint whose child they are", len(roots), clip(strings.Join(roots, ", ")))
		return
	}
	for _, l := range r.Links {
		name := l.Name
		for range r.Links {
			if up := r.findLink(l.Parent); up != nil {
				l = *up
			}
		}
		if l.Name != roots[0] {
			fault("link %q hangs in a circle of joints and not on %q", clip(name), clip(roots[0]))
		}
	}
	if root := roots[0]; root != robot.BaseLinkName {
		if r.findLink(robot.BaseLinkName) != nil {
			other := "base"
			for r.findLink(other) != nil {
				other += "_"
			}
			r.rename(robot.BaseLinkName, other)
		}
		r.rename(root, robot.BaseLinkName)
	}
}

// rename renames a link and adds a note.
func (r *reader) rename(from, to string) {
	r.note("link %q is called %q in the description", clip(from), clip(to))
	for i := range r.Links {
		if r.Links[i].Name == from {
			r.Links[i].Name = to
		}
		if r.Links[i].Parent == from {
			r.Links[i].Parent = to
		}
	}
	for i := range r.Joints {
		if r.Joints[i].Link == from {
			r.Joints[i].Link = to
		}
	}
	for _, names := range [][]string{r.Hidden, r.wheels} {
		if i := slices.Index(names, from); i >= 0 {
			names[i] = to
		}
	}
	r.shaped[to] = r.shaped[from]
}

// takeFrames replaces links that are fixed, carry no other link and have no shape by named
// frames.
func (r *reader) takeFrames() {
	isMoved := func(name string) bool {
		return slices.ContainsFunc(r.Joints, func(j robot.Joint) bool { return j.Link == name })
	}
	carries := map[string]bool{}
	for _, l := range r.Links {
		carries[l.Parent] = true
	}
	links := r.Links[:0:0]
	for _, l := range r.Links {
		if l.Parent == "" || carries[l.Name] || len(l.Shapes) > 0 || r.shaped[l.Name] || isMoved(l.Name) || len(r.Frames) == robot.MaxFrames {
			links = append(links, l)
			continue
		}
		r.Frames = append(r.Frames, robot.NamedFrame{Name: l.Name, Link: l.Parent, Origin: l.Origin})
	}
	r.Links = links
}
