package scripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"sync"
	"time"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/stats"
	"mybot/script"
	"mybot/script/client"
)

const (
	askPeriod       = 7 * time.Millisecond // at most 200 lines a second are sent; it shares no divisor with the 20 ms of a reading
	settingsRate    = 540                  // a second, over
	settingsClients = 6                    // connections
	pictureBytes    = 900 << 10
	turnSpeed       = 20 // deg/s
)

// portOutcome is what MeasurePort prints.
type portOutcome struct {
	AskP50        float64 `json:"ask_p50_ms"`
	AskP99        float64 `json:"ask_p99_ms"`
	EchoP50       float64 `json:"echo_p50_ms"` // of a bare echo by turns with the questions: what the computer itself takes
	EchoP99       float64 `json:"echo_p99_ms"`
	SettingsRate  float64 `json:"settings_per_s"`
	SettingsP99   float64 `json:"settings_p99_ms"`
	Throughput    float64 `json:"mb_per_s"`
	HTTPExecuted  int     `json:"http_executed"`
	SilentMotions struct {
		Worst  float64 `json:"worst"`        // until the robot begins to brake
		Stands float64 `json:"worst_stands"` // until it stands
	} `json:"silent_motion_after_ms"`
}

func (o portOutcome) String() string {
	return fmt.Sprintf("A question is answered within %.3f ms, p99 %.3f ms; a bare echo over TCP takes %.3f ms, p99 %.3f ms.\n%.0f settings a second are answered within %.3f ms (p99).\nPictures come at %.0f MB/s.\n%d HTTP requests did something.\nA program's endless motion ends %.0f ms after its last sign of life at the latest, and the robot stands after %.0f ms.",
		o.AskP50, o.AskP99, o.EchoP50, o.EchoP99, o.SettingsRate, o.SettingsP99, o.Throughput, o.HTTPExecuted, o.SilentMotions.Worst, o.SilentMotions.Stands)
}

