package localization

import (
	"math"
	"math/rand/v2"
	"time"

	"mybot/robot"
)

// relocalizer looks for the robot on the whole floor with a cloud of its own.
// It reads the observations from where the tracker began to fail on, which it
// has in its memory, until it has caught up.
type relocalizer struct {
	cloud  cloud
	active bool
	fresh  bool // the cloud is to be spread at the next observation
	checks bool // it looks again after it has found the robot

	memory []remembered // a ring
	newest int          // number of the newest observation; it is in memory[newest%len]
	next   int          // number of the next one to learn from

	best    group
	gained  float64 // logarithm of how much better than the tracker it has foreseen what came, since it settled
	settled int     // observations since it settled
	trip    trip    // since then
	agreed  int     // of them that it was where the tracker is
	lately  float64 // quality
	steps   int     // observations since it was spread
	against bool    // the compass says something else than its best group
}

// remembered is an observation with what the tracker made of it.
type remembered struct {
	observation
	tracker judgement
	place   robot.Pose // where the tracker was then
	lost    bool       // it did not know
	weight  float64
}

// outcome is what the relocalizer says after an observation.
type outcome int

const (
	searching outcome = iota
	found             // the robot is where the relocalizer's best group is
	confirmed         // the robot is where the tracker says
)

const (
	remember      = 64                 // observations
	catchUp       = 3                  // observations at a time,
	wide          = 5000               // or one with more particles than this
	settleMin     = 0.9                // share of the weight in one group that is settled
	settleFar     = 0.45               // m, its standard deviation
	enough        = 40.0               // gained evidence that takes over; the best of all places on a floor explains a metre well by chance
	enoughAgainst = 80.0               // gained evidence that takes over against the compass
	enoughOpposed = 15.0               // against a tracker that the compass speaks against
	clearly       = 0.25               // by which the quality of one beam must be better
	farEnough     = 1.0                // m that it must have been so on
	nearEnough    = 0.4                // m, with twice the evidence
	latelyPace    = 0.15               // of what one observation changes of the quality
	times         = 15                 // observations that it must have been so for
	timesLost     = 25                 // and where there is no tracker to compare with
	timesPoor     = 75                 // and where it is poorly supported
	againstFrom   = 50 * math.Pi / 180 // rad; more than iron usually does
	better        = 5.0                // gained evidence with which the tracker takes the cloud that agrees with it
	nearPart      = 10                 // one in so many particles begins near the tracker,
	nearPlace     = 0.3                // m, standard deviation,
	nearTurn      = 8 * math.Pi / 180  // rad
	agree         = 0.5                // m between both that are the same place
	agreeTurn     = 20 * math.Pi / 180 // rad
	restless      = 400                // observations after which it begins anew
)

func newRelocalizer(rng *rand.Rand, sonars int) relocalizer {
	r := relocalizer{cloud: newCloud(rng), memory: make([]remembered, remember), newest: -1}
	for i := range r.memory {
		r.memory[i].echoes = make([]echo, 0, sonars)
	}
	return r
}

// startSearch begins to look everywhere.
func (r *relocalizer) startSearch() {
	r.active, r.fresh, r.checks = true, true, false
	r.next = r.newest + 1
}

func (r *relocalizer) stopSearch() { r.active = false }

// storeObservation notes an observation; the next step learns from it.
func (r *relocalizer) storeObservation(o *observation, tracker judgement, place robot.Pose, lost bool, weight float64) {
	r.newest++
	m := &r.memory[r.newest%remember]
	echoes := append(m.echoes[:0], o.echoes...)
	*m = remembered{observation: *o, tracker: tracker, place: place, lost: lost, weight: weight}
	m.echoes = echoes
}

// rewindTo goes back to the observations since a time.
func (r *relocalizer) rewindTo(since time.Time) {
	r.next = r.newest
	for r.next > 0 && r.next > r.newest-remember+1 && r.memory[(r.next-1)%remember].time.After(since) {
		r.next--
	}
}

// stepDue learns from the observations that are due.
func (r *relocalizer) stepDue(s *senses, d *drift, h *health, lost bool) outcome {
	for n := 0; n < catchUp && r.next <= r.newest; n++ {
		if n > 0 && len(r.cloud.ps) > wide { // one is enough work for an update
			break
		}
		m := &r.memory[r.next%remember]
		r.next++
		r.learn(m, s, d)
	}
	if r.next <= r.newest {
		return searching
	}
	return r.decideOutcome(h, lost, s.compass.isOpposed())
}

// learn takes one observation.
func (r *relocalizer) learn(m *remembered, s *senses, d *drift) {
	o := &m.observation
	if r.fresh {
		r.cloud.spreadOverFloor(s.table, o.heading-s.compass.offset)
		if !m.lost {
			r.cloud.moveSomeTo(m.place, nearPlace, nearTurn, most/nearPart)
		}
		r.fresh = false
		r.gained, r.settled, r.agreed, r.trip, r.steps = 0, 0, 0, trip{}, 0
		r.lately = worstUsual
	} else {
		r.cloud.move(o.move, o.way, o.turn, d)
	}
	s.compass.weighHinted(o)
	j := r.cloud.weigh(o, s, m.weight)
	r.cloud.thin()
	r.best = r.cloud.largestGroup()
	r.steps++
	r.lately += latelyPace * (j.quality - r.lately)

	major, _, _ := robot.Covariance{XX: r.best.xx, XY: r.best.xy, YY: r.best.yy}.Position()
	if r.best.share < settleMin || major > settleFar {
		r.settled, r.gained, r.agreed, r.trip = 0, 0, 0, trip{}
		return
	}
	r.settled++
	r.against = !math.IsNaN(o.heading) && math.Abs(robot.WrapAngle(o.heading-s.compass.offset-r.best.pose.Theta)) > againstFrom
	if r.trip.addMove(o.move) { // on old ground it would be the same evidence again
		r.gained = max(0, r.gained+j.evidence-m.tracker.evidence)
	}
	off := m.place.Inverse().Compose(r.best.pose)
	if off.Point().Norm() < agree && math.Abs(off.Theta) < agreeTurn {
		r.agreed++
	} else {
		r.agreed = 0
	}
}

// decideOutcome decides.
func (r *relocalizer) decideOutcome(h *health, lost, opposed bool) outcome {
	good := r.lately > h.usual-h.fallThreshold()
	need := enough
	margin := clearly
	switch {
	case r.against:
		need = enoughAgainst
	case opposed: // the compass speaks against the tracker and for this place
		need, margin = enoughOpposed, 0
	}
	far := farEnough
	if r.gained >= 2*need {
		far = nearEnough
	}
	switch {
	case !lost && !r.against && (good && r.agreed >= times || r.agreed >= timesPoor):
		return confirmed
	case lost && good && r.settled >= timesLost && (!r.against || r.settled >= timesPoor):
		return found
	case !lost && good && r.trip.far >= far && r.settled >= times && r.agreed == 0 && r.gained >= need && r.lately > h.lately+margin:
		return found
	case r.settled >= 4*times && !good, r.steps >= restless && !r.checks:
		r.fresh = true
	case r.steps >= restless:
		r.stopSearch()
	}
	return searching
}
