package navigate

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// drawOffice draws the trial of a seed in the office.
func drawOffice(t *testing.T, f *testbed.Floor, planner *pathplan.Planner, seed uint64, meets crowdedness) goalTrial {
	t.Helper()
	e, err := drawTrial(f.Desc, f.Plan, f.Roads, planner, seed, meets)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAMixedCrowdHasPeopleWhoDoNotLookAndPairs(t *testing.T) {
	f := officeFloor(t)
	planner := pathplan.NewPlanner(f.Plan, f.Desc)
	people, blind, pairs, talks := 0, 0, 0, 0
	const seeds, each = 40, 6
	for seed := range uint64(seeds) {
		plain := drawOffice(t, f, planner, seed, crowdedness{people: each})
		for _, p := range plain.scene.People {
			if p.Inattentive || p.Beside > 0 {
				t.Errorf("seed %d: %s of a considerate crowd is %+v", seed, p.Name, p)
			}
		}
		e := drawOffice(t, f, planner, seed, crowdedness{people: each, mixed: true})
		if again := drawOffice(t, f, planner, seed, crowdedness{people: each, mixed: true}); !reflect.DeepEqual(e.scene, again.scene) {
			t.Errorf("seed %d gives two different crowds", seed)
		}
		if e.from != plain.from || e.goal != plain.goal || len(e.scene.People) != each {
			t.Errorf("seed %d: %d people from %v to %v", seed, len(e.scene.People), e.from, e.goal)
		}
		people += len(e.scene.People)
		for n, p := range e.scene.People {
			if p.Inattentive {
				blind++
				if p.Speed != inattentiveSpeed {
					t.Errorf("an inattentive person walks at %g m/s", p.Speed)
				}
			}
			if p.Beside > 0 {
				pairs++
			}
			if p.Beside > n {
				t.Errorf("person %d walks beside person %d, who is later in the list", n+1, p.Beside)
			}
			at := p.Route[0].Point
			if f.Plan.Grid.At(at) != robot.Free || at.Sub(e.from.Point()).Norm() < testbed.SpareStart {
				t.Errorf("seed %d: person %d starts at %v", seed, n+1, at)
			}
			for _, o := range e.scene.People[:n] {
				if o.Route[0].Point.Sub(at).Norm() < p.Radius+o.Radius {
					t.Errorf("seed %d: two people start at %v", seed, at)
				}
			}
			if len(p.Route) > 1 && p.Route[1].Pause == doorwayTalk {
				talks++
			}
		}
	}
	if share := float64(blind) / float64(people); share < 0.2 || share > 0.4 {
		t.Errorf("%.0f %% of the people are inattentive", 100*share)
	}
	if pairs < seeds/4 || talks < 3 || talks > seeds/3 {
		t.Errorf("%d pairs and %d talks in a doorway in %d errands", pairs, talks, seeds)
	}
}

// More people than testbed.NewScene draws.
func TestSixtyPeopleFindRoomInTheOffice(t *testing.T) {
	f := officeFloor(t)
	planner := pathplan.NewPlanner(f.Plan, f.Desc)
	for _, mixes := range []bool{false, true} {
		e := drawOffice(t, f, planner, 3, crowdedness{people: 60, mixed: mixes})
		if n := len(e.scene.People); n < 50 || n > 60 {
			t.Errorf("mixed %v: %d people", mixes, n)
		}
	}
}

// Two talking people block the doorway for the duration of their talk, and then leave it.
func TestTwoTalkInADoorwayOfTheRouteAndGoOn(t *testing.T) {
	f := officeFloor(t)
	from, goal := robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 5.2, Y: 10.3}
	route, err := pathplan.NewPlanner(f.Plan, f.Desc).FindRoute(time.Time{}, from, goal)
	if err != nil {
		t.Fatal(err)
	}
	far := robot.Pose{X: 19, Y: 7.3}
	var door robot.Door
	for _, d := range f.Plan.Doors {
		if passesDoor(&route, d) {
			door = d
		}
	}
	talked := 0
	for seed := uint64(0); seed < 30 && talked < 3; seed++ {
		c := crowdDrawing{plan: f.Plan, roads: f.Roads, route: &route, start: far, rng: rand.New(rand.NewPCG(seed, 95))}
		c.drawDoorwayTalk()
		if len(c.crowd) == 0 {
			continue
		}
		talked++
		if len(c.crowd) != 2 || c.crowd[1].Beside != 1 {
			t.Fatalf("seed %d: %+v", seed, c.crowd)
		}
		w := sim.NewWorld(f.Desc, f.Plan, sim.Scene{Start: far, People: c.crowd}, sim.Options{Seed: seed})
		leaf := door.Leaf(door.Closed)
		inDoor := 0
		for n := range 50 * 70 {
			w.Step()
			blocked := false
			for _, p := range w.Truth().People {
				blocked = blocked || leaf.Distance(p) < 0.35
			}
			if blocked {
				inDoor++
			}
			if blocked && n > 50*65 {
				t.Fatalf("seed %d: the doorway is still blocked after %d s", seed, n/50)
			}
		}
		if s := inDoor / 50; s < 12 || s > 60 {
			t.Errorf("seed %d: the doorway is blocked for %d s", seed, s)
		}
	}
	if talked < 3 {
		t.Errorf("in %d of 30 draws two people talk", talked)
	}
}
