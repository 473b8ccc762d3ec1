package navigate

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// officeFloor is the built-in office without a localization table.
func officeFloor(t *testing.T) *testbed.Floor {
	t.Helper()
	desc := testbed.Mybot()
	plan, err := testbed.LoadPlan("")
	if err != nil {
		t.Fatal(err)
	}
	roads, err := testbed.NewRoads(plan)
	if err != nil {
		t.Fatal(err)
	}
	return &testbed.Floor{Desc: desc, Plan: plan, Roads: roads}
}

func TestTheRobotGoesWhereItIsSentAndTouchesNothing(t *testing.T) {
	var first, again gotoOutcome
	outcomes := []*gotoOutcome{&first, &again}
	if testing.Short() {
		outcomes = outcomes[:1]
	}
	for _, o := range outcomes {
		out, _, err := commands.Run(t, "goto", "--json", "--runs", "2", "--corridors", "1", "--tracks", "1", "--seed", "17")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out), o); err != nil {
			t.Fatal(err)
		}
		// Only computing times may differ.
		o.Replan, o.Corridors.Replan, o.Corridors.Longest, o.Decision, o.DecisionP99 = 0, 0, 0, 0, 0
	}
	if len(outcomes) > 1 && !reflect.DeepEqual(first, again) {
		t.Errorf("the same seeds do not give the same runs:\n%+v\n%+v", first, again)
	}
	o := first
	if o.People != usualPeople || o.Nearest.Met == 0 || o.Pairs < 2 {
		t.Errorf("the errands met %+v", o)
	}
	if o.Here != 2 || o.Arrived != 1 || o.Off > 0.1 || o.Ratio < 0.5 || o.Way <= 0 {
		t.Errorf("the outcome of the errands is %+v", o)
	}
	if c := o.Corridors; c.Arrived != 1 || c.Replans < 1 || c.Across != 1 {
		t.Errorf("the outcome of the blocked corridors is %+v", c)
	}
	// Goal C1.
	if r := o.Tracking; r.Arrived != 1 || r.Across > 0.05 || r.Max > 0.15 || r.Mean < 0.3 || r.Across == 0 {
		t.Errorf("the tracking is %+v", r)
	}
	if n := o.Bumps + o.Corridors.Bumps + o.Tracking.Bumps; n != 0 {
		t.Errorf("%d collisions", n)
	}
}

func TestTrialsDependOnTheirSeedAlone(t *testing.T) {
	f := officeFloor(t)
	planner := pathplan.NewPlanner(f.Plan, f.Desc)
	doors, late, barrels := 0, 0, 0
	for seed := range uint64(6) {
		a, err := drawTrial(f.Desc, f.Plan, f.Roads, planner, seed, crowdedness{people: usualPeople, barrels: true, doors: true})
		if err != nil {
			t.Fatal(err)
		}
		b, err := drawTrial(f.Desc, f.Plan, f.Roads, planner, seed, crowdedness{people: usualPeople, barrels: true, doors: true})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("seed %d gives two different errands", seed)
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
			if o.Point.Sub(a.from.Point()).Norm() < testbed.SpareStart || o.Point.Sub(a.goal.Point()).Norm() < spareGoal {
				t.Errorf("seed %d: a barrel at %v is too near to the start or the goal", seed, o.Point)
			}
		}
	}
	if doors == 0 || late == 0 || barrels == 0 {
		t.Errorf("6 errands have %d changes of doors, %d late barrels and %d barrels from the start", doors, late, barrels)
	}
}

func TestAClosedDoorLeavesNoPath(t *testing.T) {
	f := officeFloor(t)
	from, goal := robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 5.2, Y: 10.3}
	held := sim.Contents{Closed: make([]bool, len(f.Plan.Doors))}
	if !hasPath(f.Desc, addContents(f.Plan, held, thingMargin), from, goal) {
		t.Error("with all doors open there is no path")
	}
	route, err := pathplan.NewPlanner(f.Plan, f.Desc).FindRoute(time.Time{}, from, goal)
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for n, d := range f.Plan.Doors {
		if !passesDoor(&route, d) {
			continue
		}
		passed++
		held.Closed[n] = true
	}
	if passed != 1 || hasPath(f.Desc, addContents(f.Plan, held, thingMargin), from, goal) {
		t.Errorf("the path passes %d doors, and still exists when they are closed", passed)
	}
	held.Closed = make([]bool, len(f.Plan.Doors))
	held.Things = []sim.Thing{{Kind: sim.ObstacleKind, Point: goal.Point(), Radius: 0.2}}
	if hasPath(f.Desc, addContents(f.Plan, held, thingMargin), from, goal) {
		t.Error("a barrel on the goal does not block the path")
	}
}

