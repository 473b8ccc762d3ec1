package playout

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/models/modelstest"
)

var mybot = modelstest.Mybot

func at(t float64) time.Time { return time.Unix(1000, int64(math.Round(t*1e9))) }

// page is a virtual robot and the samples that it sends.
type page struct {
	desc    robot.Description
	limit   robot.Limit
	motion  robot.Motion
	want    robot.Twist
	tick    int
	seq     uint64
	s       float64
	motions []robot.Motion // at each robot.Tick
	samples []Sample
	hist    int // earlier samples in each packet
}

func newPage(desc robot.Description, from robot.Pose) *page {
	return &page{desc: desc, limit: LimitOf(desc), motion: robot.Motion{Axle: desc.Drivetrain.Axle(from)}}
}

func (p *page) now() float64 { return float64(p.tick) * robot.Tick }

func (p *page) send() {
	p.seq++
	s := Sample{Lease: 1, Hold: 1, Seq: p.seq, T: p.now(), Want: p.want, Twist: p.motion.Twist, Pose: p.desc.Drivetrain.Centre(p.motion.Axle), S: p.s}
	if n := len(p.samples); p.hist > 0 {
		s.Hist = slices.Clone(p.samples[max(0, n-p.hist):])
	}
	p.samples = append(p.samples, s)
}

// press asks for the twist for a number of seconds.
func (p *page) press(v, w, seconds float64) {
	p.want = robot.Twist{Linear: v, Angular: w}
	for i := range int(math.Round(seconds / robot.Tick)) {
		if i%5 == 0 {
			p.send()
		}
		p.live()
	}
}

func (p *page) live() {
	p.motions = append(p.motions, p.motion)
	p.motion = robot.Step(p.motion, p.want, p.limit, robot.Tick)
	p.s += math.Abs(p.motion.Twist.Linear) * robot.Tick
	p.tick++
}

// release lets go: three neutral samples, then silence until the virtual robot stands, and for
// more seconds.
func (p *page) release(silence float64) {
	p.press(0, 0, 0.15)
	for !p.motion.Twist.IsZero() {
		p.live()
	}
	for range int(math.Round(silence / robot.Tick)) {
		p.live()
	}
}

// wander drives around randomly for a number of seconds, with pauses.
func (p *page) wander(seconds float64, luck *rand.Rand) {
	for end := p.now() + seconds; p.now() < end; {
		p.press(0, 0, 0.1)
		for range 1 + luck.IntN(6) {
			p.press(0.45*(2*luck.Float64()-0.7), 0.7*(2*luck.Float64()-1), 0.05*float64(1+luck.IntN(60)))
		}
		p.release(2 * luck.Float64())
	}
}

// robotOf is a robot with slightly wrong motors and a noisy estimate.
type robotOf struct {
	desc   robot.Description
	axle   robot.Pose
	given  robot.Twist
	luck   *rand.Rand
	share  float64 // of the command that its guard allows
	rolled float64 // m
}

func newRobot(desc robot.Description, at robot.Pose, seed uint64) *robotOf {
	return &robotOf{desc: desc, axle: desc.Drivetrain.Axle(at), luck: rand.New(rand.NewPCG(seed, 5)), share: 1}
}

func (r *robotOf) live(twist robot.Twist) (robot.Pose, robot.Twist) {
	const dt = 0.02
	r.given = r.desc.Safe.Slew(r.given, r.desc.Safe.Clamp(twist.Scale(r.share)), dt)
	moves := robot.Twist{Linear: 0.99 * r.given.Linear, Angular: 1.02 * r.given.Angular}
	free := robot.Limit{Linear: 9, Angular: 9, LinearAcceleration: 1, AngularAcceleration: 1}
	before := r.axle
	r.axle = robot.Step(robot.Motion{Axle: r.axle, Twist: moves}, moves, free, dt).Axle
	r.rolled += r.axle.Point().Sub(before.Point()).Norm() + math.Abs(robot.WrapAngle(r.axle.Theta-before.Theta))
	e := r.axle
	e.X += 0.01 * r.luck.NormFloat64()
	e.Y += 0.01 * r.luck.NormFloat64()
	e.Theta = robot.WrapAngle(e.Theta + 0.5*math.Pi/180*r.luck.NormFloat64())
	return r.desc.Drivetrain.Centre(e), r.given
}

// packet is a sample and its time of arrival, in s.
type packet struct {
	at float64
	Sample
}

// straight sends every sample with the same delay.
func straight(samples []Sample, delay float64) []packet {
	var out []packet
	for _, s := range samples {
		out = append(out, packet{s.T + delay, s})
	}
	return out
}

func inOrder(packets []packet) []packet {
	slices.SortStableFunc(packets, func(a, b packet) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return packets
}

// ride plays the packets until the time end, in s, and calls see after each tick.
func ride(player *Player, r *robotOf, packets []packet, end float64, see func(t float64, twist robot.Twist, s Status)) {
	var twist robot.Twist
	next := 0
	for k := 1; float64(k)*0.02 <= end; k++ {
		t := float64(k) * 0.02
		pose, measured := r.live(twist)
		for ; next < len(packets) && packets[next].at <= t; next++ {
			player.Take(at(packets[next].at), packets[next].Sample)
		}
		var s Status
		twist, s = player.Tick(at(t), pose, measured)
		if see != nil {
			see(t, twist, s)
		}
	}
}

// off returns the distance of the axle from the nearest point of the path.
func (p *page) off(axle robot.Pose) float64 {
	best := math.Inf(1)
	for _, m := range p.motions {
		best = min(best, m.Axle.Point().Sub(axle.Point()).Norm())
	}
	return best
}
