package navigate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/localization"
	"mybot/pathplan"
	"mybot/robot"
)

// A goalTrial is one run to a goal, with everything that obstructs it.
type goalTrial struct {
	seed   uint64
	from   robot.Pose
	goal   robot.Pose
	scene  sim.Scene // with people, and obstacles that are not on the map
	events []event   // in order of time
	lasts  time.Duration
	isOpen func(*testbed.Rover) bool // whether a path exists in truth; nil = not tested

	isPeopled func(*testbed.Rover) bool // whether people are in every path; likewise

	learned *localization.OdometryErrors // what the robot knows about its odometry; nil = nothing yet

	pairs, refusedPairs int // pairs of poses drawn up to this one, and those refused immediately
}

// A crowdedness is what a trial meets on its way.
type crowdedness struct {
	people         int // at most
	barrels, doors bool
	mixed          bool // the people are not all considerate
	driven         int  // errands that the robot has done before

	// fits is a filter of start and goal besides the floor plan; nil = none.
	fits func(from, goal robot.Pose) bool
}

// An event changes the world while the robot drives.
type event struct {
	at     time.Duration // since the goal was given
	door   int           // index of the plan's door, or
	closed bool
	barrel *sim.Obstacle // the barrel that a person puts down
}

const (
	thingMargin     = 0.1              // m, added to barrels when paths past them are tested, because sonars cannot measure them better
	minTrialLength  = 3.0              // m, least distance between start and goal
	extraTime       = 5 * time.Minute  // for a trial, beyond three times the planned time
	spareGoal       = 0.9              // m around the goal
	minBarrelRadius = 0.12             // m
	maxBarrelRadius = 0.30             // m
	barrelAside     = 0.45             // m, standard deviation of the distance from the route
	minDoorClosed   = 15 * time.Second // that a closed door stays closed
	maxDoorClosed   = 75 * time.Second
	doorsOpen       = 0.85 // share of the closed doors that open again
	barrelsClose    = 0.15 // share of the trials in which barrels may leave no path
	usualPeople     = 4
)

// drawTrial draws a trial on a floor from the seed and the given trouble. Less trouble leaves
// the rest of a trial unchanged.
func drawTrial(desc robot.Description, plan *robot.Floorplan, roads *testbed.Roads, planner *pathplan.Planner, seed uint64, meets crowdedness) (goalTrial, error) {
	rng := rand.New(rand.NewPCG(seed, 91))
	e := goalTrial{seed: seed, scene: testbed.NewScene("people", plan, roads, rng)}
	route, err := e.choosePoses(plan, planner, meets.fits, rng)
	if err != nil {
		return e, err
	}
	e.scene.Start = e.from
	e.scene.People = testbed.KeepAway(e.scene.People, e.from)
	e.scene.People = e.scene.People[:min(len(e.scene.People), meets.people)]
	if meets.mixed || meets.people > drawnPeople {
		c := crowdDrawing{plan: plan, roads: roads, route: &route, start: e.from, rng: rand.New(rand.NewPCG(seed, 95))}
		e.scene.People = c.drawCrowd(e.scene.People, meets.people, meets.mixed)
	}
	e.lasts = extraTime + 3*time.Duration(route.Time*float64(time.Second))
	obstacles, late := e.drawBarrels(desc, plan, &route, rng)
	if meets.barrels {
		e.scene.Obstacles, e.events = obstacles, late
	}
	if closing := drawDoors(plan, &route, rng); meets.doors {
		e.events = append(e.events, closing...)
	}
	return e, nil
}

// drawBarrels draws the obstacles that are not on the map: those that are there, and those that
// a person puts down later.
func (e *goalTrial) drawBarrels(desc robot.Description, plan *robot.Floorplan, route *pathplan.Route, rng *rand.Rand) (obstacles []sim.Obstacle, later []event) {
	barrels, closes := rng.IntN(4), rng.Float64() < barrelsClose
	var standing []sim.Thing
	for range barrels {
		p := route.Points[rng.IntN(len(route.Points))]
		sin, cos := math.Sincos(p.Heading)
		aside := barrelAside * rng.NormFloat64()
		b := sim.Obstacle{
			Name:   "Barrel",
			Point:  p.Point.Add(robot.Point{X: -sin * aside, Y: cos * aside}),
			Radius: minBarrelRadius + (maxBarrelRadius-minBarrelRadius)*rng.Float64(),
			Height: 0.9,
		}
		late := rng.IntN(3) == 0
		when := time.Duration(rng.Float64() * route.Time * float64(time.Second))
		if b.Point.Sub(e.from.Point()).Norm() < testbed.SpareStart+b.Radius || b.Point.Sub(e.goal.Point()).Norm() < spareGoal+b.Radius {
			continue
		}
		with := append(slices.Clip(standing), sim.Thing{Kind: sim.ObstacleKind, Point: b.Point, Radius: b.Radius})
		if !closes && !hasPath(desc, addContents(plan, sim.Contents{Things: with}, thingMargin), e.from, e.goal) {
			continue
		}
		standing = with
		if late {
			later = append(later, event{at: when, barrel: &b})
			continue
		}
		obstacles = append(obstacles, b)
	}
	return obstacles, later
}

