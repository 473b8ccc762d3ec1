package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"mybot/app"
	"mybot/maps"
	"mybot/robot/floorplan"
)

var (
	keyTab    = key{"Tab", "Tab", 9, ""}
	keyDelete = key{"Delete", "Delete", 46, ""}
	keyY      = key{"KeyY", "y", 'Y', ""}
	keyZ      = key{"KeyZ", "z", 'Z', ""}
	keyS      = key{"KeyS", "s", 'S', ""}
)

// control presses keys in order with the Control key held.
func (v *visitor) control(keys ...key) {
	v.t.Helper()
	const ctrl = 2
	for _, k := range keys {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			call(v, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Code: k.code, Key: k.name, WindowsVirtualKeyCode: k.number, Modifiers: ctrl})
		}
	}
}

// work opens a tool of the workshop.
func (v *visitor) work(name string) {
	v.t.Helper()
	v.run(fmt.Sprintf(`document.querySelector('#workshop [data-work=%s]').click()`, name))
	card := map[string]string{"edit": "#mapedit", "world": "#world", "motions": "#motions"}[name]
	v.until("the card", fmt.Sprintf(`!document.querySelector('%s').hidden`, card))
	v.settle()
}

// kept is the map editor's sketch as stored by this tab: "" = nothing is changed.
const kept = `(JSON.parse(sessionStorage.getItem('mybot.mapedit') ?? 'null')?.now ?? null)`

func saysEditor(words string) string {
	return fmt.Sprintf("document.querySelector('#mapedit-says').innerText.includes(%q)", words)
}

func chosenIs(name string) string {
	return fmt.Sprintf("!document.querySelector('#mapedit-item').hidden && document.querySelector('#mapedit-kind').textContent === %q", name)
}

// walkTo moves through the map by keys until an item is selected.
func (v *visitor) walkTo(name string) {
	v.t.Helper()
	for range 100 {
		v.run(`document.querySelector('#map').focus()`)
		if value[bool](v, chosenIs(name)) {
			return
		}
		v.stroke(keyTab)
	}
	v.t.Fatalf("Tab does not reach %s", name)
}

var workStates = []state{
	{"map-editor", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.work("edit")
		v.walkTo("Via point III")
		v.stroke(keyUp, keyUp)
		v.until("the change", `!document.querySelector('#mapedit-changed').hidden`)
		return v
	}},
	{"map-editor-misfit", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.work("edit")
		v.walkTo("Edge I – II")
		v.run(`(() => { const f = document.querySelector('#mapedit'); f.querySelector('[data-tool=place]').click(); })()`)
		v.walkTo("Place Sofa")
		v.run(`(() => { const y = document.querySelector('#mapedit-y'); y.value = '15.6'; y.dispatchEvent(new Event('change', { bubbles: true })); })()`)
		v.until("the fault", saysEditor("does not fit"))
		return v
	}},
	{"simulator", func(t *testing.T, browser context.Context) *visitor {
		_, v := alone(t, browser)
		v.work("world")
		v.run(`document.querySelector('#world details').open = true`)
		v.run(`document.querySelector('#world [data-tool=obstacle]').click()`)
		v.until("the slider", `!document.querySelector('#world-size').closest('label').hidden`)
		return v
	}},
}

// forgiveRefusal ignores the browser's log line about an expected answer 409.
func (v *visitor) forgiveRefusal() { v.forgive("status of 409") }

func (v *visitor) forgive(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.faults = slices.DeleteFunc(v.faults, func(f string) bool { return strings.Contains(f, line) })
}

// folder returns the folder in which a test saves changes of the map.
func folder(t *testing.T) (string, func(*app.Config)) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "maps", "office")
	return dir, func(c *app.Config) {
		c.MapDir = dir
		plan, err := floorplan.Load(floorplan.Over(maps.Office(), os.DirFS(dir)))
		if err != nil {
			t.Fatal(err)
		}
		c.Plan = plan
	}
}

// wayTo chooses a saved place and returns the via points of the route to it.
func (v *visitor) wayTo(place string) string {
	v.t.Helper()
	v.openGoto()
	v.chooseGoal(place)
	via := value[string](v, `document.querySelector('#draft .route .via').innerText.replace(/\s+/g, ' ')`)
	v.stroke(keyEsc)
	return via
}

