package handlers

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/session"
	"mybot/session/access"
)

// far makes the request one from the network.
func far(r *http.Request) {
	r.RemoteAddr, r.Host = "192.168.1.50:40000", "mybot.local:8080"
}

// wide is a server that listens to the network.
func wide(t *testing.T, change ...func(*Config)) *testServer {
	t.Helper()
	return newTestServer(t, append(change, func(c *Config) { c.Hosts = []string{"mybot.local"} })...)
}

// show sends a code with the form of the pairing page.
func (d *testServer) show(code, name string, change ...func(*http.Request)) *http.Response {
	return d.ask("POST", "/pair", append([]func(*http.Request){func(r *http.Request) {
		*r = *httptest.NewRequest(http.MethodPost, "http://mybot.local:8080/pair", strings.NewReader(url.Values{"code": {code}, "name": {name}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		far(r)
	}}, change...)...)
}

func TestAStrangerComesInWithThePIN(t *testing.T) {
	d := wide(t)
	pin, err := d.access.PIN()
	if err != nil {
		t.Fatal(err)
	}
	if got := d.ask("GET", "/", far); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/pair" || len(got.Cookies()) != 0 {
		t.Fatalf("a stranger is answered %s, to %q, with %v", got.Status, got.Header.Get("Location"), got.Cookies())
	}
	page := d.ask("GET", "/pair", far)
	body := text(t, page)
	if page.StatusCode != http.StatusOK || !strings.Contains(body, `action="/pair"`) || strings.Contains(body, "floorplan") || strings.Contains(body, "3rd floor") {
		t.Errorf("the pairing page is answered %s and has %d letters", page.Status, len(body))
	}
	if got := d.show("0000", "Ana"); got.StatusCode != http.StatusForbidden || len(got.Cookies()) != 0 || !strings.Contains(text(t, got), `value="Ana"`) {
		t.Errorf("a wrong PIN is answered %s with %v", got.Status, got.Cookies())
	}
	got := d.show(pin[:4]+" "+pin[4:], "Ana")
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/" {
		t.Fatalf("the PIN is answered %s: %s", got.Status, text(t, got))
	}
	c := cookieIn(t, got)
	if !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || len(c.Value) != 43 {
		t.Errorf("the cookie is %v", c)
	}
	inside := d.ask("GET", "/", far, with("Cookie", "mybot="+c.Value))
	if body := text(t, inside); inside.StatusCode != http.StatusOK || !strings.Contains(body, "floorplan") {
		t.Errorf("with the cookie the page is answered %s", inside.Status)
	}
	if again := cookieIn(t, d.ask("GET", "/", far, with("Cookie", "mybot="+c.Value))); again.Value != c.Value {
		t.Error("the page takes the pairing away")
	}
	for _, want := range []string{"refused", "Ana", "operator", "PIN"} {
		if log := d.audit.all(); !strings.Contains(log, want) {
			t.Errorf("the audit log does not say %q: %s", want, log)
		}
	}
	if strings.Contains(d.audit.all(), c.Value) || strings.Contains(d.audit.all(), pin) {
		t.Error("the audit log tells a secret")
	}
}

func TestAPlantedCookieIsReplacedAndEndsAtPairing(t *testing.T) {
	d := wide(t)
	planted := d.paired(t, session.Operator) // a stranger's own token
	pin, err := d.access.PIN()
	if err != nil {
		t.Fatal(err)
	}
	got := d.show(pin, "Ana", with("Cookie", "mybot="+planted))
	if c := cookieIn(t, got); c.Value == planted {
		t.Error("the browser keeps the cookie that was planted")
	}
	if got := d.ask("GET", "/api/v1/state", far, with("Cookie", "mybot="+planted)); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("who planted the cookie is answered %s", got.Status)
	}
	made := strings.Repeat("A", 43)
	if c := cookieIn(t, d.show(pin, "Jin", with("Cookie", "mybot="+made))); c.Value == made {
		t.Error("the browser keeps the cookie that somebody made up")
	}
}

// At the robot's own computer, pairing is refused. Another program with its host
// name, at another port, plants a cookie there and knows it.
func TestACookieThatTheRobotHasNotMadeIsReplaced(t *testing.T) {
	d := wide(t)
	page := func(cookie string) string {
		return cookieIn(t, d.ask("GET", "/", with("Cookie", "mybot="+cookie))).Value
	}
	for name, planted := range map[string]string{
		"a made-up value":       strings.Repeat("A", 43),
		"another robot's value": cookieIn(t, wide(t).ask("GET", "/")).Value,
	} {
		made := page(planted)
		if made == planted {
			t.Errorf("the browser keeps %s", name)
		}
		if page(made) != made {
			t.Error("the browser loses the cookie that the robot made")
		}
	}
	if token := d.paired(t, session.Admin); page(token) != token {
		t.Error("the page takes the pairing away")
	}
}

