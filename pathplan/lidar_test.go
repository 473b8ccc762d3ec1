package pathplan

import (
	"math"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/models"
	"mybot/robot/scan"
)

// byLidar returns the corridor for a robot with a lidar in place of its sonars.
func byLidar(t *testing.T) corridor {
	t.Helper()
	c := newCorridor(t)
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	c.desc = desc
	return c
}

// standing lets a robot stand in a scene for a time and passes each reading, with the rays of
// its scans, to show, until that returns false.
func (c corridor) standing(scene sim.Scene, lasts time.Duration, show func(r robot.Reading, rays []robot.Ray) bool) {
	scene.Start = c.start
	w := sim.NewWorld(c.desc, c.plan, scene, sim.Options{Seed: 5, Epoch: noon})
	deskewer := scan.NewDeskewer(c.desc)
	for r := w.Step(); r.Time.Before(noon.Add(lasts)); r = w.Step() {
		clouds, _ := deskewer.Observe(r)
		var rays []robot.Ray
		for _, cloud := range clouds {
			for _, b := range cloud.Beams {
				rays = append(rays, robot.Ray{From: cloud.Origin, To: b.End, Echo: b.Echo})
			}
		}
		if !show(r, rays) {
			return
		}
	}
}

func TestALidarSeesWhatStandsInTheLaneWellBeforeTheRobotIsThere(t *testing.T) {
	c := byLidar(t)
	for _, k := range []struct {
		name   string
		at     robot.Point
		radius float64
		want   string // early, near or never
	}{
		{"far ahead", robot.Point{X: 13.3, Y: 7.3}, 0.2, "early"},
		{"a thin post", robot.Point{X: 13, Y: 7.4}, 0.04, "early"},
		{"near", robot.Point{X: 11.9, Y: 7.3}, 0.2, "near"},
		{"beside the lane", robot.Point{X: 12.8, Y: 8.05}, 0.2, "never"},
		{"too far ahead", robot.Point{X: 15, Y: 7.3}, 0.2, "never"},
		{"behind", robot.Point{X: 10.2, Y: 7.3}, 0.2, "never"},
	} {
		scene := sim.DefaultScene()
		scene.Obstacles = []sim.Obstacle{{Name: "box", Point: k.at, Radius: k.radius}}
		lane, got := NewPlanner(c.plan, c.desc).newLaneWatch(), "never"
		c.standing(scene, 4*time.Second, func(r robot.Reading, rays []robot.Ray) bool {
			seen := lane.watchLane(r, rays, c.start, true, &c.route, 0)
			if !seen.Blocked {
				return true
			}
			got = "near"
			after, most := r.Time.Sub(noon), limits.LaneBlockedAfter+300*time.Millisecond
			if seen.Early {
				got, most = "early", limits.LaneStillFor+300*time.Millisecond
			}
			if off := seen.Face.Sub(k.at).Norm(); after > most || off > k.radius+0.05 {
				t.Errorf("%s: blocked after %v, %.2f m from its middle", k.name, after, off)
			}
			return false
		})
		if got != k.want {
			t.Errorf("%s: %s, want %s", k.name, got, k.want)
		}
	}
}

func TestWhoWalksInTheLaneFarAheadDoesNotBlockIt(t *testing.T) {
	c := byLidar(t)
	lane := NewPlanner(c.plan, c.desc).newLaneWatch()
	for n := range 40 { // from 2.6 m before the hull to 0.6 m, at 0.5 m/s
		r := robot.Reading{Time: noon.Add(time.Duration(n) * 100 * time.Millisecond)}
		rays := []robot.Ray{{To: robot.Point{X: 2.9 - 0.05*float64(n)}, Echo: true}}
		if lane.watchLane(r, rays, c.start, true, &c.route, 0).Blocked {
			t.Fatalf("after %d scans it blocks the lane", n)
		}
	}
}

func TestTheWallsOfTheFloorPlanDoNotBlockTheLaneOfALidar(t *testing.T) {
	c := byLidar(t)
	p := NewPlanner(c.plan, c.desc)
	start := place(t, c.plan, "Lab 301")
	for _, goal := range c.plan.Places {
		route, err := p.FindRoute(noon, start, goal.Pose)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(route.Points); n += 20 {
			w := route.Points[n]
			c.start = c.desc.Drivetrain.Centre(robot.Pose{X: w.Point.X, Y: w.Point.Y, Theta: w.Heading})
			believed := c.start.Compose(robot.Pose{X: 0.03, Y: -0.03, Theta: robot.Radians(1)})
			lane := NewPlanner(c.plan, c.desc).newLaneWatch()
			c.standing(sim.Scene{}, 1500*time.Millisecond, func(r robot.Reading, rays []robot.Ray) bool {
				seen := lane.watchLane(r, rays, believed, true, &route, w.Along)
				if seen.Blocked {
					t.Errorf("to %s, %.1f m along, a wall at %v blocks the lane", goal.Name, w.Along, seen.Face)
				}
				return !seen.Blocked
			})
		}
	}
}

func TestAnObstacleGoesWhenTheLidarSeesThroughIt(t *testing.T) {
	c := byLidar(t)
	noted := c.start.Apply(robot.Point{X: 2}) // its centre is 0.15 m behind that
	for _, k := range []struct {
		name  string
		there []sim.Obstacle
		gone  bool
	}{
		{"nothing is there", nil, true},
		{"it is there", []sim.Obstacle{{Point: c.start.Apply(robot.Point{X: 2.15}), Radius: 0.15}}, false},
		{"something thin is there, a little aside", []sim.Obstacle{{Point: c.start.Apply(robot.Point{X: 2.1, Y: 0.15}), Radius: 0.03}}, false},
		{"something else hides the place", []sim.Obstacle{{Point: c.start.Apply(robot.Point{X: 1}), Radius: 0.3}}, false},
	} {
		p := NewPlanner(c.plan, c.desc)
		p.Block(noon, c.start.Point(), noted)
		scene := sim.DefaultScene()
		scene.Obstacles = k.there
		gone, after := false, time.Duration(0)
		c.standing(scene, 3*time.Second, func(r robot.Reading, rays []robot.Ray) bool {
			gone, after = p.Observe(r, rays, c.start), r.Time.Sub(noon)
			return !gone
		})
		if gone != k.gone || gone == (len(p.obstacles) > 0) {
			t.Errorf("%s: gone %t, and %d are left", k.name, gone, len(p.obstacles))
		}
		if gone && after < limits.BlockedSeeTime {
			t.Errorf("%s: it is gone after %v", k.name, after)
		}
	}
}

// A sonar hears a pane of glass that the lidar does not see.
func TestWhatASonarHearsStaysAlthoughTheLidarSeesThroughIt(t *testing.T) {
	c := byLidar(t)
	c.desc.Sonars = mybot(t).Sonars[:1] // ahead
	p := NewPlanner(c.plan, c.desc)
	p.Block(noon, c.start.Point(), c.start.Apply(robot.Point{X: 1}))
	far := 1.0 - c.desc.Sonars[0].Pose.X
	c.standing(sim.DefaultScene(), 3*time.Second, func(r robot.Reading, rays []robot.Ray) bool {
		r.Ranges = []float64{far}
		if p.Observe(r, rays, c.start) {
			t.Fatalf("it is gone after %v", r.Time.Sub(noon))
		}
		r.Ranges[0] = math.Inf(1)
		return true
	})
}
