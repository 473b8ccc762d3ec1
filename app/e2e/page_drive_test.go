package e2e_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"mybot/drivers/sim"
	"mybot/robot"
)

// A driveControl is a control of the page by which a person drives: how it is held and
// released.
type driveControl struct {
	name    string
	hold    func(*visitor)
	release func(*visitor)
	ended   string // the event of the page that ends the hold
}

var (
	byW   = byKeys(keyW)
	byA   = byKeys(keyA)
	byPad = driveControl{
		"a gamepad",
		func(v *visitor) { v.pad(1, 5) },
		func(v *visitor) { v.pad(1) },
		"", // bumpers are polled, without an event
	}
	byFinger = driveControl{
		"a finger on the stick",
		touchStick,
		func(v *visitor) { v.touch(input.DispatchTouchEventTypeTouchEnd) },
		"pointerup",
	}
	controls = []driveControl{byW, byStick(1, 0), byPad}
)

// byKeys holds these driving keys.
func byKeys(keys ...key) driveControl {
	return driveControl{
		"keys",
		func(v *visitor) {
			for _, k := range keys {
				v.press(k)
			}
		},
		func(v *visitor) {
			for _, k := range keys {
				v.letGo(k)
			}
		},
		"keyup",
	}
}

// byStick holds the stick pushed as grab does.
func byStick(forward, left float64) driveControl {
	return driveControl{
		"the stick",
		func(v *visitor) { v.grab(forward, left) },
		func(v *visitor) { v.mouse(input.DispatchMouseEventTypeMouseReleased, v.middle(".joy"), false) },
		"pointerup",
	}
}

// asksForAPress tests whether the page asks a driver who still holds to let go and press again,
// because the robot has discarded the samples.
const asksForAPress = `(document.querySelector('#drive-how b')?.textContent === 'Let go, then press again.')`

// heldUp tests whether the page reports that the robot's computer was too busy.
const heldUp = `/control loop was held up|has reported nothing for/.test(document.querySelector('#drive-how').innerText)`

// maxPresses is how often a driver presses until the robot drives.
const maxPresses = 4

// hold holds a control until there is satisfied. On a computer so busy that the base is not
// read for a quarter of a second the robot stops, rightly, and the page asks for another press;
// then hold lets go and presses again.
func (v *visitor) hold(by driveControl, what string, there func() bool) {
	v.t.Helper()
	by.hold(v)
	late := time.NewTimer(patience)
	defer late.Stop()
	every := time.NewTicker(20 * time.Millisecond)
	defer every.Stop()
	for presses := 1; !there(); {
		if presses < maxPresses && value[bool](v, asksForAPress) {
			presses++
			v.t.Logf("waiting for %s, press %d: %s", what, presses, v.words())
			by.release(v)
			v.until("the page to know that the driver let go", `!`+asksForAPress)
			by.hold(v)
		}
		select {
		case <-every.C:
		case <-late.C:
			v.picture("failed")
			v.t.Fatalf("waiting for %s by %s\nthe page says: %s", what, by.name, v.words())
		}
	}
}

// holdUntil holds the robot's controls until a script's value is true.
func (v *visitor) holdUntil(by driveControl, what, script string) {
	v.t.Helper()
	v.hold(by, what, func() bool { return value[bool](v, script) })
}

// driveUntil makes a visitor hold a control until the truth about the robot satisfies ok.
func (h *testServer) driveUntil(v *visitor, by driveControl, what string, ok func(sim.Truth) bool) sim.Truth {
	v.t.Helper()
	var truth sim.Truth
	v.hold(by, what, func() bool { truth = h.driver.Truth(); return ok(truth) })
	return truth
}

// drivenBy makes a visitor hold a control until the robot drives forward.
func (h *testServer) drivenBy(v *visitor, by driveControl) {
	v.t.Helper()
	h.driveUntil(v, by, "the robot to drive", func(t sim.Truth) bool { return t.Twist.Linear > 0.1 })
}

