package guard

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// Parameters of the particle filter.
const (
	particles      = 160 // per obstacle
	maxObstacles   = 6
	maxSeen        = 400   // points from lidars
	thinnest       = 0.05  // m, least radius
	thickest       = 0.40  // m, largest radius
	echoSigma      = 0.02  // m, deviation of an echo from that of a disc
	echoSigmaShare = 0.01  // additional deviation, as a fraction of the range
	outlierFrom    = 4     // deviations beyond which an echo belongs to another object
	roundSlant     = 0.87  // sine of the largest slant at which a round object returns an echo
	roughening     = 0.008 // m, standard deviation added to resampled particles
	lookedPast     = 5     // pings in a row through an obstacle after which it is dropped
)

// Likelihoods of a ping that differs from a particle's prediction. Successive pings are not
// independent, so each has less weight than an independent ping would have.
const (
	noEcho   = 0.74 // no echo predicted; the ping has none or one from elsewhere
	unseen   = 0.32 // no echo predicted, but the ping's range is that of the disc
	looksBy  = 0.17 // the ping looks through the particle's disc
	isNearer = 0.49 // the echo is nearer than predicted
)

// disc is a round obstacle.
type disc struct {
	at     robot.Point // in the guard's odom
	radius float64     // m
}

// obstacle is a standing obstacle, modelled as a disc. One ping shows its distance, but
// neither its bearing within the beam nor its size. Pings from other poses, with and
// without echo, narrow it down: a particle filter.
type obstacle struct {
	discs  [particles]disc
	weight [particles]float64 // their sum is 1
	heard  time.Time
	past   int // pings in a row that looked through it
}

// ObstacleTracker estimates the obstacles around the robot that are not on its map: discs
// from the sonars, and points from the lidars. It serves to decide on which side of an
// obstacle there is room; the guard ensures safety.
type ObstacleTracker struct {
	guard  *Guard
	known  func(robot.Point) bool // whether a point in the axle frame is on the map
	found  []obstacle
	seen   []scanPoint   // from the lidars, not on the map
	near   []robot.Point // the same in the axle frame; reused
	reach  float64       // m from the axle to the farthest corner of the hull
	path   []stand       // reused
	random *rand.Rand    // fixed seed: the same readings result in the same motion
}

// NewObstacleTracker returns a tracker that uses the sonars and lidars of g. known reports
// whether an echo at a point in the axle frame may come from the map.
func NewObstacleTracker(g *Guard, known func(robot.Point) bool) *ObstacleTracker {
	return &ObstacleTracker{guard: g, known: known, found: make([]obstacle, 0, maxObstacles), reach: g.body.ReachFrom(robot.Point{}), random: rand.New(rand.NewPCG(7, 11))}
}

// Observe takes the guard's pings and scans of the newest reading. led says that the robot
// follows a path; otherwise the tracker forgets all obstacles.
func (a *ObstacleTracker) Observe(now time.Time, led bool) {
	if !led {
		a.found, a.seen = a.found[:0], a.seen[:0]
		return
	}
	for i := range a.guard.sonars {
		if e := &a.guard.sonars[i]; e.fresh && e.lost == 0 {
			a.takePing(e, now)
		}
	}
	for i := range a.guard.lidars {
		if m := &a.guard.lidars[i]; m.newest.Equal(now) {
			a.takeScan(m, now)
		}
	}
	a.found = slices.DeleteFunc(a.found, func(t obstacle) bool {
		return t.past >= lookedPast || now.Sub(t.heard) > limits.ObstacleLife
	})
}

// takeScan takes the newest scan of a lidar. Points out of its view remain for
// ObstacleLife: an obstacle beside the robot may still be in the way of its rear.
func (a *ObstacleTracker) takeScan(m *scanMemory, now time.Time) {
	fromOdom, left := a.guard.odom.Inverse(), a.seen[:0]
	for _, p := range a.seen {
		if !m.replacesPoint(&p, fromOdom) && now.Sub(p.seen) <= limits.ObstacleLife {
			left = append(left, p)
		}
	}
	a.seen = left
	for _, p := range m.points {
		if len(a.seen) == maxSeen {
			return
		}
		at := fromOdom.Apply(p.at)
		if !p.sure || !p.seen.Equal(now) || at.X < -limits.ObstacleBeside || math.Abs(at.Y) >= limits.ObstacleBeside || at.Norm() >= limits.ObstacleSeenRange || a.known(at) {
			continue
		}
		if _, gap := a.guard.body.separatingEdge(at); gap >= -inside {
			p.through = 0
			a.seen = append(a.seen, p)
		}
	}
}

