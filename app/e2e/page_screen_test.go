package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"

	"mybot/drivers/sim"
	"mybot/robot"
)

// screenFeed runs in the screen's page before its own scripts: the test, instead of the server,
// sends events with __show. A new connection gets the last one again, as from the server.
// __answer answers what the page sends.
const screenFeed = `(() => {
	let told = null;
	class Feed extends EventTarget {
		static CLOSED = 2;
		readyState = 1;
		constructor() { super(); window.__feed = this; }
		close() { this.readyState = 2; }
	}
	const idle = {
		build: 'test', mode: 'ready', motion: false, lost: false, stop: null, goal: null, run: null, message: null, speech: null, driver: 'Ana', away: false,
		lent: { head: '', voice: '', arm: '' }, viewers: 0, head: [0, 0], charge: 0.78, charges: false, may: true,
	};
	const tell = () => told && window.__feed.dispatchEvent(new MessageEvent('show', { data: JSON.stringify({ ...idle, ...told, now: Date.now() }) }));
	window.EventSource = Feed;
	window.__show = (event) => { told = event; tell(); };
	window.__cut = () => { told = null; };
	setInterval(tell, 300);
	const posts = window.__posts = [];
	const ask = window.fetch;
	window.fetch = (address, options) => {
		if (options?.method !== 'POST') return ask(address, options);
		posts.push({ address, body: options.body });
		return window.__answer(address);
	};
	window.__answer = () => Promise.resolve(Response.json({ word: 'SUCCESS', reason: '' }));
})()`

// screen opens the robot's own screen.
func screen(t *testing.T, h *testServer, scripts ...string) *visitor {
	t.Helper()
	v := arriveAt(t, chromium(t), h.addr, "/screen", scripts...)
	v.look(tablet, dark)
	return v
}

// show makes a screen with a screenFeed show an event; missing fields are idle.
func (v *visitor) show(event map[string]any) {
	v.t.Helper()
	data, err := json.Marshal(event)
	if err != nil {
		v.t.Fatal(err)
	}
	v.run(fmt.Sprintf("__show(%s)", data))
}

// reads returns a script that tests whether an element has a text.
func reads(selector, words string) string {
	return fmt.Sprintf(`document.querySelector(%q).innerText.replace(/\s+/g, ' ').trim() === %q`, selector, words)
}

type dict = map[string]any

var (
	paperRun   = dict{"name": "Paper to Jin", "phase": "running", "step": 4, "steps": 7, "why": ""}
	screenLong = "Copy this paper twice, staple the copies, and put them into the tray on the left side of the desk in room 304. Then touch OK. Many thanks."
)

// screens are the states that a screen may show.
var screens = []struct {
	name  string
	event dict
}{
	{"idle", dict{"viewers": 2}},
	{"going", dict{"mode": "job", "goal": dict{"name": "Sofa", "phase": "driving", "why": ""}, "run": paperRun, "head": []float64{0.5, 0}, "viewers": 1}},
	{"speech", dict{"mode": "job", "run": paperRun, "speech": dict{"n": 1, "text": "Hello! Here is a message for you.", "voice": "en", "speed": 1, "at": 0, "ms": 9000, "aloud": true}}},
	{"message", dict{"mode": "job", "run": paperRun, "message": dict{"n": 1, "text": "Give me a paper.", "ok": true, "until": nil}, "viewers": 2}},
	{"long", dict{"mode": "job", "run": paperRun, "message": dict{"n": 2, "text": screenLong, "ok": true, "until": nil}, "viewers": 2, "charge": 0.12}},
	{"elsewhere", dict{"mode": "job", "run": paperRun, "message": dict{"n": 3, "text": "Give me a paper.", "ok": true, "until": nil}, "may": false}},
	{"paused", dict{"mode": "paused", "run": dict{"name": "Paper to Jin", "phase": "paused", "step": 4, "steps": 7, "why": "Ana drives."}}},
	{"stopped", dict{"mode": "stopped", "stop": dict{"by": "someone at the robot's screen"}, "charge": 0.12}},
	{"gone", nil},
}

