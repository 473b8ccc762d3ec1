package drive

import (
	"math"
	"math/rand/v2"
	"slices"

	"mybot/link"
	"mybot/robot"
	"mybot/robot/playout"
)

// A stickInput is a person at the stick. It returns the twist asked for at the time t, in s,
// when the virtual robot's motion is m, and over once the person has let go.
type stickInput func(t float64, m robot.Motion) (want robot.Twist, over bool)

// A stretch is a twist that a driver asks for, and for how long.
type stretch struct {
	twist robot.Twist
	lasts float64 // s
}

// newProgram returns a driver that asks for stretches in order.
func newProgram(stretches ...stretch) stickInput {
	return func(t float64, _ robot.Motion) (robot.Twist, bool) {
		for _, s := range stretches {
			if t -= s.lasts; t < -1e-9 {
				return s.twist, false
			}
		}
		return robot.Twist{}, true
	}
}

// figure11Profile is the profile of Yang 2005, figure 11, at a share of its speed: four small
// half circles and a large one back to the start.
func figure11Profile(share float64) []stretch {
	const v, w = 0.5, math.Pi / 4
	var out []stretch
	for _, side := range []float64{-1, 1, -1, 1} {
		out = append(out, stretch{robot.Twist{Linear: v * share, Angular: side * w * share}, 4 / share})
	}
	return append(out, stretch{robot.Twist{Linear: v * share, Angular: w / 4 * share}, 16 / share})
}

const (
	sendEvery   = 5   // ticks of the virtual robot between packets
	neutrals    = 3   // packets after the driver has let go
	repeatEvery = 25  // ticks between copies of the last one, if packets may be lost
	repeats     = 10  // number of copies
	packetLen   = 260 // bytes of a drive packet
	leadIn      = 0.5 // s before the driver moves the stick
)

// The earlier samples in a packet, if packets may be lost. The numbers are those of
// web/src/link/sample-history.ts.
const (
	maxHistory = 8   // samples
	pastDense  = 2   // of them the newest
	pastEvery  = 0.3 // s between the others
	pastSpan   = 2.0 // s
)

// pickHistory returns the earlier samples in a packet, oldest first: the newest ones, others
// that are far enough apart, and the last neutral one before each press.
func pickHistory(before []playout.Sample, t float64) []playout.Sample {
	var picked []playout.Sample
	for i := len(before) - 1; i >= 0 && len(picked) < maxHistory && before[i].T >= t-pastSpan; i-- {
		s := before[i]
		pressed := s.Want.IsZero() && i+1 < len(before) && !before[i+1].Want.IsZero()
		if n := len(picked); n < pastDense || pressed || picked[n-1].T-s.T >= pastEvery-1e-9 {
			picked = append(picked, s)
		}
	}
	slices.Reverse(picked)
	return picked
}

// arrival is a packet on its way.
type arrival struct {
	at     float64 // s, when it arrives
	sample playout.Sample
}

// pageDrive is what the page does in one run: the path of the virtual robot, and the packets in
// the order of their arrival.
type pageDrive struct {
	poses   []robot.Pose // of M, at each robot.Tick from 0 s
	packets []arrival
}

// A network connects the page and the robot.
type network struct {
	name    string
	profile link.Profile
	class   link.Class
	hole    [2]float64 // s, interval in which nothing gets through; zero = none
}

// simulatePage simulates a driver who starts at the pose of C after leadIn, and the packets
// that the page sends.
func simulatePage(desc robot.Description, start robot.Pose, h stickInput, n network, seed uint64) pageDrive {
	up, _ := link.NewPair(n.profile, seed)
	if n.hole[1] > n.hole[0] {
		up.BlackHole(timeAt(n.hole[0]), timeAt(n.hole[1]))
	}
	var d pageDrive
	limit := playout.LimitOf(desc)
	m := robot.Motion{Axle: desc.Drivetrain.Axle(start)}
	var last robot.Twist
	var before []playout.Sample
	seq, s, quiet := uint64(0), 0.0, 0
	send := func(t float64, p playout.Sample, before []playout.Sample) {
		if n.class == link.Datagram {
			p.Hist = pickHistory(before, t)
		}
		if at, ok := up.Arrive(timeAt(t), n.class, packetLen); ok {
			d.packets = append(d.packets, arrival{at.Sub(timeAt(0)).Seconds(), p})
		}
	}
	for k := 0; ; k++ {
		t := float64(k) * robot.Tick
		var want robot.Twist
		over := false
		if t >= leadIn-1e-9 {
			want, over = h(t-leadIn, m)
		}
		d.poses = append(d.poses, m.Axle)
		if (k%sendEvery == 0 || want != last) && (!over || quiet < neutrals) {
			if over {
				quiet++
			}
			seq++
			p := playout.Sample{Lease: 1, Hold: 1, Seq: seq, T: t, Want: want, Twist: m.Twist, Pose: desc.Drivetrain.Centre(m.Axle), S: s}
			send(t, p, before)
			before = append(before, p)
		}
		last = want
		if over && quiet >= neutrals && m.Twist.IsZero() {
			end := len(before) - 1
			for i := 1; i <= repeats && n.class == link.Datagram; i++ {
				send(before[end].T+float64(i*repeatEvery)*robot.Tick, before[end], before[:end])
			}
			slices.SortStableFunc(d.packets, func(a, b arrival) int {
				switch {
				case a.at < b.at:
					return -1
				case a.at > b.at:
					return 1
				}
				return 0
			})
			return d
		}
		m = robot.Step(m, want, limit, robot.Tick)
		s += math.Abs(m.Twist.Linear) * robot.Tick
	}
}

