package handlers

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-chi/chi/v5"

	"mybot/robot"
	"mybot/session"
	"mybot/static"
)

// A vouch is a certificate authority with a fixed text and fingerprint.
type vouch struct{}

func (vouch) PEM() []byte         { return []byte("-----BEGIN CERTIFICATE-----") }
func (vouch) Fingerprint() string { return "AB:CD" }

// A row is a route's answer to each role, for a request that is otherwise valid.
type row struct {
	stranger, observer, operator, admin int
}

// matrix has a row for every route. Its numbers are written by hand: adding a route
// means deciding here who may use it.
var matrix = map[string]row{
	"GET /pair":           {200, 200, 200, 200},
	"POST /pair":          {415, 415, 415, 415}, // there was no form
	"GET /static/*":       {200, 200, 200, 200},
	"GET /healthz":        {200, 200, 200, 200},
	"GET /ca":             {200, 200, 200, 200},
	"GET /ca.crt":         {200, 200, 200, 200},
	"GET /":               {303, 200, 200, 200},
	"GET /map.svg":        {401, 200, 200, 200},
	"POST /whep":          {401, 403, 404, 404}, // an observer without the camera; a robot without one
	"OPTIONS /whep":       {401, 204, 204, 204},
	"PATCH /whep/{id}":    {401, 404, 404, 404},
	"DELETE /whep/{id}":   {401, 404, 404, 404},
	"POST /whip":          {401, 403, 404, 404},
	"OPTIONS /whip":       {401, 403, 204, 204},
	"PATCH /whip/{id}":    {401, 403, 404, 404},
	"DELETE /whip/{id}":   {401, 403, 404, 404},
	"POST /stop":          {401, 303, 303, 303},
	"GET /metrics":        {401, 200, 200, 200},
	"GET /ws":             {401, 426, 426, 426}, // the request asked for no WebSocket
	"GET /ws/console":     {401, 403, 404, 404}, // there are no consoles
	"GET /screen":         {303, 200, 200, 200},
	"GET /screen/events":  {401, 406, 406, 406}, // the request asked for no events
	"POST /screen/ok":     {401, 403, 400, 400}, // without a message
	"POST /screen/spoken": {401, 403, 400, 400}, // without a speech
	"POST /screen/stop":   {401, 200, 200, 200},

	"DELETE /api/v1/people/{id}": {401, 403, 409, 409}, // it has stopped nothing

	"GET /api/v1/voices":     {401, 200, 200, 200},
	"GET /api/v1/speech.wav": {401, 404, 404, 404}, // there is no voice
	"GET /api/v1/state":      {401, 200, 200, 200},
	"GET /api/v1/recording":  {401, 403, 404, 404}, // nothing can be recorded
	"POST /api/v1/stop":      {401, 200, 200, 200},

	"GET /api/v1/recordings":           {401, 403, 200, 200},
	"POST /api/v1/recordings/start":    {401, 403, 403, 404},
	"POST /api/v1/recordings/end":      {401, 403, 403, 404},
	"GET /api/v1/recordings/{name}":    {401, 403, 404, 404},
	"DELETE /api/v1/recordings/{name}": {401, 403, 403, 404},

	"GET /api/v1/playback":  {401, 404, 404, 404}, // there is a robot
	"POST /api/v1/playback": {401, 403, 404, 404},

	"POST /api/v1/control":   {401, 403, 400, 400}, // without a time
	"DELETE /api/v1/control": {401, 403, 409, 409}, // the user has none
	"POST /api/v1/drive":     {401, 403, 409, 409}, // without a lease
	"POST /api/v1/halt":      {401, 403, 409, 409},
	"POST /api/v1/unstop":    {401, 403, 409, 409},
	"POST /api/v1/plan":      {401, 403, 400, 400}, // without a goal
	"POST /api/v1/goto":      {401, 403, 400, 400},
	"POST /api/v1/goal":      {401, 403, 400, 400},
	"POST /api/v1/pose":      {401, 403, 400, 400},
	"POST /api/v1/joints":    {401, 403, 400, 400},
	"GET /api/v1/queue":      {401, 200, 200, 200},
	"POST /api/v1/queue":     {401, 403, 400, 400}, // without commands
	"GET /api/v1/map":        {401, 200, 200, 200},
	"PUT /api/v1/map":        {401, 403, 400, 400}, // without a map

	"GET /api/v1/mapping":                        {401, 200, 200, 200},
	"POST /api/v1/mapping":                       {401, 403, 400, 400}, // without an action
	"GET /api/v1/mapping/draft":                  {401, 200, 200, 200},
	"POST /api/v1/mapping/draft":                 {401, 403, 400, 400}, // without an edit
	"GET /api/v1/mapping/draft/{rev}.png":        {401, 404, 404, 404}, // there is none
	"GET /api/v1/mapping/tiles/{tile}/{rev}.png": {401, 404, 404, 404}, // there is none

	"GET /api/v1/motions":     {401, 200, 200, 200},
	"POST /api/v1/motions":    {401, 403, 400, 400}, // without a motion
	"GET /api/v1/motions/{n}": {401, 404, 404, 404}, // there is none

	"GET /api/v1/scripts":                      {401, 200, 200, 200},
	"POST /api/v1/scripts":                     {401, 403, 400, 400}, // without a text
	"GET /api/v1/scripts/guide.txt":            {401, 200, 200, 200},
	"GET /api/v1/scripts/words":                {401, 200, 200, 200},
	"GET /api/v1/scripts/lines":                {401, 200, 200, 200},
	"POST /api/v1/scripts/check":               {401, 403, 400, 400}, // without a text
	"POST /api/v1/scripts/try":                 {401, 403, 400, 400}, // without a text
	"POST /api/v1/scripts/resume":              {401, 403, 409, 409}, // without a lease
	"POST /api/v1/scripts/tags/{tag}/stop":     {401, 403, 400, 400}, // {tag} is no name
	"POST /api/v1/scripts/tags/{tag}/freeze":   {401, 403, 400, 400},
	"POST /api/v1/scripts/tags/{tag}/unfreeze": {401, 403, 400, 400},
	"GET /api/v1/scripts/{id}":                 {401, 404, 404, 404}, // there is none
	"PUT /api/v1/scripts/{id}":                 {401, 403, 404, 404},
	"DELETE /api/v1/scripts/{id}":              {401, 403, 404, 404},
	"GET /api/v1/scripts/{id}/text":            {401, 404, 404, 404},
	"POST /api/v1/scripts/{id}/start":          {401, 403, 404, 404},
	"POST /api/v1/scripts/{id}/starts":         {401, 403, 404, 404}, // there is none
	"POST /api/v1/scripts/{id}/stands_by":      {401, 403, 403, 404},
	"POST /api/v1/scripts/{id}/stop":           {401, 403, 409, 409}, // it does not run

	"GET /api/v1/jobs":              {401, 200, 200, 200},
	"POST /api/v1/jobs":             {401, 403, 400, 400}, // without a job
	"GET /api/v1/jobs/{id}":         {401, 404, 404, 404}, // there is none
	"PUT /api/v1/jobs/{id}":         {401, 403, 404, 404},
	"DELETE /api/v1/jobs/{id}":      {401, 403, 404, 404},
	"POST /api/v1/jobs/check":       {401, 403, 200, 200},
	"GET /api/v1/jobs/{id}/vda5050": {401, 404, 404, 404},
	"POST /api/v1/jobs/vda5050":     {401, 403, 400, 400},
	"GET /api/v1/job.schema.json":   {401, 200, 200, 200},
	"POST /api/v1/rehearse":         {401, 403, 400, 400},
	"GET /api/v1/runs":              {401, 200, 200, 200},
	"POST /api/v1/runs":             {401, 403, 400, 400},
	"GET /api/v1/runs/{n}":          {401, 404, 404, 404},
	"POST /api/v1/runs/{n}/pause":   {401, 403, 404, 404},
	"POST /api/v1/runs/{n}/resume":  {401, 403, 404, 404},
	"POST /api/v1/runs/{n}/skip":    {401, 403, 404, 404},
	"POST /api/v1/runs/{n}/retry":   {401, 403, 404, 404},
	"POST /api/v1/runs/{n}/end":     {401, 403, 404, 404},
	"POST /api/v1/runs/{n}/ok":      {401, 403, 404, 404},
	"GET /api/v1/places":            {401, 200, 200, 200},
	"POST /api/v1/places":           {401, 403, 400, 400}, // without a pose
	"GET /api/v1/places/{name}":     {401, 404, 404, 404},
	"PUT /api/v1/places/{name}":     {401, 403, 400, 400},
	"DELETE /api/v1/places/{name}":  {401, 403, 404, 404},
	"GET /api/v1/openapi.json":      {401, 200, 200, 200},
	"GET /api":                      {401, 200, 200, 200},
	"GET /api/v1/robot":             {401, 200, 200, 200},

	"GET /api/v1/map/graph.geojson":  {401, 200, 200, 200},
	"GET /api/v1/map/places.geojson": {401, 200, 200, 200},

	"POST /api/v1/share":        {401, 403, 200, 200},
	"GET /api/v1/share/qr.svg":  {401, 403, 400, 400}, // without a link
	"GET /api/v1/users":         {401, 403, 403, 200},
	"POST /api/v1/invite":       {401, 403, 403, 200},
	"DELETE /api/v1/users/{id}": {401, 403, 403, 404}, // no user has that id
}