// The test uses the controls in succession on the same page. Each begins with its own neutral
// sample.
func TestADriverOnThePageDrivesAndLettingGoStops(t *testing.T) {
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	for _, control := range controls {
		start, before := h.driver.Truth().Pose, v.drives()
		h.driveUntil(v, control, "the robot to go half a metre by "+control.name, func(t sim.Truth) bool { return t.Pose.X > start.X+0.5 })
		v.until("the page to say so of "+control.name, `document.querySelector('#pill .t').textContent === 'Driving by hand' && 'driving' in document.querySelector('#drive').dataset`)
		if first := value[[]float64](v, fmt.Sprintf(`(() => { const d = __seen.sent.filter((m) => m.type === 'drive')[%d]; return [d.v, d.w]; })()`, before)); first[0] != 0 || first[1] != 0 {
			t.Errorf("%s: the press began with the sample %v, not with a neutral one", control.name, first)
		}
		control.release(v)
		v.endsInZero(control.ended)
		h.awaitStill()
		v.until("the page to say that it stands after "+control.name, `document.querySelector('#pill .t').textContent === 'Ready'`)
		h.drivenBy(v, control)
		control.release(v)
		h.awaitStill()
		v.endsInZero("")
	}
}

func TestTheStickTurnsAndGoesBack(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	for _, c := range []struct {
		name          string
		forward, left float64
		ok            func(sim.Truth) bool
	}{
		{"to the left", 0, 1, func(t sim.Truth) bool { return t.Twist.Angular > 0.2 && math.Abs(t.Twist.Linear) < 0.05 }},
		{"to the right", 0, -1, func(t sim.Truth) bool { return t.Twist.Angular < -0.2 && math.Abs(t.Twist.Linear) < 0.05 }},
		{"back", -1, 0, func(t sim.Truth) bool { return t.Twist.Linear < -0.1 }},
		{"ahead and to the left", 0.7, 0.7, func(t sim.Truth) bool { return t.Twist.Linear > 0.1 && t.Twist.Angular > 0.1 }},
	} {
		stick := byStick(c.forward, c.left)
		h.driveUntil(v, stick, "the robot to go "+c.name, c.ok)
		stick.release(v)
		h.awaitStill()
	}
}

func TestAHoldThatIsLostEndsInZero(t *testing.T) {
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	for _, c := range []struct {
		name  string
		input driveControl
		lose  func(*testServer, *visitor)
		event string // "" = the page has no such event
	}{
		{"another tab comes to the front", byW, func(_ *testServer, v *visitor) { v.coverTab() }, "blur"},
		{"the page is hidden", byW, func(_ *testServer, v *visitor) { v.hide() }, "visibilitychange"},
		{"the pointer is taken away", byFinger, func(_ *testServer, v *visitor) { v.touch(input.DispatchTouchEventTypeTouchCancel) }, "pointercancel"},
		{"the gamepad is unplugged", byPad, func(_ *testServer, v *visitor) { v.losePad() }, "gamepaddisconnected"},
		{"a text field takes the keys", byW, func(_ *testServer, v *visitor) { v.click("#people .you") }, "focusin"},
		{"the browser's menu opens", byW, func(_ *testServer, v *visitor) { v.rightClick("#map") }, "contextmenu"},
		{"something is dragged", byW, func(_ *testServer, v *visitor) {
			v.run(`document.body.dispatchEvent(new DragEvent('dragstart', { bubbles: true }))`)
		}, "dragstart"},
		{"a dialog opens", byW, func(_ *testServer, v *visitor) { v.click("#help") }, "click"},
		{"control is released", byW, func(_ *testServer, v *visitor) { v.click("#auth button") }, ""},
		{"STOP is pressed", byW, func(_ *testServer, v *visitor) { v.press(keySpace); v.letGo(keySpace) }, ""},
	} {
		t.Log(c.name)
		v.anew()
		h.drivenBy(v, c.input)
		c.lose(h, v)
		v.endsInZero(c.event)
		h.awaitStill()
		before := v.drives()
		v.wait(0.3)
		if after := v.drives(); after != before {
			t.Errorf("%s: the page sent %d more samples after the hold was lost, though the driver has not let go", c.name, after-before)
		}
	}
	t.Run("the tab is closed", func(t *testing.T) {
		h := open(t)
		v := visit(t, browser, h.addr)
		h.drivenBy(v, byW)
		jin := h.enter("Jin")
		v.check()
		call(v, page.Close, cdp.Empty{})
		jin.until("word of it", func(m message) bool { return m.Type == "event" && m.Kind == "lease" && m.Reason != "" })
		h.awaitStill()
	})
}

