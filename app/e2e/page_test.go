package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"mybot/drivers/sim"
)

// robotName is a name of the robot on the network, as browsers know it.
const robotName = "robot.test"

// The tests of the page mostly wait, for a robot that drives and a page that draws, so most of
// them run side by side. Those that measure run alone: how soon zero leaves the page when a
// hold ends, how soon the page is back after a black-out, how far the ghost leads, where the
// robot ends, its speed while the WebSocket stalls, and the delivery of video and sound. So do
// those of a full disk and of the kernel's network, which measure in child processes.

// engine is the Chromium that all tests share, because starting one takes as long as a short
// test.
var engine struct {
	sync.Mutex
	ctx context.Context // nil until the first test needs it; done when it has ended
	end func() error
}

func TestMain(m *testing.M) {
	if line := os.Getenv(asBase); line != "" {
		os.Exit(serveAsBase(line))
	}
	if at := os.Getenv(asCable); at != "" {
		os.Exit(serveAsCable(at))
	}
	os.Exit(testAll(m))
}

func testAll(m *testing.M) int {
	if os.Getenv(tablesIn) == "" {
		dir, err := os.MkdirTemp("", "mybot-tables-")
		if err == nil {
			err = os.Setenv(tablesIn, dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }() // it is in a temporary folder
	}
	code := m.Run()
	if engine.end != nil {
		if err := engine.end(); err != nil {
			fmt.Fprintf(os.Stderr, "the browser ended with: %v\n", err)
		}
	}
	return code
}

// chromium returns a headless browser. Each visitor has a separate profile in the same process.
// If the process ends during a test, that test fails and the next one gets a new process.
func chromium(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long; -short leaves it out")
	}
	engine.Lock()
	defer engine.Unlock()
	if engine.ctx == nil || engine.ctx.Err() != nil {
		engine.ctx, engine.end = startChromium(t)
	}
	browser := engine.ctx
	t.Cleanup(func() {
		if browser.Err() != nil {
			t.Error("Chromium ended by itself during this test")
		}
	})
	return browser
}

// needless are features that Chromium does not need in a test, in addition to chromedp's list:
// every window has an address bar with a page behind it, which takes longer to create than the
// robot's page.
const needless = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup"

// belowTheServer is the niceness of a browser that leaves the processor to the robot server.
const belowTheServer = 5

// modest returns a program that starts another one with a priority below the robot server's, by a
// niceness, and without letting it raise that. As root Chromium does so (nice -8), and then the
// robot's control loop waits for pages to be drawn.
func modest(t *testing.T, program string, niceness int) string {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		return program
	}
	file, err := os.CreateTemp("", "mybot-browser-*") // the browser outlives the test that starts it
	if err != nil {
		t.Fatal(err)
	}
	start := fmt.Sprintf(`#!%s
rm -f "$0"
if setpriv --bounding-set=-sys_nice true 2>/dev/null; then
	exec nice -n %[3]d setpriv --bounding-set=-sys_nice '%[2]s' "$@"
fi
exec nice -n %[3]d '%[2]s' "$@"
`, shell, program, niceness)
	if _, err := file.WriteString(start); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Chmod(0o700), file.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// startChromium starts a Chromium that leaves the processor to the robot server. end ends it.
func startChromium(t *testing.T, more ...chromedp.ExecAllocatorOption) (browser context.Context, end func() error) {
	t.Helper()
	return startChromiumAt(t, belowTheServer, more...)
}

// startChromiumAt starts a Chromium with a niceness.
func startChromiumAt(t *testing.T, niceness int, more ...chromedp.ExecAllocatorOption) (browser context.Context, end func() error) {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium: neither chromium, chromium-browser nor google-chrome is on the PATH")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(modest(t, program, niceness)),
		chromedp.NoSandbox,
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-features", needless),
		chromedp.Flag("host-resolver-rules", "MAP "+robotName+" 127.0.0.1"),
		chromedp.WindowSize(1440, 900),
	)
	all, kill := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	browser, _ = chromedp.NewContext(all)
	if err := chromedp.Do(browser, chromedp.Navigate("about:blank")); err != nil {
		kill()
		t.Fatalf("%s does not start: %v", program, err)
	}
	return browser, func() error {
		defer kill()
		return chromedp.Cancel(browser)
	}
}

