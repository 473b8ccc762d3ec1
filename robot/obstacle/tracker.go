package obstacle

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// Parameters of a track's filter.
const (
	accelerationSigma = 1.0   // m/s2, standard deviation of a person's acceleration
	centreSigma       = 0.05  // m, standard deviation of a cluster's centre
	hiddenSigma       = 0.30  // m, the same if the cluster is partly hidden
	legsSigma         = 0.12  // m, the same for a person's legs, which swing
	speedSigma        = 1.0   // m/s, standard deviation of the velocity of a new track
	faceDepth         = 0.785 // distance in radii from the centre of the visible half to that of the disc: pi/4
	thinnest          = 0.05  // m, least radius
	legWidth          = 0.25  // m
	stride            = 0.60  // m, largest distance between a person's legs
	significant       = 2     // standard deviations of the velocity above which it is significant
)

// cluster is a group of adjacent scan points that the map does not explain.
type cluster struct {
	first, last robot.Point // in odom
	from, to    int         // beams
	sum         robot.Point
	count       int
	partial     bool // a nearer object hides one end of it
	whole       int  // index of the cluster that contains it; its own index if it is not a part
	track       int  // index of its track; -1 = none

	legs bool // two legs of a person

	middle robot.Point // centre of the disc with this visible face, in odom
	radius float64     // m
}

// width returns the width of the cluster, in m.
func (c *cluster) width() float64 { return c.last.Sub(c.first).Norm() }

// isLeg reports whether the cluster is as narrow as a person's leg.
func (c *cluster) isLeg() bool { return c.width() < legWidth }

// join makes other, a later cluster in the scan, a part of c, whose index is whole.
func (c *cluster) join(other *cluster, whole int) {
	other.whole = whole
	c.last, c.partial = other.last, c.partial || other.partial
	c.sum, c.count = c.sum.Add(other.sum), c.count+other.count
}

// canBeTracked reports whether the cluster, the n-th of its scan, is not a part and is
// narrow enough for a person.
func (c *cluster) canBeTracked(n int) bool { return c.whole == n && c.width() < limits.TrackWidth }

// fitDisc fits the disc whose face a lidar at eye sees as the cluster.
func (c *cluster) fitDisc(eye robot.Point) {
	n := float64(c.count)
	c.middle, c.radius = robot.Point{X: c.sum.X / n, Y: c.sum.Y / n}, math.Max(thinnest, c.width()/2)
	way := c.middle.Sub(eye)
	if far := way.Norm(); far > thinnest {
		f := faceDepth * c.radius / far
		c.middle = c.middle.Add(robot.Point{X: f * way.X, Y: f * way.Y})
	}
}

// track is an obstacle with a Kalman filter of constant velocity. Both axes have the same
// variances.
type track struct {
	at, v      robot.Point // in odom, m and m/s
	pp, pv, vv float64     // m2, m2/s, m2/s2
	time       time.Time   // time of the values above
	radius     float64     // m
	seen       time.Time
	fast       time.Time // since when its speed has been significant; zero = it is not
	moving     bool
	walked     bool    // it moves, or has moved
	metAt      float64 // m from the robot, where it last moved
	shown      bool    // the current scan shows it
}

// predict advances the track to a time, at constant velocity.
func (t *track) predict(now time.Time) {
	dt := math.Max(0, now.Sub(t.time).Seconds())
	t.time = now
	t.at = t.at.Add(robot.Point{X: dt * t.v.X, Y: dt * t.v.Y})
	q := accelerationSigma * accelerationSigma * dt * dt
	t.pp += dt*(2*t.pv+dt*t.vv) + q*dt*dt/4
	t.pv += dt*t.vv + q*dt/2
	t.vv += q
}

// update updates the track by the centre of a cluster.
func (t *track) update(c *cluster) {
	sigma := centreSigma
	switch {
	case c.partial:
		sigma = hiddenSigma
	case c.isLeg() || c.legs:
		sigma = legsSigma
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
	case speed < limits.TrackMoves || speed < significant*math.Sqrt(t.vv):
		t.fast = time.Time{}
	case t.fast.IsZero():
		t.fast = t.seen
	default:
		t.moving = t.seen.Sub(t.fast) >= limits.TrackMovesFor
	}
}

// tracker associates clusters with tracks from scan to scan.
type tracker struct{ tracks []track }

// follow takes the clusters of a scan that ended at now; from is the robot's position in
// odom. It matches the nearest pairs of cluster and track first. Clusters that are too wide
// get no track, nor do those that are farther from the robot than TrackCount others.
func (k *tracker) follow(clusters []cluster, now time.Time, from robot.Point) {
	for i := range k.tracks {
		k.tracks[i].predict(now)
		k.tracks[i].shown = false
	}
	for {
		best, c, n := limits.TrackSame, -1, 0
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
		t := &k.tracks[n]
		if t.update(&clusters[c]); t.moving {
			t.walked, t.metAt = true, t.at.Sub(from).Norm()
		}
	}
	for i := range clusters {
		if c := &clusters[i]; c.track < 0 && c.canBeTracked(i) {
			if n := k.begin(c, now, from); n >= 0 {
				for j := range clusters {
					if clusters[j].track == n { // that track was farther away and has been replaced
						clusters[j].track = -1
					}
				}
				c.track = n
			}
		}
	}
}

// begin begins a track and returns its index; -1 = none. If there are TrackCount tracks
// already, it replaces the farthest one, unless none is farther than the cluster.
func (k *tracker) begin(c *cluster, now time.Time, from robot.Point) int {
	t := track{at: c.middle, pp: centreSigma * centreSigma, vv: speedSigma * speedSigma, time: now, radius: c.radius, seen: now, shown: true}
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

// forget drops the tracks that no scan has shown for TrackLife.
func (k *tracker) forget(now time.Time) {
	kept := k.tracks[:0]
	for _, t := range k.tracks {
		if age := now.Sub(t.seen); age >= 0 && age <= limits.TrackLife {
			kept = append(kept, t)
		}
	}
	k.tracks = kept
}
