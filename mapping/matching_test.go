package mapping

import (
	"math"
	"math/rand/v2"
	"testing"

	"mybot/robot"
)

// roomPoints returns the points in base_link that an exact lidar sees from a pose
// in a room of 8 by 6 m with a pillar and a cupboard.
func roomPoints(at robot.Pose, noise float64, seed uint64) []robot.Point {
	var f testFloor
	f.box(-4, -3, 4, 3)
	f.box(1.5, 0.7, 1.9, 1.2)
	f.box(-4, 1, -3.4, 2.3)
	l := testLidar{beams: 360, view: 2 * math.Pi, max: 20, noise: noise, rng: rand.New(rand.NewPCG(seed, 3))}
	return thinPoints(l.cloud(f, at))
}

func roomField() *likelihoodField {
	var f likelihoodField
	for i, at := range []robot.Pose{{}, {X: 1, Y: -1, Theta: 1}, {X: -2, Y: -1, Theta: 2}} {
		f.insert(at, roomPoints(at, 0.005, uint64(i)))
	}
	return &f
}

func TestAScanIsMatchedWhereItWasTaken(t *testing.T) {
	field := roomField()
	patches := surface{}
	for i := range 6 {
		at := robot.Pose{X: 0.2 * float64(i), Y: -0.1 * float64(i)}
		patches.insert(at, roomPoints(at, 0.005, 50+uint64(i)))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 30 {
		truth := robot.Pose{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1.5, Theta: 6 * rng.Float64()}
		points := roomPoints(truth, 0.005, 100+uint64(i))
		guess := truth.Compose(robot.Pose{X: 0.3*rng.Float64() - 0.15, Y: 0.3*rng.Float64() - 0.15, Theta: 0.15*rng.Float64() - 0.07})
		at := field.matchNear(prior{guess: guess, window: window{nearDistance, nearTurn}}, points)
		wantPose(t, "the match", at, truth, 0.08, 0.02)
		at, normal := field.refine(at, points, equalHold(at, 0.02, 0.02))
		wantPose(t, "the refined pose", at, truth, 0.03, 0.006)
		at, information, ok := patches.refinePose(at, points, equalHold(at, 0.02, 0.02))
		wantPose(t, "the polished pose", at, truth, 0.01, 0.002)
		if canSlide(normal, minSlideShare) || !ok || canSlide(information, minSlideShare) {
			t.Errorf("a match in a room of four walls can slide: %v, %v", normal, information)
		}
	}
}

// A person who walks ahead in a corridor makes the drive look shorter than the
// wheels measured.
func TestAScanDoesNotSlideAlongACorridorAfterAPersonWhereTheWheelsAreRight(t *testing.T) {
	corridor := func(long, person float64) (points []robot.Point) {
		for x := -long; x < long; x += 0.05 {
			points = append(points, robot.Point{X: x, Y: -1}, robot.Point{X: x, Y: 1})
		}
		for i := range 24 {
			points = append(points, robot.Point{X: person, Y: -0.6 + 0.05*float64(i)})
		}
		return points
	}
	var field likelihoodField
	field.insert(robot.Pose{}, corridor(6, 2))
	p := prior{window: window{distance: 0.5, turn: nearTurn}}
	if at := field.matchNear(p, corridor(5, 1.7)); at.X < 0.2 {
		t.Fatalf("the match is at %+v without the wheels, so the test proves nothing", at)
	}
	p.slip = 0.05
	if at := field.matchNear(p, corridor(5, 1.7)); math.Abs(at.X) > 0.051 {
		t.Errorf("the match is at %+v, the wheels and the walls are at 0", at)
	}
	// Where most of the scan shows that they slipped, they did.
	var room likelihoodField
	truth := robot.Pose{X: 0.3}
	points := roomPoints(robot.Pose{}, 0.005, 1)
	room.insert(robot.Pose{}, points)
	for i := range points {
		points[i] = truth.Inverse().Apply(points[i])
	}
	if at := room.matchNear(p, points); math.Abs(at.X-truth.X) > 0.051 {
		t.Errorf("the match is at %+v, the room says %+v", at, truth)
	}
}

func TestAMatchAlongABareCorridorCanSlide(t *testing.T) {
	var f testFloor
	f.wall(-50, -1, 50, -1)
	f.wall(-50, 1, 50, 1)
	l := testLidar{beams: 360, view: 2 * math.Pi, max: 20}
	points := thinPoints(l.cloud(f, robot.Pose{}))
	var field likelihoodField
	patches := surface{}
	for i := range 60 {
		at := robot.Pose{X: 0.07*float64(i) - 2}
		field.insert(at, thinPoints(l.cloud(f, at)))
		patches.insert(at, thinPoints(l.cloud(f, at)))
	}
	if _, information, ok := patches.refinePose(robot.Pose{}, points, hold{}); ok && !canSlide(information, minSlideShare) {
		t.Errorf("nothing slides: %v", information)
	}
	off := robot.Pose{X: 0.1, Y: 0.02}
	if at, _, ok := patches.refinePose(off, points, equalHold(off, 0.02, 0.02)); !ok || math.Abs(at.X-off.X) > 0.01 || math.Abs(at.Y) > 0.002 {
		t.Errorf("the polished pose is at %+v, from %+v; only y may change", at, off)
	}
	// Odometry decides in a direction that the scan does not constrain.
	guess := robot.Pose{X: 0.1, Y: 0.05}
	if at := field.matchNear(prior{guess: guess, window: window{nearDistance, nearTurn}}, points); math.Abs(at.X-guess.X) > 0.051 || math.Abs(at.Y) > 0.051 {
		t.Errorf("the match is at %+v, odometry is at %+v", at, guess)
	}
}

// searchAll runs a search to its end.
func searchAll(s *poseSearch, budget int) (robot.Pose, bool) {
	for !s.advance(budget) {
	}
	return s.result()
}

func TestBranchAndBoundFindsWhatTryingEveryPoseFinds(t *testing.T) {
	field := roomField()
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 12 {
		truth := robot.Pose{X: rng.Float64(), Y: -rng.Float64(), Theta: 6 * rng.Float64()}
		points := pickPoints(roomPoints(truth, 0.01, uint64(i)), 60)
		guess := truth.Compose(robot.Pose{X: 0.8*rng.Float64() - 0.4, Y: 0.8*rng.Float64() - 0.4, Theta: 0.1*rng.Float64() - 0.05})
		s := newPoseSearch(newPyramid(field), guess, points, window{0.6, 0.1}, 0.1)
		best := 0
		for k := range s.headings {
			scan := turnPoints(guess, guess.Theta+float64(k-s.headings/2)*s.turnStep, points)
			for dx := -s.reach; dx <= s.reach; dx++ {
				for dy := -s.reach; dy <= s.reach; dy++ {
					best = max(best, field.sum(&scan, dx, dy))
				}
			}
		}
		at, ok := searchAll(s, 1000)
		if !ok || s.best.bound != best {
			t.Fatalf("draw %d: the search found %d of 255 a point, trying everything %d", i, s.best.bound, best)
		}
		if got := field.fit(at, points); math.Abs(got-float64(best)/255/float64(len(points))) > 0.02 {
			t.Errorf("draw %d: the pose found fits %.3f", i, got)
		}
	}
}

func TestASearchInWideWindowFindsTheRobot(t *testing.T) {
	field := roomField()
	truth := robot.Pose{X: 1.2, Y: -1.4, Theta: 0.5}
	points := roomPoints(truth, 0.01, 7)
	guess := robot.Pose{X: -1.5, Y: 1, Theta: 0.1}
	at, ok := searchAll(newPoseSearch(newPyramid(field), guess, points, window{4, 0.6}, minLoopFit), sliceLookups)
	if !ok {
		t.Fatal("nothing was found")
	}
	wantPose(t, "the pose found", at, truth, 0.1, 0.02)
	if _, ok := searchAll(newPoseSearch(newPyramid(field), robot.Pose{X: 30}, points, window{4, 0.6}, minLoopFit), sliceLookups); ok {
		t.Error("the robot was found where nothing is")
	}
}

func TestASearchGivesTheSameInSlicesOfAnyLength(t *testing.T) {
	field := roomField()
	points := roomPoints(robot.Pose{X: 0.4, Y: -0.3, Theta: 1}, 0.01, 8)
	find := func(budget int) robot.Pose {
		at, _ := searchAll(newPoseSearch(newPyramid(field), robot.Pose{Theta: 1.1}, points, window{1, 0.3}, 0.3), budget)
		return at
	}
	if a, b := find(1), find(1<<30); a != b {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestThePyramidBoundsEverySum(t *testing.T) {
	field := roomField()
	p := newPyramid(field)
	for len(p.levels) < maxLevels {
		p.grow()
	}
	rng := rand.New(rand.NewPCG(3, 3))
	points := pickPoints(roomPoints(robot.Pose{}, 0.01, 1), 40)
	scan := turnPoints(robot.Pose{}, 0.2, points)
	for range 300 {
		level := rng.IntN(maxLevels)
		dx, dy := rng.IntN(400)-200, rng.IntN(400)-200
		bound := p.bound(level, &scan, dx, dy)
		for range 20 {
			x, y := dx+rng.IntN(1<<level), dy+rng.IntN(1<<level)
			if sum := field.sum(&scan, x, y); sum > bound {
				t.Fatalf("level %d at (%d, %d) is bounded by %d, but (%d, %d) sums to %d", level, dx, dy, bound, x, y, sum)
			}
		}
	}
}

func TestATrimmedFieldIsTheSameField(t *testing.T) {
	a, b := roomField(), roomField()
	b.trim()
	if b.width >= a.width || b.height >= a.height {
		t.Errorf("%d x %d cells were trimmed to %d x %d", a.width, a.height, b.width, b.height)
	}
	for y := a.y0; y < a.y0+a.height; y++ {
		for x := a.x0; x < a.x0+a.width; x++ {
			one := turnedScan{x: []int32{int32(x)}, y: []int32{int32(y)}}
			if a.sum(&one, 0, 0) != b.sum(&one, 0, 0) {
				t.Fatalf("cell (%d, %d) differs", x, y)
			}
		}
	}
	var empty likelihoodField
	empty.makeRoom(0, 0, 3, 3)
	if empty.trim(); len(empty.values) != 0 || empty.fit(robot.Pose{}, []robot.Point{{}}) != 0 {
		t.Errorf("an empty field is %+v", empty)
	}
}

func TestAFieldGrowsWithoutForgetting(t *testing.T) {
	var f likelihoodField
	f.insert(robot.Pose{}, []robot.Point{{X: 1.02, Y: 1.02}})
	f.insert(robot.Pose{X: -30, Y: 40}, []robot.Point{{}})
	for _, p := range []robot.Point{{X: 1.02, Y: 1.02}, {X: -30, Y: 40}} {
		if v := f.fit(robot.Pose{X: p.X, Y: p.Y}, []robot.Point{{}}); v != 1 {
			t.Errorf("the field at %+v is %g", p, v)
		}
	}
	if v, dx, _ := f.interpolate(1.06, 1.025); v <= 0.5 || v >= 1 || dx >= 0 {
		t.Errorf("beside the echo the field is %g with the slope %g", v, dx)
	}
}
