package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"time"

	"mybot/robot"
	"mybot/script"
	"mybot/session/protocol"
)

// Scripts: operators start and stop them. What a script moves needs the licence, which
// the holder of control gives by starting or resuming it; the robot takes it away, and
// control that passes to another person does too. The holder may leave: the script
// continues. A connection has a unit of its own, and takes control like any program.

// scriptControl is what the hub knows about scripts.
type scriptControl struct {
	used        bool                     // a unit was opened since the hub began
	scripts     *robot.ScriptState       // newest that was seen; nil = none yet
	startedBy   map[string]scriptStarter // by unit
	lastUnit    int                      // number of the last connection
	lastHolder  int                      // id of the last person who had control
	connected   string                   // browser word of the connection that takes control; "" = none
	notedUsers  robot.NoteUsers          // what the robot last heard
	holdDue     robot.HoldUnits          // of all scripts, which the robot has not taken yet; without a reason = it has
	holdAgain   time.Time                // when the hub next tries
	alertBudget budget                   // for what scripts tell everyone
}

// holdRetry is the time between two tries to hold the scripts of a robot that does not
// answer.
const holdRetry = time.Second

// alertsPerSecond limits what scripts tell everyone, per second and per burst, because each
// alert is written to the log and sent to every page.
const alertsPerSecond = 5

// scriptTerm is how long the control of a connection lasts; the hub extends it while the
// connection is open.
const scriptTerm = 30 * time.Second

// A scriptUnit is the unit of a connection.
type scriptUnit struct {
	by      Identity // who opened it
	program Identity // who it is when it takes control itself
}

// A Script is a saved script that is ready to start.
type Script struct {
	ID      string // its unit
	Name    string // as people know it
	Text    string
	Program *script.Program // of the text
}

// StartScript starts a script for an operator. With the lease of control its motion is
// licensed; with lease 0 it is held until ResumeScripts. The error is a robot.Refusal.
func (h *Hub) StartScript(ctx context.Context, by Identity, lease uint64, s Script) error {
	return h.doScript(ctx, by, func(c *coordinator, now time.Time) robot.Result {
		who, called := c.people.byBrowser(by.Browser), c.callName(by)
		if lease != 0 {
			if r := c.mayScriptsMove(who, lease); !r.Done() {
				return r
			}
		}
		c.useScripts()
		r := c.robot.Do(robot.StartUnit{Unit: s.ID, Program: s.Program, Held: lease == 0})
		if r.Done() {
			c.startedBy[s.ID] = scriptStarter{name: called, at: now, script: s, by: by}
			c.noteStart(s.ID, now)
			if lease != 0 {
				c.noteLicence(who, s.ID)
			}
			c.logEvent(protocol.IconGoal, called+" started the script "+s.Name+".", now)
		}
		return r
	})
}

// StopScript ends a script, for any operator, or what a connection runs, for who may end that
// by killall. The error is a robot.Refusal.
func (h *Hub) StopScript(ctx context.Context, by Identity, unit string) error {
	return h.doScript(ctx, by, func(c *coordinator, now time.Time) robot.Result {
		if _, err := h.findScriptUnit(unit); err == nil && !c.mayEnd(scriptStarter{by: by}, unit) {
			return c.refuseEnd(unit)
		}
		r := c.robot.Do(robot.CloseUnit{Unit: unit})
		if r.Done() {
			c.logEvent(protocol.IconGoal, c.callName(by)+" stopped the script "+c.nameScript(unit)+".", now)
		}
		return r
	})
}

// ResumeScripts gives all scripts the licence to move, for the holder of control. The error
// is a robot.Refusal.
func (h *Hub) ResumeScripts(ctx context.Context, by Identity, lease uint64) error {
	return h.doScript(ctx, by, func(c *coordinator, now time.Time) robot.Result {
		return c.resumeScripts(c.people.byBrowser(by.Browser), lease, "", now)
	})
}

// OpenScriptUnit opens a unit for a connection of an operator and returns its name: U1, U2
// and so on. Its motion is held until TakeScriptControl.
func (h *Hub) OpenScriptUnit(ctx context.Context, by Identity) (unit string, err error) {
	// The hub writes unit, so this waits for it even if the caller is gone; CloseScriptUnit
	// follows.
	err = h.doScript(context.WithoutCancel(ctx), by, func(c *coordinator, now time.Time) robot.Result {
		c.useScripts()
		c.lastUnit++
		unit = fmt.Sprintf("U%d", c.lastUnit)
		r := c.robot.Do(robot.OpenUnit{Unit: unit, Held: true})
		if r.Done() {
			c.noteStart(unit, now)
			program := by
			program.Browser, program.Name = "script "+rand.Text(), "Program "+unit
			c.startedBy[unit] = scriptStarter{name: c.callName(by), at: now, by: by, program: program.Browser}
			h.mu.Lock()
			h.scriptUnits[unit] = scriptUnit{by, program}
			h.mu.Unlock()
		}
		return r
	})
	return unit, err
}