func TestAnEditThatIsSavedChangesThePathAndIsThereAfterARestart(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	dir, in := folder(t)
	h := open(t, in)
	v := visit(t, browser, h.addr)
	before := v.wayTo("Sofa")
	if !strings.Contains(before, "III") {
		t.Fatalf("the route to the sofa passes %q instead of III", before)
	}

	v.work("edit")
	v.walkTo("Via point III")
	v.run(`(() => { const f = document.querySelector('#mapedit-name'); f.value = ' Lobby '; f.dispatchEvent(new Event('change', { bubbles: true })); })()`)
	// Pressing and dragging sets a place with the heading of the drag.
	v.run(`document.querySelector('#mapedit [data-tool=place]').click()`)
	at := v.on(12.5, 7.2)
	v.dragMouse(at, spot{at.X, at.Y - 60})
	v.until("the place", chosenIs("Place 8"))
	jin := h.enter("Jin")
	v.control(keyS)
	jin.until("the new map", func(m message) bool { return m.Type == "event" && m.Kind == "map" })
	v.until("the save", `document.querySelector('#toasts').innerText.includes('Map saved.') && document.querySelector('#mapedit-changed').hidden`)
	v.run(`document.querySelector('#mapedit [data-do=close]').click()`)
	if after := v.wayTo("Sofa"); !strings.Contains(after, "Lobby") || strings.Contains(after, "III") {
		t.Errorf("after the save the route passes %q", after)
	}
	v.until("the place among the saved ones", `document.querySelector('#places').innerText.includes('Place 8')`)
	if value[bool](v, kept+` !== null`) {
		t.Error("the tab still stores saved edits as unsaved")
	}

	plan, err := floorplan.Load(floorplan.Over(maps.Office(), os.DirFS(dir)))
	if err != nil {
		t.Fatal(err)
	}
	place := plan.Places[len(plan.Places)-1]
	if place.Name != "Place 8" || !near([3]float64{place.Pose.X, place.Pose.Y, place.Pose.Theta}, [3]float64{12.5, 7.2, 3.14159 / 2}) {
		t.Errorf("the place is %+v", place)
	}
	v.away = true
	h.close()

	h = open(t, in)
	v = visit(t, browser, h.addr)
	if after := v.wayTo("Sofa"); !strings.Contains(after, "Lobby") {
		t.Errorf("after a restart the route passes %q", after)
	}
}

func TestUndoRestoresAndAReloadKeepsWhatIsNotSaved(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	_, v := alone(t, browser)
	v.work("edit")

	v.run(`document.querySelector('#mapedit [data-tool=via]').click()`)
	a, b := v.on(12, 6.7), v.on(12.4, 6.7)
	v.dragMouse(a, b) // placed and dragged at once
	v.until("the via point", chosenIs("Via point XII"))
	v.run(`document.querySelector('#mapedit [data-tool=edge]').click()`)
	v.dragMouse(b, v.on(14.6, 7.3))
	v.until("the edge", chosenIs("Edge IV – XII"))
	v.run(`(() => { const f = document.querySelector('#mapedit-way'); f.value = 'back'; f.dispatchEvent(new Event('change', { bubbles: true })); })()`)
	edges := value[string](v, `JSON.stringify(`+kept+`.edges.filter((e) => e.includes(12)))`)
	if edges != "[[12,4]]" {
		t.Errorf("the one-way edge is %s", edges)
	}
	v.control(keyZ)
	if edges := value[string](v, `JSON.stringify(`+kept+`.edges.filter((e) => e.includes(12)))`); edges != "[[4,12],[12,4]]" {
		t.Errorf("after the undo the edge is %s", edges)
	}

	// Without the pointer: a key deletes, and undo restores.
	v.walkTo("Via point XII")
	v.stroke(keyDelete)
	v.until("the deletion", kept+` === null`) // nothing differs from the saved map
	v.control(keyZ)
	v.until("the via point to be back", kept+`?.via.length === 12 && `+kept+`.edges.length === 22`)
	v.control(keyY)
	v.until("the redo", kept+` === null`)
	v.control(keyZ)

	v.open()
	v.until("the editor to be open again", `!document.querySelector('#mapedit').hidden && !document.querySelector('#mapedit-changed').hidden`)
	v.control(keyZ, keyZ)
	v.until("what was done before the reload to be taken back", kept+` === null`)
	v.control(keyY)
	v.until("the redo", kept+`?.via.length === 12`)
	v.run(`document.querySelector('#mapedit [data-do=discard]').click()`)
	v.until("the changes to be gone", kept+` === null && document.querySelector('#mapedit-changed').hidden`)
}

