package localization

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/scan"
)

// modelOf returns a built-in robot.
func modelOf(t testing.TB, name string) robot.Description {
	t.Helper()
	data, ok := models.Find(name)
	d, err := robot.ParseDescription(data)
	if err != nil || !ok {
		t.Fatal(name, err)
	}
	return d
}

// scanning is an MCL that also gets the scans of its readings.
type scanning struct {
	*MCL
	deskewer *scan.Deskewer
	change   func([]scan.Cloud) []scan.Cloud // nil = unchanged
}

func (s *scanning) Update(r robot.Reading) {
	s.MCL.Update(r)
	clouds, _ := s.deskewer.Observe(r)
	if s.change != nil {
		clouds = s.change(clouds)
	}
	s.ObserveScans(clouds)
}

// withLidar returns a driver of an MCL of the named built-in robot.
func withLidar(t testing.TB, name string, plan *robot.Floorplan, start, believed robot.Pose, seed uint64) (*driver, *scanning) {
	t.Helper()
	desc := modelOf(t, name)
	table, err := NewTable(t.Context(), plan, desc, kept)
	if err != nil {
		t.Fatal(err)
	}
	scene := sim.DefaultScene()
	scene.Start = start
	s := &scanning{MCL: NewMCL(desc, table, believed, seed), deskewer: scan.NewDeskewer(desc)}
	return &driver{t: t, world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(0, 0)}), loc: s, round: box}, s
}

var corner = robot.Pose{X: 1, Y: 1}

func TestALidarKeepsTheEstimateWithinCentimetres(t *testing.T) {
	for _, name := range []string{models.LidarName, models.LidarSonarName} {
		d, s := withLidar(t, name, room(), corner, corner, 1)
		d.drive(40 * time.Second)
		t.Logf("%s: %.3f m, %.4f rad", name, d.worst, d.bent)
		if d.worst > 0.05 || d.bent > 0.02 {
			t.Errorf("%s: the estimate is up to %v m and %v rad off", name, d.worst, d.bent)
		}
		e := s.Estimate()
		if e.Trust != robot.TrustOK || e.Sonars > 0 != (name == models.LidarSonarName) || e.Lidars != 1 {
			t.Errorf("%s: after a clean run the estimate is %+v", name, e)
		}
	}
}

func TestALidarFindsARobotThatWasCarriedAway(t *testing.T) {
	computesLong(t)
	for _, name := range []string{models.LidarName, models.LidarSonarName} {
		start := robot.Pose{X: 3, Y: 7.3}
		d, s := withLidar(t, name, office(t), start, start, 3)
		d.round = hall
		d.drive(5 * time.Second)
		if err := d.world.CarryRobot(robot.Pose{X: 17, Y: 12, Theta: 2}); err != nil {
			t.Fatal(err)
		}
		d.round, d.to = []robot.Point{{X: 17, Y: 9.4}, {X: 17, Y: 14}}, 0
		unsaid := 0
		d.each = func() {
			e := s.Estimate()
			if e.Trust == robot.TrustOK && d.world.Truth().Pose.Point().Sub(e.Pose.Point()).Norm() > 0.5 {
				unsaid++
			}
		}
		d.drive(4 * time.Second)
		d.drive(2 * time.Second)
		if d.worst > 0.1 || s.Estimate().Trust != robot.TrustOK {
			t.Errorf("%s: 4 s later the estimate is %v m off and says %v", name, d.worst, s.Estimate().Trust)
		}
		if unsaid > 25 {
			t.Errorf("%s: for %d readings it was sure of the wrong place", name, unsaid)
		}
	}
}

func TestALidarFindsARobotFromNowhereEvenWhileItStands(t *testing.T) {
	start := robot.Pose{X: 17, Y: 12, Theta: 1}
	d, s := withLidar(t, models.LidarName, office(t), start, robot.Pose{}, 3)
	s.Forget()
	if e := s.Estimate(); e.Trust != robot.TrustLost {
		t.Errorf("it says %v before it has looked", e.Trust)
	}
	for range 8 * 50 {
		s.Update(d.world.Step())
	}
	if off := start.Point().Sub(s.Estimate().Pose.Point()).Norm(); off > 0.1 || s.Estimate().Trust == robot.TrustLost {
		t.Errorf("after 8 s it is %v m off and says %v", off, s.Estimate().Trust)
	}
}

// In a rectangle two poses look the same, and no scan shows which one is right.
func TestPlacesThatLookAlikeAreNotTakenForOne(t *testing.T) {
	plan := room()
	plan.Lines = plan.Lines[:4]
	for k := range plan.Grid.Cells {
		if plan.Grid.Cells[k] == robot.Occupied {
			plan.Grid.Cells[k] = robot.Free
		}
	}
	d, s := withLidar(t, models.LidarName, plan, corner, robot.Pose{X: 4, Y: 2}, 3)
	s.scans.fit.scale = &scanScale
	s.Forget()
	d.each = func() {
		if s.search.scan.unique {
			t.Fatal("it takes one of two places for the only one")
		}
	}
	d.drive(time.Second)
	if s.search.fresh || len(s.search.cloud.ps) == 0 {
		t.Fatal("it has not found either")
	}
	turned := robot.Pose{X: 7, Y: 4}
	near := func(q robot.Pose) (n int) {
		for _, p := range s.search.cloud.ps {
			if (robot.Point{X: p.x, Y: p.y}).Sub(q.Point()).Norm() < 0.6 {
				n++
			}
		}
		return n
	}
	truth := d.world.Truth().Pose
	turned.X, turned.Y = 8-truth.X, 5-truth.Y
	if a, b := near(truth), near(turned); a < 100 || b < 100 {
		t.Errorf("%d particles are where it is and %d where it might be", a, b)
	}
}

