package rollout

import (
	"math"
	"testing"

	"mybot/robot"
	"mybot/robot/limits"
)

// wallAcross is a wall along y at x with a doorway 0.9 m wide at 0.
func wallAcross(x float64) []robot.Track {
	var posts []robot.Track
	for y := 0.5; y < 4; y += 0.1 {
		for _, side := range [2]float64{1, -1} {
			posts = append(posts, robot.Track{At: robot.Point{X: x, Y: side * y}, Radius: 0.05})
		}
	}
	return posts
}

// closedWall is the same wall without a doorway.
func closedWall(x float64) []robot.Track {
	posts := wallAcross(x)
	for y := -0.4; y < 0.45; y += 0.1 {
		posts = append(posts, robot.Track{At: robot.Point{X: x, Y: y}, Radius: 0.05})
	}
	return posts
}

func stander(x, y float64) robot.Track {
	return robot.Track{At: robot.Point{X: x, Y: y}, Radius: 0.27}
}

func TestAPlaceAsideLeavesTheWayToThePersonAndHasRoomToTurn(t *testing.T) {
	for _, c := range []struct {
		name   string
		out    scene
		pose   robot.Pose
		person robot.Track
		found  bool
		places func(p robot.Point) bool
	}{
		{"before a doorway it backs into the room, well beside the doorway", scene{barrels: wallAcross(0.7)}, robot.Pose{}, stander(0.9, 0), true, func(p robot.Point) bool { return p.X < 0 && math.Abs(p.Y) >= 0.7 }},
		{"in a doorway it backs out of it", scene{barrels: wallAcross(0)}, robot.Pose{}, stander(0.8, 0), true, func(p robot.Point) bool { return p.X < -0.4 && math.Abs(p.Y) >= 0.6 }},
		{"it keeps away from barrels", scene{barrels: append(wallAcross(0.7), barrel(-1, 0.8))}, robot.Pose{}, stander(0.9, 0), true, func(p robot.Point) bool { return p.Y < -0.6 }},
		{"and on the other side", scene{barrels: append(wallAcross(0.7), barrel(-1, -0.8))}, robot.Pose{}, stander(0.9, 0), true, func(p robot.Point) bool { return p.Y > 0.6 }},
		{"with a wall behind, it turns before it backs up", scene{barrels: append(wallAcross(1.2), closedWall(-0.5)...)}, robot.Pose{X: 0.1}, stander(0.9, 0), true, func(p robot.Point) bool { return math.Abs(p.Y) >= 0.9 }},
		{"where it sees when the person has gone", scene{barrels: append(wallAcross(0.5), barrel(-0.9, -0.9))}, robot.Pose{}, stander(1.1, 0.35), true, nil},
		{"past what stands on the way", scene{barrels: append(wallAcross(0.7), robot.Track{At: robot.Point{X: -0.35, Y: -0.33}, Radius: 0.05})}, robot.Pose{}, stander(0.9, 0), true, nil},
		{"where the person can pass", scene{walls: []float64{-0.9, 1.6}, barrels: append(wallAcross(0.7), barrel(-0.9, -0.35))}, robot.Pose{}, stander(0.9, 0), true, nil},
		{"from a path along a wall, to the other side of it", scene{walls: []float64{-0.6, 3}}, robot.Pose{}, stander(0.9, 0), true, func(p robot.Point) bool { return p.Y > 0.6 }},
		{"in a corridor along the wall", scene{walls: []float64{-1.06, 1.06}}, robot.Pose{}, stander(0.9, 0), true, func(p robot.Point) bool { return math.Abs(p.Y) >= 0.45 }},
		{"a corridor in which it cannot leave the person's line has no such place", scene{walls: []float64{-0.9, 0.9}}, robot.Pose{}, stander(0.9, 0), false, nil},
		{"a narrow corridor has no such place", scene{walls: []float64{-0.6, 0.6}}, robot.Pose{}, stander(0.9, 0), false, nil},
		{"nor has a corner", scene{walls: []float64{-0.4, 0.4}, barrels: []robot.Track{barrel(-0.7, 0)}}, robot.Pose{}, stander(0.9, 0), false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			control := NewBackward(mybot())
			points := control.FindAside(c.pose, 0, &c.out, []robot.Track{c.person}, nil)
			if (len(points) > 0) != c.found {
				t.Fatalf("it finds %v", points)
			}
			if !c.found {
				return
			}
			end := points[len(points)-1]
			if at := end.Pose.Point(); end.Along < limits.AsideMin-1e-9 || end.Along > limits.AsideMax+1e-9 || c.places != nil && !c.places(at) ||
				c.out.Clearance(at) < control.reach()+asideTurnRoom || at.Sub(c.person.At).Norm() < 0.8 {
				t.Errorf("the place is %v after %.1f m, with %.2f m of clearance", at, end.Along, c.out.Clearance(at))
			}
			beside := 0.0
			for _, side := range [2]float64{1, -1} {
				beside = math.Max(beside, c.out.Clearance(robot.Point{X: end.Pose.X, Y: end.Pose.Y + side*(control.wide+asidePersonGap+limits.TrackRadius)}))
			}
			if beside < limits.TrackRadius {
				t.Errorf("beside %v nobody can pass", end.Pose)
			}
			for f := 0.0; f < 1; f += 0.02 {
				q := robot.Point{X: end.Pose.X + f*(c.person.At.X-end.Pose.X), Y: end.Pose.Y + f*(c.person.At.Y-end.Pose.Y)}
				if c.out.Clearance(q) < 0.02 {
					t.Fatalf("from %v it does not see the person", end.Pose)
				}
			}
			for n, p := range points[1:] {
				if far := (&asideSearch{c: control, out: &c.out}).clearance(p.Pose); far < asideMargin {
					t.Fatalf("at %v it has %.3f m of room", p.Pose, far)
				}
				if gap := p.Pose.Point().Sub(points[n].Pose.Point()).Norm(); math.Abs(gap-Spacing) > 0.01 {
					t.Fatalf("two points of the path are %.2f m apart", gap)
				}
			}
		})
	}
}

