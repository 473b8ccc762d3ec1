package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
)

// openClinic starts a server for a robot with a lidar in the clinic, without a map and without
// people.
func openClinic(t *testing.T, change ...func(*app.Config)) *testServer {
	t.Helper()
	folder, _ := maps.Find(maps.ClinicName)
	plan, err := floorplan.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	scene, err := sim.ReadScene(folder, "scene.json")
	if err != nil {
		t.Fatal(err)
	}
	scene.People, scene.Obstacles = nil, nil
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	return openBuilding(t, desc, plan, scene, "127.0.0.1:0", append([]func(*app.Config){withoutMap}, change...)...)
}

// tabTo presses Tab until an element has the focus.
func (v *visitor) tabTo(selector string) {
	v.t.Helper()
	for range 120 {
		if value[bool](v, fmt.Sprintf("document.activeElement?.matches(`%s`) ?? false", selector)) {
			return
		}
		v.stroke(keyTab)
	}
	v.picture("failed")
	v.t.Fatalf("Tab does not reach %s", selector)
}

// typesText types into the focused element.
func (v *visitor) typesText(text string) {
	v.t.Helper()
	call(v, input.InsertText, input.InsertTextParams{Text: text})
}

func mapTitle(text string) string {
	return fmt.Sprintf(`!document.querySelector('#mapping').hidden && document.querySelector('#mapping-title').textContent === %q`, text)
}

func mapButton(name string) string { return "#mapping [data-do=" + name + "]" }

// nothingCanBePressed tests whether the card has buttons and all of them are disabled.
const nothingCanBePressed = `(() => { const b = [...document.querySelectorAll('#mapping .acts button')]; return b.length > 0 && b.every((b) => b.disabled); })()`

const mappedMetres = `Number.parseFloat(document.querySelector('[data-figure=way] dd')?.textContent)`

// tilesShown counts the tile pictures that the page has loaded.
const tilesShown = `performance.getEntriesByType('resource').filter((e) => e.name.includes('/mapping/tiles/')).length`

// One person with only a keyboard brings a robot into a building without a map. Another person
// observes.
func TestAMapIsMadeByKeysAloneAndTheRobotArrivesAtAPlaceInIt(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openClinic(t)
	begin := h.driver.Truth().Pose
	v := visit(t, browser, h.addr)
	v.inFront()
	v.until("no map", mapTitle("There is no map yet"))
	w := visit(t, browser, h.addr)
	w.until("the same for who watches", mapTitle("There is no map yet")+" && "+nothingCanBePressed)

	v.tabTo(mapButton("start"))
	v.stroke(keyEnter)
	v.until("mapping", mapTitle("Making a map"))
	h.driveUntil(v, byW, "the robot to drive 3 m", func(s sim.Truth) bool { return s.Pose.X > begin.X+3 })
	v.letGo(keyW)
	h.awaitStill()
	w.until("the map to grow for who watches", mapTitle("Making a map")+" && "+mappedMetres+" > 2 && "+tilesShown+" > 0")
	w.until("no button for who watches", nothingCanBePressed)

	v.tabTo(mapButton("pause"))
	v.stroke(keyEnter)
	v.until("the pause, with the focus on what ends it", `!document.querySelector('#mapping-chip').hidden && document.activeElement.matches('#mapping [data-do=resume]')`)
	v.stroke(keyEnter)
	v.until("mapping to continue", `document.activeElement.matches('#mapping [data-do=pause]')`)
	v.tabTo(mapButton("discard"))
	v.stroke(keyEnter)
	v.until("a question", `document.activeElement.matches('#mapping [data-do=keep]')`)
	v.stroke(keyEsc)
	v.until("no question", `document.activeElement.matches('#mapping [data-do=discard]')`)

	v.tabTo(mapButton("finish"))
	v.stroke(keyEnter)
	v.until("the review, with the focus on no button", mapTitle("The map is ready")+" && "+focused("#body"))
	v.tabTo("#mapping-name")
	v.typesText("Clinic")
	v.tabTo(mapButton("save"))
	v.stroke(keyEnter)
	v.until("the page with the new map", `JSON.parse(document.querySelector('#floorplan').textContent).walls.length > 4 && document.querySelector('#app').dataset.conn === 'live' && document.querySelector('#toasts').innerText.includes('The map Clinic is saved and in use.')`)
	w.until("the new map for who watches", mapTitle("Map: Clinic")+` && JSON.parse(document.querySelector('#floorplan').textContent).walls.length > 4`)

	v.stroke(key{"Digit2", "2", '2', ""})
	v.tabTo("#spot-open")
	v.stroke(keyEnter)
	v.until("the name", `document.activeElement.matches('#spot-name')`)
	v.typesText("Window")
	v.stroke(keyEnter)
	v.until("the place", `[...document.querySelectorAll('#places .place')].some((b) => b.innerText.trim() === 'Window') && document.querySelector('#spot-form').hidden`)
	place := h.driver.Truth().Pose
	v.stroke(key{"Digit1", "1", '1', ""})
	h.driveUntil(v, byW, "the robot to drive on", func(s sim.Truth) bool { return s.Pose.X > place.X+1.2 })
	v.letGo(keyW)
	h.awaitStill()
	v.openGoto()
	v.chooseGoal("Window")
	v.sendOff(func() { v.push("#draft button[type=submit]") })
	h.awaitMotion()
	v.until("the arrival", saysState("Ready")+` && document.querySelector('#log').innerText.includes('Window')`)
	if off := h.awaitStill().Pose.Point().Sub(place.Point()).Norm(); off > 0.15 {
		t.Errorf("the robot is %.2f m from the place", off)
	}
}

