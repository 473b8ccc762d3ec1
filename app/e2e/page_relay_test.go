package e2e_test

import (
	"fmt"
	"testing"

	"mybot/app"
	"mybot/link"
	"mybot/media"
	"mybot/media/mediatest"
)

// byRelay makes the page reach the robot by relays only.
const byRelay = `(() => {
	const set = RTCPeerConnection.prototype.setRemoteDescription;
	RTCPeerConnection.prototype.setRemoteDescription = function ({ type, sdp }) {
		return set.call(this, { type, sdp: sdp.split('\r\n').filter((l) => !l.startsWith('a=candidate:') || l.includes(' typ relay')).join('\r\n') });
	};
})()`

func TestAPageThatReachesTheRobotByARelayAloneSeesAndDrives(t *testing.T) {
	t.Parallel()
	h := open(t, sighted, func(c *app.Config) { c.Media.Relays = []media.Relay{mediatest.Relay(t)} })
	v := arriveAt(t, chromium(t), h.addr, "/", watch, byRelay, count)
	v.until("the channel to open", `__seen.thrown.some((m) => m.type === 'clock')`)
	v.sees()
	h.drivenBy(v, byW)
	v.until("samples by the channel", thrown+`.length > 10`)
	v.letGo(keyW)
	h.awaitStill()
}

// tellsRepairs makes the page count the repair packets of the video.
const tellsRepairs = `(() => {
	const Plain = RTCPeerConnection;
	window.__repairs = 0;
	window.RTCPeerConnection = class extends Plain {
		constructor(...how) {
			super(...how);
			setInterval(async () => { for (const s of (await this.getStats()).values()) if (s.type === 'inbound-rtp' && s.fecPacketsReceived > 0) window.__repairs = s.fecPacketsReceived; }, 100);
		}
	};
})()`

func TestChromiumTakesTheRepairsOfPicturesWhereSomeAreLost(t *testing.T) {
	t.Parallel()
	h := open(t, sighted, func(c *app.Config) { c.Link, c.Seed = link.Profile{Loss: 0.03}, 1 })
	v := arriveAt(t, chromium(t), h.addr, "/", watch, tellsRepairs)
	v.sees()
	v.until("repairs come", `__repairs > 5`)
	before := v.frames()
	v.until("pictures go on", `document.querySelector('#eye-video').getVideoPlaybackQuality().totalVideoFrames > `+fmt.Sprint(before+10))
}
