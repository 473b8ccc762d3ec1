package e2e_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/robot"
)

var (
	keyD    = key{"KeyD", "d", 'D', ""}
	key3    = key{"Digit3", "3", '3', ""}
	keyDown = key{"ArrowDown", "ArrowDown", 40, ""}
)

// nearby moves the places of the paper's example near the robot, so that a whole job takes
// seconds.
func nearby(c *app.Config) {
	plan := *c.Plan
	at := c.Start
	plan.Places = []robot.Place{
		{Name: "Sofa", Pose: robot.Pose{X: at.X + 0.6, Y: at.Y}},
		{Name: "Copy room", Pose: robot.Pose{X: at.X + 1.2, Y: at.Y}},
		{Name: "Desk", Pose: robot.Pose{X: at.X + 1.8, Y: at.Y}},
	}
	c.Plan = &plan
}

// jobs opens the Jobs tab.
func (v *visitor) jobs() {
	v.t.Helper()
	v.run(`document.querySelector('#tab-jobs').click()`)
	v.until("the tab", `document.querySelector('#jobs').dataset.steps !== undefined && !document.querySelector('#jobs').hidden`)
	v.settle()
}

// paper loads the paper's example.
func (v *visitor) paper() {
	v.t.Helper()
	v.jobs()
	v.until("the button", `!document.querySelector('[data-do=example]').disabled`)
	v.push(`[data-do=example]`)
	v.until("the steps", stepsAre(7))
}

func stepsAre(n int) string {
	return fmt.Sprintf(`document.querySelectorAll('#job-steps .step').length === %d`, n)
}

// card is the card of a step, counted from 1.
func card(n int) string { return fmt.Sprintf(`#job-steps .step:nth-child(%d)`, n) }

// cards are the titles of the cards, in order.
func (v *visitor) cards() []string {
	v.t.Helper()
	return strings.Split(value[string](v, `[...document.querySelectorAll('#job-steps .main')].map((e) => e.textContent).join('|')`), "|")
}

func saysBar(words string) string {
	return fmt.Sprintf("(!document.querySelector('#runbar').hidden && document.querySelector('#runbar').innerText.replace(/\\s+/g, ' ').includes(%q))", words)
}

// waits adds WAIT steps of so many seconds each.
func (v *visitor) waits(seconds ...int) {
	v.t.Helper()
	for i, s := range seconds {
		v.run(`document.querySelector('#job-add [data-type=WAIT]').click()`)
		v.until("the card", stepsAre(i+1))
		v.run(fmt.Sprintf(`(() => { const f = document.querySelector('#step-seconds'); f.value = '%d'; f.dispatchEvent(new Event('change')); })()`, s))
	}
	v.run(`document.querySelector('#job-steps .open h3 button, #job-steps [data-open] h3 button')?.click()`)
}

// alt presses a key with the Alt key held.
func (v *visitor) alt(k key) {
	v.t.Helper()
	const alt = 1
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Code: k.code, Key: k.name, WindowsVirtualKeyCode: k.number, Modifiers: alt})
	}
}

func (v *visitor) focus(selector string) {
	v.t.Helper()
	v.run(fmt.Sprintf("document.querySelector(`%s`).focus()", selector))
}

// chooses presses an item of the open menu.
func (v *visitor) chooses(text string) {
	v.t.Helper()
	v.until("the menu", `!document.querySelector('#job-menu').hidden`)
	v.run(fmt.Sprintf(`[...document.querySelectorAll('#job-menu button')].find((b) => b.querySelector('span').textContent === %q).click()`, text))
}

