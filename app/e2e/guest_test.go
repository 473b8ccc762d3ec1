package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nhooyr.io/websocket" // the page's side of handlers/websocket.go

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models"
	"mybot/robot/models/modelstest"
	"mybot/session/protocol"
)

// patience is the longest time that a test waits for an event.
const patience = 40 * time.Second

// A testServer is a running robot server: the whole program without its flags.
type testServer struct {
	t        *testing.T
	addr     string
	driver   *sim.Driver
	plan     *robot.Floorplan
	released chan struct{} // closed when the server has closed the driver
	cancel   context.CancelFunc
	ended    chan error
	moved    atomic.Int64 // when the robot last moved in truth, ns since 1970
}

// wheels is the simulator's driver; it reports when the server closes it.
type wheels struct {
	*sim.Driver
	release func()
}

func (w *wheels) Close() error {
	defer w.release()
	return w.Driver.Close()
}

// tablesIn names the folder with the tables computed from the office, which all tests and their
// server processes share. surveyed computes them once: a server computes them in the background
// and gives up when it ends, so each test would start again.
const tablesIn = "MYBOT_TABLES"

var surveyed sync.Once

// office returns the built-in robot and floor with what the simulator adds.
func office(t *testing.T) (robot.Description, *robot.Floorplan, sim.Scene) {
	t.Helper()
	desc := modelstest.Mybot(t)
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	scene, err := sim.ReadScene(maps.Office(), "scene.json")
	if err != nil {
		t.Fatal(err)
	}
	return desc, plan, scene
}

// open starts a server with the simulated office, without people.
func open(t *testing.T, change ...func(*app.Config)) *testServer {
	t.Helper()
	return openScene(t, func(s *sim.Scene) { s.People = nil }, change...)
}

// openScene starts a server with the simulated office, changed by set.
func openScene(t *testing.T, set func(*sim.Scene), change ...func(*app.Config)) *testServer {
	t.Helper()
	return openAt(t, "127.0.0.1:0", set, change...)
}

// openAt starts a server that others may reach.
func openAt(t *testing.T, addr string, set func(*sim.Scene), change ...func(*app.Config)) *testServer {
	t.Helper()
	desc, _, _ := office(t)
	return openRobot(t, desc, addr, set, change...)
}

// openRobot starts a server with another robot.
func openRobot(t *testing.T, desc robot.Description, addr string, set func(*sim.Scene), change ...func(*app.Config)) *testServer {
	t.Helper()
	_, plan, scene := office(t)
	set(&scene)
	return openBuilding(t, desc, plan, scene, addr, change...)
}

// openBuilding starts a server with a robot in another building.
func openBuilding(t *testing.T, desc robot.Description, plan *robot.Floorplan, scene sim.Scene, addr string, change ...func(*app.Config)) *testServer {
	t.Helper()
	return openBehind(t, desc, plan, scene, addr, func(d robot.Driver) robot.Driver {
		description, by := describeBuiltIn(t, desc), os.Getenv(onLine)
		switch {
		case by == "" || description == nil:
			return d
		case by == "tcp":
			return putOnLine(t, d, description, func(at string) string { return "tcp:" + at })
		case by == "exec":
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			return putOnLine(t, d, description, func(at string) string { return fmt.Sprintf("exec:env %s=%s %s", asCable, at, program) })
		}
		t.Fatalf("%s is %q; it must be tcp or exec", onLine, by)
		return nil
	}, change...)
}

// onLine names the variable that makes the robots of all tests bases on a line, tcp or exec:
// MYBOT_TEST_LINE=tcp go test ./app/e2e. Their watchdogs and sensors are the same, so people
// can do the same. ./test long runs the tests of driving, goals and jobs in this way.
const onLine = "MYBOT_TEST_LINE"

// asCable names the variable that makes the program of these tests the child of an exec
// address: it connects its standard input and output to the base at the address in the
// variable.
const asCable = "MYBOT_TEST_CABLE"

func serveAsCable(at string) (code int) {
	base, err := net.Dial("tcp", at)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		_, _ = io.Copy(base, os.Stdin)
		_ = base.Close() // the line ends with the input
	}()
	_, _ = io.Copy(os.Stdout, base)
	return 0
}