// takePing takes a ping. An echo that no obstacle explains starts a new one.
func (a *ObstacleTracker) takePing(e *sonarView, now time.Time) {
	p := newPing(a.guard.odom, e)
	explained := false
	for i := range a.found {
		t := &a.found[i]
		if t.weighByPing(&p) {
			t.heard, explained = now, true
		}
		if t.effectiveCount() < particles/2 {
			t.resampleDiscs(a.random)
		}
	}
	if !explained && e.echo == e.heard && e.heard < limits.ObstacleRange && e.facing.X > 0.4 && a.isRelevant(e) && !a.guard.isExplained(e, e.heard) {
		a.addObstacle(e, now)
	}
}

// isRelevant reports whether an echo is not on the map, and near where the robot may drive.
func (a *ObstacleTracker) isRelevant(e *sonarView) bool {
	if slices.ContainsFunc(e.points[:], a.known) {
		return false
	}
	return slices.ContainsFunc(e.points[:], func(p robot.Point) bool { return math.Abs(p.Y) < limits.ObstacleBeside })
}

// addObstacle adds an obstacle, with particles for all discs that may have returned the
// echo.
func (a *ObstacleTracker) addObstacle(e *sonarView, now time.Time) {
	if len(a.found) == maxObstacles {
		oldest := 0
		for i := range a.found {
			if a.found[i].heard.Before(a.found[oldest].heard) {
				oldest = i
			}
		}
		a.found = slices.Delete(a.found, oldest, oldest+1)
	}
	a.found = append(a.found, obstacle{heard: now})
	t := &a.found[len(a.found)-1]
	at := a.guard.odom.Compose(e.pose)
	for i := 0; i < particles; {
		d := disc{radius: thinnest + (thickest-thinnest)*a.random.Float64()}
		turn := (2*a.random.Float64() - 1) * (e.half + 0.35)
		sin, cos := math.Sincos(math.Max(0, math.Abs(turn)-e.half))
		if e.heard*sin > 0.8*d.radius {
			continue
		}
		distance := e.heard*cos + math.Sqrt(d.radius*d.radius-e.heard*e.heard*sin*sin)
		sin, cos = math.Sincos(turn)
		d.at = at.Apply(robot.Point{X: distance * cos, Y: distance * sin})
		t.discs[i], t.weight[i] = d, 1.0/particles
		i++
	}
}

// ping is one range measurement of a sonar and its pose.
type ping struct {
	from   robot.Point // in odom
	facing robot.Point
	half   float64 // rad
	echo   float64 // m; +Inf = no echo
	max    float64 // m
}

func newPing(odom robot.Pose, e *sonarView) ping {
	at := odom.Compose(e.pose)
	sin, cos := math.Sincos(at.Theta)
	return ping{at.Point(), robot.Point{X: cos, Y: sin}, e.half, e.heard, e.max}
}

// echoOf returns the range at which the sonar would hear a disc; +Inf = it would not.
// distance is that of the disc's centre, in m.
func (p *ping) echoOf(d disc) (echo, distance float64) {
	v := d.at.Sub(p.from)
	along, across := v.Dot(p.facing), math.Abs(p.facing.X*v.Y-p.facing.Y*v.X)
	distance = math.Hypot(along, across)
	if distance <= d.radius {
		return 0, distance
	}
	off := math.Atan2(across, along) - p.half
	if off <= 0 {
		return distance - d.radius, distance
	}
	sin, cos := math.Sincos(off)
	if off > 1 || distance*sin > roundSlant*d.radius {
		return math.Inf(1), distance
	}
	return distance*cos - math.Sqrt(d.radius*d.radius-distance*distance*sin*sin), distance
}

