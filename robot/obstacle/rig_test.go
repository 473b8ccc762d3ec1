package obstacle

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/models"
	"mybot/robot/scan"
)

// describe returns a built-in robot.
func describe(name string) robot.Description {
	data, _ := models.Find(name)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		panic(err)
	}
	return desc
}

// disc is a round obstacle in a scene, in map.
type disc struct {
	at     robot.Point
	v      robot.Point // m/s
	radius float64
}

// rig is a robot with its obstacle layer in a scene of discs, which a lidar scans.
type rig struct {
	layer  *Layer
	desc   robot.Description
	walls  Walls
	pose   robot.Pose // of base_link, in map
	off    robot.Pose // error of the estimate
	discs  []disc
	ranges []float64 // of the sonars
	bump   bool
	now    time.Time
	beams  []scan.Beam
	noise  func() float64 // m, of each beam; nil = none
}

func newRig(model string, discs ...disc) *rig {
	desc := describe(model)
	r := &rig{layer: New(desc), desc: desc, discs: discs, now: epoch}
	for range desc.Sonars {
		r.ranges = append(r.ranges, math.Inf(1))
	}
	return r
}

// cloud returns the lidar's present points.
func (r *rig) cloud() scan.Cloud {
	l := r.desc.Lidars[0]
	c := scan.Cloud{Time: r.now, Last: r.now, Origin: l.Pose.Point()}
	r.beams = r.beams[:0]
	for n := range l.Beams {
		sin, cos := math.Sincos(l.Pose.Theta + l.Bearing(n))
		d := robot.Point{X: cos, Y: sin}
		far, echo := l.Max, false
		for _, o := range r.discs {
			to := r.pose.Inverse().Apply(o.at).Sub(c.Origin)
			along := to.Dot(d)
			if h := o.radius*o.radius - to.Dot(to) + along*along; along > 0 && h > 0 && along-math.Sqrt(h) < far {
				far, echo = along-math.Sqrt(h), true
			}
		}
		if r.noise != nil && echo {
			far += r.noise()
		}
		r.beams = append(r.beams, scan.Beam{End: c.Origin.Add(robot.Point{X: far * cos, Y: far * sin}), Echo: echo})
	}
	c.Beams = r.beams
	return c
}

// read passes a reading to the layer after the given wheel travel.
func (r *rig) read(travel robot.Wheels, clouds ...scan.Cloud) {
	r.layer.Observe(robot.Reading{Time: r.now, Travel: travel, Ranges: r.ranges, Bump: r.bump}, clouds, r.pose.Compose(r.off), r.walls)
}

// pass lets 0.1 s pass while the robot drives with a twist.
func (r *rig) pass(t robot.Twist) robot.Wheels {
	const dt = 0.1
	travel := r.desc.Drivetrain.Wheels(t.Scale(dt))
	r.pose = r.desc.Drivetrain.Roll(r.pose, travel)
	r.now = r.now.Add(100 * time.Millisecond)
	for i := range r.discs {
		d := &r.discs[i]
		d.at = d.at.Add(robot.Point{X: dt * d.v.X, Y: dt * d.v.Y})
	}
	return travel
}

// scans lets n times 0.1 s pass, each with a scan at its end.
func (r *rig) scans(n int, t robot.Twist) {
	for range n {
		travel := r.pass(t)
		r.read(travel, r.cloud())
	}
}

// blind lets time pass without a scan.
func (r *rig) blind(d time.Duration) {
	r.now = r.now.Add(d)
	r.read(robot.Wheels{})
}

// sees reports whether the layer has an obstacle within 6 cm of a point in map.
func (r *rig) sees(x, y float64) bool { return r.layer.Clearance(robot.Point{X: x, Y: y}) < 0.06 }

// line is a wall of a map, along x at a height y.
type line float64

func (l line) At(p robot.Point) float64 { return math.Abs(p.Y - float64(l)) }
