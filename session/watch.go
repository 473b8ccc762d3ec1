package session

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/session/protocol"
)

// A line is one line of the log that the pages show.
type line struct {
	icon protocol.Icon
	text string
}

// A watch turns events of the robot, as its states show them, into lines of the
// log: each event once, when it begins.
type watch struct {
	began           bool
	bump            bool
	bumped          time.Time  // when that was reported last
	charging        bool       // as it was reported last,
	charged         time.Time  // then
	lastBatteryMark float64    // the lowest battery mark that was reported; 0 = none
	goal            robot.Goal // the last one examined
	lastGoalText    string     // what was last reported about it; "" = nothing
	goalOfJob       bool       // it belonged to a job
	blocked         time.Time  // when the blockage that was reported last began
	uncharged       time.Time  // since when the robot has stood at its dock without charging; zero = it does not
	saidUncharged   bool       // that was reported
	run             robot.Run  // the last one examined
}

// batteryMark returns the lowest reportable charge that the battery is below; 0 =
// none.
func batteryMark(charge float64) float64 {
	switch {
	case charge < 0.10:
		return 0.10
	case charge < 0.25:
		return 0.25
	}
	return 0
}

// observeState returns log lines about what is new in the state. dock is the pose in which
// the robot charges; nil = unknown.
func (w *watch) observeState(s robot.State, dock *robot.Pose) (lines []line) {
	if s.Bump && !w.bump && isDue(w.bumped, s.Time) {
		w.bumped = s.Time
		lines = append(lines, line{protocol.IconWarn, "The bumper is touching something."})
	}
	if changed := s.Battery.Charging != w.charging; !w.began {
		w.charging = s.Battery.Charging
	} else if changed && isDue(w.charged, s.Time) && (s.Battery.Charging || !isDocking(s.Goal, dock)) {
		w.charging, w.charged = s.Battery.Charging, s.Time
		text := "The robot is charging."
		if !s.Battery.Charging {
			text = unchargedText(s)
		}
		lines = append(lines, line{protocol.IconBattery, text})
	}
	if w.charging { // as reported: contacts that flicker do not report a low battery again and again
		w.lastBatteryMark = 0
	} else if mark := batteryMark(s.Battery.Charge); mark != 0 && (w.lastBatteryMark == 0 || mark < w.lastBatteryMark) {
		w.lastBatteryMark = mark
		lines = append(lines, line{protocol.IconBattery, fmt.Sprintf("Battery below %.0f%%.", mark*100)})
	}
	if w.noteUncharged(s, dock) {
		lines = append(lines, line{protocol.IconWarn, "The robot stands at its dock, but its base reports no charging."})
	}
	lines = append(lines, w.observeGoal(s)...)
	lines = append(lines, w.observeRun(s.Run)...)
	w.began, w.bump = true, s.Bump
	return lines
}

// isDue reports whether what was reported last at a time may be reported again, so that
// neither a bouncing contact nor a malicious base fills the log.
func isDue(last, now time.Time) bool {
	const pause = time.Second
	return last.IsZero() || now.Sub(last) >= pause
}

// isDocking reports whether the robot's goal is its dock, which a page may have rounded. On
// the last centimetres the contacts may meet and part, which does not take the robot off its
// charger.
func isDocking(g *robot.Goal, dock *robot.Pose) bool {
	if g == nil || dock == nil || g.Phase != robot.GoalDriving {
		return false
	}
	off := dock.Inverse().Compose(g.Pose)
	return off.Point().Norm() < limits.ArriveWithin && math.Abs(off.Theta) < limits.ArriveHeading
}

// chargesWithin is how long a charger may take to begin.
const chargesWithin = 5 * time.Second

// noteUncharged reports, once for each stay, that the robot stands at its dock and does not
// charge there: the charger has no power or was moved, or the contacts do not meet.
func (w *watch) noteUncharged(s robot.State, dock *robot.Pose) bool {
	if math.IsNaN(s.Battery.Charge) || s.Battery.Charging || !restsAtDock(s, dock) {
		w.uncharged, w.saidUncharged = time.Time{}, false
		return false
	}
	if w.uncharged.IsZero() {
		w.uncharged = s.Time
	}
	if w.saidUncharged || s.Time.Sub(w.uncharged) <= chargesWithin {
		return false
	}
	w.saidUncharged = true
	return true
}

// restsAtDock reports whether the robot stands as near to its dock as a goal ends, and is on
// its way nowhere.
func restsAtDock(s robot.State, dock *robot.Pose) bool {
	if dock == nil || s.Estimate.Trust == robot.TrustLost || !s.Twist.IsStill() || s.Mode != robot.ModeReady && s.Mode != robot.ModeJob || s.Goal != nil && s.Goal.Phase != robot.GoalEnded {
		return false
	}
	off := dock.Inverse().Compose(s.Estimate.Pose)
	return off.Point().Norm() <= limits.GoalNear && math.Abs(off.Theta) <= limits.GoalNearTurn
}

