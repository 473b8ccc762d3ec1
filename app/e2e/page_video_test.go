package e2e_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/link"
)

// sighted gives the robot its simulated camera.
func sighted(c *app.Config) {
	c.Camera, c.Encoder = c.World.(app.World).Driver, app.EncoderVP8
}

// sees waits until the page shows video.
func (v *visitor) sees() {
	v.t.Helper()
	v.until("the picture is live", `document.querySelector('#eye').dataset.state === 'live' && document.querySelector('#eye-video').videoWidth === 640`)
}

// frames counts the video frames that the page has shown.
func (v *visitor) frames() float64 {
	v.t.Helper()
	return value[float64](v, `document.querySelector('#eye-video').getVideoPlaybackQuality().totalVideoFrames`)
}

func TestThePageShowsWhatTheRobotSeesAndTurnsItsHead(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.sees()
	before := v.frames()
	v.until("pictures go on", fmt.Sprintf(`document.querySelector('#eye-video').getVideoPlaybackQuality().totalVideoFrames > %v`, before+10))
	v.until("the chip tells how many", `/Live \d+ fps, \d+(\.\d)? [kM]bit\/s/.test(document.querySelector('#eye-live').textContent)`)

	at := func(pan string) {
		t.Helper()
		v.until("the head looks to "+pan, fmt.Sprintf(`document.querySelector('#eye-angles').textContent.startsWith('pan %s ')`, pan))
	}
	v.click(`[data-eye=left]`)
	at("10°")
	v.click(`[data-eye=right]`)
	v.click(`[data-eye=right]`)
	at("−10°")
	v.press(key{"KeyO", "o", 'O', ""})
	v.letGo(key{"KeyO", "o", 'O', ""})
	at("0°")
	v.press(key{"KeyJ", "j", 'J', ""})
	v.until("the head turns while the key is held", `parseInt(document.querySelector('#eye-angles').textContent.slice(4)) > 20`)
	v.letGo(key{"KeyJ", "j", 'J', ""})

	v.press(key{"KeyV", "v", 'V', ""})
	v.letGo(key{"KeyV", "v", 'V', ""})
	v.until("the picture is in the map's place", `(() => { const e = document.querySelector('#eye').getBoundingClientRect(), m = document.querySelector('#stage').getBoundingClientRect(); return e.width > 900 && m.width < 400 })()`)
}

// On a bad line the picture freezes for a moment, again and again. A screen reader hears only what lasts.
func TestAPictureThatFreezesForAMomentIsNotAnnounced(t *testing.T) {
	t.Parallel()
	v := visit(t, chromium(t), open(t, sighted).addr)
	v.run(listen)
	v.sees()
	const live, frozen = "The camera picture is live.", "The camera picture is frozen."
	v.until("the news of the picture", hears(live))
	v.run(`new Promise((done) => {
		const eye = document.querySelector('#eye'), video = document.querySelector('#eye-video');
		new MutationObserver((_, watch) => (eye.dataset.state === 'frozen' ? video.play() : done(watch.disconnect()))).observe(eye, { attributeFilter: ['data-state'] });
		video.pause();
	})`)
	v.run(`document.querySelector('#eye-video').pause()`)
	v.until("the news of a picture that stays frozen", hears(frozen))
	said := strings.Join(value[[]string](v, `__seen.spoken`), " ")
	if n := strings.Count(said, live) + strings.Count(said, frozen); n != 2 {
		t.Errorf("the page announced %d states of the picture: %s", n, said)
	}
}

// A track that ends shows a black frame, which is no video.
func TestWithoutTheRobotThePageSaysThatThereIsNoPicture(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.away = true // the server is gone
	v.sees()
	h.close()
	v.until("no picture, and words instead of it", `document.querySelector('#eye').dataset.state === 'off' && document.querySelector('#eye-dark p').innerText.includes('until the robot is back')`)
	if seen := value[[]string](v, `new Promise((done) => {
		const seen = new Set(), look = setInterval(() => seen.add(document.querySelector('#eye').dataset.state), 10);
		setTimeout(() => { clearInterval(look); done([...seen]); }, 1000);
	})`); len(seen) != 1 || seen[0] != "off" {
		t.Errorf("after that the states are %v", seen)
	}
}

// Hardened browsers have no WebRTC, nor has WebKitGTK: their page said "Loading the picture." and nothing else.
func TestABrowserWithoutWebRTCIsToldSoAndDrives(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := arrive(t, chromium(t), h.addr)
	v.onLoad(`delete window.RTCPeerConnection`)
	v.open()
	v.until("why there is no picture", `document.querySelector('#eye').dataset.state === 'off' && document.querySelector('#eye-dark p').innerText.includes('has no WebRTC, or it is switched off')`)
	v.until("control", `!document.querySelector('#auth').hidden`)
	h.drivenBy(v, byW)
	v.letGo(keyW)
	h.awaitStill()
}