// A visitor is a person with a browser: a page that can be inspected and operated. Faults of
// the page itself (a console error, a request to another host) fail the test at its end.
type visitor struct {
	t    *testing.T
	ctx  context.Context
	addr string // of the server, or of the proxy to it
	path string // of the page
	away bool   // the network may fail: browser messages about it are no fault

	mu     sync.Mutex
	faults []string
}

// watch runs in the page before its own scripts. It records what the page sends and what
// happens to it, and provides simulated gamepads.
const watch = `(() => {
	const sent = [], heard = [];
	const seen = window.__seen = { sent, heard, pads: [] };
	const send = WebSocket.prototype.send;
	WebSocket.prototype.send = function (text) {
		if (this.protocol === 'mybot.v1') sent.push({ at: performance.now(), ...JSON.parse(text) });
		return send.call(this, text);
	};
	navigator.getGamepads = () => seen.pads;
	const hear = (e) => heard.push({ name: e.type, at: performance.now() });
	for (const name of ['keydown', 'keyup', 'pointerdown', 'pointerup', 'pointercancel', 'visibilitychange', 'pagehide', 'gamepaddisconnected', 'focusin', 'click', 'contextmenu', 'dragstart'])
		window.addEventListener(name, hear, true);
	for (const name of ['focus', 'blur']) window.addEventListener(name, (e) => { if (e.target === window) hear(e); }, true);
})()`

// visit opens the robot's page as a new person and waits until it shows the
// robot.
func visit(t *testing.T, browser context.Context, addr string) *visitor {
	t.Helper()
	v := arrive(t, browser, addr)
	v.until("the page to show the robot", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
	return v
}

// arrive opens the robot's page as a new person and does not wait.
func arrive(t *testing.T, browser context.Context, addr string) *visitor {
	t.Helper()
	return arriveAt(t, browser, addr, "/", watch)
}

// arriveAt opens a page of the robot, with additional scripts of the test before its own.
func arriveAt(t *testing.T, browser context.Context, addr, path string, scripts ...string) *visitor {
	t.Helper()
	v := newVisitor(t, browser, addr, path)
	for _, s := range scripts {
		v.onLoad(s)
	}
	v.open()
	return v
}

// newVisitor returns a visitor who has not opened the page of the robot yet.
func newVisitor(t *testing.T, browser context.Context, addr, path string) *visitor {
	t.Helper()
	ctx, leave := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	v := &visitor{t: t, ctx: ctx, addr: addr, path: path}
	if err := chromedp.Listen(ctx, v.listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.check()
		v.tell()
		leave()
	})
	call(v, network.Enable, network.EnableParams{})
	v.look(desktop, dark)
	return v
}