// The first step becomes the third in each of four ways, and each is announced.
func TestStepsMoveByMouseTouchKeysAndMenuToTheSameOrder(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := arrive(t, browser, h.addr)
	v.onLoad(`(() => { const after = window.setTimeout; window.setTimeout = (f, ms, ...more) => after(f, ms === 2000 ? 50 : ms, ...more); })()`) // announcements wait less
	v.open()
	v.jobs()
	v.waits(1, 2, 3, 4)
	v.until("the cards", `document.querySelectorAll('#job-steps .main')[3].textContent === '4 seconds'`)
	want := []string{"2 seconds", "3 seconds", "1 second", "4 seconds"}
	grip, third := func() spot { return v.middle(card(1) + " .grip") }, func() spot { at := v.middle(card(3)); at.Y += 12; return at }
	for _, way := range []struct {
		name string
		do   func()
	}{
		{"mouse", func() {
			from, to := grip(), third()
			v.mouse(input.DispatchMouseEventTypeMousePressed, from, true)
			v.mouse(input.DispatchMouseEventTypeMouseMoved, spot{from.X, (from.Y + to.Y) / 2}, true)
			v.mouse(input.DispatchMouseEventTypeMouseMoved, to, true)
			v.picture("jobs-drag")
			v.mouse(input.DispatchMouseEventTypeMouseReleased, to, false)
		}},
		{"finger", func() {
			from, to := grip(), third()
			v.touch(input.DispatchTouchEventTypeTouchStart, from)
			v.touch(input.DispatchTouchEventTypeTouchMove, spot{from.X, (from.Y + to.Y) / 2})
			v.touch(input.DispatchTouchEventTypeTouchMove, spot{from.X, to.Y})
			v.touch(input.DispatchTouchEventTypeTouchEnd)
		}},
		{"Alt and the arrows", func() {
			v.focus(card(1) + " h3 button")
			v.alt(keyDown)
			v.alt(keyDown)
		}},
		{"arrows on the grip", func() {
			v.focus(card(1) + " .grip")
			v.stroke(keyDown, keyDown)
		}},
		{"menu", func() {
			for i := range 2 {
				v.run(fmt.Sprintf("document.querySelector(`%s .more`).click()", card(i+1)))
				v.chooses("Move down")
			}
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			v.t = t
			v.run(`document.querySelector('#polite').textContent = ''`)
			way.do()
			if got := v.cards(); !slices.Equal(got, want) {
				v.picture("failed")
				t.Errorf("the order is %q, want %q", got, want)
			}
			v.until("the page to say where it is now", `document.querySelector('#polite').textContent.includes('Step moved to position 3 of 4')`)
			for v.cards()[0] != "1 second" {
				v.focus("#body")
				v.control(keyZ)
			}
		})
	}
	v.t = t
}

func TestADeletedStepComesBackByItsButtonByKeysAndAfterAReload(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.jobs()
	v.waits(1, 2, 3)
	all := []string{"1 second", "2 seconds", "3 seconds"}
	gone := []string{"1 second", "3 seconds"}
	expect := func(when string, want []string) {
		t.Helper()
		if got := v.cards(); !slices.Equal(got, want) {
			t.Errorf("%s the steps are %q, want %q", when, got, want)
		}
	}
	v.focus(card(2) + " h3 button")
	v.stroke(keyDelete)
	v.until("the offer", `!document.querySelector('#job-deleted').hidden && document.querySelector('#job-deleted').innerText.includes('Step 2 deleted')`)
	expect("after Del", gone)
	v.picture("jobs-deleted")
	v.push("#job-deleted button")
	expect("after Undo", all)
	v.run("document.querySelector(`" + card(2) + " .more`).click()")
	v.chooses("Delete")
	expect("after Delete", gone)
	v.open()
	v.until("the page", `document.querySelector('#app').dataset.conn === 'live'`)
	v.jobs()
	v.until("the steps that were kept", stepsAre(2))
	v.until("control again", `!document.querySelector('[data-do=undo]', '#job-head').disabled`)
	v.control(keyZ)
	expect("after a reload and Ctrl+Z", all)
	v.control(keyY)
	expect("after Ctrl+Y", gone)
	v.focus(card(2) + " h3 button")
	v.control(keyD)
	expect("after Ctrl+D", []string{"1 second", "3 seconds", "3 seconds"})
}

