package onboard

import (
	"errors"

	"mybot/robot"
	"mybot/script"
)

// A ScriptSink takes what scripts say and ask. Run's goroutine calls its functions, which
// must not wait; nil = dropped.
type ScriptSink struct {
	Lines func([]script.Line)
	Asks  func([]script.Ask)
}

// UseScripts sets the sink of the scripts. Call it before Run.
func (l *Loop) UseScripts(s ScriptSink) { l.sink = s }

// drainScripts passes on what the scripts have said and asked since the last call.
func (h *loopState) drainScripts() {
	if lines := h.core.scripts.takeLines(); len(lines) > 0 && h.sink.Lines != nil {
		h.sink.Lines(lines)
	}
	if asks := h.core.scripts.takeAsks(); len(asks) > 0 && h.sink.Asks != nil {
		h.sink.Asks(asks)
	}
}

// lookAsScripts turns the head to where the scripts want it. Of the errors
// in a row it logs the first.
func (h *loopState) lookAsScripts() {
	a, ok := h.core.scripts.takeLook()
	if !ok || h.turner == nil {
		return
	}
	err := h.turner.Look(a)
	if errors.Is(err, robot.ErrNA) {
		err = nil
	}
	if err != nil && h.unmoved == nil {
		h.log.Error("the head does not turn as a script says", "err", err)
	}
	h.unmoved = err
}

// holdIfStale makes a command about scripts that was given before a stop one that moves
// nothing: what it starts is held.
func (h *loopState) holdIfStale(o *order) {
	if o.stops == h.latch.countStops() {
		return
	}
	switch cmd := o.cmd.(type) {
	case robot.OpenUnit:
		cmd.Held = true
		o.cmd = cmd
	case robot.StartUnit:
		cmd.Held = true
		o.cmd = cmd
	case robot.GiveCommands:
		h.tellCore(robot.HoldUnits{Unit: cmd.Unit, Reason: stoppedShort})
	}
}

// stoppedShort is why a command that was given before a stop moves nothing after it.
const stoppedShort = "The robot was stopped after the command was given."

// dismissesWaiting reports whether a command replaces those whose paths are still being
// planned. A preview and what concerns scripts do not.
func dismissesWaiting(cmd robot.Command) bool {
	switch cmd.(type) {
	case robot.Plan, robot.OpenUnit, robot.StartUnit, robot.GiveCommands, robot.CloseUnit, robot.HoldUnits, robot.ResumeUnits, robot.LetStandBy, robot.ContinueUnit, robot.SilenceUnit, robot.AnswerAsk, robot.NoteUsers, robot.WatchValues:
		return false
	}
	return true
}