// onLoad runs a script before the page's own scripts, at every load.
func (v *visitor) onLoad(script string) {
	v.t.Helper()
	call(v, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// open loads the page.
func (v *visitor) open() {
	v.t.Helper()
	v.do(chromedp.Navigate("http://" + v.addr + v.path))
}

// listen handles every event of the browser about the page.
func (v *visitor) listen(event any) {
	var fault string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = "an exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			fault += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type != runtime.ConsoleAPICalledTypeError && e.Type != runtime.ConsoleAPICalledTypeWarning {
			return
		}
		fault = fmt.Sprintf("the console says %s:", e.Type)
		for _, a := range e.Args {
			fault += " " + string(a.Value) + a.Description
		}
	case *log.EventEntryAdded:
		if strings.Contains(e.Entry.Text, "header has been ignored, because the URL's origin was untrustworthy") {
			return // plain http from another computer: the page itself reports what it lacks
		}
		if strings.Contains(e.Entry.Text, "WebSocket is closed before the connection is established") {
			return // a busy computer took more than 3 s to connect, and the page connects again
		}
		if strings.Contains(e.Entry.Text, "503 (Service Unavailable)") && strings.HasSuffix(e.Entry.URL, "/healthz") {
			return // a busy computer delayed the control loop, and the page asks again
		}
		if strings.Contains(e.Entry.Text, "404 (Not Found)") && strings.Contains(e.Entry.URL, "/api/v1/mapping/tiles/") {
			return // the map was finished between the news of a tile and the request for it
		}
		if strings.Contains(e.Entry.Text, "404 (Not Found)") && strings.HasSuffix(e.Entry.URL, "/api/v1/mapping/draft") {
			return // the map was saved before the page, which asks for it every 2 s, heard of it
		}
		if e.Entry.Level != log.EntryLevelError && e.Entry.Level != log.EntryLevelWarning || v.away && e.Entry.Source == log.EntrySourceNetwork {
			return
		}
		fault = fmt.Sprintf("the log says %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		fault = v.elsewhere(e.Request.URL)
	case *network.EventWebSocketCreated:
		fault = v.elsewhere(e.URL)
	}
	if fault != "" {
		v.mu.Lock()
		v.faults = append(v.faults, fault)
		v.mu.Unlock()
	}
}

// elsewhere returns a sentence about an address that is not this robot's.
func (v *visitor) elsewhere(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if host, _, _ := strings.Cut(rest, "/"); host == v.addr {
		return ""
	}
	return "a request to another host: " + address
}

// check reports the faults of the page up to now.
func (v *visitor) check() {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.faults {
		v.t.Error(f)
	}
	v.faults = nil
}

func (v *visitor) do(steps ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		v.t.Fatal(err)
	}
}

// call sends the browser a command about the visitor's page.
func call[P, R any](v *visitor, command cdp.Command[P, R], params P) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		v.t.Fatal(err)
	}
}

// value evaluates a script in the page and waits for its promise.
func value[T any](v *visitor, script string) T {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatalf("%s: %v", clipped(script), err)
	}
	return got
}

func (v *visitor) run(script string) {
	v.t.Helper()
	value[chromedp.Void](v, script)
}

// until waits until a script's value is true. A script that throws is tried again, because its
// elements may not exist yet, and so is one whose page reloads meanwhile.
func (v *visitor) until(what, script string) {
	v.t.Helper()
	v.untilWithin(patience, what, script)
}

// untilWithin is until for what takes longer than other things, as a computation that the
// race detector makes ten times slower.
func (v *visitor) untilWithin(limit time.Duration, what, script string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, limit)
	defer cancel()
	wait := `new Promise((done) => {
		const look = () => {
			try { if (` + script + `) return done(true); window.__thrown = ''; } catch (e) { window.__thrown = String(e); }
			setTimeout(look, 10);
		};
		look();
	})`
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise))
		switch {
		case err == nil:
			return
		case ctx.Err() != nil || !hasLeft(err):
			v.picture("failed")
			v.t.Fatalf("waiting for %s: %v\nthe page says: %s", what, err, v.words())
		}
	}
}

// hasLeft reports whether a script ended because its page navigated away.
func hasLeft(err error) bool {
	return slices.ContainsFunc([]string{"Inspected target navigated", "Execution context was destroyed", "Cannot find context", "Cannot find default execution context"}, func(said string) bool {
		return strings.Contains(err.Error(), said)
	})
}

// whatItSays is a script that returns the page's texts about its state.
const whatItSays = `['#pill', '#link', '#auth', '#banner', '#drive-how'].map((q) => document.querySelector(q)?.innerText.replace(/\s+/g, ' ')).join(' | ') + (window.__thrown ?? '')`

// words returns the page's texts about its state.
func (v *visitor) words() string {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	said, err := chromedp.Run(ctx, chromedp.Evaluate[string](whatItSays))
	if err != nil {
		return err.Error()
	}
	return said
}

