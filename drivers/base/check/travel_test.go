package check

import (
	"math"
	"strings"
	"testing"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

var desc = robot.Description{
	Drivetrain: robot.Drivetrain{WheelBase: 0.4, AxleOffset: 0.1},
	Encoder:    robot.Encoder{WheelRadius: 0.05, Ticks: 1000},
	Hardware:   robot.Limit{LinearAcceleration: 0.5, AngularAcceleration: 2},
}

// TestTravelIsTheSameInEveryForm drives half a circle in small steps, past the
// wrap of the encoders and past half a turn.
func TestTravelIsTheSameInEveryForm(t *testing.T) {
	forms := []*odometer{{desc: desc}, {desc: desc}, {desc: desc}}
	perTick := 2 * math.Pi * 0.05 / 1000
	pose := robot.Pose{X: 3, Y: -2, Theta: 3}
	rolled := robot.Wheels{Left: 5, Right: 7}
	first := rolled
	var got [3]robot.Wheels
	for range 400 {
		got[0] = forms[0].add(protocol.WheelTotals(rolled))
		ticks := func(m float64) int32 { return int32(uint32(int64(math.Round(m/perTick)) + math.MaxInt32 - 100)) }
		got[1] = forms[1].add(protocol.TickTotals{Left: ticks(rolled.Left - first.Left), Right: ticks(rolled.Right - first.Right)})
		got[2] = forms[2].add(protocol.PoseTotals(pose))
		step := robot.Wheels{Left: 0.004, Right: 0.008}
		pose = desc.Drivetrain.Roll(pose, step)
		rolled.Left += step.Left
		rolled.Right += step.Right
	}
	for i, w := range got {
		if math.Abs(w.Left-399*0.004) > 0.001 || math.Abs(w.Right-399*0.008) > 0.001 {
			t.Errorf("form %d: the wheels rolled %v", i, w)
		}
	}
}

// samplesOf returns readings every 20 ms with the given total wheel travel.
func samplesOf(rolled ...robot.Wheels) (samples []sample) {
	began := time.Now()
	for i, w := range rolled {
		samples = append(samples, sample{
			Reading: protocol.Reading{At: protocol.Millis(1000 + 20*i), Totals: protocol.WheelTotals(w)},
			arrived: began.Add(time.Duration(i) * 20 * time.Millisecond), rolled: w,
		})
	}
	return samples
}

func TestTheTimeOfTheStopIsFound(t *testing.T) {
	samples := samplesOf(robot.Wheels{}, robot.Wheels{Left: 0.1, Right: 0.1}, robot.Wheels{Left: 0.199, Right: 0.2}, robot.Wheels{Left: 0.2, Right: 0.2}, robot.Wheels{Left: 0.2, Right: 0.2})
	if at := stopTime(samples); at != 1040 {
		t.Errorf("the wheels stood at %d, want 1040", at)
	}
	for _, c := range []struct {
		rolled protocol.Millis
		ok     bool
		want   string
	}{
		{200, true, "200 ms after the end the wheels stood"},
		{-20, true, "0 ms after the end the wheels stood"},
		{301, false, "301 ms after the end the wheels still rolled; they should have stood after 300 ms at the latest"},
	} {
		if ok, text := judgeStop(c.rolled, 300, "the end"); ok != c.ok || text != c.want {
			t.Errorf("%d ms: %v, %s", c.rolled, ok, text)
		}
	}
	if ms := brakeTime(desc, robot.Twist{Linear: 0.1, Angular: -1}); math.Abs(ms-500) > 1e-9 {
		t.Errorf("braking takes %g ms, want 500", ms)
	}
}

func TestATurnIsJudged(t *testing.T) {
	for _, c := range []struct {
		name        string
		left, right float64
		want        string // part of the message; "" = no fault
	}{
		{"right", -0.1, 0.1, ""},
		{"a fifth too far", -0.12, 0.12, ""},
		{"to the other side", 0.1, -0.1, "left and right are swapped"},
		{"about one wheel", 0, 0.2, "moved it by 0.1 m: it should have stayed in place"},
		{"in degrees", -0.1 / 57.3, 0.1 / 57.3, "the base takes w for degrees a second"},
		{"told in degrees", -5.73, 5.73, "a turn in degrees is taken for radians"},
		{"too little", -0.05, 0.05, "look at wheel_base_m of the description, 0.400 m"},
	} {
		s := samplesOf(robot.Wheels{}, robot.Wheels{Left: c.left, Right: c.right})
		ok, text := judgeTurn(s[0], s[1], 0.5, 0.4)
		if ok != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v, %s", c.name, ok, text)
		}
	}
}

