package e2e_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"mybot/app"
	"mybot/drivers/sim"
)

// Tests of what the page shows about control, as scripts.
const (
	hasControl = `document.querySelector('#auth').dataset.kind === 'yours'`
	watches    = `document.querySelector('#auth').dataset.kind === 'watching'`
	cardShown  = `!document.querySelector('#handover').hidden`
	noCard     = `document.querySelector('#handover').hidden`
	formShown  = `!document.querySelector('#ask').hidden`
)

// secondsRun tests whether an element counts seconds down after the given words, and has
// reached at least a number: each number is visible for a second only.
const secondsRun = `(() => {
	const e = document.querySelector(%q), n = e.hidden ? null : e.innerText.replace(/\s+/g, ' ').match(new RegExp(%q + ' (\\d+) s'));
	return n !== null && Number(n[1]) <= %d;
})()`

const (
	giveButton    = "#handover .pri"
	keepButton    = "#handover .btn:not(.pri)"
	bannerButton  = "#banner button:not(.other)"
	takeNowButton = "#banner button.other"
)

func saysToast(words string) string {
	return fmt.Sprintf("document.querySelector('#toasts').innerText.includes(%q)", words)
}

func saysCard(words string) string {
	return fmt.Sprintf("(%s && document.querySelector('#handover').innerText.replace(/\\s+/g, ' ').includes(%q))", cardShown, words)
}

// listen records what the live regions announce from now on.
const listen = `(() => {
	const spoken = __seen.spoken = [];
	for (const id of ['polite', 'assertive']) new MutationObserver(() => spoken.push(document.getElementById(id).textContent)).observe(document.getElementById(id), { childList: true, characterData: true, subtree: true });
})()`

func hears(words string) string {
	return fmt.Sprintf("__seen.spoken.some((s) => s.includes(%q))", words)
}

// visitBoth opens the page for the driver and for an observer, and records the announcements of
// both.
func visitBoth(t *testing.T, browser context.Context) (h *testServer, ana, jin *visitor) {
	t.Helper()
	h = open(t)
	ana, jin = visitTwo(t, browser, h)
	ana.run(listen)
	jin.run(listen)
	return h, ana, jin
}

