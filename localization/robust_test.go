package localization

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// startVaries is the quality's variation at which the required fall is the largest.
const startVaries = maxFall / fallVaries

// The filter's sonars differ from the world's as a real robot's do.
func TestTheEstimateStaysWithARobotThatIsNotAsDescribed(t *testing.T) {
	computesLong(t)
	for _, c := range []struct {
		what     string
		world    func(*robot.Description, *sim.Scene)
		maxError float64 // m
	}{
		{"beams of 2 degrees that any wall answers", func(d *robot.Description, s *sim.Scene) {
			beams(d, 2)
			s.Sonar.Slant = 1.5
		}, 0.25},
		{"beams of 30 degrees that few walls answer", func(d *robot.Description, s *sim.Scene) {
			beams(d, 30)
			s.Sonar.Slant = robot.Radians(15)
			s.Sonar.NoiseShare = 0.02
		}, 0.25},
		{"one echo in five lost and one in ten wrong", func(_ *robot.Description, s *sim.Scene) {
			s.Sonar.Dropout, s.Sonar.Stray = 0.2, 0.1
		}, 0.25},
		{"wheels that turn it by 2 degrees in a metre", func(_ *robot.Description, s *sim.Scene) {
			s.Wheels = sim.WheelErrors{LeftRadius: 0.007, RightRadius: -0.007, WheelBase: 0.04, Slip: 0.03}
		}, 0.25},
		{"a compass that is 20 degrees off everywhere", func(_ *robot.Description, s *sim.Scene) {
			s.Compass.Bias, s.Compass.Iron = robot.Radians(20), robot.Radians(8)
		}, 0.25},
		{"no compass", func(d *robot.Description, _ *sim.Scene) { d.Compass = false }, 0.25},
		{"a box that is not on the map", func(_ *robot.Description, s *sim.Scene) {
			s.Obstacles = []sim.Obstacle{{Point: robot.Point{X: 2.5, Y: 2.5}, Radius: 0.4}, {Point: robot.Point{X: 7.5, Y: 4.5}, Radius: 0.5}}
		}, 0.25},
	} {
		t.Run(c.what, func(t *testing.T) {
			desc, plan := robotOf(t), room()
			world, scene := desc, sim.DefaultScene()
			world.Sonars = append([]robot.Sonar(nil), desc.Sonars...)
			scene.Start = robot.Pose{X: 1, Y: 1}
			c.world(&world, &scene)
			m := NewMCL(desc, tableOf(t, plan, desc.Sonars, kept), scene.Start, 1)
			d := &driver{t: t, world: sim.NewWorld(world, plan, scene, sim.Options{Seed: 5, Epoch: time.Unix(0, 0)}), loc: m, round: box}
			d.drive(40 * time.Second)
			t.Logf("%.3f m", d.worst)
			if d.worst > c.maxError {
				t.Errorf("the estimate is up to %v m off", d.worst)
			}
		})
	}
}

func beams(d *robot.Description, degrees float64) {
	for i := range d.Sonars {
		d.Sonars[i].Beam = robot.Radians(degrees)
	}
}

func TestTheEstimateFollowsARobotThatIsReadSeldom(t *testing.T) {
	d, m := inRoom(t, sim.DefaultScene(), 1)
	seldom := &seldom{to: m, every: 20}
	d.loc = seldom
	d.drive(40 * time.Second)
	if d.worst > 0.35 { // it moves by 0.2 m between two readings
		t.Errorf("read every 0.4 s, the estimate is up to %v m off", d.worst)
	}
}

// seldom forwards the sum of so many readings.
type seldom struct {
	to    *MCL
	every int
	n     int
	sum   robot.Wheels
}

func (s *seldom) Estimate() robot.Estimate { return s.to.Estimate() }

func (s *seldom) Update(r robot.Reading) {
	s.sum.Left += r.Travel.Left
	s.sum.Right += r.Travel.Right
	if s.n++; s.n%s.every == 0 {
		r.Travel, s.sum = s.sum, robot.Wheels{}
		s.to.Update(r)
	}
}

func TestTheErrorOfTheWheelsIsLearned(t *testing.T) {
	computesLong(t)
	for _, turn := range []float64{0.03, -0.03} {
		scene := sim.DefaultScene()
		// Each metre turns the robot by that much more than its wheels report.
		half := turn * robotOf(t).Drivetrain.WheelBase / 2
		scene.Wheels = sim.WheelErrors{RightRadius: half, LeftRadius: -half, Slip: 0.01}
		d, m := inRoom(t, scene, 1)
		d.drive(100 * time.Second)
		if got := m.drift.Curve; math.Abs(got-turn) > 0.015 {
			t.Errorf("%v rad a metre are estimated as %v", turn, got)
		}
	}
}

