package navigate

import (
	"context"
	"slices"
	"time"

	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// brakesEarlier is how much earlier than necessary the robot brakes in the replay of a contact,
// so that the person has seen it stand.
const brakesEarlier = 500 * time.Millisecond

// An attempt is one run of a trial.
type attempt struct {
	helps    bool          // a watching person presses "go around" and "resume"
	brakesAt time.Duration // since the start of the run: from then on the robot brakes; 0 = never
	endsAt   time.Duration // likewise, the end of a run with brakesAt
}

// runTrial runs a trial and, if a person helped, runs it again without help.
func runTrial(ctx context.Context, f *testbed.Floor, e goalTrial) (trialResult, error) {
	o, err := attemptTrial(ctx, f, e, attempt{helps: true})
	if err != nil {
		return o, err
	}
	if err := o.judgeContacts(f.Desc, func(how attempt) (trialResult, error) { return attemptTrial(ctx, f, e, how) }); err != nil {
		return o, err
	}
	alone := o
	if o.moved > 0 {
		alone, err = attemptTrial(ctx, f, e, attempt{})
	}
	o.alone, o.aloneReachable = alone.end == arrived, alone.reachable
	if o.end == arrived {
		o.oracle, _ = oracleTime(f.Desc, f.Plan, e.from, e.goal, o.planned, o.changes)
	}
	return o, err
}

// judgeContacts attributes each contact of the moving robot with a person: to the person if
// they also touch it in a replay in which it has braked in time and stood for a moment.
func (o *trialResult) judgeContacts(desc robot.Description, replay func(attempt) (trialResult, error)) error {
	braking := time.Duration(desc.Safe.Linear / desc.Hardware.LinearAcceleration * float64(time.Second))
	for _, at := range o.touched {
		r, err := replay(attempt{helps: true, brakesAt: max(1, at-braking-brakesEarlier), endsAt: at + time.Second})
		if err != nil {
			return err
		}
		if r.pushedLate > 0 {
			o.bumps, o.pushed = o.bumps-1, o.pushed+1
		}
	}
	return nil
}

// attemptTrial runs a trial once.
func attemptTrial(ctx context.Context, f *testbed.Floor, e goalTrial, how attempt) (trialResult, error) {
	r, err := f.NewRover(e.scene, e.newFilter(f), e.seed)
	if err != nil {
		return trialResult{}, err
	}
	r.Unwatched, r.BrakesAt = !how.helps, how.brakesAt
	ways := &wayWatch{desc: f.Desc, plan: f.Plan, from: e.from, goal: e.goal}
	e.isOpen, e.isPeopled = ways.isOpen, ways.isPeopled
	events, start := slices.Clone(e.events), r.Elapsed()
	if how.endsAt > 0 {
		e.lasts = how.endsAt - start
	}
	watch := newConduct()
	lines := trace{seed: e.seed}
	changes := []change{{held: r.World.Contents()}}
	pushedBefore := 0
	o, err := driveToGoal(ctx, r, e, func(r *testbed.Rover) error {
		since := r.Elapsed() - start
		if since > 0 { // the goal is underway
			watch.look(r, ways.isOpen)
			lines.look(r, since)
		}
		if r.Elapsed() <= how.brakesAt {
			pushedBefore = r.Pushed
		}
		// Events that are unfair to the robot now happen later.
		for n := 0; n < len(events); n++ {
			if since >= events[n].at && applyEvent(r, f.Plan, events[n]) {
				changes = append(changes, change{at: since.Seconds(), held: r.World.Contents()})
				events = slices.Delete(events, n, n+1)
				n--
			}
		}
		return nil
	})
	o.conduct, o.trace, o.changes, o.pushedLate = watch, lines, changes, o.pushed-pushedBefore
	if err != nil || o.end == refused {
		return o, err
	}
	o.judgeByTruth()
	o.reachable = o.end == arrived || ways.isOpen(r)
	return o, nil
}
