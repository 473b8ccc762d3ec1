package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
)

// onTop returns a script that tests whether a tap on the middle of an element hits it.
func onTop(selector string) string {
	return fmt.Sprintf(`(() => { const e = document.querySelector(%q), r = e.getBoundingClientRect(); return r.width > 0 && e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); })()`, selector)
}

// robotOnTop tests whether the robot's symbol, with its middle and edges, is uncovered.
const robotOnTop = `(() => { const map = document.querySelector('#map'), r = map.getBoundingClientRect(), [x, y] = map.drawn.robot; return [[0, 0], [18, 0], [-18, 0], [0, 18], [0, -18]].every(([dx, dy]) => document.elementFromPoint(r.x + x + dx, r.y + y + dy) === map); })()`

func TestOnAPhoneThePanelFoldsAwayAndAGoalBringsItBackIntoSight(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.look(phone, dark)
	v.openGoto()
	v.until("the panel", onTop(".places h2"))
	high := value[float64](v, `document.querySelector('#map').clientHeight`)

	// A goal that is chosen far down the panel shows its Go button.
	v.run(`document.querySelector('#body').scrollTop = 1000`)
	v.click("#goto-new")
	aim := func() {
		t.Helper()
		from := v.on(12, 7)
		v.touch(input.DispatchTouchEventTypeTouchStart, from)
		v.touch(input.DispatchTouchEventTypeTouchMove, spot{from.X + 15, from.Y})
		v.touch(input.DispatchTouchEventTypeTouchMove, spot{from.X + 40, from.Y})
		v.touch(input.DispatchTouchEventTypeTouchEnd)
		v.until("Go, where it can be pressed", canGo+` && `+onTop("#draft button[type=submit]"))
	}
	aim()
	v.click("#draft-drop")

	// The folded panel leaves the map, the tabs and STOP.
	at := v.middle("#fold")
	v.touch(input.DispatchTouchEventTypeTouchStart, at)
	v.touch(input.DispatchTouchEventTypeTouchEnd)
	v.until("a higher map", fmt.Sprintf(`document.querySelector('#map').clientHeight > %v`, high+100))
	v.until("no panel", `document.querySelector('#body').offsetParent === null && document.querySelector('#fold').getAttribute('aria-expanded') === 'false'`)
	v.stopInReach("folded")
	v.click("[data-map=goal]")
	aim()
	v.click("#draft-drop")
	v.until("it folds again", `document.querySelector('#body').offsetParent === null`)
	v.run(`document.querySelector('#fold').click()`) // like the keyboard
	v.until("the panel again", onTop(".places h2"))
}

func TestOnAPhoneOnItsSideNothingLiesOverTheTabsOrTheRobot(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.look(landscape, dark)
	v.until("the robot in sight, driven by a stick", robotOnTop+` && `+onTop(".knob")+` && `+onTop(".narrow [data-work=world]"))
	v.click(".narrow [data-work=world]")
	v.until("the robot beside the simulator's tools", `document.querySelector('#app').dataset.work === 'world' && `+robotOnTop)
	v.run(`document.querySelector('#world [data-do=close]').click()`)
	v.run(`document.querySelector('#link').click()`)
	v.until("the card of the connection, wholly on the map", `(() => { const card = document.querySelector('#link-card').getBoundingClientRect(), map = document.querySelector('#map').getBoundingClientRect(); return card.width > 0 && card.left >= map.left && card.right <= map.right; })()`)

	w := visit(t, chromium(t), h.addr)
	w.look(landscape, dark)
	w.until("the banner", saysBanner("You are watching."))
	for _, tab := range []string{"#tab-drive", "#tab-goto", "#tab-jobs", "#tab-scripts"} {
		w.until(tab+" within reach", onTop(tab))
	}
	w.until("the robot in sight, watched", robotOnTop)
}

// Release gives control away. Beside STOPPED on a phone, without other words, it would seem to
// release the stop.
func TestOnAPhoneThatIsStoppedNothingElseSaysRelease(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.look(phone, dark)
	v.until("the button that gives control away", onTop("#auth button"))
	v.press(keySpace)
	v.letGo(keySpace)
	v.until("the release of the stop", onTop("#release-hold"))
	v.until("that button is gone", `document.querySelector('#auth button').offsetParent === null`)
}

