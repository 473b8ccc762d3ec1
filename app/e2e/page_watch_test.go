package e2e_test

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/input"

	"mybot/drivers/sim"
)

// watched are the values that a person watches, one a line: name, value, fault.
const watched = `[...document.querySelectorAll('#scripts .values li')].map((l) => [...l.querySelectorAll('code, b, .fault:not([hidden])')].map((e) => e.textContent).filter((x) => x).join(' ')).join('\n')`

// A person adds values by keys alone, sees them change, and finds them again after a reload.
// An observer may watch too.
func TestAPersonWatchesValuesOfTheScripts(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
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
	v.startScript()
	const head = `document.querySelector('#scripts .values li:nth-child(2) .curve')`
	v.until("the head to move in its curve", `new Set([...(`+head+`.querySelector('path').getAttribute('d') ?? '').matchAll(/[ML]\S+ (\S+)/g)].map((m) => m[1])).size > 8 && / -?\d/.test(`+head+`.getAttribute('aria-label'))`)
	v.push(allScripts)
	v.run(`document.querySelector('#scripts .watched').scrollIntoView({ block: 'end' })`)
	v.looksRight("scripts-watched")

	v.tabTo("#scripts .values li:nth-child(3) button")
	v.stroke(keyEnter)
	v.until("two values", `document.querySelectorAll('#scripts .values li').length === 2 && document.activeElement.matches('#scripts .values li:nth-child(2) button')`)
	if kept, want := value[string](v, `localStorage.getItem('mybot.watched')`), `["battery.val","headPan.val"]`; kept != want {
		t.Errorf("the browser keeps %s, want %s", kept, want)
	}
}

// command is the field of the console.
const command = `document.querySelector('#scripts .console .editor').shadowRoot`

// consoleLines are what the console has said, one line each, without times.
const consoleLines = `[...document.querySelectorAll('#scripts .console .output > div')].map((l) => l.textContent.replace(/^\d+\.\d{3} /, '')).join('\n')`

// enters types a command into the console and sends it.
func (v *visitor) enters(text string) {
	v.t.Helper()
	v.typesText(text)
	v.stroke(keyEnter)
}

// The console is a program of one's own: it moves the robot under the person's control, says
// which command waits, and ends with the page. All of it by keys.
func TestAPersonWritesCommandsInTheConsole(t *testing.T) {
	t.Parallel()
	h, v := visitScripts(t)
	v.tabTo("#scripts .console summary")
	v.stroke(keyEnter)
	v.until("the field", `!!`+command+`?.querySelector('.cm-content')`)
	v.stroke(keyTab) // what it says
	v.stroke(keyTab)
	v.until("the focus in the field", command+`.activeElement?.matches('.cm-content') ?? false`)
	v.enters("1 + 1")
	v.until("the sum", `(`+consoleLines+`).endsWith('> 1 + 1\n2.000000')`)
	v.enters("2 + 2 // and so on;")
	v.until("the sum although a comment follows it", `(`+consoleLines+`).endsWith('\n4.000000')`)
	v.enters("a: headPam.val")
	v.until("the fault", `(`+consoleLines+`).endsWith('a line 1, column 4: headPam is not known. Did you mean headPan?')`)
	v.enters("headPan.val = 20 time:4000;")
	v.enters("headPan.val > 19;")
	const status = `document.querySelector('#scripts .console .says').textContent`
	v.until("what waits", `/^This waits for the command before it, [1-3]\.\d s; a , would not have waited\.$/.test(`+status+`)`)
	v.run(`document.querySelector('#scripts .console').scrollIntoView({ block: 'end' })`)
	v.looksRight("scripts-console")
	v.until("its answer", `(`+consoleLines+`).endsWith('1.000000') && (`+status+`) === ''`)
	v.run(command + `.querySelector('.cm-content').focus()`)
	v.stroke(keyUp)
	v.stroke(keyUp)
	v.until("the command before the last", command+`.querySelector('.cm-content').textContent === 'headPan.val = 20 time:4000;'`)
	v.stroke(keyDown)
	v.stroke(keyDown)
	v.until("nothing", command+`.querySelector('.cm-content').textContent === ''`)

	turns := func(what string, want bool) {
		t.Helper()
		h.await(what, func(s sim.Truth) bool { return (math.Abs(s.Twist.Angular) > 0.2) == want })
	}
	v.enters("turn.val = inf speed:20,")
	turns("the robot to turn", true)
	v.run(`document.activeElement.blur()`)
	v.stroke(keySpace)
	turns("the robot to stop", false)
	v.until("why", `/^Its motion is held: .*stop/i.test(`+status+`)`)
	v.releaseStop()
	v.run(command + `.querySelector('.cm-content').focus()`)
	v.enters("motoron;")
	turns("the robot to turn again", true)
	if lines := value[string](v, `fetch('/api/v1/scripts/lines').then((r) => r.json()).then((l) => l.lines.map((x) => x.unit).join())`); lines != "" {
		t.Errorf("others read the lines of %s", lines)
	}
	v.run(`location.reload()`)
	turns("the robot to stand without its page", false)
	v.until("the tab", `document.querySelectorAll('#scripts .examples button').length === 7`)
	v.until("no connection", `document.querySelector('#scripts .cards [data-id]') === null`)
}

