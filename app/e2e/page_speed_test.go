package e2e_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"

	"mybot/drivers/sim"
)

// measures counts how often a script asks how large something is or how it
// looks: each such question between two changes lays the page out anew.
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

// gaps lets the page draw for so many seconds and returns how long after the
// one before each frame came, in ms, sorted.
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

// A page that draws may not ask how large something is with every frame: each
// such question after a change lays the page out anew.
func TestAFrameAsksForNoLayoutAndNoStyle(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := arriveAt(t, chromium(t), h.addr, "/", watch, measures)
	v.until("the robot", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#auth').hidden`)
	v.sees()
	for _, way := range []string{"beside the map", "in its place"} {
		v.inFront()
		at := v.grab(0.2, 0.9) // in a circle, it can go on
		h.await("the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
		v.wait(1)
		v.run(`for (const name of Object.keys(__asked)) delete __asked[name]`)
		frames := len(v.gaps(3))
		asked := value[map[string]int](v, `__asked`)
		t.Logf("the camera %s: %d frames, asked %v", way, frames, asked)
		for name, n := range asked {
			if n > 12 { // what follows people or the clock, not frames
				t.Errorf("the camera %s: %s was asked %d times in %d frames", way, name, n, frames)
			}
		}
		v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
		h.awaitStill()
		v.run(`document.querySelector('[data-eye=swap]').click()`)
	}
}

// It prints how many frames a second the page draws; docs/benchmarks.md has the
// numbers. A computer that others use as well draws fewer, so it bounds nothing.
func TestThePageDrawsWhileTheRobotIsDriven(t *testing.T) {
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.sees()
	v.inFront()
	for _, rate := range []float64{1, 4} {
		call(v, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate})
		v.press(keyA)
		h.await("the robot to turn", func(t sim.Truth) bool { return t.Twist.Angular > 0.1 })
		gaps := v.gaps(6)
		v.letGo(keyA)
		call(v, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 1})
		h.awaitStill()
		sum := 0.0
		for _, g := range gaps {
			sum += g
		}
		t.Logf("CPU x%.0f: %.1f frames a second, half of them within %.1f ms, 95 %% within %.1f ms; the map took %.2f ms a frame of script", rate,
			1000*float64(len(gaps))/sum, gaps[len(gaps)/2], gaps[len(gaps)*95/100], value[float64](v, `document.querySelector('#map').drawn.total / document.querySelector('#map').drawn.frames`))
	}
}
