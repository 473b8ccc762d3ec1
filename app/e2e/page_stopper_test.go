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
	kim := s.comes(browser, ana.shares(), "", "Kim")
	const card = `!document.querySelector('#stopper').hidden`
	kim.away = true // the browser logs the refused connection
	for n := range 3 {
		kim.press(keySpace)
		kim.letGo(keySpace)
		ana.until("the stop", saysState("Stopped"))
		ana.settle()
		if shown := value[bool](ana, card); shown && n < 2 {
			t.Fatalf("the offer to remove Kim appeared after %d stops", n+1)
		}
		if n == 2 {
			break
		}
		ana.releaseStop()
		ana.until("the release", saysState("Ready"))
		kim.until("the release", saysState("Ready"))
	}
	ana.until("the offer", card+` && document.querySelector('#stopper').innerText.includes('Kim has stopped the robot 3 times within a minute')`)
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
