package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	permissions "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// watchesVoice keeps the tracks of the microphones that the page opens, and the address of its
// voice connection.
const watchesVoice = `(() => {
	const tracks = __seen.tracks = [], open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices), ask = window.fetch;
	navigator.mediaDevices.getUserMedia = async (...a) => { const s = await open(...a); tracks.push(...s.getTracks()); return s; };
	window.fetch = async (address, options) => { const answer = await ask(address, options); if (address === '/whip') __seen.voice = answer.headers.get('Location'); return answer; };
})()`

// Releasing Talk closes the microphone, and within a second the robot's screen no longer shows
// that a person speaks. The next hold is heard again.
func TestLettingGoOfTalkClosesTheMicrophoneAndTheScreenSaysSoWithinASecond(t *testing.T) {
	browser := earsAndMouth(t)
	h := open(t, sighted)
	v := visit(t, browser, h.addr)
	v.inFront()
	v.sees()
	v.run(watchesVoice)
	face := arriveAt(t, browser, h.addr, "/screen")
	const speaks = `document.querySelector('#caption').textContent.includes('is speaking')`
	v.until("the button", `!document.querySelector('[data-eye=talk]').hidden && !document.querySelector('[data-eye=talk]').disabled`)
	at := v.middle("[data-eye=talk]")
	for hold := range 2 {
		v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
		face.until(fmt.Sprintf("the screen to say that somebody speaks, hold %d", hold+1), speaks)
		face.run(`void (window.silent = new Promise((done) => { const look = () => { if (!(` + speaks + `)) done(Date.now()); else setTimeout(look, 10); }; look(); }))`)
		let := time.Now()
		v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
		if open := value[int](v, `__seen.tracks.filter((t) => t.readyState !== 'ended').length`); open > 0 {
			t.Errorf("after the release %d microphones are open", open)
		}
		if after := time.UnixMilli(int64(value[float64](face, `silent`))).Sub(let); after > time.Second {
			t.Errorf("the screen showed a speaking person for %v after the release, want at most 1 s", after)
		} else {
			t.Logf("the screen said so for %v after the release", after)
		}
	}
}

// The page of a person whom the robot no longer hears says so and closes the microphone, though the
// button is held.
func TestTalkThatTheRobotNoLongerHearsEnds(t *testing.T) {
	browser := earsAndMouth(t)
	h := open(t, sighted)
	v := visit(t, browser, h.addr)
	v.inFront()
	v.sees()
	v.run(watchesVoice)
	face := arriveAt(t, browser, h.addr, "/screen")
	v.until("the button", `!document.querySelector('[data-eye=talk]').hidden && !document.querySelector('[data-eye=talk]').disabled`)
	at := v.middle("[data-eye=talk]")
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	face.until("the screen to say that somebody speaks", `document.querySelector('#caption').textContent.includes('is speaking')`)
	v.away = true // the connection is ended a second time, by the page
	v.run(`fetch(__seen.voice, { method: 'DELETE' })`)
	v.until("the page to say that it is not heard", saysToast("The robot cannot hear you: The connection for your voice broke off. Press again."))
	v.until("the closed microphone", `__seen.tracks.every((t) => t.readyState === 'ended') && document.querySelector('[data-eye=talk]').ariaPressed === 'false'`)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	face.until("the next hold to be heard", `document.querySelector('#caption').textContent.includes('is speaking')`)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
}

const (
	mayTalk     = `!document.querySelector('[data-eye=talk]').hidden && !document.querySelector('[data-eye=talk]').disabled`
	talks       = `document.querySelector('[data-eye=talk]').ariaPressed === 'true'`
	microphones = `__seen.tracks.filter((t) => t.readyState === 'live').length`
)

// talker opens the page of a robot with a camera in a browser with a microphone, and waits until its
// person may talk.
func talker(t *testing.T, addr string) *visitor {
	t.Helper()
	v := visit(t, earsAndMouth(t), addr)
	v.inFront()
	v.sees()
	v.run(watchesVoice)
	v.until("the button", mayTalk)
	return v
}

