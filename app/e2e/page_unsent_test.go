package e2e_test

import (
	"testing"
	"time"

	"mybot/drivers/sim"
)

// tones records the tones that the page plays, in Hz.
const tones = `(() => {
	const made = __seen.tones = [];
	const Node = OscillatorNode;
	window.OscillatorNode = class extends Node { constructor(context, options) { super(context, options); made.push(options.frequency); } };
})()`

const (
	saysStopped = `document.querySelector('#app').dataset.stopped !== undefined && document.querySelector('.top .stop .t').textContent === 'STOPPED' && document.querySelector('#banner').dataset.kind === 'bad'`
	saysUnsent  = `document.querySelector('#pill .t').textContent === 'STOP not sent' && document.querySelector('.top .stop .t').textContent === 'STOP: NOT SENT' && document.querySelector('#banner').dataset.kind === 'unsent'`
)

// drivingOverProxy returns a page that has sent the robot to a distant goal, over connections
// that can be frozen, and with an optional data channel.
func drivingOverProxy(t *testing.T) (*testServer, *proxy, *visitor) {
	t.Helper()
	h := open(t)
	network := newProxy(t, h.addr)
	v := visitWithChannel(t, network.addr)
	v.away = true
	v.run(tones)
	v.openGoto()
	v.chooseGoal("Stairs")
	v.sendOff(func() { v.push("#draft button[type=submit]") })
	h.awaitMotion()
	v.until("the page to say so", saysState("Driving to goal"))
	return h, network, v
}

// With the page's WebSocket frozen, and no new one, STOP arrives by a request.
func TestStopArrivesByARequestWhenTheWebSocketIsFrozen(t *testing.T) {
	t.Parallel()
	h, network, v := drivingOverProxy(t)
	v.run(`__seen.cut = true`)                                                        // the channel
	v.run(`window.WebSocket = class { static OPEN = 1; readyState = 0; close() {} }`) // no other one opens
	network.freeze()
	v.press(keySpace)
	v.letGo(keySpace)
	pressed := time.Now()
	h.awaitStill()
	t.Logf("it stands %v after STOP", time.Since(pressed).Round(10*time.Millisecond))
	v.until("the page to say that the robot confirmed it", saysStopped)
	v.until("by whom", saysBanner("You pressed STOP at"))
}

// With every TCP connection frozen STOP arrives by the data channel, which the page keeps after
// it has closed the WebSocket.
func TestStopArrivesByTheChannelWhenNoConnectionPasses(t *testing.T) {
	t.Parallel()
	h, network, v := drivingOverProxy(t)
	network.freezeAll()
	v.until("no contact", saysBanner("No contact for"))
	v.press(keySpace)
	v.letGo(keySpace)
	h.awaitStill()
	v.until("the page to say that the robot confirmed it", saysStopped)
}

// The page shows a STOP that cannot reach the robot as not sent, in words, colour and sound,
// until the robot has it.
func TestAStopThatCannotArriveIsToldAsNotSentAndArrivesWithTheLink(t *testing.T) {
	t.Parallel()
	h, network, v := drivingOverProxy(t)
	v.run(`__seen.cut = true`)
	network.freezeAll()
	v.press(keySpace)
	v.letGo(keySpace)
	v.until("the page to say that STOP is not sent", saysUnsent)
	v.until("the page to say when it was pressed", `/You pressed STOP at [\d:]+\. It has not reached the robot yet\./.test(document.querySelector('#banner').innerText.replace(/\s+/g, ' '))`)
	v.until("a screen reader to hear it", `document.querySelector('#assertive').textContent.includes('It has not reached the robot yet.')`)
	v.until("a sound of its own", `__seen.tones.includes(880)`)
	at := h.driver.Truth().Pose
	h.await("the robot to drive on", func(t sim.Truth) bool { return t.Pose.Point().Sub(at.Point()).Norm() > 0.3 })
	v.until("no contact", saysBanner("It continues to Stairs by itself."))
	if value[bool](v, `document.querySelector('#app').dataset.stopped !== undefined || __seen.tones.includes(440) || /stopped/i.test(document.querySelector('#assertive').textContent)`) {
		t.Errorf("the robot drives, and the page says: %s", v.words())
	}
	for _, in := range []struct {
		window
		theme string
	}{{desktop, dark}, {desktop, light}, {phone, dark}, {phone, light}, {landscape, dark}} {
		v.look(in.window, in.theme)
		v.settle()
		v.stopInReach("stop-not-sent-" + in.name)
		v.picture("stop-not-sent-" + in.name + "-" + in.theme)
	}
	v.look(desktop, dark)
	network.thaw()
	h.awaitStill()
	v.until("the page to say that the robot confirmed it", saysStopped)
	v.until("the sound of a stop", `__seen.tones.includes(440)`)
}

// A person whose STOP does not arrive reloads the page.
func TestAStopThatHasNotArrivedIsSentByThePageThatIsReloaded(t *testing.T) {
	t.Parallel()
	h, network, v := drivingOverProxy(t)
	v.run(`__seen.cut = true`)
	network.lead("")
	v.press(keySpace)
	v.letGo(keySpace)
	v.until("the page to say that STOP is not sent", saysUnsent)
	v.run(`window.fetch = () => new Promise(() => undefined)`) // this page sends nothing more, and looks for no robot
	v.settle()
	network.lead(h.addr)
	if still(h.driver.Truth()) {
		t.Fatal("the robot stands already")
	}
	v.open()
	h.awaitStill()
	v.until("the page to say that the robot confirmed it", saysStopped)
	v.until("by whom", saysBanner("You pressed STOP at"))
	v.releaseStop()
	v.open()
	v.until("the page again", `document.querySelector('#app').dataset.conn === 'live' && `+hasControl)
	v.settle()
	if value[bool](v, `'stopped' in document.querySelector('#app').dataset || __seen.sent.some((m) => m.type === 'stop')`) {
		t.Error("a STOP that was confirmed is sent again")
	}
}
