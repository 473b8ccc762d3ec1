package e2e_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
)

// saves saves a script as a program with the cookie of the page would.
func (v *visitor) saves(name, text string) {
	v.t.Helper()
	save := fmt.Sprintf(`fetch('/api/v1/scripts', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name: %q, text: %q }) }).then((r) => r.status)`, name, text)
	if status := value[int](v, save); status != 201 {
		v.t.Fatalf("%s is answered %d", name, status)
	}
}

// opensScript opens a saved script by its card.
func (v *visitor) opensScript(id string) {
	v.t.Helper()
	v.push(fmt.Sprintf(`#scripts .cards [data-id="%s"] .name`, id))
	v.until("the script", `!document.querySelector('#scripts .doc').hidden`)
	v.settle()
}

// flips flips a switch of the open script by keys alone.
func (v *visitor) flips(mark string) {
	v.t.Helper()
	at := fmt.Sprintf(`#scripts .by-itself [data-key="%s"]`, mark)
	v.tabTo(at)
	v.stroke(keyEnter)
	v.until("the switch "+mark, fmt.Sprintf(`document.querySelector('%s').getAttribute('aria-checked') === 'true'`, at))
}

// answers asks for control, or gives it up, as a program with the cookie of the page would.
func (v *visitor) answers(method, body string) {
	v.t.Helper()
	ask := fmt.Sprintf(`fetch('/api/v1/control', { method: %q, headers: { 'Content-Type': 'application/json' }, body: %q || undefined }).then((r) => r.status)`, method, body)
	if status := value[int](v, ask); status != 200 {
		v.t.Fatalf("%s of control is answered %d", method, status)
	}
}

func isTurning(s sim.Truth) bool { return math.Abs(s.Twist.Angular) > 0.3 }

const spin = "spin: loop { turn.val = turn.val + 360 speed:30 },"

// A script that starts with the robot runs after a restart, but moves nothing before
// Resume; one with a fault is on the page with its line.
func TestAScriptStartsWithTheRobotAndMovesItAfterResume(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	dir := t.TempDir()
	keep := func(c *app.Config) { c.DataDir = dir }
	h := open(t, keep)
	v := visit(t, browser, h.addr)
	v.saves("Spin", spin)
	v.saves("Broken", "x = 1;\nwait 2 3;")
	v.openScripts()
	for _, id := range []string{"broken", "spin"} {
		v.opensScript(id)
		v.flips("starts")
		if id == "spin" {
			v.looksRight("scripts-marks")
		}
		v.push(allScripts)
		v.until("its card", fmt.Sprintf(`document.querySelector('#scripts .cards [data-id="%s"]').innerText.includes('Starts with the robot.')`, id))
	}
	v.away = true
	h.close()

	h = open(t, keep)
	v = visit(t, browser, h.addr)
	v.openScripts()
	v.until("why it is held", `document.querySelector('#scripts-held').innerText.replace(/\s+/g, ' ').includes('It started with the robot')`)
	v.until("the fault", `document.querySelector('#scripts .cards [data-id="broken"]').innerText.includes('It did not start with the robot: line 2, column 8: ')`)
	v.looksRight("scripts-started")
	if truth := h.awaitStill(); isTurning(truth) {
		t.Error("the robot turns before Resume")
	}
	v.resumesScripts("the robot to turn", func() bool { return isTurning(h.driver.Truth()) })
}

// resumesScripts presses Resume until the scripts have done something. A computer that holds the
// control loop up holds them again.
func (v *visitor) resumesScripts(what string, done func() bool) {
	v.t.Helper()
	const button = "#scripts-held button"
	v.push(button)
	late := time.Now().Add(patience)
	for presses := 1; !done(); v.wait(0.02) {
		if presses < maxPresses && value[bool](v, `/held up|reported nothing/.test(document.querySelector('#scripts-held').innerText)`) {
			presses++
			v.push(button)
		}
		if time.Now().After(late) {
			v.t.Fatalf("waiting for %s after Resume, pressed %d times\nthe page says: %s", what, presses, v.words())
		}
	}
}

// An admin lets a script stand by. After a visitor, the page counts down, and the script
// continues; here after 15 s in place of 5 min.
func TestAScriptThatStandsByContinuesAfterAVisitor(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := openToAll(t, func(c *app.Config) { c.DataDir, c.StandByAfter = t.TempDir(), 20*time.Second })
	v := s.comes(browser, s.invitation.Link, "", "Ana") // an admin
	v.stroke(keyEsc)
	v.until("control", hasControl)
	ben := s.comes(browser, "", s.invitation.PIN, "Ben")
	v.saves("Spin", spin)
	v.openScripts()
	v.opensScript("spin")
	v.flips("stands_by")
	v.startScript()
	s.await("the robot to turn", isTurning)
	v.push(allScripts)
	const card = `document.querySelector('#scripts .cards [data-id="spin"]').innerText`
	v.until("what it does", card+`.includes('Stands by: after a visitor it continues by itself.')`)
	v.answers("DELETE", "")
	ben.answers("POST", `{"seconds":10}`) // takes control, which holds it
	s.awaitStill()
	v.until("what it waits for", card+`.includes('Stands by: continues when no one has had control for 5 min.')`)
	ben.answers("DELETE", "")
	v.until("the countdown", `/Stands by: continues in \d+ s unless someone takes control\./.test(`+card+`)`)
	v.looksRight("scripts-standby")
	s.await("the robot to turn again", isTurning)
	v.until("what it does again", card+`.includes('Stands by: after a visitor it continues by itself.')`)
}