func TestARobotIsNearlyRightWhileItLearnsTheErrorsOfItsOdometryAndRightOnceItKnowsThem(t *testing.T) {
	const turn = 0.15 // rad a metre, from wheels whose sizes differ by 6 %
	scene := sim.DefaultScene()
	half := turn * robotOf(t).Drivetrain.WheelBase / 2
	scene.Wheels = sim.WheelErrors{RightRadius: half, LeftRadius: -half, Slip: 0.01}
	scene.Compass.Bias = robot.Radians(10)
	scene.Sonar.Slant, scene.Sonar.EdgeReach, scene.Sonar.Dropout = robot.Radians(12), 0.3, 0.3 // they hear little

	first, m := inRoom(t, scene, 1)
	if _, ok := m.OdometryErrors(); ok {
		t.Error("a robot that has not driven yet knows its errors")
	}
	first.drive(60 * time.Second)
	learned, ok := m.OdometryErrors()
	if !ok {
		t.Fatalf("after %v m it has not learned its errors", m.drift.metres)
	}
	known, unknown := 0.0, 0.0
	for seed := range uint64(4) {
		again, m := inRoom(t, scene, seed+2)
		m.UseOdometryErrors(learned)
		again.drive(60 * time.Second)
		fresh, _ := inRoom(t, scene, seed+2)
		fresh.drive(60 * time.Second)
		known, unknown = known+again.worst/4, unknown+fresh.worst/4
	}
	if known > 0.8*unknown {
		t.Errorf("with the errors known it is up to %v m off, without them %v m", known, unknown)
	}
	if unknown > 0.3 {
		t.Errorf("while it learns the errors, it is up to %v m off", unknown)
	}
}

func TestErrorsOfOdometryThatAreNoLongerTrueAreLearnedAgain(t *testing.T) {
	scene := sim.DefaultScene()
	scene.Compass.Bias = robot.Radians(10)
	scene.Sonar.Slant, scene.Sonar.EdgeReach, scene.Sonar.Dropout = robot.Radians(12), 0.3, 0.3 // they hear little
	worst := 0.0
	for seed := range uint64(8) {
		for _, turn := range []float64{0.15, -0.15} {
			d, m := inRoom(t, scene, seed+1)
			m.UseOdometryErrors(OdometryErrors{Curve: turn}) // the wheels are mended now
			d.drive(60 * time.Second)
			worst = max(worst, d.worst)
		}
	}
	if worst > 0.3 {
		t.Errorf("with wheels that were mended since, the robot is up to %v m off", worst)
	}
}

func TestLearnedErrorsOfOdometryThatCannotBeAreLimitedOrIgnored(t *testing.T) {
	_, m := inRoom(t, sim.DefaultScene(), 1)
	m.UseOdometryErrors(OdometryErrors{Curve: -3, Spin: 3, Length: 3})
	most := OdometryErrors{Curve: -maxCurve, Spin: maxSpin, Length: maxLength}
	if m.drift.OdometryErrors != most {
		t.Errorf("they are %+v, want %+v", m.drift.OdometryErrors, most)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, e := range []OdometryErrors{{Curve: bad}, {Spin: bad}, {Length: bad}} {
			if m.UseOdometryErrors(e); m.drift.OdometryErrors != most {
				t.Errorf("%+v is used", e)
			}
		}
	}
}

func TestTheCompassIsTrustedOnlyWhereItAgrees(t *testing.T) {
	for _, off := range []float64{0, 5, 15, 40, -90, 180} {
		n := newCompassModel(0)
		for range 100 {
			o := observation{heading: robot.WrapAngle(1 + robot.Radians(off)), distance: 0.04, turn: 0}
			n.weighTrusted(&o)
			n.learnFrom(&o, 1, false)
		}
		if trusted := n.trust > 0.5; trusted != (math.Abs(off) < 6) {
			t.Errorf("%v degrees off for 4 m, it is trusted by %v", off, n.trust)
		}
		if doubt := n.contrary > contraryAfter; doubt != (math.Abs(off) > 50) {
			t.Errorf("%v degrees off for 4 m, the place is doubted: %v", off, doubt)
		}
	}
}

func TestACompassOfAWholeBuildingIsLearnedAndAMagnetIsNot(t *testing.T) {
	n := newCompassModel(0)
	for range 1000 { // 40 m
		o := observation{heading: 1 + robot.Radians(12), distance: 0.04}
		n.learnFrom(&o, 1, true)
	}
	if got := robot.Degrees(n.offset); math.Abs(got-12) > 2 {
		t.Errorf("after 40 m an offset of 12 degrees is estimated as %v", got)
	}
	n = newCompassModel(0)
	for i := range 50 { // 2 m through it
		o := observation{heading: 1 + robot.Radians(35*math.Sin(math.Pi*float64(i)/50)), distance: 0.04}
		n.learnFrom(&o, 1, true)
	}
	if got := math.Abs(robot.Degrees(n.offset)); got > 2 {
		t.Errorf("a magnet has moved the offset by %v degrees", got)
	}
}

