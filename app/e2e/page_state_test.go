package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"mybot/app"
	"mybot/drivers/sim"
)

// A state is one state of the page. It is set up on a fresh server and returns the visitor who
// looks at it.
type state struct {
	name string
	set  func(t *testing.T, browser context.Context) *visitor
}

// alone opens the page of a fresh server for one person.
func alone(t *testing.T, browser context.Context) (*testServer, *visitor) {
	t.Helper()
	h := open(t)
	return h, visit(t, browser, h.addr)
}

var states = []state{
	{"ready", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		return v
	}},
	{"driving", func(t *testing.T, browser context.Context) *visitor {
		h, v := alone(t, browser)
		v.inFront()
		h.driveUntil(v, byA, "the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
		v.until("the page to say so", saysState("Driving by hand"))
		return v
	}},
	{"slowed", func(t *testing.T, browser context.Context) *visitor {
		h := openScene(t, func(s *sim.Scene) { s.People, s.Start.Theta = nil, -math.Pi/2 })
		v := visit(t, browser, h.addr)
		v.inFront()
		v.holdUntil(byW, "the robot to be slowed down", `document.querySelector('#toasts').innerText.includes('Speed reduced')`)
		v.letGo(keyW)
		return v
	}},
	{"stepping", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('#step-moves').click()`)
		v.until("the step buttons", `!document.querySelector('.stepper').hidden`)
		return v
	}},
	{"gamepad", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.pad(0)
		v.until("the gamepad", `document.querySelector('[data-way=pad]').innerText.includes('ready')`)
		return v
	}},
	{"watching", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		h.enter("Ana").reads()
		v := visit(t, browser, h.addr)
		v.until("the banner", saysBanner("You are watching."))
		return v
	}},
	{"free", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.click("#auth button")
		v.until("the banner", saysBanner("Nobody has control."))
		return v
	}},
	{"stopped", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.press(keySpace)
		v.letGo(keySpace)
		v.until("the release", `!document.querySelector('#release').hidden`)
		return v
	}},
	{"stopped-by-another", func(t *testing.T, browser context.Context) *visitor {
		h, v := alone(t, browser)
		jin := h.enter("Jin")
		jin.ask(map[string]any{"type": "stop"})
		v.until("the banner", saysBanner("Stopped by Jin"))
		return v
	}},
	{"stopped-watching", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		ana := h.enter("Ana")
		stop := ana.reads()
		v := visit(t, browser, h.addr)
		stop()
		ana.ask(map[string]any{"type": "stop"})
		ana.reads()
		v.until("the banner", saysBanner("Ana can release it."))
		return v
	}},
	{"stopped-free", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.click("#auth button")
		v.until("the banner", saysBanner("Nobody has control"))
		v.press(keySpace)
		v.letGo(keySpace)
		v.until("the banner", saysBanner("take control to release it"))
		return v
	}},
	{"no-contact", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		network := newProxy(t, h.addr)
		v := visit(t, browser, network.addr)
		v.away = true
		network.swallow(true)
		v.until("the banner", saysBanner("No contact for"))
		return v
	}},
	{"no-contact-stopped", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		network := newProxy(t, h.addr)
		v := visit(t, browser, network.addr)
		v.away = true
		v.run(count)
		v.run(`__seen.cut = true`) // no STOP by the channel either
		network.freezeAll()
		v.until("no contact", saysBanner("No contact for"))
		v.press(keySpace)
		v.letGo(keySpace)
		v.until("the banner", saysBanner("It has not reached the robot yet."))
		return v
	}},
	{"battery-low", func(t *testing.T, browser context.Context) *visitor {
		h := openScene(t, func(s *sim.Scene) { s.People, s.Drained = nil, 0.92 })
		v := visit(t, browser, h.addr)
		v.until("the banner", saysBanner("Battery"))
		return v
	}},
	{"new-version", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		network := newProxy(t, h.addr)
		v := visit(t, browser, network.addr)
		v.away = true
		network.lead(open(t, func(c *app.Config) { c.Build = "newer" }).addr)
		v.until("the banner", saysBanner("A new version is ready."))
		return v
	}},
	{"shortcuts", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('#help').click()`)
		v.until("the sheet", `document.querySelector('#shortcuts').open`)
		return v
	}},
	{"connection", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('#link').click()`)
		v.until("the card", `!document.querySelector('#link-card').hidden`)
		return v
	}},
	{"layers", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('[data-map=layers]').click()`)
		v.until("the layers", `!document.querySelector('#layers').hidden`)
		return v
	}},
	{"renaming", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('#people .you').click()`)
		v.until("the field", `document.querySelector('#people input') !== null`)
		return v
	}},
}

func saysState(word string) string {
	return fmt.Sprintf("document.querySelector('#pill .t').textContent === %q", word)
}

func saysBanner(words string) string {
	return fmt.Sprintf("(!document.querySelector('#banner').hidden && document.querySelector('#banner').innerText.replace(/\\s+/g, ' ').includes(%q))", words)
}

// In every state, in every window, STOP can be seen and pressed, and axe finds nothing. Desktop
// and phone are checked in both themes, the other two windows only in the dark one, because a
// theme moves nothing; for the same reason axe checks only colours in the light theme.
// Screenshots are saved in artifacts.
func TestInEveryStateStopIsInReachAndAxeFindsNothing(t *testing.T) {
	t.Parallel()
	inEveryWindow(t, slices.Concat(states, gotoStates, workStates, delayStates, jobStates, mappingStates, sketchStates, jointStates), (*visitor).stopInReach)
}

// inEveryWindow checks the page in these states with axe and the given checks. The states run
// side by side, since half of the time is waiting.
func inEveryWindow(t *testing.T, states []state, checks ...func(v *visitor, where string)) {
	t.Helper()
	axe, browser := readAxe(t), chromium(t)
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.set(t, browser).inEveryWindow(s.name, axe, checks...)
		})
	}
}

// inEveryWindow checks the current page with axe and the given checks.
func (v *visitor) inEveryWindow(name, axe string, checks ...func(v *visitor, where string)) {
	v.t.Helper()
	v.run(axe)
	for _, in := range []struct {
		window
		theme string
	}{{desktop, dark}, {tablet, dark}, {landscape, dark}, {phone, dark}, {phone, light}, {desktop, light}} {
		v.look(in.window, in.theme)
		v.settle()
		where := name + "-" + in.name + "-" + in.theme
		for _, check := range checks {
			check(v, where)
		}
		if in.theme == dark {
			v.axeFindsNothing(where)
		} else {
			v.axeFindsNoColour(where)
		}
		v.picture(where)
	}
	v.look(desktop, dark)
}

// readAxe reads axe, a program that finds barriers to accessibility.
func readAxe(t *testing.T) string {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join("..", "..", "web", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skipf("axe-core is not there: npm ci in web installs it (%v)", err)
	}
	return string(axe)
}

func TestAPageThatIsStillConnectingShowsTheFloorAndStop(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := arrive(t, browser, h.addr)
	v.deafen()
	for _, w := range []window{desktop, tablet, phone, landscape} {
		v.look(w, dark)
		v.open()
		v.until("the page to say so", saysState("Connecting"))
		v.settle()
		v.stopInReach("connecting-" + w.name)
		v.picture("connecting-" + w.name + "-dark")
	}
	v.until("the page to give up", saysBanner("No contact with the robot."))
}

func TestWithoutScriptsThePageShowsTheFloorAndStops(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := newVisitor(t, browser, h.addr, "/")
	call(v, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	v.open()
	v.picture("no-scripts")
	ana := h.enter("Ana")
	ana.drive(0.3, 0, moving)
	v.do(chromedp.Click(chromedp.CSS("form[action='/stop'] button")))
	if s := ana.until("the stop", func(m message) bool { return m.Type == "state" && m.Stop != nil }); s.Stop.By != "a program on the robot's computer" {
		t.Errorf("the robot was stopped by %q", s.Stop.By)
	}
	ana.awaitStandstill()
}

// heard changes what the page receives from its next load on: in each message the text new
// replaces old.
func (v *visitor) heard(old, new string) {
	v.t.Helper()
	v.onLoad(fmt.Sprintf(`(() => {
		const own = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
		Object.defineProperty(MessageEvent.prototype, 'data', { ...own, get() {
			const data = own.get.call(this);
			return typeof data === 'string' ? data.replace(%q, %q) : data;
		} });
	})()`, old, new))
}

// The number is the spread of the filter, not its error: "Poor, 8 cm" was both.
func TestADoubtedPositionSaysUnsureAndIfRight(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := arrive(t, browser, h.addr)
	v.heard(`"trust":"OK"`, `"trust":"UNSURE"`)
	v.open()
	const says = `document.querySelector('.position .v').innerText.replace(/\s+/g, ' ')`
	v.until("the words", `/^Unsure ±\d+ cm if right$/.test(`+says+`)`)
	v.until("the map in words", `document.body.textContent.includes('m if it is right. Sources:')`)
	if over := value[float64](v, `(() => { const p = document.querySelector('.position .v'); return p.scrollWidth - p.clientWidth; })()`); over > 0 {
		t.Errorf("the text is %.0f px too wide", over)
	}
	v.pictures("unsure")
}

// pictures saves screenshots of the page in windows of every kind and both themes.
func (v *visitor) pictures(name string) {
	v.t.Helper()
	for _, w := range []window{desktop, laptop, phone, landscape} {
		for _, theme := range []string{dark, light} {
			v.look(w, theme)
			v.settle()
			v.picture(name + "-" + w.name + "-" + theme)
		}
	}
	v.look(desktop, dark)
	v.settle()
}

// settle waits until the page has been drawn in its present state.
func (v *visitor) settle() {
	v.t.Helper()
	v.run(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))`)
}

