package guard

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/scan"
)

// Agreement of pings.
const (
	sureOfRange = 0.2 // m, largest difference of two pings from the same object
	sameFor     = 150 * time.Millisecond
)

// A Guard is the last check before the wheels. It uses what the sonars and lidars measure
// and have measured recently, and the wheel travel, but no map and no position.
//
// Two rules bound a motion. Approach: the linear speed lets the robot brake gently to a
// stop StopDistance before the obstacle ahead. The turn rate is not changed, so that
// turning away remains possible. Touch: linear and angular speed together let no corner of
// the hull come closer than a margin to a wall, and no point come into the grown hull. An
// echo counts for both rules: as points across the beam, because an edge may be anywhere in
// it, and as a wall that faces the sonar, because such a wall returns an echo.
type Guard struct {
	desc  robot.Description
	body  Footprint // actual size, for distances
	hull  Footprint // grown, for points
	wide  Footprint // grown more, for echoes that it passes slowly
	close Footprint // grown less than wide, for scan points that it passes slowly
	brake float64   // m/s2, the deceleration with which the approach zone is planned
	far   float64   // m; the guard ignores contacts farther away

	sonars      []sonarView
	lidars      []scanMemory
	echoes      sonarMemory
	echoPoints  []robot.Point // in the axle frame: current and remembered echoes, then scan points nearby
	echoCount   int           // number of the echoes among them
	doubtful    []robot.Point // remembered echoes where the sonars hear nothing now
	unconfirmed []robot.Point // points of pings that no other ping has confirmed yet
	odom        robot.Pose    // pose of the axle in the guard's odom frame
	now         time.Time

	bump   bool
	barred robot.Twist // the motion that led to a bump
	crept  float64     // m, travel of the wheels since the bumper was pressed
	last   robot.Twist // the last measured motion of at least bumpedAhead or bumpedTurning
	notice notice
}

// An Approach is how near the guard lets a motion come to obstacles.
type Approach struct {
	Stop       float64 // m, distance at which the robot stops
	Autonomous bool    // no driver watches where the robot goes
}

// sonarView is a sonar and its recent pings.
type sonarView struct {
	pose   robot.Pose // in the axle frame
	facing robot.Point
	half   float64 // rad, half the beam
	min    float64
	max    float64

	heard   float64       // m, range of the last ping; +Inf = no echo or out of order
	before  float64       // m, range of the ping before it
	earlier float64       // m, range of the ping before that
	same    time.Duration // for how long heard has not changed
	fresh   bool          // the last reading brought a new ping
	echo    float64       // m, range on which the pings agree; +Inf = no echo
	points  [3]robot.Point
	lost    time.Duration // for how long the sonar has been out of order
}

// A Sight is what the guard saw and did in one tick.
type Sight struct {
	Guard robot.Guard
	At    robot.Point // the limiting obstacle, in the axle frame
	asked robot.Twist
	given robot.Twist
	bump  bool
	blind bool // the motion leads toward a sensor that is out of order

	blindLidar bool // that sensor is a lidar
}

// ends are the directions of an echo's points, as fractions of half the beam. An echo from
// the very edge of the beam is weak.
var ends = [3]float64{-0.9, 0, 0.9}

// New returns the guard of a robot, without any echoes yet.
func New(desc robot.Description) *Guard {
	g := &Guard{
		desc:   desc,
		body:   NewFootprint(desc, 0),
		hull:   NewFootprint(desc, limits.PointMargin),
		wide:   NewFootprint(desc, limits.PassingMargin),
		close:  NewFootprint(desc, limits.ScanPassingMargin),
		sonars: make([]sonarView, len(desc.Sonars)),
	}
	g.echoPoints = make([]robot.Point, 0, len(g.echoes.marks)+len(ends)*len(g.sonars))
	g.doubtful, g.unconfirmed = make([]robot.Point, 0, cap(g.echoPoints)), make([]robot.Point, 0, len(ends)*len(g.sonars))
	g.echoes.latest = slices.Repeat([]int{-1}, len(g.sonars))
	// The speed law reaches the safe speed at SlowFrom, if the motors can brake that hard;
	// otherwise it slows the robot from farther away.
	v := desc.Safe.Linear
	g.brake = plannedBraking * desc.Hardware.LinearAcceleration
	if room := limits.SlowFrom - limits.StopDistance - v*limits.SensingLatency; room > 0 {
		g.brake = math.Min(g.brake, v*v/(2*room))
	}
	// A robot that is fast for its brakes must look farther ahead to stop in time.
	g.far = math.Max(limits.GuardRange, g.body.ReachFrom(robot.Point{})+limits.StopDistance+v*limits.SensingLatency+v*v/(2*g.brake))
	for _, l := range desc.Lidars {
		g.lidars = append(g.lidars, newScanMemory(l, desc.Drivetrain.AxleOffset, g.far))
	}
	for i, s := range desc.Sonars {
		pose := robot.Pose{X: desc.Drivetrain.AxleOffset}.Compose(s.Pose)
		sin, cos := math.Sincos(pose.Theta)
		g.sonars[i] = sonarView{
			pose: pose, facing: robot.Point{X: cos, Y: sin}, half: s.Beam / 2, min: s.Min, max: s.Max,
			heard: math.Inf(1), before: math.Inf(1), earlier: math.Inf(1), echo: math.Inf(1),
		}
	}
	return g
}

