package sketch

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
)

var epoch = time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)

// builtIn returns a built-in robot.
func builtIn(t testing.TB, name string) robot.Description {
	t.Helper()
	data, _ := models.Find(name)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	return desc
}

// drive is a manual drive through a simulated floor.
type drive struct {
	t     testing.TB
	plan  *robot.Floorplan
	world *sim.World
	made  *Sketch
	odom  *localization.Odometry
	rng   *rand.Rand
	to    robot.Point
	turns []float64 // rad, by which the sketch is turned against the floor, at each reading
	start robot.Pose
}

func newDrive(t testing.TB, name string, seed uint64) *drive {
	t.Helper()
	folder, _ := maps.Find(name)
	plan, err := floorplan.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	scene, err := sim.ReadScene(folder, "scene.json")
	if err != nil {
		t.Fatal(err)
	}
	scene.People, scene.Obstacles = nil, nil
	desc := builtIn(t, models.MybotName)
	d := &drive{
		t: t, plan: plan, made: New(desc), odom: localization.NewOdometry(desc, robot.Pose{Theta: scene.Start.Theta}),
		rng: rand.New(rand.NewPCG(seed, 3)), start: scene.Start, to: scene.Start.Point(),
		world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: epoch}),
	}
	return d
}

// step lets a reading pass while the robot drives between via points at most that
// far from its start.
func (d *drive) step(most float64) {
	at := d.world.Truth().Pose
	next := at.Inverse().Apply(d.to)
	if next.Norm() < 0.3 {
		d.to = d.nextVia(at.Point(), most)
		next = at.Inverse().Apply(d.to)
	}
	off := math.Atan2(next.Y, next.X)
	twist := robot.Twist{Angular: robot.Clamp(2*off, -0.7, 0.7)}
	if math.Abs(off) < 0.4 {
		twist.Linear = 0.35
	}
	if err := d.world.Drive(twist); err != nil {
		d.t.Fatal(err)
	}
	r := d.world.Step()
	d.odom.Update(r)
	d.made.Observe(d.odom.Estimate().Pose, r)
	d.turns = append(d.turns, robot.WrapAngle(d.world.Truth().Pose.Theta-d.made.Pose().Theta))
}

// nextVia draws a via point that an edge joins with the one nearest to a point.
func (d *drive) nextVia(at robot.Point, most float64) robot.Point {
	byID, near := map[int]robot.Point{}, 0
	for _, n := range d.plan.Graph.Nodes {
		byID[n.ID] = n.Point
		if near == 0 || n.Point.Sub(at).Norm() < byID[near].Sub(at).Norm() {
			near = n.ID
		}
	}
	if byID[near].Sub(at).Norm() > 0.5 {
		return byID[near]
	}
	var next []robot.Point
	for _, e := range d.plan.Graph.Edges {
		for _, ends := range [2][2]int{{e.Start, e.End}, {e.End, e.Start}} {
			if p := byID[ends[1]]; ends[0] == near && p.Sub(d.start.Point()).Norm() < most {
				next = append(next, p)
			}
		}
	}
	if len(next) == 0 {
		return byID[near]
	}
	return next[d.rng.IntN(len(next))]
}

// judged is the comparison of a sketch with the floor.
type judged struct {
	free  float64 // share of the free cells that are truly free, or within 1.5 cells of a free one
	area  float64 // m2, of them
	wall  float64 // m, median distance of occupied cells from the nearest obstacle
	worst float64 // m, the 90th percentile
	off   float64 // m, of the robot's pose at the end
}