// A finger that holds a button for a sentence moves. The browser used to take a movement of 15 pixels
// for a scroll, which ended the hold without a word.
func TestAFingerThatMovesWhileItHoldsTalkIsStillHeard(t *testing.T) {
	h := open(t, sighted)
	v := talker(t, h.addr)
	v.look(tablet, dark)
	call(v, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	at := v.middle("[data-eye=talk]")
	v.touch(input.DispatchTouchEventTypeTouchStart, at)
	v.until("the open microphone", talks+` && `+microphones+` === 1`)
	for i := range 6 {
		v.touch(input.DispatchTouchEventTypeTouchMove, spot{at.X + float64(8*i), at.Y + float64(8*i)})
	}
	v.settle()
	if !value[bool](v, talks+` && `+microphones+` === 1`) {
		t.Error("the hold has ended though the finger is down")
	}
	v.touch(input.DispatchTouchEventTypeTouchEnd)
	v.until("the closed microphone", `!(`+talks+`) && `+microphones+` === 0`)
}

// A phone can hide the page under the finger that holds Talk, and the page hears of no release.
func TestAPageThatIsHiddenClosesTheMicrophone(t *testing.T) {
	h := open(t, sighted)
	v := talker(t, h.addr)
	v.mouse(input.DispatchMouseEventTypeMousePressed, v.middle("[data-eye=talk]"), true)
	v.until("the open microphone", talks+` && `+microphones+` === 1`)
	v.hide()
	v.until("the closed microphone", `!(`+talks+`) && `+microphones+` === 0`)
	v.unhide()
	v.settle()
	if !value[bool](v, `!(`+talks+`) && `+microphones+` === 0`) {
		t.Error("the microphone is open again without a new press")
	}
}

// The browser's menu takes the release of the button that opens it, and the microphone would stay open.
func TestTheRightMouseButtonDoesNotOpenTheMicrophone(t *testing.T) {
	h := open(t, sighted)
	v := talker(t, h.addr)
	at := v.middle("[data-eye=talk]")
	call(v, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: at.X, Y: at.Y, Button: input.MouseButtonRight, Buttons: 2, ClickCount: 1})
	v.until("the press", `__seen.heard.some((h) => h.name === 'pointerdown')`)
	v.settle()
	if value[bool](v, talks+` || __seen.tracks.length > 0`) {
		t.Error("the right button talks")
	}
}

// A microphone can be unplugged, and its permission withdrawn, in the middle of a sentence.
func TestAMicrophoneThatEndsWhileAPersonTalksEndsTheHoldAndSaysSo(t *testing.T) {
	h := open(t, sighted)
	v := talker(t, h.addr)
	at := v.middle("[data-eye=talk]")
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	v.until("the open microphone", talks+` && `+microphones+` === 1`)
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	if _, err := chromedp.CallBrowser(ctx, permissions.SetPermission, permissions.SetPermissionParams{
		Permission:       &permissions.PermissionDescriptor{Name: "microphone"},
		Setting:          permissions.PermissionSettingDenied,
		BrowserContextID: chromedp.FromContext(v.ctx).BrowserContextID,
	}); err != nil {
		t.Fatal(err)
	}
	v.until("the page to say that it is not heard", saysToast("The robot cannot hear you: The microphone was unplugged or switched off. Press again."))
	v.until("the end of the hold", `!(`+talks+`)`)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
}

// The robot's answer to an offer is not yet a connection: a firewall may let none through.
func TestThePageSaysThatPeopleHearOnlyOnceTheVoiceIsConnected(t *testing.T) {
	h := open(t, sighted)
	v := talker(t, h.addr)
	v.away = true // the robot may end the voice that does not connect before the page does, and then does not find it
	v.run(`(() => {
		const apply = RTCPeerConnection.prototype.setRemoteDescription;
		RTCPeerConnection.prototype.setRemoteDescription = async function (d) {
			await apply.call(this, __seen.deaf ? { ...d, sdp: d.sdp.replace(/a=candidate:.*\r\n/g, '').replace(/a=ice-pwd:.*/g, 'a=ice-pwd:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') } : d);
			__seen.answered = true;
		};
		__seen.deaf = true;
		__seen.said = [];
		new MutationObserver((all) => __seen.said.push(...all.flatMap((m) => [...m.addedNodes]).map((n) => n.textContent))).observe(document.querySelector('#polite'), { childList: true, subtree: true });
	})()`)
	const told = `__seen.said.some((s) => s.includes('People near the robot hear you.'))`
	at := v.middle("[data-eye=talk]")
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	v.until("the answer", `__seen.answered`)
	v.run(`for (const _ of 'ab') document.querySelector('[data-eye=ahead]').click()`) // what it says is said next
	v.until("what the page says later", `__seen.said.some((s) => s.includes('The view is shifted'))`)
	if value[bool](v, told) {
		t.Error("the page says that people hear, without a connection")
	}
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
	v.run(`__seen.deaf = false`)
	for range 2 { // by a new connection, and by the one that is up
		v.run(`__seen.said = []`)
		v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
		v.until("the page to say that people hear", told)
		v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
	}
}

