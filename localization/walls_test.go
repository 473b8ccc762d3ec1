package localization

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
)

// floorOf draws a floor of straight and round things.
func floorOf(t *rapid.T) *robot.Floorplan {
	at := rapid.Float64Range(-6, 6)
	plan := &robot.Floorplan{}
	for range rapid.IntRange(0, 12).Draw(t, "lines") {
		plan.Lines = append(plan.Lines, robot.Segment{
			A: robot.Point{X: at.Draw(t, "ax"), Y: at.Draw(t, "ay")},
			B: robot.Point{X: at.Draw(t, "bx"), Y: at.Draw(t, "by")},
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "pillars") {
		plan.Furniture = append(plan.Furniture, robot.Furniture{
			Outline: []robot.Point{{X: at.Draw(t, "x"), Y: at.Draw(t, "y")}},
			Radius:  rapid.Float64Range(0.05, 1).Draw(t, "radius"),
		})
	}
	return plan
}

// meetSlowly returns the length of the ray, testing thing by thing.
func meetSlowly(w *walls, o robot.Point, sin, cos, reach float64) float64 {
	for _, f := range w.all {
		a := f.a.Sub(o)
		if f.radius > 0 {
			along, across := a.X*cos+a.Y*sin, a.X*sin-a.Y*cos
			if in := f.radius*f.radius - across*across; in >= 0 && along-math.Sqrt(in) >= 0 {
				reach = min(reach, along-math.Sqrt(in))
			}
			continue
		}
		e := f.b.Sub(f.a)
		den := cos*e.Y - sin*e.X
		distance, on := (a.X*e.Y-a.Y*e.X)/den, (a.X*sin-a.Y*cos)/den
		if distance >= 0 && on >= 0 && on <= 1 {
			reach = min(reach, distance)
		}
	}
	return reach
}

// apart draws again if o is on a line or in a pillar.
func apart(t *rapid.T, w *walls, o robot.Point) {
	for _, f := range w.all {
		e, a := f.b.Sub(f.a), o.Sub(f.a)
		if f.radius > 0 {
			e = robot.Point{}
		} else {
			u := max(0, min(1, (a.X*e.X+a.Y*e.Y)/(e.X*e.X+e.Y*e.Y)))
			a = a.Sub(robot.Point{X: u * e.X, Y: u * e.Y})
		}
		if a.Norm() < f.radius+0.01 {
			t.Skip("on a line or in a pillar")
		}
	}
}

// endAlong reports whether a wall ends at that distance from o, nearest to ray k.
func endAlong(w *walls, o robot.Point, k int, far float64) bool {
	for _, f := range w.all {
		for _, e := range []robot.Point{f.a, f.b} {
			if v := e.Sub(o); f.radius == 0 && math.Abs(v.Norm()-far) < 1e-9 && rayAt(math.Atan2(v.Y, v.X)) == k {
				return true
			}
		}
	}
	return false
}

func TestALookRoundSeesWhatEachRayMeetsFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWalls(floorOf(t))
		const reach = 4
		l := newRayScan(w, reach)
		o := robot.Point{X: rapid.Float64Range(-6, 6).Draw(t, "x"), Y: rapid.Float64Range(-6, 6).Draw(t, "y")}
		apart(t, w, o)
		l.scanFrom(o)
		wrong := 0
		for k := range rays {
			want := meetSlowly(w, o, l.sin[k], l.cos[k], reach)
			if math.Abs(l.depth[k]-want) > 1e-6 {
				wrong++
			}
			if l.echo[k] < l.depth[k] && !endAlong(w, o, k, l.echo[k]) {
				t.Fatalf("along %d degrees %v m answers; no wall ends there", k, l.echo[k])
			}
		}
		// A ray that grazes the end of a line may or may not meet it.
		if wrong > 2*len(w.all) {
			t.Fatalf("%d rays are wrong", wrong)
		}
	})
}

func TestAWallAnswersOnlyNearlyAlongItsNormal(t *testing.T) {
	w := newWalls(&robot.Floorplan{Lines: []robot.Segment{{A: robot.Point{X: 2, Y: -50}, B: robot.Point{X: 2, Y: 50}}}})
	l := newRayScan(w, 5)
	l.scanFrom(robot.Point{})
	for k, want := range map[int]float64{0: 2, 20: 2 / math.Cos(20*math.Pi/180), 340: 2 / math.Cos(20*math.Pi/180), 30: 5, 180: 5} {
		if math.Abs(l.echo[k]-want) > 1e-9 {
			t.Errorf("along %d degrees %v m answers, want %v", k, l.echo[k], want)
		}
	}
	if want := 2 / math.Cos(40*math.Pi/180); math.Abs(l.depth[40]-want) > 1e-9 {
		t.Errorf("along 40 degrees the wall is %v m away, want %v", l.depth[40], want)
	}
}

