package e2e_test

import (
	"testing"

	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
)

// The person in control moves the lift of a robot with an arm by its slider, and STOP holds
// it where it is; who watches is told why the slider is grey.
func TestASliderMovesAJointUntilSTOPHoldsIt(t *testing.T) {
	t.Parallel()
	data, _ := models.Find(models.ArmName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	h := openRobot(t, desc, "127.0.0.1:0", func(s *sim.Scene) { s.People, s.Obstacles = nil, nil })
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
		t.Errorf("the page shows that the lift moves, and it is at %v m", at)
	}
	v.run(`[...document.querySelectorAll('button.stop')].find(b => b.checkVisibility()).click()`)
	v.until("the stopped slider", lift+`.querySelector('input').disabled && `+lift+`.querySelector('small').textContent === 'The robot is stopped.'`)
	stopped := h.driver.Truth().Joints[0]
	v.until("the reason", `document.querySelector('.joint-note').textContent.startsWith('The robot is stopped by')`)
	if at := h.driver.Truth().Joints[0]; at > stopped+0.005 || stopped > 0.29 {
		t.Errorf("after STOP the lift goes from %v to %v m", stopped, at)
	}
	v.check()
}
