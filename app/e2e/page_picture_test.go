package e2e_test

import "testing"

// A hidden page closes the video after 5 s. It comes into sight again, perhaps on a
// phone that was in a pocket, before it reaches the robot.
func TestAPageThatComesIntoSightWithoutContactDoesNotCallItsOldPictureLive(t *testing.T) {
	t.Parallel()
	network, v := visitByProxy(t)
	v.run(`(() => { const close = RTCPeerConnection.prototype.close; RTCPeerConnection.prototype.close = function () { __seen.closed = true; return close.call(this); }; })()`)
	v.hide()
	v.until("the hidden page to close the video", `__seen.closed`)
	network.freezeAll()
	v.until("no contact", `document.querySelector('#app').dataset.conn === 'lost'`)
	v.unhide()
	const shown = `(() => { const e = document.querySelector('#eye'); return e.dataset.state + (document.querySelector('#eye-live').hidden ? '' : ', live tag') + ': ' + document.querySelector('#eye-dark p').innerText; })()`
	if got, want := value[string](v, shown), "off: No picture until the robot is back."; got != want {
		t.Errorf("without contact the page shows %q, want %q", got, want)
	}
	network.thaw()
	v.sees()
}

// A phone in a pocket that loses its network for a moment requests no video until it is out again.
func TestAPageInTheBackgroundRequestsNoVideoWhenTheRobotIsBack(t *testing.T) {
	t.Parallel()
	network, v := visitByProxy(t)
	v.hide()
	const state = `document.querySelector('#eye').dataset.state`
	v.until("the hidden page to close the video", state+` === 'off'`)
	network.freezeAll()
	v.until("no contact", `document.querySelector('#app').dataset.conn === 'lost'`)
	network.thaw()
	v.until("contact", `document.querySelector('#app').dataset.conn === 'live'`)
	v.wait(0.5)
	if got := value[string](v, state); got != "off" {
		t.Errorf("the picture of a hidden page is %s", got)
	}
	v.unhide()
	v.sees()
}

// visitByProxy opens the page of a robot with a camera over a network that the test controls.
func visitByProxy(t *testing.T) (*proxy, *visitor) {
	t.Helper()
	network := newProxy(t, open(t, sighted).addr)
	v := visit(t, chromium(t), network.addr)
	v.away = true
	v.sees()
	return network, v
}
