package pathplan

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// enters reports whether the leg from a to b passes through the inside of cell c.
func enters(a, b Half, c Cell) bool {
	const skin = 1e-6
	low, high := 0.0, 1.0
	for _, axis := range [2][4]float64{
		{float64(a.X), float64(b.X), float64(2*c.I) + skin, float64(2*c.I+2) - skin},
		{float64(a.Y), float64(b.Y), float64(2*c.J) + skin, float64(2*c.J+2) - skin},
	} {
		from, to, near, far := axis[0], axis[1], axis[2], axis[3]
		if from == to {
			if from < near || from > far {
				return false
			}
			continue
		}
		t, u := (near-from)/(to-from), (far-from)/(to-from)
		low, high = max(low, min(t, u)), min(high, max(t, u))
	}
	return low < high
}

// isCorner reports whether p is a corner of the lattice next to an obstacle.
func isCorner(f *Field, p Half) bool {
	if p.X%2 != 0 || p.Y%2 != 0 {
		return false
	}
	i, j := p.X/2, p.Y/2
	return !f.IsFree(Cell{i, j}) || !f.IsFree(Cell{i - 1, j}) || !f.IsFree(Cell{i, j - 1}) || !f.IsFree(Cell{i - 1, j - 1})
}

func TestATautPathTurnsOnlyAtCornersRunsIntoNothingAndIsNoLonger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(2, 80).Draw(t, "width"), rapid.IntRange(2, 20).Draw(t, "height")
		density := rapid.IntRange(0, 4).Draw(t, "density")
		cells := rapid.SliceOfN(rapid.IntRange(0, 9), width*height, width*height).Draw(t, "cells")
		field := NewField(width, height, func(c Cell) bool { return cells[c.J*width+c.I] >= density })
		cell := func(name string) Cell {
			return Cell{rapid.IntRange(0, width-1).Draw(t, name+" i"), rapid.IntRange(0, height-1).Draw(t, name+" j")}
		}
		from, to := cell("from"), cell("to")
		search := NewSearcher(field)
		path, length, ok := search.FindOctile(nil, from, to)
		if !ok {
			return
		}
		taut := search.PullTaut(nil, path)
		if taut[0] != MiddleOf(from) || taut[len(taut)-1] != MiddleOf(to) {
			t.Fatalf("%v does not lead from %v to %v", taut, from, to)
		}
		if got := LengthOf(taut); got > length+1e-9 || got < math.Hypot(float64(to.I-from.I), float64(to.J-from.J))-1e-9 {
			t.Fatalf("the taut path is %v long, the path %v", got, length)
		}
		for n := 1; n < len(taut); n++ {
			if n < len(taut)-1 && !isCorner(field, taut[n]) {
				t.Fatalf("%v turns at %v, where there is nothing", taut, taut[n])
			}
			for j := range height {
				for i := range width {
					if c := (Cell{i, j}); !field.IsFree(c) && enters(taut[n-1], taut[n], c) {
						t.Fatalf("%v runs into %v between %v and %v", taut, c, taut[n-1], taut[n])
					}
				}
			}
		}
	})
}

func TestATautPathRoundAWallIsTheKnownOne(t *testing.T) {
	// A wall in column 5 from the bottom up to row 7.
	field := NewField(11, 11, func(c Cell) bool { return c.I != 5 || c.J > 7 })
	search := NewSearcher(field)
	path, _, ok := search.FindOctile(nil, Cell{0, 0}, Cell{10, 0})
	if !ok {
		t.Fatal("there is no path")
	}
	want := []Half{{1, 1}, {10, 16}, {12, 16}, {21, 1}}
	if got := search.PullTaut(nil, path); !slices.Equal(got, want) {
		t.Errorf("the taut path is %v, want %v", got, want)
	}
}

func TestAPathInTheOpenBecomesAStraightLine(t *testing.T) {
	field := NewField(300, 200, func(Cell) bool { return true })
	search := NewSearcher(field)
	path, _, _ := search.FindOctile(nil, Cell{3, 5}, Cell{290, 61})
	if got := search.PullTaut(nil, path); len(got) != 2 || math.Abs(LengthOf(got)-math.Hypot(287, 56)) > 1e-9 {
		t.Errorf("the taut path is %v", got)
	}
}

func TestTheCornersOfARowAreThoseBetweenTwoColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 200).Draw(t, "width"), rapid.IntRange(1, 4).Draw(t, "height")
		solid := map[Cell]bool{}
		for range rapid.IntRange(0, 6).Draw(t, "obstacles") {
			solid[Cell{rapid.IntRange(0, width-1).Draw(t, "i"), rapid.IntRange(0, height-1).Draw(t, "j")}] = true
		}
		f := NewField(width, height, func(c Cell) bool { return !solid[c] })
		j := rapid.IntRange(0, height).Draw(t, "row")
		left, right := rapid.IntRange(-3, width+3).Draw(t, "left"), rapid.IntRange(-3, width+3).Draw(t, "right")
		var want []int
		for i := max(left, 0); i <= min(right, width); i++ {
			if isCorner(f, Half{2 * i, 2 * j}) {
				want = append(want, i)
			}
		}
		first, last, ok := f.cornersInRow(j, left, right)
		if ok != (len(want) > 0) || ok && (first != want[0] || last != want[len(want)-1]) {
			t.Fatalf("from column %d to %d, %v; want %v", first, last, ok, want)
		}
	})
}
