package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"

	"mybot/robot"
)

var (
	keyG     = key{"KeyG", "g", 'G', ""}
	keyP     = key{"KeyP", "p", 'P', ""}
	keyQ     = key{"KeyQ", "q", 'Q', ""}
	key1     = key{"Digit1", "1", '1', ""}
	key2     = key{"Digit2", "2", '2', ""}
	keyEnter = key{"Enter", "Enter", 13, "\r"}
	keyUp    = key{"ArrowUp", "ArrowUp", 38, ""}
	keyRight = key{"ArrowRight", "ArrowRight", 39, ""}
)

func (v *visitor) stroke(keys ...key) {
	v.t.Helper()
	for _, k := range keys {
		v.press(k)
		v.letGo(k)
	}
}

// on returns the spot of the page at a point of the floor. In the third frame after a
// change of the layout the compositor, which decides whether a touch scrolls, knows the
// change too.
func (v *visitor) on(x, y float64) spot {
	v.t.Helper()
	return value[spot](v, fmt.Sprintf(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => {
		const { view } = document.querySelector('#map').drawn, r = document.querySelector('#map').getBoundingClientRect();
		done({ X: r.x + view.width / 2 + (%v - view.x) * view.scale, Y: r.y + view.height / 2 - (%v - view.y) * view.scale });
	}))))`, x, y))
}

func (v *visitor) dragMouse(from, to spot) {
	v.t.Helper()
	v.mouse(input.DispatchMouseEventTypeMousePressed, from, true)
	v.mouse(input.DispatchMouseEventTypeMouseMoved, spot{(from.X + to.X) / 2, (from.Y + to.Y) / 2}, true)
	v.mouse(input.DispatchMouseEventTypeMouseMoved, to, true)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, to, false)
}

// An order is a command that the page sent.
type order struct{ Goal, Pose [3]float64 }

// orders returns the commands of a type that the page sent.
func (v *visitor) orders(kind string) []order {
	v.t.Helper()
	var sent []order
	if err := json.Unmarshal([]byte(value[string](v, fmt.Sprintf(`JSON.stringify(__seen.sent.filter((m) => m.type === %q))`, kind))), &sent); err != nil {
		v.t.Fatal(err)
	}
	return sent
}

func (v *visitor) untilOrders(kind string, n int) []order {
	v.t.Helper()
	v.until(fmt.Sprintf("%d %s to be sent", n, kind), fmt.Sprintf(`__seen.sent.filter((m) => m.type === %q).length >= %d`, kind, n))
	return v.orders(kind)
}

func saysPanel(words string) string {
	return fmt.Sprintf("document.querySelector('#goto').innerText.replace(/\\s+/g, ' ').includes(%q)", words)
}

// openGoto opens the Go to tab and waits for its script.
func (v *visitor) openGoto() {
	v.t.Helper()
	v.run(`document.querySelector('#tab-goto').click()`)
	v.until("the places", `document.querySelector('#places li') !== null`)
}

// goalTool tests whether a press on the map chooses a goal.
const goalTool = `document.querySelector('[data-map=goal]').getAttribute('aria-pressed') === 'true'`

const canGo = `document.querySelector('#draft button[type=submit] span').textContent.startsWith('Go') && !document.querySelector('#draft button[type=submit]').disabled`

// saysBusy tests whether the page reports that the robot's computer was too busy for a goal, or
// that the link was lost for a moment.
const saysBusy = `(!document.querySelector('#draft').hidden && /Try again\.|too busy|has reported nothing for|The link was lost/.test(document.querySelector('#draft-says').textContent))`

// chooseGoal chooses a place and waits for the route. If the robot's computer was too busy to
// plan in time, it chooses the place again, as a person would.
func (v *visitor) chooseGoal(place string) {
	v.t.Helper()
	v.repeatBusy("choose "+place, canGo, func() {
		v.run(fmt.Sprintf(`[...document.querySelectorAll('#places .place')].find((b) => b.innerText.trim() === %q).click()`, place))
	})
}

// sendOff makes the visitor press Go, in a given way, and waits until the goal is underway. If
// the robot's computer was too busy, it presses Go again.
func (v *visitor) sendOff(press func()) {
	v.t.Helper()
	v.repeatBusy("press Go", `!document.querySelector('#going').hidden`, func() {
		v.until("Go to work", canGo)
		press()
	})
}

// repeatBusy does something until a script's value is true. It repeats it if the page reports
// that the robot was too busy.
func (v *visitor) repeatBusy(what, done string, do func()) {
	v.t.Helper()
	for range maxPresses {
		do()
		refusal := value[string](v, `new Promise((done) => {
			const look = () => `+done+` ? done('') : `+saysBusy+` ? done(document.querySelector('#draft-says').textContent) : setTimeout(look, 10);
			look();
		})`)
		if refusal == "" {
			return
		}
		v.t.Logf("%s again: %s", what, refusal)
	}
	v.t.Fatalf("%s: the robot is too busy; the page says: %s", what, v.words())
}

// pressGo presses Go with the mouse, or the Enter key.
func (v *visitor) pressGo()    { v.click("#draft button[type=submit]") }
func (v *visitor) pressEnter() { v.stroke(keyEnter) }

// near reports whether two poses [x, y, heading] are equal within a pixel of the map: 3 cm and
// 2 degrees.
func near(a, b [3]float64) bool {
	return math.Hypot(a[0]-b[0], a[1]-b[1]) < 0.03 && math.Abs(robot.WrapAngle(a[2]-b[2])) < 2*math.Pi/180
}

// ear runs in the page before its scripts and records the robot's answers.
const ear = `(() => {
	const answers = (window.__answers = []);
	const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
	Object.defineProperty(WebSocket.prototype, 'onmessage', { set(f) {
		set.call(this, f && ((e) => {
			const m = JSON.parse(e.data);
			if (m.route) answers.push(m);
			f(e);
		}));
	} });
})()`

// withEar returns a visitor whose page is reloaded with the ear.
func withEar(t *testing.T, browser context.Context, h *testServer) *visitor {
	t.Helper()
	v := visit(t, browser, h.addr)
	v.onLoad(ear)
	v.open()
	v.until("the page to show the robot", `document.querySelector('#app').dataset.conn === 'live' && document.querySelector('#auth').dataset.kind === 'yours'`)
	return v
}

func TestADragOnTheMapAsksForTheRightGoalAndAClickSendsNothing(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h, v := alone(t, browser)
	start := h.driver.Truth().Pose
	v.click("[data-map=goal]")
	v.until("the tool", goalTool)
	v.until("the hint", `!document.querySelector('#hint').hidden`)

	at := v.on(12.1, 7.2)
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	v.mouse(input.DispatchMouseEventTypeMouseMoved, spot{at.X + 7, at.Y + 7}, true)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, spot{at.X + 7, at.Y + 7}, false)
	v.until("the dial to be offered", saysPanel("Drag the arrow to set the heading"))
	v.run(`new Promise((done) => setTimeout(done, 300))`)
	if n := len(v.orders("plan")) + len(v.orders("goto")); n != 0 {
		t.Errorf("a click without a drag sent %d commands", n)
	}

	from := v.on(12.1, 7.2)
	v.dragMouse(spot{from.X + 150, from.Y}, spot{from.X + 150 - 60, from.Y + 60})
	sent := v.untilOrders("plan", 1)
	scale := value[float64](v, `document.querySelector('#map').drawn.view.scale`)
	if want := [3]float64{12.1 + 150/scale, 7.2, -3 * math.Pi / 4}; !near(sent[0].Goal, want) {
		t.Errorf("the drag requested the route to %v, want %v", sent[0].Goal, want)
	}
	v.until("the way", canGo)

	// The arrow's tip turns the pin, with or without Shift, and the pin moves it.
	pin := v.on(sent[0].Goal[0], sent[0].Goal[1])
	v.dragMouse(spot{pin.X - 65, pin.Y + 65}, spot{pin.X, pin.Y - 92})
	sent = v.untilOrders("plan", 2)
	if want := [3]float64{sent[0].Goal[0], sent[0].Goal[1], math.Pi / 2}; !near(sent[1].Goal, want) {
		t.Errorf("after the turn the page requested the route to %v, want %v", sent[1].Goal, want)
	}
	v.dragMouse(pin, spot{pin.X - scale, pin.Y})
	sent = v.untilOrders("plan", 3)
	if want := [3]float64{sent[0].Goal[0] - 1, sent[0].Goal[1], math.Pi / 2}; !near(sent[2].Goal, want) {
		t.Errorf("after the move the page requested the route to %v, want %v", sent[2].Goal, want)
	}

	v.stroke(keyEsc)
	v.until("all of it to be dropped", `document.querySelector('#draft').hidden && document.querySelector('[data-map=goal]').getAttribute('aria-pressed') === 'false'`)
	if n := len(v.orders("goto")); n != 0 {
		t.Errorf("the release of the drag sent the robot %d times", n)
	}
	if end := h.driver.Truth().Pose; end != start {
		t.Errorf("the robot moved from %v to %v without Go", start, end)
	}
}

func TestGoDrivesThePreviewedRouteAndTellsTheArrival(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := withEar(t, browser, h)
	start := h.driver.Truth().Pose
	v.click("[data-map=goal]")
	v.until("the tool", goalTool)
	at := v.on(start.X+1.6, start.Y)
	v.dragMouse(at, spot{at.X + 80, at.Y})
	v.until("the way", canGo)
	v.sendOff(v.pressEnter)
	v.until("the page to say so", saysState("Driving to goal"))
	if same := value[bool](v, `(() => {
		const previewed = __answers.find((m) => m.type === 'result'), driven = __answers.filter((m) => m.type === 'event').at(-1);
		const line = driven.route.line; // the robot may have learned meanwhile, by millimetres, where it stands
		return previewed.route.line.length === line.length && previewed.route.line.every(([x, y], i) => Math.hypot(x - line[i][0], y - line[i][1]) < 0.01);
	})()`); !same {
		t.Errorf("the driven route is not the previewed one: %s", value[string](v, `JSON.stringify(__answers)`))
	}
	h.awaitMotion()
	v.stroke(keyP)
	v.until("the pause", saysState("Paused"))
	h.awaitStill()
	v.stroke(keyP)
	h.awaitMotion()
	v.until("the arrival", `/^Arrived at x [\d.]+ y [\d.]+, \d+ cm off\.$/m.test(document.querySelector('#toasts').innerText)`)
	v.until("the card to go", `document.querySelector('#going').hidden`)
	goal := v.orders("goto")[0].Goal
	if end := h.awaitStill().Pose; math.Hypot(end.X-goal[0], end.Y-goal[1]) > 0.08 { // 5 cm by the robot's estimate
		t.Errorf("the robot stopped at %v, the goal was %v", end, goal)
	}
}

func TestAPlaceOrTypedNumbersChooseAGoalToo(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	_, v := alone(t, browser)
	v.openGoto()
	v.run(`[...document.querySelectorAll('#places button')].find((b) => b.textContent.trim() === 'Copy room').click()`)
	v.until("the way", canGo+` && `+saysPanel("Copy room"))
	if sent := v.orders("plan"); len(sent) != 1 {
		t.Fatalf("the place requested %d routes", len(sent))
	}
	typing := func(x, y, deg string) {
		v.run(fmt.Sprintf(`(() => { const f = [...document.querySelectorAll('#draft .fields input')];
			[%q, %q, %q].forEach((text, i) => { f[i].focus(); f[i].value = text; f[i].dispatchEvent(new Event('input')); });
			f[2].dispatchEvent(new Event('change')); f[2].blur(); })()`, x, y, deg))
	}
	typing("12,5", "7.3", "90")
	if sent, want := v.untilOrders("plan", 2), [3]float64{12.5, 7.3, math.Pi / 2}; !near(sent[1].Goal, want) {
		t.Errorf("typed numbers requested the route to %v, want %v", sent[1].Goal, want)
	}
	v.until("the way", canGo)
	typing("somewhere", "7.3", "90")
	v.until("what is wrong", saysPanel("x is not a number. Enter metres, for example 12.10."))
	typing("0.5", "7.3", "90") // outside the walls
	v.untilOrders("plan", 3)
	v.until("the robot's sentence", `document.querySelector('#draft-says.bad')?.textContent.length > 10 && document.querySelector('#draft button[type=submit]').disabled`)
	if n := len(v.orders("goto")); n != 0 {
		t.Errorf("the robot was sent %d times", n)
	}
}

func TestTheKeysMoveACursorOnTheMap(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h, v := alone(t, browser)
	start := h.driver.Truth().Pose
	v.stroke(keyG)
	v.until("the tool", goalTool)
	const shift = 8
	for range 2 {
		call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Code: keyRight.code, Key: keyRight.name, WindowsVirtualKeyCode: keyRight.number, Modifiers: shift})
	}
	v.letGo(keyRight)
	v.stroke(keyUp, keyQ, keyQ)
	if n := len(v.orders("plan")); n != 0 {
		t.Errorf("the cursor requested %d routes before Enter", n)
	}
	v.stroke(keyEnter)
	want := [3]float64{start.X + 2, start.Y + 0.1, start.Theta + math.Pi/6}
	if sent := v.untilOrders("plan", 1); math.Hypot(sent[0].Goal[0]-want[0], sent[0].Goal[1]-want[1]) > 0.1 || math.Abs(robot.WrapAngle(sent[0].Goal[2]-want[2])) > 0.1 {
		t.Errorf("the keys chose %v, want about %v", sent[0].Goal, want)
	}
	v.until("the way", canGo)
	v.stroke(keyEnter)
	v.untilOrders("goto", 1)
	h.awaitMotion()
}

func TestAFingersPinIsAboveTheFinger(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	_, v := alone(t, browser)
	v.look(phone, dark)
	v.run(`document.querySelector('[data-map=goal]').click()`)
	v.until("the tool", goalTool)
	v.until("the hint", `!document.querySelector('#hint').hidden`)
	v.settle()
	at := v.on(12, 7.3)
	v.touch(input.DispatchTouchEventTypeTouchStart, spot{at.X, at.Y + 44})
	v.touch(input.DispatchTouchEventTypeTouchMove, spot{at.X - 50, at.Y + 44})
	v.touch(input.DispatchTouchEventTypeTouchEnd)
	scale := value[float64](v, `document.querySelector('#map').drawn.view.scale`)
	sent := v.untilOrders("plan", 1)[0].Goal
	if math.Hypot(sent[0]-12, sent[1]-7.3) > 2/scale || math.Abs(robot.WrapAngle(sent[2]-math.Pi)) > 0.05 {
		t.Errorf("the finger chose %v, want [12 7.3 pi]", sent)
	}
}

func TestABlockedPathOffersItsThreeChoices(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h, v := blockedPath(t, browser)
	v.until("the card", `!document.querySelector('#blocked').hidden`)
	if got := value[string](v, `[...document.querySelectorAll('#blocked button')].map((b) => b.textContent.trim()).join()`); got != "Wait,Go around,Cancel" {
		t.Errorf("the choices are %s", got)
	}
	v.until("the pill", saysState("Route blocked"))
	v.click("#blocked [data-do=wait]")
	v.until("the card to go", `document.querySelector('#blocked').hidden`)
	v.click("#goal-around")
	v.untilOrders("goal", 1)
	v.click("#goal-cancel")
	v.until("the goal's end", `document.querySelector('#going').hidden && `+saysState("Ready"))
	h.awaitStill()
}

// blockedPath returns a page whose robot waits before the door of its goal's room, which was
// closed after the start.
func blockedPath(t *testing.T, browser context.Context) (*testServer, *visitor) {
	t.Helper()
	h, v := alone(t, browser)
	v.openGoto()
	v.chooseGoal("Lab 301")
	_, plan, _ := office(t)
	door := slices.IndexFunc(plan.Doors, func(d robot.Door) bool { return d.Hinge == robot.Point{X: 4.2, Y: 8.4} })
	if err := h.driver.SetDoor(door, true); err != nil {
		t.Fatal(err)
	}
	v.sendOff(v.pressGo)
	h.awaitMotion()
	v.until("the robot to wait", saysPanel("Waiting on the way to"))
	v.until("some seconds to pass", `/Blocked for ([5-9]|\d\d+) s/.test(document.querySelector('#going .note').textContent)`)
	return h, v
}

func TestWhoWatchesSeesTheGoalAndCannotTouchIt(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	ana, jin := visitTwo(t, browser, h)
	ana.openGoto()
	ana.chooseGoal("Copy room")
	ana.sendOff(ana.pressGo)
	jin.inFront()
	jin.stroke(key2)
	jin.until("the places", `document.querySelector('#places li') !== null`)
	jin.until("the goal", saysPanel("Going to Copy room"))
	if n := value[int](jin, `[...document.querySelectorAll('#goto :is(button, input):not(:disabled)')].filter((e) => e.offsetParent !== null).length`); n != 0 {
		t.Errorf("%d elements of the tab work for an observer", n)
	}
	if hidden := value[bool](jin, `document.querySelector('#lock').hidden`); hidden {
		t.Error("no line gives the reason")
	}
	jin.stroke(keyG, keyP)
	at := jin.on(8, 7.3)
	jin.dragMouse(at, spot{at.X + 60, at.Y})
	jin.run(`new Promise((done) => setTimeout(done, 300))`)
	for _, kind := range []string{"plan", "goto", "goal", "pose"} {
		if n := len(jin.orders(kind)); n != 0 {
			t.Errorf("an observer sent %d %s", n, kind)
		}
	}
	// The goal continues when the page that gave it is closed.
	h.awaitMotion()
}

// lost runs in the page before its scripts and makes it receive that the robot is lost.
const lost = `(() => {
	const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
	Object.defineProperty(WebSocket.prototype, 'onmessage', { set(f) {
		set.call(this, f && ((e) => f(new MessageEvent('message', { data: e.data.replace(/"trust":"\w+"/, '"trust":"LOST"') }))));
	} });
})()`

func lostPage(t *testing.T, browser context.Context) (*testServer, *visitor) {
	t.Helper()
	h := open(t)
	v := visit(t, browser, h.addr)
	v.onLoad(lost)
	v.open()
	v.until("the banner", saysBanner("Position lost."))
	v.until("control", `document.querySelector('#auth').dataset.kind === 'yours'`)
	return h, v
}

func TestALostRobotIsNotSentAndItsPositionCanBeSet(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h, v := lostPage(t, browser)
	v.openGoto()
	v.run(`[...document.querySelectorAll('#places button')].find((b) => b.textContent.trim() === 'Copy room').click()`)
	v.untilOrders("plan", 1)
	v.until("why not", saysPanel("Position unknown. Drive to a corridor or set the position."))
	v.stroke(keyEnter)
	v.run(`new Promise((done) => setTimeout(done, 300))`)
	if n := len(v.orders("goto")); n != 0 {
		t.Errorf("a lost robot was sent %d times", n)
	}
	v.click("#banner button:not(.other)")
	v.until("the hint", `!document.querySelector('#hint').hidden`)
	start := h.driver.Truth().Pose
	at := v.on(start.X+0.2, start.Y)
	v.dragMouse(at, spot{at.X + 80, at.Y})
	v.until("the button", saysPanel("Set here"))
	if n := len(v.orders("pose")); n != 0 {
		t.Errorf("the drag alone set the position %d times", n)
	}
	v.stroke(keyEnter)
	if sent, want := v.untilOrders("pose", 1), [3]float64{start.X + 0.2, start.Y, 0}; !near(sent[0].Pose, want) {
		t.Errorf("the page set %v, want %v", sent[0].Pose, want)
	}
	v.until("the answer", `document.querySelector('#toasts').innerText.includes('Position set to')`)
}

func TestAfterStopTheGoalWaitsForResume(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h, v := alone(t, browser)
	v.stroke(key2)
	v.until("the places", `document.querySelector('#places li') !== null`)
	v.chooseGoal("Copy room")
	v.sendOff(v.pressEnter)
	h.awaitMotion()
	v.stroke(keySpace)
	v.until("the release to tell of the goal", `!document.querySelector('#release-paused').hidden && document.querySelector('#release').innerText.includes('The drive to Copy room is paused.')`)
	h.awaitStill()
	v.releaseStop()
	v.until("Resume", saysState("Paused")+` && document.querySelector('#goal-pause').innerText.includes('Resume') && !document.querySelector('#goal-pause').disabled`)
	v.run(`new Promise((done) => setTimeout(done, 500))`)
	if truth := h.driver.Truth(); !still(truth) {
		t.Error("the robot moves before Resume")
	}
	v.click("#goal-pause")
	h.awaitMotion()
}

func TestLeavingTheDriveTabEndsAHold(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h, v := alone(t, browser)
	v.inFront()
	h.drivenBy(v, byW)
	v.stroke(key2)
	v.until("the places", `document.querySelector('#places li') !== null`)
	v.endsInZero("")
	h.awaitStill()
	before := v.drives()
	v.stroke(key1)
	v.run(`new Promise((done) => setTimeout(done, 300))`)
	if after := v.drives(); after != before {
		t.Errorf("the page sent %d samples though the driver has not let go since", after-before)
	}
}

// gotoStates are the states of the Go to tab.
var gotoStates = []state{
	{"goto", func(t *testing.T, browser context.Context) *visitor {
		h, v := alone(t, browser)
		v.openGoto()
		v.chooseGoal("Copy room")
		v.sendOff(v.pressGo)
		h.awaitMotion()
		v.until("the page to say so", saysState("Driving to goal"))
		return v
	}},
	{"goto-preview", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('[data-map=goal]').click()`)
		v.until("the tool", goalTool)
		at := v.on(12.1, 7.1)
		v.dragMouse(at, spot{at.X - 60, at.Y + 40})
		v.until("the way", canGo)
		return v
	}},
	{"goto-placing", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('[data-map=goal]').click()`)
		v.until("the tool", goalTool)
		v.until("the hint", `!document.querySelector('#hint').hidden`)
		return v
	}},
	{"goto-refused", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.run(`document.querySelector('[data-map=goal]').click()`)
		v.until("the tool", goalTool)
		at := v.on(0.6, 3) // off the floor
		v.dragMouse(at, spot{at.X + 60, at.Y + 40})
		v.until("the robot's sentence", `document.querySelector('#draft-says.bad')?.textContent.length > 10`)
		return v
	}},
	{"goto-blocked", func(t *testing.T, browser context.Context) *visitor {
		_, v := blockedPath(t, browser)
		v.until("the card", `!document.querySelector('#blocked').hidden`)
		return v
	}},
	{"goto-watching", func(t *testing.T, browser context.Context) *visitor {
		h := open(t)
		h.enter("Ana").reads()
		v := visit(t, browser, h.addr)
		v.openGoto()
		return v
	}},
	{"position-lost", func(t *testing.T, browser context.Context) *visitor {
		_, v := lostPage(t, browser)
		v.openGoto()
		return v
	}},
}
