package check

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// A sample is a reading with the wheel travel up to it.
type sample struct {
	protocol.Reading
	arrived time.Time
	rolled  robot.Wheels // m since the connection's first reading
}

// An odometer computes wheel travel from totals of any form.
type odometer struct {
	desc   robot.Description
	last   protocol.Totals // nil = none yet
	rolled robot.Wheels
}

// add returns the wheel travel since the first totals, in m.
func (o *odometer) add(t protocol.Totals) robot.Wheels {
	switch now := t.(type) {
	case protocol.WheelTotals:
		if last, ok := o.last.(protocol.WheelTotals); ok {
			o.rolled.Left += now.Left - last.Left
			o.rolled.Right += now.Right - last.Right
		}
	case protocol.TickTotals:
		if last, ok := o.last.(protocol.TickTotals); ok {
			o.rolled.Left += o.desc.Encoder.Travel(now.Left - last.Left)
			o.rolled.Right += o.desc.Encoder.Travel(now.Right - last.Right)
		}
	case protocol.PoseTotals:
		if last, ok := o.last.(protocol.PoseTotals); ok {
			from, to := o.desc.Drivetrain.Axle(robot.Pose(last)), o.desc.Drivetrain.Axle(robot.Pose(now))
			turned := robot.WrapAngle(to.Theta - from.Theta)
			sin, cos := math.Sincos(from.Theta + turned/2)
			forward := cos*(to.X-from.X) + sin*(to.Y-from.Y)
			o.rolled.Left += forward - turned*o.desc.Drivetrain.WheelBase/2
			o.rolled.Right += forward + turned*o.desc.Drivetrain.WheelBase/2
		}
	}
	o.last = t
	return o.rolled
}

// still is the largest travel, in m, of wheels that count as being at rest.
const still = 0.003

// difference returns the wheel travel from a to b, in m.
func difference(a, b sample) robot.Wheels {
	return robot.Wheels{Left: b.rolled.Left - a.rolled.Left, Right: b.rolled.Right - a.rolled.Right}
}

// farther returns the larger absolute travel of the two wheels, in m.
func farther(w robot.Wheels) float64 { return math.Max(math.Abs(w.Left), math.Abs(w.Right)) }

// stopTime returns the time, on the clock of the base, at which the wheels had reached their
// position in the last sample.
func stopTime(samples []sample) protocol.Millis {
	last := samples[len(samples)-1]
	stopped := last.At
	for i := len(samples) - 1; i >= 0 && farther(difference(samples[i], last)) <= still; i-- {
		stopped = samples[i].At
	}
	return stopped
}

// brakeTime returns how long the motors take to stop from a twist, in ms.
func brakeTime(desc robot.Description, t robot.Twist) float64 {
	return 1000 * math.Max(math.Abs(t.Linear)/desc.Hardware.LinearAcceleration, math.Abs(t.Angular)/desc.Hardware.AngularAcceleration)
}

// restarted reports whether totals that were not zero are zero again.
func restarted(before, now protocol.Totals) bool {
	zero := func(t protocol.Totals) bool {
		return t == protocol.Totals(protocol.WheelTotals{}) || t == protocol.Totals(protocol.TickTotals{}) || t == protocol.Totals(protocol.PoseTotals{})
	}
	return !zero(before) && zero(now)
}

// tolerance is the largest relative error of a distance.
const tolerance = 0.25

// judgeForward judges the samples of a drive straight ahead. want is the commanded distance
// in m, speed in m/s, and rate that of the readings in Hz.
func judgeForward(samples []sample, want, speed, rate float64) (ok bool, text string) {
	d := difference(samples[0], samples[len(samples)-1])
	mean := (d.Left + d.Right) / 2
	saw := fmt.Sprintf("at %.2f m/s the left wheel rolled %s and the right one %s", speed, metres(d.Left), metres(d.Right))
	should := fmt.Sprintf("; both should have rolled about %s", metres(want))
	switch {
	case near(d.Left, want) && near(d.Right, want):
		return true, saw
	case farther(d) <= still && countsIncrements(samples, speed/rate):
		return false, "the totals return to where they were: a reading must say how far the wheels have rolled since power-on, and not since the reading before"
	case farther(d) <= still:
		return false, saw + should
	case d.Left*d.Right < 0 && math.Abs(math.Abs(d.Left)-math.Abs(d.Right)) < want/2:
		return false, saw + ": one of the two has the wrong sign, of its motor or of its encoder"
	case near(-mean, want):
		return false, saw + ", backwards: the sign of v or of the totals is wrong"
	case near(mean/1000, want):
		return false, saw + should + ": the totals are in millimetres and should be in metres"
	case math.Abs(d.Left-d.Right) > want/2:
		return false, saw + should + ": one wheel is not driven or not counted"
	}
	return false, saw + should + ": look at the wheel's radius, the ticks a turn and the speed control"
}

