package e2e_test

import (
	"fmt"
	"testing"

	"mybot/drivers/sim"
)

func focused(selector string) string { return "document.activeElement.matches(`" + selector + "`)" }

// Space always stops the robot, so Enter switches the boxes.
func TestEnterSwitchesTheLayersOfTheMap(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t).addr)
	v.inFront()
	v.focus(`[data-map=layers]`)
	v.stroke(keyEnter)
	v.until("the layers", `!document.querySelector('#layers').hidden`)
	const box = `#layers [data-layer]`
	v.focus(box)
	v.stroke(keyEnter)
	v.until("the layer to be off", `!document.querySelector('`+box+`').checked`)
	v.stroke(keyEnter)
	v.until("the layer to be on", `document.querySelector('`+box+`').checked`)
	v.stroke(keyEsc)
	v.until("the focus on what opened the layers", focused(`[data-map=layers]`)+` && document.querySelector('#layers').hidden`)
	v.stroke(keyEnter)
	v.until("the layers again", `!document.querySelector('#layers').hidden`)
	v.focus(`#layers label:last-of-type input`)
	v.stroke(keyTab)
	v.until("the layers to close behind Tab", `document.querySelector('#layers').hidden`)
	if stops := value[int](v, `__seen.sent.filter((m) => m.type === 'stop').length`); stops != 0 {
		t.Errorf("the page sent %d stops", stops)
	}
}

// A button that is hidden or disabled once it is pressed leaves the focus in the panel, where
// Tab continues, and a renamed job leaves it on its name.
func TestTheFocusStaysInThePanelWhenAPressedButtonGoes(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t).addr)
	v.inFront()
	v.paper()
	const save, name, run = `#job-head [data-do=save]`, `#job-name`, `#runbar [data-do=run]`
	for _, k := range []key{keyEsc, keyEnter} {
		v.focus(name)
		v.stroke(keyEnter)
		v.until("the field", focused(`#job-rename`))
		v.stroke(k)
		v.until("the focus on the name", focused(name))
	}
	v.focus(save)
	v.stroke(keyEnter)
	v.until("the job to be saved", `document.querySelector('`+save+`').disabled`)
	v.until("the focus in the panel", focused(`#body`))
	v.until("the job to be ready", `!document.querySelector('`+run+`').disabled`)
	v.focus(run)
	v.stroke(keyEnter)
	v.until("the run", `!document.querySelector('#runbar [data-do=pause]').closest('[hidden]')`)
	v.until("the focus in the panel", focused(`#body`))
}

// A change of the robot's state leaves the rows of the saved jobs where they are, with the focus
// on one and a press that has begun.
func TestTheFocusStaysOnASavedJobWhileTheRobotsStateChanges(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v, jin := visitTwo(t, browser, h)
	v.paper()
	v.run(`document.querySelector('#job-head [data-do=save]').click()`)
	v.until("the job to be saved", `document.querySelector('#job-unsaved').hidden`)
	v.run(`document.querySelector('#job-head [data-do=more]').click()`)
	v.chooses("Open")
	v.until("the saved job", focused(`#job-open li button`))
	v.run(`window.__row = document.activeElement`)
	jin.click("header .stop")
	v.until("the stop", saysBanner("Stopped by Guest 2"))
	v.wait(0.2)
	if !value[bool](v, `document.activeElement === __row`) {
		t.Error("the focus left the saved job when another person stopped the robot")
	}
}

// Behind a sheet a person loses sight of the focus, and may press a button that is not visible.
func TestTabReachesNothingThatASheetCovers(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t, sighted).addr)
	v.inFront()
	v.until("the camera", `document.querySelector('[data-eye=swap]')?.checkVisibility()`)
	for _, c := range []struct {
		window
		opener string
	}{{desktop, "#help"}, {desktop, "#share-open"}, {phone, "#more-open"}, {phone, "#share-open"}, {landscape, "#more-open"}, {landscape, "#eye-glass"}} {
		v.look(c.window, dark)
		v.settle()
		v.focus(c.opener)
		if c.opener == "#eye-glass" {
			v.stroke(key{"Slash", "?", '?', "?"})
		} else {
			v.stroke(keyEnter)
		}
		v.until("the sheet", focused(`dialog .close`))
		reached := 0
		for range 80 {
			v.stroke(keyTab)
			if value[bool](v, focused("dialog .close")) {
				break
			}
			reached++
			if covered := value[string](v, `(() => {
				const at = document.activeElement;
				const { x, y, width, height } = at.getBoundingClientRect();
				const hit = document.elementFromPoint(x + width / 2, y + height / 2);
				return at !== document.body && hit?.closest('dialog') && !at.closest('dialog') ? at.outerHTML.slice(0, 80) : '';
			})()`); covered != "" {
				t.Errorf("the sheet of %s on a %s covers what Tab reaches: %s", c.opener, c.name, covered)
			}
		}
		if reached < 5 || reached == 80 {
			t.Errorf("Tab returns to the sheet of %s after %d elements", c.opener, reached)
		}
		v.focus("dialog[open] .close")
		v.stroke(keyEnter)
		v.until("the focus on what opened the sheet", focused(c.opener))
	}
}