func TestUnderTLSTheCookieIsForTLSOnly(t *testing.T) {
	d := wide(t, func(c *Config) { c.Proxies = []netip.Prefix{netip.MustParsePrefix("192.168.1.50/32")} })
	pin, err := d.access.PIN()
	if err != nil {
		t.Fatal(err)
	}
	secure := with("X-Forwarded-Proto", "https")
	got := d.show(pin, "Ana", secure, with("Origin", "https://mybot.local:8080"))
	if len(got.Cookies()) != 1 || got.Cookies()[0].Name != "__Host-mybot" || !got.Cookies()[0].Secure {
		t.Fatalf("it is answered %s with %v", got.Status, got.Cookies())
	}
	token := got.Cookies()[0].Value
	if got := d.ask("GET", "/api/v1/share/qr.svg", far, secure, with("Cookie", "__Host-mybot="+token)); got.StatusCode != http.StatusBadRequest {
		t.Errorf("with the cookie it is answered %s", got.Status)
	}
	if got := d.ask("GET", "/map.svg", far, secure, with("Cookie", "mybot="+token)); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a cookie that plain http can set it is answered %s", got.Status)
	}
}

func TestLookingAtALinkDoesNotUseItUp(t *testing.T) {
	d := wide(t)
	code, err := d.access.OneTime(time.Now(), session.Admin, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // a messenger's preview, a scanner, the person
		got := d.ask("GET", "/pair?code="+code, far)
		if body := text(t, got); got.StatusCode != http.StatusOK || !strings.Contains(body, `value="`+code+`"`) || len(got.Cookies()) != 0 {
			t.Fatalf("the link is answered %s", got.Status)
		}
	}
	token := cookieIn(t, d.show(code, "")).Value
	if got := d.ask("GET", "/api/v1/users", far, with("Cookie", "mybot="+token)); got.StatusCode != http.StatusOK {
		t.Errorf("who came by the console's link is answered %s", got.Status)
	}
	if got := d.show(code, ""); got.StatusCode != http.StatusForbidden {
		t.Errorf("the second one is answered %s", got.Status)
	}
	if got := text(t, d.ask("GET", `/pair?code="><script>`, far)); strings.Contains(got, "<script>") {
		t.Error("a link can put a script into the page")
	}
}

func TestGuessesAreCountedByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := wide(t, func(c *Config) { c.Proxies = []netip.Prefix{netip.MustParsePrefix("192.168.1.50/32")} })
		pin, err := d.access.PIN()
		if err != nil {
			t.Fatal(err)
		}
		guesser := with("X-Forwarded-For", "127.0.0.1, 203.0.113.9")
		for range 5 {
			if got := d.show("12345678x", "", guesser); got.StatusCode != http.StatusForbidden {
				t.Fatalf("a wrong PIN is answered %s", got.Status)
			}
		}
		if got := d.show(pin, "", guesser); got.StatusCode != http.StatusTooManyRequests {
			t.Errorf("the sixth one, which is right, is answered %s", got.Status)
		}
		if got := d.show(pin, "", with("X-Forwarded-For", "203.0.113.10")); got.StatusCode != http.StatusSeeOther {
			t.Errorf("another address behind the same proxy is answered %s", got.Status)
		}
		time.Sleep(time.Minute)
		if got := d.show(pin, "", guesser); got.StatusCode != http.StatusSeeOther {
			t.Errorf("a minute later it is answered %s", got.Status)
		}
	})
}

func TestACommandLinePairsWithoutACookie(t *testing.T) {
	d := wide(t)
	pin, err := d.access.PIN()
	if err != nil {
		t.Fatal(err)
	}
	got := d.show(pin, "script", with("Accept", "application/json"))
	var answer struct{ Token, Role, ID string }
	if err := json.Unmarshal([]byte(text(t, got)), &answer); err != nil || answer.Role != "operator" || len(got.Cookies()) != 0 {
		t.Fatalf("it is answered %s: %+v, %v", got.Status, answer, err)
	}
	if got := d.ask("POST", "/api/v1/stop", far, with("Authorization", "Bearer "+answer.Token)); got.StatusCode != http.StatusOK {
		t.Errorf("its stop is answered %s", got.Status)
	}
	if by := d.robot.stoppedBy(); len(by) != 1 || by[0] != "script" {
		t.Errorf("the robot was stopped by %q", by)
	}
	if got := d.show("x", "", with("Accept", "application/json")); got.StatusCode != http.StatusForbidden || strings.Contains(text(t, got), "<") {
		t.Errorf("a wrong PIN is answered %s as HTML", got.Status)
	}
}

