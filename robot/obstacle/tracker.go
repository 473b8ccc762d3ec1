package obstacle

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// The filter of a track.
const (
	jerky     = 1.0   // m/s2, how people change their velocity
	sharp     = 0.05  // m, how exactly the middle of a cluster is known,
	hidden    = 0.30  // m, and of one that is partly behind something
	legs      = 0.12  // m, and of the legs of a person, which swing
	anySpeed  = 1.0   // m/s, of a new track, standard deviation
	faceDepth = 0.785 // the middle of a disc lies so many radii behind that of its visible half: pi/4
	thinnest  = 0.05  // m, radius
	legWidth  = 0.25  // m
	stride    = 0.60  // m, how far the legs of a person are apart at most
	clearly   = 2     // standard deviations of the velocity make it one
)

// cluster is points of a scan that belong together and that the map does not explain.
type cluster struct {
	first, last robot.Point // in odom
	from, to    int         // beams
	sum         robot.Point
	count       int
	partial     bool // something nearer hides an end of it
	whole       int  // index of the cluster that it is a part of
	track       int  // index; -1 = none

	legs bool // two legs of a person

	middle robot.Point // of the disc whose face it is, in odom
	radius float64     // m
}

// width returns how wide the cluster is, in m.
func (c *cluster) width() float64 { return c.last.Sub(c.first).Norm() }

// isLeg reports whether it is as narrow as a leg of a person.
func (c *cluster) isLeg() bool { return c.width() < legWidth }

// join makes other, which begins behind it in the scan, a part of it.
func (c *cluster) join(other *cluster, whole int) {
	other.whole = whole
	c.last, c.partial = other.last, c.partial || other.partial
	c.sum, c.count = c.sum.Add(other.sum), c.count+other.count
}

// canBeTracked reports whether the cluster, the n-th of its scan, is a whole thing that is
// narrow enough for a person.
func (c *cluster) canBeTracked(n int) bool { return c.whole == n && c.width() < limits.TrackWidth }

// fitDisc finds the disc whose face a lidar at eye sees as the cluster.
func (c *cluster) fitDisc(eye robot.Point) {
	n := float64(c.count)
	c.middle, c.radius = robot.Point{X: c.sum.X / n, Y: c.sum.Y / n}, math.Max(thinnest, c.width()/2)
	way := c.middle.Sub(eye)
	if far := way.Norm(); far > thinnest {
		f := faceDepth * c.radius / far
		c.middle = c.middle.Add(robot.Point{X: f * way.X, Y: f * way.Y})
	}
}

// track is a thing that is followed: a Kalman filter with constant velocity. Both axes
// have the same variances.
type track struct {
	at, v      robot.Point // in odom, m and m/s
	pp, pv, vv float64     // m2, m2/s, m2/s2
	time       time.Time   // of all these
	radius     float64     // m
	seen       time.Time
	fast       time.Time // since when it has been clearly fast; zero = it is not
	moving     bool
	shown      bool // by the scan that is being taken
}

// predict moves the track to a time.
func (t *track) predict(now time.Time) {
	dt := now.Sub(t.time).Seconds()
	if t.time = now; dt <= 0 {
		return
	}
	t.at = t.at.Add(robot.Point{X: dt * t.v.X, Y: dt * t.v.Y})
	q := jerky * jerky * dt * dt
	t.pp += dt*(2*t.pv+dt*t.vv) + q*dt*dt/4
	t.pv += dt*t.vv + q*dt/2
	t.vv += q
}

// update takes where a cluster has its middle.
func (t *track) update(c *cluster) {
	sigma := sharp
	switch {
	case c.partial:
		sigma = hidden
	case c.isLeg() || c.legs:
		sigma = legs
	}
	s := t.pp + sigma*sigma
	kp, kv := t.pp/s, t.pv/s
	e := c.middle.Sub(t.at)
	t.at = t.at.Add(robot.Point{X: kp * e.X, Y: kp * e.Y})
	t.v = t.v.Add(robot.Point{X: kv * e.X, Y: kv * e.Y})
	t.vv -= kv * t.pv
	t.pp, t.pv = (1-kp)*t.pp, (1-kp)*t.pv
	t.radius += kp * (c.radius - t.radius)
	t.seen, t.shown = t.time, true
	t.judge()
}

// judge decides whether the track moves.
func (t *track) judge() {
	speed := t.v.Norm()
	switch {
	case t.moving:
		t.moving = speed >= limits.TrackStands
		t.fast = time.Time{}
	case speed < limits.TrackMoves || speed < clearly*math.Sqrt(t.vv):
		t.fast = time.Time{}
	case t.fast.IsZero():
		t.fast = t.seen
	default:
		t.moving = t.seen.Sub(t.fast) >= limits.TrackMovesFor
	}
}

// tracker follows clusters from scan to scan.
type tracker struct{ tracks []track }

// follow takes the clusters of a scan that ended at a time. The pairs that are nearest to
// each other are the same thing. What is too wide to be followed has no track, nor have
// those that are farther from the robot than TrackCount others.
func (k *tracker) follow(clusters []cluster, now time.Time, from robot.Point) {
	for i := range k.tracks {
		k.tracks[i].predict(now)
		k.tracks[i].shown = false
	}
	for {
		best, c, n := limits.TrackSame, -1, -1
		for i := range clusters {
			if clusters[i].track >= 0 || !clusters[i].canBeTracked(i) {
				continue
			}
			for j := range k.tracks {
				if d := k.tracks[j].at.Sub(clusters[i].middle).Norm(); d < best && !k.tracks[j].shown {
					best, c, n = d, i, j
				}
			}
		}
		if c < 0 {
			break
		}
		clusters[c].track = n
		k.tracks[n].update(&clusters[c])
	}
	for i := range clusters {
		if c := &clusters[i]; c.track < 0 && c.canBeTracked(i) {
			if n := k.begin(c, now, from); n >= 0 {
				for j := range clusters {
					if clusters[j].track == n { // which was farther away
						clusters[j].track = -1
					}
				}
				c.track = n
			}
		}
	}
}

// begin begins a track, in place of the farthest one where there are too many, and
// returns its index; -1 = all others are nearer.
func (k *tracker) begin(c *cluster, now time.Time, from robot.Point) int {
	t := track{at: c.middle, pp: sharp * sharp, vv: anySpeed * anySpeed, time: now, radius: c.radius, seen: now, shown: true}
	if len(k.tracks) < limits.TrackCount {
		k.tracks = append(k.tracks, t)
		return len(k.tracks) - 1
	}
	farthest, n := c.middle.Sub(from).Norm(), -1
	for i := range k.tracks {
		if d := k.tracks[i].at.Sub(from).Norm(); d > farthest {
			farthest, n = d, i
		}
	}
	if n >= 0 {
		k.tracks[n] = t
	}
	return n
}

// forget drops the tracks that were not seen for long enough.
func (k *tracker) forget(now time.Time) {
	kept := k.tracks[:0]
	for _, t := range k.tracks {
		if age := now.Sub(t.seen); age >= 0 && age <= limits.TrackLife {
			kept = append(kept, t)
		}
	}
	k.tracks = kept
}