func (d *drive) judge() judged {
	turn := 0.0
	for _, a := range d.turns {
		turn += a / float64(len(d.turns))
	}
	floor := robot.Pose{X: d.start.X, Y: d.start.Y, Theta: turn}
	g := d.made.Grid()
	var j judged
	var far []float64
	count, right := 0.0, 0.0
	for k, c := range g.Cells {
		p := floor.Apply(g.Origin.Add(robot.Point{X: (float64(k%g.Width) + 0.5) * g.Resolution, Y: (float64(k/g.Width) + 0.5) * g.Resolution}))
		switch c {
		case robot.Free:
			count++
			if d.isFreeNear(p, 1.5*cellSize) {
				right++
			}
		case robot.Occupied:
			least := math.Inf(1)
			for _, l := range d.plan.Lines {
				least = math.Min(least, l.Distance(p))
			}
			for _, door := range d.plan.Doors {
				least = math.Min(least, door.Leaf(door.Open).Distance(p))
			}
			for _, f := range d.plan.Furniture {
				for n, a := range f.Outline {
					least = math.Min(least, robot.Segment{A: a, B: f.Outline[(n+1)%len(f.Outline)]}.Distance(p)-f.Radius)
				}
			}
			far = append(far, math.Max(0, least))
		}
	}
	slices.Sort(far)
	if len(far) > 0 {
		j.wall, j.worst = far[len(far)/2], far[len(far)*9/10]
	}
	j.free, j.area = right/count, count*cellSize*cellSize
	j.off = floor.Apply(d.made.Pose().Point()).Sub(d.world.Truth().Pose.Point()).Norm()
	return j
}

func (d *drive) isFreeNear(p robot.Point, reach float64) bool {
	for dx := -reach; dx <= reach; dx += reach / 2 {
		for dy := -reach; dy <= reach; dy += reach / 2 {
			if d.plan.Grid.At(p.Add(robot.Point{X: dx, Y: dy})) == robot.Free {
				return true
			}
		}
	}
	return false
}

func TestASketchShowsTheFreeFloorAndRoughWalls(t *testing.T) {
	runs := uint64(3)
	if testing.Short() {
		runs = 1
	}
	for _, name := range []string{"office", "clinic"} {
		for seed := range runs {
			d := newDrive(t, name, 1+seed)
			for range 150 * 50 {
				d.step(12)
			}
			j := d.judge()
			t.Logf("%s, seed %d: %.0f m driven, %.1f %% of %.0f m2 free in truth, walls %.2f m off, 90 %% within %.2f m, the robot %.2f m off", name, 1+seed, d.made.Way(), 100*j.free, j.area, j.wall, j.worst, j.off)
			if j.free < 0.95 || j.area < 30 || j.wall > 0.15 || j.off > 0.8 {
				t.Errorf("%s, seed %d: %+v", name, 1+seed, j)
			}
		}
	}
}

func TestWhatIsOfferedIsSaidBeforeItBegins(t *testing.T) {
	withoutCompass := builtIn(t, models.MybotName)
	withoutCompass.Compass = false
	blind := builtIn(t, models.MybotName)
	blind.Sonars = nil
	for _, c := range []struct {
		desc robot.Description
		ok   bool
		says string
	}{
		{builtIn(t, models.MybotName), true, "placed by wheels and compass"},
		{withoutCompass, true, "placed by the wheels alone"},
		{builtIn(t, models.LidarName), false, ""},
		{builtIn(t, models.LidarSonarName), false, ""},
		{blind, false, ""},
	} {
		says, ok := Offer(c.desc)
		if ok != c.ok || !strings.Contains(says, c.says) || (says == "") == ok {
			t.Errorf("%s: %t, %q", c.desc.Name, ok, says)
		}
	}
}

// wallAhead is a robot that drives slowly towards a wall 3 m ahead of its start.
func wallAhead(t *testing.T, s *Sketch, desc robot.Description, from, to float64) {
	t.Helper()
	const step = 0.01 // m a reading
	for x := from; x < to; x += step {
		r := robot.Reading{
			Time: epoch.Add(time.Duration(math.Round(x/step)) * 20 * time.Millisecond), Ranges: slices.Repeat([]float64{math.Inf(1)}, len(desc.Sonars)),
		}
		r.Ranges[0] = 3 - (x + step) - desc.Sonars[0].Pose.X
		s.Observe(robot.Pose{Y: x + step, Theta: math.Pi / 2}, r)
	}
}

