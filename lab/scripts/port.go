package scripts

import (
	"context"
	"errors"
	"math"
	"net"
	"sync"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/internal/testbed"
	"mybot/robot"
	"mybot/script/client"
)

// An instant is what a robot did at a time.
type instant struct {
	at    time.Time
	truth sim.Truth
	drive robot.Twist // commanded
	head  float64     // rad, pan, commanded
}

// A watched driver records what the robot does with every command.
type watched struct {
	*sim.Driver
	mu   sync.Mutex
	head float64
	all  []instant
}

// Drive implements robot.Driver.
func (d *watched) Drive(t robot.Twist) error {
	truth := d.Truth()
	d.mu.Lock()
	d.all = append(d.all, instant{time.Now(), truth, t, d.head})
	d.mu.Unlock()
	return d.Driver.Drive(t)
}

// Look implements robot.Head.
func (d *watched) Look(a robot.HeadAngles) error {
	d.mu.Lock()
	d.head = a.Pan
	d.mu.Unlock()
	return d.Driver.Look(a)
}

// since returns what was recorded from a time on.
func (d *watched) since(from time.Time) []instant {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, one := range d.all {
		if !one.at.Before(from) {
			return append([]instant(nil), d.all[i:]...)
		}
	}
	return nil
}

// last returns the newest record.
func (d *watched) last() instant {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.all) == 0 {
		return instant{}
	}
	return d.all[len(d.all)-1]
}

// A portRig is a robot server with a port for scripts, on an empty floor.
type portRig struct {
	driver *watched
	port   string // address of its port for scripts
}

// withPort serves a robot with a seed while use runs.
func withPort(ctx context.Context, seed uint64, use func(context.Context, *portRig) error) error {
	scene := sim.DefaultScene()
	scene.People, scene.Obstacles = nil, nil
	d := &watched{Driver: sim.NewDriver(sim.NewWorld(testbed.Mybot(), nil, scene, sim.Options{Seed: seed}))}
	ln, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return err
	}
	cfg := testbed.OpenFloor()
	cfg.Urbi = ln
	return testbed.WithDriver(ctx, testbed.Loopback, d, cfg, func(string) error {
		return use(ctx, &portRig{driver: d, port: ln.Addr().String()})
	})
}

// dial connects to the port.
func (r *portRig) dial(ctx context.Context) (*client.Client, error) {
	return client.Dial(ctx, r.port, client.Options{})
}

// await waits until the robot is as wanted.
func (r *portRig) await(ctx context.Context, is func(instant) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errors.New("the robot does not do what the experiment waits for"))
	defer cancel()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for !is(r.driver.last()) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-every.C:
		}
	}
	return nil
}

func isTurning(i instant) bool { return math.Abs(i.truth.Twist.Angular) > 0.3 }
func isStill(i instant) bool {
	return math.Abs(i.truth.Twist.Angular) < 0.01 && math.Abs(i.truth.Twist.Linear) < 0.005
}
