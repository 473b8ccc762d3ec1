package e2e_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

var key4 = key{"Digit4", "4", '4', ""}

// What a person presses in a script that is open.
const (
	scriptSwitch = "#scripts .run [role=switch]"
	allScripts   = "#scripts .doc .head .ib"
)

// scriptSwitched is the state of that switch, 'true' or 'false'.
const scriptSwitched = `document.querySelector('` + scriptSwitch + `').getAttribute('aria-checked')`

// visitScripts starts a server, and opens its page at the tab Scripts in a browser of its own.
func visitScripts(t *testing.T) (*testServer, *visitor) {
	t.Helper()
	browser := chromium(t)
	h := open(t)
	v := visit(t, browser, h.addr)
	v.openScripts()
	return h, v
}

// openScripts opens the Scripts tab by its key and waits for the list.
func (v *visitor) openScripts() {
	v.t.Helper()
	v.stroke(key4)
	v.until("the tab", `document.querySelectorAll('#scripts .examples button').length === 7`)
}

// openExample opens an example as a new script, and waits for the editor.
func (v *visitor) openExample(name string) {
	v.t.Helper()
	v.until("the examples", `!document.querySelector('#scripts .examples button').disabled`)
	v.run(fmt.Sprintf(`[...document.querySelectorAll('#scripts .examples button')].find((b) => b.textContent === %q).click()`, name))
	v.until("the editor", `!document.querySelector('#scripts .doc').hidden && !!document.querySelector('#scripts .editor').shadowRoot?.querySelector('.cm-content')`)
	v.settle()
}

// newScript opens an empty script, and waits for the editor. The name has the focus.
func (v *visitor) newScript() {
	v.t.Helper()
	v.push("#scripts .all .head .btn:last-child")
	v.until("the editor", `!!`+editor+`?.querySelector('.cm-content')`)
}

// focusText moves the focus to the text of the open script, where the caret was.
func (v *visitor) focusText() {
	v.t.Helper()
	v.run(editor + `.querySelector('.cm-content').focus()`)
}

// writeScript types into the text of the open script.
func (v *visitor) writeScript(text string) {
	v.t.Helper()
	v.focusText()
	v.typesText(text)
}

// startScript starts the open script, which moves the robot, and declines to try it first. An
// unsaved script is saved by that.
func (v *visitor) startScript() {
	v.t.Helper()
	v.push(scriptSwitch)
	v.push(startNow)
}

// editor is what the editor of scripts is made of.
const editor = `document.querySelector('#scripts .editor').shadowRoot`

// scriptText is the text in the editor.
const scriptText = `[...` + editor + `.querySelectorAll('.cm-line')].map((l) => l.textContent).join('\n')`

// scriptRules are the rules above it, one a line.
const scriptRules = `[...document.querySelectorAll('#scripts .rules .rule')].map((b) => b.textContent).join('\n')`

// looksRight checks the tab on a desk and on a phone in both themes, and keeps pictures.
func (v *visitor) looksRight(name string) {
	v.t.Helper()
	v.run(readAxe(v.t) + "; 0")
	for _, w := range []window{desktop, phone} {
		for _, theme := range []string{dark, light} {
			where := name + "-" + w.name + "-" + theme
			v.look(w, theme)
			v.settle()
			v.stopInReach(where)
			v.axeFindsNothing(where)
			v.picture(where)
			if wide := value[float64](v, `document.querySelector('#body').scrollWidth - document.querySelector('#body').clientWidth`); wide > 0 {
				v.t.Errorf("%s: the panel is %.0f px too wide", where, wide)
			}
		}
	}
	v.look(desktop, dark)
	v.settle()
}

// inField sets a field of the rule's form as a person does.
func (v *visitor) inField(field, text string) {
	v.t.Helper()
	v.run(fmt.Sprintf(`(() => {
		const f = document.querySelector('#scripts .rule-form [data-field="%s"]');
		f.value = %q;
		f.dispatchEvent(new Event('input', { bubbles: true }));
		f.dispatchEvent(new Event('change', { bubbles: true }));
	})()`, field, text))
}

