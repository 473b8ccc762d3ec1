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
