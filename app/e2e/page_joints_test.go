package e2e_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

// The person in control moves the lift of a robot with an arm by its slider, and STOP stops it;
// an observer sees why the slider is disabled.
func TestASliderMovesAJointUntilSTOPHoldsIt(t *testing.T) {
	t.Parallel()
	h := openWithArm(t)
	browser := chromium(t)
	v := arrive(t, browser, h.addr)
	v.until("control", `document.querySelector('#app').dataset.watching === undefined`)
	v.run(`document.querySelector('#parts').open = true`)
	const lift = `document.querySelector('[data-joint=lift]')`
	v.until("the slider", lift+` && !`+lift+`.querySelector('input').disabled && Number(`+lift+`.dataset.at) === 0`)
	const drawn = `[...document.querySelectorAll('.joint-views canvas')].every(c => c.toDataURL().length > 3000)`
	v.until("the drawings", drawn)
	v.run(`{ const i = ` + lift + `.querySelector('input'); i.value = '0.3'; i.dispatchEvent(new Event('input')); }`)
	v.until("the lift on its way", `Number(`+lift+`.dataset.at) > 0.05 && `+lift+`.querySelector('output').textContent.includes('→ 0.300 m')`)
	if at := h.driver.Truth().Joints[0]; at < 0.03 {
		t.Errorf("the page shows that the lift moves, but it is at %v m", at)
	}
	v.run(`[...document.querySelectorAll('button.stop')].find(b => b.checkVisibility()).click()`)
	v.until("the stopped slider", lift+`.querySelector('input').disabled && `+lift+`.querySelector('small').textContent === 'The robot is stopped.'`)
	stopped := h.driver.Truth().Joints[0]
	v.until("the reason", `document.querySelector('.joint-note').textContent.startsWith('The robot is stopped by')`)
	if at := h.driver.Truth().Joints[0]; at > stopped+0.005 || stopped > 0.29 {
		t.Errorf("after STOP the lift moved from %v to %v m", stopped, at)
	}
	v.check()
}

// openWithArm starts a server whose robot has an arm, a lidar on its mast and sonars.
func openWithArm(t *testing.T) *testServer {
	t.Helper()
	data, _ := models.Find(models.ArmName)
	const lidar = `"lidars": [{"link": "mast", "x_m": -0.05, "z_m": 0.2, "from_deg": -180, "step_deg": 1, "beams": 360, "min_m": 0.1, "max_m": 12, "rate_hz": 10}], "links": [`
	desc, err := robot.ParseDescription([]byte(strings.Replace(string(data), `"links": [`, lidar, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return openRobot(t, desc, "127.0.0.1:0", func(s *sim.Scene) { s.People, s.Obstacles = nil, nil })
}

const jointsDrawn = `document.querySelectorAll('.joint input:not(:disabled)').length === 5 && [...document.querySelectorAll('.joint-views canvas')].every(c => c.toDataURL().length > 3000)`

var jointStates = []state{
	{"joints", func(t *testing.T, browser context.Context) *visitor {
		v := visit(t, browser, openWithArm(t).addr)
		v.run(`document.querySelector('#parts summary').click()`)
		v.until("the joints", jointsDrawn)
		v.run(`document.querySelector('#body').scrollTop = 700`)
		return v
	}},
	{"joints-in-the-sheet-of-a-phone", func(t *testing.T, browser context.Context) *visitor {
		v := visit(t, browser, openWithArm(t).addr)
		v.openJointsOnAPhone()
		return v
	}},
}

// openJointsOnAPhone opens the sheet of a phone and, in it, the parts of the robot.
func (v *visitor) openJointsOnAPhone() {
	v.t.Helper()
	v.look(phone, dark)
	v.settle()
	v.tap("#more-open")
	v.until("the sheet", onTop("#more .close"))
	v.run(`document.querySelector('#parts').scrollIntoView()`)
	v.tap("#parts summary")
	v.until("the joints", jointsDrawn)
	v.run(`document.querySelector('#more .scroll').scrollTop = 250`)
}

// On a phone, a finger moves the lift in the sheet for what does not fit beside the map. When
// the sheet is closed, the parts of the robot are where a desktop has them.
func TestOnAPhoneAFingerMovesAJoint(t *testing.T) {
	t.Parallel()
	h := openWithArm(t)
	v := visit(t, chromium(t), h.addr)
	v.openJointsOnAPhone()
	const lift = `[data-joint=lift] input`
	v.run(`{ const s = document.querySelector('#more .scroll'), box = s.getBoundingClientRect(); s.scrollTop += document.querySelector('` + lift + `').getBoundingClientRect().y - box.y - 0.75 * box.height; }`)
	v.until("the slider under nothing", onTop(lift))
	v.stopInReach("joints")
	const moves = `Number(document.querySelector('[data-joint=lift]').dataset.at) > 0.05`
	const held = `!document.querySelector('.joint-note').hidden && Math.abs(document.querySelector('` + lift + `').value - document.querySelector('[data-joint=lift]').dataset.at) < 0.01`
	at := v.middle(lift)
	for again := true; again; again = !value[bool](v, moves) { // on a busy computer readings are late, which stops joints
		v.touch(input.DispatchTouchEventTypeTouchStart, at)
		v.touch(input.DispatchTouchEventTypeTouchEnd)
		v.until("the lift on its way, or held", moves+` || `+held)
	}
	if at := h.driver.Truth().Joints[0]; at < 0.03 {
		t.Errorf("the page shows that the lift moves, but it is at %v m", at)
	}
	v.click("#more .close")
	v.until("the parts back in the panel", `document.querySelector('#body > #parts:last-child') !== null`)
	v.check()
}