// doneWithRule presses Done.
func (v *visitor) doneWithRule() {
	v.t.Helper()
	v.push("#scripts .rule-form [type=submit]")
	v.until("the form to close", `document.querySelector('#scripts .rule-form') === null`)
}

// The text is the only truth: what the form writes is in the text, and what is typed
// there is in the rules.
func TestFormAndTextOfAScriptAgree(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.looksRight("scripts-list")
	v.openExample("Battery")
	is := func(what, js, want string) {
		t.Helper()
		v.until(fmt.Sprintf("%s to be %q", what, want), fmt.Sprintf("(%s) === %q", js, want))
	}
	is("the rule", scriptRules, `When the battery is below 20 % for 5 s: say “My battery is low. I am going to the dock.”, then go to the dock`)

	v.push("#scripts .rules .rule")
	v.inField("below", "30")
	v.looksRight("scripts-rule")
	v.doneWithRule()
	is("the text", scriptText, "# Goes to the dock when the battery has been low for some seconds.\nat (battery.val < 30 ~ 5s) say(\"My battery is low. I am going to the dock.\") | dock();\n")

	v.push("#scripts [data-do=addRule]")
	v.inField("when", "clock")
	v.inField("time", "22:05")
	v.inField("deed0", "goto")
	v.inField("act0", "Sofa")
	v.doneWithRule()
	is("the last line", scriptText+`.split('\n').at(-2)`, `at (clock.hour == 22 && clock.minute == 5) goto("Sofa");`)

	v.writeScript("every (10min) say(\"1 2 3 4 d g\");\n")
	is("the first rule", scriptRules+`.split('\n')[0]`, `Every 10 min: say “1 2 3 4 d g”`)
	if rules := value[string](v, scriptRules); len(strings.Split(rules, "\n")) != 3 {
		t.Errorf("the rules are %s", rules)
	}
	v.push("#scripts .rules .rule") // the line moves while its form is open
	v.focusText()
	v.stroke(keyUp)
	v.typesText("# above\n")
	v.inField("every", "20")
	v.doneWithRule()
	is("the rule in its new line", scriptText+`.split('\n').slice(0, 2).join('\n')`, "# above\nevery (20min) say(\"1 2 3 4 d g\");")
	if rules := value[string](v, scriptRules); len(strings.Split(rules, "\n")) != 3 {
		t.Errorf("with the rule that moved the rules are %s", rules)
	}

	v.focusText()
	v.stroke(keySpace) // types: it does not stop the robot, nor does 3 choose a tab
	v.stroke(key3)
	if tab := value[string](v, `document.querySelector('#app').dataset.tab`); tab != "scripts" {
		t.Errorf("a key in the editor has opened the tab %s", tab)
	}
	if stopped := value[bool](v, `'stopped' in document.querySelector('#app').dataset`); stopped {
		t.Error("a space in the editor has stopped the robot")
	}
}

// A fault of the text is at its line while a person still types.
func TestAFaultOfAScriptIsShownAtItsLineWithin300ms(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Metronome")
	v.writeScript("x = 1;\nat battery.val < 20 dock();\n")
	const told = `[...` + editor + `.querySelectorAll('.cm-fault-text')].map((f) => f.previousElementSibling.textContent + ' <- ' + f.textContent).join('; ')`
	took := value[float64](v, `new Promise((done) => {
		const begin = performance.now();
		const look = () => (`+editor+`.querySelector('.cm-fault-text') ? done(performance.now() - begin) : requestAnimationFrame(look));
		look();
	})`)
	t.Logf("the fault was there after %.0f ms", took)
	if limit := 300.0; took > limit {
		t.Errorf("the fault was shown after %.0f ms, want at most %.0f", took, limit)
	}
	if got, want := value[string](v, told), "at battery.val < 20 dock(); <- expected ( before a test, found battery"; got != want {
		t.Errorf("the faults are %q, want %q", got, want)
	}
	v.looksRight("scripts-fault")
	v.focusText()
	for range len("\nat battery.val < 20 dock();") + 1 {
		v.stroke(key{"Backspace", "Backspace", 8, ""})
	}
	v.until("no faults", `(`+told+`) === ''`)
}