// A finished map is corrected by hand before it is saved; the observer sees that.
func TestAFinishedMapIsCorrectedByHandAndSavedWithItsPlaces(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openClinic(t)
	begin := h.driver.Truth().Pose
	v := visit(t, browser, h.addr)
	v.inFront()
	v.until("no map", mapTitle("There is no map yet"))
	v.push(mapButton("start"))
	v.until("mapping", mapTitle("Making a map"))
	h.driveUntil(v, byW, "the robot to drive 2 m", func(s sim.Truth) bool { return s.Pose.X > begin.X+2 })
	v.letGo(keyW)
	h.awaitStill()
	v.push(mapButton("finish"))
	v.until("the tools", `!document.querySelector('#mapping-draft').hidden`)
	w := visit(t, browser, h.addr)
	w.until("tools that who watches cannot use", `[...document.querySelectorAll('#mapping-tools button')].length === 10 && [...document.querySelectorAll('#mapping-tools button')].every((b) => b.disabled)`)

	is := func(what, want string) {
		t.Helper()
		got := value[string](v, fmt.Sprintf(`(async () => {
			for (let n = 0; ; n++) {
				const d = await (await fetch('/api/v1/mapping/draft')).json();
				const got = d.places.map((p) => p.name).join() + ' ' + d.keepouts.length;
				if (got === %q || n > 200) return got;
				await new Promise((again) => setTimeout(again, 50));
			}
		})()`, want))
		if got != want {
			t.Fatalf("waiting for %s: the draft has %q, want %q", what, got, want)
		}
	}
	tool := func(name string) {
		t.Helper()
		v.push("#mapping-tools [data-tool=" + name + "]")
		v.settle()
	}
	tool("place")
	at := v.on(1, 0)
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	v.mouse(input.DispatchMouseEventTypeMouseMoved, spot{at.X, at.Y - 40}, true)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, spot{at.X, at.Y - 40}, false)
	is("a place", "Place 1 0")
	v.until("its name, ready to be typed", `document.activeElement.matches('#mapping-item-name')`)
	v.typesText("Window")
	v.stroke(keyTab)
	is("its name", "Window 0")
	tool("keepout")
	from, to := v.on(-1.5, 0.3), v.on(-0.8, 0.9)
	v.mouse(input.DispatchMouseEventTypeMousePressed, from, true)
	v.mouse(input.DispatchMouseEventTypeMouseMoved, to, true)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, to, false)
	is("an area to keep out of", "Window 1")
	v.control(keyZ)
	is("nothing of it", "Window 0")
	v.until("the page to offer it again", `!document.querySelector('#mapping-draft [data-do=redo]').disabled`)
	v.control(keyY)
	is("it again", "Window 1")
	v.run(`document.querySelector('#mapping-name').focus()`)
	v.typesText("Clinic")
	v.stroke(keyEnter)
	v.until("the page with the new map", `JSON.parse(document.querySelector('#floorplan').textContent).places.some((p) => p.name === 'Window' && Math.abs(p.pose[0] - 1) < 0.1 && Math.abs(p.pose[2] - Math.PI / 2) < 0.1)`)
}

var mappingStates = []state{
	{"no-map", func(t *testing.T, browser context.Context) *visitor {
		h := openClinic(t)
		v := visit(t, browser, h.addr)
		v.until("no map", mapTitle("There is no map yet"))
		return v
	}},
	{"mapping", func(t *testing.T, browser context.Context) *visitor {
		h := openClinic(t)
		v := visit(t, browser, h.addr)
		v.until("no map", mapTitle("There is no map yet"))
		v.push(mapButton("start"))
		v.until("mapping", mapTitle("Making a map"))
		v.inFront()
		h.driveUntil(v, byW, "the robot to drive", func(s sim.Truth) bool { return s.Twist.Linear > 0.2 })
		v.letGo(keyW)
		v.until("a piece of the map", tilesShown+" > 0")
		v.push(mapButton("discard"))
		v.until("a question", `document.querySelector('#mapping [data-do=keep]') !== null`)
		return v
	}},
	{"map-review", func(t *testing.T, browser context.Context) *visitor {
		h := openClinic(t)
		v := visit(t, browser, h.addr)
		v.until("no map", mapTitle("There is no map yet"))
		v.push(mapButton("start"))
		v.until("mapping", mapTitle("Making a map"))
		v.until("a piece of the map", tilesShown+" > 0")
		v.push(mapButton("finish"))
		v.until("the review", mapTitle("The map is ready")+` && !document.querySelector('#mapping-draft').hidden`)
		v.push("#mapping-tools [data-tool=keepout]")
		return v
	}},
}

// A person with a map may start another one. Discarding it needs a confirmation, and restores
// the previous map.
func TestWhoDiscardsAMapIsAskedFirstAndHasTheOneBefore(t *testing.T) {
	t.Parallel()
	h := openLidar(t)
	v := visit(t, chromium(t), h.addr)
	v.until("the office", mapTitle("Map: 3rd floor, KAIST EE"))
	v.push(mapButton("start"))
	v.until("mapping, without the office", mapTitle("Making a map")+` && document.querySelector('#map').drawn.view.scale > 0`)
	v.push(mapButton("discard"))
	v.until("a question", `document.querySelector('#mapping-says').textContent.includes('cannot be brought back')`)
	v.push(mapButton("keep"))
	v.until("the answer", mapTitle("Making a map")+` && !document.querySelector('#mapping-says').textContent.includes('cannot be brought back')`)
	v.push(mapButton("discard"))
	v.push(mapButton("discard"))
	v.until("the office again", mapTitle("Map: 3rd floor, KAIST EE")+` && document.querySelector('#toasts').innerText.includes('is discarded')`)
}
