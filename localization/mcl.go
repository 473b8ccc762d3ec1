package localization

import (
	"math"
	"math/rand/v2"
	"time"

	"mybot/robot"
)

const (
	everyMetre      = 0.04                // m between observations
	everyRadian     = 3.0 * math.Pi / 180 // rad between observations
	blindMetre      = 0.5                 // m, the longest distance without a new range before it observes anyway
	everyStand      = time.Second         // between observations while the robot stands
	learnedStanding = 10                  // number of these from which it learns; the others only check the fit
	standWeight     = 0.1                 // weight of such an observation
	turnWeight      = 0.3                 // weight of an observation while turning on the spot, which sees the same walls again
	sonarRefresh    = 150 * time.Millisecond
	maxMove         = 10.0               // m, the longest plausible motion between two readings
	startSpread     = 0.10               // m, error of the initial pose
	startAngle      = 4 * math.Pi / 180  // rad
	givenSpread     = 0.30               // m, error of a pose from a person
	givenAngle      = 10 * math.Pi / 180 // rad
	startCount      = 1000               // particles at first
	wideFrom        = 0.25               // m, standard deviation at which an error of half a metre is quite likely
	lostNoiseFactor = 2.0                // factor on the noise of odometry while the pose explains nothing
)

// MCL estimates the pose by Monte Carlo localization: a cloud of particles moves
// with the wheels and is weighed by how well each particle explains the sonars, the
// lidar scans and the compass. When the cloud explains them less well than usual, a
// second cloud, the relocalizer's, searches the whole floor; it takes over only
// after it has predicted them clearly better.
//
// After NewMCL it allocates nothing, except for a search by scans. The same
// readings, scans and seed give the same estimates. One goroutine uses it.
type MCL struct {
	drive  robot.Drivetrain
	sonars []robot.Sonar
	kinds  []int // kind of beam of each sonar
	senses senses

	tracker cloud
	search  relocalizer
	lost    bool // the tracker does not know the pose
	turned  bool // the compass shows that the robot was turned while it stood

	best     group      // of the tracker at the last observation
	since    robot.Pose // motion of base_link since the last observation, by the wheels
	distance float64    // m since then
	turn     float64    // rad since then
	pings    []ping     // by sonar
	news     bool       // a ping is new since the last observation

	headingSum   float64 // sum of compass minus odometry heading since the last observation, relative to the first
	headingCount float64 // number of headings
	firstHeading float64 // rad, the first of them
	observed     time.Time
	now          time.Time
	rested       int // number of observations while standing
	drift        drift
	health       health
	wheels       bool
	agreeing     int // sonars that agree with the estimate
	observing    observation
	scans        scans
	updates      int
}

// A ping is the last range of a sonar and its time.
type ping struct {
	value float64
	at    robot.Pose // of base_link then, relative to the last observation
	time  time.Time
	news  bool // not yet used by an observation
}

// NewMCL returns an estimator for a robot that starts at start, in map. The table
// must be made for the sonars of desc. seed determines all random numbers.
func NewMCL(desc robot.Description, table *Table, start robot.Pose, seed uint64) *MCL {
	m := &MCL{
		drive:   desc.Drivetrain,
		sonars:  desc.Sonars,
		tracker: newCloud(rand.New(rand.NewPCG(seed, 1)), maxParticles),
		drift:   newDrift(),
		search:  newRelocalizer(rand.New(rand.NewPCG(seed, 2)), len(desc.Sonars), table.searchCount()),
		pings:   make([]ping, len(desc.Sonars)),
		senses:  senses{table: table, compass: newCompassModel(table.compass), sonarModel: sonarModel{axis: startAxis, quiet: startQuiet, long: startLong}, rows: make([]rows, len(desc.Sonars))},
	}
	for _, s := range desc.Sonars {
		m.kinds = append(m.kinds, table.beamOf(s))
	}
	m.observing.echoes = make([]echo, 0, len(desc.Sonars))
	m.scans = newScans(table.scans, len(desc.Lidars))
	if len(m.scans.sweeps) > 0 {
		m.observing.beams = make([]beamEnd, 0, maxBeams)
		m.search.useScans(m.scans.floor)
	}
	m.health.reset()
	m.setPose(start, startSpread, startAngle)
	return m
}

// Begin continues from another estimator's estimate, which may be wrong; the pose
// does not jump.
func (m *MCL) Begin(e robot.Estimate) {
	place, angle := startErrors(e)
	m.setPose(e.Pose, place, angle)
}