func TestAShareLinkMakesObservers(t *testing.T) {
	d := wide(t, func(c *Config) { c.Addresses = func() []string { return []string{"http://mybot.local:8080"} } })
	ask := func(body string, change ...func(*http.Request)) *http.Response {
		return d.ask("POST", "/api/v1/share", append([]func(*http.Request){func(r *http.Request) {
			*r = *httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/api/v1/share", strings.NewReader(body))
			r.RemoteAddr = "127.0.0.1:1"
		}}, change...)...)
	}
	for _, c := range []struct {
		body   string
		camera bool
	}{{`{"camera":true}`, true}, {`{"camera":false}`, false}, {`{}`, false}, {``, false}} {
		got := ask(c.body)
		var answer struct {
			Link    string
			Expires time.Time
		}
		if err := json.Unmarshal([]byte(text(t, got)), &answer); err != nil {
			t.Fatalf("%q is answered %s, %v", c.body, got.Status, err)
		}
		code, ok := strings.CutPrefix(answer.Link, "http://mybot.local:8080/pair?code=")
		if left := time.Until(answer.Expires); !ok || left > access.ShareLife || left < access.ShareLife-time.Minute {
			t.Errorf("the link is %s, for %v", answer.Link, left)
		}
		token := cookieIn(t, d.show(code, "")).Value
		if g, ok := d.access.Lookup(time.Now(), token); !ok || g.Role != session.Observer || g.Camera != c.camera {
			t.Errorf("%q made %+v", c.body, g)
		}
		if got := ask(`{}`, far, with("Cookie", "mybot="+token)); got.StatusCode != http.StatusForbidden {
			t.Errorf("an observer's share is answered %s", got.Status)
		}
		drawing := d.ask("GET", "/api/v1/share/qr.svg?link="+url.QueryEscape(answer.Link))
		if body := text(t, drawing); drawing.StatusCode != http.StatusOK || drawing.Header.Get("Content-Type") != "image/svg+xml" || xml.Unmarshal([]byte(body), new(struct{})) != nil {
			t.Errorf("the QR code is answered %s: %.60s", drawing.Status, body)
		}
	}
	for _, body := range []string{`{"camera":1}`, `{"other":true}`, `[]`, `{}{}`, `{"camera":true`} {
		if got := ask(body); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%.40q is answered %s", body, got.Status)
		}
	}
	for _, link := range []string{"", "http://evil.example/", "http://mybot.local:8080/pair?code=" + strings.Repeat("x", maxLink)} {
		if got := d.ask("GET", "/api/v1/share/qr.svg?link="+url.QueryEscape(link)); got.StatusCode != http.StatusBadRequest {
			t.Errorf("the QR code of %.40q is answered %s", link, got.Status)
		}
	}
}

func TestAnObserversCameraIsNotSharedByWhoHasNone(t *testing.T) {
	d := wide(t)
	r := httptest.NewRequest(http.MethodPost, "http://mybot.local:8080/api/v1/share", strings.NewReader(`{"camera":true}`))
	w := httptest.NewRecorder()
	d.withCaller(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.serveShare(w, r)
	})).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("it is answered %d: %s", w.Code, w.Body)
	}
}

