package floorplan

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

// gridOf draws a grid of 1 m cells: # occupied, . free, everything else unknown.
func gridOf(rows ...string) *robot.Grid {
	g := &robot.Grid{Width: len(rows[0]), Height: len(rows), Resolution: 1}
	for j := range rows {
		for _, c := range rows[len(rows)-1-j] {
			g.Cells = append(g.Cells, map[rune]robot.Cell{'#': robot.Occupied, '.': robot.Free}[c])
		}
	}
	return g
}

func tracedLines(t testing.TB, g *robot.Grid) []robot.Segment {
	t.Helper()
	var f faults
	lines := traceLines(g, "map.pgm", &f)
	if err := f.err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestARoomIsFourLines(t *testing.T) {
	lines := tracedLines(t, gridOf(
		"??????????",
		"?########?",
		"?#......#?",
		"?#......#?",
		"?#......#?",
		"?########?",
	))
	want := map[robot.Segment]bool{
		{A: robot.Point{X: 2, Y: 1}, B: robot.Point{X: 2, Y: 4}}: true,
		{A: robot.Point{X: 2, Y: 4}, B: robot.Point{X: 8, Y: 4}}: true,
		{A: robot.Point{X: 8, Y: 4}, B: robot.Point{X: 8, Y: 1}}: true,
		{A: robot.Point{X: 8, Y: 1}, B: robot.Point{X: 2, Y: 1}}: true,
	}
	if len(lines) != 4 {
		t.Fatalf("%v", lines)
	}
	for _, l := range lines {
		if !want[l] && !want[robot.Segment{A: l.B, B: l.A}] {
			t.Errorf("%v is no wall of the room", l)
		}
	}
}

func TestASlantedWallIsNoStaircase(t *testing.T) {
	for _, slope := range []float64{0.1, 0.35, 0.6, 0.8} {
		g := &robot.Grid{Width: 60, Height: 60, Resolution: 0.05, Cells: make([]robot.Cell, 3600)}
		for j := range 60 {
			for i := range 60 {
				g.Cells[j*60+i] = robot.Free
				if float64(j) > 10+slope*float64(i) {
					g.Cells[j*60+i] = robot.Occupied
				}
			}
		}
		if lines := tracedLines(t, g); len(lines) > 3 {
			t.Errorf("slope %g: %d lines: %v", slope, len(lines), lines)
		}
	}
}

func TestAPillarOfOneCellStays(t *testing.T) {
	if lines := tracedLines(t, gridOf("...", ".#.", "...")); len(lines) != 4 {
		t.Errorf("%v", lines)
	}
}

func TestAWallAgainstTheUnknownIsOneLine(t *testing.T) {
	lines := tracedLines(t, gridOf("?????", "#####", "....."))
	if len(lines) != 1 || math.Abs(lines[0].B.X-lines[0].A.X) != 5 || lines[0].A.Y != 1 {
		t.Errorf("%v", lines)
	}
}

func TestTheTracedLinesStayCloseToTheBoundary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 12).Draw(t, "w"), rapid.IntRange(1, 12).Draw(t, "h")
		g := &robot.Grid{Width: w, Height: h, Resolution: 1}
		for _, c := range rapid.SliceOfN(rapid.Uint8Range(0, 2), w*h, w*h).Draw(t, "cells") {
			g.Cells = append(g.Cells, robot.Cell(c))
		}
		var f faults
		lines := traceLines(g, "map.pgm", &f)
		// Every side between occupied and free has a line near its middle.
		for j := range h {
			for i := range w {
				for _, d := range [][2]int{{1, 0}, {0, 1}} {
					if i+d[0] >= w || j+d[1] >= h {
						continue
					}
					a, b := g.Cells[j*w+i], g.Cells[(j+d[1])*w+i+d[0]]
					if a == b || a == robot.Unknown || b == robot.Unknown {
						continue
					}
					middle := robot.Point{X: float64(i) + 0.5 + float64(d[0])/2, Y: float64(j) + 0.5 + float64(d[1])/2}
					nearest := math.Inf(1)
					for _, l := range lines {
						nearest = math.Min(nearest, l.Distance(middle))
					}
					if nearest > 0.5+simplifyWithin+1e-9 {
						t.Fatalf("the side at %v is %g cells from a line", middle, nearest)
					}
				}
			}
		}
	})
}

func TestNoiseIsNotTraced(t *testing.T) {
	const n = 1200
	g := &robot.Grid{Width: n, Height: n, Resolution: 0.05, Cells: make([]robot.Cell, n*n)}
	for k := range g.Cells {
		g.Cells[k] = robot.Cell(1 + (k/n+k%n)%2)
	}
	var f faults
	if lines := traceLines(g, "map.pgm", &f); lines != nil || f.err() == nil || !strings.Contains(f.err().Error(), "map.pgm: has an outline of more than 2097152 cell sides") {
		t.Errorf("%d lines, %v", len(lines), f.err())
	}
}

func TestAGridIsTracedInChains(t *testing.T) {
	grid := robot.Grid{Width: 30, Height: 20, Resolution: 0.1, Cells: make([]robot.Cell, 600)}
	for k := range grid.Cells {
		x, y := k%30, k/30
		grid.Cells[k] = robot.Free
		if x == 10 && y > 4 && y < 15 || y == 14 && x >= 10 && x < 20 {
			grid.Cells[k] = robot.Occupied
		}
	}
	lines, err := TraceGrid(&grid)
	if err != nil || len(lines) != 6 {
		t.Fatalf("%d lines, %v; an L has 6", len(lines), err)
	}
	for i, l := range lines {
		if next := lines[(i+1)%6]; l.B != next.A {
			t.Errorf("line %d ends at %+v; the next begins at %+v", i, l.B, next.A)
		}
	}
}