// Continue continues from a correct estimate: unlike Begin, it places no particles
// farther away in case the estimate is wrong.
func (m *MCL) Continue(e robot.Estimate) {
	m.Begin(e)
	place, angle := startErrors(e)
	m.tracker.gatherAround(m.best.pose, place, angle, startCount)
}

// startErrors returns the initial standard deviations of a cloud at an estimate, in
// m and rad.
func startErrors(e robot.Estimate) (place, angle float64) {
	spread, _, _ := e.Covariance.Position()
	return max(startSpread, spread), max(startAngle, math.Sqrt(e.Covariance.TT))
}

// Doubt marks the pose as possibly outdated: the relocalizer searches the whole
// floor too, until one of the two is confirmed.
func (m *MCL) Doubt() {
	m.search.startSearch()
	m.search.checks = true
}

// SetPose sets the pose from a person, in map, with an expected error of 30 cm and
// 10 degrees. It ignores a pose that is not finite.
func (m *MCL) SetPose(p robot.Pose) {
	if robot.Finite(p.X, p.Y, p.Theta) {
		m.setPose(p, givenSpread, givenAngle)
	}
}

// Forget marks the pose as unknown: the relocalizer searches the whole floor.
func (m *MCL) Forget() {
	m.lost = true
	m.search.startSearch()
}

func (m *MCL) setPose(p robot.Pose, spread, angle float64) {
	p.Theta = robot.WrapAngle(p.Theta)
	m.tracker.gatherAround(p, spread, angle, startCount)
	m.tracker.moveSomeTo(p, distantPlace*spread, distantTurn*angle, startCount/distantPart)
	m.best = group{pose: p, xx: spread * spread, yy: spread * spread, tt: angle * angle, share: 1}
	m.lost, m.turned = false, false
	m.senses.compass.followed = false
	m.search.stopSearch()
	m.health.reset()
	m.scans.fit.reset()
	m.beginObservation()
}

// beginObservation starts collecting the next observation.
func (m *MCL) beginObservation() {
	gone := m.since.Inverse()
	for i := range m.pings {
		m.pings[i].at = gone.Compose(m.pings[i].at)
	}
	m.scans.moveSweeps(gone)
	m.search.scan.at = gone.Compose(m.search.scan.at)
	m.since = robot.Pose{}
	m.distance, m.turn = 0, 0
	m.headingSum, m.headingCount = 0, 0
	m.observed = m.now
}

// Update takes the next reading. It ignores values that are not finite.
func (m *MCL) Update(r robot.Reading) {
	m.Move(m.drive.Roll(robot.Pose{}, r.Travel), r)
}

// Move is Update for a base whose motion is given as that of base_link since the
// last reading, in its frame at that reading, instead of as travel of the wheels.
func (m *MCL) Move(move robot.Pose, r robot.Reading) {
	if m.now.IsZero() {
		m.observed = r.Time
	}
	m.now = r.Time
	m.wheels = true
	if !(move.Point().Norm() < maxMove) || !robot.Finite(move.Theta) {
		move, m.wheels = robot.Pose{}, false
	}
	m.distance += move.Point().Norm()
	m.turn += math.Abs(move.Theta)
	m.since = m.since.Compose(m.drift.correctMove(move))
	m.notePings(r)
	if robot.Finite(r.Heading) {
		e := robot.WrapAngle(r.Heading - m.since.Theta)
		if m.headingCount == 0 {
			m.firstHeading = e
		}
		m.headingSum += robot.WrapAngle(e - m.firstHeading)
		m.headingCount++
	}
	switch {
	case m.hasNews() && (m.distance >= everyMetre || m.turn >= everyRadian), m.distance >= blindMetre:
		m.rested = 0
		m.makeObservation(min(1, m.distance/everyMetre+turnWeight*m.turn/everyRadian))
	case m.now.Sub(m.observed) < everyStand:
	case m.rested < learnedStanding:
		m.rested++
		m.makeObservation(standWeight)
	default:
		m.checkStanding()
	}
	if m.search.active {
		m.stepSearch()
	}
}

// notePings records new ranges of the sonars. A range that stays the same for
// longer than one cycle of the sonars counts as new; a reading without ranges adds
// nothing.
func (m *MCL) notePings(r robot.Reading) {
	for i, v := range r.Ranges[:min(len(r.Ranges), len(m.pings))] {
		if p := &m.pings[i]; v != p.value || r.Time.Sub(p.time) > sonarRefresh {
			*p = ping{value: v, at: m.since, time: r.Time, news: true}
			m.news = true
		}
	}
}