// The robot lists the words of its language, and the editor shows them as keywords.
func TestTheEditorOfAScriptShowsTheKeywordsThatTheRobotLists(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Metronome")
	v.writeScript("foreach forehead in [1, 2] sleep(1s);\n")
	const bold = `[...` + editor + `.querySelectorAll('.cm-line:first-child span')].filter((s) => getComputedStyle(s).fontWeight === '600').map((s) => s.textContent).join(' ')`
	v.until("the keywords", `(`+bold+`) === 'foreach in sleep'`)
}

// The robot answers before the editor has loaded: the fault is still shown at its line.
func TestAFaultThatWasFoundBeforeTheEditorLoadsIsShownInIt(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.run(`(() => {
		const append = document.head.append;
		document.head.append = (...all) => (window.__load = () => append.apply(document.head, all));
		const files = new DataTransfer(), input = document.querySelector('#scripts input[type=file]');
		files.items.add(new File(['wait 2 3;'], 'wrong.u'));
		input.files = files.files;
		input.dispatchEvent(new Event('change'));
	})()`)
	v.until("the fault below", `document.querySelector('#scripts .faults').innerText.startsWith('Line 1: ')`)
	v.run(`window.__load()`)
	v.until("the fault in the editor", editor+`?.querySelector('.cm-fault-text') != null`)
}

// A script that a person started with control moves the robot; STOP holds that, and only
// Resume ends it. Its tag is frozen and continues, and the switch ends it.
func TestAScriptIsStartedHeldByStopResumedFrozenAndStopped(t *testing.T) {
	t.Parallel()
	h, v := visitScripts(t)
	v.newScript()
	v.typesText("Spin") // over the name, which is selected
	v.writeScript("spin: loop { turn.val = turn.val + 360 speed:30 },\necho \"it turns\";")
	v.startScript()
	turns := func(what string, want bool) {
		t.Helper()
		h.await(what, func(s sim.Truth) bool { return (math.Abs(s.Twist.Angular) > 0.3) == want })
	}
	turns("the robot to turn", true)
	v.until("its line", `document.querySelector('#scripts .output').textContent.includes('it turns')`)
	v.until("its tag", `document.querySelector('#scripts .run .tags code')?.textContent === 'spin'`)
	v.run(`document.activeElement.blur()`)
	v.stroke(keySpace)
	turns("the robot to stop", false)
	const held = `document.querySelector('#scripts-held')`
	v.until("why it is held", `!`+held+`.hidden && /Scripts do not move the robot .*stop/i.test(`+held+`.innerText.replace(/\s+/g, ' ')) && `+held+`.innerText.includes('Release the stop first.')`)
	v.run(readAxe(t) + "; 0")
	v.axeFindsNothing("scripts-held")
	v.picture("scripts-held")

	stood := h.awaitStill()
	v.releaseStop()
	v.until("Resume", `!`+held+`.hidden && !`+held+`.querySelector('button').disabled`)
	released := h.driver.Truth().Time
	now := h.await("the time to turn", func(s sim.Truth) bool { return s.Time.Sub(released) > 500*time.Millisecond })
	if math.Abs(robot.WrapAngle(now.Pose.Theta-stood.Pose.Theta)) > 0.01 {
		t.Errorf("the robot has turned from %v to %v before Resume", stood.Pose, now.Pose)
	}
	v.resumesScripts("the robot to turn again", func() bool { return isTurning(h.driver.Truth()) })
	v.until("no reason", held+`.hidden`)

	v.push(`#scripts .run [data-key^="freeze"]`)
	turns("the frozen tag to stand", false)
	v.until("the tag to be frozen", `document.querySelector('#scripts .run .tags').textContent.includes('frozen')`)
	v.push(`#scripts .run [data-key^="freeze"]`)
	turns("the tag to continue", true)

	// A hand on the keys takes over, from the tab Drive as ever, and the script waits for Resume.
	v.run(`document.querySelector('#tab-drive').click(); document.activeElement.blur()`)
	v.press(keyW)
	h.await("the hand to drive", func(s sim.Truth) bool { return s.Twist.Linear > 0.1 })
	v.letGo(keyW)
	h.awaitStill()
	v.run(`document.querySelector('#tab-scripts').click()`)
	v.until("why it is held", `!`+held+`.hidden`)
	v.push(scriptSwitch)
	turns("the script to end", false)
	v.until("the switch", scriptSwitched+` === 'false'`)
}