// Edits stay in the tab while the editor is closed, and another person, or the same one elsewhere
// in the page, may save the map meanwhile. The editor says so when it is opened again.
func TestAPersonWhoOpensTheEditorAgainReadsThatTheMapWasSavedMeanwhile(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	_, v := alone(t, browser)
	v.work("edit")
	v.run(`document.querySelector('#mapedit [data-tool=via]').click()`)
	v.dragMouse(v.on(12, 6.7), v.on(12.4, 6.7))
	v.until("the via point", kept+`?.via.length === 12`)
	v.run(`document.querySelector('#mapedit [data-do=close]').click()`)
	v.run(`fetch('/api/v1/places', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ lease: 1, name: 'Here', pose: [4.5, 7.3, 0] }) })`)
	v.until("the saved map", `document.querySelector('#log').innerText.includes('You saved the map.')`)
	const warned = `document.querySelector('#toasts').innerText.includes('Saving overwrites those changes.')`
	if value[bool](v, warned) {
		t.Error("the page warns while the editor is closed")
	}
	v.work("edit")
	v.until("the warning", warned)

	v.open()
	v.until("the warning after a reload", `!document.querySelector('#mapedit').hidden && `+warned)
}

func TestADrawnGoalIsPushedOffWallsAndTheRobotRefusesWhatIsInThem(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	dir, in := folder(t)
	h := open(t, in)
	v := visit(t, browser, h.addr)
	v.work("edit")
	v.dragMouse(v.on(10.2, 7.3), v.on(10.9, 8.38)) // III into the wall
	v.until("the change", kept+` !== null`)
	if y := value[float64](v, kept+`.via.find((v) => v.name === 'III').at[1]`); y > 8.4-0.36 || y < 7.8 {
		t.Errorf("the item was moved to y = %.2f m, the wall is at 8.40 m", y)
	}
	v.run(`(() => { const y = document.querySelector('#mapedit-y'); y.value = '8,4'; y.dispatchEvent(new Event('change', { bubbles: true })); })()`)
	v.until("the editor to say that it does not fit", saysEditor("Via point III does not fit"))
	v.run(`document.querySelector('#mapedit [data-do=save]').click()`)
	v.until("the robot's refusal", saysEditor("Node 3 (III) is at (10.9, 8.4), which is occupied"))
	v.forgiveRefusal()
	if _, err := os.Stat(dir); err == nil {
		t.Error("a part of the refused edits was saved")
	}
	if !value[bool](v, `!document.querySelector('#mapedit-changed').hidden`) {
		t.Error("the refused edits are gone")
	}
}

// The middle of a table is far from its edges, so the page took it for free floor until the
// robot refused it.
func TestAPlaceInATableIsRedAtOnceAndSelectedWhenTheRobotRefusesIt(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.work("edit")
	v.run(`document.querySelector('#mapedit [data-tool=place]').click()`)
	at := v.on(16.3, 2.65)
	v.mouse(input.DispatchMouseEventTypeMouseMoved, at, false)
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	v.until("the editor to say that it does not fit", saysEditor("does not fit: it is inside a wall or an object.")+` && document.querySelector('#mapedit-says.bad') !== null`)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
	v.until("the place to be there", kept+`?.places.length > 0`)
	v.pictures("place-in-table")

	v.run(`document.querySelector('#mapedit-name').value = 'Feast'; document.querySelector('#mapedit-name').dispatchEvent(new Event('change', { bubbles: true }))`)
	v.run(`document.querySelector('#mapedit [data-tool=move]').click()`)
	v.clickAt(v.on(10.2, 7.3))
	v.until("a via point to be selected", `document.querySelector('#mapedit-kind').innerText === 'Via point III'`)
	v.run(`document.querySelector('#mapedit [data-do=save]').click()`)
	v.until("the refusal in plain words", saysEditor(`Place "Feast" is at (16.3, 2.65), which is occupied; it must be on free floor.`))
	v.forgiveRefusal()
	v.until("the place to be selected", `document.querySelector('#mapedit-kind').innerText === 'Place Feast' && !document.querySelector('#mapedit-item').hidden`)
	v.picture("place-refused")
}

