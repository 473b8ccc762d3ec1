package onboard

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

// slowed is a localizer for which the robot must be slow.
type slowed struct {
	believed
	speed float64
}

func (s *slowed) SpeedLimit() (float64, string) { return s.speed, "The map is behind." }

func TestAnotherFloorComesIntoUseWhereTheRobotStands(t *testing.T) {
	begin := robot.Pose{X: 3, Y: 4, Theta: 1}
	floor := func(p *plant) Floor {
		return Floor{NoPaths: "A map is being made.", Localize: func(was robot.Estimate) Localizer {
			if was.Pose != p.core.estimate.Pose {
				t.Errorf("the new localizer is told %v, the estimate was %v", was.Pose, p.core.estimate.Pose)
			}
			return &believed{drive: p.desc.Drivetrain, pose: begin}
		}}
	}
	t.Run("a standing robot changes to it", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.wait(100 * time.Millisecond)
		if r := p.core.useFloor(floor(p)); r.Word != robot.Success {
			t.Fatalf("it is answered %s: %s", r.Word, r.Reason)
		}
		p.wait(20 * time.Millisecond)
		if p.state.Estimate.Pose != begin {
			t.Errorf("the estimate is %v, want %v", p.state.Estimate.Pose, begin)
		}
		if r := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 1}}); r.Word != robot.NA || r.Reason != "A map is being made." {
			t.Errorf("a goal is answered %s: %s", r.Word, r.Reason)
		}
	})
	t.Run("a moving robot keeps the one it has", func(t *testing.T) {
		p := newPlant(robot.Pose{})
		p.drive(0.3, 0, time.Second)
		if r := p.core.useFloor(floor(p)); r.Done() || !strings.Contains(r.Reason, "moving") {
			t.Errorf("it is answered %s: %s", r.Word, r.Reason)
		}
	})
}

func TestAScriptDoesNotGoWhereAGoalOfTheFloorBeforeWas(t *testing.T) {
	goal := &robot.GoTo{Goal: robot.Pose{X: 3}, Name: "Sofa"}
	for name, change := range map[string]func(t *testing.T, p *plant, answer robot.AnswerAsk, use func()){
		"a goal that waits for Resume": func(t *testing.T, p *plant, answer robot.AnswerAsk, use func()) {
			p.order(t, robot.HoldUnits{Reason: "Jin took control."})
			p.order(t, answer)
			use()
		},
		"a goal that is still looked up": func(t *testing.T, p *plant, answer robot.AnswerAsk, use func()) {
			use()
			if r := p.core.Do(p.now, answer); r.Done() {
				t.Errorf("the late answer is answered %v", r)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := scriptedPlant(t)
			p.wait(100 * time.Millisecond)
			p.say(t, "goto(\"Sofa\"),")
			asks := p.core.ScriptAsks()
			if len(asks) != 1 {
				t.Fatalf("it asks %v", asks)
			}
			change(t, p, robot.AnswerAsk{ID: asks[0].ID, Goal: goal}, func() {
				next := Floor{Planner: &floor{}, Localize: func(robot.Estimate) Localizer {
					return &believed{drive: p.desc.Drivetrain, pose: robot.Pose{X: 7, Theta: 2}}
				}}
				if r := p.core.useFloor(next); !r.Done() {
					t.Fatal(r.Reason)
				}
			})
			p.order(t, robot.ResumeUnits{})
			if p.moves(2*time.Second) || p.state.Goal != nil {
				t.Errorf("on another floor the robot sets out to %+v", p.state.Goal)
			}
			if got := p.lines(); !strings.Contains(got, "another map came into use") {
				t.Errorf("the script says %q", got)
			}
		})
	}
}

func TestALocalizerThatIsBehindSlowsTheRobot(t *testing.T) {
	for _, limit := range []float64{0.2, math.Inf(1)} {
		p := newPlant(robot.Pose{})
		loc := &slowed{believed: believed{drive: p.desc.Drivetrain}, speed: limit}
		if r := p.core.useFloor(Floor{Localize: func(robot.Estimate) Localizer { return loc }}); !r.Done() {
			t.Fatal(r.Reason)
		}
		p.drive(0.4, 0, 2*time.Second)
		v, said := p.state.Twist.Linear, p.state.Drive.Result.Reason
		if limit == 0.2 && (v > 0.201 || v < 0.15 || said != "The map is behind.") || limit > 1 && (v < 0.3 || said != "") {
			t.Errorf("with a limit of %g m/s it drives at %g m/s and says %q", limit, v, said)
		}
	}
}
