package onboard

import (
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// lose is a robot on its way whose position is lost for so long that its goal pauses.
func lose(t *testing.T) *plant {
	t.Helper()
	p := newPlant(robot.Pose{})
	p.core.usePlanner(&floor{})
	p.wait(200 * time.Millisecond)
	if r := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 30}}); r.Word != robot.Success {
		t.Fatal(r)
	}
	p.wait(2 * time.Second)
	p.core.loc.(*believed).trust = robot.TrustLost
	p.wait(limits.GoalTrouble + time.Second)
	if g := p.state.Goal; g.Phase != robot.GoalPaused || g.Result.Reason != lostGoal || !p.told.IsZero() {
		t.Fatalf("lost, the goal is %+v", *g)
	}
	return p
}

func TestAGoalThatWasPausedForThePositionContinuesWhenThatIsKnownAgain(t *testing.T) {
	p := lose(t)
	p.core.loc.(*believed).trust = robot.TrustUnsure
	if p.wait(5 * time.Second); p.state.Goal.Phase != robot.GoalPaused {
		t.Errorf("while the position is unsure the goal is %s", p.state.Goal.Phase)
	}
	p.core.loc.(*believed).trust = robot.TrustOK
	if p.wait(limits.KnownAgain - 200*time.Millisecond); p.state.Goal.Phase != robot.GoalPaused || !p.told.IsZero() {
		t.Errorf("too early the goal is %s", p.state.Goal.Phase)
	}
	if p.wait(2 * time.Second); p.state.Goal.Phase != robot.GoalDriving || p.told.Linear < 0.2 {
		t.Errorf("when the position is known the goal is %+v, told %v", *p.state.Goal, p.told)
	}
}

func TestAGoalThatAPersonHasPausedSinceDoesNotContinueByItself(t *testing.T) {
	for name, says := range map[string]func(p *plant){
		"a pause":       func(p *plant) { p.core.Do(p.now, robot.Pause{Reason: "Ana paused it."}) },
		"STOP":          func(p *plant) { p.core.Do(p.now, robot.Stop{By: "Jin"}); p.core.Do(p.now, robot.ClearStop{}) },
		"a handover":    func(p *plant) { p.core.Do(p.now, robot.Halt{Reason: "Ana has control.", Goal: true}) },
		"a driver":      func(p *plant) { p.core.Do(p.now, drive(0.1, 0)) },
		"a position":    func(p *plant) { p.core.Do(p.now, robot.SetPose{Pose: p.centre()}) },
		"a cancel":      func(p *plant) { p.core.Do(p.now, robot.Cancel{}) },
		"a broken base": func(p *plant) { p.core.Do(p.now, robot.Stop{By: "the base"}) },
	} {
		t.Run(name, func(t *testing.T) {
			p := lose(t)
			says(p)
			if p.wait(time.Second); p.state.Goal.Result.Reason == lostGoal {
				t.Error("the goal still says that the robot goes on by itself")
			}
			p.core.loc.(*believed).trust = robot.TrustOK
			at := p.centre()
			if p.wait(6 * time.Second); p.state.Goal.Phase == robot.GoalDriving || p.centre().Point().Sub(at.Point()).Norm() > 0.02 {
				t.Errorf("the goal is %s, and the robot went from %v to %v", p.state.Goal.Phase, at, p.centre())
			}
		})
	}
	t.Run("a STOP that holds", func(t *testing.T) {
		p := lose(t)
		p.core.loc.(*believed).trust = robot.TrustOK
		p.wait(time.Second)
		p.core.Do(p.now, robot.Stop{By: "Jin"})
		if p.wait(5 * time.Second); p.state.Goal.Phase != robot.GoalPaused || !p.told.IsZero() {
			t.Errorf("the goal is %s, told %v", p.state.Goal.Phase, p.told)
		}
	})
}