// The video returns by itself after the server was killed and started again. The test measures,
// so it runs alone.
func TestThePictureComesBackAfterTheServerDid(t *testing.T) {
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.away = true // the server is gone for a while
	v.sees()
	h.close()
	v.until("the page to notice that the picture stands still", `document.querySelector('#eye').dataset.state !== 'live'`)
	v.run(`(() => {
		const eye = document.querySelector('#eye');
		__seen.sees = new Promise((done) => new MutationObserver(() => { if (eye.dataset.state === 'live') done(Date.now()); }).observe(eye, { attributeFilter: ['data-state'] }));
	})()`)
	openAt(t, h.addr, func(s *sim.Scene) { s.People = nil }, sighted)
	began := time.Now()
	back := time.UnixMilli(int64(value[float64](v, `__seen.sees`))).Sub(began)
	if back > 3*time.Second {
		t.Errorf("the video was back %.1f s after the server, want 3 s", back.Seconds())
	} else {
		t.Logf("the picture was back %.1f s after the server", back.Seconds())
	}
}

func TestAScriptThatSwitchesTheCameraOffIsNamedInThePicture(t *testing.T) {
	t.Parallel()
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.sees()
	v.openScripts()
	v.newScript()
	v.writeScript("camera.load = 0; wait(1h);")
	v.push(scriptSwitch)
	v.until("why there is no picture", `document.querySelector('#eye-dark').checkVisibility() && document.querySelector('#eye-dark p').textContent === 'The script New script has switched the camera off.' && document.querySelector('#eye-retry').hidden && document.querySelector('#eye-live').hidden`)
	w := visit(t, chromium(t), h.addr)
	w.until("the same for who comes later", `document.querySelector('#eye-dark p').textContent === 'The script New script has switched the camera off.'`)
	v.push(scriptSwitch)
	for _, one := range []*visitor{v, w} {
		one.until("the picture again", `document.querySelector('#eye-dark').hidden && !document.querySelector('#eye-live').hidden`)
		one.check()
	}
}

func TestTheViewIsTurnedAheadOfTheDelayAndThePathLiesOnItsFloor(t *testing.T) {
	t.Parallel()
	profile, err := link.ParseProfile("rtt=900ms")
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, sighted, func(c *app.Config) { c.Link, c.Seed = profile, 1 })
	v := visit(t, chromium(t), h.addr)
	v.sees()
	v.until("its age is told", `!document.querySelector('#eye-age').hidden && parseFloat(document.querySelector('#eye-age').textContent) >= 0.4`)
	v.holdUntil(byW, "the way lies on the floor", `!document.querySelector('#eye-lilac').hidden`)
	v.until("it is painted in the middle below", `(() => {
		const c = document.querySelector('#eye-over');
		const one = window.__one ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
		one.clearRect(0, 0, 1, 1);
		one.drawImage(c, -Math.round(c.width / 2), 3 - c.height);
		const p = one.getImageData(0, 0, 1, 1).data;
		return p[3] > 20 && p[2] > p[1];
	})()`)
	v.holdUntil(byKeys(keyW, keyA), "the view is turned", `!document.querySelector('#eye-turned').hidden && document.querySelector('#eye-turn').style.transform.startsWith('matrix3d')`)
	deg, err := strconv.Atoi(value[string](v, `document.querySelector('#eye-turned').textContent.replace(/\D/g, '')`))
	if err != nil || deg < 2 || deg > 60 {
		t.Errorf("the view is turned by %d degrees (%v)", deg, err)
	}
	v.letGo(keyA)
	v.letGo(keyW)
	h.awaitStill()
	v.until("a picture that has caught up is not turned", `document.querySelector('#eye-turned').hidden`)
	v.click(`[data-eye=ahead]`)
	v.click(`[data-eye=left]`)
	v.until("the head turns", `document.querySelector('#eye-angles').textContent.startsWith('pan 10°')`)
	if got := value[string](v, `document.querySelector('#eye-turn').style.transform`); got != "" {
		t.Errorf("with the switch off the picture is turned by %s", got)
	}
}

func TestTheCameraIsReadableEverywhere(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	h := open(t, sighted)
	v := visit(t, chromium(t), h.addr)
	v.sees()
	for _, where := range []string{"video", "video-swapped"} {
		v.inEveryWindow(where, axe, (*visitor).uncovered, (*visitor).stopInReach)
		v.click(`[data-eye=swap]`)
	}
}

// uncovered waits until no banner lies over the picture.
func (v *visitor) uncovered(where string) {
	v.t.Helper()
	v.until(where+": no banner lies over the picture", `document.querySelector('#app').dataset.conn === 'live' && !document.querySelector('#banner').checkVisibility()`)
}