// unchargedText says that the robot no longer charges, and what took it off its
// charger.
func unchargedText(s robot.State) string {
	switch {
	case s.Mode == robot.ModeManual:
		return "The robot has left its charger, driven by hand."
	case s.Mode == robot.ModeJob && s.Run != nil:
		return fmt.Sprintf("The robot has left its charger for the job %q.", s.Run.Name)
	case s.Mode == robot.ModeGoal && s.Goal != nil:
		return fmt.Sprintf("The robot has left its charger on the way to %s.", placeName(s.Goal.Name, s.Goal.Pose))
	}
	return "The robot is no longer charging."
}

// blockedFor is how long the path must be blocked to be logged, in s.
const blockedFor = 10

// sameBlock is by how much the computed beginning of one blockage may vary.
const sameBlock = time.Second

// observeGoal returns log lines about what is new about the goal. observeRun
// reports the goals of a job.
func (w *watch) observeGoal(s robot.State) (lines []line) {
	g := s.Goal
	if g == nil {
		return nil
	}
	busy := s.Run != nil && s.Run.Phase != robot.RunEnded
	if old := w.goal; old.Number != g.Number && old.Number != 0 && old.Phase != robot.GoalEnded && !w.goalOfJob {
		lines = append(lines, line{protocol.IconGoal, fmt.Sprintf("Gave up %s: the robot was sent elsewhere.", placeName(old.Name, old.Pose))})
	}
	place, l := placeName(g.Name, g.Pose), line{icon: protocol.IconGoal}
	switch {
	case g.Phase == robot.GoalEnded && g.Result.Word == robot.Success:
		l.text = fmt.Sprintf("Arrived at %s, %s off.", place, offText(g.Off))
	case g.Phase == robot.GoalEnded && g.Result.Word == robot.Modified:
		l.text = fmt.Sprintf("Arrived at %s. %s", place, g.Result.Reason)
	case g.Phase == robot.GoalBlocked && g.Blocked != nil && g.Blocked.Waited >= blockedFor:
		began := s.Time.Add(-time.Duration(g.Blocked.Waited * float64(time.Second)))
		if g.Number != w.goal.Number || began.Sub(w.blocked).Abs() > sameBlock {
			w.blocked = began
			lines = append(lines, line{protocol.IconWarn, fmt.Sprintf("The way to %s is blocked.", place)})
		}
	case busy:
	case g.Phase == robot.GoalEnded && g.Result.Word == robot.Interrupted:
		l.text = fmt.Sprintf("Gave up %s: %s", place, g.Result.Reason)
	case g.Phase == robot.GoalEnded:
		l = line{protocol.IconWarn, fmt.Sprintf("Did not reach %s: %s", place, g.Result.Reason)}
	case g.Phase == robot.GoalPaused:
		l.text = fmt.Sprintf("The drive to %s is paused: %s", place, g.Result.Reason)
	}
	if l.text != "" && (g.Number != w.goal.Number || l.text != w.lastGoalText) {
		lines = append(lines, l)
	}
	w.goal, w.lastGoalText, w.goalOfJob = *g, l.text, busy
	return lines
}

// observeRun returns log lines about what is new about the run of a job.
func (w *watch) observeRun(r *robot.Run) (lines []line) {
	if r == nil {
		return nil
	}
	old := w.run
	if old.Number != r.Number {
		old = robot.Run{}
	}
	w.run = *r
	for _, t := range r.Log[min(len(old.Log), len(r.Log)):] {
		if t.Step < 0 {
			continue
		}
		switch robot.ActionState(t.To) {
		case robot.StepRetriable:
			lines = append(lines, line{protocol.IconWarn, fmt.Sprintf("Step %d of the job failed: %s", t.Step+1, t.Reason)})
		case robot.StepFailed:
			if t.Word != robot.Interrupted {
				lines = append(lines, line{protocol.IconWarn, fmt.Sprintf("Step %d of the job failed and was skipped: %s", t.Step+1, t.Reason)})
			}
		}
	}
	if old.Phase == r.Phase && old.Result == r.Result {
		return lines
	}
	l := line{icon: protocol.IconGoal}
	switch {
	case r.Phase == robot.RunPaused:
		l.text = "Job paused: " + r.Result.Reason
	case r.Phase != robot.RunEnded:
	case r.Result.Word == robot.Success:
		l.text = "Job finished."
	case r.Result.Word == robot.Modified:
		l.text = "Job finished: " + r.Result.Reason
	case r.Result.Word == robot.Interrupted:
		l.text = "Job ended: " + r.Result.Reason
	default:
		l = line{protocol.IconWarn, "Job failed: " + r.Result.Reason}
	}
	if l.text != "" {
		lines = append(lines, l)
	}
	return lines
}

// offText says how far from its goal the robot stopped.
func offText(m float64) string {
	if m < 1 {
		return fmt.Sprintf("%.0f cm", m*100)
	}
	return fmt.Sprintf("%.1f m", m)
}

// placeName names a goal in a sentence.
func placeName(name string, goal robot.Pose) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("x %.1f y %.1f", goal.X, goal.Y)
}
