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
