package protocol_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/script"
	"mybot/session/protocol"
	"mybot/session/protocol/protocoltest"
)

func TestEveryExampleOfAPageIsUnderstood(t *testing.T) {
	frames := protocoltest.Examples(t, "protocol.md", "## Page to robot", "## Robot to page")
	if len(frames) != 49 {
		t.Fatalf("%d examples", len(frames))
	}
	seen := map[string]bool{}
	for _, frame := range frames {
		cmd, err := protocol.Decode([]byte(frame))
		if err != nil {
			t.Errorf("%s: %v", frame, err)
			continue
		}
		seen[reflect.TypeOf(cmd).Name()] = true
	}
	if len(seen) != 18 {
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
	rtt, left := protocol.Number(310), protocol.Number(9.5)
	ana, jin := 1, 3
	people := []protocol.Person{{1, "Ana", "operator", 1, true, false, true, &rtt}, {3, "Guest 3", "operator", 2, false, true, true, nil}}
	id, seq, until := uint64(8), uint64(117), protocol.Seconds(910*time.Second)
	stop := protocol.StopState{"Jin", 2, protocol.Moment(at)}
	lease := protocol.Lease{Epoch: 1, Holder: &ana, Since: protocol.Moment(at)}
	asked, passing, passed, lost, offered := lease, lease, lease, lease, lease
	asked.Requests = []protocol.LeaseRequest{{3, "There is a spill at the door.", 30}}
	passing.Requests, passing.Passing = asked.Requests, &protocol.LeasePassing{&jin}
	passed.Holder = &jin
	lost.Holder, lost.FreeIn = &jin, &left
	offered.Holder, offered.Offer = nil, &protocol.LeaseOffer{1, 10}
	route := &robot.Route{Number: 5, Line: []robot.Point{{X: 4.5, Y: 7.3}, {X: 12.1, Y: 3.35}}, Via: []string{"III"}}
	state := robot.State{
		Time: at, Mode: robot.ModeManual, Play: robot.Play{Policy: "track"}, Ranges: []float64{2.31, math.Inf(1)},
		Goal:    &robot.Goal{Number: 3, Name: "Copy room", Phase: robot.GoalDriving, Route: route},
		Run:     &robot.Run{Number: 17, Steps: make([]robot.StepRun, 7), Step: 2},
		Speech:  &robot.Speech{Number: 5, Text: "Hello!"},
		Message: &robot.Message{Number: 3, Text: "Touch OK.", OK: true, Until: at.Add(58200 * time.Millisecond)},
		Slow:    &robot.HandLimit{Speed: 0.2, Why: "The head is lent and looks aside.", Lent: "head"},
		Battery: robot.Battery{Left: time.Hour},
		Base:    &robot.BaseLink{Up: true, Since: at, RoundTrip: time.Millisecond, Gone: []robot.LostPart{{Name: "lidar", Sees: true}}},
		Joints:  &robot.JointsState{At: []float64{0.42, math.NaN()}, To: []float64{1.2, math.NaN()}, Held: "Stopped."}, EStop: true, Refuses: "The motors are switched off.", Recording: true,
	}
	description := robot.Description{
		Body: robot.Body{Height: 0.75}, Drivetrain: robot.Drivetrain{WheelBase: 0.42}, Encoder: robot.Encoder{WheelRadius: 0.1},
		Name: "Mybot", Sonars: []robot.Sonar{{Max: 5, Height: 0.3}}, Lidars: []robot.Lidar{{Height: 0.25}}, Head: &robot.Head{X: 0.1, Z: 0.95, Camera: robot.Optics{Width: 640, Height: 480}},
		Links:  []robot.Link{{Name: "base_link"}, {Name: "upper", Parent: "base_link", Shapes: []robot.Shape{{Kind: robot.Box, Length: 0.3, Width: 0.05, Height: 0.05, Color: "#3366cc"}}}},
		Joints: []robot.Joint{{Name: "shoulder", Link: "upper", Kind: robot.Turn, Axis: [3]float64{0, -1, 0}, Max: 1.5708}},
		Frames: []robot.NamedFrame{{Name: "tip", Link: "upper"}},
	}
	run := robot.Run{Number: 17, Phase: robot.RunRunning, Began: at, Steps: []robot.StepRun{{State: robot.StepRunning, Began: at}}}
	ours := []protocol.Message{
		protocol.Welcome{
			Protocol: protocol.Protocol, Role: "operator", Robot: protocol.RobotOf(description, "there", 100*time.Millisecond), HasCamera: true, HasMicrophone: true, Relays: []protocol.Relay{{}},
			Lease: lease, People: people, Back: &protocol.Back{6.2, false}, Elsewhere: "elsewhere",
		},
		protocol.ClockAnswer{12.3456, 1, 2},
		protocol.StateOf(state, 1234, 117, 0, at, nil),
		protocol.DriveReset{3, "Stopped by Jin.", new(protocol.Seconds), protocol.PoseOf(robot.Pose{X: 1, Y: 2, Theta: 3})},
		protocol.Result{ID: &id, Word: robot.Error, Reason: "no"},
		protocol.Result{ID: &id, Word: robot.Success, Route: protocol.RouteOf(route)},
		protocol.Result{ID: &id, Word: robot.Success, Answer: "v=0"},
		protocol.Result{Seq: &seq, Word: robot.Interrupted, Reason: "no", Old: "lease", Holder: &jin},
		protocol.PeopleEvent{people},
		protocol.LeaseEvent{asked, "Jin asks for control."},
		protocol.LeaseEvent{passing, "Ana gave control to Jin."},
		protocol.LeaseEvent{passed, "Ana gave control to Jin."},
		protocol.LeaseEvent{lost, "Jin left."},
		protocol.LeaseEvent{offered, "Control is offered to Ana."},
		protocol.PartsEvent{[]protocol.Loan{{"head", 3, 7}}, []protocol.LoanRequest{{"voice", 3, 28}}, "Ana lent the head to Jin."},
		protocol.StopEvent{true, stop},
		protocol.StopEvent{false, stop},
		protocol.StopperEvent{3, "Guest 3", "95efb7b6", 3},
		protocol.LogEvent{protocol.Moment(at), protocol.IconStop, "Stopped by Jin."},
		protocol.RouteEvent{protocol.RouteOf(route)},
		protocol.WorldEvent{[]protocol.Thing{{3, protocol.Obstacle, protocol.PointOf(robot.Point{X: 11.2, Y: 7.4}), 0.25}}, []protocol.Door{{false}}},
		protocol.LinkEvent{"rtt=310ms", ""},
		protocol.MotionsEvent{[]protocol.MotionEntry{{N: 3, Name: "Corridor to Lounge", At: protocol.Moment(at), Length: 4.2, Start: protocol.PoseOf(robot.Pose{})}}},
		protocol.MapEvent{json.RawMessage(`[{"id":1,"name":"I","at":[3.7,7.3]}]`), json.RawMessage(`[[1,2]]`), json.RawMessage(`[{"name":"Sofa","pose":[10.2,3.7,-1.5708]}]`)},
		protocol.MappingEvent{
			State: "mapping", From: "lidar", Can: []string{"pause", "undo", "finish", "discard"}, By: "Ana", Way: 31.4, Seconds: 95, KeyFrames: 214, Loops: 2,
			Loop: &protocol.MappingLoop{2, protocol.PointOf(robot.Point{X: 1, Y: 2})}, Open: [][]protocol.Number{{1, 2}}, Trail: [][]protocol.Number{{1, 2}},
			Tiles: []protocol.MapTile{{0, 7, protocol.PoseOf(robot.Pose{}), protocol.PointOf(robot.Point{}), 320, 260, 0.05}},
		},
		protocol.FloorEvent{2, true},
		protocol.JobsEvent{[]protocol.JobEntry{{"paper-to-jin", "Paper to Jin", 7, 3, protocol.Moment(at)}}},
		protocol.RunEvent{protocol.RunOf(run, []jobs.Step{{Type: jobs.Move, Place: "Sofa"}}, 0, protocol.PathsOf([][]robot.Point{{{X: 4.5, Y: 7.3}}}))},
		protocol.ScriptsEvent{"Stopped by Jin.", false, []protocol.ScriptUnit{{"patrol", true, "Stopped by Jin.", "Ana", []protocol.ScriptTag{{"look", false, false, 2, &until, true}}, false, nil, 1, &until}}, "The script Privacy has switched the camera off."},
		protocol.ValuesEvent{1, []protocol.WatchedValue{protocol.WatchedValueOf("headPan.val", script.Look{Number: 15, IsNumber: true, Text: "15.000000", Unit: "deg"}), {Of: "patrol.leg", Fault: "patrol.leg is not known now"}}},
		protocol.Bye{"The robot is shutting down.", true},
	}
	frames := protocoltest.Examples(t, "protocol.md", "## Robot to page", "## Plain HTTP")
	if len(frames) != len(ours) {
		t.Fatalf("protocol.md has %d examples, this test %d", len(frames), len(ours))
	}
	for i, example := range frames {
		want, got := shapeOf(t, example), shapeOf(t, string(protocol.Encode(ours[i])))
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

func TestARequestIsReadAsItWasWritten(t *testing.T) {
	for _, frame := range protocoltest.Examples(t, "protocol.md", "## Page to robot", "## Robot to page") {
		request, err := protocol.Decode([]byte(frame))
		if err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		written := protocol.Encode(request.(protocol.Message))
		if again, err := protocol.Decode(written); err != nil || !reflect.DeepEqual(again, request) {
			t.Errorf("%s\nis written %s\nand read %#v, %v", frame, written, again, err)
		}
	}
}

func TestAClientReadsWhatTheRobotSends(t *testing.T) {
	for _, frame := range protocoltest.Examples(t, "protocol.md", "## Robot to page", "## Plain HTTP") {
		m, err := protocol.DecodeEvent([]byte(frame))
		if err != nil || m == nil {
			t.Errorf("%s is read as %#v, %v", frame, m, err)
			continue
		}
		again, err := protocol.DecodeEvent(protocol.Encode(m))
		if err != nil || string(protocol.Encode(again)) != string(protocol.Encode(m)) {
			t.Errorf("%s is written %s and read %#v, %v", frame, protocol.Encode(m), again, err)
		}
	}
	if m, err := protocol.DecodeEvent([]byte(`{"type":"event","kind":"dance"}`)); m != nil || err != nil {
		t.Errorf("a kind that is not known is read as %#v, %v", m, err)
	}
	if m, err := protocol.DecodeEvent([]byte(`{"type":"state","n":"x"}`)); err == nil {
		t.Errorf("a state without a number is read as %#v", m)
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
		Nearest: robot.Nearest{Distance: 0.55, Bearing: -1.0472, Sonar: 10},
		Guard:   robot.Guard{Ahead: math.Inf(1), Limit: 0.38},
		Drive:   robot.DriveState{Asked: robot.Twist{Linear: 1}, Given: robot.Twist{Linear: 0.5}, Result: robot.Result{Word: robot.Modified, Reason: "Slower."}},
		Play:    robot.Play{Policy: "track", Lead: 0.12, Jitter: 0.08, Rate: 1.04, Stalled: true, Reference: robot.Pose{X: 11.06, Y: 7, Theta: -0.12}, Error: 0.011, Detour: 0.25},
		Head:    robot.HeadAngles{Tilt: -0.14},
		Battery: robot.Battery{Charge: 0.78, Volts: 12.4, Left: 3*time.Hour + 50*time.Minute},
		Tick:    robot.TickStats{Period: 20 * time.Millisecond, Jitter: 800 * time.Microsecond},
	}
	const head = `{"type":"state","n":1234,"t":903.2,"at":"2026-11-20T14:15:03.2Z",`
	const rest = `"seq":117,"pose":[11.05,7,-0.12],"cov":[0.0004,0,0.0004,0.0002],"twist":[0.3,-0.2],` +
		`"ranges":[2.31,null,null,0.333333],"nearest":{"distance":0.55,"bearing":-1.0472,"sonar":10},"guard":{"ahead":null,"limit":0.38,"active":false},` +
		`"drive":{"asked":[1,0],"given":[0.5,0],"word":"MODIFIED","reason":"Slower."},"play":{"policy":"track","lead":0.12,"jitter":0.08,"rate":1.04,"stalled":true,"motion":null,"left":0,"ref":[11.06,7,-0.12],"error":0.011,"detour":0.25},"sources":{"wheels":true,"compass":true,"sonars":0},"trust":"OK","goal":null,`
	const jobs = `"job":null,"speech":null,"message":null,`
	const tail = `"bump":false,"head":[0,-0.14],"battery":{"charge":0.78,"volts":12.4,"charging":false,"left":13800},"tick":{"period_ms":20,"jitter_ms":0.8}}`
	got := string(protocol.Encode(protocol.StateOf(s, 1234, 117, 0, start, nil)))
	if want := head + `"mode":"manual",` + rest + `"stop":null,` + jobs + tail; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	t.Run("the stop is the one the people know", func(t *testing.T) {
		got := string(protocol.Encode(protocol.StateOf(s, 1234, 117, 0, start, &protocol.StopState{"Jin", 2, protocol.Moment(start)})))
		if want := head + `"mode":"stopped",` + rest + `"stop":{"by":"Jin","id":2,"at":"2026-11-20T14:00:00Z"},` + jobs + tail; got != want {
			t.Errorf("\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("a hand that drives without a path has no reference", func(t *testing.T) {
		for play, want := range map[robot.Play]string{
			{Policy: "direct", Rate: 1}: `"play":{"policy":"direct","lead":0,"jitter":0,"rate":1,"stalled":false,"motion":null,"left":0,"ref":null,"error":0,"detour":0},`,
			{}:                          `"play":null,`,
		} {
			if got := string(protocol.Encode(protocol.StateOf(robot.State{Play: play}, 1, 0, 0, start, nil))); !strings.Contains(got, want) {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
	})
	t.Run("echoes of lidars are in whole centimetres", func(t *testing.T) {
		got := string(protocol.Encode(protocol.StateOf(robot.State{Echoes: []robot.Point{{X: 11.0349, Y: -2.005}, {X: 0.004}}}, 1, 0, 0, start, nil)))
		if !strings.Contains(got, `"scan":[1103,-201,0,0],`) {
			t.Error(got)
		}
	})
	t.Run("the line to a base is told of as soon as there is one", func(t *testing.T) {
		link := &robot.BaseLink{Why: "/dev/ttyUSB0 is gone.", Since: start, Malformed: 3, Restarts: 1}
		got := string(protocol.Encode(protocol.StateOf(robot.State{Base: link, EStop: true, Refuses: "Tipped."}, 1, 0, 0, start, nil)))
		if want := `,"base":{"up":false,"why":"/dev/ttyUSB0 is gone.","since":"2026-11-20T14:00:00Z","malformed":3,"restarts":1,"rtt_ms":null,"gone":[]},"estop":true,"refuses":"Tipped."}`; !strings.HasSuffix(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
		link = &robot.BaseLink{Up: true, Since: start, RoundTrip: 1400 * time.Microsecond, Gone: []robot.LostPart{{Name: "lidar", Sees: true}}}
		got = string(protocol.Encode(protocol.StateOf(robot.State{Base: link}, 1, 0, 0, start, nil)))
		if want := `,"base":{"up":true,"why":"","since":"2026-11-20T14:00:00Z","malformed":0,"restarts":0,"rtt_ms":1.4,"gone":["lidar"]}}`; !strings.HasSuffix(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
	t.Run("nothing in sight is null", func(t *testing.T) {
		got := string(protocol.Encode(protocol.StateOf(robot.State{Nearest: robot.Nearest{Distance: math.Inf(1), Sonar: -1}}, 1, 0, 0, start, nil)))
		if !strings.Contains(got, `"nearest":{"distance":null,"bearing":null,"sonar":null}`) || !strings.Contains(got, `"left":null`) || !strings.Contains(got, `"ranges":[]`) {
			t.Error(got)
		}
	})
}