// Where the editor does not load, a plain text field takes its place, with the faults
// below it. A file is read, a rule is added by keys alone, the script is saved and
// written to a file, and a revision protects it from another user.
func TestAScriptComesFromAFileAndGoesToOneWithoutTheEditor(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.run(`(() => {
		const append = document.head.append;
		document.head.append = (...all) => {
			const editor = all.find((e) => e.src?.includes('/editor-'));
			if (editor) queueMicrotask(() => editor.onerror());
			else append.apply(document.head, all);
		};
	})()`)
	v.run(`(() => {
		const files = new DataTransfer(), input = document.querySelector('#scripts input[type=file]');
		files.items.add(new File(['at (ok.val == 1) dock();\r\nwait 2 3;\n'], 'ok_button.u'));
		input.files = files.files;
		input.dispatchEvent(new Event('change'));
	})()`)
	const text = `document.querySelector('#scripts .editor textarea').value`
	v.until("the text", `document.querySelector('#scripts .editor textarea') !== null && `+text+` === 'at (ok.val == 1) dock();\nwait 2 3;\n'`)
	v.until("the fault", `document.querySelector('#scripts .faults').innerText.startsWith('Line 2: ')`)
	v.until("the name", `document.querySelector('#scripts .doc .head input').value === 'Ok button'`)

	v.tabTo("#scripts [data-do=addRule]")
	v.stroke(keyEnter)
	v.until("the form", `document.activeElement.matches('#scripts .rule-form [data-field=when]')`)
	v.tabTo("#scripts .rule-form [type=submit]")
	v.stroke(keyEnter)
	v.until("the rule", text+` === 'at (ok.val == 1) dock();\nwait 2 3;\nat (battery.val < 20 ~ 5s) dock();\n'`)
	v.until("the focus on it", `document.activeElement.matches('#scripts .rules li:last-child .rule')`)
	v.run(`(() => { const f = document.querySelector('#scripts .editor textarea'); f.value = f.value.replace('wait 2 3;\n', ''); f.dispatchEvent(new Event('input')); })()`)
	v.until("no faults", `document.querySelector('#scripts .faults').hidden`)
	v.push("#scripts .doc .btn.pri")
	v.until("it to be saved", `document.querySelector('#scripts .doc .chip').hidden`)

	v.run(`(() => {
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => { blob.text().then((t) => (window.__text = t)); return make.call(URL, blob); };
		HTMLAnchorElement.prototype.click = function () { window.__name = this.download; };
	})()`)
	v.push(`#scripts [aria-label="Save as a file"]`)
	v.until("the file", `window.__name === 'ok_button.u' && window.__text === `+text)

	const put = `fetch('/api/v1/scripts/ok_button', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name: 'Ours', text: '', revision: 1 }) }).then((r) => r.status)`
	if status := value[int](v, put); status != 200 {
		t.Fatalf("another user's change is answered %d", status)
	}
	v.away = true // the browser logs the refusal
	v.run(`(() => { const f = document.querySelector('#scripts .doc .head input'); f.value = 'Mine'; f.dispatchEvent(new Event('input')); })()`)
	v.push("#scripts .doc .btn.pri")
	v.until("the refusal", `document.querySelector('#scripts > .says').textContent === 'Someone else has saved this script. Open it again, then make your change.'`)
	v.push(allScripts)
	v.until("the question", `document.querySelector('#scripts .ask').innerText.startsWith('Discard your changes?')`)
	v.push("#scripts .ask button:last-child")
	v.until("the focus where it was", `document.activeElement === document.querySelector('`+allScripts+`')`)
	if name := value[string](v, `document.querySelector('#scripts .doc .head input').value`); name != "Mine" {
		t.Errorf("the name is %q, want the one that was typed", name)
	}
	v.push(allScripts)
	v.push("#scripts .ask button")
	v.until("the card", `document.querySelector('#scripts .cards .name')?.textContent === 'Ours'`)
}

