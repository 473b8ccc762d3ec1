package localization

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mybot/robot"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestTheQualityFallsAndRisesAgain(t *testing.T) {
	var h health
	h.reset()
	now := start
	if h.usual != usualQuality || h.lately != usualQuality || !h.isGood() || h.goodForAWhile(now.Add(time.Hour)) {
		t.Fatalf("it begins with %+v", h)
	}
	hear := func(quality float64, n int) {
		for range n {
			now = now.Add(100 * time.Millisecond)
			h.addMoving(quality, startWorth, robot.Pose{X: 0.1}, now, false)
		}
	}
	hear(-0.8, 400)
	if math.Abs(h.lately+0.8) > 0.01 || h.usual < -0.95 || h.usual > -0.8 || !h.goodForAWhile(now) || h.lowFor(now, 0) || h.isHopeless() {
		t.Fatalf("after a good while it is %+v", h)
	}
	usual, varies := h.usual, h.varies
	if h.fallThreshold() != minFall {
		t.Errorf("where the quality hardly varies a fall by %.2f counts, want %.2f", h.fallThreshold(), minFall)
	}
	hear(usual-0.2, 100)
	if !h.isGood() {
		t.Error("a smaller fall counts")
	}
	hear(-2, 30)
	fell := h.since
	if h.isGood() || h.goodForAWhile(now) || fell.IsZero() || !h.lowFor(fell.Add(suspectAfter), suspectAfter) || h.lowFor(fell.Add(suspectAfter-1), suspectAfter) {
		t.Errorf("after a fall it is %+v", h)
	}
	if before := h.usual; !h.isHopeless() {
		hear(-2, 40)
		if h.usual != before || !h.isHopeless() || h.since != fell {
			t.Errorf("after 3 m without a place that explains them it is %+v", h)
		}
	}
	hear(-0.8, 20)
	if rose := h.rose; !h.isGood() || rose.IsZero() || h.goodForAWhile(rose.Add(goodAfter-1)) || !h.goodForAWhile(rose.Add(goodAfter)) || h.isHopeless() {
		t.Errorf("after it has risen again it is %+v", h)
	}
	hear(-2, 30)
	if h.trip.far > 3.1 || h.since.Equal(fell) {
		t.Errorf("a second fall continues the trip of the first: %+v", h)
	}
	h.acceptQuality()
	if !h.isGood() || h.usual > h.lately+h.fallThreshold()/2+1e-9 {
		t.Errorf("what has been confirmed is not usual: %+v", h)
	}
	// Where the quality varies much, a fall must be larger, within bounds.
	for v, want := range map[float64]float64{0: minFall, varies: minFall, 0.03: 0.3, 1: maxFall} {
		if h.varies = v; math.Abs(h.fallThreshold()-want) > 1e-9 {
			t.Errorf("with variations of %g a fall by %.2f counts, want %.2f", v, h.fallThreshold(), want)
		}
	}
	// A pose that explains no more than any other is low too, however well it
	// explains.
	var idle health
	idle.reset()
	gains := func(gain float64, n int) {
		for range n {
			now = now.Add(time.Second)
			idle.addMoving(usualQuality, gain, robot.Pose{X: 0.1}, now, false)
		}
	}
	if gains(startWorth/2, 60); !idle.isGood() || idle.explainsNothing() {
		t.Errorf("half of what it explained is low: %+v", idle)
	}
	if gains(0, 100); idle.isGood() || !idle.explainsNothing() {
		t.Errorf("nothing that it explains is not low: %+v", idle)
	}
	if gains(startWorth, 60); !idle.isGood() || idle.explainsNothing() {
		t.Errorf("when it explains again it is %+v", idle)
	}
	// A lost robot does not learn the usual quality, nor does a standing one.
	var lost health
	lost.reset()
	for range 200 {
		now = now.Add(time.Second)
		lost.addMoving(-0.7, startWorth, robot.Pose{X: 0.1}, now, true)
		lost.addStanding(-0.7, now)
	}
	if lost.usual != usualQuality || lost.lately < -0.75 {
		t.Errorf("a lost localizer learns %+v", lost)
	}
	for range 3000 {
		now = now.Add(time.Second)
		lost.addMoving(0, startWorth, robot.Pose{X: 0.1}, now, false)
	}
	if lost.usual != bestUsual {
		t.Errorf("nothing can be better than usual by so much: %+v", lost)
	}
}