func TestWhoWatchesCannotDrive(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	_, jin := visitTwo(t, browser, h)
	start := h.driver.Truth().Pose
	for _, control := range controls {
		control.hold(jin)
		jin.run(`new Promise((done) => setTimeout(done, 300))`)
		control.release(jin)
	}
	if n := jin.drives(); n != 0 {
		t.Errorf("an observer's page sent %d drive samples", n)
	}
	if now := h.driver.Truth(); now.Pose.Point().Sub(start.Point()).Norm() > 0.01 {
		t.Errorf("an observer moved the robot from %+v to %+v", start, now.Pose)
	}
}

func TestWhoWatchesCanStop(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, c := range []struct {
		name string
		stop func(*visitor)
	}{
		{"by the button", func(v *visitor) { v.click("header .stop") }},
		{"by Space", func(v *visitor) { v.press(keySpace); v.letGo(keySpace) }},
		{"by Esc twice", func(v *visitor) { v.strokeTwice(keyEsc, 200*time.Millisecond) }},
		{"by B of a gamepad", func(v *visitor) { v.pad(0, 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			ana, jin := visitTwo(t, browser, h)
			h.drivenBy(ana, byW)
			c.stop(jin)
			h.awaitStill()
			ana.until("the one who drives to be told", `document.querySelector('#banner').innerText.includes('Stopped by Guest 2')`)
			jin.until("the one who stopped to be told who can release it", `document.querySelector('#banner').innerText.includes('Guest 1 can release it') && document.querySelector('#release').hidden`)
			ana.letGo(keyW)
			ana.press(keyW)
			ana.run(`new Promise((done) => setTimeout(done, 200))`)
			if truth := h.driver.Truth(); !still(truth) {
				t.Errorf("a stopped robot moves: %+v", truth.Twist)
			}
			ana.releaseStop()
			ana.until("the robot to be ready", saysState("Ready"))
			ana.run(`new Promise((done) => setTimeout(done, 200))`)
			if truth := h.driver.Truth(); !still(truth) {
				t.Errorf("after the release the robot moves by a key that is still held: %+v", truth.Twist)
			}
			ana.letGo(keyW)
			h.drivenBy(ana, byW)
			ana.letGo(keyW)
		})
	}
}

// releaseStop holds R until the robot is released from STOP. A page without a link for a moment
// ends the hold; then releaseStop holds again.
func (v *visitor) releaseStop() {
	v.t.Helper()
	const released = `document.querySelector('#release').hidden`
	v.until("the release", `!`+released+` && !document.querySelector('#release-hold').disabled`)
	for range maxPresses {
		v.press(keyR)
		done := value[bool](v, `new Promise((done) => {
			const end = performance.now() + 3000, button = document.querySelector('#release-hold');
			const look = () => `+released+` ? done(true) : performance.now() > end && button.style.getPropertyValue('--p') === '0%' ? done(false) : setTimeout(look, 10);
			look();
		})`)
		v.letGo(keyR)
		if done {
			return
		}
		v.t.Logf("the hold of R was given up: %s", v.words())
	}
	v.t.Fatalf("the stop is not released; the page says: %s", v.words())
}

// visitTwo opens the page for the driver and for an observer. Both windows count as the one in
// front.
func visitTwo(t *testing.T, browser context.Context, h *testServer) (drives, watches *visitor) {
	t.Helper()
	drives, watches = visit(t, browser, h.addr), visit(t, browser, h.addr)
	for _, v := range []*visitor{drives, watches} {
		call(v, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	}
	watches.until("the page to say who drives", `document.querySelector('#banner').innerText.includes('You are watching.')`)
	return drives, watches
}

func TestSpaceStopsOnAButtonAndWritesInAField(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.click("#people .you")
	v.until("the field", `document.activeElement.matches('#people input')`)
	call(v, input.InsertText, input.InsertTextParams{Text: "Ana Maria"})
	v.press(keySpace)
	v.letGo(keySpace)
	if stopped := value[bool](v, `'stopped' in document.querySelector('#app').dataset`); stopped {
		t.Error("Space in a field stopped the robot")
	}
	if name := value[string](v, `document.activeElement.value`); name != "Ana Maria " {
		t.Errorf("the field contains %q instead of the typed text", name)
	}
	v.run(`document.activeElement.blur()`)

	theme := value[string](v, `(() => { document.querySelector('#theme').focus(); return document.documentElement.dataset.theme; })()`)
	v.press(keySpace)
	v.letGo(keySpace)
	v.until("STOP", `'stopped' in document.querySelector('#app').dataset`)
	if now := value[string](v, `document.documentElement.dataset.theme`); now != theme {
		t.Error("Space stopped the robot and also pressed the button")
	}
}

// Firefox opens its search at / and ', and its search takes the keys that follow: Space would not reach the page.
func TestTheBrowserGetsNoKeyThatOpensItsSearchExceptFromAField(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t).addr)
	v.run(`addEventListener('keydown', (e) => (globalThis.__kept = e.defaultPrevented))`)
	keys := []key{{"Slash", "/", 191, "/"}, {"Quote", "'", 222, "'"}}
	for _, k := range keys {
		v.stroke(k)
		if !value[bool](v, `__kept`) {
			t.Errorf("the browser gets %s", k.name)
		}
	}
	v.click("#people .you")
	v.until("the field", `document.activeElement.matches('#people input')`)
	for _, k := range keys {
		v.stroke(k)
		if value[bool](v, `__kept`) {
			t.Errorf("a field does not get %s", k.name)
		}
	}
}

