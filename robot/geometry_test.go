package robot_test

import (
	"math"
	"testing"

	"mybot/robot"
	"mybot/robot/models/modelstest"
)

func TestOnlyNumbersAreFinite(t *testing.T) {
	if !robot.Finite() || !robot.Finite(0, -1, math.MaxFloat64) {
		t.Error("numbers are not taken as finite")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if robot.Finite(1, bad) || robot.Finite(bad, 1) {
			t.Errorf("%v is taken as finite", bad)
		}
	}
}

func TestADistanceToASegmentIsThatToItsNearestPoint(t *testing.T) {
	a, b := robot.Point{X: 1}, robot.Point{X: 4, Y: 4}
	for _, c := range []struct {
		name string
		p, b robot.Point
		want float64
	}{
		{"before it", robot.Point{X: -2, Y: -4}, b, 5},
		{"behind it", robot.Point{X: 7, Y: 8}, b, 5},
		{"beside it", robot.Point{X: 2.5 - 4, Y: 2 + 3}, b, 5},
		{"on it", robot.Point{X: 2.5, Y: 2}, b, 0},
		{"a segment without length", robot.Point{X: 4, Y: 4}, a, 5},
	} {
		if got := (robot.Segment{A: a, B: c.b}).Distance(c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v m, want %v m", c.name, got, c.want)
		}
	}
}

func TestARobotThatHardlyMovesStands(t *testing.T) {
	for _, c := range []struct {
		twist robot.Twist
		still bool
	}{
		{robot.Twist{}, true},
		{robot.Twist{Linear: 0.0099, Angular: -0.0199}, true},
		{robot.Twist{Linear: 0.01}, false},
		{robot.Twist{Linear: -0.01}, false},
		{robot.Twist{Angular: 0.02}, false},
		{robot.Twist{Angular: -0.02}, false},
	} {
		if got := c.twist.IsStill(); got != c.still {
			t.Errorf("%v stands: %v", c.twist, got)
		}
	}
}

func TestTheClearanceOfARobotIsItsRadiusAndALittle(t *testing.T) {
	mybot := modelstest.Mybot(t)
	if got := mybot.Body.Clearance(); got != 0.36 {
		t.Errorf("Mybot needs %v m, want exactly 0.36 m", got)
	}
	corner := robot.Body{Length: 9, Hull: []robot.Point{{X: 0.3, Y: 0.4}, {X: -0.1}, {X: 0.1, Y: -0.2}}}
	if got := corner.Radius(); got != 0.5 {
		t.Errorf("the farthest corner is %v m away, want 0.5 m", got)
	}
	if got := corner.Clearance(); got != 0.52 {
		t.Errorf("it needs %v m, want 0.52 m", got)
	}
	right := robot.Body{Hull: []robot.Point{{X: 0.3, Y: 0.1}, {X: -0.1}, {X: 0.1, Y: -0.2}}}
	if plain := (robot.Body{Length: 9, Width: 0.6}); right.HalfWidth() != 0.2 || plain.HalfWidth() != 0.3 {
		t.Errorf("half the width is %v m and %v m, want 0.2 m and 0.3 m", right.HalfWidth(), plain.HalfWidth())
	}
}

func TestTheMeanOfAnglesGoesByTheirDirections(t *testing.T) {
	for _, c := range []struct{ angles, want []float64 }{
		{[]float64{3.1, -3.1}, []float64{math.Pi}},
		{[]float64{0.2, 0.4, math.NaN(), 0.6}, []float64{0.4}},
		{[]float64{1 + 2*math.Pi, 1 - 4*math.Pi}, []float64{1}},
		{nil, nil},
		{[]float64{math.NaN()}, nil},
		{[]float64{1, 1 + math.Pi}, nil},
	} {
		got := robot.MeanAngle(c.angles)
		if len(c.want) == 0 && !math.IsNaN(got) || len(c.want) > 0 && !(math.Abs(robot.WrapAngle(got-c.want[0])) < 1e-9) {
			t.Errorf("the mean of %v is %g, want %v", c.angles, got, c.want)
		}
	}
}