func TestTheScreenCanBeReadAndTouchedInEveryWindowAndAxeFindsNothing(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	v := screen(t, open(t), screenFeed)
	v.run(axe)
	for _, s := range screens {
		if s.event == nil {
			v.run(`__cut()`)
			v.until("the screen to miss the robot", reads("#status", "No contact"))
		} else {
			v.show(s.event)
		}
		for _, w := range []window{tablet, phone, landscape, {"portrait", 768, 1024, true}} {
			v.look(w, dark)
			if m, ok := s.event["message"].(dict); ok { // with a limit, which it counts down to
				n, text := m["n"], m["text"]
				v.run(fmt.Sprintf(`__show({ ...%s, message: { n: %d, text: %q, ok: true, until: Date.now() + 42000 } })`, encoded(t, s.event), n, text))
			}
			v.settle()
			where := "screen-" + s.name + "-" + w.name
			v.stopInReach(where)
			v.inWindow(where, "h1", "#status", "#caption", "#message-text", "#ok", "#driver", "#viewers", "#charge", "#unlock")
			if w == tablet || w == phone {
				v.axeFindsNothing(where)
			}
			v.picture(where)
		}
	}
}

func encoded(t *testing.T, x any) string {
	t.Helper()
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// inWindow checks that those of the given elements that are shown lie wholly in the window and
// do not overlap.
func (v *visitor) inWindow(where string, parts ...string) {
	v.t.Helper()
	list, err := json.Marshal(parts)
	if err != nil {
		v.t.Fatal(err)
	}
	for _, fault := range value[[]string](v, `(() => {
		const faults = [], shown = [];
		for (const q of `+string(list)+`) {
			const e = document.querySelector(q);
			if (!e.getClientRects().length || !e.innerText.trim()) continue;
			const r = e.getBoundingClientRect();
			if (r.left < -1 || r.top < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1) faults.push(q + ' is not in the window: ' + JSON.stringify(r));
			for (const [other, o] of shown)
				if (r.left < o.right - 1 && o.left < r.right - 1 && r.top < o.bottom - 1 && o.top < r.bottom - 1) faults.push(q + ' lies on ' + other);
			shown.push([q, r]);
		}
		return faults;
	})()`) {
		v.t.Errorf("%s: %s", where, fault)
	}
}

func TestAMessageTakesItsOwnOKOnlyAndNotTheSecondTouchOfTheOneBefore(t *testing.T) {
	t.Parallel()
	v := screen(t, open(t), screenFeed)
	message := func(n int, text string) {
		v.show(dict{"mode": "job", "run": paperRun, "message": dict{"n": n, "text": text, "ok": true, "until": nil}})
		v.until("the message", reads("#message-text", text))
	}
	posts := func() string { return value[string](v, `JSON.stringify(__posts)`) }
	message(3, "The first one.")
	v.click("#ok")
	v.stroke(keyEnter)
	if got := posts(); got != "[]" {
		t.Errorf("a message that has just appeared was answered: %s", got)
	}
	v.wait(0.8)
	v.click("#ok")
	v.click("#ok")
	v.stroke(keyEnter)
	message(4, "The second one.")
	v.click("#ok")
	if got := posts(); got != `[{"address":"/screen/ok","body":"{\"message\":3}"}]` {
		t.Errorf("after four touches the screen sent %s", got)
	}
	v.wait(0.8)
	v.run(`__answer = () => Promise.resolve(Response.json({ word: 'PANIC', reason: 'The robot is stopped.' }, { status: 409 }))`)
	v.stroke(keyEnter)
	v.until("the refusal", reads("#refused", "The robot is stopped."))
	v.run(`__answer = () => Promise.reject(new TypeError('no network'))`)
	v.stroke(keyEnter)
	v.until("the page to say that nothing came through", reads("#refused", "That did not reach me. Touch OK again."))
	v.run(`__posts.length = 0`)
	v.show(dict{"mode": "job", "run": paperRun, "message": dict{"n": 5, "text": "Not for you.", "ok": true, "until": nil}, "may": false})
	v.wait(0.8)
	v.stroke(keyEnter)
	if got := posts(); got != "[]" {
		t.Errorf("a screen that may not give OK sent %s", got)
	}
}

// A restarted program numbers the messages of its scripts from 1 again.
func TestAMessageAfterARestartTakesOKThoughItsNumberWasAnsweredBefore(t *testing.T) {
	t.Parallel()
	v := screen(t, open(t), screenFeed)
	ask := func(text string) {
		t.Helper()
		v.show(dict{"message": dict{"n": 1, "text": text, "ok": true, "until": nil}})
		v.until("the message", reads("#message-text", text))
		v.wait(0.8)
		v.run(`__posts.length = 0`)
		v.click("#ok")
		v.until("OK to be sent: "+text, `__posts.length === 1`)
	}
	ask("Before the restart.")
	v.show(dict{})
	v.until("the end of the message", `document.querySelector('#message').hidden`)
	ask("After a short one.")
	v.run(`__cut(); __feed.dispatchEvent(new Event('error'))`)
	v.until("the screen to miss the robot", reads("#status", "No contact"))
	ask("After a long one.")
}

func TestStopOnTheScreenIsSentUntilTheRobotHasIt(t *testing.T) {
	t.Parallel()
	v := screen(t, open(t), screenFeed)
	v.show(dict{"mode": "job", "message": dict{"n": 1, "text": "Touch OK.", "ok": true, "until": nil}})
	v.run(`__answer = () => Promise.reject(new TypeError('no network'))`)
	v.click("#stop")
	v.until("the second try", `__posts.filter((p) => p.address === '/screen/stop').length === 2`)
	v.run(`__answer = () => Promise.resolve(Response.json({ word: 'SUCCESS', reason: '' }))`)
	v.until("the third", `__posts.filter((p) => p.address === '/screen/stop').length === 3`)
	v.wait(1.5)
	v.run(`document.querySelector('#stop').focus()`)
	v.stroke(keyEnter) // with the focus on STOP, Enter is STOP even if a message waits
	v.until("the fourth", `__posts.filter((p) => p.address === '/screen/stop').length === 4`)
	v.wait(0.2)
	v.run(`document.querySelector('#ok').focus()`)
	v.stroke(keySpace) // Space is STOP wherever the focus is
	v.until("the fifth", `__posts.filter((p) => p.address === '/screen/stop').length === 5`)
	if got := value[string](v, `__posts.map((p) => p.address).join(' ')`); got != strings.TrimSpace(strings.Repeat("/screen/stop ", 5)) {
		t.Errorf("the screen sent %s", got)
	}
	v.show(dict{"mode": "stopped", "stop": dict{"by": "someone at the robot's screen"}})
	v.until("the page to say so", reads("#status", "Stopped by someone at the robot's screen")+" && "+reads("#stop", "STOPPED")+" && document.querySelector('#stop').ariaPressed === 'true'")
}

// A half-open connection answers nothing. STOP reaches the robot over another one.
func TestStopOnTheScreenArrivesThoughItsConnectionsAreHalfOpen(t *testing.T) {
	t.Parallel()
	h := open(t)
	network := newProxy(t, h.addr)
	v := arriveAt(t, chromium(t), network.addr, "/screen")
	v.away = true // the browser logs an answer that does not come
	v.until("the robot", reads("#status", "Ready"))
	network.freeze()
	v.click("#stop")
	v.until("the page to say that the robot is stopped", reads("#stop", "STOPPED"))
}

// A person pressed STOP while the robot's program was being updated.
func TestTheScreenSendsItsStopBeforeItLoadsANewVersion(t *testing.T) {
	t.Parallel()
	v := screen(t, open(t), screenFeed)
	v.show(dict{})
	v.until("the robot", reads("#status", "Ready"))
	v.run(`__answer = () => Promise.reject(new TypeError('no network'))`)
	v.click("#stop")
	v.until("the first try", `__posts.length > 0`)
	v.run(`window.__old = true; __show({ build: 'other' })`)
	v.until("the next try", `window.__old && __posts.length > 2`)
	v.run(`__answer = () => Promise.resolve(Response.json({ word: 'SUCCESS', reason: '' }))`)
	v.until("the new version, once the robot has confirmed STOP", `!window.__old && document.readyState === 'complete'`)
}

// speaks gives the page a simulated voice of the browser; the test ends its utterances.
const speaks = `(() => {
	const said = window.__said = [];
	Object.defineProperty(window, 'speechSynthesis', { value: { speak(u) { said.push(u); }, cancel() { const u = said.at(-1); u?.onend?.(); } } });
})()`

func TestAScreenSpeaksForARobotWithoutAVoiceAndSaysWhenItHas(t *testing.T) {
	t.Parallel()
	v := screen(t, open(t), speaks, screenFeed)
	say := func(n int, text string) {
		v.show(dict{"mode": "job", "run": paperRun, "speech": dict{"n": n, "text": text, "voice": "ko+f2", "speed": 0.8, "at": 0, "ms": 1000, "aloud": false}})
		v.until("the caption", reads("#caption", text))
	}
	posts := func() string { return value[string](v, `JSON.stringify(__posts.map((p) => p.body))`) }
	say(7, "Hello!")
	v.until("it to speak", `__said.length === 1`)
	if got := value[string](v, `[__said[0].text, __said[0].lang, __said[0].rate.toFixed(1)].join(' ')`); got != "Hello! ko 0.8" {
		t.Errorf("the screen speaks %s", got)
	}
	v.run(`__said[0].onend()`)
	if got := posts(); got != `["{\"speech\":7}"]` {
		t.Errorf("at the end the screen sent %s", got)
	}
	say(8, "Here is a message.")
	v.show(dict{"mode": "stopped", "stop": dict{"by": "Jin"}}) // interrupted: it counts as not spoken
	v.until("silence", reads("#caption", ""))
	if got := posts(); got != `["{\"speech\":7}"]` {
		t.Errorf("an interrupted speech counts as spoken: %s", got)
	}
	say(9, "Once more.")
	v.run(`__said.at(-1).onerror({ error: 'not-allowed' })`)
	v.until("the page to ask for a touch", reads("#unlock", "Touch the screen once to let it speak"))
	v.click("#face")
	v.until("it to be said after all", `document.querySelector('#unlock').hidden && __said.filter((u) => u.text === 'Once more.').length === 2`)
}

func TestTheMouthMovesWithTheRobotsOwnVoiceOnceTheScreenWasTouched(t *testing.T) {
	t.Parallel()
	h := open(t)
	if _, voices := h.ask("", "GET", "/api/v1/voices", ""); !strings.Contains(voices, `"aloud":true`) {
		t.Skip("there is no espeak-ng")
	}
	v := screen(t, h, screenFeed)
	call(v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "no-preference"}}})
	v.show(dict{})
	v.until("the robot", reads("#status", "Ready"))
	v.settle()
	v.run(`window.__closed = document.querySelector('#face .mouth').getAttribute('d')`)
	v.run(`__show({ mode: 'job', speech: { n: 1, text: 'Hello, I have a message for you.', voice: 'en', speed: 1, at: Date.now(), ms: 60000, aloud: true } })`)
	v.until("the page to ask for a touch", `!document.querySelector('#unlock').hidden`)
	v.until("the mouth to open, though nothing is heard", `document.querySelector('#face .mouth').getAttribute('d') !== __closed`)
	v.run(`__show({ mode: 'job', speech: { n: 2, text: 'Hello, here is another message.', voice: 'en', speed: 1, at: Date.now(), ms: 60000, aloud: true } })`)
	v.click("#face")
	v.until("it to speak", `document.querySelector('#unlock').hidden`)
	v.wait(0.3)
	if value[bool](v, `!document.querySelector('#unlock').hidden`) {
		t.Error("after a touch the speech is still silent")
	}
	v.show(dict{"mode": "job"})
	v.until("the mouth to close", `document.querySelector('#face .mouth').getAttribute('d') === __closed`)
}

