package playout

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

// silence loses the packets of an interval; later packets contain the samples of the last two
// seconds.
func silence(samples []Sample, from, to float64) []packet {
	var out []packet
	for i, s := range samples {
		if s.T >= from && s.T < to {
			continue
		}
		for j := max(0, i-40); j < i; j += 4 {
			s.Hist = append(s.Hist, samples[j])
		}
		out = append(out, packet{s.T + 0.1, s})
	}
	return out
}

// The driver lets go during a silence. No earlier command is executed afterwards, however the
// robot learns of the release.
func TestAfterALongSilenceAPressThatIsOverMovesNothing(t *testing.T) {
	desc := mybot(t)
	for _, end := range []float64{4, 4.6} { // s, when the driver lets go
		for _, again := range []bool{false, true} { // presses again 0.3 s later
			p := newPage(desc, robot.Pose{})
			p.press(0, 0, 0.2)
			p.press(0.45, 0.2, end-0.2)
			p.press(0, 0, 0.3)
			if again {
				p.press(0.45, -0.2, 4)
			} else {
				p.press(0, 0, 4)
			}
			late := stalled(p.samples, 3, 4.8)
			pieces := stalled(p.samples, 3, 4.8)
			for i := range pieces {
				if pieces[i].T >= end && pieces[i].at < 5 {
					pieces[i].at = 5
				}
			}
			for way, packets := range map[string][]packet{"late": late, "late, in pieces": pieces, "lost": silence(p.samples, 2.9, 4.75), "late and lost": lateAndLost(p.samples)} {
				if way == "late, in pieces" && end > 4.2 {
					continue // received 0.2 s after it was sent, the driver counts as still driving
				}
				held, moved := "", 0
				ride(NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1), packets, 9, func(tt float64, twist robot.Twist, s Status) {
					held = s.Hold
					if tt > 4.7 && !twist.IsZero() {
						moved++
					}
				})
				if moved > 0 || held != letGo {
					t.Errorf("let go at %g s, %s, pressed again %v: held %q, %d motion commands", end, way, again, held, moved)
				}
			}
		}
	}
}

// A frozen page makes no samples, and its virtual robot stops. If the key is still held
// afterwards, that is not the same press.
func TestAPageThatWasFrozenHasToPressAgain(t *testing.T) {
	desc := mybot(t)
	for _, lasts := range []float64{1.3, 1.8, 2.4} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.45, 0.2, 3)
		back := p.now() + lasts
		for p.now() < back {
			if p.now() > back-lasts+0.25 {
				p.want = robot.Twist{}
			}
			p.live()
		}
		p.press(0.45, 0.2, 3)
		for i := range p.samples {
			p.samples[i].Hist = p.samples[max(0, i-8):i:i]
		}
		held, moved := "", 0
		ride(NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1), straight(p.samples, 0.1), p.now(), func(tt float64, twist robot.Twist, s Status) {
			held = s.Hold
			if tt > back && !twist.IsZero() {
				moved++
			}
		})
		if moved > 0 || held != letGo {
			t.Errorf("frozen for %g s: held %q, %d motion commands", lasts, held, moved)
		}
	}
}

// lateAndLost loses the packets of two seconds. One sample in the middle arrives late and
// contains the earlier ones.
func lateAndLost(samples []Sample) []packet {
	out := silence(samples, 3.2, 5.45)
	for _, k := range silence(samples, 3.2, 4.33) {
		if k.T > 4.3 && k.T < 4.38 && !k.Want.IsZero() {
			k.at = 5.47
			out = append(out, k)
		}
	}
	return inOrder(out)
}

// The driver keeps driving during a silence: the robot resumes its path as soon as it receives
// that, and reaches its end.
func TestAfterALongSilenceADriverWhoKeepsDrivingIsFollowed(t *testing.T) {
	desc := mybot(t)
	for _, lasts := range []float64{1.2, 1.8, 2.3} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.4, 0.4, 4)
		p.press(0.4, -0.4, 16)
		p.release(0)
		for way, packets := range map[string][]packet{"late": stalled(p.samples, 3, 3+lasts), "lost": silence(p.samples, 3, 3+lasts)} {
			r, worst, stood := newRobot(desc, robot.Pose{}, 1), 0.0, false
			ride(NewPlayer(desc, Options{}), r, packets, 26, func(tt float64, twist robot.Twist, s Status) {
				if s.Hold != "" {
					t.Fatalf("%s for %g s: held at %.2f s: %s", way, lasts, tt, s.Hold)
				}
				stood = stood || tt > 3 && tt < 3+lasts+0.1 && twist.IsZero()
				worst = max(worst, p.off(r.axle))
			})
			end := p.motion.Axle.Point().Sub(r.axle.Point()).Norm()
			if worst > 0.05 || end > 0.05 || !stood {
				t.Errorf("%s for %g s: %.3f m off the path, %.3f m from its end, stood %v", way, lasts, worst, end, stood)
			}
		}
	}
}

