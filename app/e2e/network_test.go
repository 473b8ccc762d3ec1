package e2e_test

import (
	"strings"
	"testing"
	"time"

	"mybot/app"
	"mybot/link"
	"mybot/robot"
)

func TestTheRobotStandsInABlackHoleAndWaitsForAFreshPress(t *testing.T) {
	h := open(t)
	network := newProxy(t, h.addr)
	cookie := h.cookie()
	ana, jin := enter(t, network.addr, cookie, "Ana"), h.enter("Jin")
	ana.drive(0.4, 0, moving)
	network.swallow(true)
	ana.push(0.4, 0) // loses its connection
	jin.until("Ana's driving", func(m message) bool { return m.Type == "state" && moving(m) })
	jin.awaitStandstill()
	if v := h.driver.Truth().Twist; v.Linear > 0.05 {
		t.Errorf("the robot has no contact and still moves: %+v", v)
	}

	network.swallow(false)
	begin := time.Now()
	back := enter(t, network.addr, cookie, "Ana")
	if !back.kept || back.you != ana.you {
		t.Fatalf("the same tab reconnected as %d (was %d), in control: %v", back.you, ana.you, back.kept)
	}
	back.until("a fresh state", func(m message) bool { return m.Type == "state" })
	t.Logf("back with a fresh state after %v", time.Since(begin).Round(time.Millisecond))
	back.push(0.4, 0) // sent by the driver, who has held the stick all along
	if no := back.until("a refusal", func(m message) bool { return m.Type == "result" }); no.Word != robot.Interrupted {
		t.Errorf("an old press was answered %s: %s", no.Word, no.Reason)
	}
	back.drive(0.3, 0, moving)
}

func TestAnImpairedNetworkDelaysBothDirectionsAndLosesNothing(t *testing.T) {
	const roundTrip = 200 * time.Millisecond
	h := open(t, func(c *app.Config) { c.Link = link.Profile{RoundTrip: roundTrip} })
	begin := time.Now()
	ana := h.enter("Ana")
	if took := time.Since(begin); took < roundTrip {
		t.Errorf("the welcome arrived after %v, before it can", took)
	}
	ana.drive(0.3, 0, moving)
	begin = time.Now()
	ana.ask(map[string]any{"type": "stop"})
	if took := time.Since(begin); took < roundTrip || took > roundTrip+2*time.Second {
		t.Errorf("the answer to STOP took %v over a round trip of %v", took, roundTrip)
	}
	ana.awaitStandstill()

	heard := make(chan message, 1)
	go func() { heard <- ana.until("goodbye", func(m message) bool { return m.Type == "bye" }) }()
	if took := h.close(); took >= 2*time.Second {
		t.Errorf("the shutdown took %v", took)
	}
	if bye := <-heard; !strings.Contains(bye.Reason, "shutting down") {
		t.Errorf("goodbye says %q", bye.Reason)
	}
}

func TestAShutdownDoesNotWaitForANetworkThatStalls(t *testing.T) {
	stalls := link.Profile{RoundTrip: 20 * time.Second}
	h := open(t, func(c *app.Config) { c.Link = stalls })
	ctx := t.Context()
	conn, _, err := dial(ctx, h.addr, h.cookie())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow() //nolint:errcheck // it is gone either way
	if took := h.close(); took >= 2*time.Second {
		t.Errorf("the shutdown took %v", took)
	}
}
