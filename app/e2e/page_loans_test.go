package e2e_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/link"
)

// Tests of what the page shows about lent parts, as scripts.
const (
	panNow     = `parseInt(document.querySelector('#eye-angles').textContent.slice(4).replace('−', '-'))` // degrees, as reported by the robot
	mayLook    = `#loans [aria-label="May I look around?"]`
	lendButton = `#loans [data-kind=wish] .pri`
	nothing    = `document.querySelector('#loans [data-kind=loan]') === null`
)

var keyJ = key{"KeyJ", "j", 'J', ""}

func saysLoans(words string) string {
	return fmt.Sprintf(`(!document.querySelector('#loans').hidden && document.querySelector('#loans').innerText.replace(/\s+/g, ' ').includes(%q))`, words)
}

// visitLent opens the page for the driver and for a person who has asked for the head and
// borrowed it.
func visitLent(t *testing.T) (h *testServer, ana, jin *visitor) {
	t.Helper()
	h = open(t, sighted)
	ana, jin = visitTwo(t, chromium(t), h)
	ana.run(listen)
	jin.run(listen)
	ana.sees()
	jin.sees()
	jin.until("the question", onTop(mayLook))
	jin.click(mayLook)
	jin.until("the answer to be waited for", saysLoans("You asked to look around. Declined automatically in 2"))
	ana.until("the question", saysLoans("Guest 2 asks: may I look around?")+` && `+hears("Guest 2 asks: may I look around?")+` && `+onTop(lendButton))
	ana.click(lendButton)
	jin.until("the head", saysLoans("Head: you")+` && !document.querySelector('[data-eye=left]').disabled && `+hears("Guest 1 lent the head to you."))
	ana.until("who has the head", saysLoans("Head: Guest 2")+` && document.querySelector('#eye-loan').innerText.startsWith('Head: Guest 2')`)
	return h, ana, jin
}

// looksAside makes the borrower turn the head to the left with the arrow.
func (v *visitor) looksAside() {
	v.t.Helper()
	for range 5 {
		v.click(`[data-eye=left]`)
	}
	v.until("the head aside", panNow+` > 45`)
}

// stays checks that the robot reports the same pan for a second, once the display has had time
// to update. It returns the pan, in degrees.
func (v *visitor) stays(what string) int {
	v.t.Helper()
	const later = `new Promise((done) => setTimeout(() => done(` + panNow + `), %d))`
	from := value[int](v, fmt.Sprintf(later, 600))
	if to := value[int](v, fmt.Sprintf(later, 1000)); max(from-to, to-from) > 1 {
		v.t.Errorf("%s: the head continues to turn, from %d° to %d°", what, from, to)
	}
	return from
}

