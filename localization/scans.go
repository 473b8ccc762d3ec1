package localization

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/scan"
	"mybot/robot/scan/match"
)

const (
	maxBeams    = 60                      // per observation, of all lidars together
	maxRange    = 300.0                   // m, of a beam
	maxEchoes   = 200                     // points of a scan for refining a pose
	minJudged   = 20                      // beams that a scan must have to judge a pose
	scanSilence = 1500 * time.Millisecond // time without a judging scan, after which the sonars judge
	scanDue     = 300 * time.Millisecond  // time within which an observation waits for the next scan
)

// scans is the recent input of the lidars.
type scans struct {
	floor  *scanFloor // nil = no lidars
	sweeps []sweep    // by lidar
	each   int        // beams of each lidar per observation
	newest time.Time  // arrival of the last scan
	news   bool       // a scan has come since the last observation
	judged time.Time  // when a scan last judged the pose
	fit    health     // how well the scans fit; its quality is a share of beams
	crowd  float64    // share of the beams in the last observation that ended in front of everything on the map
}

// A sweep is the newest scan of one lidar.
type sweep struct {
	beams  []beamEnd     // evenly over the scan, in base_link at that time
	echoes []robot.Point // more points of it
	at     robot.Pose    // of base_link at that time, relative to the last observation
	news   bool          // not yet used by an observation
	used   bool          // used by the last observation
	seen   robot.Pose    // of base_link at the scan in base_link at that observation
}

func newScans(floor *scanFloor, lidars int) scans {
	s := scans{floor: floor, fit: health{scale: &scanScale}}
	s.fit.reset()
	if floor == nil || lidars == 0 {
		return s
	}
	s.each = max(1, maxBeams/lidars)
	for range lidars {
		s.sweeps = append(s.sweeps, sweep{beams: make([]beamEnd, 0, s.each), echoes: make([]robot.Point, 0, maxEchoes)})
	}
	return s
}

// takeScan stores a scan that was taken with base_link at at.
func (s *sweep) takeScan(c *scan.Cloud, each int, at robot.Pose) {
	*s = sweep{beams: s.beams[:0], echoes: s.echoes[:0], at: at, news: true}
	n := len(c.Beams)
	for k := range min(each, n) {
		if b := &c.Beams[k*n/min(each, n)]; isUsable(c, b) {
			s.beams = append(s.beams, beamEnd{from: c.Origin, at: b.End})
		}
	}
	for k := range min(maxEchoes, n) {
		if b := &c.Beams[k*n/min(maxEchoes, n)]; isUsable(c, b) {
			s.echoes = append(s.echoes, b.End)
		}
	}
}

// isUsable reports whether a beam hit something at a plausible place.
func isUsable(c *scan.Cloud, b *scan.Beam) bool {
	return b.Echo && b.End.Sub(c.Origin).Norm() < maxRange && b.End.Norm() < maxRange
}

// ObserveScans takes the scans of the reading that Update took last, as points in
// base_link at the time of that reading.
func (m *MCL) ObserveScans(clouds []scan.Cloud) {
	s := &m.scans
	for i := range clouds {
		if c := &clouds[i]; c.Lidar >= 0 && c.Lidar < len(s.sweeps) {
			s.sweeps[c.Lidar].takeScan(c, s.each, m.since)
			s.news, s.newest = true, m.now
			if c.Lidar == 0 {
				m.search.noteScan(&s.sweeps[0])
			}
		}
	}
}

// countJudging returns the number of lidars that judge the estimate.
func (s *scans) countJudging(now time.Time) int {
	if s.judged.IsZero() || now.Sub(s.judged) >= scanSilence {
		return 0
	}
	n := 0
	for i := range s.sweeps {
		if len(s.sweeps[i].beams) > 0 {
			n++
		}
	}
	return n
}

// CrowdShare returns the share of the last scan's beams that ended more than half a
// metre in front of everything on the map: at people and unmapped objects.
func (m *MCL) CrowdShare() float64 { return m.scans.crowd }

// hasNews reports whether there is something new to observe: a scan, or, if none is
// due, a range.
func (m *MCL) hasNews() bool {
	if m.scans.floor != nil && !m.scans.newest.IsZero() && m.now.Sub(m.scans.newest) < scanDue {
		return m.scans.news
	}
	return m.news || m.scans.news
}

