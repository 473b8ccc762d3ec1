package lab

import (
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/pathplan"
	"mybot/robot"
)

// officeFloor is the built-in office without a table for localization.
func officeFloor(t *testing.T) *floor {
	t.Helper()
	desc, err := mybot()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := loadFloor("")
	if err != nil {
		t.Fatal(err)
	}
	roads, err := newRoads(plan)
	if err != nil {
		t.Fatal(err)
	}
	return &floor{desc: desc, plan: plan, roads: roads}
}

func TestTheRobotGoesWhereItIsSentAndTouchesNothing(t *testing.T) {
	var first, again gotoOutcome
	for _, o := range []*gotoOutcome{&first, &again} {
		out, _, err := run(t, "goto", "--json", "--runs", "2", "--corridors", "1", "--tracks", "1", "--seed", "17")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out), o); err != nil {
			t.Fatal(err)
		}
		// How long a computer takes is the only thing that may differ.
		o.Replan, o.Corridors.Replan, o.Corridors.Longest = 0, 0, 0
	}
	if !reflect.DeepEqual(first, again) {
		t.Errorf("the same seeds do not give the same runs:\n%+v\n%+v", first, again)
	}
	o := first
	if o.Here != 2 || o.Arrived != 1 || o.Off > 0.1 || o.Ratio < 0.5 || o.Way <= 0 {
		t.Errorf("the errands came out as %+v", o)
	}
	if c := o.Corridors; c.Arrived != 1 || c.Replans < 1 || c.Across != 1 {
		t.Errorf("the blocked corridors came out as %+v", c)
	}
	// Goal C1.
	if r := o.Tracking; r.Arrived != 1 || r.Across > 0.05 || r.Max > 0.15 || r.Mean < 0.3 || r.Across == 0 {
		t.Errorf("the tracking is %+v", r)
	}
	if n := o.Bumps + o.Corridors.Bumps + o.Tracking.Bumps; n != 0 {
		t.Errorf("%d collisions", n)
	}
}

func TestErrandsDependOnTheirSeedAlone(t *testing.T) {
	f := officeFloor(t)
	planner := pathplan.NewPlanner(f.plan, f.desc)
	doors, late, barrels := 0, 0, 0
	for seed := range uint64(6) {
		a, err := newErrand(f.desc, f.plan, f.roads, planner, seed)
		if err != nil {
			t.Fatal(err)
		}
		b, err := newErrand(f.desc, f.plan, f.roads, planner, seed)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d gives two errands", seed)
		}
		barrels += len(a.scene.Obstacles)
		for _, e := range a.events {
			if e.barrel == nil {
				doors++
			} else {
				late++
			}
		}
		for _, o := range a.scene.Obstacles {
			if o.Point.Sub(a.from.Point()).Norm() < spareStart || o.Point.Sub(a.goal.Point()).Norm() < spareGoal {
				t.Errorf("seed %d: a barrel at %v is too near to the start or the goal", seed, o.Point)
			}
		}
	}
	if doors == 0 || late == 0 || barrels == 0 {
		t.Errorf("6 errands have %d changes of doors, %d late barrels and %d barrels from the start", doors, late, barrels)
	}
}

func TestAClosedDoorLeavesNoWay(t *testing.T) {
	f := officeFloor(t)
	from, goal := robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 5.2, Y: 10.3}
	held := sim.Contents{Closed: make([]bool, len(f.plan.Doors))}
	if !reaches(f.desc, withThings(f.plan, held), from, goal) {
		t.Error("with all doors open there is no way")
	}
	way, err := pathplan.NewPlanner(f.plan, f.desc).Plan(time.Time{}, from, goal)
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for n, d := range f.plan.Doors {
		if !leads(&way, d) {
			continue
		}
		passed++
		held.Closed[n] = true
	}
	if passed != 1 || reaches(f.desc, withThings(f.plan, held), from, goal) {
		t.Errorf("the way leads through %d doors, and is there though they are closed", passed)
	}
	held.Closed = make([]bool, len(f.plan.Doors))
	held.Things = []sim.Thing{{Kind: sim.ObstacleKind, Point: goal.Point(), Radius: 0.2}}
	if reaches(f.desc, withThings(f.plan, held), from, goal) {
		t.Error("a barrel on the goal does not close the way")
	}
}