// Observe takes the ranges, the bumper and the wheel travel of a reading; the clouds are
// those of its scans.
func (g *Guard) Observe(r robot.Reading, clouds ...scan.Cloud) {
	d := g.desc.Drivetrain
	g.odom = d.Axle(d.Roll(d.Centre(g.odom), r.Travel))
	dt := time.Duration(0)
	if !g.now.IsZero() {
		dt = r.Time.Sub(g.now)
	}
	g.now = r.Time
	g.observeScans(clouds)
	for i := range g.sonars {
		e := &g.sonars[i]
		e.takeRange(r.Ranges[i], dt)
		if e.echo < limits.EchoRange && e.echo == e.heard {
			if g.isExplained(e, e.echo) {
				g.echoes.dropFarther(i, g.odom, e)
			} else {
				g.echoes.keepEcho(i, g.odom, e, g.now)
			}
		}
	}
	g.echoes.doubtMarks(g.odom, &g.body, g.sonars, g.now)
	g.echoPoints, g.doubtful = g.echoes.appendNear(g.echoPoints[:0], g.doubtful[:0], g.odom)
	g.unconfirmed = g.unconfirmed[:0]
	for i := range g.sonars {
		e := &g.sonars[i]
		if e.echo <= g.far && !g.isExplained(e, e.echo) {
			g.echoPoints = append(g.echoPoints, e.points[:]...)
		}
		if e.heard < e.echo-sureOfRange && e.heard <= g.far && !g.isExplained(e, e.heard) {
			points := e.pointsAt(e.heard)
			g.unconfirmed = append(g.unconfirmed, points[:]...)
		}
	}
	g.echoCount = len(g.echoPoints)
	for i := range g.lidars {
		g.echoPoints = append(g.echoPoints, g.lidars[i].seen...)
	}

	if r.Bump && !g.bump {
		g.barred, g.crept = g.last, 0
	}
	g.bump = r.Bump
	g.crept += (math.Abs(r.Travel.Left) + math.Abs(r.Travel.Right)) / 2
}

// takeRange takes a range. A sonar repeats its range until the next ping returns, so a
// range that repeats for longer than sameFor is a new ping. Two pings that agree give the
// range of the echo. If they disagree, one of them is crosstalk or noise, or the object has
// moved; the median of the last three pings counts until the next one decides.
func (e *sonarView) takeRange(r float64, dt time.Duration) {
	if math.IsNaN(r) || r < 0 {
		e.lost += max(dt, 0)
		r = math.Inf(1)
	} else {
		e.lost = 0
		r = math.Max(r, e.min)
	}
	if r >= e.max {
		r = math.Inf(1)
	}
	e.same += max(dt, 0)
	e.fresh = r != e.heard || e.same > sameFor
	if e.fresh {
		e.earlier, e.before, e.heard, e.same = e.before, e.heard, r, 0
	}
	e.echo = e.heard
	if math.Abs(e.before-e.heard) > sureOfRange {
		// A single ping may come from another sonar, or its echo may be lost.
		e.echo = medianOfThree(e.earlier, e.before, e.heard)
	}
	if math.IsInf(e.echo, 1) {
		return
	}
	e.points = e.pointsAt(e.echo)
}

// pointsAt returns the points of an echo at a distance, in the axle frame.
func (e *sonarView) pointsAt(distance float64) (points [len(ends)]robot.Point) {
	if distance <= e.min {
		distance = e.min / 2 // the object may be nearer than the sonar measures
	}
	for k, f := range ends {
		points[k] = e.pointAt(distance, f)
	}
	return points
}

