package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/robot"
)

// A fakeRobot executes the commands of a hub and records them. Do blocks while hang
// is locked.
type fakeRobot struct {
	hang sync.Mutex

	mu      sync.Mutex
	by      string // "" = not stopped
	did     []robot.Command
	stops   []string
	refuse  *robot.Result // the answer to Drive, GoTo and RunJob
	route   *robot.Route  // the answer to Plan and GoTo
	onDrive func(robot.Drive)
	onClear func()
	onHalt  func()
}

func (f *fakeRobot) Do(ctx context.Context, cmd robot.Command) robot.Result {
	for !f.hang.TryLock() {
		select {
		case <-ctx.Done():
			return robot.Result{Word: robot.Busy, Reason: "The robot is too busy to take commands."}
		case <-time.After(time.Millisecond):
		}
	}
	defer f.hang.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch cmd := cmd.(type) {
	case robot.Drive:
		if f.by != "" {
			return robot.Result{Word: robot.Panic, Reason: "Stopped by " + f.by + "."}
		}
		if f.refuse != nil {
			return *f.refuse
		}
		if f.onDrive != nil {
			f.onDrive(cmd)
		}
	case robot.GoTo, robot.RunJob:
		if f.refuse != nil {
			return *f.refuse
		}
	case robot.Halt:
		if f.onHalt != nil {
			f.onHalt()
		}
	case robot.ClearStop:
		f.by = ""
		if f.onClear != nil {
			f.mu.Unlock()
			f.onClear()
			f.mu.Lock()
		}
	}
	f.did = append(f.did, cmd)
	switch cmd.(type) {
	case robot.Plan, robot.GoTo:
		return robot.Result{Word: robot.Success, Route: f.route}
	}
	return robot.Result{Word: robot.Success}
}

func (f *fakeRobot) Stop(by string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stops = append(f.stops, by)
	if f.by == "" {
		f.by = by
	}
}

func (f *fakeRobot) stopped() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.by
}

// take returns the commands since the last take as lines of a story.
func (f *fakeRobot) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lines []string
	for _, cmd := range f.did {
		switch cmd := cmd.(type) {
		case robot.Drive:
			lines = append(lines, fmt.Sprintf("drive %g %g for %v", cmd.Twist.Linear, cmd.Twist.Angular, cmd.Valid))
		case robot.Halt:
			what := "halt: "
			if cmd.Goal {
				what = "halt and pause: "
			}
			lines = append(lines, what+cmd.Reason)
		case robot.ClearStop:
			lines = append(lines, "clear stop")
		case robot.Plan:
			lines = append(lines, fmt.Sprintf("plan %g %g %g", cmd.Goal.X, cmd.Goal.Y, cmd.Goal.Theta))
		case robot.GoTo:
			lines = append(lines, fmt.Sprintf("go to %g %g %g %q", cmd.Goal.X, cmd.Goal.Y, cmd.Goal.Theta, cmd.Name))
		case robot.Pause:
			lines = append(lines, "pause: "+cmd.Reason)
		case robot.Resume:
			lines = append(lines, "resume")
		case robot.Cancel:
			lines = append(lines, "cancel: "+cmd.Reason)
		case robot.GoAround:
			lines = append(lines, "go around")
		case robot.SetPose:
			lines = append(lines, fmt.Sprintf("set pose %g %g %g", cmd.Pose.X, cmd.Pose.Y, cmd.Pose.Theta))
		case robot.RunJob, robot.ChangeRun, robot.PauseRun, robot.ResumeRun, robot.SkipStep, robot.RetryStep, robot.EndRun, robot.OK, robot.Spoken, robot.Look, robot.MoveJoints:
			lines = append(lines, strings.TrimPrefix(fmt.Sprintf("%T %+v", cmd, cmd), "robot."))
		case robot.StartUnit:
			lines = append(lines, fmt.Sprintf("start %s, held %v", cmd.Unit, cmd.Held))
		case robot.HoldUnits:
			lines = append(lines, strings.TrimSuffix(fmt.Sprintf("HoldUnits {Unit:%s Reason:%s}, handover %v", cmd.Unit, cmd.Reason, cmd.Handover), ", handover false"))
		case robot.OpenUnit, robot.CloseUnit, robot.LetStandBy, robot.ContinueUnit, robot.ResumeUnits, robot.SilenceUnit, robot.NoteUsers:
			lines = append(lines, strings.TrimPrefix(fmt.Sprintf("%T %+v", cmd, cmd), "robot."))
		default:
			lines = append(lines, fmt.Sprintf("%T", cmd))
		}
	}
	f.did = nil
	return lines
}

// fakeNames keeps names in memory, or fails with err. SetName blocks while hang is
// locked.
type fakeNames struct {
	hang sync.Mutex
	mu   sync.Mutex
	kept map[string]string
	err  error
}

func (n *fakeNames) NameOf(browser string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.kept[browser]
}

func (n *fakeNames) SetName(browser, name string) error {
	for !n.hang.TryLock() {
		time.Sleep(time.Millisecond)
	}
	defer n.hang.Unlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		return n.err
	}
	if n.kept == nil {
		n.kept = map[string]string{}
	}
	n.kept[browser] = name
	return nil
}

var testDescription = robot.Description{
	Name:       "Mybot",
	Body:       robot.Body{Length: 0.52, Width: 0.45},
	Drivetrain: robot.Drivetrain{AxleOffset: 0.08},
	Safe:       robot.Limit{Linear: 0.5, Angular: math.Pi / 4, LinearAcceleration: 0.52, AngularAcceleration: math.Pi / 2},
	Sonars:     []robot.Sonar{{Pose: robot.Pose{X: 0.2}, Beam: 0.3491, Max: 5}},
}