// Two presses of Esc belong together by the time of the presses, not by when a busy page
// handles them.
func TestEscTwiceWithinHalfASecondStopsHoweverBusyThePageIs(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.until("a page that is older than its first press", `performance.now() > 1000`)
	v.strokeTwice(keyEsc, 800*time.Millisecond)
	v.wait(1) // so that the next press does not belong to it
	if n := len(v.orders("stop")); n != 0 {
		t.Errorf("two presses 0.8 s apart sent %d stops", n)
	}
	v.run(`addEventListener('keydown', () => { const end = performance.now() + 700; while (performance.now() < end); }, { once: true })`)
	v.strokeTwice(keyEsc, 400*time.Millisecond)
	v.until("STOP", `'stopped' in document.querySelector('#app').dataset`)
}

// strokeTwice presses a key twice, with a time between the presses by the keyboard's clock.
func (v *visitor) strokeTwice(k key, between time.Duration) {
	v.t.Helper()
	second := time.Now()
	for _, at := range []time.Time{second.Add(-between), second} {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{
				Type: kind, Timestamp: input.TimeSinceEpoch(float64(at.UnixMicro()) / 1e6), Code: k.code, Key: k.name, WindowsVirtualKeyCode: k.number,
			})
		}
	}
}

// touchStick pushes the stick with a finger.
func touchStick(v *visitor) {
	v.t.Helper()
	call(v, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	at := v.middle(".joy")
	v.touch(input.DispatchTouchEventTypeTouchStart, at)
	v.touch(input.DispatchTouchEventTypeTouchMove, spot{at.X, at.Y - 80})
}

// coverTab opens another tab in front of the visitor's.
func (v *visitor) coverTab() {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	_, err := chromedp.CallBrowser(ctx, target.CreateTarget, target.CreateTargetParams{URL: "about:blank", BrowserContextID: chromedp.FromContext(v.ctx).BrowserContextID})
	if err != nil {
		v.t.Fatal(err)
	}
}

// hide makes the page believe that it is hidden.
func (v *visitor) hide() {
	v.t.Helper()
	v.setHidden(true)
}

// unhide makes it believe that it is in sight again.
func (v *visitor) unhide() {
	v.t.Helper()
	v.setHidden(false)
}

func (v *visitor) setHidden(hidden bool) {
	v.t.Helper()
	v.run(fmt.Sprintf(`(() => {
		Object.defineProperty(document, 'hidden', { value: %t, configurable: true });
		document.dispatchEvent(new Event('visibilitychange'));
	})()`, hidden))
}

// It reloads the page, in front of all others and with nothing held, and takes control.
func (v *visitor) anew() {
	v.t.Helper()
	call(v, page.BringToFront, cdp.Empty{})
	v.letGo(keyW)
	v.look(desktop, dark)
	v.open()
	v.until("the page to say who has control", `document.querySelector('#app').dataset.conn === 'live' && ['yours', 'free'].includes(document.querySelector('#auth').dataset.kind)`)
	if value[bool](v, `document.querySelector('#auth').dataset.kind === 'free'`) {
		v.click("#auth button")
		v.until("control", hasControl)
	}
}

// rightClick opens the browser's menu at the middle of an element.
func (v *visitor) rightClick(selector string) {
	v.t.Helper()
	at := v.middle(selector)
	p := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: at.X, Y: at.Y, Button: input.MouseButtonRight, Buttons: 2, ClickCount: 1}
	call(v, input.DispatchMouseEvent, p)
	p.Type, p.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
	call(v, input.DispatchMouseEvent, p)
}