// drawDoors draws which doors on a route close, and when they open again.
func drawDoors(plan *robot.Floorplan, route *pathplan.Route, rng *rand.Rand) (events []event) {
	for n := range plan.Doors {
		passed, shuts, opens := passesDoor(route, plan.Doors[n]), rng.IntN(2) == 0, rng.Float64() < doorsOpen
		when := time.Duration(rng.Float64() * route.Time * float64(time.Second))
		stays := minDoorClosed + time.Duration(rng.Float64()*float64(maxDoorClosed-minDoorClosed))
		if !passed || !shuts {
			continue
		}
		events = append(events, event{at: when, door: n, closed: true})
		if opens {
			events = append(events, event{at: when + stays, door: n})
		}
	}
	return events
}

// choosePoses draws start and goal such that the floor plan has a path; fits is as in
// crowdedness.
func (e *goalTrial) choosePoses(plan *robot.Floorplan, planner *pathplan.Planner, fits func(from, goal robot.Pose) bool, rng *rand.Rand) (pathplan.Route, error) {
	for range 10000 {
		e.from, e.goal = testbed.RandomPose(&plan.Grid, rng), testbed.RandomPose(&plan.Grid, rng)
		if e.goal.Point().Sub(e.from.Point()).Norm() < minTrialLength || !planner.IsDrivable(e.from.Point()) || !planner.IsDrivable(e.goal.Point()) {
			continue
		}
		e.pairs++
		route, err := planner.FindRoute(time.Time{}, e.from, e.goal)
		if err == nil && (fits == nil || fits(e.from, e.goal)) {
			return route, nil
		}
		e.refusedPairs++
	}
	return pathplan.Route{}, fmt.Errorf("lab: on the floor %q there are no two places %g m apart with a way between them", plan.Name, minTrialLength)
}

// passesDoor reports whether a route leads through a door.
func passesDoor(route *pathplan.Route, d robot.Door) bool {
	leaf := d.Leaf(d.Closed)
	for n := 1; n < len(route.Points); n++ {
		if segmentsCross(route.Points[n-1].Point, route.Points[n].Point, leaf.A, leaf.B) {
			return true
		}
	}
	return false
}

// segmentsCross reports whether two legs cross.
func segmentsCross(a, b, c, d robot.Point) bool {
	side := func(p, q, r robot.Point) bool { return (q.X-p.X)*(r.Y-p.Y) > (q.Y-p.Y)*(r.X-p.X) }
	return side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
}

// hasPath reports whether a floor has a path.
func hasPath(desc robot.Description, plan *robot.Floorplan, from, goal robot.Pose) bool {
	_, err := pathplan.NewPlanner(plan, desc).FindRoute(time.Time{}, from, goal)
	return err == nil
}

// addContents returns the floor with the contents of a world on the map: a copy of the grid
// with the obstacles, enlarged by margin, in m, and the closed doors.
func addContents(plan *robot.Floorplan, held sim.Contents, margin float64) *robot.Floorplan {
	with := *plan
	with.Grid.Cells = append([]robot.Cell(nil), plan.Grid.Cells...)
	g := &with.Grid
	for j := range g.Height {
		for i := range g.Width {
			p := g.CellMiddle(i, j)
			for _, t := range held.Things {
				if t.Kind == sim.ObstacleKind && p.Sub(t.Point).Norm() < t.Radius+margin {
					g.Cells[j*g.Width+i] = robot.Occupied
				}
			}
			for n, closed := range held.Closed {
				if closed && plan.Doors[n].Leaf(plan.Doors[n].Closed).Distance(p) < g.Resolution {
					g.Cells[j*g.Width+i] = robot.Occupied
				}
			}
		}
	}
	return &with
}
