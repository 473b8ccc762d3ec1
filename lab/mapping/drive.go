package mapping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/localization"
	"mybot/mapping"
	"mybot/mapping/draft"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/robot/scan"
)

const (
	slowest     = 0.12            // m/s: a tour ends after the time that it takes at this speed
	mountWay    = 0.005           // m, standard deviation of a lidar's position along each axis,
	mountTurn   = 0.3             // degrees, and of its angle
	drawnCell   = 0.05            // m
	handOff     = 0.02            // m, standard deviation of the ends of a pane that a person draws, along each axis
	minPane     = 0.1             // m, the shortest visible piece of a pane that a person draws
	darkPeople  = 0.5             // share of the people whose clothes reflect little light
	carriedFrom = 0.4             // share of the tour at which the robot is picked up
	carriedTo   = 0.7             // and at which it is put down
	checkEvery  = 1024            // steps between checks of ctx
	settles     = 2 * time.Second // pause of the robot before and after it is carried
)

// A Site is a building and the robot that maps it.
type Site struct {
	Desc  robot.Description // as the robot has it
	Plan  *robot.Floorplan
	Roads *testbed.Roads
	spurs map[int][]robot.Point // by via point: paths into rooms without lanes, and back
}

// NewSite returns a site; the robot needs a lidar.
func NewSite(desc robot.Description, plan *robot.Floorplan) (*Site, error) {
	if len(desc.Lidars) == 0 {
		return nil, fmt.Errorf("lab: the robot %q has no lidar; a map is made by one, as that of --robot lidar", desc.Name)
	}
	roads, err := testbed.NewRoads(plan)
	if err != nil {
		return nil, err
	}
	s := &Site{Desc: desc, Plan: plan, Roads: roads}
	s.spurs = findSpurs(s)
	return s, nil
}

// A Made is a map that a robot made and a person reviewed, with data about its making.
type Made struct {
	Plan        *robot.Floorplan
	MadeFromMap robot.Pose    // from the building's map to the made one, best fit
	Lidars      []robot.Lidar // at their true poses

	mapper     mapping.Mapper
	unedited   *robot.Floorplan // Plan before the person drew in it
	mount      robot.Pose       // base_link according to the true pose of the lidar, in base_link
	truth      []robot.Pose     // of base_link at each key frame, in the building's map
	byWheels   []robot.Pose     // the same by odometry, in odom
	headings   []float64        // rad, of the compass at the same times
	faces      []sim.Face       // all that the lidar can see
	seen       *pointHash       // what it saw, at the true poses
	lasts      float64          // s of driving
	busy       []float64        // ms of computing for each key frame in total
	slice      time.Duration
	skipped    int // points of the tour
	unfinished int // points of the tour that were not reached in time
}

// Make drives a robot through a site with a seed and makes the map.
func (s *Site) Make(ctx context.Context, h Hardship, seed uint64) (*Made, error) {
	rng := rand.New(rand.NewPCG(seed, 71))
	desc, plan, scene, err := h.prepare(s, rng)
	if err != nil {
		return nil, err
	}
	points, err := drawTour(s.Roads, s.spurs, rng)
	if err != nil {
		return nil, err
	}
	scene.Start = robot.Pose{X: points[0].X, Y: points[0].Y, Theta: math.Pi * (2*rng.Float64() - 1)}
	scene.People = testbed.KeepAway(scene.People, scene.Start)
	actual := desc
	actual.Lidars = h.mountLidars(desc.Lidars, rng)
	m := &Made{Lidars: actual.Lidars, mount: actual.Lidars[0].Pose.Compose(desc.Lidars[0].Pose.Inverse()), seen: newPointHash(drawnCell)}
	if err := m.drive(ctx, desc, actual, plan, scene, points, h, seed); err != nil {
		return nil, err
	}
	m.mapper.Finish()
	m.work()
	return m, m.review(s, plan, rand.New(rand.NewPCG(seed, 72)))
}

