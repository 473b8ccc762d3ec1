package app

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
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

// A pilot is a page that drives a virtual robot over an impaired network, in
// virtual time. Its methods are called by its own goroutine.
type pilot struct {
	desc   robot.Description
	up     chan []byte
	motion robot.Motion // of the virtual robot
	want   robot.Twist
	sent   robot.Twist
	quiet  int // neutral samples since the key was released
	seq    uint64
	driven float64 // m of arc

	mu    sync.Mutex
	path  []robot.Point // of the virtual robot's axle
	seen  bool
	lease uint64
	hold  uint64
	held  []string // reasons
	pose  robot.Pose
	play  []played
}

// played is what the page learned about a tick.
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

// hear learns from a frame.
func (p *pilot) hear(frame []byte) {
	var m struct {
		Type, Kind, Reason string
		N, Hold, Epoch     uint64
		Lease              struct{ Epoch uint64 }
		Pose               []float64
		Play               *played
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		return // the list of requests has another shape
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
		p.seen, p.pose = true, robot.Pose{X: m.Pose[0], Y: m.Pose[1], Theta: m.Pose[2]}
		if m.Play != nil {
			p.play = append(p.play, *m.Play)
		}
		ack := m.N
		go p.send(map[string]any{"type": "ack", "n": ack})
	}
}

// begin puts the virtual robot at the robot's last known pose.
func (p *pilot) begin() (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.motion = robot.Motion{Axle: p.desc.Drivetrain.Axle(p.pose)}
	return p.seen
}

// holds returns the reasons for which the robot ended teleoperation.
func (p *pilot) holds() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.held)
}

// drive holds the stick for d.
func (p *pilot) drive(v, w float64, lasts time.Duration) {
	p.want = robot.Twist{Linear: v, Angular: w}
	for k := range int(lasts / (10 * time.Millisecond)) {
		pressed := !p.want.IsZero()
		switch {
		case pressed && p.quiet > 2:
			p.sample(robot.Twist{}) // every press begins with a neutral sample
			p.quiet = 0
			fallthrough
		case p.want != p.sent, k%5 == 0 && (pressed || p.quiet <= 2):
			p.sample(p.want)
		}
		p.motion = robot.Step(p.motion, p.want, playout.LimitOf(p.desc), robot.Tick)
		p.driven += math.Abs(p.motion.Twist.Linear) * robot.Tick
		p.mu.Lock()
		p.path = append(p.path, p.motion.Axle.Point())
		p.mu.Unlock()
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
		"vr": []float64{at.X, at.Y, at.Theta, t.Linear, t.Angular, p.driven},
	})
}

// now is the time on the page's clock.
func now() time.Duration { return time.Duration(time.Now().UnixNano() % 1e14) }

// off is the distance of a point from the virtual robot's path, in m.
func (p *pilot) off(at robot.Point) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := math.Inf(1)
	for _, q := range p.path {
		best = min(best, q.Sub(at).Norm())
	}
	return best
}

// flight is a pilot and a robot in the office.
type flight struct {
	*pilot
	base    *sim.Driver
	hub     *session.Hub
	uplink  *link.Path
	worst   float64 // m, of the true axle from the virtual robot's path
	watched sync.WaitGroup
}

// axle is the true position of the axle.
func (f *flight) axle() robot.Point { return f.desc.Drivetrain.Axle(f.base.Truth().Pose).Point() }

// apart is the distance of the axle from the virtual robot's, in m.
func (f *flight) apart() float64 { return f.motion.Axle.Point().Sub(f.axle()).Norm() }

// watch samples the robot's true pose for d, beside the pilot.
func (f *flight) watch(lasts time.Duration) {
	f.watched.Go(func() {
		for range int(lasts / (20 * time.Millisecond)) {
			time.Sleep(20 * time.Millisecond)
			if e := f.off(f.axle()); !math.IsInf(e, 1) {
				f.worst = max(f.worst, e)
			}
		}
	})
}

// fly has a pilot drive the robot in the office over the network: page, hub,
// control loop, localization and the simulated base, all of them, in virtual time.
// The robot's sonars see the floor; there are neither people nor boxes.
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
		f := &flight{pilot: &pilot{desc: desc, up: make(chan []byte, 1000), quiet: 3}, base: base, hub: hub}
		var down *link.Path
		f.uplink, down = link.NewPair(p, seed)
		downs := make(chan []byte)
		all.Go(func() {
			_ = link.DeliverMessages(ctx, f.uplink, link.Stream, f.up, func(m []byte) error { user.Receive(m); return nil })
		})
		all.Go(func() {
			_ = link.DeliverMessages(ctx, down, link.Stream, downs, func(m []byte) error { f.hear(m); return nil })
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
		for !f.begin() {
			time.Sleep(100 * time.Millisecond)
		}
		drive(f)
	})
}

// officeTable is the localization's table of the office, made once.
var officeTable struct {
	sync.Mutex
	*localization.Table
}