func TestOneDrivesWhileAnotherLooksAroundUntilTheHeadIsTakenBack(t *testing.T) {
	t.Parallel()
	h, ana, jin := visitLent(t)
	face := arriveAt(t, chromium(t), h.addr, "/screen")
	face.until("who looks around, for people in the room", `document.querySelector('#lent').innerText.includes('Guest 2 is looking around')`)
	face.picture("loan-screen")
	jin.looksAside()
	const slow = "Guest 2 looks aside: driving by hand is limited to 0.2 m/s."
	ana.until("why driving is slow", saysLoans(slow)+` && `+hears(slow))
	jin.until("that driving is slow", saysLoans("You look aside: driving by hand is limited to 0.2 m/s."))
	ana.run(`__seen.sent.length = 0`)
	fastest, from := 0.0, h.driver.Truth().Pose
	h.driveUntil(ana, byW, "half a metre", func(t sim.Truth) bool {
		fastest = max(fastest, t.Twist.Linear)
		return math.Hypot(t.Pose.X-from.X, t.Pose.Y-from.Y) > 0.5
	})
	ana.letGo(keyW)
	h.awaitStill()
	if fastest > 0.21 || fastest < 0.15 {
		t.Errorf("while the head looks aside the robot drives at %.2f m/s", fastest)
	}
	const asked = `Math.max(...__seen.sent.filter((m) => m.type === 'drive').map((m) => Math.max(Math.abs(m.v), Math.abs(m.vr?.[3] ?? 0))))`
	if v := value[float64](ana, asked); v > 0.2001 {
		t.Errorf("the virtual robot drives at %v m/s, faster than the robot may", v)
	}

	jin.press(keyJ)
	ana.until("the head on its way", panNow+` > 55`)
	ana.click(`#loans .pri`) // Look ahead
	ana.until("the head ahead", panNow+` === 0 && `+nothing+` && `+saysToast("You took the head back."))
	jin.until("the end of the loan", nothing+` && `+hears("Guest 1 took the head back.")+` && document.querySelector('[data-eye=left]').disabled`)
	if pan := ana.stays("the key of who had it is still held"); pan != 0 {
		t.Errorf("the head is at %d°", pan)
	}
	face.until("that nothing is lent", `document.querySelector('#lent').hidden`)

	ana.click(`#people li:nth-child(2) button`)
	ana.until("the choice", saysLoans("Lend to Guest 2:")+` && document.activeElement.innerText === 'Head'`)
	ana.stroke(keyEnter)
	jin.until("the head again", saysLoans("Head: you"))
	call(jin, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Code: keyJ.code, Key: keyJ.name, WindowsVirtualKeyCode: keyJ.number, AutoRepeat: new(true)})
	if pan := ana.stays("a key that was held before the loan"); pan != 0 {
		t.Errorf("the head is at %d°", pan)
	}
	jin.letGo(keyJ)
	jin.press(keyJ)
	ana.until("the head on its way, by a new press", panNow+` > 5`)
	jin.letGo(keyJ)
	ana.click(`[data-eye=centre]`) // using the head takes it back
	jin.until("the end of the loan", nothing)
	ana.until("the head ahead", panNow+` === 0`)
}

// A change of the list must not take away the name that a finger or the mouse is on, nor the focus.
func TestAPressOnANameOutlastsAChangeOfTheList(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, sighted)
	v := visit(t, browser, h.addr)
	jin := h.enter("Jin")
	v.until("Jin", `document.querySelectorAll('#people button').length === 2`)
	v.run(`window.__name = document.querySelector('#people li:nth-child(2) button'); __name.focus()`)

	at := v.middle("#people li:nth-child(2) button")
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	jin.ask(map[string]any{"type": "control", "action": "request"})
	v.until("the question in the list", `'asks' in __name.dataset`)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
	v.until("the choice", saysLoans("Lend to Jin:"))
}

// The focus must outlast a change of the row, so that the next keys go where the person is.
func TestTheFocusStaysOnAButtonOfALoanWhileItsRowChanges(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	h := open(t, sighted)
	ana := visit(t, browser, h.addr)
	ana.sees()
	jin := h.enter("Jin")
	if got := jin.ask(map[string]any{"type": "part", "action": "ask", "part": "head", "lease": jin.epoch}); got.Word != "SUCCESS" {
		t.Fatalf("the question is answered with %+v", got)
	}
	jin.reads()
	const no = `#loans [data-kind=wish] button:not(.pri)`
	ana.until("the question", saysLoans("Jin asks")+` && `+onTop(no))
	ana.focus(no)
	jin.send(map[string]any{"type": "rename", "id": 99, "name": "Eve"})
	ana.until("the new name", saysLoans("Eve asks"))
	ana.until("the focus to stay", focused(no)+` && document.activeElement.ariaLabel.startsWith('No. Eve')`)
}

func TestARequestForAPartDoesNotPassTheFocusToTheNextOne(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	_, jin := visitTwo(t, chromium(t), h)
	jin.sees()
	jin.until("the question", onTop(mayLook)+` && document.querySelectorAll('#loans button').length > 1`)
	jin.focus(mayLook)
	jin.stroke(keyEnter)
	jin.until("the answer to be waited for", saysLoans("You asked to look around."))
	jin.until("the focus in the panel", focused(`#body`))
}

