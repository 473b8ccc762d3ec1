package e2e_test

import (
	"fmt"
	"testing"

	"mybot/drivers/sim"
)

// planIs returns a script that tests the page's floor plan p.
func planIs(script string) string {
	return fmt.Sprintf(`((p) => %s)(JSON.parse(document.querySelector('#floorplan').textContent)) && document.querySelector('#app').dataset.conn === 'live'`, script)
}

// presses moves the focus to a button of the map's card by Tab and presses Enter.
func (v *visitor) presses(button string) {
	v.t.Helper()
	v.until("the button "+button, fmt.Sprintf("document.querySelector(%q)?.disabled === false", mapButton(button)))
	v.tabTo(mapButton(button))
	v.stroke(keyEnter)
}

// drivesOn makes a visitor drive straight ahead by W for some metres, and waits until the robot
// stands.
func (h *testServer) drivesOn(v *visitor, by driveControl, metres float64) {
	v.t.Helper()
	begin := h.driver.Truth().Pose.Point()
	h.driveUntil(v, by, fmt.Sprintf("the robot to drive %g m", metres), func(s sim.Truth) bool { return s.Pose.Point().Sub(begin).Norm() > metres })
	by.release(v)
	h.awaitStill()
}

// With only a keyboard, a person maps a part of a building, on another day the rest, undoes a
// mistake, and looks at the previous version.
func TestAMapIsExtendedByKeysAloneAndTheVersionBeforeComesBackWithOnePress(t *testing.T) {
	t.Parallel()
	h := openClinic(t)
	v := visit(t, chromium(t), h.addr)
	v.inFront()
	v.until("no map", mapTitle("There is no map yet"))
	v.presses("start")
	v.until("mapping", mapTitle("Making a map"))
	h.drivesOn(v, byW, 1.5)
	v.presses("finish")
	v.until("the review", mapTitle("The map is ready"))
	v.tabTo("#mapping-name")
	v.typesText("Clinic")
	v.presses("save")
	v.until("the map", mapTitle("Map: Clinic")+" && "+planIs("p.name === 'Clinic'"))
	v.stroke(key{"Digit2", "2", '2', ""})
	v.tabTo("#spot-open")
	v.stroke(keyEnter)
	v.until("the name", `document.activeElement.matches('#spot-name')`)
	v.typesText("Window")
	v.stroke(keyEnter)
	v.until("the place", `[...document.querySelectorAll('#places .place')].some((b) => b.innerText.trim() === 'Window') && document.querySelector('#spot-form').hidden`)
	v.stroke(key{"Digit1", "1", '1', ""})
	const first = "p.places.length === 1 && p.places[0].name === 'Window' && "
	place := value[[3]float64](v, `(async () => (await (await fetch('/api/v1/places/Window')).json()).pose)()`)

	v.presses("extend")
	v.until("the extension", mapTitle("Extending Clinic")+" && "+mappedMetres+" >= 0")
	was := value[float64](v, mappedMetres)
	h.drivesOn(v, byW, 1)
	v.until("a longer way", fmt.Sprintf("%s > %g", mappedMetres, was+0.5))
	v.presses("pause")
	v.until("the pause", `!document.querySelector('#mapping-chip').hidden`)
	paused := value[float64](v, mappedMetres)
	h.drivesOn(v, byW, 0.5)
	if way := value[float64](v, mappedMetres); way > paused {
		t.Errorf("while paused, the path grows from %g m to %g m", paused, way)
	}
	v.presses("undo")
	v.until("the way of the map before, and no less", fmt.Sprintf("Math.abs(%s - %g) < 0.15", mappedMetres, was))
	v.presses("resume")
	v.until("mapping", `document.querySelector('#mapping-chip').hidden`)
	h.drivesOn(v, byW, 0.8)
	v.until("a longer way", fmt.Sprintf("%s > %g", mappedMetres, was+0.3))
	v.presses("finish")
	v.until("the review of a map that keeps its name", mapTitle("The map is ready")+` && document.querySelector('#mapping-name').closest('label').hidden`)
	v.presses("save")
	same := fmt.Sprintf("Math.hypot(p.places[0].pose[0] - %g, p.places[0].pose[1] - %g) < 0.01", place[0], place[1])
	v.until("the extended map with its place", saysToast("The map Clinic is saved and in use.")+" && "+planIs(first+same)+` && document.querySelector('`+mapButton("revert")+`')?.disabled === false`)
	second := value[string](v, `document.documentElement.dataset.floor`)

	v.presses("revert")
	v.until("the version before", saysToast("The version before is in use.")+" && "+planIs(first+same)+fmt.Sprintf(" && document.documentElement.dataset.floor !== %q && !document.querySelector('%s')", second, mapButton("revert")))
	v.presses("advance")
	v.until("the version after it", saysToast("The version after is in use.")+" && "+planIs(first+same)+` && !document.querySelector('`+mapButton("advance")+`')`)
}