// After contact was lost the field is free again with the text and the focus that it had, and
// the keys drive nothing. The connection of the console is dead then without saying so; the page
// notices, and the next command opens another one.
func TestACommandIsTypedOnAfterContactWasLost(t *testing.T) {
	t.Parallel()
	h := open(t)
	network := newProxy(t, h.addr)
	v := visit(t, chromium(t), network.addr)
	v.away = true
	v.openScripts()
	v.tabTo("#scripts .console summary")
	v.stroke(keyEnter)
	v.until("the field", `!!`+command+`?.querySelector('.cm-content')`)
	v.stroke(keyTab) // what it says
	v.stroke(keyTab)
	const isIn = command + `.activeElement?.matches('.cm-content') ?? false`
	v.until("the focus in the field", isIn)
	v.enters("1 + 1")
	v.until("the sum", `(`+consoleLines+`).endsWith('> 1 + 1\n2.000000')`)
	v.typesText("20 ")
	for range 2 {
		network.swallow(true)
		v.until("the field to be locked", command+`.querySelector('.cm-content').contentEditable === 'false'`)
		v.stroke(keyW)
		network.swallow(false)
		v.until("the field to be free", command+`.querySelector('.cm-content').contentEditable === 'true' && (`+isIn+`)`)
		v.typesText("+ 3 ")
	}
	v.until("the end of the dead connection", `(`+consoleLines+`).endsWith('The connection of the console has ended. The next command opens another one.')`)
	v.enters("")
	v.until("the sum", `(`+consoleLines+`).endsWith('> 20 + 3 + 3\n26.000000')`)
	if value[bool](v, `__seen.sent.some((m) => m.type === 'drive' && m.v !== 0)`) {
		t.Error("a key that was typed drove the robot")
	}
}

// The value of a name in the text is shown under the pointer, and for the caret below the text.
func TestTheTextOfAScriptShowsTheValuesOfItsNames(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Metronome")
	v.startScript()
	v.focusText()
	const caret = `document.querySelector('#scripts .caret').textContent`
	v.until("what to do", `(`+caret+`).startsWith('Place the caret on a name')`)
	for range 6 { // to the last line
		v.stroke(keyDown)
	}
	v.typesText("near.val")
	v.until("the value at the caret", `/^near\.val is \d+(\.\d+)? m/.test(`+caret+`)`)
	v.until("its announcement", `/near\.val is \d/.test(document.querySelector('#polite').textContent)`)
	v.tabTo("#scripts .caret button")
	v.stroke(keyEnter)
	v.until("it to be watched", `/^near\.val \d/.test(`+watched+`) && document.querySelector('#scripts .caret button').hidden`)

	at := value[[]float64](v, `(() => {
		const line = [...`+editor+`.querySelectorAll('.cm-line')].find((l) => l.textContent.includes('beat:'));
		const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
		while (walk.nextNode() && !walk.currentNode.data.includes('headPan'));
		const range = document.createRange(), from = walk.currentNode.data.indexOf('headPan');
		range.setStart(walk.currentNode, from + 2);
		range.setEnd(walk.currentNode, from + 3);
		const { x, y, width, height } = range.getBoundingClientRect();
		return [x + width / 2, y + height / 2];
	})()`)
	const tip = editor + `.querySelector('.cm-value')`
	const shown = `/^headPan\.val is -?\d+(\.\d+)? deg/.test(` + tip + `?.textContent ?? '')`
	pointAtName := func() {
		t.Helper()
		v.mouse(input.DispatchMouseEventTypeMouseMoved, spot{at[0] - 3, at[1]}, false)
		v.mouse(input.DispatchMouseEventTypeMouseMoved, spot{at[0], at[1]}, false)
	}
	pointAtName()
	v.until("the value under the pointer", shown)
	first := value[string](v, tip+`.textContent`)
	v.until("it to change", tip+`.textContent !== `+"`"+first+"`")
	v.run(readAxe(t) + "; 0")
	v.axeFindsNothing("scripts-pointer")
	v.picture("scripts-pointer")
	pointAtName() // the picture may have closed the tooltip
	v.until("the value and its button", shown+` && (`+tip+`.querySelector('button').click(), true)`)
	v.until("two values", `document.querySelectorAll('#scripts .values li').length === 2`)
}

// A card says how long a tag still waits, and how far the robot still goes for it.
func TestATagSaysHowMuchIsLeft(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.newScript()
	v.writeScript("rest: wait(90s),\nway: goto(\"Sofa\"),")
	v.startScript()
	const left = `[...document.querySelectorAll('#scripts .run .tags li')].map((l) => l.textContent.trim()).join('; ')`
	v.until("what is left", `/^rest1 min \d+ s left; way\d+\.\d m to go$/.test(`+left+`)`)
	first := value[string](v, left)
	v.until("both to become less", `((now) => now !== `+"`"+first+"`"+` && parseFloat(now.split('way')[1]) < parseFloat('`+first+`'.split('way')[1]) - 0.2)(`+left+`)`)
	v.push(allScripts)
	v.looksRight("scripts-left")
	v.push(`#scripts .cards [data-key^="freeze"]`)
	v.until("no time while it is frozen", `/^rest(?:frozen)$/.test(document.querySelector('#scripts .cards .tags li').textContent)`)
}