func TestAPlaceIsPickedDraggedAndTypedAndAGoalIsAdded(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.jobs()
	v.run(`document.querySelector('#job-add [data-type=MOVE]').click()`)
	v.until("the fault", saysBar("Step 1 needs a place"))
	if !value[bool](v, `document.querySelector('#runbar [data-do=run]').disabled`) {
		t.Error("a job with a fault can be started")
	}
	v.run(`document.querySelector('[data-do=pick]').click()`)
	from := v.on(8, 7.3)
	v.dragMouse(from, spot{from.X, from.Y - 60}) // looks up
	v.until("the place", `document.querySelector('#step-x').value === '8.00' && document.querySelector('#step-y').value === '7.30' && document.querySelector('#step-deg').value === '90'`)
	v.dragMouse(v.on(8, 7.3), v.on(9, 7.5))
	v.until("the dragged pin", `document.querySelector('#step-x').value === '9.00' && document.querySelector('#step-y').value === '7.50' && document.querySelector('#step-deg').value === '90'`)
	v.run(`(() => { const f = document.querySelector('#step-deg'); f.value = '-45'; f.dispatchEvent(new Event('change')); })()`)
	v.until("the heading", `document.querySelector('#job-steps p').textContent.length > 5 && JSON.parse(sessionStorage.getItem('mybot.job')).history.now.cards[0].step.pose[2] < -0.78`)
	v.run(`(() => { const f = document.querySelector('#step-place'); f.value = 'Sofa'; f.dispatchEvent(new Event('change')); })()`)
	v.until("the saved place", `document.querySelector('#job-steps .main').textContent === 'Sofa'`)

	v.openGoto()
	v.chooseGoal("Copy room")
	v.run(`document.querySelector('#draft-job').click()`)
	v.until("the second step", stepsAre(2))
	if got := v.cards(); !slices.Equal(got, []string{"Sofa", "Copy room"}) {
		t.Errorf("the steps are %q", got)
	}
}

// push presses a button, wherever the panel shows it.
func (v *visitor) push(selector string) {
	v.t.Helper()
	v.run(fmt.Sprintf("document.querySelector(`%s`).click()", selector))
}

// brings makes the page read a file as if a person had chosen it.
func (v *visitor) brings(how, text string) {
	v.t.Helper()
	v.run(`document.querySelector('#job-head [data-do=more]').click()`)
	v.run(`document.querySelector('#job-file').click = () => {}`) // without the browser's own dialog
	v.chooses(how)
	v.run(fmt.Sprintf(`(() => {
		const files = new DataTransfer(), input = document.querySelector('#job-file');
		files.items.add(new File([%q], 'job.json'));
		input.files = files.files;
		input.dispatchEvent(new Event('change'));
	})()`, text))
}

