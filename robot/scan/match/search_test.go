package match

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

// Branch and bound only skips what cannot be best.
func TestASearchFindsWhatLookingEverywhereFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		known, scan := make([]robot.Point, 20), make([]robot.Point, 8)
		for _, points := range [][]robot.Point{known, scan} {
			for i := range points {
				points[i] = robot.Point{X: 0.4 + 0.8*rng.Float64(), Y: 0.4 + 0.8*rng.Float64()}
			}
		}
		f := NewField(0.05, 0.1)
		f.Reserve(robot.Point{}, robot.Point{X: 1.6, Y: 1.6})
		f.Add(robot.Pose{}, known)
		left := func(x, _, _ int) bool { return x < 12 }
		within := rapid.SampledFrom([]float64{0.9, 0.95, 1}).Draw(t, "within")
		s := NewSearch(f, scan, left, 0.1, within)
		for !s.Step(rapid.IntRange(500, 1<<20).Draw(t, "slice")) {
		}
		found := s.Matches()
		// At all positions and headings:
		all := NewSearch(f, scan, nil, 0.1, within)
		best := 0
		for all.next < len(all.turns) {
			all.turnScan()
			for x := range 12 {
				for y := range f.height {
					best = max(best, all.sumMaxima(x, y, 0, -1))
				}
			}
		}
		if want := float64(best) / Full / float64(len(scan)); len(found) == 0 || math.Abs(found[0].Score-want) > 1e-9 {
			t.Fatalf("it found %v; the best score is %v", found, want)
		}
		for _, m := range found {
			if x, _ := f.Cell(m.Pose.Point()); m.Score < within*found[0].Score-0.01 || x >= 12 {
				t.Errorf("it keeps %v", m)
			}
		}
	})
}

func TestARobotIsFoundAnywhereInARoomByOneScan(t *testing.T) {
	f := fieldOf(room)
	for _, at := range []robot.Pose{{X: 1, Y: 1}, {X: 4, Y: 1, Theta: 3}, {X: 2, Y: 3, Theta: -2}, {X: 0.5, Y: 3.5, Theta: 1}} {
		s := NewSearch(f, seen(at, room, 15), nil, 0.5, 0.95)
		for !s.Step(1000) {
		}
		found := s.Matches()
		if len(found) != 1 {
			t.Fatalf("from %v: %v", at, found)
		}
		off := at.Inverse().Compose(found[0].Pose)
		if off.Point().Norm() > 0.06 || math.Abs(off.Theta) > 0.02 || found[0].Score < 0.8 {
			t.Errorf("at %v it is found at %v", at, found[0])
		}
	}
}

func TestPlacesThatLookAlikeAreAllFound(t *testing.T) {
	f := fieldOf(square)
	at := robot.Pose{X: 1, Y: 1.5, Theta: 0.3}
	s := NewSearch(f, seen(at, square, 15), nil, 0.5, 0.95)
	for !s.Step(math.MaxInt) {
	}
	found := s.Matches()
	if len(found) != 4 {
		t.Fatalf("in a square it is found at %v", found)
	}
	for quarter := range 4 {
		turned := robot.Pose{X: 2, Y: 2, Theta: float64(quarter) * math.Pi / 2}.Compose(robot.Pose{X: -1, Y: -0.5, Theta: 0.3})
		if !slices.ContainsFunc(found, func(m Match) bool { return m.Pose.Point().Sub(turned.Point()).Norm() < 0.06 }) {
			t.Errorf("it is not found at %v: %v", turned, found)
		}
	}
	// Positions at which it cannot stand are not found.
	left := func(x, y, _ int) bool { return f.Middle(x, y).X < 2 }
	s = NewSearch(f, seen(at, square, 15), left, 0.5, 0.95)
	for !s.Step(math.MaxInt) {
	}
	if found := s.Matches(); len(found) != 2 {
		t.Errorf("in the left half it is found at %v", found)
	}
}

func TestASearchInSlicesFindsTheSame(t *testing.T) {
	f := fieldOf(square)
	scan := seen(robot.Pose{X: 1, Y: 1.5, Theta: 0.3}, square, 15)
	var whole []Match
	for _, slice := range []int{math.MaxInt, 1, 777, 100000} {
		s := NewSearch(f, scan, nil, 0.5, 0.95)
		steps := 0
		for before := 0; !s.Step(slice); steps++ {
			if most := min(slice, 1<<30) + 4*len(scan)*(f.width>>rootTop+1); s.Work()-before > most {
				t.Fatalf("a slice of %d points took %d", slice, s.Work()-before)
			}
			before = s.Work()
		}
		if slice == math.MaxInt {
			whole = s.Matches()
		} else if !slices.Equal(s.Matches(), whole) {
			t.Errorf("in slices of %d points it finds %v, want %v", slice, s.Matches(), whole)
		}
		if slice == 777 && steps < 10 {
			t.Errorf("it took %d slices of 777 points", steps)
		}
	}
}

func TestASearchOfNothingEnds(t *testing.T) {
	for name, s := range map[string]*Search{
		"no points": NewSearch(fieldOf(room), nil, nil, 0.5, 0.95),
		"no field":  NewSearch(NewField(0.05, 0.1), room, nil, 0.5, 0.95),
		"no fit":    NewSearch(fieldOf(room), seen(robot.Pose{}, hall, 20), nil, 0.9, 0.95),
	} {
		for !s.Step(1 << 20) {
		}
		if found := s.Matches(); len(found) != 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}
