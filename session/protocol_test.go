package session

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// exampleFrames returns the JSON examples of protocol.md between two headings.
func exampleFrames(t testing.TB, from, to string) []string {
	t.Helper()
	text, err := os.ReadFile("protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(text), from)
	part, _, ok2 := strings.Cut(part, to)
	if !ok || !ok2 {
		t.Fatalf("protocol.md has no part from %q to %q", from, to)
	}
	var frames []string
	for {
		_, rest, ok := strings.Cut(part, "```json\n")
		if !ok {
			return frames
		}
		block, rest, _ := strings.Cut(rest, "```")
		part = rest
		d := json.NewDecoder(strings.NewReader(block))
		for d.More() {
			var frame json.RawMessage
			if err := d.Decode(&frame); err != nil {
				t.Fatalf("protocol.md: %v in\n%s", err, block)
			}
			frames = append(frames, string(frame))
		}
	}
}

func TestEveryExampleOfAPageIsUnderstood(t *testing.T) {
	frames := exampleFrames(t, "## Page to robot", "## Robot to page")
	if len(frames) != 39 {
		t.Fatalf("%d examples", len(frames))
	}
	seen := map[string]bool{}
	for _, frame := range frames {
		cmd, err := Decode([]byte(frame))
		if err != nil {
			t.Errorf("%s: %v", frame, err)
			continue
		}
		seen[reflect.TypeOf(cmd).Name()] = true
	}
	if len(seen) != 15 {
		t.Errorf("only %v have an example", seen)
	}
}

// shape describes a JSON value by its fields and kinds; null fits anything.
func shape(path string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			shape(path+"."+k, x, into)
		}
	case []any:
		into[path] = "list"
		for _, x := range v {
			shape(path+"[]", x, into)
		}
	case nil:
		if into[path] == "" {
			into[path] = "null"
		}
	default:
		into[path] = fmt.Sprintf("%T", v)
	}
}

func shapeOf(t *testing.T, frame string) map[string]string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(frame), &v); err != nil {
		t.Fatalf("%s: %v", frame, err)
	}
	into := map[string]string{}
	shape("", v, into)
	return into
}