func TestAClearlyBetterPlaceIsNotTakenTooSoon(t *testing.T) {
	h := health{lately: -1.8, usual: -0.9, varies: startVaries}
	for _, c := range []struct {
		what    string
		r       relocalizer
		lost    bool
		opposed bool
		want    outcome
	}{
		{"better for long enough", relocalizer{settled: 30, trip: trip{far: 1.2}, gained: 50, lately: -0.9}, false, false, found},
		{"too short a distance", relocalizer{settled: 30, trip: trip{far: 0.5}, gained: 50, lately: -0.9}, false, false, searching},
		{"half a metre with overwhelming evidence", relocalizer{settled: 30, trip: trip{far: 0.5}, gained: 100, lately: -0.9}, false, false, found},
		{"too little evidence", relocalizer{settled: 30, trip: trip{far: 3}, gained: 30, lately: -0.9}, false, false, searching},
		{"a little better only", relocalizer{settled: 30, trip: trip{far: 3}, gained: 100, lately: -1.7}, false, false, searching},
		{"against the compass", relocalizer{settled: 30, trip: trip{far: 3}, gained: 70, lately: -0.9, against: true}, false, false, searching},
		{"against the compass with overwhelming evidence", relocalizer{settled: 30, trip: trip{far: 3}, gained: 200, lately: -0.9, against: true}, false, false, found},
		{"a little better, and the compass speaks against the tracker", relocalizer{settled: 30, trip: trip{far: 3}, gained: 30, lately: -1.2}, false, true, found},
		{"hardly better, though the compass speaks against the tracker", relocalizer{settled: 30, trip: trip{far: 3}, gained: 10, lately: -1.2}, false, true, searching},
		{"the tracker's own place", relocalizer{settled: 30, trip: trip{far: 3}, gained: 100, agreed: 20, lately: -0.9}, false, false, confirmed},
		{"the tracker's own place, poorly supported", relocalizer{settled: 30, trip: trip{far: 3}, agreed: 20, lately: -1.8}, false, false, searching},
		{"nobody else knows", relocalizer{settled: 30, trip: trip{far: 1}, lately: -0.9}, true, false, found},
		{"nobody else knows, and it is against the compass", relocalizer{settled: 30, trip: trip{far: 1}, lately: -0.9, against: true}, true, false, searching},
		{"nobody else knows, poorly supported", relocalizer{settled: 30, trip: trip{far: 1}, lately: -1.8}, true, false, searching},
	} {
		if got := c.r.decideOutcome(&h, c.lost, c.opposed); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

func (o outcome) String() string {
	return [...]string{"searching", "found", "confirmed"}[o]
}

func TestTheCloudIsAsLargeAsTheBeliefIsWide(t *testing.T) {
	m := NewMCL(robotOf(t), tableOf(t, room(), robotOf(t).Sonars, kept), robot.Pose{X: 2, Y: 2}, 1)
	last := 0
	for _, spread := range []float64{0.02, 0.2, 0.5, 1, 3} {
		m.tracker.gatherAround(robot.Pose{X: 2, Y: 2}, spread, spread, 20000)
		n := m.tracker.kldCount()
		if n < last || n < minParticles || n > maxParticles {
			t.Errorf("a spread of %v m needs %d particles, a smaller one %d", spread, n, last)
		}
		last = n
	}
	if last < 2000 {
		t.Errorf("a wide belief needs %d particles only", last)
	}
}

func TestResamplingKeepsTheBelief(t *testing.T) {
	m := NewMCL(robotOf(t), tableOf(t, room(), robotOf(t).Sonars, kept), robot.Pose{X: 2, Y: 2}, 1)
	c := &m.tracker
	c.gatherAround(robot.Pose{X: 2, Y: 2}, 0.1, 0.1, 10000)
	sum := 0.0
	for i := range c.ps { // twice as likely on the right
		if c.ps[i].x > 2 {
			c.ps[i].w *= 2
		}
		sum += c.ps[i].w
	}
	c.scaleWeights(1 / sum)
	c.resample(3000)
	right := 0.0
	for _, p := range c.ps {
		if p.x > 2 {
			right += p.w
		}
	}
	if math.Abs(right-2.0/3) > 0.02 || len(c.ps) != 3000 {
		t.Errorf("of %d particles %v are on the right, want two thirds", len(c.ps), right)
	}
}

func TestSonarsThatTellSomethingSeldomAreEnough(t *testing.T) {
	d, m := inRoom(t, sim.DefaultScene(), 1)
	d.loc = &quiet{MCL: m}
	d.drive(40 * time.Second)
	if d.worst > 0.15 {
		t.Errorf("with ranges in every 15th reading only, the estimate is up to %v m off", d.worst)
	}
}

// quiet forwards the ranges of every 15th reading.
type quiet struct {
	*MCL
	n int
}

func (q *quiet) Update(r robot.Reading) {
	if q.n++; q.n%15 != 0 {
		r.Ranges = nil
	}
	q.MCL.Update(r)
}
