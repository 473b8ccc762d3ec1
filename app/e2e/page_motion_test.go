package e2e_test

import (
	"fmt"
	"math"
	"testing"

	"mybot/drivers/sim"
	"mybot/robot"
)

// chooseMotion opens the motions and chooses the newest.
func (v *visitor) chooseMotion() {
	v.t.Helper()
	v.until("the drive to be kept", `document.querySelectorAll('#motions-list li').length > 0`)
	v.run(`document.querySelector('#motions-list li button').click()`)
	v.until("its path", `!document.querySelector('#motion').hidden && !document.querySelector('#motion [data-do=ghost]').disabled`)
}

// apart returns the difference of two poses, in m and degrees.
func apart(a, b robot.Pose) (metres, degrees float64) {
	off := a.Inverse().Compose(b)
	return off.Point().Norm(), math.Abs(robot.Degrees(off.Theta))
}

// driveAMetre makes a visitor drive a metre along the corridor, which the server keeps as a
// motion. It returns where the robot began.
func (h *testServer) driveAMetre(v *visitor) (start robot.Pose) {
	v.t.Helper()
	start = h.driver.Truth().Pose
	h.driveUntil(v, byW, "the robot to go a metre", func(t sim.Truth) bool { return t.Pose.X > start.X+1.05 })
	v.letGo(keyW)
	h.awaitStill()
	return start
}

func TestADriveOfAMetreAndATurnIsPlayedAgain(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	v := visit(t, browser, h.addr)
	start := h.driveAMetre(v)
	h.driveUntil(v, byA, "the robot to turn", func(t sim.Truth) bool { return math.Abs(robot.WrapAngle(t.Pose.Theta-start.Theta)) > 0.8 })
	v.letGo(keyA)
	first := h.awaitStill().Pose

	v.work("motions")
	v.chooseMotion()
	if refused := value[string](v, `document.querySelector('#motions-says').innerText`); len(refused) < 20 || refused[:13] != "The robot is " {
		t.Errorf("away from the start the card says %q", refused)
	}
	v.click("#motion [data-do=start]")
	v.until("the robot to set out", saysState("Driving to goal"))
	h.await("the robot to be on its way", func(t sim.Truth) bool { return t.Pose.X < start.X+0.5 })
	v.until("the robot to be at the start", `document.querySelector('#pill .t').textContent === 'Ready' && !document.querySelector('#motion [data-do=play]').hidden`)
	if metres, _ := apart(start, h.driver.Truth().Pose); metres > 0.35 {
		t.Fatalf("the robot is %.2f m from the start", metres)
	}
	v.run(`document.querySelector('#motion [data-do=ghost]').click()`)
	v.until("the virtual robot to drive it", `document.querySelector('#motion [data-do=ghost]').innerText === 'End preview'`)
	v.picture("motions")
	if !still(h.driver.Truth()) {
		t.Error("the robot moves in a preview")
	}
	v.click("#motion [data-do=play]")
	v.until("the robot to play it", `!document.querySelector('#motions-now').hidden`)
	v.until("the page to say so", saysState("Replaying a drive"))
	h.await("the robot to be on its way again", func(t sim.Truth) bool { return t.Pose.X > start.X+0.7 })
	v.until("the end", `document.querySelector('#motions-now').hidden && [...document.querySelectorAll('#log li')].some((l) => l.innerText.includes('It was replayed to its end.'))`)
	again := h.awaitStill().Pose
	metres, degrees := apart(first, again)
	t.Logf("the second drive ends %.3f m and %.1f deg from the first", metres, degrees)
	if metres > 0.10 || degrees > 8 {
		t.Errorf("the second drive ends %.3f m and %.1f deg from the first", metres, degrees)
	}
}

// Every touch of a key used to be saved, under the driver's name.
func TestDrivesOfAMetreAndMoreAreKeptByTheirRoomsAndDays(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	v := visit(t, browser, h.addr)
	v.work("motions")
	v.until("no drive", `document.querySelector('#motions-says').innerText.includes('None yet')`)
	start := h.driver.Truth().Pose
	h.driveUntil(v, byW, "the robot to move a little", func(t sim.Truth) bool { return t.Pose.X > start.X+0.3 })
	v.letGo(keyW)
	h.awaitStill()
	v.wait(4) // longer than between presses that belong together
	if n := value[int](v, `document.querySelectorAll('#motions-list li').length`); n != 0 {
		t.Errorf("%d drives are saved after 0.4 m", n)
	}
	h.driveAMetre(v)
	v.until("the drive to be kept", `document.querySelectorAll('#motions-list li').length === 1`)
	old := `(async () => {
		const w = { linear: 0, angular: 0 }, points = [0, 1.5].map((x) => ({ t: x, pose: { x, y: 0, theta: 0 }, twist: w, want: w }));
		for (const made of ['2025-11-20T14:30:00Z', '2025-11-20T15:30:00Z']) await fetch('/api/v1/motions', { method: 'POST', body: JSON.stringify({ name: 'Old', made, points }) });
	})()`
	v.run(old)
	v.until("the old ones", `document.querySelectorAll('#motions-list li').length === 3`)
	got := value[string](v, `[...document.querySelectorAll('#motions-list h3, #motions-list li button')].map((e) => e.textContent).join('; ')`)
	if want := "Today; In Corridor; Thursday 20 November 2025; Old; Old"; got != want {
		t.Errorf("the list is %q, want %q", got, want)
	}
	v.pictures("motions-days")
}

