package onboard

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/robot"
	"mybot/robot/limits"
)

// arm returns a robot with three joints: one that turns, one that slides and one that
// turns without end.
func arm() robot.Description {
	d := mybot()
	d.Joints = []robot.Joint{
		{Name: "shoulder", Link: "upper", Kind: robot.Turn, Min: -1, Max: 2, Speed: 0.5},
		{Name: "gripper", Link: "finger", Kind: robot.Slide, Min: 0, Max: 0.08, Speed: 0.02},
		{Name: "wrist", Link: "hand", Kind: robot.Turn, Min: math.Inf(-1), Max: math.Inf(1), Speed: 1},
	}
	return d
}

// An armPlant is a robot whose joints move, at each reading, by a part of the distance to
// the commanded position.
type armPlant struct {
	*plant
	at, told []float64
	follows  float64 // part of the distance to the commanded position, at each reading
	mute     bool    // it does not say where its joints are
}

func newArmPlant() *armPlant {
	a := &armPlant{plant: newPlantOf(arm(), robot.Pose{}), at: []float64{0, 0.05, 3}, told: []float64{0, 0.05, 3}, follows: 1}
	a.live(1)
	return a
}

// live lets n readings pass.
func (a *armPlant) live(n int) {
	for range n {
		r := a.reading()
		if !a.mute {
			r.Joints = slices.Clone(a.at)
		}
		a.feel(r)
		a.move()
	}
}

func (a *armPlant) move() {
	moves := a.core.takeJointMoves()
	for i, j := range a.desc.Joints {
		if to, ok := moves[j.Name]; ok {
			a.told[i] = to
		}
		a.at[i] += a.follows * (a.told[i] - a.at[i])
	}
}

func (a *armPlant) do(at map[string]float64) robot.Result {
	return a.core.Do(a.now, robot.MoveJoints{At: at})
}

func TestJointsGoWhereTheyAreAskedToWithTheirSpeed(t *testing.T) {
	a := newArmPlant()
	if got := a.do(map[string]float64{"shoulder": 1, "gripper": 0.01}); got != (robot.Result{Word: robot.Success}) {
		t.Fatal(got)
	}
	a.live(50)
	if math.Abs(a.at[0]-0.5) > 0.011 || math.Abs(a.at[1]-0.03) > 0.0005 || a.at[2] != 3 {
		t.Errorf("after a second the joints are at %v, want 0.5 rad, 0.03 m and 3 rad", a.at)
	}
	if s := a.state.Joints; s.To[0] != 1 || s.To[1] != 0.01 || !math.IsNaN(s.To[2]) || math.Abs(s.At[0]-0.5) > 0.011 {
		t.Errorf("the state tells %+v", s)
	}
	a.live(60)
	if a.at[0] != 1 || a.at[1] != 0.01 {
		t.Errorf("in the end the joints are at %v", a.at)
	}
	if s := a.state.Joints; !math.IsNaN(s.To[0]) || !math.IsNaN(s.To[1]) || s.Held != "" {
		t.Errorf("in the end the state tells %+v", s)
	}
}

