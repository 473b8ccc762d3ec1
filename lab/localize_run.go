package lab

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

// frame is one reading of a run, with what is true then.
type frame struct {
	truth   robot.Pose // of base_link in map
	move    robot.Pose // of base_link since the frame before, by the wheels
	reading robot.Reading
	carried bool // the robot has been picked up and put down here
}

// scenarios are the worlds that localizers are run in.
var scenarios = []string{"nominal", "magnetic", "people", "hard", "kidnap", "global", "off"}

const (
	runLasts   = 600 * time.Second
	carryEvery = 60 * time.Second
	globalLast = 120 * time.Second
	clear      = 0.40 // m that via points and lanes keep from what is on the map
)

// NewScene makes the scenario on a floor; chance comes from rng.
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

// recordDrive drives a robot about on the truth and returns what it felt.
func recordDrive(ctx context.Context, desc robot.Description, plan *robot.Floorplan, world sim.Deviation, scenario string, seed uint64, lasts time.Duration) ([]frame, error) {
	roads, err := NewRoads(plan)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 77))
	scene := NewScene(scenario, plan, roads, rng)
	at := roads.LargestPart()
	from := at[rng.IntN(len(at))]
	scene.Start = robot.Pose{X: roads.At[from].X, Y: roads.At[from].Y, Theta: (2*rng.Float64() - 1) * math.Pi}
	d := wanderer{world: sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(1e6, 0), Deviation: world}), roads: roads, rng: rng, to: from, from: from}
	n := int(lasts.Seconds() * desc.Rate)
	frames := make([]frame, 0, n)
	every := int(carryEvery.Seconds() * desc.Rate)
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		carried := scenario == "kidnap" && i > 0 && i%every == 0
		if carried {
			if err := d.CarryTo(at[rng.IntN(len(at))]); err != nil {
				return nil, fmt.Errorf("lab: %w", err)
			}
		}
		if err := d.world.Drive(d.NextTwist()); err != nil {
			return nil, fmt.Errorf("lab: %w", err)
		}
		r := d.world.Step()
		frames = append(frames, frame{truth: d.world.Truth().Pose, move: desc.Drivetrain.Roll(robot.Pose{}, r.Travel), reading: r, carried: carried})
	}
	return frames, nil
}

// wanderer follows the roads from via point to via point, and waits for whom
// it would run into.
type wanderer struct {
	world    *sim.World
	roads    *Roads
	rng      *rand.Rand
	from, to int // via points
	still    int // steps without moving
}

func (d *wanderer) CarryTo(to int) error {
	p := d.roads.At[to]
	d.from, d.to = to, to
	return d.world.Carry(robot.Pose{X: p.X, Y: p.Y, Theta: (2*d.rng.Float64() - 1) * math.Pi})
}

// NextTwist returns the twist that leads on.
func (d *wanderer) NextTwist() robot.Twist {
	truth := d.world.Truth()
	way := truth.Pose.Inverse().Apply(d.roads.At[d.to])
	if way.Norm() < 0.25 {
		d.chooseNext()
		way = truth.Pose.Inverse().Apply(d.roads.At[d.to])
	}
	aside := math.Atan2(way.Y, way.X)
	t := robot.Twist{Angular: max(-0.7, min(0.7, 2*aside))}
	if math.Abs(aside) < 0.6 {
		t.Linear = min(0.5, 0.25+0.5*way.Norm()) * math.Cos(aside)
	}
	for _, p := range truth.People {
		if v := truth.Pose.Inverse().Apply(p); v.X > 0 && v.X < 1 && math.Abs(v.Y) < 0.6 {
			t.Linear = 0
		}
	}
	if math.Abs(truth.Twist.Linear) > 0.02 || math.Abs(truth.Twist.Angular) > 0.05 {
		d.still = 0
	} else if d.still++; d.still > 200 {
		d.still = 0
		d.from, d.to = d.to, d.from
		if d.rng.IntN(2) == 0 {
			return robot.Twist{Linear: -0.3}
		}
	}
	return t
}

// chooseNext chooses the next via point: another than where it came from, where
// there is one.
func (d *wanderer) chooseNext() {
	next := d.roads.next[d.to]
	if len(next) == 0 {
		return
	}
	k := next[d.rng.IntN(len(next))]
	if k == d.from && len(next) > 1 {
		k = next[d.rng.IntN(len(next))]
	}
	d.from, d.to = d.to, k
}

// Roads are via points and the lanes between them.
type Roads struct {
	At   []robot.Point
	next [][]int
}