func TestAnInvitationLetsOneOfItsRoleInOnce(t *testing.T) {
	d := wide(t, func(c *Config) { c.Addresses = func() []string { return nil } })
	admin := with("Authorization", "Bearer "+d.paired(t, session.Admin))
	ask := func(body string) *http.Response {
		return d.ask("POST", "/api/v1/invite", far, func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}, admin)
	}
	for body, role := range map[string]session.Role{``: session.Admin, `{"role":"admin"}`: session.Admin, `{"role":"operator"}`: session.Operator} {
		got := ask(body)
		var answer struct {
			Link    string
			Role    session.Role
			Expires time.Time
		}
		if err := json.Unmarshal([]byte(text(t, got)), &answer); err != nil {
			t.Fatalf("%q is answered %s, %v", body, got.Status, err)
		}
		code, ok := strings.CutPrefix(answer.Link, "http://mybot.local:8080/pair?code=")
		if left := time.Until(answer.Expires); !ok || answer.Role != role || left > access.OneTimeLife || left < access.OneTimeLife-time.Minute {
			t.Errorf("the link is %s, for one %s and %v", answer.Link, answer.Role, left)
		}
		token := cookieIn(t, d.show(code, "")).Value
		if g, ok := d.access.Lookup(time.Now(), token); !ok || g.Role != role {
			t.Errorf("%q made %+v", body, g)
		}
		if got := d.show(code, ""); got.StatusCode != http.StatusForbidden {
			t.Errorf("the link is taken twice: %s", got.Status)
		}
		if strings.Contains(d.audit.all(), code) {
			t.Error("the audit log tells a secret")
		}
	}
	for _, body := range []string{`{"role":"observer"}`, `{"role":"stranger"}`, `{"role":"king"}`, `{"role":3}`, `[]`} {
		if got := ask(body); got.StatusCode != http.StatusBadRequest {
			t.Errorf("%s is answered %s", body, got.Status)
		}
	}
	if want := "A link for one operator was made."; !strings.Contains(d.audit.all(), want) {
		t.Errorf("the audit log does not say %q", want)
	}
}

// A lateBody calls before when it is first read: after its request was let in.
type lateBody struct {
	io.Reader
	before func()
}

func (b *lateBody) Read(p []byte) (int, error) {
	b.before()
	return b.Reader.Read(p)
}

func TestARequestThatIsOnItsWayWhenItsUserIsRevokedMakesNoLink(t *testing.T) {
	for path, body := range map[string]string{"/api/v1/invite": `{"role":"admin"}`, "/api/v1/share": `{"camera":true}`} {
		d := wide(t)
		token := d.paired(t, session.Admin)
		mine, _ := d.access.Lookup(time.Now(), token)
		got := d.ask("POST", path, far, as(token), func(r *http.Request) {
			r.Body = io.NopCloser(&lateBody{strings.NewReader(body), func() { _, _ = d.access.Revoke(mine.ID) }})
			r.ContentLength = int64(len(body))
		})
		if says := text(t, got); got.StatusCode != http.StatusUnauthorized || !strings.Contains(says, "revoked") {
			t.Errorf("%s is answered %s: %s", path, got.Status, says)
		}
		if strings.Contains(d.audit.all(), "was made") {
			t.Errorf("%s: the audit log says %s", path, d.audit.all())
		}
	}
}

func TestUsersAreListedWithoutTheirHashes(t *testing.T) {
	d := newTestServer(t)
	admin := d.paired(t, session.Admin)
	d.paired(t, session.Operator)
	got := text(t, d.ask("GET", "/api/v1/users", with("Authorization", "Bearer "+admin)))
	if strings.Contains(got, "hash") || strings.Count(got, `"id"`) != 2 || !strings.Contains(got, `"role":"operator"`) {
		t.Errorf("the list is %s", got)
	}
}

func TestTheCertificateIsOfferedWithItsFingerprint(t *testing.T) {
	d := newTestServer(t)
	for _, path := range []string{"/ca", "/ca.crt"} {
		if got := d.ask("GET", path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s of a robot without an authority is answered %s", path, got.Status)
		}
	}
	d = newTestServer(t, func(c *Config) { c.Authority = vouch{} })
	if got := text(t, d.ask("GET", "/ca")); !strings.Contains(got, "AB:CD") || !strings.Contains(got, `href="/ca.crt"`) {
		t.Error("the page does not tell the fingerprint, or where the certificate is")
	}
	if got := d.ask("GET", "/ca.crt"); got.Header.Get("Content-Type") != "application/x-x509-ca-cert" || !strings.HasPrefix(text(t, got), "-----BEGIN") {
		t.Errorf("the certificate is answered %s as %s", got.Status, got.Header.Get("Content-Type"))
	}
}

func TestThePageIsCompressedAndSaysWhatPlainHTTPDenies(t *testing.T) {
	d := wide(t)
	operator := with("Authorization", "Bearer "+d.paired(t, session.Operator))
	got := d.ask("GET", "/", with("Accept-Encoding", "gzip"))
	const budget = (12 + 5) << 10 // of the page and of its inlined sprite
	if how, n := got.Header.Get("Content-Encoding"), len(text(t, got)); how != "gzip" || n > budget {
		t.Errorf("the page is encoded as %q in %d bytes, the budget is %d", how, n, budget)
	}
	if a, b := text(t, d.ask("GET", "/", far, operator)), text(t, d.ask("GET", "/")); len(a) == len(b) {
		t.Error("the page says the same over plain http on the network as on this computer")
	}
}