func TestNoiseThatGoesOnInOneDirectionIsTakenForMore(t *testing.T) {
	var s slack
	luck := rand.New(rand.NewPCG(3, 4))
	teach := func(off func() float64, metres float64) {
		for range int(metres / 0.1) {
			s.learnFrom(off(), 0.1)
		}
	}
	teach(func() float64 { return luck.NormFloat64() }, 60)
	if s.noiseFactor() > 1.3 {
		t.Errorf("corrections in every direction make the noise %.2f times as large", s.noiseFactor())
	}
	teach(func() float64 { return 1 + 0.1*luck.NormFloat64() }, 4)
	if s.noiseFactor() < 1.2 || s.noiseFactor() > 1.9 {
		t.Errorf("after 4 m in one direction the noise is %.2f times as large", s.noiseFactor())
	}
	teach(func() float64 { return 1 }, 100)
	if math.Abs(s.noiseFactor()-1-maxSlack) > 1e-9 {
		t.Errorf("after 100 m it is %.2f times as large, want %.2f at most", s.noiseFactor(), 1+maxSlack)
	}
	teach(func() float64 { return 1 - 2*float64(luck.IntN(2)) }, 200)
	if s.noiseFactor() > 1.4 || s.noiseFactor() < 1 {
		t.Errorf("when they go to and fro again it is %.2f times as large", s.noiseFactor())
	}
	s = slack{}
	s.learnFrom(1, slackStretch-0.01)
	if s.run != 0 {
		t.Error("half a stretch has an effect")
	}
	if s.learnFrom(1, 0.01); s.run == 0 || s.distance != 0 {
		t.Error("a whole stretch has no effect")
	}
}

func TestTheDriftOfTheWheelsIsLearnedWithinBounds(t *testing.T) {
	for _, c := range []struct {
		name                string
		o                   observation
		off                 robot.Pose
		curve, spin, length float64 // the signs of the learned values
	}{
		{"it turns too little on a straight", observation{move: robot.Pose{X: 0.1}, distance: 0.1}, robot.Pose{Theta: 0.01}, 1, 0, 0},
		{"the same backwards", observation{move: robot.Pose{X: -0.1}, distance: 0.1}, robot.Pose{Theta: 0.01}, -1, 0, 0},
		{"it turns too little on the spot", observation{move: robot.Pose{Theta: 0.2}, turn: 0.2}, robot.Pose{Theta: 0.01}, 0, 1, 0},
		{"the same to the right", observation{move: robot.Pose{Theta: -0.2}, turn: 0.2}, robot.Pose{Theta: 0.01}, 0, -1, 0},
		{"it goes too little", observation{move: robot.Pose{X: 0.1}, distance: 0.1}, robot.Pose{X: 0.01}, 0, 0, 1},
		{"the same backwards", observation{move: robot.Pose{X: -0.1}, distance: 0.1}, robot.Pose{X: 0.01}, 0, 0, -1},
		{"a jump says nothing", observation{move: robot.Pose{X: 0.1}, distance: 0.1}, robot.Pose{X: 0.31}, 0, 0, 0},
		{"neither does a large turn", observation{move: robot.Pose{X: 0.1}, distance: 0.1}, robot.Pose{Theta: -0.21}, 0, 0, 0},
	} {
		var d drift
		sign := func(v float64) float64 {
			if math.Abs(v) < 1e-9 {
				return 0
			}
			return math.Copysign(1, v)
		}
		foreseen := robot.Pose{X: 3, Y: 1, Theta: 2}
		d.learnFrom(&c.o, foreseen, foreseen.Compose(c.off))
		if sign(d.Curve) != c.curve || sign(d.Spin) != c.spin || sign(d.Length) != c.length {
			t.Errorf("%s: curve %g, spin %g, length %g", c.name, d.Curve, d.Spin, d.Length)
		}
		for range 10000 {
			d.learnFrom(&c.o, foreseen, foreseen.Compose(c.off))
		}
		if most := max(math.Abs(d.Curve)/maxCurve, math.Abs(d.Spin)/maxSpin, math.Abs(d.Length)/maxLength); math.Abs(most-max(math.Abs(c.curve), math.Abs(c.spin), math.Abs(c.length))) > 1e-9 {
			t.Errorf("%s: in the end it is %.2f of what it may be", c.name, most)
		}
	}
	d := drift{OdometryErrors: OdometryErrors{Curve: 0.1, Length: 0.05, Spin: 0.1}}
	if got := d.correctMove(robot.Pose{X: 1, Theta: 0.5}); math.Abs(got.X-1.05) > 1e-9 || math.Abs(got.Y-0.075) > 1e-9 || math.Abs(got.Theta-0.65) > 1e-9 {
		t.Errorf("a metre becomes %v", got)
	}
}

