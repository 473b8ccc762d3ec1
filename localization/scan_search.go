package localization

import (
	"math"

	"mybot/robot"
	"mybot/robot/scan/match"
)

const (
	searchPoints     = 64                  // of a scan in a search
	searchSpacing    = 0.2                 // m between them, if there are enough
	minSearched      = 24                  // points that a scan must have for a search
	lookupsPerUpdate = 400000              // of the field, in one update
	searchLeast      = 0.45                // lowest score of a place
	searchWithin     = 0.90                // share of the best score, above which places are examined further
	maxWaited        = 25                  // updates to wait for a scan with more points
	maxPlaces        = 200                 // where the cloud starts
	placeSpread      = 0.06                // m, standard deviation of the particles around a place,
	placeAngle       = 1.5 * math.Pi / 180 // rad
	minPlaceCount    = 60                  // particles around a place

	scanQualityPace  = 0.3 // weight of a new scan in the relocalizer's quality
	minSettledScan   = 5   // scans after settling for which the conditions must hold
	minSettledUnique = 3   // the same if no other place on the floor looks alike
	maxUnfit         = 8   // scans that fit none of the places, after which the search starts again
	minPoorScan      = 25  // the same if a place is poorly supported
)

// A scanSearch finds the places on the whole floor that one scan fits, by branch
// and bound, with a slice in each update. The relocalizer's cloud starts there.
type scanSearch struct {
	floor  *scanFloor // nil = no lidars
	points []robot.Point
	at     robot.Pose // of base_link at the newest scan, relative to the newest observation
	skips  int        // scans to skip, because the robot was carried meanwhile
	waited int        // updates without a usable scan

	running *match.Search // nil = none
	from    robot.Pose    // like at, for the scan of the search,
	after   int           // and number of that observation
	unique  bool          // one place fits clearly better than all others
}

func (r *relocalizer) useScans(floor *scanFloor) {
	r.scan = scanSearch{floor: floor, points: make([]robot.Point, 0, maxEchoes)}
	for i := range r.memory {
		r.memory[i].beams = make([]beamEnd, 0, maxBeams)
	}
}

// noteScan stores the newest scan for a search.
func (r *relocalizer) noteScan(w *sweep) {
	s := &r.scan
	s.points = s.points[:0]
	if s.skips > 0 {
		s.skips--
		return
	}
	s.points = append(s.points, w.echoes...)
	s.at = w.at
}

// skipScan makes a search wait for a scan that begins after now: the newest may
// show the place from which the robot was carried, and the next one both places.
func (r *relocalizer) skipScan() { r.scan.points, r.scan.skips = r.scan.points[:0], 1 }

// stepScan searches for the robot by the newest scan. It reports whether it does:
// if no scan has enough information, the cloud is distributed over the whole floor
// instead.
func (r *relocalizer) stepScan() (searches bool) {
	s := &r.scan
	if s.running == nil {
		points := thinPoints(s.points)
		if len(points) < minSearched {
			s.waited++
			return s.waited <= maxWaited
		}
		s.running = match.NewSearch(s.floor.field, points, s.floor.holdsFree, searchLeast, searchWithin)
		s.from, s.after, s.waited = s.at, r.newest, 0
	}
	if !s.running.Step(lookupsPerUpdate) {
		return true
	}
	places := s.running.Matches()
	s.running = nil
	if len(places) == 0 || r.newest-s.after >= memorySize {
		return false
	}
	r.beginAt(places[:min(maxPlaces, len(places))], s.from.Inverse(), s.after+1)
	s.unique = len(places) == 1
	return true
}

// beginAt starts with particles at the places, moved by back, at an observation.
func (r *relocalizer) beginAt(places []match.Match, back robot.Pose, next int) {
	c := &r.cloud
	each := max(minPlaceCount, minSearchParticles/len(places))
	count := min(len(c.logs), each*len(places))
	c.ps = c.ps[:count]
	for i := range c.ps {
		p := places[i*len(places)/count].Pose.Compose(back)
		c.ps[i] = particle{
			x:    p.X + placeSpread*c.rng.NormFloat64(),
			y:    p.Y + placeSpread*c.rng.NormFloat64(),
			t:    robot.WrapAngle(p.Theta + placeAngle*c.rng.NormFloat64()),
			bias: biasSigma * c.rng.NormFloat64(),
			w:    1 / float64(count),
		}
	}
	if m := &r.memory[max(0, next-1)%memorySize]; next > 0 && !m.lost && !r.alone {
		c.moveSomeTo(m.place, nearPlace, nearTurn, count/nearPart)
	}
	r.fresh, r.next, r.stage = false, next, waiting
	r.resetEvidence()
	r.steps = 1 // the particles are where the robot was before this observation
}

// thinPoints returns at most searchPoints of the points, with a minimum distance,
// so that near walls do not count more than far ones.
func thinPoints(points []robot.Point) (thin []robot.Point) {
	taken := map[[2]int]bool{}
	for _, p := range points {
		k := [2]int{int(math.Floor(p.X / searchSpacing)), int(math.Floor(p.Y / searchSpacing))}
		if !taken[k] {
			taken[k] = true
			thin = append(thin, p)
		}
	}
	if n := len(thin); n > searchPoints {
		for k := range searchPoints {
			thin[k] = thin[k*n/searchPoints]
		}
		thin = thin[:searchPoints]
	}
	return thin
}

// noteScanFit records how well the scan of an observation fits the best group, and
// reports whether it has information.
func (r *relocalizer) noteScanFit(m *remembered) bool {
	if r.scan.floor == nil {
		return false
	}
	fit, known := r.scan.floor.measureFit(m.beams, r.best.pose)
	if known < minJudged {
		return false
	}
	r.scans++
	pace := max(scanQualityPace, 1/float64(r.scans))
	r.fit += pace * (fit - r.fit)
	return true
}

// decideByScans is decideOutcome based on scans.
func (r *relocalizer) decideByScans(h *health, lost, opposed bool) outcome {
	s := h.currentScale()
	explains := r.fit-r.scan.floor.chance >= minMuchGain*h.worth
	good := explains && r.fit > h.usual-h.fallThreshold()
	need, margin := r.evidenceNeeded(h, opposed)
	far, settled, settledLost := minTravel, minSettledScan, minSettledLost
	switch {
	case h.explainsMuch() && !r.alone && !opposed: // what stands around the robot may make it look like elsewhere
		far = minTravelDoubtful
	case r.scan.unique && r.gained >= need: // no other place fits
		far, settled = 0, minSettledUnique
	case r.gained >= 2*need:
		far = minTravelClear
	}
	if r.scan.unique {
		settledLost = minSettledUnique
	}
	if margin > 0 {
		margin = s.margin
	}
	switch {
	case !lost && !r.against && (good && r.agreed >= minSettledScan || explains && r.agreed >= minPoorScan):
		return confirmed
	case lost && good && r.settledScans >= settledLost && (!r.against || r.settledScans >= minPoorScan):
		return found
	case !lost && good && r.trip.far >= far && r.settledScans >= settled && r.agreed == 0 && r.gained >= need && r.fit > h.lately+margin:
		return found
	case !good && (!explains || r.alone || r.agreed == 0) && r.scans >= maxUnfit: // the robot is at none of the places: the scan was unsuitable
		r.fresh = true
		return searching
	}
	return r.giveUp(good)
}
