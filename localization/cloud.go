package localization

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"mybot/robot"
)

// particle is one hypothesis of the pose of base_link in map.
type particle struct {
	x, y, t float64 // m, m, rad
	bias    float64 // rad, local error of the compass, in addition to its offset
	w       float64 // weight; all weights sum to 1
}

// A cloud is a set of particles: a probability distribution over poses.
type cloud struct {
	ps       []particle
	spare    []particle // destination of resampling
	logs     []float64  // by particle, while weighing
	bins     bins
	rng      *rand.Rand
	minCount int // smallest number of particles
}

const (
	minParticles = 300   // particles, however certain the belief
	maxParticles = 20000 // particles; a search of the whole floor may have more

	// kldError and kldQuantile bound how far the particles are from the true
	// distribution (Fox 2003): the Kullback-Leibler distance, and the standard
	// normal quantile of the probability that it is exceeded.
	kldError     = 0.05
	kldQuantile  = 2.326
	kldPlace     = 0.25               // m, side of a bin
	kldTurn      = 10 * math.Pi / 180 // rad, of a bin
	distantPart  = 5                  // one initial particle in this many lies
	distantPlace = 5.0                // this many times farther away
	distantTurn  = 3.0                // and is turned this many times more, because the given pose may be wrong
	groupPlace   = 0.5                // m, side of a bin of groups
	groupTurn    = 45 * math.Pi / 180 // rad
	groupReach   = 0.75               // m from the centre of the fullest bin, within which particles belong to its group
	spreadWithin = 2.5                // standard deviations of a spread cloud from its centre, within which particles belong to it
	maxWidenings = 12
)

// newCloud returns a cloud of at most count particles.
func newCloud(rng *rand.Rand, count int) cloud {
	return cloud{
		ps: make([]particle, 0, count), spare: make([]particle, 0, count),
		logs: make([]float64, count), bins: newBins(count), rng: rng, minCount: minParticles,
	}
}

// gatherAround places n particles around the pose p with the standard deviations
// place, in m, and turn, in rad.
func (c *cloud) gatherAround(p robot.Pose, place, turn float64, n int) {
	c.ps = c.ps[:n]
	for i := range c.ps {
		c.ps[i] = particle{
			x:    p.X + place*c.rng.NormFloat64(),
			y:    p.Y + place*c.rng.NormFloat64(),
			t:    robot.WrapAngle(p.Theta + turn*c.rng.NormFloat64()),
			bias: biasSigma * c.rng.NormFloat64(),
			w:    1 / float64(n),
		}
	}
}

// spreadOverFloor distributes the particles with the numbers first to last,
// excluding last, over the whole free floor: most of them with the heading of the
// compass, in rad, within its error; NaN = in any direction.
func (c *cloud) spreadOverFloor(t *Table, heading float64, first, last int) {
	const trust, error = 0.75, 12 * math.Pi / 180
	count := len(c.logs)
	c.ps = c.ps[:count]
	each := float64(len(t.free)) / float64(count)
	for i := first; i < last; i++ {
		// One from each of as many equal parts of the floor as there are particles.
		cell := int(t.free[min(len(t.free)-1, int((float64(i)+c.rng.Float64())*each))])
		turn := (2*c.rng.Float64() - 1) * math.Pi
		if !math.IsNaN(heading) && c.rng.Float64() < trust {
			turn = robot.WrapAngle(heading + error*c.rng.NormFloat64())
		}
		c.ps[i] = particle{
			x: t.origin.X + (float64(cell%t.width)+c.rng.Float64())*tableCell,
			y: t.origin.Y + (float64(cell/t.width)+c.rng.Float64())*tableCell,
			t: turn, bias: biasSigma * c.rng.NormFloat64(),
			w: 1 / float64(count),
		}
	}
}

// moveSomeTo moves n particles, taken from all parts of the cloud, to around the
// pose p.
func (c *cloud) moveSomeTo(p robot.Pose, place, turn float64, n int) {
	every := len(c.ps) / n
	for i := 0; i < len(c.ps); i += every {
		q := &c.ps[i]
		q.x, q.y = p.X+place*c.rng.NormFloat64(), p.Y+place*c.rng.NormFloat64()
		q.t = robot.WrapAngle(p.Theta + turn*c.rng.NormFloat64())
	}
}