// The person who starts a script answers for its motion, so only the text on the page starts.
func TestAScriptThatAnotherHasSavedSinceIsNotStarted(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Metronome")
	v.startScript()
	v.until("it to run", scriptSwitched+` === 'true'`)
	v.push(scriptSwitch)
	v.until("it to stop", scriptSwitched+` === 'false'`)
	const put = `fetch('/api/v1/scripts/metronome', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name: 'Metronome', text: 'turn(90);', revision: 1 }) }).then((r) => r.status)`
	if status := value[int](v, put); status != 200 {
		t.Fatalf("another user's change is answered %d", status)
	}
	v.away = true // the browser logs the refusal
	v.push(scriptSwitch)
	v.until("the refusal", `document.querySelector('#scripts > .says').textContent === 'Someone else has saved this script since you saw it. Open it again, then start it.'`)
	if value[bool](v, scriptSwitched+` === 'true'`) {
		t.Error("the text of the other user runs")
	}
}

// A script that was deleted while it ran is still stopped by its card.
func TestADeletedScriptThatRunsIsStoppedByItsCard(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Metronome")
	v.startScript()
	v.until("it to run", scriptSwitched+` === 'true'`)
	v.push(`#scripts .doc [aria-label="Delete"]`)
	v.push("#scripts .ask button")
	const card = `document.querySelector('#scripts .cards [data-id="metronome"]')`
	v.until("its card without the script", card+` !== null && `+card+`.querySelector('.name') === null`)
	v.push(`#scripts .cards [data-id="metronome"] [role=switch]`)
	v.until("the card to go", card+` === null`)
}

// Undo stays within the script that is open.
func TestUndoDoesNotBringBackAnotherScript(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Metronome")
	v.push(allScripts)
	v.openExample("Battery")
	first := value[string](v, scriptText)
	v.writeScript("x")
	v.until("what is typed", `(`+scriptText+`).startsWith('x# Goes')`)
	for range 3 {
		v.control(keyZ)
	}
	v.settle()
	if got := value[string](v, scriptText); got != first {
		t.Errorf("after undo the text is %q, want %q", got, first)
	}
}

// holdAnswer holds up the robot's answer to the page's next request of a kind, until the page's
// __answer is called. __request is that request.
func (v *visitor) holdAnswer(method, path string) {
	v.t.Helper()
	v.run(fmt.Sprintf(`(() => {
		const ask = window.fetch;
		window.__answer = null;
		window.fetch = async (path, init) => {
			const is = init?.method === %q && path === %q;
			if (is) window.fetch = ask;
			const answer = await ask(path, init);
			if (is) await new Promise((go) => ([window.__request, window.__answer] = [JSON.parse(init.body), go]));
			return answer;
		};
	})()`, method, path))
}

