package obstacle

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/scan"
)

// Walls gives the distance from a point in map to the nearest object on the map, in m.
// pathplan.Clearance implements it.
type Walls interface {
	At(p robot.Point) float64
}

// inside is the distance from the corners into the hull, in m, from which on a point
// belongs to the robot itself.
const inside = 0.02

// A Layer is the obstacle layer of a robot; New creates it.
type Layer struct {
	desc  robot.Description
	core  []robot.Point // in base_link: points inside it belong to the robot itself
	walls Walls         // of the newest reading; nil = no map

	now         time.Time
	odom        robot.Pose // pose of base_link in odom
	mapFromOdom frame
	odomFromMap frame

	views     []view // by lidar
	ears      []ear  // by sonar
	bumped    bool
	backwards bool // the last motion was backward

	raster  raster
	field   field
	stale   bool // the points have changed since field.build
	tracker tracker
	discs   []robot.Track
	people  []robot.Track

	ends     []robot.Point // ends of a scan's beams, in odom; reused
	mapped   []bool        // by beam: the map explains the end; reused
	clusters []cluster     // reused
}

// frame is a pose with the sine and cosine of its heading.
type frame struct{ x, y, sin, cos float64 }

func newFrame(p robot.Pose) frame {
	sin, cos := math.Sincos(p.Theta)
	return frame{p.X, p.Y, sin, cos}
}

func (f *frame) apply(p robot.Point) robot.Point {
	return robot.Point{X: f.x + f.cos*p.X - f.sin*p.Y, Y: f.y + f.sin*p.X + f.cos*p.Y}
}

func (f *frame) turn(p robot.Point) robot.Point {
	return robot.Point{X: f.cos*p.X - f.sin*p.Y, Y: f.sin*p.X + f.cos*p.Y}
}

// New returns the layer of a robot, still empty.
func New(desc robot.Description) *Layer {
	l := &Layer{desc: desc, ears: make([]ear, len(desc.Sonars))}
	for _, d := range desc.Lidars {
		l.views = append(l.views, newView(d))
	}
	for i, s := range desc.Sonars {
		l.ears[i] = ear{Sonar: s, heard: math.NaN(), before: math.NaN()}
	}
	for _, p := range desc.Body.Outline() {
		f := 1 - inside/p.Norm()
		l.core = append(l.core, robot.Point{X: f * p.X, Y: f * p.Y})
	}
	l.raster.points = make([]point, 0, maxPoints)
	l.tracker.tracks = make([]track, 0, limits.TrackCount)
	l.field.empty = true
	l.setFrames(robot.Pose{})
	return l
}

func (l *Layer) setFrames(mapFromBase robot.Pose) {
	p := mapFromBase.Compose(l.odom.Inverse())
	l.mapFromOdom, l.odomFromMap = newFrame(p), newFrame(p.Inverse())
}

// Observe takes a reading, the clouds of its scans, and the pose of base_link in map. walls
// is the map; nil = no map.
func (l *Layer) Observe(r robot.Reading, clouds []scan.Cloud, mapFromBase robot.Pose, walls Walls) {
	l.now, l.walls = r.Time, walls
	l.odom = l.desc.Drivetrain.Roll(l.odom, r.Travel)
	l.setFrames(mapFromBase)
	if moved := l.odom.Point().Sub(l.raster.middle); math.Max(math.Abs(moved.X), math.Abs(moved.Y)) > cell {
		l.raster.middle = l.odom.Point()
		l.stale = true
	}
	for _, c := range clouds {
		l.observeScan(c)
	}
	for i := range l.ears {
		l.observeRange(i, r.Ranges[i])
	}
	l.observeBumper(r.Bump, l.desc.Drivetrain.Twist(r.Travel).Linear)
	l.forget()
	l.placeDiscs()
}

// forget drops points that are out of sight for too long, too far away, or inside the hull,
// where no obstacle can be.
func (l *Layer) forget() {
	before := len(l.raster.points)
	base := newFrame(l.odom.Inverse())
	l.raster.drop(func(p *point) bool {
		at, age := base.apply(p.at), l.now.Sub(p.seen)
		return p.doubts >= goneBy || age < 0 || age > lives[p.kind] || !l.raster.covers(p.at) || robot.Inside(at, l.core)
	})
	l.stale = l.stale || len(l.raster.points) != before
	l.tracker.forget(l.now)
}

// placeDiscs predicts the tracks that move, or have moved, to now, and transforms them to
// map.
func (l *Layer) placeDiscs() {
	l.discs, l.people = l.discs[:0], l.people[:0]
	for i := range l.tracker.tracks {
		t := l.tracker.tracks[i]
		if !t.walked {
			continue
		}
		t.predict(l.now)
		d := robot.Track{
			At: l.mapFromOdom.apply(t.at), Velocity: l.mapFromOdom.turn(t.v),
			Radius: math.Max(t.radius, limits.TrackRadius), Sigma: math.Sqrt(t.pp), Moving: t.moving, MetAt: t.metAt,
		}
		l.people = append(l.people, d)
		if t.moving {
			l.discs = append(l.discs, d)
		}
	}
}

// isMapped reports whether the map explains a point in odom.
func (l *Layer) isMapped(p robot.Point) bool {
	return l.walls != nil && l.walls.At(l.mapFromOdom.apply(p)) < limits.ObstacleMapped
}

// Clearance returns the distance from a point in map to the nearest standing obstacle, on
// the map or not, in m; +Inf = none known.
func (l *Layer) Clearance(p robot.Point) float64 {
	if l.stale {
		l.field.build(&l.raster)
		l.stale = false
	}
	far := l.field.at(l.odomFromMap.apply(p))
	if l.walls != nil {
		far = math.Min(far, l.walls.At(p))
	}
	return far
}

// Discs returns the obstacles that move, which Clearance does not include. The slice is
// read-only and valid until the next Observe.
func (l *Layer) Discs() []robot.Track { return l.discs }

// People returns the tracks that move, or have moved since they were first seen: people who
// walk, and people who have stopped. The slice is read-only and valid until the next
// Observe.
func (l *Layer) People() []robot.Track { return l.people }

// AppendUnmapped appends the standing points that are not on the map, in map.
func (l *Layer) AppendUnmapped(points []robot.Point) []robot.Point {
	for n := range l.raster.points {
		if p := &l.raster.points[n]; p.counts() && !p.mapped {
			points = append(points, l.mapFromOdom.apply(p.at))
		}
	}
	return points
}
