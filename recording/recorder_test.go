package recording_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mybot/mcap"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/models/modelstest"
)

// mybot is Mybot with a lidar.
func mybot(t testing.TB) robot.Description {
	t.Helper()
	desc := modelstest.Mybot(t)
	desc.Lidars = []robot.Lidar{{Pose: robot.Pose{X: 0.1, Theta: 0.2}, Height: 0.3, From: -math.Pi, Step: math.Pi / 180, Beams: 360, Min: 0.1, Max: 12, Rate: 10}}
	return desc
}

// readingAt returns a reading in which no number is round.
func readingAt(at time.Time, i int) robot.Reading {
	r := robot.Reading{
		Time: at, Travel: robot.Wheels{Left: 0.001 * math.Sqrt(float64(i)), Right: 0.0013 * math.Sqrt(float64(i))}, Heading: math.Sin(float64(i)),
		Ranges: []float64{1.0 / 3, math.Inf(1), math.NaN(), 2.5, 1e-9, 4, 5, 6, 7, 8, 9, 10}, Bump: i%7 == 0, OK: i%11 == 0,
		Head:    robot.HeadAngles{Pan: 0.1 * float64(i%5), Tilt: -0.2},
		Battery: robot.Battery{Volts: 24.7, Amperes: 1.1, Charge: 0.83, Charging: i%2 == 0, Left: 90 * time.Minute},
	}
	if i%5 == 0 {
		ranges := make([]float64, 360)
		for k := range ranges {
			ranges[k] = 2 + math.Sin(float64(k*i)/40)
		}
		ranges[3], ranges[4] = math.Inf(1), math.NaN()
		r.Scans = []robot.Scan{{Time: at.Add(-90 * time.Millisecond), Lasts: 80 * time.Millisecond, Ranges: ranges}}
	}
	return r
}

func stateAt(at time.Time, i int) robot.State {
	return robot.State{
		Time: at, Mode: robot.ModeManual, Estimate: robot.Estimate{Pose: robot.Pose{X: 1.0 / 7, Y: float64(i), Theta: 0.3}},
		Nearest: robot.Nearest{Distance: math.Inf(1), Sonar: -1}, Guard: robot.Guard{Ahead: math.Inf(1), Limit: 0.5},
		Drive: robot.DriveState{Asked: robot.Twist{Linear: 0.4}, Given: robot.Twist{Linear: 0.3 + float64(i)/1e4, Angular: -0.1}, Result: robot.Result{Word: robot.Success}},
	}
}

// A played recording is the content of a file.
type played struct {
	readings []robot.Reading
	twists   []robot.Twist
	states   []recording.State
	commands []recording.Command
	gaps     []recording.Gap
	topics   map[string]int
	text     string // all messages and attachments
	attached map[string]string
}

// play reads a file, and validates every message against its schema.
func play(t *testing.T, file []byte) (p played, end error) {
	t.Helper()
	r, err := mcap.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	p.topics, p.attached = map[string]int{}, map[string]string{}
	r.TakeAttachment = func(a mcap.Attachment) error {
		p.attached[a.Name] = string(a.Data)
		p.text += string(a.Data)
		return nil
	}
	compiled := map[string]*jsonschema.Schema{}
	var scans []robot.Scan
	for {
		m, err := r.Next()
		if err != nil {
			return p, err
		}
		name := m.Channel.Schema.Name
		if compiled[name] == nil {
			compiled[name] = compile(t, name, m.Channel.Schema.Data)
		}
		if m.Channel.Encoding != "json" || m.Channel.Schema.Encoding != "jsonschema" {
			t.Fatalf("%s is in %q, its schema in %q", m.Channel.Topic, m.Channel.Encoding, m.Channel.Schema.Encoding)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.Data))
		if err != nil {
			t.Fatalf("%s: %v: %s", m.Channel.Topic, err, m.Data)
		}
		if err := compiled[name].Validate(value); err != nil {
			t.Fatalf("%s is not as its schema %s says: %v\n%s", m.Channel.Topic, name, err, m.Data)
		}
		p.topics[m.Channel.Topic]++
		p.text += string(m.Data)
		switch m.Channel.Topic {
		case recording.ScanTopic(0):
			scans = append(scans, decode[recording.LaserScan](t, m.Data).Scan(0))
		case recording.ReadingTopic:
			one := decode[recording.Reading](t, m.Data)
			if one.Scans != len(scans) {
				t.Errorf("a reading says that %d scans came with it, but %d stand before it", one.Scans, len(scans))
			}
			p.readings = append(p.readings, one.Reading(scans))
			p.twists = append(p.twists, one.Twist.Twist())
			scans = nil
		case recording.StateTopic:
			p.states = append(p.states, decode[recording.State](t, m.Data))
		case recording.CommandTopic:
			p.commands = append(p.commands, decode[recording.Command](t, m.Data))
		case recording.GapTopic:
			p.gaps = append(p.gaps, decode[recording.Gap](t, m.Data))
		}
	}
}

