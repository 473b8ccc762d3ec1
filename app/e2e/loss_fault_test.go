package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/robot"
	"mybot/robot/models/modelstest"
	"mybot/robot/onboard"
	"mybot/session"
)

// A cable connects the control loop and the simulated base. It records when the commanded speed
// falls, and it can hang.
type cable struct {
	*sim.Driver
	hangs  atomic.Bool
	thawed chan struct{}

	mu     sync.Mutex
	speed  float64
	slower time.Time // since when the commanded speed has been falling; zero = it has not
	up     []string  // each increase of the commanded speed since struck
	struck bool
}

func (c *cable) Drive(t robot.Twist) error {
	c.mu.Lock()
	v := math.Abs(t.Linear)
	switch {
	case v > c.speed+1e-9:
		c.slower = time.Time{}
		if c.struck {
			c.up = append(c.up, fmt.Sprintf("from %.3f to %.3f m/s", c.speed, v))
		}
	case v < c.speed-1e-9 && c.slower.IsZero():
		c.slower = time.Now()
	}
	c.speed = v
	c.mu.Unlock()
	err := c.Driver.Drive(t)
	if c.hangs.Load() {
		<-c.thawed
	}
	return err
}

// A bubbleDriver is a page without a socket in a synctest bubble: what it sends arrives
// immediately.
type bubbleDriver struct {
	user        *session.User
	sending     chan struct{} // holds one token while Receive is called: a page has one read pump
	epoch, hold atomic.Uint64
	seq         uint64
}

func (h *bubbleDriver) send(v map[string]any) {
	frame, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	h.sending <- struct{}{}
	h.user.Receive(frame)
	<-h.sending
}

// sample sends a sample with the drive epoch.
func (h *bubbleDriver) sample(hold uint64, v float64) {
	h.seq++
	h.send(map[string]any{"type": "drive", "lease": h.epoch.Load(), "hold": hold, "seq": h.seq, "t": float64(h.seq) / 20, "v": v, "w": 0, "valid": 0.25})
}

// listen stores the newest numbers until ctx ends.
func (h *bubbleDriver) listen(ctx context.Context) {
	for {
		frame, err := h.user.Next(ctx)
		if err != nil {
			return
		}
		var m struct {
			Type, Kind  string
			N           uint64
			Hold, Epoch uint64
			Lease       json.RawMessage
		}
		if err := json.Unmarshal(frame, &m); err != nil {
			panic(err)
		}
		switch {
		case m.Type == "welcome":
			var lease struct{ Epoch uint64 }
			if err := json.Unmarshal(m.Lease, &lease); err != nil {
				panic(err)
			}
			h.epoch.Store(lease.Epoch)
			h.hold.Store(m.Hold)
		case m.Type == "hold":
			h.hold.Store(m.Hold)
		case m.Kind == "lease":
			h.epoch.Store(m.Epoch)
		case m.Type == "state":
			h.send(map[string]any{"type": "ack", "n": m.N})
		}
	}
}

