package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
)

func TestAnAdminIsAskedOnceWhoGoesWithADevice(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := openToAll(t)
	lee := s.comes(browser, s.invitation.Link, "", "Lee")
	ana := s.comes(browser, "", s.invitation.PIN, "Ana")
	link := ana.shares()
	kim, oda := s.comes(browser, link, "", "Kim"), s.comes(browser, link, "", "Oda")
	kim.away, oda.away, ana.away = true, true, true // the browser logs refused connections
	if value[bool](ana, `!document.querySelector('#devices').hidden`) {
		t.Error("an operator sees the devices")
	}
	revoke := func(name, how string) {
		t.Helper()
		lee.until("the device of "+name, `[...document.querySelectorAll('#devices li b')].some((b) => b.textContent === '`+name+`')`)
		lee.run(`[...document.querySelectorAll('#devices li')].find((li) => li.querySelector('b')?.textContent === '` + name + `').querySelector('button').click()`)
		lee.until("the question", `document.querySelector('#devices .box') !== null`)
		lee.picture("devices-" + name)
		lee.run(`document.querySelector('#devices .box ` + how + `').click()`)
		lee.until("the answer", saysToast("The access of "+name+" has ended."))
	}
	const gone = "Your access to this robot has been revoked."
	lee.click("#share-open")
	revoke("Oda", ".alone")
	oda.until("Oda to be sent away", saysBanner(gone))
	if value[bool](kim, saysBanner(gone)) || value[bool](ana, saysBanner(gone)) {
		t.Error("others lost access with Oda")
	}
	revoke("Ana", ".both")
	ana.until("Ana to be sent away", saysBanner(gone))
	ana.click("#banner button:not(.other)")
	ana.until("Ana's page to say that she is not let in", saysBanner("The robot does not know you."))
	ana.click("#banner button:not(.other)")
	ana.lands("the way in", `location.pathname === '/pair'`)
	kim.until("Kim to go with her", saysBanner(gone))
	lee.until("the others to be gone", `[...document.querySelectorAll('#devices li b')].map((b) => b.textContent).join() === 'Lee'`)
	lee.look(phone, light)
	lee.settle()
	lee.picture("devices-phone")
}

// A double click on the answer revokes one access, once, and the focus stays among the devices.
func TestARevocationIsAskedForOnceAndLeavesTheFocusInTheSheet(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := openToAll(t)
	lee := s.comes(browser, s.invitation.Link, "", "Lee")
	ana := s.comes(browser, "", s.invitation.PIN, "Ana")
	ana.away = true // the browser logs refused connections
	lee.inFront()
	lee.click("#share-open")
	lee.until("the devices", `document.querySelectorAll('#devices li').length === 2`)
	lee.run(`[...document.querySelectorAll('#devices li')].find((li) => li.innerText.includes('Ana')).querySelector('button').click()`)
	lee.run(`(() => { const ask = window.fetch, asked = __seen.asked = []; window.fetch = (path, init) => { if (init?.method === 'DELETE') asked.push(path); return ask(path, init); }; })()`)
	lee.run(`document.querySelector('#devices .alone').scrollIntoView()`)
	at := lee.middle("#devices .alone")
	for n := range int64(2) {
		p := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: n + 1}
		call(lee, input.DispatchMouseEvent, p)
		p.Type, p.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
		call(lee, input.DispatchMouseEvent, p)
	}
	lee.until("the answer", saysToast("The access of Ana has ended."))
	lee.until("the focus among the devices", `document.activeElement.closest('#devices li') !== null`)
	if got := value[[]string](lee, `__seen.asked`); len(got) != 1 {
		t.Errorf("one access is revoked by %s", fmt.Sprint(got))
	}
}