func TestTheScreenComesBackWithTheServerAndLoadsItsNewVersion(t *testing.T) {
	t.Parallel()
	v := screen(t, open(t), screenFeed)
	v.show(dict{})
	v.until("the robot", reads("#status", "Ready"))
	v.run(`__cut(); __feed.dispatchEvent(new Event('error'))`)
	v.until("the screen to miss it", reads("#status", "No contact")+` && document.querySelector('#screen').dataset.mood === 'asleep'`)
	v.run(`window.__gone = __feed; __feed.readyState = 2`)
	v.until("a new try", `__feed !== __gone`)
	v.show(dict{"mode": "manual"})
	v.until("the robot again", reads("#status", "Ana is driving"))
	v.run(`__feed.dispatchEvent(new MessageEvent('bye', { data: '"8 screens are open."' })); __cut()`)
	v.until("the reason of a goodbye", reads("#detail", "8 screens are open."))

	v.run(`window.__old = true; __show({ build: 'other' })`)
	v.until("the page to load itself anew", `!window.__old && document.readyState === 'complete'`)
	v.run(`window.__old = true; __show({ build: 'other' })`)
	v.until("it to make do with the page it gets", reads("#status", "Ready")+` && window.__old`)
}

func TestAJobSpeaksShowsAndTakesOKAtTheRobot(t *testing.T) {
	t.Parallel()
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	cookie := h.cookie()
	ana := enter(t, h.addr, cookie, "Ana")
	stop := ana.reads()
	v := screen(t, h)
	v.until("the robot", reads("#status", "Ready"))
	v.until("who has control", reads("#driver", "Ana has control"))
	stop()
	h.begin(cookie, ana, `
		{"type":"MESSAGE","text":"Give me a paper.","ok":true,"seconds":60},
		{"type":"MESSAGE","text":"Give me another one.","ok":true},
		{"type":"WAIT","seconds":60,"ok":true},
		{"type":"MESSAGE","text":"The switch is meant.","ok":true},
		{"type":"VOICE","text":"Thank you."},
		{"type":"MESSAGE","text":"I go now.","seconds":2}`)
	v.until("the first message", reads("#message-text", "Give me a paper.")+` && !document.querySelector('#ok').hidden`)
	v.until("the time that is left", `document.querySelector('#message-left').innerText.endsWith(' s left')`)
	v.picture("screen-real-message")
	v.wait(0.8)
	v.look(window{tablet.name, tablet.width, tablet.height, true}, dark)
	at := v.middle("#ok")
	v.touch(input.DispatchTouchEventTypeTouchStart, at)
	v.touch(input.DispatchTouchEventTypeTouchEnd)
	v.until("the second message", reads("#message-text", "Give me another one."))
	v.wait(0.8)
	v.stroke(keyEnter)
	v.until("the wait", reads("#message-text", "Touch OK and I will continue."))
	v.wait(0.8)
	v.stroke(keyEnter)
	v.until("the message for the switch", reads("#message-text", "The switch is meant."))
	if err := h.driver.PressOK(true); err != nil {
		t.Fatal(err)
	}
	v.until("the caption", reads("#caption", "Thank you."))
	if err := h.driver.PressOK(false); err != nil {
		t.Fatal(err)
	}
	v.until("the last message, which needs no OK", reads("#message-text", "I go now.")+` && document.querySelector('#ok').hidden`)
	v.until("the end of the job", reads("#status", "Ready")+` && document.querySelector('#message').hidden`)

	r := h.run(cookie, 1)
	if r.Phase != "ended" || r.Word != "SUCCESS" && r.Word != "MODIFIED" {
		t.Errorf("the run ended %s %s: %s", r.Phase, r.Word, r.Reason)
	}
	for i, s := range r.Steps {
		if voice := s.Type == "VOICE"; s.State != "FINISHED" || s.Word != "SUCCESS" && !voice {
			t.Errorf("step %d, %s, is %s %s: %s", i+1, s.Type, s.State, s.Word, s.Reason)
		}
	}
}