// tableOf returns the localization's table of the office.
func tableOf(t *testing.T) (*localization.Table, *robot.Floorplan) {
	t.Helper()
	desc, plan := built(t)
	officeTable.Lock()
	defer officeTable.Unlock()
	if officeTable.Table == nil {
		table, err := localization.NewTable(t.Context(), plan, desc, nil)
		if err != nil {
			t.Fatal(err)
		}
		officeTable.Table = table
	}
	return officeTable.Table, plan
}

func TestDelayDoesNotChangeThePathThroughTheWholeProgram(t *testing.T) {
	table, plan := tableOf(t)
	for name, network := range map[string]string{
		"at home":             "lan",
		"RTT 310 ms":          "rtt=310ms,jitter=40ms,loss=1%",
		"RTT 2000 ms":         "rtt=2000ms,jitter=40ms",
		"RTT 310 ms, silence": "rtt=310ms,jitter=40ms,stall=0.2..0.8s,every=10s",
	} {
		t.Run(name, func(t *testing.T) {
			profile, err := link.ParseProfile(network)
			if err != nil {
				t.Fatal(err)
			}
			t.Parallel()
			for seed := range uint64(5) {
				fly(t, table, plan, profile, seed+1, func(f *flight) {
					f.watch(20 * time.Second)
					for _, s := range [][2]float64{{0.45, 0}, {0.45, -0.2}, {0.45, 0.2}, {0.3, 0}, {0, 0.6}, {0, -0.6}, {0.45, 0}} {
						f.drive(s[0], s[1], 2*time.Second)
					}
					f.drive(0, 0, 6*time.Second)
					f.watched.Wait()
					t.Logf("seed %d: %.1f m driven, at most %.3f m off the path in truth, %.3f m apart in the end", seed+1, f.driven, f.worst, f.apart())
					if held := f.holds(); len(held) > 0 || f.worst > 0.05 || f.apart() > 0.05 || f.driven < 3 {
						t.Errorf("seed %d: held %q, %.3f m off, %.3f m apart", seed+1, held, f.worst, f.apart())
					}
				})
			}
		})
	}
}

// The uplink is dead for 3 s while the stick is held. The driver releases it a
// second before the uplink recovers and delivers everything sent meanwhile.
func TestNothingStaleIsExecutedThroughTheWholeProgram(t *testing.T) {
	t.Parallel()
	table, plan := tableOf(t)
	profile, err := link.ParseProfile("kaist-davis")
	if err != nil {
		t.Fatal(err)
	}
	fly(t, table, plan, profile, 3, func(f *flight) {
		f.drive(0.45, 0, 2*time.Second)
		lost := time.Now()
		f.uplink.BlackHole(lost, lost.Add(3*time.Second))
		f.drive(0.45, 0, 2*time.Second)
		f.drive(0, 0, 900*time.Millisecond)
		rests := f.axle()
		f.drive(0, 0, 4*time.Second)
		if moved := f.axle().Sub(rests).Norm(); moved > 0.005 {
			t.Errorf("it moved by %.3f m after the stall", moved)
		}
		if held := f.holds(); len(held) != 1 || !strings.HasPrefix(held[0], "Nothing arrived") {
			t.Errorf("held %q", held)
		}
		// The next press begins where the robot is.
		f.begin()
		f.drive(0.45, 0, 2*time.Second)
		f.drive(0, 0, 4*time.Second)
		if moved := f.axle().Sub(rests).Norm(); moved < 0.5 || f.apart() > 0.05 || len(f.holds()) != 1 {
			t.Errorf("it moved by %.2f m, %.3f m apart, held %q", moved, f.apart(), f.holds())
		}
	})
}

// A whole press falls into the stall: nothing moves.
func TestAPressThatIsOverWhenItArrivesMovesNothing(t *testing.T) {
	t.Parallel()
	table, plan := tableOf(t)
	fly(t, table, plan, link.Profile{RoundTrip: 310 * time.Millisecond}, 1, func(f *flight) {
		f.uplink.BlackHole(time.Now(), time.Now().Add(3*time.Second))
		rests := f.axle()
		f.drive(0.45, 0, time.Second)
		f.drive(0, 0, 5*time.Second)
		if moved := f.axle().Sub(rests).Norm(); moved > 0.002 {
			t.Errorf("it moved by %.3f m", moved)
		}
		if held := f.holds(); len(held) != 1 || !strings.HasPrefix(held[0], "The network held the drive samples back") {
			t.Errorf("held %q", held)
		}
	})
}

func TestSTOPDoesNotWaitForThePathThroughTheWholeProgram(t *testing.T) {
	t.Parallel()
	table, plan := tableOf(t)
	profile, err := link.ParseProfile("rtt=310ms,jitter=100ms") // much is buffered
	if err != nil {
		t.Fatal(err)
	}
	fly(t, table, plan, profile, 1, func(f *flight) {
		f.drive(0.45, 0, 3*time.Second)
		f.hub.Stop("a form", session.Identity{})
		stopped := f.axle()
		f.drive(0.45, 0, 950*time.Millisecond)
		if v := f.base.Truth().Twist.Linear; math.Abs(v) > 0.01 {
			t.Errorf("it drives at %.2f m/s", v)
		}
		if driven := f.axle().Sub(stopped).Norm(); driven > 0.23 {
			t.Errorf("it rolled %.2f m", driven)
		}
	})
}
