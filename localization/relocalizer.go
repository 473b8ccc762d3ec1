package localization

import (
	"math"
	"math/rand/v2"
	"time"

	"mybot/robot"
)

// A relocalizer searches for the robot on the whole floor with a cloud of its own.
// It first works through the remembered observations since the tracker began to
// fail, until it has caught up.
type relocalizer struct {
	cloud  cloud
	active bool
	fresh  bool // the cloud is to be spread at the next observation
	checks bool // it searches again after it has found the robot
	alone  bool // the tracker's pose has no prior weight

	stage    stage
	at       int // particles that the current stage has processed
	wanted   int // particles after thinning; 0 = unchanged
	weigh    weighing
	foreseen judgement
	senses   senses // as at the beginning of the observation
	drift    drift

	memory []remembered // a ring buffer
	newest int          // number of the newest observation; it is in memory[newest%len]
	next   int          // number of the next observation to learn from

	best    group
	gained  float64 // log factor by which it has predicted better than the tracker since it settled
	settled int     // observations since it settled
	trip    trip    // since then
	agreed  int     // of these, observations at which it agreed with the tracker
	lately  float64 // quality
	gain    float64 // as in health
	steps   int     // observations since it was spread
	against bool    // the compass disagrees with its best group

	scan         scanSearch
	fit          float64 // quality by the scans
	scans        int     // observations with scans since it was spread
	settledScans int     // the same since it settled
}

// A remembered is an observation with the tracker's judgement of it.
type remembered struct {
	observation
	tracker judgement
	place   robot.Pose // the tracker's pose at that time
	lost    bool       // the tracker was lost
	weight  float64
}

// An outcome is the relocalizer's result after an observation.
type outcome int

const (
	searching outcome = iota
	found             // the robot is in the relocalizer's best group
	confirmed         // the robot is at the tracker's pose
)

const (
	memorySize             = 256                // observations
	minSearchParticles     = 1500               // particles, so that none of several similar places is lost by chance
	maxRecalled            = 64                 // remembered observations at the beginning of a search, at most
	maxObservations        = 3                  // observations per update
	maxParticlesPerUpdate  = 6000               // particles per update: one observation of a large cloud takes several updates
	minSettledShare        = 0.9                // share of the weight in one group that counts as settled
	maxSettledSigma        = 0.45               // m, its standard deviation
	evidenceNeeded         = 40.0               // evidence for taking over; the best of all poses on a floor explains one metre well by chance
	evidenceAgainstCompass = 80.0               // evidence for taking over against the compass
	evidenceWithCompass    = 15.0               // evidence against a tracker that the compass contradicts
	evidenceAlone          = 15.0               // evidence against a tracker without prior weight
	qualityMargin          = 0.25               // by which the quality of a beam must be better
	minTravel              = 1.0                // m of travel over which this must hold
	minTravelClear         = 0.4                // m, with twice the evidence
	minTravelDoubtful      = 2.0                // m, while the tracker's pose explains much of what the lidars see
	latelyPace             = 0.15               // weight of a new observation in the quality
	minSettled             = 15                 // observations for which this must hold
	minSettledLost         = 25                 // the same without a tracker for comparison
	minSettledPoor         = 75                 // the same if the tracker is poorly supported
	againstFrom            = 50 * math.Pi / 180 // rad; more than iron usually causes
	confirmedEvidence      = 5.0                // evidence at which the tracker adopts an agreeing cloud
	nearPart               = 10                 // one particle in this many, of maxParticles at most, starts near the tracker
	nearPlace              = 0.3                // m, standard deviation,
	nearTurn               = 8 * math.Pi / 180  // rad
	agreeDistance          = 0.5                // m between the two that count as the same place
	agreeTurn              = 20 * math.Pi / 180 // rad
	maxSteps               = 400                // observations after which it starts again
)

// A stage is a part of the work on one observation.
type stage int

const (
	waiting   stage = iota // for the next observation
	spreading              // the particles are distributed over the floor
	comparing              // and compared with the observation
	weighting              // and weighed
	counting               // the number needed is computed
	thinning               // and the cloud is resampled
	grouping
)

func newRelocalizer(rng *rand.Rand, sonars, count int) relocalizer {
	r := relocalizer{cloud: newCloud(rng, count), senses: senses{rows: make([]rows, sonars)}, memory: make([]remembered, memorySize), newest: -1}
	r.cloud.minCount = minSearchParticles
	for i := range r.memory {
		r.memory[i].echoes = make([]echo, 0, sonars)
	}
	return r
}