func TestWhoGuessesOnDoesNotFillTheAuditLog(t *testing.T) {
	var log strings.Builder
	d := wide(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	if _, err := d.access.PIN(); err != nil {
		t.Fatal(err)
	}
	answers := map[int]int{}
	for range 100 {
		answers[d.show("00000000x", "").StatusCode]++
	}
	if lines := strings.Count(d.audit.all(), "refused"); lines != 5 || answers[http.StatusForbidden] != 5 || answers[http.StatusTooManyRequests] != 95 {
		t.Errorf("100 wrong codes are answered %v and are %d lines in the audit log, want 5", answers, lines)
	}
	if lines := strings.Count(log.String(), "a pairing was refused"); lines != 5 {
		t.Errorf("100 wrong codes are %d lines in the log, want 5", lines)
	}
}

func TestWhoPairsAgainAndAgainDoesNotFillTheAuditLog(t *testing.T) {
	var log strings.Builder
	d := wide(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	pin, err := d.access.PIN()
	if err != nil {
		t.Fatal(err)
	}
	answers, cookie := map[int]int{}, "none"
	for range 100 { // a browser that shows what it got last, so that each request has a grant and a rate of its own
		got := d.show(pin, "Eve", with("Cookie", "mybot="+cookie))
		if answers[got.StatusCode]++; got.StatusCode == http.StatusSeeOther {
			cookie = cookieIn(t, got).Value
		} else if says := text(t, got); !strings.Contains(says, "Many devices have just connected") {
			t.Fatalf("a browser that must wait reads %s", says)
		}
	}
	if lines := strings.Count(d.audit.all(), "\n") + 1; answers[http.StatusSeeOther] != 60 || answers[http.StatusTooManyRequests] != 40 || lines > 120 || strings.Count(log.String(), "refused") > 0 {
		t.Errorf("100 pairings of one browser are answered %v and are %d lines in the audit log", answers, lines)
	}
}

func TestAUsedUpLinkFillsNoLog(t *testing.T) {
	var log strings.Builder
	d := wide(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	link, err := d.access.Share(time.Now(), false, "")
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = d.access.Redeem(time.Now(), "192.168.1.7", link, "")
	}
	answers := map[int]int{}
	for range 100 {
		answers[d.show(link, "").StatusCode]++
	}
	if lines := strings.Count(log.String(), "has already let in 250 devices"); answers[http.StatusServiceUnavailable] != 100 || lines != 5 {
		t.Errorf("100 pairings by a link that is used up are answered %v and are %d lines in the log, want 5", answers, lines)
	}
}

// A store that fails deletes nothing.
type torn struct{ noGrants }

func (torn) DeleteGrant(string) error { return errors.New("torn page") }

func TestWhoIsSentAwayGoesAlsoWhenTheDiskFails(t *testing.T) {
	authenticator, err := access.NewAuthenticator(torn{})
	if err != nil {
		t.Fatal(err)
	}
	d := wide(t, func(c *Config) { c.Access, c.Owner = authenticator, strings.Repeat("o", 43) })
	link, err := authenticator.Share(time.Now(), true, "")
	if err != nil {
		t.Fatal(err)
	}
	token := cookieIn(t, d.show(link, "Eve")).Value
	grant := authenticator.Grants(time.Now())[0]
	user, err := d.hub.Join(t.Context(), session.Identity{Browser: "eve", Role: session.Observer, Grant: grant.ID})
	if err != nil {
		t.Fatal(err)
	}
	defer user.Leave()
	got := d.ask("DELETE", "/api/v1/users/"+grant.ID, with("Authorization", "Bearer "+strings.Repeat("o", 43)))
	if body := text(t, got); got.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "has ended") {
		t.Errorf("the admin is answered %s: %s", got.Status, body)
	}
	select {
	case <-user.Done():
	case <-time.After(10 * time.Second):
		t.Error("who was sent away is still connected")
	}
	if got := d.ask("GET", "/api/v1/state", far, with("Cookie", "mybot="+token)); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("and is answered %s", got.Status)
	}
	if got := d.show(link, "Eve"); got.StatusCode != http.StatusForbidden {
		t.Errorf("and comes back by the link: %s", got.Status)
	}
	if !strings.Contains(d.audit.all(), `The access of "Eve"`) {
		t.Errorf("the audit log does not tell of it: %s", d.audit.all())
	}
}
