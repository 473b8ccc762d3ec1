package sim

import (
	"math"
	"testing"
	"time"

	"mybot/robot"
)

// legWorld is an empty hall in which a person with legs walks back and forth 3 m
// ahead of a lidar at the given height.
func legWorld(t *testing.T, height float64, legs bool) *World {
	t.Helper()
	d := mybot(t)
	d.Sonars = nil
	d.Lidars = []robot.Lidar{{Height: height, From: -math.Pi, Step: robot.Radians(0.25), Beams: 1440, Min: 0.1, Max: 12, Rate: 10}}
	s := Scene{People: []Person{{Name: "Ana", Speed: 1, Radius: 0.25, Legs: legs, Route: []RouteStop{
		{Point: robot.Point{X: 3, Y: -2}, Pause: 1},
		{Point: robot.Point{X: 3, Y: 2}, Pause: 1},
	}}}}
	return NewWorld(d, nil, s, Options{Seed: 3, Ideal: true})
}

// runsOf returns the number of runs of neighbouring beams with an echo, and the
// beams in them.
func runsOf(ranges []float64) (runs, beams int) {
	for i, r := range ranges {
		if met := !math.IsInf(r, 1); met {
			beams++
			if i == 0 || math.IsInf(ranges[i-1], 1) {
				runs++
			}
		}
	}
	return runs, beams
}

func TestALidarBelowTheKneesSeesTwoLegsThatWalk(t *testing.T) {
	w := legWorld(t, 0.3, true)
	seen := map[int]int{}
	least, most := math.Inf(1), 0.0
	for range 20 * 50 {
		for _, s := range w.Step().Scans {
			runs, beams := runsOf(s.Ranges)
			seen[runs]++
			if beams == 0 || beams > 30 { // a leg 3 m away is 2.3° wide, a body 9.5°
				t.Fatalf("%d beams meet the legs", beams)
			}
		}
		legs := w.walkers[0].legs()
		apart := legs[0].a.Sub(legs[1].a).Norm()
		least, most = min(least, apart), max(most, apart)
		if off := legs[0].a.Add(legs[1].a).Sub(w.walkers[0].at).Sub(w.walkers[0].at).Norm(); off > 1e-9 {
			t.Fatalf("the body is %.3f m off the middle of its legs", off/2)
		}
	}
	if seen[2] < 50 || seen[1] == 0 || seen[0] > 0 || len(seen) > 2 {
		t.Errorf("how many legs were seen how often: %v", seen)
	}
	if math.Abs(least-0.2) > 0.01 || math.Abs(most-math.Hypot(0.2, 0.5)) > 0.01 {
		t.Errorf("the legs are %.2f to %.2f m apart", least, most)
	}
}

func TestOtherLidarsAndOtherPeopleAreSeenAsBodies(t *testing.T) {
	for _, c := range []struct {
		name   string
		height float64
		legs   bool
	}{{"a lidar above the knees", 0.6, true}, {"people without legs", 0.3, false}} {
		t.Run(c.name, func(t *testing.T) {
			w := legWorld(t, c.height, c.legs)
			for range 100 {
				for _, s := range w.Step().Scans {
					if runs, beams := runsOf(s.Ranges); runs != 1 || beams < 20 {
						t.Fatalf("%d echoes in %d beams; one body takes about 30", runs, beams)
					}
				}
			}
		})
	}
}

func TestLegsDrawFromAStreamOfTheirOwn(t *testing.T) {
	with, without := legWorld(t, 0.3, true), legWorld(t, 0.3, false)
	for range int(30 * time.Second / with.period) {
		with.Step()
		without.Step()
		if a, b := with.Truth().People[0], without.Truth().People[0]; a != b {
			t.Fatalf("the person with legs is at %v, the one without at %v", a, b)
		}
	}
}

func TestTheTruthHasTheFacesThatALidarMeets(t *testing.T) {
	d := mybot(t)
	d.Lidars = []robot.Lidar{{Height: 0.3, Step: robot.Radians(1), Beams: 360, Min: 0.1, Max: 12, Rate: 10}}
	plan := box()
	plan.Glass = []int{2}
	plan.Furniture = []robot.Furniture{{Name: "Table", Height: 0.74, Outline: []robot.Point{{X: 1, Y: 1}, {X: 2, Y: 1}, {X: 2, Y: 2}, {X: 1, Y: 2}}}}
	w := NewWorld(d, plan, DefaultScene(), Options{Seed: 1})
	straight, glass, round := 0, 0, 0
	for _, f := range w.Faces(0) {
		switch {
		case f.Radius > 0:
			round++
			if math.Abs(f.DistanceTo(f.A)-f.Radius) > 1e-12 {
				t.Errorf("the centre of a round object of %g m is %g m from its face", f.Radius, f.DistanceTo(f.A))
			}
		case f.Glass:
			glass++
		default:
			straight++
		}
	}
	if straight != 3 || glass != 1 || round != 4 {
		t.Errorf("%d walls, %d panes, %d legs of the table", straight, glass, round)
	}
}
