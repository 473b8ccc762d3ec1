package navigate

import (
	"time"

	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// helpAfter is how long the page must show that the robot waits before the watching person
// presses a button, and the time between presses.
const helpAfter = 15 * time.Second

// A watcher is the person who watches the page of a run. They press "go around" when the robot
// has reported for helpAfter that it is blocked, and "resume" when it has been paused for as
// long with a position that is not lost; earlier it may still continue by itself.
type watcher struct {
	pressed time.Time // last time; zero = never
	paused  time.Time // since when the robot has been paused and could continue; zero = it is not
}

// help handles the state that the page shows after a reading. It reports whether a button was
// pressed, and whether that set the robot in motion, which it does not before a closed door.
func (w *watcher) help(r *testbed.Rover) (pressed, moves bool) {
	g := r.State.Goal
	switch canResume := g.Phase == robot.GoalPaused && r.State.Estimate.Trust != robot.TrustLost; {
	case !canResume:
		w.paused = time.Time{}
	case w.paused.IsZero():
		w.paused = r.Now
	}
	if r.Unwatched || r.Now.Sub(w.pressed) <= helpAfter {
		return false, false
	}
	var answer robot.Result
	switch {
	case g.Phase == robot.GoalBlocked && g.Blocked != nil && g.Blocked.Waited > helpAfter.Seconds():
		answer = r.Do(robot.GoAround{})
	case !w.paused.IsZero() && r.Now.Sub(w.paused) > helpAfter:
		answer = r.Do(robot.Resume{})
	default:
		return false, false
	}
	w.pressed = r.Now
	return true, answer.Word == robot.Success
}

// countPress counts a press, its effect, and whether it was needed in truth. isOpen and
// isPeopled are those of a goalTrial.
func (o *trialResult) countPress(r *testbed.Rover, moves bool, isOpen, isPeopled func(*testbed.Rover) bool) {
	open := isOpen != nil && isOpen(r)
	o.asked++
	stats.Count(&o.moved, moves)
	stats.Count(&o.needed, open)
	stats.Count(&o.peopled, open && isPeopled != nil && isPeopled(r))
}
