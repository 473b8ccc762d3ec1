package localization

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/drivers/sim"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
)

func office(t testing.TB) *robot.Floorplan {
	t.Helper()
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

var robotOf = modelstest.Mybot

// driver drives the simulated robot along a loop by its true pose.
type driver struct {
	t     testing.TB
	world *sim.World
	loc   interface {
		Update(robot.Reading)
		Estimate() robot.Estimate
	}
	round []robot.Point
	to    int
	worst float64 // m, distance of the estimate from the true position
	bent  float64 // rad
	lost  bool    // it has said so
	each  func()  // is called after each reading; nil = no call
}

// box is the loop in room, and hall the one in the office's corridor.
var (
	box  = []robot.Point{{X: 1, Y: 1}, {X: 7, Y: 1}, {X: 7, Y: 2}, {X: 4, Y: 2}, {X: 4, Y: 4}, {X: 1, Y: 4}}
	hall = []robot.Point{{X: 3, Y: 7.3}, {X: 22, Y: 7.3}}
)

// drive drives on for a time.
func (d *driver) drive(lasts time.Duration) {
	d.worst, d.bent = 0, 0
	end := d.world.Truth().Time.Add(lasts)
	for d.world.Truth().Time.Before(end) {
		truth := d.world.Truth()
		toNext := truth.Pose.Inverse().Apply(d.round[d.to])
		if toNext.Norm() < 0.3 {
			d.to = (d.to + 1) % len(d.round)
			continue
		}
		aside := math.Atan2(toNext.Y, toNext.X)
		command := robot.Twist{Angular: max(-0.7, min(0.7, 2*aside))}
		if math.Abs(aside) < 0.5 {
			command.Linear = 0.45
		}
		if err := d.world.Drive(command); err != nil {
			d.t.Fatal(err)
		}
		d.loc.Update(d.world.Step())
		e := d.world.Truth().Pose.Inverse().Compose(d.loc.Estimate().Pose)
		if d.each != nil {
			d.each()
		}
		d.worst, d.bent = max(d.worst, e.Point().Norm()), max(d.bent, math.Abs(e.Theta))
	}
}

// inRoom returns a driver of an MCL that starts at the true pose.
func inRoom(t testing.TB, scene sim.Scene, seed uint64) (*driver, *MCL) {
	desc, plan := robotOf(t), room()
	scene.Start = robot.Pose{X: 1, Y: 1}
	m := NewMCL(desc, tableOf(t, plan, desc.Sonars, kept), scene.Start, seed)
	return &driver{t: t, world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(0, 0)}), loc: m, round: box}, m
}

func TestTheEstimateStaysWithTheRobot(t *testing.T) {
	d, m := inRoom(t, sim.DefaultScene(), 1)
	d.drive(time.Minute)
	if d.worst > 0.15 || d.bent > 0.1 {
		t.Errorf("the estimate is up to %v m and %v rad off", d.worst, d.bent)
	}
	e := m.Estimate()
	if e.Trust != robot.TrustOK || !e.Wheels || !e.Compass || e.Sonars < 6 {
		t.Errorf("after a clean run the estimate is %+v", e)
	}
	if major, _, _ := e.Covariance.Position(); !(major > 0.01 && major < 0.15) {
		t.Errorf("its standard deviation is %v m", major)
	}
}

func TestTheSameSeedGivesTheSameEstimates(t *testing.T) {
	run := func(seed uint64) robot.Pose {
		d, m := inRoom(t, sim.DefaultScene(), 1)
		*m = *NewMCL(robotOf(t), m.senses.table, robot.Pose{X: 1, Y: 1}, seed)
		d.drive(5 * time.Second)
		return m.Estimate().Pose
	}
	if a, b := run(1), run(1); a != b {
		t.Errorf("twice the same readings and seed: %v and %v", a, b)
	}
	if a, b := run(1), run(2); a == b {
		t.Errorf("another seed produces the same estimate %v", a)
	}
}