func TestSTOPInTheMiddleOfABorrowersTurnHoldsTheHead(t *testing.T) {
	t.Parallel()
	_, ana, jin := visitLent(t)
	jin.press(keyJ)
	ana.until("the head on its way", panNow+` > 20`)
	ana.press(keySpace)
	ana.letGo(keySpace)
	jin.until("the end of the loan", nothing+` && document.querySelector('#app').dataset.stopped !== undefined`)
	ana.until("the end of the loan", nothing)
	ana.stays("after STOP")
	jin.letGo(keyJ)
}

func TestWhenControlChangesInTheMiddleOfATurnNothingIsLent(t *testing.T) {
	t.Parallel()
	_, ana, jin := visitLent(t)
	jin.press(keyJ)
	ana.until("the head on its way", panNow+` > 20`)
	ana.click("#auth button")
	jin.until("the end of the loan", nothing+` && `+saysBanner("Nobody has control."))
	ana.stays("nobody has control")
	jin.letGo(keyJ)
	jin.click(bannerButton)
	jin.until("control", hasControl)
	jin.click(`[data-eye=centre]`)
	ana.until("the head ahead, by who has control", panNow+` === 0`)
	ana.until("the question", onTop(mayLook))
}

// The borrower's voice is heard at the robot, under their name. When it is taken back while the
// button is held, the microphone closes.
func TestWhoHasBorrowedTheVoiceIsHeardUntilItIsTakenBack(t *testing.T) {
	browser := earsAndMouth(t)
	h := open(t, sighted)
	ana, jin := visitTwo(t, browser, h)
	jin.sees()
	jin.away = true // ending a connection that the robot has ended is answered 404
	face := arriveAt(t, browser, h.addr, "/screen")
	jin.run(`(() => {
		const tracks = __seen.tracks = [];
		const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
		navigator.mediaDevices.getUserMedia = async (...a) => { const s = await open(...a); tracks.push(...s.getTracks()); return s; };
	})()`)
	const ask = `#loans [aria-label="May I speak through the robot?"]`
	jin.until("the question", onTop(ask))
	jin.click(ask)
	ana.until("the question", saysLoans("Guest 2 asks: may I speak through the robot?")+` && `+onTop(lendButton))
	ana.click(lendButton)
	jin.until("the voice", saysLoans("Voice: you")+` && !document.querySelector('[data-eye=talk]').disabled`)
	jin.mouse(input.DispatchMouseEventTypeMousePressed, jin.middle("[data-eye=talk]"), true)
	face.until("who speaks", `document.querySelector('#caption').textContent === 'Guest 2 is speaking'`)
	ana.click(`#loans [aria-label="Take back: Voice"]`)
	jin.until("the closed microphone", nothing+` && __seen.tracks.length > 0 && __seen.tracks.every((t) => t.readyState === 'ended')`)
	face.until("that nobody speaks", `document.querySelector('#caption').textContent === ''`)
	jin.mouse(input.DispatchMouseEventTypeMouseReleased, jin.middle("[data-eye=talk]"), false)
}