// moveSweeps makes the sweeps relative to a later pose.
func (s *scans) moveSweeps(gone robot.Pose) {
	for i := range s.sweeps {
		s.sweeps[i].at = gone.Compose(s.sweeps[i].at)
	}
}

// gatherBeams adds the new beams to an observation, as gatherEchoes does.
func (m *MCL) gatherBeams(o *observation, back robot.Pose) {
	for i := range m.scans.sweeps {
		w := &m.scans.sweeps[i]
		w.used = w.news
		if !w.news {
			continue
		}
		w.news = false
		at := back.Compose(w.at)
		w.seen = at
		for _, b := range w.beams {
			o.beams = append(o.beams, beamEnd{from: at.Apply(b.from), at: at.Apply(b.at)})
		}
	}
	m.scans.news = false
	o.clear = len(o.beams)
}

// setCrowdApart moves the beams that must have hit unmapped objects, for a robot at
// a pose, behind the others, so that they weigh no particle. If most beams end so
// early, the pose is wrong, and all of them count.
func (s *scans) setCrowdApart(o *observation, at robot.Pose) {
	if len(o.beams) == 0 {
		return
	}
	clear := len(o.beams)
	for i := 0; i < clear; {
		if s.floor.isShort(o.beams[i], at) {
			clear--
			o.beams[i], o.beams[clear] = o.beams[clear], o.beams[i]
		} else {
			i++
		}
	}
	s.crowd = 1 - float64(clear)/float64(len(o.beams))
	if o.clear = clear; s.crowd > crowdMost {
		o.clear = len(o.beams)
	}
}

// judgeHealth returns the health that judges the estimate: that of the scans if
// they can judge, otherwise that of the sonars.
func (m *MCL) judgeHealth() *health {
	if m.scans.floor != nil && (len(m.sonars) == 0 || !m.scans.judged.IsZero() && m.now.Sub(m.scans.judged) <= scanSilence) {
		return &m.scans.fit
	}
	return &m.health
}

// noteFit records how well an observation's beams fit the estimate.
func (m *MCL) noteFit(o *observation, standing bool) {
	s := &m.scans
	if s.floor == nil {
		return
	}
	fit, known := s.floor.measureFit(o.beams, m.best.pose)
	switch {
	case known < minJudged:
		return
	case standing:
		s.fit.addStanding(fit, m.now)
	default:
		s.fit.addMoving(fit, fit-s.floor.chance, o.move, m.now, m.lost)
	}
	s.judged = m.now
}

const (
	// matchNoise is the standard deviation of 1 minus the field at a point.
	matchNoise    = 0.30
	minRefined    = 40                // points that a scan must have for refining a pose
	maxRefined    = 0.15              // m, from the weighted mean; beyond that it would be another place
	maxRefinedRad = 4 * math.Pi / 180 // rad
)

// refineBest moves the estimate to the nearby pose where the whole newest scan fits
// best, with the cloud's covariance as prior, unless the scan could slide.
func (m *MCL) refineBest(o *observation) {
	if o.clear < minJudged {
		return
	}
	g := &m.best
	for i := range m.scans.sweeps {
		w := &m.scans.sweeps[i]
		n := len(w.echoes)
		if !w.used || n < minRefined {
			continue
		}
		guess := g.pose.Compose(w.seen)
		// The points have the weight temper n / matchNoise2 times the normal
		// matrix.
		unit := matchNoise * matchNoise / (temper * float64(n))
		xx, yy, tt := g.xx+floorPlace, g.yy+floorPlace, g.tt+floorTurn
		det := xx*yy - g.xy*g.xy
		hold := match.Normal{{unit * yy / det, -unit * g.xy / det, 0}, {-unit * g.xy / det, unit * xx / det, 0}, {0, 0, unit / tt}}
		found, h := m.scans.floor.field.Refine(guess, w.echoes, hold)
		off := guess.Inverse().Compose(found)
		if h.Slides() || !(off.Point().Norm() < maxRefined) || !(math.Abs(off.Theta) < maxRefinedRad) {
			continue
		}
		g.pose = found.Compose(w.seen.Inverse())
		return
	}
}