// A plant is a robot that can be driven, with its motion and its estimated pose.
type plant interface {
	// advancePlant advances the robot by one period with the commanded twist at M. It returns
	// the estimate of C, the measured twist at M, and the true pose of M.
	advancePlant(command robot.Twist) (estimate robot.Pose, measured robot.Twist, truth robot.Pose)
}

// roughPlant has motors with a proportional error and an estimate with noise.
type roughPlant struct {
	desc  robot.Description
	luck  *rand.Rand
	axle  robot.Pose  // true pose of M in map
	given robot.Twist // at M
}

func newRoughPlant(desc robot.Description, start robot.Pose, seed uint64) *roughPlant {
	return &roughPlant{desc: desc, luck: rand.New(rand.NewPCG(seed, 11)), axle: desc.Drivetrain.Axle(start)}
}

func (p *roughPlant) advancePlant(command robot.Twist) (robot.Pose, robot.Twist, robot.Pose) {
	const speed, turn, place, angle = 0.99, 1.02, 0.01, 0.5 * math.Pi / 180
	dt := 1 / p.desc.Rate
	p.given = p.desc.Safe.Slew(p.given, p.desc.Safe.Clamp(command), dt)
	moves := robot.Twist{Linear: speed * p.given.Linear, Angular: turn * p.given.Angular}
	wide := robot.Limit{Linear: 10, Angular: 10, LinearAcceleration: 1, AngularAcceleration: 1}
	p.axle = robot.Step(robot.Motion{Axle: p.axle, Twist: moves}, moves, wide, dt).Axle
	e := p.axle
	e.X += place * p.luck.NormFloat64()
	e.Y += place * p.luck.NormFloat64()
	e.Theta = robot.WrapAngle(e.Theta + angle*p.luck.NormFloat64())
	return p.desc.Drivetrain.Centre(e), p.given, p.axle
}

// replayResult is the outcome of one run.
type replayResult struct {
	worst float64      // m, largest distance from the virtual path
	late  []float64    // s behind the virtual robot, while the robot moved
	final float64      // m between the last poses of both
	stall float64      // s
	blind float64      // s, longest time between a packet and the last motion command before the next
	held  string       // reason of the HOLD that ended it
	poses []robot.Pose // of M, true, at each reading
}

// replayDrive simulates a robot that receives the packets.
func replayDrive(desc robot.Description, d pageDrive, o playout.Options, p plant) replayResult {
	player := playout.NewPlayer(desc, o)
	dt := 1 / desc.Rate
	var out replayResult
	var command robot.Twist
	next, nearest, quiet, heard := 0, 0, 0.0, 0.0
	span := float64(len(d.poses)-1) * robot.Tick
	for k := 1; quiet < 2; k++ {
		t := float64(k) * dt
		estimate, measured, truth := p.advancePlant(command)
		for ; next < len(d.packets) && d.packets[next].at <= t; next++ {
			player.Take(timeAt(d.packets[next].at), d.packets[next].sample)
			heard = t
		}
		var status playout.Status
		command, status = player.Tick(timeAt(t), estimate, measured)
		if out.held == "" {
			out.held = status.Hold
		}
		if status.Stalled {
			out.stall += dt
		}
		if !command.IsZero() && next < len(d.packets) {
			out.blind = math.Max(out.blind, t-heard)
		}
		out.poses = append(out.poses, truth)
		best := math.Inf(1)
		for i := nearest; i < min(nearest+300, len(d.poses), int(t/robot.Tick)+1); i++ {
			if e := d.poses[i].Point().Sub(truth.Point()).Norm(); e < best-1e-9 {
				best, nearest = e, i
			}
		}
		if !math.IsInf(best, 1) {
			out.worst = math.Max(out.worst, best)
		}
		if moves := math.Abs(measured.Linear) > 0.02; moves {
			out.late = append(out.late, t-float64(nearest)*robot.Tick)
		}
		if quiet += dt; t < span || next < len(d.packets) || !command.IsZero() {
			quiet = 0
		}
		if t > span+60 {
			break
		}
	}
	out.final = d.poses[len(d.poses)-1].Point().Sub(out.poses[len(out.poses)-1].Point()).Norm()
	return out
}
