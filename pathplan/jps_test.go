package pathplan

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// slowest returns the octile distance from from to every cell, by relaxing until nothing
// changes: the simplest possible search, as a reference.
func slowest(f *Field, from Cell) map[Cell]float64 {
	dist := map[Cell]float64{from: 0}
	for queue := []Cell{from}; len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		for _, s := range steps {
			to := Cell{c.I + s.I, c.J + s.J}
			if !f.IsFree(to) || !f.IsFree(Cell{to.I, c.J}) || !f.IsFree(Cell{c.I, to.J}) {
				continue
			}
			cost := dist[c] + math.Hypot(float64(s.I), float64(s.J))
			if old, known := dist[to]; !known || cost < old-costSlack {
				dist[to] = cost
				queue = append(queue, to)
			}
		}
	}
	return dist
}

func TestAPathIsAsShortAsTheSlowestSearchFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 140).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height")
		density := rapid.IntRange(0, 5).Draw(t, "density")
		cells := rapid.SliceOfN(rapid.IntRange(0, 9), width*height, width*height).Draw(t, "cells")
		field := NewField(width, height, func(c Cell) bool { return cells[c.J*width+c.I] >= density })
		from := Cell{rapid.IntRange(0, width-1).Draw(t, "i"), rapid.IntRange(0, height-1).Draw(t, "j")}
		if !field.IsFree(from) {
			return
		}
		want := slowest(field, from)
		search := NewSearcher(field)
		for range 20 {
			to := Cell{rapid.IntRange(-1, width).Draw(t, "to i"), rapid.IntRange(-1, height).Draw(t, "to j")}
			path, length, ok := search.FindOctile(nil, from, to)
			best, reachable := want[to]
			if ok != reachable || math.Abs(length-best) > 1e-6 {
				t.Fatalf("%v to %v: %v %v, want %v %v", from, to, length, ok, best, reachable)
			}
			if ok {
				walk(t, field, path, from, to, length)
			}
		}
	})
}

// walk checks that the jump points lead from from to to over free cells, and that the path has
// the given length.
func walk(t *rapid.T, f *Field, path []Cell, from, to Cell, length float64) {
	if path[0] != from || path[len(path)-1] != to {
		t.Fatalf("the path %v does not lead from %v to %v", path, from, to)
	}
	walked := 0.0
	for n := 1; n < len(path); n++ {
		c, next := path[n-1], path[n]
		step := Cell{sign(next.I - c.I), sign(next.J - c.J)}
		if step.I != 0 && step.J != 0 && absInt(next.I-c.I) != absInt(next.J-c.J) {
			t.Fatalf("%v to %v is neither straight nor diagonal", c, next)
		}
		for c != next {
			if !f.IsFree(Cell{c.I + step.I, c.J}) || !f.IsFree(Cell{c.I, c.J + step.J}) {
				t.Fatalf("the path %v cuts a corner at %v", path, c)
			}
			c.I, c.J = c.I+step.I, c.J+step.J
			walked += math.Hypot(float64(step.I), float64(step.J))
		}
		if !f.IsFree(next) {
			t.Fatalf("the path %v runs into %v", path, next)
		}
	}
	if math.Abs(walked-length) > 1e-6 {
		t.Fatalf("the path %v is %v long, not %v", path, walked, length)
	}
}

func sign(i int) int {
	switch {
	case i > 0:
		return 1
	case i < 0:
		return -1
	}
	return 0
}

func TestASearchAfterTheFirstAllocatesNothing(t *testing.T) {
	field := NewField(200, 200, func(c Cell) bool { return c.I%7 != 3 || c.J%11 < 4 })
	search := NewSearcher(field)
	path, _, ok := search.FindOctile(nil, Cell{0, 0}, Cell{199, 199})
	if !ok {
		t.Fatal("there is no path")
	}
	if n := testing.AllocsPerRun(10, func() { path, _, _ = search.FindOctile(path[:0], Cell{0, 0}, Cell{199, 199}) }); n != 0 {
		t.Errorf("%v allocations a search, want none", n)
	}
}

func TestCountingRoundForgetsWhatWasThere(t *testing.T) {
	field := NewField(5, 5, func(Cell) bool { return true })
	search := NewSearcher(field)
	search.known.round = math.MaxUint16 - 1
	for n := range 4 {
		if _, length, ok := search.FindOctile(nil, Cell{0, 0}, Cell{4, 4}); !ok || math.Abs(length-4*math.Sqrt2) > 1e-9 {
			t.Fatalf("search %d: %v %v", n, length, ok)
		}
	}
}
