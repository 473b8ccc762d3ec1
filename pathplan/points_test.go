package pathplan

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// face returns the points of a round obstacle that a lidar sees from a point.
func face(middle, eye robot.Point, radius float64) (points []robot.Point) {
	way := eye.Sub(middle)
	for a := -1.2; a <= 1.2; a += 0.1 {
		sin, cos := math.Sincos(math.Atan2(way.Y, way.X) + a)
		points = append(points, middle.Add(robot.Point{X: radius * cos, Y: radius * sin}))
	}
	return points
}

// lengthTo returns the length of the path through a hall from x = 1 to x = 5, or the error.
func lengthTo(p *Planner, now time.Time) (float64, error) {
	r, err := p.FindRoute(now, robot.Pose{X: 1, Y: 2}, robot.Pose{X: 5, Y: 2})
	return r.Length, err
}

func TestPointsOfALidarAreGoneRoundAsLargeAsTheyAre(t *testing.T) {
	desc, eye, middle := mybot(t), robot.Point{X: 1, Y: 2}, robot.Point{X: 3, Y: 2}
	by := func(block func(p *Planner)) float64 {
		p := NewPlanner(hall(4), desc)
		block(p)
		length, err := lengthTo(p, noon)
		if err != nil {
			t.Fatal(err)
		}
		return length
	}
	none := by(func(*Planner) {})
	points := by(func(p *Planner) { p.BlockPoints(noon, face(middle, eye, 0.1)) })
	disc := by(func(p *Planner) { p.Block(noon, eye, robot.Point{X: 2.9, Y: 2}) })
	if none >= points || points >= disc {
		t.Errorf("%.2f m without it, %.2f m around its points, %.2f m around a disc", none, points, disc)
	}
}

func TestNoStraightWayLeadsThroughAnObstacleFarFromTheWalls(t *testing.T) {
	open := &robot.Floorplan{Grid: robot.Grid{Width: 240, Height: 160, Resolution: 0.05, Cells: slices.Repeat([]robot.Cell{robot.Free}, 240*160)}}
	for _, block := range []func(p *Planner, at robot.Point){
		func(p *Planner, at robot.Point) { p.Block(noon, at, at) },
		func(p *Planner, at robot.Point) { p.BlockPoints(noon, []robot.Point{at}) },
	} {
		p := NewPlanner(open, mybot(t))
		a, b := robot.Point{X: 1, Y: 4}, robot.Point{X: 11, Y: 4}
		for x := a.X + 1; x < b.X-1; x += 0.07 {
			block(p, robot.Point{X: x, Y: 4})
			if p.CanGoStraight(a, b) {
				t.Fatalf("the path leads through the obstacle at x = %.2f m", x)
			}
			if p.Unblock(); !p.CanGoStraight(a, b) {
				t.Fatal("the path is not straight after the obstacle is gone")
			}
		}
	}
}

func TestPointsThatBarTheWayAreBlockedAndForgottenInTime(t *testing.T) {
	p := NewPlanner(hall(4), mybot(t))
	var bar []robot.Point
	for y := 0.0; y <= 4; y += 0.05 {
		bar = append(bar, robot.Point{X: 3, Y: y})
	}
	p.BlockPoints(noon, bar)
	if len(p.obstacles) < 30 || len(p.obstacles) > 45 {
		t.Errorf("%d points are noted", len(p.obstacles))
	}
	var blocked robot.Blocked
	if _, err := lengthTo(p, noon); !errors.As(err, &blocked) || math.Abs(blocked.At.X-3) > 0.1 {
		t.Fatalf("without a path the answer is %v", err)
	}
	// An obstacle that is seen repeatedly remains one obstacle, and is remembered longer.
	for n := range 100 {
		p.BlockPoints(noon.Add(time.Duration(n)*100*time.Millisecond), bar)
	}
	if len(p.obstacles) > 45 {
		t.Errorf("seen again, %d points are noted", len(p.obstacles))
	}
	last := noon.Add(9900 * time.Millisecond)
	if _, err := lengthTo(p, last.Add(limits.BlockedLife-time.Second)); err == nil {
		t.Error("it is forgotten too early")
	}
	if _, err := lengthTo(p, last.Add(limits.BlockedLife+limits.BlockedMaxTrust)); err != nil {
		t.Errorf("it is never forgotten: %v", err)
	}
	p.BlockPoints(last.Add(time.Hour), nil)
	if p.keepObstacles(func(obstacle) bool { return false }); p.clear.At(robot.Point{X: 3, Y: 2}) != p.base.At(robot.Point{X: 3, Y: 2}) {
		t.Error("what was forgotten leaves a trace")
	}
}