func TestAJobIsSavedOpenedDuplicatedBroughtAndForgotten(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.paper()
	v.run(`(() => { document.querySelector('#job-name').click(); const f = document.querySelector('#job-rename'); f.value = 'Errand'; f.blur(); })()`)
	v.until("the new name", `document.querySelector('#job-name').textContent === 'Errand' && !document.querySelector('#job-unsaved').hidden`)
	v.focus(card(1) + " h3 button")
	v.control(keyS)
	v.until("the job to be saved", `document.querySelector('#job-unsaved').hidden`)
	v.focus(card(7) + " h3 button")
	v.stroke(keyDelete)
	v.until("the change", `!document.querySelector('#job-unsaved').hidden`)
	v.push("#job-head [data-do=save]")
	v.until("the change to be saved", `document.querySelector('#job-unsaved').hidden`)

	jin := visit(t, browser, h.addr)
	jin.jobs()
	v.click("#auth button")
	jin.until("nobody to have control", saysBanner("Nobody has control"))
	jin.click("#auth button")
	jin.until("control", `!document.querySelector('[data-do=example]').disabled`)
	jin.push("#job-none [data-do=open]")
	jin.until("the list of jobs", `document.querySelector('#job-open').innerText.includes('Errand, 6 steps')`)
	jin.picture("jobs-open")
	jin.run(`document.querySelector('#job-open li button').click()`)
	jin.until("the job", stepsAre(6)+` && document.querySelector('#job-name').textContent === 'Errand' && document.querySelector('#job-unsaved').hidden`)

	jin.run(`document.querySelector('#job-head [data-do=more]').click()`)
	jin.chooses("Duplicate")
	jin.until("the copy", `document.querySelector('#job-name').textContent === 'Errand 2' && !document.querySelector('#job-unsaved').hidden`)
	order := value[string](jin, `fetch('/api/v1/jobs').then((r) => r.json()).then(({ jobs }) => fetch('/api/v1/jobs/' + jobs[0].id + '/vda5050')).then((r) => r.text())`)
	jin.brings("Import", `{"name":"Brought","steps":[{"type":"WAIT","seconds":7}]}`)
	jin.until("the job that was brought", stepsAre(1)+` && document.querySelector('#job-name').textContent === 'Brought'`)
	jin.brings("Import", `{"name":`)
	jin.until("the fault of the file", saysBar("This file is not a job. It is not JSON."))
	jin.brings("Import", `{"name":"High","steps":[{"type":"JUMP"}]}`)
	jin.until("the fault of the step", saysBar(`This file is not a job. Step 1: type is "JUMP"; it should be MOVE, VOICE, MESSAGE or WAIT.`))
	jin.brings("Import VDA 5050", order)
	jin.until("the order that was brought", stepsAre(6))
	jin.run(`document.querySelector('#job-head [data-do=more]').click()`)
	jin.chooses("Clear")
	jin.until("no steps", stepsAre(0))
	jin.push("#job-deleted button")
	jin.until("the steps again", stepsAre(6))

	n := value[int](jin, `fetch('/api/v1/jobs').then((r) => r.json()).then(({ jobs }) => jobs.length)`)
	jin.run(`document.querySelector('#job-head [data-do=more]').click()`)
	jin.chooses("Open")
	jin.run(`document.querySelector('#job-open li .ib').click()`)
	jin.until("the job to be gone", fmt.Sprintf(`document.querySelectorAll('#job-open li').length === %d`, n-1))
	jin.until("the offer to take that back", `!document.querySelector('#job-deleted').hidden`)
	jin.push("#job-deleted button")
	jin.until("the job to be back", fmt.Sprintf(`document.querySelectorAll('#job-open li').length === %d`, n))
}

// The robot rehearses a few jobs at a time and refuses more, so a page that is edited faster
// than the robot rehearses gives its older request up.
func TestAPageAsksForOneRehearsalAtATime(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.jobs()
	v.run(`(() => {
		const ask = window.fetch;
		window.__asked = window.__open = 0;
		window.fetch = (path, init) => {
			if (path !== '/api/v1/rehearse') return ask(path, init);
			window.__asked++;
			window.__open++;
			return new Promise((_, giveUp) => init.signal?.addEventListener('abort', () => giveUp(window.__open--)));
		};
	})()`)
	v.waits(1)
	for n := 1; n <= 5; n++ {
		v.until("the next rehearsal to be asked for", fmt.Sprintf(`window.__asked === %d`, n))
		if open := value[int](v, `window.__open`); open != 1 {
			t.Errorf("after change %d the page waits for %d rehearsals, want 1", n, open)
		}
		v.focus(card(n) + " h3 button")
		v.control(keyD)
		v.until("the next step", stepsAre(n+1))
	}
}

func TestAJobThatAnotherUserSavedMeanwhileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.jobs()
	v.waits(1)
	v.push("#job-head [data-do=save]")
	v.until("the job to be saved", `document.querySelector('#job-unsaved').hidden`)
	v.run(`fetch('/api/v1/jobs').then((r) => r.json()).then(({ jobs: [job] }) => fetch('/api/v1/jobs/' + job.id, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name: 'Other', revision: 1, steps: [{ type: 'WAIT', seconds: 9 }] }) }))`)
	v.focus(card(1) + " h3 button")
	v.control(keyD)
	v.until("the change", stepsAre(2))
	v.push("#job-head [data-do=save]")
	v.until("the refusal", saysBar("Someone else has saved this job."))
	v.forgiveRefusal()
}

