package onboard

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/behavior"
	"mybot/robot/limits"
	"mybot/robot/models"
	"mybot/robot/rollout"
)

// corridor is a floor of 14 m x 2.6 m between walls, with its middle along x from 0.
func corridor() *robot.Floorplan {
	g := robot.Grid{Width: 300, Height: 60, Resolution: 0.05, Origin: robot.Point{X: -0.5, Y: -1.5}}
	inside := func(p robot.Point) bool { return p.X > 0 && p.X < 14 && math.Abs(p.Y) < 1.3 }
	for j := range g.Height {
		for i := range g.Width {
			state := robot.Occupied
			if inside(robot.Point{X: g.Origin.X + (float64(i)+0.5)*g.Resolution, Y: g.Origin.Y + (float64(j)+0.5)*g.Resolution}) {
				state = robot.Free
			}
			g.Cells = append(g.Cells, state)
		}
	}
	return &robot.Floorplan{Grid: g, Lines: []robot.Segment{wall(0, -1.3, 14, -1.3), wall(0, 1.3, 14, 1.3), wall(0, -1.3, 0, 1.3), wall(14, -1.3, 14, 1.3)}}
}

// twoCorridors is a floor of 14 m x 5.9 m with a wall in the middle, from 3 m to 11 m, between
// a corridor along y = 0 and one along y = 3.3.
func twoCorridors() *robot.Floorplan {
	plan := corridor()
	g := &plan.Grid
	g.Height, g.Cells = 150, nil
	for j := range g.Height {
		for i := range g.Width {
			p := robot.Point{X: g.Origin.X + (float64(i)+0.5)*g.Resolution, Y: g.Origin.Y + (float64(j)+0.5)*g.Resolution}
			state := robot.Occupied
			if p.X > 0 && p.X < 14 && p.Y > -1.3 && p.Y < 4.6 && (p.X < 3 || p.X > 11 || p.Y < 1.3 || p.Y > 2) {
				state = robot.Free
			}
			g.Cells = append(g.Cells, state)
		}
	}
	plan.Lines = []robot.Segment{
		wall(0, -1.3, 14, -1.3), wall(0, 4.6, 14, 4.6), wall(0, -1.3, 0, 4.6), wall(14, -1.3, 14, 4.6),
		wall(3, 1.3, 11, 1.3), wall(3, 2, 11, 2), wall(3, 1.3, 3, 2), wall(11, 1.3, 11, 2),
	}
	return plan
}

// walk is a robot with a lidar that is sent along the corridor, and a replay of it that
// must do the same.
type walk struct {
	t       *testing.T
	world   *sim.World
	core    *Core
	replies []robot.Reply
	replay  *Replay
	again   *pathplan.Planner // of the replay
	state   robot.State
	told    robot.Twist
	now     time.Time
	said    []string // the states of its behavior, in order, and their sentences
	bumps   int
	pressed bool // the bumper is, whatever the robot touches
}

func newWalk(t *testing.T, people []sim.Person, things ...sim.Obstacle) *walk {
	t.Helper()
	return newWalkOn(t, corridor(), robot.Pose{X: 1}, people, things...)
}

func newWalkOn(t *testing.T, plan *robot.Floorplan, start robot.Pose, people []sim.Person, things ...sim.Obstacle) *walk {
	t.Helper()
	return newWalkOf(t, builtIn(t, models.LidarName), plan, start, people, things...)
}

// newWalkOf is newWalkOn with another robot.
func newWalkOf(t *testing.T, desc robot.Description, plan *robot.Floorplan, start robot.Pose, people []sim.Person, things ...sim.Obstacle) *walk {
	t.Helper()
	scene := sim.DefaultScene()
	scene.Start, scene.People, scene.Obstacles = start, people, things
	w := &walk{t: t, world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Epoch: epoch})}
	planner := pathplan.NewPlanner(plan, desc)
	w.core = NewCore(desc, localization.NewOdometry(desc, scene.Start), planner)
	w.core.noteReply = func(r robot.Reply) { w.replies = append(w.replies, r) }
	w.replay, w.again = NewReplay(desc, planner.Clearance), pathplan.NewPlanner(plan, desc)
	w.wait(200 * time.Millisecond)
	return w
}