func TestTheFocusReturnsToWhereAPersonAskedForTheKeys(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t).addr)
	v.inFront()
	v.focus(`#speed-limit`)
	v.stroke(key{"Slash", "?", '?', "?"})
	v.until("the keys", focused(`#shortcuts .close`))
	v.stroke(keyEsc)
	v.until("the focus back on the slider", focused(`#speed-limit`))
}

func TestASwitchShowsTheFocusOnATouchScreen(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t).addr)
	v.inFront()
	v.look(phone, dark)
	v.tabTo(`#step-moves`)
	v.until("a frame", `(({ outlineWidth, outlineColor }) => outlineWidth === '2px' && outlineColor !== 'rgba(0, 0, 0, 0)')(getComputedStyle(document.activeElement))`)
}

func TestAPersonWithoutARoleHasATitleWithoutAGap(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t).addr)
	v.until("the title", `document.querySelector('#people [title]')?.title === 'Guest 1, number 1 in line'`)
}

// A label with an output before its slider names the output.
func TestEveryFieldAndSliderHasAName(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t).addr)
	v.work("world")
	v.until("the simulator's card", `document.querySelector('#world-charge').checkVisibility()`)
	if nameless := value[string](v, `[...document.querySelectorAll('input:not([type=file]), select, textarea')]
		.filter((e) => !e.labels.length && !e.ariaLabel && !e.hasAttribute('aria-labelledby')).map((e) => e.id || e.outerHTML).join(', ')`); nameless != "" {
		t.Errorf("without a name: %s", nameless)
	}
}

// States with an older charge come between a key and its order.
func TestEachKeyMovesTheSliderOfTheCharge(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), openScene(t, func(s *sim.Scene) { s.Drained = 0.5 }).addr)
	v.inFront()
	v.work("world")
	const charge = `document.querySelector('#world-charge')`
	v.until("the measured charge", charge+`.value === '50'`)
	v.run(charge + `.addEventListener('input', () => requestAnimationFrame(() => requestAnimationFrame(() => (window.__value = ` + charge + `.value))))`)
	v.focus(`#world-charge`)
	for n := 49; n > 39; n-- {
		v.stroke(keyLeft)
		v.until("the next value", fmt.Sprintf(`window.__value === '%d'`, n))
	}
	v.until("the robot to have it", `document.querySelector('#battery').textContent.includes('40%')`)
}

// What a screen reader would read again with every state of a moving joint: a live region, and the
// text of the slider that has the focus.
func TestAMovingJointIsNotReadAgainAndAgain(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), openWithArm(t).addr)
	v.inFront()
	v.run(`document.querySelector('#parts').open = true`)
	v.until("the slider", `document.querySelector('#joint-lift')?.disabled === false`)
	if live := value[string](v, `document.querySelector('[data-joint=lift] output').ariaLive`); live != "off" {
		t.Errorf("the position is a live region: %q", live)
	}
	v.run(`{
		window.__texts = new Set();
		const slider = document.querySelector('#joint-lift');
		new MutationObserver(() => __texts.add(slider.getAttribute('aria-valuetext'))).observe(slider, { attributes: true });
	}`)
	v.focus(`#joint-lift`)
	v.stroke(key{"End", "End", 35, ""})
	v.until("the lift on its way", `Number(document.querySelector('[data-joint=lift]').dataset.at) > 0.1`)
	if n := value[int](v, `__texts.size`); n > 2 {
		t.Errorf("the slider had %d texts on the way", n)
	}
}

func TestTheArrowKeysOnThePictureTurnTheHead(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t, sighted).addr)
	v.inFront()
	v.until("the head", `document.querySelector('[data-eye=left]')?.disabled === false`)
	v.focus(`#eye-glass`)
	v.stroke(keyLeft)
	v.until("the head to look left", `__seen.sent.some((m) => m.type === 'look' && m.pan > 0.15)`)
	if drove := value[bool](v, `__seen.sent.some((m) => m.type === 'drive')`); drove {
		t.Error("the arrow key drove the robot")
	}
}

// A script that says something every half second leaves its switch where it is.
func TestTheFocusStaysOnTheSwitchOfAScriptThatRuns(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.inFront()
	v.run(`fetch('/api/v1/scripts', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name: 'Clock', text: 'tick: every (500ms) echo time;' }) })`)
	const toggle = `#scripts .cards .sw`
	v.untilWithin(3*patience, "the script", `document.querySelector('`+toggle+`')?.disabled === false`)
	v.focus(toggle)
	v.run(`window.__switch = document.activeElement; window.__said = () => document.querySelector('#scripts .cards .last')?.textContent`)
	v.stroke(keyEnter)
	v.untilWithin(3*patience, "the script to say something", `__said() !== undefined && document.activeElement.ariaChecked === 'true'`)
	v.run(`window.__first = __said()`)
	v.untilWithin(3*patience, "the script to say something else", `__said() !== __first`)
	if !value[bool](v, `document.activeElement === __switch`) {
		t.Error("the switch was replaced")
	}
	v.stroke(keyEnter)
	v.until("the script to end", `document.activeElement.ariaChecked === 'false'`)
}
