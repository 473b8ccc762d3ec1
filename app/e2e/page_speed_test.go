package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"mybot/app"
	"mybot/drivers/sim"
)

// measures counts how often a script asks for the size or style of an element: each such query
// between two changes forces a layout.
const measures = `(() => {
	const asked = window.__asked = {};
	const count = (name) => { asked[name] = (asked[name] ?? 0) + 1; };
	for (const [proto, names] of [
		[Element.prototype, ['clientWidth', 'clientHeight', 'clientTop', 'clientLeft', 'scrollWidth', 'scrollHeight', 'scrollTop']],
		[HTMLElement.prototype, ['offsetWidth', 'offsetHeight', 'offsetTop', 'offsetLeft', 'offsetParent', 'innerText']],
	]) for (const name of names) {
		const own = Object.getOwnPropertyDescriptor(proto, name);
		Object.defineProperty(proto, name, { ...own, get() { count(name); return own.get.call(this); } });
	}
	for (const name of ['getBoundingClientRect', 'getClientRects']) {
		const own = Element.prototype[name];
		Element.prototype[name] = function () { count(name); return own.call(this); };
	}
	const style = window.getComputedStyle;
	window.getComputedStyle = (...args) => { count('getComputedStyle'); return style(...args); };
})()`

// gaps lets the page draw for a number of seconds and returns the times between frames, in ms,
// sorted.
func (v *visitor) gaps(seconds float64) []float64 {
	v.t.Helper()
	gaps := value[[]float64](v, fmt.Sprintf(`new Promise((done) => {
		const gaps = [], began = performance.now();
		let last = began;
		requestAnimationFrame(function next(t) {
			gaps.push(t - last);
			last = t;
			if (performance.now() - began < %v) requestAnimationFrame(next);
			else done(gaps);
		});
	})`, seconds*1000))
	return slices.Sorted(slices.Values(gaps[1:]))
}

