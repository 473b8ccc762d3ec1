package rehearsal

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mybot/jobs"
	"mybot/robot"
	"mybot/script"
)

// faultText is the text of a line about a fault.
var faultText = regexp.MustCompile(`^!!! (?:line (\d+), column (\d+): )?(?s:(.*))`)

// lineOf returns what a trial shows of a line.
func lineOf(l script.Line) TrialLine {
	out := TrialLine{T: float64(l.Time.Milliseconds()) / 1000, By: ByScript, Tag: l.Tag, Text: strings.TrimPrefix(l.Text, "*** ")}
	if l.Unit == whatIfUnit {
		out.By = ByWhatIf
	}
	if found := faultText.FindStringSubmatch(l.Text); found != nil {
		out.Fault, out.Text = true, found[3]
		out.Pos.Line, _ = strconv.Atoi(found[1])
		out.Pos.Column, _ = strconv.Atoi(found[2])
	}
	if len(l.Data) > 0 {
		out.Text = fmt.Sprintf("%d bytes", len(l.Data))
	}
	return out
}

// tell adds a sentence about the robot.
func (t *scriptTrial) tell(format string, args ...any) {
	t.addLine(TrialLine{T: t.seconds(), By: ByRobot, Text: fmt.Sprintf(format, args...)})
}

func (t *scriptTrial) addLine(l TrialLine) {
	l.Text, l.Tag = clip(l.Text), clip(l.Tag)
	if len(t.out.Lines) >= maxTrialLines || !t.hasRoom(len(l.Text)+len(l.Tag)) {
		t.out.LeftOut++
		return
	}
	t.out.Lines = append(t.out.Lines, l)
}

// hasRoom counts some bytes of text, if they fit.
func (t *scriptTrial) hasRoom(bytes int) bool {
	if t.text+bytes > maxTrialText {
		return false
	}
	t.text += bytes
	return true
}

// clip shortens a long text.
func clip(s string) string {
	if len(s) <= maxLineText {
		return s
	}
	cut := maxLineText
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + ".."
}

// begin begins a lane, unless it has begun.
func (t *scriptTrial) begin(l Lane) {
	l.Name = clip(l.Name)
	if _, ok := t.open[l]; !ok {
		t.open[l] = t.seconds()
	}
}

// end ends the lanes that are of a kind and do not stay.
func (t *scriptTrial) end(kind string, stays func(Lane) bool) {
	for l, begin := range t.open {
		if l.Kind != kind || stays(l) {
			continue
		}
		delete(t.open, l)
		t.addLane(TrialLane{l, begin, t.seconds()})
	}
}

func (t *scriptTrial) addLane(l TrialLane) {
	if len(t.out.Lanes) >= maxTrialLanes || !t.hasRoom(len(l.Name)) {
		t.out.LeftOut++
		return
	}
	t.out.Lanes = append(t.out.Lanes, l)
}

func none(Lane) bool { return false }

// followTags begins and ends the lanes of tags, and notices the end of the script.
func (t *scriptTrial) followTags() {
	if t.state.Scripts == t.scripts { // it is not modified after publication
		return
	}
	t.scripts = t.state.Scripts
	running := map[Lane]bool{}
	t.out.Ended, t.tags = true, nil
	for _, u := range t.scripts.Units {
		if u.Name != t.trial.Unit {
			continue
		}
		t.out.Ended = false
		for _, tag := range u.Tags {
			if tag.Statements > 0 {
				running[Lane{TagLane, clip(tag.Name), tag.Frozen}] = true
				t.tags = append(t.tags, tag.Name)
			}
		}
	}
	t.end(TagLane, func(l Lane) bool { return running[l] })
	for l := range running {
		t.begin(l)
	}
}