func TestTrySaysTheStepWithTheRobotsVoiceOrTheBrowsers(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := arrive(t, browser, h.addr)
	v.onLoad(`(() => {
		const said = window.__said = [];
		window.Audio = function (address) { this.play = () => { said.push('robot ' + address); return Promise.resolve(); }; this.pause = () => {}; };
		speechSynthesis.speak = (words) => said.push('browser ' + words.text);
	})()`)
	v.open()
	v.paper()
	v.push(card(2) + " h3 button")
	aloud := value[bool](v, `fetch('/api/v1/voices').then((r) => r.json()).then((v) => v.aloud)`)
	v.until("the voices", `document.querySelectorAll('#step-voice option').length > 1`)
	v.push("[data-do=try]")
	want := "browser Hello!"
	if aloud {
		want = "robot /api/v1/speech.wav?text=Hello%21&voice=en&speed=1"
	}
	if got := value[string](v, `__said.join(' | ')`); got != want {
		t.Errorf("the voice was %q, want %q", got, want)
	}
}

func TestWhereTheRobotIsBecomesAPlace(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	_, keep := folder(t)
	h := open(t, keep)
	v := visit(t, browser, h.addr)
	v.openGoto()
	v.push("#spot-open")
	v.until("the form", `!document.querySelector('#spot-form').hidden && document.activeElement.id === 'spot-name'`)
	v.run(`document.querySelector('#spot-name').value = 'Charger'`)
	v.stroke(keyEnter)
	v.until("the place", `[...document.querySelectorAll('#places .place')].some((b) => b.innerText.trim() === 'Charger') && document.querySelector('#spot-form').hidden`)
	v.push("#spot [data-work=edit]")
	v.until("the map editor", `!document.querySelector('#mapedit').hidden`)
}

func TestWhoWatchesSeesTheJobAndChangesNothing(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, nearby)
	v := visit(t, browser, h.addr)
	v.paper()
	jin := visit(t, browser, h.addr)
	jin.jobs()
	v.runJob()
	jin.until("the job", stepsAre(7)+` && document.querySelector('#job-steps [aria-current=step]') !== null`)
	jin.until("the lock line", `document.querySelector('#lock').innerText.includes('View only.')`)
	if n := value[int](jin, `[...document.querySelectorAll('#jobs button, #runbar button')].filter((b) => b.getClientRects().length > 0 && !b.disabled && !b.closest('h3')).length`); n != 0 {
		jin.picture("failed")
		t.Errorf("%d buttons of the tab work for an observer: %s", n, value[string](jin, `[...document.querySelectorAll('#jobs button, #runbar button')].filter((b) => b.getClientRects().length > 0 && !b.disabled && !b.closest('h3')).map((b) => b.outerHTML.slice(0, 90)).join(' ')`))
	}
	before := jin.cards()
	jin.focus(card(7) + " h3 button")
	jin.alt(keyUp)
	jin.stroke(keyDelete)
	jin.control(keyD, keyZ)
	jin.stroke(keyP)
	if got := jin.cards(); !slices.Equal(got, before) {
		t.Errorf("an observer changed the steps to %q from %q", got, before)
	}
	if sent := jin.orders("job"); len(sent) != 0 {
		t.Errorf("an observer sent %d orders", len(sent))
	}
	jin.picture("jobs-watching-desktop")
}

// runJob starts the job and waits until it runs.
func (v *visitor) runJob() {
	v.t.Helper()
	v.until("the job to be ready", `!document.querySelector('#runbar [data-do=run]').disabled`)
	v.push("#runbar [data-do=run]")
	v.until("the job to run", `document.querySelector('#pill .t').textContent.startsWith('Running job, step')`)
}