// tell logs, after a failure, the page's texts, its last events and the last messages that it
// sent.
func (v *visitor) tell() {
	v.t.Helper()
	if !v.t.Failed() || v.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(v.ctx, 5*time.Second) // a closed page does not answer
	defer cancel()
	last, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(() => {
		if (!window.__seen?.sent) return 'nothing';
		const now = performance.now(), line = (at, text) => ((now - at) / 1000).toFixed(2) + ' s ago ' + text.slice(0, 200);
		return [
			`+whatItSays+`,
			document.hasFocus() ? 'It has the focus.' : 'It has no focus.',
			...__seen.heard.slice(-15).map((h) => line(h.at, h.name)),
			...__seen.sent.filter((m) => !['clock', 'ack'].includes(m.type)).slice(-15).map((m) => line(m.at, JSON.stringify(m))),
			...[...document.querySelectorAll('#log li')].slice(0, 10).map((l) => 'log: ' + l.innerText.replace(/\s+/g, ' ')),
		].join('\n');
	})()`))
	if err != nil {
		last = err.Error()
	}
	v.t.Logf("a page of %s says: %s", v.addr, last)
}

func clipped(s string) string {
	if len(s) > 120 {
		return s[:120] + "..."
	}
	return s
}

// ---- looking ----

// A window is the size and kind of the page's window.
type window struct {
	name          string
	width, height int64
	touch         bool
}

var (
	desktop   = window{"desktop", 1440, 900, false}
	tablet    = window{"tablet", 1024, 768, false}
	phone     = window{"phone", 390, 844, true}
	landscape = window{"landscape", 844, 390, true}
)

const (
	dark  = "dark"
	light = "light"
)

// look shows the page in a window and a theme, with reduced motion, so that the result does not
// depend on time.
func (v *visitor) look(w window, theme string) {
	v.t.Helper()
	call(v, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: w.width, Height: w.height, DeviceScaleFactor: 1, Mobile: w.touch})
	call(v, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: w.touch})
	call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// picture saves a screenshot in artifacts.
func (v *visitor) picture(name string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	quick := true // at the cost of a larger file
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{OptimizeForSpeed: &quick})
	if err != nil {
		v.t.Errorf("no screenshot: %v", err)
		return
	}
	if name == "failed" {
		name = strings.NewReplacer("/", "-", " ", "-").Replace(v.t.Name()) + "-failed"
	}
	dir := filepath.Join("..", "..", "artifacts")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), shot.Data, 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// ---- operating ----

// A key is one key of the keyboard.
type key struct {
	code, name string
	number     int64  // Windows' virtual key code
	text       string // the text that it types; "" = none that matters
}

var (
	keyW     = key{"KeyW", "w", 'W', ""}
	keyA     = key{"KeyA", "a", 'A', ""}
	keyR     = key{"KeyR", "r", 'R', ""}
	keySpace = key{"Space", " ", ' ', " "}
	keyEsc   = key{"Escape", "Escape", 27, ""}
)

func (v *visitor) press(k key) {
	v.t.Helper()
	kind := input.DispatchKeyEventTypeRawKeyDown
	if k.text != "" {
		kind = input.DispatchKeyEventTypeKeyDown
	}
	call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Code: k.code, Key: k.name, Text: k.text, WindowsVirtualKeyCode: k.number})
}

func (v *visitor) letGo(k key) {
	v.t.Helper()
	call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Code: k.code, Key: k.name, WindowsVirtualKeyCode: k.number})
}

// A spot is a point of the page, in CSS pixels from its top left corner.
type spot struct{ X, Y float64 }

// middle returns the spot in the middle of an element.
func (v *visitor) middle(selector string) spot {
	v.t.Helper()
	return value[spot](v, `(() => { const r = document.querySelector(`+"`"+selector+"`"+`).getBoundingClientRect(); return { X: r.x + r.width / 2, Y: r.y + r.height / 2 }; })()`)
}

func (v *visitor) mouse(kind input.DispatchMouseEventType, at spot, down bool) {
	v.t.Helper()
	p := input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, ClickCount: 1}
	if down {
		p.Buttons = 1
	}
	call(v, input.DispatchMouseEvent, p)
}

func (v *visitor) click(selector string) {
	v.t.Helper()
	at := v.middle(selector)
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
}

// grab grabs the stick with the mouse and pushes it: forward and left are between -1 and 1.
func (v *visitor) grab(forward, left float64) spot {
	v.t.Helper()
	at := v.middle(".joy")
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	radius := value[float64](v, `document.querySelector('.joy').getBoundingClientRect().width / 2`)
	to := spot{at.X - left*radius, at.Y - forward*radius}
	v.mouse(input.DispatchMouseEventTypeMouseMoved, to, true)
	return to
}

// touch puts fingers on the screen at these spots, or lifts them.
func (v *visitor) touch(kind input.DispatchTouchEventType, at ...spot) {
	v.t.Helper()
	points := []*input.TouchPoint{}
	for _, p := range at {
		points = append(points, &input.TouchPoint{X: p.X, Y: p.Y})
	}
	call(v, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
}

// pad connects a gamepad, with its left stick pushed forward and buttons pressed.
func (v *visitor) pad(forward float64, buttons ...int) {
	v.t.Helper()
	v.run(fmt.Sprintf(`(() => {
		const down = new Set(%s);
		const before = __seen.pads.length;
		__seen.pads = [{ connected: true, mapping: 'standard', axes: [0, %v, 0, 0], buttons: Array.from({ length: 17 }, (_, i) => ({ pressed: down.has(i), value: down.has(i) ? 1 : 0 })) }];
		if (!before) window.dispatchEvent(new Event('gamepadconnected'));
	})()`, strings.ReplaceAll(fmt.Sprint(append([]int{}, buttons...)), " ", ","), -forward))
}

// losePad disconnects the gamepad.
func (v *visitor) losePad() {
	v.t.Helper()
	v.run(`(() => { __seen.pads = []; window.dispatchEvent(new Event('gamepaddisconnected')); })()`)
}

// drives counts the drive samples that the page sent.
func (v *visitor) drives() int {
	v.t.Helper()
	return value[int](v, `__seen.sent.filter((m) => m.type === 'drive').length`)
}

// ---- the robot ----

// await waits until the truth about the robot satisfies ok.
func (h *testServer) await(what string, ok func(sim.Truth) bool) sim.Truth {
	h.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	every := time.NewTicker(10 * time.Millisecond)
	defer every.Stop()
	for {
		truth := h.driver.Truth()
		if ok(truth) {
			return truth
		}
		select {
		case <-every.C:
		case <-late.C:
			h.t.Fatalf("waiting for %s; the robot is at %+v and moves %+v", what, truth.Pose, truth.Twist)
		}
	}
}

func (h *testServer) awaitMotion() {
	h.t.Helper()
	h.await("the robot to drive", func(t sim.Truth) bool { return t.Twist.Linear > 0.1 })
}

func (h *testServer) awaitStill() sim.Truth {
	h.t.Helper()
	return h.await("the robot to stand", func(t sim.Truth) bool { return still(t) })
}

// timeToStand waits until the robot stands, and returns the time since an event by the robot's
// wheels, because a busy computer asks late.
func (h *testServer) timeToStand(since time.Time) time.Duration {
	h.t.Helper()
	h.awaitStill()
	return max(0, time.Unix(0, h.moved.Load()).Sub(since)).Round(time.Millisecond)
}

// maxToStand is how long the robot may still move after the last fresh command, at 0.2 m/s at most:
// it is valid for 0.25 s, play-out may lead by as much, and the robot brakes in 0.48 s.
const maxToStand = time.Second

// drivesGently limits the speed to that of maxToStand.
func (v *visitor) drivesGently() {
	v.t.Helper()
	v.run(`(() => { const slider = document.querySelector('#speed-limit'); slider.value = 0.2; slider.dispatchEvent(new Event('input', { bubbles: true })); })()`)
	v.until("the limit", `document.querySelector('output[for=speed-limit]').textContent === '0.20 m/s'`)
}

func still(t sim.Truth) bool {
	return standing(message{Twist: [2]float64{t.Twist.Linear, t.Twist.Angular}})
}