func TestWhileTheMapIsEditedNoKeyDrives(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h, v := alone(t, browser)
	v.work("edit")
	v.inFront()
	v.press(keyW)
	v.settle()
	v.letGo(keyW)
	if n := v.drives(); n != 0 {
		t.Errorf("%d samples were sent", n)
	}
	v.stopInReach("editing")
	v.stroke(keySpace)
	v.until("STOP", saysState("Stopped"))
	if !still(h.driver.Truth()) {
		t.Error("the robot moves")
	}
}

func TestOnlyWhoHasControlEditsTheMap(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	h.enter("Ana").reads()
	v := visit(t, browser, h.addr)
	v.until("the tools to be off", `[...document.querySelectorAll('[data-work=edit], [data-work=world]')].every((b) => b.disabled)`)
	answer := value[string](v, `fetch('/api/v1/map', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ lease: 1, via: [], edges: [], places: [] }) }).then(async (r) => r.status + ' ' + await r.text())`)
	if !strings.HasPrefix(answer, "409 ") || !strings.Contains(answer, "Ana") {
		t.Errorf("an observer can save the map: %s", answer)
	}
	v.forgiveRefusal()
}

// Safari reports a pinch on a trackpad by events of its own, with the scale since the fingers came down.
func TestAPinchInSafariZoomsTheMapAndNotThePage(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	v.look(desktop, light)
	v.settle()
	v.run(`document.querySelector('[data-map=move]').click()`)
	v.settle()
	pinched := value[string](v, `(() => {
		__seen.scale = document.querySelector('#map').drawn.view.scale;
		const map = document.querySelector('#map'), box = map.getBoundingClientRect();
		return ['gesturestart', 'gesturechange', 'gesturechange', 'gesturestart', 'gesturechange'].map((name, i) =>
			map.dispatchEvent(Object.assign(new Event(name, { bubbles: true, cancelable: true }), { scale: [1, 1.2, 1.5, 1, 1.1][i], clientX: box.left + 300, clientY: box.top + 200 }))).join();
	})()`)
	if pinched != "false,false,false,false,false" {
		t.Errorf("the browser may magnify the page: %s", pinched)
	}
	v.until("the map", `Math.abs(document.querySelector('#map').drawn.view.scale / __seen.scale - 1.65) < 0.01`)
}

func TestASavedPlaceOutlastsALossOfContactAndIsSavedOnce(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	network := newProxy(t, h.addr)
	v := visit(t, browser, network.addr)
	v.away = true
	v.inFront()
	v.stroke(key{"Digit2", "2", '2', ""})
	v.tabTo("#spot-open")
	v.stroke(keyEnter)
	v.until("the name", `document.activeElement.matches('#spot-name')`)
	v.typesText("Window")
	network.swallow(true)
	v.until("the loss", `document.querySelector('#app').dataset.conn === 'lost'`)
	network.swallow(false)
	v.until("the robot, and the name still there", `document.querySelector('#app').dataset.conn === 'live' && document.querySelector('#spot-name').checkVisibility() && document.querySelector('#spot-name').value === 'Window'`)
	v.run(`(() => {
		window.__posts = 0;
		const real = window.fetch;
		window.fetch = (...a) => { window.__posts++; return real(...a); };
		const form = document.querySelector('#spot-form');
		form.requestSubmit();
		form.requestSubmit();
	})()`)
	v.until("the place", `[...document.querySelectorAll('#places .place')].some((b) => b.innerText.trim() === 'Window')`)
	if n := value[int](v, `window.__posts`); n != 1 {
		t.Errorf("two presses saved the place %d times", n)
	}
}
