package obstacle

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

// TestTheFieldIsTheDistanceToTheNearestPoint compares the field with the distances to all
// points.
func TestTheFieldIsTheDistanceToTheNearestPoint(t *testing.T) {
	var r raster
	var f field
	rapid.Check(t, func(t *rapid.T) {
		luck := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "luck"), 1))
		within := func(half float64) robot.Point {
			return r.middle.Add(robot.Point{X: half * (2*luck.Float64() - 1), Y: half * (2*luck.Float64() - 1)})
		}
		r.drop(func(*point) bool { return true })
		r.middle = robot.Point{}
		r.middle = within(30)
		for range rapid.IntRange(0, 60).Draw(t, "points") {
			r.put(point{at: within(3.9), kind: kind(luck.IntN(int(kinds))), sure: luck.IntN(8) > 0})
		}
		f.build(&r)
		for range 50 {
			p, want := within(3.8), math.Inf(1)
			for n := range r.points {
				if q := &r.points[n]; q.sure && q.kind != moving {
					want = math.Min(want, q.at.Sub(p).Norm())
				}
			}
			if got := f.at(p); got > want+0.04 || got < want-0.04 {
				t.Fatalf("at %v it is %.3f m to the nearest of %d points, the field says %.3f", p, want, len(r.points), got)
			}
		}
		if far := f.at(r.middle.Add(robot.Point{X: 4.1})); !math.IsInf(far, 1) {
			t.Fatalf("beyond the window the field says %.2f m", far)
		}
	})
}

// TestARasterKeepsOnePointForEachCell compares the index with the points after random puts and
// drops.
func TestARasterKeepsOnePointForEachCell(t *testing.T) {
	r := &raster{}
	rapid.Check(t, func(t *rapid.T) {
		luck := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "luck"), 1))
		r.drop(func(*point) bool { return true })
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			p := robot.Point{X: 7.8 * (luck.Float64() - 0.5), Y: 7.8 * (luck.Float64() - 0.5)}
			if luck.IntN(6) == 0 {
				r.drop(func(q *point) bool { return q.at.Sub(p).Norm() < 1 })
			} else {
				r.put(point{at: p, kind: kind(luck.IntN(int(kinds))), sure: true})
			}
		}
		used := 0
		for slot, n := range r.cells {
			if n == 0 {
				continue
			}
			if used++; int(n) > len(r.points) || slotOf(cellOf(r.points[n-1].at)) != slot {
				t.Fatalf("slot %d leads to point %d of %d", slot, n, len(r.points))
			}
		}
		if used != len(r.points) {
			t.Fatalf("%d slots for %d points", used, len(r.points))
		}
	})
}

func TestInOneCellTheBetterKnownPointStays(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, then kind
		want        kind
	}{
		{"what a lidar sees anew", scanned, scanned, scanned},
		{"what begins to move", scanned, moving, moving},
		{"an echo says less than a scan", scanned, heard, scanned},
		{"a scan says more than an echo", heard, scanned, scanned},
		{"what was felt is there, whatever a scan shows", felt, scanned, felt},
		{"or an echo", felt, heard, felt},
		{"what is felt now", scanned, felt, felt},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &raster{}
			r.put(point{kind: c.first, sure: true})
			r.put(point{kind: c.then, sure: true})
			if len(r.points) != 1 || r.points[0].kind != c.want {
				t.Errorf("the raster has %+v", r.points)
			}
		})
	}
}

func TestAFullRasterAndAFarPointAreLeftOut(t *testing.T) {
	r := &raster{}
	for i := range side {
		for j := range side {
			r.put(point{at: robot.Point{X: (float64(i-side/2) + 0.5) * cell, Y: (float64(j-side/2) + 0.5) * cell}, sure: true})
		}
	}
	if len(r.points) != maxPoints {
		t.Errorf("%d points", len(r.points))
	}
	r.drop(func(*point) bool { return true })
	if r.put(point{at: robot.Point{X: 5}}); len(r.points) > 0 {
		t.Error("a point beyond the window remains")
	}
}

func TestOnlyThreeScansOrASurePointMakeASinglePointSure(t *testing.T) {
	at := func(scan int) point { return point{seen: epoch.Add(time.Duration(scan) * 100 * time.Millisecond)} }
	for _, c := range []struct {
		name string
		puts []point
		want bool // the last one is sure
	}{
		{"single points of one scan", []point{at(1), at(1), at(1)}, false},
		{"single points of one scan beside each other", []point{{}, {at: robot.Point{X: cell}}, {at: robot.Point{X: -cell}}}, false},
		{"two scans agree", []point{at(1), at(2)}, false},
		{"three scans agree", []point{at(1), at(2), at(3)}, true},
		{"what is sure already", []point{{sure: true}, {}}, true},
		{"what is beside something sure of an earlier scan", []point{{sure: true}, {at: robot.Point{X: cell}, seen: epoch}}, true},
		{"what stood says nothing about what moves", []point{{sure: true}, {kind: moving}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &raster{}
			for _, p := range c.puts {
				r.put(p)
			}
			if got := r.points[len(r.points)-1].sure; got != c.want {
				t.Errorf("the last point is sure: %v, want %v", got, c.want)
			}
		})
	}
}

// TestOfTwoPointsAtOneHeightTheNearerOneCounts has a point just below the line between two rows
// of cells and one on it. In cells from the corner of the window, both have the same height.
func TestOfTwoPointsAtOneHeightTheNearerOneCounts(t *testing.T) {
	var r raster
	var f field
	for _, at := range []robot.Point{{X: 1, Y: -math.SmallestNonzeroFloat64}, {}, {Y: 1}} {
		r.put(point{at: at, sure: true})
	}
	if f.build(&r); f.at(robot.Point{}) > 0.04 {
		t.Errorf("the field says %.2f m where a point is", f.at(robot.Point{}))
	}
}

func TestTheFieldIsKnownFromTheFirstCentreToTheLast(t *testing.T) {
	var r raster
	var f field
	r.put(point{sure: true})
	f.build(&r)
	const edge = 3.975 // m, to the centres of the outermost cells
	for _, c := range []struct {
		at    robot.Point
		known bool
	}{
		{robot.Point{X: -edge}, true},
		{robot.Point{Y: -edge}, true},
		{robot.Point{X: edge}, false},
		{robot.Point{Y: edge}, false},
	} {
		if far := f.at(c.at); math.IsInf(far, 1) == c.known {
			t.Errorf("at %v the field says %.2f m, want one that is known: %v", c.at, far, c.known)
		}
	}
}