// A page may not query sizes in every frame while it draws: each query after a change forces a
// layout.
func TestAFrameAsksForNoLayoutAndNoStyle(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := arriveAt(t, chromium(t), h.addr, "/", watch, measures)
	v.until("the robot", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
	v.sees()
	for _, where := range []string{"beside the map", "in its place"} {
		v.inFront()
		circle := byStick(0.2, 0.9) // it need not end
		h.driveUntil(v, circle, "the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
		v.wait(1)
		v.run(`for (const name of Object.keys(__asked)) delete __asked[name]`)
		frames := len(v.gaps(3))
		asked := value[map[string]int](v, `__asked`)
		t.Logf("the camera %s: %d frames, asked %v", where, frames, asked)
		for name, n := range asked {
			if n > 12 { // caused by people or the clock, not by frames
				t.Errorf("the camera %s: %s was queried %d times in %d frames", where, name, n, frames)
			}
		}
		circle.release(v)
		h.awaitStill()
		v.run(`document.querySelector('[data-eye=swap]').click()`)
	}
}

// The page does not write unchanged attributes, because each write restyles the element. While
// the robot turns in place the floor under it is not repainted.
func TestAFrameWritesOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := arriveAt(t, chromium(t), h.addr, "/", watch, `(() => {
		const show = ImageBitmapRenderingContext.prototype.transferFromImageBitmap;
		window.__floors = 0;
		ImageBitmapRenderingContext.prototype.transferFromImageBitmap = function (...a) { __floors++; return show.apply(this, a); };
	})()`)
	v.until("the robot", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
	v.sees()
	v.inFront()
	h.driveUntil(v, byA, "the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
	v.wait(1)
	seen := value[struct {
		Frames, Floors int
		Again          map[string]int
	}](v, `new Promise((done) => {
		const again = {}, floors = __floors;
		let frames = 0;
		requestAnimationFrame(function next() { frames++; requestAnimationFrame(next); });
		const o = new MutationObserver((records) => {
			const after = new Map(); // the newest value first: each record holds the one before
			for (const r of records.reverse()) {
				const name = (r.target.id || r.target.getAttribute('class') || r.target.tagName) + ' ' + r.attributeName;
				const own = after.get(r.target) ?? after.set(r.target, {}).get(r.target);
				const value = r.attributeName in own ? own[r.attributeName] : r.target.getAttribute(r.attributeName);
				if (value === r.oldValue) again[name] = (again[name] ?? 0) + 1;
				own[r.attributeName] = r.oldValue;
			}
		});
		o.observe(document, { subtree: true, attributes: true, attributeOldValue: true });
		setTimeout(() => { o.disconnect(); done({ Frames: frames, Floors: __floors - floors, Again: again }); }, 3000);
	})`)
	t.Logf("%d frames, the floor painted %d times, written again: %v", seen.Frames, seen.Floors, seen.Again)
	v.letGo(keyA)
	h.awaitStill()
	most := 20 // in 3 s, from a clock that runs five times a second, not from states or frames
	for name, n := range seen.Again {
		if n > most {
			t.Errorf("%s was written %d times without a change", name, n)
		}
	}
	if seen.Floors > 1 {
		t.Errorf("the floor was painted %d times in %d frames", seen.Floors, seen.Frames)
	}
}

// mainThread returns the CPU time that the page's main thread has used, in ms.
func (v *visitor) mainThread() float64 {
	v.t.Helper()
	r, err := chromedp.Call(v.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		v.t.Fatal(err)
	}
	for _, m := range r.Metrics {
		if m.Name == "TaskDuration" {
			return 1000 * m.Value
		}
	}
	v.t.Fatal("the browser does not report TaskDuration")
	return 0
}

// maxFrame is the most CPU time of the main thread for a frame, in ms, that allows 30 frames a
// second on a processor that is four times as slow.
const maxFrame = 1000.0 / 30 / 4

// The frame rate of the page depends on what else the computer does, so it is only logged, with
// the main thread's share of a core; docs/benchmarks.md has the numbers. The test bounds the
// CPU time of a frame. If a busy computer skips frames, the cost of states and clocks falls on
// fewer of them, but not in every attempt.
func TestThePageDrawsWhileTheRobotIsDriven(t *testing.T) {
	for range 3 {
		cheap := true
		for what, frame := range drawnFrames(t, 1) {
			if frame > maxFrame {
				cheap = false
				t.Logf("%s: a frame costs the main thread %.2f ms of CPU, want %.2f", what, frame, maxFrame)
			}
		}
		if cheap {
			return
		}
	}
	t.Error("a frame cost the main thread too much three times in a row")
}

// On a processor that is four times as slow the numbers are only logged.
func TestSoakThePageDrawsOnASlowProcessor(t *testing.T) {
	if os.Getenv("MYBOT_LONG") == "" {
		t.Skip("it bounds nothing; ./test long runs it")
	}
	drawnFrames(t, 4)
}

// drawnFrames makes a person turn the robot, on a processor slowed by a factor, with and
// without the camera. It returns the cost of a frame on the page's main thread, in ms of CPU.
func drawnFrames(t *testing.T, slower float64) map[string]float64 {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long; -short leaves it out")
	}
	browser, end := startChromiumAt(t, 0) // a driver's computer does nothing else
	defer func() { _ = end() }()
	cost := map[string]float64{}
	for _, c := range []struct {
		name   string
		change []func(*app.Config)
	}{{"with the camera", []func(*app.Config){sighted}}, {"without", nil}} {
		t.Run(c.name, func(t *testing.T) { // which closes its page
			h := open(t, c.change...)
			v := visit(t, browser, h.addr)
			if c.change != nil {
				v.sees()
			}
			v.inFront()
			call(v, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
			call(v, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slower})
			h.driveUntil(v, byA, "the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
			v.wait(2) // until its code is compiled
			before := v.mainThread()
			gaps := v.gaps(6)
			used := v.mainThread() - before
			v.letGo(keyA)
			call(v, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 1})
			h.awaitStill()
			sum := 0.0
			for _, g := range gaps {
				sum += g
			}
			cost[c.name] = used / float64(len(gaps))
			t.Logf("%s, CPU x%.0f: %.1f frames a second, half of them within %.1f ms, 95 %% within %.1f ms; %.2f ms of CPU a frame, %.0f %% of a core", c.name, slower,
				1000*float64(len(gaps))/sum, gaps[len(gaps)/2], gaps[len(gaps)*95/100], cost[c.name], 100*used/sum)
		})
	}
	return cost
}

// A view without a size has every wall in one pixel: with 84,000 of them, painting it took a
// minute.
func TestTheFloorIsFirstPaintedAtTheSizeOfTheMap(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := arriveAt(t, chromium(t), h.addr, "/", watch, `
		window.__painted = [];
		const { transferToImageBitmap } = OffscreenCanvas.prototype;
		OffscreenCanvas.prototype.transferToImageBitmap = function () { __painted.push(this.width); return transferToImageBitmap.call(this); };`)
	v.until("the floor", `__painted.length > 0`)
	if first, wide := value[int](v, `__painted[0]`), value[int](v, `document.querySelector('#map').clientWidth`); first < wide {
		t.Errorf("the floor was first painted %d px wide; the map has %d", first, wide)
	}
}
