package pioneer

import (
	"math"
	"testing"

	"mybot/robot"
)

func TestTravelGoesAcrossTheEndOfTheCounters(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after SIP
		want          robot.Wheels
	}{
		{"ahead", SIP{X: 100}, SIP{X: 150}, robot.Wheels{Left: 0.05, Right: 0.05}},
		{"backward", SIP{X: 100}, SIP{X: 50}, robot.Wheels{Left: -0.05, Right: -0.05}},
		{"ahead across 15 bits", SIP{X: 32767}, SIP{X: 2}, robot.Wheels{Left: 0.003, Right: 0.003}},
		{"backward across 0, with 15 bits", SIP{X: 1}, SIP{X: 32766}, robot.Wheels{Left: -0.003, Right: -0.003}},
		{"backward across 0, with 16 bits", SIP{X: 1}, SIP{X: 65534}, robot.Wheels{Left: -0.003, Right: -0.003}},
		{"to the left, facing left", SIP{Y: 10, Heading: 1024}, SIP{Y: 30, Heading: 1024}, robot.Wheels{Left: 0.02, Right: 0.02}},
		{"across half a turn", SIP{Heading: 2047}, SIP{Heading: -2047}, robot.Wheels{Left: -4 * math.Pi * 0.2 / 4096, Right: 4 * math.Pi * 0.2 / 4096}},
		{"across a turn", SIP{Heading: 4095}, SIP{Heading: 1}, robot.Wheels{Left: -4 * math.Pi * 0.2 / 4096, Right: 4 * math.Pi * 0.2 / 4096}},
		{"a leap", SIP{X: 100}, SIP{X: 9000}, robot.Wheels{}},
	} {
		var o odometer
		if first := o.Advance(c.before, 0.001, 0.4); first != (robot.Wheels{}) {
			t.Errorf("%s: the first pose causes a travel of %v", c.name, first)
		}
		got := o.Advance(c.after, 0.001, 0.4)
		if math.Abs(got.Left-c.want.Left) > 1e-9 || math.Abs(got.Right-c.want.Right) > 1e-9 {
			t.Errorf("%s: the travel is %v, want %v", c.name, got, c.want)
		}
	}
}

// TestAnArcIsDrivenAgainFromItsPoses compares the travel of a driven circle with
// its length. Poses are in whole mm and 1/4096 of a turn.
func TestAnArcIsDrivenAgainFromItsPoses(t *testing.T) {
	const radius, base, steps = 0.8, 0.4, 400
	var o odometer
	var sum robot.Wheels
	for i := range steps + 1 {
		theta := 2 * math.Pi * float64(i) / steps
		s := SIP{
			X:       uint16(int(math.Round(1000*radius*math.Sin(theta))) & 0x7fff),
			Y:       uint16(int(math.Round(1000*radius*(1-math.Cos(theta)))) & 0x7fff),
			Heading: int16(int(math.Round(4096*float64(i)/steps)) & 0xfff),
		}
		w := o.Advance(s, 0.001, base)
		sum.Left += w.Left
		sum.Right += w.Right
	}
	if l, r := 2*math.Pi*(radius-base/2), 2*math.Pi*(radius+base/2); math.Abs(sum.Left-l) > 0.02 || math.Abs(sum.Right-r) > 0.02 {
		t.Errorf("the wheels have rolled %.3f and %.3f m, want %.3f and %.3f", sum.Left, sum.Right, l, r)
	}
}

func TestWhatRoundingLosesIsMadeUpFor(t *testing.T) {
	var s speeds
	sum := 0
	for range 100 {
		_, turn := s.Round(robot.Twist{Angular: robot.Radians(0.3)})
		sum += turn
	}
	if sum < 29 || sum > 31 {
		t.Errorf("a hundred times 0.3 deg/s are %d deg/s in all, want 30", sum)
	}
	if forward, turn := s.Round(robot.Twist{}); forward != 0 || turn != 0 {
		t.Errorf("a zero twist is %d mm/s, %d deg/s", forward, turn)
	}
}
