package navigate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/pathplan"
	"mybot/robot"
)

// crowdDrawing draws people on a floor, in addition to those of testbed.NewScene.
type crowdDrawing struct {
	plan  *robot.Floorplan
	roads *testbed.Roads
	route *pathplan.Route // of the errand
	start robot.Pose      // of the robot
	rng   *rand.Rand
	crowd []sim.Person
}

const (
	maxPeople        = 100
	drawnPeople      = 10   // the most people that testbed.NewScene draws
	inattentiveShare = 0.3  // of the people, or pairs, who do not look
	inattentiveSpeed = 1.2  // m/s
	pairShare        = 0.25 // of the added people, who walk with a companion
	doorwayShare     = 0.25 // of the errands through a door, with two people who talk in the doorway
	talkShare        = 0.3  // of the stops of an inattentive person, with a talk
	minTalk          = 5.0  // s
	maxTalk          = 15.0
	doorwayTalk      = 30.0 // s, mean time of a talk in a doorway, which lasts from half to one and a half of that
	crowdGap         = 0.15 // m, least gap between two people at the start
	routeStops       = 8
)

// drawCrowd returns a number of people: those who are already there, and more. In a mixed crowd
// some do not look, some walk in pairs, and two may talk in a doorway on the route.
func (c *crowdDrawing) drawCrowd(there []sim.Person, people int, mixed bool) []sim.Person {
	if mixed && people >= 2 {
		c.drawDoorwayTalk()
	}
	for tries := 0; len(c.crowd) < people && tries < 50*people; tries++ {
		var p sim.Person
		if len(there) > 0 {
			p, there = there[0], there[1:]
		} else {
			p = c.drawPerson()
		}
		if !c.isClear(p.Route[0].Point, p.Radius) {
			continue
		}
		if mixed {
			c.chooseManner(&p)
		}
		c.add(p)
		if mixed && len(c.crowd) < people && c.rng.Float64() < pairShare {
			c.addBeside(p)
		}
	}
	return c.crowd
}

func (c *crowdDrawing) add(p sim.Person) {
	p.Name = fmt.Sprintf("Person %d", len(c.crowd)+1)
	c.crowd = append(c.crowd, p)
}

// drawPerson draws a person as testbed.NewScene does, who starts anywhere on a lane.
func (c *crowdDrawing) drawPerson() sim.Person {
	at := c.rng.IntN(len(c.roads.At))
	next := c.roads.Next(at)
	if len(next) == 0 {
		return c.drawPersonFrom(at)
	}
	to := next[c.rng.IntN(len(next))]
	p := c.drawPersonFrom(to)
	leg, f := c.roads.At[to].Sub(c.roads.At[at]), c.rng.Float64()
	begins := c.roads.At[at].Add(robot.Point{X: f * leg.X, Y: f * leg.Y})
	aside := c.drawAside()
	if wide := begins.Add(robot.Point{X: 2 * aside.X, Y: 2 * aside.Y}); c.isStraightFree(begins, wide) {
		begins = wide
	}
	p.Route = append([]sim.RouteStop{{Point: begins}}, p.Route...)
	return p
}

// drawAside draws the distance of a stop from its via point, in m.
func (c *crowdDrawing) drawAside() robot.Point {
	between := func() float64 { return 0.3 * (2*c.rng.Float64() - 1) }
	return robot.Point{X: between(), Y: between()}
}

// drawPersonFrom draws a person who starts at a via point.
func (c *crowdDrawing) drawPersonFrom(at int) sim.Person {
	p := sim.Person{Speed: 0.6 + 0.6*c.rng.Float64(), Radius: testbed.PersonRadius}
	for range routeStops {
		p.Route = append(p.Route, sim.RouteStop{Point: c.roads.At[at].Add(c.drawAside()), Pause: 10 * c.rng.Float64()})
		if next := c.roads.Next(at); len(next) > 0 {
			at = next[c.rng.IntN(len(next))]
		}
	}
	return p
}