func TestEveryRouteLetsInTheRolesThatItShouldAndNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t, func(c *Config) {
			c.Listen = &net.TCPAddr{IP: net.IPv4(192, 168, 1, 7), Port: 8080}
			c.Hosts = []string{"Robot.local"}
			c.Authority = vouch{}
			c.Owner = strings.Repeat("o", 43)
		})
		d.hub.Publish(*d.state)
		expired := d.paired(t, session.Observer)
		time.Sleep(13 * time.Hour) // in the bubble's time
		observer, operator, admin := d.paired(t, session.Observer), d.paired(t, session.Operator), d.paired(t, session.Admin)
		revoked := d.paired(t, session.Admin)
		for _, g := range d.access.Grants(time.Now()) {
			if g.Name == "admin 2" {
				if _, err := d.access.Revoke(g.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		synctest.Wait()

		const (
			stranger = iota
			asObserver
			asOperator
			asAdmin
			refused // 403, whatever the route
		)
		bearer := func(token string) func(*http.Request) { return with("Authorization", "Bearer "+token) }
		cookie := func(token string) func(*http.Request) { return with("Cookie", "mybot="+token) }
		from := func(address string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = address } }
		here := []func(*http.Request){from("127.0.0.1:40000"), host("127.0.0.1:8080")}
		home := func(more ...func(*http.Request)) []func(*http.Request) { return append(here[:2:2], more...) }
		cells := []struct {
			name   string
			change []func(*http.Request)
			want   int
		}{
			{"nobody knows it", nil, stranger},
			{"with a token that was never given", []func(*http.Request){bearer(strings.Repeat("x", 43))}, stranger},
			{"with a cookie that was never given", []func(*http.Request){cookie(strings.Repeat("A", 43))}, stranger},
			{"with no token but the word", []func(*http.Request){with("Authorization", "Bearer")}, stranger},
			{"with a password", []func(*http.Request){with("Authorization", "Basic YW5hOmFuYQ==")}, stranger},
			{"with a token that has expired", []func(*http.Request){bearer(expired)}, stranger},
			{"with a cookie that has expired", []func(*http.Request){cookie(expired)}, stranger},
			{"with a token that was revoked", []func(*http.Request){bearer(revoked)}, stranger},
			{"with a cookie that was revoked", []func(*http.Request){cookie(revoked)}, stranger},
			{"by IPv6", []func(*http.Request){from("[2001:db8::9]:1")}, stranger},
			{"with an address that is none", []func(*http.Request){from("@")}, stranger},
			{"and says a loopback name", []func(*http.Request){host("localhost:8080")}, stranger},
			{"and says to be a loopback address", []func(*http.Request){host("localhost"), with("X-Forwarded-For", "127.0.0.1")}, stranger},

			{"as an observer", []func(*http.Request){bearer(observer)}, asObserver},
			{"as an operator", []func(*http.Request){bearer(operator)}, asOperator},
			{"as an admin", []func(*http.Request){bearer(admin)}, asAdmin},
			{"with an observer's cookie", []func(*http.Request){cookie(observer)}, asObserver},
			{"with an operator's cookie", []func(*http.Request){cookie(operator)}, asOperator},
			{"with an admin's cookie", []func(*http.Request){cookie(admin)}, asAdmin},
			{"as an operator by a name of the robot", []func(*http.Request){bearer(operator), host("robot.local:8080")}, asOperator},
			{"as who can read the robot's disk", []func(*http.Request){bearer(strings.Repeat("o", 43))}, asAdmin},

			{"at the robot's own computer", home(), asOperator},
			{"at the robot's own computer, by IPv6", []func(*http.Request){from("[::1]:4"), host("[::1]:8080")}, asOperator},
			{"at the robot's own computer, with an observer's cookie", home(cookie(observer)), asOperator},
			{"at the robot's own computer, with an admin's cookie", home(cookie(admin)), asAdmin},
			{"at the robot's own computer, with a revoked token", home(bearer(revoked)), stranger},
			{"at the robot's own computer, by a name that is not loopback", []func(*http.Request){from("127.0.0.1:4"), host("robot.local")}, stranger},
			{"through a proxy that says X-Forwarded-For", home(with("X-Forwarded-For", "203.0.113.9")), stranger},
			{"through a proxy that says a loopback address", home(with("X-Forwarded-For", "127.0.0.1")), stranger},
			{"through a proxy that says X-Forwarded-Host", home(with("X-Forwarded-Host", "localhost")), stranger},
			{"through a proxy that says X-Forwarded-Proto", home(with("X-Forwarded-Proto", "https")), stranger},
			{"through a proxy that says Forwarded", home(with("Forwarded", "for=127.0.0.1")), stranger},
			{"through a proxy that says Via", home(with("Via", "1.1 proxy")), stranger},
			{"through a proxy that says X-Real-IP", home(with("X-Real-IP", "127.0.0.1")), stranger},
			{"through a proxy with an empty header", home(with("X-Forwarded-For", "")), stranger},
			{"through a proxy, with an operator's cookie", home(with("X-Forwarded-For", "203.0.113.9"), cookie(operator)), asOperator},

			{"an admin from a page of another site", []func(*http.Request){cookie(admin), with("Origin", "http://evil.example")}, refused},
			{"an admin from a page without an origin", []func(*http.Request){cookie(admin), with("Origin", "null")}, refused},
			{"an admin from a page of another port", []func(*http.Request){cookie(admin), with("Origin", "http://192.168.1.7:9090")}, refused},
			{"an admin from a page of another scheme", []func(*http.Request){cookie(admin), with("Origin", "https://192.168.1.7:8080")}, refused},
			{"an admin from a picture on another site", []func(*http.Request){cookie(admin), with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "no-cors")}, refused},
			{"an admin from a frame on another site", []func(*http.Request){cookie(admin), with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "iframe")}, refused},
			{"an admin from another port of the same host", []func(*http.Request){cookie(admin), with("Sec-Fetch-Site", "same-site"), with("Sec-Fetch-Mode", "cors")}, refused},
			{"an admin by a name that was turned on the robot", []func(*http.Request){cookie(admin), host("evil.example")}, refused},
			{"an admin by a name that ends like the robot's", []func(*http.Request){cookie(admin), host("robot.local.evil.example")}, refused},
			{"an admin without a name", []func(*http.Request){cookie(admin), host("")}, refused},
			{"at home by a name that was turned on the robot", home(host("evil.example:8080")), refused},
			{"at home from a page of another site", home(with("Origin", "http://evil.example")), refused},
			{"at home from a page without an origin", home(with("Origin", "null")), refused},
			{"at home from a picture on another site", home(with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "no-cors")), refused},
		}

		stops, asked, seen := 0, 0, map[string]bool{}
		err := chi.Walk(d.router, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
			name := method + " " + route
			seen[name] = true
			answers, ok := matrix[name]
			if !ok {
				t.Errorf("%s has no row in the matrix: decide who may use it", name)
				return nil
			}
			path := strings.Replace(route, "/*", strings.TrimPrefix(static.Path("app.js"), "/static"), 1)
			for _, c := range cells {
				r := httptest.NewRequest(method, "http://192.168.1.7:8080"+path, nil)
				r.RemoteAddr = "192.168.1.50:40000"
				for _, change := range c.change {
					change(r)
				}
				w := httptest.NewRecorder()
				time.Sleep(time.Second) // in the bubble's time, so that no one is rate-limited
				d.ServeHTTP(w, r)
				asked++
				want := []int{answers.stranger, answers.observer, answers.operator, answers.admin, http.StatusForbidden}[c.want]
				if w.Code != want {
					t.Errorf("%s %s is answered %d, want %d: %s", name, c.name, w.Code, want, w.Body)
				}
				if strings.HasSuffix(name, "/stop") && !strings.HasPrefix(route, scriptsPath) && c.want != stranger && c.want != refused {
					stops++
				}
				hardened(t, name, w.Result(), isLoopbackName(hostOf(r.Host)))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name := range matrix {
			if !seen[name] {
				t.Errorf("the matrix has a row for %s, which is no route", name)
			}
		}
		if got := len(d.robot.stoppedBy()); got != stops || stops == 0 {
			t.Errorf("the robot was stopped %d times, want %d: once for each who may", got, stops)
		}
		if d.robot.drives != 0 {
			t.Errorf("the robot was driven %d times by nobody who has control", d.robot.drives)
		}
		t.Logf("%d requests to %d routes", asked, len(seen))
	})
}