// deafen blocks all frames from the robot to the page from its next load on.
func (v *visitor) deafen() {
	v.t.Helper()
	v.onLoad(`Object.defineProperty(WebSocket.prototype, 'onmessage', { set() {} });`)
}

// stopInReach checks that one STOP is shown, large enough, enabled and wholly in the window,
// and that taps at its corners and in its middle hit it.
func (v *visitor) stopInReach(where string) {
	v.t.Helper()
	fault := value[string](v, `(() => {
		const shown = [...document.querySelectorAll('button.stop')].filter((b) => b.getClientRects().length > 0);
		if (shown.length !== 1) return shown.length + ' STOP buttons are shown';
		const b = shown[0], r = b.getBoundingClientRect();
		if (b.disabled || b.closest('[inert]')) return 'it is disabled';
		if (r.width < 44 || r.height < 44) return 'it is only ' + r.width + ' by ' + r.height + ' px';
		if (r.left < 0 || r.top < 0 || r.right > innerWidth || r.bottom > innerHeight) return 'it is not wholly in the window: ' + JSON.stringify(r);
		if (Number(getComputedStyle(b).opacity) < 1) return 'it is pale';
		const e = 6;
		for (const [x, y] of [[r.left + e, r.top + e], [r.right - e, r.top + e], [r.left + e, r.bottom - e], [r.right - e, r.bottom - e], [r.left + r.width / 2, r.top + r.height / 2]]) {
			const found = document.elementFromPoint(x, y);
			if (!b.contains(found)) return 'at ' + x + ', ' + y + ' it lies under ' + (found ? found.outerHTML.slice(0, 120) : 'nothing');
		}
		return '';
	})()`)
	if fault != "" {
		v.t.Errorf("%s: STOP is not in reach: %s", where, fault)
	}
}

// axeFindsNothing checks all rules of axe for WCAG 2.2 A and AA.
func (v *visitor) axeFindsNothing(where string) {
	v.t.Helper()
	v.askAxe(where, `{ type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }`)
}

// axeFindsNoColour checks the rules that depend on colours.
func (v *visitor) axeFindsNoColour(where string) {
	v.t.Helper()
	v.askAxe(where, `{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }`)
}

func (v *visitor) askAxe(where, rules string) {
	v.t.Helper()
	found := value[string](v, `axe.run(document, { runOnly: `+rules+`, resultTypes: ['violations'] })
		.then((r) => JSON.stringify(r.violations.flatMap((f) => f.nodes.map((n) => f.id + ': ' + n.target.join(' ') + ': ' + n.failureSummary.replace(/\s+/g, ' ')))))`)
	var faults []string
	if err := json.Unmarshal([]byte(found), &faults); err != nil {
		v.t.Fatal(err)
	}
	for _, f := range faults {
		v.t.Errorf("%s: axe finds %s", where, f)
	}
}
