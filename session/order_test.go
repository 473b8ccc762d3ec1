package session

import (
	"context"
	"testing"

	"mybot/robot"
	"mybot/session/lease"
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

// A recording that is shown is played, paused and wound while the robot rolls.
func TestAQuestionAboutCommandsThatMoveNothingNeedsControlAndNoStandingRobot(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	asks := func(what string, p *page, epoch uint64, movesNothing bool, want robot.Word, reason string) {
		t.Helper()
		o := order{Order: Order{Lease: epoch, MovesNothing: movesNothing}, by: Identity{Browser: p.browser}}
		is(t, what, tb.hub.coordinator.executeOrder(o, tb.now), want, reason)
	}
	ana.press(0, 0)
	ana.press(0.3, 0)
	asks("the person in control", ana, ana.lease, true, robot.Success, "")
	asks("another person", jin, ana.lease, true, robot.Error, "Ana has control.")
	asks("a lease that was never given", ana, ana.lease+1, true, robot.Error, "ahead of the epoch")
	jin.control("request")
	ana.control("give", `,"to":%d`, jin.you)
	asks("who gives control away", ana, ana.lease, true, robot.Interrupted, "must stop first")
	tb.pass(lease.StandTimeout)
	jin.keep()
	asks("who has it, while the robot rolls", jin, jin.lease, true, robot.Success, "")
	asks("who has it, about what moves", jin, jin.lease, false, robot.Interrupted, "must stop first")
	asks("the lease of before", jin, jin.lease-1, true, robot.Interrupted, "Control changed")
}