// compile reads a schema strictly: messages have no other fields, and Foxglove,
// which supports only part of JSON Schema, can read it.
func compile(t *testing.T, name string, text []byte) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		s, _ := v.(map[string]any)
		switch s["type"] {
		case "number", "integer", "string", "boolean":
		case "array":
			if items, _ := s["items"].(map[string]any); items["type"] == "array" {
				t.Errorf("%s%s is a list of lists, which Foxglove does not read", name, at)
			}
			walk(at+"[]", s["items"])
		case "object":
			s["additionalProperties"] = false
			for field, inner := range s["properties"].(map[string]any) {
				walk(at+"."+field, inner)
			}
		default:
			t.Errorf("%s%s has the type %v, which Foxglove does not read", name, at, s["type"])
		}
	}
	walk("", value)
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, value); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode[T any](t *testing.T, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%T: %v: %s", v, err, data)
	}
	return v
}

// record records what drive does, and returns the file.
func record(t *testing.T, drive func(*recording.Recorder)) []byte {
	t.Helper()
	return recordOf(t, mybot(t), drive)
}

// recordOf is record for another robot.
func recordOf(t *testing.T, desc robot.Description, drive func(*recording.Recorder)) []byte {
	t.Helper()
	var file bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		r := recording.NewRecorder(recording.About{Robot: desc, Build: "test"})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Record(ctx, &file, func() error { return nil }) }()
		synctest.Wait()
		drive(r)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the recording ends with %v", err)
		}
	})
	return file.Bytes()
}

// same reports whether two values are equal, bit for bit, with NaN equal to NaN
// and times of any zone.
func same(a, b any) bool { return fmt.Sprintf("%#v", plain(a)) == fmt.Sprintf("%#v", plain(b)) }

func plain(v any) any {
	r, ok := v.(robot.Reading)
	if !ok {
		return v
	}
	r.Time = r.Time.UTC()
	r.Scans = slices.Clone(r.Scans)
	for i := range r.Scans {
		r.Scans[i].Time = r.Scans[i].Time.UTC()
	}
	if len(r.Scans) == 0 {
		r.Scans = nil
	}
	return r
}