func TestThePointsOfAPathLieOnItAndTellTheRoom(t *testing.T) {
	plan, desc := office(t)
	p := NewPlanner(plan, desc)
	for _, goal := range plan.Places {
		made, err := p.Plan(noon, place(t, plan, "Lab 301"), goal.Pose)
		if err != nil {
			t.Fatal(err)
		}
		route, points := made.(*path).route, made.Points()
		if &made.Points()[0] != &points[0] {
			t.Error("they are made twice")
		}
		for n, q := range points {
			w, _ := route.waypointAt(q.Along, 0)
			if math.Abs(q.Along-0.1*float64(n)) > 1e-9 || w.Point.Sub(q.Pose.Point()).Norm() > 1e-6 || n > 0 && math.Abs(q.Speed-w.Speed) > 1e-9 || q.Speed > desc.Safe.Linear {
				t.Fatalf("to %s, point %d is %+v, the route has %+v", goal.Name, n, q, w)
			}
			if room := p.Clearance(desc.Drivetrain.Centre(q.Pose).Point()); q.Clear != room {
				t.Errorf("to %s, point %d has %.2f m of room, not %.2f m", goal.Name, n, q.Clear, room)
			}
		}
		if left := route.drivenLength() - points[len(points)-1].Along; left < 0 || left > 0.1 {
			t.Errorf("to %s, %.2f m are missing", goal.Name, left)
		}
	}
}

func TestTheTurnsAndTheEndOfAPathAreDrivenAsPlanned(t *testing.T) {
	desc := mybot(t)
	p := NewPlanner(hall(4), desc)
	made, err := p.Plan(noon, robot.Pose{X: 1, Y: 2}, robot.Pose{X: 5, Y: 2, Theta: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at    robot.Pose
		exact bool
	}{{robot.Pose{X: 1, Y: 2, Theta: 0.7}, true}, {robot.Pose{X: 1.6, Y: 2.1}, false}, {robot.Pose{X: 2.2, Y: 2.3, Theta: 2}, false}, {robot.Pose{X: 2.9, Y: 2}, false}, {robot.Pose{X: 3.6, Y: 2}, false}, {robot.Pose{X: 4.3, Y: 2}, false}, {robot.Pose{X: 4.8, Y: 2}, true}, {robot.Pose{X: 5, Y: 2, Theta: 0.5}, true}} {
		for range 3 { // the robot searches for its goal less than a metre ahead
			_, q := made.Follow(noon, c.at, robot.Twist{}, 0.5)
			if q.Exact != c.exact {
				t.Errorf("at %v it is %v", c.at, q.Exact)
			}
		}
	}
}

func TestWhatIsLeftCountsTheWayBackIntoThePlace(t *testing.T) {
	desc := mybot(t)
	route := straightRoute(desc)
	route.Back = 0.4
	f := newFollower(route, desc)
	last := math.Inf(1)
	for x := 0.0; x < route.drivenLength(); x += 0.1 {
		_, p := f.followRoute(desc.Drivetrain.Centre(robot.Pose{X: x}), robot.Twist{}, 0.5)
		if p.Left > last || p.Left < route.Back {
			t.Fatalf("at %.1f m %.2f m are left, before it were %.2f m", x, p.Left, last)
		}
		last = p.Left
	}
}