// startSearch starts a search of the whole floor.
func (r *relocalizer) startSearch() {
	r.active, r.fresh, r.checks, r.alone = true, true, false, false
	r.gained, r.settled, r.agreed, r.trip = 0, 0, 0, trip{} // of another search
	r.next, r.stage = r.newest+1, waiting
	r.scan.running, r.scan.unique, r.settledScans = nil, false, 0
}

func (r *relocalizer) stopSearch() { r.active = false }

// settledElsewhere reports whether it has settled away from the tracker's pose and
// predicted observations better there.
func (r *relocalizer) settledElsewhere() bool {
	return r.settled >= minSettled && r.agreed == 0 && r.gained > confirmedEvidence
}

// storeObservation stores an observation for the next step.
func (r *relocalizer) storeObservation(o *observation, tracker judgement, place robot.Pose, lost bool, weight float64) {
	r.newest++
	m := &r.memory[r.newest%memorySize]
	echoes, beams := append(m.echoes[:0], o.echoes...), append(m.beams[:0], o.beams...)
	*m = remembered{observation: *o, tracker: tracker, place: place, lost: lost, weight: weight}
	m.echoes, m.beams = echoes, beams
}

// rewindTo goes back to the observations since a time.
func (r *relocalizer) rewindTo(since time.Time) {
	r.next = r.newest
	for r.next > 0 && r.next > r.newest-maxRecalled+1 && r.memory[(r.next-1)%memorySize].time.After(since) {
		r.next--
	}
}

// stepDue learns from the pending observations, within the limits of one update,
// and judges when it has learned from all of them.
func (r *relocalizer) stepDue(s *senses, d *drift, h *health, lost bool) outcome {
	if r.fresh && r.scan.floor != nil && r.stage == waiting && r.stepScan() {
		return searching
	}
	if r.next > r.newest {
		return searching
	}
	if r.newest-r.next >= memorySize { // it has fallen behind its memory
		r.next, r.fresh, r.stage = r.newest, true, waiting
	}
	for left, n := maxParticlesPerUpdate, 0; left > 0 && n < maxObservations && r.next <= r.newest; {
		left -= r.advanceStage(s, d, left)
		if r.stage == waiting {
			n++
		}
	}
	if r.next <= r.newest {
		return searching
	}
	if h.scale == &scanScale {
		return r.decideByScans(h, lost, s.compass.isOpposed())
	}
	return r.decideOutcome(h, lost, s.compass.isOpposed())
}

// advanceStage works on the current stage of the next observation with at most
// count particles, and returns how many it processed.
func (r *relocalizer) advanceStage(s *senses, d *drift, count int) int {
	m := &r.memory[r.next%memorySize]
	o, own := &m.observation, &r.senses
	first, all := r.at, len(r.cloud.ps)
	switch last := min(all, first+count); r.stage {
	case waiting:
		r.beginObservation(m, s, d)
		return 0
	case spreading:
		last = min(len(r.cloud.logs), first+count)
		r.cloud.spreadOverFloor(own.table, o.heading-own.compass.offset, first, last)
		if r.at = last; last == len(r.cloud.logs) {
			if !m.lost && !r.alone {
				r.cloud.moveSomeTo(m.place, nearPlace, nearTurn, maxParticles/nearPart)
			}
			r.fresh, r.at, r.stage = false, 0, comparing
			r.steps = 0
		}
		return last - first
	case comparing:
		if r.steps > 0 {
			r.cloud.moveSome(o.move, o.distance, o.turn, 1, &r.drift, first, last)
		}
		r.cloud.compareWith(o, own, &r.weigh, first, last)
		if r.at = last; last == all {
			r.stage = weighting
		}
		return last - first
	case weighting:
		r.noteQuality(m, r.cloud.applyWeights(o, own, m.weight, r.weigh))
		r.stage = counting
	case counting:
		r.wanted = r.cloud.resampleCount()
		r.stage = thinning
	case thinning:
		if r.wanted > 0 {
			r.cloud.resample(r.wanted)
		}
		r.stage = grouping
	case grouping:
		r.best = r.cloud.largestGroup()
		r.updateEvidence(m)
		r.next++
		r.stage = waiting
	}
	return all / 3 // such a stage takes a third of the time of comparing
}