func medianOfThree(a, b, c float64) float64 {
	return math.Max(math.Min(a, b), math.Min(math.Max(a, b), c))
}

// pointAt returns the point of an echo at a distance, at the fraction f of half the beam,
// in the axle frame.
func (e *sonarView) pointAt(distance, f float64) robot.Point {
	sin, cos := math.Sincos(f * e.half)
	return e.pose.Apply(robot.Point{X: distance * cos, Y: distance * sin})
}

// Nearest returns the nearest object around the hull that a sonar or lidar measures.
func (g *Guard) Nearest() robot.Nearest {
	n := robot.Nearest{Distance: math.Inf(1), Sonar: -1}
	for i := range g.sonars {
		e := &g.sonars[i]
		if math.IsInf(e.echo, 1) {
			continue
		}
		for _, p := range e.points {
			if d := g.body.Distance(p); d < n.Distance {
				n = robot.Nearest{Distance: d, Bearing: e.pose.Theta, Sonar: i}
			}
		}
	}
	for i := range g.lidars {
		for _, p := range g.lidars[i].seen {
			if d := g.body.Distance(p); d < n.Distance {
				n = robot.Nearest{Distance: d, Bearing: math.Atan2(p.Y, p.X-g.desc.Drivetrain.AxleOffset), Sonar: -1}
			}
		}
	}
	return n
}

// Footprint returns the outline of the robot in the axle frame.
func (g *Guard) Footprint() *Footprint { return &g.body }

// NearestSonar returns, for the sonar whose axis is closest to a point in the axle frame, the
// angle by which it would have to turn left to face the point, and half its beam, both in rad.
func (g *Guard) NearestSonar(at robot.Point) (off, half float64) {
	off = math.Pi
	for i := range g.sonars {
		v := &g.sonars[i]
		d := at.Sub(v.pose.Point())
		if by := robot.WrapAngle(math.Atan2(d.Y, d.X) - v.pose.Theta); math.Abs(by) < math.Abs(off) {
			off, half = by, v.half
		}
	}
	return off, half
}

// Idle returns the sight of a robot that is commanded to stand.
func (g *Guard) Idle() Sight {
	return Sight{Guard: robot.Guard{Ahead: math.Inf(1), Limit: g.desc.Safe.Linear}}
}

// Limit bounds next, the motion that the limiter allows toward want; measured is the
// current motion.
func (g *Guard) Limit(want, next, measured robot.Twist, a Approach) (robot.Twist, Sight) {
	if math.Abs(measured.Linear) >= bumpedAhead || math.Abs(measured.Angular) >= bumpedTurning {
		g.last = measured
	}
	s := g.Idle()
	out := next
	if !next.IsZero() {
		near := g.predictContacts(next)
		if near.touch == 0 && a.Autonomous && g.isNearlyStraight(next) {
			// A path is followed with small turns. They must not hold a robot that can drive along
			// what is within its margin.
			out.Angular = 0
			near = g.predictContacts(out)
		}
		s.Guard.Ahead, s.At = near.ahead, near.at
		approach := near.approachFactor(g.brake, a.Stop)
		if v := math.Abs(next.Linear); v > 0 {
			s.Guard.Limit = math.Min(g.desc.Safe.Linear, approach*v)
		}
		if approach < 1 {
			out.Linear *= approach
			if next.Angular != 0 {
				near = g.predictContacts(out)
			}
		}
		if touch := near.touch; touch < 1 {
			out = out.Scale(touch)
			if approach >= 1 {
				s.At = near.touchAt
				s.Guard.Ahead = math.Min(s.Guard.Ahead, near.touchGap)
			}
			s.Guard.Limit = math.Min(s.Guard.Limit, math.Abs(out.Linear))
		}
		if a.Autonomous {
			out = g.limitPassing(out, &s)
		}
		out = g.limitTowardBlindSensor(out, &s)
		out = g.limitBumped(out, a.Autonomous, &s)
	}
	// The robot does not follow a command at once, so its current motion must not end in a
	// collision either.
	if !measured.IsStill() && measured != next && g.predictContactsBraking(measured, 1).touch < 0.95 {
		out = robot.Twist{}
	}
	s.asked, s.given = want, out
	s.Guard.Active = out != next || want.Linear*next.Linear > 0 && s.Guard.Limit < math.Abs(want.Linear)-0.005
	return out, s
}