// MeasurePort measures the port for scripts of a real server over loopback.
func MeasurePort(ctx context.Context, c experiment.Call) error {
	asks, seconds, trials, seed := 1000, 10, 10, uint64(1)
	if err := c.Parse(func(f *experiment.Flags) {
		f.Uint(&seed, "seed", seed, 0, 1<<40, "`seed` of the robot, {}")
		f.Int(&trials, "trials", trials, 1, 1000, "`number` of programs that fall silent, {}")
		f.Int(&asks, "asks", 1000, 10, 100_000, "`number` of questions, {}")
		f.Int(&seconds, "seconds", 10, 1, 600, "`seconds` of settings, {}")
	}); err != nil {
		return err
	}
	var o portOutcome
	err := withPort(ctx, seed, func(ctx context.Context, r *portRig) error {
		for _, measure := range []func() error{
			func() error { return o.measureAsks(ctx, r, asks) },
			func() error { return o.measureSettings(ctx, r, time.Duration(seconds)*time.Second) },
			func() error { return o.measureThroughput(ctx, r) },
			func() error { return o.attackByHTTP(ctx, r) },
			func() error { return o.measureSilence(ctx, r, trials) },
		} {
			if err := measure(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("lab: urbi: %w", err)
	}
	return c.Print(o)
}

// measureAsks asks for a device's value again and again, by turns with a bare echo.
func (o *portOutcome) measureAsks(ctx context.Context, r *portRig, n int) error {
	c, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	e, err := openEcho()
	if err != nil {
		return err
	}
	defer e.close()
	ask := func() error { _, err := c.Ask(ctx, "headPan.val"); return err }
	var asked, echoed []float64
	every := time.NewTicker(askPeriod)
	defer every.Stop()
	for range n {
		for _, turn := range []struct {
			do   func() error
			took *[]float64
		}{{ask, &asked}, {e.send, &echoed}} {
			<-every.C
			began := time.Now()
			if err := turn.do(); err != nil {
				return err
			}
			*turn.took = append(*turn.took, stats.Milliseconds(time.Since(began)))
		}
	}
	o.AskP50, o.AskP99 = stats.Quantile(asked, 0.5), stats.Quantile(asked, 0.99)
	o.EchoP50, o.EchoP99 = stats.Quantile(echoed, 0.5), stats.Quantile(echoed, 0.99)
	return nil
}

// measureSettings sets a variable from several connections, as often as the seed's robot is
// set, and waits for an answer behind each.
func (o *portOutcome) measureSettings(ctx context.Context, r *portRig, lasts time.Duration) error {
	took := make([][]float64, settingsClients)
	errs := make([]error, settingsClients)
	var all sync.WaitGroup
	began := time.Now()
	for i := range settingsClients {
		all.Go(func() { took[i], errs[i] = r.set(ctx, lasts) })
	}
	all.Wait()
	lasted := time.Since(began)
	var every []float64
	for _, one := range took {
		every = append(every, one...)
	}
	o.SettingsRate = math.Round(float64(len(every)) / lasted.Seconds())
	o.SettingsP99 = stats.Quantile(every, 0.99)
	return errors.Join(errs...)
}

// set sets a variable for a while, and returns how many ms each took.
func (r *portRig) set(ctx context.Context, lasts time.Duration) (took []float64, err error) {
	c, err := r.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	every := time.NewTicker(time.Second * settingsClients / settingsRate)
	defer every.Stop()
	for began := time.Now(); time.Since(began) < lasts; {
		<-every.C
		sent := time.Now()
		if _, err := c.Ask(ctx, fmt.Sprintf("x = %.6f | x", sent.Sub(began).Seconds())); err != nil {
			return nil, err
		}
		took = append(took, stats.Milliseconds(time.Since(sent)))
	}
	return took, nil
}

// measureThroughput reads a large picture again and again.
func (o *portOutcome) measureThroughput(ctx context.Context, r *portRig) error {
	c, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SendBinary("picture", "jpeg 1920 1080", make([]byte, pictureBytes)); err != nil {
		return err
	}
	const times = 50
	began := time.Now()
	for range times {
		v, err := c.Ask(ctx, "picture")
		if err != nil {
			return err
		}
		if _, data, ok := v.Binary(); !ok || len(data) != pictureBytes {
			return fmt.Errorf("the picture came as %.40s", v)
		}
	}
	o.Throughput = math.Round(times * pictureBytes / time.Since(began).Seconds() / 1e6)
	return nil
}

// attackByHTTP sends what a web page can make a browser send, and counts what it did.
func (o *portOutcome) attackByHTTP(ctx context.Context, r *portRig) error {
	c, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	attack := fmt.Sprintf(";\n%s.hits = 1;\nmotoron;\nturn.val = inf speed:20,\n", c.ID())
	for _, head := range []string{
		"GET / HTTP/1.1\r\nHost: robot\r\n\r\n", "POST / HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n", "PUT /a HTTP/1.1\r\n", "DELETE / HTTP/1.1\r\n",
		"OPTIONS * HTTP/1.1\r\n", "PATCH /;x HTTP/1.0\r\n", "motoron /;motoron; HTTP/1.1\r\n", "CONNECT robot:80 HTTP/1.1\r\n", "GET /", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x00\x03\x00\x24",
	} {
		if err := c.Send("hits = 0;\n"); err != nil {
			return err
		}
		if err := r.sendRaw(head + attack); err != nil {
			return err
		}
		hits, err := c.Ask(ctx, "hits")
		if err != nil {
			return err
		}
		control, err := c.Ask(ctx, "control.val")
		if err != nil {
			return err
		}
		who, _ := control.Text()
		stats.Count(&o.HTTPExecuted, hits.String() != script.Number(0).String() || who != "" || isTurning(r.driver.last()))
	}
	return nil
}

// sendRaw sends bytes and waits until the robot closes the connection.
func (r *portRig) sendRaw(text string) error {
	conn, err := net.Dial("tcp", r.port)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // the robot has closed it
	if _, err := io.WriteString(conn, text); err != nil {
		return nil //nolint:nilerr // the robot closed it before it had everything
	}
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err = io.Copy(io.Discard, conn)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return fmt.Errorf("the robot does not close a connection that begins with %.30q", text)
	}
	return nil
}

// measureSilence lets a program fall silent while it turns the robot.
func (o *portOutcome) measureSilence(ctx context.Context, r *portRig, trials int) error {
	for range trials {
		if err := o.fallSilent(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (o *portOutcome) fallSilent(ctx context.Context, r *portRig) error {
	c, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Do(ctx, "motoron"); err != nil {
		return err
	}
	if err := c.Send(fmt.Sprintf("turn.val = inf speed:%d,\n", turnSpeed)); err != nil {
		return err
	}
	steady := func(i instant) bool { return math.Abs(i.drive.Angular-turnSpeed*math.Pi/180) < 0.02 && isTurning(i) }
	if err := r.awaitAlive(ctx, c, steady); err != nil {
		return err
	}
	silent := time.Now()
	if err := c.Alive(); err != nil {
		return err
	}
	if err := r.await(ctx, isStill); err != nil {
		return err
	}
	if err := c.Do(ctx, "motoroff"); err != nil { // so that the next one finds control free
		return err
	}
	var braked, stood float64 // ms
	for _, i := range r.driver.since(silent) {
		after := stats.Milliseconds(i.at.Sub(silent))
		if braked == 0 && math.Abs(i.drive.Angular) < 0.9*turnSpeed*math.Pi/180 {
			braked = after
		}
		if stood == 0 && isStill(i) {
			stood = after
		}
	}
	o.SilentMotions.Worst = max(o.SilentMotions.Worst, braked)
	o.SilentMotions.Stands = max(o.SilentMotions.Stands, stood)
	return nil
}

// awaitAlive waits as await does, and sends signs of life.
func (r *portRig) awaitAlive(ctx context.Context, c *client.Client, is func(instant) bool) error {
	alive, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.KeepAlive(alive) }()
	err := r.await(ctx, is)
	cancel()
	return errors.Join(err, <-ended)
}
