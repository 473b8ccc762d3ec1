package e2e_test

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/link"
	"mybot/robot"
)

// ears records what the page receives from the robot, when, and its prediction at that time.
const ears = `(() => {
	const heard = window.__heard = { states: [], holds: [], links: [], last: null };
	const predicted = () => document.querySelector('#map')?.predicted?.() ?? null;
	setInterval(() => { heard.last = predicted()?.pose ?? heard.last; }, 10);
	const listen = (e) => {
		const m = JSON.parse(e.data);
		if (m.type === 'hold') heard.holds.push(m);
		if (m.type === 'event' && m.kind === 'link') heard.links.push(m);
		if (m.type !== 'state') return;
		const p = predicted();
		heard.states.push({ at: performance.now() / 1000, t: m.t, seq: m.seq, pose: m.pose, twist: m.twist, play: m.play, ghost: p?.pose ?? null, lead: p?.lead ?? 0, shown: p?.shown ?? false, rtt: parseFloat(document.querySelector('#delay [data-of=rtt]')?.textContent) / 1000 });
	};
	const set = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage').set;
	Object.defineProperty(WebSocket.prototype, 'onmessage', { set(f) { set.call(this, (e) => { f(e); listen(e); }); } });
})()`

// glimpse is one state as received by the page.
type glimpse struct {
	At, T float64 // reception by the page, and time of the state, s, each by its own clock
	Seq   int
	Pose  [3]float64
	Twist [2]float64
	Play  *struct {
		Policy  string
		Lead    float64
		Stalled bool
		Error   float64
	}
	Ghost *[3]float64
	Lead  float64
	Shown bool
	RTT   float64
}

func (v *visitor) glimpses() []glimpse {
	v.t.Helper()
	return value[[]glimpse](v, `__heard.states`)
}