func TestWhoReleasesAStopIsSentToTheVideoWhileThereIsOne(t *testing.T) {
	t.Parallel()
	const look = `document.querySelector('#release').innerText`
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.sees()
	v.press(keySpace)
	v.letGo(keySpace)
	v.until("the video", look+`.includes('Look at the video.') && !`+look+`.includes('Look around')`)
	for _, w := range []window{phone, landscape} {
		v.look(w, dark)
		v.until("the picture under nothing on a "+w.name, onTop("#eye-video")+` || `+onTop("#eye-glass"))
		v.until("the release under nothing on a "+w.name, onTop("#release-hold"))
	}
	v.run(`document.querySelector('#eye').dataset.state = 'frozen'`)
	v.until("no word of a picture that stands still", look+`.includes('Look around') && !`+look+`.includes('video')`)
}

// With forced colours, what only a colour shows keeps its own colour.
func TestInForcedColoursSTOPSwitchesAndSlidersStayTellable(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
	v.until("forced colours", `matchMedia('(forced-colors: active)').matches`)
	if got := value[string](v, `getComputedStyle(document.querySelector('.top > .stop')).backgroundColor`); got != "rgb(216, 31, 42)" && got != "rgb(211, 19, 30)" {
		t.Errorf("STOP is %s", got)
	}
	colour := func() string {
		t.Helper()
		return value[string](v, `getComputedStyle(document.querySelector('#step-moves')).backgroundColor`)
	}
	off := colour()
	v.run(`document.querySelector('#step-moves').click()`)
	v.until("it is on", `document.querySelector('#step-moves').getAttribute('aria-checked') === 'true'`)
	v.until("a switch that is on looks otherwise", `getComputedStyle(document.querySelector('#step-moves')).backgroundColor !== '`+off+`'`)
	v.until("what the map follows can be told", `getComputedStyle(document.querySelector('[data-map=follow]')).outlineStyle === 'solid'`)
}

// coverable adds the keyboard of a phone to a page: cover(n) lets it cover n pixels of the window's bottom, and moves
// the page up under the window's top, as a browser does for a field near the bottom.
const coverable = `(() => {
	let covered = 0, up = 0;
	const tell = (name, value) => { const own = Object.getOwnPropertyDescriptor(VisualViewport.prototype, name).get; Object.defineProperty(visualViewport, name, { get() { return value(own.call(this)); } }); };
	tell('height', (own) => own - covered);
	tell('offsetTop', (own) => own + up);
	window.cover = (n, to = 0) => { covered = n; up = to; visualViewport.dispatchEvent(new Event('resize')); };
})()`

// seen tests whether an element is wholly visible above such a keyboard, and a tap hits it.
func seen(selector string) string {
	return onTop(selector) + fmt.Sprintf(` && (() => { const r = document.querySelector(%q).getBoundingClientRect(), v = visualViewport; return r.top >= v.offsetTop && r.bottom <= v.offsetTop + v.height; })()`, selector)
}

func TestTheKeyboardOfAPhoneCoversNeitherSTOPNorTheFieldThatItTypesInto(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.look(phone, dark)
	v.run(coverable)
	v.openGoto()
	v.click("#goto-new")
	v.run(`document.querySelector('#draft-x').focus()`)
	for _, up := range []int{0, 200} {
		v.run(fmt.Sprintf(`cover(400, %d)`, up))
		v.until(fmt.Sprintf("STOP and the field, the page %d px up", up), seen(".mstop")+` && `+seen("#draft-x"))
	}
	v.run(`cover(0)`)
	v.until("the page without the keyboard", onTop(".mstop")+` && document.querySelector('.mstop').getBoundingClientRect().bottom > innerHeight - 50`)

	w := visit(t, chromium(t), h.addr)
	w.look(phone, dark)
	w.run(coverable)
	w.until("the offer to ask", `document.querySelector('`+bannerButton+`').innerText === 'Ask for control'`)
	w.click(bannerButton)
	w.until("the form", formShown+` && document.activeElement.matches('#ask-reason')`)
	w.run(`cover(400)`)
	w.until("STOP and the reason", seen(".mstop")+` && `+seen("#ask-reason"))
}

// iOS magnifies a page whose viewport has no maximum when a field gets the focus, and STOP leaves the window.
func TestOnlyOnIOSHasTheViewportAMaximum(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, c := range []struct{ name, before, want string }{
		{"Chromium", ``, "false"},
		{"iOS", `CSS.supports = (name) => name === '-webkit-touch-callout'`, "true"},
	} {
		v := arrive(t, chromium(t), h.addr)
		v.onLoad(c.before)
		v.open()
		if got := value[string](v, `String(document.querySelector('meta[name=viewport]').content.includes('maximum-scale=1'))`); got != c.want {
			t.Errorf("%s: the viewport has a maximum: %s, want %s", c.name, got, c.want)
		}
	}
}