func TestARecordingHasWhatTheRobotFeltBitForBit(t *testing.T) {
	var want []robot.Reading
	file := record(t, func(r *recording.Recorder) {
		for i := range 500 {
			now := time.Now()
			one := readingAt(now.Add(-3*time.Millisecond).UTC(), i)
			want = append(want, one)
			given := one
			given.Ranges = slices.Clone(one.Ranges)
			r.ObserveTick(now, given, stateAt(one.Time, i))
			for k := range given.Ranges { // the driver reuses it
				given.Ranges[k] = -1
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	p, end := play(t, file)
	if !errors.Is(end, io.EOF) || len(p.readings) != len(want) || len(p.gaps) != 0 {
		t.Fatalf("of %d readings %d are in the recording, with %d gaps; it ends with %v", len(want), len(p.readings), len(p.gaps), end)
	}
	for i, got := range p.readings {
		if !same(got, want[i]) {
			t.Fatalf("reading %d is\n%+v, want\n%+v", i, got, want[i])
		}
		if v := p.twists[i]; v.Linear != 0.3+float64(i)/1e4 || v.Angular != -0.1 {
			t.Fatalf("twist %d is %v", i, v)
		}
	}
	if n := len(p.states); n != 20 || !math.IsInf(float64(p.states[7].Nearest), 1) || p.states[7].Pose.X != 0.14286 || p.states[7].Given.Linear == 0 {
		t.Errorf("ten seconds have %d states, such as %+v", n, p.states[7])
	}
	for topic, n := range map[string]int{recording.ScanTopic(0): 100, recording.FramesTopic: 20} {
		if p.topics[topic] != n {
			t.Errorf("%s has %d messages, want %d", topic, p.topics[topic], n)
		}
	}
	t.Logf("10 s with 12 sonars and a lidar of 360 beams at 10 Hz: %d bytes", len(file))
}

func TestEverySecondARecordingCanBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := recording.NewRecorder(recording.About{Robot: mybot(t)})
		var file bytes.Buffer
		flushed := 0
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Record(ctx, &file, func() error { flushed = file.Len(); return nil }) }()
		synctest.Wait()
		for i := range 52 {
			r.ObserveTick(time.Now(), readingAt(time.Now(), i), stateAt(time.Now(), i))
			time.Sleep(20 * time.Millisecond)
		}
		synctest.Wait()
		p, end := play(t, file.Bytes()[:flushed])
		if !errors.As(end, new(*mcap.CutError)) || len(p.readings) < 49 {
			t.Errorf("after a second %d readings can be read, and %v", len(p.readings), end)
		}
		cancel()
		<-ended
	})
}

// A blocked writer blocks until it is opened.
type blocked struct {
	bytes.Buffer
	open chan struct{}
}

func (b *blocked) Write(p []byte) (int, error) {
	<-b.open
	return b.Buffer.Write(p)
}

func TestWhatASlowWriterLosesIsCountedWhereItIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := recording.NewRecorder(recording.About{Robot: mybot(t)})
		file := &blocked{open: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Record(ctx, file, func() error { return nil }) }()
		synctest.Wait()
		began := time.Now()
		ticks, scans, commands := 0, 0, 0
		tick := func() {
			one := readingAt(time.Now(), ticks)
			one.Travel.Left = float64(ticks)
			ticks, scans = ticks+1, scans+len(one.Scans)
			r.ObserveTick(time.Now(), one, stateAt(time.Now(), ticks))
		}
		for range 1500 {
			tick()
			time.Sleep(20 * time.Millisecond) // the writer blocks in its first second
			if ticks%10 == 0 {
				commands++
				r.ObserveCommand(time.Now(), time.Time{}, robot.Drive{}, robot.Result{Word: robot.Success}, robot.Estimate{})
			}
		}
		if time.Since(began) != 30*time.Second {
			t.Errorf("1500 ticks take %v", time.Since(began))
		}
		close(file.open)
		synctest.Wait()
		for range 100 {
			tick()
			time.Sleep(20 * time.Millisecond)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		p, end := play(t, file.Bytes())
		if !errors.Is(end, io.EOF) || len(p.gaps) != 1 {
			t.Fatalf("the recording has the gaps %v and ends with %v", p.gaps, end)
		}
		g := p.gaps[0]
		if len(p.readings)+g.Readings != ticks || p.topics[recording.ScanTopic(0)]+g.Scans != scans || len(p.commands)+g.Commands != commands || g.Readings < 500 || g.Commands == 0 {
			t.Errorf("of %d readings, %d scans and %d commands there are %d, %d and %d, and the gap is %+v", ticks, scans, commands, len(p.readings), p.topics[recording.ScanTopic(0)], len(p.commands), g)
		}
		for i := 1; i < len(p.readings); i++ {
			if step := p.readings[i].Travel.Left - p.readings[i-1].Travel.Left; step != 1 && step != float64(g.Readings+1) {
				t.Fatalf("after reading %d, %v are missing", i, step-1)
			}
		}
	})
}

