package e2e_test

import "testing"

// A hidden page closes the video after 5 s. It comes into sight again, perhaps on a
// phone that was in a pocket, before it reaches the robot.
func TestAPageThatComesIntoSightWithoutContactDoesNotCallItsOldPictureLive(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	network := newProxy(t, h.addr)
	v := visit(t, chromium(t), network.addr)
	v.away = true
	v.sees()
	sight := func(hidden string) {
		t.Helper()
		v.run(`Object.defineProperty(document, 'hidden', { value: ` + hidden + `, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`)
	}
	v.run(`(() => { const close = RTCPeerConnection.prototype.close; RTCPeerConnection.prototype.close = function () { __seen.closed = true; return close.call(this); }; })()`)
	sight("true")
	v.until("the hidden page to close the video", `__seen.closed`)
	network.freezeAll()
	v.until("no contact", `document.querySelector('#app').dataset.conn === 'lost'`)
	sight("false")
	const shown = `(() => { const e = document.querySelector('#eye'); return e.dataset.state + (document.querySelector('#eye-live').hidden ? '' : ', live tag') + ': ' + document.querySelector('#eye-dark p').innerText; })()`
	if got, want := value[string](v, shown), "off: No picture until the robot is back."; got != want {
		t.Errorf("without contact the page shows %q, want %q", got, want)
	}
	network.thaw()
	v.sees()
}

// A tab that only watches, because its person is in another one, requests no video.
func TestATabWhosePersonIsInAnotherOneSaysWhereThePictureIs(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.inFront()
	v.sees()
	const there = `(() => { const dark = document.querySelector('#eye-dark'); return !dark.hidden && dark.innerText.trim() === 'You are in another tab; the picture is there.' && document.querySelector('#eye-live').hidden; })()`
	w := v.tab()
	w.until("the second tab to say where the picture is", there)
	w.run(`[...document.querySelectorAll('#banner button')].find((b) => b.innerText.includes('Use it here')).click()`)
	w.sees()
	v.until("the first tab to say where the picture is", there)
	v.run(`[...document.querySelectorAll('#banner button')].find((b) => b.innerText.includes('Use it here')).click()`)
	v.sees()
	w.until("the second tab to say so again", there)
}