// The voice travels beside the WebSocket and may pass where that does not. The page then knows
// neither who has control nor who is near the robot.
func TestALossOfContactClosesTheMicrophoneUnderAFinger(t *testing.T) {
	h := open(t, sighted)
	network := newProxy(t, h.addr)
	v := talker(t, network.addr)
	v.away = true
	v.look(tablet, dark)
	call(v, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	v.touch(input.DispatchTouchEventTypeTouchStart, v.middle("[data-eye=talk]"))
	v.until("the open microphone", talks+` && `+microphones+` === 1`)
	network.freezeAll()
	v.until("no contact", `document.querySelector('#app').dataset.conn === 'lost'`)
	if value[bool](v, talks+` || `+microphones+` > 0`) {
		t.Error("the microphone is open without contact")
	}
	v.until("the page to say so", saysToast("The robot cannot hear you: There is no contact with the robot. When it is back, press again."))
	network.thaw()
	v.until("contact", `document.querySelector('#app').dataset.conn === 'live'`)
	v.settle()
	if value[bool](v, talks+` || `+microphones+` > 0`) {
		t.Error("the microphone opens by itself when the contact is back")
	}
	v.touch(input.DispatchTouchEventTypeTouchEnd)
}

// What the browser throws is named by its class, such as "NotReadableError".
func TestTalkThatCannotBeginSaysWhyInASentence(t *testing.T) {
	h := open(t, sighted)
	v := talker(t, h.addr)
	for _, c := range []struct{ fault, sentence string }{
		{`navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('Could not start audio source', 'NotReadableError'))`, "The microphone does not start. Another program may be using it."},
		{`navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('Permission denied', 'NotAllowedError'))`, "The browser blocks the microphone for this page."},
		{`navigator.mediaDevices.getUserMedia = __seen.open; window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))`, "The robot does not answer. Press again."},
	} {
		v.run(`__seen.open ??= navigator.mediaDevices.getUserMedia; ` + c.fault)
		at := v.middle("[data-eye=talk]")
		v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
		v.until(c.sentence, saysToast("The robot cannot hear you: "+c.sentence))
		v.until("the end of the hold", `!(`+talks+`) && `+microphones+` === 0`)
		v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
	}
}

// A connection that is made while control passes on has no hold that would end it.
func TestAVoiceThatConnectsOnlyAfterControlIsGoneIsDisconnected(t *testing.T) {
	h := open(t, sighted)
	v := talker(t, h.addr)
	v.run(`(() => {
		const ask = window.fetch, later = window.setTimeout;
		const gate = new Promise((open) => (__seen.open = open));
		window.fetch = async (address, options) => {
			if (options?.method === 'DELETE' && address === __seen.voice) __seen.left = true;
			const answer = await ask(address, options);
			if (address === '/whip') await ((__seen.asked = true), gate);
			return answer;
		};
		window.setTimeout = (f, ms, ...more) => later(f, ms === 20000 ? 0 : ms, ...more); // the time that an idle voice stays connected
	})()`)
	at := v.middle("[data-eye=talk]")
	v.mouse(input.DispatchMouseEventTypeMousePressed, at, true)
	v.until("the offer", `__seen.asked`)
	v.run(`document.querySelector('#auth button').click()`)
	v.until("no control", `document.querySelector('[data-eye=talk]').disabled`)
	v.settle()
	v.run(`__seen.open()`)
	v.until("the end of the connection", `__seen.left && `+microphones+` === 0`)
	v.mouse(input.DispatchMouseEventTypeMouseReleased, at, false)
}
