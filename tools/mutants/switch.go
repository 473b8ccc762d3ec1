package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// chosen is the variable that selects the mutant of a switched source, and chosenEnv the
// environment variable that sets it.
const (
	chosen    = "mutantChosen"
	chosenEnv = "MYBOT_MUTANT"
)

// switchFile declares the variable in a package.
func switchFile(pkg string) []byte {
	return fmt.Appendf(nil, `package %s

import (
	"os"
	"strconv"
)

var %s = func() int {
	n, _ := strconv.Atoi(os.Getenv(%q))
	return n
}()
`, pkg, chosen, chosenEnv)
}

// withSwitches returns a source that contains all boolean mutants of a file, so that one build
// serves them all: it behaves like mutant n if the variable is ids[n], and like the source if
// it is 0. ids has the number of a mutant by its index.
func withSwitches(src []byte, found []mutant, ids []int) []byte {
	var places []place
	for i, m := range found {
		if !m.truth {
			continue
		}
		n := slices.IndexFunc(places, func(p place) bool { return p.from == m.from && p.to == m.to })
		if n < 0 {
			n = len(places)
			places = append(places, place{from: m.from, to: m.to})
		}
		places[n].others = append(places[n].others, other{ids[i], m.text})
	}
	// An outer place comes before those inside it.
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	return []byte(renderSwitches(string(src), 0, len(src), places))
}

// A place is a piece of a source with its possible replacements.
type place struct {
	from, to int
	others   []other
}

type other struct {
	id   int
	text string
}

// renderSwitches writes src[from:to] with the switches of the places in it. Only one mutant is
// chosen at a time, so the text inside another mutant is unchanged.
func renderSwitches(src string, from, to int, places []place) string {
	var out strings.Builder
	for len(places) > 0 {
		p := places[0]
		inside := 1
		for inside < len(places) && places[inside].from < p.to {
			inside++
		}
		out.WriteString(src[from:p.from])
		var is, not strings.Builder
		for _, o := range p.others {
			fmt.Fprintf(&is, "%s == %d && (%s) || ", chosen, o.id, o.text)
			fmt.Fprintf(&not, "%s != %d && ", chosen, o.id)
		}
		fmt.Fprintf(&out, "(%s%s(%s))", &is, &not, renderSwitches(src, p.from, p.to, places[1:inside]))
		from, places = p.to, places[inside:]
	}
	out.WriteString(src[from:to])
	return out.String()
}
