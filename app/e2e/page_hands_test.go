package e2e_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/link"
)

// Letter keys drive wherever the focus is, except in a field: a click on the camera's picture
// or on the map does not stop that.
func TestTheLettersDriveAfterAClickOnTheCamera(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, sighted)
	v := visit(t, browser, h.addr)
	v.inFront()
	v.sees()
	v.run(`document.querySelector('#eye-glass').focus()`)
	h.driveUntil(v, byA, "the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
	v.letGo(keyA)
	h.awaitStill()
	v.run(`document.querySelector('#map').focus()`)
	h.driveUntil(v, byA, "the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
	v.letGo(keyA)
	h.awaitStill()
	v.endsInZero("") // a busy page sends its last samples after the robot has stopped
	before := v.drives()
	v.stroke(keyUp)
	v.run(`new Promise((done) => setTimeout(done, 300))`)
	if n := v.drives() - before; n > 0 {
		t.Errorf("an arrow key on the map, where it moves the map, sent %d samples", n)
	}
}

// A second gamepad neither takes over from the one that drives nor drives on when that one is
// unplugged.
func TestAnotherGamepadDoesNotTakeOverByABumperThatIsHeld(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.inFront()
	pads := func(list string) {
		v.run(`(() => {
			const pad = (forward, held) => ({ connected: true, axes: [0, -forward], buttons: Array.from({ length: 17 }, (_, i) => ({ pressed: held && i === 5 })) });
			__seen.pads = ` + list + `;
			for (const name of ['gamepadconnected', 'gamepaddisconnected']) window.dispatchEvent(new Event(name));
		})()`)
	}
	second := driveControl{
		"the second gamepad",
		func(*visitor) { pads(`[pad(-1, false), pad(1, true)]`) },
		func(*visitor) { pads(`[pad(-1, false), pad(1, false)]`) },
		"",
	}
	h.drivenBy(v, second)
	v.run(`__seen.sent.length = 0`)
	pads(`[pad(-1, true), pad(1, true)]`)
	v.wait(0.5)
	if slowest := value[float64](v, `Math.min(...__seen.sent.filter((m) => m.type === 'drive').map((m) => m.v))`); slowest <= 0 {
		t.Errorf("when the bumper of another gamepad is pressed the page asks for %v m/s", slowest)
	}
	pads(`[pad(-1, true), null]`)
	v.endsInZero("gamepaddisconnected")
	h.awaitStill()
	v.wait(0.3)
	if truth := h.driver.Truth(); !still(truth) {
		t.Errorf("after the gamepad that drove is unplugged the robot moves %+v", truth.Twist)
	}
	second.release(v)
	h.drivenBy(v, second)
	second.release(v)
	h.awaitStill()
}

// Messages about a stop disappear with it, and no text beside STOPPED seems to offer its
// release.
// A key that is held when moves by step begin, and is still down when they end, has to be pressed again.
func TestAKeyThatWasHeldBeforeMovesByStepDrivesNoMore(t *testing.T) {
	h := open(t)
	v := visit(t, chromium(t), h.addr)
	h.drivenBy(v, byW)
	v.click("#step-moves")
	v.until("the step buttons", `!document.querySelector('.stepper').hidden`)
	h.awaitStill()
	v.click("#step-moves")
	v.until("the stick", `document.querySelector('.stepper').hidden`)
	v.press(keyA)
	h.await("the robot to turn", func(truth sim.Truth) bool { return truth.Twist.Angular > 0.2 })
	if truth := h.driver.Truth(); math.Abs(truth.Twist.Linear) > 0.05 {
		t.Errorf("the robot also drives: %+v", truth.Twist)
	}
	v.letGo(keyA)
	h.awaitStill()
	v.letGo(keyW)
}

func TestAfterTheReleaseNothingIsSaidOfTheStop(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, func(c *app.Config) { c.Link = link.Profile{RoundTrip: 300 * time.Millisecond} })
	v := visit(t, browser, h.addr)
	v.inFront()
	h.driveUntil(v, byA, "the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
	jin := h.enter("Jin")
	jin.ask(map[string]any{"type": "stop"})
	v.until("the stop", saysBanner("Stopped by Jin"))
	v.letGo(keyA)
	if value[bool](v, `document.querySelector('#auth button').getClientRects().length > 0`) {
		t.Error("the button that releases control is beside STOPPED")
	}
	v.releaseStop()
	v.until("the end of the stop", `document.querySelector('#app').dataset.stopped === undefined`)
	v.run(`new Promise((done) => setTimeout(done, 500))`)
	if said := value[string](v, `document.querySelector('#drive-how').innerText`); said != "Hold W A S D, the stick, or a gamepad bumper to drive." {
		t.Errorf("after the release the page says: %s", said)
	}
}

// While the robot is held at a wall the page says why, under the stick, with the telemetry's
// number.
func TestHeldAtAWallThePageSaysWhyWhileItIsSo(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Start.Theta = nil, -math.Pi/2 })
	v := visit(t, browser, h.addr)
	v.inFront()
	const says = `/^Held: obstacle [\d.]+ m ahead\. Turn or back up\.$/.test(document.querySelector('#drive-how').innerText)`
	v.holdUntil(byW, "the page to say what holds it at the corridor's wall", says)
	h.awaitStill()
	v.until("the same number as the telemetry's", says+` && document.querySelector('#drive-how').innerText.includes(' ' + document.querySelector('[data-hud=nearest]').textContent + ' m ')`)
	v.until("the pill", saysState("Held by an obstacle"))
	if said := value[string](v, `document.querySelector('#toasts').innerText`); strings.Contains(said, "0.30 m/s") {
		t.Errorf("the normal speed limit is shown as reduced: %s", said)
	}
	v.run(`new Promise((done) => setTimeout(done, 2500))`)
	if !value[bool](v, says) {
		t.Errorf("with W still down the page says: %s", v.words())
	}
	for _, in := range []struct {
		window
		theme string
	}{{desktop, dark}, {phone, light}} {
		v.look(in.window, in.theme)
		v.settle()
		if wide := value[int](v, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("%s: the page is %d px too wide", in.name, wide)
		}
		v.picture("held-" + in.name + "-" + in.theme)
	}
	v.letGo(keyW)
	v.until("the pill to go on", saysState("Ready"))
}