// beginObservation starts the next observation.
func (r *relocalizer) beginObservation(m *remembered, s *senses, d *drift) {
	rows := r.senses.rows
	r.senses, r.drift = *s, *d
	r.senses.rows = rows
	r.senses.compass.weighHinted(&m.observation)
	r.weigh = r.senses.beginWeighing(&m.observation)
	r.at, r.stage = 0, comparing
	if r.fresh {
		r.stage = spreading
		r.scan.unique = false
		r.resetEvidence()
	}
}

// resetEvidence forgets the evidence for the previous cloud.
func (r *relocalizer) resetEvidence() {
	r.gained, r.settled, r.agreed, r.trip, r.steps = 0, 0, 0, trip{}, 0
	r.lately, r.gain = worstUsual, 0
	r.fit, r.scans, r.settledScans = 0, 0, 0
}

// noteQuality records how well an observation was predicted.
func (r *relocalizer) noteQuality(m *remembered, j judgement) {
	r.steps++
	r.foreseen = j
	r.lately += latelyPace * (j.quality - r.lately)
	r.gain += gainPace * (j.quality*float64(len(m.echoes)) - r.senses.floorLikelihood(&m.observation) - r.gain)
}

// updateEvidence compares cloud and tracker after an observation.
func (r *relocalizer) updateEvidence(m *remembered) {
	o, s, j := &m.observation, &r.senses, r.foreseen
	scanned := r.noteScanFit(m)
	major, _, _ := robot.Covariance{XX: r.best.xx, XY: r.best.xy, YY: r.best.yy}.Position()
	if r.best.share < minSettledShare || major > maxSettledSigma {
		r.settled, r.gained, r.agreed, r.trip = 0, 0, 0, trip{}
		r.settledScans = 0
		return
	}
	r.settled++
	if scanned {
		r.settledScans++
	}
	r.against = !math.IsNaN(o.heading) && math.Abs(robot.WrapAngle(o.heading-s.compass.offset-r.best.pose.Theta)) > againstFrom
	if r.trip.addMove(o.move) || r.scan.unique { // evidence from the same ground is not new, unless no other place looks like this one
		r.gained = max(0, r.gained+j.evidence-m.tracker.evidence)
	}
	off := m.place.Inverse().Compose(r.best.pose)
	if off.Point().Norm() < agreeDistance && math.Abs(off.Theta) < agreeTurn {
		r.agreed++
	} else {
		r.agreed = 0
	}
}

// decideOutcome decides whether the search has found the robot.
func (r *relocalizer) decideOutcome(h *health, lost, opposed bool) outcome {
	good := r.lately > h.usual-h.fallThreshold() && r.gain >= 2*minGain*h.worth
	need, margin := r.evidenceNeeded(h, opposed)
	far := minTravel
	if r.gained >= 2*need {
		far = minTravelClear
	}
	switch {
	case !lost && !r.against && (good && r.agreed >= minSettled || r.agreed >= minSettledPoor):
		return confirmed
	case lost && good && r.settled >= minSettledLost && (!r.against || r.settled >= minSettledPoor):
		return found
	case !lost && good && r.trip.far >= far && r.settled >= minSettled && r.agreed == 0 && r.gained >= need && r.lately > h.lately+margin:
		return found
	}
	return r.giveUp(good)
}

// evidenceNeeded returns the evidence for taking over, and by how much the
// relocalizer's quality must be better.
func (r *relocalizer) evidenceNeeded(h *health, opposed bool) (need, margin float64) {
	switch {
	case r.against:
		return evidenceAgainstCompass, qualityMargin
	case opposed: // the compass supports this place against the tracker
		return evidenceWithCompass, 0
	case r.alone: // the tracker's pose was only one of several candidates
		return evidenceAlone, 0
	case h.explainsNothing(): // nothing supports the tracker
		return evidenceNeeded, 0
	}
	return evidenceNeeded, qualityMargin
}

// giveUp restarts or ends a search that has led nowhere.
func (r *relocalizer) giveUp(good bool) outcome {
	switch {
	case r.settled >= 4*minSettled && !good, r.steps >= maxSteps && (!r.checks || r.settledElsewhere()):
		r.fresh = true
	case r.steps >= maxSteps:
		r.stopSearch()
	}
	return searching
}
