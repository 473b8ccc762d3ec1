package mapping

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/mapping"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/models"
)

// siteOf returns a built-in floor with the built-in robot that has a lidar.
func siteOf(t *testing.T, name string) *Site {
	t.Helper()
	desc, err := testbed.LoadRobot(models.LidarName)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := testbed.LoadPlan(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSite(desc, plan)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMapsOfTheOfficeComeOutNearTheTruth(t *testing.T) {
	experimenttest.ComputesLong(t)
	o := experimenttest.Outcome[mappingOutcome](t, commands, "mapping", "--map", "office", "--seeds", "2", "--seed", "2", "--errands", "2")
	if len(o.Floors) != 1 || len(o.Floors[0].Runs) != 2 {
		t.Fatalf("%+v", o)
	}
	f := o.Floors[0]
	if f.Way < 90 || f.Odometry < 5*f.RMS || f.RMS <= 0 || f.RMS > 0.03 || f.Worst.RMS < f.RMS || f.Unfinished > 5 {
		t.Errorf("%+v", f)
	}
	if f.NextWay <= 0 || f.NextWay > 0.02 || f.LoopWay <= 0 || f.LoopWay > 0.04 || f.Loops < 20 || f.False != 0 {
		t.Errorf("%+v", f)
	}
	if f.Wall <= 0 || f.Wall > 0.01 || f.WallP95 < f.Wall || f.WallP95 > 0.06 || f.Seconds <= 0 {
		t.Errorf("%+v", f)
	}
	if f.Goto == nil || f.OwnGoto == nil || f.Goto.Runs < 1 || f.Goto.Ratio < 0.5 || f.Goto.Bumps != 0 {
		t.Errorf("errands %+v and %+v", f.Goto, f.OwnGoto)
	}
}

func TestTheSameSeedGivesTheSameMap(t *testing.T) {
	experimenttest.ComputesLong(t)
	s := siteOf(t, "office")
	var poses [2][]robot.Pose
	for i := range poses {
		m, err := s.Make(t.Context(), Usual, 3)
		if err != nil {
			t.Fatal(err)
		}
		poses[i] = m.mapper.Poses()
	}
	if len(poses[0]) != len(poses[1]) {
		t.Fatalf("%d and %d key frames", len(poses[0]), len(poses[1]))
	}
	for i, p := range poses[0] {
		if p != poses[1][i] {
			t.Fatalf("key frame %d is at %v and at %v", i, p, poses[1][i])
		}
	}
}

func TestATourFollowsEveryLaneInBothDirections(t *testing.T) {
	experimenttest.ComputesLong(t)
	for _, name := range []string{"office", "clinic", "depot"} {
		s := siteOf(t, name)
		for seed := range uint64(5) {
			tour, err := drawTour(s.Roads, nil, rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				t.Fatal(err)
			}
			driven := map[[2]robot.Point]int{}
			for i := 1; i < len(tour); i++ {
				driven[[2]robot.Point{tour[i-1], tour[i]}]++
			}
			lanes := 0
			for _, a := range s.Roads.LargestPart() {
				for _, b := range s.Roads.Next(a) {
					lanes++
					if n := driven[[2]robot.Point{s.Roads.At[a], s.Roads.At[b]}]; n != 1 {
						t.Fatalf("%s, seed %d: the lane from %v to %v is driven %d times", name, seed, s.Roads.At[a], s.Roads.At[b], n)
					}
				}
			}
			if len(tour) != lanes+1 || tour[0] != tour[len(tour)-1] {
				t.Errorf("%s, seed %d: %d points for %d lanes; from %v to %v", name, seed, len(tour), lanes, tour[0], tour[len(tour)-1])
			}
		}
	}
}

func TestATourLooksIntoEveryRoomOfTheOffice(t *testing.T) {
	s := siteOf(t, "office")
	tour, err := drawTour(s.Roads, s.spurs, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range s.Plan.Rooms {
		inside := 0
		for _, p := range tour {
			stats.Count(&inside, robot.Inside(p, room.Outline))
		}
		if inside == 0 {
			t.Errorf("no point of the tour is in %s", room.Name)
		}
	}
	for i := 1; i < len(tour); i++ {
		if n := tour[i].Sub(tour[i-1]).Norm(); n > 12 {
			t.Errorf("from %v to %v are %.1f m", tour[i-1], tour[i], n)
		}
	}
}

func TestATourOfAFloorWithoutLanesIsNotEndless(t *testing.T) {
	s := siteOf(t, "depot")
	bare := *s.Plan
	bare.Graph = robot.Graph{}
	roads, err := testbed.NewRoads(&bare)
	if err != nil {
		t.Fatal(err)
	}
	tour, err := drawTour(roads, nil, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	way, visited := 0.0, map[robot.Point]bool{}
	for i := 1; i < len(tour); i++ {
		way += tour[i].Sub(tour[i-1]).Norm()
		visited[tour[i]] = true
	}
	if part := roads.LargestPart(); len(visited) != len(part) || way > 2*maxTour+1 || way < 500 {
		t.Errorf("%d of %d via points, %.0f m", len(visited), len(part), way)
	}
}

func TestAHandThatIsHeldBacksOffAndThenSkipsAPoint(t *testing.T) {
	h := hand{tour: []robot.Point{{X: 3}, {X: 6}, {X: 9}}}
	backed := 0
	for range int(60 / 0.02) { // the hand asks for motion, but the robot stands
		if h.ask(sim.Truth{}, 0.02).Linear < 0 {
			backed++
		}
	}
	if h.skipped == 0 || h.next == 0 || h.done() || backed < 100 {
		t.Errorf("%+v, reversed for %d readings", h, backed)
	}
	h = hand{tour: []robot.Point{{X: 3}}}
	if ask := h.ask(sim.Truth{People: []robot.Point{{X: 0.8}}}, 0.02); ask.Linear != 0 {
		t.Errorf("the hand asks for %v with a person ahead", ask)
	}
	if ask := h.ask(sim.Truth{People: []robot.Point{{X: -0.8}}}, 0.02); ask.Linear <= 0 {
		t.Errorf("the hand asks for %v with a person behind", ask)
	}
}

// madeOf returns a map of one wall at a given distance from the true one.
func madeOf(off float64) *Made {
	m := &Made{
		unedited:    &robot.Floorplan{Lines: []robot.Segment{{A: robot.Point{X: 1, Y: 2 + off}, B: robot.Point{X: 4, Y: 2 + off}}}},
		MadeFromMap: robot.Pose{X: 1, Y: 2},
		faces:       []sim.Face{{A: robot.Point{}, B: robot.Point{X: 3}}, {A: robot.Point{Y: 5}, B: robot.Point{X: 3, Y: 5}}},
		seen:        newPointHash(drawnCell),
	}
	for x := 0.0; x < 3; x += 0.005 {
		m.seen.add(robot.Point{X: x})
	}
	return m
}

func TestWallsAreMeasuredBothWaysAndOnlyWhereTheyWereSeen(t *testing.T) {
	for _, off := range []float64{0, 0.03, -0.08} {
		drawn, missed, _ := madeOf(off).wallErrors()
		if len(drawn) < 50 || len(missed) < 50 || len(missed) > 70 {
			t.Fatalf("%d and %d points", len(drawn), len(missed))
		}
		if a, b := stats.Quantile(drawn, 0.5), stats.Quantile(missed, 0.5); math.Abs(a-math.Abs(off)) > 1e-6 || math.Abs(b-math.Abs(off)) > 0.003 {
			t.Errorf("a wall with an error of %g m has %g and %g m", off, a, b)
		}
	}
	m := madeOf(0)
	m.unedited.Lines = nil
	if drawn, missed, _ := m.wallErrors(); len(drawn) != 0 || stats.Quantile(missed, 0.5) != wallFar {
		t.Errorf("a map without walls: %d points drawn, missed by %g m", len(drawn), stats.Quantile(missed, 0.5))
	}
}

func TestOnlyWhatStandsOnLegsIsBarredByHand(t *testing.T) {
	experimenttest.ComputesLong(t)
	for _, name := range []string{"office", "clinic", "depot"} {
		s := siteOf(t, name)
		m := &Made{faces: sim.NewWorld(s.Desc, s.Plan, sim.DefaultScene(), sim.Options{Seed: 1}).Faces(0)}
		legs, solid := 0, 0
		for _, f := range s.Plan.Furniture {
			kind := strings.ToLower(f.Name)
			isLegs := false
			for _, word := range []string{"table", "desk", "bench", "chair", "stool"} {
				isLegs = isLegs || strings.Contains(kind, word)
			}
			stats.Count(&legs, !m.meets(f))
			stats.Count(&solid, m.meets(f))
			if m.meets(f) == isLegs {
				t.Errorf("%s: the lidar meets %s as it is: %v", name, f.Name, m.meets(f))
			}
		}
		if legs < 4 || solid < 5 {
			t.Errorf("%s: %d on legs, %d others", name, legs, solid)
		}
	}
}

func TestALoopIsFalseByWayOrByTurn(t *testing.T) {
	truth := []robot.Pose{{}, {X: 2, Theta: 1}}
	for _, c := range []struct {
		pose robot.Pose
		want bool
	}{
		{robot.Pose{X: 2, Theta: 1}, false},
		{robot.Pose{X: 2.4, Theta: 1.1}, false},
		{robot.Pose{X: 2.6, Theta: 1}, true},
		{robot.Pose{X: 2, Theta: 1.2}, true},
		{robot.Pose{X: 2, Theta: 1 + math.Pi}, true},
	} {
		if got := isFalse(mapping.Closure{From: 0, To: 1, Pose: c.pose}, truth); got != c.want {
			t.Errorf("a loop to %v: false is %v", c.pose, got)
		}
	}
}

func TestEachHardshipIsWhatItSays(t *testing.T) {
	s := siteOf(t, "office")
	for _, h := range hardships() {
		rng := rand.New(rand.NewPCG(1, 1))
		desc, plan, scene, err := h.prepare(s, rng)
		if err != nil {
			t.Fatal(err)
		}
		l, actual := desc.Lidars[0], h.mountLidars(desc.Lidars, rng)[0]
		view := robot.Degrees(l.Step) * float64(l.Beams-1)
		if off := l.Pose.X - actual.Pose.X; (math.Abs(off) > 0.1) != (h.Name == "shifted") || h.Name == "shifted" && math.Abs(off-0.3) > 0.03 {
			t.Errorf("%s: the lidar is %.2f m behind its described pose", h.Name, off)
		}
		want := map[string]float64{"270": 270, "180": 180}[h.Name]
		if want == 0 {
			want = 359
		}
		if math.Abs(view-want) > 1e-6 || math.Abs(l.Bearing(0)+l.Bearing(l.Beams-1)) > 0.02 {
			t.Errorf("%s: the lidar sees %.1f degrees, from %.1f", h.Name, view, robot.Degrees(l.Bearing(0)))
		}
		if (l.Max == 5.6) != (h.Name == "near") || (len(plan.Glass) > 5) != (h.Name == "glass") {
			t.Errorf("%s: the range is %g m; %d panes", h.Name, l.Max, len(plan.Glass))
		}
		if len(scene.People) < 2 || !scene.People[0].Legs {
			t.Errorf("%s: %+v", h.Name, scene.People)
		}
	}
	if len(s.Plan.Glass) != 0 || s.Desc.Lidars[0].Max == 5.6 {
		t.Error("a hardship changed the site")
	}
}

func TestARobotThatIsCarriedGoesOnAndDrivesTheRest(t *testing.T) {
	experimenttest.ComputesLong(t)
	s := siteOf(t, "office")
	m, err := s.Make(t.Context(), hardships()[5], 1)
	if err != nil {
		t.Fatal(err)
	}
	jumps := 0
	for i := 1; i < len(m.truth); i++ {
		stats.Count(&jumps, m.truth[i].Point().Sub(m.truth[i-1].Point()).Norm() > 1)
	}
	if jumps != 1 || m.unfinished > 0 || m.lasts < (4*time.Minute).Seconds() {
		t.Errorf("%d jumps, %d points not reached, %.0f s", jumps, m.unfinished, m.lasts)
	}
}

func TestMappingSaysWhatIsWrongWithItsFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--case dark":       `--case has "dark"; it must be all, or some of usual,270,`,
		"--robot mybot":     "has no lidar",
		"--map /nowhere":    "map.yaml",
		"--seeds 0":         "--seeds is 0",
		"--errands -1":      "--errands is -1",
		"--robot /no/robot": "the robot is neither",
	} {
		if _, _, err := commands.Run(t, append([]string{"mapping"}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", args, err, want)
		}
	}
}

func TestAPersonDrawsThePanesThatTheLidarLooksThrough(t *testing.T) {
	s := siteOf(t, "clinic")
	corridor := []robot.Point{{X: 12, Y: 7.5}, {X: 24, Y: 7.5}} // along the glass of the courtyard
	scene := sim.DefaultScene()
	scene.Start = robot.Pose{X: 11, Y: 7.5}
	m := &Made{Lidars: s.Desc.Lidars, seen: newPointHash(drawnCell)}
	if err := m.drive(t.Context(), s.Desc, s.Desc, s.Plan, scene, corridor, Usual, 1); err != nil {
		t.Fatal(err)
	}
	if err := m.review(s, s.Plan, rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	reached := func(plan *robot.Floorplan) (places int) { // in the courtyard
		planner := pathplan.NewPlanner(plan, s.Desc)
		for x := 15.0; x < 22; x++ {
			for y := 9.0; y < 13; y++ {
				_, err := planner.FindRoute(time.Time{}, m.MadeFromMap.Compose(scene.Start), m.MadeFromMap.Compose(robot.Pose{X: x, Y: y}))
				stats.Count(&places, err == nil)
			}
		}
		return places
	}
	if n := reached(m.unedited); n == 0 || len(m.unedited.Glass) != 0 {
		t.Errorf("before, %d panes, routes to %d places in the courtyard", len(m.unedited.Glass), n)
	}
	if n := reached(m.Plan); n != 0 || len(m.Plan.Glass) == 0 {
		t.Errorf("drawn, %d panes, routes to %d places in the courtyard", len(m.Plan.Glass), n)
	}
}

func TestAPaneIsDrawnAsFarAsThePictureReaches(t *testing.T) {
	g := &robot.Grid{Width: 20, Height: 20, Resolution: 0.05, Cells: make([]robot.Cell, 400)}
	part, ok := clipToGrid(robot.Segment{A: robot.Point{X: -3, Y: 0.5}, B: robot.Point{X: 5, Y: 0.5}}, g)
	if !ok || part.A.X < 0 || part.A.X > 0.06 || part.B.X < 0.94 || part.B.X > 1 || math.Abs(part.A.Y-0.5) > 1e-9 {
		t.Errorf("%v %v", part, ok)
	}
	for _, l := range []robot.Segment{{A: robot.Point{X: -3, Y: 2}, B: robot.Point{X: 5, Y: 2}}, {A: robot.Point{X: 0.95, Y: 0.5}, B: robot.Point{X: 5, Y: 0.5}}} {
		if part, ok := clipToGrid(l, g); ok {
			t.Errorf("of %v is drawn %v", l, part)
		}
	}
}
