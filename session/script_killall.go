package session

import (
	"context"
	"fmt"
	"time"

	"mybot/robot"
)

// A scriptStarter is who has started a script, or opened the unit of a connection.
type scriptStarter struct {
	name    string    // as people see it
	at      time.Time // when it started the unit
	script  Script    // zero = the unit of a connection
	by      Identity
	program string // browser word under which a connection takes control itself; "" = a script
}

// PermitKillAll decides whether one unit may end what another runs, by the command
// killall. The same user may, and so may the unit whose user is in control; all users at the
// robot's own computer count as one, as for what they save. The error is a robot.Refusal.
func (h *Hub) PermitKillAll(ctx context.Context, by, unit string) error {
	self := Identity{Role: Operator} // what runs on the robot was checked when it started
	return asRefusal(h.executeOrder(ctx, self, order{script: func(c *coordinator, _ time.Time) robot.Result {
		return c.mayKillAll(by, unit)
	}}).Result)
}

// mayKillAll returns Success if one unit may end what another runs, or else the refusal.
func (c *coordinator) mayKillAll(by, unit string) robot.Result {
	if killer, isKnown := c.startedBy[by]; isKnown && c.mayEnd(killer, unit) {
		return robot.Result{Word: robot.Success}
	}
	return c.refuseEnd(unit)
}

// mayEnd reports whether a user, or a unit of that user, may end what a unit runs.
func (c *coordinator) mayEnd(killer scriptStarter, unit string) bool {
	other, isOwned := c.startedBy[unit]
	isSame := isOwned && Owner(killer.by.Grant) == Owner(other.by.Grant)
	return isSame || c.hasControl(killer)
}

// refuseEnd returns the refusal for who may not end what a unit runs.
func (c *coordinator) refuseEnd(unit string) robot.Result {
	whose := "does not belong to your user"
	if other, isOwned := c.startedBy[unit]; isOwned {
		whose = "belongs to " + other.name
	}
	return newRefusal(robot.Error, fmt.Sprintf("%s %s. Only that user, or the person in control of the robot, ends what it runs.", unit, whose))
}

// hasControl reports whether a unit's user is in control, or the unit itself.
func (c *coordinator) hasControl(s scriptStarter) bool {
	who := c.people.byID(c.lease.Holder)
	return who != nil && (who.browser == s.by.Browser || s.program != "" && who.browser == s.program)
}
