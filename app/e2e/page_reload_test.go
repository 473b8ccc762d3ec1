package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

func tabIs(name string) string {
	return fmt.Sprintf(`document.querySelector('#app').dataset.tab === %q && !document.querySelector('#%s').hidden`, name, name)
}

func TestAReloadKeepsTheTabAndWhatTheMapShows(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.jobs()
	v.run(`for (const zoom of 'xxx') document.querySelector('[data-map=in]').click()`)
	at := v.middle("#map")
	v.dragMouse(at, spot{at.X - 120, at.Y + 60})
	v.settle()
	const view = `(({ x, y, scale }) => [x, y, scale].map((n) => n.toFixed(3)).join(' '))(document.querySelector('#map').drawn.view)`
	before := value[string](v, view)
	v.open()
	v.until("the tab again", tabIs("jobs"))
	v.until("the same part of the floor", fmt.Sprintf(`document.querySelector('#app').dataset.conn === 'live' && %s === %q`, view, before))

	v.run(`document.querySelector('#tab-drive').click()`)
	v.run(`document.querySelector('[data-map=follow]').click()`)
	v.open()
	v.until("the other tab", tabIs("drive"))
	v.until("the map to follow", `document.querySelector('[data-map=follow]').getAttribute('aria-pressed') === 'true'`)
}

func TestAPageThatOpensShowsTheCurrentGoalWithItsPause(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openFarFromDock(t)
	v := visit(t, browser, h.addr)
	v.click("#dock")
	v.until("the way", `!document.querySelector('#going').hidden`)
	v.run(`document.querySelector('#tab-drive').click()`)
	h.awaitMotion()
	v.open()
	v.until("where it goes", tabIs("goto")+` && `+onTop("#going")+` && !document.querySelector('#goal-pause').disabled`)
	w := visit(t, browser, h.addr)
	w.until("the same for who watches", tabIs("goto")+` && `+onTop("#going"))
	v.click("#goal-pause")
	h.awaitStill()

	// A pause leaves the chosen tab open.
	v.run(`document.querySelector('#tab-drive').click()`)
	v.until("the tab", tabIs("drive"))
	v.open()
	v.until("the robot", `document.querySelector('#app').dataset.conn === 'live' && document.querySelector('#pill .t').textContent === 'Paused'`)
	v.settle()
	if !value[bool](v, tabIs("drive")) {
		t.Error("a reload changed the chosen tab because of a paused goal")
	}
}

func TestAPageThatOpensShowsTheCurrentJob(t *testing.T) {
	t.Parallel()
	h := open(t, nearby)
	v := visit(t, chromium(t), h.addr)
	v.jobs()
	v.waits(60)
	v.until("a job that can be run", `!document.querySelector('#runbar [data-do=run]').disabled`)
	v.push(`#runbar [data-do=run]`)
	v.until("the run", saysState("Running job, step 1 of 1"))
	v.run(`document.querySelector('#tab-drive').click()`)
	v.open()
	v.until("the job and its Pause", tabIs("jobs")+` && `+onTop("#runbar [data-do=pause]"))
	w := v.tab()
	w.until("the same in another tab", tabIs("jobs"))
}

// The robot informs a tab that its person's other tab is gone; the person need not press
// anything.
func TestATabTakesOverWhenTheOtherOneIsClosed(t *testing.T) {
	t.Parallel()
	h := open(t)
	first := visit(t, chromium(t), h.addr)
	first.inFront()
	second := first.tab()
	second.until("the banner", saysBanner("This robot is open in another tab."))
	second.press(keyW) // and holds it
	first.check()

	// A reload is not a departure.
	first.open()
	first.until("control again", hasControl)
	second.wait(2.5)
	if !value[bool](second, saysBanner("This robot is open in another tab.")) {
		t.Fatal("a tab took over from one that was reloading")
	}

	first.do(chromedp.Navigate("about:blank"))
	second.until("control", hasControl+` && document.querySelector('#banner').hidden`)
	second.wait(0.5)
	if truth := h.driver.Truth(); !still(truth) || second.drives() > 0 {
		t.Errorf("a key that was held before drives the robot: %+v, %d samples", truth.Twist, second.drives())
	}
	second.letGo(keyW)
	second.drivesAway(h)
}

// A browser that duplicates a tab copies what the tab has stored, and the two stay different tabs.
func TestADuplicatedTabWatchesAndTheFirstOneDrivesOn(t *testing.T) {
	t.Parallel()
	h := open(t)
	first := visit(t, chromium(t), h.addr)
	first.inFront()
	first.open() // a tab that was reloaded once has stored something
	first.until("control again", hasControl)
	second := first.tab("Object.assign(sessionStorage, " + value[string](first, `JSON.stringify(sessionStorage)`) + ")")
	second.until("the banner and the robot", saysBanner("This robot is open in another tab.")+` && document.querySelector('#app').dataset.conn === 'live'`)
	first.drivesAway(h)
}