func TestAContactIsTheRobotsUnlessAPersonWalkedIntoItStanding(t *testing.T) {
	f := officeFloor(t)
	start := robot.Pose{X: 4.5, Y: 7.3}
	beside := start.Apply(robot.Point{X: 0.26 + testbed.PersonRadius + 0.002})
	person := sim.Person{Name: "Ana", Speed: 0.5, Radius: testbed.PersonRadius, Route: []sim.RouteStop{{Point: beside}}}
	barrel := sim.Obstacle{Point: beside, Radius: testbed.PersonRadius}
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
		r := &testbed.Rover{Desc: f.Desc, World: sim.NewWorld(f.Desc, f.Plan, c.scene, sim.Options{Seed: 1}), Rested: c.rested}
		r.World.Step()
		r.UpdateTruth()
		r.UpdateTruth() // it is one contact, however long
		if r.Bumps != c.bumps || r.Pushed != c.pushed {
			t.Errorf("%s: %d collisions of the robot, %d by people", c.name, r.Bumps, r.Pushed)
		}
	}
}

func TestAPassIsNearWhenAPersonIsAheadOfTheMovingRobot(t *testing.T) {
	f := officeFloor(t)
	hull := f.Desc.Body.Hull
	front := 0.0
	for _, h := range hull {
		front = math.Max(front, h.X)
	}
	for _, c := range []struct {
		name    string
		speed   float64
		at      []float64 // m from the hull to a person straight ahead (positive) or behind (negative), by check
		near    int
		nearest float64
	}{
		{"nobody", 0.3, nil, 0, 0},
		{"far ahead", 0.3, []float64{1.2, 0.8}, 0, 0.8},
		{"near", 0.3, []float64{0.6, 0.2, 0.3}, 1, 0.2},
		{"near the standing robot", 0.05, []float64{0.2}, 0, 0},
		{"near behind it", 0.3, []float64{-0.2}, 0, 0},
		{"near behind it, which goes back", -0.3, []float64{-0.2}, 1, 0.2},
		{"beside the bound is one pass", 0.3, []float64{0.34, 0.36, 0.34, 0.36}, 1, 0.34},
		{"twice", 0.3, []float64{0.3, 0.6, 0.25}, 2, 0.25},
	} {
		var p testbed.Passes
		for _, gap := range c.at {
			x := front + math.Abs(gap) + testbed.PersonRadius
			if gap < 0 {
				x = -x
			}
			pose := robot.Pose{X: 3, Y: 2, Theta: 1}
			p.Look(&sim.Truth{Pose: pose, Twist: robot.Twist{Linear: c.speed}, People: []robot.Point{pose.Apply(robot.Point{X: x})}}, hull)
		}
		if p.Near != c.near || math.Abs(p.Nearest-c.nearest) > 0.02 {
			t.Errorf("%s: %d near passes, %.2f m at least; want %d, %.2f m", c.name, p.Near, p.Nearest, c.near, c.nearest)
		}
	}
}

func TestTrialsAreCountedByTheTruth(t *testing.T) {
	off := trialResult{end: arrived, off: 0.31}
	off.judgeByTruth()
	turned := trialResult{end: arrived, turned: robot.Radians(21)}
	turned.judgeByTruth()
	good := trialResult{end: arrived, off: 0.29, reachable: true, alone: true, aloneReachable: true, pairs: [2]int{3, 2}, planned: 10, took: 12, passes: testbed.Passes{Near: 2, Nearest: 0.1}}
	good.judgeByTruth()
	if off.end != failed || turned.end != failed || good.end != arrived || !strings.Contains(off.reason, "0.31 m") {
		t.Errorf("ended %s, %s, %s: %s", off.end, turned.end, good.end, off.reason)
	}
	off.reachable, turned.reachable, off.aloneReachable = true, true, true
	helped := trialResult{end: arrived, reachable: true, aloneReachable: true, asked: 2, moved: 1, needed: 2, peopled: 1, planned: 10, took: 30, passes: testbed.Passes{Near: 1, Nearest: 0.3}, pairs: [2]int{1, 0}}
	door := trialResult{end: blocked, asked: 3, pairs: [2]int{1, 0}}
	talk := trialResult{end: blocked, asked: 1, needed: 1, peopled: 1, pairs: [2]int{1, 0}}
	var o gotoOutcome
	o.countTrials([]trialResult{off, turned, good, helped, door, talk})
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"arrived", float64(o.Here), 2},
		{"reachable", float64(o.Reachable), 4},
		{"fraction", o.Arrived, 0.5},
		{"alone", float64(o.Alone), 1},
		{"alone fraction", o.AlonePart, 1.0 / 3},
		{"asked", float64(o.Asked), 3},
		{"helped", float64(o.Helped), 3},
		{"helped where a way was open", float64(o.HelpedNeeded), 2},
		{"helped where people were in every way", float64(o.HelpedPeople), 1},
		{"helped and reachable", float64(o.HelpedHere), 1},
		{"set in motion by help", float64(o.HelpMoved), 1},
		{"elsewhere", float64(o.Elsewhere), 2},
		{"failed", float64(o.Failed), 2},
		{"blocked", float64(o.Blocked), 2},
		{"pairs", float64(o.Pairs), 6},
		{"refused pairs", float64(o.RefusedPairs), 2},
		{"near passes", float64(o.NearPasses), 3},
		{"least", o.Nearest.Least, 0.1},
		{"p5", o.Nearest.P5, 0.1},
		{"median", o.Nearest.Median, 0.1},
		{"met", float64(o.Nearest.Met), 2},
		{"off, 95th percentile", o.OffP95, 0.31},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
}

