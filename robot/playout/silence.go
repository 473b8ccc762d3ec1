package playout

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// What track does when the network falls silent. The robot brakes after
// limits.SampleSilence, or sooner, when the path that it knows ends.
//
// If the reference has waited for up to limits.SampleStall, any sample moves it again.
// After that, and until limits.SampleSilenceEnd, only a fresh sample does that shows the
// driver still driving, and only if nothing says that the driver let go in the
// meantime. Samples that come late add the missing path but move nothing by
// themselves.
const (
	together = 0.05 // s between samples that a silence held back and that come together
)

// The reasons of holds that the network brings about.
const (
	unheard  = "Nothing arrived for more than 2.5 seconds."
	heldBack = "The network held the drive samples back for more than a second."
	letGo    = "The network was silent for more than a second, and the driver let go meanwhile."
	farBack  = "The driver let go while the robot was more than 1.5 seconds behind."
)

// lateness returns by how many seconds more than the quickest one of its page a
// sample comes now.
func (p *Player) lateness(now time.Time, s *Sample) float64 {
	if !s.Made.IsZero() {
		return now.Sub(s.Made).Seconds()
	}
	return p.jitter.measureLateness(now, s.T)
}

// silentFor returns for how many seconds no fresh sample has come.
func (p *Player) silentFor(now time.Time) float64 { return now.Sub(p.arrived).Seconds() }

// judgeSample reports whether a sample of a path that is tracked is fresh: it moves the
// reference, where one that is not only draws the path. The reason says why the
// robot has to hold instead.
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

// isFarBehind reports whether the reference is farther behind than what is left of a
// press may be that has ended.
func (p *Player) isFarBehind() bool { return p.bufferedLead() > limits.SampleBehind+p.jitter.wait }

// noteFresh notes that a fresh sample has come.
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

// catchUp notes when a reference that went on after a long silence is not far
// behind any more. What the silence held back may come in pieces, for a while.
func (p *Player) catchUp(now time.Time) {
	if now.Sub(p.resumed).Seconds() > limits.SampleStall && !p.isFarBehind() {
		p.resumed = time.Time{}
	}
}

// silenceReason says why the robot has to hold because nothing comes that leads on; "" =
// it need not.
func (p *Player) silenceReason(now time.Time) string {
	silent := p.silentFor(now)
	switch {
	case p.stall <= limits.SampleStall:
		return ""
	case p.options.Policy != Track, silent <= limits.SampleSilence: // what comes does not fit what was there
		return "Nothing that continues the path arrived for more than a second."
	case silent > limits.SampleSilenceEnd:
		return unheard
	}
	return ""
}

// pressEnded reports whether the press that the reference is on is over when the
// sample comes. A neutral sample tells so: this one, one that it brings along, or
// one that came late. So does a time without samples: a page that made none for
// limits.SampleGap was frozen, and its virtual robot has stopped meanwhile.
func (p *Player) pressEnded(s *Sample) bool {
	if math.IsInf(p.path.standsUntil(p.tau), 1) {
		return false // nothing is left of that press
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