// followGoal shows where the robot goes, and whether it arrives.
func (t *scriptTrial) followGoal() {
	if t.state.Goal == nil {
		return
	}
	g, was := *t.state.Goal, t.goal
	t.goal = g
	isNew, isOver := g.Number != was.Number, g.Phase == robot.GoalEnded
	name := cmp.Or(g.Name, fmt.Sprintf("%.2f, %.2f", g.Pose.X, g.Pose.Y))
	if isNew {
		t.end(GoalLane, none)
	}
	if isNew && !isOver {
		t.begin(Lane{Kind: GoalLane, Name: name})
		t.tell("It sets out for %s.", name)
	}
	if !isOver || !isNew && was.Phase == robot.GoalEnded {
		return
	}
	t.end(GoalLane, none)
	switch {
	case g.Result.Done():
		t.tell("It has arrived at %s.", name)
	default:
		t.tell("It did not arrive at %s. %s", name, g.Result.Reason)
	}
}

// followStage shows what the robot says and shows.
func (t *scriptTrial) followStage() {
	if s := t.state.Speech; s == nil || s.Number != t.speech {
		t.end(SpeechLane, none)
		if s != nil {
			t.speech = s.Number
			t.begin(Lane{Kind: SpeechLane, Name: s.Text})
			t.tell("It says: %s", s.Text)
		}
	}
	if m := t.state.Message; m == nil || m.Number != t.message {
		t.end(MessageLane, none)
		if m != nil {
			t.message = m.Number
			t.begin(Lane{Kind: MessageLane, Name: m.Text})
			t.tell("It shows: %s", strings.Join(m.Lines(), " "))
		}
	}
}

// finish ends what is open.
func (t *scriptTrial) finish() {
	t.out.Time, t.out.At, t.out.Path = t.seconds(), t.localizer.pose, t.virtualRobot.out.Path
	t.out.Why = "All of it is over."
	if !t.out.Ended {
		t.out.Why = "The time of the trial was over. " + t.whatRuns()
	}
	for _, kind := range []string{TagLane, GoalLane, SpeechLane, MessageLane} {
		t.end(kind, none)
	}
	slices.SortFunc(t.out.Lanes, func(a, b TrialLane) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.End, b.End))
	})
}

// whatRuns says what still runs.
func (t *scriptTrial) whatRuns() string {
	const most = 5
	switch n := len(t.tags); {
	case n == 0:
		return "The script is still running."
	case n == 1:
		return clip(t.tags[0]) + " is still running."
	case n > most:
		return fmt.Sprintf("%d tags are still running.", n)
	}
	return clip(strings.Join(t.tags, ", ")) + " are still running."
}

// thinPath thins a path that has become long: it leaves out points that lie between
// their neighbors, first within 5 mm, then within more.
func (t *scriptTrial) thinPath() {
	path := &t.virtualRobot.out.Path
	if len(*path) < maxTrialPoints {
		return
	}
	for within := 0.005; len(*path) > maxTrialPoints/2; within *= 2 {
		*path = thinned(*path, within)
	}
}

// thinned leaves out every point that lies within some metres, and four times as many
// radians, of where a robot would be that moves evenly from the point before to that after.
func thinned(path []jobs.RehearsedPoint, within float64) []jobs.RehearsedPoint {
	kept := path[:1]
	for i := 1; i < len(path); i++ {
		if i+1 < len(path) {
			a, p, b := kept[len(kept)-1], path[i], path[i+1]
			f := (p.T - a.T) / (b.T - a.T)
			way := b.Pose.Point().Sub(a.Pose.Point())
			off := math.Hypot(a.Pose.X+f*way.X-p.Pose.X, a.Pose.Y+f*way.Y-p.Pose.Y)
			turn := robot.WrapAngle(a.Pose.Theta + f*robot.WrapAngle(b.Pose.Theta-a.Pose.Theta) - p.Pose.Theta)
			if off <= within && math.Abs(turn) <= 4*within {
				i++ // the point after it stays, so that errors do not add up
				kept = append(kept, b)
				continue
			}
		}
		kept = append(kept, path[i])
	}
	return kept
}