func TestHowTheSonarsBehaveIsLearnedFromWhatTheyTell(t *testing.T) {
	l := newLikelihoods(beam{Max: 5})
	const near, far = 60, 180
	for _, c := range []struct {
		name         string
		z            int
		answer, axis uint8
		quiet, long  float64 // the signs of the changes
		share        float64 // of axis
	}{
		{"silence where something should answer", noEcho, near, near, 1, -1, 0},
		{"what should answer is heard", near, near, near, -1, -1, 0},
		{"something behind it is heard", far, near, near, -1, 1, 0},
		{"something before it is heard", near, far, far, -1, -1, 0},
		{"what stands along the axis is heard, behind what should answer", far, near, far, -1, -1, 1},
		{"what should answer is heard, and not what stands along the axis", near, near, far, -1, -1, -1},
		{"silence where nothing should answer", noEcho, levels, levels, 0, 0, 0},
		{"what stands along the axis is heard where nothing should answer", near, levels, near, 0, 0, 1},
	} {
		m := sonarModel{axis: startAxis, quiet: startQuiet, long: startLong}
		before := m
		m.learnEcho(l, c.z, c.answer, c.axis)
		change := func(a, b float64) float64 {
			if a == b {
				return 0
			}
			return math.Copysign(1, a-b)
		}
		if change(m.quiet, before.quiet) != c.quiet || change(m.long, before.long) != c.long || change(m.axis, before.axis) != c.share {
			t.Errorf("%s: %+v becomes %+v", c.name, before, m)
		}
		for range 20000 {
			m.learnEcho(l, c.z, c.answer, c.axis)
		}
		if m.axis < minAxis || m.axis > maxAxis || m.quiet < minQuiet || m.quiet > maxQuiet || m.long < minLong || m.long > maxLong {
			t.Errorf("%s: in the end it is %+v", c.name, m)
		}
	}
	// The measured range is most likely at the expected one, and a range that is
	// too short is likelier than one that is too long.
	for _, e := range []int{near, far} {
		for z := range noEcho {
			if l.hit[z][e] > l.hit[e][e]+1e-6 && z > e {
				t.Fatalf("the range %d is likelier than %d where %d is expected", z, e, e)
			}
			if short := z < e; (l.tail[z][e] > anyShare+1e-6) != short || (l.far[z][e] == 1) != (z > e) {
				t.Fatalf("the range %d where %d is expected: %v, %v", z, e, l.tail[z][e], l.far[z][e])
			}
		}
		if l.far[noEcho][e] != 1 || l.hit[noEcho][e] != 0 || l.tail[noEcho][e] != 0 {
			t.Errorf("silence where %d is expected: %v", e, l.far[noEcho][e])
		}
	}
	if l.tail[noEcho][levels] != quietNone || l.far[noEcho][levels] != 0 || l.hit[near][levels] != 0 {
		t.Error("silence is not expected where nothing should answer")
	}
	for r, want := range map[float64]int{math.Inf(1): noEcho, 5.1: noEcho, 0: 0} {
		if got := measuredLevel(r, 5); got != want {
			t.Errorf("%g m are the level %d, want %d", r, got, want)
		}
	}
}