// describeBuiltIn returns the description file of a built-in robot; nil = it is another robot.
func describeBuiltIn(t *testing.T, desc robot.Description) []byte {
	t.Helper()
	for _, name := range models.Names() {
		data, _ := models.Find(name)
		if d, err := robot.ParseDescription(data); err == nil && reflect.DeepEqual(d, desc) {
			return data
		}
	}
	return nil
}

// openBehind starts a server that drives the simulated robot by another driver.
func openBehind(t *testing.T, desc robot.Description, plan *robot.Floorplan, scene sim.Scene, addr string, behind func(robot.Driver) robot.Driver, change ...func(*app.Config)) *testServer {
	t.Helper()
	mybot, offices, _ := office(t)
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	tables := app.Tables(os.Getenv(tablesIn))
	surveyed.Do(func() { _, err = localization.NewTable(context.Background(), offices, mybot, tables) })
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	world := sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1})
	h := &testServer{t: t, addr: ln.Addr().String(), plan: plan, ended: make(chan error, 1), released: make(chan struct{})}
	world.WatchSpeed(func(at time.Time, speed robot.Twist) {
		if !still(sim.Truth{Twist: speed}) {
			h.moved.Store(at.UnixNano())
		}
	})
	driver := sim.NewDriver(world)
	cfg := app.Config{
		Plan: plan, Start: scene.Start, Build: "test", Simulator: true, Ready: func() { close(ready) },
		World: app.World{Driver: driver}, Tables: tables,
	}
	for _, c := range change {
		c(&cfg)
	}
	if at, ok := app.LoadPose(cfg.DataDir, plan); ok { // the robot stands where it was
		if err := driver.CarryRobot(at); err != nil {
			t.Fatal(err)
		}
	}
	h.driver = driver
	h.start(ln, behind(&wheels{Driver: h.driver, release: sync.OnceFunc(func() { close(h.released) })}), cfg, ready)
	return h
}

// start starts the server and waits until it is ready.
func (h *testServer) start(ln net.Listener, driver robot.Driver, cfg app.Config, ready <-chan struct{}) {
	t := h.t
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background()) // not the test's context, which ends before its guests have left
	h.cancel = cancel
	said := &logTail{}
	go func() { h.ended <- app.Serve(ctx, ln, driver, cfg, slog.New(slog.NewTextHandler(said, nil))) }()
	t.Cleanup(func() {
		h.close()
		if t.Failed() {
			t.Logf("the server at %s says last:\n%s", h.addr, said.last())
		}
		// Package testing keeps the cleanups of all parallel tests, and what they hold, to its end.
		h.driver, h.plan = nil, nil
	})
	select {
	case <-ready:
	case err := <-h.ended:
		h.ended <- err
		t.Fatalf("the server did not start: %v", err)
	}
}

// A logTail stores the end of a server's log.
type logTail struct {
	mu   sync.Mutex
	text []byte
}

// longest is the stored size of a log, in bytes.
const longest = 8 << 10

func (n *logTail) Write(line []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text = append(n.text, line...)
	if over := len(n.text) - longest; over > 0 {
		n.text = slices.Delete(n.text, 0, over)
	}
	return len(line), nil
}

func (n *logTail) last() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return string(n.text)
}

// close shuts the server down and returns how long that took. It may be called again.
func (h *testServer) close() time.Duration {
	h.t.Helper()
	begin := time.Now()
	h.cancel()
	select {
	case err := <-h.ended:
		if err != nil {
			h.t.Errorf("the server ended with: %v", err)
		}
		h.ended <- nil
	case <-time.After(patience):
		h.t.Error("the server does not end")
	}
	return time.Since(begin)
}

// cookie opens the page in a new browser and returns its cookie.
func (h *testServer) cookie() string {
	h.t.Helper()
	r, err := http.Get("http://" + h.addr + "/")
	if err != nil {
		h.t.Fatal(err)
	}
	defer r.Body.Close() // it was only read
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		h.t.Fatal(err)
	}
	for _, c := range r.Cookies() {
		if c.Name == "mybot" {
			return c.Value
		}
	}
	h.t.Fatal("the page has set no cookie")
	return ""
}

