package e2e_test

import (
	"fmt"
	"testing"
)

// laptop is a common window size of laptops.
var laptop = window{"laptop", 1280, 720, false}

// wholly returns a script that tests whether an element is shown without clipped text.
func wholly(selector string) string {
	return fmt.Sprintf("(() => { const e = document.querySelector(`%s`); return e.offsetParent !== null && e.scrollWidth <= e.clientWidth; })()", selector)
}

func TestTheLegendIsThereOnALaptopUntilACardNeedsItsPlace(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	const legend = `document.querySelector('.legend ul').checkVisibility({ visibilityProperty: true })`
	for _, w := range []window{laptop, desktop, {"narrow", 1110, 800, false}} {
		v.look(w, dark)
		v.until("the legend on a "+w.name, legend)
	}
	v.run(`document.querySelector('#link').click()`)
	v.until("a card in its place", `!(`+legend+`)`)
}

func TestNoButtonOfANewGoalIsCut(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.openGoto()
	v.run(`document.querySelector('#goto-new').click()`)
	v.run(`(() => { const [x, y] = [document.querySelector('#draft-x'), document.querySelector('#draft-y')]; x.value = '8'; y.value = '7.3'; y.dispatchEvent(new Event('change')); })()`)
	v.until("the route", canGo)
	for _, w := range []window{desktop, laptop, tablet, phone, landscape} {
		v.look(w, dark)
		v.settle()
		for _, b := range []string{"#draft [type=submit]", "#draft-job", "#draft-drop"} {
			if !value[bool](v, wholly(b)) {
				v.picture("failed")
				t.Errorf("%s is clipped on a %s", b, w.name)
			}
		}
		v.picture("goal-" + w.name)
	}
}

func TestCoordinatesOfANewMoveStepAreTypedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.jobs()
	v.run(`document.querySelector('#job-add [data-type=MOVE]').click()`)
	v.until("the fields", `document.querySelector('#step-x') !== null`)
	enter := func(field, text string) {
		t.Helper()
		v.run(fmt.Sprintf(`(() => { const f = document.querySelector(%q); f.focus(); f.value = %q; f.dispatchEvent(new Event('change')); f.blur(); })()`, field, text))
		v.wait(0.3) // until some states have arrived
	}
	enter("#step-x", "9.5")
	if x := value[string](v, `document.querySelector('#step-x').value`); x != "9.5" {
		t.Fatalf("x contains %q while y is still empty", x)
	}
	enter("#step-y", "1e9")
	v.until("a word about what is no number", onTop("#step-fault")+` && document.querySelector('#step-y').getAttribute('aria-invalid') === 'true'`)
	enter("#step-y", "7.30")
	v.until("the place", `document.querySelector('#step-fault').hidden && JSON.parse(sessionStorage.getItem('mybot.job')).history.now.cards[0].step.pose?.[1] === 7.3`)
	enter("#step-deg", "90")
	v.until("all three", `document.querySelector('#step-x').value === '9.50' && document.querySelector('#step-y').value === '7.30' && document.querySelector('#step-deg').value === '90'`)
}

func TestTheOKThatAStepWaitsForIsInSight(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, w := range []window{laptop, phone} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			h := open(t, nearby)
			v := visit(t, browser, h.addr)
			v.look(w, dark)
			v.jobs()
			for n := range 6 {
				v.run(`document.querySelector('#job-add [data-type=MESSAGE]').click()`)
				v.until("the card", stepsAre(n+1))
				v.run(fmt.Sprintf(`(() => {
					const f = document.querySelector('#step-text'), ok = document.querySelector('#step-ok');
					f.value = 'Number %d';
					f.dispatchEvent(new Event('input'));
					if (ok.getAttribute('aria-checked') !== 'true') ok.click();
				})()`, n))
			}
			v.until("a job that can be run", `!document.querySelector('#runbar [data-do=run]').disabled`)
			v.push(`#runbar [data-do=run]`)
			for n := range 6 {
				button := card(n+1) + " [data-do=ok]"
				v.until(fmt.Sprintf("OK of step %d on its card and in the bar", n+1), onTop(button)+` && `+onTop("#runbar [data-do=ok]")+
					fmt.Sprintf(` && document.querySelector('%s').getBoundingClientRect().bottom <= document.querySelector('#body').getBoundingClientRect().bottom`, button))
				v.picture("ok-" + w.name)
				v.push(`#runbar [data-do=ok]`)
			}
			v.until("the end", `document.querySelectorAll('#job-steps [data-look=done]').length === 6 && !document.querySelector('#runbar [data-do=run]').disabled`)
		})
	}
}