func (w *walk) do(cmd robot.Command) {
	w.t.Helper()
	r := w.core.Do(w.now, cmd)
	w.answerReplay()
	if again := w.replay.Do(w.now, cmd, w.core.estimate); r.Word != robot.Success || again.Word != r.Word {
		w.t.Fatalf("%T is answered %v, again %v", cmd, r, again)
	}
}

// answerReplay tells the replay what the core was answered.
func (w *walk) answerReplay() {
	for _, r := range w.replies {
		if r.Path != nil { // a path of its own, as it is read from a recording
			text, err := json.Marshal(r.Path)
			if err != nil {
				w.t.Fatal(err)
			}
			if r.Path, err = w.again.ReadPath(text); err != nil {
				w.t.Fatal(err)
			}
		}
		w.replay.Answer(r)
	}
	w.replies = w.replies[:0]
}

// wait lets time pass.
func (w *walk) wait(d time.Duration) {
	w.t.Helper()
	for range int(d / (20 * time.Millisecond)) {
		r := w.world.Step()
		w.now, r.Bump = r.Time, r.Bump || w.pressed
		w.core.Arrive(r.Time, r.Time)
		w.told, w.state = w.core.Tick(r)
		w.answerReplay()
		if again := w.replay.Tick(r.Time, r, w.core.estimate); again != w.told {
			w.t.Fatalf("in the states %v it is told %v, and computed again %v", w.said, w.told, again)
		}
		if err := w.world.Drive(w.told); err != nil {
			w.t.Fatal(err)
		}
		if truth := w.world.Truth(); truth.Contact && !truth.Twist.IsStill() {
			w.bumps++
		}
		g := w.state.Goal
		if g == nil || g.Phase != robot.GoalDriving && g.Phase != robot.GoalBlocked {
			continue
		}
		b := g.Behavior
		if b.Sentence == "" {
			w.t.Fatalf("on its way it is in the state %q without a sentence", b.State)
		}
		if b.State == "wait" && g.Phase != robot.GoalBlocked || g.Phase == robot.GoalBlocked && b.State != "wait" && b.State != "free" && b.State != "yield" || (g.Phase == robot.GoalBlocked) != (g.Blocked != nil) {
			w.t.Fatalf("in the state %q the goal is %+v", b.State, *g)
		}
		if !slices.Contains(w.said, b.State) {
			w.said = append(w.said, b.State)
		}
	}
}

// arrives waits until the goal ends, and returns after how long it did.
func (w *walk) arrives(most time.Duration) time.Duration {
	w.t.Helper()
	begun := w.now
	for w.state.Goal == nil || w.state.Goal.Phase != robot.GoalEnded {
		if w.wait(100 * time.Millisecond); w.now.Sub(begun) > most {
			w.t.Fatalf("after %v it is at %.2v in the states %v, the goal is %+v", most, w.world.Truth().Pose, w.said, *w.state.Goal)
		}
	}
	if !w.state.Goal.Result.Done() || w.bumps > 0 {
		w.t.Fatalf("the goal ends %+v with %d bumps", w.state.Goal.Result, w.bumps)
	}
	return w.now.Sub(begun)
}

func TestARobotWithALidarDrivesAroundWhatStandsWithoutStopping(t *testing.T) {
	computesLong(t)
	free := newWalk(t, nil)
	free.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	alone := free.arrives(time.Minute)
	w := newWalk(t, nil, sim.Obstacle{Name: "barrel", Point: robot.Point{X: 6, Y: 0.1}, Radius: 0.25})
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	if took := w.arrives(time.Minute); took > alone+3*time.Second || !slices.Equal(w.said, []string{"follow"}) {
		t.Errorf("it takes %v, alone %v, in the states %v", took, alone, w.said)
	}
}