func TestWhatTheRobotSendsHasTheFieldsOfTheExamples(t *testing.T) {
	at := time.Date(2026, 11, 20, 14, 33, 5, 2e8, time.UTC)
	rtt := number(310)
	holder := 3
	people := []Person{{1, "Ana", Operator, 1, true, false, true, &rtt}, {3, "Guest 3", Operator, 2, false, true, true, nil}}
	id, seq := uint64(8), uint64(117)
	stop := &stopped{by: "Jin", id: 2, at: at}
	lease := func(events ...func(*Lease)) leaseMessage {
		var l Lease
		l.Take(1, at)
		l.Settle(at, true)
		for _, lost := range events {
			lost(&l)
		}
		return leaseOf(l, at)
	}
	ask := func(l *Lease) { l.Ask(3, "There is a spill at the door.", at) }
	give := func(l *Lease) { l.Give(1, 3, at) }
	stand := func(l *Lease) { l.Settle(at, true) }
	passed := func(l *Lease) { l.Disconnected(3, at) }
	expire := func(l *Lease) { l.Expire(at.Add(Grace)) }
	offered := func(l *Lease) { l.OfferNext([]int{1}, at) }
	route := &robot.Route{Number: 5, Line: []robot.Point{{X: 4.5, Y: 7.3}, {X: 12.1, Y: 3.35}}, Via: []string{"III"}}
	state := robot.State{
		Time: at, Mode: robot.ModeManual, Play: robot.Play{Policy: "track"}, Ranges: []float64{2.31, math.Inf(1)},
		Goal:    &robot.Goal{Number: 3, Name: "Copy room", Phase: robot.GoalDriving, Route: route},
		Run:     &robot.Run{Number: 17, Steps: make([]robot.StepRun, 7), Step: 2},
		Speech:  &robot.Speech{Number: 5, Text: "Hello!"},
		Message: &robot.Message{Number: 3, Text: "Touch OK.", OK: true, Until: at.Add(58200 * time.Millisecond)},
		Battery: robot.Battery{Left: time.Hour},
	}
	description := testDescription
	description.Head = &robot.Head{X: 0.1, Z: 0.95, Camera: robot.Optics{Width: 640, Height: 480}}
	ours := []any{
		Welcome{
			Type: "welcome", Protocol: Protocol, Role: Operator, Robot: RobotOf(description, "there", statePeriod), HasCamera: true, HasMicrophone: true, Relays: []Relay{{}},
			Lease: lease(), People: people, Back: &Back{6.2, false}, Elsewhere: elsewhere,
		},
		ClockAnswer{"clock", 12.3456, 1, 2},
		json.RawMessage(StateOf(state, 1234, 117, 0, at, nil)),
		DriveReset{"hold", 3, "Stopped by Jin.", new(seconds), numbersOf(1, 2, 3)},
		Result{Type: "result", ID: &id, Word: robot.Error, Reason: "no"},
		Result{Type: "result", ID: &id, Word: robot.Success, Route: RouteOf(route)},
		Result{Type: "result", ID: &id, Word: robot.Success, Answer: "v=0"},
		Result{Type: "result", Seq: &seq, Word: robot.Interrupted, Reason: "no", Old: "lease", Holder: &holder},
		peopleEvent{"event", "people", people},
		leaseEvent{"event", "lease", lease(ask), "Jin asks for control."},
		leaseEvent{"event", "lease", lease(ask, give), "Ana gave control to Jin."},
		leaseEvent{"event", "lease", lease(ask, give, stand), "Ana gave control to Jin."},
		leaseEvent{"event", "lease", lease(ask, give, stand, passed), "Jin left."},
		leaseEvent{"event", "lease", lease(ask, give, stand, passed, expire, stand, offered), "Control is offered to Ana."},
		stopEvent{"event", "stop", true, *stop.wireState()},
		stopEvent{"event", "stop", false, *stop.wireState()},
		StopperEvent{"event", "stopper", 3, "Guest 3", "95efb7b6", 3},
		logEvent{"event", "log", moment(at), iconStop, "Stopped by Jin."},
		routeEvent{"event", "route", RouteOf(route)},
		worldOf(WorldState{Things: []Thing{{3, Obstacle, robot.Point{X: 11.2, Y: 7.4}, 0.25}}, Closed: []bool{false}}),
		LinkEvent{"event", "link", "rtt=310ms", ""},
		motionsEvent{"event", "motions", MotionsOf([]KeptMotion{{N: 3, Name: "Ana's drive", Made: at, Length: 4.2}})},
		MapEvent{"event", "map", json.RawMessage(`[{"id":1,"name":"I","at":[3.7,7.3]}]`), json.RawMessage(`[[1,2]]`), json.RawMessage(`[{"name":"Sofa","pose":[10.2,3.7,-1.5708]}]`)},
		JobsEvent{"event", "jobs", []JobEntry{{"paper-to-jin", "Paper to Jin", 7, 3, moment(at)}}},
		runEvent{"event", "run", RunOf(RunRecord{
			Made: Made{Job: jobs.Job{Steps: []jobs.Step{{Type: jobs.Move, Place: "Sofa"}}}, Ways: [][]robot.Point{{{X: 4.5, Y: 7.3}}}},
			Run:  robot.Run{Number: 17, Phase: robot.RunRunning, Began: at, Steps: []robot.StepRun{{State: robot.StepRunning, Began: at}}},
		})},
		Bye{"bye", "The robot is shutting down.", true},
	}
	frames := exampleFrames(t, "## Robot to page", "## Plain HTTP")
	if len(frames) != len(ours) {
		t.Fatalf("protocol.md has %d examples, this test %d", len(frames), len(ours))
	}
	for i, example := range frames {
		want, got := shapeOf(t, example), shapeOf(t, string(encodeValue(ours[i])))
		for path, kind := range want {
			if is, ok := got[path]; !ok || is != kind && is != "null" && kind != "null" {
				t.Errorf("%.40s: %s is %q, should be %q", example, path, is, kind)
			}
		}
		for path, kind := range got {
			if _, ok := want[path]; !ok {
				t.Errorf("%.40s: %s (%s) is not in protocol.md", example, path, kind)
			}
		}
	}
}