func TestOnePressSendsTheRobotToItsDock(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.until("the button, where one drives", onTop("#dock")+` && !document.querySelector('#dock').disabled`)
	v.click("#dock")
	v.untilOrders("goto", 1)
	v.until("the way there", `!document.querySelector('#going').hidden && document.querySelector('#going h2').textContent === 'Going to Dock'`)
	h.awaitMotion()
}

func TestLeavingFullScreenPutsCameraAndMapBack(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.sees()
	const full = `Object.defineProperty(document, 'fullscreenElement', { configurable: true, value: %s }), document.dispatchEvent(new Event('fullscreenchange'))`
	v.run(`document.documentElement.requestFullscreen = () => Promise.resolve()`)
	v.run(`document.querySelector('[data-eye=full]').click()`)
	v.run(fmt.Sprintf(full, `document.documentElement`))
	v.until("the camera in the map's place", `document.querySelector('#app').hasAttribute('data-swap')`)
	v.run(fmt.Sprintf(full, `null`))
	v.until("the map in its own", `!document.querySelector('#app').hasAttribute('data-swap')`)
}

// An iPhone cannot show the page in full screen.
func TestABrowserWithoutFullScreenIsNotOfferedIt(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.onLoad(`delete Document.prototype.fullscreenElement; delete Document.prototype.fullscreenEnabled; delete Element.prototype.requestFullscreen`)
	v.open()
	v.sees()
	if shown := value[string](v, `(() => { const full = document.querySelector('[data-eye=full]'); return full.hidden + ' ' + full.getAttribute('aria-pressed') })()`); shown != "true false" {
		t.Errorf("the button is hidden and pressed: %s, want true false", shown)
	}
	v.look(phone, light)
	v.settle()
	v.tap("#more-open")
	v.until("the sheet", `document.querySelector('#more').open && document.querySelector('[data-press="[data-eye=shot]"]').checkVisibility()`)
	v.until("no such button there", `!document.querySelector('[data-press="[data-eye=full]"]').checkVisibility()`)
}

func TestTheLilacRibbonIsSeenWhileOneDrivesByThePicture(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.sees()
	v.press(key{"KeyV", "v", 'V', ""})
	v.letGo(key{"KeyV", "v", 'V', ""})
	v.until("the head to look down", `document.querySelector('#eye-angles').textContent.includes('tilt −30°')`)
	for _, w := range []window{desktop, laptop} {
		v.look(w, dark)
		v.until("nothing over the floor on a "+w.name, `(() => {
			const eye = document.querySelector('#eye').getBoundingClientRect(), hud = document.querySelector('#hud').getBoundingClientRect();
			return eye.width > 600 && hud.bottom < eye.bottom - 110;
		})()`)
		v.holdUntil(byW, "the ribbon", `!document.querySelector('#eye-lilac').hidden`)
		v.picture("ribbon-" + w.name)
		v.letGo(keyW)
		h.awaitStill()
	}
}

func TestNoButtonIsReadTwice(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.sees()
	v.jobs()
	if twice := value[[]string](v, `[...document.querySelectorAll('[title][aria-label]')].filter((e) => e.title === e.getAttribute('aria-label')).map((e) => e.title)`); len(twice) > 0 {
		t.Errorf("a screen reader reads these texts twice: %q", twice)
	}
	if said := value[string](v, `document.getElementById(document.querySelector('#map').getAttribute('aria-describedby')).getAttribute('aria-label') ?? ''`); said != "" {
		t.Errorf("the map is described by %q instead of its contents", said)
	}
}