// hardened checks the headers that every answer has. A browser obeys one of them
// only over a trusted connection.
func hardened(t *testing.T, name string, got *http.Response, trusted bool) {
	t.Helper()
	if alone := got.Header.Get("Cross-Origin-Opener-Policy") == "same-origin"; alone != trusted {
		t.Errorf("%s: Cross-Origin-Opener-Policy is there: %v, want %v", name, alone, trusted)
	}
	for header, want := range map[string]string{
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := got.Header.Get(header); got != want {
			t.Errorf("%s: %s is %q, want %q", name, header, got, want)
		}
	}
	if may := got.Header.Get("Permissions-Policy"); !strings.Contains(may, "camera=()") || !strings.Contains(may, "microphone=(self)") { // the driver talks through the robot
		t.Errorf("%s: the page may use %q", name, may)
	}
	policy := got.Header.Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'self'", "script-src 'self'", "style-src 'self'", "object-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(policy, rule) {
			t.Errorf("%s: the content security policy %q does not say %s", name, policy, rule)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("%s: the content security policy %q lets something unsafe in", name, policy)
	}
	if got.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%s: other sites may read the answer", name)
	}
}

func TestOverTLSAPageIsAloneInItsGroup(t *testing.T) {
	d := newTestServer(t, func(c *Config) { c.Hosts = []string{"robot.local"} })
	for _, secure := range []bool{true, false} {
		got := d.ask("GET", "/pair", host("robot.local"), func(r *http.Request) {
			if r.RemoteAddr = "192.168.1.50:40000"; secure {
				r.TLS = &tls.ConnectionState{}
			}
		})
		hardened(t, fmt.Sprintf("a page that came over TLS: %v", secure), got, secure)
	}
}