// The paper's scenario: the job is written, starts, continues while the page is closed, and
// ends while the page is open again. OK is given once on the page and once on the robot's
// screen.
func TestTheJobOfThePaperIsDoneThoughThePageIsClosedMeanwhile(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, nearby)
	v := visit(t, browser, h.addr)
	start := h.driver.Truth().Pose.X
	v.paper()
	v.until("the times of the virtual robot", `[...document.querySelectorAll('#job-steps .step')].every((c) => /\d s$/.test(c.querySelector('.st > span').textContent) || c.dataset.type === 'MESSAGE')`)
	v.until("the whole time", saysBar("7 steps, about"))
	v.runJob()
	v.until("the pill", `/^Running job, step [12] of 7$/.test(document.querySelector('#pill .t').textContent)`)
	v.do(chromedp.Navigate("about:blank"))
	h.await("the robot to be at the sofa without a page", func(truth sim.Truth) bool {
		return math.Abs(truth.Pose.X-start-0.6) < 0.1 && still(truth)
	})
	v.open()
	v.until("the page", `document.querySelector('#app').dataset.conn === 'live'`)
	v.jobs()
	v.until("the message to wait for OK", currentIs(3))
	v.until("control", "!document.querySelector(`"+card(3)+" .deeds`).hidden")
	v.picture("jobs-message-desktop")
	v.push(card(3) + " .deeds [data-do=ok]")
	v.until("the next step", `document.querySelector('#toasts').innerText.includes('Step 3 done')`)
	v.until("the second message", currentIs(6))
	screen := arriveAt(t, browser, h.addr, "/screen")
	screen.until("the message on the robot's screen", `document.body.innerText.includes('Please make a copy.') && !document.querySelector('#ok').hidden`)
	screen.wait(1) // a new message accepts no OK for a moment
	screen.click("#ok")
	screen.until("OK to be taken", `!document.body.innerText.includes("Please make a copy.")`)
	v.until("the end", saysBar("Job finished."))
	if n := value[int](v, `document.querySelectorAll('#job-steps [data-look=done]').length`); n != 7 {
		t.Errorf("%d of 7 steps are done", n)
	}
	if off := h.driver.Truth().Pose.X - start - 1.8; math.Abs(off) > 0.1 {
		t.Errorf("the robot is %.2f m from the desk", off)
	}
}

func currentIs(n int) string {
	return fmt.Sprintf("document.querySelector(`%s`)?.getAttribute('aria-current') === 'step'", card(n))
}

func TestAJobPausesResumesSkipsChangesAndEnds(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, nearby)
	v := visit(t, browser, h.addr)
	v.jobs()
	v.waits(600, 2, 3)
	v.runJob()
	v.stroke(keyP)
	v.until("the pause", saysBar("Step 1 of 3, paused"))
	v.stroke(keyP)
	v.until("the job to go on", `document.querySelector('#pill .t').textContent.startsWith('Running job')`)
	v.focus(card(3) + " h3 button")
	v.alt(keyUp)
	v.until("the new order to be made ready", saysBar("Preparing the change"))
	v.until("the new order on the robot", `__seen.sent.some((m) => m.type === 'job' && m.action === 'change') && !`+saysBar("Preparing the change"))
	if got := v.cards(); !slices.Equal(got, []string{"10 min 0 s", "3 seconds", "2 seconds"}) {
		t.Errorf("the steps are %q", got)
	}
	v.focus(card(1) + " h3 button")
	v.alt(keyDown)
	if got := v.cards()[0]; got != "10 min 0 s" {
		t.Error("the step underway was moved")
	}
	v.push("#runbar [data-do=skip]")
	v.until("the second step", currentIs(2))
	if got := v.cards()[1]; got != "3 seconds" {
		t.Errorf("the second step is %s", got)
	}
	v.inFront()
	v.stroke(key1)
	v.holdUntil(byA, "the job to be paused by the hand", `document.querySelector('#toasts').innerText.includes('Job paused')`)
	v.letGo(keyA)
	v.stroke(key3)
	v.push("#runbar [data-do=end]")
	v.until("the question", saysBar("End the job?"))
	v.push("#runbar [data-do=endNo]")
	v.push("#runbar [data-do=end]")
	v.push("#runbar [data-do=endYes]")
	v.until("the end", saysBar("Job ended."))
}