func testConfig(r Robot) Config {
	return Config{
		Robot: r, Description: testDescription, Place: "3rd floor, KAIST EE", Build: "0.1.0", Simulator: true,
		Log: slog.New(slog.DiscardHandler),
	}
}

// A table is a hub whose goroutine is the test, which sets the time.
type table struct {
	t     testing.TB
	hub   *Hub
	robot *fakeRobot
	now   time.Time
}

func newTable(t testing.TB) *table {
	f := &fakeRobot{}
	h := NewHub(testConfig(f))
	h.start = time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	h.coordinator.start = h.start
	return &table{t: t, hub: h, robot: f, now: h.start}
}

// pass advances the time by d. All work due by then is done at its deadline.
func (tb *table) pass(d time.Duration) {
	end := tb.now.Add(d)
	tb.hub.step(tb.now)
	for {
		at, ok := tb.hub.nextDeadline()
		if !ok || at.After(end) {
			break
		}
		if !at.After(tb.now) {
			at = tb.now
		}
		tb.now = at
		tb.hub.step(at)
		if again, ok := tb.hub.nextDeadline(); ok && !again.After(at) {
			tb.t.Fatalf("work at %v left something due at %v", at, again)
		}
	}
	tb.now = end
	tb.hub.step(end)
}

// A page is a browser's page at the table, with what it has learned from its
// frames.
type page struct {
	*table
	user        *User
	browser     string
	you         int
	lease, hold uint64
	holder      int
	seq         int
	news        map[string]any // the last lease event that keep read
}

// connect adds a page that has not said hello.
func (tb *table) connect(browser string) *page {
	tb.t.Helper()
	return tb.connectAs(Identity{Browser: browser, Role: Operator})
}

func (tb *table) connectAs(id Identity) *page {
	tb.t.Helper()
	u, err := tb.hub.joinAt(id, tb.now)
	if err != nil {
		tb.t.Fatal(err)
	}
	return &page{table: tb, user: u, browser: id.Browser}
}

// stand publishes a state in which the robot stands.
func (tb *table) stand() {
	tb.t.Helper()
	tb.hub.coordinator.ordersPending = false
	tb.hub.coordinator.observeState(robot.State{Battery: robot.Battery{Charge: 1}}, false)
	tb.hub.step(tb.now)
}

// join adds a page that says hello; its browser has the user's name.
func (tb *table) join(name string) *page {
	tb.t.Helper()
	return tb.joinAs(name, Operator)
}

func (tb *table) joinAs(name string, role Role) *page {
	tb.t.Helper()
	p := tb.connectAs(Identity{Browser: name, Role: role})
	p.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":%q,"build":"0.1.0"}`, name)
	p.hear()
	return p
}

// say sends a frame and lets the hub handle it.
func (p *page) say(format string, args ...any) {
	p.user.receiveAt(fmt.Appendf(nil, format, args...), p.now)
	p.hub.step(p.now)
}

// press sends a drive sample with the newest numbers that the page has received.
func (p *page) press(v, w float64) {
	p.seq++
	p.say(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":1,"v":%g,"w":%g,"valid":0.25}`, p.lease, p.hold, p.seq, v, w)
}

// frames returns the frames queued for the page, and states as long as it has
// credit.
func (p *page) frames() [][]byte {
	var frames [][]byte
	for {
		frame, _, ok := p.user.out.takeFrame(p.hub.start)
		if !ok || frame == nil {
			return frames
		}
		frames = append(frames, frame)
	}
}

// hear takes the frames queued for the page and learns its numbers from them.
func (p *page) hear() []map[string]any {
	p.t.Helper()
	var heard []map[string]any
	for _, frame := range p.frames() {
		var m map[string]any
		if err := json.Unmarshal(frame, &m); err != nil {
			p.t.Fatalf("the hub sent %s: %v", frame, err)
		}
		heard = append(heard, m)
		lease := m
		switch {
		case m["type"] == "welcome":
			p.you = int(m["you"].(float64))
			p.hold = uint64(m["hold"].(float64))
			lease = m["lease"].(map[string]any)
		case m["type"] == "hold":
			p.hold = uint64(m["hold"].(float64))
			continue
		case m["kind"] == "lease":
		default:
			continue
		}
		p.lease = uint64(lease["epoch"].(float64))
		p.holder = 0
		if id, ok := lease["holder"].(float64); ok {
			p.holder = int(id)
		}
	}
	return heard
}

// results returns the results among the queued frames, as "WORD reason".
func (p *page) results() []string {
	p.t.Helper()
	var lines []string
	for _, m := range p.hear() {
		if m["type"] == "result" {
			lines = append(lines, strings.TrimSpace(fmt.Sprint(m["word"], " ", m["reason"])))
		}
	}
	return lines
}

// bye returns the last frame's reason and whether the page may come back.
func (p *page) bye() (reason string, again bool) {
	p.t.Helper()
	for _, m := range p.hear() {
		if m["type"] == "bye" {
			return m["reason"].(string), m["again"].(bool)
		}
	}
	p.t.Fatal("the hub said no bye")
	return "", false
}

func kinds(heard []map[string]any) string {
	var b bytes.Buffer
	for _, m := range heard {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m["type"].(string))
		if kind, ok := m["kind"].(string); ok {
			b.WriteString(":" + kind)
		}
	}
	return b.String()
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var errDisk = errors.New("no space left on device")