func TestAStateIsEncodedAsThePageReadsIt(t *testing.T) {
	start := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	s := robot.State{
		Time: start.Add(903*time.Second + 200*time.Millisecond),
		Mode: robot.ModeManual,
		Estimate: robot.Estimate{
			Pose: robot.Pose{X: 11.05, Y: 7, Theta: -0.12}, Covariance: robot.Covariance{XX: 4e-4, YY: 4e-4, TT: 2e-4},
			Wheels: true, Compass: true,
		},
		Twist:   robot.Twist{Linear: 0.3, Angular: -0.2},
		Ranges:  []float64{2.31, math.Inf(1), math.NaN(), 1.0 / 3},
		Nearest: robot.Nearest{Distance: 0.55, Sonar: 10},
		Guard:   robot.Guard{Ahead: math.Inf(1), Limit: 0.38},
		Drive:   robot.DriveState{Asked: robot.Twist{Linear: 1}, Given: robot.Twist{Linear: 0.5}, Result: robot.Result{Word: robot.Modified, Reason: "Slower."}},
		Play:    robot.Play{Policy: "track", Lead: 0.12, Jitter: 0.08, Rate: 1.04, Stalled: true, Reference: robot.Pose{X: 11.06, Y: 7, Theta: -0.12}, Error: 0.011, Detour: 0.25},
		Head:    robot.HeadAngles{Tilt: -0.14},
		Battery: robot.Battery{Charge: 0.78, Volts: 12.4, Left: 3*time.Hour + 50*time.Minute},
		Tick:    robot.TickStats{Period: 20 * time.Millisecond, Jitter: 800 * time.Microsecond},
	}
	const head = `{"type":"state","n":1234,"t":903.2,"at":"2026-11-20T14:15:03.2Z",`
	const rest = `"seq":117,"pose":[11.05,7,-0.12],"cov":[0.0004,0,0.0004,0.0002],"twist":[0.3,-0.2],` +
		`"ranges":[2.31,null,null,0.333333],"nearest":{"distance":0.55,"sonar":10},"guard":{"ahead":null,"limit":0.38,"active":false},` +
		`"drive":{"asked":[1,0],"given":[0.5,0],"word":"MODIFIED","reason":"Slower."},"play":{"policy":"track","lead":0.12,"jitter":0.08,"rate":1.04,"stalled":true,"motion":null,"left":0,"ref":[11.06,7,-0.12],"error":0.011,"detour":0.25},"sources":{"wheels":true,"compass":true,"sonars":0},"trust":"OK","goal":null,`
	const jobs = `"job":null,"speech":null,"message":null,`
	const tail = `"bump":false,"head":[0,-0.14],"battery":{"charge":0.78,"volts":12.4,"charging":false,"left":13800},"tick":{"period_ms":20,"jitter_ms":0.8}}`
	got := string(StateOf(s, 1234, 117, 0, start, nil))
	if want := head + `"mode":"manual",` + rest + `"stop":null,` + jobs + tail; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	t.Run("the stop is the one the people know", func(t *testing.T) {
		got := string(StateOf(s, 1234, 117, 0, start, &stopped{by: "Jin", id: 2, at: start}))
		if want := head + `"mode":"stopped",` + rest + `"stop":{"by":"Jin","id":2,"at":"2026-11-20T14:00:00Z"},` + jobs + tail; got != want {
			t.Errorf("\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("a hand that drives without a path has no reference", func(t *testing.T) {
		for play, want := range map[robot.Play]string{
			{Policy: "direct", Rate: 1}: `"play":{"policy":"direct","lead":0,"jitter":0,"rate":1,"stalled":false,"motion":null,"left":0,"ref":null,"error":0,"detour":0},`,
			{}:                          `"play":null,`,
		} {
			if got := string(StateOf(robot.State{Play: play}, 1, 0, 0, start, nil)); !strings.Contains(got, want) {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
	})
	t.Run("nothing in sight is null", func(t *testing.T) {
		got := string(StateOf(robot.State{Nearest: robot.Nearest{Distance: math.Inf(1), Sonar: -1}}, 1, 0, 0, start, nil))
		if !strings.Contains(got, `"nearest":{"distance":null,"sonar":null}`) || !strings.Contains(got, `"left":null`) || !strings.Contains(got, `"ranges":[]`) {
			t.Error(got)
		}
	})
}