func TestAPersonAtTheRobotSeesWhereItGoesAndStopsIt(t *testing.T) {
	t.Parallel()
	h := openScene(t, func(s *sim.Scene) { s.People, s.Obstacles, s.Magnets = nil, nil, nil })
	ana := h.enter("Ana")
	stop := ana.reads()
	v := screen(t, h)
	stop()
	ana.until("a state", func(m message) bool { return m.Type == "state" })
	sofa := h.plan.Places[slices.IndexFunc(h.plan.Places, func(p robot.Place) bool { return p.Name == "Sofa" })].Pose
	if m := ana.ask(map[string]any{"type": "goto", "lease": ana.epoch, "goal": []float64{sofa.X, sofa.Y, sofa.Theta}, "name": "Sofa"}); m.Word != robot.Success {
		t.Fatalf("the goal was answered %s: %s", m.Word, m.Reason)
	}
	stop = ana.reads()
	v.until("the screen to say where it goes", reads("#status", "On my way to Sofa"))
	h.awaitMotion()
	v.picture("screen-real-goal")
	v.click("#stop")
	h.awaitStill()
	v.until("the screen to say so", reads("#status", "Stopped by someone at the robot's screen")+" && "+reads("#detail", "Ana can release the stop.")+" && "+reads("#stop", "STOPPED"))
	stop()
	if s := ana.until("the stop", func(m message) bool { return m.Type == "state" && m.Stop != nil }); s.Stop.By != "someone at the robot's screen" {
		t.Errorf("Ana reads that it was stopped by %q", s.Stop.By)
	}
	v.away = true // from here on the browser cannot reach the server
	h.close()
	v.until("the screen to miss the robot", reads("#status", "No contact"))
}