// endsInZero checks that the page sent zero within 50 ms of the event, or of now, nothing else
// afterwards, and then fell silent.
func (v *visitor) endsInZero(event string) {
	v.t.Helper()
	since := 0.0
	if event != "" {
		v.until("the event "+event, fmt.Sprintf(`__seen.heard.some((h) => h.name === '%s')`, event))
		since = value[float64](v, fmt.Sprintf(`__seen.heard.findLast((h) => h.name === '%s').at`, event))
	}
	v.until("the last sample to be zero", `(() => { const d = __seen.sent.filter((m) => m.type === 'drive').slice(-3); return d.length === 3 && d.every((m) => m.v === 0 && m.w === 0); })()`)
	type sample struct{ At, V, W float64 }
	after := value[[]sample](v, fmt.Sprintf(`__seen.sent.filter((m) => m.type === 'drive' && m.at >= %v).map((m) => ({ At: m.at, V: m.v, W: m.w }))`, since))
	if event == "" {
		return
	}
	if len(after) == 0 {
		v.t.Fatalf("after %s the page sent nothing", event)
	}
	if late := after[0].At - since; late > 50 {
		v.t.Errorf("the page sent zero %.0f ms after %s; it must be within 50 ms", late, event)
	}
	for _, s := range after {
		if s.V != 0 || s.W != 0 {
			v.t.Errorf("%.0f ms after %s the page sent %v m/s and %v rad/s", s.At-since, event, s.V, s.W)
		}
	}
	if len(after) > 3 {
		v.t.Errorf("after %s the page sent %d samples, want 3 neutral ones and silence", event, len(after))
	}
}

// The robot drove away from its charger, and a goal moved it away, without a message.
func TestLeavingTheChargerIsReportedWhateverDrives(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, by := range []string{"hand", "goal"} {
		h := openScene(t, func(s *sim.Scene) {
			s.People, s.Obstacles, s.Magnets = nil, nil, nil
			s.Start = robot.Pose{X: 1.42, Y: 7.3}
		})
		v := visit(t, browser, h.addr)
		v.until("the charger", saysState("Charging"))
		line := "The robot has left its charger, driven by hand."
		const toast = `[...document.querySelectorAll('#toasts .t')].some((e) => e.textContent === 'The robot has left its charger.')`
		if by == "hand" {
			v.holdUntil(byW, "the toast of a hand", toast)
		} else {
			v.goTo("Sofa")
			line = "The robot has left its charger on the way to Sofa."
			v.until("the toast of a goal", toast)
		}
		v.until("the line of "+by, fmt.Sprintf(`[...document.querySelectorAll('#log li')].some((l) => l.textContent.includes(%q))`, line))
		if by == "hand" {
			v.letGo(keyW)
			v.pictures("left-charger")
		}
	}
}

// While a computer sleeps, the clock by which a page times its samples stands. The robot took what
// was pressed after that for as late as the sleep was long.
func TestAPressIsTakenSoonAfterTheComputerHasSlept(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.inFront()
	v.run(`(() => { const now = performance.now.bind(performance); let asleep = 0; performance.now = () => now() - asleep; window.__sleep = (s) => (asleep = s * 1000); })()`)
	v.until("the clocks to be compared", `/\d ms/.test(document.querySelector('#delay [data-of=rtt]').textContent)`)
	v.run(`__sleep(3)`)
	v.until("another connection", `__seen.sent.filter((m) => m.type === 'hello').length > 1 && `+hasControl+` && document.querySelector('#app').dataset.conn === 'live'`)
	const late = `document.querySelector('#drive-how').innerText.includes('held the drive samples back')`
	v.hold(byW, "the robot to drive", func() bool {
		if value[bool](v, late) {
			t.Fatal(v.words())
		}
		return h.driver.Truth().Twist.Linear > 0.1
	})
	v.letGo(keyW)
}
