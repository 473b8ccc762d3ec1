// Package video measures video: its age in a browser, and the encoders.
package video

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"mybot/drivers/camera"
	"mybot/lab/internal/chrome"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/link"
	"mybot/robot"
)

// glassOutcome is the age of the pictures that a browser shows.
type glassOutcome struct {
	Seconds float64       `json:"seconds"` // measured time of each row
	Load    string        `json:"load"`    // of the computer meanwhile: runnable processes, mean of the last minute
	Rows    []glassRow    `json:"rows"`
	Missing []string      `json:"missing,omitempty"` // why a row was not measured
	Drive   packetOutcome `json:"drive"`
	Back    []float64     `json:"back_s"` // after the server was killed, since the new one answers
}

// glassRow is the age over one network.
type glassRow struct {
	Network string  `json:"network"`
	Width   int     `json:"width"`
	Rate    float64 `json:"fps"`
	P50     float64 `json:"p50_ms"` // of the ages, from when the picture was taken until the page gets it
	P95     float64 `json:"p95_ms"`
	P99     float64 `json:"p99_ms"`
	Freeze  float64 `json:"freeze_ms"` // the longest time without a new picture
	Bits    float64 `json:"kbit_s"`
	Unread  int     `json:"unread"` // pictures whose bar code could not be read
}

// packetOutcome is the delay of a drive packet with and without video.
type packetOutcome struct {
	Alone float64 `json:"p99_ms"`            // to the robot
	With  float64 `json:"p99_with_video_ms"` // while video fills the other direction
}

func (o glassOutcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The age of the test picture in Chromium, %g s each, load %s:\n\n", o.Seconds, o.Load)
	report.Table(&b, []string{"network|%-28s", "width| %5d", "fps| %5.1f", "p50 ms| %7.1f", "p95 ms| %7.1f", "p99 ms| %7.1f", "freeze ms| %9.0f", "kbit/s| %7.0f", "unread| %6d"}, o.Rows, func(r glassRow) []any {
		return []any{r.Network, r.Width, r.Rate, r.P50, r.P95, r.P99, r.Freeze, r.Bits, r.Unread}
	})
	if o.Drive != (packetOutcome{}) {
		fmt.Fprintf(&b, "\nDelay of a drive packet to the robot over 1 Mbit/s, 99th percentile: %.1f ms without pictures, %.1f ms while they fill the downlink.\n", o.Drive.Alone, o.Drive.With)
	}
	if len(o.Back) > 0 {
		fmt.Fprintf(&b, "\nA server killed and started again: the picture is back %v s after the new one answers, without anyone touching the page.\n", o.Back)
	}
	b.WriteString(strings.Join(o.Missing, "\n"))
	return strings.TrimSuffix(b.String(), "\n")
}

// systemLoad is the computer's load according to the kernel; "" = unknown.
func systemLoad() string {
	b, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(b), " ")
	return first
}

// glassSettles is the time before pictures count.
const glassSettles = 5 * time.Second

// bottlenecks are the rates of the narrow networks from the robot to the page, in bit/s.
const (
	tightWay  = 600_000
	narrowWay = 1_000_000
	glassTrip = 310 * time.Millisecond // their round trip
)

// MeasureGlass measures the rows.
func MeasureGlass(ctx context.Context, c experiment.Call) error {
	var o glassOutcome
	var lasts time.Duration
	if err := c.Parse(func(f *experiment.Flags) {
		f.DurationVar(&lasts, "for", 20*time.Second, "`how long` each row is measured, 1s to 10m")
	}); err != nil {
		return err
	}
	if lasts < time.Second || lasts > 10*time.Minute {
		return c.Refuse("--for is %v; it must be from 1s to 10m", lasts)
	}
	if _, err := chrome.FindBrowser(); err != nil {
		return fmt.Errorf("lab: glass: %w", err)
	}
	o.Seconds = lasts.Seconds()
	var err error
	for _, of := range []struct {
		network string
		sees    robot.Camera
		how     string
	}{
		{"", camera.NewPattern(640, 480), ""},
		{"rtt=310ms", camera.NewPattern(640, 480), ""},
		{"kaist-davis", camera.NewPattern(640, 480), ""},
		{"kaist-davis", newBusy(), ", busy"},
	} {
		row, err := glassOver(ctx, of.network, of.sees, lasts)
		if err != nil {
			return fmt.Errorf("lab: glass: %w", err)
		}
		row.Network += of.how
		o.Rows = append(o.Rows, row)
	}
	if o.Back, err = measureRestarts(ctx); err != nil {
		return fmt.Errorf("lab: glass: %w", err)
	}
	err = o.measureNarrow(ctx, lasts)
	if why := (unmade{}); errors.As(err, &why) {
		o.Missing = append(o.Missing, "The narrow ways are left out: "+why.Error()+".")
	} else if err != nil {
		return fmt.Errorf("lab: glass: %w", err)
	}
	o.Load = systemLoad()
	return c.Print(o)
}

// glassOver measures over a network with a profile.
func glassOver(ctx context.Context, network string, sees robot.Camera, lasts time.Duration) (row glassRow, err error) {
	cfg := testbed.OpenFloor()
	cfg.Camera, cfg.Seed = sees, 1
	row.Network = "as it is"
	if network != "" {
		row.Network = network
		if cfg.Link, err = link.ParseProfile(network); err != nil {
			return row, err
		}
	}
	err = testbed.WithServer(ctx, testbed.Loopback, cfg, func(addr string) (err error) {
		page, err := chrome.Open(ctx, addr)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, page.Kill()) }()
		return row.watchPage(ctx, page, lasts)
	})
	return row, err
}