// barrels are four that bar a corridor 8 m from its beginning.
func barrels() (things []sim.Obstacle) {
	for _, y := range []float64{-0.9, -0.3, 0.3, 0.9} {
		things = append(things, sim.Obstacle{Name: "barrel", Point: robot.Point{X: 8, Y: y}, Radius: 0.25})
	}
	return things
}

func TestARobotTakesADetourBeforeItGetsToWhatBarsItsPath(t *testing.T) {
	computesLong(t)
	w := newWalkOn(t, twoCorridors(), robot.Pose{X: 1}, nil, barrels()...)
	w.do(robot.GoTo{Goal: robot.Pose{X: 13}})
	nearest := math.Inf(1)
	for w.state.Goal == nil || w.state.Goal.Phase != robot.GoalEnded {
		if w.wait(100 * time.Millisecond); w.now.Sub(epoch) > 90*time.Second {
			t.Fatalf("it is at %.2v in the states %v", w.world.Truth().Pose, w.said)
		}
		if at := w.world.Truth().Pose.Point(); at.Y < 1.3 {
			nearest = min(nearest, math.Abs(8-at.X))
		}
	}
	if nearest < 2.5 || !slices.Equal(w.said, []string{"follow"}) {
		t.Errorf("it comes to %.1f m before the barrels, in the states %v", nearest, w.said)
	}
}

// The person walks back and forth behind the robot.
func TestOnItsWayARobotLooksForNoDetourWhileAPersonIsInSight(t *testing.T) {
	computesLong(t)
	ana := sim.Person{Name: "Ana", Speed: 0.8, Radius: 0.25, Route: []sim.RouteStop{{Point: robot.Point{X: 1.2, Y: 0.9}}, {Point: robot.Point{X: 2.4, Y: 0.9}}}}
	w := newWalkOn(t, twoCorridors(), robot.Pose{X: 3}, []sim.Person{ana}, barrels()...)
	w.do(robot.GoTo{Goal: robot.Pose{X: 13}})
	l, seen := w.core.navigator.local, 0
	for w.world.Truth().Pose.X < 5 && w.now.Sub(epoch) < 10*time.Second {
		w.wait(20 * time.Millisecond)
		if _, ok := l.nearestBlock(w.core.navigator.run.goal.Done); !ok || len(l.layer.People()) == 0 {
			continue
		}
		if seen++; l.order.Look {
			t.Fatalf("at %.2v it looks for another way", w.world.Truth().Pose)
		}
	}
	if seen < 25 {
		t.Errorf("in %d readings the robot sees the barrels and the person, want 25 at least", seen)
	}
}

