package testbed

import (
	"fmt"
	"math"
	"math/rand/v2"

	"mybot/drivers/sim"
	"mybot/robot"
)

// NewScene creates the scene of a scenario on a floor, at random from rng.
func NewScene(scenario string, plan *robot.Floorplan, roads *Roads, rng *rand.Rand) sim.Scene {
	s := sim.DefaultScene()
	between := func(most float64) float64 { return most * (2*rng.Float64() - 1) }
	s.Wheels.LeftRadius, s.Wheels.RightRadius, s.Wheels.WheelBase = between(0.003), between(0.003), between(0.01)
	s.Compass.Bias = between(robot.Radians(3))
	magnetic, people := 0.0, 0.0
	switch scenario {
	case "magnetic":
		magnetic = 1
	case "people":
		people = 1
	case "hard":
		magnetic, people = 1, 1
		s.Sonar.Dropout, s.Sonar.Stray = 0.08, 0.08
	}
	area := 0.0
	for _, c := range plan.Grid.Cells {
		if c == robot.Free {
			area += plan.Grid.Resolution * plan.Grid.Resolution
		}
	}
	for range int(magnetic * max(3, area/40)) {
		m := sim.Magnet{Point: roads.RandomPoint(rng), Radius: 1 + rng.Float64(), Deviation: robot.Radians(35)}
		if rng.IntN(2) == 0 {
			m.Deviation = -m.Deviation
		}
		s.Magnets = append(s.Magnets, m)
	}
	for n := range int(people * max(2, min(10, area/40))) {
		p := sim.Person{Name: fmt.Sprintf("Person %d", n+1), Speed: 0.6 + 0.6*rng.Float64(), Radius: 0.25}
		at := rng.IntN(len(roads.At))
		for range 8 {
			aside := robot.Point{X: between(0.3), Y: between(0.3)}
			p.Route = append(p.Route, sim.RouteStop{Point: roads.At[at].Add(aside), Pause: 10 * rng.Float64()})
			if next := roads.next[at]; len(next) > 0 {
				at = next[rng.IntN(len(next))]
			}
		}
		s.People = append(s.People, p)
	}
	return s
}

// SpareStart is the least distance, in m, of people and objects from the start of the robot.
const SpareStart = 0.9

// KeepAway drops the people who start closer than SpareStart to the robot.
func KeepAway(people []sim.Person, start robot.Pose) (kept []sim.Person) {
	for _, p := range people {
		if p.Route[0].Point.Sub(start.Point()).Norm() >= SpareStart+p.Radius {
			kept = append(kept, p)
		}
	}
	return kept
}

// RandomPose draws a pose anywhere on a grid.
func RandomPose(g *robot.Grid, rng *rand.Rand) robot.Pose {
	return robot.Pose{
		X: g.Origin.X + g.Resolution*float64(g.Width)*rng.Float64(), Y: g.Origin.Y + g.Resolution*float64(g.Height)*rng.Float64(),
		Theta: robot.WrapAngle(2 * math.Pi * rng.Float64()),
	}
}
