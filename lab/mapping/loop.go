package mapping

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mybot/app"
	"mybot/client"
	"mybot/drivers/sim"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/robot"
	"mybot/session/protocol"
)

const (
	roundWay    = 15.0                   // m, the farthest point of a round
	sampleEvery = 50 * time.Millisecond  // period of the driver's samples
	sampleValid = 250 * time.Millisecond // validity of a sample
	settled     = 2 * time.Second        // pause between two rounds
	caughtUp    = 20 * time.Second       // the longest time for the map to catch up with the robot
	mappingURL  = "/api/v1/mapping"
)

// loopOutcome is the effect of mapping on the control loop of a server.
type loopOutcome struct {
	Map     string     `json:"map"`
	Robot   string     `json:"robot"`
	Rounds  []roundRow `json:"rounds"`
	Off     float64    `json:"p99_ms"`         // of the delays of all rounds without mapping
	On      float64    `json:"p99_mapping_ms"` // of those with mapping
	More    float64    `json:"p99_more_ms"`
	TickOff float64    `json:"tick_p99_ms"` // the same of the ticks
	TickOn  float64    `json:"tick_p99_mapping_ms"`
	Tick    float64    `json:"tick_p99_more_ms"`
}

// roundRow is one round. A delay is the time from when a reading is due until the base has its
// command; a tick is the part of it after the driver returned the reading.
type roundRow struct {
	Mapping   bool    `json:"mapping"`
	KeyFrames int     `json:"key_frames"` // of the map at its end
	Loops     int     `json:"loops"`
	Seconds   float64 `json:"seconds"`
	Readings  int     `json:"readings"`
	Median    float64 `json:"delay_median_ms"`
	P99       float64 `json:"delay_p99_ms"`
	Most      float64 `json:"delay_max_ms"`
	Tick      float64 `json:"tick_p99_ms"`
	Late      int     `json:"over_20_ms"` // delays
}

func (o loopOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s, a real server, rounds by turns without and with mapping; ms from when a reading is due until the base has its command.\n\n", o.Robot, o.Map)
	report.Table(&b, []string{
		"mapping|%-7v", "key frames|%6d", "loops|%5d", "s|%5.0f", "readings|%6d", "median|%6.2f", "p99|%6.2f", "most|%6.1f", "over 20|%4d", "tick p99|%6.2f",
	}, o.Rounds, func(r roundRow) []any {
		return []any{r.Mapping, r.KeyFrames, r.Loops, r.Seconds, r.Readings, r.Median, r.P99, r.Most, r.Late, r.Tick}
	})
	fmt.Fprintf(&b, "\nAll rounds, 99th percentile: %.2f ms without, %.2f ms with mapping, %+.2f ms; from the reading on: %.2f, %.2f, %+.2f ms.", o.Off, o.On, o.More, o.TickOff, o.TickOn, o.Tick)
	return b.String()
}

// A timedDriver measures the time from when a reading is due until the base has its command.
type timedDriver struct {
	*sim.Driver

	mu     sync.Mutex
	asked  []pendingReading // by the loop, oldest first
	delays []float64        // ms
	ticks  []float64        // ms
}

type pendingReading struct{ due, read time.Time }

// Read implements robot.Driver.
func (d *timedDriver) Read(ctx context.Context) (robot.Reading, error) {
	r, err := d.Driver.Read(ctx)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.asked = append(d.asked, pendingReading{r.Time, time.Now()})
	}
	return r, err
}

// Drive implements robot.Driver.
func (d *timedDriver) Drive(t robot.Twist) error {
	err := d.Driver.Drive(t)
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) > 0 {
		d.delays = append(d.delays, now.Sub(d.asked[0].due).Seconds()*1e3)
		d.ticks = append(d.ticks, now.Sub(d.asked[0].read).Seconds()*1e3)
		d.asked = slices.Delete(d.asked, 0, 1)
	}
	return err
}

// take returns the measurements since the last call.
func (d *timedDriver) take() (delays, ticks []float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delays, ticks = d.delays, d.ticks
	d.delays, d.ticks = nil, nil
	return delays, ticks
}