func TestAnswersToCommandsForJoints(t *testing.T) {
	without := func(*armPlant) {}
	for _, c := range []struct {
		name string
		at   map[string]float64
		when func(*armPlant)
		want robot.Result
	}{
		{"within its limits", map[string]float64{"shoulder": 2}, without, robot.Result{Word: robot.Success}},
		{"beyond its limits", map[string]float64{"shoulder": math.Pi}, without, robot.Result{Word: robot.Modified, Reason: `The joint "shoulder" was asked to 180 deg, it goes only to 115 deg.`}},
		{"its limit, to six digits", map[string]float64{"shoulder": 2.000004}, without, robot.Result{Word: robot.Success}},
		{"a slide beyond its limits", map[string]float64{"gripper": -0.1}, without, robot.Result{Word: robot.Modified, Reason: `The joint "gripper" was asked to -0.100 m, it goes only to 0.000 m.`}},
		{"one without limits", map[string]float64{"wrist": 99}, without, robot.Result{Word: robot.Success}},
		{"beyond all bounds", map[string]float64{"wrist": 1e7}, without, robot.Result{Word: robot.Error, Reason: `The position 1e+07 of the joint "wrist" is out of all bounds.`}},
		{"no number", map[string]float64{"shoulder": math.NaN()}, without, robot.Result{Word: robot.Error, Reason: `The position NaN of the joint "shoulder" is out of all bounds.`}},
		{"one that is not there", map[string]float64{"shulder": 1}, without, robot.Result{Word: robot.NA, Reason: `This robot has no joint "shulder"; the most similar name is "shoulder".`}},
		{"one that is there and one that is not", map[string]float64{"shoulder": 1, "griper": 0}, without, robot.Result{Word: robot.NA, Reason: `This robot has no joint "griper"; the most similar name is "gripper".`}},
		{"none", nil, without, robot.Result{Word: robot.Error, Reason: "No joint is named. Name at least one, with its position."}},
		{"stopped", map[string]float64{"shoulder": 1}, func(a *armPlant) { a.core.Do(a.now, robot.Stop{By: "Ana"}) }, robot.Result{Word: robot.Panic, Reason: "The robot is stopped by Ana. Release the stop first."}},
		{"a base that does not say where its joints are", map[string]float64{"shoulder": 1}, func(a *armPlant) { a.mute = true; a.live(1) }, robot.Result{Word: robot.Error, Reason: `The base does not say where the joint "shoulder" is, so it is not moved.`}},
		{"a base that is silent", map[string]float64{"shoulder": 1}, func(a *armPlant) { a.now = a.now.Add(2 * time.Second) }, robot.Result{Word: robot.Error, Reason: "The base has reported nothing for 2.0 s. The robot stays put until it does."}},
		{"a robot without joints", map[string]float64{"shoulder": 1}, func(a *armPlant) { a.core.desc.Joints = nil }, robot.Result{Word: robot.NA, Reason: "This robot has no joints to move."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newArmPlant()
			c.when(a)
			if got := a.do(c.at); got != c.want {
				t.Errorf("answered %v, want %v", got, c.want)
			}
			if c.want.Word != robot.Success && c.want.Word != robot.Modified {
				before := slices.Clone(a.at)
				a.live(20)
				if !slices.Equal(a.at, before) {
					t.Errorf("it was refused, and the joints move from %v to %v", before, a.at)
				}
			}
		})
	}
}

func TestWhatEndsAMotionOfTheRobotHoldsItsJoints(t *testing.T) {
	for _, c := range []struct {
		name, held string
		end        func(*armPlant)
	}{
		{"a stop", "The robot is stopped by Ana.", func(a *armPlant) { a.core.Do(a.now, robot.Stop{By: "Ana"}) }},
		{"the base's own stop", "The robot is stopped by " + ownStop + ".", func(a *armPlant) { a.estop = true }},
		{"another user gets control", "Ben took control.", func(a *armPlant) { a.core.Do(a.now, robot.Halt{Reason: "Ben took control."}) }},
		{"the control loop hung", "This computer is too busy: the control loop was held up.", func(a *armPlant) { a.core.Do(a.now, robot.Lapse{}) }},
		{"a reading that cannot be true", "The base reports a wheel travel that is not a number; the robot has stopped.", func(a *armPlant) {
			r := a.reading()
			r.Joints, r.Travel.Left = slices.Clone(a.at), math.NaN()
			a.feel(r)
			a.move()
		}},
		{"readings that stayed away", "The time of the base's readings jumped by 1.02 s; the robot has stopped.", func(a *armPlant) {
			a.core.Arrive(a.now, a.now)
			a.now = a.now.Add(time.Second)
			a.core.Arrive(a.now, a.now)
		}},
		{"a base that does not say any more where its joints are", `The base does not say any more where the joint "shoulder" is.`, func(a *armPlant) { a.mute = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newArmPlant()
			a.do(map[string]float64{"shoulder": 2})
			a.live(25)
			at := a.at[0]
			c.end(a)
			a.live(50)
			if math.Abs(a.at[0]-at) > 0.5*0.021 || at < 0.2 {
				t.Errorf("the joint was at %.3f rad and is at %.3f a second later", at, a.at[0])
			}
			if s := a.state.Joints; s.Held != c.held || !math.IsNaN(s.To[0]) {
				t.Errorf("the state tells %+v, want %q", s, c.held)
			}
			a.estop, a.mute = false, false
			a.live(1)
			a.core.Do(a.now, robot.ClearStop{})
			a.live(50)
			if math.Abs(a.at[0]-at) > 0.5*0.021 {
				t.Errorf("it moves on by itself, to %.3f", a.at[0])
			}
			if got := a.do(map[string]float64{"shoulder": 2}); got.Word != robot.Success || func() bool { a.live(1); return a.state.Joints.Held != "" }() {
				t.Errorf("a new command is answered %v, the state tells %+v", got, a.state.Joints)
			}
		})
	}
}