// makeObservation makes an observation of what has been collected and learns from
// it.
func (m *MCL) makeObservation(weight float64) {
	o := &m.observing
	*o = observation{time: m.now, move: m.since, distance: m.distance, turn: m.turn, heading: m.meanHeading(m.since), echoes: o.echoes[:0], beams: o.beams[:0]}
	m.gatherEchoes(o, m.since.Inverse())
	m.gatherBeams(o, m.since.Inverse())
	m.learnFrom(o, weight)
	m.beginObservation()
	m.updates++
}

// checkStanding checks whether the ranges fit the estimate of a standing robot,
// without learning: the same walls are no new evidence.
func (m *MCL) checkStanding() {
	o := &m.observing
	*o = observation{time: m.now, heading: m.meanHeading(robot.Pose{}), echoes: o.echoes[:0], beams: o.beams[:0]}
	m.headingSum, m.headingCount = 0, 0
	m.gatherEchoes(o, robot.Pose{})
	m.gatherBeams(o, robot.Pose{})
	m.senses.compass.weight = 0
	j := m.tracker.weighBy(o, &m.senses, 0)
	m.agreeing = m.senses.countAgreeing(o, m.best.pose)
	if len(m.sonars) > 0 {
		m.health.addStanding(j.quality, m.now)
	}
	m.noteFit(o, true)
	m.turned = m.senses.compass.turnedWhileStanding(o, m.best.pose.Theta)
	m.observed = m.now
}

// meanHeading returns the mean compass heading since the last observation, for a
// robot that has made the motion since then, in rad; NaN = no compass heading.
func (m *MCL) meanHeading(since robot.Pose) float64 {
	if m.headingCount == 0 {
		return math.NaN()
	}
	return robot.WrapAngle(since.Theta + m.firstHeading + m.headingSum/m.headingCount)
}

// gatherEchoes adds the new echoes to an observation. back is the pose that the
// pings are relative to, in the frame for the echoes.
func (m *MCL) gatherEchoes(o *observation, back robot.Pose) {
	for i, p := range m.pings {
		kind := m.kinds[i]
		if !p.news || kind < 0 || math.IsNaN(p.value) || p.value < 0 {
			continue
		}
		m.pings[i].news = false
		at := back.Compose(p.at).Compose(m.sonars[i].Pose)
		z := measuredLevel(p.value, m.sonars[i].Max)
		turn := at.Theta * (tableHeadings / (2 * math.Pi)) // from -36 on, as for particles
		o.echoes = append(o.echoes, echo{
			x: at.X, y: at.Y, turn: turn + tableHeadings + 0.5,
			z: z, likely: m.senses.table.likely[kind], table: m.senses.table.echoes[kind], common: &m.senses.table.common[kind],
		})
	}
	m.news = false
}

// learnFrom lets both clouds learn from an observation and decides which one to
// believe.
func (m *MCL) learnFrom(o *observation, weight float64) {
	m.senses.unknown = m.health.usual - 0.3
	m.senses.compass.weighTrusted(o)
	jumped := m.rested == 0 && m.senses.compass.detectJump(o)

	wider := 1.0
	if m.judgeHealth().explainsNothing() { // the robot may be elsewhere
		wider = lostNoiseFactor
	}
	m.tracker.moveAll(o.move, o.distance, o.turn, wider, &m.drift)
	foreseen := m.best.pose.Compose(o.move)
	m.scans.setCrowdApart(o, foreseen)
	j := m.tracker.weighBy(o, &m.senses, weight)
	gain := j.quality*float64(len(o.echoes)) - m.senses.floorLikelihood(o)
	m.tracker.resampleIfNeeded()
	if m.search.active {
		m.best = m.tracker.largestGroup() // what is spread may lie about several places
	} else {
		m.best = m.tracker.spreadGroup()
	}
	m.refineBest(o)
	m.agreeing = m.senses.countAgreeing(o, m.best.pose)
	m.noteFit(o, m.rested > 0)
	if m.rested > 0 {
		if len(m.sonars) > 0 {
			m.health.addStanding(j.quality, o.time)
		}
		m.turned = m.senses.compass.turnedWhileStanding(o, m.best.pose.Theta)
	} else {
		if len(o.echoes) == 0 {
			gain = m.health.gain
		}
		if len(m.sonars) > 0 {
			m.health.addMoving(j.quality, gain, o.move, o.time, m.lost)
		}
	}

	if sure := !m.lost && m.judgeHealth().isGood() && !m.senses.compass.isOpposed(); m.rested == 0 {
		if sure {
			m.drift.learnFrom(o, foreseen, m.best.pose)
			m.senses.sonarModel.learnFrom(&m.senses, o, m.best.pose)
		}
		m.senses.compass.learnFrom(o, m.best.pose.Theta, sure)
	}
	m.startSearchIfDoubted(o, j, weight, jumped)
}