// Noise of odometry: standard deviations for one metre and one radian, which grow
// with the square root of the distance.
const (
	alongPerMetre  = 0.04                // m
	acrossPerMetre = 0.02                // m
	turnPerMetre   = 2.0 * math.Pi / 180 // rad
	turnPerRadian  = 3.0 * math.Pi / 180 // rad
	minAlong       = 0.004               // m, for every step
	minTurn        = 0.2 * math.Pi / 180 // rad, for every step
)

// The local error of the compass: its standard deviation, and the distance over
// which it changes. It keeps repeated headings at one place from counting as
// independent evidence.
const (
	biasSigma  = 4 * math.Pi / 180 // rad
	biasMetres = 15.0              // m
)

// moveAll moves every particle by the motion of the wheels, each with an error of
// its own, of the size learned in d and multiplied by wider.
func (c *cloud) moveAll(by robot.Pose, distance, turn, wider float64, d *drift) {
	c.moveSome(by, distance, turn, wider, d, 0, len(c.ps))
}

// moveSome moves the particles with the numbers first to last, excluding last.
func (c *cloud) moveSome(by robot.Pose, distance, turn, wider float64, d *drift, first, last int) {
	far, round := wider*d.place.noiseFactor(), wider*d.turn.noiseFactor()
	along := far * (minAlong + alongPerMetre*math.Sqrt(distance))
	across := far * (minAlong + acrossPerMetre*math.Sqrt(distance))
	around := round * math.Sqrt(minTurn*minTurn+turnPerMetre*turnPerMetre*distance+turnPerRadian*turnPerRadian*turn)
	keep := math.Exp(-distance / biasMetres)
	stray := biasSigma * math.Sqrt(1-keep*keep)
	for i := first; i < last; i++ {
		p := &c.ps[i]
		sin, cos := math.Sincos(p.t)
		x, y := by.X+along*c.rng.NormFloat64(), by.Y+across*c.rng.NormFloat64()
		p.x += cos*x - sin*y
		p.y += sin*x + cos*y
		p.t = robot.WrapAngle(p.t + by.Theta + around*c.rng.NormFloat64())
		p.bias = keep*p.bias + stray*c.rng.NormFloat64()
	}
}

// A judgement is how well a cloud predicted an observation, before it learned from
// it.
type judgement struct {
	evidence float64 // logarithm of the tempered likelihood
	quality  float64 // mean logarithm of the likelihood of one beam
}

// outside is the log likelihood of standing where the floor is not known to be
// free.
const outside = -4.0

// weighBy multiplies every weight by the likelihood of the observation.
func (c *cloud) weighBy(o *observation, s *senses, weight float64) judgement {
	w := s.beginWeighing(o)
	c.compareWith(o, s, &w, 0, len(c.ps))
	return c.applyWeights(o, s, weight, w)
}

// A weighing is the state of comparing an observation with the particles.
type weighing struct {
	best    float64 // largest log likelihood
	quality float64 // their weighted sum
}

// beginWeighing prepares to compare an observation with particles.
func (s *senses) beginWeighing(o *observation) weighing {
	for k := range o.echoes {
		s.rows[k].fillFrom(o.echoes[k].likely, o.echoes[k].z, s.sonarModel)
	}
	return weighing{best: math.Inf(-1)}
}

// compareWith compares an observation with the particles with the numbers first to
// last, excluding last.
func (c *cloud) compareWith(o *observation, s *senses, w *weighing, first, last int) {
	unknown := float32(math.Exp(s.unknown))
	for i := first; i < last; i++ {
		p := &c.ps[i]
		sin, cos := math.Sincos(p.t)
		heading := p.t * (tableHeadings / (2 * math.Pi))
		like := float32(1)
		if s.table.cellAt(p.x, p.y) < 0 {
			like = outsideLike
		}
		for k := range o.echoes {
			e := &o.echoes[k]
			cell := s.table.cellAt(p.x+cos*e.x-sin*e.y, p.y+sin*e.x+cos*e.y)
			if cell < 0 {
				like *= unknown
				continue
			}
			h := int(heading + e.turn)
			for h >= tableHeadings {
				h -= tableHeadings
			}
			at := 2 * (cell*tableHeadings + h)
			pair := e.table[at : at+2 : at+2]
			like *= s.rows[k].answer[pair[0]] + s.rows[k].axis[pair[1]]
		}
		l := math.Log(float64(max(like, 1e-35)))
		w.quality += p.w * l
		if o.clear > 0 {
			l += s.table.scans.logLikelihood(o.beams[:o.clear], p.x, p.y, sin, cos)
		}
		c.logs[i] = l
		w.best = max(w.best, l)
	}
}