// The borrower of the arm moves the lift while the robot stands. With the lift up the robot
// drives slowly, and meanwhile the lift rests.
func TestABorrowedArmMovesWhileTheRobotStandsAndSlowsIt(t *testing.T) {
	t.Parallel()
	h := openWithArm(t)
	ana, jin := visitTwo(t, chromium(t), h)
	const ask, lift = `#loans [aria-label="May I move the arm?"]`, `document.querySelector('[data-joint=lift]')`
	jin.run(`document.querySelector('#parts').open = true`)
	jin.until("a slider that tells why it rests", lift+`.querySelector('small').textContent === 'Guest 1 has control.'`)
	jin.until("the question", onTop(ask))
	jin.click(ask)
	ana.until("the question", saysLoans("Guest 2 asks: may I move the arm?")+` && `+onTop(lendButton))
	ana.click(lendButton)
	move := func(to string) {
		jin.run(`{ const i = ` + lift + `.querySelector('input'); i.value = '` + to + `'; i.dispatchEvent(new Event('input')); }`)
	}
	jin.until("the arm", saysLoans("Arm: you")+` && !`+lift+`.querySelector('input').disabled`)
	move("0.2")
	ana.until("why driving is slow", saysLoans("The arm is lent and out of its home: at most 0.2 m/s."))
	h.await("the lift up", func(t sim.Truth) bool { return t.Joints[0] > 0.19 })
	fastest, from := 0.0, h.driver.Truth().Pose
	h.driveUntil(ana, byW, "some way", func(t sim.Truth) bool {
		fastest = max(fastest, t.Twist.Linear)
		return math.Hypot(t.Pose.X-from.X, t.Pose.Y-from.Y) > 0.3
	})
	move("0")
	jin.until("why the arm rests", saysToast("The arm is lent: it moves only while the robot stands."))
	if at := h.driver.Truth().Joints[0]; at < 0.19 {
		t.Errorf("while the robot drives the lift moved to %v m", at)
	}
	ana.letGo(keyW)
	if fastest > 0.21 || fastest < 0.15 {
		t.Errorf("with the lift up the robot drives at %.2f m/s", fastest)
	}
	h.awaitStill()
	ana.click(`#loans [aria-label="Take back: Arm"]`)
	jin.until("the end of the loan", nothing+` && `+lift+`.querySelector('input').disabled`)
}

// An observer who may see the camera borrows the head on a phone.
func TestAnObserverOnAPhoneLooksAroundByALoan(t *testing.T) {
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
	ana.run(`document.querySelector('#share').close()`)
	kim.look(phone, dark)
	kim.settle()
	kim.until("the one part for who watches", onTop(mayLook)+` && document.querySelectorAll('#loans button').length === 1`)
	kim.tap(mayLook)
	ana.until("the question", saysLoans("Kim asks: may I look around?")+` && `+onTop(lendButton))
	ana.click(lendButton)
	kim.until("the head", saysLoans("Head: you"))
	kim.run(`document.querySelector('[data-eye=swap]').click()`)
	kim.until("the arrows", onTop(`[data-eye=left]`)+` && !document.querySelector('[data-eye=talk]').checkVisibility()`)
	kim.tap(`[data-eye=left]`)
	ana.until("the head turned", panNow+` === 10`)
	kim.tap(`#loans [aria-label="Give back: Head"]`)
	ana.until("the end of the loan", nothing+` && `+saysToast("Kim gave the head back."))
	kim.stopInReach("a phone")
}

// On a phone on its side the arrows are in the picture, only for the borrower of the head.
func TestOnAPhoneOnItsSideABorrowerLooksAroundByArrows(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	ana := h.enter("Ana")
	stop := ana.reads()
	v := visit(t, chromium(t), h.addr)
	v.look(landscape, dark)
	v.sees()
	v.until("the question", onTop(mayLook))
	v.until("no arrows yet", `!document.querySelector('[data-eye=left]').checkVisibility()`)
	stop()
	you := value[int](v, `Number(document.querySelector('#people li:has(.you)').dataset.id)`)
	ana.ask(map[string]any{"type": "part", "lease": ana.epoch, "action": "lend", "part": "head", "to": you})
	ana.reads()
	for _, name := range []string{"left", "right", "up", "down", "centre"} {
		v.until("the button: "+name, onTop(`[data-eye=`+name+`]`))
	}
	v.tap(`[data-eye=left]`)
	v.until("the head to the left", panNow+` === 10`)
	v.tap(`[data-eye=right]`)
	v.tap(`[data-eye=right]`)
	v.until("the head to the right", panNow+` === -10`)
	v.tap(`[data-eye=centre]`)
	v.until("the head ahead", panNow+` === 0`)
	v.stopInReach("a borrower's phone on its side")
}

