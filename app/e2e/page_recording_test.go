package e2e_test

import (
	"fmt"
	"net"
	"testing"

	"mybot/app"
)

// marked tests whether the page shows "Recording" visibly: wholly in the window and uncovered.
const marked = `(() => {
	const e = document.querySelector('#rec'), r = e.getBoundingClientRect();
	return e.checkVisibility() && e.innerText.includes('Recording') && e.scrollWidth <= e.clientWidth + 1 &&
		r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight && e.contains(document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2));
})()`

func TestARecordingIsMarkedOnEveryPageUntilItIsStopped(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := openToAll(t, func(c *app.Config) { c.DataDir = t.TempDir() })
	ana := s.comes(browser, s.invitation.Link, "", "Ana") // an admin
	kim := s.comes(browser, ana.shares(), "", "Kim")      // an observer
	ana.stroke(keyEsc)
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	display := arriveAt(t, browser, net.JoinHostPort("127.0.0.1", port), "/screen")
	pages := map[string]*visitor{"of the admin": ana, "of an observer": kim, "of the robot": display}
	ana.work("motions")
	press := func(name string) {
		ana.t.Helper()
		ana.run(fmt.Sprintf(`[...document.querySelectorAll('#recordings button')].find((b) => b.checkVisibility() && b.textContent === %q).click()`, name))
	}
	ana.until("the recordings", `document.querySelector('#recordings .says').innerText === 'Nothing is being recorded.'`)
	for whose, v := range pages {
		v.until("no mark on the page "+whose, `document.querySelector('#rec').hidden`)
	}

	press("Start recording")
	for _, v := range []*visitor{ana, kim, display} {
		v.until("the mark", `!document.querySelector('#rec').hidden`)
	}
	for whose, v := range pages {
		for _, w := range []window{desktop, tablet, phone, landscape} {
			for _, theme := range []string{dark, light} {
				v.look(w, theme)
				v.settle()
				if !value[bool](v, marked) {
					v.t.Errorf("on a %s in %s the page %s does not show the recording", w.name, theme, whose)
				}
				if whose == "of the admin" && value[bool](v, `(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)(document.querySelector('#pill .t'))`) {
					v.t.Errorf("on a %s the mark hides the robot's state", w.name)
				}
				name := map[*visitor]string{ana: "recording", kim: "recording-observer", display: "recording-screen"}[v]
				v.picture(name + "-" + w.name + "-" + theme)
				if v != display {
					v.stopInReach(w.name)
				}
			}
		}
		v.look(desktop, dark)
	}
	ana.until("the file that is being written", `document.querySelector('#recordings li small').innerText.includes('being written')`)

	press("Stop recording")
	for whose, v := range pages {
		v.until("no mark on the page "+whose, `document.querySelector('#rec').hidden`)
	}
	ana.until("the file", `document.querySelectorAll('#recordings li').length === 1 && !document.querySelector('#recordings li small').innerText.includes('being written')`)
	const magic = `\x89MCAP0\r\n`
	if got := value[string](ana, `(async () => {
		const answer = await fetch(document.querySelector('#recordings li a').href);
		const bytes = new Uint8Array(await answer.arrayBuffer()), whole = String.fromCharCode(...bytes.slice(0, 8)) + String.fromCharCode(...bytes.slice(-8));
		return answer.status + ' ' + (bytes.length > 2000) + ' ' + (whole === '`+magic+magic+`');
	})()`); got != "200 true true" {
		t.Errorf("the download was answered %s", got)
	}
	press("Delete")
	ana.until("no file", `document.querySelectorAll('#recordings li').length === 0`)
	for _, v := range pages {
		v.check()
	}
}

// The list of recordings is redrawn whenever one begins, ends or is deleted. Outside of it the keys would drive.
func TestTheFocusStaysAmongTheRecordings(t *testing.T) {
	t.Parallel()
	s := openToAll(t, func(c *app.Config) { c.DataDir = t.TempDir() })
	ana := s.comes(chromium(t), s.invitation.Link, "", "Ana") // an admin
	ana.inFront()
	ana.work("motions")
	const focused = `document.activeElement.textContent`
	for range 2 {
		ana.until("the end of the recording before", `!document.querySelector('#recordings button').hidden`)
		ana.tabTo("#recordings button")
		ana.stroke(keyEnter)
		ana.until("the focus on what stops it", focused+` === 'Stop recording'`)
		ana.until("the file that is being written", `document.querySelector('#recordings li small')?.innerText.includes('being written')`)
		ana.stroke(keyEnter)
		ana.until("the focus on what starts another", focused+` === 'Start recording'`)
	}
	ana.until("both files", `document.querySelectorAll('#recordings li').length === 2 && !document.querySelector('#recordings ul').innerText.includes('being written')`)
	ana.settle()
	for _, want := range []string{"document.querySelector('#recordings li a')", "document.querySelector('#body')"} {
		n := value[int](ana, `document.querySelectorAll('#recordings li').length`)
		ana.tabTo("#recordings li button")
		ana.stroke(keyEnter)
		ana.until("one file less", fmt.Sprintf(`document.querySelectorAll('#recordings li').length === %d`, n-1))
		ana.until("the focus on another one, or on the panel", `document.activeElement === `+want)
	}
}