// applyWeights multiplies the weights by the likelihoods of all particles.
func (c *cloud) applyWeights(o *observation, s *senses, weight float64, w weighing) judgement {
	j := judgement{}
	if n := float64(len(o.echoes)); n > 0 {
		j.quality = w.quality / n
	}
	best := w.best
	sum, kept := 0.0, 0.0
	for i := range c.ps {
		p := &c.ps[i]
		f := p.w * math.Exp(weight*temper*(c.logs[i]-best))
		sum += f
		p.w = f * s.compass.likelihoodOf(o, p.t+p.bias)
		kept += p.w
	}
	j.evidence = math.Log(sum) + weight*temper*best
	c.scaleWeights(1 / kept)
	return j
}

// outsideLike is outside as a factor.
var outsideLike = float32(math.Exp(outside))

// scaleWeights multiplies all weights by f.
func (c *cloud) scaleWeights(f float64) {
	for i := range c.ps {
		c.ps[i].w *= f
	}
}

// resampleIfNeeded resamples when few particles carry most of the weight:
// low-variance resampling (Thrun, Burgard, Fox 2005, table 4.4), to as many
// particles as the belief needs.
func (c *cloud) resampleIfNeeded() {
	if n := c.resampleCount(); n > 0 {
		c.resample(n)
	}
}

// resampleCount returns the size of the resampled cloud; 0 = resampling is not
// needed.
func (c *cloud) resampleCount() int {
	squares := 0.0
	for i := range c.ps {
		squares += c.ps[i].w * c.ps[i].w
	}
	if 1/squares > float64(len(c.ps))/2 {
		return 0
	}
	return c.kldCount()
}

// resample draws n particles from the current ones.
func (c *cloud) resample(n int) {
	out := c.spare[:n]
	step := 1 / float64(n)
	at, sum, i := c.rng.Float64()*step, c.ps[0].w, 0
	for k := range out {
		for at > sum && i < len(c.ps)-1 {
			i++
			sum += c.ps[i].w
		}
		out[k] = c.ps[i]
		out[k].w = step
		at += step
	}
	c.ps, c.spare = out, c.ps
}

// kldCount returns how many particles the belief needs, from the number of bins
// with a significant share.
func (c *cloud) kldCount() int {
	c.bins.clearAll()
	n := 0
	worth := 0.2 / float64(len(c.ps))
	for i := range c.ps {
		if p := &c.ps[i]; p.w > worth {
			if _, fresh := c.bins.slotOf(p, kldPlace, kldTurn); fresh {
				n++
			}
		}
	}
	if n < 2 {
		return c.minCount
	}
	k := float64(n - 1)
	a := 2 / (9 * k)
	b := 1 - a + math.Sqrt(a)*kldQuantile
	return max(c.minCount, min(len(c.logs), int(k/(2*kldError)*b*b*b)))
}

// A group is the particles close together where most of the weight is.
type group struct {
	pose   robot.Pose
	xx, xy float64 // m2
	yy     float64 // m2
	tt     float64 // rad2
	share  float64 // of the weight
	reach  float64 // m from its centre, within which its particles lie
}

// largestGroup returns the group around the bin with the most weight.
func (c *cloud) largestGroup() group {
	c.bins.clearAll()
	fullest, at := 0.0, 0
	for i := range c.ps {
		k, fresh := c.bins.slotOf(&c.ps[i], groupPlace, groupTurn)
		if fresh {
			c.bins.sum[k] = 0
		}
		c.bins.sum[k] += c.ps[i].w
		if c.bins.sum[k] > fullest {
			fullest, at = c.bins.sum[k], i
		}
	}
	// Twice, so that a group on the border between bins is centred.
	g := c.groupAround(robot.Pose{X: c.ps[at].x, Y: c.ps[at].y, Theta: c.ps[at].t}, groupReach)
	return c.groupAround(g.pose, groupReach)
}

