package handlers

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robot/models/modelstest"
	"mybot/script/library"
	"mybot/session"
	"mybot/session/access"
	"mybot/session/protocol"
	"mybot/static"
)

// A still robot records who stops it and how often it is driven, and does nothing
// else.
type still struct {
	mu     sync.Mutex
	stops  []string
	drives int
	did    []string // the other commands, by type
	last   robot.Command
	route  *robot.Route // that it finds
}

func (s *still) Do(_ context.Context, cmd robot.Command) robot.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch cmd := cmd.(type) {
	case robot.Drive:
		if cmd.Twist != (robot.Twist{}) {
			s.drives++
		}
	case robot.Plan, robot.GoTo:
		s.did = append(s.did, fmt.Sprintf("%T", cmd))
		return robot.Result{Word: robot.Success, Route: s.route}
	default:
		s.did, s.last = append(s.did, fmt.Sprintf("%T", cmd)), cmd
	}
	return robot.Result{Word: robot.Success}
}

func (s *still) Stop(by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stops = append(s.stops, by)
}

func (s *still) stoppedBy() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.stops...)
}

// A testServer is a Handler over a robot that does not move. Tests change its state
// before a request.
type testServer struct {
	*Handler
	robot   *still
	hub     *session.Hub
	access  *access.Authenticator
	audit   *notes
	jobs    *cabinet
	maker   cartographer
	healthy bool
	state   *robot.State
}

func newTestServer(t *testing.T, change ...func(*Config)) *testServer {
	t.Helper()
	desc := modelstest.Mybot(t)
	plan, err := floorplan.Load(maps.Office())
	if err != nil {
		t.Fatal(err)
	}
	d := &testServer{robot: &still{}, audit: &notes{}, jobs: newCabinet(), healthy: true, state: &robot.State{Time: time.Now(), Mode: robot.ModeReady}}
	log := slog.New(slog.DiscardHandler)
	if d.access, err = access.NewAuthenticator(noGrants{}); err != nil {
		t.Fatal(err)
	}
	hub := session.NewHub(session.Config{Robot: d.robot, Description: desc, Place: plan.Name, Build: "test", Simulator: true, Jobs: d.jobs, Log: log})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	d.hub = hub
	hub.ShowMapping(protocol.MappingEvent{State: "map", Can: []string{"start"}, Open: [][]protocol.Number{}, Trail: [][]protocol.Number{}, Tiles: []protocol.MapTile{}}, "")
	scripts, err := library.Open(&scriptShelf{}, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Scripts: ScriptConfig{Library: scripts},
		Hub:     hub, Access: d.access, Audit: d.audit, Jobs: d.jobs, Mapping: &d.maker, Plan: plan, Description: desc, Build: "test",
		Listen:  &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080},
		Healthy: func() bool { return d.healthy },
		State: func() (robot.State, bool) {
			if d.state == nil {
				return robot.State{}, false
			}
			return *d.state, true
		},
		Log: log,
	}
	for _, c := range change {
		c(&cfg)
	}
	if d.Handler, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the hub ended with %v", err)
		}
	})
	return d
}

// notes is an audit log in memory.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) AppendEntry(_ time.Time, kind, who, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, kind+" "+who+": "+text)
}

func (n *notes) all() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}

// noGrants is a store that keeps nothing over a restart; the tests of the handlers
// do not restart.
type noGrants struct{}

func (noGrants) Grants() ([]access.Grant, error) { return nil, nil }
func (noGrants) PutGrant(access.Grant) error     { return nil }
func (noGrants) DeleteGrant(string) error        { return nil }

// ask sends a request as a browser at the robot would.
func (d *testServer) ask(method, path string, change ...func(*http.Request)) *http.Response {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, nil)
	r.RemoteAddr = "127.0.0.1:50000"
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result()
}

