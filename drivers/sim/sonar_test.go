package sim

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
)

// one returns a robot with a single sonar at its centre that looks ahead.
func one(t testing.TB, beam float64) robot.Description {
	d := mybot(t)
	d.Sonars = []robot.Sonar{{Beam: beam, Min: 0.05, Max: 5}}
	return d
}

// heard returns the sonar's range after a while.
func heard(w *World) float64 { return wait(w, time.Second).Ranges[0] }

// wall is a face ahead of a robot at the origin, at a distance and turned by an
// angle.
func wall(distance, turn float64) *robot.Floorplan {
	sin, cos := math.Sincos(turn)
	return &robot.Floorplan{Lines: []robot.Segment{{
		A: robot.Point{X: distance + 20*sin, Y: -20 * cos},
		B: robot.Point{X: distance - 20*sin, Y: 20 * cos},
	}}}
}

func TestASonarTellsTheDistanceOfAWall(t *testing.T) {
	for _, c := range []struct{ distance, want float64 }{
		{0.02, 0.05}, {0.5, 0.5}, {2, 2}, {4.9, 4.9}, {5.1, math.Inf(1)},
	} {
		got := heard(NewWorld(one(t, robot.Radians(20)), wall(c.distance, 0), Scene{}, Options{}))
		if got != c.want && !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("a wall at %v m is measured at %v m", c.distance, got)
		}
	}
}

func TestASonarHearsTheNearestPointInItsBeam(t *testing.T) {
	// The wall is turned by 8°: its foot lies within the half beam.
	got := heard(NewWorld(one(t, robot.Radians(20)), wall(2, robot.Radians(8)), Scene{}, Options{}))
	within(t, "the range of a turned wall", got, 2*math.Cos(robot.Radians(8)), 0.001)
	post := func(bearing float64) float64 {
		b := robot.Radians(bearing)
		scene := Scene{Obstacles: []Obstacle{{Point: robot.Point{X: 2 * math.Cos(b), Y: 2 * math.Sin(b)}, Radius: 0.05, Height: 1}}}
		return heard(NewWorld(one(t, robot.Radians(20)), nil, scene, Options{}))
	}
	within(t, "the range of a post at 9 degrees", post(9), 1.95, 0.02)
	if r := post(13); !math.IsInf(r, 1) {
		t.Errorf("a post outside the beam is measured at %v m", r)
	}
}

func TestAWallAtASlantIsNotHeard(t *testing.T) {
	scene := Scene{Sonar: SonarErrors{Slant: robot.Radians(22)}}
	if r := heard(NewWorld(one(t, robot.Radians(20)), wall(2, robot.Radians(20)), scene, Options{Seed: 1})); math.IsInf(r, 1) {
		t.Error("a wall at 20 degrees is not detected")
	}
	if r := heard(NewWorld(one(t, robot.Radians(20)), wall(2, robot.Radians(55)), scene, Options{Seed: 1})); !math.IsInf(r, 1) {
		t.Errorf("a wall at 55 degrees is measured at %v m", r)
	}
	within(t, "the range of the same wall in an ideal world",
		heard(NewWorld(one(t, robot.Radians(1)), wall(2, robot.Radians(55)), scene, Options{Ideal: true})), 2, 0.05)
}

func TestSoundTurnedAwayByOneWallComesBackFromAnother(t *testing.T) {
	// A mirror at 45°, 2 m ahead, faces a wall 1.5 m to the left.
	plan := wall(2, robot.Radians(-45))
	plan.Lines = append(plan.Lines, robot.Segment{A: robot.Point{X: -9, Y: 1.5}, B: robot.Point{X: 9, Y: 1.5}})
	got := heard(NewWorld(one(t, robot.Radians(10)), plan, Scene{Sonar: SonarErrors{Slant: robot.Radians(22)}}, Options{Seed: 1}))
	within(t, "the way over the mirror", got, 2+1.5, 0.01)
}

func TestTheEndOfAWallIsHeard(t *testing.T) {
	end := func(x float64) float64 {
		plan := &robot.Floorplan{Lines: []robot.Segment{{A: robot.Point{X: x, Y: 0.01}, B: robot.Point{X: x + 3, Y: 0.01}}}}
		return heard(NewWorld(one(t, robot.Radians(20)), plan, Scene{Sonar: SonarErrors{Slant: robot.Radians(22)}}, Options{Seed: 1}))
	}
	within(t, "the end of a wall seen along it", end(1.5), 1.5, 0.001)
	if r := end(4); !math.IsInf(r, 1) {
		t.Errorf("the end of a wall is detected from %v m", r)
	}
}

func TestLowThingsAreOverlookedAndPeopleAreSeen(t *testing.T) {
	at := func(height float64) float64 {
		scene := Scene{Obstacles: []Obstacle{{Point: robot.Point{X: 2}, Radius: 0.2, Height: height}}, Sonar: SonarErrors{Height: 0.3}}
		return heard(NewWorld(one(t, robot.Radians(20)), nil, scene, Options{}))
	}
	within(t, "the range of a barrel", at(0.9), 1.8, 0.001)
	if r := at(0.2); !math.IsInf(r, 1) {
		t.Errorf("a box lower than the sonars is measured at %v m", r)
	}
	scene := Scene{People: []Person{{Radius: 0.25, Speed: 1, Route: []RouteStop{{Point: robot.Point{X: 2}}}}}}
	within(t, "the range of a person", heard(NewWorld(one(t, robot.Radians(20)), nil, scene, Options{})), 1.75, 0.001)
}

