package e2e_test

import "testing"

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
