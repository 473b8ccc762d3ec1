package draft_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"mybot/mapping"
	"mybot/mapping/draft"
	"mybot/robot"
	"mybot/robot/models/modelstest"
	"mybot/robot/scan"
)

// A testFloor is a set of walls.
type testFloor []robot.Segment

// lines adds walls along points x, y.
func (f *testFloor) lines(xy ...float64) {
	for i := 0; i+3 < len(xy); i += 2 {
		*f = append(*f, robot.Segment{A: robot.Point{X: xy[i], Y: xy[i+1]}, B: robot.Point{X: xy[i+2], Y: xy[i+3]}})
	}
}

// roomsFloor is a corridor 2 m wide and 16 m long with two rooms of 8 x 5 m above
// it, each behind a door 0.9 m wide, and a hall of 16 x 6 m below it, behind a gap
// of 3 m. Walls between them are 0.1 m thick.
func roomsFloor() testFloor {
	var f testFloor
	f.lines(3.5, 1, 0, 1, 0, -1, 6.5, -1)            // corridor, left of the first door and the gap
	f.lines(9.5, -1, 16, -1, 16, 1, 12.4, 1)         // right
	f.lines(4.4, 1, 11.5, 1)                         // between the doors
	f.lines(3.5, 1, 3.5, 1.1, 0, 1.1, 0, 6, 7.95, 6) // first room
	f.lines(7.95, 6, 7.95, 1.1, 4.4, 1.1, 4.4, 1)    //
	f.lines(11.5, 1, 11.5, 1.1, 8.05, 1.1, 8.05, 6)  // second room
	f.lines(8.05, 6, 16, 6, 16, 1.1, 12.4, 1.1, 12.4, 1)
	f.lines(6.5, -1, 6.5, -1.1, 0, -1.1, 0, -7, 16, -7, 16, -1.1, 9.5, -1.1, 9.5, -1) // hall
	return f
}

// distance returns the distance of the nearest wall from p in a direction, +Inf if
// there is none.
func (f testFloor) distance(p robot.Point, theta float64) float64 {
	sin, cos := math.Sincos(theta)
	nearest := math.Inf(1)
	for _, s := range f {
		along, off := s.B.Sub(s.A), s.A.Sub(p)
		det := along.X*sin - along.Y*cos
		if math.Abs(det) < 1e-12 {
			continue
		}
		d := (along.X*off.Y - along.Y*off.X) / det
		u := (cos*off.Y - sin*off.X) / det
		if d > 0 && u >= 0 && u <= 1 {
			nearest = math.Min(nearest, d)
		}
	}
	return nearest
}

func (f testFloor) nearest(p robot.Point) float64 {
	d := math.Inf(1)
	for _, s := range f {
		d = math.Min(d, s.Distance(p))
	}
	return d
}

// scanAt measures the floor with 360 beams of 15 m and 1 cm of noise.
func (f testFloor) scanAt(at robot.Pose, rng *rand.Rand) scan.Cloud {
	var c scan.Cloud
	for i := range 360 {
		angle := robot.Radians(float64(i))
		d := f.distance(at.Point(), at.Theta+angle)
		if echo := d < 15; echo {
			d += 0.01 * rng.NormFloat64()
			c.Beams = append(c.Beams, scan.Beam{End: robot.Point{X: d * math.Cos(angle), Y: d * math.Sin(angle)}, Echo: true})
		}
	}
	return c
}

// keyFrames are those of a drive through the corners, with wheels that measure
// slightly too much. The robot looks along tilt: map is the floor turned by -tilt
// around the first corner.
func (f testFloor) keyFrames(tilt float64, corners ...robot.Point) (frames []mapping.KeyFrame) {
	rng := rand.New(rand.NewPCG(1, 2))
	last := robot.Pose{X: corners[0].X, Y: corners[0].Y, Theta: tilt}
	add := func(at robot.Pose) {
		motion := last.Inverse().Compose(at)
		motion.X, motion.Y = 1.005*motion.X, 1.005*motion.Y
		frames = append(frames, mapping.KeyFrame{Motion: motion, Cloud: f.scanAt(at, rng)})
		last = at
	}
	add(last)
	for _, to := range corners[1:] {
		from := last
		way := to.Sub(from.Point())
		n := math.Ceil(way.Norm() / 0.3)
		for k := 1.0; k <= n; k++ {
			add(robot.Pose{X: from.X + way.X*k/n, Y: from.Y + way.Y*k/n, Theta: tilt})
		}
	}
	return frames
}

// mapDrive maps a drive through the corners.
func (f testFloor) mapDrive(tilt float64, corners ...robot.Point) *mapping.Mapper {
	var m mapping.Mapper
	for _, k := range f.keyFrames(tilt, corners...) {
		m.Add(k)
		for m.Step() {
		}
	}
	m.Finish()
	for m.Step() {
	}
	return &m
}

// roomsTilt is the angle of the floor against map in the tests.
const roomsTilt = 0.3

// roomsStart is the origin of map on the floor.
var roomsStart = robot.Pose{X: 1.5, Theta: roomsTilt}

// roomsResult maps the rooms once, for all tests.
var roomsResult = sync.OnceValue(func() *mapping.Result {
	var drive []robot.Point
	for _, xy := range [][2]float64{
		{1.5, 0},
		{3.95, 0},
		{3.95, 3.5},
		{6.5, 3.5},
		{1.5, 3.5},
		{3.95, 3.5},
		{3.95, 0},
		{8, 0},
		{8, -4},
		{2, -4},
		{14, -4},
		{8, -4},
		{8, 0},
		{11.95, 0},
		{11.95, 3.5},
		{14.5, 3.5},
		{9.5, 3.5},
		{11.95, 3.5},
		{11.95, 0},
		{14.5, 0},
		{1.5, 0},
	} {
		drive = append(drive, robot.Point{X: xy[0], Y: xy[1]})
	}
	return roomsFloor().mapDrive(roomsTilt, drive...).Result()
})

func cellFloor() (f testFloor) {
	f.lines(0, 0, 6, 0, 6, 4, 0, 4, 0, 0)
	return f
}

var cellDrive = []robot.Point{{X: 2.5, Y: 2}, {X: 3.5, Y: 2}}

// cellResult maps one room of 6 x 4 m from its centre: fast enough for many drafts.
var cellResult = sync.OnceValue(func() *mapping.Result {
	f := cellFloor()
	return f.mapDrive(0.1, cellDrive...).Result()
})

var mybotDescription = modelstest.Mybot

// roomsDraft is the draft of the rooms. floorFromDraft transforms its points to the
// floor.
func roomsDraft(t testing.TB) *draft.Draft {
	t.Helper()
	d, err := draft.New(draft.Source{Result: roomsResult(), Robot: mybotDescription(t)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// floorFromDraft is the pose of the frame of a draft of the rooms on the floor.
func floorFromDraft(d *draft.Draft) robot.Pose { return roomsStart.Compose(d.FrameFromMap().Inverse()) }

// onDraft transforms points x, y of the floor to the frame of the draft.
func onDraft(d *draft.Draft, xy ...float64) (points []robot.Point) {
	draftFromFloor := floorFromDraft(d).Inverse()
	for i := 0; i < len(xy); i += 2 {
		points = append(points, draftFromFloor.Apply(robot.Point{X: xy[i], Y: xy[i+1]}))
	}
	return points
}

// apply makes an edit that must succeed.
func apply(t testing.TB, d *draft.Draft, e draft.Edit) {
	t.Helper()
	if err := d.Apply(e); err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
}
