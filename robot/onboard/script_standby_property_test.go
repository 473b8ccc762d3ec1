package onboard

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/script"
)

// The oracle of standing by says from the history alone whether A may continue.
type standbyOracle struct {
	licensed, yields bool
	listed           bool
	lease            uint64
	since            time.Time // control is free
	announced        time.Time // zero = not
}

// person is what a person in control does: whatever it is, the time restarts.
func (o *standbyOracle) person(now time.Time) {
	o.yields, o.licensed = o.yields || o.licensed, false
	o.since, o.announced = now, time.Time{}
}

// tick is what the time does.
func (o *standbyOracle) tick(now time.Time) {
	switch {
	case !o.yields || !o.listed:
		o.announced = time.Time{}
	case !o.announced.IsZero() && now.Sub(o.announced) >= limits.StandByNotice+continueWithin:
		o.since, o.announced = now, time.Time{}
	case o.announced.IsZero() && now.Sub(o.since) >= testAfter-limits.StandByNotice:
		o.announced = now
	}
}

func (o *standbyOracle) mayContinue(now time.Time) bool {
	return o.yields && o.listed && !o.announced.IsZero() && now.Sub(o.announced) >= limits.StandByNotice
}

// Whatever persons, base and session do, a script continues exactly when the oracle says so,
// and a robot whose script has no licence moves only for a person.
func TestAScriptContinuesExactlyWhenItMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPlant(robot.Pose{})
		p.core.usePlanner(&floor{})
		do := func(cmd robot.Command) bool { return p.core.Do(p.now, cmd).Done() }
		var r script.Reader
		do(robot.OpenUnit{Unit: "A"})
		do(robot.GiveCommands{Unit: "A", Commands: r.Read(patrols["a speed"] + "\n")})
		p.tick() // a position that is lost at the first tick of scripts holds them at once
		o := standbyOracle{licensed: true}
		var mayMove time.Time // until then a person moves the robot, or it brakes
		lease, tries, isStopped := uint64(1), false, false
		resumed := func() { o.yields, o.licensed, o.announced = false, true, time.Time{} }
		ended := func() { o.yields, o.licensed, o.announced = false, false, time.Time{} }
		for range 25 {
			isLost := false
			switch rapid.IntRange(0, 12).Draw(t, "event") {
			case 0, 1:
				do(robot.HoldUnits{Reason: "Ben has control.", Handover: true})
				o.person(p.now)
			case 2:
				if do(drive(0.1, 0)) {
					o.person(p.now)
					mayMove = p.now.Add(limits.RequestValidity + 2*time.Second)
				}
			case 3:
				do(robot.Stop{By: "Jin"})
				ended()
				isStopped = true
			case 4:
				if isStopped && do(robot.ClearStop{}) {
					isStopped = false
				}
			case 5:
				if do(robot.ResumeUnits{}) {
					resumed()
				}
			case 6:
				do(robot.HoldUnits{Reason: "Revoked."})
				ended()
			case 7:
				do(robot.LetStandBy{Epoch: lease})
				o.listed, o.announced = false, time.Time{}
			case 8, 9:
				do(robot.LetStandBy{Units: []string{"A"}, Epoch: lease, After: testAfter})
				if !o.listed || o.lease != lease {
					o.listed, o.lease, o.since, o.announced = true, lease, p.now, time.Time{}
				}
			case 10:
				lease++
			case 11:
				isLost = true
			case 12:
				tries = !tries
			}
			for range rapid.SampledFrom([]int{1, 50, 600}).Draw(t, "ticks") {
				if tries {
					may := o.mayContinue(p.now) && o.lease == lease
					if got := do(robot.ContinueUnit{Unit: "A", Epoch: lease}); got != may {
						t.Fatalf("after %v ContinueUnit is answered %v, the oracle says %v: %+v, %+v", p.now.Sub(epoch), got, may, o, p.state.Scripts)
					} else if got {
						resumed()
					}
				}
				if isLost { // for one reading
					p.core.loc.(*believed).trust = robot.TrustLost
					o.yields = false
				}
				o.tick(p.now)
				if p.tick(); o.licensed {
					mayMove = p.now.Add(2 * time.Second)
				}
				if p.now.After(mayMove) && !p.told.IsZero() {
					t.Fatalf("after %v it moves without a licence: told %v, %+v", p.now.Sub(epoch), p.told, o)
				}
				p.core.loc.(*believed).trust, isLost = robot.TrustOK, false
			}
		}
	})
}
