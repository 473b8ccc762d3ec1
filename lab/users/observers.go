// Package users holds the experiments about many people at one robot: the cost of observers,
// and the rules of control.
package users

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
)

// observedEvery is the period at which observers get states.
const observedEvery = 50 * time.Millisecond

// settlingTime is the pause after a crowd of a size has connected: the list of a thousand
// people is sent once in 5 s.
func settlingTime(size int) time.Duration {
	return time.Second + time.Duration(size)*6*time.Millisecond
}

// spareFiles is the number of open files of a process besides those of the observers.
const spareFiles = 64

// observersOutcome is the cost of a crowd of observers.
type observersOutcome struct {
	Observers int          `json:"observers"`
	Hz        float64      `json:"hz"`
	P99       float64      `json:"p99_ms"`     // of the ages of states on arrival, since the base's reading
	RawP99    float64      `json:"raw_p99_ms"` // the same for the raw loop, since the beginning of its round
	CPU       float64      `json:"cpu"`        // s of the server's time in 1 s
	RawCPU    float64      `json:"raw_cpu"`
	Ratio     float64      `json:"cpu_ratio_to_raw_tcp"`
	Memory    float64      `json:"kb_per_connection"` // of the server's heap and stacks
	Skipped   int          `json:"skipped"`           // states that an observer missed
	Stuck     stuckOutcome `json:"stuck"`
}

// stuckOutcome describes the other observers while some of them do not read.
type stuckOutcome struct {
	Observers int     `json:"observers"` // all
	Stuck     int     `json:"stuck"`
	P99       float64 `json:"p99_ms"` // of the others
	Skipped   int     `json:"skipped"`
}

func (o observersOutcome) String() string {
	return fmt.Sprintf(`%d observers at %.0f Hz cost %.2f s of the server's CPU time a second and %.0f KB each.
A raw TCP loop that writes the same bytes to as many sockets costs %.2f s: a ratio of %.2f.
99 of 100 states arrive within %.1f ms, in the raw loop within %.1f ms; %d were skipped.
With %d of them stuck the rest get theirs within %.1f ms; %d were skipped.`,
		o.Observers, o.Hz, o.CPU, o.Memory, o.RawCPU, o.Ratio, o.P99, o.RawP99, o.Skipped, o.Stuck.Stuck, o.Stuck.P99, o.Stuck.Skipped)
}

// Observe shows a robot to a crowd and compares it with a raw TCP loop, in turns. The crowd is
// another process, so that the server's time is measured alone.
func Observe(ctx context.Context, c experiment.Call) error {
	var size, stuck, turns int
	var lasts time.Duration
	if err := c.Parse(func(f *experiment.Flags) {
		f.Int(&size, "observers", 1000, 1, 1900, "`how many` observers")
		f.IntVar(&stuck, "stuck", 100, "`how many` of them stop reading in the end")
		f.Int(&turns, "turns", 2, 1, 100, "`how many` alternating runs of Mybot and of the raw loop")
		f.DurationVar(&lasts, "for", 4*time.Second, "how long each turn is measured")
	}); err != nil {
		return err
	}
	switch {
	case stuck < 0 || stuck >= size:
		return c.Refuse("--stuck is %d; it must be from 0 to %d, one less than the observers", stuck, size-1)
	case lasts < 100*time.Millisecond || lasts > 4*time.Second:
		return c.Refuse("--for is %v; it must be from 100ms to 4s, before those who are stuck are let go", lasts)
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return fmt.Errorf("lab: observers: %w", err)
	}
	if need := uint64(size) + spareFiles; files.Cur < need {
		return fmt.Errorf("lab: observers: a process may open %d files here and %d observers need %d: raise it with ulimit -n, or say --observers", files.Cur, size, need)
	}
	o, err := measureTurns(ctx, size, stuck, turns, lasts)
	if err != nil {
		return fmt.Errorf("lab: observers: %w", err)
	}
	return c.Print(o)
}