// isNearlyStraight reports whether a motion turns so little that the robot may as well drive
// straight on.
func (g *Guard) isNearlyStraight(t robot.Twist) bool {
	return math.Abs(t.Angular)*g.body.ReachFrom(robot.Point{}) <= limits.NearlyStraight*math.Abs(t.Linear)
}

// outlook is what a motion would meet.
type outlook struct {
	twist    robot.Twist
	far      float64     // m; contacts farther away do not count
	ahead    float64     // m, free distance; +Inf = no obstacle
	at       robot.Point // the obstacle
	speed    float64     // m/s, speed of the touching point
	touch    float64     // fraction of the motion that can be braked before any contact
	touchAt  robot.Point
	touchGap float64 // m, free distance to touchAt
}

// approachFactor returns the factor on the linear speed with which the robot can brake at
// a, in m/s2, to stop at the distance stop from the obstacle ahead; 0 = not at all.
func (o *outlook) approachFactor(a, stop float64) float64 {
	return brakingFactor(o.ahead-stop, o.speed, math.Abs(o.twist.Linear)/a)
}

// brakingFactor returns the factor f on a motion with which it can just be braked to
// standstill within distance metres. The touching point moves at speed, the full motion
// takes the time brake to stop, and braking begins after a latency.
//
//	f speed latency + f speed (f brake)/2 = distance
func brakingFactor(distance, speed, brake float64) float64 {
	switch {
	case distance <= 0:
		return 0
	case math.IsInf(distance, 1) || speed <= 0 || brake <= 0:
		return math.Inf(1)
	}
	return (math.Sqrt(limits.SensingLatency*limits.SensingLatency+2*brake*distance/speed) - limits.SensingLatency) / brake
}

func (g *Guard) predictContacts(t robot.Twist) outlook {
	return g.predictContactsBraking(t, limits.BrakingShare)
}

// predictContactsBraking returns what the motion t would meet; braking is the share of the
// hardware's deceleration that it uses.
func (g *Guard) predictContactsBraking(t robot.Twist, braking float64) outlook {
	o := outlook{twist: t, far: g.far, ahead: math.Inf(1), touch: 1, touchGap: math.Inf(1)}
	brake := g.brakingTime(t) * limits.BrakingShare / braking
	points := newSweep(&g.hull, t)
	for _, p := range g.echoPoints {
		o.addContact(points.touchPoint(p), p, brake)
	}
	walls := newSweep(&g.body, t)
	for i := range g.sonars {
		e := &g.sonars[i]
		if math.IsInf(e.echo, 1) {
			continue
		}
		c := walls.touchWall(e.facing, e.facing.Dot(e.points[1])-limits.WallMargin)
		if f := c.brakingFactor(brake); f < o.touch {
			o.touch, o.touchAt, o.touchGap = f, e.points[1], c.distanceTravelled()+limits.WallMargin
		}
	}
	return o
}

// brakingTime returns how long the motion t takes to brake, in s, at BrakingShare of the
// hardware's deceleration.
func (g *Guard) brakingTime(t robot.Twist) float64 {
	return math.Max(math.Abs(t.Linear)/g.desc.Hardware.LinearAcceleration,
		math.Abs(t.Angular)/g.desc.Hardware.AngularAcceleration) / limits.BrakingShare
}

// brakingFactor returns the fraction of the motion that can be braked before the contact.
func (c contact) brakingFactor(brake float64) float64 {
	return brakingFactor(c.distanceTravelled(), c.speed, brake)
}

// addContact adds the contact with the point p.
func (o *outlook) addContact(c contact, p robot.Point, brake float64) {
	distance := c.distanceTravelled()
	if distance >= o.far {
		return
	}
	// The free distance is that of the actual hull.
	if distance+limits.PointMargin < o.ahead {
		o.ahead, o.at, o.speed = distance+limits.PointMargin, p, c.speed
	}
	if f := c.brakingFactor(brake); f < o.touch {
		o.touch, o.touchAt, o.touchGap = f, p, distance+limits.PointMargin
	}
}