func TestMagnetsDoNotMoveTheEstimate(t *testing.T) {
	scene := sim.DefaultScene()
	for i, p := range box {
		scene.Magnets = append(scene.Magnets, sim.Magnet{Point: p, Radius: 1.5, Deviation: 35 * degree * float64(1-2*(i%2))})
	}
	d, _ := inRoom(t, scene, 2)
	d.drive(time.Minute)
	if d.worst > 0.2 || d.bent > 0.15 {
		t.Errorf("among magnets the estimate is up to %v m and %v rad off", d.worst, d.bent)
	}
}

// degree is one degree in rad.
const degree = math.Pi / 180

func TestAKidnappedRobotSaysThatItIsLostAndIsFoundAgain(t *testing.T) {
	computesLong(t)
	desc, plan := robotOf(t), office(t)
	scene := sim.DefaultScene()
	scene.Start = robot.Pose{X: 3, Y: 7.3}
	m := NewMCL(desc, tableOf(t, plan, desc.Sonars, kept), scene.Start, 1)
	d := &driver{t: t, world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: 3, Epoch: time.Unix(0, 0)}), loc: m, round: hall}
	d.drive(10 * time.Second)
	if err := d.world.CarryRobot(robot.Pose{X: 17, Y: 12, Theta: 2}); err != nil {
		t.Fatal(err)
	}
	d.round, d.to = []robot.Point{{X: 17, Y: 9.4}, {X: 17, Y: 14}}, 0
	doubted := false
	for range 100 {
		d.drive(100 * time.Millisecond)
		doubted = doubted || m.Estimate().Trust != robot.TrustOK
	}
	if !doubted {
		t.Error("it never reported UNSURE")
	}
	d.drive(10 * time.Second)
	if d.worst > 0.3 {
		t.Errorf("20 s later the estimate is %v m off", d.worst)
	}
	d.drive(3 * time.Second)
	if e := m.Estimate(); e.Trust != robot.TrustOK {
		t.Errorf("found again, it says %v", e.Trust)
	}
}

func TestARobotThatKnowsNothingFindsItself(t *testing.T) {
	computesLong(t)
	desc, plan := robotOf(t), office(t)
	scene := sim.DefaultScene()
	scene.Start = robot.Pose{X: 20, Y: 7.3, Theta: 1}
	m := NewMCL(desc, tableOf(t, plan, desc.Sonars, kept), robot.Pose{}, 1)
	m.Forget()
	if e := m.Estimate(); e.Trust != robot.TrustLost {
		t.Errorf("it says %v before it has looked", e.Trust)
	}
	d := &driver{t: t, world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: 3, Epoch: time.Unix(0, 0)}), loc: m, round: hall}
	d.drive(10 * time.Second)
	d.drive(5 * time.Second)
	if d.worst > 0.3 || m.Estimate().Trust != robot.TrustOK {
		t.Errorf("after 10 s it is %v m off and says %v", d.worst, m.Estimate().Trust)
	}
}

func TestAPoseSetByAPersonIsTaken(t *testing.T) {
	_, m := inRoom(t, sim.DefaultScene(), 1)
	m.SetPose(robot.Pose{X: 4, Y: 2, Theta: 7})
	e := m.Estimate()
	if want := (robot.Pose{X: 4, Y: 2, Theta: robot.WrapAngle(7)}); e.Pose != want {
		t.Errorf("the pose is %v, want %v", e.Pose, want)
	}
	if major, _, _ := e.Covariance.Position(); major < givenSpread {
		t.Errorf("a finger on a map is not better than %v m, not %v m", givenSpread, major)
	}
	for _, bad := range []robot.Pose{{X: math.NaN()}, {Y: math.Inf(1)}, {Theta: math.NaN()}} {
		m.SetPose(bad)
		if got := m.Estimate().Pose; got != e.Pose {
			t.Errorf("%v is taken: %v", bad, got)
		}
	}
}

