package localization

import (
	"math"
	"time"

	"mybot/robot"
)

// health is how well the tracker explains the sonars, compared with how well
// it used to. Qualities are mean logarithms of the likelihood of one beam.
type health struct {
	lately float64   // over the last half metre
	usual  float64   // over the last tens of metres
	gain   float64   // how much better than a random pose on the floor the tracker predicts an observation: log ratio of the likelihoods, over the last half metre
	worth  float64   // over the last tens of metres
	varies float64   // mean amount by which lately is below usual, over the last tens of metres
	since  time.Time // when it fell; zero = it has not
	trip   trip      // since then
	rose   time.Time // when it rose again; zero = it is low
	heard  int
}

const (
	usualQuality  = -1.1 // before anything is known
	bestUsual     = -0.6
	worstUsual    = -1.7
	minFall       = 0.25 // below usual that is low where the quality hardly varies,
	maxFall       = 0.40 // and where it varies much
	fallVaries    = 10.0 // mean variations below usual that are low
	startVaries   = maxFall / fallVaries
	usualPace     = 0.003 // of what one observation changes of usual,
	firstHeard    = 100   // and at first one in so many
	suspectAfter  = time.Second
	hopelessAfter = 3.0 // m
	goodAfter     = 1500 * time.Millisecond
	glancePace    = 0.3 // of what one look of a standing robot changes
	gainPace      = 1.0 / 15
	startWorth    = 2.0
	minGain       = 0.15 // of worth, below which the place explains nothing
)

func (h *health) reset() {
	if h.usual == 0 {
		h.usual, h.varies, h.worth = usualQuality, startVaries, startWorth
	}
	*h = health{lately: h.usual, usual: h.usual, varies: h.varies, gain: h.worth, worth: h.worth}
}

// fallThreshold returns how far below usual the quality is low. Where it hardly varies,
// as among bare walls without people, a smaller fall is significant.
func (h *health) fallThreshold() float64 { return max(minFall, min(maxFall, fallVaries*h.varies)) }

// addMoving adds the quality of an observation of a robot that has moved since the
// previous one.
func (h *health) addMoving(quality, gain float64, move robot.Pose, now time.Time, lost bool) {
	h.heard++
	h.trip.addMove(move)
	h.lately += max(0.1, 1/float64(h.heard+1)) * (quality - h.lately)
	h.gain += max(gainPace, 1/float64(h.heard+1)) * (gain - h.gain)
	if !h.updateLow(now) && !lost {
		pace := max(usualPace, 1/(float64(h.heard)+firstHeard))
		h.usual = max(worstUsual, min(bestUsual, h.usual+pace*(quality-h.usual)))
		h.worth += pace * (max(0, h.gain) - h.worth)
		h.varies += usualPace * (max(0, h.usual-h.lately) - h.varies)
	}
}

// addStanding adds the quality of an observation of a robot that stands, which
// repeats the last one: it does not change what is usual.
func (h *health) addStanding(quality float64, now time.Time) {
	h.lately += glancePace * (quality - h.lately)
	h.updateLow(now)
}

// explainsNothing reports whether the pose explains hardly more than any other.
func (h *health) explainsNothing() bool { return h.gain < minGain*h.worth }

// updateLow reports whether the quality is low, and notes since when.
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

// isHopeless reports whether the quality has been low over so long a distance that
// the robot is lost. Time alone does not count: in front of a barrel that is not on
// the map the quality is low for as long as the robot stands there.
func (h *health) isHopeless() bool { return !h.isGood() && h.trip.far >= hopelessAfter }

// lowFor reports whether the quality has been low for a time.
func (h *health) lowFor(now time.Time, lasting time.Duration) bool {
	return !h.since.IsZero() && now.Sub(h.since) >= lasting
}

// isGood reports whether the quality is as usual.
func (h *health) isGood() bool { return h.since.IsZero() }

// goodForAWhile reports whether it has been so for a while.
func (h *health) goodForAWhile(now time.Time) bool {
	return h.isGood() && !h.rose.IsZero() && now.Sub(h.rose) >= goodAfter
}

// acceptQuality makes the present quality the usual one: the pose has been
// confirmed, so the building differs from its map.
func (h *health) acceptQuality() {
	h.usual = max(worstUsual-0.4, math.Min(h.usual, h.lately+h.fallThreshold()/2))
	h.since = time.Time{}
}