func TestWhatIsMissingAtTheEndIsCountedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := recording.NewRecorder(recording.About{Robot: mybot(t)})
		file := &blocked{open: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Record(ctx, file, func() error { return nil }) }()
		synctest.Wait()
		for range 1000 {
			r.ObserveTick(time.Now(), readingAt(time.Now(), 1), stateAt(time.Now(), 1))
			time.Sleep(20 * time.Millisecond)
		}
		cancel()
		close(file.open)
		<-ended
		p, _ := play(t, file.Bytes())
		if n := len(p.gaps); n != 1 || p.gaps[0].Readings+len(p.readings) != 1000 {
			t.Errorf("%d readings are there, and %+v are missing", len(p.readings), p.gaps)
		}
	})
}

// secret stands for text that users write.
const secret = "Ana's diary"

// fill sets all texts, numbers and times in v that a command or a state may have.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(secret)
		}
	case reflect.Float64:
		v.SetFloat(math.NaN())
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Int64:
		v.SetInt(int64(time.Second))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		if v.Type().Elem() != reflect.TypeFor[robot.Follow]() { // of itself
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]float64{secret: 1}))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1_800_000_000, 5)))
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() { // what a watched value is made of is not exported
				fill(f)
			}
		}
	}
}

// commands has one of each type.
var commands = []robot.Command{
	robot.Drive{},
	robot.Follow{},
	robot.Replay{},
	robot.Halt{},
	robot.Stop{},
	robot.ClearStop{},
	robot.Lapse{},
	robot.Lend{},
	robot.Lacks{},
	robot.Look{},
	robot.MoveJoints{},
	robot.SetPose{},
	robot.Plan{},
	robot.GoTo{},
	robot.Pause{},
	robot.Resume{},
	robot.Cancel{},
	robot.GoAround{},
	robot.Enqueue{Command: robot.GoTo{}},
	robot.RunJob{},
	robot.ChangeRun{},
	robot.PauseRun{},
	robot.ResumeRun{},
	robot.SkipStep{},
	robot.RetryStep{},
	robot.EndRun{},
	robot.OK{},
	robot.Spoken{},
}

func TestNothingThatPeopleWroteIsRecorded(t *testing.T) {
	file := record(t, func(r *recording.Recorder) {
		for _, cmd := range commands {
			full := reflect.New(reflect.TypeOf(cmd)).Elem()
			full.Set(reflect.ValueOf(cmd))
			fill(full)
			r.ObserveCommand(time.Now(), time.Time{}, full.Interface().(robot.Command), robot.Result{Word: robot.Success, Reason: secret}, robot.Estimate{})
		}
		var s robot.State
		fill(reflect.ValueOf(&s).Elem())
		s.Play.Policy, s.Time = "track", time.Now()
		r.ObserveTick(time.Now(), robot.Reading{Time: time.Now(), Travel: robot.Wheels{Left: math.NaN()}, Heading: math.NaN()}, s)
	})
	p, end := play(t, file)
	if !errors.Is(end, io.EOF) || len(p.commands) != len(commands) || len(p.states) != 1 {
		t.Fatalf("%d of %d commands and %d states are recorded; it ends with %v", len(p.commands), len(commands), len(p.states), end)
	}
	if strings.Contains(p.text, "Ana") || strings.Contains(p.text, "diary") {
		t.Errorf("what a person wrote is in the recording: %s", p.text)
	}
	if s := p.states[0]; s.Goal.Number != 7 || s.Run.Number != 7 || !s.Stopped {
		t.Errorf("the state is %+v", s)
	}
}

