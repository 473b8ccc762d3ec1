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
	varies float64   // how far lately is below usual, when it is, in the mean of the last tens of metres
	since  time.Time // when it fell; zero = it has not
	trip   trip      // since then
	rose   time.Time // when it rose again; zero = it is low
	heard  int
}

const (
	usualQuality = -1.1 // before anything is known
	bestUsual    = -0.6
	worstUsual   = -1.7
	leastFall    = 0.25 // below usual that is low where the quality hardly varies,
	mostFall     = 0.40 // and where it varies much
	fallVaries   = 10.0 // mean variations below usual that are low
	startVaries  = mostFall / fallVaries
	usualPace    = 0.003 // of what one observation changes of usual,
	firstHeard   = 100   // and at first one in so many
	suspectAfter = time.Second
	despair      = 3.0 // m
	relief       = 3 * time.Second
	glancePace   = 0.3 // of what one look of a standing robot changes
)

func (h *health) reset() {
	if h.usual == 0 {
		h.usual, h.varies = usualQuality, startVaries
	}
	*h = health{lately: h.usual, usual: h.usual, varies: h.varies}
}

// fallThreshold returns how far below usual the quality is low. Where it hardly varies,
// as among bare walls without people, a smaller fall tells.
func (h *health) fallThreshold() float64 { return max(leastFall, min(mostFall, fallVaries*h.varies)) }

// hear takes the quality of an observation of a robot that has moved since the
// one before.
func (h *health) hear(quality float64, move robot.Pose, now time.Time, lost bool) {
	h.heard++
	h.trip.addMove(move)
	h.lately += max(0.1, 1/float64(h.heard+1)) * (quality - h.lately)
	if !h.updateLow(now) && !lost {
		pace := max(usualPace, 1/(float64(h.heard)+firstHeard))
		h.usual = max(worstUsual, min(bestUsual, h.usual+pace*(quality-h.usual)))
		h.varies += usualPace * (max(0, h.usual-h.lately) - h.varies)
	}
}

// addStanding takes the quality of an observation of a robot that stands, which is
// the last one once more: it says nothing of what is usual.
func (h *health) addStanding(quality float64, now time.Time) {
	h.lately += glancePace * (quality - h.lately)
	h.updateLow(now)
}

// updateLow tells whether the quality is low, and notes since when.
func (h *health) updateLow(now time.Time) bool {
	low := h.lately < h.usual-h.fallThreshold()
	switch {
	case low && h.since.IsZero():
		h.since, h.trip, h.rose = now, trip{}, time.Time{}
	case h.lately > h.usual-h.fallThreshold()/2:
		h.since = time.Time{}
		if h.rose.IsZero() {
			h.rose = now
		}
	}
	return low
}

// isHopeless tells whether it has been low over so long a way that nobody knows
// where the robot is. Time alone does not tell: before a barrel that is not on
// the map it is low for as long as the robot stands there.
func (h *health) isHopeless() bool { return !h.isGood() && h.trip.far >= despair }

// lowFor tells whether the quality has been low for a time.
func (h *health) lowFor(now time.Time, lasting time.Duration) bool {
	return !h.since.IsZero() && now.Sub(h.since) >= lasting
}

// isGood tells whether the quality is as usual.
func (h *health) isGood() bool { return h.since.IsZero() }

// goodForAWhile tells whether it has been so for a while.
func (h *health) goodForAWhile(now time.Time) bool {
	return h.isGood() && !h.rose.IsZero() && now.Sub(h.rose) >= relief
}

// acceptQuality makes the present quality the usual one: where the robot is has been
// confirmed, so that it is the building that is not like its map.
func (h *health) acceptQuality() {
	h.usual = max(worstUsual-0.4, math.Min(h.usual, h.lately+h.fallThreshold()/2))
	h.since = time.Time{}
}