func TestSonarsMissAndErrAsOftenAsTheSceneSays(t *testing.T) {
	d := one(t, robot.Radians(20))
	scene := Scene{Sonar: SonarErrors{Noise: 0.01, NoiseShare: 0.005, Dropout: 0.1}}
	w := NewWorld(d, wall(2, 0), scene, Options{Seed: 5})
	var n, missed, sum, squares float64
	for range 30000 {
		w.fireGroup(0)
		n++
		if r := w.sonars.ranges[0]; math.IsInf(r, 1) {
			missed++
		} else {
			sum += r - 2
			squares += (r - 2) * (r - 2)
		}
	}
	within(t, "the share of missed echoes", missed/n, 0.1, 0.006)
	within(t, "the mean error", sum/(n-missed), 0, 0.001)
	within(t, "the noise", math.Sqrt(squares/(n-missed)), 0.02, 0.001)
}

func TestASonarHearsOnlyThePingsOfItsOwnGroup(t *testing.T) {
	d := mybot(t)
	scene := Scene{Sonar: SonarErrors{Crosstalk: 0.2}}
	// Ahead 1 m, left 3 m: sonars 0, 3, 6 and 9 fire together.
	plan := &robot.Floorplan{Lines: []robot.Segment{
		{A: robot.Point{X: 1, Y: -2}, B: robot.Point{X: 1, Y: 2}},
		{A: robot.Point{X: -2, Y: 3}, B: robot.Point{X: 2, Y: 3}},
	}}
	w := NewWorld(d, plan, scene, Options{Seed: 2})
	short := 0
	const n = 4000
	for range n {
		w.fireAll()
		if r := w.sonars.ranges[3]; r < 1 {
			short++
		}
		if r := w.sonars.ranges[0]; math.Abs(r-0.74) > 0.001 {
			t.Fatalf("the nearest sonar of its group measures %v m", r)
		}
	}
	// One range of the four of the group is wrong.
	within(t, "the share of false echoes", float64(short)/n, 0.2/4, 0.015)
}

func TestSonarsFireInTurn(t *testing.T) {
	d := mybot(t)
	w := NewWorld(d, box(), Scene{Sonar: SonarErrors{Noise: 0.01}}, Options{Seed: 1, Start: robot.Pose{X: 0.1}})
	before := w.Step().Ranges
	fresh := make([]int, len(before))
	for range 60 {
		now := w.Step().Ranges
		changed := 0
		for i := range now {
			if now[i] != before[i] {
				fresh[i]++
				changed++
			}
		}
		if changed > len(now)/groups {
			t.Errorf("%d sonars change at once", changed)
		}
		before = now
	}
	for i, n := range fresh {
		if n != 60/int(w.sonars.slot)/groups && !math.IsInf(before[i], 1) {
			t.Errorf("sonar %d is fresh %d times in 60 readings", i, n)
		}
	}
}

func TestBinsChangeNothingThatARayMeets(t *testing.T) {
	plan, scene := office(t)
	g := newSolids(plan, make([]bool, len(plan.Doors)), scene.sceneThings(), scene.Sonar.Height)
	for _, ray := range []struct {
		name         string
		o            robot.Point
		angle, reach float64
	}{
		{"from inside a round chair", robot.Point{X: 16.25, Y: 1.25}, 1, 1},
		{"from the middle of a round chair", robot.Point{X: 16.3, Y: 1.3}, 0, 1},
	} {
		t.Run(ray.name, func(t *testing.T) { compareWithoutBins(t, g, ray.o, ray.angle, ray.reach) })
	}
	rapid.Check(t, func(t *rapid.T) {
		o := robot.Point{X: rapid.Float64Range(-2, 28).Draw(t, "x"), Y: rapid.Float64Range(-3, 18).Draw(t, "y")}
		compareWithoutBins(t, g, o, rapid.Float64Range(-4, 4).Draw(t, "angle"), rapid.Float64Range(0.1, 40).Draw(t, "most"))
	})
}

// A failer is a *testing.T, or rapid's.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compareWithoutBins fails unless a ray of at most reach m, and a circle around its
// start, find in the bins what they find by testing every thing.
func compareWithoutBins(t failer, g *solids, o robot.Point, angle, reach float64) {
	t.Helper()
	d := unitVector(angle)
	want, there := reach, false
	for i := range g.all {
		if h, ok := g.all[i].meetRay(o, d); ok && h.distance < want && !g.all[i].low {
			want, there = h.distance, true
		}
	}
	h, ok := g.castRay(o, d, reach)
	if ok != there || math.Abs(h.distance-want) > 1e-9 {
		t.Fatalf("with bins %v m (%v), without %v m (%v)", h.distance, ok, want, there)
	}
	if n := h.normal; ok && (math.Abs(n.Norm()-1) > 1e-9 || math.Abs(n.X*d.X+n.Y*d.Y+h.cos) > 1e-9) {
		t.Fatalf("the normal %+v does not fit the cosine %v", n, h.cos)
	}
	radius := min(reach, 3)
	near := 0
	for _, s := range g.all {
		if s.distanceTo(o) < radius {
			near++
		}
	}
	if got := len(g.solidsWithin(o, radius)); got != near {
		t.Fatalf("%d things are within %v m with bins, %d without", got, radius, near)
	}
}