func TestTheVirtualRobotShowsTheJobAndTheRobotStands(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, nearby)
	v := visit(t, browser, h.addr)
	v.paper()
	v.until("the virtual robot's answer", `!document.querySelector('#runbar [data-do=preview]').disabled`)
	before := h.driver.Truth().Pose
	v.push("#runbar [data-do=preview]")
	v.until("the virtual robot at work", `document.querySelector('#job-steps [data-ghost]') !== null`)
	v.picture("jobs-preview-desktop")
	v.until("its end", `document.querySelector('#job-steps [data-ghost]') === null && document.querySelector('#runbar [data-do=preview]').innerText.includes('Preview')`)
	after := h.driver.Truth().Pose
	if math.Hypot(after.X-before.X, after.Y-before.Y) > 0.01 {
		t.Error("the robot moved")
	}
}

// stuckJob returns a page whose job has failed in its first step, because the robot was walled
// in.
func stuckJob(t *testing.T, browser context.Context) (*testServer, *visitor) {
	t.Helper()
	h, v := alone(t, browser)
	v.jobs()
	v.waits(5)
	v.run("document.querySelector(`" + card(1) + " .more`).click()")
	v.chooses("Insert above")
	v.chooses("MOVE")
	v.run(`(() => { const f = document.querySelector('#step-place'); f.value = 'Lab 301'; f.dispatchEvent(new Event('change')); })()`)
	v.until("the card", stepsAre(2))
	v.run(`(() => { const f = document.querySelector('#step-seconds'); f.value = '6'; f.dispatchEvent(new Event('change')); })()`)
	v.until("the times", saysBar("about"))
	_, plan, _ := office(t)
	door := slices.IndexFunc(plan.Doors, func(d robot.Door) bool { return d.Hinge == robot.Point{X: 4.2, Y: 8.4} })
	if err := h.driver.SetDoor(door, true); err != nil {
		t.Fatal(err)
	}
	v.runJob()
	v.until("the failure", saysBar("needs help"))
	return h, v
}

func TestAFailedStepIsTriedAgainOrSkipped(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	_, v := stuckJob(t, browser)
	if look := value[string](v, "document.querySelector(`"+card(1)+"`).dataset.look"); look != "stuck" {
		t.Errorf("the failed card looks %s", look)
	}
	v.until("the failure to be told, with what is in the way", `document.querySelector('#toasts').innerText.includes('Step 1 failed.') && document.querySelector('#toasts').innerText.includes('the door of Lab 301 is closed')`)
	v.until("the pill to say that somebody has to do something", saysState("Job needs help"))
	v.push(card(1) + " .deeds [data-do=retry]")
	v.until("the second failure", saysBar("needs help")+" && document.querySelector(`"+card(1)+" .st > span`).textContent === '2 tries'")
	v.push(card(1) + " .deeds [data-do=skip]")
	v.until("the next step", currentIs(2))
	if look := value[string](v, "document.querySelector(`"+card(1)+"`).dataset.look"); look != "skipped" {
		t.Errorf("the skipped card looks %s", look)
	}
}

// jobStates are the states of the Jobs tab.
var jobStates = []state{
	{"jobs-empty", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.jobs()
		return v
	}},
	{"jobs-compose", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.paper()
		v.until("the times", saysBar("about"))
		v.run("document.querySelector(`" + card(2) + " h3 button`).click()")
		v.run(`document.querySelector('#job-add [data-type=MOVE]').click()`)
		v.run("document.querySelector(`" + card(2) + " h3 button`).click()")
		v.until("the fault", saysBar("Step 8 needs a place"))
		return v
	}},
	{"jobs-editor", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.paper()
		v.run("document.querySelector(`" + card(1) + " h3 button`).click()")
		v.run(`document.querySelector('.edit details').open = true`)
		return v
	}},
	{"jobs-running", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.paper()
		v.runJob()
		return v
	}},
	{"jobs-paused", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.jobs()
		v.waits(600, 5)
		v.runJob()
		v.push("#runbar [data-do=pause]")
		v.until("the pause", saysBar("paused"))
		return v
	}},
	{"jobs-stuck", func(t *testing.T, browser context.Context) *visitor {
		_, v := stuckJob(t, browser)
		return v
	}},
	{"jobs-watching", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		ana := visit(t, browser, h.addr)
		ana.paper()
		v := visit(t, browser, h.addr)
		ana.runJob()
		v.jobs()
		v.until("the job", stepsAre(7))
		return v
	}},
}