// A message is any frame from the robot, with the fields that the tests need.
type message struct {
	Type   string     `json:"type"`
	Kind   string     `json:"kind"`
	You    int        `json:"you"`
	Hold   uint64     `json:"hold"`
	Reason string     `json:"reason"`
	N      uint64     `json:"n"`
	T      float64    `json:"t"`
	ID     uint64     `json:"id"`
	Seq    uint64     `json:"seq"`
	Word   robot.Word `json:"word"`
	Mode   robot.Mode `json:"mode"`
	Pose   [3]float64 `json:"pose"`
	Twist  [2]float64 `json:"twist"`
	Trust  string     `json:"trust"`
	Guard  struct {
		Active bool `json:"active"`
	} `json:"guard"`
	Nearest struct {
		Distance *float64 `json:"distance"`
	} `json:"nearest"`
	Sources struct {
		Sonars int `json:"sonars"`
	} `json:"sources"`
	Stop    *stopped        `json:"stop"`
	Stopped bool            `json:"stopped"`
	Lease   json.RawMessage `json:"lease"`
	Epoch   uint64          `json:"epoch"`
	Holder  *int            `json:"holder"`
	Back    *struct {
		Control bool `json:"control"`
	} `json:"back"`
	Run json.RawMessage `json:"run"` // a number in a result, an object in an event
	Job *struct {
		Run   uint64         `json:"run"`
		Phase robot.RunPhase `json:"phase"`
		Step  int            `json:"step"`
	} `json:"job"`
	Message *struct {
		Text string `json:"text"`
	} `json:"message"`
	Goal *struct {
		Phase robot.GoalPhase `json:"phase"`
		Word  robot.Word      `json:"word"`
	} `json:"goal"`
	Base *struct {
		Up       bool   `json:"up"`
		Why      string `json:"why"`
		Restarts int    `json:"restarts"`
	} `json:"base"`
	Loans   []protocol.Loan `json:"loans"`
	Again   bool            `json:"again"`
	Answer  string          `json:"answer"`
	Profile string          `json:"profile"`

	frame []byte // the whole frame
}

type stopped struct {
	By string `json:"by"`
	ID int    `json:"id"`
}

// A guest is a simulated page: a browser's cookie, a tab and a WebSocket.
type guest struct {
	t      *testing.T
	conn   *websocket.Conn
	you    int
	epoch  uint64
	holder int // 0 = none
	hold   uint64
	seq    uint64
	id     uint64
	back   bool // it was connected before
	kept   bool // and still has control
}

// dial opens a WebSocket at addr like the page.
func dial(ctx context.Context, addr, cookie string, change ...func(http.Header)) (*websocket.Conn, *http.Response, error) {
	header := http.Header{"Cookie": {"mybot=" + cookie}, "Origin": {"http://" + addr}}
	for _, c := range change {
		c(header)
	}
	at := url.URL{Scheme: "ws", Host: addr, Path: "/ws"}
	conn, r, err := websocket.Dial(ctx, at.String(), &websocket.DialOptions{HTTPHeader: header, Subprotocols: []string{protocol.Protocol}})
	if err == nil {
		conn.SetReadLimit(1 << 20)
	}
	return conn, r, err
}

// enter connects a guest with a name through addr, and waits for the robot's welcome.
func enter(t *testing.T, addr, cookie, name string) *guest {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := dial(ctx, addr, cookie)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	g := &guest{t: t, conn: conn}
	g.sendMessage(protocol.Hello{Protocol: protocol.Protocol, Tab: "tab-of-" + name, Name: name, Build: "test"})
	g.until("a welcome", func(m message) bool { return m.Type == "welcome" })
	return g
}

// enter connects a new browser.
func (h *testServer) enter(name string) *guest {
	h.t.Helper()
	return enter(h.t, h.addr, h.cookie(), name)
}

// sendMessage sends a message of the protocol.
func (g *guest) sendMessage(m protocol.Message) {
	g.t.Helper()
	g.sendText(string(protocol.Encode(m)))
}

// send sends any fields, including those that a page would not send.
func (g *guest) send(v map[string]any) {
	g.t.Helper()
	frame, err := json.Marshal(v)
	if err != nil {
		g.t.Fatal(err)
	}
	g.sendText(string(frame))
}

func (g *guest) sendText(frame string) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	if err := g.conn.Write(ctx, websocket.MessageText, []byte(frame)); err != nil {
		g.t.Fatal(err)
	}
}

