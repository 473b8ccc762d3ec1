package sim

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/robot/scan"
)

// withLidar returns Mybot with a lidar of 360 beams at its centre, ten scans a
// second, 0.3 m above the floor.
func withLidar(t testing.TB) robot.Description {
	d := mybot(t)
	d.Lidars = []robot.Lidar{{Height: 0.3, Step: robot.Radians(1), Beams: 360, Min: 0.1, Max: 12, Rate: 10}}
	return d
}

// scansOf returns the scans of the first lidar while the robot is commanded to
// drive at a twist.
func scansOf(t testing.TB, w *World, wish robot.Twist, lasts time.Duration) (scans []robot.Scan) {
	t.Helper()
	for range int(lasts / w.period) {
		for _, s := range steps(t, w, wish, w.period).Scans {
			if s.Lidar == 0 {
				scans = append(scans, s)
			}
		}
	}
	return scans
}

// newest returns the newest scan of a standing robot.
func newest(t testing.TB, w *World) []float64 {
	t.Helper()
	scans := scansOf(t, w, robot.Twist{}, 300*time.Millisecond)
	return scans[len(scans)-1].Ranges
}

func TestALidarMeasuresTheDistancesAllAround(t *testing.T) {
	ranges := newest(t, NewWorld(withLidar(t), box(), Scene{}, Options{}))
	for beam, got := range ranges {
		sin, cos := math.Sincos(robot.Radians(float64(beam)))
		want := min(5/max(1e-9, math.Abs(cos)), 3/max(1e-9, math.Abs(sin)))
		if !(math.Abs(got-want) < 1e-6) {
			t.Errorf("beam %d measures %v m, want %v m", beam, got, want)
		}
	}
	if ranges = newest(t, NewWorld(withLidar(t), nil, Scene{}, Options{})); slices.ContainsFunc(ranges, func(r float64) bool { return !math.IsInf(r, 1) }) {
		t.Error("on an empty floor something is measured")
	}
	if ranges = newest(t, NewWorld(withLidar(t), wall(0.05, 0), Scene{}, Options{})); !math.IsNaN(ranges[0]) {
		t.Errorf("a wall nearer than it can measure is at %v m", ranges[0])
	}
}

func TestScansComeAtTheirRateWithTheTimesOfTheirBeams(t *testing.T) {
	d := withLidar(t)
	d.Lidars = append(d.Lidars, robot.Lidar{From: math.Pi / 2, Step: -robot.Radians(0.5), Beams: 361, Min: 0.1, Max: 12, Rate: 15})
	w := NewWorld(d, box(), DefaultScene(), Options{Seed: 1, Epoch: time.Unix(1000, 0)})
	last, count := make([]time.Time, 2), make([]int, 2)
	for range 500 {
		r := w.Step()
		for _, s := range r.Scans {
			l := d.Lidars[s.Lidar]
			lasts := time.Duration(float64(l.Beams-1) * math.Abs(l.Step) / (2 * math.Pi) / l.Rate * float64(time.Second))
			if len(s.Ranges) != l.Beams || (s.Lasts-lasts).Abs() > time.Microsecond {
				t.Fatalf("lidar %d: %d ranges in %v, want %d in %v", s.Lidar, len(s.Ranges), s.Lasts, l.Beams, lasts)
			}
			if late := r.Time.Sub(s.Time.Add(s.Lasts)); late < 0 || late >= w.period {
				t.Errorf("lidar %d: the last beam is %v older than the reading", s.Lidar, late)
			}
			if gap := s.Time.Sub(last[s.Lidar]); count[s.Lidar] > 0 && (gap-time.Duration(float64(time.Second)/l.Rate)).Abs() > time.Microsecond {
				t.Errorf("lidar %d: a scan %v after the one before", s.Lidar, gap)
			}
			last[s.Lidar] = s.Time
			count[s.Lidar]++
		}
	}
	if count[0] != 100 || count[1] != 150 {
		t.Errorf("in 10 s there are %v scans, want 100 and 150", count)
	}
}

