package onboard

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/models"
)

var epoch = time.Date(2026, 11, 20, 14, 33, 0, 0, time.UTC)

// mybot is the robot of the tests.
func mybot() robot.Description {
	d, err := robot.ParseDescription(models.Mybot())
	if err != nil {
		panic(err)
	}
	return d
}

// believed is a localizer that believes the wheels.
type believed struct {
	drive robot.Drivetrain
	pose  robot.Pose
	trust robot.Trust
	error robot.Covariance
}

func (b *believed) Update(r robot.Reading) { b.pose = b.drive.Roll(b.pose, r.Travel) }
func (b *believed) Estimate() robot.Estimate {
	return robot.Estimate{Pose: b.pose, Covariance: b.error, Wheels: true, Trust: b.trust}
}
func (b *believed) SetPose(p robot.Pose) { b.pose = p }

// plant is a robot among walls, in virtual time, with a core on board.
type plant struct {
	desc  robot.Description
	core  *Core
	walls []robot.Segment
	posts []post

	// incidence is the greatest angle, in rad, at which a wall sends an echo
	// back; a post always does.
	incidence float64
	noise     float64 // m of a range
	dropOuts  float64 // part of the ranges that is lost
	random    *rand.Rand

	ranges  []float64
	ticks   int
	now     time.Time
	motion  robot.Motion
	told    robot.Twist
	travel  robot.Wheels
	pressed bool
	ok      bool  // the OK switch is down
	deaf    []int // sonars out of order
	estop   bool  // the base's own emergency stop is pressed
	refuses string
	head    robot.HeadAngles
	state   robot.State
	page    *page   // nil = no page drives a virtual robot
	closest float64 // m, the least distance of the hull from anything so far
	hull    guard.Footprint
}

type post struct {
	at     robot.Point
	radius float64
}

// newPlant returns a robot whose centre stands at start.
func newPlant(start robot.Pose, walls ...robot.Segment) *plant {
	return newPlantOf(mybot(), start, walls...)
}

// newPlantOf returns a robot of the description.
func newPlantOf(d robot.Description, start robot.Pose, walls ...robot.Segment) *plant {
	p := &plant{
		desc: d, core: NewCore(d, &believed{drive: d.Drivetrain, pose: start}, nil), walls: walls,
		incidence: math.Pi / 2, random: rand.New(rand.NewPCG(1, 2)),
		now: epoch, motion: robot.Motion{Axle: d.Drivetrain.Axle(start)}, closest: math.Inf(1), hull: guard.NewFootprint(d, 0),
	}
	p.tick()
	return p
}

func (p *plant) centre() robot.Pose { return p.desc.Drivetrain.Centre(p.motion.Axle) }

// reading is what the robot feels now.
func (p *plant) reading() robot.Reading {
	r := robot.Reading{
		Time: p.now, Travel: p.travel, Heading: p.motion.Axle.Theta, Ranges: make([]float64, len(p.desc.Sonars)),
		Bump: p.pressed, OK: p.ok, EStop: p.estop, Refuses: p.refuses, Head: p.head, Battery: robot.Battery{Volts: 12.4, Charge: 0.78},
	}
	// The sonars ping in three groups, one every 40 ms, and repeat what they
	// heard until their next turn.
	if p.ranges == nil {
		p.ranges = make([]float64, len(p.desc.Sonars))
		for i, s := range p.desc.Sonars {
			p.ranges[i] = p.hear(s)
		}
	}
	if p.ticks%2 == 0 {
		for i := p.ticks / 2 % 3; i < len(p.ranges); i += 3 {
			p.ranges[i] = p.hear(p.desc.Sonars[i])
		}
	}
	p.ticks++
	copy(r.Ranges, p.ranges)
	for _, i := range p.deaf {
		r.Ranges[i] = math.NaN()
	}
	return r
}

// tick lets the robot feel, decide and move for 20 ms.
func (p *plant) tick() { p.feel(p.reading()) }

func (p *plant) feel(r robot.Reading) {
	p.told, p.state = p.core.Tick(r)
	if a, ok := p.core.scripts.takeLook(); ok {
		p.head = a
	}
	p.travel = robot.Wheels{}
	p.roll(p.told)
}

// roll moves the base for 20 ms with the commanded twist.
func (p *plant) roll(told robot.Twist) {
	for range 2 {
		p.motion = robot.Step(p.motion, told, p.desc.Hardware, robot.Tick)
		w := p.desc.Drivetrain.Wheels(p.motion.Twist)
		p.travel.Left += w.Left * robot.Tick
		p.travel.Right += w.Right * robot.Tick
	}
	p.now = p.now.Add(20 * time.Millisecond)
	if p.page != nil {
		p.page.live(p.core, p.now)
	}
	p.closest = math.Min(p.closest, p.room())
}

// drive orders a twist at 20 Hz for a while.
func (p *plant) drive(v, w float64, d time.Duration) robot.Result {
	var res robot.Result
	for i := range int(d / (20 * time.Millisecond)) {
		if i%2 == 0 {
			res = p.core.Do(p.now, robot.Drive{Twist: robot.Twist{Linear: v, Angular: w}})
		}
		p.tick()
	}
	return res
}