func TestTheEndOfAWallAnswersFromEverywhere(t *testing.T) {
	w := newWalls(&robot.Floorplan{Lines: []robot.Segment{{A: robot.Point{X: 1, Y: 1}, B: robot.Point{X: 1.02, Y: 40}}}})
	l := newRayScan(w, 5)
	l.scanFrom(robot.Point{})
	if got := l.echo[45]; math.Abs(got-math.Sqrt2) > 1e-9 {
		t.Errorf("the end answers from %v m, want %v", got, math.Sqrt2)
	}
	l.scanFrom(robot.Point{X: -2, Y: -2})
	if got := l.echo[45]; got != 5 {
		t.Errorf("from more than %v m off, it answers from %v m", edgeReach, got)
	}
}

func TestTheNearestLineInABeamIsTheNearestOfItsRays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := floorOf(t)
		plan.Furniture = nil
		w := newWalls(plan)
		at := robot.Pose{X: rapid.Float64Range(-6, 6).Draw(t, "x"), Y: rapid.Float64Range(-6, 6).Draw(t, "y"), Theta: rapid.Float64Range(-math.Pi, math.Pi).Draw(t, "theta")}
		apart(t, w, at.Point())
		const reach, half, n = 4.0, 0.2, 400
		want := reach
		for k := -n; k <= n; k++ {
			sin, cos := math.Sincos(at.Theta + half*float64(k)/n)
			want = meetSlowly(w, at.Point(), sin, cos, want)
		}
		got, normal, ok := w.nearestLine(at, half, reach)
		if !ok {
			got = reach
		}
		// The nearest point may lie between two rays, or be an end that no ray
		// meets.
		if got > want+1e-9 || got < want-0.2 && math.Abs(got-want) > 0.05*want {
			near := reach
			for _, f := range w.all {
				for _, e := range []robot.Point{f.a, f.b} {
					near = min(near, math.Abs(e.Sub(at.Point()).Norm()-got))
				}
			}
			if near > 1e-6 {
				t.Fatalf("the nearest line is %v m away, the nearest ray meets one in %v m", got, want)
			}
		}
		if ok && math.Abs(normal.Norm()-1) > 1e-9 {
			t.Fatalf("the normal %v is not of length one", normal)
		}
	})
}

func TestTheNormalOfTheNearestThingPointsToTheRobot(t *testing.T) {
	round := newWalls(&robot.Floorplan{Furniture: []robot.Furniture{{Outline: []robot.Point{{X: 1, Y: 2}}, Radius: 0.3}}})
	wall := newWalls(&robot.Floorplan{Lines: []robot.Segment{{A: robot.Point{X: -9, Y: 2}, B: robot.Point{X: 9, Y: 2}}}})
	for k := range 24 {
		theta := 2 * math.Pi * float64(k) / 24
		sin, cos := math.Sincos(theta)
		// A metre from the centre of the round thing, and facing it.
		d, normal, ok := round.nearestLine(robot.Pose{X: 1 - cos, Y: 2 - sin, Theta: theta}, 0.2, 4)
		if !ok || math.Abs(d-0.7) > 1e-9 || normal.Sub(robot.Point{X: -cos, Y: -sin}).Norm() > 1e-9 {
			t.Errorf("towards %.2f rad the round thing is %v m away with the normal %v, %v", theta, d, normal, ok)
		}
		if _, _, ok := round.nearestLine(robot.Pose{X: 1 - cos, Y: 2 - sin, Theta: theta + math.Pi}, 0.2, 4); ok {
			t.Errorf("what is behind it is in its beam")
		}
		if sin > 0.3 {
			if d, normal, ok := wall.nearestLine(robot.Pose{Y: 1, Theta: theta}, 0, 9); !ok || math.Abs(d-1/sin) > 1e-9 || normal.Sub(robot.Point{Y: -1}).Norm() > 1e-9 {
				t.Errorf("towards %.2f rad the wall is %v m away with the normal %v, %v", theta, d, normal, ok)
			}
		}
	}
}