// measureTurns measures Mybot and the raw loop in turns. At the end of the last turn a part of
// the crowd is stuck.
func measureTurns(ctx context.Context, size, stuck, turns int, lasts time.Duration) (o observersOutcome, err error) {
	o = observersOutcome{Observers: size, Hz: 1 / observedEvery.Seconds(), Stuck: stuckOutcome{Observers: size, Stuck: stuck}}
	people, err := startCrowd(ctx)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, people.stopProcess()) }()
	var ages, rawAges, stuckAges []time.Duration
	for turn := range turns {
		if err := withRobot(ctx, func(addr string) error {
			before := memoryInUse()
			if _, err := people.giveOrder(crowdOrder{Come: size, Addr: addr}); err != nil {
				return err
			}
			time.Sleep(settlingTime(size))
			o.Memory = max(o.Memory, (memoryInUse()-before)/1024/float64(size))
			seen, cpu, err := people.collectViews(lasts)
			if err != nil {
				return err
			}
			o.CPU += cpu / float64(turns)
			o.Skipped += seen.Skipped
			ages = append(ages, seen.Ages...)
			if turn < turns-1 || stuck == 0 {
				return nil
			}
			if _, err := people.giveOrder(crowdOrder{Stick: stuck}); err != nil {
				return err
			}
			seen, _, err = people.collectViews(lasts)
			o.Stuck.Skipped, stuckAges = seen.Skipped, seen.Ages
			return err
		}); err != nil {
			return o, err
		}
		frame := people.frame
		if err := withRaw(ctx, frame, size, func(addr string) error {
			if _, err := people.giveOrder(crowdOrder{Come: size, Addr: addr, Raw: len(frame)}); err != nil {
				return err
			}
			seen, cpu, err := people.collectViews(lasts)
			o.RawCPU += cpu / float64(turns)
			rawAges = append(rawAges, seen.Ages...)
			return err
		}); err != nil {
			return o, err
		}
	}
	o.P99, o.RawP99, o.Stuck.P99 = stats.Milliseconds(stats.Quantile(ages, 0.99)), stats.Milliseconds(stats.Quantile(rawAges, 0.99)), stats.Milliseconds(stats.Quantile(stuckAges, 0.99))
	o.Ratio = stats.Round(o.CPU/o.RawCPU, 1000)
	o.CPU, o.RawCPU, o.Memory = stats.Round(o.CPU, 1000), stats.Round(o.RawCPU, 1000), stats.Round(o.Memory, 1000)
	return o, nil
}

// memoryInUse returns the bytes of this process in live heap objects and stacks.
func memoryInUse() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// cpuTime returns the CPU time that this process has used.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// withRobot serves a robot in an empty world while use runs.
func withRobot(ctx context.Context, use func(addr string) error) error {
	cfg := testbed.OpenFloor()
	cfg.Period = observedEvery
	return testbed.WithServer(ctx, testbed.Loopback, cfg, use)
}

// withRaw sends the frame, with the time in its first bytes, to size sockets 20 times a second,
// while use runs.
func withRaw(ctx context.Context, frame []byte, size int, use func(addr string) error) error {
	ln, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- writeRaw(ctx, ln, frame, size) }()
	err = use(ln.Addr().String())
	cancel()
	return errors.Join(err, ln.Close(), <-ended)
}

func writeRaw(ctx context.Context, ln net.Listener, frame []byte, size int) error {
	var conns []net.Conn
	defer func() {
		for _, conn := range conns {
			_ = conn.Close() // its peer is gone
		}
	}()
	for len(conns) < size {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		conns = append(conns, conn)
	}
	every := time.NewTicker(observedEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
		writeTime(frame, time.Now())
		for _, conn := range conns {
			if _, err := conn.Write(frame); err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return err
			}
		}
	}
}

// crowdProcess is the crowd as the server's process sees it.
type crowdProcess struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	to    *gob.Encoder
	from  *gob.Decoder
	frame []byte // the bytes of a state
}

// startCrowd starts a crowd without members.
func startCrowd(ctx context.Context) (*crowdProcess, error) {
	cmd := experiment.Child(ctx, "crowd")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &crowdProcess{cmd: cmd, in: in, to: gob.NewEncoder(in), from: gob.NewDecoder(out)}, cmd.Start()
}

// giveOrder sends an order to the crowd and waits for its report.
func (p *crowdProcess) giveOrder(order crowdOrder) (crowdReport, error) {
	var r crowdReport
	if err := p.to.Encode(order); err != nil {
		return r, err
	}
	if err := p.from.Decode(&r); err != nil {
		return r, fmt.Errorf("the crowd is gone: %w", err)
	}
	if r.Wrong != "" {
		return r, errors.New(r.Wrong)
	}
	return r, nil
}

// collectViews has the crowd report what it receives. It also returns the CPU time of this
// process meanwhile, in s per second.
func (p *crowdProcess) collectViews(lasts time.Duration) (r crowdReport, cpu float64, err error) {
	before, err := cpuTime()
	if err != nil {
		return r, 0, err
	}
	begin := time.Now()
	if r, err = p.giveOrder(crowdOrder{Look: lasts}); err != nil {
		return r, 0, err
	}
	took := time.Since(begin)
	after, err := cpuTime()
	if len(r.Frame) > 0 {
		p.frame = r.Frame
	}
	return r, (after - before).Seconds() / took.Seconds(), err
}

// stopProcess ends the crowd's process.
func (p *crowdProcess) stopProcess() error {
	_ = p.in.Close() // that ends it
	return p.cmd.Wait()
}