// Each beam is measured from the robot's pose at its own time: a scan taken for an
// instant is skewed, and robot/scan deskews it with the wheel odometry.
func TestTheRobotMovesWhileAScanIsMeasured(t *testing.T) {
	for name, o := range map[string]Options{"ideal": {Ideal: true}, "with slip": {Seed: 3}} {
		t.Run(name, func(t *testing.T) {
			scene := DefaultScene()
			scene.Lidar = LidarErrors{}
			d := withLidar(t)
			w := NewWorld(d, box(), scene, o)
			deskewer := scan.NewDeskewer(d)
			wish := robot.Twist{Linear: 0.5, Angular: robot.Radians(45)}
			off := func(p robot.Point, at robot.Pose) float64 {
				q := at.Apply(p)
				return min(math.Abs(math.Abs(q.X)-5), math.Abs(math.Abs(q.Y)-3))
			}
			skewed, deskewed, worst, n := 0.0, 0.0, 0.0, 0.0
			for range 200 {
				r := steps(t, w, wish, w.period)
				clouds, faults := deskewer.Observe(r)
				if len(faults) > 0 {
					t.Fatal(faults)
				}
				truth := w.Truth().Pose
				for i, c := range clouds {
					for beam, b := range c.Beams {
						deskewed += off(b.End, truth)
						worst = max(worst, off(b.End, truth))
						sin, cos := math.Sincos(robot.Radians(float64(beam)))
						raw := r.Scans[i].Ranges[beam]
						skewed += off(robot.Point{X: raw * cos, Y: raw * sin}, truth)
						n++
					}
				}
			}
			skewed, deskewed = skewed/n, deskewed/n
			t.Logf("off the walls on average: %.1f cm with skew, %.2f cm without, at most %.2f cm", 100*skewed, 100*deskewed, 100*worst)
			if skewed < 0.05 || deskewed > 0.005 || worst > 0.02 {
				t.Errorf("points are %.4f m off with skew, %.4f m without, at most %.4f m; want more than 0.05 m, less than 0.005 m and 0.02 m", skewed, deskewed, worst)
			}
		})
	}
}

func TestRangesAreNoisyAndSomeAreLost(t *testing.T) {
	w := NewWorld(withLidar(t), wall(4, 0), DefaultScene(), Options{Seed: 1})
	var ahead []float64
	lost, all := 0, 0
	for _, s := range scansOf(t, w, robot.Twist{}, 200*time.Second) {
		ahead = append(ahead, s.Ranges[0])
		for beam := -60; beam <= 60; beam++ {
			all++
			if math.IsNaN(s.Ranges[(beam+360)%360]) {
				lost++
			}
		}
	}
	sum, squares, n := 0.0, 0.0, 0.0
	for _, r := range ahead {
		if !math.IsNaN(r) {
			sum, squares, n = sum+r, squares+(r-4)*(r-4), n+1
		}
	}
	within(t, "the mean range of a wall at 4 m", sum/n, 4, 0.003)
	within(t, "the standard deviation", math.Sqrt(squares/n), 0.01+0.005*4, 0.002)
	within(t, "the share of lost beams", float64(lost)/float64(all), 0.005, 0.001)
}

func TestGlassAnswersOnlySquarely(t *testing.T) {
	// Glass 2 m ahead, a wall 4 m ahead.
	plan := wall(2, 0)
	plan.Lines = append(plan.Lines, robot.Segment{A: robot.Point{X: 4, Y: -20}, B: robot.Point{X: 4, Y: 20}})
	plan.Glass = []int{0}
	scene := Scene{Lidar: LidarErrors{GlassSlant: robot.Radians(8)}}
	ranges := newest(t, NewWorld(withLidar(t), plan, scene, Options{}))
	for beam := -60; beam <= 60; beam++ {
		want := 2.0
		if beam < -8 || beam > 8 {
			want = 4
		}
		if got := ranges[(beam+360)%360] * math.Cos(robot.Radians(float64(beam))); !(math.Abs(got-want) < 1e-6) {
			t.Errorf("%d degrees off the normal something is measured at %v m ahead, want %v m", beam, got, want)
		}
	}
	if heard := wait(NewWorld(withLidar(t), plan, scene, Options{}), time.Second).Ranges[0]; math.Abs(heard-(2-0.26)) > 1e-6 {
		t.Errorf("the front sonar measures the glass at %v m", heard)
	}
}

func TestDarkThingsAreOftenMissed(t *testing.T) {
	for _, dark := range []bool{false, true} {
		scene := Scene{
			Obstacles: []Obstacle{{Point: robot.Point{X: 2}, Radius: 0.3, Height: 1, Dark: dark}},
			People:    []Person{{Speed: 1, Radius: 0.3, Dark: dark, Route: []RouteStop{{Point: robot.Point{X: -2}, Pause: 3600}}}},
			Lidar:     LidarErrors{DarkLost: 0.3},
		}
		w := NewWorld(withLidar(t), nil, scene, Options{Seed: 1})
		missed, n := 0.0, 0.0
		for _, s := range scansOf(t, w, robot.Twist{}, 60*time.Second) {
			for _, beam := range []int{0, 3, 180, 183} {
				n++
				if math.IsNaN(s.Ranges[beam]) {
					missed++
				}
			}
		}
		want := map[bool]float64{false: 0, true: 0.3}[dark]
		within(t, "the share of beams that miss it", missed/n, want, 0.03)
	}
}