// limitPassing slows a motion that passes close to an obstacle, or leads toward a possible
// one. Sonars show neither the bearing within the beam nor every object; at the lower speed
// the next ping comes in time. A lidar shows both, so it passes nearer to scan points.
func (g *Guard) limitPassing(t robot.Twist, s *Sight) robot.Twist {
	o := outlook{twist: t, far: g.far, touch: 1}
	wide := newSweep(&g.wide, t)
	for _, p := range g.unconfirmed {
		o.addContact(wide.touchPoint(p), p, g.brakingTime(t))
	}
	if o.touch < 1 {
		t = t.Scale(o.touch)
		s.Guard.Limit = math.Min(s.Guard.Limit, math.Abs(t.Linear))
		s.Guard.Ahead, s.At = math.Min(s.Guard.Ahead, o.touchGap), o.touchAt
	}
	v := math.Abs(t.Linear)
	if v <= limits.PassingSpeed {
		return t
	}
	distance := math.Inf(1)
	wide, near := newSweep(&g.wide, t), newSweep(&g.close, t)
	for _, p := range g.echoPoints[g.echoCount:] {
		distance = min(distance, near.touchPoint(p).distanceTravelled())
	}
	for _, points := range [3][]robot.Point{g.echoPoints[:g.echoCount], g.doubtful, g.unconfirmed} {
		for _, p := range points {
			distance = min(distance, wide.touchPoint(p).distanceTravelled())
		}
	}
	maxSpeed := math.Sqrt(limits.PassingSpeed*limits.PassingSpeed + 2*g.brake*distance)
	if maxSpeed >= v {
		return t
	}
	s.Guard.Limit = math.Min(s.Guard.Limit, maxSpeed)
	return t.Scale(maxSpeed / v)
}

// limitTowardBlindSensor slows a motion in a direction in which a sonar or lidar has been
// out of order for a while.
func (g *Guard) limitTowardBlindSensor(t robot.Twist, s *Sight) robot.Twist {
	v := math.Abs(t.Linear)
	if v <= limits.BlindSonarSpeed {
		return t
	}
	blind, lidar := g.isBlindToward(t.Linear < 0)
	if !blind {
		return t
	}
	s.blind, s.blindLidar = true, lidar
	s.Guard.Limit = math.Min(s.Guard.Limit, limits.BlindSonarSpeed)
	return t.Scale(limits.BlindSonarSpeed / v)
}

// BlindSide returns the speed limit, in m/s, for driving forward or back because a sonar or
// lidar in that direction has been out of order for a while; ok is false if none has.
func (g *Guard) BlindSide(back bool) (speed float64, why string, ok bool) {
	var s Sight
	if s.blind, s.blindLidar = g.isBlindToward(back); !s.blind {
		return 0, "", false
	}
	return limits.BlindSonarSpeed, g.notice.sentenceFor(s), true
}

// IsBlindAhead reports whether no sonar or lidar that looks ahead measures anything there any
// more. It is false if none looks there.
func (g *Guard) IsBlindAhead() bool {
	looks := false
	for i := range g.sonars {
		e := &g.sonars[i]
		if math.Abs(robot.WrapAngle(e.pose.Theta)) >= limits.BlindSonarAngle {
			continue
		}
		if looks = true; e.lost < limits.BlindSonarAfter {
			return false
		}
	}
	for i := range g.lidars {
		m := &g.lidars[i]
		for a := -limits.BlindAheadAngle; a <= limits.BlindAheadAngle; a += m.bin {
			if m.isFreshToward(a, g.now) {
				return false
			}
			looks = looks || m.covers[m.directionOf(a)]
		}
	}
	return looks
}

// isBlindToward reports whether a sonar or lidar that looks forward, or back, has been out
// of order for a while, and whether it is a lidar.
func (g *Guard) isBlindToward(back bool) (blind, lidar bool) {
	direction := 0.0
	if back {
		direction = math.Pi
	}
	for i := range g.sonars {
		e := &g.sonars[i]
		if e.lost >= limits.BlindSonarAfter && math.Abs(robot.WrapAngle(e.pose.Theta-direction)) < limits.BlindSonarAngle {
			return true, false
		}
	}
	lidar = g.isLidarBlindToward(direction)
	return lidar, lidar
}

// A bump bars the last motion that was at least this fast, ahead or on the spot: a robot that
// moved more slowly since then came to the obstacle by that motion.
const (
	bumpedAhead   = 0.02 // m/s
	bumpedTurning = 0.1  // rad/s
)

