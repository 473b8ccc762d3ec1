package app

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/link"
	"mybot/localization"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/robot/playout"
	"mybot/session"
)

// A pilot is a page that drives a virtual robot, over a network that may be
// bad, in virtual time. Its own goroutine calls its methods.
type pilot struct {
	desc   robot.Description
	up     chan []byte
	motion robot.Motion // of the virtual robot
	want   robot.Twist
	sent   robot.Twist
	quiet  int // neutral samples since the hand let go
	seq    uint64
	way    float64 // m of arc
	path   []robot.Point

	mu    sync.Mutex
	lease uint64
	hold  uint64
	held  []string // reasons
	pose  robot.Pose
	play  []played
}

// played is what the page heard of a tick.
type played struct {
	Policy             string
	Lead, Jitter, Rate float64
	Error              float64
}

func (p *pilot) send(v map[string]any) {
	frame, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	p.up <- frame
}

// hear keeps what a frame says in mind.
func (p *pilot) hear(frame []byte) {
	var m struct {
		Type, Kind, Reason string
		N, Hold, Epoch     uint64
		Lease              struct{ Epoch uint64 }
		Pose               []float64
		Play               *played
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		return // a request's list has another shape
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.Type == "welcome":
		p.lease, p.hold = m.Lease.Epoch, m.Hold
	case m.Type == "hold":
		p.hold, p.held = m.Hold, append(p.held, m.Reason)
	case m.Kind == "lease":
		p.lease = m.Epoch
	case m.Type == "state":
		p.pose = robot.Pose{X: m.Pose[0], Y: m.Pose[1], Theta: m.Pose[2]}
		if m.Play != nil {
			p.play = append(p.play, *m.Play)
		}
		ack := m.N
		go p.send(map[string]any{"type": "ack", "n": ack})
	}
}

// begin puts the virtual robot where the robot was seen.
func (p *pilot) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.motion = robot.Motion{Axle: p.desc.Drivetrain.Axle(p.pose)}
}

