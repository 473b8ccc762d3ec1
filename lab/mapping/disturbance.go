package mapping

import (
	"math"
	"math/rand/v2"
	"slices"

	"mybot/robot"
	"mybot/robot/scan"
)

const (
	usualSpeed = 0.5 // m/s and
	usualTurn  = 0.8 // rad/s, assumed for a robot in a log; the times of scans in many logs are too coarse
	gapLasts   = 5.0 // s
	gapCount   = 3   // gaps in a drive
)

// A drivenScan is a scan as the Mapper receives it.
type drivenScan struct {
	index  int        // in the log
	motion robot.Pose // of base_link since the previous scan, by odometry
	lasted float64    // s, how long that took; 0 = unknown
	cloud  scan.Cloud
}

// A disturbance changes a log into one that a worse robot would have written.
type disturbance struct {
	name, about string
	apply       disturb
	drawn       bool // differs from seed to seed
}

// A disturb function may change the list, but not the beams in it.
type disturb func([]drivenScan, *rand.Rand) []drivenScan

// disturbances returns all of them; the first leaves the log unchanged.
func disturbances() []disturbance {
	return []disturbance{
		{"as it is", "nothing is changed", func(l []drivenScan, _ *rand.Rand) []drivenScan { return l }, false},
		{"bias 3 %", "wheels measure ways 3 % too long and turns 3 % too short, or the other way around", biasWheels(0.03), true},
		{"noise 3 deg/m", "each motion turns by 3 deg a metre more or less, one standard deviation", addWheelNoise(robot.Radians(3)), true},
		{"noise 6 deg/m", "the same with 6 deg", addWheelNoise(robot.Radians(6)), true},
		{"reach 5.6 m", "nothing farther is seen", limitReach(5.6), false},
		{"reach 8 m", "nothing farther is seen", limitReach(8), false},
		{"91 beams", "every second beam of 181, or fourth of 361, remains", thinBeams(91), false},
		{"1 of 2 dropped", "every second scan is missing", dropScans(2), false},
		{"1 of 4 dropped", "every fourth scan is missing", dropScans(4), false},
		{"range noise 3 cm", "one standard deviation", addRangeNoise(0.03), true},
		{"time jitter 20 ms", "scans are taken earlier or later than they say, one standard deviation", jitterTimes(0.02), true},
		{"gaps of 5 s", "three times the scans of 5 s of driving are missing", cutGaps, true},
		{"second half", "the log begins in its middle", func(l []drivenScan, _ *rand.Rand) []drivenScan { return l[len(l)/2:] }, false},
	}
}

func biasWheels(share float64) disturb {
	return func(l []drivenScan, rng *rand.Rand) []drivenScan {
		by := share * float64(2*rng.IntN(2)-1)
		for i := range l {
			m := &l[i].motion
			m.X, m.Y, m.Theta = m.X*(1+by), m.Y*(1+by), m.Theta*(1-by)
		}
		return l
	}
}

// addWheelNoise turns each motion by a random angle, with a standard deviation of turn, in rad
// per m; half of it bends the path.
func addWheelNoise(turn float64) disturb {
	return func(l []drivenScan, rng *rand.Rand) []drivenScan {
		for i := range l {
			m := &l[i].motion
			off := turn * m.Point().Norm() * rng.NormFloat64()
			p := robot.Pose{Theta: off / 2}.Apply(m.Point())
			*m = robot.Pose{X: p.X, Y: p.Y, Theta: robot.WrapAngle(m.Theta + off)}
		}
		return l
	}
}

// changeBeams replaces the beams of each scan by those that change returns.
func changeBeams(l []drivenScan, change func(origin robot.Point, beams []scan.Beam) []scan.Beam) []drivenScan {
	for i := range l {
		c := &l[i].cloud
		c.Beams = change(c.Origin, append([]scan.Beam(nil), c.Beams...))
	}
	return l
}