// Late samples extend the path, but only a fresh one moves the robot.
func TestSamplesThatAllComeLateMoveNothing(t *testing.T) {
	desc := mybot(t)
	for what, c := range map[string]struct{ rate, until float64 }{"at once": {100, 3 + 1.8}, "little by little": {0.5, 3 + 3 + 1.8}} {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.2)
		p.press(0.4, 0, 14)
		packets := straight(p.samples, 0.1)
		for i := range packets { // from 3 s on, packets take up to 1.5 s longer
			packets[i].at += min(1.5, max(0, c.rate*(packets[i].at-3)))
		}
		held, moved := "", 0.0
		ride(NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1), packets, 14, func(tt float64, twist robot.Twist, s Status) {
			if s.Hold != "" {
				held = s.Hold
			}
			if !twist.IsZero() {
				moved = tt
			}
		})
		if moved > c.until || held != unheard {
			t.Errorf("late %s: motion commands until %.2f s, held %q", what, moved, held)
		}
	}
}

// With bursts of losses of any length, the robot never moves for longer than 1.8 s without a
// packet, and no wheel turns once the robot has received the release and the rest of the path
// is over.
func TestBurstsOfLossMoveNothingBlindly(t *testing.T) {
	desc := mybot(t)
	held := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := newPage(desc, robot.Pose{})
		p.press(0, 0, 0.3)
		for range rapid.IntRange(1, 8).Draw(t, "stretches") {
			p.press(rapid.Float64Range(0.1, 0.45).Draw(t, "speed"), rapid.Float64Range(-0.7, 0.7).Draw(t, "turn"), rapid.Float64Range(0.3, 3).Draw(t, "seconds"))
		}
		p.press(0, 0, 0.5)
		end := p.now() - 0.5
		packets := straight(p.samples, 0.1)
		from := 0.5
		for range rapid.IntRange(1, 4).Draw(t, "bursts") {
			from += rapid.Float64Range(0, 4).Draw(t, "between")
			to := from + rapid.Float64Range(0.1, 3.5).Draw(t, "burst")
			late := rapid.Bool().Draw(t, "late")
			packets = slices.DeleteFunc(packets, func(k packet) bool { return !late && k.T >= from && k.T < to })
			for i := range packets {
				if late && packets[i].T >= from && packets[i].T < to {
					packets[i].at = max(packets[i].at, to+0.1)
				}
			}
			from = to
		}
		for i := range packets {
			n := slices.IndexFunc(p.samples, func(s Sample) bool { return s.Seq == packets[i].Seq })
			for j := max(0, n-40); j < n; j += 6 {
				packets[i].Hist = append(packets[i].Hist, p.samples[j])
			}
		}
		packets = inOrder(packets)
		heard, over, why := 0.0, math.Inf(1), ""
		next := 0
		ride(NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 1), packets, p.now()+8, func(tt float64, twist robot.Twist, s Status) {
			for ; next < len(packets) && packets[next].at <= tt; next++ {
				if heard = tt; packets[next].T >= end && packets[next].Want.IsZero() {
					over = min(over, tt)
				}
			}
			if why = s.Hold; twist.IsZero() {
				return
			}
			if tt-heard > 1.8 && tt < over {
				t.Fatalf("the command is %v %.2f s after the last packet", twist, tt-heard)
			}
			if s.Hold != "" || tt-over > limits.FollowLead+2 {
				t.Fatalf("the command is %v %.2f s after the release arrived, hold %q", twist, tt-over, s.Hold)
			}
		})
		held[strings.SplitN(why, ",", 2)[0]]++
	})
	t.Log(held)
}
