package e2e_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
)

// The page comes back by itself, soon, and the robot does not start again by
// itself although the key is still down.
func TestAfterABlackOutThePageIsFreshWithin300Milliseconds(t *testing.T) {
	browser := chromium(t)
	h := open(t)
	way := newProxy(t, h.addr)
	v := visit(t, browser, way.addr)
	v.away = true
	call(v, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	v.press(keyW)
	h.awaitMotion()
	way.black.Store(true)
	at := time.Now()
	stood := h.awaitStill()
	t.Logf("the robot stood %v after the black-out began", time.Since(at).Round(time.Millisecond))
	v.until("the page to say that it has no contact", saysBanner("No contact for"))
	v.run(`(() => {
		const app = document.querySelector('#app');
		__seen.back = new Promise((done) => new MutationObserver(() => { if (app.dataset.conn === 'live') done(Date.now()); }).observe(app, { attributeFilter: ['data-conn'] }));
	})()`)
	<-time.After(time.Until(at.Add(20 * time.Second)))

	healed := time.Now()
	way.black.Store(false)
	back := time.UnixMilli(int64(value[float64](v, `__seen.back`)))
	if took := back.Sub(healed); took > 300*time.Millisecond {
		t.Errorf("a fresh state came %v after the black-out, want 300 ms", took)
	} else {
		t.Logf("a fresh state came %v after the black-out", took)
	}
	v.run(`new Promise((done) => setTimeout(done, 500))`)
	if now := h.driver.Truth().Pose; now.Point().Sub(stood.Pose.Point()).Norm() > 0.02 {
		t.Errorf("the robot moved by itself after the black-out, from %+v to %+v", stood.Pose, now)
	}
	v.letGo(keyW)
	v.until("the page to have control again or to offer it", `document.querySelector('#auth').innerText.trim() !== ''`)
	if value[bool](v, `document.querySelector('#auth').dataset.kind === 'free'`) {
		v.click("#auth button")
		v.until("control", `document.querySelector('#auth').dataset.kind === 'yours'`)
	}
	v.press(keyW)
	h.awaitMotion()
	v.letGo(keyW)
	h.awaitStill()
}
