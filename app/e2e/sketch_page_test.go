package e2e_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/chromedp/cdproto/input"

	"mybot/drivers/sim"
	"mybot/robot"
)

var keyLeft = key{"ArrowLeft", "ArrowLeft", 37, ""}

// openRoom starts a server for a robot with only sonars, in the middle of a room of 7 x 5 m,
// without a map.
func openRoom(t *testing.T) *testServer {
	t.Helper()
	desc, _, _ := office(t)
	plan := &robot.Floorplan{Name: "a room"}
	corners := [4]robot.Point{{X: -3.5, Y: -2.5}, {X: 3.5, Y: -2.5}, {X: 3.5, Y: 2.5}, {X: -3.5, Y: 2.5}}
	for i, a := range corners {
		plan.Lines = append(plan.Lines, robot.Segment{A: a, B: corners[(i+1)%4]})
	}
	scene := sim.DefaultScene()
	scene.Start = robot.Pose{}
	return openBuilding(t, desc, plan, scene, "127.0.0.1:0", withoutMap)
}

// steps presses an arrow key n times; each step is 1 m with Shift, else 10 cm.
func (v *visitor) steps(k key, n int, shift bool) {
	v.t.Helper()
	var modifiers int64
	if shift {
		modifiers = 8
	}
	for range n {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{
				Type: kind, Code: k.code, Key: k.name, WindowsVirtualKeyCode: k.number, Modifiers: modifiers,
			})
		}
	}
}

const offersASketch = `document.querySelector('#mapping-says').textContent.includes('off by up to half a metre') && document.querySelector('#mapping [data-do=sketch]') !== null`

// One person with only a keyboard brings a robot with only sonars into a room without a map.
// Another person observes.
func TestWallsAreDrawnByKeysAloneAndTheRobotArrivesAtAPlaceBehindThem(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openRoom(t)
	v := visit(t, browser, h.addr)
	v.inFront()
	v.until("what can be had", mapTitle("There is no map yet")+" && "+offersASketch)
	w := visit(t, browser, h.addr)
	w.until("the same for who watches", mapTitle("There is no map yet")+" && "+offersASketch+" && "+nothingCanBePressed)

	v.tabTo(mapButton("sheet"))
	v.stroke(keyEnter)
	v.until("the size", `document.activeElement.matches('#mapping-along')`)
	v.stroke(keyEsc)
	v.until("no question", `document.activeElement.matches('#mapping [data-do=sheet]') && document.querySelector('#mapping .size').hidden`)
	v.stroke(keyEnter)
	v.typesText("99")
	v.stroke(keyEnter)
	v.until("a size that cannot be", `document.querySelector('#mapping-says').textContent.includes('between 2 and 40 m') && !document.querySelector('#mapping .size').hidden`)
	v.forgiveRefusal()
	v.run(`document.querySelector('#mapping-along').select()`)
	v.typesText("10")
	v.stroke(keyEnter)
	v.until("the sheet with the wall pen", mapTitle("Draw the walls")+` && !document.querySelector('#mapping-draft').hidden && document.querySelector('#mapping-tools [data-tool=wall]').getAttribute('aria-pressed') === 'true'`)
	w.until("the sheet for who watches", mapTitle("Draw the walls")+" && "+nothingCanBePressed)

	v.tabTo("#map")
	v.steps(keyLeft, 3, true)
	v.steps(keyLeft, 5, false)
	v.steps(keyDown, 2, true)
	v.steps(keyDown, 5, false)
	v.until("where the pen is", `document.querySelector('#polite').textContent.includes('-3.5, -2.5')`)
	for n, wall := range []struct {
		along  key
		metres int
	}{{keyRight, 7}, {keyUp, 5}, {keyLeft, 7}, {keyDown, 5}} {
		v.stroke(keyEnter)
		v.steps(wall.along, wall.metres, true)
		v.stroke(keyEnter)
		v.until("the wall", fmt.Sprintf(`(async () => (await (await fetch('/api/v1/mapping/draft')).json()).walls.length === %d)()`, n+1))
	}
	v.tabTo("#mapping-tools [data-tool=place]")
	v.stroke(keyEnter)
	v.tabTo("#map")
	v.steps(keyRight, 2, true)
	v.steps(keyUp, 1, true)
	v.stroke(keyEnter)
	v.until("the name", `document.activeElement.matches('#mapping-item-name')`)
	v.typesText("Window")
	v.stroke(keyEnter)
	v.until("its name", `(async () => (await (await fetch('/api/v1/mapping/draft')).json()).places.map((p) => p.name).join() === 'Start,Window')()`)
	v.until("the page to have it", `document.querySelector('#mapping-item h3').textContent === 'Place Window'`)
	v.focus("#map")
	v.steps(keyUp, 3, false)
	v.until("where it is", `document.querySelector('#polite').textContent.includes('Place Window at 2.0, 1.3, 0°')`)
	v.steps(keyDown, 3, false)
	v.until("where it is again", `document.querySelector('#polite').textContent.includes('Place Window at 2.0, 1.0, 0°')`)
	v.tabTo("#mapping-name")
	v.typesText("Room")
	v.picture("walls-by-hand")
	v.stroke(keyEnter)
	v.until("the page with the new map", `JSON.parse(document.querySelector('#floorplan').textContent).walls.length === 4 && document.querySelector('#app').dataset.conn === 'live' && document.querySelector('#toasts').innerText.includes('The map Room is saved and in use.')`)
	w.until("the new map for who watches", mapTitle("Map: Room"))

	v.openGoto()
	v.chooseGoal("Window")
	v.sendOff(func() { v.push("#draft button[type=submit]") })
	h.awaitMotion()
	v.until("the arrival", saysState("Ready")+` && document.querySelector('#log').innerText.includes('Window')`)
	if at := h.awaitStill().Pose; math.Hypot(at.X-2, at.Y-1) > 0.2 {
		t.Errorf("the robot is at %v, and the place is at (2, 1)", at)
	}
}

