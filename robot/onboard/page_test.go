package onboard

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// page is a page with a virtual robot, and its way to the robot.
type page struct {
	desc  robot.Description
	delay time.Duration // of every sample

	began    time.Time // zero of its clock
	motion   robot.Motion
	want     robot.Twist
	last     robot.Twist // the want that was sent last
	lease    uint64
	hold     uint64
	seq      uint64
	s        float64
	quiet    int       // neutral samples since the hand let go
	ticks    int       // of 20 ms
	stalled  time.Time // until then nothing crosses
	inFlight []letter
	answers  map[robot.Result]int // but for SUCCESS
	path     []robot.Point        // of the axle
}

// letter is a sample on its way.
type letter struct {
	at     time.Time
	sample robot.Follow
}

func newPage(d robot.Description, at robot.Pose, now time.Time) *page {
	return &page{
		desc: d, motion: robot.Motion{Axle: d.Drivetrain.Axle(at)}, began: now, lease: 1, hold: 1, quiet: neutrals,
		answers: map[robot.Result]int{},
	}
}

// neutrals is how many samples are sent after the hand has let go.
const neutrals = 3

func (p *page) centre() robot.Pose { return p.desc.Drivetrain.Centre(p.motion.Axle) }

// again starts a new path under the next hold number, from where the robot is.
func (p *page) again(at robot.Pose) {
	p.hold++
	p.motion = robot.Motion{Axle: p.desc.Drivetrain.Axle(at)}
	p.want, p.quiet, p.last = robot.Twist{}, neutrals, robot.Twist{}
}

// live lets 20 ms pass until now, and brings what has arrived to the core.
func (p *page) live(core *Core, now time.Time) {
	pressed := !p.want.IsZero()
	if pressed && p.quiet >= neutrals && p.last.IsZero() {
		p.send(now, robot.Twist{}) // every press begins with a neutral sample
	}
	if pressed {
		p.quiet = 0
	}
	p.ticks++
	if p.want != p.last || p.ticks%3 == 0 && (pressed || p.quiet < neutrals) {
		if !pressed {
			p.quiet++
		}
		p.send(now, p.want)
	}
	for range 2 {
		p.motion = robot.Step(p.motion, p.want, playout.LimitOf(p.desc), robot.Tick)
		p.path = append(p.path, p.motion.Axle.Point())
	}
	for len(p.inFlight) > 0 && !now.Before(p.inFlight[0].at) {
		if r := core.Do(now, p.inFlight[0].sample); r.Word != robot.Success {
			p.answers[r]++
		}
		p.inFlight = p.inFlight[1:]
	}
}

func (p *page) send(now time.Time, want robot.Twist) {
	p.seq++
	p.last = want
	at := now.Add(p.delay)
	if at.Before(p.stalled) {
		at = p.stalled
	}
	p.inFlight = append(p.inFlight, letter{at, robot.Follow{
		Lease: p.lease, Hold: p.hold, Seq: p.seq, T: now.Sub(p.began).Seconds(), Made: now.Add(p.delay),
		Want: want, Twist: p.motion.Twist, Pose: p.centre(), S: p.s,
	}})
}

// told says what the core has answered since the last call.
func (p *page) told() string {
	text, best := "", 0
	for r, n := range p.answers {
		if n > best {
			best, text = n, fmt.Sprintf(", %d samples answered %s %s", n, r.Word, r.Reason)
		}
	}
	clear(p.answers)
	return text
}

// off is how far a point is from the nearest one of the virtual robot's path.
func (p *page) off(at robot.Point) float64 {
	best := 1e9
	for _, q := range p.path {
		best = min(best, q.Sub(at).Norm())
	}
	return best
}