// weighByPing updates the weights of the particles by a ping, and reports whether the
// obstacle explains it.
func (t *obstacle) weighByPing(p *ping) (explains bool) {
	v := t.discs[0].at.Sub(p.from)
	if distance := v.Norm(); distance > 1 && v.Dot(p.facing) < distance/2 {
		return false // far outside the beam
	}
	expected, matched, sum := 0.0, 0.0, 0.0
	for i := range t.discs {
		echo, distance := p.echoOf(t.discs[i])
		s := echoSigma + echoSigmaShare*math.Min(echo, p.echo)
		like := isNearer
		switch off := math.Abs(p.echo - echo); {
		case echo > p.max && math.Abs(p.echo-(distance-t.discs[i].radius)) < 0.25:
			like = unseen
		case echo > p.max:
			like = noEcho
		case off < outlierFrom*s:
			matched += t.weight[i]
			expected += t.weight[i]
			like = math.Max(looksBy, math.Exp(-0.3*off*off/(s*s)))
		case p.echo > echo:
			expected += t.weight[i]
			like = looksBy
		}
		t.weight[i] *= like
		sum += t.weight[i]
	}
	for i := range t.weight {
		t.weight[i] /= sum
	}
	switch {
	case matched > 0.1:
		t.past = 0
	case expected > 0.7:
		t.past++
	}
	return matched > 0.05
}

// effectiveCount returns the effective number of particles.
func (t *obstacle) effectiveCount() float64 {
	sum := 0.0
	for _, w := range t.weight {
		sum += w * w
	}
	return 1 / sum
}

// resampleDiscs resamples the particles by weight and adds noise.
func (t *obstacle) resampleDiscs(random *rand.Rand) {
	was := *t
	at, sum, k := random.Float64()/particles, was.weight[0], 0
	for i := range t.discs {
		for sum < at && k < particles-1 {
			k++
			sum += was.weight[k]
		}
		at += 1.0 / particles
		d := was.discs[k]
		d.at = d.at.Add(robot.Point{X: roughening * random.NormFloat64(), Y: roughening * random.NormFloat64()})
		d.radius = robot.Clamp(d.radius+roughening*random.NormFloat64(), thinnest, thickest)
		t.discs[i], t.weight[i] = d, 1.0/particles
	}
}

// Risk returns the probability that the hull comes nearer than margin, in m, to the riskiest
// obstacle when the axle takes the poses of path, in its present frame. It implements
// playout.ObstacleMap.
func (a *ObstacleTracker) Risk(path []robot.Pose, margin float64) float64 {
	if len(a.found)+len(a.seen) == 0 {
		return 0
	}
	a.path = a.path[:0]
	for _, p := range path {
		sin, cos := math.Sincos(p.Theta)
		a.path = append(a.path, stand{p.Point(), robot.Point{X: cos, Y: sin}})
	}
	if a.seenTouched(margin) {
		return 1
	}
	highest := 0.0
	for i := range a.found {
		highest = math.Max(highest, a.touchedWeight(&a.found[i], margin))
	}
	return highest
}

// seenTouched reports whether the hull on the path comes nearer than margin to a point that
// a lidar has seen. Such a point is certain.
func (a *ObstacleTracker) seenTouched(margin float64) bool {
	from := a.guard.odom.Inverse()
	a.near = a.near[:0]
	for _, p := range a.seen {
		a.near = append(a.near, from.Apply(p.at))
	}
	for i := range a.path {
		for _, at := range a.near {
			if a.hullTouches(&a.path[i], at, margin) {
				return true
			}
		}
	}
	return false
}

// stand is a pose of the axle on a path.
type stand struct{ at, facing robot.Point }

// touchedWeight returns the weight of the particles to which the hull comes too near.
func (a *ObstacleTracker) touchedWeight(t *obstacle, margin float64) float64 {
	from, sum := a.guard.odom.Inverse(), 0.0
	for i, d := range t.discs {
		at, near := from.Apply(d.at), d.radius+margin
		for k := range a.path {
			if a.hullTouches(&a.path[k], at, near) {
				sum += t.weight[i]
				break
			}
		}
	}
	return sum
}

// hullTouches reports whether the hull at s is within near, in m, of a point.
func (a *ObstacleTracker) hullTouches(s *stand, at robot.Point, near float64) bool {
	v := at.Sub(s.at)
	if far := a.reach + near; v.Dot(v) > far*far {
		return false
	}
	p := robot.Point{X: v.Dot(s.facing), Y: s.facing.X*v.Y - s.facing.Y*v.X}
	_, gap := a.guard.body.separatingEdge(p)
	return gap <= 0 || gap <= near && a.guard.body.Distance(p) <= near
}