// drive follows a tour and feeds the mapper.
func (m *Made) drive(ctx context.Context, desc, actual robot.Description, plan *robot.Floorplan, scene sim.Scene, tour []robot.Point, h Hardship, seed uint64) error {
	w := sim.NewWorld(actual, plan, scene, sim.Options{Seed: seed, Epoch: time.Unix(1e6, 0)})
	m.faces = w.Faces(0)
	core := onboard.NewCore(desc, localization.NewOdometry(desc, robot.Pose{}), nil)
	told, exact := scan.NewDeskewer(desc), scan.NewDeskewer(actual)
	by := hand{tour: tour}
	way := 0.0
	for i := 1; i < len(tour); i++ {
		way += tour[i].Sub(tour[i-1]).Norm()
	}
	dt := 1 / desc.Rate
	var odom, sinceFrame, sinceScan robot.Pose
	carried := !h.carried
	for i := 0; !by.done(); i++ {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if m.lasts = float64(i) * dt; m.lasts > way/slowest+60 {
			m.unfinished = len(tour) - by.next
			break
		}
		if !carried && by.next > int(carriedFrom*float64(len(tour))) {
			to := int(carriedTo * float64(len(tour)))
			if err := w.CarryRobot(robot.Pose{X: tour[to].X, Y: tour[to].Y, Theta: math.Pi * float64(seed%7) / 3.5}); err != nil {
				continue // a person stands there
			}
			carried = true
			// The skipped part of the tour comes at the end: the tour is closed.
			by.next, by.tour = to, append(by.tour, tour[1:to]...)
		}
		r := w.Step()
		truth := w.Truth()
		step := desc.Drivetrain.Roll(robot.Pose{}, r.Travel)
		odom, sinceFrame, sinceScan = odom.Compose(step), sinceFrame.Compose(step), sinceScan.Compose(step)
		clouds, _ := told.Observe(r)
		met, _ := exact.Observe(r)
		for n, c := range clouds {
			if c.Lidar != 0 {
				continue
			}
			if len(m.truth) == 0 || mapping.IsKeyFrame(sinceFrame, sinceScan) {
				m.mapper.Add(mapping.KeyFrame{Motion: sinceFrame, Cloud: c})
				m.truth, m.byWheels, m.headings = append(m.truth, truth.Pose), append(m.byWheels, odom), append(m.headings, r.Heading)
				m.see(met[n], truth.Pose)
				sinceFrame = robot.Pose{}
				m.busy = append(m.busy, m.work())
			}
			sinceScan = robot.Pose{}
		}
		core.Do(r.Time, robot.Drive{Twist: by.ask(truth, dt)})
		out, _ := core.Tick(r)
		if err := w.Drive(out); err != nil {
			return fmt.Errorf("lab: %w", err)
		}
	}
	m.skipped = by.skipped
	return nil
}

// work lets the mapper finish its work, and returns the time that it took, in ms.
func (m *Made) work() (ms float64) {
	for more := true; more; {
		begin := time.Now()
		more = m.mapper.Step()
		took := time.Since(begin)
		m.slice = max(m.slice, took)
		ms += took.Seconds() * 1e3
	}
	return ms
}

// see stores the points of a scan, by the true pose of the robot.
func (m *Made) see(c scan.Cloud, at robot.Pose) {
	for _, b := range c.Beams {
		if b.Echo {
			m.seen.add(at.Apply(b.End))
		}
	}
}

