package playout

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"mybot/robot"
)

func recorded(t testing.TB) (Motion, *page) {
	t.Helper()
	p := newPage(mybot(t), robot.Pose{X: 1, Y: 1})
	p.press(0, 0, 0.1)
	p.press(0.4, 0.4, 3)
	p.press(-0.2, 0, 2)
	p.release(0)
	m := Motion{Name: "Round the table", Made: at(0).UTC()}
	for _, s := range p.samples {
		m.Add(p.samples[0].T, s)
	}
	return m, p
}

func TestAMotionIsPlayedAgainWhereItWasDriven(t *testing.T) {
	desc := mybot(t)
	m, p := recorded(t)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseMotion(text)
	if err != nil || !reflect.DeepEqual(again, m) {
		t.Fatalf("%v: it came back as %+v", err, again)
	}
	if m.Duration() < 5 || math.Abs(m.Length()-p.s) > 0.1 {
		t.Errorf("it lasts %.2f s and is %.2f m long; %.2f m were driven", m.Duration(), m.Length(), p.s)
	}
	start := m.Points[0].Pose
	player, r := NewPlayer(desc, Options{}), newRobot(desc, start, 3)
	if a := player.Play(at(0), again, 1, 5, start); a.Word != robot.Success {
		t.Fatal(a)
	}
	began := 0.0
	ride(player, r, nil, m.Duration()+4, func(tt float64, twist robot.Twist, s Status) {
		if began == 0 && !twist.IsZero() {
			began = tt
		}
		if s.Hold != "" {
			t.Fatal(s.Hold)
		}
	})
	if off := p.motion.Axle.Point().Sub(r.axle.Point()).Norm(); off > 0.05 || began > 0.5 {
		t.Errorf("begun after %.2f s, %.3f m off at the end", began, off)
	}
}

func TestAMotionThatBeginsElsewhereIsRefused(t *testing.T) {
	m, _ := recorded(t)
	player := NewPlayer(mybot(t), Options{})
	if a := player.Play(at(0), m, 1, 1, robot.Pose{X: 5, Y: 1}); a.Word != robot.Error || a.Reason != "The robot is 4.0 m and 0 deg from where the motion begins." {
		t.Error(a)
	}
	if a := player.Play(at(0), Motion{}, 1, 1, robot.Pose{}); a.Word != robot.Error {
		t.Error(a)
	}
	player.Play(at(0), m, 1, 3, robot.Pose{X: 1, Y: 1})
	if a := player.Play(at(0), m, 1, 3, robot.Pose{X: 1, Y: 1}); a.Word != robot.Interrupted {
		t.Error(a)
	}
}

func TestALongMotionIsPlayedToItsEnd(t *testing.T) {
	desc := mybot(t)
	p := newPage(desc, robot.Pose{})
	p.press(0, 0, 0.1)
	for range 20 {
		p.press(0.3, 0.5, 6)
		p.press(0.3, -0.5, 4)
	}
	p.release(0)
	var m Motion
	for _, s := range p.samples {
		m.Add(0, s)
	}
	if len(m.Points) < maxKnots {
		t.Fatalf("%d points are not more than a path holds", len(m.Points))
	}
	player, r := NewPlayer(desc, Options{}), newRobot(desc, robot.Pose{}, 4)
	player.Play(at(0), m, 1, 1, robot.Pose{})
	ride(player, r, nil, m.Duration()+4, nil)
	if off := p.motion.Axle.Point().Sub(r.axle.Point()).Norm(); off > 0.05 {
		t.Errorf("it ends %.3f m off", off)
	}
}

func TestABadMotionIsToldWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		``:                          "it is empty; it must be a JSON object with name, made and points",
		`{`:                         "it ends early",
		"{\n nope}":                 "line 2 is not JSON (invalid character 'n'",
		`[]`:                        "it is []",
		`{"points":7}`:              "points is 7;",
		`{"speed":1}`:               `it has a field "speed"`,
		`{"points":[],"points":[]}`: "points comes twice",
		`{"Points":[]}`:             `Points should be written "points"`,
		`{"points":[]}`:             "has 0 points; it must have 1 to 36000",
		`{"points":[{"t":1}]}`:      "points[0].t is 1; it must be 0",
		`{"points":[{"t":0}]} more`: "something follows the motion",
		`{"points":[{"t":0,"twist":{"linear":1,"angular":0}}]}`:           "points[0].twist is 1, 0; a motion must begin with a stationary robot",
		`{"points":[{"t":0},{"t":0}]}`:                                    "points[1].t is 0; it must be more than the one before it, 0",
		`{"points":[{"t":0},{"t":1,"pose":{"x":1e9,"y":0,"theta":0}}]}`:   "points[1].pose is 1e+09, 0, 0; it must be in m and rad",
		`{"points":[{"t":0},{"t":1,"pose":{"x":0,"y":-2e6,"theta":0}}]}`:  "points[1].pose is 0, -2e+06, 0; it must be in m and rad",
		`{"points":[{"t":0},{"t":1,"pose":{"x":0,"y":0,"theta":11}}]}`:    "points[1].pose is 0, 0, 11; it must be in m and rad",
		`{"points":[{"t":0},{"t":1,"want":{"linear":1e9,"angular":0}}]}`:  "points[1] is faster than 100",
		`{"points":[{"t":0},{"t":1,"want":{"linear":0,"angular":-101}}]}`: "points[1] is faster than 100",
		`{"points":[{"t":0},{"t":1,"twist":{"linear":101,"angular":0}}]}`: "points[1] is faster than 100",
		`{"points":[{"t":0},{"t":1,"twist":{"linear":0,"angular":101}}]}`: "points[1] is faster than 100",
		`{"points":[{"t":0}]}`: "points[0].pose.x is missing; it must be a number",
		`{"points":[{"pose":{"x":1,"y":2,"theta":0},"twist":{"linear":0,"angular":0},"want":{"linear":0,"angular":0}}]}`: "points[0].t is missing",
		`{"points":[{"t":0,"pose":{"x":1,"y":2},"twist":{"linear":0,"angular":0},"want":{"linear":0,"angular":0}}]}`:     "points[0].pose.theta is missing",
		`{"points":[{"t":0,"pose":{"x":1,"y":2,"theta":0},"twist":{"linear":0,"angular":0}}]}`:                           "points[0].want.linear is missing",
		`{"points":[{"t":0}]}x`:                "something follows the motion",
		`{"points":[{"t":"0"}]}`:               `points[0].t is "0"`,
		`{"points":[{"t":0},{"t":2},{"t":1}]}`: "points[2].t is 1; it must be more than the one before it, 2",
	} {
		if _, err := ParseMotion([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; it must say %q", text, err, want)
		}
	}
}

func FuzzAMotionIsReadOrRefused(f *testing.F) {
	m, _ := recorded(f)
	m.Points = m.Points[:4]
	text, err := json.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"points":[{"t":0},{"t":1e300,"pose":{"x":1,"y":2,"theta":9}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMotion(data)
		if err != nil {
			return
		}
		desc := mybot(t)
		player := NewPlayer(desc, Options{})
		player.Play(at(0), m, 1, 1, m.Points[0].Pose)
		pose := m.Points[0].Pose
		for i := range 50 {
			twist, s := player.Tick(at(float64(i)*0.02), pose, robot.Twist{})
			if !twist.IsFinite() || math.Abs(twist.Linear) > desc.Safe.Linear+1e-9 || math.Abs(twist.Angular) > desc.Safe.Angular+1e-9 {
				t.Fatalf("the command is %v", twist)
			}
			pose = s.Reference
		}
	})
}

func TestTheLargestMotionIsReadAndOneMorePointIsTooMuch(t *testing.T) {
	var full Motion
	for n := range maxPoints {
		if !full.Add(7, Sample{T: 7 + float64(n)}) {
			t.Fatalf("point %d has no room", n)
		}
	}
	if full.Add(7, Sample{T: 1e6}) || len(full.Points) != maxPoints || full.Duration() != maxPoints-1 {
		t.Errorf("%d points, %v s", len(full.Points), full.Duration())
	}
	full.Points[1].Pose, full.Points[1].Twist, full.Points[1].Want = robot.Pose{X: -1e6, Y: 1e6, Theta: 10}, robot.Twist{Linear: 100, Angular: -100}, robot.Twist{Linear: -100, Angular: 100}
	text, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ParseMotion(text); err != nil || len(again.Points) != maxPoints {
		t.Error(err)
	}
	full.Points = append(full.Points, Waypoint{T: 1e6})
	if text, err = json.Marshal(full); err != nil {
		t.Fatal(err)
	}
	if _, err := ParseMotion(text); err == nil || !strings.Contains(err.Error(), "has 36001 points") {
		t.Error(err)
	}
	var m Motion
	if !m.Add(1, Sample{T: 1}) || m.Add(1, Sample{T: 1}) || m.Add(1, Sample{T: 0.9}) || !m.Add(1, Sample{T: 1.1}) || len(m.Points) != 2 {
		t.Errorf("a sample that is not later than the one before is a point of its own: %+v", m.Points)
	}
}

func TestTheSamplesOfAMotionBeginAndEndNeutral(t *testing.T) {
	m, _ := recorded(t)
	samples := m.samplesOf(3, 4)
	if len(samples) != len(m.Points)+2 || len((Motion{}).samplesOf(1, 1)) != 0 {
		t.Fatalf("%d samples of %d points", len(samples), len(m.Points))
	}
	distance := 0.0
	for n, s := range samples {
		if n > 0 {
			distance += s.Pose.Point().Sub(samples[n-1].Pose.Point()).Norm()
		}
		if s.Lease != 3 || s.Hold != 4 || s.Seq != uint64(n+1) || math.Abs(s.S-distance) > 1e-9 {
			t.Errorf("sample %d: %+v, after %v m", n, s, distance)
		}
	}
	if first, last := samples[0], samples[len(samples)-1]; !first.Want.IsZero() || !first.Twist.IsZero() || !last.Want.IsZero() || last.T != m.Duration() {
		t.Errorf("it begins with %+v and ends with %+v", first, last)
	}
}