func TestARobotBacksUpAlongItsPathToThePlace(t *testing.T) {
	out := scene{barrels: wallAcross(0.7)}
	r := newRig(mybot(), &out)
	r.c = NewBackward(r.desc)
	r.s.Twist = robot.Twist{}
	r.s.Path = r.c.FindAside(r.s.Pose, 0, &out, []robot.Track{stander(0.9, 0)}, nil)
	end := r.s.Path[len(r.s.Path)-1]
	r.s.End, r.s.MaxSpeed = end.Along, asideSpeed
	forward := 0.0
	for r.time < 12 && r.s.Pose.Point().Sub(end.Pose.Point()).Norm() > 0.1 {
		off := math.Inf(1)
		for _, p := range r.s.Path {
			if far := r.s.Pose.Point().Sub(p.Pose.Point()).Norm(); far < off {
				off, r.s.Along = far, p.Along
			}
		}
		r.c.Choose(&r.s)
		r.roll(0.1)
		forward = math.Max(forward, r.s.Twist.Linear)
	}
	if r.s.Pose.Point().Sub(end.Pose.Point()).Norm() > 0.1 || forward > 0.01 || r.nearest < asideMargin {
		t.Errorf("after %.1f s it is at %v on its way to %v, drove ahead at %.2f m/s, and came within %.2f m", r.time, r.s.Pose, end.Pose, forward, r.nearest)
	}
}

func TestAFreeSearchForAPlaceAsideAllocatesNothing(t *testing.T) {
	out, people, points := scene{barrels: wallAcross(0.7)}, []robot.Track{stander(0.9, 0)}, make([]robot.PathPoint, 0, 50)
	c := NewBackward(mybot())
	if n := testing.AllocsPerRun(10, func() { points = c.FindAside(robot.Pose{}, 0, &out, people, points[:0]) }); n > 0 || len(points) == 0 {
		t.Errorf("it allocates %v times for %d points", n, len(points))
	}
}

func TestItDoesNotBackIntoAnotherPerson(t *testing.T) {
	out, behind := scene{barrels: wallAcross(0.7)}, stander(-0.9, 0.2)
	c := NewBackward(mybot())
	points := c.FindAside(robot.Pose{}, 0, &out, []robot.Track{stander(0.9, 0), behind}, nil)
	if len(points) == 0 {
		t.Fatal("it finds no place")
	}
	for _, p := range points {
		if gap := p.Pose.Point().Sub(behind.At).Norm() - behind.Radius - c.wide; gap < limits.NearStopDistance {
			t.Fatalf("at %v it is %.2f m from the person behind it", p.Pose, gap)
		}
	}
}

