package base

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"mybot/drivers/base/protocol"
	"mybot/robot"
	"mybot/robot/models"
	"pgregory.net/rapid"
)

func mybot(t testing.TB) robot.Description {
	t.Helper()
	data, _ := models.Find(models.LidarSonarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	return desc
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// TestTheLeastLateLineSaysWhatTimeItIs has lines that are up to 200 ms late.
func TestTheLeastLateLineSaysWhatTimeItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c clock
		late := rapid.SliceOfN(rapid.IntRange(0, 200), 50, 50).Draw(t, "late")
		least := 200
		for i, by := range late {
			at := protocol.Millis(1_000_000 + 20*i)
			least = min(least, by)
			c.compare(at, noon.Add(time.Duration(20*i+by)*time.Millisecond))
			if off := c.time(at).Sub(noon.Add(time.Duration(20*i+least) * time.Millisecond)); off != 0 {
				t.Fatalf("line %d is taken to be of a time that is %v off", i, off)
			}
		}
	})
}

func TestLinesThatComeAllAtOnceDoNotMakeAClockWrong(t *testing.T) {
	const wait = 20 * time.Second
	for _, c := range []struct {
		name    string
		arrives func(sent time.Duration) time.Duration
	}{
		{"after a wait at the beginning", func(sent time.Duration) time.Duration { return max(sent, wait) }},
		{"after a wait on the way", func(sent time.Duration) time.Duration {
			if sent > wait && sent < 2*wait {
				return 2 * wait
			}
			return sent
		}},
		{"after this computer slept, with its clock", func(sent time.Duration) time.Duration {
			if sent > wait {
				return sent - wait/2
			}
			return min(sent, wait/2)
		}},
	} {
		var p pace
		for sent := time.Duration(0); sent < 3*wait; sent += 20 * time.Millisecond {
			p.measure(protocol.Millis(sent.Milliseconds()), noon.Add(c.arrives(sent)))
			if err := p.fault(); err != nil {
				t.Errorf("%s, the line of %v: %v", c.name, sent, err)
				break
			}
		}
	}
}

func TestALatenessIsForgottenAfterHalfAMinute(t *testing.T) {
	var c clock
	c.compare(0, noon)
	for s := 1; s <= 40; s++ { // the clock of the base loses 1 ms a second
		c.compare(protocol.Millis(999*s), noon.Add(time.Duration(s)*time.Second))
	}
	if late := c.lateBy(999*40, noon.Add(40*time.Second)); late < 28*time.Millisecond || late > 30*time.Millisecond {
		t.Errorf("the newest line is late by %v, want that of 29 s", late)
	}
}

// A refusal that ends before the next reading is in that reading, and not in the
// one after it.
func TestAShortRefusalIsInTheNextReading(t *testing.T) {
	s := newSenses(mybot(t))
	const why = "The motors are switched off."
	for _, m := range []protocol.Senses{{Refuses: new(why), EStop: new(true)}, {Refuses: new(""), EStop: new(false)}} {
		s.mergeLine(m)
	}
	var first, second robot.Reading
	s.fillReading(&first)
	s.fillReading(&second)
	if first.Refuses != why || !first.EStop || second.Refuses != "" || second.EStop {
		t.Errorf("%q %v, then %q %v", first.Refuses, first.EStop, second.Refuses, second.EStop)
	}
	if r := mergeReadings(first, second); r.Refuses != why || !r.EStop {
		t.Errorf("of both together %q %v", r.Refuses, r.EStop)
	}
	s.mergeLine(protocol.Senses{Refuses: new(why)})
	s.fillReading(&first)
	s.fillReading(&second)
	if second.Refuses != why {
		t.Error("it is forgotten while it lasts")
	}
}

