package rollout

import (
	"math"

	"mybot/robot"
	"mybot/robot/models"
)

// mybot is the robot of the tests.
func mybot() robot.Description {
	d, err := robot.ParseDescription(models.Mybot())
	if err != nil {
		panic(err)
	}
	return d
}

// scene has the surroundings of a robot: round standing obstacles, walls along x, and discs.
type scene struct {
	barrels []robot.Track
	walls   []float64 // y
	discs   []robot.Track
}

func (s *scene) Clearance(p robot.Point) float64 {
	far := math.Inf(1)
	for _, b := range s.barrels {
		far = math.Min(far, b.At.Sub(p).Norm()-b.Radius)
	}
	for _, y := range s.walls {
		far = math.Min(far, math.Abs(p.Y-y))
	}
	return far
}

func (s *scene) Discs() []robot.Track { return s.discs }

// room computes the clearance at a point; nothing moves there.
type room func(p robot.Point) float64

func (r room) Clearance(p robot.Point) float64 { return r(p) }

func (room) Discs() []robot.Track { return nil }

// allOver is a room that has the same clearance everywhere.
func allOver(far float64) room { return func(robot.Point) float64 { return far } }

func below(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

func above(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }

// pointRobot is the controller of a robot whose hull is a point, so that bounds can be met
// exactly; to people it is wider.
func pointRobot() *Controller {
	c := New(mybot())
	c.hull, c.wide = []disc{{}}, 0.25
	return c
}

func barrel(x, y float64) robot.Track {
	return robot.Track{At: robot.Point{X: x, Y: y}, Radius: 0.25}
}

func walker(x, y, vx, vy float64) robot.Track {
	return robot.Track{At: robot.Point{X: x, Y: y}, Velocity: robot.Point{X: vx, Y: vy}, Radius: 0.27, Sigma: 0.03, Moving: true}
}

// straight is a path along x, from 0.4 m behind the origin, with a speed.
func straight(length, speed float64) []robot.PathPoint {
	var path []robot.PathPoint
	for n := range int(length/Spacing) + 1 {
		s := Spacing * float64(n)
		path = append(path, robot.PathPoint{Pose: robot.Pose{X: s - 0.4}, Along: s, Speed: speed, Clear: 3})
	}
	return path
}

// arc is a path along a circle to the left, from 0.4 m behind the origin.
func arc(radius, length float64) []robot.PathPoint {
	path := straight(length, 0.5)
	for n := range path {
		sin, cos := math.Sincos((path[n].Along - 0.4) / radius)
		path[n].Pose = robot.Pose{X: radius * sin, Y: radius * (1 - cos), Theta: (path[n].Along - 0.4) / radius}
		path[n].Bend = 1 / radius
	}
	return path
}

// rig is a robot that a controller drives.
type rig struct {
	desc robot.Description
	c    *Controller
	s    Situation
	out  *scene
	time float64 // s

	nearest, nearestPerson float64 // m, from the hull, while it moved
}

func newRig(desc robot.Description, out *scene) *rig {
	c := New(desc)
	return &rig{desc: desc, c: c, out: out, nearest: math.Inf(1), nearestPerson: math.Inf(1), s: Situation{
		Path: straight(20, desc.Safe.Linear), Along: 0.4, End: 20, MaxSpeed: desc.Safe.Linear,
		Twist: robot.Twist{Linear: desc.Safe.Linear}, Obstacles: out,
	}}
}

const dt = 0.02 // s

// drive drives for a number of seconds, with a choice every 0.1 s.
func (r *rig) drive(seconds float64) {
	for end := r.time + seconds; r.time < end; r.time += dt {
		if int(math.Round(r.time/dt))%5 == 0 {
			r.c.Choose(&r.s)
		}
		r.step()
		r.s.Along = robot.Clamp(r.s.Pose.X+0.4, 0, 20)
		for i := range r.out.discs {
			r.out.discs[i].At = r.out.discs[i].Predict(dt)
		}
		r.measure()
	}
}

// roll drives on by the last choice for so many seconds.
func (r *rig) roll(seconds float64) {
	for end := r.time + seconds; r.time < end-dt/2; r.time += dt {
		r.step()
		r.measure()
	}
}

// step moves the robot by the last choice for dt.
func (r *rig) step() {
	r.s.Twist = r.desc.Safe.Slew(r.s.Twist, r.c.Steer(&r.s), dt)
	h := r.s.Pose.Theta + r.s.Twist.Angular*dt/2
	r.s.Pose.X += r.s.Twist.Linear * dt * math.Cos(h)
	r.s.Pose.Y += r.s.Twist.Linear * dt * math.Sin(h)
	r.s.Pose.Theta = robot.WrapAngle(r.s.Pose.Theta + r.s.Twist.Angular*dt)
}

// measure takes how near the robot is to things and people while it moves.
func (r *rig) measure() {
	s := r.c.travel(&r.s)
	look := rollout{c: r.c, s: s, pose: s.Pose, twist: s.Twist}
	still, people := look.clearance(0)
	if look.moves() {
		r.nearest, r.nearestPerson = math.Min(r.nearest, still), math.Min(r.nearestPerson, people)
	}
}
