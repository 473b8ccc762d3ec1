package playout

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// What Track does when the network falls silent: the robot brakes after
// limits.SampleSilence, or sooner if the known path ends.
//
// If the reference has waited for up to limits.SampleStall, any sample moves it again.
// After that, and until limits.SampleSilenceEnd, only a fresh sample that shows the driver
// still driving does, and only if nothing shows that the driver let go in the meantime.
// Late samples add the missing path but do not move the reference.
const (
	together = 0.05 // s, the longest gap between samples that a silence held back and that arrive as a burst
)

// The reasons of HOLDs caused by the network.
const (
	unheard  = "Nothing arrived for more than 2.5 seconds."
	heldBack = "The network held the drive samples back for more than a second."
	letGo    = "The network was silent for more than a second, and the driver let go meanwhile."
	farBack  = "The driver let go while the robot was more than 1.5 seconds behind."
)

// lateness returns the age in s of a sample that arrives now, by the time at which it was
// made; if that is unknown, the delay in excess of the page's fastest sample.
func (p *Player) lateness(now time.Time, s *Sample) float64 {
	if !s.Made.IsZero() {
		return now.Sub(s.Made).Seconds()
	}
	return p.jitter.measureLateness(now, s.T)
}

// silentFor returns the time since the last fresh sample, in s.
func (p *Player) silentFor(now time.Time) float64 { return now.Sub(p.arrived).Seconds() }

// judgeSample reports whether a sample is fresh under the policy Track. A fresh sample
// moves the reference; another one only extends the path. If the robot has to HOLD
// instead, the reason says why.
func (p *Player) judgeSample(now time.Time, s *Sample) (fresh bool, reason string) {
	late, moves := p.lateness(now, s), !s.Want.IsZero()
	driven := !p.path.isEmpty() && !p.path.newestKnot().want.IsZero()
	switch {
	case moves && late > limits.SampleLate && (!driven || late > limits.SampleSilenceEnd):
		return false, heldBack
	case moves && late > limits.SampleLate:
		return false, ""
	case p.path.isEmpty():
	case p.stall > limits.SampleStall && p.pressEnded(s), !moves && now.Sub(p.resumed).Seconds() < together:
		return false, letGo
	case moves && p.stall > limits.SampleStall && late > limits.SampleFresh:
		return false, ""
	case !p.resumed.IsZero() && !moves && p.isFarBehind():
		return false, farBack
	}
	return true, ""
}

// isFarBehind reports whether the reference is so far behind that the robot must not drive
// the rest of a press that has ended.
func (p *Player) isFarBehind() bool { return p.bufferedLead() > limits.SampleBehind+p.jitter.wait }

// noteFresh records the arrival of a fresh sample.
func (p *Player) noteFresh(now time.Time) {
	p.arrived = now
	if !p.waits || p.path.newestKnot().want.IsZero() || p.path.end+1 < len(p.path.knots) {
		return
	}
	if p.stall > limits.SampleStall {
		p.resumed = now
	}
	p.stall, p.waits = 0, false
}

// catchUp clears resumed once a reference that continued after a long silence is no longer
// far behind. It waits for limits.SampleStall, because the samples that the silence held
// back may arrive in several bursts.
func (p *Player) catchUp(now time.Time) {
	if now.Sub(p.resumed).Seconds() > limits.SampleStall && !p.isFarBehind() {
		p.resumed = time.Time{}
	}
}

// silenceReason says why the robot has to HOLD for lack of samples that continue the path;
// "" = it need not.
func (p *Player) silenceReason(now time.Time) string {
	silent := p.silentFor(now)
	switch {
	case p.stall <= limits.SampleStall:
		return ""
	case p.options.Policy != Track, silent <= limits.SampleSilence: // samples arrive but do not continue the path
		return "Nothing that continues the path arrived for more than a second."
	case silent > limits.SampleSilenceEnd:
		return unheard
	}
	return ""
}

// pressEnded reports whether the press that the reference is on has ended before the
// sample s was made. A neutral sample shows this: s itself, one in its history, or one that
// came late. So does a gap in virtual time: a page that made no sample for
// limits.SampleGap was frozen, and its virtual robot has stopped meanwhile.
func (p *Player) pressEnded(s *Sample) bool {
	if math.IsInf(p.path.standsUntil(p.tau), 1) {
		return false // the reference has reached the end of that press
	}
	knots := p.path.knots
	last, seq := knots[0].t, knots[0].seq
	ends := func(t float64, want robot.Twist) bool {
		gap := t - last
		last = t
		return want.IsZero() || gap > limits.SampleGap
	}
	for i := 1; i < len(knots); i++ {
		k := &knots[i]
		if seq = k.seq; k.t <= p.tau {
			last = k.t
		} else if ends(k.t, k.want) {
			return true
		}
	}
	for i := range s.Hist {
		if h := &s.Hist[i]; h.Seq > seq && ends(h.T, h.Want) {
			return true
		}
	}
	return ends(s.T, s.Want)
}