func TestTravelIsTheDifferenceOfTotalsInEveryForm(t *testing.T) {
	desc := mybot(t)
	turn := 2 * math.Pi * desc.Encoder.WheelRadius
	ticks := int32(desc.Encoder.Ticks)
	arc := robot.Wheels{Left: 0.5, Right: 0.7}
	from := robot.Pose{X: 3, Y: -1, Theta: 3}
	for _, c := range []struct {
		name          string
		before, after protocol.Totals
		want          robot.Wheels
	}{
		{"wheels", protocol.WheelTotals{Left: 5, Right: 6}, protocol.WheelTotals{Left: 5.1, Right: 5.9}, robot.Wheels{Left: 0.1, Right: -0.1}},
		{"ticks", protocol.TickTotals{Left: 100, Right: 100}, protocol.TickTotals{Left: 100 + ticks, Right: 100 - ticks}, robot.Wheels{Left: turn, Right: -turn}},
		{"ticks that wrap", protocol.TickTotals{Left: math.MaxInt32 - 1, Right: math.MinInt32 + 1}, protocol.TickTotals{Left: math.MinInt32 + ticks - 2, Right: math.MaxInt32 - ticks + 2}, robot.Wheels{Left: turn, Right: -turn}},
		{"a pose on an arc", protocol.PoseTotals(from), protocol.PoseTotals(desc.Drivetrain.Roll(from, arc)), arc},
		{"a pose straight back", protocol.PoseTotals(from), protocol.PoseTotals(desc.Drivetrain.Roll(from, robot.Wheels{Left: -0.2, Right: -0.2})), robot.Wheels{Left: -0.2, Right: -0.2}},
	} {
		var o odometer
		if w, err := o.advance(desc, c.before); err != nil || w != (robot.Wheels{}) {
			t.Errorf("%s: the first totals are a travel of %v, %v", c.name, w, err)
		}
		w, err := o.advance(desc, c.after)
		if err != nil || math.Abs(w.Left-c.want.Left) > 1e-9 || math.Abs(w.Right-c.want.Right) > 1e-9 {
			t.Errorf("%s: the travel is %v, %v, want %v", c.name, w, err, c.want)
		}
	}
	desc.Encoder = robot.Encoder{}
	if _, err := new(odometer).advance(desc, protocol.TickTotals{}); err == nil || !strings.Contains(err.Error(), "its description has no encoder") {
		t.Errorf("ticks without an encoder: %v", err)
	}
}

func TestTicksThatWrapAt16BitsAreNamed(t *testing.T) {
	const wraps, jumps = "ticks wrap at 16 bits; they must wrap at 32", "the totals must grow by what the wheels roll"
	for _, c := range []struct {
		name          string
		before, after protocol.TickTotals
		want          string // of the fault, "" = none
	}{
		{"unsigned, forward", protocol.TickTotals{Left: 65_530, Right: 20}, protocol.TickTotals{Left: 4, Right: 30}, wraps},
		{"signed, backward, both", protocol.TickTotals{Left: -32_760, Right: -32_767}, protocol.TickTotals{Left: 32_766, Right: 32_759}, wraps},
		{"a jump to zero", protocol.TickTotals{Left: 40_000, Right: 40_000}, protocol.TickTotals{}, jumps},
		{"one wraps, the other jumps", protocol.TickTotals{Left: 65_530}, protocol.TickTotals{Left: 4, Right: 30_000}, jumps},
		{"within 32 bits", protocol.TickTotals{Left: math.MaxInt32, Right: 65_535}, protocol.TickTotals{Left: math.MinInt32, Right: 65_536}, ""},
	} {
		translator := newTranslator(mybot(t))
		if _, err := translator.convertReading(protocol.Reading{At: 1000, Totals: c.before}, noon); err != nil {
			t.Fatal(err)
		}
		_, err := translator.convertReading(protocol.Reading{At: 1020, Totals: c.after}, noon.Add(20*time.Millisecond))
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.HasSuffix(got, c.want) && c.want != "" {
			t.Errorf("%s: %s, want %q", c.name, got, c.want)
		}
	}
}

func TestAGyroscopeTellsTheTurningWhileTheWheelsTurn(t *testing.T) {
	d := robot.Drivetrain{WheelBase: 0.5}
	skid := robot.Wheels{Left: -0.1, Right: 0.1} // 0.4 rad according to the wheels
	var g gyro
	turned := func(travel robot.Wheels, yaw *float64) float64 {
		return d.Twist(g.correctTravel(d, travel, yaw)).Angular
	}
	for i, c := range []struct {
		travel robot.Wheels
		yaw    *float64
		want   float64
	}{
		{skid, new(3.0), 0.4},                           // nothing to compare it with
		{skid, new(3.1), 0.1},                           // the wheels skid
		{skid, nil, 0.4},                                // believed for now
		{skid, new(-3.1), 2*math.Pi - 6.2 - 0.4},        // and corrected; it also wraps
		{robot.Wheels{}, new(-3.0), 0.1},                // the robot turned on after the wheels stopped
		{robot.Wheels{}, new(-2.9), 0},                  // it drifts
		{robot.Wheels{}, new(-2.8), 0},                  //
		{robot.Wheels{Left: 1, Right: 1}, new(-2.8), 0}, // straight ahead
	} {
		if got := turned(c.travel, c.yaw); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("step %d turns by %v rad, want %v", i, got, c.want)
		}
	}
}