func limitReach(most float64) disturb {
	return func(l []drivenScan, _ *rand.Rand) []drivenScan {
		return changeBeams(l, func(origin robot.Point, beams []scan.Beam) []scan.Beam {
			for k, b := range beams {
				if off := b.End.Sub(origin); off.Norm() >= most {
					s := most / off.Norm()
					beams[k] = scan.Beam{End: origin.Add(robot.Point{X: s * off.X, Y: s * off.Y})}
				}
			}
			return beams
		})
	}
}

func thinBeams(most int) disturb {
	return func(l []drivenScan, _ *rand.Rand) []drivenScan {
		return changeBeams(l, func(_ robot.Point, beams []scan.Beam) []scan.Beam {
			every := max(1, int(math.Round(float64(len(beams))/float64(most))))
			few := beams[:0]
			for k := 0; k < len(beams); k += every {
				few = append(few, beams[k])
			}
			return few
		})
	}
}

func addRangeNoise(noise float64) disturb {
	return func(l []drivenScan, rng *rand.Rand) []drivenScan {
		return changeBeams(l, func(origin robot.Point, beams []scan.Beam) []scan.Beam {
			for k, b := range beams {
				if off := b.End.Sub(origin); b.Echo && off.Norm() > 0 {
					s := 1 + noise*rng.NormFloat64()/off.Norm()
					beams[k].End = origin.Add(robot.Point{X: s * off.X, Y: s * off.Y})
				}
			}
			return beams
		})
	}
}

// leaveOut removes scans. Odometry continues over the gaps.
func leaveOut(l []drivenScan, isOut func(i int) bool) []drivenScan {
	var left []drivenScan
	var since robot.Pose
	lasted := 0.0
	for i, s := range l {
		since, lasted = since.Compose(s.motion), lasted+s.lasted
		if isOut(i) {
			continue
		}
		s.motion, s.lasted = since, lasted
		since, lasted = robot.Pose{}, 0
		left = append(left, s)
	}
	return left
}

func dropScans(every int) disturb {
	return func(l []drivenScan, _ *rand.Rand) []drivenScan {
		return leaveOut(l, func(i int) bool { return i%every == every-1 })
	}
}

// lasts returns how long a motion takes, in s.
func lasts(motion robot.Pose) float64 {
	return math.Max(motion.Point().Norm()/usualSpeed, math.Abs(motion.Theta)/usualTurn)
}

// jitterTimes adds to each motion the distance driven in the time error of its scans.
func jitterTimes(jitter float64) disturb {
	return func(l []drivenScan, rng *rand.Rand) []drivenScan {
		before := robot.Pose{} // from the scan's true pose to its logged one
		for i := range l {
			m := l[i].motion
			after := robot.Pose{}
			if t := lasts(m); t > 0 {
				s := jitter * rng.NormFloat64() / t
				after = robot.Pose{X: s * m.X, Y: s * m.Y, Theta: s * m.Theta}
			}
			l[i].motion = before.Inverse().Compose(m).Compose(after)
			before = after
		}
		return l
	}
}

// addJitter returns the disturbances followed by jitterTimes. All of them then depend on the
// seed.
func addJitter(list []disturbance, jitter float64) []disturbance {
	list = slices.Clone(list)
	for i := range list {
		before := list[i].apply
		list[i].apply = func(l []drivenScan, rng *rand.Rand) []drivenScan { return jitterTimes(jitter)(before(l, rng), rng) }
		list[i].drawn = true
	}
	return list
}

// cutGaps removes the scans of gapLasts of driving, gapCount times.
func cutGaps(l []drivenScan, rng *rand.Rand) []drivenScan {
	out := map[int]bool{}
	for range gapCount {
		i := 1 + rng.IntN(max(1, len(l)-1))
		for t := 0.0; i < len(l) && t < gapLasts; i++ {
			t += lasts(l[i].motion)
			out[i] = true
		}
	}
	return leaveOut(l, func(i int) bool { return out[i] })
}
