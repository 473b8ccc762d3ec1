package rollout

import (
	"math"
	"slices"
	"testing"

	"mybot/robot"
)

func TestAJudgeTriesMotionsAsTheControllerDoesItsRollouts(t *testing.T) {
	ahead, left := robot.Twist{Linear: 0.5}, robot.Twist{Linear: 0.3, Angular: 0.5}
	for _, c := range []struct {
		name              string
		out               scene
		want              robot.Twist
		gain, cost        float64 // m, of 3 s
		ok, meets, astray bool
	}{
		{"along a free path", scene{}, ahead, 1.5, -1.5, true, false, false},
		{"away from the path", scene{}, left, 0.65, -0.65, true, false, true},
		{"into what stands right ahead", scene{barrels: []robot.Track{barrel(0.8, 0)}}, ahead, -0.125, 0.695, false, true, false},
		{"into what stands farther ahead", scene{barrels: []robot.Track{barrel(1.5, 0)}}, ahead, 0.625, -0.27, true, true, false},
	} {
		r := newRig(mybot(), &c.out)
		j := r.c.Judge(&r.s)
		got := j.Try(slices.Repeat([]robot.Twist{c.want}, 20))
		if math.Abs(got.Gain-c.gain) > 0.01 || math.Abs(got.Cost-c.cost) > 0.01 || got.OK != c.ok || got.Meets != c.meets ||
			(got.Across > 0.3 && got.Turn < -1) != c.astray || !c.astray && (got.Across != 0 || got.Turn != 0) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestAJudgeKnowsHowTheRobotFollowsItsPath(t *testing.T) {
	r := newRig(mybot(), &scene{barrels: []robot.Track{barrel(0.5, 0)}})
	j := r.c.Judge(&r.s)
	if v, turns := j.Follow(); v != (robot.Twist{Linear: 0.5}) || turns || j.MaxSpeed() != 0.5 {
		t.Errorf("on its path it drives %v at %.2f m/s at most, and turns: %v", v, j.MaxSpeed(), turns)
	}
	r.s.Pose.Theta = 2
	j = r.c.Judge(&r.s)
	if v, turns := j.Follow(); v.Linear != 0 || v.Angular >= 0 || !turns {
		t.Errorf("turned away it drives %v, and turns: %v", v, turns)
	}
}
