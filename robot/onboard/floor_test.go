package onboard

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
)

// floor is a planner of the tests: an open floor on which every way is straight
// from point to point. Off X = 50 the map ends.
type floor struct {
	aside  float64 // m to the side that a way round goes; 0 = there is none
	things []thing
	plans  int
	slow   int // times that a way is still being planned when Core asks for it
	asked  int
	known  func(robot.Point) bool // what is on the map; nil = anything may be
}

// thing is what was noted to be in the way.
type thing struct {
	at    robot.Point
	until time.Time
}

func (f *floor) Plan(now time.Time, from, to robot.Pose) (robot.Path, error) {
	if f.asked++; f.asked%(f.slow+1) != 0 {
		return nil, robot.ErrPlanning
	}
	f.plans++
	if to.X > 50 {
		return nil, robot.Refusal{Word: robot.Error, Reason: "Off the map. Choose a place on the floor."}
	}
	line := []robot.Point{from.Point(), to.Point()}
	for _, t := range f.things {
		if !now.Before(t.until) || (robot.Segment{A: line[0], B: line[1]}).Distance(t.at) > 0.6 {
			continue
		}
		if f.aside == 0 {
			return nil, robot.Blocked{Refusal: robot.Refusal{Word: robot.Error, Reason: "No route: something stands in the way."}, At: t.at}
		}
		leg := to.Point().Sub(from.Point())
		side := robot.Point{X: -leg.Y * f.aside / leg.Norm(), Y: leg.X * f.aside / leg.Norm()}
		line = []robot.Point{from.Point(), from.Point().Add(side), to.Point().Add(side), to.Point()}
		break
	}
	w := &straight{floor: f, goal: to, line: line, at: 1}
	for k := 1; k < len(line); k++ {
		w.length += line[k].Sub(line[k-1]).Norm()
	}
	return w, nil
}

func (f *floor) Block(now time.Time, _, face robot.Point) {
	f.things = append(f.things, thing{face, now.Add(time.Minute)})
}

func (f *floor) BlockPoints(now time.Time, points []robot.Point) {
	for _, p := range points {
		f.Block(now, robot.Point{}, p)
	}
}

func (f *floor) Clearance(at robot.Point) float64 {
	if f.known == nil || f.known(at) {
		return 0
	}
	return 1
}

// Observe forgets what the sonar in front looks through.
func (f *floor) Observe(r robot.Reading, _ []robot.Ray, pose robot.Pose) bool {
	before := len(f.things)
	f.things = slices.DeleteFunc(f.things, func(t thing) bool {
		p := pose.Inverse().Apply(t.at)
		return p.X > 0 && p.X < 1.5 && math.Abs(p.Y) < 0.2 && r.Ranges[0] > p.X
	})
	return len(f.things) < before
}

// straight is a way over such a floor.
type straight struct {
	floor  *floor
	goal   robot.Pose
	line   []robot.Point
	at     int // the point that the robot is on its way to
	length float64
	since  time.Time // something has been in front
	moved  time.Time
	last   robot.Pose
}

func (w *straight) Route() robot.Route {
	return robot.Route{Goal: w.goal, Line: w.line, Length: w.length, Time: w.length / 0.4}
}

func (w *straight) Follow(now time.Time, pose robot.Pose, twist robot.Twist, most float64) (robot.Twist, robot.Progress) {
	if w.moved.IsZero() || pose.Point().Sub(w.last.Point()).Norm() > 0.1 || math.Abs(robot.WrapAngle(pose.Theta-w.last.Theta)) > 0.2 {
		w.moved, w.last = now, pose
	}
	left := 0.0
	for at, k := pose.Point(), w.at; k < len(w.line); k++ {
		left += w.line[k].Sub(at).Norm()
		at = w.line[k]
	}
	p := robot.Progress{Done: math.Max(0, w.length-left), Left: left, Time: left / 0.4, Waiting: now.Sub(w.moved), Clearance: math.Inf(1)}
	for w.at < len(w.line) && w.line[w.at].Sub(pose.Point()).Norm() < 0.03 {
		w.at++
	}
	if w.at == len(w.line) {
		turn := robot.WrapAngle(w.goal.Theta - pose.Theta)
		p.Over = math.Abs(turn) < 0.03
		p.Arrived = p.Over && twist.IsStill()
		if p.Over {
			return robot.Twist{}, p
		}
		return robot.Twist{Angular: robot.Clamp(2*turn, -0.5, 0.5)}, p
	}
	d := w.line[w.at].Sub(pose.Point())
	off := robot.WrapAngle(math.Atan2(d.Y, d.X) - pose.Theta)
	v := math.Min(math.Min(0.4, most), d.Norm()+0.02)
	if math.Abs(off) > 0.3 {
		v = 0
	}
	return robot.Twist{Linear: v, Angular: robot.Clamp(2*off, -0.5, 0.5)}, p
}

func (w *straight) Points() []robot.PathPoint { return nil }

func (w *straight) Watch(r robot.Reading, pose robot.Pose) robot.Lane {
	ahead := r.Ranges[0]
	if !(ahead < 0.6) {
		w.since = time.Time{}
		return robot.Lane{}
	}
	if w.since.IsZero() {
		w.since = r.Time
	}
	return robot.Lane{Seen: true, Face: pose.Apply(robot.Point{X: 0.26 + ahead}), Blocked: r.Time.Sub(w.since) >= 2*time.Second}
}