// GiveScriptCommands passes commands to the unit of a connection. It goes straight to the
// robot. The error is a robot.Refusal.
func (h *Hub) GiveScriptCommands(ctx context.Context, unit string, c script.Commands) error {
	return asRefusal(h.cfg.Robot.Do(ctx, robot.GiveCommands{Unit: unit, Commands: c}))
}

// CloseScriptUnit ends the unit of a connection that has closed, and its control.
func (h *Hub) CloseScriptUnit(unit string) {
	h.mu.Lock()
	u, ok := h.scriptUnits[unit]
	delete(h.scriptUnits, unit)
	h.mu.Unlock()
	if ok {
		h.closeUnit(unit)
		h.post(unitClosed{unit, u.program.Browser})
	}
}

// LicenseScriptUnit licenses the unit of a connection to move the robot if the person who
// opened it has control. Otherwise its motion stays held. The error is a robot.Refusal.
func (h *Hub) LicenseScriptUnit(ctx context.Context, unit string) error {
	u, err := h.findScriptUnit(unit)
	if err == nil {
		_, err = h.licenseForHolder(ctx, u, unit)
	}
	return err
}

// licenseForHolder licenses a unit if the person who opened it has control, and reports
// whether that is so.
func (h *Hub) licenseForHolder(ctx context.Context, u scriptUnit, unit string) (isHolder bool, err error) {
	return h.askScriptHolder(ctx, u.by, func(c *coordinator, who *person, now time.Time) robot.Result {
		return c.resumeScripts(who, c.lease.Epoch, unit, now)
	})
}

// TakeScriptControl licenses the unit of a connection to move the robot: under the control
// of the person who opened it, or else under its own, which it takes if control is free. It
// waits as TakeControl does. The error is a robot.Refusal.
func (h *Hub) TakeScriptControl(ctx context.Context, unit string) error {
	u, err := h.findScriptUnit(unit)
	if err != nil {
		return err
	}
	if isHolder, err := h.licenseForHolder(ctx, u, unit); isHolder || err != nil {
		return err
	}
	by := u.program
	if t := h.requestControl(ctx, by, controlRequest{name: by.Name, term: scriptTerm}); !t.Done() {
		return robot.Refusal(t.Result)
	}
	return h.doScript(ctx, by, func(c *coordinator, now time.Time) robot.Result {
		if _, err := h.findScriptUnit(unit); err != nil { // it has closed meanwhile
			return resultOf(err)
		}
		c.connected = by.Browser
		return c.resumeScripts(c.people.byBrowser(by.Browser), c.lease.Epoch, unit, now)
	})
}

// askScriptHolder reports whether a user has control, and if so does something. The hub's
// goroutine decides it, because HasControl lags behind.
func (h *Hub) askScriptHolder(ctx context.Context, by Identity, do func(c *coordinator, who *person, now time.Time) robot.Result) (isHolder bool, err error) {
	err = h.doScript(ctx, by, func(c *coordinator, now time.Time) robot.Result {
		who := c.people.byBrowser(by.Browser)
		if isHolder = who != nil && c.lease.Holder == who.id; !isHolder {
			return robot.Result{Word: robot.Success}
		}
		return do(c, who, now)
	})
	return isHolder, err
}

// ReleaseScriptControl holds the motion of the unit of a connection and gives back the
// control that it has taken. The error is a robot.Refusal.
func (h *Hub) ReleaseScriptControl(ctx context.Context, unit string) error {
	u, err := h.findScriptUnit(unit)
	if err != nil {
		return err
	}
	r := h.cfg.Robot.Do(ctx, robot.HoldUnits{Unit: unit, Reason: "The connection has given control back."})
	isHolder, err := h.askScriptHolder(ctx, u.program, func(*coordinator, *person, time.Time) robot.Result { return r })
	if isHolder {
		return asRefusal(h.GiveUpControl(ctx, u.program))
	}
	if err == nil {
		err = asRefusal(r)
	}
	return err
}

// HoldScriptUnit holds what the unit of a silent connection moves, unless it ends by
// itself. reason is a sentence. It reports whether the robot has done so.
func (h *Hub) HoldScriptUnit(unit, reason string) bool {
	return h.tellRobot(robot.SilenceUnit{Unit: unit, Reason: reason}).Done()
}

// ResumeScriptUnit lifts the hold of a silent connection that is heard again, and no other.
// It reports whether the robot has done so.
func (h *Hub) ResumeScriptUnit(unit string) bool {
	return h.tellRobot(robot.SilenceUnit{Unit: unit}).Done()
}