func TestACloudIsDrawnAnewOnlyWhenFewOfItCarryItsWeight(t *testing.T) {
	c := newCloud(rand.New(rand.NewPCG(5, 6)), maxParticles)
	c.gatherAround(robot.Pose{X: 1, Y: 2}, 0.3, 0.2, 1000)
	first := c.ps[0]
	if c.resampleIfNeeded(); len(c.ps) != 1000 || c.ps[0] != first {
		t.Error("a cloud of equal weights is resampled")
	}
	for i := range c.ps {
		if c.ps[i].w = 0; i < 100 {
			c.ps[i].w = 0.01
		}
	}
	held := map[[2]float64]bool{}
	for _, p := range c.ps[:100] {
		held[[2]float64{p.x, p.y}] = true
	}
	if c.resampleIfNeeded(); len(c.ps) < minParticles || c.ps[0].w != 1/float64(len(c.ps)) {
		t.Fatalf("%d particles of the weight %v", len(c.ps), c.ps[0].w)
	}
	drawn := map[[2]float64]bool{}
	for _, p := range c.ps {
		if drawn[[2]float64{p.x, p.y}] = true; !held[[2]float64{p.x, p.y}] {
			t.Fatal("a particle without weight is drawn")
		}
	}
	if len(drawn) < 95 {
		t.Errorf("%d of 100 particles of equal weight are drawn", len(drawn))
	}
	// The wider the belief, the more particles.
	c.gatherAround(robot.Pose{}, 0.001, 0.001, 5000)
	for i := range c.ps {
		c.ps[i].x, c.ps[i].y, c.ps[i].t = 0.1, 0.1, 0.05
	}
	if n := c.kldCount(); n != minParticles {
		t.Errorf("one place needs %d particles, want %d", n, minParticles)
	}
	before := 0
	for _, wide := range []float64{0.1, 0.3, 0.8} {
		c.gatherAround(robot.Pose{}, wide, 0.5, 5000)
		n := c.kldCount()
		if n <= before {
			t.Errorf("a belief of %g m needs %d particles, a narrower one %d", wide, n, before)
		}
		before = n
	}
}

func TestAPartOfTheCloudJoinsAPlaceAndAGroupIsTakenOver(t *testing.T) {
	c := newCloud(rand.New(rand.NewPCG(7, 8)), maxParticles)
	c.gatherAround(robot.Pose{X: 1, Y: 1}, 0.05, 0.05, 1000)
	there := robot.Pose{X: 6, Y: -3, Theta: 3}
	c.moveSomeTo(there, 0.05, 0.05, 100)
	near := func(p particle, at robot.Pose) bool {
		return math.Hypot(p.x-at.X, p.y-at.Y) < 0.3 && math.Abs(robot.WrapAngle(p.t-at.Theta)) < 0.3
	}
	n := 0
	for i, p := range c.ps {
		if near(p, there) {
			n++
		} else if !near(p, robot.Pose{X: 1, Y: 1}) || i%10 == 0 {
			t.Fatalf("particle %d is at %v, %v", i, p.x, p.y)
		}
	}
	if n != 100 {
		t.Errorf("%d have joined, want 100", n)
	}
	if g := c.largestGroup(); math.Abs(g.share-0.9) > 1e-6 || g.pose.Point().Sub(robot.Point{X: 1, Y: 1}).Norm() > 0.01 || math.Abs(g.xx-0.0025) > 0.001 || math.Abs(g.tt-0.0025) > 0.001 {
		t.Errorf("the largest group is %+v", g)
	}
	other := newCloud(rand.New(rand.NewPCG(9, 1)), maxParticles)
	other.takeGroup(&c, c.groupAround(there, groupReach))
	sum := 0.0
	for _, p := range other.ps {
		if sum += p.w; !near(p, there) {
			t.Fatalf("a particle at %v, %v is taken over", p.x, p.y)
		}
	}
	if len(other.ps) != startCount || math.Abs(sum-1) > 1e-9 {
		t.Errorf("%d are taken over, of the weight %v", len(other.ps), sum)
	}
	if g := c.groupAround(robot.Pose{X: 40, Y: 40}, groupReach); g.share != 0 || g.pose != (robot.Pose{X: 40, Y: 40}) {
		t.Errorf("where nothing is there is the group %+v", g)
	}
}