func TestAContactIsTheRobotsUnlessSomebodyWalkedIntoItStanding(t *testing.T) {
	f := officeFloor(t)
	start := robot.Pose{X: 4.5, Y: 7.3}
	beside := start.Apply(robot.Point{X: 0.26 + personRadius + 0.002})
	person := sim.Person{Name: "Ana", Speed: 0.5, Radius: personRadius, Route: []sim.RouteStop{{Point: beside}}}
	barrel := sim.Obstacle{Point: beside, Radius: personRadius}
	for _, c := range []struct {
		name          string
		scene         sim.Scene
		rested        bool
		bumps, pushed int
	}{
		{"a barrel", sim.Scene{Start: start, Obstacles: []sim.Obstacle{barrel}}, true, 1, 0},
		{"a person, and the robot moved", sim.Scene{Start: start, People: []sim.Person{person}}, false, 1, 0},
		{"a person, and the robot stood", sim.Scene{Start: start, People: []sim.Person{person}}, true, 0, 1},
	} {
		r := &rover{desc: f.desc, world: sim.NewWorld(f.desc, f.plan, c.scene, sim.Options{Seed: 1}), rested: c.rested}
		r.world.Step()
		r.look()
		r.look() // it is one contact, however long
		if r.bumps != c.bumps || r.pushed != c.pushed {
			t.Errorf("%s: %d collisions of the robot, %d of people", c.name, r.bumps, r.pushed)
		}
	}
}

func TestNobodyClosesADoorOnTheRobot(t *testing.T) {
	f := officeFloor(t)
	r := &rover{desc: f.desc, world: sim.NewWorld(f.desc, f.plan, sim.Scene{Start: robot.Pose{X: 4.7, Y: 7.3}}, sim.Options{Seed: 1})}
	r.look()
	if r.happen(f.plan, event{door: 0, closed: true}) || r.world.Contents().Closed[0] {
		t.Error("the door beside the robot was closed")
	}
	if !r.happen(f.plan, event{door: 3, closed: true}) || !r.world.Contents().Closed[3] {
		t.Error("a door far away was not closed")
	}
	if r.happen(f.plan, event{barrel: &sim.Obstacle{Point: robot.Point{X: 5.5, Y: 7.3}, Radius: 0.2}}) {
		t.Error("a barrel was put right before the robot")
	}
}

func TestARowOfBarrelsGoesFromWallToWall(t *testing.T) {
	f := officeFloor(t)
	row := barrelRow(&f.plan.Grid, pathplan.Waypoint{Point: robot.Point{X: 6.5, Y: 7.3}}, true)
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range row {
		low, high = min(low, p.Y), max(high, p.Y)
	}
	// The walls are at 6.2 and 8.4.
	if low-barrelRadius-6.2 > 0.5 || 8.4-high-barrelRadius > 0.5 || len(row) < 3 {
		t.Errorf("the barrels stand at %v", row)
	}
	held := sim.Contents{Closed: make([]bool, len(f.plan.Doors))}
	for _, p := range row {
		held.Things = append(held.Things, sim.Thing{Kind: sim.ObstacleKind, Point: p, Radius: barrelRadius})
	}
	if reaches(f.desc, withThings(f.plan, held), robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 8.5, Y: 7.3}) {
		t.Error("the row leaves a way")
	}
}

func TestTheCornerOfTheCorridorTellsTheLocalizersApart(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "fig5b.svg")
	out, _, err := run(t, "fig5b", "--json", "--seeds", "1", "--svg", picture)
	if err != nil {
		t.Fatal(err)
	}
	var o fig5bOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	rows := map[string]fig5bRow{}
	for _, r := range o.Rows {
		rows[r.Method] = r
	}
	if mcl := rows["mcl"]; mcl.Arrived != 1 || mcl.After > 0.06 || mcl.Before > 0.06 || mcl.Worst > 0.15 || mcl.Before == 0 {
		t.Errorf("with MCL: %+v", mcl)
	}
	if odometry := rows["odometry"]; odometry.After <= odometry.Before || odometry.After < 2*rows["mcl"].After {
		t.Errorf("with odometry: %+v", odometry)
	}
	if paths := pathsIn(t, picture); paths < 1+2*len(methodNames) {
		t.Errorf("the picture has %d lines", paths)
	}
}

func TestAWrongCallOfGotoIsToldWhatWouldBeRight(t *testing.T) {
	for call, want := range map[string]string{
		"goto --runs -1":          "--runs is -1; it must be from 0 to 100000",
		"goto --corridors 200000": "--corridors is 200000",
		"goto --tracks -5":        "--tracks is -5",
		"goto --map /nowhere":     "map.yaml",
		"fig5b --seeds 0":         "--seeds is 0",
	} {
		if _, _, err := run(t, strings.Fields(call)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lab %s: %v; it must say %q", call, err, want)
		}
	}
}
