package rollout

import (
	"math"
	"testing"

	"mybot/robot"
	"mybot/robot/limits"
)

// still returns a rollout of a point that stands at the start of a straight path.
func still(out Obstacles) *rollout {
	c := pointRobot()
	s := &Situation{Pose: robot.Pose{X: -0.4}, Path: straight(20, 0.5), End: 20, MaxSpeed: 0.5, Obstacles: out}
	c.prepare(s)
	r := &rollout{c: c, s: s, wall: wall, person: person}
	r.restart()
	return r
}

func TestAStepTooNearToSomethingEndsARollout(t *testing.T) {
	const steps = 20
	for _, c := range []struct {
		name       string
		far        float64 // m, from what stands
		end, exact float64
		hit        Term
		passes     bool
		early      float64
	}{
		{"far away", 1, 20, 0, Progress, false, 0},
		{"just far enough not to be slow", limits.ScanPassingMargin, 20, 0, Progress, false, 0},
		{"where it must be slow", below(limits.ScanPassingMargin), 20, 0, Progress, true, 0},
		{"as near as it may come", wall, 20, 0, Progress, true, 0},
		{"too near", below(wall), 20, 0, Tight, true, 0},
		{"too near before the exact end", 0, 0.35, 0.35, Tight, true, 0},
		{"near on the exact end", 0, 0.35, above(0.35), Progress, true, 0},
		{"not quite at the end", 1, Spacing / 2, 0, Progress, false, 0},
		{"at the end", 1, below(Spacing / 2), 0, Progress, false, (steps - 1) * period},
	} {
		r := still(allOver(c.far))
		r.s.End, r.s.Exact = c.end, c.exact
		on := r.step(0, steps, robot.Twist{Angular: 0.2})
		if on {
			on = r.step(1, steps, robot.Twist{Angular: 0.2})
		}
		if on == r.meets() || r.hit != c.hit || r.passes != c.passes || math.Abs(r.early-c.early) > 1e-9 {
			t.Errorf("%s: goes on %v, hits %s, passes %v, is there %.2f s early", c.name, on, Names[r.hit], r.passes, r.early)
		}
	}
}

func TestARolloutMeetsAPersonWhereItComesTooNearToThem(t *testing.T) {
	for _, c := range []struct {
		name           string
		tooNear, tight bool
		hit            Term
	}{
		{"as near as it may come", false, false, Progress},
		{"too near", true, false, Near},
		{"as near as it may come, and too near to a wall", false, true, Tight},
		{"too near, and too near to a wall", true, true, Near},
	} {
		r := still(&scene{walls: []float64{1}, discs: []robot.Track{stander(1, 0)}})
		if _, r.person = r.clearance(period); c.tooNear {
			r.person = above(r.person)
		}
		if c.tight {
			r.wall = 2
		}
		if r.step(0, 20, robot.Twist{Angular: 0.2}); r.hit != c.hit {
			t.Errorf("%s: it hits %s", c.name, Names[r.hit])
		}
	}
}

func TestARobotThatHardlyMovesStands(t *testing.T) {
	for twist, moves := range map[robot.Twist]bool{
		{Linear: rest}: false, {Linear: -above(rest)}: true, {Angular: 2 * rest}: false, {Angular: -above(2 * rest)}: true,
	} {
		if r := (&rollout{twist: twist}); r.moves() != moves {
			t.Errorf("with %v it moves: %v", twist, r.moves())
		}
	}
}