// next reads one frame, like the page: it stores lease and hold, and acknowledges states.
func (g *guest) next(ctx context.Context) (message, error) {
	_, frame, err := g.conn.Read(ctx)
	if err != nil {
		return message{}, err
	}
	var m message
	if err := json.Unmarshal(frame, &m); err != nil {
		return m, err
	}
	m.frame = frame
	switch {
	case m.Type == "welcome":
		var lease protocol.Lease
		if err := json.Unmarshal(m.Lease, &lease); err != nil {
			return m, err
		}
		g.you, g.hold, g.epoch, g.back = m.You, m.Hold, lease.Epoch, m.Back != nil
		g.kept = m.Back != nil && m.Back.Control
		g.holds(lease.Holder)
	case m.Type == "hold":
		g.hold = m.Hold
	case m.Type == "event" && m.Kind == "lease":
		g.epoch = m.Epoch
		g.holds(m.Holder)
	case m.Type == "state":
		if err := g.conn.Write(ctx, websocket.MessageText, protocol.Encode(protocol.Ack{N: m.N})); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (g *guest) holds(id *int) {
	g.holder = 0
	if id != nil {
		g.holder = *id
	}
}

// until reads frames until ok accepts one.
func (g *guest) until(what string, ok func(message) bool) message {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	for {
		m, err := g.next(ctx)
		if err != nil {
			g.t.Fatalf("waiting for %s: %v", what, err)
		}
		if ok(m) {
			return m
		}
	}
}

// reads makes the guest read on while the test does something else: a guest that reads nothing
// for some seconds answers no pings and is disconnected. The guest is the test's again when
// stop returns.
func (g *guest) reads() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	reading.Go(func() {
		for ctx.Err() == nil {
			// Cancelling a read would close the connection, but a state arrives soon.
			if _, err := g.next(context.Background()); err != nil {
				return
			}
		}
	})
	stop = func() {
		cancel()
		reading.Wait()
	}
	g.t.Cleanup(func() {
		_ = g.conn.CloseNow()
		stop()
	})
	return stop
}

// ask sends a command and returns its result.
func (g *guest) ask(command map[string]any) message {
	g.t.Helper()
	g.id++
	id := g.id
	command["id"] = id
	g.send(command)
	return g.until("the result of "+command["type"].(string), func(m message) bool { return m.Type == "result" && m.ID == id })
}

// push sends one drive sample.
func (g *guest) push(v, w float64) {
	g.t.Helper()
	g.seq++
	g.sendMessage(protocol.Drive{Lease: g.epoch, DriveEpoch: g.hold, Seq: g.seq, T: float64(g.seq) / 20, V: v, W: w, Valid: protocol.MaxValid})
}

// drive presses, beginning with a neutral sample, and holds until a state satisfies ok. It
// answers each state with a new sample. If a busy machine causes a HOLD, it presses again.
func (g *guest) drive(v, w float64, ok func(message) bool) message {
	g.t.Helper()
	press := func() {
		g.push(0, 0)
		g.push(v, w)
	}
	press()
	return g.until("the robot to drive", func(m message) bool {
		switch {
		case m.Type == "hold", m.Type == "result" && m.Seq > 0 && m.Word != robot.Panic:
			press()
		case m.Type != "state":
		case ok(m):
			return true
		default:
			g.push(v, w)
		}
		return false
	})
}

// letGo sends the neutral samples of a release.
func (g *guest) letGo() {
	g.t.Helper()
	for range 3 {
		g.push(0, 0)
	}
}

// awaitStandstill waits until the robot reports that it stands.
func (g *guest) awaitStandstill() message {
	g.t.Helper()
	return g.until("standstill", func(m message) bool { return m.Type == "state" && standing(m) })
}

func standing(m message) bool {
	return m.Twist[0] < 0.01 && m.Twist[0] > -0.01 && m.Twist[1] < 0.02 && m.Twist[1] > -0.02
}

func moving(m message) bool { return m.Twist[0] > 0.1 }

// closing reads until the connection ends and returns the WebSocket's status.
func (g *guest) closing() (websocket.StatusCode, []message) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	var last []message
	for {
		m, err := g.next(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			g.t.Fatal("the connection is still open")
		}
		if err != nil {
			return websocket.CloseStatus(err), last
		}
		last = append(last, m)
	}
}