// limitBumped lets the robot only creep while the bumper is pressed, and not on in the
// direction of the barred motion: the bumper does not show which side touches. By
// itself the robot creeps BumperRetreat at most: a bumper that is pressed even then is
// stuck, or what it touches comes along.
func (g *Guard) limitBumped(t robot.Twist, autonomous bool, s *Sight) robot.Twist {
	if !g.bump {
		return t
	}
	s.bump = true
	if autonomous && !g.mayRetreat() {
		s.Guard.Limit = 0
		return robot.Twist{}
	}
	out := robot.Twist{Linear: robot.Clamp(t.Linear, -limits.BumperSpeed, limits.BumperSpeed), Angular: robot.Clamp(t.Angular, -limits.BumperTurn, limits.BumperTurn)}
	switch b := g.barred; {
	case b.IsZero():
		// The bumper was pressed while the robot stood.
	case math.Abs(b.Linear) >= bumpedAhead:
		out.Angular = 0
		if out.Linear*b.Linear > 0 {
			out.Linear = 0
		}
	default:
		out.Linear = 0
		if out.Angular*b.Angular > 0 {
			out.Angular = 0
		}
	}
	s.Guard.Limit = math.Min(s.Guard.Limit, math.Abs(out.Linear))
	return out
}

// mayRetreat reports whether the robot may by itself creep away from what presses the bumper.
func (g *Guard) mayRetreat() bool { return g.crept < limits.BumperRetreat }

// Retreat returns the motion by which the robot may by itself creep away from what presses the
// bumper; zero = it is free, the robot stood when it was pressed, or has crept far enough.
func (g *Guard) Retreat() robot.Twist {
	switch b := g.barred; {
	case !g.bump || b.IsZero() || !g.mayRetreat():
		return robot.Twist{}
	case math.Abs(b.Linear) >= bumpedAhead:
		return robot.Twist{Linear: math.Copysign(limits.BumperSpeed, -b.Linear)}
	default:
		return robot.Twist{Angular: math.Copysign(limits.BumperTurn, -b.Angular)}
	}
}

// Explain returns a sentence for people about a motion that the guard changed.
func (g *Guard) Explain(s Sight) string { return g.notice.sentenceFor(s) }

// notice caches the guard's sentence until its content changes.
type notice struct {
	fact fact
	text string
}

// fact is the content of a sentence, rounded to its digits.
type fact struct {
	kind            int
	speed, distance int // cm/s or deg/s, cm
	side            string
}

// The kinds of sentences about an obstacle.
const (
	slower = iota
	standing
	onlyTurning
	turningSlower
	notTurning
)

// sentenceFor returns the sentence about a motion that the guard changed.
func (n *notice) sentenceFor(s Sight) string {
	switch {
	case s.bump:
		return "The bumper is pressed. The robot only creeps back the way it came."
	case s.blindLidar:
		return fmt.Sprintf("Speed reduced to %.2f m/s. The lidar measures nothing on that side.", limits.BlindSonarSpeed)
	case s.blind:
		return fmt.Sprintf("Speed reduced to %.2f m/s. A sonar on that side is out of order.", limits.BlindSonarSpeed)
	case math.IsInf(s.Guard.Ahead, 1):
		return "The robot is braking: it is still rolling toward an obstacle."
	}
	speed, turn := roundToInt(100*math.Abs(s.given.Linear)), roundToInt(robot.Degrees(math.Abs(s.given.Angular)))
	f := fact{slower, speed, roundToInt(100 * s.Guard.Ahead), sideName(s.At)}
	switch {
	case math.Abs(s.asked.Linear) < 0.005 && turn == 0:
		f.kind, f.speed = notTurning, 0
	case math.Abs(s.asked.Linear) < 0.005:
		f.kind, f.speed = turningSlower, turn
	case speed == 0 && turn == 0:
		f.kind = standing
	case speed == 0:
		f.kind = onlyTurning
	}
	if n.text != "" && f == n.fact {
		return n.text
	}
	text := [...]string{
		slower:        "Speed reduced to %.2f m/s.",
		standing:      "Stopped.",
		onlyTurning:   "The robot can only turn.",
		turningSlower: "Turning reduced to %.0f deg/s.",
		notTurning:    "Turning stopped.",
	}[f.kind]
	switch f.kind {
	case slower:
		text = fmt.Sprintf(text, float64(f.speed)/100)
	case turningSlower:
		text = fmt.Sprintf(text, float64(f.speed))
	}
	n.fact, n.text = f, fmt.Sprintf("%s Obstacle %.2f m %s.", text, float64(f.distance)/100, f.side)
	return n.text
}

func roundToInt(x float64) int { return int(math.Round(x)) }

// sideName returns the side on which a point in the axle frame lies.
func sideName(p robot.Point) string {
	switch a := math.Atan2(p.Y, p.X); {
	case math.Abs(a) <= math.Pi/4:
		return "ahead"
	case math.Abs(a) >= 3*math.Pi/4:
		return "behind"
	case a > 0:
		return "to the left"
	default:
		return "to the right"
	}
}
