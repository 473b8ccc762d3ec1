package localization

import (
	"math"
	"time"

	"mybot/robot"
)

// health is how well the tracker explains the sonars or the scans, compared with
// its usual performance. Qualities are mean log likelihoods of a sonar beam, or
// shares of a scan's beams that fit.
type health struct {
	scale  *healthScale // nil = the sonars'
	lately float64      // over the last half metre
	usual  float64      // over the last tens of metres
	gain   float64      // how much better than a random pose on the floor the tracker predicts an observation, over the last half metre: log likelihood ratio, or difference of the shares
	worth  float64      // usual gain, over the last tens of metres
	varies float64      // mean of how far lately is below usual, over the last tens of metres
	since  time.Time    // when the quality fell; zero = it is good
	trip   trip         // since then
	rose   time.Time    // when it rose again; zero = it is low
	heard  int          // observations of the moving robot since reset
}

const (
	usualQuality  = -1.1 // before anything is known
	bestUsual     = -0.6
	worstUsual    = -1.7
	minFall       = 0.25  // fall below usual that counts as low if the quality hardly varies
	maxFall       = 0.40  // and if it varies much
	fallVaries    = 10.0  // number of mean variations below usual that count as low
	usualPace     = 0.003 // weight of a new observation in usual
	firstHeard    = 100   // and at first one in this many
	suspectAfter  = time.Second
	hopelessAfter = 3.0 // m
	goodAfter     = 1500 * time.Millisecond
	glancePace    = 0.3 // weight of a new look of a standing robot
	gainPace      = 1.0 / 15
	startWorth    = 2.0
	minGain       = 0.15 // share of worth below which the pose explains nothing
	minMuchGain   = 0.30 // and from which it explains much
)

// A healthScale is the meaning of one kind of quality.
type healthScale struct {
	start          float64 // before anything is known
	best, worst    float64 // usual quality
	accepted       float64 // lowest usual quality after a pose has been confirmed
	small, large   float64 // significant falls: minFall and maxFall
	worth          float64 // gain before anything is known
	pace, gainPace float64 // weights of a new observation
	suspect        time.Duration
	margin         float64 // by which the relocalizer's quality must be better
}

var (
	sonarScale = healthScale{
		start: usualQuality, best: bestUsual, worst: worstUsual, accepted: worstUsual - 0.4, small: minFall, large: maxFall,
		worth: startWorth, pace: 0.1, gainPace: gainPace, suspect: suspectAfter, margin: qualityMargin,
	}
	// A lidar sees all around ten times a second, so fewer observations are enough.
	scanScale = healthScale{
		start: 0.85, best: 0.98, worst: 0.50, accepted: 0.25, small: 0.15, large: 0.25,
		worth: 0.4, pace: 0.3, gainPace: 0.3, suspect: 300 * time.Millisecond, margin: 0.10,
	}
)

func (h *health) currentScale() *healthScale {
	if h.scale == nil {
		return &sonarScale
	}
	return h.scale
}

func (h *health) reset() {
	if s := h.currentScale(); h.usual == 0 {
		h.usual, h.varies, h.worth = s.start, s.large/fallVaries, s.worth
	}
	*h = health{scale: h.scale, lately: h.usual, usual: h.usual, varies: h.varies, gain: h.worth, worth: h.worth}
}

// fallThreshold returns how far below usual the quality must fall to count as low.
// If it hardly varies, as between bare walls without people, a smaller fall is
// significant.
func (h *health) fallThreshold() float64 {
	s := h.currentScale()
	return max(s.small, min(s.large, fallVaries*h.varies))
}

// addMoving adds the quality of an observation after the robot has moved.
func (h *health) addMoving(quality, gain float64, move robot.Pose, now time.Time, lost bool) {
	s := h.currentScale()
	h.heard++
	h.trip.addMove(move)
	h.lately += max(s.pace, 1/float64(h.heard+1)) * (quality - h.lately)
	h.gain += max(s.gainPace, 1/float64(h.heard+1)) * (gain - h.gain)
	if !h.updateLow(now) && !lost {
		pace := max(usualPace, 1/(float64(h.heard)+firstHeard))
		h.usual = max(s.worst, min(s.best, h.usual+pace*(quality-h.usual)))
		h.worth += pace * (max(0, h.gain) - h.worth)
		h.varies += usualPace * (max(0, h.usual-h.lately) - h.varies)
	}
}

// addStanding adds the quality of an observation of a standing robot. It repeats
// the last one and therefore does not change what is usual.
func (h *health) addStanding(quality float64, now time.Time) {
	h.lately += glancePace * (quality - h.lately)
	h.updateLow(now)
}

// explainsNothing reports whether the pose explains hardly more than any other
// pose.
func (h *health) explainsNothing() bool { return h.gain < minGain*h.worth }

// explainsMuch reports whether the pose explains so much that the robot may well be there,
// beside things that are not on the map.
func (h *health) explainsMuch() bool { return h.gain >= minMuchGain*h.worth }

// updateLow reports whether the quality is low, and records since when.
func (h *health) updateLow(now time.Time) bool {
	low := h.lately < h.usual-h.fallThreshold() || h.explainsNothing()
	switch {
	case low && h.since.IsZero():
		h.since, h.trip, h.rose = now, trip{}, time.Time{}
	case h.lately > h.usual-h.fallThreshold()/2 && h.gain > 2*minGain*h.worth:
		h.since = time.Time{}
		if h.rose.IsZero() {
			h.rose = now
		}
	}
	return low
}

// isHopeless reports whether the quality has been low for so long a distance that
// the robot is lost. Time alone does not count: in front of a barrel that is not on
// the map the quality is low for as long as the robot stands there.
func (h *health) isHopeless() bool { return !h.isGood() && h.trip.far >= hopelessAfter }

// lowFor reports whether the quality has been low for a time.
func (h *health) lowFor(now time.Time, lasting time.Duration) bool {
	return !h.since.IsZero() && now.Sub(h.since) >= lasting
}

// isSuspect reports whether the quality has been low for long enough to doubt the
// pose.
func (h *health) isSuspect(now time.Time) bool { return h.lowFor(now, h.currentScale().suspect) }

// isGood reports whether the quality is as usual.
func (h *health) isGood() bool { return h.since.IsZero() }

// goodForAWhile reports whether it has been good for a while.
func (h *health) goodForAWhile(now time.Time) bool {
	return h.isGood() && !h.rose.IsZero() && now.Sub(h.rose) >= goodAfter
}

// acceptQuality makes the current quality the usual one: the pose has been
// confirmed, so the building must differ from its map.
func (h *health) acceptQuality() {
	h.usual = max(h.currentScale().accepted, math.Min(h.usual, h.lately+h.fallThreshold()/2))
	h.since = time.Time{}
}