func TestACloudThatOdometryHasSpreadIsOneGroup(t *testing.T) {
	c := newCloud(rand.New(rand.NewPCG(3, 4)), maxParticles)
	for _, wide := range []float64{0.1, 0.5, 1, 3} { // m across the way, as behind a heading that is not well known
		c.gatherAround(robot.Pose{X: 4, Y: 5, Theta: 1}, 0.3*wide, 0.1, 1000)
		for i := range c.ps {
			c.ps[i].y = 5 + (c.ps[i].y-5)/0.3
		}
		g := c.spreadGroup()
		if off := g.pose.Point().Sub(robot.Point{X: 4, Y: 5}).Norm(); off > 0.15*wide {
			t.Errorf("%g m wide: the estimate is %.2f m beside its middle", wide, off)
		}
		if sd := math.Sqrt(g.yy); g.share < 0.9 || sd < 0.8*wide || sd > 1.1*wide {
			t.Errorf("%g m wide: %.2f of it is %.2f m wide", wide, g.share, sd)
		}
	}
}

func TestPlacesThatAreAlikeStayGroupsApart(t *testing.T) {
	c := newCloud(rand.New(rand.NewPCG(5, 6)), maxParticles)
	c.gatherAround(robot.Pose{X: 1, Y: 1}, 0.2, 0.1, 1000)
	c.moveSomeTo(robot.Pose{X: 3, Y: 1}, 0.2, 0.1, 400)
	if g := c.spreadGroup(); g.pose.Point().Sub(robot.Point{X: 1, Y: 1}).Norm() > 0.1 || g.share > 0.65 || g.xx > 0.1 {
		t.Errorf("of two doors, 2 m apart, the group is %+v", g)
	}
}

func TestAnUncertaintyIsCarriedAsTheErrorsAreOfWhichItConsists(t *testing.T) {
	luck := rand.New(rand.NewPCG(2, 2))
	for range 100 {
		var whole, parts matrix
		moved := robot.Point{X: luck.NormFloat64(), Y: luck.NormFloat64()}
		for range 3 {
			d := vector{luck.NormFloat64(), luck.NormFloat64(), luck.NormFloat64()}
			whole.addOuter(d, 1)
			d.rotateWith(moved)
			parts.addOuter(d, 1)
		}
		whole.rotateWith(moved)
		for n, off := range []float64{whole.xx - parts.xx, whole.xy - parts.xy, whole.xt - parts.xt, whole.yy - parts.yy, whole.yt - parts.yt, whole.tt - parts.tt} {
			if math.Abs(off) > 1e-9 {
				t.Fatalf("moved by %v, element %d is %g off", moved, n, off)
			}
		}
	}
}