// Looks that are underway when the head is taken back are refused for one reason, which is
// shown once.
func TestLooksThatAreUnderWayWhenTheHeadIsTakenBackLeaveOneLine(t *testing.T) {
	t.Parallel()
	h := open(t, sighted, func(c *app.Config) { c.Link = link.Profile{RoundTrip: 400 * time.Millisecond} })
	ana := h.enter("Ana")
	stop := ana.reads()
	v := visit(t, chromium(t), h.addr)
	v.until("the question", onTop(mayLook))
	stop()
	you := value[int](v, `Number(document.querySelector('#people li:has(.you)').dataset.id)`)
	ana.ask(map[string]any{"type": "part", "lease": ana.epoch, "action": "lend", "part": "head", "to": you})
	stop = ana.reads()
	v.until("the head", saysLoans("Head: you")+` && !document.querySelector('[data-eye=left]').disabled`)
	v.press(keyJ)
	v.until("the head on its way", panNow+` > 20`)
	stop()
	ana.ask(map[string]any{"type": "part", "lease": ana.epoch, "action": "take", "part": "head"})
	ana.reads()
	v.until("the end of the loan", nothing)
	v.letGo(keyJ)
	v.click(mayLook) // the effect arrives after the answers to the looks
	v.until("what was asked", saysLoans("You asked to look around."))
	if n := value[int](v, `[...document.querySelectorAll('#log li')].filter((li) => li.querySelector('span').innerText === 'Ana has the head.').length`); n > 1 {
		t.Errorf("the log reports %d times that Ana has the head", n)
	}
}

// loanStates are the states of a lender and of a borrower. The other person is a simulated
// page.
var loanStates = []state{
	{"loan-asked", func(t *testing.T, browser context.Context) *visitor {
		h := open(t, sighted)
		v := visit(t, browser, h.addr)
		jin := h.enter("Jin")
		jin.ask(map[string]any{"type": "part", "lease": 0, "action": "ask", "part": "head"})
		jin.reads()
		v.until("the question", saysLoans("Jin asks: may I look around?"))
		return v
	}},
	{"loan-lent", func(t *testing.T, browser context.Context) *visitor {
		h := open(t, sighted)
		v := visit(t, browser, h.addr)
		jin := h.enter("Jin")
		v.until("Jin", `document.querySelectorAll('#people button').length === 2`)
		v.run(`document.querySelector('#people li:nth-child(2) button').click()`)
		v.until("the choice", saysLoans("Lend to Jin:"))
		v.run(`document.querySelector('#loans .pri').click()`)
		loan := jin.until("the head", func(m message) bool { return m.Kind == "parts" && len(m.Loans) == 1 }).Loans[0].Loan
		jin.ask(map[string]any{"type": "look", "lease": 0, "loan": loan, "pan": 0.9, "tilt": 0})
		jin.reads()
		v.until("why driving is slow", saysLoans("Jin looks aside"))
		return v
	}},
	{"loan-borrowed", func(t *testing.T, browser context.Context) *visitor {
		h := open(t, sighted)
		ana := h.enter("Ana")
		stop := ana.reads()
		v := visit(t, browser, h.addr)
		v.until("the question", saysLoans("May I look around?"))
		stop()
		you := value[int](v, `Number(document.querySelector('#people li:has(.you)').dataset.id)`)
		ana.ask(map[string]any{"type": "part", "lease": ana.epoch, "action": "lend", "part": "head", "to": you})
		ana.reads()
		v.until("the head", saysLoans("Head: you"))
		return v
	}},
}

func TestLoansAreReadableEverywhere(t *testing.T) {
	axe, browser := readAxe(t), chromium(t)
	// Each state streams the camera to two pages. Three of them side by side take the CPU from
	// their own robots, and the pages lose contact.
	for _, s := range loanStates {
		t.Run(s.name, func(t *testing.T) {
			v := s.set(t, browser)
			// On a phone a message lies over the picture for some seconds, if the picture is in an
			// upper corner because the robot is below.
			v.run(`document.querySelectorAll('#toasts button').forEach((b) => b.click())`)
			v.until("no message", `document.querySelector('#toasts').childElementCount === 0`)
			v.inEveryWindow(s.name, axe, (*visitor).stopInReach)
		})
	}
}
