package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"mybot/app"
)

// The page reconnects soon by itself, and the robot does not start by itself although the key
// is still held. The black-out drops all that the page sends, by the WebSocket and by the data
// channel.
func TestAfterABlackOutThePageIsFreshWithin300Milliseconds(t *testing.T) {
	h := open(t)
	network := newProxy(t, h.addr)
	v := visitWithChannel(t, network.addr)
	v.away = true
	call(v, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	v.drivesGently()
	h.drivenBy(v, byW)
	v.run(`__seen.cut = true`)
	network.swallow(true)
	at := time.Now()
	if took := h.timeToStand(at); took > maxToStand {
		t.Errorf("the robot stopped %v after the black-out began, want %v", took, maxToStand)
	} else {
		t.Logf("the robot stood %v after the black-out began", took)
	}
	stood := h.driver.Truth()
	v.until("the page to say that it has no contact", saysBanner("No contact for"))
	v.run(`(() => {
		const app = document.querySelector('#app');
		__seen.back = new Promise((done) => new MutationObserver(() => { if (app.dataset.conn === 'live') done(Date.now()); }).observe(app, { attributeFilter: ['data-conn'] }));
	})()`)
	<-time.After(time.Until(at.Add(20 * time.Second)))

	v.run(`__seen.cut = false`)
	healed := time.Now()
	network.swallow(false)
	back := time.UnixMilli(int64(value[float64](v, `__seen.back`)))
	if took := back.Sub(healed); took > 300*time.Millisecond {
		t.Errorf("a fresh state arrived %v after the black-out, want 300 ms", took)
	} else {
		t.Logf("a fresh state came %v after the black-out", took)
	}
	v.until("the page to say for how long it waited", saysToast("Back after 2")) // 20 s, or a little more
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
	h.drivenBy(v, byW)
	v.letGo(keyW)
	h.awaitStill()
}

// With a dead WebSocket and a live channel the samples arrive, but the page receives no states:
// it stops driving when it reports that.
func TestAPageThatHearsNothingOfTheRobotStopsIt(t *testing.T) {
	h := open(t)
	network := newProxy(t, h.addr)
	v := visitWithChannel(t, network.addr)
	v.away = true
	v.run(`(() => {
		const app = document.querySelector('#app');
		__seen.lost = new Promise((done) => new MutationObserver(() => { if (app.dataset.conn === 'lost') done(Date.now()); }).observe(app, { attributeFilter: ['data-conn'] }));
	})()`)
	v.inFront()
	v.drivesGently()
	h.drivenBy(v, byW)
	black := time.Now()
	network.swallow(true)
	lost := time.UnixMilli(int64(value[float64](v, `__seen.lost`)))
	took := h.timeToStand(lost)
	if took > maxToStand {
		t.Errorf("the robot stopped %v after the page lost contact, want %v", took, maxToStand)
	}
	t.Logf("the page said so %v after the WebSocket was black, and the robot stood %v later", lost.Sub(black).Round(time.Millisecond), took)
	v.letGo(keyW)
}

func TestAPageThatFindsTheRobotFullSaysSoAndComesInOnceThereIsRoom(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, func(cfg *app.Config) { cfg.Limits.Sockets = 1 })
	ana := h.enter("Ana")
	ana.reads()
	v := arrive(t, browser, h.addr)
	v.until("why it does not come in", saysBanner("Too many connections to this robot are open. Close some of its pages."))
	_ = ana.conn.CloseNow()
	v.until("the robot", `document.querySelector('#app').dataset.conn === 'live'`)
}

func TestAPageInABrowserThatRefusesCookiesSaysSo(t *testing.T) {
	t.Parallel()
	_ = chromium(t) // skips the test where there is none
	profile := t.TempDir()
	if err := os.MkdirAll(filepath.Join(profile, "Default"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "Default", "Preferences"), []byte(`{"profile":{"default_content_setting_values":{"cookies":2}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	browser, end := startChromium(t, chromedp.UserDataDir(profile))
	t.Cleanup(func() { _ = end() }) // it is not needed any more
	h := open(t)
	v := newVisitor(t, browser, h.addr, "/")
	v.away = true // the browser logs that the robot refuses the WebSocket
	v.open()
	v.until("the reason", saysBanner("This browser refuses the cookie by which the robot knows it.")+` && document.querySelector('#banner').innerText.includes('Reload')`)
	ana := h.enter("Ana")
	v.press(keySpace)
	v.letGo(keySpace)
	ana.until("the stop", func(m message) bool { return m.Type == "state" && m.Stop != nil })
}
