package onboard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/models"
	"mybot/robot/scan"
)

// builtIn returns a built-in robot.
func builtIn(t testing.TB, name string) robot.Description {
	t.Helper()
	data, _ := models.Find(name)
	d, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// hasLegs reports whether a lidar near the floor sees only the legs of a piece of
// furniture, and the hull touches what is above.
func hasLegs(f robot.Furniture) bool {
	name := strings.ToLower(f.Name)
	return slices.ContainsFunc([]string{"table", "desk", "bench", "chair", "stool"}, func(w string) bool { return strings.Contains(name, w) })
}

// driveRecklessly drives a robot about as if nothing stood there, for some seconds, and
// returns how often it touched something while it moved, and the way in m.
func driveRecklessly(t testing.TB, w *sim.World, desc robot.Description, start robot.Pose, seed uint64, seconds int) (bumps int, way float64) {
	t.Helper()
	core := NewCore(desc, localization.NewOdometry(desc, start), nil)
	random := rand.New(rand.NewPCG(seed, 1))
	var hand robot.Twist
	touching, still := false, true
	for i := range seconds * 50 {
		r := w.Step()
		truth := w.Truth()
		if truth.Contact && !touching && !still {
			bumps++
			t.Logf("seed %d, %.1f s: a bump at %.2v, asked for %.2v", seed, float64(i)/50, truth.Pose, hand)
		}
		touching, still = truth.Contact, truth.Twist.IsStill()
		if i%100 == 0 {
			hand = robot.Twist{Linear: 0.5*random.Float64() + 0.1, Angular: random.NormFloat64() * 0.3}
			if random.IntN(3) == 0 {
				hand.Linear = -hand.Linear
			}
			if random.IntN(4) == 0 {
				hand = robot.Twist{Angular: random.NormFloat64()}
			}
		}
		if i%2 == 0 {
			core.Do(r.Time, robot.Drive{Twist: hand})
		}
		out, _ := core.Tick(r)
		if err := w.Drive(out); err != nil {
			t.Fatal(err)
		}
		way += math.Abs(r.Travel.Left+r.Travel.Right) / 2
	}
	return bumps, way
}

// A lidar alone sees the legs of tables and not their tops, so there are none here.
func TestARecklessHandTouchesNothingWithALidarAmongWallsThingsAndPeople(t *testing.T) {
	computesLong(t)
	plan, scene := office(t)
	legless := *plan
	legless.Furniture = slices.DeleteFunc(slices.Clone(plan.Furniture), hasLegs)
	const seconds = 90 // mybot lab guard drives for hours
	for _, c := range []struct {
		name string
		plan *robot.Floorplan
	}{{models.LidarName, &legless}, {models.LidarSonarName, plan}} {
		desc := builtIn(t, c.name)
		for _, people := range []bool{false, true} {
			s := scene
			if !people {
				s.People = nil
			}
			w := sim.NewWorld(desc, c.plan, s, sim.Options{Seed: 1, Epoch: epoch})
			bumps, way := driveRecklessly(t, w, desc, s.Start, 1, seconds)
			if bumps > 0 || way < 5 {
				t.Errorf("%s, people %v: %d bumps on %.1f m", c.name, people, bumps, way)
			}
		}
	}
}

// driveAhead drives straight on for some seconds and returns the states; spoil may
// change each reading. It ends when the robot touches something.
func driveAhead(t testing.TB, w *sim.World, desc robot.Description, seconds float64, spoil func(*robot.Reading)) (states []robot.State, touched bool) {
	t.Helper()
	core := NewCore(desc, localization.NewOdometry(desc, robot.Pose{}), nil)
	for range int(50 * seconds) {
		r := w.Step()
		if spoil != nil {
			spoil(&r)
		}
		core.Do(r.Time, robot.Drive{Twist: robot.Twist{Linear: 0.5}})
		out, s := core.Tick(r)
		if err := w.Drive(out); err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
		if w.Truth().Contact {
			return states, true
		}
	}
	return states, false
}

// A pane of glass stands across the way, turned by an angle; a wall is far behind it.
func TestGlassThatOnlySonarsHearStopsARobotWithALidar(t *testing.T) {
	computesLong(t)
	behind := wall(9, -30, 9, 30)
	for degrees := -60.0; degrees <= 60; degrees += 10 {
		sin, cos := math.Sincos(robot.Radians(degrees))
		pane := wall(3+9*sin, -9*cos, 3-9*sin, 9*cos)
		plan := &robot.Floorplan{Lines: []robot.Segment{pane, behind}, Glass: []int{0}}
		world := func(desc robot.Description) *sim.World {
			return sim.NewWorld(desc, plan, sim.DefaultScene(), sim.Options{Seed: 1, Epoch: epoch})
		}
		both := builtIn(t, models.LidarSonarName)
		if _, touched := driveAhead(t, world(both), both, 15, nil); touched {
			t.Errorf("turned by %.0f deg: a robot with lidar and sonars touches the glass", degrees)
		}
		// This shows that the lidar does not see it: else the test would prove nothing.
		alone := builtIn(t, models.LidarName)
		if _, touched := driveAhead(t, world(alone), alone, 15, nil); !touched && math.Abs(degrees) > 45 {
			t.Errorf("turned by %.0f deg: a lidar alone sees the glass", degrees)
		}
	}
}

func TestARobotDrivesSlowlyTowardWhereItsLidarMeasuresNothing(t *testing.T) {
	nothing := func(s *robot.Scan, from, to int) {
		s.Ranges = slices.Clone(s.Ranges)
		for beam := from; beam < to; beam++ {
			s.Ranges[(beam+180+360)%360] = math.NaN() // the first beam looks back
		}
	}
	each := func(spoil func(*robot.Scan)) func(*robot.Reading) {
		return func(r *robot.Reading) {
			for i := range r.Scans {
				spoil(&r.Scans[i])
			}
		}
	}
	var frozen []float64
	const lidarReason = "The lidar measures nothing on that side."
	for _, c := range []struct {
		name  string
		spoil func(*robot.Reading)
		slow  bool
		after float64 // s from the fault on
	}{
		{"it works", nil, false, 0},
		{"it is silent", func(r *robot.Reading) { r.Scans = nil }, true, 0.4},
		{"no beam measures", each(func(s *robot.Scan) { nothing(s, 0, 360) }), true, 0.4},
		{"it shows the same again and again", each(func(s *robot.Scan) {
			if frozen == nil {
				frozen = s.Ranges
			}
			s.Ranges = frozen
		}), true, 1.5},
		{"the beams ahead measure nothing", each(func(s *robot.Scan) { nothing(s, -10, 10) }), true, 0.4},
		{"the beams behind measure nothing", each(func(s *robot.Scan) { nothing(s, 90, 270) }), false, 0},
		{"some beams ahead measure nothing", each(func(s *robot.Scan) { nothing(s, -3, 3) }), false, 0},
		{"its scans are late", each(func(s *robot.Scan) { s.Time = s.Time.Add(-400 * time.Millisecond) }), true, 0.4},
		{"its scans are of no use", each(func(s *robot.Scan) { s.Time = s.Time.Add(-2 * time.Second) }), true, 0.4},
	} {
		t.Run(c.name, func(t *testing.T) {
			frozen = nil
			plan := &robot.Floorplan{Lines: []robot.Segment{wall(-4, -5, 9, -5), wall(-4, 5, 9, 5), wall(9, -5, 9, 5), wall(-4, -5, -4, 5)}}
			desc := builtIn(t, models.LidarName)
			w := sim.NewWorld(desc, plan, sim.DefaultScene(), sim.Options{Seed: 1, Epoch: epoch})
			ticks := 0
			states, _ := driveAhead(t, w, desc, 6, func(r *robot.Reading) {
				if ticks++; ticks > 150 && c.spoil != nil {
					c.spoil(r)
				}
			})
			if v := states[140].Drive.Given.Linear; v < 0.49 {
				t.Fatalf("before the fault it drives with %.2f m/s: %v", v, states[140].Drive.Result)
			}
			last := states[len(states)-1]
			if v := last.Drive.Given.Linear; c.slow && v > limits.BlindSonarSpeed+1e-9 || !c.slow && v < 0.49 {
				t.Errorf("it drives with %.2f m/s in the end: %v", v, last.Drive.Result)
			}
			if s := last.Slow; (s != nil) != c.slow || c.slow && (s.Speed != limits.BlindSonarSpeed || !strings.Contains(s.Why, lidarReason)) {
				t.Errorf("the page is told to keep to %+v", s)
			}
			if !c.slow {
				return
			}
			if !strings.Contains(last.Drive.Result.Reason, lidarReason) {
				t.Errorf("it says %v", last.Drive.Result)
			}
			for i, s := range states[150:] {
				if s.Guard.Limit <= limits.BlindSonarSpeed {
					if after := float64(i) / 50; after > c.after {
						t.Errorf("it slows down %.2f s after the fault, want %.2f s", after, c.after)
					}
					return
				}
			}
		})
	}
}

// scanned is a localizer that keeps what it gets, in order.
type scanned struct {
	*localization.Odometry
	got []string
}

func (s *scanned) Update(r robot.Reading) {
	s.got = append(s.got, "a reading")
	s.Odometry.Update(r)
}

func (s *scanned) ObserveScans(clouds []scan.Cloud) {
	for _, c := range clouds {
		s.got = append(s.got, fmt.Sprintf("a scan of %d beams", len(c.Beams)))
	}
}

func TestALocalizerGetsTheScansOfAReadingAfterTheReading(t *testing.T) {
	desc := builtIn(t, models.LidarName)
	loc := &scanned{Odometry: localization.NewOdometry(desc, robot.Pose{})}
	core := NewCore(desc, loc, nil)
	ranges := make([]float64, desc.Lidars[0].Beams)
	for i := range ranges {
		ranges[i] = 2
	}
	for i := range 3 {
		r := robot.Reading{Time: time.Unix(100, 0).Add(time.Duration(i) * 20 * time.Millisecond), Heading: math.NaN(), Battery: robot.Battery{Charge: 1}}
		switch i {
		case 1:
			r.Scans = []robot.Scan{{Time: r.Time, Ranges: ranges}}
		case 2: // of the wrong length: it is not used
			r.Scans = []robot.Scan{{Time: r.Time, Ranges: ranges[1:]}}
		}
		core.Tick(r)
	}
	if want := []string{"a reading", "a reading", "a scan of 360 beams", "a reading"}; !slices.Equal(loc.got, want) {
		t.Errorf("it gets %q, want %q", loc.got, want)
	}
}

func TestALidarMakesAtLeastFourScansASecond(t *testing.T) {
	for rate, slow := range map[float64]bool{4: false, 10: false, 40: false, 2.5: true} {
		desc := builtIn(t, models.LidarName)
		desc.Lidars[0].Rate = rate
		plan := &robot.Floorplan{Lines: []robot.Segment{wall(-4, -5, 9, -5), wall(-4, 5, 9, 5), wall(9, -5, 9, 5), wall(-4, -5, -4, 5)}}
		w := sim.NewWorld(desc, plan, sim.DefaultScene(), sim.Options{Seed: 1, Epoch: epoch})
		states, _ := driveAhead(t, w, desc, 6, nil)
		slowed := slices.ContainsFunc(states[100:], func(s robot.State) bool { return s.Drive.Given.Linear < 0.49 })
		if slowed != slow {
			t.Errorf("with %g scans a second it is slowed: %v", rate, slowed)
		}
	}
}