// opensWhileSaving presses a button of the open script, whose answer from the robot waits
// until the script of another example is open.
func (v *visitor) opensWhileSaving(button, example string) {
	v.t.Helper()
	v.holdAnswer("POST", "/api/v1/scripts")
	v.push(button)
	v.until("the request", `!!window.__answer`)
	v.push(allScripts)
	v.openExample(example)
	v.run(`window.__answer()`)
	v.until("the answer", `document.querySelector('#polite').textContent.includes(' is saved.')`)
}

// While the robot saves a script, a person opens another one: it is neither started nor
// taken for the first, which it would overwrite.
func TestASavedScriptIsNotTakenForTheOneThatIsOpenNow(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Metronome")
	v.push(scriptSwitch)
	v.opensWhileSaving(startNow, "Battery")
	v.until("the second to stay unsaved", `!document.querySelector('#scripts .doc .chip').hidden`)
	v.push("#scripts .doc .btn.pri")
	v.until("it to be saved", `document.querySelector('#scripts .doc .chip').hidden`)
	const saved = `fetch('/api/v1/scripts').then((r) => r.json()).then((l) => l.scripts.map((s) => s.name + (s.revision === 1 ? '' : ' ' + s.revision)).sort().join(', '))`
	if got, want := value[string](v, saved), "Battery, Metronome"; got != want {
		t.Errorf("the robot has saved %s, want %s", got, want)
	}
	if got := value[string](v, scriptSwitched); got != "false" {
		t.Error("the script that is open now was started")
	}
}

// saveHeldUp presses Save in the open script, whose answer from the robot is held up.
func (v *visitor) saveHeldUp() {
	v.t.Helper()
	v.holdAnswer("POST", "/api/v1/scripts")
	v.push("#scripts .doc .btn.pri")
	v.until("the request", `!!window.__answer`)
}

// Over a delay, the robot has not saved a script yet when a person switches it on, or changes it
// and saves it again.
func TestAScriptThatIsSwitchedOnWhileItIsSavedStartsAsItIsThen(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	const saved = `fetch('/api/v1/scripts').then((r) => r.json()).then((l) => l.scripts.map((s) => s.name + ' ' + s.revision).sort().join(', '))`
	v.newScript()
	v.typesText("Tick") // over the name, which is selected
	v.writeScript("every (1s) echo \"tick\";")
	v.saveHeldUp()
	v.push(scriptSwitch)
	v.settle()
	v.run(`window.__answer()`)
	v.until("it to run", scriptSwitched+` === 'true'`)
	v.push(allScripts)

	v.newScript()
	v.typesText("Tack")
	v.writeScript("every (1s) echo \"tack\";")
	v.saveHeldUp()
	v.writeScript("# again\n")
	v.control(key{"KeyS", "s", 'S', ""})
	v.push(scriptSwitch)
	v.settle()
	v.run(`window.__answer()`)
	v.until("it to run", scriptSwitched+` === 'true'`)
	v.until("nothing unsaved", `document.querySelector('#scripts .doc .chip').hidden`)
	if got, want := value[string](v, saved), "Tack 2, Tick 1"; got != want {
		t.Errorf("the robot has saved %s, want %s", got, want)
	}
}

// The question that the switch asks stays when the robot has saved the script.
func TestTheOfferToTryAScriptStaysWhenItIsSaved(t *testing.T) {
	t.Parallel()
	_, v := visitScripts(t)
	v.openExample("Battery")
	v.saveHeldUp()
	v.push(scriptSwitch)
	v.run(`window.__answer()`)
	v.until("it to be saved", `document.querySelector('#scripts .doc .chip').hidden`)
	if value[bool](v, `document.querySelector('#scripts .ask').hidden`) {
		t.Fatal("the offer is gone")
	}
	v.push(startNow)
	v.until("it to run", scriptSwitched+` === 'true'`)
}