// TestARecordingStandsAlone checks the attachments; the same data is in messages,
// which every program copies.
func TestARecordingStandsAlone(t *testing.T) {
	desc := mybot(t)
	var file bytes.Buffer
	plan := &robot.Floorplan{Grid: robot.Grid{Width: 2, Height: 1, Resolution: 0.5, Cells: []robot.Cell{robot.Free, robot.Occupied}}}
	settings := recording.Settings{Simulator: true, Localizer: "mcl", Seed: 7, Network: "rtt=10ms"}
	r, err := recording.NewSyncRecorder(&file, recording.About{Robot: desc, Build: "1.2", Settings: settings}, plan)
	if err == nil {
		err = r.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p, end := play(t, file.Bytes())
	if !errors.Is(end, io.EOF) || len(p.attached) != 3 || p.topics[recording.AboutTopic] != 4 {
		t.Fatalf("%d attachments and %v are read: %v", len(p.attached), p.topics, end)
	}
	settings.Build = "1.2"
	if got := decode[recording.Settings](t, []byte(p.attached[recording.SettingsFile])); got != settings {
		t.Errorf("the settings are %+v", got)
	}
	if got := decode[robot.Description](t, []byte(p.attached[recording.RobotFile])); !reflect.DeepEqual(got, desc) {
		t.Errorf("the robot is %+v, want %+v", got, desc)
	}
	floor, err := decode[recording.Floor](t, []byte(p.attached[recording.FloorFile])).Floorplan()
	if err != nil || !reflect.DeepEqual(floor.Grid, plan.Grid) {
		t.Errorf("the floor is %+v (%v)", floor, err)
	}
}

func TestACommandIsRecordedWithItsNumbers(t *testing.T) {
	made := time.Unix(1_800_000_000, 0).UTC()
	follow := robot.Follow{Lease: 3, Hold: 2, Seq: 41, T: 1.5, Made: made, Want: robot.Twist{Linear: 0.4}, Twist: robot.Twist{Linear: 0.3}, Pose: robot.Pose{X: 1, Y: 2, Theta: 0.5}, S: 0.7, Valid: 300 * time.Millisecond}
	follow.Hist = []robot.Follow{{Seq: 40, T: 1.45}}
	file := record(t, func(r *recording.Recorder) {
		r.ObserveCommand(made, time.Time{}, follow, robot.Result{Word: robot.Success}, robot.Estimate{})
		r.ObserveCommand(made, time.Time{}, robot.GoTo{Goal: robot.Pose{X: 4}}, robot.Result{Word: robot.Error}, robot.Estimate{})
		r.ObserveCommand(made, time.Time{}, robot.Enqueue{ID: 9, After: 2 * time.Second, Command: robot.Drive{Twist: robot.Twist{Angular: 1}}}, robot.Result{Word: robot.Busy}, robot.Estimate{})
	})
	p, _ := play(t, file)
	if len(p.commands) != 3 {
		t.Fatalf("%d commands are recorded", len(p.commands))
	}
	f, g, q := p.commands[0], p.commands[1], p.commands[2]
	if f.Kind != "follow" || f.Lease != 3 || f.Hold != 2 || f.Seq != 41 || f.T != 1.5 || !f.Made.Time().Equal(made) || f.Want.Linear != 0.4 || f.Twist.Linear != 0.3 ||
		f.Pose != (recording.Pose{X: 1, Y: 2, Theta: 0.5}) || f.S != 0.7 || f.Valid != 0.3 || len(f.History) != 1 || f.History[0].Seq != 40 || f.Word != robot.Success {
		t.Errorf("a sample of driving is recorded as %+v", f)
	}
	if g.Kind != "goto" || g.Pose.X != 4 || g.Word != robot.Error {
		t.Errorf("a goal is recorded as %+v", g)
	}
	if q.Kind != "enqueue drive" || q.Number != 9 || q.After != 2 || q.Want.Angular != 1 {
		t.Errorf("a queued command is recorded as %+v", q)
	}
}

func TestJointsAreRecordedByTheNamesOfTheDescription(t *testing.T) {
	desc := mybot(t)
	desc.Links = []robot.Link{{Name: "base_link"}, {Name: "upper", Parent: "base_link"}, {Name: "hand", Parent: "upper"}}
	desc.Joints = []robot.Joint{
		{Name: "shoulder", Link: "upper", Kind: robot.Turn, Min: -1, Max: 2, Speed: 0.5},
		{Name: "wrist", Link: "hand", Kind: robot.Turn, Axis: [3]float64{0, 0, 1}, Min: math.Inf(-1), Max: math.Inf(1), Speed: 1},
	}
	file := recordOf(t, desc, func(r *recording.Recorder) {
		r.ObserveCommand(time.Now(), time.Time{}, robot.MoveJoints{At: map[string]float64{"shoulder": 1.0 / 3}}, robot.Result{Word: robot.Success}, robot.Estimate{})
		r.ObserveCommand(time.Now(), time.Time{}, robot.MoveJoints{At: map[string]float64{secret: 1}}, robot.Result{Word: robot.NA}, robot.Estimate{})
		r.ObserveTick(time.Now(), robot.Reading{Time: time.Now(), Joints: []float64{1.0 / 3, math.NaN()}}, robot.State{Time: time.Now()})
	})
	p, _ := play(t, file)
	if strings.Contains(p.text, "diary") {
		t.Error("a name that a person wrote is in the recording")
	}
	moves := []robot.Command{p.commands[0].Command(), p.commands[1].Command()}
	if want := (robot.MoveJoints{At: map[string]float64{"shoulder": 1.0 / 3}}); !reflect.DeepEqual(moves[0], want) {
		t.Errorf("recorded is %+v, want %+v", moves[0], want)
	}
	if unknown, ok := moves[1].(robot.MoveJoints); !ok || len(unknown.At) != 1 {
		t.Errorf("a command for an unknown joint is %+v", moves[1])
	}
	steps, err := recording.NewStepReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var heard *robot.Description
	var joints []float64
	for {
		s, err := steps.Next()
		if err != nil {
			break
		}
		if s.Robot != nil {
			heard = s.Robot
		}
		if s.Tick != nil {
			joints = s.Tick.Reading.Joints
		}
	}
	if heard == nil || !reflect.DeepEqual(heard.Joints, desc.Joints) {
		t.Errorf("the description is read with the joints %+v", heard)
	}
	if len(joints) != 2 || joints[0] != 1.0/3 || !math.IsNaN(joints[1]) {
		t.Errorf("the joints were at %v", joints)
	}
}

func TestAFaultOfTheWriterEndsTheRecording(t *testing.T) {
	r := recording.NewRecorder(recording.About{Robot: mybot(t)})
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("no space left")
		ended := make(chan error, 1)
		go func() { ended <- r.Record(t.Context(), io.Discard, func() error { return full }) }()
		if err := <-ended; !errors.Is(err, full) {
			t.Errorf("the recording ends with %v", err)
		}
	})
}

