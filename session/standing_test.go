package session

import (
	"testing"

	"mybot/robot"
	"mybot/session/protocol"
)

func TestARobotStandsBelowItsCreepingSpeed(t *testing.T) {
	for _, c := range []struct {
		twist robot.Twist
		want  bool
	}{
		{robot.Twist{}, true},
		{robot.Twist{Linear: 0.0099, Angular: -0.0199}, true},
		{robot.Twist{Linear: stillLinear}, false},
		{robot.Twist{Linear: -stillLinear}, false},
		{robot.Twist{Angular: stillAngular}, false},
		{robot.Twist{Angular: -stillAngular}, false},
	} {
		if got := isStanding(c.twist); got != c.want {
			t.Errorf("%v stands: %v", c.twist, got)
		}
	}
}

func TestAnOrderIsAsLongAndAsGoodAsASampleOfAPage(t *testing.T) {
	for _, c := range []struct {
		name  string
		drive robot.Drive
		word  robot.Word
	}{
		{"as long as it may", robot.Drive{Valid: protocol.MaxValid}, robot.Success},
		{"longer", robot.Drive{Valid: protocol.MaxValid + 1}, robot.Error},
		{"as long as it does by itself", robot.Drive{}, robot.Success},
		{"backwards in time", robot.Drive{Valid: -1}, robot.Error},
	} {
		t.Run(c.name, func(t *testing.T) {
			tb := newTable(t)
			ana := tb.join("Ana")
			r := tb.hub.coordinator.executeOrder(order{Order: Order{Lease: ana.lease, DriveEpoch: ana.hold, Seq: 1, Command: c.drive}, by: Identity{Browser: "Ana"}}, tb.now)
			if r.Word != c.word {
				t.Errorf("%+v, want %s", r, c.word)
			}
			if did := tb.robot.take(); (len(did) > 1) != (c.word == robot.Success) {
				t.Errorf("the robot did %q", did)
			}
		})
	}
}