// onSheet starts a server for a robot without a map, and opens its page at an empty sheet with
// the wall pen. The robot's answer to the first edit is held up.
func onSheet(t *testing.T) *visitor {
	t.Helper()
	v := visit(t, chromium(t), openRoom(t).addr)
	v.until("what can be had", offersASketch)
	v.push(mapButton("sheet"))
	v.push(mapButton("sheet"))
	v.until("the sheet", mapTitle("Draw the walls")+` && !document.querySelector('#mapping-draft').hidden`)
	v.run(`document.querySelector('#mapping-name').value = 'Room'`)
	v.holdAnswer("POST", "/api/v1/mapping/draft")
	return v
}

// drawsWall draws a wall of some length along the robot.
func (v *visitor) drawsWall(x, y, length float64) {
	v.t.Helper()
	from, to := v.on(x, y), v.on(x+length, y)
	if length > 0.1 {
		v.dragMouse(from, to)
		return
	}
	for _, at := range []spot{from, to} { // too short to be dragged
		v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
		v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
	}
}

const savesRoom = `document.querySelector('#toasts').innerText.includes('The map Room is saved and in use.')`

// Over a delay, each wall waits for the answer to the previous one, and Save for all of them.
func TestWallsThatWereDrawnJustBeforeSavingAreInTheMap(t *testing.T) {
	t.Parallel()
	v := onSheet(t)
	for _, y := range []float64{-2, -1, 1, 2} {
		v.drawsWall(0, y, 2)
	}
	v.until("the first request", `!!window.__answer`)
	v.push(mapButton("save"))
	v.settle()
	v.run(`window.__answer()`)
	v.until("the map with all walls", planIs("p.walls.length === 4")+" && "+savesRoom)
}

// The edits after a refused one are not sent, because they may build on it.
func TestAMapIsNotSavedWithoutARefusedWallAndThePageNamesWhatIsNotDone(t *testing.T) {
	t.Parallel()
	v := onSheet(t)
	v.drawsWall(0, -2, 2)
	v.drawsWall(0, 1, 0.03)
	v.drawsWall(-2, 2, 2)
	v.until("the first request", `!!window.__answer`)
	v.push(mapButton("save"))
	v.settle()
	v.run(`window.__answer()`)
	const why = `/ m long; it must be at least 0\.05 m\. Not done: Wall at 0\.0, 1\.0; Wall at -2\.0, 2\.0\.$/.test(document.querySelector('%s').textContent)`
	v.until("the reason at the tools", fmt.Sprintf(why, "#mapping-draft .says"))
	v.until("the reason at Save", fmt.Sprintf(why, "#mapping-says"))
	v.forgiveRefusal()
	v.picture("map-not-saved")
	v.until("the draft without them", `(async () => (await (await fetch('/api/v1/mapping/draft')).json()).walls.length === 1)()`)
	v.drawsWall(-2, 2, 2)
	v.push(mapButton("save"))
	v.until("the map with the wall that was drawn again", planIs("p.walls.length === 2")+" && "+savesRoom+` && !document.querySelector('#toasts').innerText.includes('Not done')`)
}