// paired returns a token with the role.
func (d *testServer) paired(t *testing.T, role session.Role) string {
	t.Helper()
	var code string
	var err error
	switch role {
	case session.Observer:
		code, err = d.access.Share(time.Now(), false, "")
	case session.Operator:
		code, err = d.access.PIN()
	default:
		code, err = d.access.OneTime(time.Now(), session.Admin, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := d.access.Redeem(time.Now(), "test", code, fmt.Sprintf("%s %d", role, len(d.access.Grants(time.Now()))-1))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestALinkOnAnotherSiteMayBeFollowed(t *testing.T) {
	d := newTestServer(t)
	follow := []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "document")}
	if got := d.ask("GET", "/pair?code=x", follow...); got.StatusCode != http.StatusOK {
		t.Errorf("a link is answered %s", got.Status)
	}
	for _, path := range []string{
		"/api/v1/recording", "/api/v1/recordings/mybot-2026-11-24-070000.mcap", // it begins, or is noted, by being asked for
		"/api/v1/speech.wav?text=Hello", // it is synthesized
	} {
		if got := d.ask("GET", path, append(follow, host("localhost"), func(r *http.Request) { r.RemoteAddr = "127.0.0.1:4" })...); got.StatusCode != http.StatusForbidden {
			t.Errorf("a link to %s is answered %s", path, got.Status)
		}
	}
	if got := d.ask("POST", "/stop", follow...); got.StatusCode != http.StatusForbidden {
		t.Errorf("a form on another site is answered %s", got.Status)
	}
}

func TestOnlyNamesOfThisComputerAreKnown(t *testing.T) {
	d := newTestServer(t, func(c *Config) {
		c.Listen = &net.TCPAddr{IP: net.IPv6zero, Port: 8080}
		c.Hosts = []string{"mybot", "mybot.local", "Robot.Example"}
	})
	for _, c := range []struct {
		host string
		want bool
	}{
		{"127.0.0.1:8080", true},
		{"127.0.0.1", true},
		{"127.8.9.1:80", true},
		{"localhost:8080", true},
		{"LocalHost:9000", true},
		{"[::1]:8080", true},
		{"[::1]", true},
		{"mybot:8080", true},
		{"MYBOT.local", true},
		{"mybot.local.:8080", true},
		{"robot.example", true},
		{"192.168.1.7:8080", true}, // the connection arrived there
		{"localhost.evil.example:8080", false},
		{"127.0.0.1.evil.example", false},
		{"evil.example:8080", false},
		{"mybot.evil.example", false},
		{"192.168.1.8:8080", false},
		{"0.0.0.0.example:8080", false},
		{"", false},
		{"[", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r = r.WithContext(contextWith(r, &net.TCPAddr{IP: net.IPv4(192, 168, 1, 7), Port: 8080}))
		if r.Host = c.host; d.isOwnName(r) != c.want {
			t.Errorf("the name %q is known: %v, want %v", c.host, !c.want, c.want)
		}
	}
}

func TestACommandWithAnOldLeaseMovesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newTestServer(t)
		cookie := cookieIn(t, d.ask("GET", "/")).Value
		user, err := d.hub.Join(t.Context(), session.Identity{Browser: browserOf(cookie), Role: session.Operator})
		if err != nil {
			t.Fatal(err)
		}
		defer user.Leave()
		user.Receive([]byte(`{"type":"hello","protocol":"mybot.v1","tab":"x","name":"Ana","build":"test"}`))
		synctest.Wait()
		d.hub.Publish(robot.State{Time: time.Now(), Mode: robot.ModeReady})
		time.Sleep(time.Second)
		lease, hold := d.hub.Stats().Epoch, d.hub.Stats().DriveEpoch
		drive := func(lease, hold, seq uint64, v float64, change ...func(*http.Request)) *http.Response {
			body := fmt.Sprintf(`{"lease":%d,"hold":%d,"seq":%d,"v":%g,"w":0,"valid":0.25}`, lease, hold, seq, v)
			return d.ask("POST", "/api/v1/drive", append(change, func(r *http.Request) {
				r.Body = http.NoBody
				*r = *httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/api/v1/drive", strings.NewReader(body))
				r.RemoteAddr = "127.0.0.1:50000"
				r.Header.Set("Cookie", "mybot="+cookie)
			})...)
		}
		for _, c := range []struct {
			name        string
			lease, hold uint64
		}{{"an old lease", lease - 1, hold}, {"a lease to come", lease + 1, hold}, {"an old hold number", lease, hold - 1}, {"no press from neutral", lease, hold}} {
			if got := drive(c.lease, c.hold, 1, 0.3); got.StatusCode != http.StatusConflict || d.robot.drives != 0 {
				t.Errorf("with %s the answer is %s and the robot was driven %d times: %s", c.name, got.Status, d.robot.drives, text(t, got))
			}
		}
		if got := drive(lease, hold, 2, 0); got.StatusCode != http.StatusOK {
			t.Fatalf("a neutral sample of the holder is answered %s: %s", got.Status, text(t, got))
		}
		if got := drive(lease, hold, 3, 0.3); got.StatusCode != http.StatusOK || d.robot.drives != 1 {
			t.Errorf("a sample of the holder is answered %s, and the robot was driven %d times: %s", got.Status, d.robot.drives, text(t, got))
		}
	})
}