func TestAPlaceAsideSuitsTheRobotAndThePeopleToTheLastBit(t *testing.T) {
	c := pointRobot()
	gap := 0.27 + c.wide + asidePersonGap // from a person with the radius of a stander
	at, across := robot.Point{Y: 0.5}, robot.Point{X: 0.5}
	wall := func(low, high, far float64) room { // across x
		return func(p robot.Point) float64 {
			if p.X > low && p.X < high {
				return far
			}
			return 1
		}
	}
	lane := func(low, high, far float64) room { // on both sides of at
		return func(p robot.Point) float64 {
			if off := math.Abs(p.Y - at.Y); off > low && off < high {
				return far
			}
			return 1
		}
	}
	spot := func(far float64) room { return lane(-1, 0.1, far) }
	for _, k := range []struct {
		name    string
		at      robot.Point
		heading float64
		person  robot.Track
		out     room
		ok      bool
	}{
		{"just far enough from the path", robot.Point{X: -1, Y: asideOffMin}, 0, stander(5, 0), allOver(1), true},
		{"too near to the path", robot.Point{X: -1, Y: below(asideOffMin)}, 0, stander(5, 0), allOver(1), false},
		{"just far enough from somebody", at, 0, stander(-gap, 0.5), allOver(1), true},
		{"too near to somebody", at, 0, stander(-below(gap), 0.5), allOver(1), false},
		{"before somebody who waits to pass", at, 0, stander(1, 0.5), allOver(1), false},
		{"behind them", at, 0, stander(-1, 0.5), allOver(1), true},
		{"before somebody who waits, along y", across, math.Pi / 2, stander(0.5, 1), allOver(1), false},
		{"behind them, along y", across, math.Pi / 2, stander(0.5, -1), allOver(1), true},
		{"where somebody nearby walks to", at, 0, walker(0, -limits.AsideRange, 0, 0.1), allOver(1), false},
		{"where somebody farther away walks to", at, 0, walker(0, -above(limits.AsideRange), 0, 0.1), allOver(1), true},
		{"to the side of somebody who stands", at, 0, stander(0, -limits.AsideRange), allOver(1), true},
		{"where somebody is in 2 s", at, 0, walker(-2.3, 0.5, 1, 0), allOver(1), false},
		{"where somebody is in 3 s", at, 0, walker(-3.3, 0.5, 1, 0), allOver(1), true},
		{"behind a wall from somebody nearby", at, 0, stander(limits.AsideRange, 0), wall(0.5, 0.9, 0.04), false},
		{"behind a wall from somebody farther away", at, 0, stander(above(limits.AsideRange), 0), wall(0.5, 0.9, 0.04), true},
		{"with a line of sight just wide enough", at, 0, stander(1.5, 0), wall(0.5, 0.9, asideSight), true},
		{"with a line of sight too narrow", at, 0, stander(1.5, 0), wall(0.5, 0.9, below(asideSight)), false},
		{"where only the person themselves is in the line of sight", at, 0, robot.Track{At: robot.Point{X: -1, Y: 0.5}, Radius: 0.3}, wall(-1.3, -0.65, 0), true},
		{"where something before the person is in the line of sight", at, 0, robot.Track{At: robot.Point{X: -1, Y: 0.5}, Radius: 0.3}, wall(-1.3, -0.55, 0), false},
		{"with just enough room to turn", at, 0, stander(5, 0), spot(asideTurnRoom), true},
		{"without room to turn", at, 0, stander(5, 0), spot(below(asideTurnRoom)), false},
		{"with just enough room to pass", at, 0, stander(5, 0), lane(0.2, 0.86, Spacing), true},
		{"without room to pass", at, 0, stander(5, 0), lane(0.2, 0.86, below(Spacing)), false},
		{"with just enough room beyond to pass", at, 0, stander(5, 0), lane(0.86, 2, limits.TrackRadius), true},
		{"without room beyond to pass", at, 0, stander(5, 0), lane(0.86, 2, below(limits.TrackRadius)), false},
		{"with room to pass on the left, along y", across, math.Pi / 2, stander(0, 5), wall(0.7, 9, 0), true},
		{"with room to pass on the right, along y", across, math.Pi / 2, stander(0, 5), wall(-9, 0.3, 0), true},
	} {
		a := asideSearch{c: c, out: k.out, people: []robot.Track{k.person}, heading: k.heading}
		if _, ok := a.judge(k.at); ok != k.ok {
			t.Errorf("a place %s: %v, want %v", k.name, ok, k.ok)
		}
	}
}

func TestARobotMeetsAPersonOnlyWhereItComesNearer(t *testing.T) {
	for _, c := range []struct {
		name       string
		person, at float64 // m, on the x axis; the robot is at 0
		want       bool
	}{
		{"within the gap", 1, 0.6, true},
		{"at the gap", 1, 0.5, false},
		{"nearer than now, outside of the gap", 1, 0.3, false},
		{"as near as now", 0.25, 0.5, false},
		{"nearer than now", 0.25, 0.4, true},
		{"within the gap, farther than now", 0.25, -0.1, false},
	} {
		a := asideSearch{people: []robot.Track{{At: robot.Point{X: c.person}, Radius: 0.25}}}
		if got := a.meets(robot.Point{X: c.at}, 0.25); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestARobotTurnsBeforeItBacksUpOnlyWhereItHasRoom(t *testing.T) {
	for _, c := range []struct {
		here  float64 // m, clearance where it stands
		found bool
	}{{asideTurnRoom, true}, {below(asideTurnRoom), false}} {
		out := room(func(p robot.Point) float64 {
			switch {
			case p == (robot.Point{}):
				return c.here
			case p.X < -0.6:
				return 0
			}
			return 1
		})
		if points := pointRobot().FindAside(robot.Pose{}, 0, out, nil, nil); (len(points) > 0) != c.found {
			t.Errorf("before a wall, with %v m of room, it finds %v", c.here, points)
		}
	}
}

func TestOfTwoPlacesAsideThatAreEquallyGoodTheFirstIsTaken(t *testing.T) {
	points := pointRobot().FindAside(robot.Pose{Theta: math.Pi}, 0, allOver(1), nil, nil)
	if end := points[len(points)-1].Pose; end.Y < asideOffMin {
		t.Errorf("it takes %v", end)
	}
}
