package obstacle

import (
	"math"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/scan"
)

// How the layer evaluates scans.
const (
	minBin    = 0.25 * math.Pi / 180 // rad, least width of a direction in the polar view
	neighbor  = 0.10                 // m, plus twice the step between beams: neighbouring beams within this distance confirm each other
	behind    = 0.15                 // m that a beam must reach behind a point to look through it
	showAgain = 0.10                 // m from a remembered point: a new point within it is the same
)

// view is the free distance in the newest scan of a lidar, by direction in odom's axes.
type view struct {
	step  float64   // rad from beam to beam
	bin   float64   // rad, width of one direction
	reach []float64 // m, free distance along its beams; NaN = no beam measured
}

func newView(l robot.Lidar) view {
	v := view{step: math.Abs(l.Step)}
	n := int(2 * math.Pi / math.Max(minBin, math.Min(v.step, math.Pi/4)))
	v.bin, v.reach = 2*math.Pi/float64(n), make([]float64, n)
	return v
}

// directionOf returns the index of a vector's direction.
func (v *view) directionOf(way robot.Point) int {
	i := int(math.Floor(math.Atan2(way.Y, way.X)/v.bin+0.5)) % len(v.reach)
	if i < 0 {
		i += len(v.reach)
	}
	return i
}

// doubtsAbout returns the doubts of the newest scan about a point at the vector way from
// the lidar: goneBy if the scan shows it again, through if the beam in its direction looks
// through it. The beams beside that one must look through it too, or end nearer, as one does
// at an edge: otherwise a point that the lidar misplaced there would stay.
func (v *view) doubtsAbout(way robot.Point) int {
	d, n, far := v.directionOf(way), len(v.reach), way.Norm()
	past := v.reach[d] > far+behind
	for _, k := range [3]int{(d + n - 1) % n, d, (d + 1) % n} {
		r := v.reach[k]
		if math.Abs(r-far) <= showAgain {
			return goneBy
		}
		past = past && math.Abs(r-far) > behind
	}
	if past {
		return through
	}
	return 0
}

// observeScan takes the cloud of a scan.
func (l *Layer) observeScan(c scan.Cloud) {
	v := &l.views[c.Lidar]
	eye := l.odom.Apply(c.Origin)
	for i := range v.reach {
		v.reach[i] = math.NaN()
	}
	l.ends = l.ends[:0]
	for _, b := range c.Beams {
		end := l.odom.Apply(b.End)
		way := end.Sub(eye)
		if d, far := v.directionOf(way), way.Norm(); !(v.reach[d] <= far) {
			v.reach[d] = far
		}
		l.ends = append(l.ends, end)
	}
	for n := range l.raster.points {
		if p := &l.raster.points[n]; p.kind == scanned || p.kind == moving {
			if p.doubts += v.doubtsAbout(p.at.Sub(eye)); !p.sure {
				p.doubts = goneBy
			}
		}
	}
	l.findClusters(c, eye)
	l.tracker.follow(l.clusters, c.Last, l.odom.Point())
	l.putScan(c, v, eye)
	l.raster.drop(func(p *point) bool { return p.doubts >= goneBy })
	l.stale = true
}

// findClusters groups the points that the map does not explain.
func (l *Layer) findClusters(c scan.Cloud, eye robot.Point) {
	l.clusters, l.mapped = l.clusters[:0], l.mapped[:0]
	open := false
	for i, b := range c.Beams {
		end := l.ends[i]
		mapped := b.Echo && l.isMapped(end)
		l.mapped = append(l.mapped, mapped)
		if !b.Echo || mapped || !l.raster.covers(end) {
			open = false
			continue
		}
		if !open || end.Sub(l.ends[i-1]).Norm() > limits.TrackGap {
			l.clusters = append(l.clusters, cluster{first: end, from: i, track: -1, whole: len(l.clusters), partial: l.isHidden(c, i, i-1, eye)})
		}
		k := &l.clusters[len(l.clusters)-1]
		k.last, k.to, k.sum, open = end, i, k.sum.Add(end), true
		k.count++
	}
	for i := range l.clusters {
		k := &l.clusters[i]
		k.partial = k.partial || l.isHidden(c, k.to, k.to+1, eye)
	}
	l.joinClusters(len(c.Beams))
	for i := range l.clusters {
		l.clusters[i].fitDisc(eye)
	}
}

// joinClusters joins clusters that a scan shows in two parts: the legs of a person, and an
// object at the start and end of a scan that covers the full circle.
func (l *Layer) joinClusters(beams int) {
	for i := 1; i < len(l.clusters); i++ {
		a, b := &l.clusters[i-1], &l.clusters[i]
		if a.whole == i-1 && a.isLeg() && b.isLeg() && b.first.Sub(a.last).Norm() < stride && b.last.Sub(a.first).Norm() < limits.TrackWidth {
			a.join(b, i-1)
			a.legs = true
		}
	}
	if n := len(l.clusters); n > 1 {
		a, z := &l.clusters[0], &l.clusters[n-1]
		if a.from == 0 && z.to == beams-1 && z.whole == n-1 && a.whole == 0 && a.first.Sub(z.last).Norm() <= limits.TrackGap {
			z.join(a, n-1)
		}
	}
}

// isHidden reports whether the object that a beam shows may continue behind the object in
// the adjacent beam.
func (l *Layer) isHidden(c scan.Cloud, beam, beside int, eye robot.Point) bool {
	beside = (beside + len(c.Beams)) % len(c.Beams)
	return c.Beams[beside].Echo && l.ends[beside].Sub(eye).Norm() < l.ends[beam].Sub(eye).Norm()-limits.TrackGap
}

// putScan puts the points of a scan into the raster.
func (l *Layer) putScan(c scan.Cloud, v *view, eye robot.Point) {
	for i, b := range c.Beams {
		if !b.Echo || !l.raster.covers(l.ends[i]) {
			continue
		}
		near := neighbor + 2*v.step*l.ends[i].Sub(eye).Norm()
		p := point{at: l.ends[i], seen: l.now, kind: scanned, mapped: l.mapped[i]}
		p.sure = l.isBeside(c, i, i-1, near) || l.isBeside(c, i, i+1, near)
		if l.isOfMoving(i) {
			p.kind = moving
		}
		l.raster.put(p)
	}
}

// isBeside reports whether the points of two beams are at most near apart, in m.
func (l *Layer) isBeside(c scan.Cloud, beam, beside int, near float64) bool {
	beside = (beside + len(c.Beams)) % len(c.Beams)
	return beside != beam && c.Beams[beside].Echo && l.ends[beside].Sub(l.ends[beam]).Norm() <= near
}

// isOfMoving reports whether a beam shows a moving obstacle.
func (l *Layer) isOfMoving(beam int) bool {
	for i := range l.clusters {
		if k := &l.clusters[i]; beam >= k.from && beam <= k.to {
			// The cluster that contains this part may be a part itself.
			whole := &l.clusters[l.clusters[k.whole].whole]
			return whole.track >= 0 && l.tracker.tracks[whole.track].moving
		}
	}
	return false
}