func TestItWaitsWhereNoWayIsLeftAndContinuesByItself(t *testing.T) {
	computesLong(t)
	w := newWalk(t, nil)
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	w.wait(2 * time.Second)
	var ids []int
	for _, y := range []float64{-0.9, -0.3, 0.3, 0.9} {
		id, err := w.world.AddThing(sim.ObstacleKind, robot.Point{X: 6, Y: y}, 0.25)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	w.wait(25 * time.Second)
	if g := w.state.Goal; g.Phase != robot.GoalBlocked || g.Blocked.Waited < 5 || g.Blocked.At.Sub(robot.Point{X: 6}).Norm() > 1.2 || !w.told.IsZero() {
		t.Fatalf("before what bars the corridor the goal is %+v, told %v, in the states %v", *g, w.told, w.said)
	}
	for _, id := range ids {
		if err := w.world.RemoveThing(id); err != nil {
			t.Fatal(err)
		}
	}
	if took := w.arrives(40 * time.Second); took > 30*time.Second {
		t.Errorf("when the way is free it takes %v", took)
	}
}

func TestAPersonWhoComesIsLetThroughAndNobodyHasToHelp(t *testing.T) {
	computesLong(t)
	ana := sim.Person{Name: "Ana", Speed: 1, Radius: 0.25, Inattentive: true, Route: []sim.RouteStop{{Point: robot.Point{X: 13}}, {Point: robot.Point{X: 1.5, Y: 0.9}, Pause: 60}}}
	w := newWalk(t, []sim.Person{ana})
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	if took := w.arrives(time.Minute); took > 40*time.Second {
		t.Errorf("it takes %v in the states %v", took, w.said)
	}
}

// In each state of the table STOP, a driver and a halt for the goal end all motion, and
// nothing moves afterwards until a person continues it.
func TestInEachStateOfTheTableAStopStopsAndADriverTakesOver(t *testing.T) {
	computesLong(t)
	bar := func(w *walk) {
		for _, y := range []float64{-0.9, -0.3, 0.3, 0.9} {
			if _, err := w.world.AddThing(sim.ObstacleKind, robot.Point{X: 4, Y: y}, 0.25); err != nil {
				t.Fatal(err)
			}
		}
	}
	for state, c := range map[string]struct {
		people []sim.Person
		begin  func(w *walk)
	}{
		"follow": {nil, func(*walk) {}},
		"replan": {nil, bar},
		"wait":   {nil, bar},
		"yield": {[]sim.Person{
			{Name: "Ana", Speed: 0.9, Radius: 0.25, Inattentive: true, Route: []sim.RouteStop{{Point: robot.Point{X: 13, Y: 0.3}}, {Point: robot.Point{X: 0.5, Y: 0.3}, Pause: 60}}},
			{Name: "Ben", Speed: 0.9, Radius: 0.25, Inattentive: true, Route: []sim.RouteStop{{Point: robot.Point{X: 13, Y: -0.3}}, {Point: robot.Point{X: 0.5, Y: -0.3}, Pause: 60}}},
		}, func(*walk) {}},
	} {
		for what, cmd := range map[string]robot.Command{
			"STOP": robot.Stop{By: "Jin"}, "a driver": drive(0.1, 0), "a handover": robot.Halt{Reason: "Ana has control.", Goal: true},
		} {
			w := newWalk(t, c.people)
			w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
			w.wait(time.Second)
			c.begin(w)
			for n := 0; w.state.Goal.Behavior.State != state; n++ {
				if w.wait(20 * time.Millisecond); n > 40*50 {
					t.Fatalf("it never is in the state %s, but in %v", state, w.said)
				}
			}
			w.do(cmd)
			w.wait(2 * time.Second)
			at := w.world.Truth().Pose
			w.wait(3 * time.Second)
			if g := w.state.Goal; g.Phase != robot.GoalPaused || g.Behavior != (robot.Behavior{}) || !w.told.IsZero() || w.world.Truth().Pose.Point().Sub(at.Point()).Norm() > 0.002 {
				t.Errorf("in the state %s, after %s the goal is %s, told %v", state, what, g.Phase, w.told)
			}
		}
	}
}

func TestTheGuardHasTheLastWordOnTheLocalController(t *testing.T) {
	computesLong(t)
	w := newWalk(t, nil)
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	w.wait(3 * time.Second)
	// Something is put down 0.4 m ahead of it at full speed.
	hull := w.core.desc.Body.Length / 2
	if _, err := w.world.AddThing(sim.ObstacleKind, w.world.Truth().Pose.Apply(robot.Point{X: hull + 0.4 + 0.2}), 0.2); err != nil {
		t.Fatal(err)
	}
	if w.arrives(time.Minute); w.bumps > 0 {
		t.Errorf("it touches it %d times", w.bumps)
	}
}

func TestWithoutScansTheRobotStandsAsFarFromThingsAsBefore(t *testing.T) {
	w := newWalk(t, nil)
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	w.wait(time.Second)
	if got := w.core.navigator.stopDistance(robot.Twist{Linear: 0.3}); got != limits.NearStopDistance {
		t.Errorf("with scans the guard stands at %.2f m", got)
	}
	for range 20 { // without a scan
		w.core.Tick(robot.Reading{Time: w.core.reading.Time.Add(20 * time.Millisecond), Ranges: slices.Repeat([]float64{math.NaN()}, len(w.core.desc.Sonars))})
	}
	w.core.navigator.run.clearance = math.Inf(1)
	if got := w.core.navigator.stopDistance(robot.Twist{Linear: 0.3}); got != limits.StopDistance {
		t.Errorf("without them it stands at %.2f m", got)
	}
}

// A lidar that measures nothing ahead, or never looks there, has not planned for what is there.
func TestALidarThatIsBlindAheadLetsTheRobotComeNoNearer(t *testing.T) {
	for _, c := range []struct {
		name         string
		from, to     float64     // deg: where it measures nothing
		masked       *[2]float64 // deg: where it does not look
		linear, want float64
	}{
		{"it sees all around", 0, 0, nil, 0.3, limits.NearStopDistance},
		{"nothing ahead", -40, 40, nil, 0.3, limits.StopDistance},
		{"nothing ahead on the left", 10, 50, nil, 0.3, limits.StopDistance},
		{"nothing behind, and the robot drives ahead", 140, 220, nil, 0.3, limits.NearStopDistance},
		{"nothing behind, and it backs up", 140, 220, nil, -0.15, limits.StopDistance},
		{"it looks back alone", 0, 0, &[2]float64{-90, 90}, 0.3, limits.StopDistance},
		{"it looks back alone, and the robot backs up", 0, 0, &[2]float64{-90, 90}, -0.15, limits.NearStopDistance},
		{"it looks to the right of ahead alone", 0, 0, &[2]float64{15, 170}, 0.3, limits.StopDistance},
		{"a post stands before it", 0, 0, &[2]float64{-4, 4}, 0.3, limits.NearStopDistance},
	} {
		t.Run(c.name, func(t *testing.T) {
			desc := builtIn(t, models.LidarName)
			lidar := &desc.Lidars[0]
			if c.masked != nil {
				lidar.Mask = []robot.Sector{{From: robot.Radians(c.masked[0]), To: robot.Radians(c.masked[1])}}
			}
			core := NewCore(desc, localization.NewOdometry(desc, robot.Pose{}), nil)
			for n := range 30 {
				scan := robot.Scan{Time: epoch.Add(time.Duration(n) * 100 * time.Millisecond), Ranges: make([]float64, lidar.Beams)}
				for i := range scan.Ranges {
					scan.Ranges[i] = 2 + 1e-3*float64(i) + 1e-6*float64(n)
					at := math.Mod(robot.Degrees(lidar.Pose.Theta+lidar.Bearing(i))+720, 360)
					if at > c.from && at < c.to || at-360 > c.from && at-360 < c.to {
						scan.Ranges[i] = math.NaN()
					}
				}
				core.Tick(robot.Reading{Time: scan.Time, Ranges: slices.Repeat([]float64{math.NaN()}, len(desc.Sonars)), Scans: []robot.Scan{scan}})
			}
			if got := core.navigator.stopDistance(robot.Twist{Linear: c.linear}); got != c.want {
				t.Errorf("the guard stands at %.2f m, want %.2f", got, c.want)
			}
		})
	}
}

func TestThePathIsPlannedAnewWhereTheRobotHasLeftIt(t *testing.T) {
	ahead, turning, back := robot.Twist{Linear: 0.2, Angular: 0.1}, robot.Twist{Angular: 0.5}, robot.Twist{Linear: -0.15}
	for _, c := range []struct {
		name   string
		across float64
		exact  bool
		told   robot.Twist
		want   bool
	}{
		{"in a lane beside it", 1.2, false, ahead, false},
		{"far beside it", -1.9, false, ahead, true},
		{"on its last part", 0.05, true, ahead, false},
		{"beside its last part", -0.15, true, ahead, true},
		{"turning at its end", 0.15, true, turning, false},
		{"backing into the goal, across the path", 0.8, true, back, false},
	} {
		if got := isOffPath(robot.Progress{Across: c.across, Exact: c.exact}, c.told); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Things stand on both sides of a robot that faces away from its goal.
func TestARobotThatCannotTurnMovesToWhereItCan(t *testing.T) {
	computesLong(t)
	for _, c := range []struct {
		name   string
		things []sim.Obstacle
	}{
		{"between two things", []sim.Obstacle{
			{Name: "left", Point: robot.Point{X: 4, Y: 0.38}, Radius: 0.1},
			{Name: "right", Point: robot.Point{X: 4, Y: -0.38}, Radius: 0.1},
		}},
		{"with its nose in a corner", []sim.Obstacle{
			{Name: "left", Point: robot.Point{X: 3.8, Y: 0.37}, Radius: 0.1},
			{Name: "right", Point: robot.Point{X: 3.8, Y: -0.37}, Radius: 0.1},
			{Name: "ahead", Point: robot.Point{X: 3.4}, Radius: 0.2},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWalkOn(t, corridor(), robot.Pose{X: 4, Theta: math.Pi}, nil, c.things...)
			w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
			for n := 0; !slices.Contains(w.said, "free"); n++ {
				if w.wait(100 * time.Millisecond); n > 30 {
					t.Fatalf("after 3 s it does not free itself: %v", w.said)
				}
			}
			if took := w.arrives(45 * time.Second); slices.Contains(w.said, "wait") {
				t.Errorf("it takes %v in the states %v", took, w.said)
			}
		})
	}
}

func TestWithoutARearViewARobotFreesItselfBackwardByThirtyCentimetresAtMost(t *testing.T) {
	computesLong(t)
	desc := builtIn(t, models.LidarName)
	desc.Lidars = slices.Clone(desc.Lidars)
	desc.Lidars[0].Mask = append(slices.Clone(desc.Lidars[0].Mask), robot.Sector{From: robot.Radians(120), To: robot.Radians(-120)})
	w := newWalkOf(t, desc, corridor(), robot.Pose{X: 4, Theta: math.Pi}, nil,
		sim.Obstacle{Name: "left", Point: robot.Point{X: 3.8, Y: 0.37}, Radius: 0.1},
		sim.Obstacle{Name: "right", Point: robot.Point{X: 3.8, Y: -0.37}, Radius: 0.1},
		sim.Obstacle{Name: "ahead", Point: robot.Point{X: 3.4}, Radius: 0.2})
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	from, was := 0.0, behavior.Follow
	for range 20 * 50 {
		w.wait(20 * time.Millisecond)
		l, x := w.core.navigator.local, w.world.Truth().Pose.X
		if l.order.State != was {
			from, was = x, l.order.State
		}
		if l.order.State == behavior.Free && (len(l.back.points) > 0 || x > from+0.35) {
			t.Fatalf("it has backed up from %.2f to %.2f m, on %d points", from, x, len(l.back.points))
		}
	}
	if !slices.Contains(w.said, "free") || w.bumps > 0 {
		t.Errorf("it was in the states %v and bumped %d times", w.said, w.bumps)
	}
}

// A turn that the robot has only waited to begin is not one in which the guard holds it.
func TestTheTimeOfATurnStartsWhenTheRobotFollowsItsPathAgain(t *testing.T) {
	l := &localDrive{}
	for _, c := range []struct {
		at    time.Duration
		state behavior.State
		turns bool
		want  time.Duration
	}{
		{0, behavior.Follow, true, 0},
		{time.Second, behavior.Follow, true, time.Second},
		{2 * time.Second, behavior.Yield, true, 0},
		{5 * time.Second, behavior.Follow, true, 0},
		{6 * time.Second, behavior.Follow, true, time.Second},
		{7 * time.Second, behavior.Follow, false, 0},
		{8 * time.Second, behavior.Follow, true, 0},
	} {
		l.order.State = c.state
		if took := l.turnsFor(epoch.Add(c.at), c.turns); took != c.want {
			t.Errorf("after %v it has turned for %v, want %v", c.at, took, c.want)
		}
	}
}

// The guard may let a robot that frees itself go no further than a few centimetres, or not begin.
func TestAMotionToGetFreeInWhichTheRobotStandsIsOverAfterASecond(t *testing.T) {
	for _, c := range []struct {
		name  string
		moves robot.Pose // in each tenth of a second,
		till  int        // until this one
		want  int        // the tenth at which the motion is over
	}{
		{"it never begins", robot.Pose{X: -0.015}, 0, 10},
		{"it is held at once", robot.Pose{X: -0.015}, 2, 12},
		{"it is held in the middle", robot.Pose{X: -0.015}, 8, 18},
		{"the estimate trembles", robot.Pose{X: 0.008}, 1, 10},
		{"it turns", robot.Pose{Theta: 0.06}, 5, 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, axle, over := &localDrive{freeAt: epoch, movedAt: epoch}, robot.Pose{}, 0
			for n := 1; n < 20 && over == 0; n++ {
				if n <= c.till {
					axle = axle.Compose(c.moves)
				}
				if l.isFree(epoch.Add(time.Duration(n)*100*time.Millisecond), axle) {
					over = n
				}
			}
			if over != c.want {
				t.Errorf("the motion is over after %d tenths of a second, want %d", over, c.want)
			}
		})
	}
}

// The thing is a little nearer to the goal than the guard lets the robot come to it.
func TestARobotThatTheGuardHoldsWithinTheToleranceOfItsGoalHasArrived(t *testing.T) {
	computesLong(t)
	goal, front := robot.Pose{X: 8}, 0.0
	for _, h := range builtIn(t, models.LidarName).Body.Outline() {
		front = math.Max(front, h.X)
	}
	for _, within := range []float64{0.01, 0.02, 0.03} {
		w := newWalk(t, nil, sim.Obstacle{Name: "barrel", Point: robot.Point{X: goal.X + front + limits.NearStopDistance - within + 0.25}, Radius: 0.25})
		w.do(robot.GoTo{Goal: goal})
		if took := w.arrives(time.Minute); took > 19*time.Second || !slices.Equal(w.said, []string{"follow"}) || w.state.Goal.Off > limits.ArriveWithin {
			t.Errorf("held %.2f m before its goal, it takes %v in the states %v, and ends %.2f m from it", within, took, w.said, w.state.Goal.Off)
		}
	}
}

// onlyGains is a local controller that promises some progress and stands.
type onlyGains struct {
	LocalController
	choice rollout.Choice
}

func (c *onlyGains) Choose(*rollout.Situation) rollout.Choice { return c.choice }
func (c *onlyGains) Last() rollout.Choice                     { return c.choice }
func (c *onlyGains) Steer(*rollout.Situation) robot.Twist     { return robot.Twist{} }

func TestARobotThatWaitsDrivesOnForLessIfItGetsPastEverything(t *testing.T) {
	computesLong(t)
	for _, c := range []struct {
		name  string
		gain  float64
		meets bool
		want  string
	}{
		{"it promises little", 0.2, false, "wait"},
		{"past everything, as far as the robot drives slowly in the horizon", 0.3, false, "follow"},
		{"as far, up to an obstacle", 0.3, true, "wait"},
		{"farther, up to an obstacle", 0.6, true, "follow"},
	} {
		w := newWalk(t, nil)
		for _, y := range []float64{-0.9, -0.3, 0.3, 0.9} {
			if _, err := w.world.AddThing(sim.ObstacleKind, robot.Point{X: 4, Y: y}, 0.25); err != nil {
				t.Fatal(err)
			}
		}
		w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
		for w.state.Goal == nil || w.state.Goal.Behavior.State != "wait" {
			w.wait(time.Second)
		}
		control := &onlyGains{w.core.navigator.local.control, rollout.Choice{OK: true, Gain: c.gain, Meets: c.meets}}
		w.core.UseLocalController(control)
		w.replay.core.UseLocalController(control)
		if w.wait(200 * time.Millisecond); w.state.Goal.Behavior.State != c.want {
			t.Errorf("%s: it is in the state %q", c.name, w.state.Goal.Behavior.State)
		}
	}
}

func TestARobotOnItsWaySaysThatItsBumperIsPressed(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.core.usePlanner(&floor{})
	p.order(t, robot.GoTo{Goal: robot.Pose{X: 5}})
	p.wait(3 * time.Second)
	p.pressed = true
	p.wait(time.Second)
	if g := p.state.Goal; p.motion.Twist.Linear > 0 || !strings.HasPrefix(g.Behavior.Sentence, "The bumper is pressed.") {
		t.Errorf("with a pressed bumper it drives %v and says %q", p.motion.Twist, g.Behavior.Sentence)
	}
	for range 60 * 50 {
		if p.tick(); p.state.Goal.Phase == robot.GoalBlocked {
			break
		}
	}
	if g := p.state.Goal; g.Blocked == nil || !strings.HasPrefix(g.Blocked.Reason, "The bumper is pressed.") {
		t.Errorf("after a minute with a pressed bumper the goal is %+v", g)
	}
	p.pressed = false
	p.wait(20 * time.Millisecond)
	if g := p.state.Goal; strings.Contains(g.Behavior.Sentence, "bumper") {
		t.Errorf("with a free bumper it says %q", g.Behavior.Sentence)
	}
}

func TestARobotWhoseWheelsDoNotTurnDoesNotSayThatSomethingIsInTheWay(t *testing.T) {
	for _, model := range []string{models.LidarName, models.MybotName} {
		w := newWalkOf(t, builtIn(t, model), corridor(), robot.Pose{X: 1}, nil)
		w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
		w.wait(4 * time.Second)
		charge := func(full float64) {
			if err := w.world.SetCharge(full); err != nil {
				t.Fatal(err)
			}
		}
		charge(0)
		for range 30 {
			w.wait(time.Second)
			g := w.state.Goal
			if g.Blocked != nil && g.Blocked.Reason != wheelsStand || g.Behavior.Sentence == "Something is in the way. The robot waits until it is gone." {
				t.Fatalf("%s: the goal says %q, and %+v", model, g.Behavior.Sentence, g.Blocked)
			}
		}
		if g := w.state.Goal; g.Behavior.Sentence != wheelsStand || g.Phase != robot.GoalBlocked {
			t.Errorf("%s: %v with %q", model, g.Phase, g.Behavior.Sentence)
		}
		charge(1)
		w.arrives(90 * time.Second)
	}
}

// The lidar is covered ahead, and a barrel stands there that it has never seen.
func TestARobotThatIsBlindAheadGoesNowhereByItself(t *testing.T) {
	const why = "No sonar and no lidar of this robot measures in time what is ahead. It sees no obstacles there."
	w := newWalk(t, nil)
	w.do(robot.GoTo{Goal: robot.Pose{X: 11}})
	w.wait(3 * time.Second)
	if _, err := w.world.AddThing(sim.ObstacleKind, w.world.Truth().Pose.Apply(robot.Point{X: 1.5}), 0.2); err != nil {
		t.Fatal(err)
	}
	lidar := w.core.desc.Lidars[0]
	covered := func(d time.Duration) {
		for range int(d / (20 * time.Millisecond)) {
			r := w.world.Step()
			for i := range r.Scans {
				for beam := range r.Scans[i].Ranges {
					if math.Abs(robot.WrapAngle(lidar.Pose.Theta+lidar.Bearing(beam))) < 1 {
						r.Scans[i].Ranges[beam] = math.NaN()
					}
				}
			}
			w.now = r.Time
			w.core.Arrive(r.Time, r.Time)
			w.told, w.state = w.core.Tick(r)
			if err := w.world.Drive(w.told); err != nil {
				t.Fatal(err)
			}
			if w.world.Truth().Contact {
				t.Fatalf("at %.2v it touches the barrel", w.world.Truth().Pose)
			}
		}
	}
	covered(20 * time.Second)
	if g := w.state.Goal; g.Phase != robot.GoalPaused || g.Result.Reason != why {
		t.Errorf("the goal is %v: %q", g.Phase, g.Result.Reason)
	}
	if r := w.core.Do(w.now, robot.Resume{}); r.Word != robot.NA || r.Reason != why+byItself {
		t.Errorf("Resume is answered %v", r)
	}
	if r := w.core.Do(w.now, robot.Drive{Twist: robot.Twist{Linear: -0.3}}); r.Word != robot.Success {
		t.Errorf("a driver who backs away is answered %v", r)
	}
}