// wait lets time pass without orders.
func (p *plant) wait(d time.Duration) {
	for range int(d / (20 * time.Millisecond)) {
		p.tick()
	}
}

// room is the least distance from the hull to anything, in m; 0 = touching.
func (p *plant) room() float64 {
	best := math.Inf(1)
	fromMap := p.motion.Axle.Inverse()
	for _, s := range p.walls {
		best = math.Min(best, toSegment(&p.hull, fromMap.Apply(s.A), fromMap.Apply(s.B)))
	}
	for _, s := range p.posts {
		best = math.Min(best, math.Max(0, p.hull.Distance(fromMap.Apply(s.at))-s.radius))
	}
	return best
}

// toSegment is the distance between the hull and a segment: that of an end or
// of a corner, or 0 when they cross.
func toSegment(h *guard.Footprint, a, b robot.Point) float64 {
	best := math.Min(h.Distance(a), h.Distance(b))
	d := b.Sub(a)
	low, high := 0.0, 1.0
	for i, c := range h.Corners {
		f := robot.Clamp(c.Sub(a).Dot(d)/d.Dot(d), 0, 1)
		best = math.Min(best, c.Sub(robot.Point{X: a.X + f*d.X, Y: a.Y + f*d.Y}).Norm())
		from, rate := h.Normals[i].Dot(a.Sub(c)), h.Normals[i].Dot(d)
		switch {
		case rate == 0 && from > 0:
			low = 2
		case rate > 0:
			high = math.Min(high, -from/rate)
		case rate < 0:
			low = math.Max(low, -from/rate)
		}
	}
	if low <= high {
		return 0
	}
	return best
}

// hear is the range of one sonar: the nearest thing in its cone that sends an
// echo back.
func (p *plant) hear(s robot.Sonar) float64 {
	pose := p.centre().Compose(s.Pose)
	best := math.Inf(1)
	const rays = 9
	for k := range rays {
		a := pose.Theta + s.Beam*(float64(k)/(rays-1)-0.5)
		sin, cos := math.Sincos(a)
		dir := robot.Point{X: cos, Y: sin}
		nearest := math.Inf(1)
		echo := false
		for _, w := range p.walls {
			if d, incidence, ok := cast(pose.Point(), dir, w); ok && d < nearest {
				nearest, echo = d, incidence <= p.incidence
			}
		}
		for _, q := range p.posts {
			if d, ok := castRound(pose.Point(), dir, q); ok && d < nearest {
				nearest, echo = d, true
			}
		}
		if echo {
			best = math.Min(best, nearest)
		}
	}
	// The end of a wall and a thin post send an echo to everywhere.
	ends := make([]post, 0, 2*len(p.walls)+len(p.posts))
	for _, w := range p.walls {
		ends = append(ends, post{at: w.A}, post{at: w.B})
	}
	for _, end := range append(ends, p.posts...) {
		d := end.at.Sub(pose.Point())
		distance := d.Norm() - end.radius
		if math.Abs(robot.WrapAngle(math.Atan2(d.Y, d.X)-pose.Theta)) <= s.Beam/2 && distance < best && p.visible(pose.Point(), end.at) {
			best = distance
		}
	}
	if best > s.Max || p.dropOuts > 0 && p.random.Float64() < p.dropOuts {
		return math.Inf(1)
	}
	return math.Max(s.Min, best+p.noise*p.random.NormFloat64())
}

func (p *plant) visible(from, to robot.Point) bool {
	d := to.Sub(from)
	n := d.Norm()
	dir := robot.Point{X: d.X / n, Y: d.Y / n}
	for _, w := range p.walls {
		if at, _, ok := cast(from, dir, w); ok && at < n-1e-6 {
			return false
		}
	}
	return true
}

func cast(from, dir robot.Point, w robot.Segment) (distance, incidence float64, ok bool) {
	e := w.B.Sub(w.A)
	cross := dir.X*e.Y - dir.Y*e.X
	if math.Abs(cross) < 1e-12 {
		return 0, 0, false
	}
	a := w.A.Sub(from)
	t := (a.X*e.Y - a.Y*e.X) / cross
	u := (a.X*dir.Y - a.Y*dir.X) / cross
	if t <= 0 || u < 0 || u > 1 {
		return 0, 0, false
	}
	return t, math.Acos(math.Min(1, math.Abs(cross)/e.Norm())), true
}

func castRound(from, dir robot.Point, q post) (float64, bool) {
	c := q.at.Sub(from)
	along := c.Dot(dir)
	off := c.Dot(c) - along*along
	if along <= 0 || off > q.radius*q.radius {
		return 0, false
	}
	return along - math.Sqrt(q.radius*q.radius-off), true
}

func wall(x1, y1, x2, y2 float64) robot.Segment {
	return robot.Segment{A: robot.Point{X: x1, Y: y1}, B: robot.Point{X: x2, Y: y2}}
}

// computesLong leaves a test of Core, which computes in one goroutine, out of a run with
// the race detector and -short: there is no race to find, and ./test runs it in full without.
func computesLong(t *testing.T) {
	t.Helper()
	if raced && testing.Short() {
		t.Skip("it computes for long in one goroutine; it runs without the race detector")
	}
}
