package e2e_test

import (
	"fmt"
	"testing"
)

// forDrivers are the elements that only a person who may drive can use.
const forDrivers = `[...document.querySelectorAll('.joy, .key, .tab, #runbar, #job-none, #net, #draft, #places, .side input, .side [role=switch], [data-map=goal], [data-work], [data-do=pose], #lock')].filter((e) => e.checkVisibility()).map((e) => e.id || e.className || e.tagName).join(' ')`

func TestWhoWasInvitedToWatchSeesNothingThatOnlyADriverCanUse(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := openToAll(t, sighted)
	ana := s.comes(browser, "", s.invitation.PIN, "Ana")
	kim := s.comes(browser, ana.shares(), "", "Kim")
	for _, w := range []window{desktop, laptop, phone, landscape} {
		kim.look(w, dark)
		kim.settle()
		if found := value[string](kim, forDrivers); found != "" {
			kim.picture("failed")
			t.Errorf("on a %s an observer sees %s", w.name, found)
		}
		kim.stopInReach(w.name)
		kim.until("the robot under nothing on a "+w.name, robotOnTop)
		kim.until("who drives, in the panel on a "+w.name, onTop("#viewer .who")+` && document.querySelector('#viewer').innerText.includes('Ana has had control since')`)
		kim.until("that there is a camera", onTop("#viewer .unshared")+` && document.querySelector('#viewer').innerText.includes('The camera was not shared with you.')`)
		if part := value[float64](kim, `(([r]) => r.width * r.height)(document.querySelector('#map').getClientRects()) / innerWidth / innerHeight`); part < 0.5 {
			t.Errorf("on a %s the map has %.0f %% of the window", w.name, 100*part)
		}
		kim.picture("viewer-" + w.name)
	}
	ana.click("#dock")
	kim.until("what the robot does", `document.querySelector('#viewer .does').textContent.startsWith('Driving to goal: Dock, ')`)
	kim.look(desktop, light)
	kim.settle()
	kim.picture("viewer-goal")
	for _, w := range []window{desktop, phone} { // an operator has all of them
		ana.look(w, dark)
		ana.until(fmt.Sprintf("the tabs of who drives on a %s", w.name), onTop("#tab-drive")+` && document.querySelector('#viewer').hidden`)
	}
}

func TestWhoWasInvitedToSeeThroughTheRobotHasItsPicture(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := openToAll(t, sighted)
	ana := s.comes(browser, "", s.invitation.PIN, "Ana")
	ana.run(`document.querySelector('#share-open').click()`)
	ana.until("the sheet", `document.querySelector('#share').open`)
	ana.run(`document.querySelector('#share-camera').click()`)
	ana.run(`document.querySelector('#share-make').click()`)
	ana.until("the link", shared)
	kim := s.comes(browser, value[string](ana, `document.querySelector('#share-link').value`), "", "Kim")
	kim.until("the picture beside the panel", onTop("#eye-glass")+` && document.querySelector('#viewer .unshared').hidden`)
	kim.run(`document.querySelector('[data-eye=swap]').click()`)
	kim.until("the picture in the map's place", `document.querySelector('#eye').clientWidth > 800`)
	if found := value[string](kim, `[...document.querySelectorAll('#eye-head .ib')].filter((e) => e.checkVisibility()).map((e) => e.dataset.eye).join(' ')`); found != "" {
		t.Errorf("an observer sees controls of head and voice: %s", found)
	}
	kim.sees()
	kim.picture("viewer-camera")
}
