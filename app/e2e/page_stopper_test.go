package e2e_test

import (
	"fmt"
	"testing"
)

func TestTheDriverRemovesWhoStopsTheRobotAgainAndAgain(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := openToAll(t)
	ana := s.comes(browser, "", s.invitation.PIN, "Ana")
	lee := s.comes(browser, ana.shares(), "", "Lee")
	kim := s.comes(browser, ana.shares(), "", "Kim")
	const card = `!document.querySelector('#stopper').hidden`
	kim.away = true // the browser logs the refused connection
	ana.inFront()
	stopsThrice := func(v *visitor, name string) {
		t.Helper()
		for n := range 3 {
			v.press(keySpace)
			v.letGo(keySpace)
			ana.until("the stop", saysState("Stopped"))
			ana.settle()
			if shown := value[bool](ana, card+` && document.querySelector('#stopper .drop').innerText === 'Remove `+name+`'`); shown && n < 2 {
				t.Fatalf("the offer to remove %s appeared after %d stops", name, n+1)
			}
			if n == 2 {
				break
			}
			ana.releaseStop()
			ana.until("the release", saysState("Ready"))
			v.until("the release", saysState("Ready"))
		}
	}
	stopsThrice(lee, "Lee")
	ana.until("the offer", card+` && document.querySelector('#stopper .drop').innerText === 'Remove Lee'`)
	ana.tabTo("#stopper .drop")
	ana.releaseStop()
	kim.until("the release", saysState("Ready"))
	ana.until("the focus to stay on the offer", focused("#stopper .drop"))
	stopsThrice(kim, "Kim")
	ana.until("the offer", card+` && document.querySelector('#stopper').innerText.includes('Kim has stopped the robot 3 times within a minute')`)
	ana.until("the focus on no button that is about another person", focused("#body"))
	if value[bool](kim, card) {
		t.Error("the person who stops the robot gets the offer")
	}
	for _, w := range []window{desktop, phone, landscape} {
		ana.look(w, dark)
		ana.settle()
		ana.stopInReach("stopper on a " + w.name)
		ana.coversNothing("the stopper on a " + w.name)
		ana.until("the button on a "+w.name, onTop("#stopper .drop")+` && `+onTop("#release-hold"))
		ana.picture("stopper-" + w.name)
	}
	ana.look(desktop, light)
	ana.settle()
	ana.picture("stopper-desktop-light")
	if got := value[string](ana, `document.querySelector('#stopper .drop').innerText`); got != "Remove Kim" {
		t.Errorf("the button says %q", got)
	}
	ana.click("#stopper .drop")
	ana.until("the card to go", fmt.Sprintf(`!(%s) && `, card)+saysToast("Kim was removed."))
	kim.until("Kim to be sent away", saysBanner("Your access to this robot has been revoked."))
}