// inFront makes the visitor's window count as the one in front.
func (v *visitor) inFront() {
	v.t.Helper()
	call(v, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
}

// asks requests control with a reason.
func (v *visitor) asks(reason string) {
	v.t.Helper()
	v.until("the offer to ask", `document.querySelector('`+bannerButton+`').innerText === 'Ask for control'`)
	v.click(bannerButton)
	v.until("the form, ready to type in", formShown+` && document.activeElement.matches('#ask input')`)
	if reason != "" {
		call(v, input.InsertText, input.InsertTextParams{Text: reason})
	}
	v.click("#ask .pri")
	v.until("the page to say that it asked", saysBanner("s ago."))
}

// Enter sends the form that requests control, and the focus remains in the panel.
func TestAskingByEnterLeavesNoFrameAroundThePanel(t *testing.T) {
	t.Parallel()
	_, _, jin := visitBoth(t, chromium(t))
	jin.inFront()
	jin.until("the offer to ask", `document.querySelector('`+bannerButton+`').innerText === 'Ask for control'`)
	jin.focus(bannerButton)
	for _, tab := range []int{0, 2} { // Esc in the field, and the button that cancels
		jin.stroke(keyEnter)
		jin.until("the form, ready to type in", formShown+` && document.activeElement.matches('#ask input')`)
		for range tab {
			jin.stroke(keyTab)
		}
		jin.stroke([]key{keyEsc, keyEnter}[tab/2])
		jin.until("the focus back on what asks", focused(bannerButton))
	}
	jin.stroke(keyEnter)
	jin.until("the form, ready to type in", formShown+` && document.activeElement.matches('#ask input')`)
	jin.stroke(keyEnter)
	jin.until("the focus in the panel", `document.activeElement.id === 'body'`)
	if frame := value[string](jin, `getComputedStyle(document.querySelector('#body')).outlineStyle`); frame != "none" {
		t.Errorf("the panel has a %s frame", frame)
	}
	jin.run(`document.activeElement.blur()`)
	jin.run(`document.querySelector('#body').focus()`)
	if frame := value[string](jin, `getComputedStyle(document.querySelector('#body')).outlineStyle`); frame != "solid" {
		t.Errorf("a focus by Tab has the frame %q", frame)
	}
}

// drivesAway holds W until the robot moves, and lets go.
func (v *visitor) drivesAway(h *testServer) {
	v.t.Helper()
	h.drivenBy(v, byW)
	v.letGo(keyW)
	h.awaitStill()
}

// The waits of a handover are real, so the tests run side by side.
func TestControlPassesFromPageToPage(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for name, passes := range map[string]func(*testing.T){
		"given": func(t *testing.T) {
			h, ana, jin := visitBoth(t, browser)
			h.drivenBy(ana, byW)
			jin.asks("I need to fetch a paper.")
			ana.until("the card", saysCard("Guest 2 asks for control “I need to fetch a paper.”")+` && `+saysCard("s. The robot stops before control changes."))
			ana.until("the card to be spoken", hears("Guest 2 asks for control. “I need to fetch a paper.”"))
			ana.coversNothing("the card")
			if still(h.driver.Truth()) && !value[bool](ana, heldUp) {
				t.Errorf("the card took the robot from its driver: %s", ana.words())
			}
			ana.run(`document.querySelector('` + giveButton + `').focus()`)
			stands := h.standsWhen(jin, hasControl+` && document.querySelector('#banner').hidden`, func() { ana.click(giveButton) })
			if !still(stands) {
				t.Errorf("control passed on while the robot moved: %+v", stands.Twist)
			}
			ana.until("who gave to be told", watches+` && `+noCard+` && `+saysToast("You gave control to Guest 2.")+` && `+hears("You no longer have control."))
			jin.until("who asked to be told", saysToast("You have control.")+` && `+hears("You have control."))
			ana.run(`new Promise((done) => setTimeout(done, 300))`) // with W still down
			if truth := h.driver.Truth(); !still(truth) {
				t.Errorf("a key of the previous driver moves the robot: %+v", truth.Twist)
			}
			ana.letGo(keyW)
			jin.drivesAway(h)
		},
		"kept": func(t *testing.T) {
			h, ana, jin := visitBoth(t, browser)
			jin.asks("")
			ana.until("the card", saysCard("Guest 2 asks for control"))
			ana.click(keepButton)
			jin.until("who asked to be told", saysToast("Guest 1 keeps control.")+` && `+hears("Guest 1 keeps control."))
			ana.until("the card to go", noCard+` && `+hasControl)
			jin.click(bannerButton)
			jin.until("the form", formShown)
			jin.click("#ask .pri")
			jin.until("that one waits before asking again", saysToast("Ask again in"))
			ana.drivesAway(h)
		},
		"taken back": func(t *testing.T) {
			_, ana, jin := visitBoth(t, browser)
			jin.asks("")
			ana.until("the card", cardShown)
			jin.click(bannerButton)
			jin.until("the request to be over", saysBanner("You are watching. Guest 1 has had control"))
			ana.until("the card to go", noCard+` && `+saysToast("Guest 2 no longer asks for control."))
		},
		"not answered": func(t *testing.T) {
			h, ana, jin := visitBoth(t, browser)
			jin.asks("Hello?")
			ana.drivesAway(h)
			ana.until("the seconds to run", fmt.Sprintf(secondsRun, "#handover", "Declined automatically in", 25))
			for range 3 { // each wait is shorter than the whole time
				if value[bool](jin, `new Promise((done) => { const end = performance.now() + 9000; const look = () => `+saysToast("did not answer")+` ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 50); look(); })`) {
					break
				}
			}
			jin.until("who asked to be told", saysToast("Guest 1 did not answer and keeps control.")+` && `+watches)
			ana.until("the card to go", noCard+` && `+hasControl)
		},
		"left, declined and accepted": func(t *testing.T) {
			h, ana, jin := visitBoth(t, browser)
			kim := visit(t, browser, h.addr)
			kim.inFront()
			h.drivenBy(ana, byW)
			ana.check()
			call(ana, page.Close, cdp.Empty{})
			jin.until("the banner to count", saysBanner("Guest 1 left. Control will be free in"))
			jin.until("it to be spoken", hears("Guest 1 left. Control will be free in"))
			h.awaitStill()
			jin.until("the seconds to run", fmt.Sprintf(secondsRun, "#banner", "Control will be free in", 7))
			jin.until("the offer", saysCard("You can take control"))
			kim.until("to whom it is offered", saysBanner("Control is offered to Guest 2"))
			if value[bool](jin, hasControl) {
				t.Error("control passed on without a click")
			}
			jin.coversNothing("the offer")
			jin.click(keepButton)
			kim.until("the offer", saysCard("You can take control"))
			jin.until("the card to go", noCard)
			kim.click(giveButton)
			kim.until("control", hasControl+` && `+noCard)
			jin.until("who has it", saysBanner("Guest 3 has had control"))
			kim.drivesAway(h)
		},
		"kept by the browser that comes back": func(t *testing.T) {
			h, ana, jin := visitBoth(t, browser)
			for tries := 1; ; tries++ { // control is reserved for 10 s, in which a busy computer may not have loaded the page
				h.drivenBy(ana, byW)
				left := time.Now()
				ana.do(chromedp.Navigate("about:blank"))
				jin.until("the banner to count", saysBanner("Guest 1 left. Control will be free in"))
				h.awaitStill()
				ana.open()
				ana.until("the page to say who has control", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
				took := time.Since(left)
				if value[bool](ana, hasControl) {
					break
				}
				if took < 8*time.Second || tries == 3 {
					t.Fatalf("control is not reserved for a page that is back after %v: %s", took, ana.words())
				}
				t.Logf("the page was back after %v", took)
				ana.letGo(keyW)
				ana.until("the offer", cardShown+` || document.querySelector('#auth').dataset.kind === 'free'`)
				ana.run(`(document.querySelector('#handover').hidden ? document.querySelector('#auth button') : document.querySelector('` + giveButton + `')).click()`)
				ana.until("control", hasControl)
			}
			jin.until("the banner to say so", saysBanner("Guest 1 has had control"))
			ana.run(`new Promise((done) => setTimeout(done, 200))`)
			if truth := h.driver.Truth(); !still(truth) {
				t.Errorf("the robot moves again by itself: %+v", truth.Twist)
			}
			ana.letGo(keyW)
			ana.drivesAway(h)
		},
		"released and taken": func(t *testing.T) {
			h, ana, jin := visitBoth(t, browser)
			ana.click("#auth button")
			jin.until("the offer to take it", saysBanner("Nobody has control."))
			jin.click(bannerButton)
			jin.until("control", hasControl)
			ana.until("the banner", saysBanner("You are watching. Guest 2 has had control"))
			jin.drivesAway(h)
		},
		"while stopped": func(t *testing.T) {
			h, ana, jin := visitBoth(t, browser)
			jin.asks("")
			ana.until("the card", cardShown)
			h.drivenBy(ana, byW)
			jin.press(keySpace)
			jin.letGo(keySpace)
			h.awaitStill()
			ana.until("the card and the release beside it", cardShown+` && !document.querySelector('#release').hidden`)
			ana.coversNothing("the card while stopped")
			ana.stopInReach("the card while stopped")
			ana.click(giveButton)
			jin.until("control, and the release with it", hasControl+` && !document.querySelector('#release').hidden`)
			ana.until("no more release", `document.querySelector('#release').hidden`)
			at := jin.middle("#release-hold")
			for { // a busy computer delays it longer
				jin.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
				jin.wait(0.8)
				jin.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
				jin.wait(0.9)
				held := value[float64](jin, `(() => { const at = (name) => __seen.heard.findLast((h) => h.name === name).at; return at('pointerup') - at('pointerdown'); })()`)
				released := value[bool](jin, `document.querySelector('#release').hidden`)
				if released && held < 1500 {
					t.Errorf("the stop was released by a hold of %.0f ms", held)
				}
				if held < 1400 {
					break
				}
				t.Logf("a hold of 0.8 s took %.0f ms", held)
				jin.press(keySpace)
				jin.letGo(keySpace)
				jin.until("the release to be shown", `!document.querySelector('#release').hidden`)
			}
			jin.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
			jin.until("the stop to be released", `document.querySelector('#release').hidden && document.querySelector('#pill .t').textContent === 'Ready'`)
			jin.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
			ana.run(`new Promise((done) => setTimeout(done, 200))`)
			if truth := h.driver.Truth(); !still(truth) {
				t.Errorf("the robot moves by itself after the release: %+v", truth.Twist)
			}
			ana.letGo(keyW)
			jin.drivesAway(h)
		},
		"on phones": func(t *testing.T) {
			h, ana, jin := visitBoth(t, browser)
			for _, v := range []*visitor{ana, jin} {
				v.look(phone, dark)
				v.settle()
			}
			jin.tap(bannerButton)
			jin.until("the form", formShown)
			jin.stopInReach("the form")
			jin.coversNothing("the form")
			call(jin, input.InsertText, input.InsertTextParams{Text: "I stand beside it."})
			jin.tap("#ask .pri")
			ana.until("the card", saysCard("I stand beside it."))
			ana.settle()
			ana.stopInReach("the card")
			ana.coversNothing("the card")
			ana.tap(giveButton)
			jin.until("control", hasControl)
			jin.stopInReach("the toast")
			h.drivenBy(jin, byFinger)
			byFinger.release(jin)
			h.awaitStill()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			passes(t)
		})
	}
}

// The pairing page shows no robot, and everyone may open it.
// Who asks first takes the request back at the moment at which the person in control presses Give: the card is
// already that of the next one.
func TestAPressOnACardThatHasJustChangedGivesControlToNoOne(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h, ana, jin := visitBoth(t, browser)
	kim := visit(t, browser, h.addr)
	kim.inFront()
	jin.asks("")
	ana.until("the first card", saysCard("Guest 2 asks for control"))
	kim.asks("")
	ana.until("that one more waits", saysCard("more"))
	ana.inFront()
	ana.tabTo(giveButton)
	ana.run(`(() => {
		const press = () => { if (!` + saysCard("Guest 3 asks for control") + ` || __seen.late) return; __seen.late = performance.now(); document.querySelector('` + giveButton + `').click(); };
		new MutationObserver(press).observe(document.querySelector('#handover'), { subtree: true, childList: true, characterData: true });
	})()`)
	jin.click(bannerButton)
	ana.until("the press on the other card", `__seen.late > 0`)
	ana.until("the focus on neither of its buttons", focused("#body")+" && "+cardShown)
	ana.until("what becomes of it", `performance.now() - __seen.late > 600`)
	if given := ana.orders("control"); len(given) > 0 || !value[bool](ana, hasControl) {
		t.Errorf("the press that was meant for Guest 2 sent %+v", given)
	}
	ana.click(giveButton)
	kim.until("control by a press that was meant", hasControl)
}

func TestThePairingPageNeedsNoRole(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	browser := chromium(t)
	s := openToAll(t)
	v := arrive(t, browser, s.addr)
	v.away = true // the browser logs a refused code as an error
	check := func(name string) {
		v.run(axe)
		for _, theme := range []string{dark, light} {
			for _, w := range []window{desktop, phone} {
				v.look(w, theme)
				v.run(fmt.Sprintf(`document.documentElement.dataset.theme = %q`, theme)) // the theme is chosen at load
				v.settle()
				where := name + "-" + w.name + "-" + theme
				v.axeFindsNothing(where)
				v.picture(where)
			}
		}
	}
	v.lands("the way in", `location.pathname === '/pair'`)
	check("pair")
	v.run(`document.querySelector('#pair-code').value = '00000000'`)
	v.do(chromedp.Click(chromedp.CSS("form.pair button")))
	v.lands("what was wrong", `document.querySelector('[role=alert]') !== null`)
	check("pair-refused")
	v.do(chromedp.Navigate(s.invitation.Link))
	check("pair-link")
}

// A browser is one person: a second tab observes until it is used.
func TestASecondTabWatchesUntilItIsUsed(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	first := visit(t, browser, h.addr)
	first.inFront()
	second := first.tab()
	second.until("the banner and the robot", saysBanner("This robot is open in another tab.")+` && document.querySelector('#app').dataset.conn === 'live'`)
	second.press(keyW)
	second.run(`new Promise((done) => setTimeout(done, 200))`)
	second.letGo(keyW)
	if n := second.drives(); n != 0 {
		t.Errorf("an observing tab sent %d drive samples", n)
	}
	if n := value[int](first, `document.querySelectorAll('#people li').length`); n != 1 {
		t.Errorf("one browser with two tabs counts as %d people", n)
	}
	h.drivenBy(first, byW)
	stands := h.standsWhen(second, hasControl+` && document.querySelector('#banner').hidden`, func() { second.click(bannerButton) })
	if !still(stands) {
		t.Errorf("control passed to the other tab while the robot moved: %+v", stands.Twist)
	}
	first.until("the first tab to say where it is used", saysBanner("This robot is open in another tab."))
	first.letGo(keyW)
	second.drivesAway(h)
	first.press(keySpace)
	first.letGo(keySpace)
	second.until("STOP from the tab that watches", `'stopped' in document.querySelector('#app').dataset`)
}

func TestABumperInAWindowThatIsNotInFrontDrivesNothing(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.run(`(() => { __seen.focus = false; document.hasFocus = () => __seen.focus; })()`)
	v.pad(1, 5)
	v.run(`new Promise((done) => setTimeout(done, 300))`)
	if n := v.drives(); n != 0 {
		t.Errorf("a window that is not in front sent %d drive samples", n)
	}
	v.run(`(() => { __seen.focus = true; window.dispatchEvent(new Event('focus')); })()`)
	v.run(`new Promise((done) => setTimeout(done, 300))`)
	if n := v.drives(); n != 0 {
		t.Errorf("a bumper held since before the window was in front sent %d drive samples", n)
	}
	v.pad(1)
	v.run(`new Promise((done) => setTimeout(done, 100))`)
	h.drivenBy(v, byPad)
	byPad.release(v)
	h.awaitStill()
}

// The card moves away from the robot wherever the map shows the robot.
func TestTheCardGetsOutOfTheWayOfTheRobot(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	ana, jin := visitTwo(t, browser, h)
	jin.asks("")
	ana.until("the card", cardShown)
	for _, w := range []window{desktop, tablet, phone} {
		ana.look(w, dark)
		ana.settle()
		ana.coversNothing("following, " + w.name)
		box := value[[4]float64](ana, `(() => { const r = document.querySelector('#map').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
		for _, to := range [][2]float64{{0.8, 0.15}, {0.85, 0.3}, {0.7, 0.25}, {0.8, 0.5}} {
			robot := value[spot](ana, robotSpot)
			ana.pan(robot, spot{box[0] + to[0]*box[2], box[1] + to[1]*box[3]})
			ana.settle()
			if w != phone { // there the card is as wide as the map, and a person who moves the map sees the robot
				ana.coversNothing(fmt.Sprintf("the robot at %v, %s", to, w.name))
			}
		}
		ana.run(`document.querySelector('[data-map=follow]').click()`)
	}
}

// robotSpot is the robot's spot on the page.
const robotSpot = `(() => {
	const c = document.querySelector('#map'), r = c.getBoundingClientRect();
	return { X: r.left + c.drawn.robot[0], Y: r.top + c.drawn.robot[1] };
})()`

// pan drags the map from one spot to another.
func (v *visitor) pan(from, to spot) {
	v.t.Helper()
	v.run(fmt.Sprintf(`(() => {
		const c = document.querySelector('#map');
		const at = (type, x, y) => c.dispatchEvent(new PointerEvent(type, { pointerId: 7, isPrimary: true, button: type === 'pointermove' ? -1 : 0, buttons: type === 'pointerup' ? 0 : 1, clientX: x, clientY: y, bubbles: true }));
		c.setPointerCapture = () => {};
		at('pointerdown', %[1]v, %[2]v);
		for (let i = 1; i <= 10; i++) at('pointermove', %[1]v + (%[3]v - %[1]v) * i / 10, %[2]v + (%[4]v - %[2]v) * i / 10);
		at('pointerup', %[3]v, %[4]v);
	})()`, from.X, from.Y, to.X, to.Y))
}

// coversNothing checks that no card or toast in the map's corner covers the robot's symbol.
func (v *visitor) coversNothing(where string) {
	v.t.Helper()
	v.settle()
	fault := value[string](v, `(() => {
		const robot = `+robotSpot+`;
		for (const card of document.querySelectorAll('.corner > :not([hidden])')) {
			const r = card.getBoundingClientRect();
			if (robot.X + 14 > r.left && robot.X - 14 < r.right && robot.Y + 14 > r.top && robot.Y - 14 < r.bottom) return (card.id || card.className) + ' ' + JSON.stringify(r) + ' lies over the robot at ' + JSON.stringify(robot);
		}
		return '';
	})()`)
	if fault != "" {
		v.picture("covered-" + strings.ReplaceAll(where, " ", "-"))
		v.t.Errorf("%s: %s", where, fault)
	}
}

// tap taps an element.
func (v *visitor) tap(selector string) {
	v.t.Helper()
	at := v.middle(selector)
	v.touch(input.DispatchTouchEventTypeTouchStart, at)
	v.touch(input.DispatchTouchEventTypeTouchEnd)
}

// tab opens the page in another tab of the visitor's browser, with additional scripts of the test before
// its own.
func (v *visitor) tab(scripts ...string) *visitor {
	v.t.Helper()
	ctx, leave := chromedp.NewContext(v.ctx)
	other := &visitor{t: v.t, ctx: ctx, addr: v.addr}
	if err := chromedp.Listen(ctx, other.listen); err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() {
		other.check()
		other.tell()
		leave()
	})
	for _, s := range append(scripts, watch) {
		other.onLoad(s)
	}
	other.look(desktop, dark)
	other.inFront()
	other.open()
	return other
}

// standsWhen does something and returns the truth about the robot when a script first becomes
// true in a page, polled from here.
func (h *testServer) standsWhen(v *visitor, script string, do func()) sim.Truth {
	h.t.Helper()
	do()
	v.until("the change", script)
	return h.driver.Truth()
}

// A street is a server that is open to the network: people reach it by its name, with a code.
type street struct {
	*testServer
	invitation app.Invitation
}

func openToAll(t *testing.T, change ...func(*app.Config)) *street {
	t.Helper()
	s := &street{}
	s.testServer = open(t, append(change, func(c *app.Config) {
		c.Hosts = []string{robotName}
		c.Invite = func(i app.Invitation) { s.invitation = i }
	})...)
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	s.addr = net.JoinHostPort(robotName, port)
	return s
}

// comes follows a link of the robot, or types the PIN, and waits until the page shows the
// robot.
func (s *street) comes(browser context.Context, link, pin, name string) *visitor {
	s.t.Helper()
	v := arrive(s.t, browser, s.addr)
	v.inFront()
	v.lands("the way in", `location.pathname === '/pair'`)
	if link != "" {
		v.do(chromedp.Navigate(link))
	} else {
		v.run(fmt.Sprintf(`document.querySelector('#pair-code').value = %q`, pin))
	}
	v.run(fmt.Sprintf(`document.querySelector('#pair-name').value = %q`, name))
	v.do(chromedp.Click(chromedp.CSS("form.pair button")))
	v.lands("the page to show the robot", `document.querySelector('#app')?.dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
	return v
}

// lands waits like until, even while the browser navigates between pages.
func (v *visitor) lands(what, script string) {
	v.t.Helper()
	late := time.After(patience)
	for {
		ctx, cancel := context.WithTimeout(v.ctx, patience)
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script))
		cancel()
		if err == nil && there {
			return
		}
		select {
		case <-late:
			v.t.Fatalf("waiting for %s: %v\nthe page says: %s", what, err, v.words())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// shares creates a link for observers on the visitor's page.
func (v *visitor) shares() string {
	v.t.Helper()
	v.click("#share-open")
	v.until("the sheet", `document.querySelector('#share').open`)
	v.click("#share-make")
	v.until("the link and its picture", shared)
	link := value[string](v, `document.querySelector('#share-link').value`)
	v.click("#share .close")
	return link
}

const shared = `document.querySelector('#share-link').value.includes('/pair?code=') && document.querySelector('#share-qr img')?.naturalWidth > 0`

func TestWhoCameByAShareLinkWatchesAndAnAdminTakesControl(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := openToAll(t)
	ana := s.comes(browser, "", s.invitation.PIN, "Ana")
	ana.until("control, and what plain http denies", hasControl+` && `+saysToast("blocks the microphone"))
	ana.open()
	ana.until("the page", hasControl)
	if value[bool](ana, saysToast("microphone")) {
		t.Error("the restrictions of plain http are shown at every visit")
	}

	kim := s.comes(browser, ana.shares(), "", "Kim")
	kim.until("the banner", saysBanner("You are watching. Ana has had control")+` && `+saysBanner("You are a guest"))
	if value[bool](kim, `[...document.querySelectorAll('#banner button, #auth button, #share-open')].some((b) => b.offsetParent !== null)`) {
		t.Error("an observer is offered actions of an operator")
	}

	admin := s.comes(browser, s.invitation.Link, "", "Lee")
	admin.until("the offer to take control", `document.querySelector('`+takeNowButton+`').innerText === 'Take now'`)
	s.drivenBy(ana, byW)
	stands := s.standsWhen(admin, hasControl+` && document.querySelector('#banner').hidden`, func() { admin.click(takeNowButton) })
	if !still(stands) {
		t.Errorf("an admin took control while the robot moved: %+v", stands.Twist)
	}
	ana.until("who had control to be told", saysToast("Lee, an admin, took control.")+` && `+watches)
	ana.letGo(keyW)
	admin.drivesAway(s.testServer)

	kim.press(keySpace)
	kim.letGo(keySpace)
	admin.until("the stop of an observer", saysBanner("Stopped by Kim"))
}

var handoverStates = []state{
	{"observer", func(t *testing.T, browser context.Context) *visitor {
		s := openToAll(t)
		ana := s.comes(browser, "", s.invitation.PIN, "Ana")
		return s.comes(browser, ana.shares(), "", "Kim")
	}},
	{"admin", func(t *testing.T, browser context.Context) *visitor {
		s := openToAll(t)
		s.comes(browser, "", s.invitation.PIN, "Ana")
		return s.comes(browser, s.invitation.Link, "", "Lee")
	}},
	{"insecure", func(t *testing.T, browser context.Context) *visitor {
		s := openToAll(t)
		v := s.comes(browser, "", s.invitation.PIN, "Ana")
		v.until("the notice", saysToast("microphone"))
		return v
	}},
	{"offered", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		ana := visit(t, browser, h.addr)
		v := visit(t, browser, h.addr)
		v.until("the banner", saysBanner("You are watching."))
		ana.check()
		call(ana, page.Close, cdp.Empty{})
		v.until("the seconds to run", fmt.Sprintf(secondsRun, "#banner", "Control will be free in", 7))
		v.until("the offer", saysCard("You can take control"))
		return v
	}},
	{"asking", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		visit(t, browser, h.addr)
		v := visit(t, browser, h.addr)
		v.inFront()
		v.until("the banner", saysBanner("You are watching."))
		v.click(bannerButton)
		v.until("the form", formShown)
		return v
	}},
	{"asked", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		visit(t, browser, h.addr)
		v := visit(t, browser, h.addr)
		v.inFront()
		v.asks("I need to fetch the paper from the copy room.")
		return v
	}},
	{"requested", func(t *testing.T, browser context.Context) *visitor {
		h, v := alone(t, browser)
		jin := h.enter("Jin")
		h.enter("Kim").reads()
		jin.ask(map[string]any{"type": "control", "action": "request", "reason": "I need to fetch the paper from the copy room."})
		jin.reads()
		v.until("the card", cardShown)
		return v
	}},
	{"requested-stopped", func(t *testing.T, browser context.Context) *visitor {
		h, v := alone(t, browser)
		jin := h.enter("Jin")
		jin.ask(map[string]any{"type": "control", "action": "request", "reason": "I need to fetch the paper from the copy room."})
		v.until("the card", cardShown)
		jin.ask(map[string]any{"type": "stop"})
		jin.reads()
		v.until("the release", `!document.querySelector('#release').hidden`)
		return v
	}},
	{"left", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		ana := h.enter("Ana")
		ana.reads()
		v := visit(t, browser, h.addr)
		v.until("the banner", saysBanner("You are watching."))
		_ = ana.conn.CloseNow()
		v.until("the banner", saysBanner("Ana left. Control will be free in"))
		return v
	}},
	{"another-tab", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		second := v.tab()
		second.until("the banner", saysBanner("This robot is open in another tab."))
		return second
	}},
	{"more", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.look(phone, dark)
		v.tap("#more-open")
		v.until("the sheet", `document.querySelector('#more').open`)
		return v
	}},
	{"share", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('#share-open').click()`)
		v.until("the sheet", `document.querySelector('#share').open`)
		v.run(`document.querySelector('#share-make').click()`)
		v.until("the link and its picture", shared)
		return v
	}},
}

// In every state of a handover STOP is in reach, no card covers the robot and axe finds
// nothing. Screenshots are saved in artifacts.
func TestInEveryStateOfAHandoverStopIsInReachAndAxeFindsNothing(t *testing.T) {
	t.Parallel()
	inEveryWindow(t, handoverStates, (*visitor).stopInReach, (*visitor).coversNothing)
}