// drive holds the stick for so long.
func (p *pilot) drive(v, w float64, lasts time.Duration) {
	p.want = robot.Twist{Linear: v, Angular: w}
	for k := range int(lasts / (10 * time.Millisecond)) {
		pressed := !p.want.IsZero()
		switch {
		case pressed && p.quiet > 2:
			p.sample(robot.Twist{}) // every press begins with a neutral one
			p.quiet = 0
			fallthrough
		case p.want != p.sent, k%5 == 0 && (pressed || p.quiet <= 2):
			p.sample(p.want)
		}
		p.motion = robot.Step(p.motion, p.want, playout.Virtual(p.desc.Safe), robot.Tick)
		p.way += math.Abs(p.motion.Twist.Linear) * robot.Tick
		p.path = append(p.path, p.motion.Axle.Point())
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *pilot) sample(want robot.Twist) {
	p.seq++
	p.sent = want
	if want.IsZero() {
		p.quiet++
	}
	p.mu.Lock()
	lease, hold := p.lease, p.hold
	p.mu.Unlock()
	at, t := p.desc.Drivetrain.Centre(p.motion.Axle), p.motion.Twist
	p.send(map[string]any{
		"type": "drive", "lease": lease, "hold": hold, "seq": p.seq, "t": now().Seconds(), "v": want.Linear, "w": want.Angular, "valid": 0.25,
		"vr": []float64{at.X, at.Y, at.Theta, t.Linear, t.Angular, p.way},
	})
}

// now is the page's clock.
func now() time.Duration { return time.Duration(time.Now().UnixNano() % 1e14) }

// off is how far a point is from the virtual robot's path.
func (p *pilot) off(at robot.Point) float64 {
	best := math.Inf(1)
	for _, q := range p.path {
		best = min(best, q.Sub(at).Norm())
	}
	return best
}

// flight is a pilot at a robot in the office.
type flight struct {
	*pilot
	base  *sim.Driver
	loop  *onboard.Loop
	down  *link.Path
	uplnk *link.Path
	worst float64 // m, of the axle in truth from the virtual robot's path
}

// watch looks for so long at where the robot is in truth.
func (f *flight) watch(lasts time.Duration) {
	for range int(lasts / (20 * time.Millisecond)) {
		time.Sleep(20 * time.Millisecond)
		axle := f.desc.Drivetrain.Axle(f.base.Truth().Pose).Point()
		f.worst = max(f.worst, f.off(axle))
	}
}

// fly has a pilot drive the robot in the office over the network: page, hub,
// control loop, localization and the simulated base, all of them, in virtual
// time. The robot's sonars see the floor; people and boxes are gone.
func fly(t *testing.T, table *localization.Table, plan *robot.Floorplan, p link.Profile, seed uint64, drive func(*flight)) {
	t.Helper()
	desc, _ := built(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		scene := sim.DefaultScene()
		start := robot.Pose{X: 4.5, Y: 7.3}
		base := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: seed, Start: start}))
		var hub *session.Hub
		loop := onboard.NewLoop(base, onboard.NewCore(desc, localization.NewMCL(desc, table, start, seed), nil), func(s robot.State) { hub.Publish(s) }, quiet())
		hub = session.NewHub(session.Config{Robot: loop, Description: desc, Log: quiet()})
		loopCtx, endLoop := context.WithCancel(context.WithoutCancel(ctx))
		var all, late sync.WaitGroup
		late.Go(func() { _ = loop.Run(loopCtx) })
		all.Go(func() { _ = hub.Run(ctx) })
		defer func() {
			cancel()
			all.Wait()
			endLoop()
			late.Wait()
		}()
		user, err := hub.Join(ctx, session.Identity{Browser: "ana", Role: session.Operator})
		if err != nil {
			t.Fatal(err)
		}
		f := &flight{pilot: &pilot{desc: desc, up: make(chan []byte, 1000), quiet: 3}, base: base, loop: loop}
		f.uplnk, f.down = link.NewPair(p, seed)
		downs := make(chan []byte)
		all.Go(func() {
			_ = link.Deliver(ctx, f.uplnk, link.Stream, f.up, func(m []byte) error { user.Receive(m); return nil })
		})
		all.Go(func() {
			_ = link.Deliver(ctx, f.down, link.Stream, downs, func(m []byte) error { f.hear(m); return nil })
		})
		all.Go(func() {
			for {
				frame, err := user.Next(ctx)
				if err != nil {
					return
				}
				select {
				case downs <- frame:
				case <-ctx.Done():
					return
				}
			}
		})
		f.send(map[string]any{"type": "hello", "protocol": "mybot.v1", "tab": "t", "build": "test"})
		for range 8 {
			f.send(map[string]any{"type": "clock", "t1": now().Seconds(), "rtt_ms": nil})
			time.Sleep(250 * time.Millisecond)
		}
		f.begin()
		drive(f)
	})
}

func TestDelayDoesNotBendTheWayThroughTheWholeProgram(t *testing.T) {
	desc, plan := built(t)
	table, err := localization.NewTable(t.Context(), plan, desc.Sonars, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		network string
		bound   float64 // m in truth; the localization is a part of it
	}{
		"at home":            {"lan", 0.05},
		"RTT 310 ms, TCP":    {"rtt=310ms,jitter=40ms,loss=1%", 0.05},
		"the same, 2000 ms":  {"rtt=2000ms,jitter=40ms", 0.05},
		"with short silence": {"rtt=310ms,jitter=40ms,stall=0.2..0.8s,every=10s", 0.06},
	} {
		t.Run(name, func(t *testing.T) {
			profile, err := link.Parse(c.network)
			if err != nil {
				t.Fatal(err)
			}
			fly(t, table, plan, profile, 1, func(f *flight) {
				var watcher sync.WaitGroup
				watcher.Go(func() {})
				for _, s := range [][2]float64{{0.45, 0}, {0.45, -0.2}, {0.45, 0.2}, {0.3, 0}, {0, 0.6}, {0, -0.6}, {0.45, 0}} {
					f.drive(s[0], s[1], 2*time.Second)
				}
				f.drive(0, 0, time.Second)
				f.watch(5 * time.Second)
				f.mu.Lock()
				defer f.mu.Unlock()
				apart := f.motion.Axle.Point().Sub(f.desc.Drivetrain.Axle(f.base.Truth().Pose).Point()).Norm()
				off := 0.0
				for _, p := range f.play {
					off = max(off, p.Error)
				}
				t.Logf("%.1f m driven; %.3f m apart in the end, %.3f m off the reference at most by the robot's own word", f.way, apart, off)
				if len(f.held) > 0 || apart > c.bound || f.way < 3 {
					t.Errorf("held %q, %.3f m apart", f.held, apart)
				}
			})
		})
	}
}