// The commanded position of a joint that is slower than its description says, or blocked,
// stays close to the measured one. Otherwise the joint would run when an obstacle lets go.
func TestAJointIsToldNoMoreThanItMovesInASecond(t *testing.T) {
	a := newArmPlant()
	a.follows = 0
	a.do(map[string]float64{"shoulder": 2})
	a.live(500)
	if lead := limits.JointLead.Seconds() * 0.5; math.Abs(a.told[0]-lead) > 1e-9 {
		t.Errorf("a blocked joint is told to be at %v, want %v", a.told[0], lead)
	}
	a.core.Do(a.now, robot.Stop{})
	a.move()
	if a.told[0] != 0 {
		t.Errorf("after a stop it is told to be at %v", a.told[0])
	}
}

func TestJointsStayWithinTheirLimitsAndSpeeds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := newArmPlant()
		a.follows = rapid.Float64Range(0.05, 1).Draw(rt, "follows")
		names := []string{"shoulder", "gripper", "wrist"}
		for range rapid.IntRange(1, 30).Draw(rt, "events") {
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0, 1, 2:
				a.do(map[string]float64{rapid.SampledFrom(names).Draw(rt, "joint"): rapid.Float64Range(-4, 4).Draw(rt, "to")})
			case 3:
				a.core.Do(a.now, robot.Halt{})
			default:
				a.core.Do(a.now, robot.Stop{})
				a.core.Do(a.now, robot.ClearStop{})
			}
			for range rapid.IntRange(0, 20).Draw(rt, "readings") {
				before := slices.Clone(a.at)
				a.live(1)
				for i, j := range a.desc.Joints {
					if a.told[i] < j.Min || a.told[i] > j.Max {
						rt.Fatalf("%s is told to be at %v", j.Name, a.told[i])
					}
					if lead := limits.JointLead.Seconds() * j.Speed; math.Abs(a.told[i]-before[i]) > lead+1e-9 {
						rt.Fatalf("%s is at %v and is told to be at %v", j.Name, before[i], a.told[i])
					}
				}
			}
		}
	})
}

func TestAJointThatLeavesTheHullIsSaid(t *testing.T) {
	d := arm()
	d.Links = []robot.Link{
		{Name: "base_link"},
		{Name: "upper", Parent: "base_link", Shapes: []robot.Shape{{Kind: robot.Box, Origin: robot.Transform{X: 0.15}, Length: 0.3, Width: 0.04, Height: 0.04}}},
	}
	d.Joints[0].Axis = [3]float64{0, -1, 0}
	a := &armPlant{plant: newPlantOf(d, robot.Pose{}), at: []float64{2, 0.05, 3}, told: []float64{2, 0.05, 3}, follows: 1}
	a.live(60)
	if s := a.state.Joints.Outside; s != "" {
		t.Errorf("with the arm up it says %q", s)
	}
	a.do(map[string]float64{"shoulder": 0})
	a.live(300)
	if s := a.state.Joints.Outside; s != `"upper" sticks out 0.04 m beyond the robot's hull. Guard and routes do not know that: mind it.` {
		t.Errorf("with the arm out it says %q", s)
	}
	a.do(map[string]float64{"shoulder": 2})
	a.live(300)
	if s := a.state.Joints.Outside; s != "" {
		t.Errorf("with the arm up again it says %q", s)
	}
}