// countsIncrements reports whether the totals while driving look like increments: each is
// the travel of one reading, in m.
func countsIncrements(samples []sample, each float64) bool {
	n := 0
	for _, s := range samples {
		if t, ok := s.Totals.(protocol.WheelTotals); ok && t.Left > each/2 && t.Left < 2*each {
			n++
		}
	}
	return n > len(samples)/3
}

// judgeTurn judges a turn on the spot by its first and last samples. want is the commanded
// angle in rad.
func judgeTurn(first, last sample, want, wheelBase float64) (ok bool, text string) {
	d := difference(first, last)
	turned := (d.Right - d.Left) / wheelBase
	saw := fmt.Sprintf("for a turn of %.2f rad to the left the wheels turned the robot by %.2f rad", want, turned)
	switch ratio := turned / want; {
	case near(turned, want) && math.Abs(d.Left+d.Right)/2 < want*wheelBase/4:
		return true, saw
	case near(turned, want):
		return false, saw + fmt.Sprintf(", but moved it by %s: it should have stayed in place", metres((d.Left+d.Right)/2))
	case near(-turned, want):
		return false, saw + ": left and right are swapped, or w has the wrong sign; positive is left, counter-clockwise"
	case ratio > 0.5/57.3 && ratio < 2/57.3:
		return false, saw + ": the base takes w for degrees a second, and it is radians"
	case ratio > 57.3/2 && ratio < 57.3*2:
		return false, saw + ": a turn in degrees is taken for radians"
	default:
		return false, saw + fmt.Sprintf(": look at wheel_base_m of the description, %.3f m", wheelBase)
	}
}

func near(is, want float64) bool { return math.Abs(is-want) <= tolerance*math.Abs(want) }

func metres(x float64) string { return fmt.Sprintf("%.3g m", x) }

// judgeStop judges how long the wheels rolled after the base should have started to brake.
func judgeStop(rolled, mayRoll protocol.Millis, after string) (ok bool, text string) {
	if rolled <= mayRoll {
		return true, fmt.Sprintf("%d ms after %s the wheels stood", max(rolled, 0), after)
	}
	return false, fmt.Sprintf("%d ms after %s the wheels still rolled; they should have stood after %d ms at the latest", rolled, after, mayRoll)
}

// judgeReadings judges the rate and the longest gap of the readings of a robot at rest.
func judgeReadings(samples []sample, rate float64) (ok bool, text string) {
	if len(samples) < 2 {
		return false, fmt.Sprintf("%d readings came; rate_hz of the description says %g a second", len(samples), rate)
	}
	first, last := samples[0], samples[len(samples)-1]
	hz := float64(len(samples)-1) / last.arrived.Sub(first.arrived).Seconds()
	gap := time.Duration(0)
	for i := 1; i < len(samples); i++ {
		gap = max(gap, samples[i].arrived.Sub(samples[i-1].arrived))
	}
	text = fmt.Sprintf("%.1f readings a second came, the longest gap was %d ms", hz, gap.Milliseconds())
	switch {
	case math.Abs(hz-rate) > 0.15*rate:
		return false, text + fmt.Sprintf("; rate_hz of the description says %g", rate)
	case gap > 250*time.Millisecond:
		return false, text + "; Mybot stops the robot after 250 ms without one"
	}
	return true, text
}

