package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// tapOn taps the middle of an element, which nothing may cover.
func (v *visitor) tapOn(selector string) {
	v.t.Helper()
	v.run(fmt.Sprintf("document.querySelector(%q).scrollIntoView({ block: 'nearest' })", selector))
	v.settle()
	v.until(selector+" where a finger finds it", onTop(selector))
	at := v.middle(selector)
	v.touch(input.DispatchTouchEventTypeTouchStart, at)
	v.touch(input.DispatchTouchEventTypeTouchEnd)
}

// canPress returns a script that tests whether a button of the map's card is enabled.
func canPress(button string) string {
	return fmt.Sprintf("document.querySelector(%q)?.disabled === false", mapButton(button))
}

// A person maps by phone. A lost connection, another person and STOP interrupt; each time the
// map waits and continues. In the end the other person has control and finishes it.
func TestAMapSurvivesAStopALossOfContactAndAHandOver(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := openClinic(t)
	network := newProxy(t, h.addr)
	ana := visit(t, browser, network.addr)
	ana.away = true
	ana.look(phone, dark)
	ana.inFront()
	ana.until("no map", mapTitle("There is no map yet"))
	jin := visit(t, browser, h.addr)
	jin.inFront()
	jin.until("the same for who watches", mapTitle("There is no map yet")+" && "+nothingCanBePressed)
	ana.tapOn(mapButton("start"))
	ana.until("mapping", mapTitle("Making a map"))

	// The observer sees the map grow, and may only stop the robot.
	h.drivesOn(ana, byFinger, 1)
	jin.until("the map to grow for who watches", mapTitle("Making a map")+" && "+mappedMetres+" > 0.5 && "+tilesShown+" > 0 && "+nothingCanBePressed)
	h.drivenBy(ana, byFinger)
	jin.click("header .stop")
	h.awaitStill()
	byFinger.release(ana)
	ana.until("a stop that does not end mapping", mapTitle("Making a map")+" && "+saysBanner("Stopped by Guest 2"))
	ana.releaseStop()
	stopped := value[float64](ana, mappedMetres)
	h.drivesOn(ana, byFinger, 0.8)
	ana.until("the map to go on", fmt.Sprintf("%s > %g", mappedMetres, stopped+0.4))

	// Without contact the robot stops and the map waits. No user has control meanwhile.
	h.drivenBy(ana, byFinger)
	network.freezeAll()
	network.freeze()
	h.awaitStill()
	ana.until("the page to say that it has no contact", saysBanner("No contact for"))
	byFinger.release(ana)
	waits := value[float64](jin, mappedMetres)
	if !value[bool](jin, mapTitle("Making a map")+" && "+nothingCanBePressed) {
		t.Errorf("while the driver has no contact, the observer sees %s", jin.words())
	}
	network.thaw()
	ana.until("the way back into the map", `document.querySelector('#app').dataset.conn === 'live' && `+hasControl+" && "+mapTitle("Making a map")+" && "+canPress("pause"))
	h.drivesOn(ana, byFinger, 0.8)
	jin.until("the map to go on", fmt.Sprintf("%s > %g", mappedMetres, waits+0.4))

	// Control passes to the other person, who can now finish the map.
	jin.asks("I know the other wing.")
	ana.until("the card", cardShown)
	ana.tapOn(giveButton)
	jin.until("control, and with it the map", hasControl+" && "+mapTitle("Making a map")+" && "+canPress("finish"))
	ana.until("nothing to press for who gave it", watches+" && "+nothingCanBePressed)
	given := value[float64](jin, mappedMetres)
	h.drivesOn(jin, byW, 0.6)
	ana.until("the map to grow", fmt.Sprintf("%s > %g", mappedMetres, given+0.3))
	jin.push(mapButton("finish"))
	jin.until("the review", mapTitle("The map is ready"))
	ana.until("the review, to look at", mapTitle("The map is ready")+" && "+nothingCanBePressed)
	jin.run(`document.querySelector('#mapping-name').focus()`)
	jin.typesText("Clinic")
	jin.stroke(keyEnter)
	for _, v := range []*visitor{jin, ana} {
		v.until("the map, for both", mapTitle("Map: Clinic")+" && "+planIs("p.name === 'Clinic'"))
	}
}