func TestReadingsAndClockAreJudged(t *testing.T) {
	regular := samplesOf(make([]robot.Wheels, 100)...)
	late := samplesOf(make([]robot.Wheels, 100)...)
	for i := 50; i < 100; i++ { // a gap that later readings fill
		late[i].arrived = late[i].arrived.Add(260 * time.Millisecond)
	}
	if ok, text := judgeReadings(regular, 50); !ok || text != "50.0 readings a second came, the longest gap was 20 ms" {
		t.Errorf("%v, %s", ok, text)
	}
	if ok, text := judgeReadings(late, 44); ok || !strings.Contains(text, "the longest gap was 280 ms; Mybot stops the robot after 250 ms without one") {
		t.Errorf("%v, %s", ok, text)
	}
	if ok, text := judgeReadings(regular[:1], 50); ok || !strings.Contains(text, "1 readings came") {
		t.Errorf("%v, %s", ok, text)
	}
	if ok, text := judgeClock(regular); !ok || text != "ms grew by 1.000 s a second" {
		t.Errorf("%v, %s", ok, text)
	}
	slow := samplesOf(make([]robot.Wheels, 100)...)
	for i := range slow {
		slow[i].At = protocol.Millis(i)
	}
	if ok, text := judgeClock(slow); ok || !strings.Contains(text, "ms grew by 0.050 s a second; it must be milliseconds") {
		t.Errorf("%v, %s", ok, text)
	}
}

// Readings every 20 ms, some of them late: on their way, or in the base itself.
func TestUnevenReadingsAreJudged(t *testing.T) {
	for _, c := range []struct {
		name   string
		each   int // one in so many readings is late
		waits  time.Duration
		inside bool // in the base
		busy   int  // number of late readings at which this computer is busy
		ok     bool
		want   string
	}{
		{name: "even", each: 1000, ok: true, want: "of 100 intervals between readings 99 were at most 20 ms, and half of them at most 20 ms"},
		{name: "one in 150", each: 150, waits: 200 * time.Millisecond, ok: true, want: "99 were at most 20 ms"},
		{name: "on their way", each: 10, waits: 50 * time.Millisecond, want: "99 were at most 70 ms, and half of them at most 20 ms; by the clock of the base they are even: they wait on their way"},
		{name: "in the base", each: 10, waits: 50 * time.Millisecond, inside: true, want: "they should come every 20 ms. Something in the loop of the base waits"},
		{name: "of which this computer was busy", each: 10, waits: 50 * time.Millisecond, busy: 18, ok: true, want: "99 were at most 20 ms"},
		{name: "this computer was busy at some", each: 10, waits: 50 * time.Millisecond, busy: 9, want: "99 were at most 70 ms"},
		{name: "this computer was always busy", each: 1, waits: 50 * time.Millisecond, busy: 200, ok: true, want: "this computer was too busy to tell"},
		{name: "a little", each: 10, waits: 40 * time.Millisecond, ok: true, want: "99 were at most 60 ms"},
	} {
		samples := samplesOf(make([]robot.Wheels, 200)...)
		var hiccups []hiccup
		for i := c.each; i < len(samples); i += c.each {
			if samples[i].arrived = samples[i].arrived.Add(c.waits); len(hiccups) < c.busy {
				hiccups = append(hiccups, hiccup{samples[i].arrived.Add(-c.waits), samples[i].arrived})
			}
			if c.inside {
				samples[i].At += protocol.Millis(c.waits.Milliseconds())
			}
		}
		if ok, text := judgeEvenness(samples, hiccups, 50); ok != c.ok || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v, %s", c.name, ok, text)
		}
	}
	if ok, text := judgeEvenness(nil, nil, 50); ok || text != "there were not two readings to compare" {
		t.Errorf("none: %v, %s", ok, text)
	}
}

// The check compares clocks by the least late readings: most are up to 40 ms late.
func TestADriftingClockIsFound(t *testing.T) {
	for pace, want := range map[float64]string{
		1:     "in 20 s it came to differ from this computer's clock by 0 ms",
		0.996: "from this computer's clock by 72 ms",
		1.01:  "its clock is 1.0 % fast; within 30 s readings would come to be 300 ms off. It must keep time to 0.5 %",
		0.97:  "its clock is 3.0 % slow",
	} {
		samples := samplesOf(make([]robot.Wheels, 1001)...)
		for i := range samples {
			samples[i].At = protocol.Millis(pace * 20 * float64(i))
			samples[i].arrived = samples[i].arrived.Add(time.Duration(i%5) * 10 * time.Millisecond)
		}
		if ok, text := judgeDrift(samples); ok != (math.Abs(pace-1) < 0.005) || !strings.Contains(text, want) {
			t.Errorf("%g: %v, %s", pace, ok, text)
		}
	}
}
