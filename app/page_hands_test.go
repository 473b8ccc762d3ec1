package app_test

import (
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/link"
)

// Letters drive wherever the focus is, but in a field: a click on the camera's
// picture or on the map does not take them away.
func TestTheLettersDriveAfterAClickOnTheCamera(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, sighted)
	v := visit(t, browser, h.addr)
	v.inFront()
	v.sees()
	v.run(`document.querySelector('#eye-glass').focus()`)
	v.press(keyA)
	h.await("the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
	v.letGo(keyA)
	h.awaitStill()
	v.run(`document.querySelector('#map').focus()`)
	v.press(keyA)
	h.await("the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
	v.letGo(keyA)
	h.awaitStill()
	before := v.drives()
	v.stroke(keyUp)
	v.run(`new Promise((done) => setTimeout(done, 300))`)
	if n := v.drives() - before; n > 0 {
		t.Errorf("an arrow on the map sent %d samples; there it moves the map", n)
	}
}

// What was said of a stop does not outlive it, and beside STOPPED nothing reads
// as if it released the stop.
func TestAfterTheReleaseNothingIsSaidOfTheStop(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, func(c *app.Config) { c.Link = link.Profile{RoundTrip: 300 * time.Millisecond} })
	v := visit(t, browser, h.addr)
	jin := h.enter("Jin")
	v.inFront()
	v.press(keyA)
	h.await("the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
	jin.ask(map[string]any{"type": "stop"})
	v.until("the stop", saysBanner("Stopped by Jin"))
	v.letGo(keyA)
	if value[bool](v, `document.querySelector('#auth button').getClientRects().length > 0`) {
		t.Error("the button that gives control up stands beside STOPPED")
	}
	v.press(keyR)
	v.until("the release", `document.querySelector('#app').dataset.stopped === undefined`)
	v.letGo(keyR)
	v.run(`new Promise((done) => setTimeout(done, 500))`)
	if said := value[string](v, `document.querySelector('#drive-how').innerText`); said != "Hold W A S D, the stick, or a gamepad bumper to drive." {
		t.Errorf("after the release the page says: %s", said)
	}
}