// The page sends every 50 ms and the base every 20 ms, so steps of 1 ms over 100 ms test a
// fault at every phase of both.
func TestWhateverBreaksAtWhateverMomentTheRobotStandsAndStaysSo(t *testing.T) {
	const (
		cycle  = 100 // ms
		cruise = 0.45
	)
	type scene struct {
		driver *bubbleDriver
		loop   *onboard.Loop
		base   *cable
		silent *atomic.Bool // the driver's samples are lost
	}
	for _, c := range []struct {
		name   string
		strike func(scene)
		heal   func(scene)
		within time.Duration // until the base brakes
		untold bool          // the commands do not show the braking, only the standstill does
	}{
		// A sample is valid for 250 ms after its arrival; the wheels stop at the next reading.
		{"the samples stop", func(s scene) { s.silent.Store(true) }, func(s scene) { s.silent.Store(false) }, 270 * time.Millisecond, false},
		{"the connection ends", func(s scene) { s.driver.user.Leave() }, nil, 20 * time.Millisecond, false},
		{"somebody stops it", func(s scene) { s.loop.Stop("Jin") }, nil, 0, false},
		// The base drops the last command by itself.
		{"the control loop hangs", func(s scene) { s.base.hangs.Store(true) }, func(s scene) { s.base.hangs.Store(false); close(s.base.thawed) }, 270 * time.Millisecond, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			desc := modelstest.Mybot(t)
			desc.Sonars = desc.Sonars[:1] // a robot without range sensors drives slowly; nothing stands here
			var worst, worstStand time.Duration
			for phase := range cycle {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					quiet := slog.New(slog.DiscardHandler)
					base := &cable{Driver: sim.NewDriver(sim.NewWorld(desc, nil, sim.Scene{}, sim.Options{Seed: 1})), thawed: make(chan struct{})}
					var hub *session.Hub
					loop := onboard.NewLoop(base, onboard.NewCore(desc, localization.NewOdometry(desc, robot.Pose{}), nil), func(s robot.State) { hub.Publish(s) }, quiet)
					hub = session.NewHub(session.Config{Robot: loop, Description: desc, Log: quiet})
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
					s := scene{driver: &bubbleDriver{user: user, sending: make(chan struct{}, 1)}, loop: loop, base: base, silent: new(atomic.Bool)}
					all.Go(func() { s.driver.listen(ctx) })
					s.driver.send(map[string]any{"type": "hello", "protocol": "mybot.v1", "tab": "t", "build": "test"})
					time.Sleep(100 * time.Millisecond)
					hold := s.driver.hold.Load()
					all.Go(func() {
						s.driver.sample(hold, 0)
						for ctx.Err() == nil {
							if !s.silent.Load() {
								s.driver.sample(hold, cruise)
							}
							time.Sleep(50 * time.Millisecond)
						}
					})
					time.Sleep(1200*time.Millisecond + time.Duration(phase)*time.Millisecond)
					if v := base.Truth().Twist.Linear; v < 0.95*cruise {
						t.Fatalf("phase %d ms: the robot drives at %.2f m/s before the fault", phase, v)
					}

					at := time.Now()
					c.strike(s)
					base.mu.Lock()
					base.struck = true
					base.mu.Unlock()
					synctest.Wait()
					for base.Truth().Twist.Linear > 0.01 {
						time.Sleep(time.Millisecond)
						if time.Since(at) > 3*time.Second {
							t.Fatalf("phase %d ms: the robot does not stop", phase)
						}
					}
					stood := time.Since(at)
					where := base.Truth().Pose
					time.Sleep(200 * time.Millisecond)
					if c.heal != nil {
						c.heal(s)
					}
					time.Sleep(time.Second)
					if far := base.Truth().Pose.Point().Sub(where.Point()).Norm(); far > 0.005 {
						t.Errorf("phase %d ms: the robot moved again, by %.3f m", phase, far)
					}
					base.mu.Lock()
					defer base.mu.Unlock()
					if len(base.up) > 0 {
						t.Errorf("phase %d ms: the wheels were commanded to speed up: %v", phase, base.up)
					}
					braked := base.slower.Sub(at)
					if braked > c.within && !c.untold {
						t.Errorf("phase %d ms: the robot brakes after %v, want at most %v", phase, braked, c.within)
					}
					// From 0.45 m/s the robot needs 0.87 s, and one reading more, to stop.
					if stood > c.within+910*time.Millisecond {
						t.Errorf("phase %d ms: the robot has stopped after %v", phase, stood)
					}
					worst, worstStand = max(worst, braked), max(worstStand, stood)
				})
			}
			t.Logf("in %d phases it brakes after %v and stands after %v at worst", cycle, worst, worstStand)
		})
	}
}

// The loop may be delayed while an order waits for it.
func TestASampleIsValidFromWhenItCameAndNotFromWhenTheLoopHadTime(t *testing.T) {
	desc := modelstest.Mybot(t)
	desc.Sonars = nil // nothing stands here
	for _, c := range []struct {
		held   time.Duration
		drives bool
	}{{50 * time.Millisecond, true}, {150 * time.Millisecond, false}} {
		synctest.Test(t, func(t *testing.T) {
			base := &cable{Driver: sim.NewDriver(sim.NewWorld(desc, nil, sim.Scene{}, sim.Options{Seed: 1})), thawed: make(chan struct{}), struck: true}
			loop := onboard.NewLoop(base, onboard.NewCore(desc, localization.NewOdometry(desc, robot.Pose{}), nil), func(robot.State) {}, slog.New(slog.DiscardHandler))
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			all.Go(func() { _ = loop.Run(ctx) })
			defer all.Wait()
			defer cancel()
			time.Sleep(110 * time.Millisecond)
			base.hangs.Store(true)
			time.Sleep(20 * time.Millisecond) // now it hangs
			all.Go(func() { loop.Do(ctx, robot.Drive{Twist: robot.Twist{Linear: 0.3}, Valid: 100 * time.Millisecond}) })
			time.Sleep(c.held)
			base.hangs.Store(false)
			close(base.thawed)
			time.Sleep(500 * time.Millisecond)
			base.mu.Lock()
			defer base.mu.Unlock()
			if drives := len(base.up) > 0; drives != c.drives {
				t.Errorf("after a delay of %v, the sample of 100 ms moves the wheels: %v", c.held, base.up)
			}
		})
	}
}