// NewRoads returns the via graph of a plan, as far as it is clear of what is
// on the map; where there is none, points on its free floor and the lanes
// between those that see each other.
func NewRoads(plan *robot.Floorplan) (*Roads, error) {
	far := measureClearance(&plan.Grid)
	r := &Roads{}
	number := map[int]int{}
	for _, v := range plan.Graph.Nodes {
		if far.distanceAt(v.Point) >= clear {
			number[v.ID] = len(r.At)
			r.At = append(r.At, v.Point)
		}
	}
	r.next = make([][]int, len(r.At))
	for _, e := range plan.Graph.Edges {
		a, okA := number[e.Start]
		b, okB := number[e.End]
		if okA && okB && far.isLaneClear(r.At[a], r.At[b]) {
			r.next[a] = append(r.next[a], b)
		}
	}
	if len(r.LargestPart()) >= 4 {
		return r, nil
	}
	*r = Roads{}
	rng := rand.New(rand.NewPCG(uint64(len(plan.Grid.Cells)), 5))
	for range 20000 {
		if len(r.At) == 150 {
			break
		}
		c := rng.IntN(len(plan.Grid.Cells))
		p := plan.Grid.Origin.Add(robot.Point{
			X: (float64(c%plan.Grid.Width) + 0.5) * plan.Grid.Resolution,
			Y: (float64(c/plan.Grid.Width) + 0.5) * plan.Grid.Resolution,
		})
		if far.distanceAt(p) >= clear {
			r.At = append(r.At, p)
		}
	}
	r.next = make([][]int, len(r.At))
	for a, p := range r.At {
		for b, q := range r.At {
			if d := p.Sub(q).Norm(); a != b && d > 0.5 && d < 6 && far.isLaneClear(p, q) {
				r.next[a] = append(r.next[a], b)
			}
		}
	}
	if len(r.LargestPart()) < 2 {
		return nil, fmt.Errorf("lab: on this map there is no floor that is %.2f m clear of everything; the robot has nowhere to drive", clear)
	}
	return r, nil
}

// LargestPart returns the via points of the largest part that hangs together.
func (r *Roads) LargestPart() []int {
	part := make([]int, len(r.At))
	var best []int
	for a := range r.At {
		if part[a] != 0 {
			continue
		}
		part[a] = a + 1
		reached := []int{a}
		for i := 0; i < len(reached); i++ {
			for _, b := range r.next[reached[i]] {
				if part[b] == 0 {
					part[b] = a + 1
					reached = append(reached, b)
				}
			}
		}
		if len(reached) > len(best) {
			best = reached
		}
	}
	return best
}

// RandomPoint returns a point on a lane.
func (r *Roads) RandomPoint(rng *rand.Rand) robot.Point {
	a := rng.IntN(len(r.At))
	p := r.At[a]
	if next := r.next[a]; len(next) > 0 {
		v := r.At[next[rng.IntN(len(next))]].Sub(p)
		f := rng.Float64()
		p = p.Add(robot.Point{X: f * v.X, Y: f * v.Y})
	}
	return p
}

// distances tells how far each free cell is from the nearest cell that is not
// free, in m; an upper bound is enough here, so it is counted in steps to the
// eight neighbours.
type distances struct {
	grid *robot.Grid
	far  []float64
}

func measureClearance(g *robot.Grid) distances {
	d := distances{grid: g, far: make([]float64, len(g.Cells))}
	for k, c := range g.Cells {
		if c == robot.Free {
			d.far[k] = math.Inf(1)
		}
	}
	look := func(i, j int, steps [4][2]int) {
		k := j*g.Width + i
		for _, s := range steps {
			x, y := i+s[0], j+s[1]
			near := 0.0
			if x >= 0 && y >= 0 && x < g.Width && y < g.Height {
				near = d.far[y*g.Width+x]
			}
			d.far[k] = min(d.far[k], near+math.Hypot(float64(s[0]), float64(s[1]))*g.Resolution)
		}
	}
	for j := range g.Height {
		for i := range g.Width {
			look(i, j, [4][2]int{{-1, 0}, {-1, -1}, {0, -1}, {1, -1}})
		}
	}
	for j := g.Height - 1; j >= 0; j-- {
		for i := g.Width - 1; i >= 0; i-- {
			look(i, j, [4][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}})
		}
	}
	return d
}

func (d distances) distanceAt(p robot.Point) float64 {
	i, j, ok := d.grid.Index(p)
	if !ok {
		return 0
	}
	return d.far[j*d.grid.Width+i]
}

// isLaneClear tells whether the straight way from p to q is clear.
func (d distances) isLaneClear(p, q robot.Point) bool {
	v := q.Sub(p)
	n := int(v.Norm()/0.05) + 1
	for i := range n + 1 {
		f := float64(i) / float64(n)
		if d.distanceAt(p.Add(robot.Point{X: f * v.X, Y: f * v.Y})) < clear-0.02 {
			return false
		}
	}
	return true
}
