package e2e_test

import (
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/link"
)

// count records what the page sends by the channel, and can cut the channel.
const count = `(() => {
	const thrown = __seen.thrown = [];
	const send = RTCDataChannel.prototype.send;
	RTCDataChannel.prototype.send = function (text) {
		if (__seen.cut) return;
		thrown.push(JSON.parse(text));
		return send.call(this, text);
	};
})()`

// visitWithChannel opens the page and waits until samples would also use its channel.
func visitWithChannel(t *testing.T, addr string) *visitor {
	t.Helper()
	v := visit(t, chromium(t), addr)
	v.run(count)
	v.until("the channel to open", `__seen.thrown.some((m) => m.type === 'clock')`)
	return v
}

const thrown = `__seen.thrown.filter((m) => m.type === 'drive')`

func TestThePageDrivesByBothChannels(t *testing.T) {
	t.Parallel()
	h := open(t)
	v := visitWithChannel(t, h.addr)
	h.drivenBy(v, byW)
	v.until("samples by both ways", thrown+`.length > 10`)
	v.until("each with some of those before it", thrown+`.some((m) => m.hist?.length >= 4)`)
	v.letGo(keyW)
	h.awaitStill()
	if n := value[int](v, `(() => { const sent = new Set(__seen.sent.filter((m) => m.type === 'drive').map((m) => m.seq)); return `+thrown+`.filter((m) => !sent.has(m.seq)).length; })()`); n != 0 {
		t.Errorf("%d samples were only sent by the channel, not by the WebSocket", n)
	}
	v.press(keySpace)
	v.letGo(keySpace)
	v.until("STOP by the channel too", `__seen.thrown.some((m) => m.type === 'stop' && m.id > 0)`)
}

// A busy computer slows the robot too, but not each time.
func TestDrivingGoesOnWhileTheWebSocketStalls(t *testing.T) {
	const least = 0.2 // m/s
	for range 3 {
		slowest := drivesThroughStall(t)
		if slowest >= least {
			return
		}
		t.Logf("with the channel open it slowed to %.2f m/s while the WebSocket stalled, want %.2f m/s", slowest, least)
	}
	t.Error("the robot slowed down too much three times in a row")
}

// drivesThroughStall returns the lowest speed, in m/s, during a stall of three seconds in the
// WebSocket's uplink.
func drivesThroughStall(t *testing.T) float64 {
	t.Helper()
	h := open(t)
	network := newProxy(t, h.addr)
	v := visitWithChannel(t, network.addr)
	start := h.driver.Truth().Pose
	h.driveUntil(v, byW, "the robot to go", func(t sim.Truth) bool { return t.Pose.X > start.X+0.2 })
	network.holdUp(true)
	shut := time.Now()
	slowest := 1.0
	h.await("three seconds", func(t sim.Truth) bool {
		slowest = min(slowest, t.Twist.Linear)
		return time.Since(shut) > 3*time.Second
	})
	t.Logf("it went %.2f m in 3 s without the WebSocket, at %.2f m/s at least", h.driver.Truth().Pose.X-start.X, slowest)
	network.holdUp(false) // a burst of copies
	v.letGo(keyW)
	h.awaitStill()
	v.run(`new Promise((done) => setTimeout(done, 300))`)
	if truth := h.driver.Truth(); !still(truth) {
		t.Errorf("the burst moves the robot again: %+v", truth.Twist)
	}
	return slowest
}

func TestTheRobotStopsWhenBothChannelsAreGone(t *testing.T) {
	h := open(t)
	network := newProxy(t, h.addr)
	v := visitWithChannel(t, network.addr)
	v.drivesGently()
	start := h.driver.Truth().Pose
	h.driveUntil(v, byW, "the robot to go", func(t sim.Truth) bool { return t.Pose.X > start.X+0.2 })
	v.run(`__seen.cut = true`)
	network.holdUp(true)
	cut := time.Now()
	if took := h.timeToStand(cut); took > maxToStand {
		t.Errorf("the robot stopped %v after both channels were cut, want %v", took, maxToStand)
	} else {
		t.Logf("it stood %v after both ways were cut", took)
	}
	h.await("a second more", func(t sim.Truth) bool { return !still(t) || time.Since(cut) > 3*time.Second })
	if truth := h.driver.Truth(); !still(truth) {
		t.Errorf("the robot moves again: %+v", truth.Twist)
	}
	network.holdUp(false) // the delayed samples
	v.run(`__seen.cut = false`)
	v.run(`new Promise((done) => setTimeout(done, 500))`)
	if truth := h.driver.Truth(); !still(truth) {
		t.Errorf("delayed samples move the robot: %+v", truth.Twist)
	}
	v.letGo(keyW)
}

func TestTheChannelOpensOverALongDelay(t *testing.T) {
	t.Parallel()
	profile, err := link.ParseProfile("kaist-davis")
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, func(c *app.Config) { c.Link = profile })
	v := visitWithChannel(t, h.addr)
	h.drivenBy(v, byW)
	v.until("samples by the channel", thrown+`.length > 10`)
	v.letGo(keyW)
	h.awaitStill()
}