// The map is saved elsewhere while a person draws. The page names the walls that the map does not
// have, also after it has reloaded with that map.
func TestWallsThatAreLostBecauseTheMapWasSavedElsewhereAreNamed(t *testing.T) {
	t.Parallel()
	v := onSheet(t)
	v.drawsWall(0, -2, 2)
	v.drawsWall(0, 1, 2)
	v.drawsWall(-2, 2, 2)
	v.until("the first request", `!!window.__answer`)
	v.run(`fetch('/api/v1/mapping', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ lease: window.__request.lease, action: 'save', name: 'Room' }) })`)
	const lost = `document.querySelector('#toasts').innerText.includes('Not done: Wall at 0.0, 1.0; Wall at -2.0, 2.0.')`
	v.until("what is lost", lost)
	v.run(`window.__answer()`)
	v.until("the map, and what is lost", planIs("p.walls.length === 1")+" && "+lost)
}

// A place cannot take the name of another one, which would be lost with its position.
func TestAPlaceInReviewDoesNotReplaceAnotherOneByItsName(t *testing.T) {
	t.Parallel()
	v := onSheet(t)
	v.push("#mapping-tools [data-tool=place]")
	v.clickAt(v.on(2, 1))
	v.until("the first request", `!!window.__answer`)
	v.run(`window.__answer()`)
	v.until("the name", `document.activeElement.matches('#mapping-item-name')`)
	v.typesText("Start")
	v.stroke(keyEnter)
	v.until("the refusal", `document.querySelector('#mapping-draft .says').textContent === 'There is already a place Start. Choose another name.'`)
	v.run(`document.querySelector('#mapping-item-name').select()`)
	v.typesText("Window")
	v.stroke(keyEnter)
	v.until("both places", `(async () => (await (await fetch('/api/v1/mapping/draft')).json()).places.map((p) => p.name + ' ' + p.pose).join() === 'Start 0,0,0,Window 2,1,0')()`)
}

// A person who closes the page while walls wait for the robot's answer is asked first; afterwards
// the page closes without a question.
func TestAPageWithWallsThatTheRobotDoesNotHaveAsksBeforeItCloses(t *testing.T) {
	t.Parallel()
	v := onSheet(t)
	const asks = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`
	if value[bool](v, asks) {
		t.Error("the page asks although nothing was drawn")
	}
	v.drawsWall(0, -2, 2)
	v.drawsWall(0, 1, 2)
	v.until("the first request", `!!window.__answer`)
	if !value[bool](v, asks) {
		t.Error("the page does not ask although two walls would be lost")
	}
	v.run(`window.__answer()`)
	v.until("both walls on the robot", `(async () => (await (await fetch('/api/v1/mapping/draft')).json()).walls.length === 2)()`)
	v.until("no question", "!("+asks+")")
}

var sketchStates = []state{
	{"no-map-sonars", func(t *testing.T, browser context.Context) *visitor {
		v := visit(t, browser, openRoom(t).addr)
		v.until("what can be had", offersASketch)
		return v
	}},
	{"sheet-size", func(t *testing.T, browser context.Context) *visitor {
		v := visit(t, browser, openRoom(t).addr)
		v.until("what can be had", offersASketch)
		v.push(mapButton("sheet"))
		v.until("the size", `!document.querySelector('#mapping .size').hidden`)
		return v
	}},
	{"sketch", func(t *testing.T, browser context.Context) *visitor {
		h := openRoom(t)
		v := visit(t, browser, h.addr)
		v.until("what can be had", offersASketch)
		v.push(mapButton("sketch"))
		v.until("the sketch", mapTitle("Making a sketch"))
		v.inFront()
		h.driveUntil(v, byW, "the robot to drive", func(s sim.Truth) bool { return s.Pose.X > 1 })
		v.letGo(keyW)
		v.until("the picture", tilesShown+" > 1")
		return v
	}},
	{"sketch-review", func(t *testing.T, browser context.Context) *visitor {
		h := openRoom(t)
		v := visit(t, browser, h.addr)
		v.until("what can be had", offersASketch)
		v.push(mapButton("sketch"))
		v.until("the sketch", mapTitle("Making a sketch"))
		v.inFront()
		h.driveUntil(v, byW, "the robot to drive", func(s sim.Truth) bool { return s.Pose.X > 1.5 })
		v.letGo(keyW)
		h.awaitStill()
		v.push(mapButton("finish"))
		v.until("the review", mapTitle("The sketch is ready")+` && !document.querySelector('#mapping-draft').hidden`)
		v.push("#mapping-tools [data-tool=wall]")
		from, to := v.on(-1, 2.5), v.on(3.4, 2.5)
		v.mouse(input.DispatchMouseEventTypeMousePressed, from, true)
		v.mouse(input.DispatchMouseEventTypeMouseMoved, to, true)
		v.settle()
		return v
	}},
}
