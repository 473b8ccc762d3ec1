package e2e_test

import (
	"testing"
)

// watched are the values that a person watches, one a line: name, value, fault.
const watched = `[...document.querySelectorAll('#scripts .values li')].map((l) => [...l.querySelectorAll('code, b, .fault:not([hidden])')].map((e) => e.textContent).filter((x) => x).join(' ')).join('\n')`

// A person adds values by keys alone, sees them change, and finds them again after a reload.
// An observer may watch too.
func TestAPersonWatchesValuesOfTheScripts(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.openScripts()
	v.tabTo("#scripts .watched input")
	v.typesText("battery.val")
	v.stroke(keyEnter)
	v.until("the battery", `/^battery\.val \d+(\.\d+)? %$/.test(`+watched+`)`)
	v.typesText("random(0, 1)")
	v.stroke(keyEnter)
	v.until("why an effect is refused", `/random is not called in a watched value/.test(document.querySelector('#scripts .watched .says').textContent)`)
	for range len("random(0, 1)") {
		v.stroke(key{"Backspace", "Backspace", 8, ""})
	}
	v.typesText("headPan.val")
	v.stroke(keyEnter)
	v.typesText("metronome.beat")
	v.stroke(keyEnter)
	v.until("a value that is not there", `(`+watched+`).endsWith('metronome.beat metronome.beat is not known now')`)

	v.openExample("Metronome")
	v.push("#scripts .run [role=switch]")
	const head = `document.querySelector('#scripts .values li:nth-child(2) .curve')`
	v.until("the head to move in its curve", `new Set([...(`+head+`.querySelector('path').getAttribute('d') ?? '').matchAll(/[ML]\S+ (\S+)/g)].map((m) => m[1])).size > 8 && / -?\d/.test(`+head+`.getAttribute('aria-label'))`)
	v.push("#scripts .doc .head .ib") // All scripts
	v.run(`document.querySelector('#scripts .watched').scrollIntoView({ block: 'end' })`)
	v.looksRight("scripts-watched")

	v.tabTo("#scripts .values li:nth-child(3) button")
	v.stroke(keyEnter)
	v.until("two values", `document.querySelectorAll('#scripts .values li').length === 2 && document.activeElement.matches('#scripts .values li:nth-child(2) button')`)
	if kept, want := value[string](v, `localStorage.getItem('mybot.watched')`), `["battery.val","headPan.val"]`; kept != want {
		t.Errorf("the browser keeps %s, want %s", kept, want)
	}
}
