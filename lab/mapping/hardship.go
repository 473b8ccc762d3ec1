package mapping

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// A Hardship makes mapping harder than usual.
type Hardship struct {
	Name, About string
	lidar       func(*robot.Lidar) // changes the lidar and its description
	shifted     float64            // m behind its described pose
	glass       float64            // share of the walls that are panes
	carried     bool               // the robot is picked up during the tour and put down elsewhere
}

// Usual has the difficulties that are always there: people, half of them in dark clothes, of
// whom a low lidar sees only the legs; and errors of the wheels, the mounting and the lidar
// that differ from seed to seed.
var Usual = Hardship{Name: "usual", About: "a lidar all round, as in the description"}

// hardships returns all of them, the usual one first.
func hardships() []Hardship {
	view := func(degrees float64) func(*robot.Lidar) {
		return func(l *robot.Lidar) {
			l.Beams = min(l.Beams, int(degrees/robot.Degrees(l.Step))+1)
			l.From = -robot.Radians(degrees) / 2
		}
	}
	return []Hardship{
		Usual,
		{Name: "270", About: "a lidar that sees 270 degrees", lidar: view(270)},
		{Name: "180", About: "a lidar that sees 180 degrees", lidar: view(180)},
		{Name: "near", About: "a lidar that reaches 5.6 m", lidar: func(l *robot.Lidar) { l.Max = 5.6 }},
		{Name: "shifted", About: "a lidar that sits 30 cm behind where the description says", shifted: 0.3},
		{Name: "carried", About: "the robot is carried elsewhere on the way", carried: true},
		{Name: "glass", About: "half of the walls are panes", glass: 0.5},
	}
}

// findHardships returns the hardships with the given names, separated by commas; "all" = all of
// them.
func findHardships(names string) ([]Hardship, error) {
	all := hardships()
	if names == "all" {
		return all, nil
	}
	var found []Hardship
	for name := range strings.SplitSeq(names, ",") {
		n := len(found)
		for _, h := range all {
			if h.Name == name {
				found = append(found, h)
			}
		}
		if len(found) == n {
			return nil, fmt.Errorf("--case has %q; it must be all, or some of %s with commas between", name, hardshipNames())
		}
	}
	return found, nil
}

func hardshipNames() string {
	var names []string
	for _, h := range hardships() {
		names = append(names, h.Name)
	}
	return strings.Join(names, ",")
}

// prepare returns the robot, the building and its people.
func (h Hardship) prepare(s *Site, rng *rand.Rand) (robot.Description, *robot.Floorplan, sim.Scene, error) {
	desc, plan := s.Desc, *s.Plan
	desc.Lidars = append([]robot.Lidar(nil), s.Desc.Lidars...)
	for i := range desc.Lidars {
		if h.lidar != nil {
			h.lidar(&desc.Lidars[i])
		}
	}
	if h.glass > 0 {
		plan.Glass = nil
		for i := range plan.Lines {
			if rng.Float64() < h.glass {
				plan.Glass = append(plan.Glass, i)
			}
		}
	}
	scene := testbed.NewScene("people", &plan, s.Roads, rng)
	walkOnLegs(scene.People, rng)
	scene.Lidar.Noise *= 0.6 + 0.8*rng.Float64()
	scene.Lidar.NoiseShare *= 0.6 + 0.8*rng.Float64()
	scene.Lidar.Lost *= 2 * rng.Float64()
	return desc, &plan, scene, nil
}

// walkOnLegs makes a low lidar see the legs of people, half of whom wear dark clothes.
func walkOnLegs(people []sim.Person, rng *rand.Rand) {
	for i := range people {
		people[i].Legs, people[i].Dark = true, rng.Float64() < darkPeople
	}
}

// mountLidars returns lidars at their true poses: a little, or far, from where the description
// says.
func (h Hardship) mountLidars(described []robot.Lidar, rng *rand.Rand) []robot.Lidar {
	actual := append([]robot.Lidar(nil), described...)
	for i := range actual {
		p := &actual[i].Pose
		p.X += mountWay*rng.NormFloat64() - h.shifted
		p.Y += mountWay * rng.NormFloat64()
		p.Theta = robot.WrapAngle(p.Theta + robot.Radians(mountTurn*rng.NormFloat64()))
	}
	return actual
}