func TestAnEdgeGivesMixedPixels(t *testing.T) {
	// A box from 10.5° to the right to 10.5° to the left, 2 m ahead, and a wall at
	// 6 m.
	half := 2 * math.Tan(robot.Radians(10.5))
	plan := &robot.Floorplan{Lines: []robot.Segment{
		{A: robot.Point{X: 2, Y: -half}, B: robot.Point{X: 2, Y: half}},
		{A: robot.Point{X: 2, Y: half}, B: robot.Point{X: 2.5, Y: 0}},
		{A: robot.Point{X: 2.5, Y: 0}, B: robot.Point{X: 2, Y: -half}},
		{A: robot.Point{X: 6, Y: -20}, B: robot.Point{X: 6, Y: 20}},
	}}
	w := NewWorld(withLidar(t), plan, Scene{Lidar: LidarErrors{Mixed: 0.2}}, Options{Seed: 1})
	mixed, elsewhere, scans := 0, 0, scansOf(t, w, robot.Twist{}, 200*time.Second)
	for _, s := range scans {
		for beam := -40; beam <= 40; beam++ {
			x := s.Ranges[(beam+360)%360] * math.Cos(robot.Radians(float64(beam)))
			if x > 2.01 && x < 5.99 {
				if beam == 11 || beam == -10 {
					mixed++
				} else {
					elsewhere++
				}
			}
		}
	}
	within(t, "the share of mixed pixels at the two edges", float64(mixed)/float64(2*len(scans)), 0.2, 0.02)
	if elsewhere > 0 {
		t.Errorf("%d ranges between the box and the wall away from the edges", elsewhere)
	}
}

func TestTheHeightOfALidarDecidesWhatItSees(t *testing.T) {
	table := robot.Furniture{Name: "Meeting table", Height: 0.74, Outline: []robot.Point{{X: 2, Y: -0.5}, {X: 3, Y: -0.5}, {X: 3, Y: 0.5}, {X: 2, Y: 0.5}}}
	chair := robot.Furniture{Name: "Chair", Height: 0.8, Radius: 0.2, Outline: []robot.Point{{X: 2}}}
	for _, c := range []struct {
		name   string
		thing  robot.Furniture
		height float64
		seen   int     // beams that end within 4 m
		ahead  float64 // m, range of the beam straight ahead
	}{
		{"a table, below its top: the legs", table, 0.3, 4, math.Inf(1)},
		{"a table, at its top", table, 0.72, 29, 2},
		{"above a table", table, 0.8, 0, math.Inf(1)},
		{"a chair, below its seat: the stem", chair, 0.3, 1, 2 - 0.2*0.14},
		{"a chair, above its seat", chair, 0.6, 11, 1.8},
		{"a cabinet", robot.Furniture{Name: "Cabinet", Height: 1.5, Outline: table.Outline}, 0.3, 29, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := withLidar(t)
			d.Lidars[0].Height = c.height
			ranges := newest(t, NewWorld(d, &robot.Floorplan{Furniture: []robot.Furniture{c.thing}}, Scene{}, Options{}))
			seen := 0
			for _, r := range ranges {
				if r < 4 {
					seen++
				}
			}
			if seen != c.seen {
				t.Errorf("%d beams see it, want %d", seen, c.seen)
			}
			if ranges[0] != c.ahead && !(math.Abs(ranges[0]-c.ahead) < 1e-6) {
				t.Errorf("straight ahead it measures %v m, want %v m", ranges[0], c.ahead)
			}
		})
	}
	low := Scene{Obstacles: []Obstacle{{Point: robot.Point{X: 2}, Radius: 0.3, Height: 0.25}}}
	if r := newest(t, NewWorld(withLidar(t), nil, low, Options{}))[0]; !math.IsInf(r, 1) {
		t.Errorf("an object below the plane is seen at %v m", r)
	}
}