func TestARangeIsNewWhenItChangesOrIsToldAgainLater(t *testing.T) {
	m := NewMCL(robotOf(t), tableOf(t, room(), robotOf(t).Sonars, kept), robot.Pose{X: 2, Y: 2}, 1)
	hear := func(after time.Duration, ranges ...float64) (news []bool) {
		m.news = false
		for i := range m.pings {
			m.pings[i].news = false
		}
		m.notePings(robot.Reading{Time: start.Add(after), Ranges: ranges})
		any := false
		for i := range ranges[:min(len(ranges), len(m.pings))] {
			news = append(news, m.pings[i].news)
			any = any || m.pings[i].news
		}
		if m.news != any {
			t.Errorf("at %v there is news: %v", after, m.news)
		}
		return news
	}
	for _, c := range []struct {
		after  time.Duration
		ranges []float64
		want   []bool
	}{
		{0, []float64{1, 2}, []bool{true, true}},
		{20 * time.Millisecond, []float64{1, 2.5}, []bool{false, true}},
		{sonarRefresh, []float64{1, 2.5}, []bool{false, false}},
		{sonarRefresh + 1, []float64{1, 2.5}, []bool{true, false}},
		{sonarRefresh + 21*time.Millisecond, []float64{1, 2.5}, []bool{false, true}},
		{time.Second, nil, nil},
	} {
		if got := hear(c.after, c.ranges...); !slices.Equal(got, c.want) {
			t.Errorf("at %v the ranges %v are new: %v, want %v", c.after, c.ranges, got, c.want)
		}
	}
	hear(2*time.Second, make([]float64, len(m.pings)+5)...) // more than there are sonars
}

func TestTheCompassIsTrustedByHowItAgreesOverADistance(t *testing.T) {
	far := func(c *compassModel, off, distance float64, n int, sure bool) {
		for range n {
			c.learnFrom(&observation{heading: robot.WrapAngle(1 + off + c.offset), distance: distance}, 1, sure)
		}
	}
	c := newCompassModel(0)
	if far(&c, 0.2, recentMetres/10, 1, false); math.Abs(c.recent-0.02) > 1e-9 || math.Abs(c.usual-0.2*recentMetres/10/usualMetres) > 1e-9 {
		t.Errorf("a tenth of the distance says %.3f and %.3f rad", c.recent, c.usual)
	}
	if far(&c, 0.2, 9, 1, false); math.Abs(c.recent-0.2) > 1e-9 || math.Abs(c.usual-0.2) > 1e-9 || c.offset != 0 {
		t.Errorf("a long distance says %.3f and %.3f rad, and teaches %.3f rad", c.recent, c.usual, c.offset)
	}
	if c.learnFrom(&observation{heading: math.NaN(), distance: 9}, 1, true); math.Abs(c.recent-0.2) > 1e-9 || c.offset != 0 {
		t.Errorf("without a compass %.3f rad are measured", c.recent)
	}
	for _, k := range []struct {
		off                float64 // rad
		trust, most        float64
		contrary, opposing bool
	}{
		{0, 1, 1, false, false},
		{compassStands, 0.5, 0.5, false, false},
		{-compassStands, 0.5, 0.5, false, false},
		{robot.Radians(45), 0, 0.001, false, true},
		{robot.Radians(-45), 0, 0.001, false, true},
		{againstFrom + 0.1, 0, 0.001, true, true},
		{-againstFrom - 0.1, 0, 0.001, true, true},
	} {
		c := newCompassModel(0)
		far(&c, k.off, 0.5, 10, false)
		if c.trust < k.trust-1e-9 || c.trust > k.most+1e-9 || (c.contrary > 0) != k.contrary || c.isOpposed() != k.opposing {
			t.Errorf("%.2f rad off it is trusted by %.3f; contrary for %g m, opposed %v", k.off, c.trust, c.contrary, c.isOpposed())
		}
		if far(&c, 0, 5, 1, false); c.contrary != 0 || c.isOpposed() || c.trust != 1 {
			t.Errorf("when it agrees again it is trusted by %.3f", c.trust)
		}
	}
	// What does not change where the robot is certain is the building.
	c = newCompassModel(0)
	for range 400 {
		c.learnFrom(&observation{heading: 1.05, distance: 0.2}, 1, true)
	}
	if math.Abs(c.offset-0.05) > 0.005 {
		t.Errorf("of an offset of 0.05 rad %.3f rad are learned", c.offset)
	}
}

// computesLong skips a test with -short: in one goroutine the race detector makes
// it ten times slower to no purpose, and it runs in full without.
func computesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it computes for long; -short leaves it out")
	}
}
