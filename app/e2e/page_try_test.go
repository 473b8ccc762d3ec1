package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// startNow is the button that starts a script that moves the robot without trying it.
const startNow = "#scripts .ask button:nth-of-type(2)"

// trialLines are the lines of a trial, one a line, without their times.
const trialLines = `[...document.querySelectorAll('#scripts .trial .lines li')].map((l) => [...l.childNodes].slice(2).map((n) => n.textContent).join('')).join('\n')`

// trialLanes are the labels of its lanes.
const trialLanes = `[...document.querySelectorAll('#scripts .lanes .lane-label')].map((l) => l.textContent).join(', ')`

// whatIf writes a what-if, tries the script that is open, and waits for what the page says
// about it.
func (v *visitor) whatIf(text string) {
	v.t.Helper()
	v.run(fmt.Sprintf(`(() => { document.querySelector('#scripts .trial .why').textContent = ''; document.querySelector('#scripts .try textarea').value = %q; })()`, text))
	v.until("the contact without which nothing is tried", `!document.querySelector('#scripts .try [type=submit]').disabled`)
	v.push("#scripts .try [type=submit]")
	v.untilWithin(3*patience, "the answer", `document.querySelector('#scripts .trial .why').textContent + document.querySelector('#scripts .try .says').textContent !== ''`)
}

// Battery is tried with the battery below its limit: the page shows when the virtual robot
// speaks and goes to the dock, and the real one stands.
func TestAScriptIsTriedOnTheVirtualRobotWithAWhatIf(t *testing.T) {
	t.Parallel()
	h, v := visitScripts(t)
	v.openExample("Battery")
	v.push("#scripts .rules .rule")
	v.inField("below", "30")
	v.doneWithRule()
	stood := h.driver.Truth().Pose

	v.tabTo("#scripts [data-do=try]")
	v.stroke(keyEnter)
	v.until("the focus on the what-if", `document.activeElement?.matches('#scripts .try textarea')`)
	v.until("the ready what-ifs", `document.querySelectorAll('#scripts .try .ready button').length === 3`)
	v.inFront()
	v.focus("#scripts .try [type=submit]")
	v.whatIf("wait(10s) | battery.val = 29;")
	v.until("the focus to stay on the button", focused("#scripts .try [type=submit]"))
	v.until("the lines", `(`+trialLines+`) === 'It says: My battery is low. I am going to the dock.\nIt sets out for the dock.\nIt has arrived at the dock.'`)
	v.until("the lanes", `(`+trialLanes+`) === 'speaks, to the dock'`)
	said := value[string](v, `document.querySelector('#scripts .trial .lines li .num').textContent`)
	if said != "0:15.0" {
		t.Errorf("it speaks at %s, want 0:15.0: the battery is low after 10 s and has to be so for 5 s", said)
	}
	if why := value[string](v, `document.querySelector('#scripts .trial .why').textContent`); !strings.HasPrefix(why, "Ended at 10:00.0. The time of the trial was over. The script is still running. Nothing happened from 0:") {
		t.Errorf("it says %q about the end", why)
	}

	const place = `document.querySelector('#scripts .trial [type=range]')`
	v.until("the end, with reduced motion", place+`.valueAsNumber > 30 && `+place+`.value === `+place+`.max`)
	v.push("#scripts .trial .player button")
	v.until("the virtual robot to be on its way", place+`.valueAsNumber > 0 && `+place+`.valueAsNumber < 20`)
	v.run(place + `.focus()`)
	v.stroke(key{"End", "End", 35, ""})
	v.until("the end", `document.querySelector('#scripts .trial .player .num').textContent.split(' / ').every((t, _, all) => t === all[0])`)
	v.stroke(key{"Home", "Home", 36, ""})
	v.until("the beginning", place+`.valueAsNumber === 0 && `+place+`.ariaValueText.startsWith('0:00.0 of 0:')`)
	v.run(place + `.value = 25; ` + place + `.dispatchEvent(new Event('input'))`)
	v.until("the lines until then", `document.querySelector('#scripts .trial .lines [data-now]')?.textContent.includes('It sets out')`)
	v.looksRight("scripts-try")

	v.away = true // the browser logs the refusal
	v.whatIf("wait 2 3;")
	v.until("the fault of the what-if", `document.querySelector('#scripts .try .says').textContent.startsWith('The what-if has a fault in line 1, column 8: ')`)
	v.writeScript("wait(1s);\nx = y + 1;\n")
	v.until("that the trial is old", `[...document.querySelectorAll('#scripts .try > .dim')].some((p) => !p.hidden && p.textContent.startsWith('The script has changed'))`)
	v.whatIf("")
	v.until("the fault", `(`+trialLines+`).startsWith('Line 2 y is not known')`)
	v.run(`document.querySelector('#scripts .trial .jump').focus()`)
	v.stroke(keyEnter)
	v.until("the caret in line 2", editor+`.activeElement !== null && `+editor+`.querySelector('.cm-activeLine').textContent === 'x = y + 1;'`)
	v.looksRight("scripts-try-fault")

	v.push(`#scripts .try [aria-label="Close Try"]`)
	v.until("the focus on the button", `document.activeElement?.matches('#scripts [data-do=try]')`)
	if now := h.driver.Truth().Pose; now != stood {
		t.Errorf("the real robot has moved from %v to %v", stood, now)
	}
	if n := value[int](v, `fetch('/api/v1/scripts').then((r) => r.json()).then((l) => l.scripts.length)`); n != 0 {
		t.Errorf("%d scripts were saved", n)
	}
}

// What moves the robot is offered to be tried first, from the open script and from its
// card; a text that was tried starts at once.
func TestTryIsOfferedBeforeAScriptThatMovesStarts(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Battery")
	v.push("#scripts .doc .btn.pri") // saves it
	v.until("it to be saved", `document.querySelector('#scripts .doc .chip').hidden`)
	v.push(allScripts)
	v.until("its card", `!!document.querySelector('#scripts .cards [data-id=script_battery]')`)
	v.push("#scripts .cards [data-id=script_battery] [role=switch]")
	const offer = `!document.querySelector('#scripts .ask').hidden && document.querySelector('#scripts .ask').innerText.startsWith('This script moves the robot.')`
	v.until("the offer", offer)
	v.picture("scripts-offer")
	v.run(readAxe(t) + "; 0")
	v.axeFindsNothing("scripts-offer")
	// axe may have taken longer than the link waits; then the switch is disabled for a moment.
	v.until("contact", `!document.querySelector('`+scriptSwitch+`').disabled`)
	v.push("#scripts .ask button:last-child") // Cancel
	v.until("the focus on the switch", `document.activeElement?.matches('`+scriptSwitch+`')`)
	v.stroke(keyEnter)
	v.until("the offer again", offer)
	v.stroke(keyEnter) // Try it first
	v.until("Try", `document.activeElement?.matches('#scripts .try textarea')`)
	v.whatIf("")
	v.push(scriptSwitch)
	v.until("it to run", scriptSwitched+` === 'true'`)
}
