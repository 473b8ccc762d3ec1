package onboard

import (
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// doubt is a robot at its goal that is unsure of its position.
func doubt(t *testing.T) (p *plant, loc *believed) {
	t.Helper()
	p = newPlant(robot.Pose{})
	p.core.usePlanner(&floor{})
	loc = p.core.loc.(*believed)
	loc.trust = robot.TrustUnsure
	p.wait(200 * time.Millisecond)
	if r := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 1}}); r.Word != robot.Success {
		t.Fatal(r)
	}
	p.wait(10 * time.Second)
	if g := p.state.Goal; g.Phase != robot.GoalDriving || g.Behavior.Sentence != looksAround || p.told.Angular == 0 || p.told.Linear != 0 {
		t.Fatalf("the goal is %+v, told %v", *g, p.told)
	}
	return p, loc
}

func TestARobotThatIsUnsureAtItsGoalLooksAroundBeforeItReportsThatItHasArrived(t *testing.T) {
	t.Run("until it is sure", func(t *testing.T) {
		p, loc := doubt(t)
		loc.trust = robot.TrustOK
		p.wait(8 * time.Second)
		if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Word != robot.Success || g.Off > limits.ArriveWithin {
			t.Errorf("the goal is %+v", *g)
		}
		if at := p.state.Estimate.Pose; at.Theta > limits.ArriveHeading || at.Theta < -limits.ArriveHeading {
			t.Errorf("after it looked around it faces %v", at)
		}
	})
	t.Run("until it is found elsewhere", func(t *testing.T) {
		p, loc := doubt(t)
		loc.pose = robot.Pose{X: -1}
		p.wait(time.Second)
		if g := p.state.Goal; g.Phase != robot.GoalDriving || g.Left < 1 || p.told.Linear == 0 {
			t.Errorf("the goal is %+v, told %v", *g, p.told)
		}
	})
	t.Run("and says so if it stays unsure", func(t *testing.T) {
		p, _ := doubt(t)
		p.wait(limits.LookAround)
		if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result != (robot.Result{Word: robot.Error, Reason: notSure}) || !p.told.IsZero() {
			t.Errorf("the goal is %+v, told %v", *g, p.told)
		}
	})
	t.Run("for a limited time, however often it is sure in between", func(t *testing.T) {
		p, loc := doubt(t)
		for range 8 {
			loc.trust = robot.TrustOK
			p.wait(40 * time.Millisecond)
			loc.trust = robot.TrustUnsure
			p.wait(6 * time.Second)
		}
		if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result.Reason != notSure {
			t.Errorf("the goal is %+v", *g)
		}
	})
	t.Run("and after a pause for as long as at first", func(t *testing.T) {
		p, _ := doubt(t)
		p.core.Do(p.now, robot.Pause{})
		if p.wait(limits.LookAround); p.state.Goal.Phase != robot.GoalPaused || !p.told.IsZero() {
			t.Errorf("paused, the goal is %+v, told %v", *p.state.Goal, p.told)
		}
		p.core.Do(p.now, robot.Resume{})
		if p.wait(limits.LookAround - time.Second); p.state.Goal.Behavior.Sentence != looksAround {
			t.Errorf("resumed, the goal is %+v", *p.state.Goal)
		}
	})
}

func TestDeadReckoningArrivesThoughItsErrorEllipseHasGrownAndSaysHowLargeItIs(t *testing.T) {
	p := newPlant(robot.Pose{})
	p.core.usePlanner(&floor{})
	loc := p.core.loc.(*believed)
	loc.trust, loc.error.XX = robot.TrustUnsure, 0.16
	p.wait(200 * time.Millisecond)
	p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 1}})
	p.wait(10 * time.Second)
	want := robot.Result{Word: robot.Modified, Reason: "The robot is not sure of its position: it may be 0.8 m from its goal."}
	if g := p.state.Goal; g.Phase != robot.GoalEnded || g.Result != want || g.Left != 0 {
		t.Errorf("the goal is %+v", *g)
	}
}
