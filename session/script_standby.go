package session

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// Standing by: a script that an admin permits continues by itself after a visitor, when no
// one has had control for a while. The robot decides by what its motion was held, measures
// the time and announces it (robot/onboard). The hub says which scripts may continue, and
// only while control is free; and it continues them, because it knows who has control.

// A Standby says which scripts an admin lets stand by.
type Standby interface {
	// MayStandBy reports whether a running script may continue without Resume: an admin
	// permits it, for the text that runs, and neither the access of that
	// admin nor that of licensed, the grant of the person who last let the script move the
	// robot, has ended. The hub's goroutine calls it, so it answers at once.
	MayStandBy(id, text, licensed string) bool
}

// A licensing says how a unit began and who last let it move the robot.
type licensing struct {
	started  time.Time
	grant    string
	licensed bool // a person in control has let it move, and has access since
}

// standbyControl is what the hub knows about scripts that stand by.
type standbyControl struct {
	standby   Standby // nil = none may
	after     time.Duration
	licensing map[string]*licensing // by unit
	listed    robot.LetStandBy      // what the robot last heard
	noticed   map[string]bool       // units whose continuation the log has announced
}

// noteStart notes that a unit has started.
func (c *coordinator) noteStart(unit string, now time.Time) {
	if c.licensing == nil {
		c.licensing = map[string]*licensing{}
	}
	c.licensing[unit] = &licensing{started: now}
}

// noteLicensed notes that a person lets a unit move the robot, or all units if unit is "".
func (c *coordinator) noteLicensed(who *person, unit string) {
	for name, l := range c.licensing {
		if unit == "" || name == unit {
			l.grant, l.licensed = who.grant, true
		}
	}
}

// endLicencesOf forgets what a person with the revoked grant has let move, and reports
// whether there was any.
func (c *coordinator) endLicencesOf(grant string) (any bool) {
	for _, l := range c.licensing {
		if l.licensed && l.grant == grant {
			l.licensed, any = false, true
		}
	}
	return any
}

// isControlFree reports whether no one has control, and no one is about to get it.
func (c *coordinator) isControlFree() bool {
	return c.lease.Holder == 0 && !c.lease.IsPassing() && c.lease.Offered().User == 0
}

// mayStandBy reports whether an admin permits a unit to stand by, and a person whose access
// has not ended has let it move the robot.
func (c *coordinator) mayStandBy(unit string) bool {
	l := c.licensing[unit]
	return l != nil && l.licensed && c.standby.MayStandBy(unit, c.startedBy[unit].script.Text, l.grant)
}

// nameScript returns the name of a script as people know it.
func (c *coordinator) nameScript(unit string) string {
	return cmp.Or(c.startedBy[unit].script.Name, unit)
}

// updateStandby tells the robot which scripts may continue by themselves, if that has
// changed. It is called when control begins to change, and with every state.
func (c *coordinator) updateStandby() {
	if c.standby == nil || c.scripts == nil {
		return
	}
	next := robot.LetStandBy{Epoch: c.lease.Epoch, After: c.after}
	if c.isControlFree() && c.noGoals == "" {
		for _, u := range c.scripts.Units {
			if c.mayStandBy(u.Name) {
				next.Units = append(next.Units, u.Name)
			}
		}
	}
	isSame := slices.Equal(next.Units, c.listed.Units) && (len(next.Units) == 0 || next.Epoch == c.listed.Epoch)
	if !isSame && c.robot.Do(next).Done() {
		c.listed = next
	}
}

// watchStandby updates which scripts stand by from a state, and continues those whose time
// has come.
func (c *coordinator) watchStandby(s robot.State) {
	if s.Scripts == nil {
		return
	}
	for name, l := range c.licensing { // a unit that has just started may be in no state yet
		isHere := slices.ContainsFunc(s.Scripts.Units, func(u robot.ScriptUnit) bool { return u.Name == name })
		if !isHere && s.Time.Sub(l.started) > holdRetry {
			delete(c.licensing, name)
		}
	}
	c.updateStandby()
	c.continueScripts(s.Scripts, s.Time)
}

// continueScripts continues the scripts whose time has come, and reports what the robot
// announces. at is the time of the state.
func (c *coordinator) continueScripts(s *robot.ScriptState, at time.Time) {
	if c.standby == nil {
		return
	}
	for _, u := range s.Units {
		if was := c.noticed[u.Name]; u.Announced && !was {
			c.logEvent(protocol.IconGoal, "The script "+c.nameScript(u.Name)+" continues in 10 s unless someone takes control.", at)
		}
		if u.Announced && !at.Before(u.ContinuesAt) {
			c.continueScript(u.Name, at)
		}
	}
	c.noticed = map[string]bool{}
	for _, u := range s.Units {
		if u.Announced {
			c.noticed[u.Name] = true
		}
	}
}

// continueScript continues a script without Resume, unless someone has control. It looks at
// the permission again, because the robot may not have heard of its end.
func (c *coordinator) continueScript(unit string, now time.Time) {
	isListed := slices.Contains(c.listed.Units, unit) && c.listed.Epoch == c.lease.Epoch
	if !isListed || !c.mayStandBy(unit) || !c.isControlFree() || c.noGoals != "" || !c.mayMove().Done() || c.holdDue.Reason != "" {
		return
	}
	if r := c.robot.Do(robot.ContinueUnit{Unit: unit, Epoch: c.lease.Epoch}); !r.Done() {
		c.logger.Info("a script does not continue by itself", "unit", unit, "reason", r.Reason)
		return
	}
	c.standing, c.ordersPending = false, true
	c.lastHolder = 0 // the next person in control holds it
	text := fmt.Sprintf("The script %s continues by itself: no one has had control for %g min.", c.nameScript(unit), c.after.Minutes())
	c.logEvent(protocol.IconGoal, text, now)
	c.auditPerson(now, "script", nil, text+" "+licensedBy(c.licensing[unit].grant))
}

// licensedBy says in the audit log who had let a script move.
func licensedBy(grant string) string {
	if grant == "" {
		return "Someone on the robot's own computer had let it move the robot."
	}
	return "Device " + grant + " had let it move the robot."
}