func TestASketchIsPausedAndItsLastMetresAreTakenBack(t *testing.T) {
	desc := builtIn(t, models.MybotName)
	s := New(desc)
	if _, err := s.Plan("Home"); err == nil || !strings.Contains(err.Error(), "drive the robot") {
		t.Errorf("before it drives: %v", err)
	}
	wallAhead(t, s, desc, 0, 1.5)
	wall := func() robot.Cell {
		g := s.Grid()
		return max(g.At(robot.Point{Y: 2.95}), g.At(robot.Point{Y: 3.05}))
	}
	plan, err := s.Plan("Home")
	if err != nil || plan.Name != "Home (sketch)" || wall() != robot.Occupied || s.Pose().Point().Sub(robot.Point{Y: 1.5}).Norm() > 0.03 {
		t.Fatalf("%v, the wall is %v, the robot at %v", err, wall(), s.Pose())
	}
	if g := s.Grid(); g.At(robot.Point{Y: 0.5}) != robot.Free || g.At(robot.Point{Y: 2.2}) != robot.Free || g.At(robot.Point{Y: 4}) != robot.Unknown || g.At(robot.Point{X: 1, Y: 0.5}) != robot.Unknown {
		t.Error("the path is not free, or the area beyond the echoes is known")
	}
	before := s.Grid()
	s.Pause()
	wallAhead(t, s, desc, 1.5, 1.8)
	if after := s.Grid(); !s.Paused() || !slices.Equal(after.Cells, before.Cells) || s.Way() < 1.75 {
		t.Error("while it is paused it draws, or does not follow the robot")
	}
	s.Resume()
	s.Undo(1.5)
	if g := s.Grid(); g.At(robot.Point{Y: 0.1}) != robot.Free || wall() == robot.Occupied || g.At(robot.Point{Y: 1.4}) != robot.Unknown {
		t.Errorf("after the last 1.5 m were taken back the wall is %v", wall())
	}
}

func TestFarFromWhereItBeganNothingIsDrawn(t *testing.T) {
	desc := builtIn(t, models.MybotName)
	s := New(desc)
	for n := range 40 * 50 { // 20 m, with an obstacle 1 m to each side
		s.Observe(robot.Pose{X: 0.01 * float64(n)}, robot.Reading{
			Time: epoch.Add(time.Duration(n) * 20 * time.Millisecond), Ranges: slices.Repeat([]float64{1 + 1e-6*float64(n)}, len(desc.Sonars)),
		})
		if far := s.Pose().X; s.Outside() != (far > MaxRange) {
			t.Fatalf("%.2f m from where it began it says %t", far, s.Outside())
		}
	}
	if g := s.Grid(); g.At(robot.Point{X: 10}) != robot.Free || g.At(robot.Point{X: MaxRange + 2.5}) != robot.Unknown {
		t.Error("the path is not drawn, or too long")
	}
}

func TestReadingsThatCannotBeRightDrawNothingWrong(t *testing.T) {
	desc := builtIn(t, models.MybotName)
	s := New(desc)
	for n, ranges := range [][]float64{nil, {math.NaN()}, slices.Repeat([]float64{math.NaN()}, 40), slices.Repeat([]float64{-1}, 12), slices.Repeat([]float64{1e9}, 12), slices.Repeat([]float64{math.Inf(1)}, 12)} {
		for k := range 50 {
			s.Observe(robot.Pose{X: math.NaN()}, robot.Reading{Ranges: ranges})
			s.Observe(robot.Pose{}, robot.Reading{Time: epoch.Add(time.Duration(50*n+k) * 20 * time.Millisecond), Ranges: ranges})
		}
	}
	if g := s.Grid(); slices.Contains(g.Cells, robot.Occupied) || !robot.Finite(s.Pose().X, s.Pose().Y, s.Pose().Theta) {
		t.Errorf("walls are drawn, or the robot is at %v", s.Pose())
	}
}

func BenchmarkObserve(b *testing.B) {
	d := newDrive(b, "office", 1)
	for b.Loop() {
		d.step(12)
	}
}
