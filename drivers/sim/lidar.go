package sim

import (
	"math"
	"math/rand/v2"
	"time"

	"mybot/robot"
)

// lidars are the laser scanners. Each rotates continuously, so the robot moves
// during a scan. They have a random stream of their own.
type lidars struct {
	each []lidar
	fail scanFailure // after lidarWorks; nil = they do not fail
	rng  *rand.Rand
}

// lidar is one laser scanner, as it is really mounted, with its current scan.
type lidar struct {
	robot.Lidar
	plane  *solids   // what stands in its plane
	scan   int64     // counts from 0
	hits   []beamHit // of the measured beams, in order
	frozen []float64 // repeated by a frozen lidar; nil = not frozen
}

// beamHit is what one beam has hit.
type beamHit struct {
	length float64 // m; +Inf = nothing within reach
	dark   bool    // the surface reflects little light
}

const (
	// mixedGap is the difference, in m, between two neighbouring beams that
	// indicates an edge between them.
	mixedGap = 0.2
	// bodyRange is the range, in m beyond Min, of a beam that hits the robot
	// itself.
	bodyRange = 0.01
)

func newLidars(on senses, rng *rand.Rand) lidars {
	l := lidars{fail: on.fail, rng: rng}
	for _, d := range on.lidars {
		l.each = append(l.each, lidar{Lidar: d, hits: make([]beamHit, 0, d.Beams)})
	}
	return l
}

// beamTime returns when a lidar measures a beam of its current scan, since the
// beginning of the world. A lidar rotates at constant speed, even where it has no
// beams.
func (l *lidar) beamTime(beam int) time.Duration {
	turn := float64(l.scan)/l.Rate + float64(beam)*math.Abs(l.Step)/(2*math.Pi)/l.Rate
	return time.Duration(turn * float64(time.Second))
}

// sweepLidars rotates the lidars for one period, in which the robot moved from a
// pose to the current one, and returns the completed scans.
func (w *World) sweepLidars(from robot.Pose) (done []robot.Scan) {
	end := time.Duration(w.tick) * w.period
	moved := from.Inverse().Compose(w.base.pose)
	for i := range w.lidars.each {
		l := &w.lidars.each[i]
		for {
			at := l.beamTime(len(l.hits))
			if at > end {
				break
			}
			share := 1 - float64(end-at)/float64(w.period)
			pose := from.Compose(robot.Pose{X: share * moved.X, Y: share * moved.Y, Theta: share * moved.Theta})
			l.hits = append(l.hits, w.measureBeam(l, pose.Compose(l.Pose)))
			if len(l.hits) < l.Beams {
				continue
			}
			first := l.beamTime(0)
			s, ok := robot.Scan{Lidar: i, Time: w.time.Add(first - end), Lasts: at - first, Ranges: w.lidars.rangesOf(l, w.scene.Lidar)}, true
			if w.lidars.fail != nil && first >= lidarWorks {
				s, ok = w.lidars.fail(l, s, first-lidarWorks)
			}
			if ok {
				done = append(done, s)
			}
			l.hits = l.hits[:0]
			l.scan++
		}
	}
	return done
}

// measureBeam returns what the next beam of a lidar at a pose in map hits.
func (w *World) measureBeam(l *lidar, at robot.Pose) beamHit {
	o, d := at.Point(), unitVector(at.Theta+l.Bearing(len(l.hits)))
	h, met := l.plane.castRay(o, d, l.Max)
	for i := range w.walkers {
		if far, ok := meetWalker(&w.walkers[i], l.Height, o, d); ok && far < h.distance {
			h.distance, h.dark, met = far, w.walkers[i].Dark, true
		}
	}
	if !met {
		return beamHit{length: math.Inf(1)}
	}
	return beamHit{h.distance, h.dark}
}

// rangesOf returns the measured ranges of a complete scan, in a new slice.
func (l *lidars) rangesOf(of *lidar, e LidarErrors) []float64 {
	ranges := make([]float64, len(of.hits))
	for i, m := range of.hits {
		r := m.length
		if i > 0 && e.Mixed > 0 && math.Abs(r-of.hits[i-1].length) > mixedGap && l.rng.Float64() < e.Mixed {
			if other := of.hits[i-1].length; !math.IsInf(r, 1) && !math.IsInf(other, 1) {
				r += l.rng.Float64() * (other - r)
			}
		}
		lost := e.Lost
		if m.dark {
			lost += e.DarkLost
		}
		if noise := e.Noise + e.NoiseShare*min(r, of.Max); noise > 0 {
			r += noise * l.rng.NormFloat64()
		}
		switch {
		case of.IsMasked(i):
			r = of.Min + bodyRange
		case lost > 0 && l.rng.Float64() < lost, r < of.Min:
			r = math.NaN()
		case r > of.Max:
			r = math.Inf(1)
		}
		ranges[i] = r
	}
	return ranges
}