func TestThereAreNotTooManyRecordings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := recording.NewRecorder(recording.About{Robot: mybot(t)})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := r.Record(ctx, io.Discard, func() error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := r.Record(ctx, io.Discard, nil); !errors.Is(err, recording.ErrBusy) {
			t.Errorf("the fifth recording: %v", err)
		}
		cancel()
		all.Wait()
		over, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if err := r.Record(over, io.Discard, func() error { return nil }); err != nil {
			t.Errorf("a recording after others have ended: %v", err)
		}
	})
}

func TestNumbersAreExact(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 1.0 / 3, 1e-300, 1.7976931348623157e308, math.Pi, math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64} {
		text, err := json.Marshal([]any{recording.Number(x), recording.Numbers{x, 2}})
		if err != nil {
			t.Fatal(err)
		}
		var one recording.Number
		var all recording.Numbers
		if err := json.Unmarshal(text, &[]any{&one, &all}); err != nil {
			t.Fatal(err)
		}
		if !same(float64(one), x) || len(all) != 2 || !same(all[0], x) || all[1] != 2 {
			t.Errorf("%v is written as %s and read as %v and %v", x, text, one, all)
		}
	}
	for _, bad := range []string{`"1"`, `[1,"2"]`, `{"a":1}`, `[1,null]`, `true`} {
		var all recording.Numbers
		if err := json.Unmarshal([]byte(bad), &all); err == nil {
			t.Errorf("%s is read as %v", bad, all)
		}
	}
}