func (h *Hub) findScriptUnit(unit string) (scriptUnit, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u, ok := h.scriptUnits[unit]
	if !ok {
		return u, robot.Refusef("There is no connection %s.", unit)
	}
	return u, nil
}

// tellRobot gives the robot a command about scripts, for at most robotWait.
func (h *Hub) tellRobot(cmd robot.Command) robot.Result {
	ctx, cancel := context.WithTimeout(context.Background(), robotWait)
	defer cancel()
	return h.cfg.Robot.Do(ctx, cmd)
}

// closeTries is how often the hub asks a robot that does not answer to end a unit.
const closeTries = 10

// closeUnit ends a unit. A robot that does not answer is asked again, because the unit may
// be moving it.
func (h *Hub) closeUnit(unit string) {
	for range closeTries {
		switch r := h.tellRobot(robot.CloseUnit{Unit: unit}); r.Word {
		case robot.Busy, robot.Interrupted:
		default:
			return
		}
		select {
		case <-h.ended:
			return
		case <-time.After(holdRetry / closeTries):
		}
	}
	h.cfg.Log.Error("the robot did not take the end of a unit of scripts", "unit", unit)
}

// doScript has the hub's goroutine do something about scripts for an operator.
func (h *Hub) doScript(ctx context.Context, by Identity, do func(c *coordinator, now time.Time) robot.Result) error {
	if by.Role < Operator {
		return robot.Refusef("Only operators run scripts. You are here as %s.", by.Role)
	}
	return asRefusal(h.executeOrder(ctx, by, order{script: do}).Result)
}

// callName returns the name of a person, or of a program that is not connected.
func (c *coordinator) callName(by Identity) string {
	if who := c.people.byBrowser(by.Browser); who != nil {
		return who.name
	}
	return by.displayName()
}

// useScripts prepares for the first unit.
func (c *coordinator) useScripts() {
	if !c.used {
		c.used, c.startedBy, c.lastHolder = true, map[string]scriptStarter{}, c.lease.Holder
	}
}

// mayScriptsMove returns Success if the person may license scripts to move, or else the
// refusal.
func (c *coordinator) mayScriptsMove(who *person, lease uint64) robot.Result {
	if who == nil {
		return newRefusal(robot.Error, "You do not have control. "+c.whoHolds())
	}
	if r := c.mayCommand(who, lease, "Look again, then send it again."); !r.Done() {
		return r
	}
	if c.noGoals != "" {
		return newRefusal(robot.NA, c.noGoals)
	}
	if !c.retryHold() {
		return newRefusal(robot.Busy, "The robot does not answer. Try again in a moment.")
	}
	return c.mayMove()
}

// resumeScripts gives a unit, or all units if unit is "", the licence.
func (c *coordinator) resumeScripts(who *person, lease uint64, unit string, now time.Time) robot.Result {
	if r := c.mayScriptsMove(who, lease); !r.Done() {
		return r
	}
	c.noteUsers()
	r := c.robot.Do(robot.ResumeUnits{Unit: unit})
	if r.Done() {
		c.noteLicence(who, unit)
		text := who.name + " resumed the scripts."
		if unit != "" {
			text = who.name + " moves the robot as " + unit + "."
		}
		c.logEvent(protocol.IconGoal, text, now)
	}
	return r
}

// noteLicence notes that a person has licensed a unit, or all units if unit is "". It may
// move the robot before the next state.
func (c *coordinator) noteLicence(who *person, unit string) {
	c.standing, c.ordersPending = false, true
	c.noteLicensed(who, unit)
}

// holdScriptsOf takes the licence that a person with the revoked grant has given, even if
// that person is gone.
func (c *coordinator) holdScriptsOf(grant string) {
	if c.endLicencesOf(grant) {
		c.holdScripts("The access of the person who started or resumed them has been revoked.")
	}
}

// holdScripts takes the licence of all scripts. A robot that does not answer is asked again
// until it does.
func (c *coordinator) holdScripts(reason string) { c.holdUnits(robot.HoldUnits{Reason: reason}) }

func (c *coordinator) holdUnits(hold robot.HoldUnits) {
	if !c.used {
		return
	}
	if c.holdDue.Reason != "" && !c.holdDue.Handover {
		hold.Handover = false // the hold that is due is not for a handover
	}
	c.holdDue, c.holdAgain = hold, time.Time{}
	c.retryHold()
}

// retryHold tries to hold the scripts if that is due, and reports whether they are held as
// they should be.
func (c *coordinator) retryHold() bool {
	if c.holdDue.Reason != "" && c.robot.Do(c.holdDue).Done() {
		c.holdDue = robot.HoldUnits{}
	}
	return c.holdDue.Reason == ""
}

