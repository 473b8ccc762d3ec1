package playout

import (
	"testing"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

func TestTheVirtualRobotIsAsSlowAsARobotThatSeesNoObstacles(t *testing.T) {
	desc := robot.Description{Safe: robot.Limit{Linear: 0.5, Angular: 0.8}, TurningRadius: 0.9}
	if l := LimitOf(desc); l.Linear != limits.BlindSpeed || l.TurningRadius != 0.9 {
		t.Errorf("its limits are %+v", l)
	}
	desc.Safe.Linear = 0.1
	if l := LimitOf(desc); l.Linear != desc.Safe.ForTeleop().Linear {
		t.Errorf("a slow one's limits are %+v", l)
	}
	desc.Safe.Linear = 0.5
	desc.Lidars = make([]robot.Lidar, 1)
	if l := LimitOf(desc); l.Linear != desc.Safe.ForTeleop().Linear {
		t.Errorf("with a lidar its limits are %+v", l)
	}
}

// A car cannot turn in place, so its path ends when it no longer rolls.
func TestThePathOfACarEndsWhenItNoLongerRolls(t *testing.T) {
	desc := mybot(t)
	rapid.Check(t, func(t *rapid.T) {
		desc.TurningRadius = rapid.Float64Range(0.05, 2).Draw(t, "radius")
		p := path{limit: LimitOf(desc)}
		twist := func(name string) robot.Twist {
			return robot.Twist{
				Linear:  rapid.SampledFrom([]float64{-0.4, -0.1, 0, 0.1, 0.4}).Draw(t, name+" v"),
				Angular: rapid.Float64Range(-0.7, 0.7).Draw(t, name+" w"),
			}
		}
		k := knot{motion: robot.Motion{Twist: twist("is").LimitTurning(desc.TurningRadius)}, want: twist("wants"), valid: 0.25}
		moves := 0.0
		for dt := 0.0; dt < 3; dt += robot.Tick {
			if !p.predictMotion(&k, dt).Twist.IsZero() {
				moves = dt + robot.Tick
			}
		}
		if rest := p.restTime(&k); rest < moves-1.5*robot.Tick || rest > max(moves, k.valid)+1.5*robot.Tick {
			t.Fatalf("it moves for %g s, and rests after %g s", moves, rest)
		}
	})
}