func TestPeopleAroundTheRobotDoNotMoveTheEstimate(t *testing.T) {
	d, s := withLidar(t, models.LidarName, room(), corner, corner, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	s.change = func(clouds []scan.Cloud) []scan.Cloud {
		for _, c := range clouds {
			for k := range c.Beams { // four of ten beams, in groups, end at people
				if k/12%5 < 2 {
					v := c.Beams[k].End.Sub(c.Origin)
					f := min(1, (0.5+0.1*rng.Float64())/v.Norm())
					c.Beams[k].End = c.Origin.Add(robot.Point{X: f * v.X, Y: f * v.Y})
				}
			}
		}
		return clouds
	}
	d.drive(30 * time.Second)
	if d.worst > 0.08 || s.Estimate().Trust == robot.TrustLost {
		t.Errorf("the estimate is up to %v m off and says %v", d.worst, s.Estimate().Trust)
	}
	if got := s.CrowdShare(); got < 0.2 || got > 0.45 {
		t.Errorf("%.2f of the beams end at people, want about 0.4", got)
	}
}

func TestWhereTheLidarIsSilentTheSonarsJudge(t *testing.T) {
	computesLong(t)
	d, s := withLidar(t, models.LidarSonarName, room(), corner, corner, 1)
	d.drive(5 * time.Second)
	if s.judgeHealth() != &s.scans.fit {
		t.Error("where scans come the sonars judge")
	}
	s.change = func([]scan.Cloud) []scan.Cloud { return nil }
	d.drive(3 * time.Second)
	if s.judgeHealth() != &s.health {
		t.Error("2 s after the last scan, scans judge")
	}
	d.drive(30 * time.Second)
	if d.worst > 0.15 || s.Estimate().Trust != robot.TrustOK {
		t.Errorf("by sonars alone the estimate is up to %v m off and says %v", d.worst, s.Estimate().Trust)
	}
}

func TestAnUpdateWithScansAllocatesNothing(t *testing.T) {
	d, s := withLidar(t, models.LidarSonarName, room(), corner, corner, 1)
	d.drive(5 * time.Second)
	var readings []robot.Reading
	var clouds [][]scan.Cloud
	for range 300 {
		if err := d.world.Drive(robot.Twist{Linear: 0.2, Angular: 0.5}); err != nil {
			t.Fatal(err)
		}
		r := d.world.Step()
		c, _ := s.deskewer.Observe(r)
		readings, clouds = append(readings, r), append(clouds, c)
	}
	i := 0
	if n := testing.AllocsPerRun(200, func() {
		s.MCL.Update(readings[i])
		s.ObserveScans(clouds[i])
		i++
	}); n != 0 {
		t.Errorf("%v allocations an update", n)
	}
}

func TestNoScanBreaksTheEstimate(t *testing.T) {
	desc := modelOf(t, models.LidarName)
	table, err := NewTable(t.Context(), room(), desc, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := NewMCL(desc, table, robot.Pose{X: 2, Y: 2}, 1)
		odd := rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 0.1, 3, 12, 1e300, -1e300})
		now := time.Unix(0, 0)
		if rapid.Bool().Draw(t, "lost") {
			m.Forget()
		}
		for range rapid.IntRange(1, 8).Draw(t, "readings") {
			now = now.Add(time.Duration(rapid.IntRange(-1000, 3000).Draw(t, "ms")) * time.Millisecond)
			m.Update(robot.Reading{Time: now, Heading: odd.Draw(t, "heading"), Travel: robot.Wheels{Left: 0.1, Right: 0.1}})
			c := scan.Cloud{Lidar: rapid.IntRange(-1, 2).Draw(t, "lidar"), Origin: robot.Point{X: odd.Draw(t, "origin")}}
			for range rapid.IntRange(0, 80).Draw(t, "beams") {
				c.Beams = append(c.Beams, scan.Beam{End: robot.Point{X: odd.Draw(t, "x"), Y: odd.Draw(t, "y")}, Echo: rapid.Bool().Draw(t, "echo")})
			}
			m.ObserveScans([]scan.Cloud{c})
			e := m.Estimate()
			if !robot.Finite(e.Pose.X, e.Pose.Y, e.Pose.Theta, e.Covariance.XX, e.Covariance.YY, e.Covariance.XY, e.Covariance.TT) {
				t.Fatalf("the estimate is %+v", e)
			}
		}
	})
}

func BenchmarkScans(b *testing.B) {
	d, s := withLidar(b, models.LidarName, room(), corner, corner, 1)
	d.drive(5 * time.Second)
	s.tracker.minCount = 500
	s.tracker.resample(500)
	var readings []robot.Reading
	var clouds [][]scan.Cloud
	for range 4000 {
		if err := d.world.Drive(robot.Twist{Linear: 0.2, Angular: 0.5}); err != nil {
			b.Fatal(err)
		}
		r := d.world.Step()
		c, _ := s.deskewer.Observe(r)
		readings, clouds = append(readings, r), append(clouds, c)
	}
	before, _ := s.CountWork()
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		s.MCL.Update(readings[i%len(readings)])
		s.ObserveScans(clouds[i%len(readings)])
		i++
	}
	after, particles := s.CountWork()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(after-before), "us/observation")
	b.ReportMetric(float64(particles), "particles")
}