// holdOverdueScripts tries again to hold the scripts of a robot that has not answered.
func (c *coordinator) holdOverdueScripts(now time.Time) {
	if c.holdDue.Reason != "" && !now.Before(c.holdAgain) {
		c.retryHold()
		c.holdAgain = now.Add(holdRetry)
	}
}

// holdScriptsForOther takes the licence of all scripts if control passes to another person
// than the last one.
func (c *coordinator) holdScriptsForOther(reason string) {
	if c.passesToOther() {
		c.holdUnits(robot.HoldUnits{Reason: reason, Handover: true})
	}
}

// passesToOther reports whether control passes to another person than the last one who had
// it.
func (c *coordinator) passesToOther() bool {
	to := c.lease.Heir()
	return to != 0 && to != c.lastHolder
}

// mayScriptsGoOn reports whether a script has the licence to move.
func (c *coordinator) mayScriptsGoOn() bool {
	if c.scripts == nil {
		return false
	}
	for _, u := range c.scripts.Units {
		if !u.Held {
			return true
		}
	}
	return false
}

// noteUsers tells the scripts who uses the robot, if that has changed.
func (c *coordinator) noteUsers() {
	users := robot.NoteUsers{Control: c.nameOfHolder(), Count: c.people.countHere()}
	if users != c.notedUsers && c.robot.Do(users).Done() {
		c.notedUsers = users
	}
}

// observeScripts sends what the scripts do if it has changed, and tells them who is here.
func (c *coordinator) observeScripts(s *robot.ScriptState, now time.Time) {
	if s == nil {
		return
	}
	c.noteUsers()
	if s == c.scripts {
		return
	}
	was := c.scripts
	c.scripts = s
	c.noteCamera(was, now)
	c.forgetEndedUnits(now)
	c.broadcast(c.encodeScripts())
}

// encodeScripts returns the event about the scripts; nil = none was run yet.
func (c *coordinator) encodeScripts() []byte {
	if c.scripts == nil {
		return nil
	}
	e := protocol.ScriptsOf(*c.scripts, c.start, func(unit string) string { return c.startedBy[unit].name })
	e.CameraOff = c.sayCameraIsOff(*c.scripts)
	return protocol.Encode(e)
}

// justBegun is how long a unit may be missing in what the robot reports of its scripts after
// it began.
const justBegun = 5 * time.Second

// forgetEndedUnits forgets who started units that have ended.
func (c *coordinator) forgetEndedUnits(now time.Time) {
	const most = 100 // units, of which some may have ended
	if len(c.startedBy) < most {
		return
	}
	runs := func(unit string) bool {
		return slices.ContainsFunc(c.scripts.Units, func(u robot.ScriptUnit) bool { return u.Name == unit })
	}
	maps.DeleteFunc(c.startedBy, func(unit string, by scriptStarter) bool { return !runs(unit) && now.Sub(by.at) >= justBegun })
}

func (c *coordinator) nameOfHolder() string {
	if who := c.people.byID(c.lease.Holder); who != nil {
		return who.name
	}
	return ""
}

// extendScriptControl extends the control of the connection that has it.
func (c *coordinator) extendScriptControl(now time.Time) {
	if at, ok := c.scriptControlDue(); ok && !now.Before(at) {
		c.lease.Extend(c.lease.Holder, now.Add(scriptTerm))
	}
}

// scriptControlDue returns when extendScriptControl next has work; false = never.
func (c *coordinator) scriptControlDue() (at time.Time, ok bool) {
	if c.connected == "" {
		return at, false
	}
	who := c.people.byBrowser(c.connected)
	if who == nil || !c.lease.InTerm(who.id) || c.lease.IsPassing() {
		return at, false
	}
	return c.lease.TermEnd().Add(-scriptTerm / 2), true
}

// unitClosed says that a connection has closed.
type unitClosed struct{ unit, browser string }

func (m unitClosed) handle(h *Hub, now time.Time) {
	c := &h.coordinator
	if c.connected == m.browser {
		c.connected = ""
	}
	delete(c.licensing, m.unit)
	if who := c.people.byBrowser(m.browser); who != nil && c.lease.Release(who.id, now) {
		who.leftAt = now
		c.beginChange(who.name+" has left. "+nobodyHasControl, now)
	}
}

// AlertByScript informs all users of what a script says; those beyond alertsPerSecond are
// dropped. It never waits.
func (h *Hub) AlertByScript(unit, text string) { h.post(scriptAlert{unit, text}) }

// A scriptAlert is what a script tells everyone.
type scriptAlert struct{ unit, text string }

func (a scriptAlert) handle(h *Hub, now time.Time) {
	if c := &h.coordinator; c.alertBudget.spendToken(now, alertsPerSecond) {
		c.logEvent(protocol.IconWarn, a.unit+": "+a.text, now)
	}
}