// startSearchIfDoubted starts the relocalizer if the tracker's pose is doubtful.
func (m *MCL) startSearchIfDoubted(o *observation, tracker judgement, weight float64, jumped bool) {
	s := &m.search
	s.storeObservation(o, tracker, m.best.pose, m.lost, weight)
	switch {
	case s.active, m.rested > 0: // a standing robot could not find anything
	case m.turned, jumped:
		m.turned = false
		m.Doubt()
		m.search.alone = true
		m.search.skipScan()
	case m.judgeHealth().isSuspect(m.now):
		s.startSearch()
		s.rewindTo(m.judgeHealth().since)
	case m.senses.compass.contrary > contraryAfter:
		m.senses.compass.contrary = 0
		s.startSearch()
	}
}

// stepSearch runs the relocalizer and applies its result.
func (m *MCL) stepSearch() {
	s := &m.search
	if m.now.Sub(m.scans.newest) > scanSilence {
		s.scan.points = s.scan.points[:0]
	}
	switch s.stepDue(&m.senses, &m.drift, m.judgeHealth(), m.lost || m.judgeHealth().isHopeless()) {
	case searching:
	case confirmed:
		if s.gained > confirmedEvidence {
			m.tracker.takeGroup(&s.cloud, s.best)
			m.best = m.tracker.largestGroup()
		}
		m.judgeHealth().acceptQuality()
		s.stopSearch()
	case found:
		m.tracker.takeGroup(&s.cloud, s.best)
		m.best = m.tracker.largestGroup()
		m.lost = false
		m.health.reset()
		m.scans.fit.reset()
		m.senses.compass.contrary, m.senses.compass.opposed, m.senses.compass.followed = 0, 0, false
		s.startSearch() // search again, in case there is another place like this one
		s.checks, s.alone = true, true
	}
	if s.active && !s.checks && !m.lost && m.judgeHealth().goodForAWhile(m.now) && !m.senses.compass.isOpposed() && !s.settledElsewhere() {
		s.stopSearch()
	}
}

// Quality returns how well the sonars were predicted recently: the mean log
// likelihood of one beam. Larger is better.
func (m *MCL) Quality() float64 { return m.health.lately }

// CountWork returns the number of observations learned from since NewMCL, and the
// current number of particles.
func (m *MCL) CountWork() (updates, particles int) {
	particles = len(m.tracker.ps)
	if m.search.active {
		particles += len(m.search.cloud.ps)
	}
	return m.updates, particles
}

// Estimate returns the estimated pose.
func (m *MCL) Estimate() robot.Estimate {
	g := &m.best
	e := robot.Estimate{
		Pose:       g.pose.Compose(m.since),
		Covariance: robot.Covariance{XX: g.xx + floorPlace, XY: g.xy, YY: g.yy + floorPlace, TT: g.tt + floorTurn},
		Wheels:     m.wheels,
		Compass:    !math.IsNaN(m.observing.heading) && m.updates > 0 && m.senses.compass.trust > 0.5 && !m.turned,
		Sonars:     m.agreeing,
		Lidars:     m.scans.countJudging(m.now),
	}
	switch {
	case m.lost, m.judgeHealth().isHopeless():
		e.Trust = robot.TrustLost
	case m.search.active, m.turned, m.senses.compass.isOpposed(), g.share < 0.7, m.judgeHealth().isSuspect(m.now):
		e.Trust = robot.TrustUnsure
	default:
		e.Trust = trustOf(e.Covariance)
		if major, _, _ := e.Covariance.Position(); major > wideFrom {
			e.Trust = max(e.Trust, robot.TrustUnsure)
		}
	}
	return e
}

// floorPlace and floorTurn are lower bounds of the variances, from the table's
// cells and the map.
const (
	floorPlace = 0.02 * 0.02                                   // m2
	floorTurn  = (0.5 * math.Pi / 180) * (0.5 * math.Pi / 180) // rad2
)