func TestAPlaceInFrontOfSomebodyCostsTheMoreTheSoonerTheyAreThere(t *testing.T) {
	for _, c := range []struct {
		name  string
		speed float64 // m/s, along x
		at    robot.Point
		after float64 // s
		want  float64
	}{
		{"1 s ahead", 1, robot.Point{X: 1}, 0, 0.5},
		{"1.5 s ahead", 1, robot.Point{X: 1.5}, 0, 0.25},
		{"1 s ahead of where they are in 1 s", 1, robot.Point{X: 2}, 1, 0.5},
		{"1 s ahead of where they are as long as that can be known", 1, robot.Point{X: 1 + limits.TrackPrediction}, 5, 0.5},
		{"too far ahead", 1, robot.Point{X: 2.5}, 0, 0},
		{"at the edge of their way", 1, robot.Point{X: 1, Y: -frontAside}, 0, 0.5},
		{"beside their way", 1, robot.Point{X: 1, Y: above(frontAside)}, 0, 0},
		{"beside them", 1, robot.Point{Y: 0.3}, 0, 0},
		{"behind them", 1, robot.Point{X: -0.1}, 0, 0},
		{"ahead of somebody slow", limits.TrackStands, robot.Point{X: limits.TrackStands}, 0, 0.5},
		{"ahead of somebody who stands", below(limits.TrackStands), robot.Point{X: limits.TrackStands}, 0, 0},
	} {
		d := walker(0, 0, c.speed, 0)
		if got := inFront(&d, c.at, c.after); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSomebodyWhoComesIsMetAfterTheRollout(t *testing.T) {
	for _, c := range []struct {
		name  string
		who   robot.Track
		after float64 // s
		want  float64
	}{
		{"in 1 s", walker(1, 0, -1, 0), 0, 0.75},
		{"in 2 s", walker(3, 0, -1, 0), 1, 0.5},
		{"in 1 s after as long as can be known", walker(1+limits.TrackPrediction, 0, -1, 0), 5, 0.75},
		{"too late", walker(4.5, 0, -1, 0), 0, 0},
		{"slowly", walker(closing, 0, -closing, 0), 0, 0.75},
		{"too slowly", walker(closing, 0, -below(closing), 0), 0, 0},
		{"who is just passing", walker(0, 0.5, -1, 0), 0, 0},
		{"who goes away", walker(1, 0, 1, 0), 0, 0},
		{"at a distance", walker(1, 0.82, -1, 0), 0, 0.75 / 4},
	} {
		r := still(&scene{})
		r.pose = robot.Pose{}
		if got := r.meeting(&c.who, c.after); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v s, want %v s", c.name, got, c.want)
		}
	}
}

func TestTheControlLawLeadsToALaneAndAlongIt(t *testing.T) {
	limit := mybot().Safe
	most := turnShare * limit.Angular
	spot := func(turn float64) robot.Twist {
		w := math.Min(most, math.Sqrt(brakeShare*limit.AngularAcceleration*math.Abs(turn)))
		return robot.Twist{Angular: math.Copysign(w, turn)}
	}
	curve := func(v, turn, across float64) robot.Twist {
		return robot.Twist{Linear: v, Angular: v * robot.Deviation{Turn: turn, Across: across}.Curvature()}
	}
	const start = limits.RouteStartTurnFrom
	line, round, tight, short := straight(20, 0.5), arc(2, 9), arc(1, 6), straight(0.5, 0.5)
	for _, c := range []struct {
		name          string
		path          []robot.PathPoint
		y, theta, v   float64 // of the robot
		lane, most    float64 // m, m/s
		want          robot.Twist
		turnsOnTheWay bool
	}{
		{"straight on", line, 0, 0, 0.5, 0, 0.5, robot.Twist{Linear: 0.5}, false},
		{"at less speed", line, 0, 0, 0.5, 0, 0.3, robot.Twist{Linear: 0.3}, false},
		{"at the speed of the path", straight(20, 0.2), 0, 0, 0.5, 0, 0.5, robot.Twist{Linear: 0.2}, false},
		{"at the least speed", straight(20, 0), 0, 0, 0.5, 0, 0.5, robot.Twist{Linear: limits.RouteCreep}, false},
		{"to the end", short, 0, 0, 0.5, 0, 0.5, robot.Twist{Linear: math.Sqrt(2 * brakeShare * limit.LinearAcceleration * 0.1)}, false},
		{"to a lane", line, 0, 0, 0.5, 0.1, 0.5, curve(0.5, 0, 0.1), false},
		{"standing, turned by little", line, 0, -start, 0, 0, 0.1, curve(0.1*math.Cos(start), start, 0), false},
		{"standing, turned", line, 0, -above(start), 0, 0, 0.5, spot(start), true},
		{"driving slowly, turned", line, 0, -0.4, rest, 0, 0.1, curve(0.1*math.Cos(0.4), 0.4, 0), false},
		{"almost standing, turned", line, 0, -0.4, below(rest), 0, 0.5, spot(0.4), true},
		{"driving, turned by almost too much", line, 0, limits.RouteTurnFrom, 0.5, 0, 0.1, curve(0.05, -limits.RouteTurnFrom, 0), false},
		{"driving, turned by too much", line, 0, above(limits.RouteTurnFrom), 0.5, 0, 0.5, spot(-limits.RouteTurnFrom), true},
		{"turned toward its lane", line, 0.6, -1.5, 0.5, 0, 0.5, curve(0.1, 1.5, -0.6), false},
		{"turned toward its lane, near it", line, start * maxAcross, -1, 0, 0, 0.5, spot(1), true},
		{"turned toward its lane, not so near it", line, 0.22, -1, 0, 0, 0.1, curve(0.1*math.Cos(1), 1, -0.22), false},
		{"on a bend", round, 0, 0, 0.5, 0, 0.5, robot.Twist{Linear: 0.5, Angular: 0.25}, false},
		{"on a bend, slower than wanted", round, 0, 0, 0.1, 0, 0.5, robot.Twist{Linear: 0.5, Angular: 0.13 / 2}, false},
		{"on a bend, from rest", round, 0, 0, 0, 0, 0.5, robot.Twist{Linear: 0.5, Angular: 0.03 * 0.3}, false},
		{"inside of a bend", tight, 0.5, 0, 0.5, 0.5, 0.3, robot.Twist{Linear: 0.3, Angular: 0.6}, false},
		{"outside of a bend", tight, -0.5, 0, 0.5, -0.5, 0.3, robot.Twist{Linear: 0.3, Angular: 0.2}, false},
		{"far inside of a bend", tight, 0.9, 0, 0.5, 0.9, 0.1, robot.Twist{Linear: 0.1, Angular: 0.1 / 0.3}, false},
		{"on a bend that it can only drive more slowly", tight, 0.5, 0, 0.5, 0.5, 0.4, robot.Twist{Linear: most / 2, Angular: most}, false},
		{"on a bend that it cannot drive", tight, 0.9, 0, 0.5, 0.9, 0.5, robot.Twist{Linear: keepSpeed * 0.5, Angular: most}, false},
	} {
		r := still(&scene{})
		r.s.Path, r.s.End = c.path, c.path[len(c.path)-1].Along
		r.c.prepare(r.s)
		r.pose, r.twist, r.along = robot.Pose{Y: c.y, Theta: c.theta}, robot.Twist{Linear: c.v}, 0.4
		got, turns := r.law(c.lane, c.most)
		if math.Abs(got.Linear-c.want.Linear) > 1e-6 || math.Abs(got.Angular-c.want.Angular) > 1e-6 || turns != c.turnsOnTheWay {
			t.Errorf("%s: it drives %v, want %v; it turns on the spot: %v", c.name, got, c.want, turns)
		}
	}
}