func TestAnUpdateOfTheCloudsAllocatesNothing(t *testing.T) {
	d, m := inRoom(t, sim.DefaultScene(), 1)
	d.drive(5 * time.Second)
	var readings []robot.Reading
	for range 500 {
		if err := d.world.Drive(robot.Twist{Linear: 0.2, Angular: 0.5}); err != nil {
			t.Fatal(err)
		}
		readings = append(readings, d.world.Step())
	}
	i := 0
	step := func() { m.Update(readings[i%len(readings)]); i++ }
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations an update", n)
	}
	m.Forget() // and none while it searches
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations an update while lost", n)
	}
}

func TestNoReadingBreaksTheEstimate(t *testing.T) {
	desc, plan := robotOf(t), room()
	table := tableOf(t, plan, desc.Sonars, kept)
	rapid.Check(t, func(t *rapid.T) {
		m := NewMCL(desc, table, robot.Pose{X: 2, Y: 2}, 1)
		odd := rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 0.02, 0.1, 1, 4.99, 5, 5.01, 1e300, -1e300})
		now := time.Unix(0, 0)
		for range rapid.IntRange(1, 12).Draw(t, "readings") {
			now = now.Add(time.Duration(rapid.IntRange(-1000, 3000).Draw(t, "ms")) * time.Millisecond)
			r := robot.Reading{Time: now, Heading: odd.Draw(t, "heading"), Travel: robot.Wheels{Left: odd.Draw(t, "left"), Right: odd.Draw(t, "right")}}
			for range rapid.IntRange(0, 14).Draw(t, "sonars") {
				r.Ranges = append(r.Ranges, odd.Draw(t, "range"))
			}
			m.Update(r)
			e := m.Estimate()
			for _, v := range []float64{e.Pose.X, e.Pose.Y, e.Pose.Theta, e.Covariance.XX, e.Covariance.YY, e.Covariance.XY, e.Covariance.TT} {
				if !robot.Finite(v) {
					t.Fatalf("after %+v the estimate is %+v", r, e)
				}
			}
		}
	})
}

func TestASonarOverUnknownFloorSaysNothing(t *testing.T) {
	desc := robotOf(t)
	table := tableOf(t, room(), desc.Sonars, nil)
	m := NewMCL(desc, table, robot.Pose{X: 2, Y: 2}, 1)
	m.tracker.ps = m.tracker.ps[:2]
	// Both poses are free; at the second, the sonars on the left side are beyond
	// the wall.
	m.tracker.ps[0] = particle{x: 4.05, y: 2.05, w: 0.5}
	m.tracker.ps[1] = particle{x: 4.05, y: 4.95, w: 0.5}
	m.senses.unknown = -1
	o := observation{heading: math.NaN()}
	for _, y := range []float64{0.2, 0.3} {
		o.echoes = append(o.echoes, echo{y: y, turn: tableHeadings + 18 + 0.5, z: noEcho, likely: table.likely[0], table: table.echoes[0]})
	}
	m.tracker.weighBy(&o, &m.senses, 1)
	if got, want := m.tracker.logs[1], -2.0; math.Abs(got-want) > 1e-3 {
		t.Errorf("two sonars over unknown floor say %v, want %v", got, want)
	}
	m.tracker.ps[0] = particle{x: 4.05, y: -0.3, w: 1}
	m.tracker.ps = m.tracker.ps[:1]
	o.echoes = o.echoes[:0]
	m.tracker.weighBy(&o, &m.senses, 1)
	if got := m.tracker.logs[0]; math.Abs(got-outside) > 1e-3 {
		t.Errorf("a robot on unknown floor has the likelihood %v, want %v", got, outside)
	}
}

func BenchmarkMCL(b *testing.B) {
	d, m := inRoom(b, sim.DefaultScene(), 1)
	d.drive(5 * time.Second)
	var readings []robot.Reading
	for range 4000 {
		if err := d.world.Drive(robot.Twist{Linear: 0.2, Angular: 0.5}); err != nil {
			b.Fatal(err)
		}
		readings = append(readings, d.world.Step())
	}
	before, _ := m.CountWork()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		m.Update(readings[i%len(readings)])
		i++
	}
	after, _ := m.CountWork()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(after-before), "us/observation")
}