// seesPicture waits until the page shows pictures.
const seesPicture = `new Promise((done) => { const look = () => { if (document.querySelector('#eye-video')?.videoWidth > 0) done(true); else setTimeout(look, 50); }; look(); })`

// readsGlass notes the age of every picture that the page shows, in ms, from the bar code in
// its lowest row (camera.ReadCode).
const readsGlass = `(() => {
	const video = document.querySelector('#eye-video');
	const canvas = document.createElement('canvas');
	canvas.width = 640;
	canvas.height = 24;
	const pen = canvas.getContext('2d', { willReadFrequently: true });
	const seen = { ages: [], at: [], unread: 0, width: 0 };
	const shown = () => {
		const now = performance.timeOrigin + performance.now();
		video.requestVideoFrameCallback(shown);
		pen.drawImage(video, 0, video.videoHeight * (1 - 24 / 480), video.videoWidth, video.videoHeight * 24 / 480, 0, 0, 640, 24);
		const row = pen.getImageData(0, 12, 640, 1).data;
		const light = Array.from({ length: 40 }, (_, i) => row[4 * (16 * i + 8)]);
		const mean = (light[0] + light[1] + light[2] + light[3]) / 4;
		const cells = light.map((v) => (v > mean ? 1 : 0));
		const number = (from, to) => cells.slice(from, to).reduce((n, bit) => 2 * n + bit, 0);
		let check = 9;
		for (let i = 4; i < 36; i += 4) check ^= number(i, i + 4);
		seen.at.push(now);
		seen.width = video.videoWidth;
		if (number(0, 4) !== 10 || number(36, 40) !== check) {
			seen.unread++;
			return;
		}
		const age = (Math.floor(now * 10) % 2 ** 32) - number(4, 36);
		seen.ages.push(((age + 2 ** 31 + 2 ** 32) % 2 ** 32 - 2 ** 31) / 10);
	};
	video.requestVideoFrameCallback(shown);
	window.__glass = () => { const told = { ...seen }; seen.ages = []; seen.at = []; seen.unread = 0; return told; };
})()`

// countsBytes stores the page's connections, to count their bytes; it runs before the page's
// own scripts.
const countsBytes = `(() => {
	const all = [];
	const Plain = RTCPeerConnection;
	window.RTCPeerConnection = class extends Plain {
		constructor(...how) { super(...how); all.push(this); }
		createDataChannel(...how) { return (window.__channel = super.createDataChannel(...how)); }
	};
	window.__close = () => all.forEach((pc) => { if (pc.getTransceivers().length) pc.close(); });
	window.__bytes = async () => {
		let sum = 0;
		for (const pc of all)
			if (pc.connectionState === 'connected')
				for (const s of (await pc.getStats()).values()) if (s.type === 'inbound-rtp' && s.kind === 'video') sum += s.bytesReceived;
		return sum;
	};
})()`

// sights are the notes of readsGlass.
type sights struct {
	Ages   []float64 `json:"ages"`
	At     []float64 `json:"at"`
	Unread int       `json:"unread"`
	Width  int       `json:"width"`
}

// watchPage measures the page's video for a time.
func (r *glassRow) watchPage(ctx context.Context, page *chrome.Browser, lasts time.Duration) error {
	if err := page.Call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": countsBytes}, nil); err != nil {
		return err
	}
	if err := page.Call("Page.reload", nil, nil); err != nil {
		return err
	}
	if err := sleepFor(ctx, time.Second); err != nil { // until the old page is gone
		return err
	}
	if err := page.EvaluateScript(seesPicture, nil); err != nil {
		return err
	}
	if err := page.EvaluateScript(readsGlass, nil); err != nil {
		return err
	}
	return r.measurePage(ctx, page, lasts)
}

// measurePage fills the row from a page that already shows video.
func (r *glassRow) measurePage(ctx context.Context, page *chrome.Browser, lasts time.Duration) error {
	if err := sleepFor(ctx, glassSettles); err != nil {
		return err
	}
	var before, after float64
	if err := page.EvaluateScript(`(__glass(), __bytes())`, &before); err != nil {
		return err
	}
	began := time.Now()
	if err := sleepFor(ctx, lasts); err != nil {
		return err
	}
	var s sights
	if err := page.EvaluateScript(`__glass()`, &s); err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	if err := page.EvaluateScript(`__bytes()`, &after); err != nil {
		return err
	}
	r.takeFrom(s, took)
	r.Bits = math.Round((after - before) * 8 / 1000 / took)
	return nil
}

// takeFrom summarizes what was seen in a time, in s.
func (r *glassRow) takeFrom(s sights, took float64) {
	r.Width, r.Unread = s.Width, s.Unread
	r.Rate = math.Round(10*float64(len(s.At))/took) / 10
	r.Freeze = 1000 * took
	for i := range s.At {
		if i == 0 {
			r.Freeze = 0
			continue
		}
		r.Freeze = max(r.Freeze, math.Round(s.At[i]-s.At[i-1]))
	}
	if len(s.Ages) > 0 {
		r.P50, r.P95, r.P99 = stats.Round(stats.Quantile(s.Ages, 0.5), 10), stats.Round(stats.Quantile(s.Ages, 0.95), 10), stats.Round(stats.Quantile(s.Ages, 0.99), 10)
	}
}

// sleepFor waits for a time.
func sleepFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