func TestNoUserClosesADoorOnTheRobot(t *testing.T) {
	f := officeFloor(t)
	r := &testbed.Rover{Desc: f.Desc, World: sim.NewWorld(f.Desc, f.Plan, sim.Scene{Start: robot.Pose{X: 4.7, Y: 7.3}}, sim.Options{Seed: 1})}
	r.UpdateTruth()
	if applyEvent(r, f.Plan, event{door: 0, closed: true}) || r.World.Contents().Closed[0] {
		t.Error("the door beside the robot was closed")
	}
	if !applyEvent(r, f.Plan, event{door: 3, closed: true}) || !r.World.Contents().Closed[3] {
		t.Error("a door far away was not closed")
	}
	if applyEvent(r, f.Plan, event{barrel: &sim.Obstacle{Point: robot.Point{X: 5.5, Y: 7.3}, Radius: 0.2}}) {
		t.Error("a barrel was put directly in front of the robot")
	}
}

func TestARowOfBarrelsGoesFromWallToWall(t *testing.T) {
	f := officeFloor(t)
	row := barrelRow(&f.Plan.Grid, pathplan.Waypoint{Point: robot.Point{X: 6.5, Y: 7.3}}, true)
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range row {
		low, high = min(low, p.Y), max(high, p.Y)
	}
	// The walls are at 6.2 and 8.4.
	if low-barrelRadius-6.2 > 0.5 || 8.4-high-barrelRadius > 0.5 || len(row) < 3 {
		t.Errorf("the barrels stand at %v", row)
	}
	held := sim.Contents{Closed: make([]bool, len(f.Plan.Doors))}
	for _, p := range row {
		held.Things = append(held.Things, sim.Thing{Kind: sim.ObstacleKind, Point: p, Radius: barrelRadius})
	}
	if hasPath(f.Desc, addContents(f.Plan, held, thingMargin), robot.Pose{X: 4.5, Y: 7.3}, robot.Pose{X: 8.5, Y: 7.3}) {
		t.Error("the row leaves a path")
	}
}

func TestAWrongCallOfGotoIsToldWhatWouldBeRight(t *testing.T) {
	for call, want := range map[string]string{
		"goto --runs -1":                "--runs is -1; it must be from 0 to 100000",
		"goto --corridors 200000":       "--corridors is 200000",
		"goto --tracks -5":              "--tracks is -5",
		"goto --people 101":             "--people is 101; it must be from 0 to 100",
		"goto --map /nowhere":           "map.yaml",
		"goto --trouble cats":           `--trouble is "cats"; it must be none, all, or some of barrels, people and doors with commas between`,
		"goto --trouble barrels,none":   `--trouble is "barrels,none"; it must be none, all, or some of barrels, people and doors with commas between`,
		"goto --trouble people,":        `--trouble is "people,"`,
		"goto --sensor nose":            `--sensor is "nose"; it must be sonar, lidar or both`,
		"goto --controller teb":         `--controller is "teb"; it must be rollout, dwa or mppi`,
		"goto --controller dwa":         "--controller dwa: a robot with sonars alone follows its path itself",
		"goto --crowd rude":             `--crowd is "rude"; it must be considerate or mixed`,
		"goto --empty --trouble people": "leave it out",
		"goto --trace /nowhere/t":       "--trace",
		"fig5b --seeds 0":               "--seeds is 0",
	} {
		if _, _, err := commands.Run(t, strings.Fields(call)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lab %s: %v; it must say %q", call, err, want)
		}
	}
}

func TestARobotThatHasDrivenBeforeKnowsItsOdometry(t *testing.T) {
	off := func(driven int) (worst float64) {
		t.Helper()
		out, _, err := commands.Run(t, "goto", "--json", "--trouble", "none", "--sensor", "sonar", "--world", "worst", "--runs", "4", "--corridors", "0", "--tracks", "0", "--seed", "500", "--driven", strconv.Itoa(driven))
		if err != nil {
			t.Fatal(err)
		}
		var o struct {
			Driven int     `json:"driven_before"`
			Worst  float64 `json:"estimate_worst_m"`
		}
		if err := json.Unmarshal([]byte(out), &o); err != nil {
			t.Fatal(err)
		}
		if o.Driven != driven {
			t.Errorf("it says that each robot has done %d errands before, want %d", o.Driven, driven)
		}
		return o.Worst
	}
	if fresh, driven := off(0), off(2); driven > 0.7*fresh {
		t.Errorf("after two errands the estimate is up to %v m off, without them %v m", driven, fresh)
	}
}