func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) {
	return func(r *http.Request) { r.Host = name }
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestThePageComesWithACookieOfItsOwn(t *testing.T) {
	d := newTestServer(t)
	page := d.ask("GET", "/")
	if page.StatusCode != http.StatusOK || page.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("the page is answered %s as %s", page.Status, page.Header.Get("Content-Type"))
	}
	if got := page.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control is %q, want no-store", got)
	}
	body := text(t, page)
	for _, want := range []string{`id="floorplan"`, `"walls":`, static.Path("app.js"), `action="/stop"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	first := cookieIn(t, page)
	if !first.HttpOnly || first.SameSite != http.SameSiteStrictMode || first.Path != "/" || len(first.Value) != 43 {
		t.Errorf("the cookie is %v", first)
	}
	if second := cookieIn(t, d.ask("GET", "/")); second.Value == first.Value {
		t.Error("two browsers get the same cookie")
	}
	if again := cookieIn(t, d.ask("GET", "/", with("Cookie", "mybot="+first.Value))); again.Value != first.Value {
		t.Error("a browser that has a cookie gets another one")
	}
	if fresh := cookieIn(t, d.ask("GET", "/", with("Cookie", "mybot=mine"))); fresh.Value == "mine" {
		t.Error("a cookie that somebody made up is kept")
	}
}

func cookieIn(t *testing.T, r *http.Response) *http.Cookie {
	t.Helper()
	for _, c := range r.Cookies() {
		if c.Name == "mybot" {
			return c
		}
	}
	t.Fatal("no cookie came")
	return nil
}

func TestThePageIsWrittenBeforeTheRobotHasSaidAnything(t *testing.T) {
	d := newTestServer(t)
	d.state = nil
	if got := d.ask("GET", "/"); got.StatusCode != http.StatusOK {
		t.Errorf("the page is answered %s", got.Status)
	}
	if got := text(t, d.ask("GET", "/metrics")); strings.Contains(got, "mybot_battery") {
		t.Error("the metrics tell of a battery that nobody has looked at")
	}
}

func TestABuiltFileIsKeptForEver(t *testing.T) {
	d := newTestServer(t)
	got := d.ask("GET", static.Path("app.js"))
	if got.StatusCode != http.StatusOK || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("a script is answered %s with Cache-Control %q", got.Status, got.Header.Get("Cache-Control"))
	}
	if got := d.ask("GET", "/static/../static/app.js"); got.StatusCode != http.StatusNotFound {
		t.Errorf("a file that is not there is answered %s", got.Status)
	}
}

func TestTheFloorIsAPicture(t *testing.T) {
	d := newTestServer(t)
	got := d.ask("GET", "/map.svg")
	if got.Header.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(text(t, got), "<svg ") {
		t.Errorf("the map is answered %s as %s", got.Status, got.Header.Get("Content-Type"))
	}
}

func TestAFormStopsTheRobot(t *testing.T) {
	d := newTestServer(t)
	for _, c := range []struct {
		name   string
		header [2]string
		want   int
		stops  int
	}{
		{"from the robot's own page", [2]string{"Sec-Fetch-Site", "same-origin"}, http.StatusSeeOther, 1},
		{"from a browser that does not say", [2]string{"User-Agent", "curl/8"}, http.StatusSeeOther, 2},
		{"not from a page of another site", [2]string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden, 2},
		{"not from another port of this computer", [2]string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden, 2},
		{"not from an old browser at another site", [2]string{"Origin", "http://evil.example"}, http.StatusForbidden, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := d.ask("POST", "/stop", with(c.header[0], c.header[1])); got.StatusCode != c.want {
				t.Errorf("the answer is %s, want %d", got.Status, c.want)
			}
			if got := d.robot.stoppedBy(); len(got) != c.stops {
				t.Errorf("the robot was stopped %d times by now, want %d", len(got), c.stops)
			}
		})
	}
	if got := d.ask("GET", "/stop"); got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "POST" {
		t.Errorf("GET /stop is answered %s, allowing %q", got.Status, got.Header.Get("Allow"))
	}
}

func TestHealthIsThatOfTheControlLoop(t *testing.T) {
	d := newTestServer(t)
	if got := d.ask("GET", "/healthz"); got.StatusCode != http.StatusOK || text(t, got) != "ok\n" {
		t.Errorf("a robot that ticks is answered %s", got.Status)
	}
	d.healthy = false
	if got := d.ask("GET", "/healthz"); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a robot that does not tick is answered %s", got.Status)
	}
}

func TestMetricsTellOfTheRobot(t *testing.T) {
	d := newTestServer(t)
	d.state.Battery.Charge = 0.75
	d.state.Stop = &robot.StopState{By: "Jin"}
	got := text(t, d.ask("GET", "/metrics"))
	for _, want := range []string{
		"mybot_battery_charge_ratio 0.75", "mybot_stopped 1", "mybot_healthy 1", "mybot_users 0", "mybot_channels 0", `mybot_build_info{build="test"} 1`,
		"mybot_tick_jitter_seconds", "mybot_states_skipped_total", "mybot_websocket_round_trip_seconds_count 0", "go_goroutines",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the metrics do not say %s", want)
		}
	}
	if strings.Contains(got, "mybot_true_") {
		t.Error("the metrics tell the true pose to everybody")
	}
	if strings.Contains(got, "mybot_base_") {
		t.Error("the metrics tell of a line to a base where there is none")
	}
	d.state.Base = &robot.BaseLink{Up: true, Malformed: 7, Restarts: 2, RoundTrip: 1500 * time.Microsecond, Gone: []robot.LostPart{{Name: "lidar", Sees: true}}}
	got = text(t, d.ask("GET", "/metrics"))
	for _, want := range []string{
		"mybot_base_up 1", "mybot_base_malformed_lines_total 7", "mybot_base_restarts_total 2", "mybot_base_round_trip_seconds 0.0015", "mybot_base_parts_gone 1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the metrics of a robot with a base do not say %s", want)
		}
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	d := newTestServer(t)
	got := d.ask("GET", "/nothing<script>")
	if got.StatusCode != http.StatusNotFound || got.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("an unknown page is answered %s as %s", got.Status, got.Header.Get("Content-Type"))
	}
	if body := text(t, got); !strings.Contains(body, "/nothing") {
		t.Errorf("the answer %q does not name what was asked for", body)
	}
	if got := d.ask("HEAD", "/healthz"); got.StatusCode != http.StatusOK {
		t.Errorf("HEAD /healthz is answered %s", got.Status)
	}
	if got := d.ask("DELETE", "/api/v1/map"); got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "GET, HEAD, PUT" {
		t.Errorf("DELETE of the map is answered %s, allowing %q", got.Status, got.Header.Get("Allow"))
	}
	if got := d.ask("DELETE", "/"); got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("DELETE / is answered %s, allowing %q", got.Status, got.Header.Get("Allow"))
	}
}
