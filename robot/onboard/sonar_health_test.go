package onboard

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

// Sonars whose power fails may report "nothing within reach" until they are repaired.
func TestARobotWhoseSonarsAllLoseTheirEchoesAtOnceDrivesAsABlindOne(t *testing.T) {
	p := newPlant(robot.Pose{}, wall(-3, 1, 20, 1), wall(-3, -1, 20, -1))
	p.core.usePlanner(&floor{})
	p.wait(200 * time.Millisecond)
	if r := p.core.Do(p.now, robot.GoTo{Goal: robot.Pose{X: 12}}); r.Word != robot.Success {
		t.Fatal(r)
	}
	p.wait(4 * time.Second)
	if p.told.Linear < 0.4 {
		t.Fatalf("it is told %v in a free corridor", p.told)
	}
	p.dropOuts = 1
	p.wait(4 * time.Second)
	at := p.centre()
	p.wait(2 * time.Second)
	if g := p.state.Goal; g.Phase != robot.GoalPaused || !strings.Contains(g.Result.Reason, "It sees no obstacles") || p.centre() != at {
		t.Errorf("without an echo the goal is %+v, and the robot went from %v to %v", *g, at, p.centre())
	}
	p.dropOuts = 0
	p.wait(500 * time.Millisecond)
	if r := p.core.Do(p.now, robot.Resume{}); r.Word != robot.Success {
		t.Errorf("with echoes again it is told to continue, and answers %v", r)
	}
	p.wait(2 * time.Second)
	if p.told.Linear < 0.4 {
		t.Errorf("with echoes again it is told %v", p.told)
	}
}

func TestARingOfSonarsMayLoseItsEchoesLittleByLittle(t *testing.T) {
	sonars := mybot().Sonars
	inf := math.Inf(1)
	near := make([]float64, len(sonars))
	silent, few, one := make([]float64, len(sonars)), make([]float64, len(sonars)), make([]float64, len(sonars))
	for i := range near {
		near[i], silent[i], few[i], one[i] = 1, inf, inf, inf
		if math.Abs(sonars[i].Pose.Theta) < 1.2 {
			few[i] = 1
		}
	}
	one[0] = 1
	far := make([]float64, len(sonars))
	for i := range far {
		far[i] = 0.9 * sonars[i].Max
	}
	for _, c := range []struct {
		name  string
		steps [][]float64 // each for 0.6 s
		dead  bool
	}{
		{"all at once", [][]float64{near, silent}, true},
		{"all at once, long ago", [][]float64{near, silent, silent, silent}, true},
		{"one remains for a while", [][]float64{near, one, one, silent}, false},
		{"those of one side", [][]float64{few, silent}, false},
		{"far ones", [][]float64{far, silent}, false},
		{"never one", [][]float64{silent, silent}, false},
		{"an echo comes back", [][]float64{near, silent, one}, false},
		{"an echo comes back and is lost again", [][]float64{near, silent, one, silent}, false},
	} {
		var h sonarHealth
		now := epoch
		var got []float64
		for _, ranges := range c.steps {
			for range 31 {
				now = now.Add(20 * time.Millisecond)
				got = h.judgeRanges(now, sonars, ranges)
			}
		}
		if dead := math.IsNaN(got[0]) && math.IsNaN(got[len(got)-1]); dead != c.dead {
			t.Errorf("%s: out of order: %v", c.name, dead)
		}
	}
	var ring sonarHealth
	now := epoch
	if n := testing.AllocsPerRun(100, func() {
		now = now.Add(20 * time.Millisecond)
		ring.judgeRanges(now, sonars, near)
	}); n != 0 {
		t.Errorf("a reading allocates %v times", n)
	}
	desk := sonars[:3]
	var h sonarHealth
	h.judgeRanges(epoch, desk, near[:3])
	if got := h.judgeRanges(epoch.Add(time.Second), desk, silent[:3]); math.IsNaN(got[0]) {
		t.Error("three sonars turned away from a wall are out of order")
	}
}