// The focus follows from one sheet into the next, and Esc takes it back to the button of the last one.
func TestASheetThatTakesThePlaceOfAnotherHasTheFocus(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.inFront()
	for _, sheet := range []struct{ id, opener string }{{"share", "#share-open"}, {"shortcuts", "#help"}} {
		v.focus(sheet.opener)
		v.stroke(keyEnter)
		v.until("the sheet", fmt.Sprintf(`document.querySelector('#%s').open`, sheet.id))
		v.settle()
		if at := value[string](v, `document.activeElement.closest('dialog')?.id ?? document.activeElement.id`); at != sheet.id {
			t.Errorf("the focus is in %q, not in the sheet %q", at, sheet.id)
		}
	}
	v.stroke(keyEsc)
	v.until("the focus on the button", `document.activeElement.id === 'help' && document.querySelector('#help').ariaExpanded === 'false'`) // set once the page knows that it is closed
	h.drivenBy(v, byW)
	v.letGo(keyW)
	h.awaitStill()
}

func TestAnInvitationOfARobotThatOnlyThisComputerReachesSaysSo(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.click("#share-open")
	v.until("the sheet", `document.querySelector('#share').open`)
	v.click("#share-make")
	v.until("the word", `!document.querySelector('#share-only').hidden && document.querySelector('#share-only').innerText.includes('--listen 0.0.0.0:' + location.port + ' to invite') && document.querySelector('#share-link').value !== ''`)
	v.settle()
	v.picture("share-loopback")
}

// At 400 % zoom a window of 1280 px is 320 px wide.
func TestNothingIsWiderThanAWindowOf320Pixels(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.look(window{"narrow", 320, 568, true}, dark)
	v.settle()
	v.picture("narrow")
	if out := value[[]string](v, `['.top', '#auth', '.joy', '.hud', '#pill', '#battery', '.mstop'].filter((q) => {
		const e = document.querySelector(q), r = e.getBoundingClientRect();
		return r.width > 0 && (r.right > innerWidth + 0.5 || r.left < -0.5);
	})`); len(out) > 0 || value[float64](v, `document.documentElement.scrollWidth`) > 320 {
		t.Errorf("too wide for 320 px: %q", out)
	}
	if !value[bool](v, wholly("#pill .t")) {
		t.Error("the pill is clipped")
	}
}

// A page that is magnified to 400 % has a quarter of the window's pixels in each direction.
func TestEveryTabIsInReachWhenThePageIsMagnifiedToFourTimesItsSize(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.look(window{"magnified", 320, 256, false}, dark)
	v.stopInReach("magnified")
	for _, tab := range []string{"drive", "goto", "jobs", "scripts"} {
		v.run(fmt.Sprintf(`document.querySelector('#tab-%s').scrollIntoView({ inline: 'nearest' })`, tab))
		v.until(tab, onTop("#tab-"+tab))
		v.click("#tab-" + tab)
		v.until(tab+", and nothing wider than the window", fmt.Sprintf(`document.querySelector('#app').dataset.tab === '%s' && document.documentElement.scrollWidth <= 320`, tab))
	}
	v.stopInReach("magnified, with scripts")
}

// A browser can enlarge text alone, by a minimum size or by a zoom of text.
func TestStopIsInReachWhenTextIsTwiceAsLarge(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.until("control", `document.querySelector('#auth').dataset.kind === 'yours'`)
	v.run(`[...document.querySelectorAll('.top *')].map((e) => [e, 2 * parseFloat(getComputedStyle(e).fontSize)]).forEach(([e, size]) => (e.style.fontSize = size + 'px'))`)
	for _, w := range []window{laptop, {"small", 1024, 600, false}, {"narrow", 770, 600, false}} {
		v.look(w, dark)
		v.stopInReach(w.name)
		v.picture("large-text-" + w.name)
	}
}