// nearestRoad returns the nearest via point with a free straight line to a point, at least a
// metre away.
func (c *crowdDrawing) nearestRoad(p robot.Point) (road int, ok bool) {
	least := math.Inf(1)
	for n, at := range c.roads.At {
		if far := at.Sub(p).Norm(); far >= 1 && far < least && c.isStraightFree(p, at) {
			road, least, ok = n, far, true
		}
	}
	return road, ok
}

func (c *crowdDrawing) isStraightFree(from, to robot.Point) bool {
	leg := to.Sub(from)
	parts := int(leg.Norm()/c.plan.Grid.Resolution) + 1
	for n := range parts + 1 {
		f := float64(n) / float64(parts)
		if c.plan.Grid.At(from.Add(robot.Point{X: f * leg.X, Y: f * leg.Y})) != robot.Free {
			return false
		}
	}
	return true
}

// chooseManner draws whether a person looks.
func (c *crowdDrawing) chooseManner(p *sim.Person) {
	if p.Inattentive = c.rng.Float64() < inattentiveShare; !p.Inattentive {
		return
	}
	p.Speed = inattentiveSpeed
	for n := range p.Route {
		p.Route[n].Pause = 0
		if c.rng.Float64() < talkShare {
			p.Route[n].Pause = minTalk + (maxTalk-minTalk)*c.rng.Float64()
		}
	}
}

// addBeside adds a person beside the newest person p, if there is room.
func (c *crowdDrawing) addBeside(p sim.Person) {
	leader := len(c.crowd)
	for n := range 8 {
		sin, cos := math.Sincos(math.Pi / 4 * float64(n))
		at := p.Route[0].Point.Add(robot.Point{X: 0.7 * cos, Y: 0.7 * sin})
		if c.isClear(at, p.Radius) {
			p.Route, p.Beside = []sim.RouteStop{{Point: at}}, leader
			c.add(p)
			return
		}
	}
}

// drawDoorwayTalk draws, for some errands, two people who walk to a doorway on the route, talk
// there and walk on.
func (c *crowdDrawing) drawDoorwayTalk() {
	talks := c.rng.Float64() < doorwayShare
	for _, n := range c.rng.Perm(len(c.plan.Doors)) {
		d := c.plan.Doors[n]
		if !talks || !passesDoor(c.route, d) {
			continue
		}
		leaf := d.Leaf(d.Closed)
		middle := robot.Point{X: (leaf.A.X + leaf.B.X) / 2, Y: (leaf.A.Y + leaf.B.Y) / 2}
		across := robot.Point{X: -(leaf.B.Y - leaf.A.Y) / d.Length, Y: (leaf.B.X - leaf.A.X) / d.Length}
		for _, side := range [2]float64{1, -1} {
			outside := middle.Add(robot.Point{X: 1.5 * side * across.X, Y: 1.5 * side * across.Y})
			if !c.isClear(outside, testbed.PersonRadius) {
				continue
			}
			road, ok := c.nearestRoad(middle)
			if !ok {
				return
			}
			p := c.drawPersonFrom(road)
			p.Route = append([]sim.RouteStop{{Point: outside}, {Point: middle, Pause: doorwayTalk}}, p.Route...)
			c.add(p)
			c.addBeside(p)
			return
		}
	}
}

// isClear reports whether a person can start at a point: on free floor, apart from the robot
// and other people.
func (c *crowdDrawing) isClear(at robot.Point, radius float64) bool {
	if at.Sub(c.start.Point()).Norm() < testbed.SpareStart+radius {
		return false
	}
	for _, o := range c.crowd {
		if o.Route[0].Point.Sub(at).Norm() < o.Radius+radius+crowdGap {
			return false
		}
	}
	for n := range 9 {
		p := at
		if n < 8 {
			sin, cos := math.Sincos(math.Pi / 4 * float64(n))
			p = at.Add(robot.Point{X: 1.1 * radius * cos, Y: 1.1 * radius * sin})
		}
		if c.plan.Grid.At(p) != robot.Free {
			return false
		}
	}
	return true
}
