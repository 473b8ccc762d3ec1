package session

import (
	"context"
	"testing"

	"mybot/robot"
)

func TestAnAdminsOrdersAreTaken(t *testing.T) {
	tb := newTable(t)
	boss := Identity{Browser: "Boss", Role: Admin}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if r := tb.hub.Command(over, boss, Order{Command: robot.Stop{}}); r.Word != robot.Success || tb.robot.stopped() == "" {
		t.Errorf("a stop is answered %+v", r)
	}
	if r := tb.hub.Command(over, boss, Order{}); r.Word != robot.Interrupted {
		t.Errorf("an order whose caller is gone is answered %+v", r)
	}
}

func TestOrdersFollowTheRulesOfPages(t *testing.T) {
	tb, _ := newJobTable(t)
	ana := tb.join("Ana")
	for _, c := range []struct {
		cmd  robot.Command
		word robot.Word
	}{
		{robot.PauseRun{}, robot.Success},
		{robot.Look{}, robot.Success},
		{robot.MoveJoints{}, robot.Success},
		{robot.Replay{}, robot.NA},
		{nil, robot.Success},
	} {
		by := Identity{Browser: "Ana", Role: Operator}
		if r := tb.hub.coordinator.executeOrder(order{Order: Order{Lease: ana.lease, Command: c.cmd}, by: by}, tb.now); r.Word != c.word {
			t.Errorf("%T is answered %+v, want %s", c.cmd, r, c.word)
		}
	}
}