// measureLoop drives the same round repeatedly on a real server, alternately without and with
// mapping, and measures the control loop. A map continues after its pause, so it grows from
// round to round. The number of goroutines that run at once is that of a server on its own.
func (s *Site) measureLoop(ctx context.Context, errOut io.Writer, pairs int, away float64) (o loopOutcome, err error) {
	o = loopOutcome{Map: s.Plan.Name, Robot: s.Desc.Name}
	before := app.SetThreads(os.Getenv)
	defer runtime.GOMAXPROCS(before)
	round := s.drawRound(away)
	scene := sim.DefaultScene()
	scene.Start = robot.Pose{X: round[0].X, Y: round[0].Y}
	driver := &timedDriver{Driver: sim.NewDriver(sim.NewWorld(s.Desc, s.Plan, scene, sim.Options{Seed: 1}))}
	dir, err := os.MkdirTemp("", "mybot-lab-loop-")
	if err != nil {
		return o, fmt.Errorf("lab: mapping: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cfg := app.Config{Plan: &robot.Floorplan{Name: "no map"}, Build: "lab", Simulator: true, DataDir: dir}
	err = testbed.WithDriver(ctx, testbed.Loopback, driver, cfg, func(addr string) error {
		u, err := takeRobot(ctx, addr)
		if err != nil {
			return err
		}
		defer u.close()
		var delays, ticks [2][]float64
		action := "start"
		for n := range 2 * pairs {
			row := roundRow{Mapping: n%2 == 1}
			if row.Mapping {
				if err := u.order(ctx, action); err != nil {
					return err
				}
				action = "resume"
			}
			driver.take()
			began := time.Now()
			if err := u.driveAlong(ctx, driver, round); err != nil {
				return err
			}
			d, t := driver.take()
			row.Seconds, row.Readings = time.Since(began).Seconds(), len(d)
			row.Median, row.P99, row.Most, row.Tick = stats.Quantile(d, 0.5), stats.Quantile(d, 0.99), stats.Quantile(d, 1), stats.Quantile(t, 0.99)
			for _, ms := range d {
				stats.Count(&row.Late, ms > 20)
			}
			if delays[n%2], ticks[n%2] = append(delays[n%2], d...), append(ticks[n%2], t...); row.Mapping {
				e, err := u.pauseMapping(ctx)
				if err != nil {
					return err
				}
				row.KeyFrames, row.Loops = e.KeyFrames, e.Loops
			}
			o.Rounds = append(o.Rounds, row)
			_, _ = fmt.Fprintf(errOut, "round %d of %d, mapping %v: 99th percentile %.2f ms\n", n+1, 2*pairs, row.Mapping, row.P99)
		}
		o.Off, o.On = stats.Quantile(delays[0], 0.99), stats.Quantile(delays[1], 0.99)
		o.TickOff, o.TickOn = stats.Quantile(ticks[0], 0.99), stats.Quantile(ticks[1], 0.99)
		o.More, o.Tick = o.On-o.Off, o.TickOn-o.TickOff
		return nil
	})
	return o, err
}

// drawRound returns a path on the lanes from a via point to the farthest one within away, in m,
// and back.
func (s *Site) drawRound(away float64) []robot.Point {
	part := s.Roads.LargestPart()
	from := map[int]int{part[0]: -1}
	far := map[int]float64{part[0]: 0}
	last := part[0]
	for queue := []int{part[0]}; len(queue) > 0; queue = queue[1:] {
		a := queue[0]
		for _, b := range s.Roads.Next(a) {
			way := far[a] + s.Roads.At[a].Sub(s.Roads.At[b]).Norm()
			if _, known := from[b]; known || way > away {
				continue
			}
			from[b], far[b] = a, way
			queue = append(queue, b)
			if way > far[last] {
				last = b
			}
		}
	}
	var back []robot.Point
	for n := last; n >= 0; n = from[n] {
		back = append(back, s.Roads.At[n])
	}
	out := slices.Clone(back)
	slices.Reverse(out)
	return append(out, back[1:]...)
}

// A robotUser is a user of a server who has control and drives.
type robotUser struct {
	client *client.Client
	conn   *client.Conn
	lease  uint64
	epoch  atomic.Uint64 // the newest drive epoch, for the samples
	gone   atomic.Pointer[error]
	ended  chan struct{} // closed when the reader has ended
	seq    uint64
}

// close ends the connection.
func (u *robotUser) close() {
	u.conn.Close()
	<-u.ended
}

// takeRobot connects to a server and takes control.
func takeRobot(ctx context.Context, addr string) (*robotUser, error) {
	c, err := client.New("http://"+addr, client.Options{Identity: client.NewIdentity()})
	if err != nil {
		return nil, err
	}
	conn, err := c.Connect(ctx, "Lab", "lab")
	if err != nil {
		return nil, err
	}
	if err := conn.TakeControl(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	u := &robotUser{client: c.WithTimeout(caughtUp), conn: conn, lease: conn.Epoch(), ended: make(chan struct{})}
	u.epoch.Store(conn.Welcome().DriveEpoch)
	go func() { // until the connection is closed
		defer close(u.ended)
		for {
			m, err := conn.Next(ctx)
			if err != nil {
				u.gone.Store(&err)
				return
			}
			if reset, ok := m.(protocol.DriveReset); ok {
				u.epoch.Store(reset.DriveEpoch)
			}
		}
	}()
	return u, nil
}

// order requests an action of the mapper.
func (u *robotUser) order(ctx context.Context, action string) error {
	err := u.client.DoJSON(ctx, "POST", mappingURL, map[string]any{"lease": u.lease, "action": action}, nil)
	if err != nil {
		return fmt.Errorf("lab: mapping: %s: %w", action, err)
	}
	return nil
}

// pauseMapping pauses mapping and waits until the map has caught up with the robot.
func (u *robotUser) pauseMapping(ctx context.Context) (e protocol.MappingEvent, err error) {
	if err := u.client.DoJSON(ctx, "GET", mappingURL, nil, &e); err != nil {
		return e, err
	}
	if e.State != "mapping" {
		return e, fmt.Errorf("lab: mapping: after a round the server is not mapping but %s: %s", e.State, e.Why)
	}
	if err := u.order(ctx, "pause"); err != nil {
		return e, err
	}
	every := time.NewTicker(settled)
	defer every.Stop()
	for late := time.Now().Add(caughtUp); ; {
		select {
		case <-ctx.Done():
			return e, ctx.Err()
		case <-every.C:
		}
		if err := u.client.DoJSON(ctx, "GET", mappingURL, nil, &e); err != nil {
			return e, err
		}
		if e.Behind == 0 {
			return e, nil
		}
		if time.Now().After(late) {
			return e, fmt.Errorf("lab: mapping: the map is still %.1f s behind the robot after %v", float64(e.Behind), caughtUp)
		}
	}
}

// driveAlong drives along a tour by the true pose and stops at its end.
func (u *robotUser) driveAlong(ctx context.Context, d *timedDriver, tour []robot.Point) error {
	by := hand{tour: tour}
	every := time.NewTicker(sampleEvery)
	defer every.Stop()
	began, length := time.Now(), 0.0
	for i := 1; i < len(tour); i++ {
		length += tour[i].Sub(tour[i-1]).Norm()
	}
	epoch := uint64(math.MaxUint64) // none
	for stands := 0; stands < int(settled/sampleEvery); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-every.C:
		}
		if err := u.gone.Load(); err != nil {
			return fmt.Errorf("lab: mapping: the server has closed the connection: %w", *err)
		}
		if time.Since(began).Seconds() > length/slowest+60 {
			return errors.New("lab: mapping: the round takes too long; is the robot held?")
		}
		var ask robot.Twist
		if by.done() {
			stands++
		} else {
			ask = by.ask(d.Truth(), sampleEvery.Seconds())
		}
		if now := u.epoch.Load(); now != epoch { // a drive begins from neutral
			epoch, ask = now, robot.Twist{}
		}
		u.seq++
		sample := protocol.Drive{Lease: u.lease, DriveEpoch: epoch, Seq: u.seq, T: time.Since(began).Seconds(), V: ask.Linear, W: ask.Angular, Valid: sampleValid}
		if err := u.conn.Send(ctx, sample); err != nil {
			return fmt.Errorf("lab: mapping: %w", err)
		}
	}
	return nil
}