// spreadGroup returns the largest group together with the particles that odometry
// has spread from it. A cloud that sees no walls becomes wider than a group: which
// part of it is densest is a matter of chance then, and its mean is the better
// estimate.
func (c *cloud) spreadGroup() group {
	g := c.largestGroup()
	for range maxWidenings {
		major, _, _ := robot.Covariance{XX: g.xx, XY: g.xy, YY: g.yy}.Position()
		reach := spreadWithin * major
		if reach <= g.reach {
			break
		}
		g = c.groupAround(g.pose, reach)
	}
	return g
}

// groupAround returns the group within reach, in m, of a place and heading.
func (c *cloud) groupAround(at robot.Pose, reach float64) group {
	x0, y0, t0 := at.X, at.Y, at.Theta
	var w, x, y, t, xx, xy, yy, tt float64
	for i := range c.ps {
		p := &c.ps[i]
		dx, dy, dt := p.x-x0, p.y-y0, robot.WrapAngle(p.t-t0)
		if dx*dx+dy*dy > reach*reach || math.Abs(dt) > groupTurn {
			continue
		}
		w += p.w
		x += p.w * dx
		y += p.w * dy
		t += p.w * dt
		xx += p.w * dx * dx
		xy += p.w * dx * dy
		yy += p.w * dy * dy
		tt += p.w * dt * dt
	}
	if !(w > 0) {
		return group{pose: at, reach: reach}
	}
	x, y, t = x/w, y/w, t/w
	return group{
		pose:  robot.Pose{X: x0 + x, Y: y0 + y, Theta: robot.WrapAngle(t0 + t)},
		xx:    xx/w - x*x,
		xy:    xy/w - x*y,
		yy:    yy/w - y*y,
		tt:    tt/w - t*t,
		share: w,
		reach: reach,
	}
}

// takeGroup replaces the particles by the group g of another cloud.
func (c *cloud) takeGroup(from *cloud, g group) {
	c.ps = c.ps[:0]
	sum := 0.0
	for i := range from.ps {
		p := from.ps[i]
		dx, dy := p.x-g.pose.X, p.y-g.pose.Y
		if dx*dx+dy*dy <= g.reach*g.reach && math.Abs(robot.WrapAngle(p.t-g.pose.Theta)) <= groupTurn {
			c.ps = append(c.ps, p)
			sum += p.w
		}
	}
	c.scaleWeights(1 / sum)
	c.resample(startCount)
}

// bins is a hash table of poses that needs no garbage collection.
type bins struct {
	keys []uint64
	turn []uint32 // the clearing in which the slot was taken
	sum  []float64
	now  uint32
	size int // bits of the number of slots
}

// newBins returns bins for at most count particles.
func newBins(count int) bins {
	b := bins{size: bits.Len(uint(2 * count))}
	slots := 1 << b.size // more than twice the particles
	b.keys, b.turn, b.sum = make([]uint64, slots), make([]uint32, slots), make([]float64, slots)
	return b
}

func (b *bins) clearAll() {
	b.now++
	if b.now == 0 { // it wrapped around
		clear(b.turn)
		b.now = 1
	}
}

// slotOf returns the slot of the particle's bin, of the given size in m and rad,
// and whether the particle is the first in it.
func (b *bins) slotOf(p *particle, place, turn float64) (slot int, fresh bool) {
	const half = 1 << 20
	i := uint64(int64(math.Floor(p.x/place)) + half)
	j := uint64(int64(math.Floor(p.y/place)) + half)
	k := uint64(int64(math.Floor(p.t/turn)) + 128)
	key := i<<42 ^ j<<21 ^ k
	h := key * 0x9e3779b97f4a7c15 >> (64 - b.size)
	for b.turn[h] == b.now && b.keys[h] != key {
		h = (h + 1) % uint64(len(b.keys))
	}
	fresh = b.turn[h] != b.now
	b.keys[h], b.turn[h] = key, b.now
	return int(h), fresh
}