// judgeEvenness judges the intervals between the readings of a robot at rest: 99 of 100 must
// be at most twice the period, plus uneven. Intervals with a hiccup of this computer do not
// count.
func judgeEvenness(samples []sample, hiccups []hiccup, rate float64) (ok bool, text string) {
	if len(samples) < 2 {
		return false, "there were not two readings to compare"
	}
	var came, told []time.Duration // intervals between arrivals, and on the clock of the base
	for i, s := range samples[1:] {
		if before := samples[i]; !overlaps(hiccups, before.arrived, s.arrived) {
			came = append(came, s.arrived.Sub(before.arrived))
			told = append(told, (s.At - before.At).Duration())
		}
	}
	if len(came) < len(samples)/2 {
		return true, "this computer was too busy to tell"
	}
	period := time.Duration(float64(time.Second) / rate)
	most := 2*period + uneven
	text = fmt.Sprintf("of 100 intervals between readings 99 were at most %d ms, and half of them at most %d ms", percentile(came, 99).Milliseconds(), percentile(came, 50).Milliseconds())
	switch {
	case percentile(came, 99) <= most:
		return true, text
	case percentile(told, 99) <= most:
		return false, text + fmt.Sprintf("; by the clock of the base they are even: they wait on their way, as in the buffer of a serial adapter or of a pipe. They should come every %d ms", period.Milliseconds())
	}
	return false, text + fmt.Sprintf("; they should come every %d ms. Something in the loop of the base waits", period.Milliseconds())
}

// uneven allows for a computer that does other work too.
const uneven = 20 * time.Millisecond

// percentile returns the value that the given percentage of the values does not exceed.
func percentile(values []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*percent+99)/100-1]
}

const (
	// maxDrift is the largest relative error of the rate of a base's clock. Mybot assumes
	// that the least late line of 30 s is not late at all, so with a clock that is 1 % slow
	// a reading seems 0.3 s older than it is.
	maxDrift = 0.005
	// driftFor is the least time over which the clocks are compared, driftEnds the length of
	// the windows at both ends; the least late reading of each window counts.
	driftFor, driftEnds = 10 * time.Second, 2 * time.Second
)

// judgeDrift judges the clock of a base by the readings of a conversation.
func judgeDrift(samples []sample) (ok bool, text string) {
	first, last := samples[0], samples[len(samples)-1]
	late := func(s sample) float64 {
		return s.arrived.Sub(first.arrived).Seconds() - (s.At - first.At).Duration().Seconds()
	}
	begin, end := math.Inf(1), math.Inf(1)
	for _, s := range samples {
		if s.arrived.Sub(first.arrived) <= driftEnds {
			begin = math.Min(begin, late(s))
		}
		if last.arrived.Sub(s.arrived) <= driftEnds {
			end = math.Min(end, late(s))
		}
	}
	slow := (end - begin) / (last.arrived.Sub(first.arrived) - driftEnds).Seconds()
	if math.Abs(slow) <= maxDrift {
		return true, fmt.Sprintf("in %.0f s it came to differ from this computer's clock by %.0f ms", last.arrived.Sub(first.arrived).Seconds(), 1000*math.Abs(end-begin))
	}
	word := "slow"
	if slow < 0 {
		word = "fast"
	}
	return false, fmt.Sprintf("its clock is %.1f %% %s; within 30 s readings would come to be %.0f ms off. It must keep time to %g %%", 100*math.Abs(slow), word, 30_000*math.Abs(slow), 100*maxDrift)
}

// judgeClock judges the ms of readings against this computer's clock.
func judgeClock(samples []sample) (ok bool, text string) {
	if len(samples) < 2 {
		return false, "there were not two readings to compare"
	}
	for i := 1; i < len(samples); i++ {
		if step := samples[i].At - samples[i-1].At; step <= 0 {
			return false, fmt.Sprintf("ms was %d and then %d; it must grow from reading to reading", samples[i-1].At, samples[i].At)
		}
	}
	first, last := samples[0], samples[len(samples)-1]
	pace := float64(last.At-first.At) / float64(last.arrived.Sub(first.arrived).Milliseconds())
	text = fmt.Sprintf("ms grew by %.3f s a second", pace)
	if math.Abs(pace-1) > 0.1 {
		return false, text + "; it must be milliseconds"
	}
	return true, text
}