// visitWith opens the page of a robot over a network and records what it receives.
func visitWith(t *testing.T, browser context.Context, profile string) (*testServer, *visitor) {
	t.Helper()
	var p link.Profile
	if profile != "" {
		var err error
		if p, err = link.ParseProfile(profile); err != nil {
			t.Fatal(err)
		}
	}
	h := open(t, func(c *app.Config) { c.Link = p })
	v := arrive(t, browser, h.addr)
	v.onLoad(ears)
	v.open()
	v.until("the page to show the robot", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden && __heard.states.length > 3`)
	return h, v
}

// wait waits a number of seconds in the page.
func (v *visitor) wait(seconds float64) {
	v.t.Helper()
	v.run(fmt.Sprintf(`new Promise((done) => setTimeout(done, %v))`, seconds*1000))
}

func median(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[len(xs)/2]
}

// apartFrom is the robot's true distance from a pose, in m.
func apartFrom(t sim.Truth, pose [3]float64) float64 {
	return math.Hypot(t.Pose.X-pose[0], t.Pose.Y-pose[1])
}

// delayStates are the states of driving over a bad network.
var delayStates = []state{
	{"predicted", func(t *testing.T, browser context.Context) *visitor {
		_, v := visitWith(t, browser, "rtt=900ms")
		v.inFront()
		v.holdUntil(byStick(0.4, 0.8), "the ghost", `__heard.states.at(-1).shown && __heard.states.at(-1).lead > 0.05`) // in a circle, so that it need not end
		return v
	}},
	{"against", func(t *testing.T, browser context.Context) *visitor {
		_, v := visitWith(t, browser, "rtt=900ms,jitter=40ms")
		v.run(`document.querySelector('#compensation').click(), document.querySelector('#net summary').click()`)
		v.until("the network in its menu", `document.querySelector('#net [name=rtt]').value === '900'`)
		v.until("the page to say so", `document.querySelector('#delay-note').textContent !== ''`)
		return v
	}},
}

func TestThePredictedRobotLeadsTheRobotByTheDelay(t *testing.T) {
	browser := chromium(t)
	for _, roundTrip := range []int{300, 900} {
		t.Run(fmt.Sprintf("%d ms", roundTrip), func(t *testing.T) {
			_, v := visitWith(t, browser, fmt.Sprintf("rtt=%dms", roundTrip))
			v.until("the round trip to be known", fmt.Sprintf(`parseFloat(document.querySelector('#delay [data-of=rtt]').textContent) >= %d`, roundTrip))
			const bound = 0.02 // m
			var off float64
			for range 3 { // a busy computer measures the round trip late
				if off = v.aheadOfDelay(); math.Abs(off) <= bound {
					return
				}
			}
			t.Errorf("the ghost leads by %.3f m more than the delay explains, want at most %.2f m", off, bound)
		})
	}
}

// aheadOfDelay drives ahead for a moment and returns by how much the ghost leads the robot by more
// than the delay explains, in m.
func (v *visitor) aheadOfDelay() float64 {
	v.t.Helper()
	seen := value[int](v, `__heard.states.length`)
	v.holdUntil(byW, "the robot to drive on", fmt.Sprintf(`__heard.states.slice(%d).filter((s) => s.shown && s.twist[0] > 0.25).length >= 30`, seen))
	all := v.glimpses()
	v.letGo(keyW)
	all = all[len(all)-20:]
	soonest := math.Inf(1)
	for _, g := range all {
		soonest = min(soonest, g.At-g.T)
	}
	var off []float64
	for _, g := range all {
		if g.Ghost == nil || g.Play == nil || !g.Shown {
			v.t.Fatalf("no ghost while the robot drives: %+v", g)
		}
		late := g.At - g.T - soonest // a busy browser handles some states late
		off = append(off, g.Lead-0.3*(g.RTT+g.Play.Lead+late))
	}
	v.t.Logf("off by %.3f m", median(off))
	return median(off)
}

func TestTheRobotEndsWhereTheVirtualRobotStands(t *testing.T) {
	h, v := visitWith(t, chromium(t), "kaist-davis")
	start := h.driver.Truth().Pose
	v.press(keyW)
	v.wait(2.5)
	v.press(keyA)
	v.wait(1)
	v.letGo(keyA)
	v.wait(2)
	v.letGo(keyW)
	v.until("the robot to have come", `document.querySelector('#map').predicted() === null`)
	end := value[[3]float64](v, `__heard.last`) // before the robot has arrived
	truth := h.awaitStill()
	if distance := math.Hypot(truth.Pose.X-start.X, truth.Pose.Y-start.Y); distance < 1 {
		t.Errorf("the robot only drove %.2f m", distance)
	}
	off := apartFrom(truth, end)
	t.Logf("%.3f m apart in the end", off)
	if off > 0.05 {
		t.Errorf("the robot stopped %.3f m from the virtual robot, want at most 0.05 m", off)
	}
}

func TestAStallExecutesNothingStaleOfThePage(t *testing.T) {
	t.Parallel()
	h, v := visitWith(t, chromium(t), "rtt=60ms")
	h.drivenBy(v, byW)
	v.until("a ghost", `__heard.states.at(-1).shown`)
	v.run(`(() => { // the way up is shut for 3 s; then all that waited goes out at once. The hand lets go before
		const send = WebSocket.prototype.send;
		const late = [];
		WebSocket.prototype.send = function (text) { late.push([this, text]); };
		RTCDataChannel.prototype.send = function () {};
		setTimeout(() => { WebSocket.prototype.send = send; for (const [s, text] of late) if (s.readyState === 1) send.call(s, text); window.__over = Date.now(); }, 3000);
		setTimeout(() => document.dispatchEvent(new KeyboardEvent('keyup', { code: 'KeyW', bubbles: true })), 2000);
	})()`)
	h.awaitStill()
	before, stood := h.driver.Truth().Pose, time.Unix(0, h.moved.Load())
	v.until("the stall to be over", `window.__over > 0`)
	if over := time.UnixMilli(int64(value[float64](v, `window.__over`))); stood.After(over) {
		t.Errorf("the robot stopped %v after the end of the stall", stood.Sub(over))
	}
	v.letGo(keyW)
	v.wait(1.5)
	after := h.driver.Truth().Pose
	if moved := math.Hypot(after.X-before.X, after.Y-before.Y); moved > 0.01 {
		t.Errorf("stale samples moved the robot %.3f m after the stall", moved)
	}
	// The page closes the link after 1.5 s without contact, before the robot holds after 2.5 s;
	// TestNothingStaleIsExecutedThroughTheWholeProgram tests the hold.
	v.until("the page to be at rest", `document.querySelector('#map').predicted() === null`)
	h.drivenBy(v, byW) // it continues from where it is
	v.letGo(keyW)
	h.awaitStill()
}

func TestWithoutCompensationAPersonDrivesAgainstTheDelay(t *testing.T) {
	h, v := visitWith(t, chromium(t), "rtt=300ms")
	v.click("#compensation")
	v.until("the page to say so", `document.querySelector('#delay-note').textContent.startsWith('Compensation is off')`)
	h.drivenBy(v, byW)
	v.until("the robot to say so", `__heard.states.at(-1).play?.policy === 'direct'`)
	if value[bool](v, `__seen.sent.some((m) => m.type === 'drive' && m.vr !== undefined)`) {
		t.Error("a page without compensation sent a virtual pose")
	}
	if value[bool](v, `document.querySelector('#map').predicted() !== null`) {
		t.Error("a page without compensation shows a ghost")
	}
	v.letGo(keyW)
	v.endsInZero("keyup")
	h.awaitStill()
	v.click("#compensation")
	h.drivenBy(v, byW)
	v.until("a ghost", `__heard.states.at(-1).shown`)
	v.letGo(keyW)
	h.awaitStill()
}

func TestAHoldTakesTheVirtualRobotBackAndWantsANeutralSample(t *testing.T) {
	t.Parallel()
	h, v := visitWith(t, chromium(t), "rtt=300ms")
	ahead, back := byStick(0.9, 0), byStick(-0.9, 0)
	h.drivenBy(v, ahead)
	v.until("a lead", `__heard.states.at(-1).lead > 0.1`)
	truth := h.driver.Truth()
	// A person steps into its path, too near for the guard to let it pass.
	if _, err := h.driver.AddThing(sim.ObstacleKind, robot.Point{X: truth.Pose.X + 0.75, Y: truth.Pose.Y}, 0.2); err != nil {
		t.Fatal(err)
	}
	v.until("the hold", `__heard.holds.length > 0 && __heard.holds.at(-1).pose !== null`)
	v.picture("drive-hold")
	v.until("the page to ask for a neutral hand", `document.querySelector('#drive-how').textContent.includes('Let go, then press again')`)
	v.until("no ghost", `document.querySelector('#map').predicted() === null`)
	h.awaitStill()
	before := v.drives()
	v.wait(0.5)
	if after := v.drives(); after != before {
		t.Errorf("the page sent %d samples after the hold, though the driver has not let go", after-before)
	}
	ahead.release(v)
	h.driveUntil(v, back, "the robot to go back", func(t sim.Truth) bool { return t.Twist.Linear < -0.05 })
	back.release(v)
	h.awaitStill()
}

func TestThePersonInControlImpairsTheNetworkOfTheSimulator(t *testing.T) {
	t.Parallel()
	_, v := visitWith(t, chromium(t), "")
	v.push("#net summary") // it moves while the page fills
	v.until("the menu", `document.querySelector('#net button[value=kaist-davis]').onclick !== null`)
	v.run(`document.querySelector('#net button[value=kaist-davis]').click()`)
	v.until("the robot to say so", `__heard.links.at(-1)?.name === 'kaist-davis' && document.querySelector('#net [name=rtt]').value === '310'`)
	v.until("the delay", `parseFloat(document.querySelector('#delay [data-of=rtt]').textContent) > 250`)
	v.run(`(() => { const f = document.querySelector('#net form'); f.rtt.value = '900'; f.jitter.value = f.loss.value = ''; f.requestSubmit(); })()`)
	v.until("a longer delay", `parseFloat(document.querySelector('#delay [data-of=rtt]').textContent) > 850`)
	v.until("a gentler speed", `document.querySelector('#delay-note').textContent.includes('0.30 m/s') || document.querySelector('#speed-limit').valueAsNumber <= 0.3`)
	v.run(`(() => { const f = document.querySelector('#net form'); f.rtt.value = 'soon'; f.requestSubmit(); })()`)
	v.until("why that is no network", `document.querySelector('#net .says').textContent.includes('enter a number from 0 to 10000')`)
	v.run(`document.querySelector('#net button[value=off]').click()`)
	v.until("the delay to be over", `parseFloat(document.querySelector('#delay [data-of=rtt]').textContent) < 100`)
}

// The delay behind the robot was shown nowhere, the chart had no scale, the clock's offset was
// shown in hundreds of thousands of ms, and a driver over TCP alone did not see why the robot
// held.
func TestTheDelayCardTellsSecondsBehindItsScaleAndWhatHelps(t *testing.T) {
	t.Parallel()
	profile, err := link.ParseProfile("rtt=700ms")
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, func(c *app.Config) { c.Link = profile })
	v := arrive(t, chromium(t), h.addr)
	v.onLoad(`delete window.RTCPeerConnection`)
	v.open()
	v.until("control", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
	v.until("what helps", `document.querySelector('#delay-note').textContent.includes('Allow UDP to it.')`)
	v.holdUntil(byW, "the seconds behind", `(() => { const s = parseFloat(document.querySelector('#delay [data-of=behind]').textContent); return s > 0.3 && s < 2.5; })()`)
	v.letGo(keyW)
	h.awaitStill()
	v.run(`document.querySelector('#link').click()`)
	v.until("the scales", `[...document.querySelectorAll('.chart')].every((c) => { const [, all, line] = c.innerText.replace(/\s+/g, ' ').trim().match(/^(\d+) ms (\d+) ms$/) ?? []; return all >= 1000 && line == 500; })`) // 1,000 ms, or more if one round trip took longer
	v.until("the clock's offset", `document.querySelector('#link-card [data-of=offset]').textContent.includes('±')`)
	if got := value[string](v, `document.querySelector('#link-card [data-of=offset]').textContent`); !regexp.MustCompile(`^−?(\d{1,3} ms|\d+\.\d s|\d+ min|\d+ h \d+ min) ±\d+ ms$`).MatchString(got) {
		t.Errorf("the clock's offset is %q", got)
	}
	for _, w := range []window{desktop, laptop, tablet} {
		v.look(w, dark)
		v.settle()
		if wide := value[string](v, `[...document.querySelectorAll('.cells dt, .cells dd')].filter((e) => e.scrollWidth > e.parentElement.clientWidth - 8).map((e) => e.innerText).join(', ')`); wide != "" {
			t.Errorf("%s: too wide: %s", w.name, wide)
		}
	}
	v.run(`document.querySelector('#delay').scrollIntoView({ block: 'end' })`)
	v.pictures("delay-card")
}

// Over a long delay, the page once reported an obstacle in an empty corridor: it took the
// outcome of the previous press for that of the current one.
func TestWhatBecameOfAnOldPressHoldsNoNewOne(t *testing.T) {
	t.Parallel()
	h := open(t, func(c *app.Config) { c.Link = link.Profile{RoundTrip: 1200 * time.Millisecond} })
	v := arrive(t, chromium(t), h.addr)
	v.onLoad(`(() => {
		const own = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
		Object.defineProperty(MessageEvent.prototype, 'data', { ...own, get() {
			const data = own.get.call(this);
			if (typeof data !== 'string' || !data.includes('"type":"state"')) return data;
			const m = JSON.parse(data);
			if (m.seq === 0) m.drive = { asked: [0.3, 0], given: [0, 0], word: 'MODIFIED', reason: 'Stopped. Something is 0.19 m ahead.' };
			window.__seq = m.seq;
			return JSON.stringify(m);
		} });
		window.__pills = [];
		document.addEventListener('DOMContentLoaded', () => new MutationObserver(() => __pills.push(document.querySelector('#pill .t').textContent)).observe(document.querySelector('#pill'), { subtree: true, childList: true, characterData: true }));
	})()`)
	v.open()
	v.until("control", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden && __seq === 0`)
	v.holdUntil(byW, "the robot to have heard of it", `__seq > 3`)
	v.letGo(keyW)
	h.awaitStill()
	if got := value[string](v, `__pills.join('; ')`); strings.Contains(got, "Held") {
		t.Errorf("the page says %s", got)
	}
}
