package e2e_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nhooyr.io/websocket" // the page's side of handlers/websocket.go

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/store/audit"
)

// invited returns a server that people can reach from other computers, and its terminal output.
func invited(t *testing.T, change ...func(*app.Config)) (*testServer, app.Invitation) {
	t.Helper()
	shown := make(chan app.Invitation, 1)
	h := open(t, append(change, func(c *app.Config) { c.Invite = func(i app.Invitation) { shown <- i } })...)
	return h, <-shown
}

// A neighbour is a browser on the network, which reaches the robot through a trusted proxy.
type neighbour struct {
	t      *testing.T
	base   string
	client *http.Client
	header http.Header
	cookie *http.Cookie
}

func (n *neighbour) ask(method, path string, form url.Values) (*http.Response, string) {
	n.t.Helper()
	r, err := http.NewRequestWithContext(n.t.Context(), method, n.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header = n.header.Clone()
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if n.cookie != nil {
		r.Header.Set("Cookie", n.cookie.Name+"="+n.cookie.Value)
	}
	answer, err := n.client.Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer answer.Body.Close() // it was only read
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	for _, c := range answer.Cookies() {
		n.cookie = c
	}
	return answer, string(body)
}

// enter connects the neighbour's page.
func (n *neighbour) enter(name string) *guest {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	header := n.header.Clone()
	header.Set("Cookie", n.cookie.Name+"="+n.cookie.Value)
	conn, _, err := websocket.Dial(ctx, n.base+"/ws", &websocket.DialOptions{HTTPHeader: header, HTTPClient: n.client, Subprotocols: []string{"mybot.v1"}})
	if err != nil {
		n.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	n.t.Cleanup(func() { _ = conn.CloseNow() })
	g := &guest{t: n.t, conn: conn}
	g.send(map[string]any{"type": "hello", "protocol": "mybot.v1", "tab": "tab-of-" + name, "build": "test"})
	g.until("a welcome", func(m message) bool { return m.Type == "welcome" })
	return g
}

func straight() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func TestThroughATrustedProxyOnePairsDrivesAndIsRevoked(t *testing.T) {
	dir := t.TempDir()
	h, shown := invited(t, func(c *app.Config) {
		c.DataDir, c.Hosts = dir, []string{"robot.example"}
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	proxied := http.Header{
		"X-Forwarded-For": {"203.0.113.9"}, "X-Forwarded-Host": {"robot.example"}, "X-Forwarded-Proto": {"https"}, "Origin": {"https://robot.example"},
	}
	ana := &neighbour{t: t, base: "http://" + h.addr, client: straight(), header: proxied}
	for path, want := range map[string]int{"/": http.StatusSeeOther, "/map.svg": http.StatusUnauthorized, "/api/v1/state": http.StatusUnauthorized, "/ws": http.StatusUnauthorized, "/metrics": http.StatusUnauthorized, "/healthz": http.StatusOK, "/pair": http.StatusOK} {
		if got, _ := ana.ask("GET", path, nil); got.StatusCode != want {
			t.Errorf("a stranger's %s was answered %s, want %d", path, got.Status, want)
		}
	}
	if got, _ := ana.ask("POST", "/stop", url.Values{}); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger's STOP was answered %s", got.Status)
	}
	if !strings.HasPrefix(shown.Link, "https://robot.example/pair?code=") {
		t.Errorf("the link is %s", shown.Link)
	}
	if got, body := ana.ask("POST", "/pair", url.Values{"code": {shown.PIN}, "name": {"Ana"}}); got.StatusCode != http.StatusSeeOther || ana.cookie == nil || !ana.cookie.Secure {
		t.Fatalf("the PIN was answered %s with %v: %s", got.Status, ana.cookie, body)
	}
	page := ana.enter("Ana")
	page.drive(0.3, 0, moving)

	key, err := app.ReadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	boss := &neighbour{t: t, base: key.URL, client: straight(), header: http.Header{"Authorization": {"Bearer " + key.Token}}}
	_, list := boss.ask("GET", "/api/v1/users", nil)
	_, rest, _ := strings.Cut(list, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	watcher := h.enter("Jin")
	if got, body := boss.ask("DELETE", "/api/v1/users/"+id, nil); got.StatusCode != http.StatusOK {
		t.Fatalf("revoking %q is answered %s: %s", id, got.Status, body)
	}
	if bye := page.until("goodbye", func(m message) bool { return m.Type == "bye" }); bye.Again || !strings.Contains(bye.Reason, "revoked") {
		t.Errorf("the revoked user receives %+v", bye)
	}
	watcher.awaitStandstill()
	if got, _ := ana.ask("GET", "/api/v1/state", nil); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("the revoked user was answered %s", got.Status)
	}
	h.close()

	file, err := os.Open(filepath.Join(dir, app.AuditFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() // it was only read
	if last, err := audit.VerifyLog(file); err != nil || last.N < 5 {
		t.Errorf("the audit log ends with %+v, %v", last, err)
	}
}

func TestAPairingOutlivesTheRobotAndThePINDoesNot(t *testing.T) {
	keep := func(dir string) func(*app.Config) {
		return func(c *app.Config) { c.DataDir, c.Hosts = dir, []string{"robot.example"} }
	}
	dir := t.TempDir()
	h, shown := invited(t, keep(dir))
	ana := &neighbour{t: t, base: "http://" + h.addr, client: straight(), header: http.Header{"X-Forwarded-For": {"203.0.113.9"}}}
	ana.ask("POST", "/pair", url.Values{"code": {shown.PIN}})
	if got, _ := ana.ask("GET", "/", nil); got.StatusCode != http.StatusOK {
		t.Fatalf("the paired user was answered %s", got.Status)
	}
	h.close()

	again, anew := invited(t, keep(dir))
	ana.base = "http://" + again.addr
	if got, _ := ana.ask("GET", "/", nil); got.StatusCode != http.StatusOK {
		t.Errorf("after a restart the paired user was answered %s", got.Status)
	}
	if shown.PIN != anew.PIN {
		if got, _ := ana.ask("POST", "/pair", url.Values{"code": {shown.PIN}}); got.StatusCode != http.StatusForbidden {
			t.Errorf("the old PIN was answered %s", got.Status)
		}
	}
}

func TestNoUserIsInvitedToARobotForThisComputerOnly(t *testing.T) {
	told := make(chan app.Invitation, 1)
	h := open(t, func(c *app.Config) { c.Invite = func(i app.Invitation) { told <- i } })
	h.close()
	if len(told) > 0 {
		t.Errorf("the terminal shows %+v", <-told)
	}
}

func TestOverTLSAPageDrivesWithTheRobotsOwnCertificate(t *testing.T) {
	h, shown := invited(t, func(c *app.Config) {
		c.DataDir, c.Hosts, c.TLS = t.TempDir(), []string{"localhost"}, app.TLS{Self: true}
	})
	careless := &neighbour{t: t, base: "https://" + h.addr, client: straight()}
	careless.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // it fetches what to trust, as a person would
	_, ca := careless.ask("GET", "/ca.crt", nil)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(ca)) {
		t.Fatal("the certificate to install is unreadable")
	}
	if _, page := careless.ask("GET", "/ca", nil); !strings.Contains(page, shown.Fingerprint) {
		t.Error("the page does not show the fingerprint that the terminal shows")
	}
	ana := &neighbour{t: t, base: "https://" + h.addr, client: straight(), header: http.Header{"Origin": {"https://" + h.addr}}}
	ana.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	if got, _ := ana.ask("GET", "/", nil); got.StatusCode != http.StatusOK || ana.cookie == nil || !ana.cookie.Secure || ana.cookie.Name != "__Host-mybot" {
		t.Fatalf("the page was answered %s with %v", got.Status, ana.cookie)
	}
	page := ana.enter("Ana")
	page.drive(0.3, 0, moving)
	if r, err := http.Get("http://" + h.addr + "/"); err == nil {
		_ = r.Body.Close()
		if r.StatusCode != http.StatusBadRequest {
			t.Errorf("plain http was answered %s", r.Status)
		}
	}
}

func TestOnTheNetworkAStrangerSeesOnlyWhereOnePairs(t *testing.T) {
	told := make(chan app.Invitation, 1)
	h := openAt(t, "0.0.0.0:0", func(s *sim.Scene) { s.People = nil }, func(c *app.Config) { c.Invite = func(i app.Invitation) { told <- i } })
	shown := <-told
	_, port, err := net.SplitHostPort(h.addr)
	if err != nil {
		t.Fatal(err)
	}
	here := &neighbour{t: t, base: "http://127.0.0.1:" + port, client: straight(), header: http.Header{}}
	if got, _ := here.ask("GET", "/map.svg", nil); got.StatusCode != http.StatusOK {
		t.Errorf("the robot's own computer was answered %s", got.Status)
	}
	for _, address := range shown.Addresses { // of this computer; the request comes from it
		ana := &neighbour{t: t, base: address, client: straight(), header: http.Header{"Origin": {address}}}
		if got, _ := ana.ask("GET", "/map.svg", nil); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("a stranger at %s was answered %s", address, got.Status)
		}
		if got, body := ana.ask("POST", "/pair", url.Values{"code": {shown.PIN}}); got.StatusCode != http.StatusSeeOther {
			t.Errorf("the PIN at %s was answered %s: %s", address, got.Status, body)
		}
		if got, _ := ana.ask("GET", "/map.svg", nil); got.StatusCode != http.StatusOK {
			t.Errorf("the paired user at %s was answered %s", address, got.Status)
		}
	}
	t.Logf("others reach it at %v", shown.Addresses)
}