// A line of a map has no thickness; walls and doors have some.
func TestAWallIsSeenFromItsEnd(t *testing.T) {
	across := robot.Segment{A: robot.Point{X: 2, Y: 0.001}, B: robot.Point{X: 3, Y: 0.001}}
	plan := &robot.Floorplan{Lines: []robot.Segment{across}, Doors: []robot.Door{{Hinge: robot.Point{X: -2, Y: 0.001}, Length: 1, Closed: math.Pi, Open: math.Pi}}}
	ranges := newest(t, NewWorld(withLidar(t), plan, Scene{}, Options{}))
	within(t, "the range of the end of a wall", ranges[0], 1.98, 0.001)
	within(t, "the range of the edge of a door", ranges[180], 1.98, 0.001)
	// At a corner of two walls there is no end.
	plan.Lines = append(plan.Lines, robot.Segment{A: across.A, B: robot.Point{X: 2, Y: 3}})
	within(t, "the range of a corner", newest(t, NewWorld(withLidar(t), plan, Scene{}, Options{}))[1], 2/math.Cos(robot.Radians(1)), 0.001)
}

func TestWhatIsPutDownAndADoorThatClosesAreSeen(t *testing.T) {
	plan := &robot.Floorplan{Doors: []robot.Door{{Hinge: robot.Point{X: 3, Y: -0.5}, Length: 1, Closed: math.Pi / 2, Open: 0}}}
	w := NewWorld(withLidar(t), plan, Scene{}, Options{})
	if r := newest(t, w)[0]; !math.IsInf(r, 1) {
		t.Fatalf("in front of an open door something is %v m away", r)
	}
	if err := w.SetDoor(0, true); err != nil {
		t.Fatal(err)
	}
	within(t, "the range of a closed door", newest(t, w)[0], 3, 1e-6)
	if _, err := w.AddThing(ObstacleKind, robot.Point{X: 2}, 0.2); err != nil {
		t.Fatal(err)
	}
	within(t, "the range of a barrel", newest(t, w)[0], 1.8, 1e-6)
}

func TestMaskedBeamsSeeTheRobotItself(t *testing.T) {
	d := withLidar(t)
	d.Lidars[0].Mask = []robot.Sector{{From: robot.Radians(90), To: robot.Radians(95)}}
	ranges := newest(t, NewWorld(d, box(), DefaultScene(), Options{Seed: 1}))
	for beam := 90; beam <= 95; beam++ {
		within(t, "the range of a masked beam", ranges[beam], 0.11, 1e-9)
	}
}

// The lidar's random numbers never change what the sonars and the other sensors
// measure.
func TestALidarLeavesTheOtherReadingsAsTheyAre(t *testing.T) {
	plan, scene := office(t)
	with := NewWorld(withLidar(t), plan, scene, Options{Seed: 5})
	without := NewWorld(mybot(t), plan, scene, Options{Seed: 5})
	for i := range 1500 {
		wish := robot.Twist{Linear: 0.4, Angular: 0.3 * math.Sin(float64(i)/50)}
		a, b := steps(t, with, wish, with.period), steps(t, without, wish, without.period)
		if a.Travel != b.Travel || a.Heading != b.Heading || !slices.Equal(a.Ranges, b.Ranges) || a.Battery != b.Battery {
			t.Fatalf("reading %d is %+v with a lidar and %+v without", i, a, b)
		}
	}
}

func TestTheSameSeedGivesTheSameScans(t *testing.T) {
	plan, scene := office(t)
	run := func(seed uint64) (all []float64) {
		for _, s := range scansOf(t, NewWorld(withLidar(t), plan, scene, Options{Seed: seed}), robot.Twist{Linear: 0.3}, 5*time.Second) {
			all = append(all, s.Ranges...)
		}
		return all
	}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	if !slices.EqualFunc(run(7), run(7), same) {
		t.Error("two runs with seed 7 differ")
	}
	if slices.EqualFunc(run(7), run(8), same) {
		t.Error("the runs with seeds 7 and 8 are the same")
	}
}

func TestALateReaderGetsTheScansOfTheLastSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDriver(NewWorld(withLidar(t), box(), DefaultScene(), Options{Seed: 1}))
		deskewer := scan.NewDeskewer(d.Describe())
		time.Sleep(5 * time.Second)
		r, err := d.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Scans) < 9 || len(r.Scans) > 10 {
			t.Errorf("there are %d scans", len(r.Scans))
		}
		if clouds, faults := deskewer.Observe(r); len(faults) > 0 || len(clouds) != len(r.Scans) {
			t.Errorf("of %d scans %d are of use: %v", len(r.Scans), len(clouds), faults)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	plan, scene := office(b)
	w := NewWorld(withLidar(b), plan, scene, Options{Seed: 1})
	w.walkers = nil
	b.ReportAllocs()
	for b.Loop() { // 100 ms of beams only
		for range 5 {
			w.tick++
			w.sweepLidars(w.base.pose)
		}
	}
}