// review does what a person does with a map after the drive: straightens it, draws the panes,
// of which the lidar sees little, and marks furniture of which the lidar sees only the legs as
// keep-out. It sets Plan, unedited and MadeFromMap.
func (m *Made) review(s *Site, building *robot.Floorplan, rng *rand.Rand) error {
	d, err := draft.New(draft.Source{Result: m.mapper.Result(), Robot: s.Desc})
	if err != nil {
		return fmt.Errorf("lab: mapping: %w", err)
	}
	if err := d.Apply(draft.Edit{Op: draft.Straighten}); err != nil && !errors.Is(err, draft.ErrStraight) {
		return fmt.Errorf("lab: mapping: %w", err)
	}
	m.MadeFromMap = d.FrameFromMap().Compose(alignment(m.truth, m.mapper.Poses()))
	if m.unedited, err = d.Plan(s.Plan.Name); err != nil {
		return fmt.Errorf("lab: mapping: %w", err)
	}
	picture := d.Picture()
	var edits []draft.Edit
	for _, i := range building.Glass {
		pane := building.Lines[i]
		pane, seen := clipToGrid(robot.Segment{A: m.MadeFromMap.Apply(pane.A), B: m.MadeFromMap.Apply(pane.B)}, &picture)
		if !seen {
			continue
		}
		pane.A, pane.B = missPoint(pane.A, rng), missPoint(pane.B, rng)
		edits = append(edits, draft.Edit{Op: draft.Wall, Line: pane}, draft.Edit{Op: draft.Glass, Line: pane})
	}
	for _, f := range s.Plan.Furniture {
		if m.meets(f) {
			continue
		}
		var outline []robot.Point
		drawn := true
		for _, p := range outlineOf(f) {
			at := m.MadeFromMap.Apply(p)
			_, _, ok := picture.Index(at)
			outline, drawn = append(outline, at), drawn && ok
		}
		if drawn { // otherwise the drive did not lead there, or the map is torn
			edits = append(edits, draft.Edit{Op: draft.Keepout, Outline: outline})
		}
	}
	if err := d.Apply(edits...); err != nil {
		return fmt.Errorf("lab: mapping: %w", err)
	}
	m.Plan, err = d.Plan(s.Plan.Name)
	if err != nil {
		return fmt.Errorf("lab: mapping: %w", err)
	}
	var more []float64
	for i, at := range m.mapper.Poses() {
		more = append(more, m.headings[i]-d.FrameFromMap().Compose(at).Theta)
	}
	if mean := robot.MeanAngle(more); !math.IsNaN(mean) {
		m.Plan.Compass = mean
	}
	return nil
}

// clipToGrid returns the part of a line from its first to its last point on a grid. ok is false
// if it is shorter than minPane.
func clipToGrid(l robot.Segment, g *robot.Grid) (part robot.Segment, ok bool) {
	for _, p := range samplesOf(sim.Face{A: l.A, B: l.B}, g.Resolution) {
		if _, _, on := g.Index(p); !on {
			continue
		}
		if part.B = p; !ok {
			part.A, ok = p, true
		}
	}
	return part, ok && part.B.Sub(part.A).Norm() >= minPane
}

// missPoint returns the point that a person clicks when aiming at p.
func missPoint(p robot.Point, rng *rand.Rand) robot.Point {
	return p.Add(robot.Point{X: handOff * rng.NormFloat64(), Y: handOff * rng.NormFloat64()})
}

// meets reports whether the lidar sees a piece of furniture in full, and not only its legs, or
// nothing.
func (m *Made) meets(f robot.Furniture) bool {
	return slices.ContainsFunc(m.faces, func(face sim.Face) bool {
		if f.Radius > 0 {
			return face.Radius == f.Radius && face.A == f.Outline[0]
		}
		return face.Radius == 0 && face.A == f.Outline[0] && face.B == f.Outline[1]
	})
}

// outlineOf returns the corners of a piece of furniture, or of an octagon around a round one.
func outlineOf(f robot.Furniture) (corners []robot.Point) {
	if f.Radius == 0 {
		return f.Outline
	}
	for k := range 8 {
		sin, cos := math.Sincos(math.Pi * (float64(k) + 0.5) / 4)
		r := f.Radius / math.Cos(math.Pi/8)
		corners = append(corners, f.Outline[0].Add(robot.Point{X: r * cos, Y: r * sin}))
	}
	return corners
}