func TestRangesAreReadInTheUnitsOfAReading(t *testing.T) {
	for _, c := range []struct {
		mm   int
		want float64
	}{{protocol.NoEcho, math.Inf(1)}, {protocol.OutOfOrder, math.NaN()}, {800, 0.8}, {10, 0.15}, {3001, math.Inf(1)}, {3000, 3}} {
		if got := readRange(c.mm, 0.15, 3); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%d mm is %v m, want %v", c.mm, got, c.want)
		}
	}
}

// FuzzLinesOfABase sends a translator arbitrary lines of a base at arbitrary times:
// the result is a valid reading, or a sentence.
func FuzzLinesOfABase(f *testing.F) {
	f.Add(`{"t":"reading","ms":20,"wheels":[1,1],"ranges":[1,2]}`+"\n"+`{"t":"reading","ms":40,"wheels":[1.01,1]}`, uint16(20))
	f.Add(`{"t":"reading","ms":0,"ticks":[2147483647,0]}`+"\n"+`{"t":"reading","ms":9007199254740991,"ticks":[-2147483648,0]}`, uint16(1))
	f.Add(`{"t":"reading","ms":9,"odom":[1,2,3],"yaw":1e6}`+"\n"+`{"t":"scan","ms":1,"lidar":0,"lasts":90,"mm":[1,0,-1]}`+"\n"+`{"t":"reading","ms":10,"odom":[1,2,9]}`, uint16(900))
	f.Add(`{"t":"more","ms":5,"compass":1000,"battery":{"v":12},"head":[1,2]}`+"\n"+`{"t":"reading","ms":3,"wheels":[0,0]}`, uint16(0))
	desc := mybot(f)
	desc.TurnFromIMU = true
	f.Fuzz(func(t *testing.T, text string, step uint16) {
		for _, part := range []bool{false, true} {
			tr := newTranslator(desc)
			var newest time.Time
			arrived := noon
			for _, line := range strings.Split(text, "\n") {
				arrived = arrived.Add(time.Duration(step) * time.Millisecond)
				m, err := protocol.DecodeFromBase([]byte(line), false)
				if err != nil {
					continue
				}
				var r robot.Reading
				_, isReading := m.(protocol.Reading)
				switch m := m.(type) {
				case protocol.Reading:
					if r, err = tr.convertReading(m, arrived); part {
						r, err = tr.convertPart(m, arrived)
					}
				case protocol.More:
					err = tr.takeMore(m)
				case protocol.Scan:
					err = tr.storeScan(m)
				}
				switch {
				case err != nil:
					if err == errRestarted { //nolint:errorlint // it is not wrapped
						tr.restart()
					}
					if s := makeSentence(err); strings.ContainsAny(s, "\n\x00") || len(s) > 1000 {
						t.Errorf("the sentence is %q", s)
					}
				case isReading:
					if !robot.Finite(r.Travel.Left, r.Travel.Right) || len(r.Ranges) != len(desc.Sonars) || math.IsInf(r.Heading, 0) {
						t.Errorf("%s is read as %+v", line, r)
					}
					if r.Time.After(arrived.Add(time.Second)) || !part && !r.Time.After(newest) {
						t.Errorf("%s is of %v, after %v; it arrived at %v", line, r.Time, newest, arrived)
					}
					newest = r.Time
				}
			}
		}
	})
}

func TestAReasonThatAsksIsASentenceAsItStands(t *testing.T) {
	for text, want := range map[string]string{
		"the line broke: /dev/ttyUSB0 is gone; was it unplugged?": "The line broke: /dev/ttyUSB0 is gone; was it unplugged?",
		"the base ended the line":                                 "The base ended the line.",
	} {
		if got := makeSentence(errors.New(text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