func TestAMotionThatIsPlayedEndsWithADriverAndWithStop(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	v := visit(t, browser, h.addr)
	p := h.driver.Truth().Pose
	sin, cos := math.Sincos(p.Theta)
	post := fmt.Sprintf(`(async () => {
		const points = [], want = (v) => ({ linear: v, angular: 0 });
		for (let i = 0; i <= 100; i++) {
			const t = i * 0.1, v = i === 0 ? 0 : Math.min(0.25, t * 0.25), s = i === 0 ? 0 : t < 1 ? 0.125 * t * t : 0.125 + 0.25 * (t - 1);
			points.push({ t, pose: { x: %g + %g * s, y: %g + %g * s, theta: %g }, twist: want(v), want: want(0.25) });
		}
		const answer = await fetch('/api/v1/motions', { method: 'POST', body: JSON.stringify({ name: 'Ahead', made: '2026-11-20T14:30:00Z', points }) });
		return answer.text();
	})()`, p.X, cos, p.Y, sin, p.Theta)
	if got := value[string](v, post); got != "{\"n\":1}\n" {
		t.Fatal(got)
	}
	v.work("motions")
	v.chooseMotion()
	v.click("#motion [data-do=play]")
	h.awaitMotion()
	v.press(keyW)
	v.letGo(keyW)
	h.awaitStill()
	v.until("the page to say who took over", `[...document.querySelectorAll('#log li')].some((l) => l.innerText.includes('Ahead is over.'))`)

	v.until("the start to be near", `!document.querySelector('#motion [data-do=play]').disabled || !document.querySelector('#motion [data-do=start]').hidden`)
	if value[bool](v, `!document.querySelector('#motion [data-do=start]').hidden`) {
		v.click("#motion [data-do=start]")
		h.await("the robot to be back", func(t sim.Truth) bool { return t.Pose.Point().Sub(p.Point()).Norm() < 0.3 })
		v.until("the robot to be at the start again", `document.querySelector('#pill .t').textContent === 'Ready' && !document.querySelector('#motion [data-do=play]').hidden`)
	}
	v.wait(0.5) // to measure it at rest
	v.click("#motion [data-do=play]")
	h.awaitMotion()
	v.press(keySpace)
	v.letGo(keySpace)
	h.awaitStill()
	v.until("the page to say that it is stopped", `document.querySelector('#motion [data-do=play]').disabled && document.querySelector('#motions-now').hidden`)

	v.run(`document.querySelector('#motion-name').value = 'Along the corridor'`)
	v.run(`document.querySelector('#motion').requestSubmit()`)
	v.until("the new name", `document.querySelector('#motions-list button').innerText === 'Along the corridor'`)
	v.click("#motion [data-do=delete]")
	v.until("the drive to be gone", `document.querySelectorAll('#motions-list li').length === 0 && document.querySelector('#motion').hidden`)
}

// A field that was not edited shows the new name. A person who has edited it has to press twice.
func TestARenamedDriveIsNotRenamedAgainByAPersonWhoHasNotSeenItsName(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	ana := visit(t, browser, h.addr)
	h.driveAMetre(ana)
	ana.work("motions")
	ana.chooseMotion()
	jin := visit(t, browser, h.addr)
	jin.work("motions")
	jin.chooseMotion()
	const called = `document.querySelector('#motions-list button').innerText === '%s'`
	renames := func(v *visitor, name string) {
		v.run(fmt.Sprintf(`document.querySelector('#motion-name').value = '%s'; document.querySelector('#motion').requestSubmit()`, name))
	}
	takes := func(v *visitor) {
		v.until("control to be free", `document.querySelector('`+bannerButton+`').innerText === 'Take control'`)
		v.click(bannerButton)
		v.until("control", `!document.querySelector('#motion [type=submit]').disabled`)
	}
	renames(ana, "Corridor")
	ana.until("the new name", fmt.Sprintf(called, "Corridor"))
	jin.until("the new name in the field that was not edited", fmt.Sprintf(called, "Corridor")+` && document.querySelector('#motion-name').value === 'Corridor'`)
	jin.run(`document.querySelector('#motion-name').value = 'The way of Jin'`)
	renames(ana, "Around")
	jin.until("the next name", fmt.Sprintf(called, "Around")+` && document.querySelector('#motion-name').value === 'The way of Jin'`)
	ana.run(`document.querySelector('#auth button').click()`)
	takes(jin)
	renames(jin, "The way of Jin")
	jin.until("the page to say so", `document.querySelector('#motions-says').innerText.startsWith('It was given the name "Around" meanwhile.') && `+fmt.Sprintf(called, "Around"))
	renames(jin, "The way of Jin")
	ana.until("the name that was pressed twice", fmt.Sprintf(called, "The way of Jin"))
}
